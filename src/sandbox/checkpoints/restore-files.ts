// Restores the files of a checkpoint in a machine: sends the layers, base first, then puts them all in place at once.

import { fail, type Result, succeed } from "../../contract/result.ts";
import type { RunnerClient } from "../machine/runner-client.ts";
import type { CheckpointRow } from "./checkpoint-index.ts";
import { sendLayer } from "./runner-streams.ts";
import type { CheckpointStorage } from "./store-files.ts";

export type Restored =
  | { checkpoint: CheckpointRow; differing: number; trouble: string }
  /** A layer whose bytes differ from those that were stored. */
  | { damaged: string; why: string };

/**
 * Nothing in the machine changes unless all layers arrive. A fault of the connection can look like damage, so damage is reported
 * only after a second attempt. Rejects with RunnerFault or ObjectStoreFault.
 */
export async function restoreFiles(
  storage: CheckpointStorage,
  runner: RunnerClient,
  checkpoint: CheckpointRow,
): Promise<Result<Restored>> {
  const first = await tryRestore(storage, runner, checkpoint);
  return first.ok && "damaged" in first.value ? tryRestore(storage, runner, checkpoint) : first;
}

async function tryRestore(
  { index, layers, extraDirectories }: CheckpointStorage,
  runner: RunnerClient,
  checkpoint: CheckpointRow,
): Promise<Result<Restored>> {
  const session = crypto.randomUUID();
  const chain = index.chain(checkpoint.layer);
  if (chain.length === 0) return succeed({ damaged: checkpoint.layer, why: "a part of it is not recorded" });
  let trouble = "";
  for (const layer of chain) {
    const body = await layers.get(layer);
    if (body === null) return succeed({ damaged: layer.id, why: "a part of it is missing" });
    const sent = await sendLayer(runner, { to: "layer", session, layer }, body);
    if (!sent.ok) return sent;
    if (sent.value.damage !== null) return succeed({ damaged: layer.id, why: sent.value.damage });
    trouble ||= sent.value.trouble;
  }
  const ids = chain.map(({ id }) => id);
  const placed = await runner.ask("checkpoint-restore", { session, layers: ids, more: [...extraDirectories] });
  return placed.ok ? succeed({ checkpoint, differing: placed.value.differing, trouble }) : placed;
}

export const damagedFailure = (checkpoint: string, why: string): Result<never> =>
  fail({ reason: "checkpoint_failed", message: `"${checkpoint}" cannot be used: ${why}` });
