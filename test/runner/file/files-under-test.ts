// The runner's file operations on a temporary directory. Every request and answer is parsed by the contract, as on the wire.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PathRoots } from "../../../container/runner/file/resolve-path.ts";
import { handlers } from "../../../container/runner/operation-table.ts";
import type { Failure } from "../../../src/contract/failure.ts";
import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../../../src/contract/operation.ts";
import { type Result, resultOf } from "../../../src/contract/result.ts";

type FileOperationName = Extract<OperationName, `file-${string}`>;

type FileOperations = {
  [Name in FileOperationName]: (request: RequestOf<Name>, roots: PathRoots) => Promise<Result<ValueOf<Name>>>;
};

export const fileOperations: FileOperations = handlers;

export interface FilesUnderTest extends Disposable {
  readonly roots: PathRoots;
  path(name: string): string;
  put(name: string, content: string | Buffer): string;
  get(name: string): Buffer;
  text(name: string): string;
  call<Name extends FileOperationName>(name: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>>;
  read(path: string, options?: Partial<RequestOf<"file-read">>): Promise<Result<ValueOf<"file-read">>>;
  write(
    path: string,
    content: string,
    options?: Partial<RequestOf<"file-write">>,
  ): Promise<Result<ValueOf<"file-write">>>;
  append(
    path: string,
    content: string,
    options?: Partial<RequestOf<"file-append">>,
  ): Promise<Result<ValueOf<"file-append">>>;
  edit(
    path: string,
    edits: FileEdit[],
    options?: Partial<RequestOf<"file-edit">>,
  ): Promise<Result<ValueOf<"file-edit">>>;
}

export const replace = (old_string: string, new_string: string, replace_all = false): FileEdit => ({
  kind: "replace",
  old_string,
  new_string,
  replace_all,
});

export const insert = (line: number, text: string): FileEdit => ({ kind: "insert", line, text });

export function filesUnderTest(root = mkdtempSync(join(tmpdir(), "files-test-"))): FilesUnderTest {
  const workspace = join(root, "workspace");
  const roots = { workspace, home: join(root, "home") };
  mkdirSync(workspace, { recursive: true });
  mkdirSync(roots.home, { recursive: true });
  const path = (name: string) => join(workspace, name);
  const call: FilesUnderTest["call"] = (name, request) => overTheWire(name, request, roots);
  return {
    roots,
    path,
    put(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    get: (name) => readFileSync(path(name)),
    text: (name) => readFileSync(path(name), "utf8"),
    call,
    read: (path, options) =>
      call("file-read", { path, offset: 1, limit: 2_000, column: 1, max_chars: 38_000, force_text: false, ...options }),
    write: (path, content, options) =>
      call("file-write", {
        path,
        content,
        encoding: "utf-8",
        if_absent: false,
        expected_hash: null,
        dry_run: false,
        ...options,
      }),
    append: (path, content, options) =>
      call("file-append", { path, content, encoding: "utf-8", expected_hash: null, dry_run: false, ...options }),
    edit: (path, edits, options) => call("file-edit", { path, edits, expected_hash: null, dry_run: false, ...options }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function overTheWire<Name extends FileOperationName>(
  name: Name,
  request: RequestOf<Name>,
  roots: PathRoots,
): Promise<Result<ValueOf<Name>>> {
  const sent = operations[name].request.parse(JSON.parse(JSON.stringify(request))) as RequestOf<Name>;
  const result: unknown = JSON.parse(JSON.stringify(await fileOperations[name](sent, roots)));
  return resultOf(operations[name].value).parse(result) as Result<ValueOf<Name>>;
}

export function done<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`Failed: ${JSON.stringify(result.failure)}`);
  return result.value;
}

export function failureOf(result: Result<unknown>): Failure {
  if (result.ok) throw new Error(`Did not fail: ${JSON.stringify(result.value)}`);
  return result.failure;
}
