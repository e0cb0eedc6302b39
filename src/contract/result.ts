// The answer of every operation: a value, or a failure as data. Only a bug throws.

import * as z from "zod";
import { Failure } from "./failure.ts";

export type Result<Value> = { ok: true; value: Value } | { ok: false; failure: Failure };

export const succeed = <Value>(value: Value): Result<Value> => ({ ok: true, value });

export const fail = (failure: Failure): Result<never> => ({ ok: false, failure });

/** The schema of a Result whose value has the schema `value`. */
export const resultOf = <Value extends z.ZodType>(value: Value) =>
  z.discriminatedUnion("ok", [
    z.object({ ok: z.literal(true), value }),
    z.object({ ok: z.literal(false), failure: Failure }),
  ]);
