// The sandboxes of a principal, each in the Durable Object named `principal/sandbox`. Calls to the objects go through
// callObject(), and through requireSandbox() if they would create a sandbox; a result that breaks the contract is a bug and throws.

import * as z from "zod";
import type { AccountRpc } from "../account/account-rpc.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../contract/operation.ts";
import { fail, type Result, resultOf, succeed } from "../contract/result.ts";
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

/** What a caller may do with the sandboxes of its principal before they exist. */
export interface SandboxOwner {
  principal: string;
  /** The first use of a sandbox creates it. Otherwise that use fails. */
  mayCreate: boolean;
}

/** `previewUrl` makes a preview's URL from its label; null when there are no previews. */
export const durableSandboxes = (
  { SANDBOX, ACCOUNT }: { SANDBOX: SandboxObjects; ACCOUNT: AccountObjects },
  { principal, mayCreate }: SandboxOwner,
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
  return { previewUrl, list, open: (name) => new DurableSandbox({ name, mayCreate }, find(name), { find, names }) };
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
  (namespace: SandboxObjects, { principal, mayCreate }: SandboxOwner) =>
  (name: string): FileTransfer =>
  async (request, body) => {
    const stub = namespace.getByName(objectName({ principal, name }));
    const required = await requireSandbox(stub, { name, mayCreate });
    const answered = required.ok ? await callObject(() => stub.transfer(request, body)) : required;
    return answered.ok ? answered.value : failedTransfer(answered.failure);
  };

interface NamedSandbox {
  name: string;
  mayCreate: boolean;
}

/** Fails for a sandbox that does not exist, unless the caller may create it. */
async function requireSandbox(
  stub: Pick<SandboxRpc, "cachedStatus">,
  { name, mayCreate }: NamedSandbox,
): Promise<Result<null>> {
  if (mayCreate) return succeed(null);
  const answered = await callObject(() => stub.cachedStatus());
  if (!answered.ok) return answered;
  const exists = SandboxStatus.parse(answered.value).created_at !== null;
  return exists ? succeed(null) : fail({ reason: "not_found", kind: "sandbox", name });
}

export class DurableSandbox implements Sandbox {
  readonly name: string;
  readonly checkpoints: Checkpoints;
  readonly #stub: SandboxRpc;
  readonly #require: () => Promise<Result<null>>;

  constructor(named: NamedSandbox, stub: SandboxRpc, siblings: Siblings) {
    this.name = named.name;
    this.#stub = stub;
    this.#require = () => requireSandbox(stub, named);
    const checkpoints = durableCheckpoints(stub, siblings);
    this.checkpoints = {
      ...checkpoints,
      diff: async (request) => {
        const required = await this.#require();
        return required.ok ? checkpoints.diff(request) : { result: required, notice: null };
      },
    };
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
    const required = await this.#require();
    const answered = required.ok ? await callObject(() => this.#stub.operate(operation, request)) : required;
    if (!answered.ok) return { result: answered, notice: null };
    const schema = z.object({ result: resultOf(operations[operation].value), notice: Notice.nullable() });
    return schema.parse(answered.value) as Answer<ValueOf<Name>>;
  }

  async acknowledge({ id }: Notice): Promise<void> {
    await callObject(() => this.#stub.acknowledge(id));
  }
}
