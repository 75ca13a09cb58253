#!/bin/sh
# Runs every fuzzer for some seconds, or those that are named: tools/fuzz.sh [SECONDS [NAME...]].
# The fuzzer of tests/fuzz/FAMILY_PART.c starts from the seeds of tests/fuzz/corpus/FAMILY_PART, or
# else of corpus/FAMILY, and from the words of tests/fuzz/FAMILY.dict.  What it finds on its way
# stays in build/fuzz/corpus, and what makes it fail in build/fuzz.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ "$#" -eq 0 ] || shift

tools/setup.sh test
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
[ "$#" -gt 0 ] || set -- $(cd build/fuzz && ls fuzz_* | sed 's/fuzz_//')
[ "$#" -gt 0 ] || { echo "fuzz: there are no fuzzers" >&2; exit 1; }

for name in "$@"; do
    family=${name%%_*}
    seeds=tests/fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=tests/fuzz/corpus/$family
    found=build/fuzz/corpus/$name # libFuzzer writes to the first folder only
    mkdir -p "$found"
    echo "fuzz: $name for $seconds s"
    "build/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
        -rss_limit_mb=1024 -malloc_limit_mb=256 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/$name-" -dict="tests/fuzz/$family.dict" "$found" "$seeds"
done
