#!/bin/bash
# unpack.sh TAR_OPTIONS...: unpacks the compressed tar archive on stdin into the working directory. Exits with 0, with 2 when
# tar could not create all of it, with 3 when the compressed bytes are damaged, or with more when tar was ended by a signal.

decompress | tar --extract "$@"
codes=("${PIPESTATUS[@]}")
[ "${codes[1]}" -le 2 ] || exit "${codes[1]}"
[ "${codes[0]}" = 0 ] || exit 3
exit "${codes[1]}"
