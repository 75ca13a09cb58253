#!/bin/sh
# The documentation is true: docs.sh PROGRAM.  The ```sh blocks that follow a line
# `<!-- test -->` are run, with the blocks that follow `<!-- file NAME -->` as files
# beside them; links lead somewhere; the tour of ARCHITECTURE.md names the files that exist; and
# docs/recipes.md has the values of the program.
# Blocks that follow `<!-- test movielens -->` need MovieLens, and are run where $NLN_DATA
# has ml-100k, those that follow `<!-- test umls -->` where it has kg/umls: as they stand, but with
# models that are smaller and trained for an epoch or two.  So are those that follow `<!-- test
# smaller -->`, with made-up data and --tiny studies.  A block of commands that is not run here says where it is, `<!-- elsewhere: ... -->`, or why it is run
# only by hand, `<!-- by hand: ... -->`.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"
PATH=$work/bin:$(dirname "$nln"):$PATH
# The programs of the documentation are built on an installed library, with the CC and CFLAGS of
# the library, which may need its sanitizers.
DESTDIR='' cmake --install "$(dirname "$nln")" --prefix "$work/usr" >out 2>err ||
    fail "cmake --install"
mkdir bin
printf '#!/bin/sh\nexec %s %s "$@"\n' "${CC:-/usr/bin/cc}" "${CFLAGS:-}" >bin/cc
chmod +x bin/cc
LD_LIBRARY_PATH=$(dirname "$(find "$work/usr" -name libnln.a)")
PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig
CMAKE_PREFIX_PATH=$work/usr
export PATH LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH

# script_of DOCUMENT MARK: the blocks with this mark and the files, in their order, as one
# shell script.  A mark without a block right below it ends the script with a failure.
script_of() {
    awk -v mark="<!-- $2 -->" '
        inside && /^```$/ { if (inside == "file") print "END_OF_FILE"; inside = ""; next }
        inside { print; next }
        wanted == "sh" && /^```sh$/ { inside = "sh"; wanted = "" }
        wanted == "file" && /^```/ { inside = "file"; print "mkdir -p \"$(dirname " name ")\" && cat >" name " <<\"END_OF_FILE\"" }
        wanted == "file" && inside { wanted = "" }
        wanted { print "echo no block below line " NR - 1 " >&2; exit 1"; wanted = "" }
        $0 == mark { wanted = "sh" }
        /^<!-- file [^ ]+ -->$/ { wanted = "file"; name = $3 }' "$1"
}

# try DOCUMENT: runs ./script in ./folder.
try() {
    (cd folder && sh -eu ../script) >/dev/null 2>all </dev/null || {
        tail -n 3 all >err # the last words, not the progress before them
        fail "the commands of ${1#"$root"/}"
    }
}

# ---- links -------------------------------------------------------------------
for document in "$root"/*.md "$root"/docs/*.md; do
    for link in $(grep -o '](\([^)# ]*\)' "$document" | sed 's/^](//; /^https*:/d'); do
        [ -e "$(dirname "$document")/$link" ] ||
            fail "${document#"$root"/} links to $link"
    done
done

# ---- the tour of ARCHITECTURE.md names every file, and no other ----------------
python3 - "$root" <<'PYTHON' || fail "ARCHITECTURE.md is not the tree"
import pathlib, re, sys

root, rooms, room = pathlib.Path(sys.argv[1]), {}, None
for line in open(root / "ARCHITECTURE.md", encoding="utf-8"):
    if line.startswith("#"):
        heading = re.match(r"### ((?:src|cli)[a-z/]*):", line)
        room = heading and rooms.setdefault(heading[1], set())
    elif room is not None:
        room.update(re.findall(r"^- `(\w+)`", line))
folders = [path for path in [*root.glob("src/*"), root / "cli", *root.glob("cli/*")] if path.is_dir()]
wrong = []
for folder in folders:
    name = str(folder.relative_to(root))
    there = {path.stem for path in folder.glob("*.[ch]")}
    told = rooms.pop(name, set())
    wrong += [f"it lacks {name}/{file}" for file in sorted(there - told)]
    wrong += [f"there is no {name}/{file}" for file in sorted(told - there)]
wrong += [f"there is no folder {name}" for name in rooms]
print(*wrong, sep="\n", end="")
sys.exit(bool(wrong))
PYTHON

# ---- commands and files ------------------------------------------------------
n_scripts=0
for document in "$root"/*.md "$root"/docs/*.md; do
    script_of "$document" test >script
    [ -s script ] || continue
    n_scripts=$((n_scripts + 1))
    rm -rf folder
    mkdir folder
    try "$document"
    for source in folder/*.c; do
        [ ! -e "$source" ] ||
            "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$root/include" "$source" \
                2>err ||
            fail "${source#folder/} of ${document#"$root"/} does not compile"
    done
done
[ "$n_scripts" -gt 1 ] || fail "README.md and docs/formats.md have nothing to run"

# ---- every block of commands has a mark --------------------------------------
for document in "$root"/*.md "$root"/docs/*.md "$root"/examples/*.md; do
    [ -e "$document" ] || continue
    awk '/^```(sh|python)$/ && !inside && !(before ~ /^<!-- (test|elsewhere|by hand|file)[ :]/) {
             print FNR
             bad = 1
         }
         /^```/ { inside = !inside }
         { before = $0 }
         END { exit bad }' "$document" >unmarked ||
        fail "${document#"$root"/} has commands that no test runs, in line" $(cat unmarked)
done

# ---- smaller -----------------------------------------------------------------
for document in $(grep -l '^<!-- test smaller -->$' "$root"/*.md "$root"/docs/*.md); do
    rm -rf folder
    mkdir folder
    ln -s "$root/share" folder/share
    "$nln" generate logic --variables 20 --expressions 100 --out folder/data >/dev/null
    for name in ratings u.data; do
        "$nln" generate ratings --users 30 --items 30 --ratings 400 --out folder/$name >/dev/null
    done
    {
        echo 'nln() {'
        echo '    case $1 in'
        echo '    train | tune) set -- "$@" --epochs 1 --dimension 8 ;;'
        echo '    reproduce) set -- reproduce "$2" --tiny --out ../study --resume ;;'
        echo '    esac'
        echo '    command nln "$@"'
        echo '}'
        script_of "$document" 'test smaller'
    } >script
    try "$document"
    n_scripts=$((n_scripts + 1))
done

# ---- MovieLens ---------------------------------------------------------------
movielens=${NLN_DATA:-}/ml-100k
for document in $(grep -l '^<!-- test movielens -->$' "$root"/*.md "$root"/docs/*.md); do
    if [ ! -e "$movielens/u.data.gz" ] || [ ! -e "$movielens/u.item.gz" ]; then
        echo "SKIPPED: the MovieLens commands of ${document#"$root"/}" \
            "(set NLN_DATA to the folder that holds ml-100k)"
        continue
    fi
    rm -rf folder
    mkdir -p folder/ml-100k
    gzip -dc "$movielens/u.data.gz" >folder/ml-100k/u.data
    gzip -dc "$movielens/u.item.gz" >folder/ml-100k/u.item
    {
        echo 'nln() {'
        echo '    [ "$1" != train ] || set -- "$@" --epochs 1 --dimension 8 --members 1'
        echo '    command nln "$@"'
        echo '}'
        script_of "$document" 'test movielens'
    } >script
    try "$document"
    n_scripts=$((n_scripts + 1))
done

# ---- UMLS --------------------------------------------------------------------
for document in $(grep -l '^<!-- test umls -->$' "$root"/*.md "$root"/docs/*.md); do
    if [ ! -d "${NLN_DATA:-}/kg/umls" ]; then
        echo "SKIPPED: the commands of ${document#"$root"/} on UMLS" \
            "(set NLN_DATA to the folder that holds kg/umls)"
        continue
    fi
    rm -rf folder
    mkdir folder
    ln -s "$NLN_DATA/kg/umls" folder/umls
    {
        echo 'nln() {'
        echo '    [ "$1" != train ] || set -- "$@" --epochs 2 --dimension 32'
        echo '    command nln "$@"'
        echo '}'
        script_of "$document" 'test umls'
    } >script
    try "$document"
    n_scripts=$((n_scripts + 1))
done

# ---- the tables of the recipes -----------------------------------------------
run 0 generate logic --variables 20 --expressions 100 --out data
for recipe in default paper fast; do
    run 0 train data --recipe $recipe --threads 1 --quiet --json --out model
    mv out $recipe
done
run 0 generate ratings --users 30 --items 30 --ratings 300 --out ratings.csv
for recipe in default paper fast; do
    for task in topk preference; do
        run 0 train ratings.csv --task $task --recipe $recipe --threads 1 --quiet --json --out model
        mv out "$task $recipe"
    done
done
python3 - "$root/docs/recipes.md" default paper fast 'topk default' 'topk paper' 'topk fast' \
    'preference default' 'preference paper' 'preference fast' <<'PYTHON' || fail "docs/recipes.md is not true"
import json, sys

runs = {name: json.load(open(name)) for name in sys.argv[2:]}
recipes = {name: run["options"] for name, run in runs.items()}
for name, run in runs.items():  # what a recipe leaves to the data, the model has as it came out
    if name in ("topk default", "preference default"):
        if run["options"]["epochs"] != run["epochs"]:
            sys.exit(f"{name} has other epochs than its model says")
        run["options"]["epochs"] = 0
# (recipe, option) of which a row tells
told = {(name, option) for name in recipes for option in ("recipe", "task")}


def agrees(said, value):
    if isinstance(value, (str, bool)):
        return said == str(value).lower()
    return isinstance(value, (int, float)) and float(said) == value


columns = []  # the recipe of each column, or None
for line in open(sys.argv[1], encoding="utf-8"):
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    if line.startswith("| option |"):
        names = [cell.replace("recipe ", "").strip("`") for cell in cells]
        columns = [name if name in recipes else None for name in names]
    elif cells and cells[0] == "change":
        columns = []  # the ablations are not the values of a recipe
    elif columns and line.startswith("| `--"):
        option = cells[0].strip("`-")
        for said, recipe in zip(cells, columns):
            value = recipe and recipes[recipe].get(option)
            if recipe and not agrees(said, value):
                sys.exit(f"--{option} is {value} in the recipe {recipe}, not {said}")
            told.add((recipe, option))
for name, options in recipes.items():
    for option, value in options.items():
        if value != recipes["default"][option] and (name, option) not in told:
            sys.exit(f"no row tells that --{option} is {value} in the recipe {name}")
PYTHON

echo "$n_scripts scripts"
