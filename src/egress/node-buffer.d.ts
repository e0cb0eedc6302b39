// The part of node:buffer that is used here. The Worker is not type-checked as a Node program.

declare module "node:buffer" {
  export class Buffer {
    static from(memory: ArrayBufferLike, offset: number, length: number): Buffer;
    indexOf(needle: Uint8Array, from?: number): number;
  }
}
