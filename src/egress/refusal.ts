// What a program, and through it a model, sees of a refused request: a response that no client retries (403, except for pip),
// whose reason phrase and body name the host, the reason and the next step. And the notice that accompanies a tool's answer.

import { formatList, formatTimes } from "../format/format-count.ts";
import type { HostPort, Verdict } from "./policy.ts";

export type Refusal = Extract<Verdict, { allowed: false }>["reason"];

export function refusalResponse(request: Request, to: HostPort, reason: Refusal): Response {
  const { status, type, text } = adaptToClient(request.headers, refusalMessage(to, reason));
  return new Response(text, {
    status,
    statusText: `Refused by the sandbox: ${reasonPhrases[reason]}`,
    headers: { "content-type": type, "cache-control": "no-store", [EGRESS_HEADER]: reason },
  });
}

/** Puts the message where the client looks for a text to show. */
function adaptToClient(headers: Headers, message: string): { status: number; type: string; text: string } {
  const [accept, agent] = [headers.get("accept") ?? "", headers.get("user-agent") ?? ""];
  const text = `${message}\n`;
  // For an index page, pip ignores every error status in silence, but it prints the content type of a page that it cannot
  // read. 300 is not an error, and without a Location header it is not a redirect either.
  if (agent.startsWith("pip/") && accept.includes("application/vnd.pypi.simple")) {
    return {
      status: 300,
      type: `text/plain; refused="${message.replaceAll('"', "'").replaceAll("…", "...")}"`,
      text,
    };
  }
  // npm prints `error` of a JSON body.
  if (/\bjson\b/.test(accept)) {
    return { status: 403, type: "application/json", text: JSON.stringify({ error: message }) };
  }
  // git prints a text body. requests, urllib and pip (for a file) print the reason phrase.
  return { status: 403, type: "text/plain; charset=utf-8", text };
}

/** Marks a response that was made here and not by the host. */
export const EGRESS_HEADER = "x-sandbox-egress";

const reasonPhrases: Record<Refusal, string> = {
  never: "this host is always blocked",
  port: "only ports 80 and 443 can be reached",
  ceiling: "this deployment does not allow this host",
  denied: "this host is on the deny list of the sandbox (see sandbox configure)",
  unlisted: "this host is not allowed (see sandbox configure, allow)",
};

function refusalMessage({ host, port }: HostPort, reason: Refusal): string {
  switch (reason) {
    case "never":
      return `The sandbox refused to connect to ${host}: local, private and metadata addresses are always blocked.`;
    case "port":
      return `The sandbox refused to connect to port ${port} of ${host}: only ports 80 and 443 can be reached, from run_js too, and no setting changes that; if the host also serves HTTPS on port 443, use https://${host}/ without a port.`;
    case "ceiling":
      return `The sandbox refused to connect to ${host}: this deployment does not allow it (EGRESS_CEILING); only its owner can change that.`;
    case "denied":
      return `The sandbox refused to connect to ${host}: it is on the sandbox's deny list; to remove it, call sandbox {action: "configure", deny: […]} with the list without it.`;
    case "unlisted":
      return `The sandbox refused to connect to ${host}: its egress policy does not allow it; to allow it, call sandbox ${configureCall([host])}.`;
  }
}

export interface RefusedHost {
  host: string;
  reason: Refusal;
  count: number;
}

/** Null when nothing was refused. */
export function refusalNotice(refused: readonly RefusedHost[]): string | null {
  if (refused.length === 0) return null;
  const hosts = refused.map(({ host, reason, count }) => `${host} (${formatTimes(count)}${noticeReasons[reason]})`);
  const unlisted = refused.filter(({ reason }) => reason === "unlisted").map(({ host }) => host);
  const denied = refused.filter(({ reason }) => reason === "denied").map(({ host }) => host);
  return [
    `The sandbox's egress policy refused connections to ${formatList(hosts, NOTICE_HOSTS)}.`,
    ...(unlisted.length === 0
      ? []
      : [`To allow ${unlisted.length === 1 ? "it" : "them"}: sandbox ${configureCall(unlisted)}.`]),
    ...(denied.length === 0
      ? []
      : [
          `On the deny list: ${denied.slice(0, NOTICE_HOSTS).join(", ")}; to remove a host, call sandbox configure with a "deny" list without it.`,
        ]),
  ].join(" ");
}

const NOTICE_HOSTS = 8;

const noticeReasons: Record<Refusal, string> = {
  never: ": local and private addresses are always blocked",
  port: ": only ports 80 and 443 can be reached",
  ceiling: ": this deployment does not allow it",
  denied: "",
  unlisted: "",
};

/** configure adds the hosts of `allow` to those that are allowed already. */
const configureCall = (hosts: readonly string[]): string =>
  `{action: "configure", allow: ${JSON.stringify(hosts.slice(0, NOTICE_HOSTS))}}`;
