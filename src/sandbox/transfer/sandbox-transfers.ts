// Moves whole files between clients and the machine of one sandbox.

import { limits } from "../../contract/limits.ts";
import { FILES_PATH } from "../../contract/transfer.ts";
import { beginCall } from "../begin-call.ts";
import type { SandboxFiles } from "../checkpoints/sandbox-files.ts";
import type { Activity } from "../machine/activity.ts";
import type { MachineController } from "../machine/machine-controller.ts";
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

  /** The machine counts as in use until the body of the answer has been read or cancelled. */
  async run(request: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response> {
    const end = beginCall(this.#parts, { changesFiles: request.method === "PUT" });
    try {
      return whileOpen(await this.#send(request, body), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #send({ method, path, headers }: TransferRequest, body: ReadableStream<Uint8Array> | null): Promise<Response> {
    const { machine } = this.#parts;
    const up = await machine.upWithin(limits.waitDefaultMs);
    if (!up.ok) {
      await body?.cancel();
      return failedTransfer(up.failure);
    }
    const url = `http://runner${FILES_PATH}?path=${encodeURIComponent(path)}`;
    try {
      return await machine.fetch(url, { method, headers, body });
    } catch (error) {
      const explained = await machine.explainUnreachable(error, `${method} of a file`);
      if (explained.ok) throw error;
      return failedTransfer(explained.failure);
    }
  }
}
