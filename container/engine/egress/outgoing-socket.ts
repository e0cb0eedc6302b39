// The unix socket in a machine's directory at which its connections to the outside arrive: one line says for which host and
// address, then come the bytes.

import { chmodSync, closeSync, lchownSync, openSync } from "node:fs";
import { createServer, type Socket } from "node:net";

export interface Outgoing {
  /** A name, where the machine asked for one, or an address. */
  host: string;
  /** Where the machine connected to: `IP:PORT`, which for a name is a synthetic one. */
  address: string;
  /** Paused; the line has been taken off. */
  socket: Socket;
}

export interface OutgoingSocket {
  /** Who gets the connections; until there is somebody they are refused. */
  receiver: ((outgoing: Outgoing) => void) | undefined;
  close(): void;
}

/** In the directory before anything runs that could put something in its way. */
export function listenForOutgoing(directory: string, uid: number | undefined): OutgoingSocket {
  // Through the descriptor, because a socket's path may have 107 bytes; open as long as the server, which removes its file.
  const fd = openSync(directory, "r");
  const path = `/proc/self/fd/${fd}/${OUTGOING_SOCKET}`;
  const sockets = new Set<Socket>();
  const result: OutgoingSocket = {
    receiver: undefined,
    close() {
      server.close(() => closeSync(fd));
      for (const socket of sockets) socket.destroy();
    },
  };
  const server = createServer({ allowHalfOpen: true, highWaterMark: BUFFERED_BYTES }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    readLine(socket, (line) => {
      const [, host, address] = /^(\S{1,255}) ([\d.]{7,15}:\d{1,5})$/.exec(line) ?? [];
      if (host === undefined || address === undefined || result.receiver === undefined) return void socket.destroy();
      result.receiver({ host, address, socket });
    });
  });
  server.listen(path);
  chmodSync(path, 0o600);
  if (uid !== undefined) lchownSync(path, uid, uid);
  return result;
}

export const OUTGOING_SOCKET = "outgoing";
/** In each direction of a connection: less stops and starts too often. */
const BUFFERED_BYTES = 512 * 1024;
const LINE_BYTES_MAX = 300;

function readLine(socket: Socket, take: (line: string) => void): void {
  let received: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf("\n");
    if (end < 0 && received.length < LINE_BYTES_MAX) return;
    socket.off("data", onData).pause();
    if (end < 0) return void socket.destroy();
    if (received.length > end + 1) socket.unshift(received.subarray(end + 1));
    take(received.toString("latin1", 0, end));
  };
  socket.on("data", onData);
}
