#!/bin/sh
# Formats the C files; with --check says which are not formatted, and fails.
set -eu
cd "$(dirname "$0")/.."

mode=-i
[ "${1:-}" = --check ] && mode="--dry-run --Werror"
find cli include src tests tools bench examples -name '*.[ch]' -print0 | xargs -0 clang-format $mode
