// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/mesh_formats.h"

#include <string.h>

static tact_waiting* watching;

void tact_lines_watch(tact_waiting* waiting)
{
    watching = waiting;
}

void tact_lines_begin(tact_lines* lines, const void* bytes, size_t size)
{
    static const char nothing[1] = "";
    const char* text = size ? bytes : nothing;
    *lines = (tact_lines){.begin = text, .next = text, .end = text + size, .at = text, .stop = text};
    lines->returns = size && memchr(text, '\r', size);
}

bool tact_lines_next(tact_lines* lines)
{
    if (lines->next == lines->end) {
        lines->at = lines->stop = lines->end;
        return false;
    }
    lines->at = lines->next;
    const char* stop = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    lines->stop = stop ? stop : lines->end;
    lines->next = stop ? stop + 1 : lines->end;
    if (lines->returns && lines->stop > lines->at) {
        const char* carriage = memchr(lines->at, '\r', (size_t)(lines->stop - lines->at));
        if (carriage) {
            if (carriage + 1 < lines->stop) lines->next = carriage + 1;
            lines->stop = carriage;
        }
    }
    if ((++lines->line & 0xffff) == 0 && watching)
        tact_waiting_at(watching, (double)(lines->next - lines->begin) / (double)(lines->end - lines->begin));
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

bool tact_lines_skip_blanks(tact_lines* lines)
{
    while (lines->at < lines->stop && is_blank(*lines->at))
        ++lines->at;
    return lines->at < lines->stop;
}

size_t tact_lines_word(tact_lines* lines, const char** word)
{
    tact_lines_skip_blanks(lines);
    *word = lines->at;
    while (lines->at < lines->stop && !is_blank(*lines->at))
        ++lines->at;
    return (size_t)(lines->at - *word);
}

bool tact_lines_at_gap(const tact_lines* lines)
{
    return lines->at == lines->stop || is_blank(*lines->at);
}

bool tact_text_is(const char* word, size_t size, const char* same)
{
    return strlen(same) == size && memcmp(word, same, size) == 0;
}

/// How many bytes the character there takes in UTF-8, 0 for none: continuation bytes follow as the first one says. Not
/// all that is wrong is found, but what is printed again is well-formed.
static size_t character_size(const unsigned char* text, size_t left)
{
    if (text[0] < 0x80) return text[0] >= ' ' && text[0] != 0x7f;
    const size_t size = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4 || size > left) return 0;
    for (size_t i = 1; i < size; ++i)
        if ((text[i] & 0xc0) != 0x80) return 0;
    // Overlong forms, surrogates and what is beyond Unicode show in the second byte.
    const unsigned char second = text[1];
    const bool bad = (text[0] == 0xe0 && second < 0xa0) || (text[0] == 0xed && second > 0x9f) ||
                     (text[0] == 0xf0 && second < 0x90) || (text[0] == 0xf4 && second > 0x8f);
    return bad ? 0 : size;
}

void tact_text_copy(const char* from, size_t size, char* to, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < size && from[i];) {
        const size_t bytes = character_size((const unsigned char*)from + i, size - i);
        if (used + (bytes ? bytes : 1) >= room) break;
        if (bytes) {
            memcpy(to + used, from + i, bytes);
        } else {
            to[used] = '?';
        }
        used += bytes ? bytes : 1;
        i += bytes ? bytes : 1;
    }
    to[used] = '\0';
}
