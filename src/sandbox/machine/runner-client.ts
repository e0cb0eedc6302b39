// Asks the runner in the machine, over its port. A transport fault is told apart from every answer.

import {
  type OperationName,
  operationPath,
  operations,
  type RequestOf,
  type ValueOf,
} from "../../contract/operation.ts";
import { type Result, resultOf } from "../../contract/result.ts";

/** The part of Cloudflare's `Fetcher` that is used. */
export interface RunnerPort {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** Rejects when no answer came, or one that is not of the contract. */
export async function askRunner<Name extends OperationName>(
  port: RunnerPort,
  operation: Name,
  request: RequestOf<Name>,
): Promise<Result<ValueOf<Name>>> {
  const response = await port.fetch(`http://runner${operationPath(operation)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const body: unknown = await response.json();
  if (response.status !== 200) throw new Error(`The runner answered ${response.status} to ${operation}`);
  return resultOf(operations[operation].value).parse(body) as Result<ValueOf<Name>>;
}
