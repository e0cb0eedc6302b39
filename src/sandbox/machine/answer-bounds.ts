// How long the runner may take for its answer to an operation, and how large that may be. A command in the machine can stop the
// runner or take its place, so nothing that it sends is waited for, or read, without bounds.

import { limits } from "../../contract/limits.ts";
import type { OperationName, RequestOf } from "../../contract/operation.ts";

export interface AnswerBounds {
  maxMs: number;
  maxBytes: number;
}

export function answerBounds<Name extends OperationName>(operation: Name, request: RequestOf<Name>): AnswerBounds {
  return {
    maxMs: (operation === "usage" ? limits.usageGraceMs : limits.runnerGraceMs) + workMs(operation, request),
    maxBytes: Math.min(limits.runnerAnswerMaxBytes, limits.runnerFrameMaxBytes + contentBytes(request)),
  };
}

/** What the operation may take where the runner answers at once. */
function workMs(operation: OperationName, request: RequestOf<OperationName>): number {
  if (operation === "info") return 0;
  if (operation === "usage") return limits.usageMaxMs;
  if (operation === "search") return limits.searchMaxMs + limits.searchDiagnosisMs;
  if (operation.startsWith("process-") || operation === "exec" || operation === "checkpoint-watch") {
    return "wait_ms" in request ? request.wait_ms : limits.processAnswerMaxMs;
  }
  return limits.checkpointMaxMs;
}

/** The contents that the request asks for, as JSON. */
function contentBytes(request: RequestOf<OperationName>): number {
  if ("stream_chars" in request) return 2 * request.stream_chars * JSON_BYTES_PER_CHAR;
  if ("page_chars" in request) return request.page_chars * JSON_BYTES_PER_CHAR;
  return "length" in request ? Math.ceil(request.length / 3) * 4 : 0;
}

/** A UTF-16 code unit becomes `\u0000` at most. */
const JSON_BYTES_PER_CHAR = 6;
