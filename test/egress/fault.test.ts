// The fault that the message of an error stands for.

import { expect, test } from "vitest";
import { faultOf } from "../../src/egress/fault.ts";

test.each<[message: string, fault: string]>([
  ["connecting to private.example:80 is not allowed", "restricted"],
  ["failed to lookup address information: Name or service not known", "no-name"],
  ["failed to lookup address information: Temporary failure in name resolution", "no-name"],
  ["TLS handshake failed: invalid peer certificate: UnknownIssuer", "no-trust"],
  ["Network connection lost.", "no-answer"],
  ["internal error; reference = 68nj1ok4bf5rv6b14g4uk548", "unknown"],
  ["a host said: connecting to private.example:80 is not allowed", "unknown"],
  ["connecting to private.example:80 is not allowed, or is it", "unknown"],
  ["", "unknown"],
])("faultOf(%j) is %s", (message, fault) => {
  expect(faultOf(message)).toBe(fault);
});
