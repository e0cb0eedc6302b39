// Why a connection was not made, by what workerd writes into its log.

import { expect, test } from "vitest";
import { ConnectionErrors } from "../../container/local/connection-errors.ts";

/** As workerd 2026-11-17 writes them. */
const logged = (reason: string, reference: string) =>
  `e = rust/worker/ffi.rs:104: failed: ${reason}\nstack: workerd@2b5edc0 workerd@3fe4230; sentryErrorContext = jsgInternalError; wdErrId = ${reference}`;

test.each<[reason: string, isKnown: boolean]>([
  ["connecting to private.example:80 is not allowed", true],
  ["failed to lookup address information: Name or service not known", true],
  ["TLS handshake failed: invalid peer certificate: UnknownIssuer", true],
  ["something else", false],
])("ConnectionErrors keeps the reason %j, whether asked before or after", async (reason, isKnown) => {
  const errors = new ConnectionErrors();
  const early = errors.reasonOf("early");
  expect(errors.take(logged(reason, "early"))).toBe(isKnown);
  expect(errors.take(logged(reason, "late"))).toBe(isKnown);
  expect([await early, await errors.reasonOf("late")]).toEqual([reason, reason]);
});

test("ConnectionErrors takes no other errors, and does not wait for what was never written", async () => {
  const errors = new ConnectionErrors();
  expect(errors.take("Error: connecting to private.example:80 is not allowed")).toBe(false);
  expect(await errors.reasonOf("nothing")).toBe(null);
});
