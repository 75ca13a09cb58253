
_nln()
{
    local at=2 verb
    local -a list
    (( CURRENT > 2 )) && [[ $words[2] == help ]] && at=3
    (( CURRENT == at )) || verb=$words[at]
    _nln_verbs "$verb"
    if [[ -n $verb ]] && (( $#list )); then
        (( at++ ))
        (( CURRENT == at )) || verb+=" $words[at]"
    fi
    if (( CURRENT == at )); then
        _describe verb list
    else
        shift $((at - 1)) words
        (( CURRENT -= at - 1 ))
        _nln_arguments "$verb"
    fi
}

_nln "$@"
