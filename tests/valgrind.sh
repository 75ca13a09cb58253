#!/bin/sh
# The program under valgrind: no invalid access, no use of uninitialised memory, no leak.
#     valgrind.sh PROGRAM
set -eu
nln=$1
if ! command -v valgrind >/dev/null; then
    echo "SKIP: valgrind is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() {
    valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
        "$nln" "$@" >/dev/null
}
check generate logic --variables 20 --expressions 60 --out "$work/data"
check train "$work/data" --epochs 1 --dimension 6 --threads 2 --quiet --out "$work/model"
check evaluate "$work/model" "$work/data" --exact
check predict "$work/model" "$work/data/test.tsv"
check solve "$work/model" --truth "$work/data"
check inspect "$work/model" "$work/data"
if check predict "$work/model" "$work/nowhere" 2>/dev/null; then
    echo "a missing file was read" >&2
    exit 1
fi
