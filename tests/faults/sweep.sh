# What the scripts share that let the calls of the program fail in turn; to be sourced after
# common.sh, with $1 the program and the library nln_faults.so beside it.
shim=$(dirname "$nln")/nln_faults.so
[ -e "$shim" ] || fail "there is no $shim; build the tests"
n_faults=0 n_harmless=0

# Numbers aside: times differ from run to run.
plain() { sed 's/[0-9][-+.e0-9]*/#/g' "$1"; }

# whole A B: what A holds is all that B holds.
whole() { cmp -s "$1" "$2" || [ "$(plain "$1")" = "$(plain "$2")" ]; }

# once FAULT ARGUMENTS...: one run in the folder `new`, that was `old` before; its code in $code.
once() {
    fault=$1
    shift
    rm -rf new mark
    cp -R old new
    code=0
    (cd new && NLN_FAULT=$fault NLN_FAULT_MARK=$work/mark LD_PRELOAD=$shim \
        exec "$nln" "$@" >"$work/out" 2>"$work/err" <"$work/input") || code=$?
}

# Every file is the old one or the new one, whole, and there are no others; but logs, which are
# written line by line, the table of trials, some of which may have failed, what is said of the
# machine, and the output of a trial that was stopped, which --resume removes.  A training that was
# stopped may leave a checkpoint.
check_files() {
    (cd new && find . -type f) >files
    while read -r file; do
        case $file in *log* | *trials.tsv | *command.json | *output.tmp | *epochs.tsv) continue ;; esac
        case $file in *.checkpoint) "$nln" inspect "new/$file" >checked && continue ;; esac
        [ -e "right/$file" ] || [ -e "old/$file" ] || fail "$fault left $file: nln $*"
        if [ -e "right/$file" ] && whole "new/$file" "right/$file"; then
            continue
        fi
        [ "$code" -ne 0 ] || fail "$fault, and success, but $file is not whole: nln $*"
        cmp -s "new/$file" "old/$file" || fail "$fault left a part of $file: nln $*"
    done <files
}

# One run with a fault: a sentence, or all is as without it.
check_once() {
    case $code in
    0)
        whole out right-out || fail "$fault, and success, but the output is not whole: nln $*"
        n_harmless=$((n_harmless + 1))
        ;;
    1)
        [ "$(grep -c '^nln: ' err)" -ge 1 ] || fail "$fault, without a message: nln $*"
        ;;
    *) fail "$fault: exit code $code: nln $*" ;;
    esac
    check_files "$@"
    n_faults=$((n_faults + 1))
}

# sweep KINDS ARGUMENTS...: the first call of each kind fails, the second, and so on; alone and
# with all that follow.  `every` is the step from one to the next.
sweep() {
    swept=$1
    shift
    once none:0 "$@"
    [ "$code" -eq 0 ] || fail "exit code $code without a fault: nln $*"
    rm -rf right
    mv new right
    cp out right-out
    before=$n_faults
    for kind in $swept; do
        for rest in '' +; do
            i=1
            while once "$kind:$i$rest" "$@" && [ -e mark ]; do
                check_once "$@"
                i=$((i + every))
            done
            [ "$code" -eq 0 ] || fail "exit code $code after $kind:$i$rest: nln $*"
        done
    done
    [ "$n_faults" -gt "$before" ] || fail "no fault of $swept came about: nln $*"
    echo "$((n_faults - before)) faults ($swept): nln $*"
}
