// The requests whose bodies are not JSON: an archive on its way out, layers on their way in.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type * as z from "zod";
import {
  FileUpload,
  LayerId,
  LayerUpload,
  type LayerUploadResult,
  STREAM_PATHS,
} from "../../../src/contract/checkpoint-layer.ts";
import { fail, type Result } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { takeFile, takeManifest } from "./diff.ts";
import { unpackLayer } from "./restore.ts";

type Take<Upload> = (
  upload: Upload,
  source: AsyncIterable<Buffer>,
  context: RunnerContext,
) => Promise<Result<LayerUploadResult>>;
type Query = Record<string, string>;

const uploads: Record<
  string,
  (query: Query, request: IncomingMessage, context: RunnerContext) => Promise<Result<unknown>>
> = {
  [STREAM_PATHS.layer]: taking(LayerUpload, unpackLayer),
  [STREAM_PATHS.manifest]: taking(LayerUpload, takeManifest),
  [STREAM_PATHS.file]: taking(FileUpload, takeFile),
};

/** Null where the request is for something else. */
export function answerStream(
  request: IncomingMessage,
  context: RunnerContext,
): ((response: ServerResponse) => Promise<Result<unknown> | null>) | null {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://runner");
  const query = Object.fromEntries(searchParams);
  const upload = request.method === "PUT" ? uploads[pathname] : undefined;
  if (upload !== undefined) return () => upload(query, request, context);
  if (request.method !== "GET" || pathname !== STREAM_PATHS.archive) return null;
  return async (response) => {
    request.resume();
    const id = LayerId.safeParse(query["id"]);
    return id.success ? sendArchive(id.data, response, context) : invalid(id.error);
  };
}

function taking<Upload>(schema: z.ZodType<Upload>, take: Take<Upload>) {
  return async (query: Query, request: IncomingMessage, context: RunnerContext): Promise<Result<unknown>> => {
    const parsed = schema.safeParse(query);
    const answer = parsed.success ? await take(parsed.data, request, context) : invalid(parsed.error);
    // Whatever was not read is, so that the client gets its answer.
    request.resume();
    return answer;
  };
}

/** Answers null once the archive is sent. */
async function sendArchive(
  id: string,
  response: ServerResponse,
  { checkpoints }: RunnerContext,
): Promise<Result<null> | null> {
  const file = checkpoints.archive(id);
  const size = await stat(file).then(
    (found) => found.size,
    () => null,
  );
  if (size === null) return fail({ reason: "checkpoint_failed", message: "its archive is gone" });
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size });
  await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), response).catch(() => response.destroy());
  return null;
}

const invalid = (error: z.ZodError): Result<never> =>
  fail({
    reason: "invalid_request",
    message: error.issues.map(({ path, message }) => `${path}: ${message}`).join("; "),
  });
