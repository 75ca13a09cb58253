#!/bin/sh
# The interface is what nln.h says: interface.sh PROGRAM LIBRARY VERSION, the last that of CMake.
# The shared library has its names and no others, the header suits C and C++, its example
# works, and all versions are one.  CC, CXX and CFLAGS are those of the library.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"
library=$2 version=$3
header=$root/include/nln.h
CC=${CC:-cc} CXX=${CXX:-c++} CFLAGS=${CFLAGS:-}

# ---- names -------------------------------------------------------------------
# Declarations, joined to one line each; the name is what stands before the first bracket.
awk '/^NLN_API/ { text = "" ; inside = 1 }
     inside { text = text $0 " " }
     inside && /;/ { sub(/\(.*/, "", text); sub(/.*[ *]/, "", text); print text; inside = 0 }' \
    "$header" | sort >declared
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
[ "$(wc -l <declared)" -gt 50 ] || fail "nln.h declares nothing"
[ "$(wc -l <declared)" -eq "$(grep -c '^NLN_API' "$header")" ] || fail "a declaration was not read"
diff declared exported >out || fail "nln.h (<) and the exported names (>) differ"

# ---- versions ----------------------------------------------------------------
macros=$(sed -n 's/^#define NLN_VERSION_[MP][A-Z]* //p' "$header" | tr '\n' . | sed 's/\.$//')
[ "$macros" = "$version" ] || fail "nln.h is version $macros, CMake has $version"
run 0 --version
[ "$(cat out)" = "nln $version" ] || fail "the program is not version $version"
objdump -p "$library" | grep -q "SONAME *libnln\.so\.${version%%.*}\$" || fail "the SONAME is wrong"
case $version in 0.*) node=NLN_${version%.*} ;; *) node=NLN_${version%%.*} ;; esac
nm -D --defined-only "$library" | grep -q " nln_train@@$node\$" || fail "nln_train is not of $node"

# ---- the header --------------------------------------------------------------
echo '#include <nln.h>' >alone.c
cp alone.c alone.cpp
strict="-Wall -Wextra -pedantic -Werror -fsyntax-only -I$root/include"
"$CC" -std=c11 $strict alone.c 2>err || fail "nln.h is not clean C11"
"$CXX" -std=c++11 $strict alone.cpp 2>err || fail "nln.h is not clean C++"

# ---- its example -------------------------------------------------------------
{
    printf '%s\n' '#include <nln.h>' '#include <stdio.h>' 'int main(void)' '{'
    sed -n '/^ \* The whole road/,/^ \* Conventions/s/^ \*     //p' "$header"
    printf '%s\n' failed: '    fputs(err.message, stderr);' '    nln_model_free(model);' \
        '    nln_data_free(data);' '    nln_options_free(o);' \
        '    return err.status != NLN_OK || nln_memory_used() != 0;' '}'
} >road.c
grep -q nln_predict road.c || fail "nln.h has no example"
"$CC" -std=c11 -Wall -Wextra -Werror $CFLAGS -I"$root/include" road.c "$library" \
    -Wl,-rpath,"$(dirname "$library")" -o road 2>err || fail "the example of nln.h does not compile"
./road >out 2>err || fail "the example of nln.h does not work, or does not free what it took"
says '^[01]\.[0-9]{3}$'

echo "$(wc -l <declared) functions"
