// Guessing access keys: an address that sends wrong ones is refused for a while, nobody else is, and the counts stay small.

import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { type Access, parseAccessKeys } from "../../src/auth/access-keys.ts";
import { authenticate } from "../../src/auth/authenticate.ts";
import { clientAddress } from "../../src/auth/client-address.ts";
import { WrongKeys } from "../../src/auth/wrong-keys.ts";
import { limits } from "../../src/contract/limits.ts";

const KEY = "right-key-0123456789abcd";
const access: Access = { keys: parseAccessKeys(`alice:${KEY}`) };

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => void vi.restoreAllMocks());

function send(key: string, address: string | null) {
  const headers = { authorization: `Bearer ${key}`, ...(address === null ? {} : { "cf-connecting-ip": address }) };
  return authenticate(new Request("https://host/mcp", { method: "POST", headers }), access);
}

async function statusOf(key: string, address: string | null): Promise<number | string> {
  const answer = await send(key, address);
  return answer instanceof Response ? answer.status : answer.principal;
}

async function guess(times: number, address: string | null): Promise<(number | string)[]> {
  const statuses: (number | string)[] = [];
  for (let n = 0; n < times; n += 1) statuses.push(await statusOf(`guess-${n}`, address));
  return statuses;
}

test("an address that guessed is refused, with the right key too, and another address is not", async () => {
  const refusals = await guess(limits.wrongKeysMax + 2, "203.0.113.7");
  expect(refusals).toEqual([...new Array(limits.wrongKeysMax).fill(401), 429, 429]);
  expect(await statusOf(KEY, "203.0.113.7")).toBe(429);
  expect(await statusOf(KEY, "203.0.113.8")).toBe("alice");
  const refused = await send("guess", "203.0.113.7");
  expect(refused instanceof Response ? Number(refused.headers.get("retry-after")) : 0).toBeGreaterThan(0);
});

test("the addresses of one IPv6 network are counted together", async () => {
  for (let n = 0; n < limits.wrongKeysMax; n += 1) await send("guess", `2001:db8:0:1::${n}`);
  expect(await statusOf("guess", "2001:db8:0:1:ffff::1")).toBe(429);
  expect(await statusOf("guess", "2001:db8:0:2::1")).toBe(401);
});

test.each([null, "127.0.0.1", "::1"])(
  "where all users of a host have the address %s, guesses are refused and the right key is not",
  async (address) => {
    expect((await guess(limits.wrongKeysMax + 1, address)).at(-1)).toBe(429);
    expect(await statusOf(KEY, address)).toBe("alice");
  },
);

test("wrong keys are logged with the address and the count, in two lines, and without the keys", async () => {
  await guess(limits.wrongKeysMax * 3, "198.51.100.9");
  expect(warn.mock.calls).toEqual([
    ["Wrong access keys from 198.51.100.9: 1"],
    [`Wrong access keys from 198.51.100.9: ${limits.wrongKeysMax}`],
  ]);
});

test("an address may try again when the time is over", () => {
  const wrongKeys = new WrongKeys();
  for (let n = 0; n < limits.wrongKeysMax; n += 1) wrongKeys.add("a", 1_000);
  expect(wrongKeys.waitMs("a", 1_000)).toBe(limits.wrongKeysWithinMs);
  expect(wrongKeys.waitMs("a", 1_000 + limits.wrongKeysWithinMs)).toBe(0);
});

test("the counts of any number of addresses take bounded memory", () => {
  const wrongKeys = new WrongKeys();
  for (let n = 0; n < limits.wrongKeysMax; n += 1) wrongKeys.add("first", 0);
  expect(wrongKeys.waitMs("first", 0)).toBeGreaterThan(0);
  for (let n = 0; n < limits.wrongKeyAddressesMax; n += 1) wrongKeys.add(`address ${n}`, 0);
  expect(wrongKeys.waitMs("first", 0)).toBe(0);
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:DB8::1", "2001:db8:0:0::/64"],
  ["::1", null],
  ["127.0.0.1", null],
  ["64:ff9b::1", "64:ff9b:0:0::/64"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["", null],
  ["a line%0Aof a log", null],
])("clientAddress() reads %j as %j", (header, address) => {
  expect(clientAddress(new Headers({ "cf-connecting-ip": header }))).toBe(address);
});
