// What `tools/list` may cost a model, and the schemas that every client accepts.

import { expect, test } from "vitest";
import { SCOPES } from "../../src/auth/caller.ts";
import { toolsFor } from "../../tools/index.ts";
import { jsonSchema } from "../../tools/json-schema.ts";

const listed = toolsFor(new Set(SCOPES)).map((tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  annotations: { title: tool.title, ...tool.hints },
  inputSchema: jsonSchema(tool.input, "input"),
  ...(tool.output === null ? {} : { outputSchema: jsonSchema(tool.output, "output") }),
}));

test("tools/list stays under 4,500 tokens", () => {
  // Four characters a token is what tokenizers make of JSON and English, on the high side.
  expect(JSON.stringify(listed).length / 4).toBeLessThan(4_500);
});

test.each(listed)("$name has a schema that every client accepts", (tool) => {
  expect(tool.name.length).toBeLessThanOrEqual(40);
  expect(tool.description.length).toBeLessThanOrEqual(2_000);
  expect(tool.inputSchema).toMatchObject({ type: "object" });
  for (const key of ["oneOf", "anyOf", "allOf"]) expect(tool.inputSchema).not.toHaveProperty(key);
  expect(JSON.stringify(tool)).not.toMatch(/"(\$schema|\$ref|const|exclusiveMinimum|propertyNames)":|"type":\[/);
});
