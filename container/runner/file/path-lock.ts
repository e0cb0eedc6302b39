// Locks on real paths: one change at a time for each path. Waiting changes go in the order in which they came.

const last = new Map<string, Promise<unknown>>();

/** Holds the locks of all `paths` while `work` runs. They are taken in one order, so that no two calls wait for each other. */
export function withPathLocks<Value>(paths: readonly string[], work: () => Promise<Value>): Promise<Value> {
  const [first, ...others] = [...new Set(paths)].sort();
  return first === undefined ? work() : withPathLock(first, () => withPathLocks(others, work));
}

async function withPathLock<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  const before = last.get(path) ?? Promise.resolve();
  const mine = before.then(work);
  const settled = mine.then(
    () => undefined,
    () => undefined,
  );
  last.set(path, settled);
  try {
    return await mine;
  } finally {
    if (last.get(path) === settled) last.delete(path);
  }
}
