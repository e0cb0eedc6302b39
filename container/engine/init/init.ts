// The first Node process of a machine: passes the captured sockets to the engine, makes every port of the machine reachable
// through a unix socket (the relay), then becomes the runner. Arguments: the socket's path, the runner's file. The engine's
// pipe on standard input brings one line of JSON, the environment, and ends when the engine does: then so does the machine.

import { connect, createServer, type Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { passSockets } from "./pass-sockets.ts";

const [socketPath, runnerFile] = process.argv.slice(2);
if (socketPath === undefined || runnerFile === undefined) throw new Error("Usage: init SOCKET RUNNER");

/** Until the first connection succeeds, a refused one is tried again: the runner may be about to listen. */
const FIRST_CONNECTION_MS = 3_000;
const RETRY_MS = 5;
let retryUntil = Number.POSITIVE_INFINITY;

process.title = "sandbox-runner";
Object.assign(process.env, await readEnvironment());
const relay = createServer({ allowHalfOpen: true }, serve);
relay.listen(socketPath);
const hasEgress = process.env["SANDBOX_EGRESS"] !== undefined;
delete process.env["SANDBOX_EGRESS"];
const passed = hasEgress ? passSockets() : process.disconnect();
await import(pathToFileURL(runnerFile).href);
// The runner gets its first command after this.
await passed;
retryUntil = performance.now() + FIRST_CONNECTION_MS;
process.stdout.write("ready\n");

/** The first line of standard input. Nothing follows it but the end. */
function readEnvironment(): Promise<Record<string, string>> {
  const input = process.stdin;
  input.on("end", () => process.exit(0)).on("error", () => process.exit(0));
  return new Promise((resolve) => {
    let text = "";
    input.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.endsWith("\n"))
        resolve(Object.fromEntries(Object.entries(JSON.parse(text)).map(([k, v]) => [k, String(v)])));
    });
  });
}

/**
 * A connection to the relay begins with one line: a port, or `signal NAME` for the runner. It is answered `+`, or `-` where
 * nothing listens on the port. The bytes of the port's connection follow.
 */
function serve(client: Socket): void {
  client.on("error", () => client.destroy());
  client.once("data", (data) => {
    const line = data.toString("latin1").trim();
    if (line.startsWith("signal ")) {
      client.end("+");
      process.kill(process.pid, line.slice("signal ".length));
    } else connectTo(Number(line), "127.0.0.1", client);
  });
}

function connectTo(port: number, host: string, client: Socket): void {
  const server = connect({ port, host, allowHalfOpen: true, noDelay: true });
  const refused = (): void => {
    server.destroy();
    if (host !== "::1") connectTo(port, "::1", client);
    else if (performance.now() < retryUntil) setTimeout(connectTo, RETRY_MS, port, "127.0.0.1", client);
    else client.end("-");
  };
  server.once("error", refused).once("connect", () => {
    retryUntil = 0;
    server.off("error", refused).on("error", () => client.destroy());
    client.write("+");
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  });
}
