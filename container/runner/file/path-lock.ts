// One at a time per path: whoever changes a file holds its real path, and others wait in the order they came.

const last = new Map<string, Promise<unknown>>();

/** Holds all of `paths` while `work` runs. In one order everywhere, so that no two calls wait for each other. */
export function withPaths<Value>(paths: readonly string[], work: () => Promise<Value>): Promise<Value> {
  const [first, ...others] = [...new Set(paths)].sort();
  return first === undefined ? work() : withPath(first, () => withPaths(others, work));
}

async function withPath<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
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
