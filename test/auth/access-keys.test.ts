// Parsing the setting ACCESS_KEYS, and finding the owner of a key.

import { expect, test } from "vitest";
import { findAccessKey, parseAccessKeys } from "../../src/auth/access-keys.ts";
import { SCOPES } from "../../src/auth/caller.ts";

test.each<[string, string, unknown]>([
  ["one key with every scope", "alice:k1", [{ name: "alice", key: "k1", scopes: new Set(SCOPES) }]],
  ["scopes", "bob:k2:read+write", [{ name: "bob", key: "k2", scopes: new Set(["sandbox:read", "sandbox:write"]) }]],
  [
    "several, separated by spaces, commas and line breaks",
    "a:1, b:2\nc:3",
    [{ name: "a" }, { name: "b" }, { name: "c" }],
  ],
])("parseAccessKeys() reads %s", (_, setting, expected) => {
  expect(parseAccessKeys(setting)).toMatchObject(expected as object);
});

test.each([
  ["no entries", " , ", "ACCESS_KEYS has no entries"],
  ["a name with a slash", "a/b:secret", "ACCESS_KEYS entry 1 needs a name"],
  ["a name in upper case", "ok:1 Alice:secret", "ACCESS_KEYS entry 2 needs a name"],
  ["no key", "alice", "ACCESS_KEYS entry 1 is not of the form"],
  ["an empty key", "alice:", "ACCESS_KEYS entry 1 is not of the form"],
  ["a fourth part", "alice:secret:read:x", "ACCESS_KEYS entry 1 is not of the form"],
  ["an unknown scope", "alice:secret:admin", "ACCESS_KEYS entry 1 has a scope"],
  ["a duplicate name", "alice:one alice:two", "ACCESS_KEYS entry 2 has the same name as an earlier one"],
])("parseAccessKeys() refuses %s without showing the key", (_, setting, message) => {
  expect(() => parseAccessKeys(setting)).toThrow(message);
  try {
    parseAccessKeys(setting);
  } catch (error) {
    expect(String(error)).not.toContain("secret");
  }
});

test.each([
  ["the key of the first", "one", "a"],
  ["the key of the last", "two", "b"],
  ["a prefix", "on", undefined],
  ["another case", "ONE", undefined],
  ["nothing", "", undefined],
])("findAccessKey() finds the owner of %s", async (_, token, owner) => {
  expect((await findAccessKey(parseAccessKeys("a:one b:two"), token))?.name).toBe(owner);
});
