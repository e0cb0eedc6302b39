// Reads the bytes of an open file in chunks and in constant memory. A chunk is valid until the next one is requested.

import type { FileHandle } from "node:fs/promises";
import { limits } from "../../../src/contract/limits.ts";

/** Reads from `start` to the end as it is then: files in /proc report a size of 0, and other files may be growing. */
export async function* readChunks(handle: FileHandle, start: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(limits.filePieceBytes);
  for (let position = start; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Reads `length` bytes from `start`, or fewer at the end of the file. The caller owns the buffer. */
export async function readRange(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Reads a whole file that reported `size`. Null when it does not end within `most` bytes after all. */
export async function readWhole(handle: FileHandle, size: number, most: number): Promise<Buffer | null> {
  const head = await readRange(handle, 0, Math.min(size, most) + 1);
  if (head.length <= size) return head;
  const parts: Buffer[] = [head];
  let length = head.length;
  for await (const chunk of readChunks(handle, length)) {
    length += chunk.length;
    if (length > most) return null;
    parts.push(Buffer.from(chunk));
  }
  return length > most ? null : Buffer.concat(parts);
}

/** Passes on the first `most` bytes, and sets `cut` when there are more. */
export async function* limitBytes(
  source: AsyncIterable<Buffer>,
  end: { most: number; cut: boolean },
): AsyncGenerator<Buffer> {
  let remaining = end.most;
  for await (const chunk of source) {
    end.cut = chunk.length > remaining;
    yield chunk.subarray(0, remaining);
    if (end.cut) return;
    remaining -= chunk.length;
  }
}
