// How the outcome of run_js is answered, as text and as data that say the same. A value that is JSON is answered as it is; any
// other, and one that is too long, in the notation of a console. This is the only place where a value is cut.

import { limits } from "../../src/contract/limits.ts";
import type { CodeError, IsolateOutcome, ProviderCalls, RunLogs } from "../../src/isolate/isolate.ts";
import { formatValueWithin } from "../../src/isolate/value/format-value.ts";
import type { Node } from "../../src/isolate/value/node.ts";
import { type Json, toJson } from "../../src/isolate/value/to-json.ts";
import { fitJson, fitText } from "./fit-text.ts";

export interface Report {
  value: { json: Json } | { text: string } | null;
  error: CodeError | null;
  logs: RunLogs;
  calls: ProviderCalls[];
  notices: string[];
}

/** JSON of each part beside the value, so that there is room for that too. */
const partChars = { logs: limits.answerLogChars + 2_000, notices: 4_000, message: 2_000, name: 200, excerpt: 1_000 };
/** For the label of the value and the notice about it. */
const labelChars = 300;

/** Both what is made of it, text and JSON, take `limits.resultMaxChars` at most. */
export function toReport({ value, error, logs, calls, notices }: IsolateOutcome): Report {
  const rest: Report = {
    value: null,
    error: error === null ? null : fitError(error),
    logs: { ...logs, text: fitText(logs.text, partChars.logs) },
    calls: calls.slice(0, 50),
    notices: notices.length === 0 ? [] : [fitText(notices.join("\n"), partChars.notices)],
  };
  const taken = Math.max(runJsText(rest).length, JSON.stringify(runJsStructured(rest)).length);
  const said = value === undefined ? sayNothing(error) : sayValue(value, limits.resultMaxChars - taken - labelChars);
  return { ...rest, value: said.value, notices: [...rest.notices, ...(said.notice === null ? [] : [said.notice])] };
}

const sayNothing = (error: CodeError | null): { value: null; notice: string | null } => ({
  value: null,
  notice: error === null ? "No value was returned: end with an expression, or return one." : null,
});

function sayValue(node: Node, room: number): { value: Report["value"]; notice: string | null } {
  const json = toJson(node);
  if (json !== undefined && JSON.stringify(json).length <= room) return { value: { json }, notice: null };
  const { text, cut } = fitJson((chars) => formatValueWithin(node, chars), room);
  const notice = cut
    ? "The value was cut to fit. Return less: filter, slice, count, or keep the fields you need; or write it to a file."
    : "The value is not JSON; it is shown as a console would show it.";
  return { value: { text }, notice };
}

const fitError = ({ name, message, reason, place, details }: CodeError): CodeError => ({
  name: fitText(name, partChars.name),
  message: fitText(message, partChars.message),
  reason: reason === null ? null : fitText(reason, partChars.name),
  place: place === null ? null : { ...place, excerpt: fitText(place.excerpt, partChars.excerpt) },
  details: details === null ? null : fitText(details, partChars.message),
});

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
  if (value !== null) parts.push(formatValue(value));
  if (error !== null) parts.push(errorText(error));
  if (logs.text !== "") parts.push(`logs:\n${logs.text}`);
  if (calls.length > 0) parts.push(`calls: ${calls.map(callText).join(", ")}`);
  for (const notice of notices) parts.push(`Notice: ${notice}`);
  return parts.join("\n");
}

function formatValue(value: { json: Json } | { text: string }): string {
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
