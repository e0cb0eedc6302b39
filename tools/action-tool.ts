// A tool with actions. A caller is shown, and may use, the actions that its scopes allow, and the arguments of these.

import * as z from "zod";
import { SCOPES, type Scope } from "../src/auth/caller.ts";
import { allows, type Requirement, requirements } from "../src/auth/requirements.ts";
import { type ActionTable, runAction } from "./actions.ts";
import { defineTool, type ScopedTool, type Tool, type ToolCall } from "./tool.ts";

interface ActionTool<Input extends { action: string }, Context> {
  name: string;
  title(actions: readonly string[]): string;
  /** The sentences of the description, each with the actions one of which a caller needs to be shown it; null for all callers. */
  description: readonly (readonly [about: readonly Input["action"][] | null, sentence: string])[];
  input: z.ZodObject & z.ZodType<Input>;
  output: z.ZodObject | null;
  table: ActionTable<Input, Context>;
  requires: Readonly<Record<Input["action"], Requirement>>;
  context(input: Input, call: ToolCall, scopes: ReadonlySet<Scope>): Context;
}

export function actionTool<Input extends { action: string }, Context>(tool: ActionTool<Input, Context>): ScopedTool {
  // One object for each set of scopes, because schemas are published from a cache.
  const variants = new Map<string, Tool | null>();
  return (scopes) => {
    const key = SCOPES.filter((scope) => scopes.has(scope)).join();
    const known = variants.get(key);
    const variant = known === undefined ? narrow(tool, scopes) : known;
    variants.set(key, variant);
    return variant;
  };
}

function narrow<Input extends { action: string }, Context>(
  { name, title, description, input, output, table, requires, context }: ActionTool<Input, Context>,
  scopes: ReadonlySet<Scope>,
): Tool | null {
  const needed = new Map<string, Requirement>(Object.entries(requires));
  const actions = [...needed.keys()].filter((action) => allows(scopes, needed.get(action) ?? []));
  if (actions.length === 0) return null;
  const onlyReads = actions.every((action) => allows(READING, needed.get(action) ?? []));
  return defineTool({
    name,
    title: title(actions),
    description: description
      .filter(([about]) => about === null || about.some((action) => actions.includes(action)))
      .map(([, sentence]) => sentence)
      .join(" "),
    hints: {
      readOnlyHint: onlyReads,
      destructiveHint: !onlyReads,
      idempotentHint: onlyReads,
      openWorldHint: false,
    },
    input: narrowInput(input, table, actions, scopes),
    output,
    run: (parsed, call) => runAction(table, parsed as Input, context(parsed as Input, call, scopes)),
  });
}

/** An action that a caller with only this scope may use changes nothing. */
const READING: ReadonlySet<Scope> = new Set(["sandbox:read"]);

function narrowInput<Input extends { action: string }, Context>(
  input: z.ZodObject,
  table: ActionTable<Input, Context>,
  actions: readonly string[],
  scopes: ReadonlySet<Scope>,
): z.ZodObject {
  const limited = new Map<string, Requirement>(Object.entries(requirements.arguments));
  const taken = actions.flatMap((action) => {
    const { needs, takes } = table.actions[action as Input["action"]];
    return [...needs, ...takes];
  });
  const shape = Object.entries(input.shape).filter(
    ([argument]) =>
      argument === "sandbox" || (taken.includes(argument) && allows(scopes, limited.get(argument) ?? ANY)),
  );
  return z.object({ action: z.enum(actions), ...Object.fromEntries(shape) });
}

/** Allows what needs no scope of its own. */
const ANY: Requirement = [[]];
