#!/bin/sh
# The installed library is one that others can use: install.sh PROGRAM BUILD.  Installs to a
# folder, builds the examples there in every way, and runs them.  CC and CFLAGS as for the library.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"
. "$root/tests/examples.sh"
build=$2

# ---- `make` builds every file that `make install` installs; the tests have built all targets -----
targets=$(sed -n 's/.*"name": "release".*"targets": \[\(.*\)\].*/\1/p' "$root/CMakePresets.json" | tr -d '",')
[ "$targets" ] || fail "CMakePresets.json does not say what make builds"
if ninja --version >out 2>err && [ -f "$build/build.ninja" ]; then
    ninja -C "$build" -t commands $targets >made 2>err || fail "ninja does not know $targets"
    sed -n "s|.*\"$build/\([^\"]*\)\".*|\1|p" "$build/cmake_install.cmake" >files
    grep -q '^libnln_serve\.so$' files || fail "no installed file is found in cmake_install.cmake"
    while read -r file; do
        if ninja -C "$build" -t query "$file" >out 2>err; then
            grep -Fqw -- "$file" made || fail "make install installs $file, which make does not build"
            n_checks=$((n_checks + 1))
        fi
    done <files
fi

# ---- DESTDIR, then moved to another place: no file may know where it was -------------------------
DESTDIR=$work/stage cmake --install "$build" --prefix /opt/nln >out 2>err || fail "cmake --install"
mv stage/opt/nln usr
rmdir stage/opt || fail "something was installed outside of the prefix"
! grep -rIlE "/opt/nln|$work" usr >out || fail "a file knows its prefix"
libdir=$(dirname "$(find usr -name libnln.a)")
for file in bin/nln include/nln.h include/nln_lab.h share/man/man1/nln.1 share/man/man3/nln_train.3 \
    share/man/man3/nln_tsne.3 share/bash-completion/completions/nln share/zsh/site-functions/_nln share/doc/nln/LICENSE; do
    [ -s "usr/$file" ] || fail "$file is not installed"
done
[ "$(readlink "$libdir/libnln.so.0")" ] || fail "libnln.so.0 is not installed"
for header in nln.h nln_lab.h; do
    cmp -s "$root/include/$header" "usr/include/$header" || fail "$header differs from the source"
done
usr/bin/nln --version >out 2>err || fail "the installed program does not run"

nln=$work/usr/bin/nln
examples=$work/usr/share/doc/nln/examples
prepare_examples
PKG_CONFIG_PATH=$work/$libdir/pkgconfig
export PKG_CONFIG_PATH

# ---- pkg-config --------------------------------------------------------------
[ "nln $(pkg-config --modversion nln)" = "$("$nln" --version | head -n 1)" ] || fail "nln.pc has another version"
build_examples shared $(pkg-config --cflags --libs nln) -Wl,-rpath,"$work/$libdir"
ldd shared/train | grep -q 'libnln\.so\.0 ' || fail "shared/train has no libnln.so.0"
try_examples shared
build_examples static $(pkg-config --static --cflags --libs nln | sed 's/-lnln/-l:libnln.a/')
ldd static/train | grep -q libnln && fail "static/train needs libnln.so"
try_examples static

# ---- CMake -------------------------------------------------------------------
cmake_examples cmake "$examples" -DCMAKE_PREFIX_PATH="$work/usr"
try_examples cmake
mkdir static-source
cp "$examples"/*.c static-source
sed 's/nln::nln/nln::static/' "$examples/CMakeLists.txt" >static-source/CMakeLists.txt
cmake_examples cmake-static static-source -DCMAKE_PREFIX_PATH="$work/usr"
ldd cmake-static/train | grep -q libnln && fail "cmake-static/train needs libnln.so"
try_examples cmake-static

# ---- make, with paths that a shell or a pattern would take apart -----------------------
mkdir -p tree/build
cp "$root/Makefile" tree
ln -s "$build/cmake_install.cmake" "$build/install_manifest.txt" tree/build
strange="$work/a & |b"
make -C tree -o all install DESTDIR="$strange" PREFIX='/opt/a b' >out 2>err || fail "make install"
[ -x "$strange/opt/a b/bin/nln" ] || fail "make install has installed elsewhere"
make -C tree uninstall >out 2>err || fail "make uninstall"
[ -z "$(find "$strange" ! -type d)" ] || fail "make uninstall leaves files"

echo "$n_checks checks"
