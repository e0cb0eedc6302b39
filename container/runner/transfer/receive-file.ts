// PUT of a file: the body is written to a temporary file beside it, which replaces the file once all of it is on disk. Whatever
// fails before that leaves the old file.

import { type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import type { Failure } from "../../../src/contract/failure.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { END_HEADER } from "../../../src/contract/transfer.ts";
import { errorCode } from "../file/error-code.ts";
import { kindOf, wrongKind } from "../file/kind.ts";
import { type FileVersion, statVersion } from "../file/open-regular.ts";
import { withPathLocks } from "../file/path-lock.ts";
import { realTarget } from "../file/real-path.ts";
import { CREATE, copyOwnership, linkNew, makeParents, syncDirectory } from "../file/replace-file.ts";
import type { ResolvedPath } from "../file/resolve-path.ts";
import { sweepOnce } from "../file/sweep-temporaries.ts";
import { asFailure } from "../file/system-failure.ts";
import { temporaryName } from "../file/temporary-name.ts";
import { entityTag, permitsChange } from "./entity-tag.ts";
import { TerminatedBody } from "./terminated-body.ts";

export function receiveFile(
  resolved: ResolvedPath,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Result<null>> {
  const path = resolved.absolute;
  return asFailure(path, async () => {
    if (resolved.namesDirectory) return fail({ reason: "wrong_kind", path, expected: "a file", actual: "a directory" });
    const real = await realTarget(path);
    const target = { path, real };
    const before = await currentVersion(target);
    if (!before.ok) return before;
    if (!permitsChange(request.headers, tagOf(before.value))) return finish(request, response, 412, before.value);

    await makeParents(dirname(real));
    sweepOnce(dirname(real));
    const temporary = join(dirname(real), temporaryName());
    try {
      const failure = await receive(temporary, request);
      if (failure !== null) return fail(failure);
      return await withPathLocks([real], () => replaceTarget(temporary, target, request, response));
    } finally {
      await unlink(temporary).catch((error: unknown) => {
        if (errorCode(error) !== "ENOENT") throw error;
      });
    }
  });
}

interface Target {
  path: string;
  real: string;
}

/** Null when there is no file yet. */
async function currentVersion({ path, real }: Target): Promise<Result<FileVersion | null>> {
  const version = await statVersion(real);
  if (version === null) return succeed(null);
  const kind = kindOf(await lstat(real));
  return kind === "file" ? succeed(version) : fail(wrongKind(path, "a regular file", kind));
}

const tagOf = (version: FileVersion | null): string | null => (version === null ? null : entityTag(version));

/** Writes the whole body to disk. Resolves to a failure when it was incomplete. */
async function receive(temporary: string, request: IncomingMessage): Promise<Failure | null> {
  const handle = await open(temporary, CREATE, 0o666);
  try {
    const body = new TerminatedBody(String(request.headers[END_HEADER] ?? ""));
    for await (const chunk of request) await writeAll(handle, body.push(Buffer.from(chunk)));
    if (!body.isComplete()) return incomplete("its end did not arrive");
    await handle.sync();
    return null;
  } catch (error) {
    if (!isAborted(error)) throw error;
    return incomplete("the connection was lost");
  } finally {
    await handle.close();
  }
}

/** Node reports a request whose client has disconnected as ECONNRESET. */
const isAborted = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ECONNRESET";

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten;
}

const incomplete = (why: string): Failure => ({
  reason: "invalid_request",
  message: `The upload is incomplete (${why}), and nothing was changed. Send it again.`,
});

/** The caller holds the lock of the path. The preconditions are checked again, because the upload may have taken long. */
async function replaceTarget(
  temporary: string,
  target: Target,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Result<null>> {
  const { real } = target;
  const version = await currentVersion(target);
  if (!version.ok) return version;
  const before = version.value;
  if (!permitsChange(request.headers, tagOf(before))) return finish(request, response, 412, before);
  if (before === null) {
    // Another program may have created it since the check.
    if (!(await linkNew(temporary, real))) return finish(request, response, 412, await statVersion(real));
  } else {
    await copyOwnership(temporary, before);
    await rename(temporary, real);
  }
  await syncDirectory(dirname(real));
  return finish(request, response, before === null ? 201 : 204, await statVersion(real));
}

function finish(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  version: FileVersion | null,
): Result<null> {
  request.resume();
  const tag = version === null ? {} : { etag: entityTag(version) };
  const length = status === 204 ? {} : { "content-length": 0 };
  // workerd 1.20261117 breaks the next request on a connection after an answer without a body.
  response.writeHead(status, { ...tag, ...length, connection: "close" }).end();
  return succeed(null);
}
