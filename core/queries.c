// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/queries.h"

#define ENTRY(kind, name) [TACT_RECORDED_##kind] = &tact_query_##name,
static const tact_query* const queries[TACT_RECORDED_KINDS] = {TACT_QUERIES(ENTRY)};

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
