#!/bin/bash
# Prepares a terminal and runs the command on it. `script` takes only a shell line, so the values come in the environment.

stty sane rows "$SANDBOX_PTY_ROWS" columns "$SANDBOX_PTY_COLUMNS"
set -- "$SANDBOX_PTY_COMMAND"
unset SANDBOX_PTY_COMMAND SANDBOX_PTY_ROWS SANDBOX_PTY_COLUMNS
exec bash -c -- "$1"
