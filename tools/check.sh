#!/bin/sh
# What to run after every change, in two minutes of two cores from an unbuilt tree: formatting, the
# build with warnings as errors, and the quick tests, all but those labelled `slow` in
# tests/CMakeLists.txt.  Ends like tools/test.sh, which runs everything.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/results.sh

attempt packages tools/setup.sh test
attempt formatting tools/format.sh --check
if build all; then
    suite check build -j "$(nproc)"
else
    skipped tests "not built"
fi
report
