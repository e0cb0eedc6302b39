#!/bin/bash
# scan.sh OUT FIND_ARGUMENTS...: writes what `find` prints, NUL-ended records, sorted to OUT.
# Exits with the code of `find`, or with 2 when the list was not written.

out=$1
shift
# Long lists are sorted in files beside the result: the disk of /tmp may be full.
find "$@" | sort -z -T "${out%/*}" > "$out"
codes=("${PIPESTATUS[@]}")
[ "${codes[1]}" = 0 ] || exit 2
exit "${codes[0]}"
