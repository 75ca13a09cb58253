#!/bin/sh
# The Python package installs without a network, and works: pip.sh PROGRAM.  The library is the
# one that was built beside the program.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/cli/common.sh"
NLN_LIBRARY=$(cd "$(dirname "$nln")" && pwd)/libnln.so
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "SKIPPED: there is no python3-venv, so pip install is not tested"
    exit 77
fi

# Whatever pip would fetch it fetches from a port where nobody answers; and where the system lets
# us, there is no network at all.
PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=http://127.0.0.1:9/ PIP_RETRIES=0 PIP_NO_CACHE_DIR=1
PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
export NLN_LIBRARY PIP_CONFIG_FILE PIP_INDEX_URL PIP_RETRIES PIP_NO_CACHE_DIR \
    PIP_DISABLE_PIP_VERSION_CHECK PYTHONDONTWRITEBYTECODE
unset PIP_FIND_LINKS PIP_EXTRA_INDEX_URL
alone=
unshare -rn true 2>/dev/null && alone="unshare -rn"

# works FOLDER ENVIRONMENT: the package is imported from below FOLDER, and answers.
works() {
    (cd / && PYTHONPATH= "$2/bin/python" - "$1" <<'PYTHON') >out 2>err || fail "it does not work"
import sys
import nln

assert nln.__file__.startswith(sys.argv[1]), nln.__file__
model, report = nln.train(nln.Data.generate(variables=10, expressions=100), epochs=1)
assert 0 <= model.predict("v1 & !v2") <= 1
PYTHON
    n_checks=$((n_checks + 1))
}

cp -R "$root/bindings/python" source
find source -type f | sort >"$lists/before"
"$python" -m venv environment >out 2>err || fail "there is no virtual environment"
if $alone environment/bin/pip install six >out 2>err; then
    fail "pip has a network"
fi

# As a user does it, then again over the old one, and away.
for round in 1 2; do
    (cd source && $alone ../environment/bin/pip install --force-reinstall .) >out 2>err ||
        fail "pip install . fails without a network"
    works "$work/environment" "$work/environment"
done
find source -type f | sort | cmp -s - "$lists/before" || fail "pip leaves files in the source"
environment/bin/pip show -f nln >out 2>err || fail "pip does not know the package"
for wanted in 'Version: 0' 'nln/py.typed' 'nln/safetensors.py'; do
    says "$wanted"
done
environment/bin/pip check >out 2>err || fail "pip finds the installation broken"
environment/bin/pip uninstall -y nln >out 2>err || fail "the package cannot be uninstalled"
if environment/bin/python -c 'import nln' 2>/dev/null; then
    fail "the package is still there"
fi

# From a source archive, and as a link to the source.
(cd source && "$python" -c 'import sys
sys.path.insert(0, "build_backend")
import wheel_writer
wheel_writer.build_sdist("..")') || fail "there is no source archive"
$alone environment/bin/pip install nln-*.tar.gz >out 2>err || fail "the archive does not install"
works "$work/environment" "$work/environment"
$alone environment/bin/pip install --force-reinstall -e source >out 2>err ||
    fail "pip install -e fails"
works "$work/source" "$work/environment"

echo "$n_checks checks"
