#!/bin/sh
# Mounts the overlay that `fstab` names in the current directory, deletes a file of the host in it, and puts a directory in
# its place: that takes device nodes and extended attributes in the upper layer. Argument: the name of a file in /usr/bin.
set -e
mount --all --fstab fstab
cd root/usr/bin
rm -f "$1"
mkdir "$1"
