#!/bin/bash
# diff-files.sh LIMIT LABEL_BEFORE LABEL_AFTER BEFORE AFTER: prints a unified diff of two files, at most LIMIT bytes of it.
# Exits with 0, or with 1 when diff failed or was cut short.

diff -u --label "$2" --label "$3" -- "$4" "$5" | head -c "$1"
[ "${PIPESTATUS[0]}" -le 1 ]
