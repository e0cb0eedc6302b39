// Every action of every tool against every argument of its tool: what the action takes is passed on, all else is refused.

import { expect, test } from "vitest";
import { fail } from "../../src/contract/result.ts";
import { callTool } from "../../tools/call-tool.ts";
import type { Tool, ToolCall } from "../../tools/tool.ts";
import { toolFor } from "./tool-for.ts";

const process = toolFor("process");

interface Taken {
  needs: string[];
  takes: string[];
}

const samples: Record<string, unknown> = {
  path: "a",
  offset: 1,
  limit: 1,
  column: 1,
  depth: 1,
  no_ignore: true,
  encoding: "text",
  content: "a",
  if_absent: true,
  old_string: "a",
  new_string: "b",
  replace_all: true,
  insert_line: 1,
  edits: [{ old_string: "a", new_string: "b" }],
  expected_hash: "0123456789ab",
  to: "b",
  overwrite: true,
  recursive: true,
  dry_run: true,
  process_id: "p1",
  stdout_offset: 0,
  stderr_offset: 0,
  until: "exit",
  wait_ms: 1,
  data: "a",
  eof: true,
  signal: "TERM",
  checkpoint: "c1",
  name: "a",
  into: "other",
  env: { A: "b" },
  sleep_after: "20m",
  egress: "none",
  allow: ["a.example"],
  deny: ["a.example"],
  port: 4000,
  wake: true,
  command: "true",
  expires_in: "8h",
  with_checkpoints: true,
  sandbox: "default",
};

const fileActions: Record<string, Taken> = {
  read: { needs: ["path"], takes: ["offset", "limit", "column", "encoding"] },
  list: { needs: [], takes: ["path", "depth", "offset", "limit", "no_ignore"] },
  stat: { needs: ["path"], takes: [] },
  write: { needs: ["path", "content"], takes: ["encoding", "if_absent", "expected_hash", "dry_run"] },
  append: { needs: ["path", "content"], takes: ["encoding", "expected_hash", "dry_run"] },
  edit: {
    needs: ["path"],
    takes: ["old_string", "new_string", "replace_all", "insert_line", "edits", "expected_hash", "dry_run"],
  },
  mkdir: { needs: ["path"], takes: ["dry_run"] },
  move: { needs: ["path", "to"], takes: ["overwrite", "dry_run"] },
  copy: { needs: ["path", "to"], takes: ["overwrite", "dry_run"] },
  delete: { needs: ["path"], takes: ["recursive", "dry_run"] },
};

const processActions: Record<string, Taken> = {
  list: { needs: [], takes: [] },
  read: { needs: ["process_id"], takes: ["stdout_offset", "stderr_offset", "until", "wait_ms"] },
  write: { needs: ["process_id"], takes: ["data", "eof"] },
  signal: { needs: ["process_id"], takes: ["signal"] },
};

const sandboxActions: Record<string, Taken> = {
  status: { needs: [], takes: [] },
  list: { needs: [], takes: [] },
  configure: { needs: [], takes: ["env", "sleep_after", "egress", "allow", "deny"] },
  stop: { needs: [], takes: [] },
  destroy: { needs: ["sandbox"], takes: ["with_checkpoints"] },
  expose: { needs: ["port"], takes: ["wake", "command", "expires_in"] },
  unexpose: { needs: ["port"], takes: [] },
  checkpoint: { needs: [], takes: ["name"] },
  checkpoints: { needs: [], takes: ["checkpoint"] },
  diff: { needs: ["checkpoint"], takes: ["to", "path"] },
  restore: { needs: ["checkpoint"], takes: [] },
  fork: { needs: ["into"], takes: ["checkpoint"] },
  delete_checkpoint: { needs: ["checkpoint"], takes: [] },
};

const tools: [Tool, Record<string, Taken>][] = [
  [toolFor("file"), fileActions],
  [process, processActions],
  [toolFor("sandbox"), sandboxActions],
];

const rows = tools.flatMap(([tool, actions]) => {
  const { action, ...others } = tool.input.shape;
  return Object.entries(actions)
    .filter(([name]) => action?.safeParse(name).success === true)
    .flatMap(([name, taken]) => Object.keys(others).map((argument) => ({ tool, action: name, argument, ...taken })));
});

/** Answers every operation with a failure, which an action that got so far passes on. */
const sandboxes = (() => {
  const cancelled = fail({ reason: "cancelled" });
  const operation = async () => ({ result: cancelled, notice: null });
  const checkpoints = {
    create: operation,
    list: operation,
    diff: operation,
    restore: operation,
    fork: operation,
    delete: operation,
    deleteAll: operation,
    summary: operation,
  };
  const open = (name: string) => ({
    name,
    call: operation,
    acknowledge: async () => undefined,
    administer: async () => cancelled,
    checkpoints,
  });
  return { open, list: async () => cancelled, previewUrl: (label: string) => label };
})();

async function run(tool: Tool, input: Record<string, unknown>): Promise<string> {
  const call: Pick<ToolCall, "sandboxes" | "signal" | "origin"> = {
    sandboxes,
    signal: new AbortController().signal,
    origin: "https://host",
  };
  const { content } = await callTool(tool, input, call as ToolCall);
  const [part] = content;
  return part?.type === "text" ? part.text : "";
}

const samplesOf = (names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, samples[name]]));

test.each(rows)("$tool.name $action with $argument", async ({ tool, action, argument, needs, takes }) => {
  const text = await run(tool, { action, ...samplesOf([...needs, argument]) });
  const own = [...needs, ...takes].filter((name) => name !== "sandbox");
  const refusal = `"${argument}" is not an argument of ${action}, so nothing was done. ${action} takes: ${own.join(", ") || "no arguments of its own"}.`;
  if (argument === "sandbox" || own.includes(argument)) expect(text).not.toContain("is not an argument");
  else expect(text).toBe(refusal);
});

test.each(rows.filter(({ argument, needs }) => needs.includes(argument)))(
  "$tool.name $action without $argument",
  async ({ tool, action, argument, needs }) => {
    const text = await run(tool, { action, ...samplesOf(needs.filter((name) => name !== argument)) });
    expect(text).toMatch(new RegExp(`^Argument "${argument}" is missing: ${action} needs .+\\.$`));
  },
);

test("a flag that is false is as absent", async () => {
  expect(await run(process, { action: "list", eof: false })).not.toContain("is not an argument");
});
