#!/bin/sh
# nln solve on clauses: solve_cnf.sh PROGRAM
. "$(dirname "$0")/common.sh"

printf 'c two colours\np cnf 4 5\n1 2 0\n-1 -2 0\n2 3 0\n-2 -3 0\n3 -4 0\n' >easy.cnf
run 0 solve easy.cnf
says '^s SATISFIABLE$'
says '^c CaDiCaL: SATISFIABLE, [0-9]+ conflicts; with the learned values as first phases: SAT'
values=$(sed -n 's/^v//p' out)
for clause in '1 2' '-1 -2' '2 3' '-2 -3' '3 -4'; do
    for literal in $clause none; do
        case " $values " in *" $literal "*) break ;; esac
    done
    [ "$literal" != none ] || fail "the clause $clause does not hold"
done
gzip -k easy.cnf
run 0 solve easy.cnf.gz --json
json 'x["status"] == "SATISFIABLE" and x["network"]["share"] == 1' \
    'sorted(map(abs, x["assignment"])) == [1, 2, 3, 4]' \
    'x["cadical"]["status"] == x["cadical_with_phases"]["status"] == "SATISFIABLE"'

printf 'p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n' >none.cnf
run 0 solve none.cnf --trainings 3
says '^s UNSATISFIABLE$'
says '^c the network satisfies 3 clauses, 0.7500 of them, after 3 trainings$'
says 'proved that no assignment'
grep -q '^v' out && fail "values of clauses that contradict each other"
run 0 solve none.cnf --trainings 3 --no-cadical --json
json 'x["status"] == "UNKNOWN" and "cadical" not in x and len(x["assignment"]) == 2'

printf 'p cnf 2 1\n1 3 0\n' >bad.cnf
bad 1 'bad.cnf:2:3: literal 3, but the header announces 2 variables' solve bad.cnf
bad 1 'none.dimacs' solve none.dimacs
bad 2 'for a model' solve easy.cnf --truth easy.cnf
prepare
bad 2 'is for clauses' solve model --trainings 3

echo "$n_checks checks"
