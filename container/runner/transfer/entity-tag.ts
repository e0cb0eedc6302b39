// Entity tags of files, and the preconditions that name them (RFC 9110, section 13).

import type { IncomingHttpHeaders } from "node:http";
import type { Seen } from "../file/open-regular.ts";

/** Strong: another content is another inode, or another size or time of the same. */
export const entityTag = ({ ino, size, mtimeNs }: Seen): string =>
  `"${ino.toString(36)}-${size.toString(36)}-${mtimeNs.toString(36)}"`;

/** Whether `If-Match` and `If-None-Match` let a change happen; `tag` is null where there is no file. */
export const mayChange = (headers: IncomingHttpHeaders, tag: string | null): boolean =>
  matchHolds(headers, tag) && !names(headers["if-none-match"], tag, "weak");

export const matchHolds = (headers: IncomingHttpHeaders, tag: string | null): boolean =>
  headers["if-match"] === undefined || names(headers["if-match"], tag, "strong");

export const isUnchanged = (headers: IncomingHttpHeaders, tag: string): boolean =>
  names(headers["if-none-match"], tag, "weak");

function names(header: string | undefined, tag: string | null, comparison: "strong" | "weak"): boolean {
  if (header === undefined || tag === null) return false;
  if (header.trim() === "*") return true;
  const tags = header.match(/(W\/)?"[^"]*"/g) ?? [];
  return tags.some((named) => (comparison === "weak" ? named.replace(/^W\//, "") : named) === tag);
}
