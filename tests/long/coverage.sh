#!/bin/sh
# The share of the lines of src/ that the tests run.
set -eu
exec "$(dirname "$0")/../../tools/coverage.sh"
