#!/bin/sh
# Checks that every source file has a test of its name, and that no header name occurs twice over
# src/ and cli/: tools/check-tests.sh [ROOT].  Prints each file that breaks a rule, and fails if
# there is one.
#
#     src/ROOM/NAME.c        tests/unit/ROOM/test_NAME.c or gradient_NAME.c
#     cli/NAME.c             tests/unit/cli/test_NAME.c or tests/cli/NAME.sh
#     cli/commands/NAME.c    the same
#     cli/ROOM/NAME.c        tests/unit/cli/test_NAME.c
set -eu
cd "${1:-$(dirname "$0")/..}"

breaches=0
breach() {
    echo "$1: $2"
    breaches=$((breaches + 1))
}

exists() { # exists FILE...: one of them does
    for candidate in "$@"; do
        [ ! -e "$candidate" ] || return 0
    done
    return 1
}

n=0
for file in src/*/*.c cli/*.c cli/*/*.c; do
    [ -e "$file" ] || continue
    n=$((n + 1))
    name=$(basename "$file" .c)
    folder=$(dirname "$file")
    case $folder in
    src/*) set -- "tests/unit/${folder#src/}/test_$name.c" "tests/unit/${folder#src/}/gradient_$name.c" ;;
    cli | cli/commands) set -- "tests/unit/cli/test_$name.c" "tests/cli/$name.sh" ;;
    *) set -- "tests/unit/cli/test_$name.c" ;;
    esac
    exists "$@" || breach "$file" "has no test: $(echo "$*" | sed 's/ / or /')"
done
[ "$n" -gt 0 ] || breach "$PWD" "there are no source files here"

for name in $(printf '%s\n' src/*/*.h cli/*.h cli/*/*.h | sed 's:.*/::; /^\*/d' | sort | uniq -d); do
    breach "$name" "is the name of several headers: $(ls src/*/"$name" cli/"$name" cli/*/"$name" 2>/dev/null | tr '\n' ' ')"
done
[ "$breaches" -eq 0 ] || { echo "$breaches breach(es) in $n source files"; exit 1; }
echo "tests: $n source files have their tests, and every header has a name of its own"
