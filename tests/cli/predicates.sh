#!/bin/sh
# Facts, rules and questions about them: predicates.sh PROGRAM
. "$(dirname "$0")/common.sh"

mkdir people
names="a b c d e f"
for x in $names; do
    case $x in a | b | e) smokes=T ;; *) smokes=F ;; esac
    printf 'smokes(%s)\t%s\ncancer(%s)\t%s\n' "$x" "$smokes" "$x" "$smokes"
done >people/facts.tsv
printf 'friends(a, b)\tT\nfriends(b, e)\tT\nfriends(c, d)\tT\nfriends(a, c)\tF\nfriends(d, e)\tF\n' \
    >>people/facts.tsv
printf 'forall x y: friends(x, y) -> friends(y, x)\tT\nforall x: !friends(x, x)\tT\n' \
    >people/rules.tsv
printf '∀x: smokes(x) <=> cancer(x)\tT\n' >>people/rules.tsv

# p EXPRESSION: how true the model holds it, in percent.
p() { "$nln" predict model "$1" | awk '{ printf "%d\n", 100 * $1 }'; }

run 0 train people --epochs 300 --batch 32 --dimension 32 --members 2 --threads 1 --quiet --out model
says 'train +20 +1\.0000'
[ "$(p 'smokes(a) -> cancer(a)')" -gt 50 ] || fail "a true implication"
[ "$(p 'smokes(a) -> cancer(c)')" -lt 50 ] || fail "a false implication"
[ "$(p 'forall x: cancer(x) -> smokes(x)')" -gt 50 ] || fail "a true question"
[ "$(p 'forall x: smokes(x)')" -lt 50 ] || fail "a false question"
[ "$(p 'friends(b, a)')" -gt 60 ] || fail "what follows from a fact and a rule"
[ "$(p 'friends(a, a)')" -lt 40 ] || fail "what a rule refuses"
run 0 train people --epochs 300 --batch 32 --dimension 32 --members 2 --threads 2 --quiet --out two
cmp -s model two || fail "two threads give other bits"
run 0 train people --epochs 5 --predicates product --quiet --out product
run 0 evaluate model people --split train
says 'network +20 +1\.0000'
run 0 inspect model
says 'entities.vector'
says 'predicates.vector'
run 0 inspect model --json # every law on atoms, there being no variables
json 'len(x["laws"]) == 18 and all(l["n"] > 0 and 0 <= l["kept"] <= 1 for l in x["laws"])'

bad 1 "<argument>:1:9: the entity 'zoe' is not known" predict model 'cancer( zoe)'
bad 1 "'cancer' has 1 argument elsewhere, but 2 here" predict model 'cancer(a, b)'
bad 1 "'y' is bound by no quantifier" predict model 'forall x: friends(x, y)'
bad 1 "binds the same name" predict model 'forall x: exists x: cancer(x)'
bad 1 "the hole '\?'" predict model 'friends(a, ?)'
bad 1 'reads plain variables only' train people --model birnn --quiet --out other
printf 'p(a)\tT\np(a, b)\tF\n' >people/facts.tsv
bad 1 "facts.tsv:2:1: .*'p' has 1 argument elsewhere" train people --task logic --quiet --out other

echo "$n_checks checks"
