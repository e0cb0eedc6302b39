// Formats sandboxes as a whole for a model, as text and as structured content.

import type { Gap } from "../../src/contract/gap.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatTimes } from "../../src/format/format-count.ts";
import { formatDiskSpace } from "../../src/format/format-disk.ts";
import { formatAgo, formatDuration } from "../../src/format/format-duration.ts";
import type { Preview, SandboxDetails, SandboxStatus } from "../../src/sandbox/admin-actions.ts";
import type { View } from "./context.ts";
import { formatFilesStatus } from "./format-files-status.ts";

export function formatList(sandboxes: SandboxStatus[], view: View): string {
  if (sandboxes.length === 0) return "There is no sandbox yet. The first exec creates one.";
  return sandboxes.map((sandbox) => formatSandboxStatus(sandbox, view)).join("\n");
}

export function formatDetails(sandbox: SandboxDetails, view: View): string {
  if (sandbox.created_at === null) return `There is no sandbox "${sandbox.name}" yet. The first exec in it creates it.`;
  const settings = sandbox.settings.map(
    ({ name, value, remark }) =>
      `- ${name}${value === null ? "" : `: ${value}`}${remark === null ? "" : ` (${remark})`}`,
  );
  const hosts =
    sandbox.hosts.length === 0 ? [] : ["Hosts reached or refused recently:", ...sandbox.hosts.map(formatHost)];
  return [
    formatSandboxStatus(sandbox, view),
    ...(sandbox.disk === null ? [] : [`Disk of the machine: ${formatDiskSpace(sandbox.disk)}.`]),
    ...formatFilesStatus(sandbox.files, view.now),
    "Settings:",
    ...settings,
    ...hosts,
    ...sandbox.gaps.map((gap) => GAPS[gap]),
  ].join("\n");
}

const GAPS: Record<Gap, string> = {
  system_calls:
    "The system calls of this machine are not filtered: install perl on the host, then start the server again; its first lines say more.",
  memory:
    "Memory is limited for each process of this machine, and shared memory is not: the host lets the engine make no control group.",
};

function formatHost({ host, port, verdict, count, bytes }: SandboxDetails["hosts"][number]): string {
  const times = formatTimes(count);
  if (verdict === "allowed") return `- ${host}:${port}: reached ${times}, ${formatBytes(bytes)}`;
  return `- ${host}:${port}: ${verdict === "unreachable" ? `unreachable ${times}` : `refused ${times} (${verdict})`}`;
}

function formatSandboxStatus(sandbox: SandboxStatus, view: View): string {
  const { disk_bytes, checkpoint_at } = sandbox;
  const facts = [
    formatEvent("last used", sandbox.last_used_at, view.now),
    formatEvent("created", sandbox.created_at, view.now),
    disk_bytes === null ? "disk not measured yet" : `${formatBytes(disk_bytes)} on disk`,
    checkpoint_at === null ? "no checkpoint" : formatEvent("last checkpoint", checkpoint_at, view.now),
    formatProcesses(sandbox.running_processes),
  ];
  const previews = sandbox.previews.map((preview) => `- preview: ${formatPreview(preview, view)}`);
  const state = sandbox.is_responding
    ? sandbox.state
    : `${sandbox.state}, but its machine does not answer (stop ends it by force)`;
  return [`${sandbox.name}: ${state}; ${facts.join(", ")}.`, ...previews].join("\n");
}

const formatEvent = (what: string, time: number | null, now: number): string =>
  time === null ? `never ${what}` : `${what} ${formatAgo(time, now)}`;

export const formatProcesses = (count: number): string =>
  count === 0 ? "no running process" : formatCount(count, "running process", "running processes");

export function formatPreview({ port, label, wake, command, expires_at }: Preview, { now, previewUrl }: View): string {
  const wakes = !wake
    ? "does not wake the machine"
    : command === null
      ? "wakes the machine"
      : `wakes the machine and starts: ${command}`;
  const expires = `expires in ${formatDuration(Math.max(0, expires_at - now))}`;
  return `port ${port}${previewUrl === null ? "" : ` at ${previewUrl(label)}`} (${expires}; ${wakes})`;
}

export const structureSandbox = (sandbox: SandboxStatus, view: View): Record<string, unknown> => ({
  name: sandbox.name,
  state: sandbox.created_at === null ? "absent" : sandbox.state,
  ...(sandbox.is_responding ? {} : { is_responding: false }),
  ...structureTime("last_used", sandbox.last_used_at),
  ...structureTime("created", sandbox.created_at),
  ...(sandbox.disk_bytes === null ? {} : { disk_bytes: sandbox.disk_bytes }),
  ...structureTime("last_checkpoint", sandbox.checkpoint_at),
  running_processes: sandbox.running_processes,
  previews: sandbox.previews.map((preview) => structurePreview(preview, view)),
});

export const structureDetails = (details: SandboxDetails, view: View): Record<string, unknown> => ({
  ...structureSandbox(details, view),
  ...structureTime("unsaved_since", details.files.unsaved_since),
  ...structureTime("next_checkpoint", details.files.next_at),
  ...(details.disk === null ? {} : { disk: details.disk }),
  ...(details.gaps.length === 0 ? {} : { gaps: details.gaps }),
  ...(details.files.problem === null ? {} : { checkpoint_problem: details.files.problem }),
  hosts: details.hosts.map(({ last_at, ...host }) => host),
  settings: details.settings.map(({ name, value, remark }) => ({
    name,
    ...(value === null ? {} : { value }),
    ...(remark === null ? {} : { remark }),
  })),
});

export const structurePreview = (
  { port, label, wake, command, expires_at }: Preview,
  { previewUrl }: View,
): Record<string, unknown> => ({
  port,
  ...(previewUrl === null ? {} : { url: previewUrl(label) }),
  wake,
  ...(command === null ? {} : { command }),
  ...structureTime("expires", expires_at),
});

/** ISO 8601 in UTC, to the second. No field when the time is null. */
const structureTime = (name: string, value: number | null): Record<string, string> =>
  value === null ? {} : { [name]: `${new Date(value).toISOString().slice(0, 19)}Z` };
