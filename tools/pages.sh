#!/bin/sh
# Makes the manual pages and the completions: tools/pages.sh PROGRAM FOLDER [EMULATOR...].  They
# come from the tables of the program and the comments of the two public headers, and have no text of
# their own.  A program for another processor is run by its emulator.
set -eu
program=$1 out=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
pages=$root/tools/pages
LC_ALL=C
export LC_ALL

rm -rf "$out"
mkdir -p "$out/man1" "$out/man3"
version=$("$@" "$program" --version | head -n 1)
version=${version#nln }
"$@" "$program" help --tables >"$out/tables"
awk -f "$pages/roff.awk" -f "$pages/verbs.awk" -v version="$version" -v out="$out/man1" \
    "$out/tables"
section_3() { # section_3 MAIN HEADER
    awk -f "$pages/roff.awk" -f "$pages/header.awk" -v version="$version" -v main="$1" \
        -v header="$2" -v out="$out/man3" "$root/include/$2"
}
section_3 libnln nln.h
section_3 libnln-lab nln_lab.h
section_3 libnln-serve nln_serve.h
{ awk -f "$pages/bash.awk" "$out/tables" && cat "$pages/nln.bash"; } >"$out/nln.bash"
{ awk -f "$pages/zsh.awk" "$out/tables" && cat "$pages/nln.zsh"; } >"$out/_nln"
rm "$out/tables"
