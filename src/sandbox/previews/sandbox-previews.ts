// The previews of one sandbox: forwards requests to ports of its machine, and starts the commands that serve them.

import type { Preview } from "../admin-actions.ts";
import type { SandboxFiles } from "../checkpoints/sandbox-files.ts";
import type { ExecCoordinator } from "../exec/exec-coordinator.ts";
import { processesIn } from "../exec/operation-effects.ts";
import type { Activity } from "../machine/activity.ts";
import type { MachineController } from "../machine/machine-controller.ts";
import type { MachinePlatform } from "../machine/machine-platform.ts";
import type { SandboxRecord } from "../storage/sandbox-record.ts";
import { previewExec } from "./preview-exec.ts";
import { answerPreviewRequest, type PreviewServer } from "./preview-proxy.ts";
import type { PreviewTable } from "./preview-table.ts";

interface SandboxPreviewsParts {
  platform: MachinePlatform;
  machine: MachineController;
  execs: ExecCoordinator;
  files: SandboxFiles;
  record: SandboxRecord;
  activity: Activity;
  table: PreviewTable;
}

export class SandboxPreviews implements PreviewServer {
  readonly #parts: SandboxPreviewsParts;

  constructor(parts: SandboxPreviewsParts) {
    this.#parts = parts;
  }

  answer(request: Request): Promise<Response> {
    return answerPreviewRequest(request, { ...this.#parts, server: this });
  }

  /** Runs the command once for each machine: the runner attaches to the process if it already has one with this id. */
  async runCommand({ port, command }: Preview): Promise<void> {
    const { activity, execs, files, record } = this.#parts;
    const { bootId } = record;
    if (command === null || bootId === null) return;
    const end = activity.beginCall();
    try {
      const result = await execs.run(previewExec(command, `preview-${port}-${bootId.slice(0, 8)}`, port));
      for (const process of processesIn("exec", result)) files.trackProcess(process);
      if (!result.ok) console.warn(`The command of the preview of port ${port} was not started:`, result.failure);
    } finally {
      files.recordChange();
      end();
    }
  }
}
