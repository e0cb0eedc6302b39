// Bounds the network of the local Worker to what it would reach on the platform: public addresses, without those of this host.
// Wrangler lets it reach private ones too and has no setting for it. workerd's configuration comes on standard input in
// binary (Cap'n Proto, https://capnproto.org/encoding.html) and leaves on standard output with other lists in the one Network.
// workerd then checks each address that a name leads to, in one step with the connection.
//
// SANDBOX_MCP_TEST_HOSTS, for tests only: loopback is reached.

import { networkInterfaces } from "node:os";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { BLOCKED_NETWORKS } from "../../src/egress/blocked-addresses.ts";

/** Rejects a configuration in which the Network is not found as wrangler writes it. */
export function boundNetwork(config: Buffer, allow: readonly string[], deny: readonly string[]): Buffer {
  const [header, size] = [config.readUInt32LE(0), config.readUInt32LE(4)];
  const texts = config.indexOf(WRANGLERS_TEXTS);
  const list = texts - WRANGLERS_LIST.length;
  // Before the list, the three pointers of the Network: to this list, to that of what is denied, to the options of TLS.
  const network = list - 3 * WORD;
  const isAsExpected =
    header === 0 &&
    config.length === (size + 1) * WORD &&
    config.lastIndexOf(WRANGLERS_TEXTS) === texts &&
    network > 0 &&
    config.subarray(list, texts).equals(WRANGLERS_LIST) &&
    config.subarray(network, network + 2 * WORD).equals(WRANGLERS_POINTERS);
  if (!isAsExpected) throw new Error("the network is not where it was");
  const [allowed, denied] = [textList(allow), textList(deny)];
  const bounded = Buffer.concat([
    twoSegments(size, (allowed.length + denied.length) / WORD),
    config.subarray(WORD),
    allowed,
    denied,
  ]);
  farPointer(0).copy(bounded, network + WORD);
  farPointer(allowed.length / WORD).copy(bounded, network + 2 * WORD);
  return bounded;
}

const WORD = 8;
/** Elements of a list. */
const [BYTES, POINTERS] = [2, 6];

const pointer = (low: number, high: number): Buffer => {
  const word = Buffer.alloc(WORD);
  word.writeUInt32LE(low, 0);
  word.writeUInt32LE(high, 4);
  return word;
};
/** To `count` elements that begin `offset` words after the pointer. */
const listPointer = (offset: number, element: number, count: number): Buffer =>
  pointer(offset * 4 + 1, count * 8 + element);
/** To the pointer at `offset` words in the second segment. */
const farPointer = (offset: number): Buffer => pointer(offset * 8 + 2, 1);

const padded = (text: string): Buffer => Buffer.from(text.padEnd(Math.ceil((text.length + 1) / WORD) * WORD, "\0"));

/** A pointer, the list it leads to, and the texts. */
function textList(texts: readonly string[]): Buffer {
  const bodies = texts.map(padded);
  let at = texts.length;
  const pointers = texts.map((text, index) => {
    const word = listPointer(at - index - 1, BYTES, text.length + 1);
    at += (bodies[index]?.length ?? 0) / WORD;
    return word;
  });
  return Buffer.concat([listPointer(0, POINTERS, texts.length), ...pointers, ...bodies]);
}

const WRANGLERS_ALLOW = ["public", "private", "240.0.0.0/4"];
const WRANGLERS_LIST = textList(WRANGLERS_ALLOW).subarray(WORD, (1 + WRANGLERS_ALLOW.length) * WORD);
const WRANGLERS_TEXTS = Buffer.concat(WRANGLERS_ALLOW.map(padded));
/** To that list, and to an empty one. */
const WRANGLERS_POINTERS = Buffer.concat([
  listPointer(2, POINTERS, WRANGLERS_ALLOW.length),
  listPointer(8, POINTERS, 0),
]);

/** The table of a message of two, with the sizes in words. */
function twoSegments(first: number, second: number): Buffer {
  const table = Buffer.alloc(2 * WORD);
  for (const [index, value] of [1, first, second].entries()) table.writeUInt32LE(value, index * 4);
  return table;
}

/** This host's own, whose services may listen on all of them. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address, family }) => `${address.replace(/%.*$/, "")}/${family === "IPv6" ? 128 : 32}`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const loopback = "127.0.0.0/8";
  const isTest = (process.env["SANDBOX_MCP_TEST_HOSTS"] ?? "") !== "";
  const never = [...BLOCKED_NETWORKS, ...ownAddresses()].filter((network) => !isTest || !network.startsWith("127."));
  try {
    process.stdout.write(boundNetwork(await buffer(process.stdin), isTest ? ["public", loopback] : ["public"], never));
  } catch {
    console.error(
      "This version of wrangler configures workerd in a new way, and the local Worker would reach private addresses",
    );
    process.exitCode = 1;
  }
}
