#!/bin/sh
# The whole suite under the thread sanitizer; `make test` runs only the programs whose subject is
# threads: tsan.sh PROGRAM (which is not used: the sanitizer needs its own).
set -eu
cd "$(dirname "$0")/../.."
cmake --preset tsan >/dev/null
cmake --build --preset tsan
ctest --preset tsan -j "$(nproc)"
