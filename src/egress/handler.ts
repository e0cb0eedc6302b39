// The one way out for machines and isolates: asks the sandbox for the verdict, adds a secret where one is configured, and
// removes that secret from the response. Redirects are returned to the client, so that each hop is judged as a request of
// its own.

import type { Env } from "../config/env.ts";
import { type EgressRecord, logEgress } from "./audit-log.ts";
import { countBytes } from "./count-bytes.ts";
import { type Fault, faultMessages, faultOf } from "./fault.ts";
import type { HostPort } from "./policy.ts";
import type { EgressPolicyService } from "./policy-service.ts";
import { redactResponse } from "./redact-response.ts";
import { EGRESS_HEADER, refusalResponse } from "./refusal.ts";
import { type EgressSecret, secretFor } from "./secrets.ts";
import { resolveEgress } from "./settings.ts";

interface EgressOrigin {
  policyService: EgressPolicyService;
  from: EgressRecord["from"];
  audience: string;
  /** Keeps `work` running after the response has been returned. */
  detach(work: Promise<unknown>): void;
}

export async function handleEgress(request: Request, env: Env, origin: EgressOrigin): Promise<Response> {
  const url = new URL(request.url);
  const host = url.hostname.replace(/\.$/, "");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const target = { host, port, audience: origin.audience };
  const { verdict, principal, sandbox } = await origin.policyService.admitEgress(target);
  const log = (outcome: EgressRecord["verdict"], bytes: number) =>
    logEgress({ from: origin.from, principal, sandbox, host, port, verdict: outcome, bytes });
  if (!verdict.allowed) {
    log(verdict.reason, 0);
    return refusalResponse(request, target, verdict.reason);
  }
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  // Detached so that a request whose client disconnects is still recorded.
  origin.detach(settled);
  const settle: Settle = (outcome, bytes) => {
    log(outcome, bytes);
    resolve(origin.policyService.settleEgress({ ...target, verdict: outcome, bytes }));
    return settled;
  };
  const secret = secretFor(resolveEgress(env).secrets, { url, method: request.method, principal });
  return forward(request, { to: { host, port }, secret, settle });
}

/** Records the outcome of the request. Resolves when the sandbox has counted it. */
type Settle = (outcome: EgressRecord["verdict"], bytes: number) => Promise<void>;

interface Forwarding {
  to: HostPort;
  secret: EgressSecret | null;
  settle: Settle;
}

async function forward(request: Request, { to, secret, settle }: Forwarding): Promise<Response> {
  const upload = new AbortController();
  let hasResponse = false;
  // When the client's upload breaks, the request to the host must break too; otherwise the runtime would end it as if it were
  // complete. Once the host has responded, the runtime drops the rest of the upload and the response stands.
  const sent = countBytes(request.body, request.headers, { onError: (error) => hasResponse || upload.abort(error) });
  const sending = send(request, { body: sent.body, secret, signal: upload.signal });
  const response = await sending.catch((error: unknown): Fault => {
    console.warn(`Egress to ${to.host} failed:`, error);
    // The error of an upload that broke comes from the client, who could word it like one of the runtime.
    return upload.signal.aborted ? "no-answer" : faultOf(error instanceof Error ? error.message : "");
  });
  hasResponse = true;
  if (response instanceof Response) {
    return receive(response, secret, (bytes) => void settle("allowed", sent.bytes() + bytes));
  }
  // Settling is awaited so that the answer of the command already carries the notice.
  if (response === "restricted") {
    await settle("never", 0);
    return refusalResponse(request, to, "never");
  }
  await settle(upload.signal.aborted ? "allowed" : "unreachable", response === "no-answer" ? sent.bytes() : 0);
  return unreachable(to.host, response);
}

/** `onEnd` is called with the number of bytes received. */
function receive(response: Response, secret: EgressSecret | null, onEnd: (bytes: number) => void): Response {
  if (response.webSocket === null) {
    return redactResponse(response, countBytes(response.body, response.headers, { onEnd }).body, secret);
  }
  onEnd(0);
  return response;
}

interface Sending {
  body: ReadableStream | null;
  secret: EgressSecret | null;
  signal: AbortSignal;
}

function send(request: Request, { body, secret: configured, signal }: Sending): Promise<Response> {
  const headers = new Headers(request.headers);
  // The messages of a WebSocket are not searched for the secret, so none is added.
  const secret = headers.has("upgrade") ? null : configured;
  for (const name of [...headers.keys()].filter((name) => /^(cf-|x-forwarded-|x-real-ip$|true-client-ip$)/.test(name)))
    headers.delete(name);
  if (secret !== null) {
    headers.set(secret.header, secret.value);
    // An echo of the secret cannot be found in a compressed or partial body.
    headers.set("accept-encoding", "identity");
    for (const name of ["range", "if-range"]) headers.delete(name);
  }
  return fetch(request.url, {
    method: request.method,
    headers,
    redirect: "manual",
    ...(body === null ? {} : { body, signal }),
  });
}

const unreachable = (host: string, fault: Exclude<Fault, "restricted">): Response =>
  new Response(`The sandbox could not reach ${host}: ${faultMessages[fault]}.\n`, {
    status: 502,
    statusText: "The sandbox could not reach the host",
    headers: { "content-type": "text/plain; charset=utf-8", [EGRESS_HEADER]: "unreachable" },
  });
