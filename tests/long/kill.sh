#!/bin/sh
# A hundred trainings are killed at random moments and go on to the same bits: kill.sh PROGRAM.
exec "$(dirname "$0")/../cli/checkpoint.sh" "$1" 100
