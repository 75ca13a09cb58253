#!/bin/sh
# Builds the Debian packages in build/deb, from what the working tree has: tools/deb.sh.  The
# folder debian/ is packaging/debian with the version of nln.h and the text of LICENSE.
#
# Another binary package is a paragraph of packaging/debian/control and a file NAME.install.
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh deb

version=$(sed -n 's/^#define NLN_VERSION_[MP][A-Z]* //p' include/nln.h | tr '\n' . | sed 's/\.$//')
rm -rf build/deb
tree=build/deb/nln-$version
mkdir -p "$tree"
tar -c --exclude=./build --exclude='./build-*' --exclude=./.git --exclude=./nln-results \
    --exclude=__pycache__ . | tar -x -C "$tree"
mv "$tree/packaging/debian" "$tree/debian"

# The date is that of the last change, so that the same source gives the same packages.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
maintainer=$(sed -n 's/^Maintainer: //p' "$tree/debian/control")
printf 'nln (%s) unstable; urgency=medium\n\n  * CHANGELOG.md says what is new.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(LC_ALL=C date -uRd "@$SOURCE_DATE_EPOCH")" >"$tree/debian/changelog"
awk 'FNR == NR { if (/^Copyright/) copyright = $0; else if (copyright) text[++n] = $0; next }
     /^@COPYRIGHT@$/ { sub(/^Copyright( \([cC]\))? /, "Copyright: ", copyright); print copyright; next }
     /^@LICENSE@$/ { for (i = 2; i <= n; i++) print " " (text[i] == "" ? "." : text[i]); next }
     { print }' LICENSE packaging/debian/copyright >"$tree/debian/copyright"

(cd "$tree" && dpkg-buildpackage -b -uc -us >../log 2>&1) || {
    tail -n 20 build/deb/log | cut -c 1-200 >&2
    echo "deb: the packages could not be built; all of it is in build/deb/log" >&2
    exit 1
}
rm -rf "$tree"
ls build/deb/*.deb
