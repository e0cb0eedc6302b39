// The program of the filter, interpreted for every number on both architectures, against the lists that it is made from; and
// the numbers against the headers of this host.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  ABSENT_CALLS,
  ALLOWED_CALLS,
  ARGUMENT_RULES,
  NAMESPACE_CALLS,
} from "../../../container/engine/seccomp/allowed-calls.ts";
import { CALL_NUMBERS } from "../../../container/engine/seccomp/call-numbers.ts";
import { encodeProgram } from "../../../container/engine/seccomp/filter-program.ts";
import { AUDIT_ARCHITECTURES, machineFilter } from "../../../container/engine/seccomp/machine-filter.ts";
import { interpretFilter } from "./interpret-filter.ts";

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const KILL_PROCESS = 0x80000000;

const VARIANTS = (["x64", "arm64"] as const).flatMap((architecture) =>
  [false, true].map((nestedNamespaces) => ({ architecture, nestedNamespaces })),
);

describe.each(VARIANTS)("the filter for $architecture with nestedNamespaces $nestedNamespaces", (variant) => {
  const { architecture, nestedNamespaces } = variant;
  const program = encodeProgram(machineFilter(architecture, { nestedNamespaces }));
  const numbers = CALL_NUMBERS[architecture];
  const verdict = (number: number, ...args: bigint[]) =>
    interpretFilter(program, { architecture: AUDIT_ARCHITECTURES[architecture], number, args });
  const numberOf = (name: string): number => numbers.get(name) ?? Number.NaN;

  it("allows what the lists name, refuses the other known calls, and lacks the unknown ones", () => {
    const names = new Map([...numbers].map(([name, number]) => [number, name]));
    const expected = (number: number): number => {
      const name = names.get(number);
      if (name === undefined) return ENOSYS;
      if (ALLOWED_CALLS.includes(name) || (nestedNamespaces && NAMESPACE_CALLS.includes(name))) return ALLOW;
      if (name === "setrlimit" || name === "prlimit64") return ALLOW;
      return ABSENT_CALLS.includes(name) ? ENOSYS : EPERM;
    };
    // With bit 30, numbers are those of x32. Arguments that all rules refuse.
    const tried = [...Array(2048).keys(), ...[...numbers.values()].map((number) => number + 0x40000000), 0xffffffff];
    for (const number of tried) {
      const refused = [0x10000000n];
      expect([number, names.get(number), verdict(number, ...refused)]).toEqual([
        ...[number, names.get(number), expected(number)],
      ]);
    }
  });

  it("ends a process that makes a call by another architecture's convention", () => {
    for (const other of [0x40000003, 0x40000028, 0xc000003e, 0xc00000b7, 0]) {
      if (other === AUDIT_ARCHITECTURES[architecture]) continue;
      expect(interpretFilter(program, { architecture: other, number: numberOf("read") })).toBe(KILL_PROCESS);
    }
  });

  it.each([
    ["socket", [1n, 2n, 10n, 16n, 2n ** 32n + 2n], [0n, 3n, 11n, 15n, 17n, 29n, 38n, 40n, 44n, 2n ** 32n + 40n, -1n]],
    ["socketpair", [1n], [0n, 30n, 40n]],
    ["personality", [0n, 8n, 0x20000n, 0x20008n, 0x40000n, 0xffffffffn], [1n, 4n, 0x400000n, 0x440000n, 0x7fffffffn]],
  ] as const)("judges %s by its first argument", (name, allowed, refused) => {
    for (const value of allowed) expect([value, verdict(numberOf(name), value)]).toEqual([value, ALLOW]);
    for (const value of refused) expect([value, verdict(numberOf(name), value)]).toEqual([value, EPERM]);
  });

  it("refuses sockets of the type that makes an IPv4 socket one for packets", () => {
    const socket = (type: bigint) => verdict(numberOf("socket"), 2n, type);
    for (const flags of [0n, 0x800n, 0x80000n, 0x80800n]) {
      for (const type of [1n, 2n, 3n, 5n]) expect(socket(type | flags)).toBe(ALLOW);
      expect(socket(10n | flags)).toBe(EPERM);
    }
  });

  it.each([
    ["setrlimit", []],
    ["prlimit64", [0n]],
  ] as const)("ignores a limit for core files that %s would set, and reads it", (name, before) => {
    const IGNORED = 0x00050000;
    for (const pointer of [1n, 2n ** 32n, 2n ** 63n])
      expect(verdict(numberOf(name), ...before, 4n, pointer)).toBe(IGNORED);
    expect(verdict(numberOf(name), ...before, 2n ** 32n + 4n, 1n)).toBe(IGNORED);
    expect(verdict(numberOf(name), ...before, 4n, 0n)).toBe(ALLOW);
    for (const resource of [0n, 3n, 5n, 7n]) expect(verdict(numberOf(name), ...before, resource, 1n)).toBe(ALLOW);
  });

  it("judges clone by each flag for a namespace", () => {
    // Threads, vfork and fork.
    for (const flags of [0x3d0f00n, 0x4111n, 17n, 0n])
      expect(verdict(numberOf("clone"), flags, 0x10000000n)).toBe(ALLOW);
    for (const flag of [0x00020000n, 0x02000000n, 0x04000000n, 0x08000000n, 0x10000000n, 0x20000000n, 0x40000000n])
      for (const others of [0n, 17n, 0x3d0f00n])
        expect(verdict(numberOf("clone"), flag | others)).toBe(nestedNamespaces ? ALLOW : EPERM);
  });
});

describe("the lists of the filter", () => {
  const lists = [...ALLOWED_CALLS, ...Object.keys(ARGUMENT_RULES)];

  it("name each call once, and only calls that exist", () => {
    expect(lists.filter((name, index) => lists.indexOf(name) !== index)).toEqual([]);
    const known = new Set(Object.values(CALL_NUMBERS).flatMap((numbers) => [...numbers.keys()]));
    expect([...lists, ...NAMESPACE_CALLS, ...ABSENT_CALLS].filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(Object.entries(CALL_NUMBERS))("have one number for each call of %s", (_architecture, numbers) => {
    expect(new Set(numbers.values()).size).toBe(numbers.size);
  });
});

/** Headers of the kernel, each with the architecture whose numbers it defines, up to those that it is old enough to know. */
const HEADERS = [
  ["x64", ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"]],
  ["arm64", ["/usr/include/asm-generic/unistd.h"]],
] as const;

describe("the numbers of system calls", () => {
  it.for(HEADERS)("are those of this host's header for %s", ([architecture, paths], { skip }) => {
    const path = paths.find((candidate) => existsSync(candidate));
    if (path === undefined) return skip(`${paths[0]} is missing: install linux-libc-dev`);
    const defined = new Map(
      [...readFileSync(path, "utf8").matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)].map(
        ([, name = "", number]) => [name, Number(number)] as const,
      ),
    );
    // This one is their count.
    defined.delete("syscalls");
    const newest = Math.max(...defined.values());
    // uretprobe is newer than its number shows.
    const own = [...CALL_NUMBERS[architecture]].filter(([name, number]) => number <= newest && name !== "uretprobe");
    const alias = (name: string): string => (name === "newfstatat" && !defined.has(name) ? "fstatat" : name);
    expect(own.filter(([name, number]) => defined.get(alias(name)) !== number)).toEqual([]);
    expect(own.length).toBeGreaterThan(300);
  });
});
