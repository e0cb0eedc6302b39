// What programs of the machine send out arrives here, on sockets in a network namespace of their own (network-script.ts) whose
// every address is local: DNS is answered, and each connection is handed to the engine with the host that it was for.

import { createSocket } from "node:dgram";
import { connect, createServer, type Socket } from "node:net";
import { answerDns } from "./dns.ts";
import { SyntheticNames } from "./names.ts";

/** The sockets' numbers, as network-script.ts has them. */
const TCP_SOCKETS = [10, 11];
const DNS_UDP_SOCKET = 12;
const DNS_TCP_SOCKET = 13;

/** In each direction of a connection: less stops and starts too often. */
const BUFFERED = { highWaterMark: 512 * 1024 };

export function captureOutgoing(engineSocket: string): void {
  const names = new SyntheticNames();
  for (const fd of TCP_SOCKETS) {
    createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true, ...BUFFERED }, (client) =>
      handOver(client, engineSocket, names),
    ).listen({ fd });
  }
  const dns = createSocket("udp4", (query, { port, address }) => {
    const answer = answerDns(query, names);
    if (answer !== undefined) dns.send(answer, port, address, () => undefined);
  });
  dns.bind({ fd: DNS_UDP_SOCKET });
  createServer((client) => answerOverTcp(client, names)).listen({ fd: DNS_TCP_SOCKET });
}

/** The engine learns host and port from one line, then has the bytes. */
function handOver(client: Socket, engineSocket: string, names: SyntheticNames): void {
  const engine = connect({ path: engineSocket, allowHalfOpen: true, ...BUFFERED });
  const end = (): void => {
    client.destroy();
    engine.destroy();
  };
  for (const socket of [client, engine]) socket.on("error", end).on("close", end);
  const address = client.localAddress ?? "";
  engine.write(`${names.hostOf(address)} ${address}:${client.localPort}\n`);
  client.pipe(engine);
  engine.pipe(client);
  client.resume();
}

/** Each message has its length before it. */
function answerOverTcp(client: Socket, names: SyntheticNames): void {
  let received = Buffer.alloc(0);
  client
    .on("error", () => client.destroy())
    .on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let length = lengthOf(received); received.length >= length + 2; length = lengthOf(received)) {
        const answer = answerDns(received.subarray(2, length + 2), names);
        if (answer === undefined) return void client.destroy();
        client.write(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]));
        received = received.subarray(length + 2);
      }
    });
}

const lengthOf = (bytes: Buffer): number => (bytes.length < 2 ? Number.POSITIVE_INFINITY : bytes.readUInt16BE(0));
