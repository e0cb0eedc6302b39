// The sandboxes of a principal, each in the Durable Object named `principal/sandbox`. Calls to the objects go through
// callObject(); a result that breaks the contract is a bug and throws.

import * as z from "zod";
import type { AccountRpc } from "../account/account-rpc.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../contract/operation.ts";
import { type Result, resultOf, succeed } from "../contract/result.ts";
import { type AdminAction, type AdminRequest, type AdminValue, adminActions, SandboxStatus } from "./admin-actions.ts";
import { type Answer, Notice } from "./answer.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";
import { durableCheckpoints, type Siblings } from "./checkpoints/durable-checkpoints.ts";
import { callObject } from "./object-call.ts";
import { objectName } from "./object-name.ts";
import type { Sandbox, Sandboxes } from "./sandbox.ts";
import type { SandboxRpc } from "./sandbox-rpc.ts";
import type { SandboxState } from "./storage/state.ts";
import { type FileTransfer, failedTransfer } from "./transfer/file-transfer.ts";

/** The parts of the namespaces that are used. */
export interface SandboxObjects {
  getByName(name: string): SandboxRpc;
}
export interface AccountObjects {
  getByName(principal: string): Pick<AccountRpc, "list">;
}

/** `previewUrl` makes a preview's URL from its label; null when there are no previews. */
export const durableSandboxes = (
  { SANDBOX, ACCOUNT }: { SANDBOX: SandboxObjects; ACCOUNT: AccountObjects },
  principal: string,
  previewUrl: Sandboxes["previewUrl"],
): Sandboxes => {
  const find = (name: string) => SANDBOX.getByName(objectName({ principal, name }));
  const list: Sandboxes["list"] = async () => {
    const listed = await callObject(() => ACCOUNT.getByName(principal).list());
    return listed.ok ? succeed(SandboxStatus.array().parse(listed.value)) : listed;
  };
  const names = async (): Promise<string[]> => {
    const listed = await list();
    return listed.ok ? listed.value.map(({ name }) => name) : [];
  };
  return { previewUrl, list, open: (name) => new DurableSandbox(name, find(name), { find, names }) };
};

/** The small values that code in isolates stores in a principal's sandboxes, by the name of the sandbox. */
export const durableState =
  (namespace: SandboxObjects, principal: string) =>
  (name: string): SandboxState =>
  async (request) => {
    const stub = namespace.getByName(objectName({ principal, name }));
    const answered = await callObject(() => stub.runStateOperation(request));
    return answered.ok ? answered.value : answered;
  };

/** Whole files of a principal's sandboxes, by the name of the sandbox. */
export const durableTransfers =
  (namespace: SandboxObjects, principal: string) =>
  (name: string): FileTransfer =>
  async (request, body) => {
    const stub = namespace.getByName(objectName({ principal, name }));
    const answered = await callObject(() => stub.transfer(request, body));
    return answered.ok ? answered.value : failedTransfer(answered.failure);
  };

export class DurableSandbox implements Sandbox {
  readonly name: string;
  readonly checkpoints: Checkpoints;
  readonly #stub: SandboxRpc;

  constructor(name: string, stub: SandboxRpc, siblings: Siblings) {
    this.name = name;
    this.checkpoints = durableCheckpoints(stub, siblings);
    this.#stub = stub;
  }

  async administer<Action extends AdminAction>(
    action: Action,
    request: AdminRequest<Action>,
  ): Promise<Result<AdminValue<Action>>> {
    const answered = await callObject(() => this.#stub.administer(action, request));
    if (!answered.ok) return answered;
    return resultOf(adminActions[action].value).parse(answered.value) as Result<AdminValue<Action>>;
  }

  async call<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Answer<ValueOf<Name>>> {
    const answered = await callObject(() => this.#stub.operate(operation, request));
    if (!answered.ok) return { result: answered, notice: null };
    const schema = z.object({ result: resultOf(operations[operation].value), notice: Notice.nullable() });
    return schema.parse(answered.value) as Answer<ValueOf<Name>>;
  }

  async acknowledge({ id }: Notice): Promise<void> {
    await callObject(() => this.#stub.acknowledge(id));
  }
}
