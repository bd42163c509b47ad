// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/overlap/overlap.h"

tact_result tact_overlap_pairs_cpu(tact_env* env, const tact_overlap_job* job, tact_overlap_list* list)
{
    return tact_overlap_pairs_reference(env, job, list);
}

tact_result tact_overlap_relations_cpu(tact_env* env, const tact_overlap_job* job, bool solid, uint8_t* relations)
{
    return tact_overlap_relations_reference(env, job, solid, relations);
}
