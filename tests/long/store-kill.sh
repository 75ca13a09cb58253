#!/bin/sh
# A store whose program is killed at 100 random moments (SQLite) and 20 (PostgreSQL):
# store-kill.sh PROGRAM; and PostgreSQL itself five times.  Nothing that was acknowledged is lost or
# doubled.
set -eu
exec "$(dirname "$0")/../store/kills.sh" "$(dirname "$1")/store_load" 100 20 5
