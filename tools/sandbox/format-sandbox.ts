// How sandboxes as a whole are worded for a model, and the same as structure.

import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatTimes } from "../../src/format/format-count.ts";
import { formatAgo, formatDuration } from "../../src/format/format-duration.ts";
import type { Preview, SandboxDetails, SandboxStatus } from "../../src/sandbox/admin-actions.ts";

/** What one caller is told: whoever may only read gets no URL, which would let him use what runs behind it. */
export interface View {
  now: number;
  previewUrl: ((label: string) => string) | null;
}

export function listText(sandboxes: SandboxStatus[], view: View): string {
  if (sandboxes.length === 0) return "There is no sandbox yet. The first exec makes one.";
  return sandboxes.map((sandbox) => statusText(sandbox, view)).join("\n");
}

export function detailsText(sandbox: SandboxDetails, view: View): string {
  if (sandbox.created_at === null) return `There is no sandbox "${sandbox.name}" yet. The first exec in it makes it.`;
  const settings = sandbox.settings.map(
    ({ name, value, remark }) =>
      `- ${name}${value === null ? "" : `: ${value}`}${remark === null ? "" : ` (${remark})`}`,
  );
  const hosts = sandbox.hosts.length === 0 ? [] : ["Hosts reached and refused lately:", ...sandbox.hosts.map(hostText)];
  return [statusText(sandbox, view), "Settings:", ...settings, ...hosts].join("\n");
}

function hostText({ host, port, verdict, count, bytes }: SandboxDetails["hosts"][number]): string {
  const times = formatTimes(count);
  if (verdict === "allowed") return `- ${host}:${port}: reached ${times}, ${formatBytes(bytes)}`;
  return `- ${host}:${port}: ${verdict === "unreachable" ? `unreachable ${times}` : `refused ${times} (${verdict})`}`;
}

function statusText(sandbox: SandboxStatus, view: View): string {
  const facts = [
    ago("last used", sandbox.last_used_at, view.now),
    ago("created", sandbox.created_at, view.now),
    sandbox.disk_bytes === null ? "disk not measured yet" : `${formatBytes(sandbox.disk_bytes)} on disk`,
    sandbox.checkpoint_at === null ? "no checkpoint" : ago("last checkpoint", sandbox.checkpoint_at, view.now),
    processes(sandbox.running_processes),
  ];
  const previews = sandbox.previews.map((preview) => `- preview: ${previewText(preview, view)}`);
  return [`${sandbox.name}: ${sandbox.state}; ${facts.join(", ")}.`, ...previews].join("\n");
}

const ago = (what: string, time: number | null, now: number): string =>
  time === null ? `never ${what}` : `${what} ${formatAgo(time, now)}`;

export const processes = (count: number): string =>
  count === 0 ? "no running process" : formatCount(count, "running process", "running processes");

export function previewText({ port, label, wake, command, expires_at }: Preview, { now, previewUrl }: View): string {
  const wakes = !wake
    ? "does not wake the machine"
    : command === null
      ? "wakes the machine"
      : `wakes the machine and starts: ${command}`;
  const expires = `expires in ${formatDuration(Math.max(0, expires_at - now))}`;
  return `port ${port}${previewUrl === null ? "" : ` at ${previewUrl(label)}`} (${expires}; ${wakes})`;
}

export function sandboxStructured(sandbox: SandboxStatus, view: View): Record<string, unknown> {
  return {
    name: sandbox.name,
    state: sandbox.created_at === null ? "absent" : sandbox.state,
    ...time("last_used", sandbox.last_used_at),
    ...time("created", sandbox.created_at),
    ...(sandbox.disk_bytes === null ? {} : { disk_bytes: sandbox.disk_bytes }),
    ...time("last_checkpoint", sandbox.checkpoint_at),
    running_processes: sandbox.running_processes,
    previews: sandbox.previews.map((preview) => previewStructured(preview, view)),
  };
}

export const previewStructured = (
  { port, label, wake, command, expires_at }: Preview,
  { previewUrl }: View,
): Record<string, unknown> => ({
  port,
  ...(previewUrl === null ? {} : { url: previewUrl(label) }),
  wake,
  ...(command === null ? {} : { command }),
  ...time("expires", expires_at),
});

/** As people and models read it: ISO 8601 in UTC, to the second. */
const time = (name: string, value: number | null): Record<string, string> =>
  value === null ? {} : { [name]: `${new Date(value).toISOString().slice(0, 19)}Z` };
