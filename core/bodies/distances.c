// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "core/bodies/gaps.h"
#include "core/query/sample.h"

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(
    tact_gaps_run_host, tact_gaps_cost_cpu, tact_gaps_run_device, tact_gaps_cost_device, tact_gaps_run_host)};

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_bodies* set;
    const tact_result made = tact_bodies_of_request(r, &set);
    if (made != TACT_OK) return tact_request_fail(r, made);
    const tact_body_distances_work work = {.pairs = r->given[3].data,
                                           .pair_count = r->given[3].count,
                                           .mode = (tact_body_distances_mode)r->parameters[0],
                                           .farthest = as_float(r->parameters[1]),
                                           .count = &r->count};
    const tact_result result = tact_body_distances_find(set, &work, options, report);
    const tact_body_distance_row* found = tact_body_distances_last(set, &r->count);
    return tact_bodies_list(r, result, found, sizeof *found);
}

/// Variants: what is farther than 1 has no distance; all pairs of the set that may touch.
enum { LIMITED = 2, WHOLE_SET };

static tact_result sample(tact_sample* s)
{
    const tact_result result = tact_bodies_sample_pairs(s, 3.0);
    if (s->of->variant == LIMITED) {
        s->request.parameters[1] = as_uint(1.0f);
    } else if (s->of->variant == WHOLE_SET) {
        s->request.given[3] = (tact_given){0};
    } else {
        s->request.parameters[0] = s->of->variant;
    }
    return result;
}

static const tact_query_sample samples[] = {{NULL, "pairs of bodies", 64, 1 << 16, TACT_BODY_DISTANCES_CLOSEST, false}};
static const tact_query_sample features[] = {{NULL, "pairs of bodies", 64, 64, TACT_BODY_DISTANCES_OVERLAP, false},
                                             {NULL, "pairs of bodies", 64, 64, LIMITED, false},
                                             {NULL, "bodies, whatever may touch", 64, 64, WHOLE_SET, false}};

const tact_query tact_query_body_distances = {
    .name = "distances of bodies",
    TACT_BACKENDS(backends),
    .compare = tact_gaps_compare,
    .kind = TACT_RECORDED_BODY_DISTANCES,
    .word = "body-distances",
    .unit = "pairs",
    .inputs = {TACT_BODIES_INPUTS, {TACT_CHUNK_ARRAY, true, "pairs", 2, TACT_RECORDED_WORDS}},
    .answer = tact_gaps_answer,
    .ask = ask,
    .check = tact_bodies_check_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static void put(const tact_gaps_job* job, size_t i, const tact_gap_best* best, void* row)
{
    const tact_body_distance_row distance = tact_gap_distance(job, job->pairs[i], best);
    memcpy(row, &distance, sizeof distance);
}

static tact_result find(tact_bodies* set, const tact_body_distances_work* work, const tact_query_options* options,
                        tact_query_report* report)
{
    const bool limited = work->farthest > 0.0f && work->farthest < TACT_GAP_ENDLESS;
    tact_gaps_arguments a = {.set = set,
                             .whole = !work->pairs,
                             .pairs = work->pairs,
                             .count = work->pairs ? work->pair_count : tact_bodies_expected_pairs(set),
                             .farthest = limited ? work->farthest : TACT_GAP_ENDLESS,
                             .overlap = work->mode == TACT_BODY_DISTANCES_OVERLAP,
                             .answer = &set->distances,
                             .row_bytes = sizeof(tact_body_distance_row),
                             .put = put};
    const tact_result result = tact_bodies_check_pairs(set, work->pairs, work->pair_count);
    if (result != TACT_OK) return result;
    const tact_call call = {.context = set->context,
                            .query = &tact_query_body_distances,
                            .arguments = &a,
                            .count = a.count,
                            .given = {TACT_BODIES_GIVEN(set), {work->pairs, work->pair_count}},
                            .parameters = {(uint32_t)work->mode, as_uint(work->farthest)}};
    return tact_gaps_give(tact_ask(&call, options, report), &a, work->distances, work->capacity, work->count, options);
}

static tact_result check(tact_env* env, const tact_body_distances_work* work)
{
    if (!work->distances && work->capacity > 0) return tact_null(env, "distances");
    if (!work->pairs && work->pair_count > 0) return tact_null(env, "pairs");
    if (work->pair_count > TACT_MAX_PAIRS)
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu pairs: at most 2^30", work->pair_count);
    if ((unsigned)work->mode > TACT_BODY_DISTANCES_OVERLAP)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no mode %d", (int)work->mode);
    if (!(work->farthest >= 0.0f))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a farthest distance of %g", (double)work->farthest);
    if (work->farthest > 0.0f && work->mode == TACT_BODY_DISTANCES_OVERLAP)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a farthest distance where overlap alone is asked for");
    return TACT_OK;
}

tact_result tact_body_distances_find(tact_bodies* set, const tact_body_distances_work* work,
                                     const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(set ? set->context : NULL, "set", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!work) return tact_null(env, "work");
    if (!work->count) return tact_null(env, "count");
    *work->count = 0;
    tact_result result = check(env, work);
    if (result != TACT_OK) return result;
    tact_guard_enter_both(&set->guard, NULL);
    set->distances.answered = false;
    set->distances.count = 0;
    result = find(set, work, options, report);
    tact_guard_leave_both(&set->guard, NULL);
    return result;
}

const tact_body_distance_row* tact_body_distances_last(const tact_bodies* set, size_t* count)
{
    return tact_gaps_last(set ? &set->distances : NULL, count);
}
