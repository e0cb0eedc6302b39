// Checks a request to start a command before the system sees it: the system's own errors would say too little.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import type { Failure } from "../../../src/contract/failure.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";

/** Resolves to the directory to run in. */
export function checkStart(request: ExecRequest, workspace: string): Result<string> {
  const failure = nulFailure(request) ?? sizeFailure(request) ?? variableNameFailure(request);
  return failure === null ? checkDirectory(resolve(workspace, request.cwd), request.cwd) : fail(failure);
}

function nulFailure({ command, cwd, env }: ExecRequest): Failure | null {
  const texts: [string, string][] = [
    ["command", command],
    ["cwd", cwd],
    ...Object.entries(env).map(([name, value]): [string, string] => [`env ${JSON.stringify(name)}`, name + value]),
  ];
  const name = texts.find(([, text]) => text.includes("\0"))?.[0];
  if (name === undefined) return null;
  return invalid(
    `${name} contains a NUL byte, which cannot be passed to a program. Write the bytes to a file, or send them as stdin.`,
  );
}

function variableNameFailure({ env }: ExecRequest): Failure | null {
  const name = Object.keys(env).find((key) => key === "" || key.includes("="));
  return name === undefined
    ? null
    : invalid(
        `env has a variable named ${JSON.stringify(name)}; a name must not be empty or contain "=". Rename the variable.`,
      );
}

function sizeFailure({ command, env, stdin }: ExecRequest): Failure | null {
  const entries = Object.entries(env).map(([name, value]) => ({ name, bytes: Buffer.byteLength(name + value) + 2 }));
  const largest = entries.find((entry) => entry.bytes > limits.commandMaxBytes);
  const total = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  return (
    tooLarge("The command", Buffer.byteLength(command), limits.commandMaxBytes) ??
    tooLarge(`The variable "${largest?.name}"`, largest?.bytes ?? 0, limits.commandMaxBytes) ??
    tooLarge("The environment", total, limits.envMaxBytes) ??
    tooLarge("stdin", stdin === null ? 0 : Buffer.byteLength(stdin), limits.stdinMaxBytes)
  );
}

function checkDirectory(path: string, name: string): Result<string> {
  try {
    if (statSync(path).isDirectory()) return succeed(path);
    return fail({ reason: "wrong_kind", path: name, expected: "a directory", actual: "a file" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENAMETOOLONG") return fail({ reason: "not_found", kind: "cwd", name });
    if (code === "ENOTDIR")
      return fail({ reason: "wrong_kind", path: name, expected: "a directory", actual: "below a file" });
    return fail({ reason: "refused", subject: name, message: String(error) });
  }
}

const invalid = (message: string): Failure => ({ reason: "invalid_request", message });

const tooLarge = (subject: string, actual: number, limit: number): Failure | null =>
  actual > limit ? { reason: "too_large", subject, actual, limit, unit: "bytes" } : null;
