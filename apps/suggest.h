// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which name was meant by a word that is none.

#include <stddef.h>

enum { TACT_SUGGESTION_ROOM = 80 };

typedef struct tact_suggestion {
    const char* name;  ///< the nearest so far; NULL: none is near
    const char* word;
    size_t length, least;
} tact_suggestion;

void tact_suggestion_begin(tact_suggestion* suggestion, const char* word, size_t length);

/// Takes a name that there is, where it is nearer than those before. Of equal ones the first is kept.
void tact_suggestion_try(tact_suggestion* suggestion, const char* name);

/// What an error says of it, "; did you mean NAME?" with `dashes` before the name, or nothing. Returns `text`.
const char* tact_suggestion_say(const tact_suggestion* suggestion, const char* dashes, char text[TACT_SUGGESTION_ROOM]);
