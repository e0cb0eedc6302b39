// Who is at the other end of a connection over 127.0.0.1: the kernel's table of sockets names the user. Other users of
// the host can reach the port as well, and must not get into machines through it.

import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** Whether the connection was made by the user who runs this process, or by root, who could be anybody. */
export function isOwnPeer(socket: Socket): boolean {
  const { remoteAddress, remotePort, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return false;
  const row = ` ${LOOPBACK}:${hexPort(remotePort)} ${LOOPBACK}:${hexPort(localPort)} `;
  // Synchronous: a small read of memory, where a trip to the thread pool would double the time of a connection.
  const table = readFileSync("/proc/net/tcp", "utf8");
  const at = table.indexOf(row);
  if (at < 0) return false;
  // After the addresses: state, queues, timer, retransmits, user.
  const uid = Number(
    table
      .slice(at + row.length)
      .trimStart()
      .split(/\s+/)[4],
  );
  return uid === process.getuid?.() || uid === 0;
}

/** 127.0.0.1 as the kernel prints it, on a little-endian machine. */
const LOOPBACK = "0100007F";

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
