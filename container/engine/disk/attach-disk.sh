#!/bin/sh
# Mounts a copy of an empty image. Arguments: the empty image, the copy to make, the directory to mount it on. The copy takes
# only the space of what is written to it, and gives back what is deleted.
set -eu
cp --sparse=always --reflink=auto -- "$1" "$2"
for _ in 1 2 3 4 5; do
  # Another program may take the free device first. Direct I/O keeps the data from being cached twice.
  device=$(losetup --find --show --direct-io=on -- "$2") && break
  sleep 0.1
done
# After the mount this takes effect when it ends.
trap 'losetup --detach "$device"' EXIT
# Without noinit_itable the kernel would write every inode of the image once.
mount -t ext4 -o nosuid,nodev,discard,noinit_itable -- "$device" "$3"
