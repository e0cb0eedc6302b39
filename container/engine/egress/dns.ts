// Answers DNS in a machine: every name has a synthetic IPv4 address, and nothing else. A name that policy does not allow has
// one too, so that the refusal can say why instead of "unknown host".

import type { SyntheticNames } from "./synthetic-names.ts";

/** Undefined for what is no question. */
export function answerDns(query: Buffer, names: SyntheticNames): Buffer | undefined {
  if (query.length < HEADER_BYTES || (query.readUInt16BE(2) & IS_ANSWER) !== 0) return undefined;
  const question = readQuestion(query);
  if (question === undefined) return reply(query, HEADER_BYTES, FORMAT_ERROR, []);
  const { name, type, end } = question;
  // IPv6 addresses and service records do not exist, which is no error: clients then use the IPv4 one.
  if (type !== TYPE_A || name === "") return reply(query, end, NO_ERROR, []);
  return reply(query, end, NO_ERROR, names.addressOf(name).split(".").map(Number));
}

const HEADER_BYTES = 12;
const IS_ANSWER = 0x8000;
const RECURSION_DESIRED = 0x0100;
const RECURSION_AVAILABLE = 0x0080;
const NO_ERROR = 0;
const FORMAT_ERROR = 1;
const TYPE_A = 1;
const TTL_SECONDS = 600;
/** RFC 1035, section 2.3.4, as text. */
const NAME_MAX_CHARS = 253;

function readQuestion(query: Buffer): { name: string; type: number; end: number } | undefined {
  if (query.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 64; length > 0; length = query[at] ?? 64) {
    // Pointers have no place in a question.
    if (length > 63 || at + 1 + length >= query.length) return undefined;
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  const name = labels.join(".").toLowerCase();
  if (end > query.length || name.length > NAME_MAX_CHARS) return undefined;
  return { name, type: query.readUInt16BE(at + 1), end };
}

function reply(query: Buffer, end: number, code: number, address: number[]): Buffer {
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(IS_ANSWER | RECURSION_AVAILABLE | (header.readUInt16BE(2) & RECURSION_DESIRED) | code, 2);
  header.writeUInt16BE(end > HEADER_BYTES ? 1 : 0, 4);
  header.writeUInt16BE(address.length === 0 ? 0 : 1, 6);
  header.fill(0, 8);
  const question = query.subarray(HEADER_BYTES, end);
  if (address.length === 0) return Buffer.concat([header, question]);
  // A pointer to the name of the question, type A, class IN.
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address]);
  record.writeUInt32BE(TTL_SECONDS, 6);
  return Buffer.concat([header, question, record]);
}
