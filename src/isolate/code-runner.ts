// Loads prepared code into a Dynamic Worker and runs it. It is an entrypoint of its own, so that a server that runs locally can
// put it into a process apart, which can be ended without touching any other call.

import { WorkerEntrypoint } from "cloudflare:workers";
import { limits } from "../contract/limits.ts";
import type { NetworkProps } from "../egress/isolate-network.ts";
import { harnessModules, MAIN_MODULE } from "./harness-modules.ts";
import type { RunHost } from "./run-host.ts";

export interface LoadableCode {
  /** The text of the module. */
  source: string;
  /** The platform's Node APIs are there. */
  usesNode: boolean;
  /** Null for no network at all. */
  network: NetworkProps | null;
}

/** What the harness reads; see harness/main.js. */
export interface HarnessOptions {
  grants: Record<string, string[]>;
  input: unknown;
  hasNetwork: boolean;
  callMain: boolean;
  modules: readonly string[];
  atOnce: number;
  resultChars: number;
  logChars: number;
  /** Also prints each log entry to the output of the process, from where it can be read even if the code never yields. */
  printLogs: boolean;
}

/** The method of harness/main.js. */
interface Harness {
  run(host: RunHost, options: HarnessOptions): Promise<string>;
}

/** The same date as in wrangler.jsonc. */
const compatibilityDate = "2026-11-01";

export class CodeRunner extends WorkerEntrypoint<{ LOADER: WorkerLoader }> {
  /**
   * Resolves with the answer of the harness. Rejects with the platform's error when it ends the isolate or cannot load it.
   * `_deadline`, in epoch milliseconds, is for a runner that can end the isolate by force.
   */
  run(code: LoadableCode, host: RunHost, options: HarnessOptions, _deadline: number): Promise<string> {
    const worker = this.env.LOADER.load({
      compatibilityDate,
      compatibilityFlags: code.usesNode ? ["nodejs_compat"] : ["no_nodejs_compat"],
      mainModule: MAIN_MODULE,
      modules: { ...harnessModules, "code.js": code.source },
      env: {},
      globalOutbound: code.network === null ? null : this.ctx.exports.IsolateEgress({ props: code.network }),
      limits: { cpuMs: limits.isolateCpuMs },
    });
    const harness = worker.getEntrypoint() as unknown as Harness;
    return harness.run(host, options);
  }
}

/** A stub of the entrypoint, as a Worker's `exports` has it. The promise can be disposed, which ends the run. */
export interface CodeRunnerStub {
  run(...args: Parameters<CodeRunner["run"]>): Promise<string>;
}
