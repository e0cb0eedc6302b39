// Lists in answers. A command in a machine can answer in place of the runner, and a list of nothing but invalid items would become an
// issue for every field of each.

import * as z from "zod";

/** An array whose parsing ends with its first invalid item. */
export const answerList = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.every((entry) => item.safeParse(entry).success)) return value;
    context.addIssue("has an invalid item");
    return z.NEVER;
  }, z.array(item));
