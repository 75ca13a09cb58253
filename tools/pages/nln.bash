
_nln()
{
    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local at=1 verb seconds words
    [ "$COMP_CWORD" -lt 2 ] || [ "${COMP_WORDS[1]}" != help ] || at=2
    # bash makes a word of the = of --name=value.
    if [ "$option" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [ "$word" = = ]; then
        word=
    fi
    verb=${COMP_WORDS[at]} seconds=
    [ "$COMP_CWORD" -eq "$at" ] || seconds=$(_nln_verbs "$verb")
    if [ "$COMP_CWORD" -eq "$at" ]; then
        words=$(_nln_verbs '')
    elif [ -n "$seconds" ] && [ "$COMP_CWORD" -eq $((at + 1)) ]; then
        words=$seconds
    else
        [ -z "$seconds" ] || verb="$verb ${COMP_WORDS[at + 1]}"
        if ! words=$(_nln_values "$verb $option"); then
            words=FILES
            [ "${word:0:1}" != - ] || words=$(_nln_options "$verb")
        fi
    fi
    if [ "$words" = FILES ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    fi
}
complete -F _nln nln
