// How a command is run: by bash on pipes, or on a terminal, which util-linux `script` makes, passing the exit code through.

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The character that a terminal treats as the end of input (Ctrl-D). */
export const END_OF_FILE = "\x04";

/** Holds the command on its way through `script`, which only takes a shell line. */
const COMMAND = "SANDBOX_PTY_COMMAND";

export interface Invocation {
  file: string;
  args: string[];
  environment: Record<string, string>;
}

/** The command never becomes part of a shell line: it travels in the environment and is taken out there. */
export function onTerminal(command: string, size: TerminalSize, environment: Record<string, string>): Invocation {
  const prepare = `stty sane rows ${size.rows} columns ${size.columns}`;
  const line = `${prepare}; set -- "$${COMMAND}"; unset ${COMMAND}; exec bash -c -- "$1"`;
  return {
    file: "script",
    args: ["--quiet", "--flush", "--return", "--command", line, "/dev/null"],
    environment: { ...environment, SHELL: "/bin/bash", [COMMAND]: command },
  };
}

export function onPipes(command: string, environment: Record<string, string>): Invocation {
  return { file: "/bin/bash", args: ["-c", "--", command], environment };
}
