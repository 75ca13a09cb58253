#!/bin/sh
# Everything that must hold: warnings are errors for two compilers, the code is
# formatted, the quick analysers are silent, the tests pass with and without
# sanitizers, and the fuzzers find nothing.  FUZZ_SECONDS (4) is the time of each
# fuzzer.  tools/test-long.sh has what takes longer.
set -eu
cd "$(dirname "$0")/.."

step() {
    printf '\n== %s\n' "$*"
}

step packages
tools/setup.sh test
step formatting
tools/format.sh --check
step analysers
tools/analyse.sh gcc
if command -v cppcheck >/dev/null; then
    tools/analyse.sh cppcheck
else
    echo "SKIPPED: cppcheck; tools/setup.sh analyse installs it"
fi
step gcc, warnings are errors
cmake --preset release -DNLN_WERROR=ON >/dev/null
cmake --build --preset all
step clang, warnings are errors
cmake --preset clang -DNLN_WERROR=ON >/dev/null
cmake --build --preset clang
step address and undefined behaviour sanitizers
cmake --preset asan >/dev/null
cmake --build --preset asan
ctest --preset asan -j "$(nproc)"
step thread sanitizer
threads='test_threads test_team test_batch'
cmake --preset tsan >/dev/null
cmake --build --preset tsan --target $threads
ctest --preset tsan -R "^($(echo $threads | tr ' ' '|'))\$"
step fuzzers
tools/fuzz.sh "${FUZZ_SECONDS:-4}"
step tests
if [ -z "${NLN_DATA:-}" ]; then
    echo "SKIPPED: the tests on published data; set NLN_DATA to the folder that holds it"
fi
ctest --preset release -j "$(nproc)"
