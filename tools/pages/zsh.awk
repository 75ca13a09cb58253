# The tables of _nln, for zsh, from the lines of `nln help --tables`.
function quote(text) {
    gsub(/[][\\]/, "\\\\&", text)
    gsub(/'/, "'\\''", text)
    return text
}
function words(text) {
    gsub(/\|/, " ", text)
    return text
}
BEGIN {
    FS = "\t"
    print "#compdef nln\n"
}
$1 == "verb" {
    arguments = arguments (arguments ? " \\\n        '*:file:_files' ;;\n" : "")
    arguments = arguments "    '" $2 "') _arguments '--help[list the options]'"
    n = split($2, part, " ")
    if (!(part[1] in known)) {
        order[++n_firsts] = part[1]
        known[part[1]] = n == 1 ? quote($4) : ""
    }
    if (n == 2) {
        known[part[1]] = known[part[1]] (known[part[1]] ? ", " : "") part[2]
        seconds[part[1]] = seconds[part[1]] " '" part[2] ":" quote($4) "'"
    }
}
$1 == "option" {
    arguments = arguments " \\\n        '" ($3 == "text" ? "*" : "") "--" $2
    arguments = arguments ($3 == "flag" ? "" : "=") "[" quote($6) "]"
    if ($3 == "choice")
        arguments = arguments ":word:(" words($5) ")'"
    else if ($3 == "text")
        arguments = arguments ":text:_files'"
    else if ($3 == "flag")
        arguments = arguments "' \\\n        '--no-" $2 "[not --" $2 "]'"
    else
        arguments = arguments ":" quote($5) ": '"
}
END {
    print "# Sets `list` to the verbs, or to the words that may follow the first of a verb."
    print "_nln_verbs()\n{\n    case $1 in"
    print "    '') list=('help:list the verbs, or the options of one'"
    for (i = 1; i <= n_firsts; i++)
        print "        '" order[i] ":" known[order[i]] "'"
    print "    ) ;;"
    for (i = 1; i <= n_firsts; i++)
        if (order[i] in seconds)
            print "    " order[i] ") list=(" seconds[order[i]] " ) ;;"
    print "    *) list=() ;;\n    esac\n}\n"
    print "# Completes what follows a verb.\n_nln_arguments()\n{\n    case $1 in"
    print arguments " \\\n        '*:file:_files' ;;\n    *) _files ;;\n    esac\n}"
}
