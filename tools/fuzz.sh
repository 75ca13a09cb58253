#!/bin/sh
# Runs every fuzzer for some seconds: tools/fuzz.sh [SECONDS].  tests/fuzz_X.c
# starts from the seeds of tests/corpus/X and the words of tests/X.dict.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}

tools/setup.sh test
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
n=0
for source in tests/fuzz_*.c; do
    [ -e "$source" ] || continue
    name=$(basename "$source" .c)
    part=${name#fuzz_}
    found=build/fuzz/corpus/$part
    mkdir -p "$found"
    set -- "$found" # libFuzzer writes what it finds to the first folder only
    [ -d "tests/corpus/$part" ] && set -- "$@" "tests/corpus/$part"
    [ -e "tests/$part.dict" ] && set -- "$@" "-dict=tests/$part.dict"
    echo "fuzz: $part for $seconds s"
    "build/fuzz/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
        -verbosity=0 -print_final_stats=1 -artifact_prefix="build/fuzz/$part-" "$@"
    n=$((n + 1))
done
[ "$n" -gt 0 ] || { echo "fuzz: there are no fuzzers" >&2; exit 1; }
