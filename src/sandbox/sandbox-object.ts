// The Durable Object of one sandbox: owns its machine, decides when it sleeps, and forwards operations to its runner.

import { Container } from "@cloudflare/containers";
import type { Env } from "../config/env.ts";
import { resolveCheckpointing, resolveLifetime } from "../config/settings.ts";
import type { ExecRequest } from "../contract/exec.ts";
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
import type { UsageResult } from "../contract/usage.ts";
import { MACHINE_AUDIENCE } from "../egress/host-activity-log.ts";
import { handleMachineEgress } from "../egress/outbound.ts";
import type {
  EgressAdmission,
  EgressPolicyService,
  EgressRequest,
  EgressSettlement,
} from "../egress/policy-service.ts";
import { resolveEgress } from "../egress/settings.ts";
import { careActions, isCareAction, type SandboxStatus } from "./admin-actions.ts";
import { changesFiles, processesIn } from "./checkpoints/changes-files.ts";
import { checkpointActions, isCheckpointAction } from "./checkpoints/checkpoint-actions.ts";
import { act } from "./checkpoints/run-checkpoint-action.ts";
import { SandboxFiles } from "./checkpoints/sandbox-files.ts";
import { Execs } from "./exec/exec-coordinator.ts";
import { ProcessLedger } from "./exec/process-ledger.ts";
import { Activity } from "./machine/activity.ts";
import type { Lifetime } from "./machine/lifetime.ts";
import { Machine } from "./machine/machine-controller.ts";
import { type SleepOptions, sleepIfIdle } from "./machine/sleep-if-idle.ts";
import { Notices } from "./notices.ts";
import { identityOf, objectName, type SandboxIdentity } from "./object-name.ts";
import { previewObject } from "./previews/preview-object.ts";
import { SandboxPreviews } from "./previews/sandbox-previews.ts";
import type { Answer, Notice } from "./sandbox.ts";
import { SandboxCare } from "./sandbox-admin.ts";
import { SandboxEgress } from "./sandbox-egress.ts";
import { SettingsStore } from "./settings/settings-store.ts";
import { Kept } from "./storage/sandbox-record.ts";
import { StateRequest } from "./storage/state.ts";
import { StateStore } from "./storage/state-store.ts";
import type { TransferRequest } from "./transfer/file-transfer.ts";
import { whileOpen } from "./transfer/while-open.ts";

export class SandboxObject extends Container<Env> implements EgressPolicyService {
  static {
    // By assignment: a field of the class would hide the setter that registers it.
    SandboxObject.outbound = handleMachineEgress;
  }

  override defaultPort = RUNNER_PORT;
  /** Everything that goes out goes through `outbound`, and nothing beside it. */
  override enableInternet = false;
  override interceptHttps = true;
  override pingEndpoint = "runner/health";

  readonly #identity: SandboxIdentity;
  readonly #lifetime: Lifetime;
  readonly #state: StateStore;
  readonly #machine: Machine;
  readonly #execs: Execs;
  readonly #settings: SettingsStore;
  readonly #previews: SandboxPreviews;
  readonly #care: SandboxCare;
  readonly #kept: Kept;
  readonly #egress: SandboxEgress;
  readonly #notices: Notices;
  /** The account knows of it. Written down with the next thing that is, to spare a new sandbox the wait. */
  #isAdmitted = false;
  readonly #files: SandboxFiles;
  readonly #activity = new Activity(() => this.renewActivityTimeout());

  constructor(ctx: DurableObjectState<object>, env: Env) {
    super(ctx, env);
    this.#kept = new Kept(ctx);
    this.#identity = identityOf(this.#kept.objectName);
    this.#lifetime = resolveLifetime(env);
    this.#settings = new SettingsStore(ctx.storage.kv);
    this.#egress = new SandboxEgress({
      sql: ctx.storage.sql,
      identity: this.#identity,
      policy: () => this.#settings.current.egress,
      bounds: () => resolveEgress(env).bounds,
    });
    this.#applySettings();
    this.#notices = new Notices(ctx.storage.kv);
    this.#state = new StateStore(ctx.storage.sql);
    this.#machine = new Machine({
      running: () => this.#platform.running,
      admit: () => this.#admit(),
      start: () => this.#startMachine(),
      stop: async () => {
        await this.#files.leave();
        await this.stop();
      },
      kill: () => this.destroy(),
      changed: () => this.ctx.waitUntil(this.#report()),
      port: () => this.#platform.getTcpPort(RUNNER_PORT),
      loadBootId: () => this.#kept.bootId,
      saveBootId: (bootId) => {
        this.#kept.bootId = bootId;
        this.#kept.markCreated();
      },
      prepare: (info, isFirst) => this.#files.prepare(info, isFirst),
      met: (bootId) => this.#files.met(bootId),
      announce: (text) => this.#notices.add(text),
    });
    this.#execs = new Execs({
      machine: this.#machine,
      ledger: new ProcessLedger(ctx.storage.sql),
      environment: () => this.#settings.current.environment,
      detach: (work) => ctx.waitUntil(work),
    });
    this.#files = new SandboxFiles({
      storage: ctx.storage,
      bucket: env.CHECKPOINTS,
      objectId: ctx.id.toString(),
      machine: () => this.#machine,
      running: () => this.#platform.running,
      announce: (text) => this.#notices.add(text),
      port: () => this.#platform.getTcpPort(RUNNER_PORT),
      schedule: (ms) => ctx.waitUntil(this.schedule(Math.ceil(ms / 1000), "checkpointWhenDue")),
      ...resolveCheckpointing(env),
    });
    this.#previews = new SandboxPreviews({
      sql: ctx.storage.sql,
      machine: this.#machine,
      execs: this.#execs,
      files: this.#files,
      kept: this.#kept,
      activity: this.#activity,
      port: (port) => this.#platform.getTcpPort(port),
      detach: (work) => ctx.waitUntil(work),
    });
    this.#care = new SandboxCare({
      name: this.#identity.name,
      kept: this.#kept,
      settings: this.#settings,
      previews: this.#previews.table,
      bounds: { ...this.#lifetime, egress: resolveEgress(env).bounds },
      seenHosts: () => this.#egress.hosts(),
      account: () => this.#account(),
      state: () => (this.#machine.isThere ? "awake" : this.#machine.isStarting ? "starting" : "asleep"),
      usedAt: () => this.#activity.usedAt ?? this.#kept.usedAt,
      checkpointAt: () => this.#files.keeper.newest()?.created_at ?? null,
      usage: () => this.#usage(),
      stop: () => this.#stopForSure(),
      destroy: () => this.#destroy(),
      lookup: (token) => previewObject(env.PREVIEW, token),
      objectName: objectName(this.#identity),
      report: () => this.#report(),
      settingsChanged: async () => {
        this.#applySettings();
        this.renewActivityTimeout();
        // The alarm that is set may be later than the new sleep time.
        await this.scheduleNextAlarm();
      },
    });
  }

  /** One operation of the contract; the request and the answer are checked on both sides. Never rejects for a foreseeable fault. */
  async operate(operation: string, request: unknown): Promise<Answer<unknown>> {
    if (!isOperationName(operation))
      return { result: fail({ reason: "not_found", kind: "operation", name: operation }), notice: null };
    const end = this.#activity.beginCall();
    const changes = changesFiles(operation);
    if (changes) this.#files.changed();
    try {
      const result = await this.#operate(
        operation,
        operations[operation].request.parse(request) as RequestOf<typeof operation>,
      );
      for (const process of processesIn(operation, result)) this.#files.saw(process);
      return { result, notice: this.#noticeFor(operation) };
    } finally {
      if (changes) this.#files.changed();
      end();
      // The next call then gets a machine whose runner is of today.
      if (this.#machine.isOutdated) this.ctx.waitUntil(this.sleepIfIdle());
    }
  }

  /** The notice with this id has been shown to a caller. */
  async acknowledge(id: string): Promise<void> {
    this.#notices.acknowledge(id);
  }

  async admitEgress(request: EgressRequest): Promise<EgressAdmission> {
    return this.#egress.admit(request);
  }

  async settleEgress(settlement: EgressSettlement): Promise<void> {
    this.#egress.settle(settlement);
  }

  /** What was refused to one run of an isolate; null for nothing. Told once. */
  async takeRefusals(run: string): Promise<string | null> {
    return this.#egress.takeNotice(run);
  }

  /** A whole file. The machine is in use until the body of the answer has been read, or has been given up. */
  async transfer(request: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response> {
    const end = this.#activity.beginCall();
    const changes = request.method === "PUT";
    if (changes) this.#files.changed();
    const leave = () => {
      if (changes) this.#files.changed();
      end();
    };
    try {
      return whileOpen(await this.#machine.transfer(request, body), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** One of the actions on the sandbox as a whole (care.ts). Asking how it is starts nothing and counts as no use. */
  async care(action: string, request: unknown): Promise<unknown> {
    if (!isCareAction(action)) return fail({ reason: "not_found", kind: "operation", name: action });
    return this.#care.do(action, careActions[action].request.parse(request));
  }

  /** One of the actions on its checkpoints (checkpoint-actions.ts). */
  async checkpoints(action: string, request: unknown): Promise<Answer<unknown>> {
    if (!isCheckpointAction(action))
      return { result: fail({ reason: "not_found", kind: "operation", name: action }), notice: null };
    const isUse = !["list", "summary"].includes(action);
    const end = isUse ? this.#activity.beginCall() : () => undefined;
    try {
      const result = await act(action, checkpointActions[action].request.parse(request) as never, {
        files: this.#files,
        exists: () => this.#kept.createdAt !== null,
        enter: () => this.#care.exist(),
      });
      return { result, notice: isUse ? this.#notices.due : null };
    } finally {
      end();
    }
  }

  /** Scheduled by the files themselves. */
  checkpointWhenDue(): Promise<void> {
    return this.#files.due();
  }

  /** Requests to previews, and nothing else: the base class would let a header choose any port. */
  override fetch(request: Request): Promise<Response> {
    return this.#previews.answer(request);
  }

  /** How it is, without asking the machine. */
  glance(): SandboxStatus {
    return this.#care.known();
  }

  /** For the account, which needs the room. */
  sleepIfIdle(options: SleepOptions = { despiteWork: false }): Promise<"asleep" | "busy"> {
    return sleepIfIdle(
      {
        isThere: () => this.#machine.isThere,
        isBusy: () => this.#activity.callsInFlight > 0 || this.#execs.areWaiting || this.#machine.isStarting,
        callCount: () => this.#activity.callCount,
        hasWork: async () => this.#activity.trafficInFlight > 0 || (await this.#liveProcesses()) > 0,
        beforeSleep: () => this.#beforeSleep(),
        stop: () => this.#machine.stop(),
      },
      options,
    );
  }

  /** Small values that run_js keeps; they need no machine. */
  remember(request: unknown): Result<unknown> {
    return this.#state.do(StateRequest.parse(request));
  }

  /** The one place that decides sleep (the base class does not see our calls). It is asked again after `sleepAfter`. */
  override async onActivityExpired(): Promise<void> {
    const ended = await this.sleepIfIdle({ despiteWork: this.#activity.idleMs >= this.#lifetime.longestAwakeMs });
    // The base class has set its next alarm for this very moment, and the series was seen to end there: perhaps the runtime takes the
    // moment at which the last one ran for no change.
    if (ended === "busy") await this.scheduleNextAlarm();
  }

  /** The machine ended, whoever ended it. */
  override onStop(): void {
    this.ctx.waitUntil(this.#report());
  }

  async #operate<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
  ): Promise<Result<ValueOf<Name>>> {
    if (operation === "exec") return (await this.#execs.run(request as ExecRequest)) as Result<ValueOf<Name>>;
    const known = await this.#execs.answer(operation, request);
    if (known !== null) return known as Result<ValueOf<Name>>;
    const up = await this.#machine.upWithin(limits.waitDefaultMs);
    if (!up.ok) return up;
    return "process_id" in request
      ? this.#execs.ask(operation, request, request.process_id)
      : this.#machine.ask(operation, request, null);
  }

  /** Refusals of egress become due with the answers that show what a program made of them. */
  #noticeFor(operation: OperationName): Notice | null {
    const showsOutput = operation === "exec" || operation === "process-read";
    const refusals = showsOutput ? this.#egress.takeNotice(MACHINE_AUDIENCE) : null;
    if (refusals !== null) this.#notices.add(refusals);
    return this.#notices.due;
  }

  async #liveProcesses(): Promise<number> {
    const info = await this.#machine.ask("info", {}, null);
    return info.ok ? info.value.live_processes : 0;
  }

  /** Where the files cannot be stored the machine stays up for them, but not for ever. */
  async #beforeSleep(): Promise<boolean> {
    return (await this.#files.beforeSleep()) || this.#activity.idleMs >= this.#lifetime.longestAwakeMs;
  }

  async #startMachine(): Promise<void> {
    // In two steps, since the first asks the platform and the second only the machine: that one may be asked often.
    await this.start();
    await this.waitForPort({
      portToCheck: RUNNER_PORT,
      retries: Math.ceil(limits.machineStartMs / limits.portPollMs),
      waitInterval: limits.portPollMs,
    });
  }

  async #admit(): Promise<Result<null>> {
    const admitted = await this.#account().admit(this.#identity.name);
    this.#isAdmitted ||= admitted.ok;
    return admitted;
  }

  /** The account hears how it is; that it does not is no reason to fail. */
  async #report(): Promise<void> {
    if (this.#isAdmitted) this.#kept.markCreated();
    if (this.#kept.createdAt === null) return;
    if (this.#activity.usedAt !== null) this.#kept.usedAt = this.#activity.usedAt;
    try {
      await this.#account().report(this.#care.known());
    } catch (error) {
      console.error("The account was not told:", error);
    }
  }

  #applySettings(): void {
    const { after_ms } = this.#settings.current.sleep;
    this.sleepAfter = Math.max(1, Math.ceil((after_ms ?? this.#lifetime.sleepAfterMs) / 1000));
  }

  async #usage(): Promise<UsageResult | null> {
    if (!this.#machine.isThere) return null;
    const up = await this.#machine.upWithin(limits.usageMaxMs);
    if (!up.ok) return null;
    const usage = await this.#machine.ask("usage", {}, null);
    return usage.ok ? usage.value : null;
  }

  async #stopForSure(): Promise<Result<null>> {
    this.#execs.cancel();
    if (this.#machine.isStarting) await this.#machine.up();
    if (!this.#machine.isThere) return succeed(null);
    if (!(await this.#beforeSleep())) {
      return fail({
        reason: "checkpoint_failed",
        message: this.#files.keeper.problem ?? "the machine does not answer",
      });
    }
    await this.#machine.stop();
    return succeed(null);
  }

  async #destroy(): Promise<void> {
    this.#execs.cancel();
    if (this.#machine.isStarting) await this.#machine.up();
    if (this.#machine.isThere) await this.#machine.end();
    this.#machine.forget();
    this.#notices.clear();
    this.#settings.clear();
    this.#egress.forget();
    this.#kept.forget();
    this.#isAdmitted = false;
  }

  #account() {
    return this.env.ACCOUNT.getByName(this.#identity.principal);
  }

  get #platform() {
    if (this.ctx.container === undefined) throw new Error("No container is configured for this class");
    return this.ctx.container;
  }
}
