// PUT of a file: the body goes to a file beside it, and takes its place when all of it is on disk. Whatever breaks before
// that leaves what was there.

import { type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import type { Failure } from "../../../src/contract/failure.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { END_HEADER } from "../../../src/contract/transfer.ts";
import { kindOf, wrongKind } from "../file/kind.ts";
import { look, type Seen } from "../file/open-regular.ts";
import { withPaths } from "../file/path-lock.ts";
import { realTarget } from "../file/real-path.ts";
import { CREATE, linkNew, makeParents, syncDirectory, takeOver } from "../file/replace-file.ts";
import type { NamedPath } from "../file/resolve-path.ts";
import { sweepOnce } from "../file/sweep-temporaries.ts";
import { errorCode, guarded } from "../file/system-failure.ts";
import { temporaryName } from "../file/temporary-name.ts";
import { EndedBody } from "./ended-body.ts";
import { entityTag, mayChange } from "./entity-tag.ts";

export function receiveFile(
  named: NamedPath,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Result<null>> {
  const path = named.absolute;
  return guarded(path, async () => {
    if (named.directory) return fail({ reason: "wrong_kind", path, expected: "a file", actual: "a directory" });
    const real = await realTarget(path);
    const target = { path, real };
    const before = await seenFile(target);
    if (!before.ok) return before;
    if (!mayChange(request.headers, tagOf(before.value))) return finish(request, response, 412, before.value);

    await makeParents(dirname(real));
    sweepOnce(dirname(real));
    const temporary = join(dirname(real), temporaryName());
    try {
      const broken = await receive(temporary, request);
      if (broken !== null) return fail(broken);
      return await withPaths([real], () => takePlace(temporary, target, request, response));
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

/** Null where there is nothing yet. */
async function seenFile({ path, real }: Target): Promise<Result<Seen | null>> {
  const seen = await look(real);
  if (seen === null) return succeed(null);
  const kind = kindOf(await lstat(real));
  return kind === "file" ? succeed(seen) : fail(wrongKind(path, "a regular file", kind));
}

const tagOf = (seen: Seen | null): string | null => (seen === null ? null : entityTag(seen));

/** The whole body, on disk; or what was wrong with it. */
async function receive(temporary: string, request: IncomingMessage): Promise<Failure | null> {
  const handle = await open(temporary, CREATE, 0o666);
  try {
    const body = new EndedBody(String(request.headers[END_HEADER] ?? ""));
    for await (const chunk of request) await writeAll(handle, body.push(Buffer.from(chunk)));
    if (!body.isWhole()) return brokenOff("its end did not come");
    await handle.sync();
    return null;
  } catch (error) {
    if (!isAborted(error)) throw error;
    return brokenOff("the connection was lost");
  } finally {
    await handle.close();
  }
}

/** Node's own word for a request whose client has gone. */
const isAborted = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ECONNRESET";

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten;
}

const brokenOff = (how: string): Failure => ({
  reason: "invalid_request",
  message: `The upload broke off (${how}), and nothing was changed. Send it again.`,
});

/** The caller holds the path. The preconditions are asked again: the upload may have taken long. */
async function takePlace(
  temporary: string,
  target: Target,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Result<null>> {
  const { real } = target;
  const seen = await seenFile(target);
  if (!seen.ok) return seen;
  const before = seen.value;
  if (!mayChange(request.headers, tagOf(before))) return finish(request, response, 412, before);
  if (before === null) {
    // Somebody outside of this program may have made it meanwhile.
    if (!(await linkNew(temporary, real))) return finish(request, response, 412, await look(real));
  } else {
    await takeOver(temporary, before);
    await rename(temporary, real);
  }
  await syncDirectory(dirname(real));
  return finish(request, response, before === null ? 201 : 204, await look(real));
}

function finish(request: IncomingMessage, response: ServerResponse, status: number, seen: Seen | null): Result<null> {
  request.resume();
  const tag = seen === null ? {} : { etag: entityTag(seen) };
  const length = status === 204 ? {} : { "content-length": 0 };
  // As for every answer without a body: workerd 1.20261117 breaks the next request on such a connection.
  response.writeHead(status, { ...tag, ...length, connection: "close" }).end();
  return succeed(null);
}
