// Puts the files of a checkpoint into a machine: its layers are sent base first, then put in place together.

import { fail, type Result, succeed } from "../../contract/result.ts";
import type { CheckpointRow } from "./checkpoint-index.ts";
import { sendLayer } from "./runner-streams.ts";
import type { FileStore } from "./store-files.ts";

export type Restored =
  | { checkpoint: CheckpointRow; differing: number; trouble: string }
  /** The layer whose bytes are not what was stored. */
  | { damaged: string; why: string };

/** Nothing in the machine changes unless it all arrives. Rejects when the machine does not answer. */
export async function restoreFiles(
  {
    host,
    index,
    layers,
    more,
  }: Pick<FileStore, "index" | "layers" | "more"> & {
    host: Pick<FileStore["host"], "port" | "ask">;
  },
  checkpoint: CheckpointRow,
): Promise<Result<Restored>> {
  const session = crypto.randomUUID();
  const chain = index.chain(checkpoint.layer);
  if (chain.length === 0) return succeed({ damaged: checkpoint.layer, why: "a part of it is not recorded" });
  let trouble = "";
  for (const layer of chain) {
    const body = await layers.get(layer);
    if (body === null) return succeed({ damaged: layer.id, why: "a part of it is gone" });
    const sent = await sendLayer(host.port(), { to: "layer", session, layer }, body);
    if (!sent.ok) return sent;
    if (sent.value.damage !== null) return succeed({ damaged: layer.id, why: sent.value.damage });
    trouble ||= sent.value.trouble;
  }
  const placed = await host.ask("checkpoint-restore", { session, layers: chain.map(({ id }) => id), more: [...more] });
  return placed.ok ? succeed({ checkpoint, differing: placed.value.differing, trouble }) : placed;
}

/** A fault on the way looks like damage, so it is tried twice. */
export async function restoreSurely(...args: Parameters<typeof restoreFiles>): Promise<Result<Restored>> {
  const first = await restoreFiles(...args);
  return first.ok && "damaged" in first.value ? restoreFiles(...args) : first;
}

export const damagedFailure = (checkpoint: string, why: string): Result<never> =>
  fail({ reason: "checkpoint_failed", message: `"${checkpoint}" cannot be used, for ${why}` });
