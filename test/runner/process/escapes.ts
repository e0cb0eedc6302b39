// Commands whose processes try to detach, each with how: they sleep for `seconds`, which identifies them.

interface Row {
  when: string;
  command: string;
}

/** Commands that run until they are ended. */
export const escapes = (seconds: string): Row[] => [
  { when: "it just runs", command: `sleep ${seconds}` },
  {
    when: "it has children and grandchildren",
    command: `bash -c 'sleep ${seconds} & sleep ${seconds}; :' & sleep ${seconds}; :`,
  },
  { when: "a child has its own session", command: `setsid sleep ${seconds} & sleep ${seconds}` },
  {
    when: "a child has its own session and nothing else",
    command: `env -i setsid sleep ${seconds} >/dev/null 2>&1 </dev/null & disown; sleep ${seconds}`,
  },
  { when: "an orphan kept only a pipe", command: `(env -i setsid sleep ${seconds} &); sleep ${seconds}` },
  {
    when: "an orphan kept nothing at all",
    command: `(env -i setsid bash -c '(/bin/sleep ${seconds} >&- 2>&- <&- &)' &); sleep ${seconds}`,
  },
  { when: "the pipes are closed", command: `exec >&- 2>&- <&-; sleep ${seconds}` },
  { when: "a child is stopped", command: `sleep ${seconds} & kill -STOP $!; sleep ${seconds}` },
  {
    when: "a tracer has stopped a child",
    command: `exec python3 -c 'import ctypes, os, time
if os.fork() == 0: ctypes.CDLL(None).ptrace(0, 0, 0, 0); os.execvp("sleep", ["sleep", "${seconds}"])
time.sleep(99)'`,
  },
  { when: "it stopped itself", command: `kill -STOP $$; sleep ${seconds}` },
  {
    when: "a child starts others as it is ended",
    command: `bash -c 'trap "setsid sleep ${seconds} & exit" TERM; while :; do sleep 0.05; done' & sleep ${seconds}`,
  },
];

/** Commands that end and leave something running. */
export const servers = (seconds: string): Row[] => [
  { when: "a server holds both pipes", command: `sleep ${seconds} & echo up` },
  { when: "a server ignores hangups", command: `nohup sleep ${seconds} 2>&1 & echo up` },
  { when: "a server has its own session", command: `setsid sleep ${seconds} & echo up` },
  {
    when: "a server has its own session and no pipes",
    command: `setsid sleep ${seconds} >/dev/null 2>&1 </dev/null & echo up`,
  },
  {
    when: "a server has nothing of its starter",
    command: `env -i setsid sleep ${seconds} >/dev/null 2>&1 & disown; echo up`,
  },
  {
    when: "a server forks twice",
    command: `(setsid bash -c 'env -i sleep ${seconds} >&- 2>&- & exec true' &) ; sleep 0.1; echo up`,
  },
  {
    when: "a server of python forks twice",
    command: `python3 -c 'import os\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\nos.execve("/bin/sleep", ["sleep", "${seconds}"], {})'; sleep 0.1; echo up`,
  },
  {
    when: "a server never stops writing",
    // One process at any moment: it waits by reading from a pipe that nobody writes to.
    command: "exec 9<> <(:); (while :; do echo tick; read -rt 0.01 -u 9; done) & disown; echo up",
  },
];
