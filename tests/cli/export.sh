#!/bin/sh
# The vectors of a model for other programs: export.sh PROGRAM
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$tests/cli/common.sh"

prepare
prepare_ratings
run 0 train data --epochs 1 --members 1 --embedding free --dimension 5 --threads 1 --quiet \
    --out free.model

# ---- the formats say the same --------------------------------------------------
run 0 export free.model --out free.npy
says '^20 vectors of 5 numbers; written to free.npy, names to free.names.tsv$'
run 0 export free.model --out free.tsv
says '^20 vectors of 5 numbers; written to free.tsv$'
[ ! -e free.tsv.names.tsv ] || fail "a table has its names itself"
run 0 export free.model --out free.vec --names free.list --json
json 'x["format"] == "word2vec" and x["out"] == "free.vec" and x["names"] == "free.list"' \
    'x["variables"] == 20 and x["vector_length"] == 5 and x["changed_names"] == 0'
run 0 export free.model --format tsv --header --out headed
[ -z "$(find . -name '.nln*')" ] || fail "temporary files are left"
cmp -s free.names.tsv free.list || fail "the names are others in another format"
sed 1d headed | cmp -s - free.tsv || fail "--header changes more than the header"
[ "$(sed -n 1p headed | tr '\t' ' ')" = 'name x1 x2 x3 x4 x5' ] || fail "the header is another"

# Read as the formats are described, without NumPy: the bits are those of the model file.
# Where NumPy is installed, it reads the same.
"${PYTHON:-python3}" - "$tests" <<'PYTHON' || fail "what was exported is not the tensor"
import ast, json, struct, sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import read_model

header, data = read_model.read_header(open("free.model", "rb").read())
names = json.loads(header["__metadata__"]["variables"])
flat = read_model.read_tensor("variables.vector", header["variables.vector"], data)
tensor = [flat[5 * i : 5 * i + 5] for i in range(20)]


def same(a, b):
    return struct.pack("<100f", *sum(map(tuple, a), ())) == struct.pack("<100f", *sum(b, ()))


npy = open("free.npy", "rb").read()
length = struct.unpack("<H", npy[8:10])[0]
about = ast.literal_eval(npy[10 : 10 + length].decode("ascii"))
assert npy[:8] == b"\x93NUMPY\x01\x00" and npy[9 + length : 10 + length] == b"\n"
assert (10 + length) % 64 == 0
assert about == {"descr": "<f4", "fortran_order": False, "shape": (20, 5)}, about
assert npy[10 + length :] == struct.pack("<100f", *flat)

rows = [line.split("\t") for line in open("free.tsv").read().splitlines()]
assert [row[0] for row in rows] == names
assert same([map(float, row[1:]) for row in rows], tensor)

first, *rows = [line.split(" ") for line in open("free.vec").read().splitlines()]
assert first == ["20", "5"] and [row[0] for row in rows] == names
assert same([map(float, row[1:]) for row in rows], tensor)

assert open("free.names.tsv").read().splitlines() == names
try:
    import numpy
except ImportError:
    print("SKIPPED: NumPy is not installed, so it did not read the array")
else:
    array = numpy.load("free.npy")
    assert array.dtype == numpy.float32 and array.shape == (20, 5)
    assert array.tolist() == [list(row) for row in tensor]
PYTHON

# ---- members, ratings, standard output --------------------------------------------
run 0 train data --epochs 1 --members 4 --threads 1 --quiet --out four
run 0 export four --out model.npy --names model.list
says '^20 vectors of 256 numbers; written to model.npy, names to model.list$'
[ ! -e model.names.tsv ] || fail "the names are written twice"
[ "$(wc -c <model.npy)" -eq $((128 + 20 * 256 * 4)) ] || fail "model.npy has another length"
run 0 export model --out plain --format npy
[ -s plain.names.tsv ] || fail "the names of a file without ending are elsewhere"
run 0 export free.model --out - --format npy
[ -s err ] && fail "something on standard error"
cmp -s out free.npy || fail "standard output has another array"
run 0 export free.model --out - --format word2vec --names list
cmp -s out free.vec && cmp -s list free.list || fail "standard output has other vectors"
run 0 export topk --out items.tsv
[ "$(cut -f1 items.tsv | sort)" = "$(cut -f1 titles | sort)" ] || fail "items are not variables"

# ---- links, open files and modes ----------------------------------------------------
mkdir linked
ln -s linked/file link.tsv
for text in new again; do
    run 0 export free.model --out link.tsv
    [ -L link.tsv ] && cmp -s linked/file free.tsv || fail "a link is not followed to a $text file"
    chmod 604 linked/file
done
[ "$(stat -c %a linked/file)" = 604 ] || fail "a replaced file has another mode"
ln -s round.tsv round.tsv
bad 1 'round.tsv: cannot write here' export free.model --out round.tsv
if [ -e /proc/self/fd/1 ]; then
    # A link of our own stands in for /dev/stdout, which a failure would replace.
    ln -s /proc/self/fd/1 stdout
    echo before >written
    "$nln" export free.model --format tsv --out stdout >>written || fail "stdout is not written"
    [ -L stdout ] || fail "the link to standard output is replaced"
    { echo before && cat free.tsv && echo '20 vectors of 5 numbers; written to stdout'; } |
        cmp -s - written || fail "a file behind standard output is not written in order"
    "$nln" export free.model --format tsv --out stdout | sed '$d' | cmp -s - free.tsv ||
        fail "a pipe behind standard output is not written"
    "$nln" train data --epochs 1 --threads 1 --quiet --json --out stdout >written ||
        fail "a model is not written to an open file"
    [ -L stdout ] && [ "$(wc -c <written)" -gt "$(wc -c <free.model)" ] ||
        fail "a model replaces the link to standard output"
fi
[ -z "$(find . -name '.nln*')" ] || fail "temporary files are left"

# ---- names with spaces -------------------------------------------------------------
printf '%s;%s;5\n' ann 'Earl Grey' ann peppermint bob 'Earl Grey' bob 'thé vert' \
    cid peppermint cid "$(printf 'no\302\240break')" >tea
run 0 train tea --task topk --split none --epochs 1 --dimension 4 --members 1 --networks 1 --threads 1 \
    --quiet --out tea.model
run 0 export tea.model --out tea.vec --json
json 'x["changed_names"] == 3'
run 0 export tea.model --out tea.vec
grep -q '^nln: 3 names have spaces' err || fail "nothing says that names were changed"
[ "$(sed 1d tea.vec | cut -d' ' -f1 | sort | tr '\n' ' ')" = \
    'Earl_Grey no_break peppermint thé_vert ' ] || fail "the names are not made safe"
[ "$(awk 'NF != 5 && NR > 1' tea.vec)" = '' ] || fail "a line has more than a name and 4 numbers"
run 0 export tea.model --out tea.vec --quiet
[ ! -s err ] || fail "--quiet is not quiet"
run 0 export tea.model --out tea.tsv
[ ! -s err ] || fail "a table holds names with spaces"
cut -f1 tea.tsv | grep -qx 'Earl Grey' || fail "the name with a space is not in the table"

# ---- bad input ------------------------------------------------------------------------
run 0 train ratings --task topk --model popularity --quiet --out popularity
mkdir folder
bad 2 '--out is missing' export model --format tsv
bad 2 '--out vectors does not tell a format.*--format' export model --out vectors
bad 2 '--out - does not tell a format' export model --out -
bad 2 '--out .npy does not tell a format' export model --out .npy
bad 2 '--format' export model --out x --format hdf5
bad 2 '--header is for --format tsv' export model --out x.npy --header
bad 2 '--json and --out -' export model --out - --format tsv --json
bad 2 'the same file' export model --out x.tsv --names x.tsv
bad 1 'nowhere' export nowhere --out x.npy
bad 1 'nowhere/x.npy: cannot write here' export model --out nowhere/x.npy
bad 1 'nowhere/x: cannot write here.*--names' export model --out x.npy --names nowhere/x
bad 1 'folder: this is a folder' export model --out folder --format tsv
bad 1 'popularity: .*kind popularity has no vectors' export popularity --out x.npy
bad 1 'popularity: .*no vectors' export popularity --out - --format tsv
bad 1 'ratings' export ratings --out x.npy
if [ -e /dev/full ]; then
    run 1 export model --out /dev/full --format tsv
    grep -q '/dev/full: cannot be written' err || fail "a full disk is not noticed"
    code=0
    "$nln" export model --out - --format npy >/dev/full 2>err || code=$?
    [ "$code" -eq 1 ] || fail "a full disk behind standard output is not noticed"
fi

echo "$n_checks checks"
