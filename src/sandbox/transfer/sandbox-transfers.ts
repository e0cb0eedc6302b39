// Moves whole files between clients and the machine of one sandbox.

import { limits } from "../../contract/limits.ts";
import { FILES_PATH } from "../../contract/transfer.ts";
import { beginCall } from "../begin-call.ts";
import type { SandboxFiles } from "../checkpoints/sandbox-files.ts";
import type { Activity } from "../machine/activity.ts";
import type { MachineController } from "../machine/machine-controller.ts";
import { RunnerFault } from "../machine/runner-fault.ts";
import { watchPulse } from "../machine/watch-pulse.ts";
import { checkTransfer } from "./check-transfer.ts";
import { failedTransfer, type TransferRequest } from "./file-transfer.ts";
import { whileOpen } from "./while-open.ts";

interface SandboxTransfersParts {
  machine: MachineController;
  files: SandboxFiles;
  activity: Activity;
}

export class SandboxTransfers {
  readonly #parts: SandboxTransfersParts;

  constructor(parts: SandboxTransfersParts) {
    this.#parts = parts;
  }

  /**
   * The machine counts as in use until the body of the answer has been read or cancelled. A transfer takes any time, and breaks when the
   * runner has stopped.
   */
  async run(request: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response> {
    const { machine } = this.#parts;
    const end = beginCall(this.#parts, { changesFiles: request.method === "PUT" });
    const abort = new AbortController();
    const endWatch = watchPulse(
      async () => !machine.isUp || (await machine.responds()),
      () => abort.abort(new RunnerFault("late")),
    );
    const done = () => {
      endWatch();
      end();
    };
    try {
      return whileOpen(await this.#send(request, body, abort), done);
    } catch (error) {
      done();
      throw error;
    }
  }

  async #send(
    { method, path, headers }: TransferRequest,
    body: ReadableStream<Uint8Array> | null,
    abort: AbortController,
  ): Promise<Response> {
    const { machine } = this.#parts;
    const up = await machine.upWithin(limits.waitDefaultMs);
    if (!up.ok) {
      await body?.cancel();
      return failedTransfer(up.failure);
    }
    const url = `http://runner${FILES_PATH}?path=${encodeURIComponent(path)}`;
    // The answer to an upload begins when all of it has arrived.
    const hasBegun = method === "PUT" ? () => undefined : abortUnlessWithin(limits.transferStartMs, abort);
    try {
      const response = await machine.fetch(url, { method, headers, body, signal: abort.signal });
      return await checkTransfer(response, method);
    } catch (error) {
      const explained = await machine.explainFault(error, `${method} of a file`);
      if (explained.ok) throw error;
      return failedTransfer(explained.failure);
    } finally {
      hasBegun();
    }
  }
}

/** Aborts after the time, unless the returned function is called before. */
function abortUnlessWithin(ms: number, abort: AbortController): () => void {
  const timer = setTimeout(() => abort.abort(new RunnerFault("late")), ms);
  return () => clearTimeout(timer);
}
