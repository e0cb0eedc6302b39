// The shell script that is process 1 of a machine: mounts, network, and then a shell without the powers that undo them.
// It is given to `sh -c`, because the project's directory may be closed to the user whom the machine runs as.

import { DNS_TCP_SOCKET, FIRST_SOCKET } from "../egress/captured-ports.ts";

const SOCKETS = Array.from({ length: DNS_TCP_SOCKET - FIRST_SOCKET + 1 }, (_, index) => FIRST_SOCKET + index);

/**
 * Arguments: fstab, root, the perl program that makes the network (empty where there cannot be one), then the program to run
 * and its arguments. Standard input is the engine's pipe, whose first line says that everything named in the fstab is there.
 */
export const ENTER_SCRIPT = `
set -eu
umask 022
fstab=$1 root=$2 network=$3
shift 3
read -r _
mount --all --fstab "$fstab"
hostname sandbox 2>/dev/null || :
if [ -z "$network" ]; then
  ip link set lo up 2>/dev/null || perl -e 'socket(S, 2, 2, 0); ioctl(S, 0x8914, pack("a16s", "lo", 0x49)) or die'
fi
cd "$root"
pivot_root . .
umount -l .
cd /workspace
exec \${network:+perl -e "$network"} setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,${[
  "chown",
  "dac_override",
  "fowner",
  "fsetid",
  "kill",
]
  .concat(["setgid", "setuid", "setpcap", "setfcap", "net_bind_service", "net_raw", "sys_chroot"])
  .map((capability) => `+${capability}`)
  .join(",")} sh -c '${[
  // A background job's input is /dev/null unless it is given one by another number. The shell reaps whatever is orphaned.
  // Descriptor 3 is the channel to the engine, those after 4 are the sockets of what goes out.
  `exec 4<&0 </dev/null; "$@" <&4 4<&- & exec 3<&- 4<&- ${SOCKETS.map((socket) => `${socket}<&-`).join(" ")}`,
  // Shells catch some signals by themselves, and would end or stop waiting; ignored ones do neither. Node sets its own.
  'trap "" HUP INT QUIT TERM; wait $!',
].join("; ")}' sh "$@"
`;
