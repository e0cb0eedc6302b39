#!/bin/bash
# load-directories.sh ARCHIVE TAR_OPTIONS...: unpacks what save-directories.sh wrote into the working directory.

archive=$1
shift
tar --extract "$@" < "$archive"
