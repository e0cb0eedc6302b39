// The body length that headers declare. Both the client and the server can write anything there, so it is checked.

/** One petabyte: no body is larger, and the sum of two such numbers is still an exact integer. */
const DECLARED_MAX_BYTES = 10 ** 15;

/** The declared length in bytes; null when there is none or it cannot be true. */
export function parseContentLength(headers: Headers): number | null {
  const declared = headers.get("content-length") ?? "";
  const bytes = Number(declared);
  return /^\d+$/.test(declared) && bytes <= DECLARED_MAX_BYTES ? bytes : null;
}
