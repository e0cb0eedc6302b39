// The Content-Type of a file, from the extension of its name. Text in UTF-8 is declared as such; a file whose extension is
// not known is sent as bytes.

import { mimes } from "mrmime";

export function contentType(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const type = own(corrections, extension) ?? own(mimes, extension) ?? BYTES;
  return type.startsWith("text/") || TEXT_APPLICATIONS.includes(type) ? `${type}; charset=utf-8` : type;
}

export const BYTES = "application/octet-stream";

/** An extension such as "constructor" must not find what every object inherits. */
const own = (types: Record<string, string>, extension: string): string | undefined =>
  Object.hasOwn(types, extension) ? types[extension] : undefined;

/** JSON is absent: it is always UTF-8 and has no charset parameter (RFC 8259, section 11). */
const TEXT_APPLICATIONS = ["application/toml", "application/yaml", "application/xml"];

/** Types that mrmime does not have, or has differently. Browsers show source code only as text/plain. */
const corrections: Record<string, string> = {
  cjs: "text/javascript",
  ts: "text/plain",
  tsx: "text/plain",
  jsx: "text/plain",
  py: "text/x-python",
  rs: "text/plain",
  go: "text/plain",
  java: "text/plain",
  c: "text/plain",
  h: "text/plain",
  cpp: "text/plain",
  rb: "text/plain",
  php: "text/plain",
  sh: "text/x-shellscript",
  sql: "text/plain",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  tgz: "application/gzip",
  zst: "application/zstd",
  xz: "application/x-xz",
  bz2: "application/x-bzip2",
  tar: "application/x-tar",
  ico: "image/x-icon",
};
