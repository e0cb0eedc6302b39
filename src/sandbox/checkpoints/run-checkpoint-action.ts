// Carries out what checkpoint-actions.ts lists, inside the sandbox's Durable Object.

import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { CheckpointAction, CheckpointActionRequest, CheckpointActionValue } from "./checkpoint-actions.ts";
import type { SandboxFiles } from "./sandbox-files.ts";

export interface ActingSandbox {
  files: SandboxFiles;
  /** The sandbox has been used. */
  exists(): boolean;
  /** Makes it one of its owner's, within the quota. */
  enter(): Promise<Result<null>>;
}

export function act<Action extends CheckpointAction>(
  action: Action,
  request: CheckpointActionRequest<Action>,
  sandbox: ActingSandbox,
): Promise<Result<CheckpointActionValue<Action>>> {
  const { files } = sandbox;
  const { keeper } = files;
  const answers: {
    [Name in CheckpointAction]: (
      request: CheckpointActionRequest<Name>,
    ) => Promise<Result<CheckpointActionValue<Name>>>;
  } = {
    create: ({ name }) => create(name, files),
    list: async () => succeed(keeper.list()),
    diff: (wanted) => keeper.diff(wanted),
    restore: ({ checkpoint }) => keeper.restore(checkpoint),
    delete: ({ checkpoint }) => keeper.delete(checkpoint),
    deleteAll: () => keeper.deleteAll(),
    summary: async () => succeed(keeper.summary(files.dirty)),
    fork: ({ checkpoint }) => keeper.fork(checkpoint),
    unfork: async (fork) => {
      await keeper.unfork(fork);
      return succeed({});
    },
    adopt: async (fork) => {
      if (sandbox.exists() || keeper.newest() !== null) return notNew;
      const entered = await sandbox.enter();
      return entered.ok ? succeed(keeper.adopt(fork)) : entered;
    },
  };
  return answers[action](request);
}

async function create(name: string | null, files: SandboxFiles): Promise<Result<CheckpointActionValue<"create">>> {
  if (name === null) return files.keeper.take("automatic", null);
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > limits.checkpointNameChars) {
    return fail({
      reason: "invalid_request",
      message: `The name of a checkpoint has 1 to ${limits.checkpointNameChars} characters. Give it another one.`,
    });
  }
  return files.keeper.take("named", trimmed);
}

const notNew = fail({
  reason: "invalid_request",
  message: "A fork makes a new sandbox, and there is one of this name already. Choose another name for it.",
});
