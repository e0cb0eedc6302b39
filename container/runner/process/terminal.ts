// How a command is run: by bash on pipes, or on a terminal, which util-linux `script` makes, passing the exit code through.

import { scripts } from "../scripts.ts";

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The character that a terminal treats as the end of input (Ctrl-D). */
export const END_OF_FILE = "\x04";

export interface Invocation {
  file: string;
  args: string[];
  environment: Record<string, string>;
}

/** `script` takes a shell line; the command and the size reach it in the environment and are never pasted into the line. */
export function onTerminal(command: string, size: TerminalSize, environment: Record<string, string>): Invocation {
  return {
    file: "script",
    args: ["--quiet", "--flush", "--return", "--command", scripts.terminal, "/dev/null"],
    environment: {
      ...environment,
      SHELL: "/bin/bash",
      SANDBOX_PTY_COMMAND: command,
      SANDBOX_PTY_ROWS: String(size.rows),
      SANDBOX_PTY_COLUMNS: String(size.columns),
    },
  };
}

/**
 * Has the shell read `start` before the command. Bash does so by itself when BASH_ENV names a file, unless it is told to be
 * another kind of shell; the start then takes another shell. BASH_ENV is gone once the command runs.
 */
export function withStart(invocation: Invocation, start: string): Invocation {
  const { file, args, environment } = invocation;
  if (!Object.keys(environment).some((name) => CHANGES_BASH.test(name)))
    return { file, args, environment: { ...environment, BASH_ENV: start } };
  return { file: "/bin/sh", args: ["-c", '. "$0"; exec "$@"', start, file, ...args], environment };
}

/** Exported functions begin with BASH too. */
const CHANGES_BASH = /^(BASH|SHELLOPTS$|POSIXLY_CORRECT$)/;

export function onPipes(command: string, environment: Record<string, string>): Invocation {
  return { file: "/bin/bash", args: ["-c", "--", command], environment };
}
