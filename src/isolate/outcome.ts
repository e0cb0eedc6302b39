// Reads what the harness answered. It comes from inside, so it is parsed and bounded, and an answer of another form is an error
// of the code's doing.

import * as z from "zod";
import { Thrown } from "./code-error.ts";

const Answer = z.object({
  value: z.unknown().optional(),
  error: Thrown.optional(),
  unhandled: z.enum(["timer", "rejection"]).optional(),
  unawaited: z.number().int().min(0).optional(),
  logs_left_out: z.number().int().min(0),
});
export type Answer = z.infer<typeof Answer>;

/** Null where it is not of the form. */
export function readAnswer(text: unknown, maxChars: number): Answer | null {
  if (typeof text !== "string" || text.length > maxChars) return null;
  try {
    const parsed = Answer.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
