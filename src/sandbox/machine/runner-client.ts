// Sends requests to the runner in the machine over its port. A failed connection rejects with RunnerUnreachable, which callers
// expect. A response that breaks the contract rejects with another error and is a bug.

import {
  type OperationName,
  operationPath,
  operations,
  type RequestOf,
  RUNNER_PORT,
  type ValueOf,
} from "../../contract/operation.ts";
import { type Result, resultOf } from "../../contract/result.ts";
import type { MachinePlatform } from "./machine-platform.ts";

/** The connection to the runner was refused, or broke before the whole response arrived. */
export class RunnerUnreachable extends Error {
  override name = "RunnerUnreachable";
}

/** The runner of a machine that is up. */
export interface RunnerClient {
  /** An implementation may turn RunnerUnreachable into a failure, but no other error. */
  ask<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>>;
  /** Sends a request that is not an operation, such as a stream. Rejects with RunnerUnreachable when no response begins. */
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** Rejects with RunnerUnreachable when the connection fails. */
export class PortRunnerClient implements RunnerClient {
  readonly #platform: Pick<MachinePlatform, "port">;

  constructor(platform: Pick<MachinePlatform, "port">) {
    this.#platform = platform;
  }

  async ask<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>> {
    const response = await this.fetch(`http://runner${operationPath(operation)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const body = await unlessBroken(response.text());
    if (response.status !== 200) throw new Error(`The runner answered ${response.status} to ${operation}`);
    return resultOf(operations[operation].value).parse(JSON.parse(body)) as Result<ValueOf<Name>>;
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return unlessBroken(this.#platform.port(RUNNER_PORT).fetch(url, init));
  }
}

/** Reading the body of a response can fail in the same ways as the request itself. */
export async function unlessBroken<Value>(transport: Promise<Value>): Promise<Value> {
  try {
    return await transport;
  } catch (error) {
    throw new RunnerUnreachable("The connection to the runner failed", { cause: error });
  }
}
