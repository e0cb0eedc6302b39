// What a start must satisfy before the system is asked: it says too much or refuses in words of no help.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import type { Failure } from "../../../src/contract/failure.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";

/** The directory to run in. */
export function checkStart(request: ExecRequest, workspace: string): Result<string> {
  const failure = nulFailure(request) ?? sizeFailure(request) ?? nameFailure(request);
  return failure === null ? directory(resolve(workspace, request.cwd), request.cwd) : fail(failure);
}

function nulFailure({ command, cwd, env }: ExecRequest): Failure | null {
  const places: [string, string][] = [
    ["command", command],
    ["cwd", cwd],
    ...Object.entries(env).map(([name, value]): [string, string] => [`env ${JSON.stringify(name)}`, name + value]),
  ];
  const place = places.find(([, text]) => text.includes("\0"))?.[0];
  if (place === undefined) return null;
  return invalid(
    `${place} contains a NUL byte, which no program can be given. Write the bytes to a file, or send them as stdin.`,
  );
}

function nameFailure({ env }: ExecRequest): Failure | null {
  const name = Object.keys(env).find((key) => key === "" || key.includes("="));
  return name === undefined
    ? null
    : invalid(`env has the name ${JSON.stringify(name)}; a name must not be empty or contain "=". Rename it.`);
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

function directory(path: string, name: string): Result<string> {
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
