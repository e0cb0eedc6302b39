// The notice about a machine that replaced another: where its files are from, and what was lost.

import type { CheckpointInfo } from "../../contract/checkpoint.ts";
import { formatCount, formatList } from "../../format/format-count.ts";
import { formatAgo } from "../../format/format-duration.ts";
import { truncate } from "../../format/truncate.ts";
import type { RunningProcess } from "./running-processes.ts";

export interface Restart {
  /** The sandbox had no machine before. */
  isFirst: boolean;
  /** The machine before this one ended with all of its files stored. */
  endedCleanly: boolean;
  files: RestoredFiles;
  /** The processes that are known to have run in the machine before this one. */
  processes: readonly RunningProcess[];
  now: number;
}

/** What restoring the files of a machine resulted in. */
export interface RestoredFiles {
  /** The checkpoint that they are from; null when there was none. */
  checkpoint: CheckpointInfo | null;
  /** The newer checkpoints that could not be used. */
  damaged: { id: string; why: string }[];
  /** How many files may be incomplete, because they changed while the checkpoint was taken. */
  differing: number;
  /** tar's messages about what could not be unpacked; empty when nothing failed. */
  trouble: string;
}

export function restartNotice({ isFirst, endedCleanly, files, processes, now }: Restart): string {
  const { checkpoint, damaged, differing, trouble } = files;
  const parts = [isFirst ? describeNew(checkpoint, now) : describeRestart(checkpoint, endedCleanly, now)];
  for (const { id, why } of damaged) parts.push(`Checkpoint ${id} is newer but could not be used: ${why}.`);
  if (differing > 0) {
    parts.push(
      `${formatCount(differing, "file")} in it may be incomplete: they were being written or removed when it was taken.`,
    );
  }
  if (trouble !== "") parts.push(`Not all of it could be unpacked: ${trouble.split("\n").slice(0, 3).join("; ")}.`);
  if (!isFirst) parts.push(describeLost(processes));
  return parts.join(" ");
}

function describeNew(checkpoint: CheckpointInfo | null, now: number): string {
  if (checkpoint === null) return "This sandbox is new: a machine was started for it, and its /workspace is empty.";
  return `This sandbox is new: a machine was started for it with the files of a checkpoint (${describeCheckpoint(checkpoint, now)}).`;
}

function describeRestart(checkpoint: CheckpointInfo | null, endedCleanly: boolean, now: number): string {
  const restarted = "The machine was restarted since the last call";
  if (checkpoint === null) return `${restarted}, and none of its files had been stored yet: they are lost.`;
  if (endedCleanly)
    return `${restarted}. Its files are as they were, from checkpoint ${describeCheckpoint(checkpoint, now)}.`;
  return `${restarted}, without a chance to store its files first. They are those of checkpoint ${describeCheckpoint(checkpoint, now)}; what was written after it is lost.`;
}

const describeCheckpoint = ({ id, name, created_at }: CheckpointInfo, now: number): string =>
  `${id}${name === null ? "" : ` "${name}"`}, taken ${formatAgo(created_at, now)}`;

function describeLost(processes: readonly RunningProcess[]): string {
  if (processes.length === 0) return "No process was running in it, as far as is known.";
  const named = processes.map(
    ({ process_id, command }) => `${process_id} (${truncate(command, 60).replaceAll("\n", " ")})`,
  );
  return `Lost with it: ${formatList(named, 5)}.`;
}
