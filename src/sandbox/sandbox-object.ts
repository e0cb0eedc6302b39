// The Durable Object of one sandbox: owns its machine, decides when it sleeps, and forwards operations to its runner.

import { Container } from "@cloudflare/containers";
import type { ExecRequest, ExecResult } from "../contract/exec.ts";
import { limits } from "../contract/limits.ts";
import {
  isOperationName,
  type OperationName,
  operations,
  type RequestOf,
  RUNNER_PORT,
  type ValueOf,
} from "../contract/operation.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import type { Env } from "../env.ts";
import { type Lifetime, resolveLifetime } from "../settings.ts";
import { answerAsleep } from "./asleep.ts";
import type { TransferRequest } from "./file-transfer.ts";
import { Machine } from "./machine.ts";
import { PendingExec } from "./pending-exec.ts";
import { fingerprintOf, ProcessLedger } from "./process-ledger.ts";
import type { Answer } from "./sandbox.ts";
import { StateRequest, StateStore } from "./state-store.ts";
import { whileOpen } from "./while-open.ts";

export class SandboxObject extends Container<Env> {
  override defaultPort = RUNNER_PORT;
  override enableInternet = false;
  override pingEndpoint = "runner/health";

  readonly #lifetime: Lifetime;
  readonly #ledger: ProcessLedger;
  readonly #state: StateStore;
  readonly #machine: Machine;
  readonly #pending = new Map<string, PendingExec>();
  #callsInFlight = 0;
  #lastCallAt = Date.now();

  constructor(ctx: DurableObjectState<object>, env: Env) {
    super(ctx, env);
    this.#lifetime = resolveLifetime(env);
    this.sleepAfter = Math.max(1, Math.ceil(this.#lifetime.sleepAfterMs / 1000));
    this.#ledger = new ProcessLedger(ctx.storage.sql);
    this.#state = new StateStore(ctx.storage.sql);
    this.#machine = new Machine({
      running: () => this.#platform.running,
      start: () =>
        this.startAndWaitForPorts({
          ports: RUNNER_PORT,
          cancellationOptions: { portReadyTimeoutMS: limits.machineStartMs, waitInterval: limits.portPollMs },
        }),
      port: () => this.#platform.getTcpPort(RUNNER_PORT),
      loadBootId: () => ctx.storage.kv.get<string>("boot_id") ?? null,
      saveBootId: (bootId) => ctx.storage.kv.put("boot_id", bootId),
    });
  }

  /** One operation of the contract; the request and the answer are checked on both sides. Never rejects for a foreseeable fault. */
  async operate(operation: string, request: unknown): Promise<Answer<unknown>> {
    if (!isOperationName(operation))
      return { result: fail({ reason: "not_found", kind: "operation", name: operation }), notice: null };
    this.#callsInFlight += 1;
    this.#touch();
    try {
      const result = await this.#operate(
        operation,
        operations[operation].request.parse(request) as RequestOf<typeof operation>,
      );
      return { result, notice: this.#machine.takeNotice() };
    } finally {
      this.#callsInFlight -= 1;
      this.#touch();
    }
  }

  /** A whole file. The machine is in use until the body of the answer has been read, or has been given up. */
  async transfer(request: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response> {
    this.#callsInFlight += 1;
    this.#touch();
    const leave = () => {
      this.#callsInFlight -= 1;
      this.#touch();
    };
    try {
      return whileOpen(await this.#machine.transfer(request, body), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Small values that run_js keeps; they need no machine. */
  remember(request: unknown): Result<unknown> {
    return this.#state.do(StateRequest.parse(request));
  }

  /** The one place that decides sleep (the base class does not see our calls). It is asked again after `sleepAfter`. */
  override async onActivityExpired(): Promise<void> {
    if (this.#callsInFlight > 0 || this.#pending.size > 0) return;
    const idleMs = Date.now() - this.#lastCallAt;
    if (idleMs < this.#lifetime.longestAwakeMs && (await this.#liveProcesses()) > 0) return;
    // A call may have come while the runner was asked.
    if (this.#callsInFlight > 0) return;
    await this.stop();
  }

  async #operate<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
  ): Promise<Result<ValueOf<Name>>> {
    if (operation === "exec") return (await this.#exec(request as ExecRequest)) as Result<ValueOf<Name>>;
    const asleep = answerAsleep(operation, request, {
      pending: this.#pending,
      ledger: this.#ledger,
      up: this.#platform.running,
    });
    if (asleep !== null) return asleep as Result<ValueOf<Name>>;
    const up = await this.#machine.up();
    if (!up.ok) return up;
    return this.#machine.ask(operation, request, null);
  }

  async #exec(request: ExecRequest): Promise<Result<ExecResult>> {
    const refusal = request.repeatable ? await this.#enter(request) : null;
    if (refusal !== null) return refusal;
    if (this.#machine.isUp()) return this.#handOver(request);
    const known = this.#pending.get(request.process_id);
    if (known !== undefined) return succeed({ ...known.report(), attached: true });
    return this.#execWhenUp(new PendingExec(request));
  }

  /** Answers at the end of `wait_ms` at the latest; the command is run when the machine is up, also after that. */
  async #execWhenUp(pending: PendingExec): Promise<Result<ExecResult>> {
    const { request } = pending;
    this.#pending.set(request.process_id, pending);
    const run = this.#runWhenUp(pending);
    const timer = new AbortController();
    const expired = scheduler.wait(pending.patienceMs, { signal: timer.signal }).then(
      () => null,
      () => null,
    );
    const result = await Promise.race([run, expired]);
    timer.abort();
    return result ?? (pending.started ? run : succeed(pending.report()));
  }

  async #runWhenUp(pending: PendingExec): Promise<Result<ExecResult>> {
    const up = await this.#machine.up();
    this.#pending.delete(pending.request.process_id);
    if (!up.ok) return up;
    if (pending.cancelled) return fail({ reason: "cancelled" });
    pending.started = true;
    return this.#handOver({ ...pending.request, wait_ms: pending.remainingWaitMs });
  }

  async #handOver(request: ExecRequest): Promise<Result<ExecResult>> {
    if (request.repeatable) {
      const up = await this.#machine.up();
      if (!up.ok) return up;
      this.#ledger.setBoot(request.process_id, up.value);
    }
    return this.#machine.ask("exec", request, request.process_id);
  }

  /** Records an id that the caller chose before anything is started under it; a failure says why it may not be. */
  async #enter(request: ExecRequest): Promise<Result<never> | null> {
    const fingerprint = await fingerprintOf(request);
    const entry = this.#ledger.find(request.process_id);
    if (entry === null) {
      this.#ledger.add(request.process_id, fingerprint);
      return null;
    }
    if (entry.fingerprint !== fingerprint) return fail({ reason: "process_conflict", process_id: request.process_id });
    if (entry.bootId === null) return null;
    if (this.#platform.running) {
      const up = await this.#machine.up();
      if (!up.ok) return up;
      if (up.value === entry.bootId) return null;
    }
    return fail({ reason: "machine_restarted", process_id: request.process_id });
  }

  async #liveProcesses(): Promise<number> {
    const info = await this.#machine.ask("info", {}, null);
    return info.ok ? info.value.live_processes : 0;
  }

  #touch(): void {
    this.#lastCallAt = Date.now();
    this.renewActivityTimeout();
  }

  get #platform() {
    if (this.ctx.container === undefined) throw new Error("No container is configured for this class");
    return this.ctx.container;
  }
}
