// The next step when code uses a name that models expect and that does not exist here.

import type { CodeError } from "./isolate.ts";

export function addHint(error: CodeError, granted: readonly string[]): CodeError {
  const name = error.name === "ReferenceError" ? /^(\w+) is not defined/.exec(error.message)?.[1] : undefined;
  const hint = name === undefined ? undefined : hintFor(name, granted);
  return hint === undefined ? error : { ...error, message: `${error.message}. ${hint}` };
}

function hintFor(name: string, granted: readonly string[]): string | undefined {
  const hint = new Map(Object.entries(hints)).get(name);
  if (hint !== undefined) return hint;
  if (name === "sandbox" || name === "state" || name === "github" || name === "codemode" || name === "tools") {
    return `The providers granted to this run are: ${granted.join(", ")}`;
  }
  return undefined;
}

const hints: Record<string, string> = {
  require: 'There is no require: use import, or sandbox.exec({command: "node …"}) to run Node in the machine',
  module: "End with the value itself, or export default it",
  exports: "End with the value itself, or export default it",
  fs: "Files are in the machine: use sandbox.readFile, writeFile and listFiles",
  caches: "Nothing is cached between runs; use state for small values",
  window: "This is not a browser; globalThis has the globals",
  document: "This is not a browser; there is no document",
  __dirname: "The code is not in a file; paths in the machine start at /workspace",
  __filename: "The code is not in a file; paths in the machine start at /workspace",
};
