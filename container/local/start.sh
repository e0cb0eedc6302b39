#!/bin/sh
# `npm start`: becomes the server, on the Node that npm itself runs on if that is new enough. Otherwise on the one that comes as a
# package, which npm has put first in the PATH.
set -eu
agent=${npm_config_user_agent:-}
version=${agent##* node/v}
node=node
if [ "${version%%.*}" -ge 24 ] 2>/dev/null && [ -x "${npm_node_execpath:-}" ]; then node=$npm_node_execpath; fi
exec "$node" "$(dirname "$0")/main.ts"
