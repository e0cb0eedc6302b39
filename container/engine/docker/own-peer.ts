// Which user is at the other end of a connection over 127.0.0.1, by the kernel's table of sockets. Other users of the host
// can connect to the port too, and must not get into machines through it.

import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/**
 * Whether the connection was made by the user who runs this process, or by root, who may do anything in any case. False for one
 * whose other end is closed: the kernel then no longer knows whose it was, and its table says root. So this is asked at once.
 */
export function isOwnPeer({ remoteAddress, remotePort, localPort }: Socket): boolean {
  // Another address of loopback can have the same port as a connection of this user.
  if (remoteAddress !== "127.0.0.1" || remotePort === undefined || localPort === undefined) return false;
  const row = ` ${LOOPBACK}:${hexPort(remotePort)} ${LOOPBACK}:${hexPort(localPort)} `;
  // Synchronous, because this is a small read of memory: the thread pool would double the time that a connection takes.
  const table = readFileSync("/proc/net/tcp", "utf8");
  const at = table.indexOf(row);
  if (at < 0) return false;
  // The fields after the addresses are state, queues, timer, retransmits, user, timeout and inode.
  const [state, , , , uid, , inode] = table.slice(at + row.length).split(/\s+/, 7);
  return state === ESTABLISHED && inode !== "0" && (Number(uid) === process.getuid?.() || uid === "0");
}

/** 127.0.0.1 as the kernel prints it, on a little-endian machine. */
const LOOPBACK = "0100007F";
/** TCP_ESTABLISHED. */
const ESTABLISHED = "01";

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
