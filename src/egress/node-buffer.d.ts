// What is used of node:buffer. The Worker is not typed as a program of Node.

declare module "node:buffer" {
  export class Buffer {
    static from(memory: ArrayBufferLike, offset: number, length: number): Buffer;
    indexOf(needle: Uint8Array, from?: number): number;
  }
}
