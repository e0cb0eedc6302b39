// One call of one tool: its arguments parsed, its answer put into MCP's form. One of the two places that catch everything:
// a bug becomes an error that says so and nothing else.

import { limits } from "../src/contract/limits.ts";
import { formatFailure } from "../src/format/format-failure.ts";
import { truncateMiddle } from "../src/format/truncate.ts";
import { parseInput } from "./input.ts";
import type { Tool, ToolCall, ToolImage } from "./tool.ts";

export interface ToolResult {
  [key: string]: unknown;
  content: ({ type: "text"; text: string } | ({ type: "image" } & ToolImage))[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

export async function callTool(tool: Tool, input: unknown, call: ToolCall): Promise<ToolResult> {
  const parsed = parseInput(tool.input, input);
  if (!parsed.ok) return errorResult(formatFailure(parsed.failure));
  try {
    const answer = await tool.run(parsed.value, call);
    if ("failure" in answer) return errorResult(withNotice(formatFailure(answer.failure), answer.notice));
    const content: ToolResult["content"] = [{ type: "text", text: fitText(answer.text, limits.resultMaxChars) }];
    if ("image" in answer) return { content: [...content, { type: "image", ...answer.image }] };
    return answer.structured === null ? { content } : { content, structuredContent: answer.structured };
  } catch (error) {
    console.error(error);
    return errorResult(
      `The server failed in "${tool.name}". Nothing is known of the result; look before trying again.`,
    );
  }
}

const errorResult = (text: string): ToolResult => ({
  content: [{ type: "text", text: fitText(text, limits.errorMaxChars) }],
  isError: true,
});

const withNotice = (text: string, notice: string | null): string =>
  notice === null ? text : `${text}\nNotice: ${notice}`;

/** How much of its end a text that is too long keeps: what to do next stands there. */
const END_CHARS = 2_000;

/** The parts of an answer keep under their limits; a long path in each of them, or a long name in an error, need not. */
const fitText = (text: string, maxChars: number): string => truncateMiddle(text, maxChars, END_CHARS);
