// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Two recordings side by side: query by query, each run again, down to the first ray, pair, particle or contact that
/// has another answer.

#include "apps/problem.h"
#include "tact/tact.h"

/// The parts of an item, one after another as the bytes hold them: a letter, how many if more than one, a colon and a
/// name, blanks between. u and i: 32 bits without and with sign; f and d: float and double; b: a byte; k: two ids in a
/// 64-bit number. Of `what`: what an item is.
typedef struct tact_replay_layout {
    const char* what;
    const char* parts;
} tact_replay_layout;

enum { TACT_REPLAY_ITEM_MOST = 128 };

/// What two queries at the same place of their recordings have that is not the same.
typedef struct tact_replay_difference {
    bool differs;
    /// "queries" (one recording has no more), "kind", "parameters", "answer", "result" (one has failed) or "digest"
    /// (the answers as they were recorded differ, of which one or both cannot be computed again); of frames "answer" or
    /// "model".
    const char* where;
    tact_replay_layout layout;  ///< of an answer's items
    uint64_t row;               ///< of the item, or of the ray or query whose list has it
    bool there[2];              ///< one list may have ended
    unsigned char item[2][TACT_REPLAY_ITEM_MOST];
    char text[2][512];  ///< the items in words, or what else differs
    char asked[256];    ///< what was asked otherwise, such as a vertex; empty: the same was asked
} tact_replay_difference;

/// Compares query `index` of both, which the context has read. `options` NULL: each is run as recorded. False where one
/// of them cannot be compared: neither run, nor are there two digests.
bool tact_replay_compare(tact_context* context, tact_recording* const recordings[2], size_t index,
                         const tact_query_options* options, tact_replay_difference* difference, bool* compared,
                         tact_problem* problem);

/// Says that an item differs; NULL: one list has ended.
void tact_replay_set(tact_replay_difference* difference, const char* where, const tact_replay_layout* layout,
                     uint64_t row, const void* first, const void* second);

/// Says in words what differs that is no item.
void tact_replay_say(tact_replay_difference* difference, const char* where, const char* first, const char* second);

/// Goes through the parts of an item: the next one's name, and its value in words and as numbers (at most 3). False at
/// the end.
typedef struct tact_replay_part {
    char name[24];
    char text[100];
    double numbers[3];
    int count;
} tact_replay_part;
bool tact_replay_part_next(const char** parts, const unsigned char** bytes, tact_replay_part* part);
