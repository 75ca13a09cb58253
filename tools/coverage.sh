#!/bin/sh
# Lines of src/ that the tests run: tools/coverage.sh [LEAST].  Builds with gcc's counters, runs
# the tests, writes a line for each file and each line that was never run to
# build/coverage/report.txt and missed.txt, and fails below LEAST percent (95).
# COVERAGE_RUN=0 only counts anew what an earlier run has left.
#
# A line counts once, however many programs compile it (a header, or the library a second time
# with double), and as run if one of them ran it.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
least=${1:-95}
build=$root/build/coverage

if [ "${COVERAGE_RUN:-1}" != 0 ]; then
    tools/setup.sh test
    cmake --preset coverage >/dev/null
    cmake --build --preset coverage
    find "$build" -name '*.gcda' -delete
    # Under valgrind the counters would say nothing new, slowly; published data is optional; and
    # faults under the program are faults under its counters, too; the demo runs another build.
    ctest --preset coverage -j "$(nproc)" -E '^(valgrind|published|cli_faults|demo)$'
fi

# gcov prints "COUNT: LINE:SOURCE", where COUNT is - for no code and ##### for never run, and
# repeats this for each static inline function; a line is run if any copy of it is.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && find "$build" -path '*/src/*' -name '*.gcno' -print0 |
    xargs -0 gcov --stdout 2>/dev/null) |
    awk -F: -v root="$root/" -v work="$work/" '
        $2 + 0 == 0 && $3 == "Source" { file = $4; sub(root, "", file); next }
        file !~ /^src\// || $2 + 0 == 0 { next }
        { count = $1; gsub(/[ *]/, "", count)
          if (count == "-") next
          key = file ":" $2 + 0
          if (!(key in run)) { run[key] = 0; lines[file]++ }
          if (count !~ /^[#=]+$/) { if (!run[key]++) ran[file]++ }
          else { text = $0; sub(/^[^:]*:[^:]*:/, "", text); source[key] = text } }
        END {
            for (file in lines) { n += lines[file]; m += ran[file]
                printf "%6.2f %6d %6d %s\n", 100 * ran[file] / lines[file], lines[file],
                       lines[file] - ran[file], file >(work "report") }
            for (key in run) if (!run[key]) print key ":" source[key] >(work "missed")
            printf "%.2f %d %d\n", 100 * m / n, n, n - m >(work "total") }'
touch "$work/missed"
{
    echo "     %  lines missed file"
    sort -k4 "$work/report"
} >"$build/report.txt"
sort -t: -k1,1 -k2,2n "$work/missed" >"$build/missed.txt"
cat "$build/report.txt"
read -r share lines missed <"$work/total"
echo "coverage: $share % of $lines lines of src/; $missed were never run: build/coverage/missed.txt"
awk -v share="$share" -v least="$least" 'BEGIN { exit !(share >= least) }' ||
    { echo "coverage: that is below $least %" >&2; exit 1; }
