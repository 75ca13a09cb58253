#!/bin/sh
# Solves 1,000 equations' worth of variables: generates data, trains, and sets
# the network beside exact reasoning from the same training set.
set -eu
cd "$(dirname "$0")/.."

mkdir -p build/demo
folder=$(mktemp -d build/demo/XXXXXX)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

run() {
    echo "\$ nln $*"
    build/nln "$@"
    echo
}
run generate logic --variables 1000 --expressions 5000 --seed 1 --out "$folder/data"
run train "$folder/data" --seed 1 --out "$folder/model"
run evaluate "$folder/model" "$folder/data" --exact
