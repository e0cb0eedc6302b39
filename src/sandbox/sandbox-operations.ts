// Carries out the operations of the contract for one sandbox.

import type { ExecRequest } from "../contract/exec.ts";
import { limits } from "../contract/limits.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../contract/operation.ts";
import type { Result } from "../contract/result.ts";
import { MACHINE_AUDIENCE } from "../egress/host-activity-log.ts";
import type { Answer, Notice } from "./answer.ts";
import { beginCall } from "./begin-call.ts";
import type { SandboxFiles } from "./checkpoints/sandbox-files.ts";
import type { ExecCoordinator } from "./exec/exec-coordinator.ts";
import { mayChangeFiles, processesIn } from "./exec/operation-effects.ts";
import type { Activity } from "./machine/activity.ts";
import type { MachineController } from "./machine/machine-controller.ts";
import type { MachinePlatform } from "./machine/machine-platform.ts";
import type { Notices } from "./notices.ts";
import type { SandboxEgress } from "./sandbox-egress.ts";
import type { SandboxLifecycle } from "./sandbox-lifecycle.ts";

interface SandboxOperationsParts {
  platform: MachinePlatform;
  machine: MachineController;
  execs: ExecCoordinator;
  files: SandboxFiles;
  lifecycle: SandboxLifecycle;
  activity: Activity;
  egress: SandboxEgress;
  notices: Notices;
}

export class SandboxOperations {
  readonly #parts: SandboxOperationsParts;

  constructor(parts: SandboxOperationsParts) {
    this.#parts = parts;
  }

  /** Rejects for a request that does not fit the operation. */
  async run(operation: OperationName, request: unknown): Promise<Answer<unknown>> {
    const { platform, machine, files, lifecycle } = this.#parts;
    const end = beginCall(this.#parts, { changesFiles: mayChangeFiles(operation) });
    try {
      const parsed = operations[operation].request.parse(request) as RequestOf<typeof operation>;
      const result = await this.#dispatch(operation, parsed);
      for (const process of processesIn(operation, result)) files.trackProcess(process);
      return { result, notice: this.#noticeFor(operation) };
    } finally {
      end();
      // The next call then gets a machine whose runner has the contract of this code.
      if (machine.isOutdated) platform.waitUntil(lifecycle.sleepIfIdle({ despiteWork: false }));
    }
  }

  async #dispatch<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
  ): Promise<Result<ValueOf<Name>>> {
    const { execs, machine } = this.#parts;
    if (operation === "exec") return (await execs.run(request as ExecRequest)) as Result<ValueOf<Name>>;
    const known = await execs.answerOffline(operation, request);
    if (known !== null) return known as Result<ValueOf<Name>>;
    const up = await machine.upWithin(limits.waitDefaultMs);
    if (!up.ok) return up;
    return "process_id" in request
      ? execs.askAbout(request.process_id, operation, request)
      : machine.ask(operation, request);
  }

  /** Refusals of egress become due with the answers that show what a program made of them. */
  #noticeFor(operation: OperationName): Notice | null {
    const { egress, notices } = this.#parts;
    const showsOutput = operation === "exec" || operation === "process-read";
    const refusals = showsOutput ? egress.takeNotice(MACHINE_AUDIENCE) : null;
    if (refusals !== null) notices.add(refusals);
    return notices.due;
  }
}
