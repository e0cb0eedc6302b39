// Asks the runner in the machine, over its port. A transport fault is told apart from every answer.

import {
  BOOT_ID_HEADER,
  type OperationName,
  operationPath,
  operations,
  type RequestOf,
  type ValueOf,
} from "../contract/operation.ts";
import { type Result, resultOf } from "../contract/result.ts";

/** The part of Cloudflare's `Fetcher` that is used. */
export interface RunnerPort {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

export interface RunnerAnswer<Value> {
  result: Result<Value>;
  bootId: string;
}

/** Rejects when no answer came, or one that is not of the contract. */
export async function askRunner<Name extends OperationName>(
  port: RunnerPort,
  operation: Name,
  request: RequestOf<Name>,
): Promise<RunnerAnswer<ValueOf<Name>>> {
  const response = await port.fetch(`http://runner${operationPath(operation)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const body: unknown = await response.json();
  if (response.status !== 200) throw new Error(`The runner answered ${response.status} to ${operation}`);
  const result = resultOf(operations[operation].value).parse(body) as Result<ValueOf<Name>>;
  return { result, bootId: response.headers.get(BOOT_ID_HEADER) ?? "" };
}
