// The sandboxes of a principal, each in the Durable Object named `principal/sandbox`.

import * as z from "zod";
import type { Env } from "../config/env.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../contract/operation.ts";
import { fail, type Result, resultOf, succeed } from "../contract/result.ts";
import { type CareAction, type CareRequest, type CareValue, careActions, SandboxStatus } from "./admin-actions.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";
import { durableCheckpoints } from "./checkpoints/durable-checkpoints.ts";
import { objectName } from "./object-name.ts";
import { type Answer, Notice, type Sandbox, type Sandboxes } from "./sandbox.ts";
import type { SandboxObject } from "./sandbox-object.ts";
import type { SandboxState } from "./storage/state.ts";
import { type FileTransfer, failedTransfer } from "./transfer/file-transfer.ts";

/** `previewUrl` makes a preview's URL of its label; null where there are no previews. */
export const durableSandboxes = (
  { SANDBOX, ACCOUNT }: Env,
  principal: string,
  previewUrl: Sandboxes["previewUrl"],
): Sandboxes => {
  const find = (name: string) => SANDBOX.getByName(objectName({ principal, name }));
  return {
    previewUrl,
    open: (name) => new DurableSandbox(name, find(name), find),
    list: () =>
      unlessInterrupted(async () => succeed(SandboxStatus.array().parse(await ACCOUNT.getByName(principal).list()))),
  };
};

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
  readonly checkpoints: Checkpoints;
  readonly #stub: DurableObjectStub<SandboxObject>;

  /** `sibling` finds another sandbox of the same principal. */
  constructor(
    name: string,
    stub: DurableObjectStub<SandboxObject>,
    sibling: (name: string) => DurableObjectStub<SandboxObject>,
  ) {
    this.name = name;
    this.checkpoints = durableCheckpoints(stub, sibling);
    this.#stub = stub;
  }

  care<Action extends CareAction>(action: Action, request: CareRequest<Action>): Promise<Result<CareValue<Action>>> {
    const schema = resultOf(careActions[action].value);
    return unlessInterrupted(
      async () => schema.parse(await this.#stub.care(action, request)) as Result<CareValue<Action>>,
    );
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

  async acknowledge({ id }: Notice): Promise<void> {
    try {
      await this.#stub.acknowledge(id);
    } catch (error) {
      console.error("A notice was not acknowledged:", error);
    }
  }
}

async function unlessInterrupted<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
  try {
    return await work();
  } catch (error) {
    console.error(error);
    return fail({ reason: "machine_unavailable", message: "the sandbox was interrupted", retry_after_ms: 1_000 });
  }
}

function parseAnswer<Name extends OperationName>(operation: Name, answer: unknown): Answer<ValueOf<Name>> {
  const schema = z.object({ result: resultOf(operations[operation].value), notice: Notice.nullable() });
  return schema.parse(answer) as Answer<ValueOf<Name>>;
}
