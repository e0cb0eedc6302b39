// Connects one sandbox to the account of its principal: registers it there on first use, asks for admission before each start of
// a machine, and reports its status.

import type { AccountRpc } from "../account/account-rpc.ts";
import { type Result, succeed } from "../contract/result.ts";
import type { SandboxStatus } from "./admin-actions.ts";
import type { MachineAdmission } from "./machine/machine-collaborators.ts";
import { callObject } from "./object-call.ts";
import type { SandboxIdentity } from "./object-name.ts";
import type { SandboxRecord } from "./storage/sandbox-record.ts";

/** The part of a namespace that is used. */
export interface Accounts {
  getByName(principal: string): Pick<AccountRpc, "register" | "admit" | "report" | "unregister">;
}

export class SandboxAccount implements MachineAdmission {
  readonly #accounts: Accounts;
  readonly #identity: SandboxIdentity;
  readonly #record: SandboxRecord;
  /**
   * The account has the sandbox, but the record does not say so yet. It is written with the next report, so that a start does not
   * wait for it.
   */
  #isAdmitted = false;

  constructor(accounts: Accounts, identity: SandboxIdentity, record: SandboxRecord) {
    this.#accounts = accounts;
    this.#identity = identity;
    this.#record = record;
  }

  /** Registers the sandbox with its owner's account, within the quota, unless it is registered already. */
  async ensureRegistered(): Promise<Result<null>> {
    if (this.#record.createdAt !== null) return succeed(null);
    const registered = await this.#call((account, name) => account.register(name));
    if (registered.ok) this.#record.markCreated();
    return registered;
  }

  async admit(): Promise<Result<null>> {
    const admitted = await this.#call((account, name) => account.admit(name));
    this.#isAdmitted ||= admitted.ok;
    return admitted;
  }

  /** Does nothing for a sandbox that does not exist. A lost report is not repeated, because later ones replace it. */
  async report(status: () => SandboxStatus): Promise<void> {
    if (this.#isAdmitted) this.#record.markCreated();
    if (this.#record.createdAt === null) return;
    const current = status();
    await callObject(() => this.#account.report(current));
  }

  async unregister(): Promise<Result<null>> {
    this.#isAdmitted = false;
    const answered = await callObject(() => this.#account.unregister(this.#identity.name));
    return answered.ok ? succeed(null) : answered;
  }

  async #call(
    ask: (account: Pick<AccountRpc, "register" | "admit">, name: string) => Promise<Result<null>>,
  ): Promise<Result<null>> {
    const answered = await callObject(() => ask(this.#account, this.#identity.name));
    return answered.ok ? answered.value : answered;
  }

  /** Created for each call, because a stub does not work after its object was reset. */
  get #account() {
    return this.#accounts.getByName(this.#identity.principal);
  }
}
