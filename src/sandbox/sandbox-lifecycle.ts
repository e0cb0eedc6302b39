// When the machine of a sandbox ends: it sleeps when it has nothing to do, is stopped on request, or is destroyed with the sandbox.

import { fail, type Result, succeed } from "../contract/result.ts";
import type { CheckpointKeeper } from "./checkpoints/checkpoint-keeper.ts";
import type { SandboxFiles } from "./checkpoints/sandbox-files.ts";
import type { ExecCoordinator } from "./exec/exec-coordinator.ts";
import type { Activity } from "./machine/activity.ts";
import type { Lifetime } from "./machine/lifetime.ts";
import type { MachineController } from "./machine/machine-controller.ts";
import type { MachinePlatform } from "./machine/machine-platform.ts";
import { type Sleeper, type SleepOptions, sleepIfIdle } from "./machine/sleep-if-idle.ts";
import type { SettingsStore } from "./settings/settings-store.ts";

interface SandboxLifecycleParts {
  platform: MachinePlatform;
  machine: MachineController;
  execs: ExecCoordinator;
  files: SandboxFiles;
  keeper: CheckpointKeeper;
  activity: Activity;
  settings: SettingsStore;
  lifetime: Lifetime;
}

export class SandboxLifecycle implements Sleeper {
  readonly #parts: SandboxLifecycleParts;

  constructor(parts: SandboxLifecycleParts) {
    this.#parts = parts;
    this.#applySleepTime();
  }

  get isThere(): boolean {
    return this.#parts.machine.isThere;
  }

  get isBusy(): boolean {
    const { activity, execs, machine } = this.#parts;
    return activity.callsInFlight > 0 || execs.hasPending || machine.isStarting;
  }

  get callCount(): number {
    return this.#parts.activity.callCount;
  }

  async hasWork(): Promise<boolean> {
    if (this.#parts.activity.trafficInFlight > 0) return true;
    const info = await this.#parts.machine.ask("info", {});
    return info.ok && info.value.live_processes > 0;
  }

  /** A machine whose files cannot be stored stays up for them, but not longer than machines may be awake. */
  async beforeSleep(): Promise<boolean> {
    return (await this.#parts.files.store()) || this.#isAwakeForLongest;
  }

  /** To be called while no call is in flight, since it would be cut off. */
  stop(): Promise<void> {
    return this.#parts.machine.stop();
  }

  sleepIfIdle(options: SleepOptions): Promise<"asleep" | "busy"> {
    return sleepIfIdle(this, options);
  }

  /** The sleep time is over. This alone decides what follows; the platform asks again after the next sleep time. */
  async onActivityExpired(): Promise<void> {
    const ended = await this.sleepIfIdle({ despiteWork: this.#isAwakeForLongest });
    // The base class has set its next alarm for this very moment, and the series of alarms was seen to end there, perhaps because
    // the runtime takes the time at which the last alarm ran for no change.
    if (ended === "busy") await this.#parts.platform.checkActivitySoon();
  }

  /** The settings have changed. */
  async applySettings(): Promise<void> {
    this.#applySleepTime();
    this.#parts.platform.renewActivity();
    await this.#parts.platform.checkActivitySoon();
  }

  /** Stores the files and ends whatever runs; a failure when the files could not be stored, and nothing ends then. */
  async stopForRequest(): Promise<Result<null>> {
    const { machine, keeper } = this.#parts;
    await this.#settleStart();
    if (!machine.isThere) return succeed(null);
    if (!(await this.beforeSleep())) {
      return fail({ reason: "checkpoint_failed", message: keeper.problem ?? "the machine does not answer" });
    }
    await machine.stop();
    return succeed(null);
  }

  /** Ends the machine without storing its files. */
  async kill(): Promise<void> {
    await this.#settleStart();
    if (this.#parts.machine.isThere) await this.#parts.machine.kill();
    this.#parts.machine.clear();
  }

  /** Commands that wait for the machine are not run any more. */
  async #settleStart(): Promise<void> {
    const { execs, machine } = this.#parts;
    execs.cancelPending();
    if (machine.isStarting) await machine.up();
  }

  get #isAwakeForLongest(): boolean {
    return this.#parts.activity.idleMs >= this.#parts.lifetime.longestAwakeMs;
  }

  #applySleepTime(): void {
    const { platform, settings, lifetime } = this.#parts;
    platform.setSleepAfter(settings.current.sleep.after_ms ?? lifetime.sleepAfterMs);
  }
}
