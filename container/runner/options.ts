// What a runner is told from outside, resolved once.

import { homedir } from "node:os";
import { RUNNER_PORT } from "../../src/contract/operation.ts";
import { MEMORY_EVENT_FILES } from "./process/memory-kills.ts";

export interface RunnerOptions {
  port: number;
  /** Where commands run unless they say otherwise, and what relative paths start from. */
  workspace: string;
  home: string;
  logDirectory: string;
  /** Where checkpoints are made and unpacked: on the filesystem of the workspace, so that files can be moved into place. */
  stateDirectory: string;
  /** The first that exists tells of processes killed for want of memory. */
  memoryEventFiles: readonly string[];
  /** The runner's own environment; environment.ts says what of it commands see. */
  own: Readonly<Record<string, string | undefined>>;
}

export function readOptions(own: RunnerOptions["own"]): RunnerOptions {
  const events = own["RUNNER_MEMORY_EVENTS"];
  return {
    port: own["RUNNER_PORT"] === undefined ? RUNNER_PORT : Number(own["RUNNER_PORT"]),
    workspace: own["RUNNER_WORKSPACE"] ?? "/workspace",
    home: own["RUNNER_HOME"] ?? own["HOME"] ?? homedir(),
    logDirectory: own["RUNNER_LOG_DIRECTORY"] ?? "/var/log/sandbox",
    stateDirectory: own["RUNNER_STATE_DIRECTORY"] ?? "/var/lib/sandbox-checkpoints",
    memoryEventFiles: events === undefined ? MEMORY_EVENT_FILES : [events],
    own,
  };
}
