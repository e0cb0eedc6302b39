// The filter of system calls that every process of a machine runs under.

import { ABSENT_CALLS, ALLOWED_CALLS, ARGUMENT_RULES, NAMESPACE_CALLS } from "./allowed-calls.ts";
import { type Architecture, CALL_NUMBERS } from "./call-numbers.ts";
import { type CallRule, filterProgram, type Instruction } from "./filter-program.ts";

export interface FilterOptions {
  /** Whether programs of the machine may make namespaces of their own. */
  readonly nestedNamespaces: boolean;
}

export const machineFilter = (architecture: Architecture, options: FilterOptions): Instruction[] =>
  filterProgram(AUDIT_ARCHITECTURES[architecture], rulesByNumber(CALL_NUMBERS[architecture], options));

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64 of linux/audit.h. */
export const AUDIT_ARCHITECTURES: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

function rulesByNumber(numbers: ReadonlyMap<string, number>, options: FilterOptions): CallRule[] {
  const rules = Array<CallRule>(Math.max(...numbers.values()) + 1).fill("absent");
  for (const [name, number] of numbers) rules[number] = ruleOf(name, options);
  return rules;
}

function ruleOf(name: string, { nestedNamespaces }: FilterOptions): CallRule {
  if (ALLOWED_CALLS.includes(name) || (nestedNamespaces && NAMESPACE_CALLS.includes(name))) return "allow";
  return ARGUMENT_RULES[name] ?? (ABSENT_CALLS.includes(name) ? "absent" : "refuse");
}
