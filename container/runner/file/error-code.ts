// The code of an error of the operating system.

/** Such as "ENOENT"; null for anything but an error of the system. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("errno" in error)) return null;
  return typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code) ? error.code : null;
}
