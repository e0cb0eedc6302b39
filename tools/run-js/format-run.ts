// Formats the outcome of run_js as text and as structured content that say the same. A value that is JSON is answered as it is;
// any other, and one that is too long, in the notation of a console. No other place shortens a value.

import { limits } from "../../src/contract/limits.ts";
import type { CodeError, IsolateOutcome, ProviderCalls, RunLogs } from "../../src/isolate/isolate.ts";
import { formatValueWithin } from "../../src/isolate/value/format-value.ts";
import type { Node } from "../../src/isolate/value/node.ts";
import { type Json, toJson } from "../../src/isolate/value/to-json.ts";
import { fitJson, fitText } from "./fit-text.ts";

/** The text and the structured content of an answer, and what its notice says. */
export interface FormattedRun {
  text: string;
  structured: Record<string, unknown>;
  notice: string | null;
}

interface Report {
  value: { json: Json } | { text: string } | null;
  error: CodeError | null;
  logs: RunLogs;
  calls: ProviderCalls[];
}

/** Room for the JSON of each part beside the value. */
const partChars = { logs: limits.answerLogChars + 2_000, notice: 4_000, message: 2_000, name: 200, excerpt: 1_000 };
/** Room for the label of the value, and for the remark about it. */
const labelChars = 300;
const CALLS_MAX = 50;

/** Text and structured content take at most `limits.resultMaxChars` each, with the notice. */
export function formatRun({ value, error, logs, calls, remarks, notices }: IsolateOutcome): FormattedRun {
  const report: Report = {
    value: null,
    error: error === null ? null : fitError(error),
    logs: { ...logs, text: fitText(logs.text, partChars.logs) },
    calls: calls.slice(0, CALLS_MAX),
  };
  // A later notice repeats what an earlier one said, because it is still due.
  const sentences = [...new Set([...notices.flatMap(({ text }) => text.split("\n")), ...remarks])];
  const notice = sentences.length === 0 ? [] : [fitText(sentences.join("\n"), partChars.notice)];
  const rest = { text: formatReport(report), structured: structureReport(report), notice };
  const taken = Math.max(rest.text.length, JSON.stringify(rest.structured).length) + JSON.stringify(notice).length;
  const formatted =
    value === undefined ? formatAbsent(error) : formatValue(value, limits.resultMaxChars - taken - labelChars);
  const whole = { ...report, value: formatted.value };
  const lines = [...notice, ...(formatted.remark === null ? [] : [formatted.remark])];
  return {
    text: formatReport(whole),
    structured: structureReport(whole),
    notice: lines.length === 0 ? null : lines.join("\n"),
  };
}

interface FormattedValue {
  value: Report["value"];
  remark: string | null;
}

const formatAbsent = (error: CodeError | null): FormattedValue => ({
  value: null,
  remark: error === null ? "No value was returned: end with an expression, or return one." : null,
});

function formatValue(node: Node, room: number): FormattedValue {
  const json = toJson(node);
  if (json !== undefined && JSON.stringify(json).length <= room) return { value: { json }, remark: null };
  const { text, cut } = fitJson((chars) => formatValueWithin(node, chars), room);
  const remark = cut
    ? "The value was shortened to fit. Return less: filter, slice, count, or keep the fields you need; or write it to a file."
    : "The value is not JSON; it is shown as a console would show it.";
  return { value: { text }, remark };
}

const fitError = ({ name, message, reason, place, details }: CodeError): CodeError => ({
  name: fitText(name, partChars.name),
  message: fitText(message, partChars.message),
  reason: reason === null ? null : fitText(reason, partChars.name),
  place: place === null ? null : { ...place, excerpt: fitText(place.excerpt, partChars.excerpt) },
  details: details === null ? null : fitText(details, partChars.message),
});

const structureReport = ({ value, error, logs, calls }: Report): Record<string, unknown> => ({
  ...(value === null ? {} : "json" in value ? { value: value.json } : { value_text: value.text }),
  ...(error === null ? {} : { error: structureError(error) }),
  logs: logs.text,
  calls: calls.map(({ name, count, failed, totalMs }) => ({ name, count, failed, ms: totalMs })),
});

const structureError = ({ name, message, reason, place, details }: CodeError): Record<string, unknown> => ({
  name,
  message,
  ...(reason === null ? {} : { reason }),
  ...place,
  ...(details === null ? {} : { details }),
});

function formatReport({ value, error, logs, calls }: Report): string {
  const parts: string[] = [];
  if (value !== null) parts.push(formatAnswered(value));
  if (error !== null) parts.push(formatError(error));
  if (logs.text !== "") parts.push(`logs:\n${logs.text}`);
  if (calls.length > 0) parts.push(`calls: ${calls.map(formatCalls).join(", ")}`);
  return parts.join("\n");
}

function formatAnswered(value: { json: Json } | { text: string }): string {
  if ("text" in value) return value.text;
  return typeof value.json === "string" ? value.json : JSON.stringify(value.json);
}

function formatError({ name, message, reason, place, details }: CodeError): string {
  const lines = [`${name}${reason === null ? "" : ` (${reason})`}: ${message}`];
  if (place !== null) lines.push(`at line ${place.line}, column ${place.column}:`, place.excerpt);
  if (details !== null) lines.push(details);
  return lines.join("\n");
}

const formatCalls = ({ name, count, failed, totalMs }: ProviderCalls): string =>
  `${name} ${count}x${failed === 0 ? "" : `, ${failed} failed`} (${totalMs} ms)`;
