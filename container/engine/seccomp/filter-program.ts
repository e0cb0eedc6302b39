// Compiles the rules for system calls into a program of classic BPF, as seccomp(2) takes it. It looks the number of a call up in
// a binary tree of ranges. For calls that it allows whatever their arguments are, kernels from 5.11 on remember that and do not
// run it.

/**
 * Allowed, refused with EPERM, answered with ENOSYS as by a kernel that lacks the call, or allowed with arguments that meet every
 * rule.
 */
export type CallRule = "allow" | "refuse" | "absent" | readonly ArgumentRule[];

/**
 * What is asked of one of the six arguments, of which only the lower 32 bits are looked at: that it is one of some values, or
 * lacks some bits. A call with the value `ignored` and a pointer that is not null does nothing and succeeds.
 */
export type ArgumentRule =
  | { readonly argument: number; readonly values: readonly number[] }
  | { readonly argument: number; readonly withoutBits: number }
  | { readonly argument: number; readonly ignored: number; readonly pointer: number };

export interface Instruction {
  readonly code: number;
  /** How many instructions a jump skips when its condition holds, and when it does not. */
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

/**
 * `audit` identifies the architecture. A call by another one's convention ends the process: it would have other numbers, and
 * 32-bit calls such as socketcall have arguments that no filter sees. `rules` has a rule for each number from 0; greater numbers
 * are absent.
 */
export function filterProgram(audit: number, rules: readonly CallRule[]): Instruction[] {
  return [
    load(ARCHITECTURE),
    jumpIf(JEQ, audit, 1, 0),
    returns(KILL_PROCESS),
    load(NUMBER),
    ...searchTree(rangesOf([...rules, "absent"])),
  ];
}

/** The bytes of the `struct sock_filter`s. Both architectures are little-endian. */
export function encodeProgram(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jt, at + 2);
    bytes.writeUInt8(jf, at + 3);
    bytes.writeUInt32LE(k, at + 4);
  }
  return bytes;
}

interface Range {
  readonly first: number;
  readonly rule: CallRule;
}

/** Neighbours with the same rule are one range, which ends where the next one begins. */
const rangesOf = (rules: readonly CallRule[]): Range[] =>
  rules.map((rule, first) => ({ rule, first })).filter(({ rule, first }) => first === 0 || rule !== rules[first - 1]);

/** Jumps skip at most 255 instructions, which halves of a tree of some 150 ranges do not reach; `encodeProgram` would throw. */
function searchTree(ranges: readonly Range[]): Instruction[] {
  const middle = ranges[ranges.length >> 1];
  if (middle === undefined) return [];
  if (ranges.length === 1) return applyRule(middle.rule);
  const below = searchTree(ranges.slice(0, ranges.length >> 1));
  const above = searchTree(ranges.slice(ranges.length >> 1));
  return [jumpIf(JGE, middle.first, below.length, 0), ...below, ...above];
}

function applyRule(rule: CallRule): Instruction[] {
  if (typeof rule === "string") return [returns(ACTIONS[rule])];
  return [...rule.flatMap(checkArgument), returns(ACTIONS.allow)];
}

/** Continues after its last instruction where the call may be made. */
function checkArgument(rule: ArgumentRule): Instruction[] {
  const argument = loadArgument(rule.argument);
  const refuse = returns(ACTIONS.refuse);
  if ("ignored" in rule) {
    const { ignored, pointer } = rule;
    return [
      ...[argument, jumpIf(JEQ, ignored, 0, 5)],
      ...[loadArgument(pointer), jumpIf(JEQ, 0, 0, 2), loadArgument(pointer, 4), jumpIf(JEQ, 0, 1, 0)],
      returns(ACTIONS.ignore),
    ];
  }
  if ("withoutBits" in rule) return [argument, jumpIf(JSET, rule.withoutBits, 0, 1), refuse];
  const { values } = rule;
  return [argument, ...values.map((value, index) => jumpIf(JEQ, value, values.length - index, 0)), refuse];
}

// linux/seccomp.h: what a program returns, and where the parts of `struct seccomp_data` are.
const KILL_PROCESS = 0x80000000;
const ERRNO = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;
const ACTIONS = { allow: 0x7fff0000, refuse: ERRNO | EPERM, absent: ERRNO | ENOSYS, ignore: ERRNO };
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;
const ARGUMENT_BYTES = 8;

// linux/bpf_common.h and linux/filter.h.
const LOAD_WORD = 0x20;
const RETURN = 0x06;
const JEQ = 0x15;
const JGE = 0x35;
const JSET = 0x45;
const INSTRUCTION_BYTES = 8;

const load = (offset: number): Instruction => ({ code: LOAD_WORD, jt: 0, jf: 0, k: offset });
const loadArgument = (index: number, offset = 0): Instruction => load(ARGUMENTS + index * ARGUMENT_BYTES + offset);
const jumpIf = (code: number, k: number, jt: number, jf: number): Instruction => ({ code, jt, jf, k });
const returns = (action: number): Instruction => ({ code: RETURN, jt: 0, jf: 0, k: action });
