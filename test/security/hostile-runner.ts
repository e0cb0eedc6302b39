// A real HTTP server in the place of a machine's runner, which answers what a test wants.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { operationPath } from "../../src/contract/operation.ts";

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface HostileRunner extends AsyncDisposable {
  url: string;
  /** How it answers each path; `other` answers all that are not here. */
  answers: Record<string, Answer>;
  /** Resolves when a request for the path has arrived. */
  requested(path: string): Promise<void>;
  /** Resolves when a response to a request for the path has been sent or broken off. */
  closed(path: string): Promise<void>;
}

export const json =
  (value: unknown): Answer =>
  (response) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(value));

export const silence: Answer = () => undefined;

export const INFO = operationPath("info");

/** It answers `info` as a runner does. */
export async function hostileRunner(other: Answer): Promise<HostileRunner> {
  const info = { boot_id: "boot", contract_version: 1, live_processes: 0, restored: null };
  const answers: Record<string, Answer> = { [INFO]: json({ ok: true, value: info }) };
  const events = new Map<string, PromiseWithResolvers<void>>();
  const event = (name: string) => {
    const known = events.get(name) ?? Promise.withResolvers<void>();
    events.set(name, known);
    return known;
  };
  const server = createServer({ highWaterMark: 1024 * 1024 }, (request, response) => {
    const path = new URL(request.url ?? "", "http://runner").pathname;
    event(`requested ${path}`).resolve();
    response.on("error", () => undefined).on("close", () => event(`closed ${path}`).resolve());
    (answers[path] ?? other)(response, request);
  });
  server.on("clientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    requested: (path) => event(`requested ${path}`).promise,
    closed: (path) => event(`closed ${path}`).promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes the piece for as long as the other side reads. */
export function endless(piece: string | Buffer, headers: Record<string, string> = {}, status = 200): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  };
}
