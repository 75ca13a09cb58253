# The tables of nln.bash from the lines of `nln help --tables`.
function words(text) {
    gsub(/\|/, " ", text)
    return text
}
BEGIN { FS = "\t" }
$1 == "verb" {
    verb = $2
    order[++n] = verb
    options[verb] = "--help"
    split(verb, part, " ")
    if (!(part[1] in seconds)) {
        firsts = firsts " " part[1]
        first[++n_firsts] = part[1]
        seconds[part[1]] = ""
    }
    if (2 in part)
        seconds[part[1]] = seconds[part[1]] (seconds[part[1]] ? " " : "") part[2]
    delete part
}
$1 == "option" { options[verb] = options[verb] " --" $2 ($3 == "flag" ? " --no-" $2 : "") }
$1 == "option" && $3 == "choice" { values = values "    '" verb " --" $2 "') echo '" words($5) "' ;;\n" }
$1 == "option" && $3 == "text" { values = values "    '" verb " --" $2 "') echo FILES ;;\n" }
$1 == "option" && ($3 == "integer" || $3 == "number") { values = values "    '" verb " --" $2 "') ;;\n" }
END {
    print "# The words that may follow the first words of a verb."
    print "_nln_verbs()\n{\n    case $1 in\n    '') echo 'help --help --version" firsts "' ;;"
    for (i = 1; i <= n_firsts; i++)
        if (seconds[first[i]] != "")
            print "    " first[i] ") echo '" seconds[first[i]] "' ;;"
    print "    esac\n}\n\n# The options of a verb.\n_nln_options()\n{\n    case $1 in"
    for (i = 1; i <= n; i++)
        print "    '" order[i] "') echo '" options[order[i]] "' ;;"
    print "    esac\n}\n\n# What may follow an option of a verb; fails if that is nothing."
    printf "_nln_values()\n{\n    case $1 in\n%s    *) return 1 ;;\n    esac\n}\n", values
}
