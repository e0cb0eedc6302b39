#!/bin/bash
# decompress.sh OUT: decompresses stdin to OUT.

decompress > "$1"
