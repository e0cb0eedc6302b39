// Whole files between the Worker and the runner, beside the operations: plain HTTP (RFC 9110) on one path, because a file of
// any size has to stream.

/** GET, HEAD or PUT, with `?path=`: as in the file operations. */
export const FILES_PATH = "/files";

/** The status of an answer whose body is a Failure as JSON. */
export const FAILED_TRANSFER_STATUS = 422;

/** How long the body of a PUT has to be, where the client said so: less is a broken upload. */
export const EXPECTED_LENGTH_HEADER = "x-expected-length";

export const filesUrl = (path: string): string => `http://runner${FILES_PATH}?path=${encodeURIComponent(path)}`;
