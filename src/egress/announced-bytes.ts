// The length that headers announce, as far as it can be believed: either side writes there what it likes.

/** A petabyte: more than any body has, and a sum of two is still exact. */
const BELIEVED_MAX_BYTES = 10 ** 15;

/** Null where none is announced, and where no body can have that one. */
export function announcedBytes(headers: Headers): number | null {
  const announced = headers.get("content-length") ?? "";
  const bytes = Number(announced);
  return /^\d+$/.test(announced) && bytes <= BELIEVED_MAX_BYTES ? bytes : null;
}
