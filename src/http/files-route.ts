// GET, HEAD and PUT /files/<sandbox>/<path>: whole files of any size, streamed. This route checks what the caller may do; the
// runner in the machine evaluates conditions and ranges and reads or writes the file.

import type { Caller } from "../auth/caller.ts";
import { allows, requirements } from "../auth/requirements.ts";
import { Failure } from "../contract/failure.ts";
import { END_HEADER, FAILED_TRANSFER_STATUS } from "../contract/transfer.ts";
import { concealFailure } from "../format/conceal-failure.ts";
import { formatFailure } from "../format/format-failure.ts";
import { SANDBOX_NAME } from "../sandbox/sandbox.ts";
import type { FileTransfer, TransferRequest } from "../sandbox/transfer/file-transfer.ts";
import { readUrlPath } from "../sandbox/transfer/url-path.ts";
import { withEnd } from "../sandbox/transfer/with-end.ts";
import { contentType } from "./content-type.ts";
import { failureStatus } from "./failure-status.ts";

export interface FilesCall {
  caller: Caller;
  openTransfer: (sandbox: string) => FileTransfer;
}

export const FILES_PREFIX = "/files/";

export async function answerFiles(request: Request, { caller, openTransfer }: FilesCall): Promise<Response> {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD" && method !== "PUT") {
    return refuse(405, "Files are read with GET or HEAD and written with PUT", { Allow: "GET, HEAD, PUT, OPTIONS" });
  }
  const requirement = requirements.files[method];
  if (!allows(caller.scopes, requirement)) {
    return refuse(
      403,
      `The access key does not have the scope ${requirement.flat().join(" and ")}, which ${method} needs`,
    );
  }
  const showsContents = allows(caller.scopes, requirements.answers.contents);
  if (!showsContents && comparesVersions(request.headers)) {
    return refuse(
      403,
      "The access key does not have the scope sandbox:read, which a condition on the file's ETag needs",
    );
  }
  const target = parseTarget(new URL(request.url).pathname);
  if (target === null) return refuse(400, "Name a sandbox and a file: /files/<sandbox>/<path>, percent-encoded");
  const { sandbox, path } = target;
  const endMarker = crypto.randomUUID();
  const response = await openTransfer(sandbox)(
    {
      // The runner is asked for the file itself also for HEAD: a failure is in the body of its answer, and the runtime breaks the next
      // request on a connection after an answer without a body.
      method: method === "PUT" ? "PUT" : "GET",
      path,
      headers: { ...forwardedHeaders(request), ...(method === "PUT" ? { [END_HEADER]: endMarker } : {}) },
    },
    method === "PUT" ? withEnd(request.body, endMarker) : null,
  );
  const answer = await toClientResponse(response, { method, path, showsContents });
  return method === "HEAD" ? withoutBody(answer) : answer;
}

/** The runner stops reading the file when the body of its answer is cancelled. */
async function withoutBody(answer: Response): Promise<Response> {
  await answer.body?.cancel();
  return new Response(null, answer);
}

/** `If-None-Match: *`, which only keeps a file from being replaced, tells nothing of its content. */
const comparesVersions = (headers: Headers): boolean =>
  headers.has("if-match") || (headers.get("if-none-match") ?? "*").trim() !== "*";

function parseTarget(pathname: string): { sandbox: string; path: string } | null {
  const [, sandbox = "", encoded = ""] = /^\/files\/([^/]+)\/(.+)$/s.exec(pathname) ?? [];
  const path = readUrlPath(encoded);
  return SANDBOX_NAME.test(sandbox) && path !== null && path !== "" ? { sandbox, path } : null;
}

const CONDITIONS = ["if-match", "if-none-match"];

function forwardedHeaders(request: Request): TransferRequest["headers"] {
  const headers: TransferRequest["headers"] = {};
  // A range is defined for GET only (RFC 9110, section 14.2).
  for (const name of request.method === "HEAD" ? CONDITIONS : [...CONDITIONS, "range", "if-range"]) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

async function toClientResponse(
  response: Response,
  { method, path, showsContents }: { method: string; path: string; showsContents: boolean },
): Promise<Response> {
  switch (response.status) {
    case FAILED_TRANSFER_STATUS: {
      const parsed = Failure.parse(await response.json());
      const failure = showsContents ? parsed : concealFailure(parsed, [path]);
      return refuse(failureStatus(failure), formatFailure(failure));
    }
    case 412:
      return refuse(
        412,
        "The file does not match If-Match or If-None-Match, so nothing was changed",
        showsContents ? etagHeader(response) : {},
      );
    case 416:
      return refuse(416, "The requested range is outside the file", {
        "Content-Range": response.headers.get("content-range") ?? "bytes */*",
      });
    case 200:
    case 206:
      return new Response(withLength(response), {
        status: response.status,
        headers: { ...fileHeaders(response), "Content-Type": contentType(path), ...untrustedContent },
      });
    case 201:
    case 204:
    case 304:
      return new Response(null, {
        status: response.status,
        headers: showsContents ? fileHeaders(response) : UNCACHED,
      });
    default:
      throw new Error(`The runner answered ${response.status} to ${method} of a file`);
  }
}

/** The runtime keeps Content-Length only for a stream whose length it knows. */
function withLength(response: Response): ReadableStream | null {
  const length = response.headers.get("content-length");
  return response.body === null || length === null
    ? response.body
    : response.body.pipeThrough(new FixedLengthStream(Number(length)));
}

/** `no-transform` because compression on the way would change the bytes that the ETag and the ranges refer to. */
const UNCACHED = { "Cache-Control": "private, no-cache, no-transform" };

function fileHeaders(response: Response): Record<string, string> {
  const headers: Record<string, string> = { ...UNCACHED };
  for (const name of ["etag", "last-modified", "accept-ranges", "content-range", "content-length"]) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** A page that comes from a machine must not run in the origin of this server. */
const untrustedContent = {
  "Content-Disposition": "attachment",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "X-Content-Type-Options": "nosniff",
};

const etagHeader = (response: Response): Record<string, string> => {
  const etag = response.headers.get("etag");
  return etag === null ? {} : { ETag: etag };
};

const refuse = (status: number, error: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error }, { status, headers });
