#!/bin/sh
# Brings up the loopback device, then becomes the command given as arguments: all the network there is without perl.
set -e
ip link set lo up
exec "$@"
