#!/bin/sh
# The wheel with the library inside installs into an empty virtual environment, without a network and
# without anything else, and works: wheel.sh PROGRAM.  The build is that of the program.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"
build=$(cd "$(dirname "$nln")" && pwd)
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "SKIPPED: there is no python3-venv, so the wheel is not installed"
    exit 77
fi
unset NLN_LIBRARY PYTHONPATH LD_LIBRARY_PATH PIP_FIND_LINKS PIP_EXTRA_INDEX_URL
PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=http://127.0.0.1:9/ PIP_RETRIES=0 PIP_NO_CACHE_DIR=1
PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
export PIP_CONFIG_FILE PIP_INDEX_URL PIP_RETRIES PIP_NO_CACHE_DIR PIP_DISABLE_PIP_VERSION_CHECK \
    PYTHONDONTWRITEBYTECODE

"$root/tools/wheel.sh" "$build" "$work/wheels" >out 2>err || fail "the wheel is not built"
"$python" -m venv environment >out 2>err || fail "there is no virtual environment"
environment/bin/pip install wheels/nln-*-py3-none-linux_*.whl >out 2>err || fail "pip does not install it"
environment/bin/pip check >out 2>err || fail "pip finds the installation broken"

# All libraries but those of the system are its own.
(cd / && "$work/environment/bin/python" - "$work/environment" <<'PYTHON') >out 2>err || fail "it does not work"
import importlib.util
import os
import sys

import nln

home = os.path.realpath(sys.argv[1])
assert os.path.realpath(nln.__file__).startswith(home), nln.__file__
data = nln.Data.from_lists((["a & b", "!a", "a | b", "!b & a"] * 10, [1, 0, 1, 0] * 10))
model, report = nln.train(data, epochs=2, dimension=8)
assert 0 <= model.predict("a & !b") <= 1
assert abs(model.predict("a") + model.predict("!a") - 1) < 1e-9

# The estimators, too, though there is no NumPy.
assert not importlib.util.find_spec("numpy")
facts, labels = ["a & b", "!a", "a | b", "!b & a"] * 10, ["yes", "no"] * 20
classifier = nln.LogicClassifier(epochs=2, dimension=8).fit(facts, labels)
assert set(classifier.predict(facts)) <= {"yes", "no"} and 0 <= classifier.score(facts, labels) <= 1
assert all(abs(no + yes - 1) < 1e-9 for no, yes in classifier.predict_proba(facts))
users, items = [i // 4 for i in range(48)], ["tea", "jam", "rye", "egg", "ham", "oat"] * 8
recommender = nln.Recommender(epochs=2, dimension=8).fit(users, items, [4, 5, 2, 5] * 12, range(48))
assert len(recommender.recommend(["tea"], k=2)) == 2 and 0 <= recommender.score() <= 1
assert len(recommender.recommend_users([0, 5], k=1)) == 2
assert recommender.explain(["tea", ("jam", False)], "rye").reasons[0].item == "tea"
with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if ".so" in line}
for name in ("libnln", "libjansson", "libzstd"):
    found = [path for path in loaded if os.path.basename(path).startswith(name)]
    assert found and all(path.startswith(home) for path in found), (name, found)
assert not [path for path in loaded if "libstdc++" in path], loaded
PYTHON
n_checks=$((n_checks + 5))
echo "$n_checks checks"
