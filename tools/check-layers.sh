#!/bin/sh
# Checks who includes whom, and that the library neither prints nor exits nor takes memory
# past base/memory.h: tools/check-layers.sh [ROOT].  Prints every breach as FILE:LINE and fails
# if there is one.
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"

# A room of src/ and the rooms whose headers it may include; lab is include/nln_lab.h.
rooms='
base:       base
logic:      base logic
math:       base math
net:        base logic math net
data:       base logic data
rules:      base data rules
models:     base logic math net data rules models
inference:  base logic math net data rules models inference
evaluation: base logic math net data rules models inference evaluation lab
training:   base logic math net data rules models inference evaluation training
exact:      base logic math net data rules models evaluation exact lab
plane:      base logic math net data rules models plane lab
bench:      base logic math net data rules models inference evaluation training bench lab
store:      base store
serve:      base logic math net data rules models inference evaluation training exact plane store serve lab
'
# The same for cli/, whose own folder is called top.
program='
show:      top show
runs:      top show runs
reproduce: top show runs reproduce
commands:  top show runs reproduce commands
top:       top show runs reproduce commands
'
standard='assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
          stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath
          threads time uchar wchar wctype'

breaches=0
breach() {
    echo "$1: $2"
    breaches=$((breaches + 1))
}

has_word() { # has_word WORD WORDS...
    word=$1
    shift
    case " $* " in *" $word "*) return 0 ;; esac
    return 1
}

# The includes of a file as LINE:KIND:NAME, where KIND is " or <.
includes() {
    sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\(["<]\)\([^">]*\)[">].*/\1:\2/;t show
            b
            :show
            =
            p' "$1" | sed 'N;s/\n/:/'
}

check_room() { # check_room FILE ROOM ALLOWED...
    file=$1 room=$2
    shift 2
    includes "$file" >"$list"
    while IFS=: read -r line kind name; do
        case $name in
        nln.h) continue ;;
        nln_serve.h)
            [ "$room" = serve ] || breach "$file:$line" "$room may not include $name"
            continue
            ;;
        nln_lab.h)
            has_word lab "$@" || breach "$file:$line" "$room may not include $name"
            continue
            ;;
        *..*) breach "$file:$line" "an include may not climb out of its folder: $name" ;;
        */*) first=${name%%/*} ;;
        *) first=$room ;;
        esac
        if [ -e "src/$name" ]; then
            has_word "$first" "$@" || breach "$file:$line" "$room may not include $name"
        elif [ "$kind" = '"' ] && [ ! -e "src/$room/$name" ]; then
            breach "$file:$line" "$room may not include $name, which is not in src/"
        fi
    done <"$list"
}

check_program() { # check_program FILE ROOM ALLOWED...
    file=$1 room=$2
    shift 2
    includes "$file" >"$list"
    while IFS=: read -r line kind name; do
        case $name in
        nln.h | nln_lab.h | nln_serve.h) continue ;;
        *..*) breach "$file:$line" "an include may not climb out of its folder: $name" ;;
        */*) first=${name%%/*} ;;
        *) first=top ;;
        esac
        if [ "$kind" = '"' ] && [ -e "cli/$name" ]; then
            has_word "$first" "$@" || breach "$file:$line" "$room may not include $name"
        elif [ "$kind" = '"' ] || [ -e "src/$name" ] || [ -e "include/$name" ]; then
            breach "$file:$line" "the program may not include $name"
        fi
    done <"$list"
}

check_interface() {
    includes "$1" >"$list"
    while IFS=: read -r line kind name; do
        case $1:$name in include/nln_lab.h:nln.h | include/nln_serve.h:nln.h) continue ;; esac
        if [ "$kind" != '<' ] || ! has_word "${name%.h}" $standard; then
            breach "$1:$line" "a public header may include only standard headers, not $name"
        fi
    done <"$list"
}

# Names that a library does not call, since it is not its program.
memory='malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|memalign|valloc'
memory="$memory|strdup|strndup|asprintf|vasprintf|getline|getdelim|open_memstream"
output='printf|vprintf|puts|putchar|perror|psignal|warn|warnx|err|errx'
process='exit|_exit|_Exit|quick_exit|abort|assert|atexit|raise|kill|signal|sigaction|setlocale'
# Functions that share a hidden state with other threads.
shared='strtok|rand|srand|localtime|gmtime|ctime|asctime|tmpnam|mktemp|strsignal|lgamma|lgammaf'
shared="$shared|mblen|mbtowc|wctomb|mbrlen|mbrtowc|putenv|clearenv|getpwnam|getpwuid|basename"

# What the text of src/ may not say, comments and strings aside.  Truth has no decimals.  Memory
# is counted and limited in one place, but jansson gives text that only free releases.  A member
# of a struct may have any name.
check_words() { # check_words FILE...
    awk -v memory="$memory" -v output="$output" -v process="$process" -v shared="$shared" '
        function breach(what) { printf "%s:%d:%s\n", FILENAME, FNR, what }
        function code(text,  kept, found) { # uses `inside`: within a comment
            while (1) {
                if (inside) {
                    if (!(i = index(text, "*/"))) return kept
                    text = " " substr(text, i + 2)
                    inside = 0
                }
                if (!match(text, tokens)) return kept text
                kept = kept substr(text, 1, RSTART - 1)
                found = substr(text, RSTART, 2)
                text = substr(text, RSTART + RLENGTH)
                if (found == "//") return kept
                if (found == "/*") inside = 1
                else kept = kept "0"
            }
        }
        function calls(names) { return line ~ "(^|[^A-Za-z0-9_.>])(" names ")[ \t]*[(]" }
        function says(words) { return line ~ "(^|[^A-Za-z0-9_])(" words ")([^A-Za-z0-9_]|$)" }
        BEGIN { tokens = "\"([^\"\\\\]|\\\\.)*\"|\047([^\047\\\\]|\\\\.)*\047|//|/[*]" }
        FNR == 1 { inside = jansson = 0 }
        { line = code($0) }
        line ~ /^[ \t]*#[ \t]*include[ \t]*<jansson.h>/ { jansson = 1 }
        FILENAME ~ /^src\/logic\// && says("float|double|real") {
            breach("logic may not use real numbers") }
        calls(output) || says("stdout|stderr") { breach("the library never prints") }
        calls(process) { breach("this belongs to the program, not to the library") }
        calls(shared) { breach("this is not safe with threads") }
        FILENAME != "src/base/memory.c" && (calls(memory) || calls("free") && !jansson) {
            breach("memory comes from base/memory.h and goes back there") }
    ' "$@" >"$list"
    while IFS=: read -r name line what; do
        breach "$name:$line" "$what"
    done <"$list"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
n=0
for file in src/*/*.[ch] src/*/*.inc cli/*.[ch] cli/*/*.[ch] include/*.h; do
    [ -e "$file" ] || continue
    n=$((n + 1))
    room=$(basename "$(dirname "$file")")
    case $file in
    cli/*)
        [ "$room" != cli ] || room=top
        allowed=$(printf '%s' "$program" | sed -n "s/^$room: *//p")
        [ -n "$allowed" ] || breach "$file:1" "cli/$room is not a room of the program"
        check_program "$file" "$room" $allowed
        ;;
    include/*) check_interface "$file" ;;
    src/*)
        allowed=$(printf '%s' "$rooms" | sed -n "s/^$room: *//p")
        [ -n "$allowed" ] || breach "$file:1" "src/$room is not a room of the house"
        check_room "$file" "$room" $allowed
        ;;
    esac
done
set -- src/*/*.[ch] src/*/*.inc
[ "$n" = 0 ] || check_words $(ls -d "$@" 2>/dev/null)
[ "$n" -gt 0 ] || breach "$root" "there are no source files here"
[ "$breaches" -eq 0 ] || { echo "$breaches breach(es) of the layers in $n files"; exit 1; }
echo "layers: $n files are in order"
