// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/queries.h"

static const tact_query* const queries[TACT_RECORDED_KINDS] = {
    [TACT_RECORDED_RAYCAST] = &tact_query_raycast,
    [TACT_RECORDED_RAYCAST_ALL] = &tact_query_raycast_all,
    [TACT_RECORDED_CLOSEST] = &tact_query_closest,
    [TACT_RECORDED_SPHERES] = &tact_query_spheres,
    [TACT_RECORDED_SCENE_CULL] = &tact_query_scene_cull,
    [TACT_RECORDED_CULL] = &tact_query_cull,
    [TACT_RECORDED_PAIRS] = &tact_query_pairs,
    [TACT_RECORDED_OVERLAP] = &tact_query_overlap,
    [TACT_RECORDED_FILTER] = &tact_query_filter,
    [TACT_RECORDED_PARTICLES] = &tact_query_step,
    [TACT_RECORDED_SEPARATION] = &tact_query_separation,
    [TACT_RECORDED_SEGMENTS] = &tact_query_segments,
    [TACT_RECORDED_CONTACTS] = &tact_query_contacts,
    [TACT_RECORDED_NEIGHBOURS] = &tact_query_neighbours,
    [TACT_RECORDED_PICK] = &tact_query_pick,
    [TACT_RECORDED_IMAGE] = &tact_query_image,
    [TACT_RECORDED_TARGET] = &tact_query_target,
};

const tact_query* tact_query_of(tact_recorded_kind kind)
{
    return (unsigned)kind < TACT_RECORDED_KINDS ? queries[kind] : NULL;
}

const char* tact_recorded_kind_name(tact_recorded_kind kind)
{
    const tact_query* query = tact_query_of(kind);
    return query ? query->word : "?";
}

size_t tact_query_sample_count(void)
{
    size_t count = 0;
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind)
        count += queries[kind]->sample_count;
    return count;
}

const tact_query_sample* tact_query_sample_of(size_t index, const tact_query** query)
{
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        *query = queries[kind];
        if (index < queries[kind]->sample_count) return &queries[kind]->samples[index];
        index -= queries[kind]->sample_count;
    }
    *query = NULL;
    return NULL;
}
