#!/bin/sh
# Kills a program that writes to a store at random moments and looks whether everything that was
# acknowledged is there, once: kills.sh LOAD [SQLITE_KILLS [POSTGRESQL_KILLS [SERVER_KILLS]]], where
# LOAD is the program store_load; in the last of these PostgreSQL itself is killed and started again
# while the program goes on.  One store lives through all kills.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
load=$(realpath "$1") sqlite=${2:-8} postgres=${3:-3} servers=${4:-0}
. "$here/postgres.sh"
work=$(mktemp -d)
trap 'postgres_stop; rm -rf "$work"' EXIT
cd "$work"

# kill_at_random STORE KILLS LOG
kill_at_random() {
    for run in $(seq "$2"); do
        "$load" write "$1" 32 60 "$3" "$run" >out 2>&1 &
        pid=$!
        sleep "$(awk -v seed="$run$$" 'BEGIN { srand(seed); print 0.1 + 0.9 * rand() }')"
        kill -9 "$pid" 2>/dev/null || { cat out; echo "FAILED: the load ended by itself"; exit 1; }
        wait "$pid" 2>/dev/null || true
        [ $((run % 10)) -ne 0 ] || "$load" check "$1" "$3" >out || { cat out; exit 1; }
    done
    # Once more to the end, and everything is counted.
    "$load" write "$1" 32 0.2 "$3" $(($2 + 1)) >/dev/null
    "$load" check "$1" "$3"
}

echo "sqlite, $sqlite kills:"
kill_at_random "$work/events.db" "$sqlite" "$work/sqlite.log"
if postgres_start; then
    echo "postgresql, $postgres kills:"
    kill_at_random "$postgres_url" "$postgres" "$work/postgres.log"
    for run in $(seq "$servers"); do
        "$load" write "$postgres_url" 32 5 "$work/postgres.log" $((postgres + 1 + run)) >out 2>&1 &
        pid=$!
        sleep 1.7
        postgres_kill
        postgres_resume
        wait "$pid" || { cat out; echo "FAILED: an event failed while PostgreSQL was away"; exit 1; }
    done
    [ "$servers" = 0 ] || echo "postgresql killed $servers times:"
    [ "$servers" = 0 ] || "$load" check "$postgres_url" "$work/postgres.log"
else
    echo "SKIPPED: PostgreSQL is not installed (apt-get install postgresql)"
fi
