#!/bin/sh
# What takes too long for `make test`: runs every executable script of tests/long with the path of
# the program, or only those named: tools/test-long.sh [NAME...].  Says the time that each took,
# goes on after a failure, and ends like tools/test.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/results.sh
root=$PWD

attempt packages tools/setup.sh test
build all || { report; exit 1; }
if [ $# = 0 ]; then
    for script in tests/long/*.sh; do
        [ ! -x "$script" ] || set -- "$@" "$(basename "$script" .sh)"
    done
fi
for name in "$@"; do
    step "$name"
    start=$(date +%s)
    attempt "$name" env -u NLN_RESULTS "$root/tests/long/$name.sh" "$root/build/nln"
    echo "== $name: $(($(date +%s) - start)) s"
done
report
