// Arguments as models send them, and the errors for those that are invalid.

import { expect, test } from "vitest";
import * as z from "zod";
import { flag, orJson, parseInput, wholeNumber } from "../../tools/input.ts";

const schema = z.object({
  command: z.string(),
  limit: wholeNumber(1, 100).optional(),
  recursive: flag().optional(),
  env: orJson(z.record(z.string(), z.string())).optional(),
  names: orJson(z.array(z.string())).optional(),
});

test.each<[string, unknown, unknown]>([
  ["values as they are", { command: "a", limit: 5, recursive: true }, { command: "a", limit: 5, recursive: true }],
  ["a number in a string", { command: "a", limit: "5" }, { command: "a", limit: 5 }],
  ["a boolean in a string", { command: "a", recursive: "False" }, { command: "a", recursive: false }],
  ["an object in a string", { command: "a", env: '{"A":"1"}' }, { command: "a", env: { A: "1" } }],
  ["an array in a string", { command: "a", names: '["x"]' }, { command: "a", names: ["x"] }],
  ["null as absent", { command: "a", limit: null, env: null }, { command: "a" }],
  ["content that looks like a number", { command: "5" }, { command: "5" }],
  ["content that looks like JSON", { command: '{"a":1}' }, { command: '{"a":1}' }],
])("parseInput() takes %s", (_, input, value) => {
  expect(parseInput(schema, input)).toEqual({ ok: true, value });
});

test.each<[string, unknown, string]>([
  [
    "an unknown argument near a known one",
    { command: "a", limits: 5 },
    'Unknown argument "limits". Did you mean "limit"? The arguments are: command, limit, recursive, env, names.',
  ],
  [
    "an unknown argument near none",
    { command: "a", zzzzzzzz: 5 },
    'Unknown argument "zzzzzzzz". The arguments are: command, limit, recursive, env, names.',
  ],
  ["a missing argument", {}, 'Argument "command" is missing.'],
  ["a null where one is needed", { command: null }, 'Argument "command" is missing.'],
  ["a number out of range", { command: "a", limit: 500 }, 'Argument "limit": must be at most 100.'],
  ["a fraction", { command: "a", limit: 1.5 }, 'Argument "limit": must be a whole number.'],
  ["a number that is none", { command: "a", limit: "many" }, 'Argument "limit": must be a whole number.'],
  ["an empty string for a number", { command: "a", limit: "" }, 'Argument "limit": must be a whole number.'],
  ["an array", [], "The arguments must be one object."],
  [
    "a prototype's property",
    JSON.parse('{"command":"a","__proto__":1}'),
    'Unknown argument "__proto__". The arguments are: command, limit, recursive, env, names.',
  ],
])("parseInput() refuses %s with a message", (_, input, message) => {
  expect(parseInput(schema, input)).toEqual({ ok: false, failure: { reason: "invalid_request", message } });
});
