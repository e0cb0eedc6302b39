// The actions of the sandbox tool. Those on a sandbox as a whole are here; previews and checkpoints have files of their own.

import type { Failure } from "../../src/contract/failure.ts";
import { formatCount } from "../../src/format/format-count.ts";
import type { AdminValue, SandboxDetails } from "../../src/sandbox/admin-actions.ts";
import type { ActionTable } from "../actions.ts";
import { answerResult, content, refuse } from "../answer.ts";
import type { Outcome, ToolAnswer } from "../tool.ts";
import type { SandboxArguments } from "./arguments.ts";
import { checkpointActions } from "./checkpoint-actions.ts";
import { action, type Context, type View } from "./context.ts";
import { formatDetails, formatList, formatProcesses, structureDetails, structureSandbox } from "./format-sandbox.ts";
import { expose, unexpose } from "./preview-actions.ts";

const list = action({
  needs: [],
  takes: [],
  run: async (_, { sandboxes, view }) =>
    answerResult(await sandboxes.list(), (all) =>
      content(formatList(all, view), { sandboxes: all.map((sandbox) => structureSandbox(sandbox, view)) }),
    ),
});

const status = action({
  needs: [],
  takes: [],
  run: async (_, { sandbox, view }) =>
    answerResult(await sandbox.administer("status", {}), (details) => showDetails(details, view)),
});

const configure = action({
  needs: [],
  takes: ["env", "sleep_after", "egress", "allow", "deny"],
  async run({ env, sleep_after, egress, allow, deny }, { sandbox, view }) {
    const change = { env, sleep_after, egress, allow, deny };
    if (Object.values(change).every((value) => value === undefined))
      return refuse('configure needs "env", "sleep_after", "egress", "allow" or "deny".');
    const done = "Configured. Egress changes take effect at once, the others for commands that start from now on.\n";
    return answerResult(await sandbox.administer("configure", change), (details) => showDetails(details, view, done));
  },
});

const showDetails = (details: SandboxDetails, view: View, before = ""): Outcome =>
  content(`${before}${formatDetails(details, view)}`, structureDetails(details, view));

const stop = action({
  needs: [],
  takes: [],
  run: async (_, { sandbox }) =>
    answerResult(await sandbox.administer("stop", {}), ({ was_up, ended_processes, is_forced }) =>
      content(formatStopped(sandbox.name, { was_up, ended_processes, is_forced }), {
        name: sandbox.name,
        state: "asleep",
        ended_processes,
        ...(is_forced ? { is_forced } : {}),
      }),
    ),
});

function formatStopped(name: string, { was_up, ended_processes, is_forced }: AdminValue<"stop">): string {
  if (!was_up) return `${name} was asleep already.`;
  if (is_forced)
    return `${name} was ended by force, because its machine did not answer: what was written after its last checkpoint is lost. The next call starts it again.`;
  return `${name} is asleep now; ${formatEnded(ended_processes)}. The next call starts it again.`;
}

const destroy = action({
  // The one action that does not fall back to the default sandbox.
  needs: ["sandbox"],
  takes: ["with_checkpoints"],
  async run({ with_checkpoints: withCheckpoints = false }, { sandbox }) {
    const { name } = sandbox;
    const destroyed = await sandbox.administer("destroy", {});
    if (destroyed.ok && withCheckpoints) {
      const { result } = await sandbox.checkpoints.deleteAll();
      if (!result.ok) return failedAfterDestroy(name, result.failure);
    }
    return answerResult(destroyed, ({ existed, ended_processes, previews }) => {
      const what = existed
        ? `${name} is destroyed: ${formatEnded(ended_processes)}, ${formatCount(previews, "preview")} removed, settings deleted.`
        : `There was no sandbox "${name}".`;
      const checkpoints = withCheckpoints
        ? "Its checkpoints are deleted."
        : "Its checkpoints are kept, and a new sandbox of this name starts from them; delete them with with_checkpoints: true.";
      return content(`${what} ${checkpoints}`, {
        name,
        state: "absent",
        ended_processes,
        checkpoints_deleted: withCheckpoints,
      });
    });
  },
});

const failedAfterDestroy = (name: string, failure: Failure): ToolAnswer => ({
  outcome: { type: "failure", failure },
  notice: { text: `${name} is destroyed, but its checkpoints are not deleted.`, acknowledge: async () => undefined },
});

const formatEnded = (count: number): string =>
  count === 0 ? "nothing was running in it" : `${formatProcesses(count)} ended with it`;

export const sandboxActions: ActionTable<SandboxArguments, Context> = {
  actions: { status, list, configure, stop, destroy, expose, unexpose, ...checkpointActions },
  described: {
    sandbox: 'the name, even for "default"',
    port: "the port of a program in the machine",
    checkpoint: 'the id or name of a checkpoint (see sandbox {action: "checkpoints"})',
    into: "a name for the new sandbox",
  },
};
