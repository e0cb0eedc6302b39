// A name server on loopback that takes the place of the host's own, for names whose addresses change, and to know who asked.

import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../support/start-server.ts";

export interface NameServer {
  /** What each name leads to; a name that is not here does not exist. May be changed at any time. */
  addresses: Map<string, readonly string[]>;
  /** The names that were asked for. */
  asked: Set<string>;
  /** For startServer(): with this server for a resolver, in a mount namespace of its own. */
  command: readonly string[];
  close(): void;
}

export async function startNameServer(address: string): Promise<NameServer> {
  const directory = mkdtempSync(join(tmpdir(), "name-server-"));
  const resolver = join(directory, "resolv.conf");
  writeFileSync(resolver, `nameserver ${address}\noptions timeout:5 attempts:3\n`);
  const addresses: NameServer["addresses"] = new Map();
  const asked: NameServer["asked"] = new Set();
  const socket = createSocket("udp4", (query, { port, address: from }) => {
    const { name, type } = readQuestion(query);
    asked.add(name);
    socket.send(answer(query, type, addresses.get(name)), port, from);
  });
  await new Promise<void>((resolve) => socket.bind(53, address, resolve));
  return {
    ...{ addresses, asked },
    command: ["unshare", "--mount", "sh", "-ec", SCRIPT, "sh", resolver, ...startCommand],
    close() {
      socket.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const SCRIPT = `mount --bind "$1" /etc/resolv.conf; shift; exec "$@"`;

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;

function readQuestion(query: Buffer): { name: string; type: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1) };
}

function answer(query: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const fitting = (addresses ?? []).filter((address) => type === (isIPv6(address) ? TYPE_AAAA : TYPE_A));
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  // An answer, recursion available; code 3 is that there is no such name.
  header.writeUInt16BE(0x8180 | (addresses === undefined ? 3 : 0), 2);
  header.writeUInt16BE(fitting.length, 6);
  header.fill(0, 8);
  const end = query.indexOf(0, HEADER_BYTES) + 5;
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...fitting.map((address) => record(type, address))]);
}

/** A pointer to the name of the question; it is not to be kept. */
function record(type: number, address: string): Buffer {
  const bytes = isIPv6(address) ? ipv6Bytes(address) : address.split(".").map(Number);
  return Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
}

function ipv6Bytes(address: string): number[] {
  const [head = "", tail = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const words = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after].flatMap((word) => [
    word >> 8,
    word & 255,
  ]);
}
