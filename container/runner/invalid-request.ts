// A failed parse of a request as a failure: each problem with the place of the value it is about.

import type * as z from "zod";
import { fail, type Result } from "../../src/contract/result.ts";

export function invalidRequest(subject: string, { issues }: z.ZodError): Result<never> {
  const problems = issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  return fail({ reason: "invalid_request", message: `${subject}: ${problems.join("; ")}` });
}
