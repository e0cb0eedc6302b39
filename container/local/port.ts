// The port to serve on, checked before anything is started.

import { createServer } from "node:net";
import { UserError } from "./user-error.ts";

/** `patient`: the last server was ended by force, and the kernel may still be tidying up after it. */
export async function freePort(setting: string | undefined, patient: boolean): Promise<number> {
  const port = Number(setting ?? "8787");
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new UserError(`PORT is "${setting}", which is not a port number; set it to one from 1 to 65535.`);
  }
  const giveUpAt = Date.now() + (patient ? patienceMs : 0);
  for (;;) {
    const error = await tryPort(port);
    if (error === null) return port;
    if (Date.now() >= giveUpAt) throw explain(error, port);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const patienceMs = 5_000;

const tryPort = (port: number): Promise<Error | null> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(null)));
  });

function explain(error: Error, port: number): Error {
  const code = "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new UserError(
      `Port ${port} is in use; end the program that has it, or choose another port: PORT=${port + 1} npm start`,
    );
  }
  if (code === "EACCES")
    return new UserError(`Port ${port} needs privileges; choose one above 1023: PORT=8787 npm start`);
  return error;
}
