// Runs a filter as the kernel would, from its bytes: classic BPF on a `struct seccomp_data` (linux/filter.h, linux/seccomp.h).

export interface SystemCall {
  readonly architecture: number;
  readonly number: number;
  readonly args?: readonly bigint[];
}

/** What the program returns. Throws where the kernel would not load it. */
export function interpretFilter(program: Buffer, { architecture, number, args = [] }: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const k = program.readUInt32LE(at + 4);
    const skip = (holds: boolean) => 8 * program.readUInt8(at + (holds ? 2 : 3));
    if (code === 0x06) return k;
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15) at += skip(accumulator === k);
    else if (code === 0x35) at += skip(accumulator >= k);
    else if (code === 0x45) at += skip((accumulator & k) !== 0);
    else throw new Error(`Instruction ${at / 8} has the unknown code ${code}`);
  }
  throw new Error("The program ends without a return");
}
