// Checks the port before anything is started.

import { createServer } from "node:net";
import { UserError } from "./user-error.ts";

/** With `mayBeClosing` the previous server was ended by force, and the kernel may need a moment to close its sockets. */
export async function freePort(setting: string | undefined, mayBeClosing: boolean): Promise<number> {
  const port = Number(setting ?? "8787");
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new UserError(`PORT is "${setting}", which is not a port number; set it to one from 1 to 65535.`);
  }
  const giveUpAt = Date.now() + (mayBeClosing ? CLOSING_MS : 0);
  for (;;) {
    const error = await tryPort(port);
    if (error === null) return port;
    if (Date.now() >= giveUpAt) throw explainPortError(error, port);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const CLOSING_MS = 5_000;

const tryPort = (port: number): Promise<Error | null> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(null)));
  });

function explainPortError(error: Error, port: number): Error {
  const code = "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new UserError(
      `Port ${port} is in use; end the program that uses it, or choose another port: PORT=${port + 1} npm start`,
    );
  }
  if (code === "EACCES")
    return new UserError(`Port ${port} needs privileges; choose one above 1023: PORT=8787 npm start`);
  return error;
}
