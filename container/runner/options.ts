// The settings of a runner, resolved once from its environment.

import { homedir } from "node:os";
import { type Gap, Gaps } from "../../src/contract/gap.ts";
import { RUNNER_PORT } from "../../src/contract/operation.ts";
import { MEMORY_EVENT_FILES } from "./process/oom-kills.ts";

export interface RunnerOptions {
  port: number;
  /** The default working directory of commands, and the base of relative paths. */
  workspace: string;
  home: string;
  logDirectory: string;
  /** Where checkpoints are unpacked: on the filesystem of the workspace, so that files can be moved into place. */
  stateDirectory: string;
  /** Where checkpoints are made: on a disk of the runner's own where the engine has one, so that a full disk can be stored. */
  archiveDirectory: string;
  /** The first that exists counts the processes that the kernel has killed because memory ran out. */
  memoryEventFiles: readonly string[];
  /** A file that the shell of a command reads first, which sets the limits of commands; null where the engine has none. */
  commandStart: string | null;
  /** How many processes and threads the machine may have before commands can start no more; null when it is not known. */
  commandProcesses: number | null;
  /** What the engine says that it could not set up. */
  gaps: Gap[];
  /** The ripgrep to run: a path, or a name to look up in PATH. */
  ripgrep: string;
  /** The runner's own environment; process/environment.ts decides which of it commands see. */
  environment: Readonly<Record<string, string | undefined>>;
}

export function readOptions(environment: RunnerOptions["environment"]): RunnerOptions {
  const stateDirectory = environment["RUNNER_STATE_DIRECTORY"] ?? "/var/lib/sandbox-checkpoints";
  const events = environment["RUNNER_MEMORY_EVENTS"];
  return {
    port: environment["RUNNER_PORT"] === undefined ? RUNNER_PORT : Number(environment["RUNNER_PORT"]),
    workspace: environment["RUNNER_WORKSPACE"] ?? "/workspace",
    home: environment["RUNNER_HOME"] ?? environment["HOME"] ?? homedir(),
    logDirectory: environment["RUNNER_LOG_DIRECTORY"] ?? "/var/log/sandbox",
    stateDirectory,
    archiveDirectory: environment["RUNNER_ARCHIVE_DIRECTORY"] ?? stateDirectory,
    memoryEventFiles: events === undefined ? MEMORY_EVENT_FILES : [events],
    commandStart: environment["RUNNER_COMMAND_START"] ?? null,
    commandProcesses:
      environment["RUNNER_COMMAND_PROCESSES"] === undefined ? null : Number(environment["RUNNER_COMMAND_PROCESSES"]),
    gaps: Gaps.parse(environment["RUNNER_GAPS"]?.split(",") ?? []),
    ripgrep: environment["SANDBOX_RG"] ?? "rg",
    environment,
  };
}
