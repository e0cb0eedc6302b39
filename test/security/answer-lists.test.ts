// Lists of invalid items in the answers of a runner: none of them may become an issue for every field of every item.

import { expect, test } from "vitest";
import * as z from "zod";
import { answerList } from "../../src/contract/answer-list.ts";
import { LayerUploadResult } from "../../src/contract/checkpoint-layer.ts";
import { Failure } from "../../src/contract/failure.ts";
import { operations } from "../../src/contract/operation.ts";
import { ProcessListResult } from "../../src/contract/process-list.ts";

/** The paths of the arrays that are parsed to their end. */
function plainArrays(schema: unknown, path: string): string[] {
  if (schema instanceof z.ZodArray) return [path, ...plainArrays(schema.element, `${path}[]`)];
  if (schema instanceof z.ZodPipe) {
    const { out } = schema;
    return plainArrays(out instanceof z.ZodArray ? out.element : out, path);
  }
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([key, value]) => plainArrays(value, `${path}.${key}`));
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => plainArrays(option, path));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return plainArrays(schema.unwrap(), path);
  return [];
}

test.each<[name: string, schema: unknown]>([
  ...Object.entries(operations).map(([name, { value }]): [string, unknown] => [name, value]),
  ["failure", Failure],
  ["layer upload", LayerUploadResult],
])("every list in the answer to %s ends with its first invalid item", (name, schema) => {
  expect(plainArrays(schema, name)).toEqual([]);
});

test("plainArrays() finds an array in a list", () => {
  const schema = z.object({ a: answerList(z.object({ b: z.array(z.string()).default([]) })).nullable() });
  expect(plainArrays(schema, "x")).toEqual(["x.a.b"]);
});

test("a list of many empty objects is one issue", () => {
  const parsed = ProcessListResult.safeParse({ processes: new Array(10_000).fill({}), dropped: 0 });
  expect(parsed.error?.issues.length).toBe(1);
});
