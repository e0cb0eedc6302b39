// Whole files between the Worker and the runner, beside the operations: plain HTTP (RFC 9110) on one path, because a file of
// any size has to stream.

/** GET, HEAD or PUT, with `?path=`: as in the file operations. */
export const FILES_PATH = "/files";

/** The status of an answer whose body is a Failure as JSON. */
export const FAILED_TRANSFER_STATUS = 422;

/**
 * On a PUT: the body is followed by its own length, so that one that broke off on the way is told from a whole one. (A stream
 * that breaks can end as if it were whole.)
 */
export const END_HEADER = "x-body-end";

/** So many bytes follow the body. */
export const END_BYTES = 17;

export const endOf = (size: number): string => `\n${size.toString(16).padStart(END_BYTES - 1, "0")}`;

export const filesUrl = (path: string): string => `http://runner${FILES_PATH}?path=${encodeURIComponent(path)}`;
