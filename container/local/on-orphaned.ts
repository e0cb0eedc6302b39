// Detects that npm was ended by force, after which Ctrl-C no longer reaches the server.

const INTERVAL_MS = 250;

/** Calls back once, when the npm process that started this one is gone. Does nothing when npm did not start it. */
export function onOrphaned(callback: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, INTERVAL_MS);
  timer.unref();
}
