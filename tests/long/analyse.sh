#!/bin/sh
# All static analysers; `make test` runs the quick ones.
set -eu
cd "$(dirname "$0")/../.."
tools/setup.sh analyse
exec tools/analyse.sh
