# The pages of section 1, nln(1) and one for each verb, from the lines of `nln help --tables`:
# awk -f roff.awk -f verbs.awk -v version=VERSION -v out=FOLDER.
BEGIN {
    FS = "\t"
    value["integer"] = " N"
    value["number"] = " X"
    value["choice"] = " WORD"
    value["text"] = " TEXT"
}
function head(page, summary) {
    title = toupper(page)
    print ".TH " title " 1 \"\" \"nln " version "\" \"nln manual\"" >file
    print ".SH NAME\n" roff(page) " \\- " roff(summary) "\n.SH SYNOPSIS" >file
}
function finish() {
    if (file) {
        print ".SH SEE ALSO\n.BR nln (1)" >file
        close(file)
    }
}
$1 == "verb" {
    finish()
    page = "nln-" $2
    gsub(/ /, "-", page)
    file = out "/" page ".1"
    head(page, $4)
    print ".B nln " $2 "\n" roff($3) "\n[options]\n.SH DESCRIPTION" >file
    print ".BR nln (1)\nsays what all verbs have in common.\n.SH OPTIONS" >file
    n_verbs++
    row[n_verbs] = ".TP\n\\fB" $2 "\\fP \\fI" roff($3) "\\fP\n" roff($4) ":\n.BR " roff(page) " (1)"
}
$1 == "option" {
    print ".TP\n\\fB\\-\\-" ($3 == "flag" ? "[no\\-]" : "") roff($2) "\\fP\\fI" value[$3] "\\fP" >file
    print roff($6) >file
    if ($3 != "flag" && $3 != "text")
        print ".br\nValues: " roff($5) >file
    if ($4 != "")
        print ".br\nDefault: " roff($4) >file
    if (!($2 in uses))
        name[++n_names] = $2
    uses[$2]++
}
END {
    finish()
    file = out "/nln.1"
    head("nln", "Neural Logic Networks")
    print ".B nln\nVERB [arguments] [options]\n.SH DESCRIPTION\n.B nln" >file
    print "learns from expressions of propositional logic that are labelled true or false, or" >file
    print "from ratings, and answers with what it has learnt.\n.PP" >file
    print "Results go to standard output, progress and messages to standard error." >file
    print "Options are written \\fB\\-\\-name value\\fP or \\fB\\-\\-name=value\\fP; flags are" >file
    print "\\fB\\-\\-name\\fP and \\fB\\-\\-no\\-name\\fP; \\fB\\-\\-\\fP ends the options." >file
    print "Every verb has" >file
    for (i = 1; i <= n_names; i++)
        if (uses[name[i]] == n_verbs)
            print "\\fB\\-\\-" roff(name[i]) "\\fP," >file
    print "and \\fB\\-\\-help\\fP to list its options.\n.SH VERBS\nEach has a page of its own." >file
    for (i = 1; i <= n_verbs; i++)
        print row[i] >file
    print ".SH EXIT STATUS\n0 for success, 1 for failure, 2 for a wrong command line." >file
    print ".SH ENVIRONMENT\n.TP\n.B NLN_DATA\nThe folder of published data, for" >file
    print ".BR nln\\-reproduce (1).\n.SH SEE ALSO\n.BR libnln (3)" >file
}
