// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/help.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_COLUMN = 29 };

void tact_help_wrap(const char* text, size_t length, int used, int indent)
{
    const char* end = text + length;
    int column = used;
    bool first = true;
    while (text < end) {
        while (text < end && (*text == ' ' || *text == '\n'))
            ++text;
        size_t size = 0;
        while (text + size < end && text[size] != ' ' && text[size] != '\n')
            ++size;
        if (size == 0) break;
        if (!first && column + 1 + (int)size > TACT_HELP_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            putchar(' ');
            ++column;
        }
        printf("%.*s", (int)size, text);
        column += (int)size;
        first = false;
        text += size;
    }
    putchar('\n');
}

/// Lines that begin with a blank, or say how the command is used, stand by themselves.
static bool stands_alone(const char* line)
{
    return *line == ' ' || strncmp(line, "Usage:", 6) == 0;
}

/// The size of the paragraph that begins here, its line end included.
static size_t paragraph_of(const char* text)
{
    const bool alone = stands_alone(text);
    const char* end = text;
    do {
        end += strcspn(end, "\n");
        if (*end) ++end;
    } while (!alone && *end && *end != '\n' && !stands_alone(end));
    return (size_t)(end - text);
}

static void print_usage(const char* usage)
{
    for (const char* at = usage; *at;) {
        const size_t size = paragraph_of(at);
        const int blanks = (int)strspn(at, " ");
        printf("%*s", blanks, "");
        tact_help_wrap(at, size, blanks, stands_alone(at) ? 11 : 0);
        at += size;
        for (; *at == '\n'; ++at)
            putchar('\n');
    }
    putchar('\n');
}

static void print_part(const tact_option_set* set, const tact_option* options)
{
    for (const tact_option* o = options; o && o->name; ++o) {
        if (tact_option_is_hidden(set, o)) continue;
        char head[64];
        snprintf(head, sizeof head, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        const int used = printf("  %-26s ", head);
        tact_help_wrap(o->help, strlen(o->help), used, OPTION_COLUMN);
    }
}

void tact_help_print(const tact_option_set* set, const char* usage, bool operands)
{
    (void)operands;
    print_usage(usage);
    if (set->own && set->own->name) {
        puts("Options:");
        print_part(set, set->own);
    }
    puts("Common options:");
    print_part(set, set->common);
    puts("  --help                     this text");
}
