// sandbox: the machine, through the same operations as the tools.

import { exec } from "./exec.ts";
import { listFiles, stat } from "./list-files.ts";
import { listProcesses, readProcess, signalProcess, writeProcess } from "./processes.ts";
import type { Provider } from "./provider.ts";
import { readFile } from "./read-file.ts";
import { search } from "./search.ts";
import { editFile, writeFile } from "./write-file.ts";

export const sandbox: Provider = {
  name: "sandbox",
  summary: "the Linux machine; paths are relative to /workspace",
  methods: {
    exec,
    readFile,
    writeFile,
    editFile,
    listFiles,
    stat,
    search,
    listProcesses,
    readProcess,
    writeProcess,
    signalProcess,
  },
};
