// Entity tags of files, and the preconditions that name them (RFC 9110, section 13).

import type { IncomingHttpHeaders } from "node:http";
import type { FileVersion } from "../file/open-regular.ts";

/** A strong tag: other content has another inode, or another size or time. */
export const entityTag = ({ ino, size, mtimeNs }: FileVersion): string =>
  `"${ino.toString(36)}-${size.toString(36)}-${mtimeNs.toString(36)}"`;

/** Whether `If-Match` and `If-None-Match` permit a change. `tag` is null when there is no file. */
export const permitsChange = (headers: IncomingHttpHeaders, tag: string | null): boolean =>
  satisfiesIfMatch(headers, tag) && !listsTag(headers["if-none-match"], tag, "weak");

export const satisfiesIfMatch = (headers: IncomingHttpHeaders, tag: string | null): boolean =>
  headers["if-match"] === undefined || listsTag(headers["if-match"], tag, "strong");

export const isUnchanged = (headers: IncomingHttpHeaders, tag: string): boolean =>
  listsTag(headers["if-none-match"], tag, "weak");

function listsTag(header: string | undefined, tag: string | null, comparison: "strong" | "weak"): boolean {
  if (header === undefined || tag === null) return false;
  if (header.trim() === "*") return true;
  const tags = header.match(/(W\/)?"[^"]*"/g) ?? [];
  return tags.some((resolved) => (comparison === "weak" ? resolved.replace(/^W\//, "") : resolved) === tag);
}
