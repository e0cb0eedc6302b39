// Reads an answer of the runner, which may be of any form and length, within bounds.

import type * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { RunnerFault } from "./runner-fault.ts";

interface Expected<Value> {
  status: number;
  schema: z.ZodType<Value>;
  maxBytes: number;
}

/** Rejects with RunnerFault for an answer with another status, larger, or not JSON of the schema. */
export async function readAnswer<Value>(
  response: Response,
  { status, schema, maxBytes }: Expected<Value>,
): Promise<Value> {
  // What is compressed would be decompressed to any length.
  if (response.status !== status || response.headers.has("content-encoding")) {
    await response.body?.cancel();
    throw new RunnerFault("invalid", { cause: `It has the status ${response.status}` });
  }
  const parsed = schema.safeParse(parseJson(await readText(response, maxBytes)));
  if (parsed.success) return parsed.data;
  throw new RunnerFault("invalid", { cause: parsed.error.issues.slice(0, ISSUES_LOGGED) });
}

const ISSUES_LOGGED = 5;

async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new RunnerFault("invalid", { cause: `It has more than ${maxBytes} bytes` });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  // Each value takes many times its own characters in memory, and as an issue of the schema more.
  if (structureChars(text) > limits.runnerStructureMaxChars) {
    throw new RunnerFault("invalid", { cause: "It has too many values" });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RunnerFault("invalid", { cause: error });
  }
}

/** The length of the JSON without its strings. */
function structureChars(json: string): number {
  let chars = 0;
  for (let at = 0; at < json.length; ) {
    const start = json.indexOf('"', at);
    if (start < 0) return chars + json.length - at;
    chars += start - at;
    at = endOfString(json, start) + 1;
  }
  return chars;
}

/** The index of the quote that ends the string which begins at `start`; the length of the text when there is none. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const quote = json.indexOf('"', at);
    if (quote < 0) return json.length;
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    at = quote;
  }
}
