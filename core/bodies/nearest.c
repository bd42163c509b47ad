// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/float_env.h"
#include "core/bodies/gaps.h"
#include "core/query/sample.h"

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(
    tact_gaps_run_host, tact_gaps_cost_cpu, tact_gaps_run_device, tact_gaps_cost_device, tact_gaps_run_host)};

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_bodies* set;
    const tact_result made = tact_bodies_of_request(r, &set);
    if (made != TACT_OK) return tact_request_fail(r, made);
    const tact_body_nearest_work work = {
        .items = r->given[3].data, .item_count = r->given[3].count, .count = &r->count};
    const tact_result result = tact_body_nearest_find(set, &work, options, report);
    const tact_body_nearest* found = tact_body_nearest_last(set, &r->count);
    return tact_bodies_list(r, result, found, sizeof *found);
}

/// Bodies that lie about one in a cube of edge 2, and as many shapes among them, some with a limit.
static tact_result sample(tact_sample* s)
{
    tact_request* r = &s->request;
    const size_t count = s->size;
    const float half = tact_sample_cube_root((float)count);
    if (!tact_bodies_sample_shapes(s)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_body* all = tact_request_array(r, count, sizeof *all);
    tact_body_nearest_item* items = tact_request_array(r, count, sizeof *items);
    if (!all || !items) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        all[i].shape = (uint32_t)(i % TACT_SAMPLE_SHAPES);
        tact_bodies_sample_pose(s, half, &all[i].pose);
        // The last two shapes have parts.
        items[i].shape = (uint32_t)(i / 2 % (TACT_SAMPLE_SHAPES - 2));
        tact_bodies_sample_pose(s, half, &items[i].pose);
        items[i].pose.scale = i % 3 ? 0.5f : 0.25f;
        items[i].farthest = i % 5 ? 0.0f : 0.3f;
    }
    r->given[2] = (tact_given){all, count};
    r->given[3] = (tact_given){items, count};
    return TACT_OK;
}

static const tact_query_sample samples[] = {{NULL, "items", 64, 1 << 14, 0, false}};

const tact_query tact_query_body_nearest = {
    .name = "closest bodies",
    TACT_BACKENDS(backends),
    .compare = tact_gaps_compare,
    .kind = TACT_RECORDED_BODY_NEAREST,
    .word = "body-nearest",
    .unit = "items",
    .inputs = {TACT_BODIES_INPUTS,
               {TACT_CHUNK_ARRAY, false, "items", sizeof(tact_body_nearest_item) / 4, TACT_RECORDED_MIXED}},
    .answer = tact_gaps_answer,
    .ask = ask,
    .check = tact_bodies_check_request,
    TACT_SAMPLES(sample, samples),
};

static void put(const tact_gaps_job* job, size_t i, const tact_gap_best* best, void* row)
{
    const tact_body_nearest nearest = tact_gap_nearest(i, best);
    (void)job;
    memcpy(row, &nearest, sizeof nearest);
}

static tact_result take_item(const tact_bodies* set, const tact_body_nearest_item* given, size_t number,
                             tact_body_nearest_item* item, tact_gap_asked* asked, float4 rows[TACT_POSED_ROWS])
{
    *item = *given;
    tact_result result = tact_check_asked_shape(set, item->shape, false, "item", number);
    if (result == TACT_OK && !(item->farthest >= 0.0f))
        result = tact_fail(&set->context->env, TACT_ERROR_INVALID_ARGUMENT, "item %zu: a farthest distance of %g",
                           number, (double)item->farthest);
    if (result == TACT_OK) result = tact_take_pose(set, &item->pose, "item", number);
    if (result != TACT_OK) return result;
    tact_take_categories(&item->categories);
    const bool limited = item->farthest > 0.0f && item->farthest < TACT_GAP_ENDLESS;
    *asked = (tact_gap_asked){.body = {.pose = item->pose, .shape = item->shape, .categories = item->categories},
                              .farthest = limited ? item->farthest : TACT_GAP_ENDLESS};
    tact_body_rows(&item->pose, item->shape, 0.0f, rows);
    asked->box = tact_body_box(&set->tables, rows, &item->pose);
    return TACT_OK;
}

/// Keeps the items, and their rows after those of the bodies. `*farthest` becomes the largest limit.
static tact_result take_items(tact_bodies* set, const tact_body_nearest_item* items, size_t count, float* farthest)
{
    tact_env* env = &set->context->env;
    void *kept = set->near_items, *asked = set->near_asked, *rows = set->rows;
    const size_t bodies = tact_volumes_id_end(set->boxes);
    bool good = tact_reserve(env, &kept, &set->near_item_capacity, 0, count, sizeof *set->near_items);
    set->near_items = kept;
    good = good && tact_reserve(env, &asked, &set->near_asked_capacity, 0, count + 1, sizeof *set->near_asked);
    set->near_asked = asked;
    good = good &&
           tact_reserve(env, &rows, &set->row_capacity, bodies, bodies + count, TACT_POSED_ROWS * sizeof *set->rows);
    set->rows = rows;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    *farthest = 0.0f;
    for (size_t i = 0; i < count; ++i) {
        const tact_result result = take_item(set, &items[i], i, &set->near_items[i], &set->near_asked[i],
                                             set->rows + TACT_POSED_ROWS * (bodies + i));
        if (result != TACT_OK) return result;
        if (set->near_asked[i].farthest > *farthest) *farthest = set->near_asked[i].farthest;
    }
    return TACT_OK;
}

static tact_result find(tact_bodies* set, const tact_body_nearest_work* work, const tact_query_options* options,
                        tact_query_report* report)
{
    tact_gaps_arguments a = {.set = set,
                             .count = work->item_count,
                             .answer = &set->nearest,
                             .row_bytes = sizeof(tact_body_nearest),
                             .put = put};
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    tact_result result = take_items(set, work->items, work->item_count, &a.farthest);
    tact_float_env_leave(&float_env);
    if (result != TACT_OK) return result;
    a.nearest = set->near_asked;
    const tact_call call = {.context = set->context,
                            .query = &tact_query_body_nearest,
                            .arguments = &a,
                            .count = a.count,
                            .given = {TACT_BODIES_GIVEN(set), {set->near_items, a.count}}};
    return tact_gaps_give(tact_ask(&call, options, report), &a, work->nearest, work->capacity, work->count, options);
}

tact_result tact_body_nearest_find(tact_bodies* set, const tact_body_nearest_work* work,
                                   const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(set ? set->context : NULL, "set", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!work) return tact_null(env, "work");
    if (!work->count) return tact_null(env, "count");
    *work->count = 0;
    if (!work->items && work->item_count > 0) return tact_null(env, "items");
    if (!work->nearest && work->capacity > 0) return tact_null(env, "nearest");
    if (work->item_count > TACT_MAX_VOLUMES)
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu items: at most 2^30", work->item_count);
    tact_guard_enter_both(&set->guard, NULL);
    set->nearest.answered = false;
    set->nearest.count = 0;
    const tact_result result = find(set, work, options, report);
    tact_guard_leave_both(&set->guard, NULL);
    return result;
}

const tact_body_nearest* tact_body_nearest_last(const tact_bodies* set, size_t* count)
{
    return tact_gaps_last(set ? &set->nearest : NULL, count);
}
