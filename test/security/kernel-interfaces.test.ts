// Attacks on the host's kernel by system calls from inside a machine, each as the machine's root. Without the filter, the same
// calls do something or fail for another reason: so none of these refusals is the kernel's own.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CALL_NUMBERS } from "../../container/engine/seccomp/call-numbers.ts";
import {
  type EngineUnderTest,
  homeOf,
  isRoot,
  readFile,
  removeHomes,
  startEngine,
  users,
} from "../engine/engine-under-test.ts";

/** An address that no process has anything at. */
const NOWHERE = 8;
const NEW_USER_NAMESPACE = 0x10000000;
const SIGCHLD = 17;

/** What is attacked, a system call, and its arguments. */
type Attack = readonly [what: string, call: string, args: readonly (number | string)[]];

const ATTACKS: readonly Attack[] = [
  ["the kernel's keys", "add_key", ["user", "name", "secret", 6, -2]],
  ["the kernel's keys", "request_key", ["user", "host-key", 0, 0]],
  ["the kernel's keys", "keyctl", [0, -4, 0]],
  ["sockets to the host", "socket", [40, 1, 0]],
  ["packet sockets", "socket", [17, 2, 0]],
  ["packet sockets", "socket", [17, 3, 0]],
  ["packet sockets", "socket", [2, 10, 0x300]],
  ["packet sockets", "socket", [2, 0x80000 + 0x800 + 10, 0x300]],
  ["XDP sockets", "socket", [44, 3, 0]],
  ["the kernel's ciphers", "socket", [38, 5, 0]],
  ["rare protocols", "socket", [30, 1, 0]],
  ["rare protocols", "socketpair", [30, 1, 0, NOWHERE]],
  ["io_uring", "io_uring_setup", [1, NOWHERE]],
  ["io_uring", "io_uring_enter", [-1, 0, 0, 0, 0]],
  ["io_uring", "io_uring_register", [-1, 0, 0, 0]],
  ["programs in the kernel", "bpf", [0, NOWHERE, 8]],
  ["performance counters", "perf_event_open", [NOWHERE, 0, -1, -1, 0]],
  ["page faults", "userfaultfd", [1]],
  ["the clock", "clock_settime", [0, NOWHERE]],
  ["the clock", "settimeofday", [NOWHERE, 0]],
  ["mounts", "mount", [NOWHERE, "/mnt", NOWHERE, 0, 0]],
  ["mounts", "umount2", ["/mnt", -1]],
  ["mounts", "open_tree", [-1, "/", -1]],
  ["namespaces", "unshare", [NEW_USER_NAMESPACE]],
  ["namespaces", "clone", [NEW_USER_NAMESPACE + SIGCHLD, 0, 0, 0, 0]],
  ["namespaces", "clone", [0x40000000 + NEW_USER_NAMESPACE + SIGCHLD, 0, 0, 0, 0]],
  ["namespaces", "setns", [-1, 0]],
  ["personalities", "personality", [0x0400000]],
  ["personalities", "personality", [0x0100000]],
  ["other processes' descriptors", "pidfd_getfd", [-1, 0, 0]],
  ["other processes' memory", "process_madvise", [-1, 0, 0, 0, 0]],
  ["other processes' kernel objects", "kcmp", [1, 1, 0, 0, 0]],
  ["events of file systems", "fanotify_init", [0x200, 0]],
  ["quotas", "quotactl", [-1, 0, 0, 0]],
];

/** These are refused by the kernel as well, whoever is asked first. */
const PRIVILEGED: readonly Attack[] = [
  ["modules", "init_module", [NOWHERE, 0, ""]],
  ["modules", "finit_module", [-1, "", 0]],
  ["modules", "delete_module", ["none", 0]],
  ["kernels", "kexec_load", [0, 0, 0, 0]],
  ["kernels", "kexec_file_load", [-1, -1, 0, "", 0]],
  ["kernels", "reboot", [0, 0, 0, 0]],
  ["handles of files", "open_by_handle_at", [-1, NOWHERE, 0]],
  ["mounts", "pivot_root", ["/", "/"]],
  ["mounts", "fsopen", ["tmpfs", 0]],
  ["mounts", "move_mount", [-1, "/", -1, "/", 0]],
  ["swap", "swapon", ["/none", 0]],
  ["accounting", "acct", ["/none"]],
  ["the kernel's log", "syslog", [3, NOWHERE, 1]],
  ["the host's name", "sethostname", ["x", 1]],
];

/** Makes one call and prints the name of its error, or "done". */
const CALL = `
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
args = eval(sys.argv[1])
keep = [(ctypes.c_uint64 * len(a))(*a) for a in args if isinstance(a, list)]
lists = iter(keep)
result = libc.syscall(*[ctypes.byref(next(lists)) if isinstance(a, list) else a.encode() if isinstance(a, str) else ctypes.c_long(a) for a in args])
if args[0] == ${numberOf("clone")} and result == 0: os._exit(0)
print("done" if result >= 0 else errno.errorcode[ctypes.get_errno()])
`;

function numberOf(name: string): number {
  return CALL_NUMBERS[process.arch === "arm64" ? "arm64" : "x64"].get(name) ?? Number.NaN;
}

/** A list among the arguments is passed as a pointer to 64-bit numbers. */
async function outcome(engine: EngineUnderTest, name: string, args: readonly unknown[]): Promise<string> {
  const call = JSON.stringify([numberOf(name), ...args]);
  return (await engine.exec("a", `/usr/bin/python3 -c '${CALL}' '${call}'`)).output.trim();
}

/** Links the keyring of the host's user to its own, as the attack did, and reads the keys in it. */
const readKeys = (ids: string): string => `/usr/bin/python3 -c '
import ctypes, sys
libc = ctypes.CDLL(None)
keyctl = lambda *a: libc.syscall(${numberOf("keyctl")}, *a)
*keys, ring = map(int, sys.argv[1:])
keyctl(8, ring, -2)
for key in keys:
  text = ctypes.create_string_buffer(16)
  print(text.value.decode() if keyctl(11, key, text, 16) >= 0 else "refused")
' ${ids}; cat /proc/keys /proc/key-users`;

afterAll(removeHomes);

describe.each(users)("a machine of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
  });
  afterAll(() => engine.close());

  it.each([...ATTACKS, ...PRIVILEGED])("cannot use %s: %s", async (_what, name, args) => {
    expect(await outcome(engine, name, args)).toBe("EPERM");
  });

  it("gets ENOSYS for clone3, whose flags cannot be seen, and for calls that the list does not know", async () => {
    expect(await outcome(engine, "clone3", [[NEW_USER_NAMESPACE, 0, 0, 0, SIGCHLD, 0, 0, 0], 64])).toBe("ENOSYS");
    const { output } = await engine.exec("a", `/usr/bin/python3 -c '${CALL}' '[900, 0]'`);
    expect(output).toBe("ENOSYS\n");
  });

  it("reads no key of the host's user, nor their names", async () => {
    const ids = readFile(join(homeOf(engine), "keys"));
    expect(ids).toMatch(/^\d+ \d+ \d+$/);
    expect((await engine.exec("a", readKeys(ids))).output).toBe("refused\nrefused\n");
  });

  it("has the filter on every process, the first included", async () => {
    const { output } = await engine.exec("a", "cat /proc/[0-9]*/status | grep ^Seccomp: | sort -u");
    expect(output).toBe("Seccomp:\t2\n");
  });

  it.runIf(process.arch === "x64")("ends a process that makes a 32-bit call", async () => {
    // `int 0x80` with eax = 20, which is getpid.
    const code = "b8 14 00 00 00 cd 80 c3";
    const { output } = await engine.exec(
      "a",
      `/usr/bin/python3 -c '
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("${code}"))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
'; echo $(kill -l $?)`,
    );
    expect(output).toContain("SYS\n");
  });
});

describe.runIf(isRoot)("an engine on a host without perl", () => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await startEngine({ hostMounts: "mount --bind /dev/null /usr/bin/perl" });
    await engine.startMachine("a");
  });
  afterAll(() => engine.close());

  it("says that machines have no filter", () => {
    expect(engine.stderr.join("")).toContain("Machines run without a filter of system calls");
    expect(engine.stderr.join("")).toContain("install perl, then start again");
  });

  it.each(ATTACKS)("leaves %s to the kernel: %s", async (_what, name, args) => {
    expect(await outcome(engine, name, args)).not.toBe("EPERM");
  });
});
