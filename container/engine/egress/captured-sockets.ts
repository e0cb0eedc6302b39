// The sockets at which everything arrives that programs of a machine send out. They are in a network namespace of the machine
// where every address is local (network.pl), and are passed to the engine before such programs run (init/pass-sockets.ts).
// DNS is answered here; each other connection goes to the receiver with the host that it was made to.

import type { ChildProcess } from "node:child_process";
import { Socket as UdpSocket } from "node:dgram";
import { createServer, Server, type Socket } from "node:net";
import { BUFFERED_BYTES, CONNECTIONS_MAX, DNS_IDLE_MS } from "../limits.ts";
import { answerDns } from "./dns.ts";
import type { CapturedKind } from "./machine-network.ts";
import { SyntheticNames } from "./synthetic-names.ts";

/** What the machine's process sends with each socket, and after the last one. */
export type PassedSocket = CapturedKind | "all";

export interface OutgoingConnection {
  /** A name, where the machine looked one up, or an address. */
  host: string;
  /** What the machine connected to, as `IP:PORT`; the address of a name is a synthetic one. */
  address: string;
  /** Paused. */
  socket: Socket;
}

export class CapturedSockets {
  /** Gets the connections; until it is set they are refused. */
  receiver: ((connection: OutgoingConnection) => void) | undefined;
  readonly #names = new SyntheticNames();
  readonly #listening = new Set<{ close(): unknown }>();
  readonly #open = new Set<Socket>();
  #isClosed = false;

  /** Receives the sockets over the IPC channel of a machine's process that is about to start. */
  constructor(child: ChildProcess) {
    child.on("message", (kind, handle) => {
      if (kind === ("all" satisfies PassedSocket)) child.disconnect();
      else if (handle instanceof UdpSocket) this.#answerOverUdp(handle);
      else if (handle instanceof Server) this.#serve(kind === ("http" satisfies PassedSocket), handle);
      // The machine may have ended right after it sent them.
      if (this.#isClosed) this.close();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#listening) socket.close();
    this.#listening.clear();
    for (const socket of this.#open) socket.destroy();
  }

  #serve(isHttp: boolean, listening: Server): void {
    const server = createServer(
      { allowHalfOpen: isHttp, pauseOnConnect: isHttp, noDelay: true, highWaterMark: BUFFERED_BYTES },
      (socket) => {
        socket.on("error", () => socket.destroy());
        if (this.#open.size >= CONNECTIONS_MAX) return void socket.destroy();
        this.#open.add(socket);
        socket.once("close", () => this.#open.delete(socket));
        if (isHttp) this.#emit(socket);
        else answerOverTcp(socket, this.#names);
      },
    );
    this.#listening.add(server.on("error", () => undefined).listen(listening));
  }

  #emit(socket: Socket): void {
    const { localAddress: ip, localPort: port } = socket;
    if (this.receiver === undefined || ip === undefined) return void socket.destroy();
    this.receiver({ host: this.#names.hostOf(ip), address: `${ip}:${port}`, socket });
  }

  #answerOverUdp(socket: UdpSocket): void {
    this.#listening.add(socket);
    socket.on("error", () => undefined);
    socket.on("message", (query, { port, address }) => {
      const answer = answerDns(query, this.#names);
      // Nothing can be sent to port 0.
      if (answer !== undefined && port !== 0) socket.send(answer, port, address, () => undefined);
    });
  }
}

/** Answers DNS queries. Over TCP each message is preceded by its length. */
export function answerOverTcp(client: Socket, names: SyntheticNames): void {
  let received = Buffer.alloc(0);
  client.setTimeout(DNS_IDLE_MS, () => client.destroy());
  client.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (let length = lengthOf(received); received.length >= length + 2; length = lengthOf(received)) {
      const answer = answerDns(received.subarray(2, length + 2), names);
      // A client that keeps sending queries without reading the answers is not a resolver.
      if (answer === undefined || client.writableLength > BUFFERED_BYTES) return void client.destroy();
      client.write(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]));
      received = received.subarray(length + 2);
    }
  });
}

const lengthOf = (bytes: Buffer): number => (bytes.length < 2 ? Number.POSITIVE_INFINITY : bytes.readUInt16BE(0));
