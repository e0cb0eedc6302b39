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

/** Everything, for a file whose size has been looked at. */
export async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  const head = await readRange(handle, 0, size + 1);
  if (head.length <= size) return head;
  const rest: Buffer[] = [head];
  for await (const piece of pieces(handle, head.length)) rest.push(Buffer.from(piece));
  return Buffer.concat(rest);
}
