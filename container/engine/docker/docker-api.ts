// The part of the Docker Engine API that workerd uses, as a table of routes. Responses and error codes are Docker's. A call
// that is not in the table is answered 404 and logged, because it means that this version of workerd needs something new.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { constants } from "node:os";
import { STOP_GRACE_SECONDS } from "../limits.ts";
import type { Container } from "./container.ts";
import { ContainerSpec } from "./container-spec.ts";
import type { ContainerTable } from "./container-table.ts";
import { readBody } from "./read-body.ts";

export function createDockerApi(containers: ContainerTable): Server {
  return createServer(async (request, response) => {
    const { status, body } = await answer(containers, request).catch((error: unknown) =>
      problem(500, messageOf(error)),
    );
    send(response, status, body);
  });
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

interface Call {
  readonly containers: ContainerTable;
  readonly query: URLSearchParams;
  readonly body: string;
}

async function answer(containers: ContainerTable, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://engine");
  const path = url.pathname.replace(/^\/v\d+\.\d+(?=\/)/, "");
  const call = { containers, query: url.searchParams, body: await readBody(request) };
  const fixed = FIXED_ROUTES[`${request.method} ${path}`];
  if (fixed !== undefined) return fixed(call);
  const [, name, action] = /^\/containers\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const route = CONTAINER_ROUTES[`${request.method} ${action ?? ""}`];
  if (name !== undefined && route !== undefined) {
    const container = containers.get(withoutSession(decodeURIComponent(name)));
    return container === undefined ? problem(404, `No such container: ${name}`) : route(container, call);
  }
  if (request.method === "GET" && /^\/images\/.+\/json$/.test(path)) return { status: 200, body: IMAGE };
  console.error(`unexpected call ${request.method} ${request.url}`);
  return problem(404, "page not found");
}

const FIXED_ROUTES: Record<string, (call: Call) => Answer | Promise<Answer>> = {
  "GET /_ping": () => ({ status: 200, body: "OK" }),
  "HEAD /_ping": () => ({ status: 200 }),
  "GET /info": () => ({ status: 200, body: { Name: "sandbox-mcp", OSType: "linux" } }),
  "GET /version": () => ({ status: 200, body: { ApiVersion: "1.44", MinAPIVersion: "1.24" } }),
  // The gateway is where workerd listens for what machines send out.
  "GET /networks/bridge": () => ({
    status: 200,
    body: { IPAM: { Config: [{ Subnet: "127.0.0.0/8", Gateway: "127.0.0.1" }] } },
  }),
  "GET /volumes": () => ({ status: 200, body: { Volumes: [], Warnings: [] } }),
  "GET /containers/json": () => ({ status: 200, body: [] }),
  "POST /containers/create": create,
};

const IMAGE = { Id: "sha256:sandbox-mcp", RepoTags: [], Config: { ExposedPorts: {} } };

const CONTAINER_ROUTES: Record<string, (container: Container, call: Call) => Answer | Promise<Answer>> = {
  "GET json": (container) => ({ status: 200, body: container.inspect() }),
  "POST start": async (container) => ({ status: (await container.start()) ? 204 : 304 }),
  "POST stop": async (container, { query }) => ({
    status: (await container.stop(Number(query.get("t") ?? STOP_GRACE_SECONDS) * 1000)) ? 204 : 304,
  }),
  "POST kill": kill,
  "POST wait": async (container, { query }) => ({
    status: 200,
    body: { StatusCode: await container.wait(query.get("condition") ?? "not-running") },
  }),
  // workerd sends nothing but the sidecar's certificate authority, which machines have from the start.
  "PUT archive": () => ({ status: 200 }),
  "DELETE ": async (container, { containers, query }) => {
    if (container.state === "running" && !isTrue(query.get("force"))) {
      return problem(409, `You cannot remove a running container ${container.name}`);
    }
    await containers.delete(container);
    return { status: 204 };
  },
};

/**
 * Each process that serves the Worker adds an id of its own to the names of its containers. It is left out, so that the next one
 * finds the machines that are up.
 */
const withoutSession = (name: string): string => name.replace(/^workerd-[0-9a-f]{16}-/, "workerd-");

function create({ containers, query, body }: Call): Answer {
  const name = withoutSession(query.get("name") ?? "");
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) return problem(400, `Invalid container name (${name})`);
  const spec = ContainerSpec.safeParse(JSON.parse(body || "{}"));
  if (!spec.success) return problem(400, spec.error.message);
  const container = containers.create(name, spec.data);
  if (container === undefined) return problem(409, `Conflict. The container name "/${name}" is already in use`);
  return { status: 201, body: { Id: name, Warnings: [] } };
}

function kill(container: Container, { query }: Call): Answer {
  const signal = signalNamed(query.get("signal") ?? "SIGKILL");
  if (signal === undefined) return problem(400, `Invalid signal: ${query.get("signal")}`);
  if (container.signal(signal)) return { status: 204 };
  return problem(409, `Container ${container.name} is not running`);
}

/** `text` is a number, or a name with or without SIG. */
function signalNamed(text: string): NodeJS.Signals | undefined {
  const wanted = text.toUpperCase();
  for (const [name, number] of Object.entries(constants.signals)) {
    if (wanted === name || `SIG${wanted}` === name || wanted === String(number)) return name as NodeJS.Signals;
  }
  return undefined;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) response.writeHead(status).end();
  else if (typeof body === "string") response.writeHead(status, { "content-type": "text/plain" }).end(body);
  else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const problem = (status: number, message: string): Answer => ({ status, body: { message } });
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const isTrue = (text: string | null): boolean => text === "true" || text === "1";
