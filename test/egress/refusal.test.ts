// What each client is answered when its request is refused.

import { expect, test } from "vitest";
import { refusalNotice, refusalResponse } from "../../src/egress/refusal.ts";

const to = (host: string, port = 443) => ({ host, port });
const message =
  'The sandbox refused to connect to denied.example: its egress policy does not allow it; to allow it, call sandbox {action: "configure", allow: ["denied.example"]}.';
const index = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01";
const text = { status: 403, type: "text/plain; charset=utf-8", body: `${message}\n` };
const json = { status: 403, type: "application/json", body: JSON.stringify({ error: message }) };

test.each<[title: string, headers: Record<string, string>, answer: typeof text]>([
  ["an unknown client", {}, text],
  ["curl", { accept: "*/*", "user-agent": "curl/8.5.0" }, text],
  ["git", { accept: "*/*", "user-agent": "git/2.39.5" }, text],
  ["npm", { accept: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*" }, json],
  [
    "pip, for an index",
    { accept: index, "user-agent": 'pip/23.0.1 {"ci":null}' },
    { status: 300, type: `text/plain; refused="${message.replaceAll('"', "'")}"`, body: `${message}\n` },
  ],
  ["pip, for a file", { accept: "*/*", "user-agent": 'pip/23.0.1 {"ci":null}' }, text],
  // These clients print a JSON body for an index too.
  ["uv", { accept: index, "user-agent": 'uv/0.9.5 {"ci":null}' }, json],
  ["poetry", { accept: "application/vnd.pypi.simple.v1+json", "user-agent": "poetry/2.2.1 CPython/3.11.2" }, json],
])("refusalResponse() for %s cannot be cached and gives the reason", async (_, headers, { status, type, body }) => {
  const answer = refusalResponse(new Request("https://denied.example/", { headers }), to("denied.example"), "unlisted");
  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([status, type, body]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.statusText).toMatch(/^Refused by the sandbox: /);
});

test("refusalResponse() for another port names the ports and suggests no configure call", async () => {
  const answer = refusalResponse(new Request("https://git.example:8443/"), to("git.example", 8443), "port");
  expect([answer.status, answer.headers.get("x-sandbox-egress"), answer.statusText]).toEqual([
    ...[403, "port", "Refused by the sandbox: only ports 80 and 443 can be reached"],
  ]);
  expect(await answer.text()).toBe(
    "The sandbox refused to connect to port 8443 of git.example: only ports 80 and 443 can be reached, from run_js too, and no setting changes that; if the host also serves HTTPS on port 443, use https://git.example/ without a port.\n",
  );
});

test("refusalNotice() suggests to allow only the hosts that configure can allow", () => {
  expect(
    refusalNotice([
      { host: "git.example", reason: "port", count: 2 },
      { host: "git.example", reason: "unlisted", count: 1 },
      { host: "other.example", reason: "port", count: 1 },
    ]),
  ).toBe(
    'The sandbox\'s egress policy refused connections to git.example (2 times: only ports 80 and 443 can be reached), git.example (once), other.example (once: only ports 80 and 443 can be reached). To allow it: sandbox {action: "configure", allow: ["git.example"]}.',
  );
});
