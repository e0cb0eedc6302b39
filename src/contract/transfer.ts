// Whole files between the Worker and the runner. They do not use the operations but plain HTTP (RFC 9110) on one path,
// because files of any size have to stream.

/** GET or PUT, with the query parameter `path`, which has the same form as in the file operations. */
export const FILES_PATH = "/files";

/** The status of a response whose body is a Failure as JSON. */
export const FAILED_TRANSFER_STATUS = 422;

/**
 * On a PUT: an ASCII marker that no client can know. The Worker appends it to the body once all of the body has arrived; a
 * body that does not end with it is incomplete. It is needed because a stream that breaks can end as if it were complete.
 */
export const END_HEADER = "x-body-end";
