#!/bin/sh
# The first program in the namespaces of a machine: makes its mounts, moves into its root, and becomes the command.
# Arguments: fstab, root, the command. Standard input is the engine's pipe, whose first line says that everything that the
# fstab names is there.
set -eu
umask 022
fstab=$1 root=$2
shift 2
read -r _
mount --all --fstab "$fstab"
hostname sandbox 2>/dev/null || :
cd "$root"
pivot_root . .
umount -l .
cd /workspace
exec "$@"
