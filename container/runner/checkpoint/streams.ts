// The requests whose bodies are not JSON: the archive that is sent, and the layers that are received.

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
import { invalidRequest } from "../invalid-request.ts";
import type { RunnerContext } from "../runner-context.ts";
import { receiveManifest } from "./diff.ts";
import { receiveFile } from "./diff-text.ts";
import { receiveLayer } from "./restore.ts";
import { unlessNotStarted } from "./script-start.ts";

type Query = Record<string, string>;
type UploadHandler = (query: Query, request: IncomingMessage, context: RunnerContext) => Promise<Result<unknown>>;

const uploads: Record<string, UploadHandler> = {
  [STREAM_PATHS.layer]: uploadHandler(LayerUpload, receiveLayer),
  [STREAM_PATHS.manifest]: uploadHandler(LayerUpload, receiveManifest),
  [STREAM_PATHS.file]: uploadHandler(FileUpload, receiveFile),
};

/** Null when the request is for something else. */
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
    return id.success ? sendArchive(id.data, response, context) : invalidRequest("id", id.error);
  };
}

function uploadHandler<Upload>(
  schema: z.ZodType<Upload>,
  receive: (
    upload: Upload,
    source: AsyncIterable<Buffer>,
    context: RunnerContext,
  ) => Promise<Result<LayerUploadResult>>,
): UploadHandler {
  return async (query, request, context) => {
    const parsed = schema.safeParse(query);
    const answer = parsed.success
      ? await unlessNotStarted(() => receive(parsed.data, request, context))
      : invalidRequest("checkpoint upload", parsed.error);
    // The rest of the body is read and dropped, so that the client gets its answer.
    request.resume();
    return answer;
  };
}

/** Resolves to null when the archive has been sent. */
async function sendArchive(
  id: string,
  response: ServerResponse,
  { checkpoints }: RunnerContext,
): Promise<Result<null> | null> {
  const file = checkpoints.archive(id);
  const size = await stat(file).then(
    (stats) => stats.size,
    () => null,
  );
  if (size === null) return fail({ reason: "checkpoint_failed", message: "its archive no longer exists" });
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size });
  await checkpoints.whileActive(() =>
    pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), response).catch(() => response.destroy()),
  );
  return null;
}
