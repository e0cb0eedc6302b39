// sandbox: the machine, through the same operations as the tools.

import { exec } from "./exec.ts";
import { listProcesses, readProcess, signalProcess, writeProcess } from "./processes.ts";
import type { Provider } from "./provider.ts";

export const sandbox: Provider = {
  name: "sandbox",
  summary: "the Linux machine; paths are relative to /workspace",
  methods: {
    exec,
    listProcesses,
    readProcess,
    writeProcess,
    signalProcess,
  },
};
