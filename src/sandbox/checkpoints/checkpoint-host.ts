// What checkpoints need of the sandbox that they belong to.

import type { OperationName, RequestOf, ValueOf } from "../../contract/operation.ts";
import type { Result } from "../../contract/result.ts";
import type { RunnerPort } from "../machine/runner-client.ts";

export interface CheckpointHost {
  /** A machine runs; `up` would not start one. */
  running(): boolean;
  /** The machine that was there last ended with everything stored, or there was none. */
  endedWhole(): boolean;
  /** Its boot id, once a machine is up and has its files. */
  up(): Promise<Result<string>>;
  port(): RunnerPort;
  ask<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>>;
}
