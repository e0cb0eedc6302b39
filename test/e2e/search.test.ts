// search the whole way: a real client of each era, the Worker, a machine with its own ripgrep.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect, eras, type McpClient } from "./support/clients.ts";

const { url, key, readKey } = inject("server");

describe.each(eras)("a client of %s", (era) => {
  let client: McpClient;
  const sandbox = `search-${era}`;
  const search = (input: Record<string, unknown>) => client.call("search", { sandbox, ...input });

  beforeAll(async () => {
    client = await connect(era, { url, key });
    await client.call("exec", {
      sandbox,
      command:
        "mkdir -p src node_modules/x && echo node_modules > .gitignore && echo 'export const needle = 1;' | tee src/a.ts > node_modules/x/i.js",
    });
  });
  afterAll(() => client.close());

  test.each<[string, Record<string, unknown>, string]>([
    ["hits", { pattern: "needle" }, "1 hit in 1 file.\n\nsrc/a.ts\n1:export const needle = 1;"],
    [
      "a path that git ignores",
      { pattern: "needle", path: "node_modules/x" },
      "1 hit in 1 file.\n\nnode_modules/x/i.js\n1:export const needle = 1;",
    ],
    ["names", { pattern: "*.ts", mode: "names" }, "1 file, newest first.\n\nsrc/a.ts"],
    [
      "nothing",
      { pattern: "needle", glob: "*.js" },
      "No hits.\nNone of the 1 file in /workspace matches the glob.\n1 file was excluded: ignored by .gitignore or the like, of which 1 would match. Pass no_ignore: true.",
    ],
  ])("is answered %s", async (_, input, text) => {
    expect(await search(input)).toEqual({ text, structured: undefined, isError: false });
  });

  test("is told of a bad pattern as an error", async () => {
    const { text, isError } = await search({ pattern: "(" });
    expect([isError, text]).toEqual([true, expect.stringMatching(/unclosed group\n.*literal: true/)]);
  });
});

test("a key that only reads may search, and sees it marked as reading", async () => {
  const client = await connect("2026", { url, key: readKey });
  const tool = (await client.listTools()).find(({ name }) => name === "search");
  expect(tool).toMatchObject({ annotations: { readOnlyHint: true } });
  expect(tool).not.toHaveProperty("outputSchema");
  await client.close();
});
