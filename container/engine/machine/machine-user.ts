// The user of the host that a machine runs as.

/** One for each machine's number where root runs the engine. Undefined elsewhere: machines run as the engine's own user. */
export const machineUid = (number: number): number | undefined =>
  process.getuid?.() === 0 ? FIRST_UID + number : undefined;

/** The start of a command that becomes that user, and is killed when the process that started it ends. */
export const asMachineUser = (uid: number | undefined): string[] => [
  ...["setpriv", "--pdeathsig", "KILL"],
  ...(uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"]),
];

/** Users that no account has: above the ranges for subordinate ids and systemd-nspawn, below 2^31. */
const FIRST_UID = 0x70000000 + Math.floor(Math.random() * 0x0f000000);
