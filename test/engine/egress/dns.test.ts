// The machine's own DNS, by the bytes.

import { expect, test } from "vitest";
import { answerDns } from "../../../container/engine/egress/dns.ts";
import { SyntheticNames } from "../../../container/engine/egress/synthetic-names.ts";

const query = (name: string, type = 1): Buffer =>
  Buffer.concat([
    Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0, 0, type, 0, 1]),
  ]);

test("answerDns() gives each name an address that leads back to it", () => {
  const names = new SyntheticNames();
  const answer = answerDns(query("Example.com"), names);
  expect(answer?.subarray(0, 12).toString("hex")).toBe("123481800001000100000000");
  expect([...(answer?.subarray(-4) ?? [])].join(".")).toBe("198.18.1.0");
  expect(names.hostOf("198.18.1.0")).toBe("example.com");
  expect(names.addressOf("example.com")).toBe("198.18.1.0");
  expect(names.addressOf("example.org")).toBe("198.18.1.1");
  expect(names.hostOf("1.1.1.1")).toBe("1.1.1.1");
});

test("answerDns() has no IPv6 address and no other record, which is no error", () => {
  for (const type of [28, 33, 65, 255]) {
    const answer = answerDns(query("example.com", type), new SyntheticNames());
    expect(answer?.subarray(0, 12).toString("hex")).toBe("123481800001000000000000");
  }
});

test.each([
  ["short", Buffer.from([1, 2, 3])],
  ["an answer", Buffer.from([0x12, 0x34, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0])],
])("answerDns() ignores what is %s", (_, bytes) => {
  expect(answerDns(bytes, new SyntheticNames())).toBeUndefined();
});

test.each([
  ["a pointer", Buffer.concat([query("a").subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])])],
  ["a label beyond the end", Buffer.concat([query("a").subarray(0, 12), Buffer.from([63, 97])])],
  ["no question", Buffer.from([0x12, 0x34, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
])("answerDns() calls %s malformed", (_, bytes) => {
  expect(answerDns(bytes, new SyntheticNames())?.readUInt16BE(2)).toBe(0x8181);
});

test("SyntheticNames forgets the oldest when all addresses are taken", () => {
  const names = new SyntheticNames();
  const first = names.addressOf("first.example");
  for (let index = 0; index < 2 ** 15; index += 1) names.addressOf(`${index}.example`);
  expect(names.hostOf(first)).toBe("32767.example");
  expect(names.addressOf("first.example")).not.toBe(first);
});
