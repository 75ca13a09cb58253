# The pages of section 3 from nln.h and nln_lab.h.  MAIN(3), libnln or libnln-lab, has the opening
# comment of the header and the list of its sections; libnln-SECTION(3) has one section.  Comments
# become paragraphs, types are copied, each function becomes a heading, and every function and type
# is a link to its page:
# awk -f roff.awk -f header.awk -v version=VERSION -v main=MAIN -v header=HEADER -v out=FOLDER.

function head(page, names, about) {
    print ".TH " toupper(page) " 3 \"\" \"nln " version "\" \"nln manual\"" >file
    print ".SH NAME\n" roff(names) " \\- " roff(about) >file
    print ".SH SYNOPSIS\n.nf\n.B #include <" header ">" >file
}
function link(name) {
    if (!(name in linked) && name ~ /^nln_/) {
        linked[name] = 1
        print ".so man3/" page ".3" >(out "/" name ".3")
        close(out "/" name ".3")
        names = names (names ? ", " : "") name
    }
}
# The lines of a comment as one text, with \n where an empty line was.
function comment_text(   text, i) {
    text = ""
    for (i = 1; i <= n_lines; i++)
        text = text (text && text !~ /\n$/ ? (lines[i] == "" ? "\n" : " ") : "") lines[i]
    return text
}
# What separates a paragraph from what stands above it; a heading needs nothing below it.
function between() {
    return body == "" || body ~ /\n\.SS [^\n]*\n$/ || body ~ /^\.SS [^\n]*\n$/ ? "" : ".PP\n"
}
function paragraph(text,   parts, n, i) {
    n = split(text, parts, "\n")
    for (i = 1; i <= n; i++)
        body = body between() roff(parts[i]) "\n"
}
# Prints the page of the section that has been read.
function finish() {
    if (!page)
        return
    file = out "/" page ".3"
    head(page, names, section)
    printf "%s", synopsis >file
    print ".fi\n.SH DESCRIPTION" >file
    printf "%s", body >file
    print ".SH SEE ALSO\n.BR " roff(main) " (3)" >file
    close(file)
    list = list ".TP\n.BR " roff(page) " (3)\n" roff(section) ": " roff(names) "\n"
}
# The comment above what comes now is about it; without one, a function has its own line only.
function flush_comment() {
    if (comment != "")
        paragraph(comment)
    comment = ""
}
function take_function(text,   name) {
    sub(/^NLN_API /, "", text)
    gsub(/\n        /, "\n", text) # as far to the left as the first line has gone
    remark = ""
    if (match(text, /\/\*.*\*\//)) {
        remark = substr(text, RSTART + 3, RLENGTH - 6)
        text = substr(text, 1, RSTART - 1)
    }
    sub(/ $/, "", text)
    name = text
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    link(name)
    synopsis = synopsis ".PP\n" roff(text) "\n"
    if (comment != "" || remark != "")
        body = body ".SS " name "()\n"
    if (comment != "")
        paragraph(comment)
    if (remark != "")
        paragraph(remark)
    comment = ""
}
function take_type(text,   parts, n, i, name) {
    flush_comment()
    n = split(text, parts, "\n")
    body = body between() ".EX\n"
    for (i = 1; i <= n; i++)
        body = body roff(parts[i]) "\n"
    body = body ".EE\n"
    name = parts[n]
    sub(/;.*/, "", name)
    sub(/.*[ }]/, "", name)
    link(name)
}

# ---- the opening comment
NR == 1, /^ \*\/$/ {
    sub(/^\/\*/, "")
    sub(/^ \*\/?/, "")
    sub(/^ /, "")
    opening[++n_opening] = $0
    next
}
# ---- a section
/^\/\* ---- / {
    flush_comment()
    finish()
    section = $0
    gsub(/^\/\* -+ | -+ \*\/$/, "", section)
    page = "libnln-" tolower(section)
    sub(/ .*/, "", page)
    sub(/,$/, "", page)
    names = synopsis = body = ""
    next
}
!page { next }
# ---- a comment that begins a line
/^\/\*/ || inside_comment {
    if (!inside_comment) {
        flush_comment()
        n_lines = 0
    }
    line = $0
    inside_comment = line !~ /\*\//
    sub(/^\/\* ?/, "", line)
    sub(/^ \* ?/, "", line)
    sub(/ ?\*\/.*/, "", line)
    lines[++n_lines] = line
    if (!inside_comment)
        comment = comment_text()
    next
}
# ---- a function
/^NLN_API/ || inside_function {
    declaration = inside_function ? declaration "\n" $0 : $0
    inside_function = $0 !~ /;/
    if (!inside_function)
        take_function(declaration)
    next
}
# ---- a type, an enumeration or a macro of several lines
/^(typedef|enum|struct)/ && !inside_type { type = ""; inside_type = 1 }
/^#define NLN_/ { type = ""; inside_macro = 1 }
inside_type {
    type = type (type == "" ? "" : "\n") $0
    if ($0 ~ /^}.*;/ || (type !~ /\n/ && $0 ~ /;/)) {
        take_type(type)
        inside_type = 0
    }
    next
}
inside_macro {
    type = type (type == "" ? "" : "\n") $0
    if ($0 !~ /\\$/) {
        take_type(type)
        inside_macro = 0
    }
    next
}
/^$/ { flush_comment() }
END {
    flush_comment()
    finish()
    file = out "/" main ".3"
    page = main
    about = opening[1]
    sub(/^[^:]*: */, "", about)
    sub(/\.$/, "", about)
    head(page, page, about)
    print ".fi\n.PP\ncc ... $(pkg\\-config \\-\\-cflags \\-\\-libs nln)\n.SH DESCRIPTION" >file
    for (i = 2; i <= n_opening; i++) {
        is_code = opening[i] ~ /^    / || (is_code && opening[i] == "" && opening[i + 1] ~ /^    /)
        if (is_code != was_code)
            print (is_code ? ".PP\n.EX" : ".EE") >file
        if (opening[i] == "" && !is_code)
            blank = 1
        else {
            if (blank && !is_code && started++)
                print ".PP" >file
            print roff(opening[i]) >file
            blank = 0
        }
        was_code = is_code
    }
    print ".SH PAGES" >file
    printf "%s", list >file
    print ".SH SEE ALSO\n.BR nln (1),\n.BR " (main == "libnln" ? "libnln\\-lab" : "libnln") " (3)" >file
}
