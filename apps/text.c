// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tact_text_put(tact_text* text, const char* format, ...)
{
    enum { ROOM = 1024 };
    if (text->capacity - text->size < ROOM) {
        const size_t capacity = 2 * text->capacity + (size_t)4 * ROOM;
        char* bytes = realloc(text->bytes, capacity);
        if (!bytes) {
            text->failed = true;
            return;
        }
        text->bytes = bytes;
        text->capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(text->bytes + text->size, ROOM, format, arguments);
    va_end(arguments);
    if (written > 0) text->size += (size_t)written < ROOM ? (size_t)written : ROOM - 1;
}

/// Length of the UTF-8 sequence of a character that XML allows, or 0.
static size_t sequence_of(const unsigned char* s)
{
    if (s[0] < 0x80) return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
    const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    unsigned long code = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool control = code < 0xa0 || code == 0xfffe || code == 0xffff;
    return code < least[length] || code > 0x10ffff || surrogate || control ? 0 : length;
}

void tact_text_put_escaped(tact_text* text, const char* s)
{
    while (*s) {
        const size_t length = sequence_of((const unsigned char*)s);
        switch (*s) {
            case '<':
                tact_text_put(text, "&lt;");
                break;
            case '>':
                tact_text_put(text, "&gt;");
                break;
            case '&':
                tact_text_put(text, "&amp;");
                break;
            case '"':
                tact_text_put(text, "&quot;");
                break;
            case '\'':
                tact_text_put(text, "&#39;");
                break;
            default:
                tact_text_put(text, "%.*s", length ? (int)length : 1, length ? s : "?");
                break;
        }
        s += length ? length : 1;
    }
}

void tact_text_put_rounded(tact_text* text, double value)
{
    if (!(value > 0.0) || isinf(value)) {
        tact_text_put(text, "0");
        return;
    }
    double unit = pow(10.0, floor(log10(value)) - 2.0);
    if (value / unit >= 999.5) unit *= 10.0;  // 9.996 has three digits as 10.0
    const int places = (int)fmax(0.0, -round(log10(unit)));
    if (places > 0) {
        tact_text_put(text, "%.*f", places, value);
        return;
    }
    char grouped[64];
    tact_text_grouped(round(value / unit) * unit, grouped, sizeof grouped);
    tact_text_put(text, "%s", grouped);
}

void tact_text_grouped(double value, char* text, size_t size)
{
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; ++i) {
        if (i > 0 && (length - i) % 3 == 0) text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

void tact_text_free(tact_text* text)
{
    free(text->bytes);
    *text = (tact_text){0};
}
