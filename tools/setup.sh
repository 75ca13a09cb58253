#!/bin/sh
# Installs the Debian packages that are missing, for one purpose: tools/setup.sh PURPOSE, which is
#     build    to build
#     draw     to build and to draw figures (make demo, nln plot, nln reproduce)
#     test     to run the tests as well
#     analyse  to run the tests and the static analysers
#     deb      to build Debian packages
# Quick and silent when everything is there.
set -eu

build="gcc g++ make cmake ninja-build pkg-config libopenblas0-pthread libjansson-dev
       libzstd-dev zlib1g-dev libcadical-dev libmicrohttpd-dev libsqlite3-dev libpq-dev"
draw="gnuplot-nox"
test="libcmocka-dev clang libclang-rt-14-dev clang-format python3 python3-numpy valgrind curl
      unzip mandoc zsh postgresql nginx python3-sklearn python3-torch openmpi-bin libopenmpi-dev
      chromium nodejs npm openssl texlive-latex-base"
deb="dpkg-dev debhelper fakeroot libopenmpi-dev"
analyse="cppcheck clang-tidy"

case "${1:-}" in
build) wanted=$build ;;
draw) wanted="$build $draw" ;;
test) wanted="$build $draw $test" ;;
analyse) wanted="$build $draw $test $analyse" ;;
deb) wanted="$build $deb" ;;
*)
    echo "usage: tools/setup.sh build|draw|test|analyse|deb" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not a Debian system; make sure that these are installed:" $wanted >&2
    exit 0
fi
# A name that another package provides (pkgconf provides pkg-config) counts.
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}, ${Provides}\n' |
    sed -n 's/^ii *//p' | tr ',' '\n' | sed 's/^ *//; s/[ :(].*//')
missing=
for package in $wanted; do
    printf '%s\n' "$installed" | grep -qx -- "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
    sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo="sudo -n"
else
    printf 'setup: packages are missing; as root, run:\n    apt-get update && %s\n' "$install" >&2
    exit 1
fi
echo "setup: installing$missing" >&2
install="env DEBIAN_FRONTEND=noninteractive $install"
# The package lists may be good enough; fetching them is slow.
$sudo $install >/dev/null 2>&1 || { $sudo apt-get update >/dev/null && $sudo $install >/dev/null; }
