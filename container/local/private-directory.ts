// A directory that only its owner can enter, also where it exists with other permissions: what is in it may be readable by all.

import { chmodSync, mkdirSync } from "node:fs";

export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
