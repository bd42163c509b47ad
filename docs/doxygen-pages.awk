# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# Turns a page as GitHub shows it into one that Doxygen 1.9 reads: without the licence comment, with a label for each
# heading (PAGE-HEADING, the anchor that GitHub makes, with the page's name before it), links to headings by those labels,
# and links that lead out of the site as plain text. Writes one line for each line, so that warnings name the right one.
# usage: awk -f doxygen-pages.awk PAGE.md

# The anchor of a heading: lower case, without punctuation, spaces as hyphens.
function anchor(text) {
    gsub(/\]\([^)]*\)/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    return text
}

# Where a link of this page leads, in the site.
function target(link,    parts, file, page) {
    if (link ~ /^[a-z]+:/) return link
    split(link, parts, "#")
    file = parts[1]
    page = file
    sub(/.*\//, "", page)
    sub(/\.md$/, "", page)
    if (file == "") page = this_page
    if (file != "" && file !~ /\.(md|png)$/) {
        # A header has a page of its own; other files have none.
        return file ~ /\.h$/ && file ~ /include\/tact/ ? file : ""
    }
    # Pages of other folders are not on the site.
    if (file ~ /^\.\.\/bench\//) return ""
    if (parts[2] != "") return "#" tolower(page) "-" parts[2]
    return link
}

# Replaces the links of a line, but for what stands in backquotes.
function relink(line,    out, at, close_at, open_at, link, where, text) {
    out = ""
    while ((at = index(line, "](")) > 0) {
        close_at = index(substr(line, at), ")")
        if (!close_at) break
        link = substr(line, at + 2, close_at - 3)
        where = target(link)
        text = substr(line, 1, at - 1)
        if (where == "") {
            # The last "[" opens the link's text.
            open_at = length(text)
            while (open_at > 0 && substr(text, open_at, 1) != "[") --open_at
            out = out substr(text, 1, open_at - 1) substr(text, open_at + 1)
        } else {
            out = out text "](" where ")"
        }
        line = substr(line, at + close_at)
    }
    return out line
}

FNR == 1 {
    this_page = FILENAME
    sub(/.*\//, "", this_page)
    sub(/\.md$/, "", this_page)
    this_page = tolower(this_page)
    comment = fenced = titled = 0
}
# The title must be the first line of the page.
!titled && /^<!--/ { comment = 1 }
comment {
    if (/-->/) comment = 0
    ++held
    next
}
/^```/ { fenced = !fenced }
!fenced && /^#+ / {
    heading = $0
    sub(/^#+ /, "", heading)
    label = this_page "-" anchor(heading)
    # Two headings of one name get numbers, as on GitHub.
    if (seen[label]++) label = label "-" (seen[label] - 1)
    if (!titled) {
        titled = 1
        print $0
        while (held-- > 0) print ""
        next
    }
    print $0 " {#" label "}"
    next
}
fenced { print; next }
{ print relink($0) }
