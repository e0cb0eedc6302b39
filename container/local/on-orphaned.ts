// Notices that npm was ended by force: then nobody is left who could stop the server with Ctrl-C.

const everyMs = 250;

/** Calls back once when npm, which started this process, is gone. Does nothing when it was not npm that started it. */
export function onOrphaned(callback: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, everyMs);
  timer.unref();
}
