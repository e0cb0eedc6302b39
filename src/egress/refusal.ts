// What a program, and through it a model, sees of a refused request: an answer that no client tries again (403 but for pip),
// whose reason phrase and body say which host, why, and what to do. And the notice that goes with the answer of a tool.

import { formatTimes } from "../format/format-count.ts";
import type { Destination, Verdict } from "./policy.ts";

export type Refusal = Extract<Verdict, { allowed: false }>["why"];

export function refusalResponse(request: Request, to: Destination, why: Refusal): Response {
  const { status, type, text } = wording(request.headers, refusalWords(to, why));
  return new Response(text, {
    status,
    statusText: `Refused by the sandbox: ${shortWhy[why]}`,
    headers: { "content-type": type, "cache-control": "no-store", [EGRESS_HEADER]: why },
  });
}

/** Where the client that asks looks for words to show. */
function wording(headers: Headers, words: string): { status: number; type: string; text: string } {
  const [accept, agent] = [headers.get("accept") ?? "", headers.get("user-agent") ?? ""];
  const text = `${words}\n`;
  // Of a page of an index pip passes over any error in silence, but says of which type a page was that it cannot read. (3xx: no
  // error, and without a location no redirect either.)
  if (agent.startsWith("pip/") && accept.includes("application/vnd.pypi.simple")) {
    return { status: 300, type: `text/plain; refused="${words.replaceAll('"', "'").replaceAll("…", "...")}"`, text };
  }
  // npm shows `error` of a JSON body.
  if (/\bjson\b/.test(accept)) return { status: 403, type: "application/json", text: JSON.stringify({ error: words }) };
  // git shows a text; requests, urllib and pip, of a file, the reason phrase.
  return { status: 403, type: "text/plain; charset=utf-8", text };
}

/** Says that an answer is ours. */
export const EGRESS_HEADER = "x-sandbox-egress";

const shortWhy: Record<Refusal, string> = {
  never: "this host is never reached from here",
  port: "only ports 80 and 443 are reached from here",
  ceiling: "this host is above what this deployment allows",
  denied: "this host is on the deny list of the sandbox (see sandbox configure)",
  unlisted: "this host is not allowed (see sandbox configure, allow)",
};

function refusalWords({ host, port }: Destination, why: Refusal): string {
  switch (why) {
    case "never":
      return `The sandbox refused to connect to ${host}: local, private and metadata addresses are never reached from it.`;
    case "port":
      return `The sandbox refused to connect to port ${port} of ${host}: requests go to ports 80 and 443 only, those of run_js too, and no setting changes that; ask for https://${host}/ without a port, if it is served there.`;
    case "ceiling":
      return `The sandbox refused to connect to ${host}: this deployment does not allow it (EGRESS_CEILING); only its owner can change that.`;
    case "denied":
      return `The sandbox refused to connect to ${host}: it is on the sandbox's deny list; sandbox {action: "configure", deny: […]} without it takes it off.`;
    case "unlisted":
      return `The sandbox refused to connect to ${host}: its egress policy does not allow it; sandbox ${configureCall([host])} would.`;
  }
}

export interface RefusedHost {
  host: string;
  why: Refusal;
  count: number;
}

/** Null when nothing was refused. */
export function refusalNotice(refused: readonly RefusedHost[]): string | null {
  if (refused.length === 0) return null;
  const listed = refused
    .slice(0, NOTICE_HOSTS)
    .map(({ host, why, count }) => `${host} (${formatTimes(count)}${whyNot[why]})`);
  const more = refused.length > NOTICE_HOSTS ? ` and ${refused.length - NOTICE_HOSTS} more` : "";
  const unlisted = refused.filter(({ why }) => why === "unlisted").map(({ host }) => host);
  const denied = refused.filter(({ why }) => why === "denied").map(({ host }) => host);
  return [
    `The sandbox's egress policy refused connections to ${listed.join(", ")}${more}.`,
    ...(unlisted.length === 0
      ? []
      : [`To allow ${unlisted.length === 1 ? "it" : "them"}: sandbox ${configureCall(unlisted)}.`]),
    ...(denied.length === 0
      ? []
      : [
          `On its deny list: ${denied.slice(0, NOTICE_HOSTS).join(", ")}; sandbox configure with a "deny" list without it takes it off.`,
        ]),
  ].join(" ");
}

const NOTICE_HOSTS = 8;

const whyNot: Record<Refusal, string> = {
  never: ", local or private: never reached",
  port: ", on another port than 80 and 443: never reached",
  ceiling: ", above what this deployment allows",
  denied: "",
  unlisted: "",
};

/** `allow` is added to what is allowed already. */
const configureCall = (hosts: readonly string[]): string =>
  `{action: "configure", allow: ${JSON.stringify(hosts.slice(0, NOTICE_HOSTS))}}`;
