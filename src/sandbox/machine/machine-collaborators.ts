// What a MachineController calls around the start and the end of a machine. Other parts of the sandbox implement these interfaces.

import type { InfoResult } from "../../contract/info.ts";
import type { Result } from "../../contract/result.ts";

/** Decides whether a machine may start, for example by a quota. */
export interface MachineAdmission {
  /** Called before each start. A failure is returned to the callers that wanted the machine. */
  admit(): Promise<Result<null>>;
}

/** Makes a machine ready for commands. */
export interface MachinePreparation {
  /**
   * Called for a machine that has not been prepared before. Resolves to the notice that is then due. After a failure the machine stays
   * up, and the next call prepares it again.
   */
  prepare(info: InfoResult, machine: NewMachine): Promise<Result<string>>;
}

export interface NewMachine {
  /** The sandbox had none before. */
  isFirst: boolean;
  /** No command can have run in it, so its runner is the one that it was started with. */
  isUntouched: boolean;
}

/** Receives events of the machine's life. */
export interface MachineObserver {
  /** A machine is up and has its files. It may be the same one as at the last call. */
  onMachineUp?(bootId: string): void;
  /** The machine is about to be stopped and receives no more calls. The stop waits for this. */
  beforeMachineStop?(): Promise<void>;
  /** A start succeeded or failed, or the machine has ended. */
  onMachineChange?(): void;
}
