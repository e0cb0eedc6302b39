#!/bin/sh
# Removes a machine's disk. Arguments: the directory it is mounted on, its image, and a command that takes the directory.
directory=$1 image=$2
shift 2
"$@" "$directory" 2>/dev/null
umount -l -- "$directory"
rm -f -- "$image"
rmdir -- "$directory"
