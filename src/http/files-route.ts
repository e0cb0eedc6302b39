// GET, HEAD and PUT /files/<sandbox>/<path>: whole files of any size, streamed. What a client may do is decided here; what
// a file is, by the runner.

import type { Caller, Scope } from "../auth/caller.ts";
import { Failure } from "../contract/failure.ts";
import { END_HEADER, FAILED_TRANSFER_STATUS } from "../contract/transfer.ts";
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
  const scope: Scope = method === "PUT" ? "sandbox:write" : "sandbox:read";
  if (!caller.scopes.has(scope)) {
    return refuse(403, `The access key does not have the scope ${scope}, which ${method} needs`);
  }
  const place = placeOf(new URL(request.url).pathname);
  if (place === null) return refuse(400, "Name a sandbox and a file: /files/<sandbox>/<path>, percent-encoded");
  const { sandbox, path } = place;
  const end = crypto.randomUUID();
  const answer = await openTransfer(sandbox)(
    { method, path, headers: { ...headersFor(request), ...(method === "PUT" ? { [END_HEADER]: end } : {}) } },
    method === "PUT" ? withEnd(request.body, end) : null,
  );
  return toClient(answer, { method, path });
}

function placeOf(pathname: string): { sandbox: string; path: string } | null {
  const [, sandbox = "", encoded = ""] = /^\/files\/([^/]+)\/(.+)$/s.exec(pathname) ?? [];
  const path = readUrlPath(encoded);
  return SANDBOX_NAME.test(sandbox) && path !== null && path !== "" ? { sandbox, path } : null;
}

const PASSED_ON = ["range", "if-range", "if-match", "if-none-match"];

function headersFor(request: Request): TransferRequest["headers"] {
  const headers: TransferRequest["headers"] = {};
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

async function toClient(
  answer: Response,
  { method, path }: Pick<TransferRequest, "method" | "path">,
): Promise<Response> {
  switch (answer.status) {
    case FAILED_TRANSFER_STATUS: {
      const failure = Failure.parse(await answer.json());
      return refuse(failureStatus(failure), formatFailure(failure));
    }
    case 412:
      return refuse(
        412,
        "The file is not in the state that If-Match or If-None-Match names, so nothing was done",
        tagOf(answer),
      );
    case 416:
      return refuse(416, "The file has no such range of bytes", {
        "Content-Range": answer.headers.get("content-range") ?? "bytes */*",
      });
    case 200:
    case 206:
      return new Response(method === "HEAD" ? null : sized(answer), {
        status: answer.status,
        headers: { ...describing(answer), "Content-Type": contentType(path), ...harmless },
      });
    case 201:
    case 204:
    case 304:
      return new Response(null, { status: answer.status, headers: describing(answer) });
    default:
      throw new Error(`The runner answered ${answer.status} to ${method} of a file`);
  }
}

/** Only a stream of known length is sent with a Content-Length. */
function sized(answer: Response): ReadableStream | null {
  const length = answer.headers.get("content-length");
  return answer.body === null || length === null
    ? answer.body
    : answer.body.pipeThrough(new FixedLengthStream(Number(length)));
}

/** Compressed on the way, the bytes would not be those that the tag and the ranges name. */
function describing(answer: Response): Record<string, string> {
  const headers: Record<string, string> = { "Cache-Control": "private, no-cache, no-transform" };
  for (const name of ["etag", "last-modified", "accept-ranges", "content-range", "content-length"]) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** A page that a machine made must not run on this server's origin. */
const harmless = {
  "Content-Disposition": "attachment",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "X-Content-Type-Options": "nosniff",
};

const tagOf = (answer: Response): Record<string, string> => {
  const tag = answer.headers.get("etag");
  return tag === null ? {} : { ETag: tag };
};

const refuse = (status: number, error: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error }, { status, headers });
