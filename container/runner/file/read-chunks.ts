// The bytes of an open file, in pieces, in constant memory. A piece is valid until the next one is asked for.

import type { FileHandle } from "node:fs/promises";
import { limits } from "../../../src/contract/limits.ts";

/** From `start` to the end as it is then: files of the kernel have a size of 0, and others may be growing. */
export async function* pieces(handle: FileHandle, start: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(limits.filePieceBytes);
  for (let position = start; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** `length` bytes from `start`, fewer at the end of the file. The buffer is the caller's. */
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

/** Everything, for a file whose size has been looked at; null for one that does not end within `most`, whatever it said. */
export async function readWhole(handle: FileHandle, size: number, most: number): Promise<Buffer | null> {
  const head = await readRange(handle, 0, Math.min(size, most) + 1);
  if (head.length <= size) return head;
  const parts: Buffer[] = [head];
  let length = head.length;
  for await (const piece of pieces(handle, length)) {
    length += piece.length;
    if (length > most) return null;
    parts.push(Buffer.from(piece));
  }
  return length > most ? null : Buffer.concat(parts);
}

/** As far as `most` bytes; `cut` is then set where there was more. */
export async function* upTo(
  source: AsyncIterable<Buffer>,
  end: { most: number; cut: boolean },
): AsyncGenerator<Buffer> {
  let left = end.most;
  for await (const piece of source) {
    end.cut = piece.length > left;
    yield piece.subarray(0, left);
    if (end.cut) return;
    left -= piece.length;
  }
}
