// The sandboxes of a principal, each in the Durable Object named `principal/sandbox`.

import * as z from "zod";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../contract/operation.ts";
import { fail, resultOf } from "../contract/result.ts";
import { type FileTransfer, failedTransfer } from "./file-transfer.ts";
import type { Answer, Sandbox, Sandboxes } from "./sandbox.ts";
import type { SandboxObject } from "./sandbox-object.ts";
import type { SandboxState } from "./state-store.ts";

export const durableSandboxes = (namespace: DurableObjectNamespace<SandboxObject>, principal: string): Sandboxes => ({
  open: (name) => new DurableSandbox(name, namespace.getByName(`${principal}/${name}`)),
});

/** The state of a principal's sandboxes, by name. */
export const durableState =
  (namespace: DurableObjectNamespace<SandboxObject>, principal: string) =>
  (name: string): SandboxState =>
  async (request) => {
    try {
      return await namespace.getByName(`${principal}/${name}`).remember(request);
    } catch (error) {
      console.error(error);
      return fail({ reason: "machine_unavailable", message: "the sandbox was interrupted", retry_after_ms: 1_000 });
    }
  };

/** Whole files of a principal's sandboxes, by name. */
export const durableTransfers =
  (namespace: DurableObjectNamespace<SandboxObject>, principal: string) =>
  (name: string): FileTransfer =>
  async (request, body) => {
    try {
      return await namespace.getByName(`${principal}/${name}`).transfer(request, body);
    } catch (error) {
      console.error(error);
      return failedTransfer({
        reason: "machine_unavailable",
        message: "the sandbox was interrupted",
        retry_after_ms: 1_000,
      });
    }
  };

class DurableSandbox implements Sandbox {
  readonly name: string;
  readonly #stub: DurableObjectStub<SandboxObject>;

  constructor(name: string, stub: DurableObjectStub<SandboxObject>) {
    this.name = name;
    this.#stub = stub;
  }

  async call<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Answer<ValueOf<Name>>> {
    try {
      return parseAnswer(operation, await this.#stub.operate(operation, request));
    } catch (error) {
      // The object was reset under the call: by a deploy, or by the platform. What ran in the machine goes on.
      console.error(error);
      return {
        result: fail({ reason: "machine_unavailable", message: "the sandbox was interrupted", retry_after_ms: 1_000 }),
        notice: null,
      };
    }
  }
}

function parseAnswer<Name extends OperationName>(operation: Name, answer: unknown): Answer<ValueOf<Name>> {
  const schema = z.object({ result: resultOf(operations[operation].value), notice: z.string().nullable() });
  return schema.parse(answer) as Answer<ValueOf<Name>>;
}
