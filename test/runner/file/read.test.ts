// file-read: the lines that were asked for, the format of files without lines, and no read that hangs.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import type { TextWindow } from "../../../src/contract/file-read.ts";
import { done, failureOf, filesUnderTest, replace } from "./files-under-test.ts";
import { gif, jpeg, png, webpExtended, webpLossless, webpLossy } from "./images.ts";

const whole: Omit<TextWindow, "lines" | "total_lines"> = {
  encoding: "utf-8",
  bom: false,
  cut: [],
  first_line: 1,
  reached_end: true,
  final_newline: true,
  endings: "lf",
  invalid_utf8: false,
};

test.each<[string, string | Buffer, object, Partial<TextWindow>]>([
  ["all of a small file", "a\nb\n", {}, { ...whole, lines: ["a", "b"], total_lines: 2 }],
  ["an empty file", "", {}, { ...whole, lines: [], total_lines: 0, endings: "none" }],
  ["a file of one newline", "\n", {}, { ...whole, lines: [""], total_lines: 1 }],
  ["a last line without end", "a\nb", {}, { ...whole, lines: ["a", "b"], total_lines: 2, final_newline: false }],
  ["CRLF", "a\r\nb\r\n", {}, { ...whole, lines: ["a", "b"], total_lines: 2, endings: "crlf" }],
  ["mixed endings", "a\r\nb\n", {}, { ...whole, lines: ["a", "b"], total_lines: 2, endings: "mixed" }],
  ["lone carriage returns", "a\rb\r\r\n", {}, { ...whole, lines: ["a\rb\r"], total_lines: 1, endings: "crlf" }],
  ["past a BOM", "\ufeffa\n", {}, { ...whole, lines: ["a"], total_lines: 1, bom: true }],
  [
    "UTF-16 LE",
    Buffer.from("\ufeffaü\r\n€😀\r\n", "utf16le"),
    {},
    { lines: ["aü", "€😀"], encoding: "utf-16le", endings: "crlf", total_lines: 2 },
  ],
  [
    "UTF-16 BE",
    Buffer.from("\ufeffaü\n", "utf16le").swap16(),
    {},
    { lines: ["aü"], encoding: "utf-16be", total_lines: 1 },
  ],
  ["UTF-16 from its end", Buffer.from("\ufeffa\nb\nc\n", "utf16le"), { offset: -1 }, { lines: ["c"], first_line: 3 }],
  [
    "from an offset",
    "a\nb\nc\nd\n",
    { offset: 2, limit: 2 },
    { lines: ["b", "c"], first_line: 2, total_lines: 4, reached_end: false },
  ],
  ["to exactly the end", "a\nb\n", { offset: 2, limit: 1 }, { lines: ["b"], reached_end: true }],
  ["from the end", "a\nb\nc\nd\n", { offset: -2 }, { lines: ["c", "d"], first_line: 3, total_lines: 4 }],
  ["from the end of an open line", "a\nb\nc", { offset: -1 }, { lines: ["c"], first_line: 3 }],
  ["from before the start, counted from the end", "a\nb\n", { offset: -9 }, { lines: ["a", "b"], first_line: 1 }],
  ["past the end", "a\nb\n", { offset: 3 }, { lines: [], first_line: 3, total_lines: 2 }],
  [
    "no more characters than asked for",
    "aaaa\nbbbb\ncccc\n",
    { max_chars: 27 },
    { lines: ["aaaa", "bbbb"], reached_end: false, total_lines: 3 },
  ],
  [
    "a first line however long",
    "aaaa\nb\n",
    { max_chars: 3 },
    { lines: ["aaa"], cut: [{ index: 0, chars: 4 }], reached_end: false },
  ],
  [
    "a long line cut",
    `${"x".repeat(5_000)}\nb\n`,
    {},
    { lines: ["x".repeat(2_000), "b"], cut: [{ index: 0, chars: 5_000 }] },
  ],
  [
    "a long line whole where it is asked for alone",
    `${"x".repeat(5_000)}\nb\n`,
    { limit: 1 },
    { lines: ["x".repeat(5_000)], cut: [] },
  ],
  ["a long line from a column", `${"x".repeat(5_000)}yz\n`, { limit: 1, column: 5_000 }, { lines: ["xyz"], cut: [] }],
  [
    "no half characters at a cut",
    `${"x".repeat(1_999)}😀\n`,
    {},
    { lines: ["x".repeat(1_999)], cut: [{ index: 0, chars: 2_001 }] },
  ],
  [
    "Latin-1 as far as it can be shown",
    Buffer.from("caf\xe9\nb\n", "latin1"),
    {},
    { lines: ["caf\ufffd", "b"], invalid_utf8: true },
  ],
  ["U+FFFD itself as good UTF-8", "a\ufffd\n", {}, { lines: ["a\ufffd"], invalid_utf8: false }],
  ["controls and escapes", "\x1b[31mred\x1b[0m\x01\n", {}, { lines: ["\x1b[31mred\x1b[0m\x01"] }],
  ["binary, when told to", Buffer.from("a\0b\n"), { force_text: true }, { lines: ["a\0b"] }],
])("read answers %s", async (_, content, options, expected) => {
  using files = filesUnderTest();
  files.put("file", content);
  const value = done(await files.read("file", options));
  expect(value.type === "text" ? value.text : value).toMatchObject(expected);
});

test("file-read keeps every character whole when chunks or the sniffed bytes end inside it", async () => {
  using files = filesUnderTest();
  // The look is 8 KiB and a piece 256 KiB: each of these puts a character of 2, 3 or 4 bytes across one of the two.
  for (const [size, character] of [8_191, 8_190, 8_189, 262_143, 262_141].flatMap((size) =>
    ["é", "€", "😀"].map((character) => [size, character] as const),
  )) {
    files.put("file", `${"x".repeat(size)}${character}\nend\n`);
    const value = done(await files.read("file", { offset: 1, limit: 1, column: size, max_chars: 100 }));
    expect(value.type === "text" ? value.text.lines : value).toEqual([`x${character}`]);
  }
});

test("file-read finds CRLF when a chunk ends between the two bytes", async () => {
  using files = filesUnderTest();
  files.put("file", `${"x".repeat(262_143)}\r\nb\r\n`);
  const value = done(await files.read("file"));
  expect(value.type === "text" ? [value.text.endings, value.text.cut, value.text.lines[1]] : value).toEqual([
    "crlf",
    [{ index: 0, chars: 262_143 }],
    "b",
  ]);
});

test.each<[string, Buffer, object]>([
  ["PNG", png(640, 480), { mime_type: "image/png", width: 640, height: 480 }],
  ["GIF", gif(32, 16), { mime_type: "image/gif", width: 32, height: 16 }],
  ["JPEG", jpeg(1_200, 800), { mime_type: "image/jpeg", width: 1_200, height: 800 }],
  ["lossy WebP", webpLossy(300, 200), { mime_type: "image/webp", width: 300, height: 200 }],
  ["lossless WebP", webpLossless(300, 200), { mime_type: "image/webp", width: 300, height: 200 }],
  ["extended WebP", webpExtended(300, 200), { mime_type: "image/webp", width: 300, height: 200 }],
])("read answers a %s as an image", async (_, content, expected) => {
  using files = filesUnderTest();
  files.put("image", content);
  expect(done(await files.read("image"))).toMatchObject({
    type: "image",
    ...expected,
    data: content.toString("base64"),
  });
});

test.each<[string, Buffer]>([
  ["a side too long", png(2_001, 10)],
  ["too many bytes", Buffer.concat([png(10, 10), Buffer.alloc(525_000)])],
])("read answers only the size of an image with %s", async (_, content) => {
  using files = filesUnderTest();
  files.put("image", content);
  expect(done(await files.read("image"))).toMatchObject({ type: "image", data: null });
});

const cutWebp = webpLossy(1, 1);
cutWebp.writeUInt32LE(1_000, 4);

test.each<[string, Buffer, string]>([
  ["an ELF binary", Buffer.from("\x7fELF\x02\x01\x01\0", "latin1"), "ELF binary"],
  ["a ZIP", Buffer.from("PK\x03\x04\0\0", "latin1"), "ZIP archive (also .jar, .docx, .xlsx, .whl)"],
  ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), "gzip data"],
  ["text with a NUL", Buffer.from("abc\0def\n"), "binary data"],
  [
    "noise without a NUL",
    Buffer.from(Array.from({ length: 500 }, (_, index) => ((index * 89) % 255) + 1)),
    "binary data",
  ],
  ["a PNG that ends too soon", png(1, 1).subarray(0, 12), "PNG image, damaged or cut off"],
  ["a PNG that is a header only", png(1, 1).subarray(0, 33), "PNG image, damaged or cut off"],
  ["a GIF that breaks off", gif(1, 1).subarray(0, -1), "GIF image, damaged or cut off"],
  ["a JPEG that breaks off", jpeg(1, 1).subarray(0, -1), "JPEG image, damaged or cut off"],
  [
    "a JPEG that breaks off after its preview",
    Buffer.concat([jpeg(1, 1), Buffer.of(0xff, 0xda, 1)]),
    "JPEG image, damaged or cut off",
  ],
  ["a WebP that breaks off", cutWebp, "WEBP image, damaged or cut off"],
])("read says what %s is", async (_, content, what) => {
  using files = filesUnderTest();
  files.put("file", content);
  expect(done(await files.read("file"))).toMatchObject({ type: "binary", what, size: content.length });
});

test.each<[string, string]>([
  ["German in Latin-1", "Übergröße für Öl, äußerst schön: straße\n".repeat(50)],
  ["a log with colours", "\x1b[32mok\x1b[0m \b\f done\n".repeat(50)],
  ...["BM", "ID3", "OTTO", "fLaC", "OggS", "wOFF", "wOF2", "BZh", "RIFF", "GIF89a", "RIFF1234WEBPVP8 ", "1234ftyp"].map(
    (magic): [string, string] => [`a note that begins with ${magic}`, `${magic} is a word\n`],
  ),
])("read takes %s for text", async (_, text) => {
  using files = filesUnderTest();
  files.put("file", Buffer.from(text, "latin1"));
  expect(done(await files.read("file")).type).toBe("text");
});

test("file-read counts the pages of a PDF, and shows its text when the machine can extract it", async () => {
  using files = filesUnderTest();
  files.put(
    "file.pdf",
    "%PDF-1.4\n1 0 obj<</Type/Pages/Count 2/Kids[2 0 R 3 0 R]>>endobj\n2 0 obj<</Type /Page>>endobj\n3 0 obj<</Type/Page>>endobj\n",
  );
  expect(done(await files.read("file.pdf"))).toMatchObject({ type: "pdf", pages: 2, text: null });
});

test("file-read shows the text of a PDF in windows when the machine has pdftotext", async () => {
  using files = filesUnderTest();
  files.put("file.pdf", "%PDF-1.4\n");
  // What the real one prints: a form feed after each page.
  files.put("bin/pdftotext", '#!/bin/sh\nprintf "page one\\n\\fpage two\\nend\\n\\f"\n');
  chmodSync(files.path("bin/pdftotext"), 0o755);
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${files.path("bin")}:${path}`;
  try {
    const value = done(await files.read("file.pdf", { offset: 2 }));
    expect(value).toMatchObject({
      type: "pdf",
      pages: 2,
      text: { lines: ["page two", "end"], first_line: 2, total_lines: 3 },
    });
    expect(done(await files.read("file.pdf", { offset: -1 }))).toMatchObject({
      text: { lines: ["end"], first_line: 3, total_lines: 3 },
    });
  } finally {
    process.env["PATH"] = path;
  }
});

test("file-read names the kind at once when the path is not a regular file", async () => {
  using files = filesUnderTest();
  mkdirSync(files.path("dir"));
  spawnSync("mkfifo", [files.path("fifo")]);
  symlinkSync("fifo", files.path("link"));
  symlinkSync("nowhere", files.path("dangling"));
  const server = createServer().listen(files.path("socket"));
  const kinds: [string, string][] = [
    ["dir", "a directory"],
    ["fifo", "a FIFO"],
    ["link", "a FIFO"],
    ["socket", "a socket"],
    ["/dev/zero", "a character device"],
    ["/dev/tty", "a character device"],
  ];
  for (const [path, actual] of kinds) {
    for (const result of [await files.read(path), await files.write(path, "x"), await files.append(path, "x")])
      expect(failureOf(result)).toMatchObject({ reason: "wrong_kind", expected: "a regular file", actual });
    expect(failureOf(await files.call("file-bytes", { path, offset: 0, length: 10 }))).toMatchObject({
      reason: "wrong_kind",
    });
  }
  expect(failureOf(await files.read("dangling"))).toMatchObject({ reason: "no_such_path" });
  server.close();
});

test("file-read reads files in /proc, which report that they are empty", async () => {
  using files = filesUnderTest();
  const value = done(await files.read("/proc/self/status", { limit: 1 }));
  expect(value.type === "text" ? value.text.lines[0] : value).toMatch(/^Name:\t/);
});

test("file-read, file-stat and file-bytes come to an end when a file of the kernel has none", async () => {
  using files = filesUnderTest();
  const path = "/proc/self/pagemap";
  expect(done(await files.read(path))).toMatchObject({ type: "binary", size: 0, sha256: null });
  expect(done(await files.call("file-stat", { path }))).toMatchObject({ kind: "file", sha256: null });
  expect(done(await files.call("file-bytes", { path, offset: 0, length: 8 }))).toMatchObject({ length: 8 });
  for (const offset of [1, -1])
    expect(done(await files.read(path, { force_text: true, offset, limit: 1 }))).toMatchObject({
      sha256: null,
      text: { total_lines: null, reached_end: false },
    });
  expect(failureOf(await files.edit(path, [replace("a", "b")]))).toMatchObject({ reason: "refused" });
  expect(failureOf(await files.write(path, "x", { expected_hash: "0".repeat(12), dry_run: true }))).toMatchObject({
    reason: "changed",
    actual: null,
  });
});

test("file-read suggests similar paths when the path does not exist", async () => {
  using files = filesUnderTest();
  files.put("src/components/Button.tsx", "");
  files.put("src/index.ts", "");
  const cases: [string, string, string[]][] = [
    ["src/components/Buton.tsx", "src/components", ["src/components/Button.tsx"]],
    ["src/componets/Button.tsx", "src", ["src/components/Button.tsx"]],
    ["src/components/button.tsx", "src/components", ["src/components/Button.tsx"]],
    ["lib/zzz", "", []],
  ];
  for (const [path, above, similar] of cases) {
    expect(failureOf(await files.read(path))).toEqual({
      reason: "no_such_path",
      path: files.path(path),
      above: files.path(above).replace(/\/$/, ""),
      similar: similar.map(files.path),
    });
  }
});

test.each<[string, number, number, object]>([
  ["from the start", 0, 4, { offset: 0, length: 4, data: Buffer.from("0123").toString("base64") }],
  ["from an offset", 8, 4, { offset: 8, length: 2, data: Buffer.from("89").toString("base64") }],
  ["from the end", -3, 2, { offset: 7, length: 2, data: Buffer.from("78").toString("base64") }],
  ["past the end", 50, 2, { length: 0, data: "" }],
])("bytes answers a range %s", async (_, offset, length, expected) => {
  using files = filesUnderTest();
  files.put("file", "0123456789");
  expect(done(await files.call("file-bytes", { path: "file", offset, length }))).toMatchObject({
    size: 10,
    what: "text",
    ...expected,
  });
});
