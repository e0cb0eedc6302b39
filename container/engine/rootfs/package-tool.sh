#!/bin/sh
# Stands before apt, apt-get and dpkg in a machine's PATH and becomes the tool of its own name. System packages cannot be
# changed there, because root of a machine is an ordinary user of the host; this says so before the tool's own error.
tool=${0##*/}
case $tool in
  dpkg) changes="-i --install -r --remove -P --purge --unpack --configure" ;;
  *) changes="update install reinstall remove purge autoremove autopurge upgrade full-upgrade dist-upgrade build-dep" ;;
esac
for word in "$@"; do
  case " $changes " in
    *" $word "*)
      echo "This machine cannot change system packages: install with npm, pip, cargo or into /usr/local, /opt or the home directory instead, or run the server with Docker." >&2
      break
      ;;
  esac
done
exec "/usr/bin/$tool" "$@"
