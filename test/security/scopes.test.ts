// Every combination of scopes against every use of the server: what a key is shown, and what happens when it sends more than that.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { Caller, Scope } from "../../src/auth/caller.ts";
import { allows, requirements } from "../../src/auth/requirements.ts";
import { fail } from "../../src/contract/result.ts";
import { answerFiles } from "../../src/http/files-route.ts";
import { grantedNames, resolveGrants } from "../../src/isolate/grants.ts";
import { providersOf } from "../../src/isolate/providers/index.ts";
import { createServer } from "../../src/mcp/server.ts";
import { failedTransfer } from "../../src/sandbox/transfer/file-transfer.ts";
import { callTool } from "../../tools/call-tool.ts";
import { toolsFor } from "../../tools/index.ts";
import type { ToolCall } from "../../tools/tool.ts";
import { type FilesUnderTest, filesUnderTest } from "../runner/file/files-under-test.ts";
import { onlyCalls } from "../tools/only-calls.ts";
import { toolFor } from "../tools/tool-for.ts";
import {
  expectedActions,
  expectedCapabilities,
  expectedMethods,
  expectedRoutes,
  KEYS,
  type Key,
} from "./scope-expectations.ts";

const SCOPE_OF: Record<string, Scope> = { r: "sandbox:read", w: "sandbox:write", x: "sandbox:exec" };
const scopesOf = (key: Key): Set<Scope> => new Set([...key].flatMap((letter) => SCOPE_OF[letter] ?? []));

/** The actions that a key is shown, by tool. */
const shownTo = (key: Key): Record<string, unknown[]> =>
  Object.fromEntries(
    toolsFor(scopesOf(key)).map(({ name, input }) => {
      const { action } = input.shape;
      return [
        name,
        action !== undefined && "options" in action && Array.isArray(action.options) ? action.options : ["run"],
      ];
    }),
  );

const cells = Object.entries(expectedActions).flatMap(([tool, actions]) =>
  Object.entries(actions).flatMap(([action, keys]) =>
    KEYS.map((key) => ({ tool, action, key, expected: keys.includes(key) })),
  ),
);

test.each(cells)('key "$key": $tool $action is shown: $expected', ({ tool, action, key, expected }) => {
  expect(shownTo(key)[tool]?.includes(action) ?? false).toBe(expected);
});

test("every action of every tool, and every row of the table, is decided about", () => {
  const decided = Object.fromEntries(Object.entries(expectedActions).map(([tool, actions]) => [tool, keysOf(actions)]));
  const sorted = (table: Record<string, unknown[]>) =>
    Object.fromEntries(Object.entries(table).map(([tool, actions]) => [tool, actions.toSorted()]));
  expect(sorted(shownTo("rwx"))).toEqual(sorted(decided));
  expect(
    sorted(Object.fromEntries(Object.entries(requirements.tools).map(([tool, rows]) => [tool, keysOf(rows)]))),
  ).toEqual(sorted(decided));
  expect(keysOf(requirements.files).map((method) => `${method} /files`)).toEqual(
    keysOf(expectedRoutes).filter((route) => expectedRoutes[route]?.length !== 0),
  );
});

const keysOf = (table: object): string[] => Object.keys(table);

const reached = vi.fn();
const cancelled = fail({ reason: "cancelled" });
const operation = async () => {
  reached();
  return { result: cancelled, notice: null };
};
const checkpoints = Object.fromEntries(
  ["create", "list", "diff", "restore", "fork", "delete", "deleteAll", "summary"].map((name) => [name, operation]),
);
const result = async () => {
  reached();
  return cancelled;
};
const sandbox = (name: string) => ({
  name,
  call: operation,
  acknowledge: async () => undefined,
  administer: result,
  checkpoints,
});
const sandboxes = { open: sandbox, list: result, previewUrl: (label: string) => label };
const call = {
  ...{ sandboxes, isolates: { run: result }, origin: "https://host", arrivedAt: Date.now() },
  ...{ signal: new AbortController().signal, progress: null, detach: () => undefined },
} as unknown as ToolCall;

const REQUIRED = {
  ...{
    path: "a",
    to: "b",
    content: "c",
    old_string: "a",
    new_string: "b",
    process_id: "p1",
    port: 4000,
    checkpoint: "c1",
  },
  ...{ into: "other", data: "x", egress: "none", sandbox: "default" },
};

test.each(cells.filter(({ action }) => action !== "run"))(
  'key "$key": $tool $action reaches a sandbox: $expected',
  async ({ tool, action, key, expected }) => {
    reached.mockClear();
    const shown = toolsFor(scopesOf(key)).find(({ name }) => name === tool);
    const { input } = toolFor(tool);
    const given = Object.entries(REQUIRED).filter(
      ([name]) => name in input.shape && needs(tool, action).includes(name),
    );
    const answer = shown === undefined ? null : await callTool(shown, { action, ...Object.fromEntries(given) }, call);
    expect(reached.mock.calls.length > 0).toBe(expected);
    if (shown !== undefined && !expected) expect(answer?.isError).toBe(true);
  },
);

/** The arguments with which an action of a tool reaches the sandbox. */
function needs(tool: string, action: string): string[] {
  const ofFile = {
    write: ["content"],
    append: ["content"],
    edit: ["old_string", "new_string"],
    move: ["to"],
    copy: ["to"],
  };
  const ofSandbox = {
    ...{ configure: ["egress"], expose: ["port"], unexpose: ["port"], diff: ["checkpoint"], restore: ["checkpoint"] },
    ...{ fork: ["into"], delete_checkpoint: ["checkpoint"], destroy: ["sandbox"] },
  };
  const own = new Map<string, string[]>(Object.entries(tool === "file" ? ofFile : tool === "sandbox" ? ofSandbox : {}));
  if (tool === "process") return action === "list" ? [] : action === "write" ? ["process_id", "data"] : ["process_id"];
  const common = tool === "file" ? ["path"] : [];
  return [...common, ...(own.get(action) ?? [])];
}

test.each(KEYS.flatMap((key) => keysOf(expectedRoutes).map((route) => ({ route, key }))))(
  'key "$key": $route answers as decided',
  async ({ route, key }) => {
    vi.stubGlobal("IdentityTransformStream", TransformStream);
    const [method = "", path] = route.split(" ");
    const caller: Caller = { principal: "alice", scopes: scopesOf(key) };
    const openTransfer = () => async () => failedTransfer({ reason: "cancelled" });
    const response = await answerFiles(new Request(`https://host${path}/default/a`, { method }), {
      caller,
      openTransfer,
    });
    const isKnown = expectedRoutes[route]?.length !== 0;
    expect(response.status).toBe(!isKnown ? 405 : expectedRoutes[route]?.includes(key) ? 409 : 403);
    vi.unstubAllGlobals();
  },
);

test.each(KEYS)('key "%s": its first use of a name creates a sandbox only if it may write or run commands', (key) => {
  expect(allows(scopesOf(key), requirements.sandboxes.create)).toBe(/[wx]/.test(key));
});

test.each(KEYS)('key "%s": the MCP server offers what is decided', (key) => {
  const caller: Caller = { principal: "alice", scopes: scopesOf(key) };
  const { server } = createServer({ ...call, caller });
  const offered = keysOf(server.getCapabilities());
  expect(offered.toSorted()).toEqual(
    keysOf(expectedCapabilities)
      .filter((name) => expectedCapabilities[name]?.includes(key))
      .toSorted(),
  );
});

test.each(KEYS)('key "%s": run_js is granted the methods that are decided', (key) => {
  const providers = providersOf({ GITHUB_REPOSITORY: "a/b", GITHUB_TOKEN: "t" });
  const grants = resolveGrants(providers, scopesOf(key), null);
  const granted = grants.ok ? Object.entries(grantedNames(grants.value)) : [];
  expect(granted.flatMap(([provider, names]) => names.map((name) => `${provider}.${name}`)).toSorted()).toEqual(
    keysOf(expectedMethods)
      .filter((name) => expectedMethods[name]?.includes(key))
      .toSorted(),
  );
});

const SECRET = "the-secret-of-the-file";

/** What a key with only the scope write is answered, over the runner's own operations. */
async function write(files: FilesUnderTest, input: Record<string, unknown>): Promise<string> {
  const notice = { id: "1", text: `lost: ${SECRET}` };
  const open = (name: string) => ({
    name,
    call: async (operation: never, request: never) =>
      ({ result: await files.call(operation, request), notice }) as never,
    acknowledge: () => Promise.reject(new Error("The notice was not shown")),
  });
  const answer = await callTool(toolFor("file", ["sandbox:write"]), input, { ...call, sandboxes: onlyCalls(open) });
  return JSON.stringify(answer);
}

test.each<[title: string, input: Record<string, unknown>, isDone: boolean]>([
  ["a write over it", { action: "write", path: "secret", content: "x" }, true],
  ["a dry run with its content", { action: "write", path: "secret", content: SECRET, dry_run: true }, true],
  ["an append", { action: "append", path: "secret", content: "x" }, true],
  ["a copy", { action: "copy", path: "secret", to: "copy" }, true],
  ["a copy of a directory", { action: "copy", path: "full", to: "copy" }, true],
  ["a move", { action: "move", path: "secret", to: "moved" }, true],
  ["a delete", { action: "delete", path: "full", recursive: true }, true],
  ["a delete of a directory that is not empty", { action: "delete", path: "full" }, false],
  ["a path that is nearly right", { action: "delete", path: `full/${SECRET}s` }, false],
  ["a path below a file", { action: "write", path: "secret/x", content: "x" }, false],
  [
    "an edit that guesses",
    { action: "edit", path: "secret", old_string: "the-s", new_string: "x", dry_run: true },
    false,
  ],
  ["a hash that guesses", { action: "write", path: "secret", content: "x", expected_hash: "0123456789ab" }, false],
  ["read", { action: "read", path: "secret" }, false],
])("a key that may only write learns nothing of a file from %s", async (_, input, isDone) => {
  using files = filesUnderTest();
  files.put("secret", SECRET);
  files.put(`full/${SECRET}`, "1");
  const answer = await write(files, input);
  expect(answer.includes('"isError":true')).toBe(!isDone);
  const mentioned = answer.replaceAll(JSON.stringify(input["path"]).slice(1, -1), "");
  expect(mentioned).not.toMatch(new RegExp(`${SECRET}|hash [0-9a-f]|bytes|\\b(1|${SECRET.length})\\b`));
});

test.each<[title: string, input: Record<string, unknown>]>([
  ["a copy of a tree with a FIFO", { action: "copy", path: "tree", to: "copy" }],
  [
    "a move of a tree with a FIFO to another place",
    { action: "move", path: "tree", to: "/dev/shm/sandbox-mcp-scopes" },
  ],
  ["a copy of devices", { action: "copy", path: "/dev", to: "copy", dry_run: true }],
  ["a copy into itself through a symlink", { action: "copy", path: "link", to: "link/x" }],
  ["a move into itself through a symlink", { action: "move", path: "link/sub", to: "link/sub/x" }],
  ["a copy to itself through a symlink", { action: "copy", path: "link/sub", to: "link/sub" }],
  ["a write to a directory through a symlink", { action: "write", path: "link", content: "x" }],
  ["a write to a FIFO", { action: "write", path: "pipe", content: "x" }],
  ["an append to a FIFO", { action: "append", path: "pipe", content: "x" }],
  ["a write below a FIFO", { action: "write", path: "pipe/x", content: "x" }],
  ["a write through a circle of symlinks", { action: "write", path: "circle/x", content: "x" }],
  ["a delete of a directory that is not empty", { action: "delete", path: "link/sub" }],
  ["mkdir over a FIFO", { action: "mkdir", path: "pipe" }],
  ["a copy over a directory", { action: "copy", path: "plain", to: "link/sub", overwrite: true }],
])("a key that may only write is told no name, no target and no kind by %s", async (_, input) => {
  using files = filesUnderTest();
  files.put("plain", "1");
  files.put(`${SECRET}/sub/a`, "1");
  symlinkSync(SECRET, files.path("link"));
  symlinkSync("circle", files.path("circle"));
  mkdirSync(files.path(`tree/${SECRET}`), { recursive: true });
  for (const path of [`tree/${SECRET}/pipe`, "pipe"]) execFileSync("mkfifo", [files.path(path)]);
  const { isError, content } = JSON.parse(await write(files, input));
  expect(isError).toBe(true);
  const given = [input["path"], input["to"]].filter((path) => path !== undefined).map((path) => `"${path}"`);
  const misfit =
    "what is there does not allow it. Choose another path, or set recursive: true to delete a directory with everything in it";
  const exists = "something is there already, and nothing was changed. Choose another path, or replace it";
  expect([
    `${given.join(" to ")}: ${misfit}`,
    `${given.join(" to ")}: ${exists}`,
    expect.stringMatching(/^It cannot be done as asked, [^"/]*$/),
  ]).toContainEqual(content[0].text);
});

test("a dry run answers the same whether the content is right or wrong", async () => {
  using files = filesUnderTest();
  files.put("secret", SECRET);
  const guesses = [SECRET, "wrong"].map((content) => ({ action: "write", path: "secret", content, dry_run: true }));
  const answers = await Promise.all(guesses.map((guess) => write(files, guess)));
  expect(new Set(answers).size).toBe(1);
});

test("PUT tells a key that may only write neither versions nor names", async () => {
  vi.stubGlobal("IdentityTransformStream", TransformStream);
  const caller: Caller = { principal: "alice", scopes: scopesOf("w") };
  const put = (headers: Record<string, string>, answer: Response) => {
    const request = new Request("https://host/files/default/a", { method: "PUT", headers });
    return answerFiles(request, { caller, openTransfer: () => async () => answer });
  };
  expect((await put({ "if-match": '"guess"' }, new Response())).status).toBe(403);
  expect((await put({ "if-none-match": '"guess"' }, new Response())).status).toBe(403);
  const exists = await put({ "if-none-match": "*" }, new Response(null, { status: 412, headers: { etag: '"1-2"' } }));
  expect([exists.status, exists.headers.get("etag")]).toEqual([412, null]);
  for (const status of [201, 204]) {
    const done = await put({}, new Response(null, { status, headers: { etag: '"1-2"', "last-modified": "now" } }));
    expect([done.status, [...done.headers.keys()]]).toEqual([status, ["cache-control"]]);
  }
  for (const actual of ["a directory", "a FIFO"]) {
    const path = `/workspace/${SECRET}`;
    const refused = await put({}, failedTransfer({ reason: "wrong_kind", path, expected: "a regular file", actual }));
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: expect.stringMatching(/^"a": what is there does not allow it/) },
    ]);
  }
  const missing = failedTransfer({ reason: "no_such_path", path: "a/b", above: "a", similar: [SECRET] });
  expect(await (await put({}, missing)).text()).not.toContain(SECRET);
  vi.unstubAllGlobals();
});
