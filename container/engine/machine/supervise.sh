#!/bin/sh
# Process 1 of a machine: runs the command given as arguments, reaps every orphan, and exits as the command does.

# A background job reads /dev/null unless its input comes from another descriptor.
exec 4<&0 </dev/null
"$@" <&4 4<&- &
# The channel to the engine (3) and the captured sockets (from 5) are the command's alone. Not all of them need be open.
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
# Shells handle some signals by themselves, and would exit or stop waiting; an ignored signal does neither. Node sets its
# own handlers.
trap "" HUP INT QUIT TERM
wait $!
