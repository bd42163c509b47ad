// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a recording: the chunks of a file, whose structure has been checked.

#include "core/record/record.h"
#include "core/scene/scene.h"

typedef struct tact_read_chunk {
    uint32_t type, row_words;
    uint32_t reference_count;
    uint32_t first_reference;  ///< in the recording's list
    size_t size;
    const uint8_t* bytes;  ///< aligned to 8, words in the order of the machine
} tact_read_chunk;

struct tact_recording {
    tact_context* context;
    uint8_t* bytes;
    tact_read_chunk* chunks;
    uint32_t chunk_count;
    uint32_t* references;  ///< places of chunks; TACT_NONE: nothing. Always before the chunk that refers
    uint32_t* queries;     ///< places of chunks
    size_t query_count;
    char* machine;
    tact_scene* kept;  ///< of the query that ran last; NULL: none
    const tact_read_chunk* kept_of;
};

/// What a chunk refers to in a place that it has; NULL: nothing.
const tact_read_chunk* tact_recording_reference(const tact_recording* recording, const tact_read_chunk* chunk,
                                                uint32_t place);

/// The chunk of a query; NULL when there is no such.
const tact_read_chunk* tact_recording_find(const tact_recording* recording, size_t index);
/// Fails with INVALID_ARGUMENT for a query that tact_recording_find() did not find.
tact_result tact_recording_lacks(const tact_recording* recording, size_t index);

/// Rows of an array; bytes of one without rows. 0 for NULL.
size_t tact_read_rows(const tact_read_chunk* array);
