// Forwards a preview's requests to a port of the machine: HTTP, streamed in both directions, and WebSockets. Requests count as
// activity while they stream, and wake the machine only if the preview allows it.

import type { Preview } from "../admin-actions.ts";
import type { Activity } from "../machine/activity.ts";
import type { MachineController } from "../machine/machine-controller.ts";
import type { MachinePlatform } from "../machine/machine-platform.ts";
import { joinSockets } from "./join-sockets.ts";
import { requestHeaders, responseHeaders } from "./preview-headers.ts";
import { parsePreviewLabel } from "./preview-label.ts";
import { machineAsleep, machineStarting, noPreview, portSilent, previewFault } from "./preview-pages.ts";
import type { PreviewTable } from "./preview-table.ts";

export interface PreviewServer {
  /** Runs the preview's command in a machine that is up, once for each machine. */
  runCommand(preview: Preview): Promise<void>;
}

interface PreviewContext {
  platform: MachinePlatform;
  machine: MachineController;
  activity: Activity;
  table: PreviewTable;
  server: PreviewServer;
}

export async function answerPreviewRequest(request: Request, context: PreviewContext): Promise<Response> {
  const url = new URL(request.url);
  const label = parsePreviewLabel(url.hostname.split(".")[0] ?? "");
  const preview = label === null ? null : context.table.find(label, Date.now());
  if (preview === null) return noPreview();
  if (!context.machine.isThere) return answerWithoutMachine(request, preview, context);
  const up = await context.machine.up();
  if (!up.ok) return machineStarting(request);
  const end = context.activity.beginTraffic();
  const answer = await forward(request, url, { preview, context, end }).catch((error: unknown) => {
    end();
    throw error;
  });
  if (answer instanceof Response) return answer;
  end();
  return answerUnanswered(request, answer.error, preview, context);
}

function answerWithoutMachine(request: Request, preview: Preview, context: PreviewContext): Response {
  if (context.machine.isStarting) return machineStarting(request);
  if (!preview.wake) return machineAsleep(request);
  context.platform.waitUntil(wake(preview, context));
  return machineStarting(request);
}

async function wake(preview: Preview, { machine, server }: PreviewContext): Promise<void> {
  const up = await machine.up();
  if (up.ok) await server.runCommand(preview);
}

interface Forwarding {
  preview: Preview;
  context: PreviewContext;
  /** Must be called once, when the traffic of this request is over. */
  end: () => void;
}

/** An error means that the port sent no response; `end` has not been called then. */
async function forward(
  request: Request,
  url: URL,
  { preview, context, end }: Forwarding,
): Promise<Response | { error: unknown }> {
  const address = { port: preview.port, origin: url };
  const answer = await fetchFromPort(request, url, preview.port, context.platform);
  if (!(answer instanceof Response)) return answer;
  const headers = responseHeaders(answer.headers, address);
  if (answer.webSocket !== null) {
    const webSocket = joinSockets(answer.webSocket, { touch: () => context.activity.touch(), end });
    return new Response(null, { status: 101, headers, webSocket });
  }
  const { status, statusText } = answer;
  if (answer.body === null) {
    end();
    return new Response(null, { status, statusText, headers });
  }
  return new Response(untilEnd(answer.body, headers, { context, end }), { status, statusText, headers });
}

async function fetchFromPort(
  request: Request,
  url: URL,
  port: number,
  platform: MachinePlatform,
): Promise<Response | { error: unknown }> {
  const send = (): Promise<Response | { error: unknown }> =>
    platform
      .port(port)
      .fetch(`http://localhost:${port}${url.pathname}${url.search}`, {
        method: request.method,
        headers: requestHeaders(request.headers, { port, origin: url }),
        body: request.body,
        redirect: "manual",
        signal: request.signal,
      })
      .catch((error: unknown) => ({ error }));
  const answer = await send();
  // workerd 1.20261117 breaks the second request on a connection if the first answer has no body. A request that is safe may be
  // repeated when its connection breaks (RFC 9110, section 9.2.2).
  const isBroken = !(answer instanceof Response) && !isRefused(answer.error) && !request.signal.aborted;
  return isBroken && SAFE_METHODS.includes(request.method) ? send() : answer;
}

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

const isRefused = (error: unknown): boolean => /not listening|refused/i.test(messageOf(error));
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Returns a body with the same bytes, and calls `end` after them. Keeps a declared length unless it is that of the compressed
 * body.
 */
function untilEnd(
  body: ReadableStream,
  headers: Headers,
  { context, end }: Omit<Forwarding, "preview">,
): ReadableStream {
  const length = headers.has("content-encoding") ? null : headers.get("content-length");
  if (length === null) headers.delete("content-length");
  const { readable, writable } =
    length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length));
  // A browser that disconnects breaks the pipe, which ends the request in the machine too.
  context.platform.waitUntil(body.pipeTo(writable).then(end, end));
  return readable;
}

function answerUnanswered(request: Request, error: unknown, preview: Preview, context: PreviewContext): Response {
  if (!isRefused(error)) {
    console.warn(`Preview of port ${preview.port}:`, messageOf(error));
    return previewFault(502, `The program on port ${preview.port} closed the connection without an answer`);
  }
  if (preview.command !== null) context.platform.waitUntil(context.server.runCommand(preview));
  return portSilent(request, preview.port);
}
