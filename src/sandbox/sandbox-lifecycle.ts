// Ends the machine of a sandbox: puts it to sleep when it is idle, stops it on request, or destroys it with the sandbox.

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
    // A machine that does not answer cannot store its files now, and may be able to later.
    return !info.ok || info.value.live_processes > 0;
  }

  /** A machine whose files cannot be stored stays up to keep them, but no longer than LONGEST_AWAKE. */
  async beforeSleep(): Promise<boolean> {
    return (await this.#parts.files.store()) || this.#isAwakeForLongest;
  }

  /** Must not be called while a call is in flight, which would be cut off. */
  stop(): Promise<void> {
    return this.#parts.machine.stop();
  }

  sleepIfIdle(options: SleepOptions): Promise<"asleep" | "busy"> {
    return sleepIfIdle(this, options);
  }

  /**
   * Called when the sleep time is over. Only this method decides what happens then; the platform calls again after the next sleep
   * time.
   */
  async onActivityExpired(): Promise<void> {
    const ended = await this.sleepIfIdle({ despiteWork: this.#isAwakeForLongest });
    // The base class has set its next alarm for this very moment. The series of alarms has been observed to end there, perhaps
    // because the runtime ignores an alarm set to the time of the last one.
    if (ended === "busy") await this.#parts.platform.checkActivitySoon();
  }

  /** Called when the settings have changed. */
  async applySettings(): Promise<void> {
    this.#applySleepTime();
    this.#parts.platform.renewActivity();
    await this.#parts.platform.checkActivitySoon();
  }

  /**
   * Stores the files, then ends everything that runs. Fails when the files could not be stored; then nothing is ended. A machine that
   * does not answer is ended by force, without its files.
   */
  async stopForRequest(): Promise<Result<{ is_forced: boolean }>> {
    const { machine, keeper } = this.#parts;
    await this.#settleStart();
    if (!machine.isThere) return succeed({ is_forced: false });
    if ((await machine.responds()) && (await this.beforeSleep())) {
      await machine.stop();
      return succeed({ is_forced: false });
    }
    if (await machine.responds()) {
      return fail({ reason: "checkpoint_failed", message: keeper.problem ?? "the machine did not store its files" });
    }
    await machine.kill();
    return succeed({ is_forced: true });
  }

  /** Ends the machine without storing its files. */
  async kill(): Promise<void> {
    await this.#settleStart();
    if (this.#parts.machine.isThere) await this.#parts.machine.kill();
    this.#parts.machine.clear();
  }

  /** Cancels the commands that wait for the machine, and waits for a start that is under way. */
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
