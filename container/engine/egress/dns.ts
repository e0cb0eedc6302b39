// Answers the DNS queries of a machine: every name has a synthetic IPv4 address and no other record. A name that the policy
// refuses has one too, so that the refusal can give its reason instead of "unknown host".
//
// Queries are decoded by dns-packet. Its encoder makes only parts of a response: it does not compress names, so that long ones
// would need more than the 512 bytes of a datagram, and it would change questions whose labels are not UTF-8.

import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from "dns-packet";
import type { SyntheticNames } from "./synthetic-names.ts";

/** The response to a query, or undefined for bytes that are not a query. Never throws. */
export function answerDns(query: Buffer, names: SyntheticNames): Buffer | undefined {
  if (query.length < HEADER_BYTES || (query.readUInt16BE(2) & IS_RESPONSE) !== 0) return undefined;
  const question = readQuestion(query);
  if (question === undefined) return respond(query, FORMAT_ERROR, EMPTY, EMPTY);
  const { name, type, bytes } = question;
  // IPv6 addresses and service records do not exist, which is not an error: clients then use the IPv4 address.
  if (type !== "A" || name === ROOT) return respond(query, NO_ERROR, bytes, EMPTY);
  return respond(query, NO_ERROR, bytes, addressRecord(names.addressOf(name.toLowerCase())));
}

const HEADER_BYTES = 12;
const IS_RESPONSE = 0x8000;
const NO_ERROR = 0;
const FORMAT_ERROR = 1;
const ROOT = ".";
const TTL_SECONDS = 600;
const EMPTY = Buffer.alloc(0);
/** One question and nothing else. Its first bytes are invalid as the start of a name, so that a pointer to them fails. */
const QUESTION_HEADER = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0, 0, 0, 0, 0]);

interface ReceivedQuestion {
  readonly name: string;
  readonly type: string;
  /** As they were received. */
  readonly bytes: Buffer;
}

/** The only question of a query. Undefined where there is none, more than one, or one that is malformed. */
function readQuestion(query: Buffer): ReceivedQuestion | undefined {
  if (query.readUInt16BE(4) !== 1) return undefined;
  try {
    const [question] = decode(Buffer.concat([QUESTION_HEADER, query.subarray(HEADER_BYTES)])).questions ?? [];
    const bytes = query.subarray(HEADER_BYTES, decode.bytes);
    // A name that is not compressed ends with a zero byte, before type and class. A pointer could only lead into the header.
    return question === undefined || bytes.at(-5) !== 0
      ? undefined
      : { name: question.name, type: question.type, bytes };
  } catch {
    // The library throws where a name is cut off, is too long, or has a pointer that does not lead backwards.
    return undefined;
  }
}

function respond(query: Buffer, code: number, question: Buffer, record: Buffer): Buffer {
  const flags = RECURSION_AVAILABLE | (query.readUInt16BE(2) & RECURSION_DESIRED) | code;
  const header = encode({ type: "response", id: query.readUInt16BE(0), flags });
  header.writeUInt16BE(question.length > 0 ? 1 : 0, 4);
  header.writeUInt16BE(record.length > 0 ? 1 : 0, 6);
  return Buffer.concat([header, question, record]);
}

/** The record of the name in the question, to which it has a pointer. */
function addressRecord(address: string): Buffer {
  const message = encode({ answers: [{ type: "A", name: ROOT, ttl: TTL_SECONDS, data: address }] });
  return Buffer.concat([Buffer.from([0xc0, HEADER_BYTES]), message.subarray(HEADER_BYTES + 1)]);
}
