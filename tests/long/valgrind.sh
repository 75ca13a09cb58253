#!/bin/sh
# Every test program under valgrind: no invalid access, no use of uninitialised memory, no leak.
#     valgrind.sh PROGRAM
# The programs are those beside PROGRAM.  Each has VALGRIND_SECONDS (1800) to finish.
set -eu
build=$(dirname "$1")
seconds=${VALGRIND_SECONDS:-1800}
if ! command -v valgrind >/dev/null; then
    echo "SKIP: valgrind is not installed"
    exit 77
fi
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# Left out, with the reason.
skipped='
gradient_objective: central differences of what test_net and test_batch run too, for a long time
gradient_models: central differences of what test_factors, test_gru and others run too
'

check() { # check NAME
    start=$(date +%s) code=0
    timeout "$seconds" valgrind --quiet --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite,indirect "$build/$1" >"$work/$1" 2>&1 || code=$?
    echo "$1: $([ $code = 0 ] && echo passed || echo "FAILED ($code)") after" \
        "$(($(date +%s) - start)) s"
    [ $code = 0 ] || { tail -n 40 "$work/$1"; echo "$1" >>"$work/failed"; }
}

printf '%s' "$skipped" | sed -n 's/^\(.\)/SKIPPED: \1/p'
names=$(ls tests/test_*.c tests/gradient_*.c tests/cli/test_*.c | sed 's:.*/::; s:\.c$::')
running=0
for name in $names; do
    ! printf '%s' "$skipped" | grep -q "^$name:" || continue
    check "$name" &
    running=$((running + 1))
    [ $((running % $(nproc))) != 0 ] || wait
done
wait
[ ! -e "$work/failed" ] || { echo "FAILED:" $(cat "$work/failed"); exit 1; }
