// Receives the bytes of a layer: the manifest goes to a file, the archive to a script, and all of it is hashed.

import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { scripts } from "../scripts.ts";
import { type ScriptOptions, type ScriptResult, startScript } from "./run-script.ts";

export interface Received {
  sha256: string;
  manifest: ScriptResult;
  /** Null when only a manifest was sent. */
  archive: ScriptResult | null;
}

export interface UploadSink {
  manifestFile: string;
  manifestBytes: number;
  /** How unpack.sh is run on the archive; null when none is sent. */
  unpack: ScriptOptions | null;
}

export async function receive(source: AsyncIterable<Buffer>, sink: UploadSink): Promise<Received> {
  const manifest = startScript(scripts.decompress, { args: [sink.manifestFile], cwd: "/" });
  const archive = sink.unpack === null ? null : startScript(scripts.unpack, sink.unpack);
  const digest = createHash("sha256");
  let manifestRemaining = sink.manifestBytes;
  try {
    for await (const chunk of source) {
      digest.update(chunk);
      const head = chunk.subarray(0, manifestRemaining);
      manifestRemaining -= head.length;
      await write(head, manifest.stdin);
      if (archive !== null) await write(chunk.subarray(head.length), archive.stdin);
    }
  } finally {
    manifest.stdin.end();
    archive?.stdin.end();
  }
  const [manifestResult, archiveResult] = await Promise.all([manifest.ended, archive?.ended ?? null]);
  return { sha256: digest.digest("hex"), manifest: manifestResult, archive: archiveResult };
}

/** Drops the bytes when the script has ended: its exit code tells whether that matters. */
async function write(bytes: Buffer, stdin: Writable): Promise<void> {
  if (bytes.length === 0 || stdin.destroyed || stdin.writableEnded) return;
  if (stdin.write(bytes)) return;
  const waitOver = new AbortController();
  const options = { signal: waitOver.signal };
  try {
    await Promise.race([once(stdin, "drain", options), once(stdin, "close", options)]);
  } finally {
    waitOver.abort();
  }
}
