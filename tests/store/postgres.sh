# A real PostgreSQL server for a script; to be sourced.  The script calls postgres_start, which sets
# $postgres_url, and postgres_stop at its end.  PostgreSQL refuses to run as root, so root becomes
# the user postgres.

postgres_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)

# as_postgres COMMAND...: not as root.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
    else
        "$@"
    fi
}

# Fails where PostgreSQL is not installed.
postgres_start() {
    [ -n "$postgres_bin" ] || return 1
    postgres_folder=$(mktemp -d /tmp/nln-postgres-XXXXXX)
    chmod 777 "$postgres_folder"
    (
        cd "$postgres_folder"
        as_postgres "$postgres_bin/initdb" -D data -U nln -E UTF8 --locale C --auth=trust \
            --no-sync >log 2>&1
    )
    postgres_resume
    "$postgres_bin/psql" -q -X -h "$postgres_folder" -U nln -d postgres -c 'CREATE DATABASE nln'
    postgres_url="postgresql:///nln?host=$postgres_folder&user=nln"
}

postgres_resume() {
    (
        cd "$postgres_folder"
        exec >>log 2>&1
        if [ "$(id -u)" = 0 ]; then
            exec setpriv --reuid=postgres --regid=postgres --clear-groups "$postgres_bin/postgres" \
                -D data -k "$postgres_folder" -h ''
        fi
        exec "$postgres_bin/postgres" -D data -k "$postgres_folder" -h ''
    ) &
    postgres_pid=$!
    for _ in $(seq 300); do
        "$postgres_bin/psql" -q -X -h "$postgres_folder" -U nln -d postgres -c 'SELECT 1' \
            >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "PostgreSQL does not start" >&2
    return 1
}

# The immediate shutdown, as after a power failure.
postgres_kill() {
    kill -QUIT "$postgres_pid" 2>/dev/null || true
    wait "$postgres_pid" 2>/dev/null || true
}

postgres_stop() {
    [ -z "${postgres_folder:-}" ] || {
        postgres_kill
        rm -rf "$postgres_folder"
    }
}
