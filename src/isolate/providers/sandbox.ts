// sandbox: the machine, through the same operations that the tools use.

import { copy, mkdir, move, remove } from "./entries.ts";
import { exec } from "./exec.ts";
import { listFiles, stat } from "./list-files.ts";
import { listProcesses, readProcess, signalProcess, writeProcess } from "./processes.ts";
import type { Provider } from "./provider.ts";
import { readFile } from "./read-file.ts";
import { search } from "./search.ts";
import { appendFile, editFile, writeFile } from "./write-file.ts";

export const sandbox: Provider = {
  name: "sandbox",
  summary: "the Linux machine; paths are relative to /workspace",
  methods: {
    exec,
    readFile,
    writeFile,
    appendFile,
    editFile,
    listFiles,
    stat,
    mkdir,
    move,
    copy,
    remove,
    search,
    listProcesses,
    readProcess,
    writeProcess,
    signalProcess,
  },
};
