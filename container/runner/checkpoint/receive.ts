// Takes a layer's bytes as they arrive: its manifest to a file, its archive to a script, and the hash of all of it.

import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { type Ended, startScript } from "./programs.ts";

export interface Received {
  sha256: string;
  manifest: Ended;
  /** Null where only a manifest was sent. */
  archive: Ended | null;
}

export interface Destination {
  manifestFile: string;
  manifestBytes: number;
  /** Reads the archive from standard input; null where there is none to come. */
  unpack: { script: string; args: readonly string[]; cwd: string } | null;
}

export async function receive(source: AsyncIterable<Buffer>, to: Destination): Promise<Received> {
  const manifest = startScript('decompress > "$1"', { args: [to.manifestFile], cwd: "/" });
  const archive = to.unpack === null ? null : startScript(to.unpack.script, to.unpack);
  const digest = createHash("sha256");
  let left = to.manifestBytes;
  try {
    for await (const chunk of source) {
      digest.update(chunk);
      const head = chunk.subarray(0, left);
      left -= head.length;
      await pour(head, manifest.stdin);
      if (archive !== null) await pour(chunk.subarray(head.length), archive.stdin);
    }
  } finally {
    manifest.stdin.end();
    archive?.stdin.end();
  }
  const [manifestEnded, archiveEnded] = await Promise.all([manifest.ended, archive?.ended ?? null]);
  return { sha256: digest.digest("hex"), manifest: manifestEnded, archive: archiveEnded };
}

/** Drops what a script that has ended does not take: its exit code tells whether that matters. */
async function pour(bytes: Buffer, stdin: Writable): Promise<void> {
  if (bytes.length === 0 || stdin.destroyed || stdin.writableEnded) return;
  if (stdin.write(bytes)) return;
  const gone = new AbortController();
  const options = { signal: gone.signal };
  try {
    await Promise.race([once(stdin, "drain", options), once(stdin, "close", options)]);
  } finally {
    gone.abort();
  }
}
