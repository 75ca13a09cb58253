#!/bin/sh
# check-layers.sh must accept a small tree that is in order and refuse every
# breach of it: self-test.sh CHECK-LAYERS.SH
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

write() { # write FILE LINE...
    mkdir -p "$tree/$(dirname "$1")"
    file=$1
    shift
    printf '%s\n' "$@" >"$tree/$file"
}

plant() {
    rm -rf "${tree:?}"/*
    write include/nln.h '#include <stddef.h>'
    write include/nln_lab.h '#include <nln.h>'
    write src/base/text.h '#include "nln.h"'
    write src/plane/draw.c '#include "nln_lab.h"'
    write src/math/real.h 'typedef float real;'
    write src/logic/tree.h '#include "base/text.h"' '/* no double' ' * here */ int x; // nor float'
    write src/data/set.h '#include "logic/tree.h"'
    write src/net/net.h '#include "math/real.h"' '#include <stdio.h>'
    write src/training/train.h 'int train;'
    write src/models/model.h 'int model;'
    write src/training/train.c '#include "net/net.h"' '#include "data/set.h"' \
        'void f(void) { m->free(m); nln_free(m); s.exit(1); /* exit(1) */ g("\" abort() " "puts("); }'
    write src/base/memory.c 'void *f(void) { return malloc(1); }' 'void g(void *p) { free(p); }'
    write src/net/file.c '#include <jansson.h>' 'void f(char *text) { free(text); }'
    write cli/main.c '#include "nln.h"' '#include "show/table.h"' '#include <jansson.h>'
    write cli/show/table.h '#include <stdio.h>'
    write cli/runs/store.h '#include "show/table.h"'
    write cli/commands/tune.c '#include "runs/store.h"'
}

n=0
refuse() { # refuse FILE LINE...: the tree with this one more file is a breach
    plant
    write "$@"
    if "$check" "$tree" >"$tree.out"; then
        echo "not refused: $*"
        exit 1
    fi
    grep -q "^$1:" "$tree.out" || { echo "refused without a place: $*"; exit 1; }
    n=$((n + 1))
}

trap 'rm -rf "$tree" "$tree.out"' EXIT
plant
"$check" "$tree" >/dev/null
refuse src/base/up.c '#include "logic/tree.h"'
refuse src/net/up.c '#include "nln_lab.h"'
refuse include/nln.h '#include <nln_lab.h>'
refuse src/logic/up.c '#include "math/real.h"'
refuse src/logic/up.c 'static double half;'
refuse src/logic/up.c '/* a */ float x; /* b */'
refuse src/math/up.c '#include "logic/tree.h"'
refuse src/math/up.c '  #  include   <logic/tree.h>'
refuse src/data/up.c '#include "net/net.h"'
refuse src/net/up.c '#include "data/set.h"'
refuse src/models/up.c '#include "training/train.h"'
refuse src/data/up.c '#include "models/model.h"'
refuse src/models/up.c '#include "../data/set.h"'
refuse src/attic/up.c 'int x;'
for call in 'malloc(1)' 'x = calloc (1, 2)' 'y[realloc(x, 2)]' 'strdup(t)' 'free(x)' \
    'fprintf(stderr, t)' 'FILE *f = stdout' 'printf("%d", 1)' '"\"";puts("")' "'\"';puts(t)" \
    'exit(1)' 'abort()' 'assert(x)' 'signal(SIGINT, f)' 'setlocale(LC_ALL, "")' \
    'strtok(t, " ")' 'lgamma(1)'; do
    refuse src/net/up.c "void f(void) { $call; }"
done
refuse src/base/memory.c 'void f(void) { abort(); }'
refuse src/net/file.c '#include <jansson.h>' 'char *f(char *text) { return strdup(text); }'
refuse src/base/file.c '/* #include <jansson.h> */' 'void f(char *text) { free(text); }'
refuse cli/up.c '#include "base/text.h"'
refuse cli/up.c '#include "../src/base/text.h"'
refuse cli/up.c '#include <base/text.h>'
refuse cli/show/up.c '#include "runs/store.h"'
refuse cli/runs/up.c '#include "../show/table.h"'
refuse cli/attic/up.c 'int x;'
refuse include/up.h '#include <jansson.h>'
refuse include/up.h '#include "base/text.h"'
rm -rf "${tree:?}"/*
if "$check" "$tree" >/dev/null; then
    echo "an empty tree was accepted"
    exit 1
fi
echo "$n breaches refused"
