// Removes a dead machine's directory by a process of its own, so that the engine is not held up.

import { execFile } from "node:child_process";
import { shellScript } from "../script.ts";

/** Never rejects: what could not be removed is tried again when the next engine starts. */
export function removeTree(path: string): Promise<void> {
  const [shell = "", ...script] = REMOVE_TREE;
  return new Promise((resolve) => {
    execFile(shell, [...script, path], { env: { PATH: process.env["PATH"] } }, () => resolve());
  });
}

const REMOVE_TREE = shellScript(new URL("remove-tree.sh", import.meta.url));
