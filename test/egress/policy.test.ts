// What policies allow, which hosts are always blocked, and how hosts are written.

import { describe, expect, test } from "vitest";
import { isBlockedAddress, isBlockedHost } from "../../src/egress/blocked-addresses.ts";
import { normalizeHost, normalizePattern } from "../../src/egress/host-pattern.ts";
import { type EgressBounds, type EgressPolicy, judge } from "../../src/egress/policy.ts";

const open: EgressBounds = { ceiling: { preset: "internet", hosts: [] }, default: "packages" };
const policy = (parts: Partial<EgressPolicy> = {}): EgressPolicy => ({ preset: null, allow: [], deny: [], ...parts });

test.each<[host: string, parts: Partial<EgressPolicy>, verdict: string, bounds?: EgressBounds]>([
  ["any.pypi.org", {}, "allowed"],
  ["any.pythonhosted.org", {}, "allowed"],
  ["github.com", {}, "allowed"],
  ["example.com", {}, "unlisted"],
  ["github.com.example.com", {}, "unlisted"],
  ["notgithub.com", {}, "unlisted"],
  ["GitHub.com.", {}, "allowed"],
  ["github.com", { preset: "none" }, "unlisted"],
  ["example.com", { preset: "none", allow: ["example.com"] }, "allowed"],
  ["www.example.com", { allow: ["example.com"] }, "unlisted"],
  ["www.example.com", { allow: ["*.example.com"] }, "allowed"],
  ["example.com", { allow: ["*.example.com"] }, "allowed"],
  ["badexample.com", { allow: ["*.example.com"] }, "unlisted"],
  ["example.com", { preset: "internet" }, "allowed"],
  ["a.example.com", { preset: "internet", deny: ["*.example.com"] }, "denied"],
  ["a.example.com", { allow: ["a.example.com"], deny: ["*.example.com"] }, "denied"],
  // An address is allowed only when it is listed itself, and a private one not even then.
  ["93.184.216.34", { preset: "internet" }, "unlisted"],
  ["93.184.216.34", { allow: ["93.184.216.34"] }, "allowed"],
  ["[2606:4700::1]", { preset: "internet" }, "unlisted"],
  ["[2606:4700::1]", { allow: ["2606:4700::1"] }, "allowed"],
  ["10.0.0.1", { preset: "internet", allow: ["10.0.0.1"] }, "never"],
  ["169.254.169.254", { preset: "internet", allow: ["169.254.169.254"] }, "never"],
  ["2130706433", { preset: "internet", allow: ["127.0.0.1"] }, "never"],
  ["0x7f.1", { preset: "internet" }, "never"],
  ["[::ffff:127.0.0.1]", { preset: "internet" }, "never"],
  ["localhost", { preset: "internet" }, "never"],
  ["a.localhost", { preset: "internet" }, "never"],
  ["metadata.google.internal", { preset: "internet" }, "never"],
  ["intranet", { preset: "internet" }, "never"],
  // The deployment's ceiling.
  ["example.com", { preset: "internet" }, "ceiling", { ...open, ceiling: { preset: "packages", hosts: [] } }],
  ["github.com", { preset: "internet" }, "allowed", { ...open, ceiling: { preset: "packages", hosts: [] } }],
  [
    "a.example.com",
    { allow: ["a.example.com"] },
    "allowed",
    { ...open, ceiling: { preset: "none", hosts: ["*.example.com"] } },
  ],
  ["github.com", {}, "ceiling", { ...open, ceiling: { preset: "none", hosts: [] } }],
  ["github.com", {}, "unlisted", { ...open, default: "none" }],
])("judge(%s, %j) is %s", (host, parts, verdict, bounds = open) => {
  const judged = judge({ host, port: 443 }, policy(parts), bounds);
  expect(judged.allowed ? "allowed" : judged.reason).toBe(verdict);
});

test.each<[host: string, port: number, verdict: string]>([
  ["github.com", 80, "allowed"],
  ["github.com", 443, "allowed"],
  ["github.com", 8443, "port"],
  ["github.com", 22, "port"],
  ["github.com", 0, "port"],
  // The port is judged before everything that configure can change, and after the blocked hosts.
  ["denied.github.com", 8443, "port"],
  ["example.com", 8443, "port"],
  ["127.0.0.1", 8443, "never"],
])("judge(%s) on port %j is %s", (host, port, verdict) => {
  const judged = judge({ host, port }, policy({ deny: ["denied.github.com"] }), open);
  expect(judged.allowed ? "allowed" : judged.reason).toBe(verdict);
});

test.each([
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.1.1", "172.16.0.1", "172.31.255.255"],
  ...[
    "192.168.1.1",
    "192.0.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
  ],
  ...["168.63.129.16", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "::ffff:10.0.0.1"],
  ...["::ffff:a00:1", "::10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:a00:1::1", "2001:0:1::1"],
  ...["nonsense", "", "1.2.3", "256.1.1.1", "16909060", "1:2:3", "1::2::3"],
  // Leading zeros are octal to some programs and decimal to others.
  ...["01.1.1.1", "::ffff:01.1.1.1", "2606:4700::01.1.1.1"],
])("isBlockedAddress(%j) is true", (address) => {
  expect(isBlockedAddress(address)).toBe(true);
});

test.each(["1.1.1.1", "172.32.0.1", "100.128.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1", "::ffff:1.1.1.1"])(
  "isBlockedAddress(%j) is false",
  (address) => {
    expect(isBlockedAddress(address)).toBe(false);
  },
);

test("isBlockedHost() is false for names under a public domain", () => {
  expect(["example.com", "local.example.com", "internal.dev"].filter(isBlockedHost)).toEqual([]);
});

describe("an entry of a list", () => {
  test.each<[text: string, pattern: string | null]>([
    ["Example.COM.", "example.com"],
    ["*.Example.com", "*.example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["1.1.1.1", "1.1.1.1"],
    ["0x1.1.1.1", "1.1.1.1"],
    ["2606:4700::0001", "2606:4700::1"],
    ["*", null],
    ["*.*", null],
    ["a.*.com", null],
    ["*.1.1.1.1", null],
    ["https://example.com", null],
    ["example.com:443", null],
    ["example.com/path", null],
    ["user@example.com", null],
    ["a b", null],
    ["", null],
  ])("normalizePattern(%j) is %j", (text, pattern) => {
    expect(normalizePattern(text)).toBe(pattern);
  });

  test("normalizeHost() refuses escapes and separators", () => {
    expect(["a%2eb", "a\\b", "a?b", "a#b"].map(normalizeHost)).toEqual([null, null, null, null]);
  });
});
