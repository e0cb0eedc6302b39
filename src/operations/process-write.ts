// Resolves what a caller gives for writing to a process into the request of `process-write`.

import type { ProcessWriteRequest } from "../contract/process-write.ts";
import { fail, type Result, succeed } from "../contract/result.ts";

export interface ProcessWriteInput {
  process_id: string;
  data?: string | undefined;
  eof?: boolean | undefined;
}

export function resolveProcessWrite({ process_id, data, eof = false }: ProcessWriteInput): Result<ProcessWriteRequest> {
  if (data !== undefined || eof) return succeed({ process_id, data: data ?? "", eof });
  return fail({ reason: "invalid_request", message: 'write needs "data", or eof: true to close standard input.' });
}
