#!/bin/bash
# Two functions for the scripts that this one is put in front of. Both copy stdin to stdout; `decompress` exits with another
# code than 0 when its input is damaged. Where the system has no zstd, Node's own does the same in a process of its own.
# NODE and NODE_ZSTD are set by run-script.ts.

compress() {
  if command -v zstd > /dev/null; then zstd -q -c -1 -T0; else "$NODE" -e "$NODE_ZSTD" -- compress; fi
}

decompress() {
  if command -v zstd > /dev/null; then zstd -q -d -c; else "$NODE" -e "$NODE_ZSTD" -- decompress; fi
}
