// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Colours on terminals.

#include <stdio.h>

#include "apps/problem.h"

typedef enum tact_color { TACT_COLOR_RED, TACT_COLOR_YELLOW, TACT_COLOR_BOLD } tact_color;

/// Finds out whether there are colours: --color always or never among the arguments decides; else a stream has them
/// that is a terminal, unless NO_COLOR is set and not empty or TERM is "dumb".
void tact_color_begin(int argc, char** argv);

/// What begins a colour on a stream, or ends it; empty where the stream has none.
const char* tact_color_on(FILE* stream, tact_color color);
const char* tact_color_off(FILE* stream);

/// Prints "NAME: warning: " and a text as a line on standard error.
void tact_warning(const char* name, const char* format, ...) TACT_TOOL_PRINTF(2, 3);
