// Captures what programs in the network namespace send out, like the built-in engine: names get synthetic addresses, and a
// connection to any address arrives here on its port. This process runs as a user whose own traffic is left alone.

import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { answerOverTcp, type OutgoingConnection } from "../../../../../container/engine/egress/captured-sockets.ts";
import { answerDns } from "../../../../../container/engine/egress/dns.ts";
import { SyntheticNames } from "../../../../../container/engine/egress/synthetic-names.ts";

/** No account of the machine has this id. */
const UID = 64_999;
const DNS_PORT = 39_053;
/** Web ports and where they arrive. A machine may have servers of its own on 80 and 443. */
const WEB_PORTS = { 80: 39_080, 443: 39_443 };

const NOT_OURS = ["-m", "owner", "!", "--uid-owner", String(UID)];

/** Needs NET_ADMIN and drops it. */
export async function captureTraffic(receiver: (connection: OutgoingConnection) => void): Promise<void> {
  // Every address is local, except the gateway, where workerd is.
  run("ip", "rule", "add", "pref", "20", "lookup", "local");
  run("ip", "rule", "del", "pref", "0");
  run("ip", "rule", "add", "pref", "10", "to", gatewayAddress(), "lookup", "main");
  run("ip", "route", "add", "local", "default", "dev", "lo", "src", ownAddress(), "table", "local");
  run("iptables", "-A", "OUTPUT", ...NOT_OURS, "-d", gatewayAddress(), "-m", "state", "--state", "NEW", "-j", "REJECT");
  run("iptables", "-A", "OUTPUT", ...NOT_OURS, "!", "-d", "127.0.0.0/8", "-p", "icmp", "-j", "REJECT");
  nat("-p", "udp", "--dport", "53", "-j", "REDIRECT", "--to-ports", String(DNS_PORT));
  nat("-p", "tcp", "--dport", "53", "-j", "REDIRECT", "--to-ports", String(DNS_PORT));
  for (const [port, to] of Object.entries(WEB_PORTS))
    nat("-p", "tcp", "--dport", port, "-j", "DNAT", "--to-destination", `:${to}`);
  process.setgid?.(UID);
  process.setuid?.(UID);
  const names = new SyntheticNames();
  for (const [port, at] of Object.entries(WEB_PORTS)) await listen(Number(port), at, names, receiver);
  await answerNames(names);
}

const gatewayAddress = (): string =>
  /via (\S+)/.exec(execFileSync("ip", ["route", "show", "default"]).toString())?.[1] ?? "";

/** Without it a connection would come from the address that it goes to. */
const ownAddress = (): string => networkInterfaces()["eth0"]?.find(({ family }) => family === "IPv4")?.address ?? "";

const run = (program: string, ...args: string[]): void => void execFileSync(program, args, { stdio: "inherit" });

const nat = (...rule: string[]): void =>
  run("iptables", "-t", "nat", "-A", "OUTPUT", ...NOT_OURS, "!", "-d", "127.0.0.0/8", ...rule);

async function listen(
  port: number,
  at: number,
  names: SyntheticNames,
  receiver: (connection: OutgoingConnection) => void,
): Promise<void> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    const ip = socket.localAddress ?? "";
    receiver({ host: names.hostOf(ip), address: `${ip}:${port}`, socket });
  });
  await once(server.listen(at, "0.0.0.0"), "listening");
}

async function answerNames(names: SyntheticNames): Promise<void> {
  const tcp = createServer((client) =>
    answerOverTcp(
      client.on("error", () => client.destroy()),
      names,
    ),
  );
  await once(tcp.listen(DNS_PORT, "127.0.0.1"), "listening");
  const socket = createSocket("udp4", (query, { port, address }) => {
    const answer = answerDns(query, names);
    if (answer !== undefined) socket.send(answer, port, address);
  });
  await once(socket.bind(DNS_PORT, "127.0.0.1"), "listening");
}
