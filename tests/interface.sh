#!/bin/sh
# The public headers against the library: interface.sh PROGRAM LIBRARY VERSION (that of CMake).
# The shared library exports what nln.h and nln_lab.h declare and nothing else, both headers are
# clean C and C++, their examples work, and all versions agree.  CC, CXX and CFLAGS are those of the
# library.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"
library=$2 version=$3
header=$root/include/nln.h
lab=$root/include/nln_lab.h
CC=${CC:-cc} CXX=${CXX:-c++} CFLAGS=${CFLAGS:-}

# ---- names -------------------------------------------------------------------
# Declarations, joined to one line each; the name is what stands before the first bracket.
awk '/^NLN_API/ { text = "" ; inside = 1 }
     inside { text = text $0 " " }
     inside && /;/ { sub(/\(.*/, "", text); sub(/.*[ *]/, "", text); print text; inside = 0 }' \
    "$header" "$lab" | sort >declared
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
[ "$(wc -l <declared)" -gt 50 ] || fail "the headers declare nothing"
[ "$(wc -l <declared)" -eq "$(cat "$header" "$lab" | grep -c '^NLN_API')" ] ||
    fail "a declaration was not read"
diff declared exported >out || fail "the headers (<) and the exported names (>) differ"

# ---- versions ----------------------------------------------------------------
macros=$(sed -n 's/^#define NLN_VERSION_[MP][A-Z]* //p' "$header" | tr '\n' . | sed 's/\.$//')
[ "$macros" = "$version" ] || fail "nln.h is version $macros, CMake has $version"
run 0 --version
[ "$(head -n 1 out)" = "nln $version" ] || fail "the program is not version $version"
objdump -p "$library" | grep -q "SONAME *libnln\.so\.${version%%.*}\$" || fail "the SONAME is wrong"
case $version in 0.*) node=NLN_${version%.*} ;; *) node=NLN_${version%%.*} ;; esac
nm -D --defined-only "$library" | grep -q " nln_train@@$node\$" || fail "nln_train is not of $node"

# ---- the headers -------------------------------------------------------------
strict="-Wall -Wextra -pedantic -Werror -fsyntax-only -I$root/include"
for name in nln.h nln_lab.h; do
    echo "#include <$name>" >alone.c
    cp alone.c alone.cpp
    "$CC" -std=c11 $strict alone.c 2>err || fail "$name is not clean C11"
    "$CXX" -std=c++11 $strict alone.cpp 2>err || fail "$name is not clean C++"
done

# ---- their examples ----------------------------------------------------------
example() { # example HEADER: the lines of the example in its opening comment
    sed -n '/^ \* Example/,/^ \(\* [A-DF-Z]\|\*\/\)/s/^ \*     //p' "$1"
}
{
    printf '%s\n' '#include <nln_lab.h>' '#include <stdio.h>' '#include <stdlib.h>' \
        'int main(void)' '{'
    example "$header"
    echo '{'
    example "$lab"
    printf '%s\n' '}' failed: '    fputs(err.message, stderr);' '    nln_model_free(model);' \
        '    nln_data_free(data);' '    nln_options_free(o);' \
        '    return err.status != NLN_OK || nln_memory_used() != 0;' '}'
} >example.c
grep -q nln_predict example.c && grep -q nln_tsne example.c || fail "a header has no example"
"$CC" -std=c11 -Wall -Wextra -Werror $CFLAGS -I"$root/include" example.c "$library" \
    -Wl,-rpath,"$(dirname "$library")" -o example 2>err || fail "the examples do not compile"
./example >out 2>err || fail "the examples do not work, or do not free their memory"
says '^[01]\.[0-9]{3}$'
says '^v100 -?[0-9.e-]+ -?[0-9.e-]+$'

echo "$(wc -l <declared) functions"
