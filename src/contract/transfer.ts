// Whole files between the Worker and the runner, beside the operations: plain HTTP (RFC 9110) on one path, because a file of
// any size has to stream.

/** GET, HEAD or PUT, with `?path=`: as in the file operations. */
export const FILES_PATH = "/files";

/** The status of an answer whose body is a Failure as JSON. */
export const FAILED_TRANSFER_STATUS = 422;

/**
 * On a PUT: a word of ASCII that no client knows, and that follows the body when all of it has come. Without it the upload has
 * broken off. (A stream that breaks can end as if it were whole.)
 */
export const END_HEADER = "x-body-end";

export const filesUrl = (path: string): string => `http://runner${FILES_PATH}?path=${encodeURIComponent(path)}`;
