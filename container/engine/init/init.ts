// The one Node process of a machine: gives the engine the sockets of what goes out, makes every port of the machine reachable
// through a unix socket, then becomes the runner. Arguments: that socket's path, the runner's file. The engine's pipe on
// standard input brings one line of JSON, the environment, and ends when the engine does: then so does the machine.

import { connect, createServer, type Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { handOverSockets } from "./pass-sockets.ts";

const [socketPath, runnerFile] = process.argv.slice(2);
if (socketPath === undefined || runnerFile === undefined) throw new Error("Usage: init SOCKET RUNNER");

/** Until a first connection was made, a refused one is tried again: the runner may be about to listen. */
const FIRST_PORT_WAIT_MS = 3_000;
const FIRST_PORT_TRY_MS = 5;
let waitUntil = Number.POSITIVE_INFINITY;

process.title = "sandbox-runner";
Object.assign(process.env, await readEnvironment());
const relay = createServer({ allowHalfOpen: true }, serve);
relay.listen(socketPath);
const hasNetwork = process.env["SANDBOX_EGRESS"] !== undefined;
delete process.env["SANDBOX_EGRESS"];
const handedOver = hasNetwork ? handOverSockets() : process.disconnect();
await import(pathToFileURL(runnerFile).href);
// No command runs before this.
await handedOver;
waitUntil = Date.now() + FIRST_PORT_WAIT_MS;
process.stdout.write("ready\n");

/** The first line of standard input; what follows is only its end. */
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

/** A connection begins with one line: a port, `signal NAME`. Ports answer `+` once connected or `-`, then are the bytes. */
function serve(client: Socket): void {
  client.on("error", () => client.destroy());
  client.once("data", (data) => {
    const word = data.toString("latin1").trim();
    if (word.startsWith("signal ")) {
      client.end("+");
      process.kill(process.pid, word.slice("signal ".length));
    } else connectTo(Number(word), "127.0.0.1", client);
  });
}

function connectTo(port: number, host: string, client: Socket): void {
  const server = connect({ port, host, allowHalfOpen: true, noDelay: true });
  const refused = (): void => {
    server.destroy();
    if (host !== "::1") connectTo(port, "::1", client);
    else if (Date.now() < waitUntil) setTimeout(connectTo, FIRST_PORT_TRY_MS, port, "127.0.0.1", client);
    else client.end("-");
  };
  server.once("error", refused).once("connect", () => {
    waitUntil = 0;
    server.off("error", refused).on("error", () => client.destroy());
    client.write("+");
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  });
}
