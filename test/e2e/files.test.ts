// A task as an agent has it, through a real client: find in a tree, read, edit, check; and what a read-only key can do.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { connect, type McpClient } from "./support/clients.ts";

const { url, key, readKey } = inject("server");
const sandbox = "files";
let client: McpClient;

beforeAll(async () => {
  client = await connect("2026", { url, key });
});
afterAll(() => client.close());

const call = async (tool: string, input: Record<string, unknown>): Promise<string> => {
  const { text, isError } = await client.call(tool, { sandbox, ...input });
  return `${isError ? "ERROR " : ""}${text}`;
};

/** 3,000 modules, of which ten call what is to be renamed; one of those ends its lines with CRLF, one begins with a BOM. */
const MAKE_TREE = `
set -e
mkdir -p app && cd app && git init -q
for d in $(seq 1 30); do
  mkdir -p src/part$d
  for f in $(seq 1 100); do
    printf 'import { helper } from "../helper.js";\\n\\nexport function module_%s_%s(input) {\\n\\treturn helper(input, %s);\\n}\\n' $d $f $f > src/part$d/module$f.js
  done
done
for d in $(seq 1 10); do sed -i 's/helper(input/fetchLegacy(input/' src/part$d/module7.js; done
sed -i 's/$/\\r/' src/part3/module7.js
sed -i '1s/^/\\xef\\xbb\\xbf/' src/part4/module7.js
find src -type f | wc -l
`;

test("an agent renames a call in ten of 3,000 files", async () => {
  expect(await call("exec", { command: MAKE_TREE })).toContain("3000");
  const found = await call("search", {
    pattern: "fetchLegacy(",
    literal: true,
    path: "app",
    mode: "files_with_matches",
  });
  const paths = [...found.matchAll(/\S*part\d+\/module7\.js/g)].map(([path]) => path);
  expect(paths.length).toBe(10);
  for (const path of paths) {
    const file = path.startsWith("/") ? path : `/workspace/${path}`;
    expect(await call("file", { action: "read", path: file })).toContain("4\t\treturn fetchLegacy(input, 7);");
    const edited = await call("file", {
      action: "edit",
      path: file,
      old_string: "{\n\treturn fetchLegacy(input, 7);\n}",
      new_string: "{\n\t// $& is no pattern\n\treturn fetchModern(input, 7);\n}",
    });
    expect(edited).toContain(
      "-\treturn fetchLegacy(input, 7);\n+\t// $& is no pattern\n+\treturn fetchModern(input, 7);",
    );
  }
  const check = await client.call("exec", {
    sandbox,
    command:
      "cd app; grep -rl fetchLegacy src | wc -l; grep -rlF '// $& is no pattern' src | wc -l; grep -c $'\r$' src/part3/module7.js; wc -l < src/part3/module7.js; head -c3 src/part4/module7.js | od -An -tx1; git status --short | wc -l",
  });
  expect(check.structured?.["stdout"]).toBe("0\n10\n6\n6\n ef bb bf\n1\n");
});

test("20 edits at once through the server all land", async () => {
  await call("file", {
    action: "write",
    path: "slots",
    content: Array.from({ length: 20 }, (_, index) => `slot ${index}: empty\n`).join(""),
  });
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call("file", {
        action: "edit",
        path: "slots",
        old_string: `slot ${index}: empty`,
        new_string: `slot ${index}: full`,
      }),
    ),
  );
  expect((await call("file", { action: "read", path: "slots" })).match(/: full/g)?.length).toBe(20);
});

test("a large file goes and comes whole", async () => {
  const content = "0123456789abcde\n".repeat(250_000);
  expect(await call("file", { action: "write", path: "large", content })).toContain(
    "3.8 MiB (4,000,000 bytes), a new file",
  );
  expect(await call("exec", { command: "wc -c < large; sha256sum large" })).toContain("4000000");
  expect(await call("file", { action: "read", path: "large", offset: -1 })).toContain("line 250000 of 250000");
});

test("a key that may only read is shown and given only that", async () => {
  const reader = await connect("2026", { url, key: readKey });
  const tools = await reader.listTools();
  const file = tools.find(({ name }) => name === "file");
  expect(file).toMatchObject({ annotations: { readOnlyHint: true } });
  expect(JSON.stringify(file)).not.toContain("old_string");
  const refused = await reader.call("file", { action: "write", path: "x", content: "x" });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('"content"')]);
  expect((await reader.call("file", { action: "list" })).text).toContain('There is no sandbox "default"');
  await reader.close();
});
