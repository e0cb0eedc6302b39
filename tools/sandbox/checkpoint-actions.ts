// The actions of the sandbox tool on checkpoints.

import type { CheckpointInfo } from "../../src/contract/checkpoint.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { answerOperation, content, refuse } from "../answer.ts";
import type { Outcome } from "../tool.ts";
import { action } from "./context.ts";
import {
  formatCheckpoint,
  formatCheckpointList,
  formatQuota,
  isNearQuota,
  pageOfCheckpoints,
  structureCheckpoint,
} from "./format-checkpoint.ts";
import { formatDiff } from "./format-diff.ts";

const checkpoint = action({
  needs: [],
  takes: ["name"],
  run: async ({ name }, { sandbox, view }) =>
    answerOperation(sandbox, await sandbox.checkpoints.create(name ?? null), (created) =>
      content(`Stored as ${formatCheckpoint(created, view.now)}.`, {
        name: sandbox.name,
        checkpoint: structureCheckpoint(created),
      }),
    ),
});

const checkpoints = action({
  needs: [],
  takes: ["checkpoint"],
  run: async ({ checkpoint }, { sandbox, view }) =>
    answerOperation(sandbox, await sandbox.checkpoints.list(), (list) => {
      const page = pageOfCheckpoints(list.checkpoints, checkpoint ?? null);
      if (page === null) return unknownCheckpoint(checkpoint ?? "");
      return content(formatCheckpointList(list, page, view.now), {
        name: sandbox.name,
        checkpoints: page.shown.map(structureCheckpoint),
        ...(page.next === null ? {} : { omitted: page.omitted, next: page.next }),
        used_bytes: list.used_bytes,
        quota_bytes: list.quota_bytes,
        ...(isNearQuota(list) ? { quota: formatQuota(list) } : {}),
      });
    }),
});

const unknownCheckpoint = (name: string): Outcome => ({
  type: "failure",
  failure: { reason: "not_found", kind: "checkpoint", name },
});

const diff = action({
  needs: ["checkpoint"],
  takes: ["to", "path"],
  async run({ checkpoint, to, path }, { sandbox }) {
    const request = { from: checkpoint, to: to ?? null, path: path ?? null };
    return answerOperation(sandbox, await sandbox.checkpoints.diff(request), (value) =>
      content(formatDiff(value, request), {
        name: sandbox.name,
        from: checkpoint,
        to: to ?? "now",
        ...value,
        text: value.text ?? "",
      }),
    );
  },
});

const restore = action({
  needs: ["checkpoint"],
  takes: [],
  run: async ({ checkpoint }, { sandbox }) =>
    answerOperation(sandbox, await sandbox.checkpoints.restore(checkpoint), ({ restored, before, in_machine }) => {
      const when = in_machine ? "" : " from the next start of the machine on";
      const processes = in_machine
        ? " Running processes continue; those that have files open still see the old ones."
        : "";
      return content(
        `The files are those of ${nameOf(checkpoint, restored)} again${when}. The previous state is kept as ${before.id}: restore that to undo this.${processes}`,
        { name: sandbox.name, restored: checkpoint, before: structureCheckpoint(before), in_machine },
      );
    }),
});

const fork = action({
  needs: ["into"],
  takes: ["checkpoint"],
  async run({ checkpoint, into }, { sandbox }) {
    if (into === sandbox.name) return refuse('"into" is the sandbox itself. Choose another name for the new one.');
    const source =
      checkpoint === undefined ? `the current files of ${sandbox.name}` : `checkpoint ${checkpoint} of ${sandbox.name}`;
    return answerOperation(sandbox, await sandbox.checkpoints.fork(checkpoint ?? null, into), ({ files }) =>
      content(
        `Sandbox ${into} starts from ${source} (${formatCount(files, "file")}). Use it with sandbox: "${into}".`,
        { name: into, forked_from: sandbox.name, checkpoint: checkpoint ?? "now", files },
      ),
    );
  },
});

const deleteCheckpoint = action({
  needs: ["checkpoint"],
  takes: [],
  run: async ({ checkpoint }, { sandbox }) =>
    answerOperation(sandbox, await sandbox.checkpoints.delete(checkpoint), ({ deleted, freed_bytes }) =>
      content(
        `Checkpoint ${nameOf(checkpoint, deleted)} is deleted, which freed ${formatBytes(freed_bytes)} of storage.`,
        { name: sandbox.name, deleted: deleted.id, freed_bytes },
      ),
    ),
});

export const checkpointActions = { checkpoint, checkpoints, diff, restore, fork, delete_checkpoint: deleteCheckpoint };

/** The id with the name, or what the caller asked for when it has no name. */
const nameOf = (asked: string, { id, name }: CheckpointInfo): string => (name === null ? asked : `${id} "${name}"`);
