// The sockets at which everything arrives that programs of a machine send out. They are in a network namespace of the machine
// where every address is local (network-script.ts), and are handed to the engine before such programs run
// (machine/hand-over.ts): DNS is answered here, and each connection goes on with the host that it was for.

import type { ChildProcess } from "node:child_process";
import { Socket as UdpSocket } from "node:dgram";
import { createServer, Server, type Socket } from "node:net";
import { BUFFERED_BYTES, CONNECTIONS_MAX, DNS_IDLE_MS } from "../limits.ts";
import { answerDns } from "./dns.ts";
import { SyntheticNames } from "./synthetic-names.ts";

/** What the machine's process says of each socket that it sends, and after the last. */
export type SocketKind = "tcp" | "dns-tcp" | "dns-udp" | "all";

export interface Outgoing {
  /** A name, where the machine asked for one, or an address. */
  host: string;
  /** Where the machine connected to: `IP:PORT`, which for a name is a synthetic one. */
  address: string;
  /** Paused. */
  socket: Socket;
}

export class CapturedSockets {
  /** Who gets the connections; until there is somebody they are refused. */
  receiver: ((outgoing: Outgoing) => void) | undefined;
  readonly #names = new SyntheticNames();
  readonly #listening = new Set<{ close(): unknown }>();
  readonly #open = new Set<Socket>();
  #isClosed = false;

  /** Of a machine that is about to start, by the IPC channel of its process. */
  constructor(child: ChildProcess) {
    child.on("message", (kind, handle) => {
      if (kind === "all") child.disconnect();
      else if (handle instanceof UdpSocket) this.#answerOverUdp(handle);
      else if (handle instanceof Server) this.#serve(kind === "tcp", handle);
      // It may have died as soon as it had sent them.
      if (this.#isClosed) this.close();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#listening) socket.close();
    this.#listening.clear();
    for (const socket of this.#open) socket.destroy();
  }

  #serve(isCaptured: boolean, listening: Server): void {
    const server = createServer(
      { allowHalfOpen: isCaptured, pauseOnConnect: isCaptured, noDelay: true, highWaterMark: BUFFERED_BYTES },
      (socket) => {
        socket.on("error", () => socket.destroy());
        if (this.#open.size >= CONNECTIONS_MAX) return void socket.destroy();
        this.#open.add(socket);
        socket.once("close", () => this.#open.delete(socket));
        if (isCaptured) this.#handOn(socket);
        else answerOverTcp(socket, this.#names);
      },
    );
    this.#listening.add(server.on("error", () => undefined).listen(listening));
  }

  #handOn(socket: Socket): void {
    const { localAddress: ip, localPort: port } = socket;
    if (this.receiver === undefined || ip === undefined) return void socket.destroy();
    this.receiver({ host: this.#names.hostOf(ip), address: `${ip}:${port}`, socket });
  }

  #answerOverUdp(socket: UdpSocket): void {
    this.#listening.add(socket);
    socket.on("error", () => undefined);
    socket.on("message", (query, { port, address }) => {
      const answer = answerDns(query, this.#names);
      // Nobody can be answered at port 0.
      if (answer !== undefined && port !== 0) socket.send(answer, port, address, () => undefined);
    });
  }
}

/** Each message has its length before it. */
function answerOverTcp(client: Socket, names: SyntheticNames): void {
  let received = Buffer.alloc(0);
  client.setTimeout(DNS_IDLE_MS, () => client.destroy());
  client.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (let length = lengthOf(received); received.length >= length + 2; length = lengthOf(received)) {
      const answer = answerDns(received.subarray(2, length + 2), names);
      // Whoever asks on without reading the answers is no resolver.
      if (answer === undefined || client.writableLength > BUFFERED_BYTES) return void client.destroy();
      client.write(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]));
      received = received.subarray(length + 2);
    }
  });
}

const lengthOf = (bytes: Buffer): number => (bytes.length < 2 ? Number.POSITIVE_INFINITY : bytes.readUInt16BE(0));
