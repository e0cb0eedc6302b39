// Streams layers between R2 and the runner in the machine, so that no layer is ever held in memory as a whole.

import { LayerUploadResult, STREAM_PATHS } from "../../contract/checkpoint-layer.ts";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, resultOf, succeed } from "../../contract/result.ts";
import { readAnswer } from "../machine/read-answer.ts";
import type { RunnerClient } from "../machine/runner-client.ts";
import { unlessBroken } from "../machine/runner-fault.ts";
import type { LayerRow } from "./checkpoint-index.ts";

/** Fetches the bytes of a new layer, which are as many as the runner said that there are. */
export async function fetchArchive(
  runner: RunnerClient,
  { id, bytes }: Pick<LayerRow, "id" | "bytes">,
): Promise<Result<ReadableStream>> {
  const { body, headers } = await runner.fetch(streamUrl(STREAM_PATHS.archive, { id }), { method: "GET", ...inTime() });
  const isArchive =
    headers.get("content-type") === "application/octet-stream" &&
    headers.get("content-length") === String(bytes) &&
    !headers.has("content-encoding");
  if (body !== null && isArchive) return succeed(body);
  await body?.cancel();
  return fail({ reason: "checkpoint_failed", message: "the machine did not provide its bytes" });
}

export interface Upload {
  to: "layer" | "manifest" | "file";
  session: string;
  layer: LayerRow;
  query?: Record<string, string>;
}

/** Rejects with RunnerFault when the connection fails, even while the body is being sent. */
export async function sendLayer(
  runner: RunnerClient,
  { to, session, layer, query = {} }: Upload,
  body: ReadableStream,
): Promise<Result<LayerUploadResult>> {
  const { id, manifest_bytes, sha256 } = layer;
  const url = streamUrl(STREAM_PATHS[to], { session, id, manifest_bytes, sha256, ...query });
  const response = await runner.fetch(url, { method: "PUT", body, ...inTime() });
  return unlessBroken(readAnswer(response, expected));
}

const expected = { status: 200, schema: resultOf(LayerUploadResult), maxBytes: limits.runnerFrameMaxBytes };

/** A stream that takes longer breaks, whatever its other end does. */
const inTime = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(limits.checkpointMaxMs) });

/** The runner's URL for a stream path and its query. The host name is a placeholder: requests go to the machine's port. */
const streamUrl = (path: string, query: Record<string, string | number>): string =>
  `http://runner${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
