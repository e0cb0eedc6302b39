// Parses the answer of the harness. It comes from inside the isolate, so it is validated and bounded; an answer of any other
// form means that the code tampered with the harness.

import * as z from "zod";
import { Thrown } from "./code-error.ts";

const HarnessAnswer = z.object({
  value: z.unknown().optional(),
  error: Thrown.optional(),
  unhandled: z.enum(["timer", "rejection"]).optional(),
  /** Provider calls that were still under way when the code ended. */
  unawaited: z.number().int().min(0).optional(),
  /** Log entries that were only counted. */
  logs_omitted: z.number().int().min(0),
});
export type HarnessAnswer = z.infer<typeof HarnessAnswer>;

/** Null when the text does not have the expected form. */
export function parseHarnessAnswer(text: unknown, maxChars: number): HarnessAnswer | null {
  if (typeof text !== "string" || text.length > maxChars) return null;
  try {
    const parsed = HarnessAnswer.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
