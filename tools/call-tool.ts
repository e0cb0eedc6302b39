// One call of one tool: parses its arguments, runs it, and puts its answer into MCP's form. This is one of the two places that
// catch everything: a bug becomes an error that says so and nothing else.

import { limits } from "../src/contract/limits.ts";
import { formatFailure } from "../src/format/format-failure.ts";
import { truncateMiddle } from "../src/format/truncate.ts";
import { answerFailure } from "./answer.ts";
import { parseInput } from "./input.ts";
import type { Outcome, Tool, ToolAnswer, ToolCall, ToolImage } from "./tool.ts";

export interface ToolResult {
  [key: string]: unknown;
  content: ({ type: "text"; text: string } | ({ type: "image" } & ToolImage))[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

export async function callTool(tool: Tool, input: unknown, call: ToolCall): Promise<ToolResult> {
  try {
    const { outcome, notice } = await runTool(tool, input, call);
    if (notice === null) return render(outcome, null);
    const result = render(outcome, notice.text);
    // A client that has gone away has not seen the notice. Awaited, so that the next call does not repeat it.
    if (!call.signal.aborted) await notice.acknowledge();
    return result;
  } catch (error) {
    console.error(error);
    return errorResult(
      `The server failed in "${tool.name}". The result is unknown; check the state before trying again.`,
    );
  }
}

async function runTool(tool: Tool, input: unknown, call: ToolCall): Promise<ToolAnswer> {
  const parsed = parseInput(tool.input, input);
  return parsed.ok ? tool.run(parsed.value, call) : answerFailure(parsed.failure);
}

/** The one place where a notice becomes part of an answer: first in the text, and `notice` in structured content. */
function render(outcome: Outcome, notice: string | null): ToolResult {
  const withNotice = (text: string): string => (notice === null ? text : `Notice: ${notice}\n${text}`);
  if (outcome.type === "failure") return errorResult(withNotice(printable(formatFailure(outcome.failure))));
  const text = truncateMiddle(withNotice(outcome.text), limits.resultMaxChars, END_CHARS);
  const content: ToolResult["content"] = [{ type: "text", text }];
  if (outcome.type === "image") return { content: [...content, { type: "image", ...outcome.image }] };
  if (outcome.structured === null) return { content };
  const { notice: own } = outcome.structured;
  const notices = [notice, own].filter((text) => typeof text === "string");
  return {
    content,
    structuredContent: { ...outcome.structured, ...(notices.length === 0 ? {} : { notice: notices.join(" ") }) },
  };
}

/** A failure can come from a command that has replaced the runner: no line of it reads as a notice, or controls a terminal. */
const printable = (text: string): string =>
  text
    .replace(/[^\P{Cc}\t\n\r]/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`)
    .replace(/^(?=[^\S\r\n]*notice\s*:)/gim, "> ");

/** An error can contain a path or a name of any length, so it is shortened here. */
const errorResult = (text: string): ToolResult => ({
  content: [{ type: "text", text: truncateMiddle(text, limits.errorMaxChars, END_CHARS) }],
  isError: true,
});

/** The end of a long text is kept, because it contains the next step. */
const END_CHARS = 2_000;
