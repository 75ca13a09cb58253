#!/bin/sh
# Manual pages and completions: pages.sh PROGRAM PAGES.  Every verb, option, function and type has
# its place in them, the pages are well formed, and the shells complete.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"
pages=$2
run 0 help --tables
mv out tables
awk -F'\t' '$1 == "verb" { print $2 }' tables >verbs
[ "$(wc -l <verbs)" -gt 10 ] || fail "there are no verbs"

# ---- the manual --------------------------------------------------------------
while read -r verb; do
    page=nln-$(echo "$verb" | tr ' ' -)
    [ -s "$pages/man1/$page.1" ] || fail "$verb has no page"
    grep -q "^\.BR $(echo "$page" | sed 's/-/\\\\-/g') (1)$" "$pages/man1/nln.1" ||
        fail "nln(1) lacks $verb"
    awk -F'\t' -v verb="$verb" '$1 == "verb" { on = $2 == verb }
        on && $1 == "option" { print ($3 == "flag" ? "--[no-]" : "--") $2 }' tables >options
    sed -n 's/^\\fB\(\\-\\-.*\)\\fP\\fI.*/\1/p' "$pages/man1/$page.1" | tr -d '\\' >told
    cmp -s options told || fail "$page(1) has other options than the program"
done <verbs
cat "$root"/include/*.h | grep -o '^NLN_API.*[ *]nln_[a-z0-9_]*(\|^}* *\(typedef.* \)*nln_[a-z_]*;' |
    sed 's/[(;]$//; s/.*[ *]//' | sort -u >names
[ "$(wc -l <names)" -gt 80 ] || fail "the headers have no names"
for name in $(cat names); do
    page=$(sed -n 's/^\.so //p' "$pages/man3/$name.3" 2>err) || fail "$name has no page"
    [ -n "$page" ] && grep -q "[ ,]*$name\b" "$pages/$page" || fail "$name has no page"
done
# Every function with its whole declaration, and every word of every comment before one.
tr -d '\\' <"$pages/man3/libnln-training.3" | grep -q 'nln_status nln_train(nln_model \*\*out' ||
    fail "libnln-training(3) lacks a declaration"
grep -q 'Atomic: after a failure' "$pages/man3/libnln-models.3" || fail "a comment was lost"
for page in libnln libnln-lab; do
    grep -q '^\.SH PAGES' "$pages/man3/$page.3" || fail "there is no $page(3)"
done
cd "$pages"
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning man1/*.1 man3/libnln*.3 | grep -v 'missing date, using' >"$work/out" &&
        fail "the pages are not well formed"
else
    echo "SKIPPED: mandoc is not installed"
fi
cd "$work"

# ---- bash --------------------------------------------------------------------
# completes WORDS... : the last of them, one completion on a line of out.
completes() {
    bash -c '. "$1"; shift; COMP_WORDS=(nln "$@"); COMP_CWORD=$#; _nln
             printf "%s\n" "${COMPREPLY[@]}"' bash "$pages/nln.bash" "$@" >out 2>err ||
        fail "bash does not complete: $*"
    [ ! -s err ] || fail "bash has something to say: $*"
    n_checks=$((n_checks + 1))
}
# gives COMPLETIONS WORDS...: exactly these.
gives() {
    wanted=$1
    shift
    completes "$@"
    [ "$(tr '\n' ' ' <out)" = "$wanted " ] || fail "bash completes '$*' otherwise than: $wanted"
}
sed 's/ .*//' verbs | sort -u >firsts
completes ''
grep -vx -e help -e '--.*' out | sort | cmp -s - firsts || fail "bash offers other verbs"
gives 'train' tra
gives 'logic ratings facts' generate ''
gives 'predict' help predi
gives 'ratings' help generate r
gives '--epochs' train data --epo
gives '--fit-noise' train --fit
gives '--no-fit-noise' train --no-fit
gives 'logic preference topk link' train data --task ''
gives 'preference' train data --task = pref
gives 'train valid test' evaluate model data --part ''
gives '--noise' generate logic --noi
gives '' train data --epochs 1
touch 'a file' 'a model'
gives 'a file' train 'a f'
gives 'a model' train data --out 'a m'
while read -r verb; do
    completes $verb --
    sed 's/^--no-.*//; /^--help$/d; /^$/d' out | sort >told
    awk -F'\t' -v verb="$verb" '$1 == "verb" { on = $2 == verb }
        on && $1 == "option" && $2 !~ /^no-/ { print "--" $2 }' tables | sort >options
    cmp -s options told || fail "bash offers other options of $verb"
done <verbs

# ---- zsh ---------------------------------------------------------------------
if command -v zsh >/dev/null; then
    # zsh_completes LINE: what a terminal shows after LINE and a TAB.
    zsh_completes() {
        zsh -f "$root/tests/zsh-completes" "$pages" "$1" >out 2>err || fail "zsh does not run"
        n_checks=$((n_checks + 1))
    }
    zsh -n "$pages/_nln" 2>err || fail "zsh cannot read _nln"
    zsh_completes 'nln '
    for first in $(cat firsts); do
        says "(^|[^a-z-])$first +--"
    done
    zsh_completes 'nln train data --task '
    says 'preference'
    zsh_completes 'nln generate ratings --tit'
    says 'generate ratings --titles'
    zsh_completes 'nln help tra'
    says 'help train'
else
    echo "SKIPPED: zsh is not installed"
fi

echo "$n_checks checks"
