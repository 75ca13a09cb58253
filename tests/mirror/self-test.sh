#!/bin/sh
# check-tests.sh must accept a small tree that is in order and refuse every breach of it:
# self-test.sh CHECK-TESTS.SH
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree" "$tree.out"' EXIT

plant() { # plant FILE...: empty files
    for file in "$@"; do
        mkdir -p "$tree/$(dirname "$file")"
        : >"$tree/$file"
    done
}

tree_in_order() {
    rm -rf "${tree:?}"/*
    plant src/net/net.c src/net/net.h tests/unit/net/test_net.c
    plant src/net/laws.c tests/unit/net/gradient_laws.c
    plant cli/help.c cli/help.h tests/unit/cli/test_help.c
    plant cli/show/table.c cli/show/table.h tests/unit/cli/test_table.c
    plant cli/commands/tune.c tests/cli/tune.sh cli/main.c tests/cli/main.sh
}

n=0
refuse() { # refuse NAME FILE...: with these files more the tree is refused, and NAME is named
    name=$1
    shift
    tree_in_order
    plant "$@"
    refused "$name"
}

refused() { # refused NAME: as the tree stands
    if "$check" "$tree" >"$tree.out"; then
        echo "not refused: $1"
        exit 1
    fi
    grep -q "^$1: " "$tree.out" || { echo "refused without its name: $1"; exit 1; }
    n=$((n + 1))
}

tree_in_order
"$check" "$tree" >/dev/null
refuse src/net/plan.c src/net/plan.c
refuse src/net/plan.c src/net/plan.c tests/unit/math/test_plan.c
refuse src/net/plan.c src/net/plan.c tests/unit/net/plan.c
refuse src/net/tune.c src/net/tune.c tests/cli/tune.sh
refuse cli/top.c cli/top.c
refuse cli/show/bar.c cli/show/bar.c
refuse cli/show/bar.c cli/show/bar.c tests/cli/bar.sh
refuse cli/commands/solve.c cli/commands/solve.c tests/cli/tune.sh
refuse net.h src/math/net.h
refuse table.h src/net/table.h
refuse help.h cli/show/help.h
tree_in_order
rm "$tree/tests/unit/net/test_net.c"
refused src/net/net.c
rm -rf "${tree:?}"/*
refused "$tree"
echo "$n breaches were refused"
