# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# In the headers one comment stands for all functions that follow it line by line, and for all names of one declaration.
# Doxygen takes it for the first of them, so this repeats it. Lines stay where they are.
# usage: awk -f doxygen-headers.awk HEADER.h

# The name that a function's declaration declares.
function function_name(line) {
    sub(/\(.*/, "", line)
    sub(/.*[ *]/, "", line)
    return line
}

# "float x, y;" with one comment, before it or after it, as two declarations, each with that comment; else as it is.
function split_names(line,    code, rest, type, names, count, i, out, bare) {
    if (line !~ /^    [a-z_][A-Za-z0-9_ ]* [*]?[a-z_0-9]+(\[[^]]*\])?(, [*]?[a-z_0-9]+(\[[^]]*\])?)+;/) return line
    code = rest = line
    sub(/;.*/, "", code)
    sub(/^[^;]*;/, "", rest)
    count = split(code, names, ", ")
    type = names[1]
    sub(/[*]?[a-z_0-9]+(\[[^]]*\])?$/, "", type)
    names[1] = substr(names[1], length(type) + 1)
    out = ""
    for (i = 1; i <= count; ++i) {
        bare = names[rest ~ /\/\/\/</ ? count : 1]
        gsub(/[*]|\[.*/, "", bare)
        if (rest ~ /\/\/\/</) {
            # The comment may go on in the next lines, so it stays with the last name.
            out = out type names[i] ";" (i < count ? " /**< @copydoc " container "::" bare " */" : rest)
        } else {
            out = out (i > 1 && documented ? " /** @copydoc " container "::" bare " */" : "") type names[i] ";"
        }
    }
    return out
}

/^typedef (struct|union) / { container = $3 }
/^[[:space:]]*\/\/\// { documented = 1 }
/^TACT_API/ {
    if (!documented && leader != "") {
        $0 = "/** @copydoc " leader " */ " $0
    } else {
        leader = documented ? function_name($0) : ""
    }
    documented = 0
}
/^$/ { leader = ""; documented = 0 }
{ print split_names($0) }
# A comment before a member belongs to that one.
/;/ && !/^[[:space:]]*\/\/\// { documented = 0 }
