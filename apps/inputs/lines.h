// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Text in memory, line by line and word by word. Lines end with LF, CR LF or CR; the text needs no terminator.

#include <stdbool.h>
#include <stddef.h>

/// A text and the line that is read.
typedef struct tact_lines {
    const char *next, *end;  ///< what follows this line
    const char *at, *stop;   ///< what is left of this line
    size_t line;             ///< its number, from one
    bool returns;            ///< the text has a CR
} tact_lines;

void tact_lines_begin(tact_lines* lines, const void* bytes, size_t size);

/// Goes to the next line. False at the end.
bool tact_lines_next(tact_lines* lines);

/// Skips blanks within the line. False at its end.
bool tact_lines_skip_blanks(tact_lines* lines);

/// Takes the next word of the line and returns its size, 0 at the line's end.
size_t tact_lines_word(tact_lines* lines, const char** word);

/// True where a word ends: a blank, or the line's end.
bool tact_lines_at_gap(const tact_lines* lines);

bool tact_text_is(const char* word, size_t size, const char* same);

/// Copies a text for people: ends at a zero byte or where `room` does; a control character, or what is no character of
/// UTF-8, becomes a question mark.
void tact_text_copy(const char* from, size_t size, char* to, size_t room);
