// state: small JSON values that a sandbox keeps from one run to the next.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { formatBytes } from "../../format/format-bytes.ts";
import { defineMethod, type Provider } from "./provider.ts";

const key = z.string().min(1).max(limits.stateKeyMaxChars);

export const state: Provider = {
  name: "state",
  summary: "small JSON values kept for this sandbox between runs",
  methods: {
    get: defineMethod({
      scope: "sandbox:exec",
      summary: "The value under a key; undefined if there is none",
      input: z.strictObject({ key }),
      positional: ["key"],
      output: "any",
      run: ({ key }, { state }) => state({ action: "get", key }),
    }),
    set: defineMethod({
      scope: "sandbox:exec",
      summary: `Stores a JSON value of up to ${formatBytes(limits.stateValueMaxChars)} under a key`,
      input: z.strictObject({ key, value: z.json() }),
      positional: ["key", "value"],
      output: "void",
      run: ({ key, value }, { state }) => state({ action: "set", key, value: JSON.stringify(value) }),
    }),
    delete: defineMethod({
      scope: "sandbox:exec",
      summary: "Deletes a key; true if it existed",
      input: z.strictObject({ key }),
      positional: ["key"],
      output: "boolean",
      run: ({ key }, { state }) => state({ action: "delete", key }),
    }),
    list: defineMethod({
      scope: "sandbox:exec",
      summary: "The keys, in order, that start with a prefix",
      input: z.strictObject({ prefix: z.string().optional() }),
      positional: ["prefix"],
      output: z.array(z.string()),
      run: ({ prefix }, { state }) => state({ action: "list", prefix: prefix ?? "" }),
    }),
  },
};
