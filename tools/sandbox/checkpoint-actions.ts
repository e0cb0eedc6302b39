// The actions of the sandbox tool on checkpoints.

import type { CheckpointInfo } from "../../src/contract/checkpoint.ts";
import { limits } from "../../src/contract/limits.ts";
import type { Answer, Sandbox } from "../../src/sandbox/sandbox.ts";
import { showNotice, type ToolAnswer } from "../tool.ts";
import { diffText, listText, quotaWords, sayCheckpoint, structuredCheckpoint } from "./format-checkpoint.ts";

export interface CheckpointInput {
  checkpoint?: string | undefined;
  to?: string | undefined;
  path?: string | undefined;
  name?: string | undefined;
  into?: string | undefined;
}

export async function runCheckpointAction(
  action: string,
  input: CheckpointInput,
  sandbox: Sandbox,
): Promise<ToolAnswer> {
  switch (action) {
    case "checkpoint":
      return create(sandbox, input.name ?? null);
    case "checkpoints":
      return list(sandbox);
    case "diff":
      return diff(sandbox, input);
    case "restore":
      return input.checkpoint === undefined ? missing(action) : restore(sandbox, input.checkpoint);
    case "fork":
      return fork(sandbox, input);
    case "delete_checkpoint":
      return input.checkpoint === undefined ? missing(action) : remove(sandbox, input.checkpoint);
    default:
      return refuse(`There is no action "${action}" on checkpoints.`);
  }
}

async function create(sandbox: Sandbox, name: string | null): Promise<ToolAnswer> {
  return say(sandbox, await sandbox.checkpoints.create(name), (checkpoint) => ({
    text: `Stored as ${sayCheckpoint(checkpoint, Date.now())}.`,
    structured: { name: sandbox.name, checkpoint: structuredCheckpoint(checkpoint) },
  }));
}

async function list(sandbox: Sandbox): Promise<ToolAnswer> {
  return say(sandbox, await sandbox.checkpoints.list(), (value) => ({
    text: listText(value, Date.now()),
    structured: {
      name: sandbox.name,
      checkpoints: value.checkpoints.map(structuredCheckpoint),
      used_bytes: value.used_bytes,
      quota_bytes: value.quota_bytes,
      ...(value.used_bytes > value.quota_bytes * limits.checkpointsQuotaWarning ? { quota: quotaWords(value) } : {}),
    },
  }));
}

async function diff(sandbox: Sandbox, { checkpoint, to, path }: CheckpointInput): Promise<ToolAnswer> {
  if (checkpoint === undefined) return missing("diff");
  const request = { from: checkpoint, to: to ?? null, path: path ?? null };
  return say(sandbox, await sandbox.checkpoints.diff(request), (value) => ({
    text: diffText(value, request),
    structured: {
      name: sandbox.name,
      from: checkpoint,
      to: to ?? "now",
      ...value,
      ...(value.text === null ? { text: "" } : {}),
    },
  }));
}

async function restore(sandbox: Sandbox, checkpoint: string): Promise<ToolAnswer> {
  return say(sandbox, await sandbox.checkpoints.restore(checkpoint), ({ restored, before, in_machine }) => ({
    text:
      `The files are those of ${sayName(checkpoint, restored)} again${in_machine ? "" : ", from the next start of the machine on"}. ` +
      `What they were before is kept as ${before.id}: restore that to undo this.` +
      (in_machine ? " Processes that ran go on; those that hold files open still see the old ones." : ""),
    structured: { name: sandbox.name, restored: checkpoint, before: structuredCheckpoint(before), in_machine },
  }));
}

async function fork(sandbox: Sandbox, { checkpoint, into }: CheckpointInput): Promise<ToolAnswer> {
  if (into === undefined) return refuse('Argument "into" is missing: fork needs a name for the new sandbox.');
  if (into === sandbox.name) return refuse('"into" is the sandbox itself. Choose another name for the new one.');
  return say(sandbox, await sandbox.checkpoints.fork(checkpoint ?? null, into), ({ files }) => ({
    text: `Sandbox ${into} starts from ${checkpoint === undefined ? `the files that ${sandbox.name} has now` : `checkpoint ${checkpoint} of ${sandbox.name}`} (${files} files). Use it with sandbox: "${into}".`,
    structured: { name: into, forked_from: sandbox.name, checkpoint: checkpoint ?? "now", files },
  }));
}

async function remove(sandbox: Sandbox, checkpoint: string): Promise<ToolAnswer> {
  return say(sandbox, await sandbox.checkpoints.delete(checkpoint), ({ deleted, freed_bytes }) => ({
    text: `Checkpoint ${sayName(checkpoint, deleted)} is deleted; ${freed_bytes} bytes of storage are free again.`,
    structured: { name: sandbox.name, deleted: deleted.id, freed_bytes },
  }));
}

const sayName = (asked: string, { id, name }: CheckpointInfo): string =>
  name === null ? (asked === id ? id : asked) : `${id} "${name}"`;

async function say<Value>(
  sandbox: Sandbox,
  { result, notice: due }: Answer<Value>,
  words: (value: Value) => { text: string; structured: Record<string, unknown> },
): Promise<ToolAnswer> {
  const notice = await showNotice(sandbox, due);
  if (!result.ok) return { failure: result.failure, notice };
  const { text, structured } = words(result.value);
  return notice === null
    ? { text, structured }
    : { text: `${text}\nNotice: ${notice}`, structured: { ...structured, notice } };
}

const missing = (action: string): ToolAnswer =>
  refuse(
    `Argument "checkpoint" is missing: ${action} needs the id or name of one. See sandbox {action: "checkpoints"}.`,
  );

const refuse = (message: string): ToolAnswer => ({ failure: { reason: "invalid_request", message }, notice: null });
