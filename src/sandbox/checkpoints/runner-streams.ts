// Streams layers between R2 and the runner in the machine, so that no layer is ever held in memory as a whole.

import { LayerUploadResult, STREAM_PATHS } from "../../contract/checkpoint-layer.ts";
import { fail, type Result, resultOf, succeed } from "../../contract/result.ts";
import { type RunnerClient, unlessBroken } from "../machine/runner-client.ts";
import type { LayerRow } from "./checkpoint-index.ts";

/** Fetches the bytes of a new layer. The runner's response states their length. */
export async function fetchArchive(runner: RunnerClient, layer: string): Promise<Result<ReadableStream>> {
  const response = await runner.fetch(streamUrl(STREAM_PATHS.archive, { id: layer }), { method: "GET" });
  if (response.body !== null && response.headers.get("content-type") === "application/octet-stream")
    return succeed(response.body);
  await response.body?.cancel();
  return fail({ reason: "checkpoint_failed", message: "the machine did not provide its bytes" });
}

export interface Upload {
  to: "layer" | "manifest" | "file";
  session: string;
  layer: LayerRow;
  query?: Record<string, string>;
}

/** Rejects with RunnerUnreachable when the connection fails, even while the body is being sent. */
export async function sendLayer(
  runner: RunnerClient,
  { to, session, layer, query = {} }: Upload,
  body: ReadableStream,
): Promise<Result<LayerUploadResult>> {
  const { id, manifest_bytes, sha256 } = layer;
  const url = streamUrl(STREAM_PATHS[to], { session, id, manifest_bytes, sha256, ...query });
  const response = await runner.fetch(url, { method: "PUT", body });
  return resultOf(LayerUploadResult).parse(JSON.parse(await unlessBroken(response.text())));
}

/** The runner's URL for a stream path and its query. The host name is a placeholder: requests go to the machine's port. */
const streamUrl = (path: string, query: Record<string, string | number>): string =>
  `http://runner${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
