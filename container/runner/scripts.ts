// The programs that the runner passes to bash and to Node as text. They are files of their own, so that they can be read,
// linted and checked as what they are. In a bundle there are no files beside the runner: bundle.ts replaces this module with
// its values.

import { readFileSync } from "node:fs";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

export const scripts = {
  compression: read("./checkpoint/compression.sh"),
  decompress: read("./checkpoint/decompress.sh"),
  diffFiles: read("./checkpoint/diff-files.sh"),
  holdPipe: read("./process/hold-pipe.sh"),
  loadDirectories: read("./checkpoint/load-directories.sh"),
  moveEntry: read("./checkpoint/move-entry.sh"),
  nodeZstd: read("./checkpoint/node-zstd.cjs"),
  pack: read("./checkpoint/pack.sh"),
  removePaths: read("./checkpoint/remove-paths.sh"),
  saveDirectories: read("./checkpoint/save-directories.sh"),
  scan: read("./checkpoint/scan.sh"),
  terminal: read("./process/terminal.sh"),
  unpack: read("./checkpoint/unpack.sh"),
};
