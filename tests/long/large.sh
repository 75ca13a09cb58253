#!/bin/sh
# Long and large input at full size, some minutes and up to 1 GB: large.sh PROGRAM
exec "$(dirname "$0")/../cli/large.sh" "$1" full
