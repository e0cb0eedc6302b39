// How the outcome of run_js is answered, as text and as data that say the same. A value that is JSON is answered as it is; any
// other, and one that is too long, in the notation of a console. This is the only place where a value is cut.

import { limits } from "../src/contract/limits.ts";
import type { CodeError, IsolateOutcome, ProviderCalls, RunLogs } from "../src/isolate/isolate.ts";
import type { Node } from "../src/isolate/value/node.ts";
import { type Json, toJson } from "../src/isolate/value/to-json.ts";
import { fitValueText } from "../src/isolate/value/value-text.ts";

export interface Report {
  value: { json: Json } | { text: string } | null;
  error: CodeError | null;
  logs: RunLogs;
  calls: ProviderCalls[];
  notices: string[];
}

/** For the frame around the value: labels, notices and the list of calls. */
const frameChars = 6_000;

export function toReport({ value, error, logs, calls, notices }: IsolateOutcome): Report {
  const room = limits.resultMaxChars - logs.text.length - frameChars;
  const said = value === undefined ? sayNothing(error) : sayValue(value, room);
  const own = [...notices.slice(0, 10), ...(said.notice === null ? [] : [said.notice])].map(clip);
  return {
    value: said.value,
    error: error === null ? null : clipError(error),
    logs,
    calls: calls.slice(0, 50),
    notices: own,
  };
}

const sayNothing = (error: CodeError | null): { value: null; notice: string | null } => ({
  value: null,
  notice: error === null ? "No value was returned: end with an expression, or return one." : null,
});

function sayValue(node: Node, room: number): { value: Report["value"]; notice: string | null } {
  const json = toJson(node);
  if (json !== undefined && sizeOf(json) <= room) return { value: { json }, notice: null };
  const { text, cut } = fitValueText(node, room);
  const notice = cut
    ? "The value was cut to fit. Return less: filter, slice, count, or keep the fields you need; or write it to a file."
    : "The value is not JSON; it is shown as a console would show it.";
  return { value: { text }, notice };
}

const sizeOf = (json: Json): number => (typeof json === "string" ? json.length : JSON.stringify(json).length);

const clipError = (error: CodeError): CodeError => ({
  ...error,
  message: clip(error.message),
  details: error.details === null ? null : clip(error.details),
});

const clip = (text: string): string => (text.length > 2_000 ? `${text.slice(0, 2_000)} …` : text);

export function runJsStructured({ value, error, logs, calls, notices }: Report): Record<string, unknown> {
  return {
    ...(value === null ? {} : "json" in value ? { value: value.json } : { value_text: value.text }),
    ...(error === null ? {} : { error: errorStructured(error) }),
    logs: logs.text,
    calls: calls.map(({ name, count, failed, totalMs }) => ({ name, count, failed, ms: totalMs })),
    ...(notices.length === 0 ? {} : { notice: notices.join("\n") }),
  };
}

function errorStructured({ name, message, reason, place, details }: CodeError): Record<string, unknown> {
  return {
    name,
    message,
    ...(reason === null ? {} : { reason }),
    ...place,
    ...(details === null ? {} : { details }),
  };
}

export function runJsText({ value, error, logs, calls, notices }: Report): string {
  const parts: string[] = [];
  if (value !== null) parts.push(valueText(value));
  if (error !== null) parts.push(errorText(error));
  if (logs.text !== "") parts.push(`logs:\n${logs.text}`);
  if (calls.length > 0) parts.push(`calls: ${calls.map(callText).join(", ")}`);
  for (const notice of notices) parts.push(`Notice: ${notice}`);
  return parts.join("\n");
}

function valueText(value: { json: Json } | { text: string }): string {
  if ("text" in value) return value.text;
  return typeof value.json === "string" ? value.json : JSON.stringify(value.json);
}

function errorText({ name, message, reason, place, details }: CodeError): string {
  const lines = [`${name}${reason === null ? "" : ` (${reason})`}: ${message}`];
  if (place !== null) lines.push(`at line ${place.line}, column ${place.column}:`, place.excerpt);
  if (details !== null) lines.push(details);
  return lines.join("\n");
}

function callText({ name, count, failed, totalMs }: ProviderCalls): string {
  return `${name} ${count}x${failed === 0 ? "" : `, ${failed} failed`} (${totalMs} ms)`;
}
