// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A text that grows, for SVG and HTML.

#include <stdbool.h>
#include <stddef.h>

#include "apps/problem.h"

/// All zero: empty.
typedef struct tact_text {
    char* bytes;  ///< from malloc; ends with a zero byte unless nothing was put
    size_t size, capacity;
    bool failed;  ///< memory ran out: the text is cut short
} tact_text;

/// Adds formatted text, at most 1,023 bytes a call.
void tact_text_put(tact_text* text, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

/// Adds a text of any length so that it means itself between tags and within quoted attributes. Control characters, and
/// bytes that are no UTF-8, become question marks.
void tact_text_put_escaped(tact_text* text, const char* s);

void tact_text_free(tact_text* text);
