// The runner's HTTP server: operations as POST /v1/<operation>, always answered with 200 and a Result, whole files under
// /files (transfer/), the layers of checkpoints, and GET /health.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Failure } from "../../src/contract/failure.ts";
import { limits } from "../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../src/contract/result.ts";
import { answerStream } from "./checkpoint/streams.ts";
import { limitConnections } from "./connection-limit.ts";
import { isSpawnError } from "./file/system-failure.ts";
import { operate } from "./operation-table.ts";
import { resourceFailure } from "./process/resource-failure.ts";
import type { RunnerContext } from "./runner-context.ts";
import { isTransfer, transfer } from "./transfer/index.ts";

const PREFIX = "/v1/";

/** A client may keep a connection open for as long as a machine may be idle. */
const KEEP_ALIVE_MS = 30 * 60 * 1000;

/** Callers of one sandbox have some dozens, and each takes three descriptors of the process. */
const CONNECTIONS_MAX = 512;

export function createRunnerServer(context: RunnerContext): Server {
  const server = createServer((request, response) => void answer(request, response, context));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS;
  // An upload may take any time.
  server.requestTimeout = 0;
  limitConnections(server, CONNECTIONS_MAX);
  return server;
}

/** The runner's one broad catch: a bug is answered with 500, and its details go to the machine's log, not to the caller. */
async function answer(request: IncomingMessage, response: ServerResponse, context: RunnerContext): Promise<void> {
  try {
    await route(request, response, context);
  } catch (error) {
    const failure = isSpawnError(error)
      ? resourceFailure("Starting a program of the runner's own", error, context)
      : null;
    if (failure !== null && !response.headersSent) return send(response, 200, fail(failure));
    console.error(error);
    if (!response.headersSent) send(response, 500, { error: "internal error" });
  }
}

async function route(request: IncomingMessage, response: ServerResponse, context: RunnerContext): Promise<void> {
  const { method = "", url = "" } = request;
  if (method === "GET" && url === "/health") {
    // The body must not be empty: after an empty one, workerd 1.20261117 breaks the next request on the connection.
    send(response, 200, { status: "ok" });
    return;
  }
  const stream = method === "POST" ? null : answerStream(request, context);
  if (stream !== null) {
    const result = await stream(response);
    if (result !== null) send(response, 200, result);
    return;
  }
  if (isTransfer(url) && ["GET", "PUT"].includes(method)) {
    await transfer(request, response, context);
    return;
  }
  if (method !== "POST" || !url.startsWith(PREFIX)) {
    request.resume();
    send(response, 404, { error: "not found" });
    return;
  }
  const body = await readBody(request);
  send(response, 200, body.ok ? await operate(url.slice(PREFIX.length), body.value, context) : body);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body);
}

/** Reads to the end even when the body is too large, so that the client gets its answer. */
async function readBody(request: IncomingMessage): Promise<Result<unknown>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length <= limits.requestMaxBytes) chunks.push(bytes);
  }
  return length > limits.requestMaxBytes ? fail(tooLarge(length)) : parse(Buffer.concat(chunks).toString("utf8"));
}

function parse(text: string): Result<unknown> {
  try {
    return succeed(JSON.parse(text));
  } catch {
    return fail({ reason: "invalid_request", message: "The request body is not valid JSON" });
  }
}

const tooLarge = (actual: number): Failure => ({
  reason: "too_large",
  subject: "The request",
  actual,
  limit: limits.requestMaxBytes,
  unit: "bytes",
});
