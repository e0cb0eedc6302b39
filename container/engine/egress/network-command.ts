// The start of a command that gives a machine its network before it becomes the rest of the command.

import { isInMachinePath } from "../machine/machine-path.ts";
import { perlScript, shellScript } from "../script.ts";
import { GATEWAY_ADDRESS, INHERITED_SOCKETS, MACHINE_ADDRESS } from "./machine-network.ts";

const hasPerl = isInMachinePath("perl");

/** Whether machines can send anything out; elsewhere they have loopback only. */
export const CAN_REACH_OUT = hasPerl && isInMachinePath("ip");

/** The number of the system call, for which perl has no name. */
const UNSHARE = { x64: "272", arm64: "97" }[process.arch === "arm64" ? "arm64" : "x64"];

const SOCKETS = INHERITED_SOCKETS.map(
  ({ descriptor, kind, address, port }) => `${descriptor}:${kind === "dns-udp" ? "udp" : "tcp"}:${address}:${port}`,
).join(",");

export const NETWORK_COMMAND: readonly string[] = hasPerl
  ? [
      ...perlScript(new URL("network.pl", import.meta.url)),
      ...[UNSHARE, GATEWAY_ADDRESS, MACHINE_ADDRESS, CAN_REACH_OUT ? SOCKETS : ""],
    ]
  : shellScript(new URL("loopback.sh", import.meta.url));
