#!/bin/bash
# Opens an anonymous pipe as descriptor 3, prints a line to say so, and keeps it open until its own stdin ends.

exec 3< <(:)
echo
read -r
