// What one sandbox does to exhaust its machine or the server, each with what its caller must be told.

import type { McpClient } from "./clients.ts";

export interface HostileAct {
  title: string;
  /** Does it, and resolves with the texts that the caller was shown. */
  act(call: HostileCall): Promise<string[]>;
  /** Must occur in one of the texts. */
  told: RegExp;
  /** A command that frees what is used up on the disk, which a stop keeps. */
  remedy?: string;
}

/** A call in the hostile sandbox. Resolves with the text of the answer. */
export type HostileCall = (tool: string, input: Record<string, unknown>) => Promise<string>;

/** Limits with which the acts reach what they exhaust within seconds. */
export const HOSTILE_SETTINGS = {
  SANDBOX_MCP_PIDS: "256",
  SANDBOX_MCP_MEMORY_MB: "768",
  SANDBOX_MCP_DISK_MB: "128",
};

export const hostileCall =
  (client: McpClient, sandbox: string): HostileCall =>
  async (tool, input) =>
    (await client.call(tool, { ...input, sandbox })).text;

const inShell =
  (command: string, options: object = {}) =>
  async (call: HostileCall): Promise<string[]> => [
    await call("exec", { command, timeout_ms: 30_000, ...options }),
    await call("exec", { command: "true" }),
  ];

const inCode =
  (code: string, count: number) =>
  (call: HostileCall): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => call("run_js", { code, timeout_ms: 5_000 })));

const forkBomb = async (call: HostileCall): Promise<string[]> => {
  await call("exec", { command: ":(){ :|:& };:", process_id: "bomb" });
  return [
    await call("exec", { command: "true && true | true" }),
    await call("file", { action: "write", path: "beside.txt", content: "written beside a fork bomb" }),
    await call("search", { pattern: "beside a fork bomb" }),
    await call("process", { action: "signal", signal: "KILL", process_id: "bomb" }),
    await call("exec", { command: "echo after: $(ps -e --no-headers | wc -l) processes" }),
  ];
};

export const hostileActs: readonly HostileAct[] = [
  {
    title: "a fork bomb",
    act: forkBomb,
    // The bomb leaves room now and then: a command that gets it at last succeeds, and shows what bash said until then.
    told: /(limit of \d+ processes|Resource temporarily unavailable)[\s\S]*after: \d{1,2} processes/,
  },
  {
    title: "processes that take all memory",
    act: inShell("for i in 1 2 3 4; do tail /dev/zero & done; wait; exit 1"),
    told: /has ended 4 of them for lack of memory/,
  },
  {
    title: "a process that keeps most of the memory",
    act: async (call) => [
      await call("exec", {
        command: "head -c 400M /dev/zero | tail -c 390M | sleep 600",
        background: true,
        process_id: "keeper",
      }),
      await call("exec", { command: "head -c 500M /dev/zero | tail | wc -c" }),
      await call("process", { action: "signal", signal: "KILL", process_id: "keeper" }),
    ],
    told: /SIGKILL/,
  },
  {
    title: "a full disk",
    act: inShell("dd if=/dev/zero of=/workspace/fill bs=1M"),
    told: /No space left on device/,
    remedy: "rm /workspace/fill",
  },
  {
    title: "used-up inodes",
    act: inShell("mkdir -p /workspace/many && cd /workspace/many && seq 1 1000000 | xargs touch"),
    told: /No space left on device/,
    remedy: "rm -rf /workspace/many",
  },
  {
    title: "processes that use all processors",
    act: inShell("for i in $(seq 64); do while :; do :; done & done; wait", { timeout_ms: 8_000 }),
    told: /timeout|timed out|ended after/i,
  },
  { title: "endless output", act: inShell("yes", { timeout_ms: 8_000 }), told: /timeout|timed out|ended after/i },
  {
    title: "a hundred commands at once",
    act: (call) => Promise.all(Array.from({ length: 100 }, (_, n) => call("exec", { command: `sleep 2; echo ${n}` }))),
    told: /99/,
  },
  { title: "ten endless loops in code", act: inCode("for (;;);", 10), told: /Timeout/ },
  {
    title: "ten memory bombs in code",
    act: inCode("const kept = []; for (;;) kept.push(new Array(1e5).fill(Math.random()))", 10),
    told: /MemoryLimit|Timeout: The code was ended/,
  },
  {
    title: "code that starts commands without end",
    act: inCode("for (;;) await Promise.all(Array.from({ length: 16 }, () => sandbox.exec('seq 1 1000')))", 4),
    told: /Timeout|quota|at most/,
  },
];
