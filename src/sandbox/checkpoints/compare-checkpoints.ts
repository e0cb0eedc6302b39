// Compares two checkpoints, or one with now. The machine does it: it is sent the manifests, and for a text the layers that have the file.

import type { CheckpointDiff } from "../../contract/checkpoint.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { CheckpointRow, LayerRow } from "./checkpoint-index.ts";
import { sendLayer } from "./runner-streams.ts";
import type { FileStore } from "./store-files.ts";

export interface Comparison {
  from: CheckpointRow;
  /** Null is now. */
  to: CheckpointRow | null;
  path: string | null;
}

/** Needs a machine that is up. */
export async function compareCheckpoints(
  store: FileStore,
  { from, to, path }: Comparison,
): Promise<Result<CheckpointDiff>> {
  const session = crypto.randomUUID();
  const before = store.index.chain(from.layer);
  const after = to === null ? null : store.index.chain(to.layer);
  const all = new Map([...before, ...(after ?? [])].map((layer) => [layer.id, layer]));
  for (const layer of all.values()) {
    const body = await store.layers.getManifest(layer);
    if (body === null) return fail({ reason: "checkpoint_failed", message: "a part of it is gone" });
    const sent = await sendLayer(store.host.port(), { to: "manifest", session, layer }, body);
    if (!sent.ok) return sent;
    if (sent.value.damage !== null) return fail({ reason: "checkpoint_failed", message: sent.value.damage });
  }
  const ids = (chain: readonly LayerRow[]): string[] => chain.map(({ id }) => id);
  const compared = await store.host.ask("checkpoint-diff", {
    ...{ session, from: ids(before), to: after === null ? null : ids(after), path, more: [...store.more] },
  });
  if (!compared.ok) return compared;
  const { file, ...names } = compared.value;
  if (file === null) return succeed({ ...names, text: null });
  for (const side of ["from", "to"] as const) {
    const layer = all.get(file[side] ?? "");
    if (layer === undefined) continue;
    const sent = await sendFile(store, layer, { session, side, path: file.path });
    if (!sent.ok) return sent;
  }
  const text = await store.host.ask("checkpoint-text", { session, path: file.path, now: to === null });
  return text.ok ? succeed({ ...names, text: text.value.text }) : text;
}

async function sendFile(
  { host, layers }: FileStore,
  layer: LayerRow,
  { session, side, path }: { session: string; side: string; path: string },
): Promise<Result<null>> {
  const body = await layers.get(layer);
  if (body === null) return fail({ reason: "checkpoint_failed", message: "a part of it is gone" });
  const sent = await sendLayer(host.port(), { to: "file", session, layer, query: { side, path } }, body);
  if (!sent.ok) return sent;
  if (sent.value.trouble === "") return succeed(null);
  return fail({ reason: "checkpoint_failed", message: `"${path}" cannot be taken from it (${sent.value.trouble})` });
}
