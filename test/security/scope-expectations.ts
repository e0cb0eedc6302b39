// What each key may use, decided by hand: "r" for a scope read, "w" for write, "x" for exec, and "rwx" for all of them. A use that is
// missing here fails scopes.test.ts until somebody decides about it.

/** The keys of all combinations of scopes. */
export const KEYS = ["", "r", "w", "x", "rw", "rx", "wx", "rwx"] as const;
export type Key = (typeof KEYS)[number];

const all = (scope: "r" | "w" | "x"): Key[] => KEYS.filter((key) => key.includes(scope));
const none: Key[] = [];

/** By tool and action; tools without actions have "run". */
export const expectedActions: Record<string, Record<string, Key[]>> = {
  exec: { run: all("x") },
  process: { list: all("x"), read: all("x"), write: all("x"), signal: all("x") },
  run_js: { run: all("x") },
  search: { run: all("r") },
  file: {
    ...{ read: all("r"), list: all("r"), stat: all("r"), edit: ["rw", "rwx"] },
    ...{ write: all("w"), append: all("w"), mkdir: all("w"), move: all("w"), copy: all("w"), delete: all("w") },
  },
  sandbox: {
    ...{ status: ["r", "x", "rw", "rx", "wx", "rwx"], list: ["r", "x", "rw", "rx", "wx", "rwx"] },
    ...{ checkpoints: ["r", "x", "rw", "rx", "wx", "rwx"], diff: ["r", "x", "rw", "rx", "wx", "rwx"] },
    ...{ configure: all("x"), stop: all("x"), destroy: all("x"), expose: all("x"), unexpose: all("x") },
    ...{ checkpoint: all("x"), restore: all("x"), fork: all("x"), delete_checkpoint: all("x") },
  },
};

/** By method and route. */
export const expectedRoutes: Record<string, Key[]> = {
  "GET /files": all("r"),
  "HEAD /files": all("r"),
  "PUT /files": all("w"),
  "DELETE /files": none,
  "POST /files": none,
};

/** By capability of the MCP server. */
export const expectedCapabilities: Record<string, Key[]> = {
  tools: [...KEYS],
  resources: all("r"),
  completions: all("r"),
  prompts: all("x"),
};

/** By full name of a method of run_js; run_js itself needs "x". */
export const expectedMethods: Record<string, Key[]> = {
  ...Object.fromEntries(["readFile", "listFiles", "stat", "search"].map((name) => [`sandbox.${name}`, all("r")])),
  ...Object.fromEntries(
    ["writeFile", "appendFile", "editFile", "mkdir", "move", "copy", "remove"].map((name) => [
      `sandbox.${name}`,
      all("w"),
    ]),
  ),
  ...Object.fromEntries(
    ["exec", "listProcesses", "readProcess", "writeProcess", "signalProcess"].map((name) => [
      `sandbox.${name}`,
      all("x"),
    ]),
  ),
  ...Object.fromEntries(["get", "set", "delete", "list"].map((name) => [`state.${name}`, all("x")])),
  ...Object.fromEntries(
    ["listPullRequests", "getPullRequest", "listIssues", "getFile", "searchCode"].map((name) => [
      `github.${name}`,
      all("x"),
    ]),
  ),
};
