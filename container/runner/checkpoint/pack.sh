#!/bin/bash
# pack.sh OUT MANIFEST NAMES TAR_OPTIONS...: writes the compressed MANIFEST to OUT, then the compressed tar archive of the files
# that NAMES lists. Prints the length of the compressed manifest. Exits with 3 when the manifest was not written, and with 4
# when the archive was not.

out=$1
manifest=$2
names=$3
shift 3
compress < "$manifest" > "$out" || exit 3
stat -c %s "$out"
tar --create "$@" --files-from="$names" | compress >> "$out"
codes=("${PIPESTATUS[@]}")
# tar exits with 1 when a file changed while it was read. The next checkpoint has that file again.
[ "${codes[0]}" -le 1 ] && [ "${codes[1]}" = 0 ] || exit 4
