#!/bin/bash
# save-directories.sh OUT: writes to OUT a tar archive of the directories whose NUL-ended names are on stdin, without their
# contents.

tar --create --format=posix --numeric-owner --xattrs --xattrs-include='user.*' \
  --pax-option=delete=atime,delete=ctime --no-recursion --null --verbatim-files-from --files-from=- > "$1"
