#!/bin/sh
# The library, the program and the unit tests for arm64, built by a cross compiler into build/arm64
# and run by an emulator: arm64.sh PROGRAM (which is not used).  Emulation is slow.
#
# Needs the Debian packages g++-aarch64-linux-gnu and qemu-user, and for the architecture arm64
# libjansson-dev, zlib1g-dev, libzstd-dev, libcadical-dev, libcmocka-dev and libopenblas0-pthread.
# These are installed beside the native ones (dpkg --add-architecture arm64), or lie with libc6-dev
# and libstdc++-12-dev in a system of their own, whose folder is NLN_SYSROOT.
set -eu
cd "$(dirname "$0")/../.."
sysroot=${NLN_SYSROOT:-}
libraries=$sysroot/usr/lib/aarch64-linux-gnu

skip() {
    echo "SKIPPED: $*, so nothing is tested on arm64"
    exit 77
}
command -v aarch64-linux-gnu-g++ >/dev/null || skip "there is no g++-aarch64-linux-gnu"
command -v qemu-aarch64 >/dev/null || skip "there is no qemu-user"
for library in libjansson.so libz.so libzstd.so libcadical.a libcmocka.so; do
    [ -e "$libraries/$library" ] || skip "there is no $library for arm64 in $libraries"
done
[ -e "$libraries/libopenblas.so.0" ] || echo "without OpenBLAS for arm64, in plain loops"

cmake --preset arm64 -D CMAKE_SYSROOT="$sysroot" >/dev/null
cmake --build --preset arm64
ctest --preset arm64 -j "$(nproc)"
