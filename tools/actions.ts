// The actions of a tool that has an argument `action`: which of the tool's arguments each one needs and takes, and what it does.
// An argument that an action does not take is refused instead of ignored, because the caller expects it to have an effect.

import type { Failure } from "../src/contract/failure.ts";
import { answerFailure } from "./answer.ts";
import type { ToolAnswer } from "./tool.ts";

/** Every action takes these. */
type Common = "action" | "sandbox";

type NameOf<Input> = Exclude<keyof Input & string, Common>;

export interface Action<Input, Context> {
  needs: readonly string[];
  /** Optional arguments. */
  takes: readonly string[];
  run(input: Input, context: Context): Promise<ToolAnswer>;
}

/** The arguments that `run` of an action sees: those it needs are always present, and those it does not take are absent. */
type ActionInput<Input, Needs extends keyof Input, Takes extends keyof Input> = {
  [Name in Needs]-?: Exclude<Input[Name], undefined>;
} & Pick<Input, Takes>;

/** Ties the type of `run` to the arguments that the action needs and takes. */
export const actionsOf =
  <Input, Context>() =>
  <const Needs extends keyof Input & string, const Takes extends NameOf<Input>>(action: {
    needs: readonly Needs[];
    takes: readonly Takes[];
    run(input: ActionInput<Input, Needs, Takes>, context: Context): Promise<ToolAnswer>;
  }): Action<Input, Context> =>
    action as unknown as Action<Input, Context>;

export interface ActionTable<Input extends { action: string }, Context> {
  actions: Readonly<Record<Input["action"], Action<Input, Context>>>;
  /** What a missing argument should be, as the end of "<action> needs …". */
  described: Readonly<Partial<Record<keyof Input, string>>>;
}

export async function runAction<Input extends { action: string }, Context>(
  table: ActionTable<Input, Context>,
  input: Input,
  context: Context,
): Promise<ToolAnswer> {
  const failure = checkArguments(table, input);
  if (failure !== null) return answerFailure(failure);
  return table.actions[input.action as Input["action"]].run(input, context);
}

/** Null when the action has the arguments it needs, and takes all that are given. */
function checkArguments<Input extends { action: string }, Context>(
  { actions, described }: ActionTable<Input, Context>,
  input: Input,
): Failure | null {
  const action: Input["action"] = input.action;
  const { needs, takes } = actions[action];
  const values = new Map<string, unknown>(Object.entries(input));
  const missing = needs.find((name) => values.get(name) === undefined);
  if (missing !== undefined) {
    const what = new Map(Object.entries(described)).get(missing) ?? "it";
    return invalid(`Argument "${missing}" is missing: ${action} needs ${what}.`);
  }
  const known = [...needs, ...takes].filter((name) => !common.includes(name));
  const given = [...values].filter(([, value]) => isGiven(value)).map(([name]) => name);
  const unused = given.find((name) => !known.includes(name) && !common.includes(name));
  if (unused === undefined) return null;
  const list = known.length === 0 ? "no arguments of its own" : known.join(", ");
  return invalid(`"${unused}" is not an argument of ${action}, so nothing was done. ${action} takes: ${list}.`);
}

const common: readonly string[] = ["action", "sandbox"] satisfies Common[];

/** A flag that is false means the same as its absence. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== false;

const invalid = (message: string): Failure => ({ reason: "invalid_request", message });
