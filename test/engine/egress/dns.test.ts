// The machine's own DNS, by the bytes.

import fc from "fast-check";
import { expect, test } from "vitest";
import { answerDns } from "../../../container/engine/egress/dns.ts";
import { SyntheticNames } from "../../../container/engine/egress/synthetic-names.ts";

const HEADER = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
const label = (text: string, encoding: BufferEncoding = "utf8"): Buffer => {
  const bytes = Buffer.from(text, encoding);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
};
const query = (name: string, type = 1): Buffer =>
  Buffer.concat([HEADER, ...name.split(".").map((text) => label(text)), Buffer.from([0, 0, type, 0, 1])]);

const answer = (bytes: Buffer, names = new SyntheticNames()) => answerDns(bytes, names);
const headerOf = (bytes: Buffer | undefined): string | undefined => bytes?.subarray(0, 12).toString("hex");

test("answerDns() gives each name an address that leads back to it", () => {
  const names = new SyntheticNames();
  const response = answer(query("Example.com"), names);
  expect(headerOf(response)).toBe("123481800001000100000000");
  expect(response?.subarray(12, 29)).toEqual(query("Example.com").subarray(12));
  expect([...(response?.subarray(-4) ?? [])].join(".")).toBe("198.18.1.0");
  expect(names.hostOf("198.18.1.0")).toBe("example.com");
  expect(names.addressOf("example.com")).toBe("198.18.1.0");
  expect(names.addressOf("example.org")).toBe("198.18.1.1");
  expect(names.hostOf("1.1.1.1")).toBe("1.1.1.1");
});

test("answerDns() has no IPv6 address and no other record, which is no error", () => {
  for (const type of [28, 33, 65, 255]) {
    expect(headerOf(answer(query("example.com", type)))).toBe("123481800001000000000000");
  }
});

test("answerDns() answers a question whatever follows it", () => {
  const withOption = Buffer.concat([query("example.com"), Buffer.from([0, 0, 41, 4, 0xd0])]);
  withOption.writeUInt16BE(1, 10);
  expect(headerOf(answer(withOption))).toBe("123481800001000100000000");
});

/** The end of a name, type A and class IN. */
const END = Buffer.from([0, 0, 1, 0, 1]);
const LONGEST = `${"a.".repeat(126)}b`;

test("answerDns() answers the longest name within the 512 bytes of a datagram", () => {
  const response = answer(query(LONGEST));
  expect(headerOf(response)).toBe("123481800001000100000000");
  expect(response?.length).toBeLessThanOrEqual(512);
});

test.each([
  ["a dot", Buffer.concat([label("a."), label("b")])],
  ["bytes that are not UTF-8", label("\xff\xfe", "latin1")],
  ["a NUL and a line end", label("a\0\r\nb")],
])("answerDns() repeats a question byte for byte when a label has %s", (_, labels) => {
  const question = Buffer.concat([labels, END]);
  const response = answer(Buffer.concat([HEADER, question]));
  expect(headerOf(response)).toBe("123481800001000100000000");
  expect(response?.subarray(12, -16)).toEqual(question);
});

test.each([
  ["short", Buffer.from([1, 2, 3])],
  ["an answer", Buffer.from([0x12, 0x34, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0])],
])("answerDns() ignores what is %s", (_, bytes) => {
  expect(answer(bytes)).toBeUndefined();
});

const POINTER = (to: number): Buffer => Buffer.from([0xc0, to, 0, 1, 0, 1]);

test.each([
  ["a pointer to itself", Buffer.concat([HEADER, POINTER(12)])],
  ["a pointer to a later name", Buffer.concat([HEADER, POINTER(18), label("a"), END])],
  ...Array.from({ length: 12 }, (_, to): [string, Buffer] => [
    `a label and a pointer to byte ${to} of the header`,
    Buffer.concat([HEADER, label("a"), POINTER(to)]),
  ]),
  ["a pointer into the header", Buffer.concat([HEADER, POINTER(6)])],
  ["a label and a pointer to it", Buffer.concat([HEADER, label("a"), POINTER(12)])],
  ["a label beyond the end", Buffer.concat([HEADER, Buffer.from([63, 97])])],
  ["a label of an unknown kind", Buffer.concat([HEADER, Buffer.from([0x41, 97]), END])],
  ["a name without an end", Buffer.concat([HEADER, label("a"), label("b")])],
  ["a name that is too long", query(`a.${LONGEST}`)],
  ["an endless name", Buffer.concat([HEADER, Buffer.alloc(60_000, label("a")), END])],
  ["a question that is cut off", query("example.com").subarray(0, -1)],
  ["no question", Buffer.from([0x12, 0x34, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ["two questions", Buffer.concat([Buffer.from(HEADER).fill(2, 5, 6), label("a"), END, label("b"), END])],
])("answerDns() calls %s malformed", (_, bytes) => {
  expect(headerOf(answer(bytes))).toBe("123481810000000000000000");
});

test("answerDns() never throws", () => {
  const name = fc.array(fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.constantFrom(POINTER(12), POINTER(0), END)));
  fc.assert(
    fc.property(name, (parts) => {
      expect(headerOf(answer(Buffer.concat([HEADER, ...parts])))).toMatch(/^12348[13]8[01]/);
    }),
    { numRuns: 2_000 },
  );
});

test("SyntheticNames forgets the oldest when all addresses are taken", () => {
  const names = new SyntheticNames();
  const first = names.addressOf("first.example");
  for (let index = 0; index < 2 ** 15; index += 1) names.addressOf(`${index}.example`);
  expect(names.hostOf(first)).toBe("32767.example");
  expect(names.addressOf("first.example")).not.toBe(first);
});
