// Carries out the actions that checkpoint-actions.ts lists, inside the sandbox's Durable Object.

import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { SandboxAccount } from "../sandbox-account.ts";
import type { SandboxRecord } from "../storage/sandbox-record.ts";
import type { CheckpointAction, CheckpointActionRequest, CheckpointActionValue } from "./checkpoint-actions.ts";
import type { CheckpointKeeper } from "./checkpoint-keeper.ts";
import type { SandboxFiles } from "./sandbox-files.ts";
import type { CheckpointStorage } from "./store-files.ts";

export interface CheckpointParts {
  keeper: CheckpointKeeper;
  files: SandboxFiles;
  storage: CheckpointStorage;
  record: SandboxRecord;
  account: SandboxAccount;
}

export function runCheckpointAction<Action extends CheckpointAction>(
  action: Action,
  request: CheckpointActionRequest<Action>,
  parts: CheckpointParts,
): Promise<Result<CheckpointActionValue<Action>>> {
  const { keeper, files } = parts;
  const actions: {
    [Name in CheckpointAction]: (
      request: CheckpointActionRequest<Name>,
    ) => Promise<Result<CheckpointActionValue<Name>>>;
  } = {
    create: ({ name }) => create(name, files),
    list: async () => succeed(keeper.list()),
    diff: ({ others, ...wanted }) => keeper.diff(wanted, others),
    describe: async ({ checkpoint }) => keeper.describe(checkpoint),
    restore: ({ checkpoint }) => keeper.restore(checkpoint),
    delete: ({ checkpoint }) => keeper.delete(checkpoint),
    deleteAll: () => keeper.deleteAll(),
    summary: async () => succeed(keeper.summary(files.hasUnstored)),
    fork: ({ checkpoint }) => keeper.fork(checkpoint),
    unfork: (fork) => keeper.unfork(fork),
    adopt: (fork) => adopt(fork, parts),
  };
  return actions[action](request);
}

async function create(name: string | null, files: SandboxFiles): Promise<Result<CheckpointActionValue<"create">>> {
  if (name === null) return files.take("automatic", null);
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > limits.checkpointNameChars) {
    return fail({
      reason: "invalid_request",
      message: `The name of a checkpoint has 1 to ${limits.checkpointNameChars} characters. Give it another one.`,
    });
  }
  return files.take("named", trimmed);
}

async function adopt(
  fork: CheckpointActionRequest<"adopt">,
  { keeper, storage, record, account }: CheckpointParts,
): Promise<Result<CheckpointActionValue<"adopt">>> {
  if (record.createdAt !== null || storage.index.newest() !== null) return notNew;
  const registered = await account.ensureRegistered();
  return registered.ok ? succeed(keeper.adopt(fork)) : registered;
}

const notNew = fail({
  reason: "invalid_request",
  message: "A fork makes a new sandbox, and there is one of this name already. Choose another name for it.",
});
