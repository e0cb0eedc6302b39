// workerd answers a request of a machine that it cannot parse with the exception of its HTTP library, which names files of its source
// and addresses in its memory.

const DETAILS = /^(?:HTTP\/1\.1 5\d\d .*?\r\n\r\n)?ERROR: The server [^.]*\.(?= Details:\n)/s;
const HEAD_MAX_BYTES = 500;

/** Overwrites them with spaces where `bytes`, which workerd has sent at once, are such an answer or its body. */
export function hideDetails(bytes: Buffer): void {
  const [found] = DETAILS.exec(bytes.toString("latin1", 0, HEAD_MAX_BYTES)) ?? [];
  if (found !== undefined) bytes.fill(" ", found.length);
}
