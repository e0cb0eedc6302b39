// Which user of the host a machine runs as.

/** One for each number where root runs the engine; undefined where machines run as the engine's own user. */
export const machineUid = (number: number): number | undefined =>
  process.getuid?.() === 0 ? FIRST_UID + number : undefined;

/** Users that no account has: above the ranges for subordinate ids and systemd-nspawn, below 2^31. */
const FIRST_UID = 0x70000000 + Math.floor(Math.random() * 0x0f000000);
