// Arbitrary edits of arbitrary bytes do what they do in a model: a plain search over the bytes, one line ending for all lines.

import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdits } from "../../../container/runner/file/apply-edits.ts";
import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { filesUnderTest, insert, replace } from "./files-under-test.ts";

/** Few different characters, so that texts occur, overlap and repeat. */
const text = (minLength: number) =>
  fc
    .array(fc.constantFrom("a", "b", "\n", "$&", " ", "é", "\t"), { minLength, maxLength: 5 })
    .map((parts) => parts.join(""));

const edit = fc.oneof(
  fc.record({ old: text(1), next: text(0), all: fc.boolean() }).map(({ old, next, all }) => replace(old, next, all)),
  fc.record({ line: fc.nat({ max: 6 }), text: text(0) }).map(({ line, text }) => insert(line, text)),
);

/** All kinds of bytes except carriage returns, which the model does not handle. */
const source = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "b", "\n", " ", "é", "ab\n", "\t").map((part) => Buffer.from(part)),
      fc
        .uint8Array({ minLength: 1, maxLength: 3 })
        .map((part) => Buffer.from(part.map((byte) => (byte === 13 ? 14 : byte)))),
    ),
    { maxLength: 25 },
  )
  .map((parts) => Buffer.concat(parts));

test("applyEdits() equals the model on arbitrary bytes", () => {
  fc.assert(
    fc.property(source, fc.array(edit, { minLength: 1, maxLength: 6 }), (bytes, edits) => {
      const result = applyEdits("file", bytes, edits);
      expect(result.ok ? result.value.bytes.toString("hex") : null).toBe(model(bytes, edits)?.toString("hex") ?? null);
    }),
    { numRuns: 3_000 },
  );
});

test("applyEdits() does the same to lines that end in CRLF as to LF", () => {
  const lined = source.filter((bytes) => bytes.includes(10));
  const crlf = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
  // Where all line ends are deleted there is no ending left to take.
  const keeps = (bytes: Buffer, edits: FileEdit[]) =>
    edits.every((_, index) => model(bytes, edits.slice(0, index))?.includes(10) ?? true);
  fc.assert(
    fc.property(lined, fc.array(edit, { minLength: 1, maxLength: 4 }), (bytes, edits) => {
      fc.pre(keeps(bytes, edits));
      const expected = model(bytes, edits);
      const result = applyEdits("file", crlf(bytes), edits);
      expect(result.ok ? result.value.bytes.toString("hex") : null).toBe(
        expected === null ? null : crlf(expected).toString("hex"),
      );
    }),
    { numRuns: 3_000 },
  );
});

test("a sequence of edit calls on a file equals the model", async () => {
  using files = filesUnderTest();
  await fc.assert(
    fc.asyncProperty(
      source,
      fc.array(fc.array(edit, { minLength: 1, maxLength: 2 }), { maxLength: 4 }),
      async (bytes, calls) => {
        // Two marks would make it another encoding.
        fc.pre(!/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.test(bytes.toString("latin1")));
        files.put("file", bytes);
        let expected: Buffer = bytes;
        for (const edits of calls) {
          const next = model(expected, edits);
          fc.pre(next === null || !/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.test(next.toString("latin1")));
          expected = next ?? expected;
          expect((await files.edit("file", edits)).ok).toBe(next !== null);
          expect(files.get("file").toString("hex")).toBe(expected.toString("hex"));
        }
      },
    ),
    { numRuns: 150 },
  );
});

/** Null when one of the edits cannot be made. Uses Latin-1, so that a character is a byte. */
function model(bytes: Buffer, edits: readonly FileEdit[]): Buffer | null {
  let text = bytes.toString("latin1");
  for (const edit of edits) {
    const next = edit.kind === "insert" ? inserted(text, edit.line, latin(edit.text)) : replaced(text, edit);
    if (next === null) return null;
    text = next;
  }
  return Buffer.from(text, "latin1");
}

function replaced(text: string, edit: FileEdit & { kind: "replace" }): string | null {
  const old = latin(edit.old_string);
  const parts = text.split(old);
  if (parts.length === 1 || edit.old_string === edit.new_string) return null;
  if (edit.replace_all) return parts.join(latin(edit.new_string));
  if (text.indexOf(old, text.indexOf(old) + 1) !== -1) return null;
  return parts.join(latin(edit.new_string));
}

function inserted(text: string, line: number, added: string): string | null {
  const lines = text.split("\n");
  const open = lines.pop() ?? "";
  const total = lines.length + (open === "" ? 0 : 1);
  if (line > total) return null;
  if (text === "") return added;
  if (open !== "" && line === total) return `${text}\n${added}`;
  const whole = added.endsWith("\n") ? added : `${added}\n`;
  return [
    ...lines.slice(0, line).map((each) => `${each}\n`),
    whole,
    ...lines.slice(line).map((each) => `${each}\n`),
    open,
  ].join("");
}

const latin = (text: string): string => Buffer.from(text).toString("latin1");
