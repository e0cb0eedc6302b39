// Parsing the setting ACCESS_KEYS, and finding the owner of a key.

import { expect, test } from "vitest";
import { findAccessKey, parseAccessKeys } from "../../src/auth/access-keys.ts";
import { SCOPES } from "../../src/auth/caller.ts";

const [k1, k2, k3] = ["first-secret-0123456789", "second-secret-0123456789", "third-secret-0123456789"];

test.each<[string, string, unknown]>([
  ["one key with every scope", `alice:${k1}`, [{ name: "alice", label: "", key: k1, scopes: new Set(SCOPES) }]],
  ["scopes", `bob:${k2}:read+write`, [{ name: "bob", key: k2, scopes: new Set(["sandbox:read", "sandbox:write"]) }]],
  [
    "several, separated by spaces, commas and line breaks",
    `a:${k1}, b:${k2}\nc:${k3}`,
    [{ name: "a" }, { name: "b" }, { name: "c" }],
  ],
  [
    "several keys of one principal",
    `alice:${k1} alice/phone:${k2}:read alice/ci:${k3}`,
    [
      { name: "alice", label: "", scopes: new Set(SCOPES) },
      { name: "alice", label: "phone", scopes: new Set(["sandbox:read"]) },
      { name: "alice", label: "ci" },
    ],
  ],
])("parseAccessKeys() reads %s", (_, setting, expected) => {
  expect(parseAccessKeys(setting)).toMatchObject(expected as object);
});

test.each([
  ["no entries", " , ", "ACCESS_KEYS has no entries"],
  ["a name with two slashes", `a/b/c:${k1}`, "ACCESS_KEYS entry 1 needs a name"],
  ["an empty label", `a/:${k1}`, "ACCESS_KEYS entry 1 needs a name"],
  ["a name in upper case", `ok:${k1} Alice:${k2}`, "ACCESS_KEYS entry 2 needs a name"],
  ["no key", "alice", "ACCESS_KEYS entry 1 is not of the form"],
  ["an empty key", "alice:", "ACCESS_KEYS entry 1 is not of the form"],
  ["a fourth part", `alice:${k1}:read:x`, "ACCESS_KEYS entry 1 is not of the form"],
  ["an unknown scope", `alice:${k1}:admin`, "ACCESS_KEYS entry 1 has a scope"],
  ["a short key", "alice:secret-of-19-chars", "fewer than 20 characters; make one with: openssl rand -hex 24"],
  [
    "a name again without a label",
    `alice:${k1} alice:${k2}`,
    "ACCESS_KEYS entry 2 has the same name as an earlier one",
  ],
  ["a label again", `alice/x:${k1} alice/x:${k2}`, "ACCESS_KEYS entry 2 has the same name as an earlier one"],
  ["one key of two principals", `alice:${k1} bob:${k1}`, "ACCESS_KEYS entry 2 has the same key as an earlier one"],
])("parseAccessKeys() refuses %s without showing the key", (_, setting, message) => {
  expect(() => parseAccessKeys(setting)).toThrow(message);
  try {
    parseAccessKeys(setting);
  } catch (error) {
    expect(String(error)).not.toContain("secret");
  }
});

test.each([
  ["the key of the first", k1, "a"],
  ["the key of the last", k2, "b"],
  ["a prefix", k1.slice(0, -1), undefined],
  ["another case", k1.toUpperCase(), undefined],
  ["nothing", "", undefined],
])("findAccessKey() finds the owner of %s", async (_, token, owner) => {
  expect((await findAccessKey(parseAccessKeys(`a:${k1} b:${k2}`), token))?.name).toBe(owner);
});
