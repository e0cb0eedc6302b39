// The command that a preview starts, as a request to exec: in the background, with the port in PORT, which many servers read.

import type { ExecRequest } from "../../contract/exec.ts";

export const previewExec = (command: string, processId: string, port: number): ExecRequest => ({
  process_id: processId,
  repeatable: false,
  command,
  cwd: "/workspace",
  env: { PORT: String(port) },
  stdin: null,
  stdin_open: true,
  timeout_ms: null,
  wait_ms: 0,
  start_wait_ms: 0,
  pty: null,
  stream_chars: 0,
});
