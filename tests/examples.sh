# What the tests of an installed library share, to be sourced after cli/common.sh: the examples
# of $examples are built with CC and CFLAGS, and tried with $nln.

# Data and models of ratings for the examples.
prepare_examples() {
    run 0 generate logic --variables 30 --expressions 300 --out logic
    run 0 generate ratings --users 60 --items 20 --ratings 900 --out ratings.csv
    run 0 train ratings.csv --task topk --epochs 2 --threads 1 --quiet --out shop.model
    run 0 train ratings.csv --task preference --epochs 2 --threads 1 --quiet --out taste.model
}

# build_examples FOLDER FLAGS...: each with one call of the compiler.
build_examples() {
    folder=$1
    shift
    mkdir -p "$folder"
    for name in predict train recommend; do
        "${CC:-cc}" -std=c11 -Wall -Wextra -Werror ${CFLAGS:-} "$examples/$name.c" "$@" \
            -o "$folder/$name" 2>err || fail "$name.c does not build with $*"
    done
}

# cmake_examples FOLDER SOURCE OPTIONS...
cmake_examples() {
    folder=$1 source=$2
    shift 2
    { cmake -S "$source" -B "$folder" "$@" && cmake --build "$folder"; } >out 2>err ||
        fail "CMake does not build the examples with $*"
}

# try_examples FOLDER
try_examples() {
    "$1/train" logic logic.model >out 2>err || fail "$1/train"
    says '^accuracy [01]\.[0-9]{3} of 30 expressions$'
    "$1/predict" logic.model 'v1 & !v2' 'v1 | v3' >out 2>err || fail "$1/predict"
    says '^[01]\.[0-9]{3} v1 & !v2$'
    says '^[01]\.[0-9]{3} v1 \| v3$'
    "$1/recommend" shop.model i1 i2 >out 2>err || fail "$1/recommend"
    [ "$(grep -Ec '^i[0-9]+ -?[0-9]+\.[0-9]{3}$' out)" -eq 5 ] || fail "$1/recommend: not five items"
    "$1/recommend" taste.model i1 i2 >out 2>err || fail "$1/recommend by a model with grades"
    ! "$1/predict" nowhere v1 >out 2>err || fail "$1/predict has no model and does not mind"
    grep -q '^predict: .*nowhere' err || fail "$1/predict does not say what is missing"
    ! "$1/predict" logic.model 'v1 &' >out 2>err || fail "$1/predict takes half an expression"
    ! "$1/recommend" shop.model nobody >out 2>err || fail "$1/recommend knows everything"
    ! "$1/train" >out 2>err || fail "$1/train needs nothing"
    n_checks=$((n_checks + 10))
}
