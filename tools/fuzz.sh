#!/bin/sh
# Runs every fuzzer for some seconds, or those that are named: tools/fuzz.sh [SECONDS [NAME...]].
# The fuzzer of tests/fuzz/FAMILY_PART.c starts from the seeds of tests/fuzz/corpus/FAMILY_PART, or
# else of corpus/FAMILY, and from the words of tests/fuzz/FAMILY.dict.  New inputs that it finds
# stay in build/fuzz/corpus, and inputs on which it fails in build/fuzz.  Ends like tools/test.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/results.sh
seconds=${1:-60}
[ "$#" -eq 0 ] || shift

fuzz() { # fuzz NAME
    family=${1%%_*}
    seeds=tests/fuzz/corpus/$1
    [ -d "$seeds" ] || seeds=tests/fuzz/corpus/$family
    found=build/fuzz/corpus/$1 # libFuzzer writes to the first folder only
    mkdir -p "$found"
    echo "fuzz: $1 for $seconds s"
    "build/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
        -rss_limit_mb=1024 -malloc_limit_mb=256 -verbosity=0 -print_final_stats=1 -error_exitcode=1 \
        -artifact_prefix="build/fuzz/$1-" -dict="tests/fuzz/$family.dict" "$found" "$seeds"
}

[ -n "$inner" ] || attempt packages tools/setup.sh test
if build fuzz; then
    [ "$#" -gt 0 ] || set -- $(cd build/fuzz && ls fuzz_* | sed 's/fuzz_//')
    [ "$#" -gt 0 ] || record failed "fuzz: there are no fuzzers"
    for name in "$@"; do
        attempt "fuzz: $name" fuzz "$name"
    done
else
    skipped fuzzers "not built"
fi
report
