#!/bin/bash
# move-entry.sh: moves an entry to another filesystem. Both paths are on stdin, each ended by NUL, because they may not be UTF-8.

xargs -0 mv -T --
