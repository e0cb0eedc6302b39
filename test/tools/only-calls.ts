// Sandboxes on which tools can run operations and nothing else; any other use fails the test.

import type { SandboxCalls, Sandboxes } from "../../src/sandbox/sandbox.ts";

export const onlyCalls = (open: (name: string) => SandboxCalls): Sandboxes => ({
  open: (name) => {
    const sandbox = open(name);
    return {
      name,
      call: (operation, request) => sandbox.call(operation, request),
      acknowledge: (notice) => sandbox.acknowledge(notice),
      administer: unused,
      checkpoints,
    };
  },
  list: unused,
  previewUrl: null,
});

const unused = (): Promise<never> => Promise.reject(new Error("This sandbox only runs operations"));

const checkpoints = {
  create: unused,
  list: unused,
  diff: unused,
  restore: unused,
  fork: unused,
  delete: unused,
  deleteAll: unused,
  summary: unused,
};
