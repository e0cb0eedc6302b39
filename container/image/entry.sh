#!/bin/sh
# The entry point of the image: makes every program trust the authority with whose certificates the platform, or workerd on a
# Docker engine, intercepts HTTPS. Where nothing is intercepted there is no such file, and nothing to do.
authority=/etc/cloudflare/certs/cloudflare-containers-ca.crt
bundle=/etc/ssl/certs/ca-certificates.crt
if [ -f "$authority" ]; then
  # The bundle of a container that is started again has it already.
  last=$(grep -v '^-' "$authority" | tail -n 1)
  grep -qF "$last" "$bundle" || cat "$authority" >>"$bundle"
  hash=$(openssl x509 -noout -hash -in "$authority" 2>/dev/null) && ln -sf "$authority" "/etc/ssl/certs/$hash.0"
  export NODE_EXTRA_CA_CERTS="$authority"
fi
exec "$@"
