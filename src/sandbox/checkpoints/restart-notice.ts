// What a caller is told of a machine that is not the one of before: where its files are from, and what is lost.

import type { CheckpointInfo } from "../../contract/checkpoint.ts";
import { formatCount, formatList } from "../../format/format-count.ts";
import { formatAgo } from "../../format/format-duration.ts";
import { truncate } from "../../format/truncate.ts";
import type { FilesCameBack } from "./checkpoint-keeper.ts";

export interface Restart {
  /** The sandbox has had no machine before. */
  isFirst: boolean;
  /** The machine of before was stopped with everything stored. */
  isWhole: boolean;
  files: FilesCameBack;
  /** What is known to have run in the machine of before. */
  processes: readonly RunningProcess[];
  now: number;
}

export interface RunningProcess {
  process_id: string;
  command: string;
}

export function restartNotice({ isFirst, isWhole, files, processes, now }: Restart): string {
  const { checkpoint, damaged, differing, trouble } = files;
  const parts = [isFirst ? firstWords(checkpoint, now) : laterWords(checkpoint, isWhole, now)];
  for (const { id, why } of damaged) parts.push(`Checkpoint ${id} is newer but could not be used: ${why}.`);
  if (differing > 0) {
    parts.push(
      `${formatCount(differing, "file")} in it may not be whole: they were being written or removed when it was taken.`,
    );
  }
  if (trouble !== "") parts.push(`Not all of it could be unpacked: ${trouble.split("\n").slice(0, 3).join("; ")}.`);
  if (!isFirst) parts.push(processWords(processes));
  return parts.join(" ");
}

function firstWords(checkpoint: CheckpointInfo | null, now: number): string {
  if (checkpoint === null) return "This sandbox is new: a machine was started for it, and its /workspace is empty.";
  return `This sandbox is new: a machine was started for it with the files of a checkpoint (${told(checkpoint, now)}).`;
}

function laterWords(checkpoint: CheckpointInfo | null, isWhole: boolean, now: number): string {
  const restarted = "The machine was restarted since the last call";
  if (checkpoint === null) return `${restarted}, and none of its files had been stored yet: they are lost.`;
  if (isWhole) return `${restarted}. Its files are as they were, from checkpoint ${told(checkpoint, now)}.`;
  return `${restarted}, without a chance to store its files first. They are those of checkpoint ${told(checkpoint, now)}; what was written after it is lost.`;
}

const told = ({ id, name, created_at }: CheckpointInfo, now: number): string =>
  `${id}${name === null ? "" : ` "${name}"`}, taken ${formatAgo(created_at, now)}`;

function processWords(processes: readonly RunningProcess[]): string {
  if (processes.length === 0) return "No process was running in it, as far as is known.";
  const named = processes.map(
    ({ process_id, command }) => `${process_id} (${truncate(command, 60).replaceAll("\n", " ")})`,
  );
  return `Lost with it: ${formatList(named, 5)}.`;
}
