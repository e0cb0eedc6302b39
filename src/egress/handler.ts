// The one way out, for machines and isolates alike: asks the sandbox for the verdict, adds a secret where one is due, and
// hands on what comes back without it. Redirects are handed back, so that each hop is judged anew.

import type { Env } from "../env.ts";
import { type EgressRecord, logEgress } from "./audit-log.ts";
import { countBytes } from "./count-bytes.ts";
import { passBytes } from "./pass-bytes.ts";
import type { Verdict } from "./policy.ts";
import { redactBytes, redactText } from "./redact.ts";
import { EGRESS_HEADER, refusalResponse } from "./refusal.ts";
import { type EgressSecret, secretFor } from "./secrets.ts";
import { resolveEgress } from "./settings.ts";

/** The sandbox on whose behalf something goes out, as its Durable Object answers. */
export interface EgressGate {
  /** Judges and counts one request. */
  admitEgress(host: string, port: number): Promise<EgressAdmission>;
  /** What became of one that was let through. */
  settleEgress(record: EgressSettlement): Promise<void>;
}

export interface EgressAdmission {
  verdict: Verdict;
  principal: string;
  sandbox: string;
}

export interface EgressSettlement {
  host: string;
  port: number;
  bytes: number;
}

export interface EgressOrigin {
  gate: EgressGate;
  from: EgressRecord["from"];
  /** Keeps the last words of a request alive after its answer. */
  detach(work: Promise<unknown>): void;
}

export async function handleEgress(request: Request, env: Env, origin: EgressOrigin): Promise<Response> {
  const url = new URL(request.url);
  const host = url.hostname.replace(/\.$/, "");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const { verdict, principal, sandbox } = await origin.gate.admitEgress(host, port);
  const record = { from: origin.from, principal, sandbox, host, port };
  if (!verdict.allowed) {
    logEgress({ ...record, verdict: verdict.why, bytes: 0 });
    return refusalResponse(request, host, verdict.why);
  }
  const settle = (bytes: number) => {
    logEgress({ ...record, verdict: "allowed", bytes });
    origin.detach(origin.gate.settleEgress({ host, port, bytes }));
  };
  const secret = secretFor(resolveEgress(env).secrets, { url, method: request.method, principal });
  return forward(request, host, secret, settle);
}

type Settle = (bytes: number) => void;

async function forward(request: Request, host: string, secret: EgressSecret | null, settle: Settle): Promise<Response> {
  const upgrades = request.headers.has("upgrade");
  const sent = countBytes(request.body, request.headers);
  const response = await send(request, sent.body, upgrades ? null : secret).catch((error: unknown) => {
    console.error(`Egress to ${host} failed:`, error);
    return null;
  });
  if (response === null) {
    settle(sent.bytes());
    return unreachable(host);
  }
  if (response.webSocket !== null || response.body === null) {
    settle(sent.bytes());
    return response.webSocket === null ? withoutSecret(response, null, secret) : response;
  }
  const received = countBytes(response.body, response.headers, (bytes) => settle(sent.bytes() + bytes));
  return withoutSecret(response, received.body, secret);
}

function send(request: Request, body: ReadableStream | null, secret: EgressSecret | null): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()].filter((name) => /^(cf-|x-forwarded-|x-real-ip$|true-client-ip$)/.test(name)))
    headers.delete(name);
  if (secret !== null) {
    headers.set(secret.header, secret.value);
    // Compressed, or in parts, an echo could not be found.
    headers.set("accept-encoding", "identity");
    for (const name of ["range", "if-range"]) headers.delete(name);
  }
  return fetch(request.url, {
    method: request.method,
    headers,
    redirect: "manual",
    ...(body === null ? {} : { body }),
  });
}

function withoutSecret(response: Response, body: ReadableStream | null, secret: EgressSecret | null): Response {
  if (secret === null) return body === response.body ? response : new Response(body, response);
  const headers = new Headers();
  for (const [name, value] of response.headers) headers.append(name, redactText(value, secret.forms));
  const { status } = response;
  const statusText = redactText(response.statusText, secret.forms);
  if (body === null) return new Response(null, { status, statusText, headers });
  const encoding = headers.get("content-encoding") ?? "identity";
  if (!READABLE.includes(encoding)) {
    void body.cancel();
    return unsearchable(encoding);
  }
  // Reading a compressed body gives what is inside.
  const encoded = encoding !== "identity";
  headers.delete("content-encoding");
  const announced = headers.get("content-length");
  headers.delete("content-length");
  const length = encoded || announced === null ? undefined : Number(announced);
  return new Response(passBytes(body, redactBytes(secret.forms), length), { status, statusText, headers });
}

/** The encodings that the runtime undoes. */
const READABLE = ["identity", "gzip", "br"];

const unsearchable = (encoding: string): Response =>
  new Response(
    `The sandbox added a credential to this request, and the answer came back encoded (${encoding}) so that it cannot be searched for it.\n`,
    {
      status: 502,
      statusText: "The sandbox cannot read the answer",
      headers: { "content-type": "text/plain; charset=utf-8", [EGRESS_HEADER]: "unsearchable" },
    },
  );

const unreachable = (host: string): Response =>
  new Response(
    `The sandbox could not reach ${host}: its name is unknown or leads to a private network, or it does not answer.\n`,
    {
      status: 502,
      statusText: "The sandbox could not reach the host",
      headers: { "content-type": "text/plain; charset=utf-8", [EGRESS_HEADER]: "unreachable" },
    },
  );
