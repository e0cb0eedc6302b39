// What every operation answers: a value, or a failure as data. A bug throws; nothing else does.

import * as z from "zod";
import { Failure } from "./failure.ts";

export type Result<Value> = { ok: true; value: Value } | { ok: false; failure: Failure };

export const succeed = <Value>(value: Value): Result<Value> => ({ ok: true, value });

export const fail = (failure: Failure): Result<never> => ({ ok: false, failure });

/** The schema of a Result whose value has the given schema. */
export const resultOf = <Value extends z.ZodType>(value: Value) =>
  z.discriminatedUnion("ok", [
    z.object({ ok: z.literal(true), value }),
    z.object({ ok: z.literal(false), failure: Failure }),
  ]);
