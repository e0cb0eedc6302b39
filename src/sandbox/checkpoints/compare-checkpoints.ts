// Compares two checkpoints, or one with the current files. The comparison runs in the machine, which is sent the manifests and,
// for the text of one file, the layers that contain it.

import type { CheckpointDiff } from "../../contract/checkpoint.ts";
import type { LayerUploadResult } from "../../contract/checkpoint-layer.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { RunnerClient } from "../machine/runner-client.ts";
import type { StoredCheckpoint } from "./checkpoint-actions.ts";
import type { LayerRow } from "./checkpoint-index.ts";
import { sendLayer } from "./runner-streams.ts";
import type { CheckpointStorage } from "./store-files.ts";

export interface Comparison {
  from: StoredCheckpoint;
  /** Null compares with the current files. */
  to: StoredCheckpoint | null;
  /** Limits the comparison to what is at or below it, with the text of a file; null for no limit. */
  path: string | null;
}

/** Needs a machine that is up. */
export async function compareCheckpoints(
  storage: CheckpointStorage,
  runner: RunnerClient,
  { from, to, path }: Comparison,
): Promise<Result<CheckpointDiff>> {
  const session = crypto.randomUUID();
  const before = from.layers;
  const after = to?.layers ?? null;
  const all = new Map([...before, ...(after ?? [])].map((layer) => [layer.id, layer]));
  for (const layer of all.values()) {
    const sent = await sendManifest(storage, runner, layer, session);
    if (!sent.ok) return sent;
  }
  const compared = await runner.ask("checkpoint-diff", {
    session,
    from: idsOf(before),
    to: after === null ? null : idsOf(after),
    path,
    more: [...storage.extraDirectories],
  });
  if (!compared.ok) return compared;
  const { file, ...names } = compared.value;
  if (file === null) return succeed({ ...names, text: null });
  for (const side of ["from", "to"] as const) {
    const layer = all.get(file[side] ?? "");
    if (layer === undefined) continue;
    const sent = await sendFile(storage, runner, layer, { session, side, path: file.path });
    if (!sent.ok) return sent;
    if (sent.value !== "") {
      return fail({ reason: "checkpoint_failed", message: `"${path}" cannot be read from it (${sent.value})` });
    }
  }
  const text = await runner.ask("checkpoint-text", { session, path: file.path, now: to === null });
  return text.ok ? succeed({ ...names, text: text.value.text }) : text;
}

const idsOf = (chain: readonly LayerRow[]): string[] => chain.map(({ id }) => id);

async function sendManifest(
  { layers }: CheckpointStorage,
  runner: RunnerClient,
  layer: LayerRow,
  session: string,
): Promise<Result<null>> {
  const body = await layers.getManifest(layer);
  if (body === null) return partMissing;
  const sent = await sendLayer(runner, { to: "manifest", session, layer }, body);
  if (!sent.ok) return sent;
  return sent.value.damage === null ? succeed(null) : fail({ reason: "checkpoint_failed", message: sent.value.damage });
}

/** Resolves to what could not be unpacked; "" when the file was. */
async function sendFile(
  { layers }: CheckpointStorage,
  runner: RunnerClient,
  layer: LayerRow,
  { session, side, path }: { session: string; side: string; path: string },
): Promise<Result<string>> {
  const send = async (query: Record<string, string>): Promise<Result<LayerUploadResult>> => {
    const body = await layers.get(layer);
    return body === null ? partMissing : sendLayer(runner, { to: "file", session, layer, query }, body);
  };
  const first = await send({ side, path });
  if (!first.ok || first.value.stored_as === null) return first.ok ? succeed(first.value.trouble) : first;
  const second = await send({ side, path, stored_as: first.value.stored_as });
  return second.ok ? succeed(second.value.trouble) : second;
}

const partMissing = fail({ reason: "checkpoint_failed", message: "a part of it is missing" });
