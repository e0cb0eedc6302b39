#!/bin/bash
# remove-paths.sh: removes the trees whose paths are on stdin, each ended by NUL, because they may not be UTF-8.

xargs -0 rm -rf --
