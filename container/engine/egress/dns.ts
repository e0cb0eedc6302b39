// Answers the DNS queries of a machine: every name has a synthetic IPv4 address and no other record. A name that the policy
// refuses has one too, so that the refusal can give its reason instead of "unknown host".

import {
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import type { SyntheticNames } from "./synthetic-names.ts";

/**
 * The response to a query, or undefined for bytes that are not a query; never throws. Where the response would be longer
 * than `maxBytes`, it comes without its record and marked as truncated, so that the client asks again over TCP.
 */
export function answerDns(query: Buffer, names: SyntheticNames, maxBytes: number): Buffer | undefined {
  if (query.length < HEADER_BYTES || (query.readUInt16BE(2) & IS_RESPONSE) !== 0) return undefined;
  const question = readQuestion(query);
  if (question === undefined) return respond(query, FORMAT_ERROR, {});
  const { type, name } = question;
  // IPv6 addresses and service records do not exist, which is not an error: clients then use the IPv4 address.
  if (type !== "A" || name === ROOT) return respond(query, NO_ERROR, { questions: [question] });
  const answer = { type, name, ttl: TTL_SECONDS, data: names.addressOf(name.toLowerCase()) } as const;
  const response = respond(query, NO_ERROR, { questions: [question], answers: [answer] });
  return response.length <= maxBytes ? response : respond(query, TRUNCATED_RESPONSE, { questions: [question] });
}

const HEADER_BYTES = 12;
const IS_RESPONSE = 0x8000;
const NO_ERROR = 0;
const FORMAT_ERROR = 1;
const ROOT = ".";
const TTL_SECONDS = 600;

/** The only question of a query. Undefined where there is none, more than one, or one that is malformed. */
function readQuestion(query: Buffer): Question | undefined {
  if (query.readUInt16BE(4) !== 1) return undefined;
  // The counts of the other three sections become 0, so that nothing in them can make a good question fail.
  const alone = Buffer.from(query).fill(0, 6, HEADER_BYTES);
  try {
    const [question] = decode(alone).questions ?? [];
    if (question === undefined) return undefined;
    // Compression and labels that are not text would not come out as they went in; a real question has neither.
    const written = encode({ questions: [question] }).subarray(HEADER_BYTES);
    return written.equals(query.subarray(HEADER_BYTES, HEADER_BYTES + written.length)) ? question : undefined;
  } catch {
    // The library throws on what is cut off, too long, or points forward.
    return undefined;
  }
}

function respond(query: Buffer, flags: number, sections: Packet): Buffer {
  const isRecursionDesired = query.readUInt16BE(2) & RECURSION_DESIRED;
  return encode({
    ...{ type: "response", id: query.readUInt16BE(0), flags: RECURSION_AVAILABLE | isRecursionDesired | flags },
    ...sections,
  });
}
