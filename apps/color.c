// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/color.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

static enum { AUTO, ALWAYS, NEVER } when;

void tact_color_begin(int argc, char** argv)
{
    when = AUTO;
    for (int i = 1; i < argc; ++i) {
        const char* value = strncmp(argv[i], "--color=", 8) == 0              ? argv[i] + 8
                            : strcmp(argv[i], "--color") == 0 && i + 1 < argc ? argv[i + 1]
                                                                              : "";
        // `tact particles --color` is of something else.
        if (strcmp(value, "always") == 0) when = ALWAYS;
        if (strcmp(value, "never") == 0) when = NEVER;
    }
}

static bool wants(FILE* stream)
{
    if (when != AUTO) return when == ALWAYS;
    const char* no = getenv("NO_COLOR");
    const char* terminal = getenv("TERM");
    return !(no && *no) && !(terminal && strcmp(terminal, "dumb") == 0) && tact_system_is_terminal(stream);
}

const char* tact_color_on(FILE* stream, tact_color color)
{
    static const char* const codes[] = {"\033[31m", "\033[33m", "\033[1m"};
    return wants(stream) ? codes[color] : "";
}

const char* tact_color_off(FILE* stream)
{
    return wants(stream) ? "\033[0m" : "";
}

void tact_warning(const char* name, const char* format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: %swarning:%s ", name, tact_color_on(stderr, TACT_COLOR_YELLOW), tact_color_off(stderr));
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
