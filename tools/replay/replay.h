// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside of replaying: a recorded query that is run again.

#include "tools/replay/recording.h"

typedef struct tact_replay {
    const tact_recording* recording;
    const tact_read_chunk* chunk;
    tact_recorded_query query;
    tact_query_options options;
    tact_query_report report;
    tact_result result;  ///< of the query
} tact_replay;

static inline tact_env* tact_replay_env(const tact_recording* r)
{
    return &r->context->env;
}

static inline const tact_read_chunk* tact_replay_place(const tact_replay* p, uint32_t place)
{
    return tact_recording_reference(p->recording, p->chunk, place);
}

/// INVALID_ARGUMENT, with the reason why it cannot be run again.
tact_result tact_replay_refuse(const tact_replay* p, const char* what);

/// Of the only backend that has such a query, whatever the options say; before it is run.
void tact_replay_only(tact_replay* p, tact_backend backend, int threads);

/// Makes a scene, committed. NULL after a failure.
tact_result tact_replay_scene(const tact_recording* r, const tact_read_chunk* chunk, tact_scene** out);

/// A mesh of triangles as its chunk has it; nothing of one of shapes.
tact_mesh_desc tact_replay_mesh(const tact_recording* r, const tact_read_chunk* chunk);

// What draws, or sees what was drawn (replay_drawn.c). Each runs the query: the result and report go to `p`. Errors:
// INVALID_ARGUMENT, OUT_OF_MEMORY.

tact_result tact_replay_pick(tact_replay* p);
tact_result tact_replay_image_tests(tact_replay* p);

/// Whether the same answer is promised, of a report of a query that was run again.
bool tact_replay_promised(const tact_recording* r, const tact_recorded_query* q, const tact_query_report* report);
