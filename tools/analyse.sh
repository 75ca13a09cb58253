#!/bin/sh
# Static analysers over src/ and cli/: tools/analyse.sh [gcc|cppcheck|clang-tidy]..., all three
# if none is named.  Each must be silent but for the exceptions that say why: a comment in the
# code for cppcheck and clang-tidy, .clang-tidy for checks that are off, and
# tools/analyse-gcc.txt for gcc, which has no other place for them.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- gcc cppcheck clang-tidy

flags="-Iinclude -Isrc -Icli -D_POSIX_C_SOURCE=200809L $(pkg-config --cflags libpq)"
sources=$(ls src/*/*.c cli/*.c cli/*/*.c)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

in_parallel() { # in_parallel COMMAND...: once for each source, two lines of which never mix
    printf '%s\n' $sources |
        xargs -P "$(nproc)" -I FILE sh -c 'out=$("$@" 2>&1) || echo "FAILED: $*"
            [ -z "$out" ] || printf "%s\n" "$out"' sh "$@" FILE
}

# Warnings are known by file, kind and the first quoted word, since lines move; a row of the
# table that meets none is a failure too.
check_gcc() {
    in_parallel env LC_ALL=C gcc -std=c11 $flags -O1 -fanalyzer -fno-math-errno -fno-trapping-math -mavx2 -mfma \
        -mavx512f -mavx512dq -S -o /dev/null >"$work/gcc"
    awk -F '|' -v table=tools/analyse-gcc.txt '
        FILENAME == table { if ($0 !~ /^#/ && NF) known[$1 "|" $2 "|" $3] = 1; next }
        /^FAILED/ { print; bad = 1 }
        / warning: / {
            file = $0; sub(/:.*/, "", file)
            kind = $0; sub(/.*\[-W(analyzer-)?/, "", kind); sub(/\].*/, "", kind)
            word = $0; sub(/^[^\047]*\047/, "", word); sub(/\047.*/, "", word)
            key = file "|" kind "|" word
            if (!(key in known)) key = file "|" kind "|any"
            if (key in known) { met[key] = 1; next }
            print; bad = 1
        }
        END {
            for (key in known) if (!(key in met)) {
                print table ": no such warning any more, remove the row: " key; bad = 1 }
            exit bad
        }' tools/analyse-gcc.txt "$work/gcc"
}

# Its preprocessor takes both ways of every #if, but for macros that are named.
check_cppcheck() {
    cppcheck --std=c11 $flags -D__x86_64__ -D__GNUC__ -U__cplusplus -j "$(nproc)" --quiet --inline-suppr \
        --enable=warning,performance,portability --suppress=missingIncludeSystem \
        --error-exitcode=1 src cli
}

check_clang_tidy() {
    cmake --preset release >/dev/null
    in_parallel clang-tidy -p build --quiet --warnings-as-errors='*' >"$work/tidy"
    grep -vE '^[0-9]+ warnings? generated|^Suppressed |^Use -header-filter' "$work/tidy" || return 0
    return 1
}

failed=
for analyser in "$@"; do
    echo "analyse: $analyser"
    case $analyser in
    gcc) check_gcc || failed="$failed gcc" ;;
    cppcheck) check_cppcheck || failed="$failed cppcheck" ;;
    clang-tidy) check_clang_tidy || failed="$failed clang-tidy" ;;
    *)
        echo "usage: tools/analyse.sh [gcc|cppcheck|clang-tidy]..." >&2
        exit 2
        ;;
    esac
done
[ -z "$failed" ] || { echo "analyse: FAILED:$failed" >&2; exit 1; }
