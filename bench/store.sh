#!/bin/sh
# Events committed by 64 clients, each of which waits for its commit: SQLite, and PostgreSQL where
# it is installed.
#     bench/store.sh [path to store_load [seconds]]
set -eu
cd "$(dirname "$0")/.."
load=${1:-build/store_load} seconds=${2:-5}
. tests/store/postgres.sh
work=$(mktemp -d -p "${TMPDIR:-.}")
trap 'postgres_stop; rm -rf "$work"' EXIT
"$load" write "$work/events.db" 64 "$seconds"
if postgres_start; then
    "$load" write "$postgres_url" 64 "$seconds"
fi
