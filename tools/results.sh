# Counts results; to be sourced from the top folder.  A script that sources it calls attempt, suite
# and skipped for its parts, goes on after a failure, and ends with `report`, whose last line is
# "N passed, N failed, N skipped".  A script that such a script runs adds to the same counts, and
# leaves the report to it.
inner=${NLN_RESULTS:+1}
if [ -z "$inner" ]; then
    NLN_RESULTS=$(mktemp)
    export NLN_RESULTS
    trap 'rm -f "$NLN_RESULTS"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
fi

step() { # step TITLE...
    printf '\n== %s\n' "$*"
}

# record RESULT NAME...: one line of the results, which are passed, failed and skipped.
record() {
    result=$1
    shift
    printf '%s\t%s\n' "$result" "$*" >>"$NLN_RESULTS"
}

skipped() { # skipped NAME REASON...
    name=$1
    shift
    echo "SKIPPED: $name: $*"
    record skipped "$name ($*)"
}

# attempt NAME COMMAND...: counts the command by its exit code, of which 77 means that it cannot run
# here.  Returns 1 unless it passed.
attempt() {
    name=$1 code=0
    shift
    "$@" || code=$?
    case $code in
    0) record passed "$name" ;;
    77) record skipped "$name" ;;
    *)
        record failed "$name"
        echo "FAILED: $name (exit code $code)"
        ;;
    esac
    [ "$code" = 0 ]
}

# build PRESET [ARGUMENT...]: builds, with warnings as errors in the two presets that check them.
build() {
    configure=$1 errors=
    [ "$1" != all ] || configure=release
    case $1 in all | clang) errors=-DNLN_WERROR=ON ;; esac
    attempt "build $1" sh -c 'cmake --preset "$1" $2 >/dev/null && shift 2 &&
        cmake --build --preset "$@"' sh "$configure" "$errors" "$@"
}

# suite PRESET FOLDER [ARGUMENT...]: runs ctest and counts every test.  A test that passes but says
# "SKIPPED: ..." of a part counts as passed, and the part as skipped.
suite() {
    preset=$1 folder=$2 code=0
    log=$folder/Testing/Temporary/output.log details=$folder/Testing/Temporary/LastTest.log
    shift 2
    mkdir -p "$folder/Testing/Temporary"
    rm -f "$log" "$details"
    ctest --preset "$preset" --output-log "$log" "$@" || code=$?
    touch "$log" "$details"
    awk -v label="$preset: " -v details="$details" -v code="$code" '
        function result(kind, name, why) {
            print kind "\t" label name (why == "" ? "" : " (" why ")")
            n[kind]++
        }
        FILENAME == details {
            if (/^[0-9]+\/[0-9]+ Test: /) name = $3
            else if (sub(/^SKIP(PED)?: */, "")) part[name] = part[name] == "" ? $0 : part[name] "; " $0
            next
        }
        !/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / { next }
        { name = $0; sub(/^[^:]*: /, "", name); sub(/ .*/, "", name) }
        / Passed +[0-9.]+ sec$/ {
            result("passed", name)
            if (part[name] != "") result("skipped", "part of " name, part[name])
            next
        }
        /\*\*\*Skipped/ { result("skipped", name, part[name]); next }
        /\*\*\*Not Run \(Disabled\)/ { result("skipped", name, "disabled"); next }
        { result("failed", name) }
        END { if (code != 0 && !n["failed"]) result("failed", "ctest", "exit code " code) }
        ' "$details" "$log" >>"$NLN_RESULTS"
}

# report: names what failed and what was skipped, counts, and returns 1 if anything failed.
report() {
    [ -z "$inner" ] || { ! grep -q '^failed' "$NLN_RESULTS"; return; }
    echo
    awk -F '\t' '
        { n[$1]++; names[$1] = names[$1] "\n    " $2 }
        END {
            if (n["skipped"]) print "skipped:" names["skipped"]
            if (n["failed"]) print "FAILED:" names["failed"]
            printf "%d passed, %d failed, %d skipped\n", n["passed"], n["failed"], n["skipped"]
            exit n["failed"] > 0
        }' "$NLN_RESULTS"
}
