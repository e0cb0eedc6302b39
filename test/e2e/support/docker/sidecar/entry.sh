#!/bin/sh
# The entry point of the sidecar's stand-in. workerd gives up on a sidecar that does not accept connections within a second, and
# on a busy host Node takes longer to start. So socat accepts them, and each waits until Node listens.
socat -t 86400 TCP-LISTEN:39001,fork,reuseaddr,nodelay TCP:127.0.0.1:39002,retry=1200,interval=0.05,nodelay &
exec node /sidecar.cjs "$@"
