// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/// Letters to add, take away, change, or swap with their neighbour, to make `b` of `a`.
static size_t distance(const char* a, size_t a_length, const char* b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    for (size_t k = 0; k <= b_length; ++k)
        rows[0][k] = k;
    for (size_t i = 1; i <= a_length; ++i) {
        size_t* row = rows[i % 3];
        const size_t* above = rows[(i + 2) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b_length; ++k) {
            const size_t change = above[k - 1] + (a[i - 1] != b[k - 1]);
            row[k] = least_of(change, 1 + least_of(above[k], row[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least_of(row[k], rows[(i + 1) % 3][k - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void tact_suggestion_begin(tact_suggestion* suggestion, const char* word, size_t length)
{
    *suggestion = (tact_suggestion){.word = word, .length = length, .least = SIZE_MAX};
}

void tact_suggestion_try(tact_suggestion* suggestion, const char* name)
{
    const size_t size = strlen(name), length = suggestion->length;
    if (length == 0 || length > LONGEST || size > LONGEST) return;
    size_t steps = distance(suggestion->word, length, name, size);
    // A word that was cut short is as good as one with a letter wrong.
    const bool begins = length >= 3 && size > length && memcmp(suggestion->word, name, length) == 0;
    if (begins && steps > 1) steps = 1;
    const size_t most = length < 3 ? 1 : 1 + length / 4;
    if (steps > most || steps >= size || steps >= suggestion->least) return;
    suggestion->least = steps;
    suggestion->name = name;
}

const char* tact_suggestion_say(const tact_suggestion* suggestion, const char* dashes, char text[TACT_SUGGESTION_ROOM])
{
    text[0] = '\0';
    if (suggestion->name) snprintf(text, TACT_SUGGESTION_ROOM, "; did you mean %s%s?", dashes, suggestion->name);
    return text;
}
