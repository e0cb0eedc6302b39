// The one way out, for machines and isolates alike: asks the sandbox for the verdict, adds a secret where one is due, and
// hands on what comes back without it. Redirects are handed back, so that each hop is judged anew.

import type { Env } from "../config/env.ts";
import { type EgressRecord, logEgress } from "./audit-log.ts";
import { countBytes } from "./count-bytes.ts";
import { type Fault, faultWords } from "./fault.ts";
import { askFault, type FaultLog } from "./lookup-fault.ts";
import type { Destination } from "./policy.ts";
import type { EgressGate } from "./policy-service.ts";
import { withoutSecret } from "./redact-response.ts";
import { EGRESS_HEADER, refusalResponse } from "./refusal.ts";
import { type EgressSecret, secretFor } from "./secrets.ts";
import { resolveEgress } from "./settings.ts";

interface EgressOrigin {
  gate: EgressGate;
  from: EgressRecord["from"];
  teller: string;
  /** Keeps the last words of a request alive after its answer. */
  detach(work: Promise<unknown>): void;
}

export async function handleEgress(request: Request, env: Env, origin: EgressOrigin): Promise<Response> {
  const url = new URL(request.url);
  const host = url.hostname.replace(/\.$/, "");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const asked = { host, port, teller: origin.teller };
  const { verdict, principal, sandbox } = await origin.gate.admitEgress(asked);
  const log = (outcome: EgressRecord["verdict"], bytes: number) =>
    logEgress({ from: origin.from, principal, sandbox, host, port, verdict: outcome, bytes });
  if (!verdict.allowed) {
    log(verdict.why, 0);
    return refusalResponse(request, asked, verdict.why);
  }
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  // Also when the client breaks off: what had gone by then is on record.
  origin.detach(settled);
  const settle: Settle = (outcome, bytes) => {
    log(outcome, bytes);
    resolve(origin.gate.settleEgress({ ...asked, verdict: outcome, bytes }));
    return settled;
  };
  const secret = secretFor(resolveEgress(env).secrets, { url, method: request.method, principal });
  return forward(request, { to: { host, port }, secret, faults: env.RUNTIME_FAULTS, settle });
}

/** Says what became of the request; resolves when the sandbox knows. */
type Settle = (outcome: EgressRecord["verdict"], bytes: number) => Promise<void>;

interface Forwarding {
  to: Destination;
  secret: EgressSecret | null;
  faults: FaultLog | undefined;
  settle: Settle;
}

async function forward(request: Request, { to, secret, faults, settle }: Forwarding): Promise<Response> {
  const upload = new AbortController();
  let answered = false;
  // An upload that breaks has to break at the host too, where the runtime would end it as if it were whole. What is left of it
  // when there is an answer already is given up by the runtime, and the answer stands.
  const sent = countBytes(request.body, request.headers, { broke: (error) => answered || upload.abort(error) });
  const sending = send(request, { body: sent.body, secret, signal: upload.signal });
  const response = await sending.catch((error: unknown) => askFault(to.host, error, faults));
  answered = true;
  if (response instanceof Response) {
    return receive(response, secret, (bytes) => void settle("allowed", sent.bytes() + bytes));
  }
  // Awaited, so that the answer of the command has the notice.
  if (response === "restricted") {
    await settle("never", 0);
    return refusalResponse(request, to, "never");
  }
  await settle(upload.signal.aborted ? "allowed" : "unreachable", response === "no-answer" ? sent.bytes() : 0);
  return unreachable(to.host, response);
}

/** `ended` is told how many bytes came. */
function receive(response: Response, secret: EgressSecret | null, ended: (bytes: number) => void): Response {
  if (response.webSocket === null) {
    return withoutSecret(response, countBytes(response.body, response.headers, { ended }).body, secret);
  }
  ended(0);
  return response;
}

interface Sending {
  body: ReadableStream | null;
  secret: EgressSecret | null;
  signal: AbortSignal;
}

function send(request: Request, { body, secret: due, signal }: Sending): Promise<Response> {
  const headers = new Headers(request.headers);
  const secret = headers.has("upgrade") ? null : due;
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
    ...(body === null ? {} : { body, signal }),
  });
}

const unreachable = (host: string, fault: Exclude<Fault, "restricted">): Response =>
  new Response(`The sandbox could not reach ${host}: ${faultWords[fault]}.\n`, {
    status: 502,
    statusText: "The sandbox could not reach the host",
    headers: { "content-type": "text/plain; charset=utf-8", [EGRESS_HEADER]: "unreachable" },
  });
