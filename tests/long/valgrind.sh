#!/bin/sh
# Every test program under valgrind: no invalid access, no use of uninitialised memory, no leak.
#     valgrind.sh PROGRAM
# (The programs of tests/faults, which fail every call in turn, are under ASan in `make test`.)
# The programs are those beside PROGRAM, as many at once as there are processors.  Each has
# VALGRIND_SECONDS (1800) to finish.
set -eu
build=$(cd "$(dirname "$1")" && pwd)
if ! command -v valgrind >/dev/null; then
    echo "SKIPPED: valgrind is not installed"
    exit 77
fi
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# The library's own loops are what is looked at; OpenBLAS is twice as fast here without the fused
# multiplications, which valgrind makes one by one.
export build work OPENBLAS_CORETYPE=Nehalem VALGRIND_SECONDS="${VALGRIND_SECONDS:-1800}"

# First, since they take longest.
slow='test_learning gradient_objective gradient_all_models test_checkpoint test_tsne test_birnn'
names=$(ls tests/unit/*/test_*.c tests/unit/*/gradient_*.c |
    sed 's:^tests/unit/cli/test_:test_cli_:; s:.*/::; s:\.c$::')
{
    printf '%s\n' $slow
    printf '%s\n' $names | grep -vxF "$(printf '%s\n' $slow)"
} | xargs -n 1 -P "$(nproc)" sh -c '
    start=$(date +%s) code=0
    timeout "$VALGRIND_SECONDS" valgrind --quiet --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite,indirect "$build/$1" >"$work/$1" 2>&1 || code=$?
    echo "$1: $([ $code = 0 ] && echo passed || echo "FAILED ($code)") after" \
        "$(($(date +%s) - start)) s"
    [ $code = 0 ] || { tail -n 40 "$work/$1"; echo "$1" >>"$work/failed"; }' sh
[ ! -e "$work/failed" ] || { echo "FAILED:" $(cat "$work/failed"); exit 1; }
echo "$(ls "$work" | wc -l) programs, all of them clean"
