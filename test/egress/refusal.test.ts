// How a refusal is answered, by who asks.

import { expect, test } from "vitest";
import { refusalNotice, refusalResponse } from "../../src/egress/refusal.ts";

const to = (host: string, port = 443) => ({ host, port });
const words =
  'The sandbox refused to connect to denied.example: its egress policy does not allow it; sandbox {action: "configure", allow: ["denied.example"]} would.';
const index = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01";
const text = { status: 403, type: "text/plain; charset=utf-8", body: `${words}\n` };
const json = { status: 403, type: "application/json", body: JSON.stringify({ error: words }) };

test.each<[title: string, headers: Record<string, string>, answer: typeof text]>([
  ["anybody", {}, text],
  ["curl", { accept: "*/*", "user-agent": "curl/8.5.0" }, text],
  ["git", { accept: "*/*", "user-agent": "git/2.39.5" }, text],
  ["npm", { accept: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*" }, json],
  [
    "pip, of an index",
    { accept: index, "user-agent": 'pip/23.0.1 {"ci":null}' },
    { status: 300, type: `text/plain; refused="${words.replaceAll('"', "'")}"`, body: `${words}\n` },
  ],
  ["pip, of a file", { accept: "*/*", "user-agent": 'pip/23.0.1 {"ci":null}' }, text],
  // They show a status themselves.
  ["uv", { accept: index, "user-agent": 'uv/0.9.5 {"ci":null}' }, json],
  ["poetry", { accept: "application/vnd.pypi.simple.v1+json", "user-agent": "poetry/2.2.1 CPython/3.11.2" }, json],
])("refusalResponse() for %s is never stored, and says why", async (_, headers, { status, type, body }) => {
  const answer = refusalResponse(new Request("https://denied.example/", { headers }), to("denied.example"), "unlisted");
  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([status, type, body]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.statusText).toMatch(/^Refused by the sandbox: /);
});

test("refusalResponse() of another port says which are reached, and proposes no configure call", async () => {
  const answer = refusalResponse(new Request("https://git.example:8443/"), to("git.example", 8443), "port");
  expect([answer.status, answer.headers.get("x-sandbox-egress"), answer.statusText]).toEqual([
    ...[403, "port", "Refused by the sandbox: only ports 80 and 443 are reached from here"],
  ]);
  expect(await answer.text()).toBe(
    "The sandbox refused to connect to port 8443 of git.example: requests go to ports 80 and 443 only, those of run_js too, and no setting changes that; ask for https://git.example/ without a port, if it is served there.\n",
  );
});

test("refusalNotice() proposes to allow what that would let through, and nothing else", () => {
  expect(
    refusalNotice([
      { host: "git.example", why: "port", count: 2 },
      { host: "git.example", why: "unlisted", count: 1 },
      { host: "other.example", why: "port", count: 1 },
    ]),
  ).toBe(
    'The sandbox\'s egress policy refused connections to git.example (2 times, on another port than 80 and 443: never reached), git.example (once), other.example (once, on another port than 80 and 443: never reached). To allow it: sandbox {action: "configure", allow: ["git.example"]}.',
  );
});
