// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Manual pages from what commands say of themselves.

#include <stdio.h>
#include <string.h>

#include "apps/help.h"
#include "tact/tact.h"

/// Prints a text so that it means itself in roff: no line of it begins with a request.
static void put(const char* text, size_t length)
{
    bool line_begins = true;
    for (size_t i = 0; i < length; ++i) {
        const char c = text[i];
        if (line_begins && (c == '.' || c == '\'')) fputs("\\&", stdout);
        line_begins = c == '\n';
        if (c == '\\') {
            fputs("\\e", stdout);
        } else if (c == '-') {
            fputs("\\-", stdout);
        } else if (c == '\'') {
            fputs("\\(aq", stdout);
        } else if (c == '^') {
            fputs("\\(ha", stdout);
        } else if (c == '~') {
            fputs("\\(ti", stdout);
        } else if (c == '`') {
            fputs("\\(ga", stdout);
        } else {
            putchar(c);
        }
    }
}

static void put_text(const char* text)
{
    put(text, strlen(text));
}

static void put_head(const char* name, const char* help)
{
    fputs(".TH \"", stdout);
    for (const char* c = name; *c; ++c)
        putchar(*c == ' ' ? '-' : *c >= 'a' && *c <= 'z' ? *c - ('a' - 'A') : *c);
    printf("\" 1 \"\" \"tact %s\" \"Tact\"\n.SH NAME\n", tact_version());
    for (const char* c = name; *c; ++c)
        fputs(*c == ' ' ? "\\-" : (char[]){*c, '\0'}, stdout);
    fputs(" \\- ", stdout);
    put_text(help);
    fputs("\n", stdout);
}

/// The lines that say how a command is used, then what it does.
static void put_usage(const char* usage)
{
    bool synopsis = true, begun = false;
    puts(".SH SYNOPSIS\n.nf");
    for (const char* at = usage; *at;) {
        size_t length = strcspn(at, "\n");
        if (synopsis && length == 0) {
            puts(".fi\n.SH DESCRIPTION");
            synopsis = false;
        } else if (length == 0) {
            if (begun && at[1]) puts(".PP");
        } else {
            const size_t skip = synopsis && strncmp(at, "Usage: ", 7) == 0   ? 7
                                : synopsis && strncmp(at, "       ", 7) == 0 ? 7
                                                                             : 0;
            put(at + skip, length - skip);
            putchar('\n');
            begun = begun || !synopsis;
        }
        at += length;
        if (*at) ++at;
    }
    if (synopsis) puts(".fi");
}

static void put_options(const tact_option_set* set, const tact_option* options, const char* heading)
{
    bool begun = false;
    for (const tact_option* o = options; o && o->name; ++o) {
        if (tact_option_is_hidden(set, o)) continue;
        if (!begun) printf(".SH %s\n", heading);
        begun = true;
        fputs(".TP\n.B \\-\\-", stdout);
        put_text(o->name);
        if (o->value) {
            fputs(" \\fI", stdout);
            put_text(o->value);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        put_text(o->help);
        putchar('\n');
    }
}

static void put_ends(void)
{
    puts(
        ".SH \"EXIT STATUS\"\n"
        ".TP\n.B 0\ndone\n"
        ".TP\n.B 1\nthe query ran and its check failed\n"
        ".TP\n.B 2\nwrong use, unreadable or invalid input, output that cannot be written\n"
        ".TP\n.B 3\nno device could run it, or memory ran out\n"
        ".TP\n.B 128 + N\nsignal N ended it: 130 after Ctrl\\-C, 143 after SIGTERM");
}

static void describe(const tact_option_set* set, const char* usage, bool operands)
{
    (void)operands;
    put_usage(usage);
    put_options(set, set->own, "OPTIONS");
    put_options(set, set->common, "\"COMMON OPTIONS\"");
}

void tact_help_manual(const tact_command* command, tact_problem* problem)
{
    char name[64];
    snprintf(name, sizeof name, "tact %s", command->name);
    put_head(name, command->help);
    tact_options_describe_by(describe);
    char help[] = "--help";
    char* arguments[] = {help, NULL};
    command->run(1, arguments, problem);
    tact_options_describe_by(NULL);
    put_ends();
    puts(".SH \"SEE ALSO\"\n.BR tact (1)");
}

void tact_help_manual_of_all(const tact_command* commands, size_t count)
{
    put_head("tact", "collision queries with one answer on every device");
    puts(
        ".SH SYNOPSIS\n.B tact\n.I COMMAND\n[options]\n.br\n.B tact help\n.I COMMAND\n.br\n.B tact \\-\\-version\n"
        ".SH DESCRIPTION\n"
        "Each command has a page of its own. Meshes are OBJ, PLY, STL and what else Assimp reads (glTF, 3DS and "
        "more);\narrays are NumPy files (.npy); \\- is standard input or output.\n.SH COMMANDS");
    for (size_t i = 0; i < count; ++i) {
        printf(".TP\n.B ");
        put_text(commands[i].name);
        putchar('\n');
        put_text(commands[i].help);
        putchar('\n');
    }
    put_ends();
    puts(".SH \"SEE ALSO\"");
    for (size_t i = 0; i < count; ++i) {
        fputs(".BR tact\\-", stdout);
        for (const char* c = commands[i].name; *c; ++c)
            fputs(*c == ' ' ? "\\-" : (char[]){*c, '\0'}, stdout);
        printf(" (1)%s\n", i + 1 < count ? "," : "");
    }
}
