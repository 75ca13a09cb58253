#!/bin/sh
# What takes too long for `make test`: runs every executable script of tests/long with the
# path of the program, or only those named: tools/test-long.sh [NAME...].  Says the time that
# each took, goes on after a failure, and fails if one failed.  A script that cannot run here
# exits with 77 and counts as skipped.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

tools/setup.sh test
cmake --preset release >/dev/null
cmake --build --preset all

if [ $# = 0 ]; then
    for script in tests/long/*.sh; do
        [ ! -x "$script" ] || set -- "$@" "$(basename "$script" .sh)"
    done
fi
[ $# -gt 0 ] || { echo "test-long: there are no scripts in tests/long" >&2; exit 1; }

failed= skipped=
for name in "$@"; do
    printf '\n== %s\n' "$name"
    start=$(date +%s)
    code=0
    "$root/tests/long/$name.sh" "$root/build/nln" || code=$?
    case $code in
    0) result=passed ;;
    77) result=skipped skipped="$skipped $name" ;;
    *) result="FAILED ($code)" failed="$failed $name" ;;
    esac
    echo "== $name: $result after $(($(date +%s) - start)) s"
done
printf '\n%d scripts' $#
[ -z "$skipped" ] || printf '; skipped:%s' "$skipped"
[ -z "$failed" ] || { echo "; FAILED:$failed"; exit 1; }
echo "; none failed"
