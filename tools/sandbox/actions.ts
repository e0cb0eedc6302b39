// The actions of the sandbox tool on a sandbox as a whole, and their answers. Those on checkpoints are in sandbox-checkpoints.ts.

import { limits } from "../../src/contract/limits.ts";
import type { Result } from "../../src/contract/result.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { formatDuration } from "../../src/format/format-duration.ts";
import { parseDuration } from "../../src/format/parse-duration.ts";
import { type Preview, PreviewPort, type SandboxDetails } from "../../src/sandbox/admin-actions.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { ToolAnswer, ToolCall } from "../tool.ts";
import {
  detailsText,
  listText,
  previewStructured,
  previewText,
  processes,
  sandboxStructured,
  type View,
} from "./format-sandbox.ts";

/** Previews are shown with their URLs to whoever may use what runs behind them. */
export const viewOf = (call: ToolCall, mayUse: boolean): View => ({
  now: Date.now(),
  previewUrl: mayUse ? call.sandboxes.previewUrl : null,
});

export async function list(call: ToolCall, view: View): Promise<ToolAnswer> {
  return answer(await call.sandboxes.list(), (sandboxes) => ({
    text: listText(sandboxes, view),
    structured: { sandboxes: sandboxes.map((sandbox) => sandboxStructured(sandbox, view)) },
  }));
}

export async function status(sandbox: Sandbox, view: View): Promise<ToolAnswer> {
  return answer(await sandbox.administer("status", {}), (details) => ({
    text: detailsText(details, view),
    structured: detailsStructured(details, view),
  }));
}

export interface Configuring {
  env?: Record<string, unknown> | undefined;
  sleep_after?: string | undefined;
  egress?: string | undefined;
  allow?: string[] | undefined;
  deny?: string[] | undefined;
}

export async function configure(sandbox: Sandbox, input: Configuring, view: View): Promise<ToolAnswer> {
  const { env, sleep_after, egress, allow, deny } = input;
  const change = { env, sleep_after, egress, allow, deny };
  if (Object.values(change).every((value) => value === undefined))
    return refuse('configure needs "env", "sleep_after", "egress", "allow" or "deny".');
  return answer(await sandbox.administer("configure", change), (details) => ({
    text: `Configured. Egress changes hold at once; commands that start from now on have the rest.\n${detailsText(details, view)}`,
    structured: detailsStructured(details, view),
  }));
}

export async function stop(sandbox: Sandbox): Promise<ToolAnswer> {
  return answer(await sandbox.administer("stop", {}), ({ was_up, ended_processes }) => ({
    text: was_up
      ? `${sandbox.name} is asleep now; ${ended(ended_processes)}. The next call starts it again.`
      : `${sandbox.name} was asleep already.`,
    structured: { name: sandbox.name, state: "asleep", ended_processes },
  }));
}

export async function destroy(sandbox: Sandbox, withCheckpoints: boolean): Promise<ToolAnswer> {
  const destroyed = await sandbox.administer("destroy", {});
  if (!destroyed.ok) return { failure: destroyed.failure, notice: null };
  const { existed, ended_processes, previews } = destroyed.value;
  const kept = withCheckpoints
    ? "Its checkpoints are deleted"
    : "Its checkpoints are kept, and a new sandbox of this name starts from them; delete them with with_checkpoints: true";
  if (withCheckpoints) {
    const { result } = await sandbox.checkpoints.deleteAll();
    if (!result.ok)
      return { failure: result.failure, notice: `${sandbox.name} is destroyed, but its checkpoints are not deleted.` };
  }
  return {
    text: existed
      ? `${sandbox.name} is destroyed: ${ended(ended_processes)}, ${formatCount(previews, "preview")} taken back, settings gone. ${kept}.`
      : `There was no sandbox "${sandbox.name}". ${kept}.`,
    structured: { name: sandbox.name, state: "absent", ended_processes, checkpoints_deleted: withCheckpoints },
  };
}

export interface Exposing {
  port: number;
  wake: boolean | undefined;
  command: string | undefined;
  expires_in: string | undefined;
}

export async function expose(
  sandbox: Sandbox,
  { port, wake, command, expires_in }: Exposing,
  view: View,
): Promise<ToolAnswer> {
  const { previewUrl } = view;
  if (previewUrl === null) return refuse("Previews are off: this deployment has no PREVIEW_DOMAIN.");
  const checked = PreviewPort.safeParse(port);
  if (!checked.success) return refuse(checked.error.issues.map(({ message }) => message).join(" "));
  if (command !== undefined && wake === false)
    return refuse('A "command" is started when the preview wakes the machine: leave out wake, or set it to true.');
  const expiresInMs = expires_in === undefined ? limits.previewDefaultMs : parseDuration(expires_in);
  if (expiresInMs === null || expiresInMs < 1 || expiresInMs > limits.previewMaxMs) {
    return refuse(
      `expires_in is "${expires_in}"; give a duration such as "8h", up to ${formatDuration(limits.previewMaxMs)}.`,
    );
  }
  const exposed = await sandbox.administer("expose", {
    port,
    wake: wake ?? command !== undefined,
    command: command ?? null,
    expires_in_ms: expiresInMs,
  });
  return answer(exposed, (preview: Preview) => ({
    text: `Exposed ${previewText(preview, view)}.\nWhoever has the URL reaches the port, without a key. The program may listen on any address of the machine; take the URL back with unexpose.`,
    structured: { ...previewStructured(preview, view), name: sandbox.name },
  }));
}

export async function unexpose(sandbox: Sandbox, port: number): Promise<ToolAnswer> {
  return answer(await sandbox.administer("unexpose", { port }), () => ({
    text: `Port ${port} is not exposed any more; its URL leads nowhere now.`,
    structured: { name: sandbox.name, port },
  }));
}

const detailsStructured = (details: SandboxDetails, view: View): Record<string, unknown> => ({
  ...sandboxStructured(details, view),
  hosts: details.hosts.map(({ last_at, ...host }) => host),
  settings: details.settings.map(({ name, value, remark }) => ({
    name,
    ...(value === null ? {} : { value }),
    ...(remark === null ? {} : { remark }),
  })),
});

const ended = (count: number): string => (count === 0 ? "nothing ran in it" : `${processes(count)} ended with it`);

function answer<Value>(result: Result<Value>, say: (value: Value) => ToolAnswer): ToolAnswer {
  return result.ok ? say(result.value) : { failure: result.failure, notice: null };
}

export const refuse = (message: string): ToolAnswer => ({
  failure: { reason: "invalid_request", message },
  notice: null,
});
