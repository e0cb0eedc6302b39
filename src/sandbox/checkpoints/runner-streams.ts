// Moves layers between R2 and the runner in the machine. They stream: nothing here ever holds one.

import { LayerUploadResult, STREAM_PATHS } from "../../contract/checkpoint-layer.ts";
import { fail, type Result, resultOf } from "../../contract/result.ts";
import type { RunnerPort } from "../machine/runner-client.ts";
import type { LayerRow } from "./checkpoint-index.ts";

/** The archive's bytes, whose length the answer states. */
export async function fetchArchive(port: RunnerPort, layer: string): Promise<Result<ReadableStream>> {
  const response = await port.fetch(streamUrl(STREAM_PATHS.archive, { id: layer }), { method: "GET" });
  if (response.body !== null && response.headers.get("content-type") === "application/octet-stream")
    return { ok: true, value: response.body };
  await response.body?.cancel();
  return fail({ reason: "checkpoint_failed", message: "the machine did not hand it over" });
}

export interface Upload {
  to: "layer" | "manifest" | "file";
  session: string;
  layer: LayerRow;
  query?: Record<string, string>;
}

/** Rejects when the machine does not answer. */
export async function sendLayer(
  port: RunnerPort,
  { to, session, layer, query = {} }: Upload,
  body: ReadableStream,
): Promise<Result<LayerUploadResult>> {
  const { id, manifest_bytes, sha256 } = layer;
  const url = streamUrl(STREAM_PATHS[to], { session, id, manifest_bytes, sha256, ...query });
  const response = await port.fetch(url, { method: "PUT", body });
  return resultOf(LayerUploadResult).parse(await response.json());
}

/** The runner's URL for a stream path and its query. The host name is a placeholder: requests go to the machine's port. */
const streamUrl = (path: string, query: Record<string, string | number>): string =>
  `http://runner${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
