// The previews of one sandbox: requests from outside to ports of its machine, and the commands that serve them.

import type { Preview } from "../admin-actions.ts";
import { processesIn } from "../checkpoints/changes-files.ts";
import type { SandboxFiles } from "../checkpoints/sandbox-files.ts";
import type { Execs } from "../exec/exec-coordinator.ts";
import type { Activity } from "../machine/activity.ts";
import type { Machine } from "../machine/machine-controller.ts";
import type { Kept } from "../storage/sandbox-record.ts";
import { previewExec } from "./preview-exec.ts";
import { answerPreviewRequest } from "./preview-proxy.ts";
import { PreviewTable } from "./preview-table.ts";

export interface SandboxPreviewsOptions {
  sql: SqlStorage;
  machine: Machine;
  execs: Execs;
  files: SandboxFiles;
  kept: Kept;
  activity: Activity;
  port(port: number): Fetcher;
  detach(work: Promise<unknown>): void;
}

export class SandboxPreviews {
  readonly table: PreviewTable;
  readonly #options: SandboxPreviewsOptions;

  constructor(options: SandboxPreviewsOptions) {
    this.#options = options;
    this.table = new PreviewTable(options.sql);
  }

  answer(request: Request): Promise<Response> {
    const { machine, activity, port, detach } = this.#options;
    return answerPreviewRequest(request, {
      previews: this.table,
      isThere: () => machine.isThere,
      isStarting: () => machine.isStarting,
      up: () => machine.up(),
      port,
      run: (preview) => this.#run(preview),
      begin: () => activity.beginTraffic(),
      touch: () => activity.touch(),
      detach,
    });
  }

  /** Once for each machine: the runner attaches to the process when it has one of this id. */
  async #run({ port, command }: Preview): Promise<void> {
    const { activity, execs, files, kept } = this.#options;
    const { bootId } = kept;
    if (command === null || bootId === null) return;
    const end = activity.beginCall();
    try {
      const result = await execs.run(previewExec(command, `preview-${port}-${bootId.slice(0, 8)}`, port));
      for (const process of processesIn("exec", result)) files.saw(process);
      if (!result.ok) console.warn(`The command of the preview of port ${port} was not started:`, result.failure);
    } finally {
      files.changed();
      end();
    }
  }
}
