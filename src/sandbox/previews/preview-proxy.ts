// Answers a preview's requests from a port of the machine: HTTP with streaming both ways, and WebSockets. Requests count as
// activity while they stream, and never wake a machine unless the preview says so.

import type { Result } from "../../contract/result.ts";
import type { Preview } from "../admin-actions.ts";
import { joinSockets } from "./join-sockets.ts";
import { requestHeaders, responseHeaders } from "./preview-headers.ts";
import { parsePreviewLabel } from "./preview-label.ts";
import { machineAsleep, machineStarting, noPreview, portSilent, previewFault } from "./preview-pages.ts";
import type { PreviewTable } from "./preview-table.ts";

export interface PreviewHost {
  previews: PreviewTable;
  /** A machine is there, met or not. */
  isThere(): boolean;
  isStarting(): boolean;
  up(): Promise<Result<string>>;
  port(port: number): Fetcher;
  /** Runs the preview's command, once for each machine. */
  run(preview: Preview): Promise<void>;
  /** Traffic begins; the function that comes back says that it has ended. */
  begin(): () => void;
  touch(): void;
  detach(work: Promise<unknown>): void;
}

export async function answerPreviewRequest(request: Request, host: PreviewHost): Promise<Response> {
  const url = new URL(request.url);
  const label = parsePreviewLabel(url.hostname.split(".")[0] ?? "");
  const preview = label === null ? null : host.previews.find(label, Date.now());
  if (preview === null) return noPreview();
  if (!host.isThere()) return answerWithoutMachine(request, preview, host);
  const up = await host.up();
  if (!up.ok) return machineStarting(request);
  const end = host.begin();
  try {
    return await forward(request, url, { preview, host, end });
  } catch (error) {
    end();
    return unanswered(request, error, preview, host);
  }
}

function answerWithoutMachine(request: Request, preview: Preview, host: PreviewHost): Response {
  if (host.isStarting()) return machineStarting(request);
  if (!preview.wake) return machineAsleep(request);
  host.detach(
    host.up().then(async (up) => {
      if (up.ok) await host.run(preview);
    }),
  );
  return machineStarting(request);
}

interface Forwarding {
  preview: Preview;
  host: PreviewHost;
  /** To be called exactly when the traffic of this request is over. */
  end: () => void;
}

/** Rejects, without having called `end`, when the port gave no answer. */
async function forward(request: Request, url: URL, { preview, host, end }: Forwarding): Promise<Response> {
  const address = { port: preview.port, origin: url };
  const answer = await host.port(preview.port).fetch(`http://localhost:${preview.port}${url.pathname}${url.search}`, {
    method: request.method,
    headers: requestHeaders(request.headers, address),
    body: request.body,
    redirect: "manual",
    signal: request.signal,
  });
  const headers = responseHeaders(answer.headers, address);
  if (answer.webSocket !== null) {
    return new Response(null, { status: 101, headers, webSocket: joinSockets(answer.webSocket, host.touch, end) });
  }
  const { status, statusText } = answer;
  if (answer.body === null) {
    end();
    return new Response(null, { status, statusText, headers });
  }
  return new Response(counted(answer.body, headers, { host, end }), { status, statusText, headers });
}

/** The same bytes, with their end noticed. A length that was announced is kept, unless it is that of the compressed form. */
function counted(body: ReadableStream, headers: Headers, { host, end }: Omit<Forwarding, "preview">): ReadableStream {
  const length = headers.has("content-encoding") ? null : headers.get("content-length");
  if (length === null) headers.delete("content-length");
  const { readable, writable } =
    length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length));
  // A browser that goes away breaks the pipe, which ends the request in the machine too.
  host.detach(body.pipeTo(writable).then(end, end));
  return readable;
}

function unanswered(request: Request, error: unknown, preview: Preview, host: PreviewHost): Response {
  const message = error instanceof Error ? error.message : String(error);
  if (!/not listening|refused/i.test(message)) {
    console.warn(`Preview of port ${preview.port}:`, message);
    return previewFault(502, `The program on port ${preview.port} broke the connection off without an answer`);
  }
  if (preview.command !== null) host.detach(host.run(preview));
  return portSilent(request, preview.port);
}
