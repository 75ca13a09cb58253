#!/bin/sh
# A wheel of the Python package with the library inside: tools/wheel.sh BUILD [FOLDER].  It needs
# nothing but Python where it is installed; NumPy for arrays, and a BLAS of the system for speed.
set -eu
build=$(cd "$1" && pwd)
folder=${2:-$build}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/../bindings/python"
libraries=$(mktemp -d)
trap 'rm -rf "$libraries"' EXIT

cmake --build "$build" --target nln_wheel >&2
# The library, and those that not every system has, under the names that it asks for.
library=$(find "$build/wheel" -name 'libnln.so.[0-9]*' -type l -o -name 'libnln.so.[0-9]' | head -1)
cp -L "$library" "$libraries/"
ldd "$library" | awk '/lib(jansson|zstd)\.so/ && $3 { print $1, $3 }' | while read -r name path; do
    cp -L "$path" "$libraries/$name"
    chmod 644 "$libraries/$name"
    package=$(dpkg-query -S "$(readlink -f "$path")" 2>/dev/null | sed 's/:.*//; q')
    if [ -f "/usr/share/doc/$package/copyright" ]; then
        cp "/usr/share/doc/$package/copyright" "$libraries/LICENSE.$name"
    fi
done

python=/usr/bin/python3
[ -x "$python" ] || python=python3
name=$("$python" -B -c 'import sys
sys.path.insert(0, "build_backend")
import wheel_writer
print(wheel_writer.build_wheel(sys.argv[1], {"libraries": sys.argv[2]}))' "$folder" "$libraries")
echo "$folder/$name: install it with pip install $name"
