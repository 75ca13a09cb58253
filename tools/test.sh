#!/bin/sh
# Everything that must hold: warnings are errors for two compilers, the code is formatted, the quick
# analysers are silent, the tests pass with and without sanitizers, and the fuzzers find nothing.
# Goes on after a failure; the last line counts what passed, failed and was skipped, the lines
# before it name the last two, and the exit code is 1 if anything failed.  FUZZ_SECONDS (4) is the
# time of each fuzzer.  tools/check.sh is the quick part, tools/test-long.sh what takes longer.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/results.sh
cores=$(nproc)

step packages
attempt packages tools/setup.sh test
step formatting
attempt formatting tools/format.sh --check
step analysers
attempt "gcc -fanalyzer" tools/analyse.sh gcc
if command -v cppcheck >/dev/null; then
    attempt cppcheck tools/analyse.sh cppcheck
else
    skipped cppcheck "not installed: tools/setup.sh analyse"
fi
step clang, warnings are errors
build clang
step address and undefined behaviour sanitizers
if build asan; then
    suite asan build/asan -j "$cores"
else
    skipped "tests of asan" "not built"
fi
step thread sanitizer
if build tsan --target thread_tests; then
    suite tsan build/tsan -L threads
else
    skipped "tests of tsan" "not built"
fi
step fuzzers
tools/fuzz.sh "${FUZZ_SECONDS:-4}"
step gcc, warnings are errors
if build all; then
    step tests
    suite release build -j "$cores"
else
    skipped "tests of release" "not built"
fi
report
