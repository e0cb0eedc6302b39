// The Content-Type that a file is served with.

import { expect, test } from "vitest";
import { contentType } from "../../src/http/content-type.ts";

test.each<[path: string, type: string]>([
  ["notes.txt", "text/plain; charset=utf-8"],
  ["README.MD", "text/markdown; charset=utf-8"],
  ["a/index.html", "text/html; charset=utf-8"],
  ["main.js", "text/javascript; charset=utf-8"],
  ["main.ts", "text/plain; charset=utf-8"],
  ["main.rs", "text/plain; charset=utf-8"],
  ["main.py", "text/x-python; charset=utf-8"],
  ["query.sql", "text/plain; charset=utf-8"],
  ["config.yaml", "application/yaml; charset=utf-8"],
  ["config.toml", "application/toml; charset=utf-8"],
  ["feed.xml", "application/xml; charset=utf-8"],
  ["data.json", "application/json"],
  ["lines.jsonl", "application/x-ndjson"],
  ["archive.tar.gz", "application/gzip"],
  ["archive.tgz", "application/gzip"],
  ["image.png", "image/png"],
  ["image.svg", "image/svg+xml"],
  ["font.woff2", "font/woff2"],
  ["Makefile", "application/octet-stream"],
  [".gitignore", "application/octet-stream"],
  ["dir.txt/file", "application/octet-stream"],
  ["x.unknown", "application/octet-stream"],
  ["x.", "application/octet-stream"],
  ["x.constructor", "application/octet-stream"],
  ["x.__proto__", "application/octet-stream"],
])("contentType(%j) is %j", (path, type) => {
  expect(contentType(path)).toBe(type);
});
