// Checks what the runner answers to a transfer, before any of it reaches a client.

import { Failure } from "../../contract/failure.ts";
import { limits } from "../../contract/limits.ts";
import { FAILED_TRANSFER_STATUS } from "../../contract/transfer.ts";
import { readAnswer } from "../machine/read-answer.ts";
import { RunnerFault } from "../machine/runner-fault.ts";
import { failedTransfer, type TransferRequest } from "./file-transfer.ts";

/** Rejects with RunnerFault for an answer that no transfer has. */
export async function checkTransfer(response: Response, method: TransferRequest["method"]): Promise<Response> {
  const { status, headers } = response;
  switch (status) {
    case 200:
    case 206:
      if (method !== "PUT" && !headers.has("content-encoding") && hasLengthOrNone(headers)) return response;
      break;
    case 201:
    case 204:
    case 304:
    case 412:
    case 416:
      await response.body?.cancel();
      return new Response(null, { status, headers });
    case FAILED_TRANSFER_STATUS:
      return failedTransfer(
        await readAnswer(response, { status, schema: Failure, maxBytes: limits.runnerFrameMaxBytes }),
      );
  }
  await response.body?.cancel();
  throw new RunnerFault("invalid", { cause: `It has the status ${status}` });
}

const hasLengthOrNone = (headers: Headers): boolean => /^\d{1,15}$/.test(headers.get("content-length") ?? "0");
