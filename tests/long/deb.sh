#!/bin/sh
# The Debian packages, built, installed and used: deb.sh PROGRAM.  Needs root and a system without
# nln; takes the packages away again.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/cli/common.sh"
. "$root/tests/examples.sh"
packages="python3-nln libnln-dev nln-mpi libnln0 nln"

skip() {
    echo "SKIPPED: $*"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "the packages can be installed by root only"
command -v dpkg >/dev/null || skip "this is not a Debian system"
for package in $packages; do
    ! dpkg-query -W "$package" >/dev/null 2>&1 || skip "$package is installed already"
done

"$root/tools/deb.sh" >out 2>err || fail "make deb"
for package in $packages; do
    ls "$root/build/deb/${package}_"*.deb >/dev/null 2>err || fail "there is no package $package"
done
if command -v lintian >/dev/null; then
    lintian --allow-root "$root"/build/deb/*.changes 2>&1 || echo "lintian found something"
fi

trap 'dpkg --purge $packages >/dev/null 2>&1; rm -rf "$work" "$lists"' EXIT
dpkg -i "$root"/build/deb/nln_*.deb "$root"/build/deb/libnln0_*.deb \
    "$root"/build/deb/libnln-dev_*.deb "$root"/build/deb/python3-nln_*.deb >out 2>err || fail "dpkg -i"

nln=/usr/bin/nln
run 0 --version
[ "nln $(pkg-config --modversion nln)" = "$(sed -n 1p out)" ] || fail "nln and nln.pc differ"
says '^MPI: there is no plug-in$'
dpkg -i "$root"/build/deb/nln-mpi_*.deb >out 2>err || fail "dpkg -i nln-mpi"
run 0 --version
says '^MPI: /usr/.*/nln/nln-mpi\.so$'
examples=/usr/share/doc/libnln-dev/examples
prepare_examples
build_examples shared $(pkg-config --cflags --libs nln)
try_examples shared
build_examples static $(pkg-config --static --cflags --libs nln | sed 's/-lnln/-l:libnln.a/')
try_examples static
cmake_examples cmake "$examples"
try_examples cmake
/usr/bin/python3 -c 'import nln; print(nln.Model.load("logic.model").predict(["v1 | v3"]).shape)' \
    >out 2>err || fail "python3 does not find nln"
says '^\(1,\)$'
if command -v man >/dev/null && [ -e /usr/share/man/man3/nln_train.3.gz ]; then
    man 3 nln_train >out 2>err || fail "man 3 nln_train"
    grep -q nln_train_ratings out || fail "nln_train(3) is not the page of training"
    man nln-generate-logic >out 2>err || fail "man nln-generate-logic"
fi

dpkg --purge $packages >out 2>err || fail "the packages cannot be removed"
[ ! -e /usr/bin/nln ] && [ ! -e /usr/include/nln.h ] && [ ! -e /usr/include/nln_lab.h ] || fail "something is left"
echo "$n_checks checks"
