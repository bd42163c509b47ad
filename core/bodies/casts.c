// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/contacts/casts.h"

#include <string.h>

#include "base/float_env.h"
#include "core/bodies/bodies.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#include "core/volumes/volumes.h"
#ifdef TACT_HAVE_GPU
#include "gpu/contacts/casts.h"
#endif

typedef struct casts_arguments {
    tact_bodies* set;
    size_t count;  // of set->casts
    bool all;
} casts_arguments;

static tact_casts_job job_of(const casts_arguments* a, const tact_query_options* options)
{
    return (tact_casts_job){.tables = &a->set->tables,
                            .bodies = a->set->bodies,
                            .rows = a->set->rows,
                            .boxes = tact_volumes_view(a->set->boxes)->boxes,
                            .body_count = tact_volumes_id_end(a->set->boxes),
                            .tree = &a->set->tree,
                            .casts = a->set->casts,
                            .cast_count = a->count,
                            .all = a->all,
                            .threads = options->threads,
                            .progress = options->progress,
                            .progress_user = options->progress_user};
}

static tact_result prepare(tact_bodies* set, const tact_casts_job* job)
{
    const tact_result result = tact_bodies_make_tree(set, job->threads);
    return result == TACT_OK ? tact_cast_items_find(&set->context->env, job, &set->cast_items) : result;
}

static size_t bytes_of(const tact_bodies* set)
{
    const tact_cast_items* items = &set->cast_items;
    return items->count * (sizeof *items->items + sizeof *items->outcomes) +
           set->cast_hits.count * sizeof *set->cast_hits.hits;
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const casts_arguments* a = arguments;
    tact_bodies* set = a->set;
    (void)device;
    tact_casts_job job = job_of(a, options);
    job.reference = report->backend == TACT_BACKEND_REFERENCE;
    job.searches = !job.reference;
    tact_result result = prepare(set, &job);
    if (result == TACT_OK) result = tact_casts_run(&context->env, &job, &set->cast_items);
    if (result == TACT_OK) result = tact_cast_hits_make(&context->env, &job, &set->cast_items, &set->cast_hits);
    report->threads = job.reference ? 1 : job.threads;
    report->memory_bytes = bytes_of(set);
    return result;
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const casts_arguments* a = arguments;
    (void)index;
    return tact_cost_of(NULL, 0.02, (double)a->count * 4e-3 / tact_dispatch_threads(device), 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    const casts_arguments* a = arguments;
    tact_bodies* set = a->set;
    const tact_casts_job job = job_of(a, options);
    tact_result result = prepare(set, &job);
    if (result != TACT_OK) return result;
    tact_gpu_contacts* resident = set->kept[index].data;
    result = tact_gpu_casts_run(context->devices[index], &resident, &job, &set->cast_items, report);
    tact_resident_keep(&set->kept[index], resident, tact_gpu_contacts_release);
    return result == TACT_OK ? tact_cast_hits_make(&context->env, &job, &set->cast_items, &set->cast_hits) : result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const casts_arguments* a = arguments;
    (void)index;
    const double up = (double)a->count * 192.0 + (double)tact_volumes_id_end(a->set->boxes) * 64.0;
    const double down = (double)a->count * 8.0;
    if (device->software) return tact_cost_of(NULL, 4.0, (double)a->count * 3e-2, up * 2.0, down * 2.0);
    return tact_cost_of(NULL, 0.3, (double)a->count * 1e-3, up, down);
}

#endif

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const casts_arguments* a = arguments;
    tact_env* env = &context->env;
    const tact_cast_hits* found = &a->set->cast_hits;
    tact_cast_items items = {0};
    tact_cast_hits expected = {0};
    tact_casts_job job = job_of(a, options);
    job.reference = true;
    job.progress = NULL;
    tact_result result = tact_cast_items_find(env, &job, &items);
    if (result == TACT_OK) result = tact_casts_run(env, &job, &items);
    if (result == TACT_OK) result = tact_cast_hits_make(env, &job, &items, &expected);
    if (result == TACT_OK) {
        size_t k = 0;
        while (k < expected.count && k < found->count &&
               memcmp(&expected.hits[k], &found->hits[k], sizeof *found->hits) == 0)
            ++k;
        if (k < expected.count || k < found->count) {
            result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                               "%zu rows of hits, the reference has %zu; number %zu is the first to differ",
                               found->count, expected.count, k);
        }
    }
    tact_cast_hits_release(env, &expected);
    tact_cast_items_release(env, &items);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const tact_cast_hits* hits = &((const casts_arguments*)arguments)->set->cast_hits;
    tact_record_answer(record, hits->hits, hits->count * sizeof *hits->hits);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_bodies* set;
    const tact_result made = tact_bodies_of_request(r, &set);
    if (made != TACT_OK) return tact_request_fail(r, made);
    const tact_body_casts_work work = {.casts = r->given[3].data,
                                       .cast_count = r->given[3].count,
                                       .mode = (tact_body_casts_mode)r->parameters[0],
                                       .count = &r->count};
    const tact_result result = tact_body_casts_find(set, &work, options, report);
    const tact_body_cast_hit* found = tact_body_casts_last(set, &r->count);
    return tact_bodies_list(r, result, found, sizeof *found);
}

/// Bodies that lie about one in a cube of edge 1.5, and casts that move by about as much; with the variant all hits.
static tact_result sample(tact_sample* s)
{
    tact_request* r = &s->request;
    const size_t count = s->size;
    const float half = 0.75f * tact_sample_cube_root((float)count);
    if (!tact_bodies_sample_shapes(s)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_body* all = tact_request_array(r, count, sizeof *all);
    tact_body_cast* casts = tact_request_array(r, count, sizeof *casts);
    if (!all || !casts) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        all[i].shape = (uint32_t)(i % TACT_SAMPLE_SHAPES);
        tact_bodies_sample_pose(s, half, &all[i].pose);
        // The last two shapes have parts.
        const size_t lone = TACT_SAMPLE_SHAPES - 2;
        casts[i].shape = (uint32_t)(i % 8 == 7 ? lone + i / 8 % 2 : i / 2 % lone);
        tact_bodies_sample_pose(s, half, &casts[i].from);
        casts[i].from.scale = i % 3 ? 0.5f : 0.75f;
        casts[i].to = casts[i].from;
        const tact_vec3 way = tact_sample_place(s, 2.0f);
        casts[i].to.x += (double)way.x;
        casts[i].to.y += (double)way.y;
        casts[i].to.z += (double)way.z;
        if (i % 4) tact_bodies_sample_turn(s, &casts[i].to.rotation);
        casts[i].margin = i % 5 ? 0.0f : 0.02f;
    }
    r->given[2] = (tact_given){all, count};
    r->given[3] = (tact_given){casts, count};
    r->parameters[0] = s->of->variant;
    return TACT_OK;
}

static const tact_query_sample samples[] = {{NULL, "casts", 64, 1 << 14, TACT_BODY_CASTS_FIRST, false}};
static const tact_query_sample features[] = {{NULL, "casts", 64, 64, TACT_BODY_CASTS_ALL, false}};

const tact_query tact_query_body_casts = {
    .name = "casts of bodies",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_BODY_CASTS,
    .word = "body-casts",
    .unit = "casts",
    .inputs = {TACT_BODIES_INPUTS, {TACT_CHUNK_ARRAY, false, "casts", sizeof(tact_body_cast) / 4, TACT_RECORDED_MIXED}},
    .answer = answer,
    .ask = ask,
    .check = tact_bodies_check_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static tact_result take_cast(const tact_bodies* set, const tact_body_cast* given, size_t number, tact_body_cast* cast)
{
    tact_env* env = &set->context->env;
    *cast = *given;
    tact_result result = tact_check_asked_shape(set, cast->shape, true, "cast", number);
    if (result != TACT_OK) return result;
    if (!tact_is_length(cast->margin))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "cast %zu: a margin of %g", number, (double)cast->margin);
    tact_take_categories(&cast->categories);
    result = tact_take_pose(set, &cast->from, "begin of cast", number);
    if (cast->to.scale == 0.0f) cast->to.scale = cast->from.scale;
    if (result == TACT_OK) result = tact_take_pose(set, &cast->to, "end of cast", number);
    if (result == TACT_OK && cast->to.scale != cast->from.scale)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "cast %zu: a scale that changes", number);
    return result;
}

/// Keeps the casts, and their rows after those of the bodies.
static tact_result take_casts(tact_bodies* set, const tact_body_cast* casts, size_t count)
{
    tact_env* env = &set->context->env;
    void *kept = set->casts, *rows = set->rows;
    const size_t bodies = tact_volumes_id_end(set->boxes), each = TACT_CAST_ROWS / TACT_POSED_ROWS;
    bool good = tact_reserve(env, &kept, &set->cast_capacity, 0, count, sizeof *set->casts);
    set->casts = kept;
    good = good && tact_reserve(env, &rows, &set->row_capacity, bodies, bodies + each * count,
                                TACT_POSED_ROWS * sizeof *set->rows);
    set->rows = rows;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        const tact_result result = take_cast(set, &casts[i], i, &set->casts[i]);
        if (result != TACT_OK) return result;
        tact_cast_rows(&set->casts[i], set->rows + TACT_POSED_ROWS * (bodies + each * i));
    }
    return TACT_OK;
}

static tact_result find(tact_bodies* set, const tact_body_casts_work* work, const tact_query_options* options,
                        tact_query_report* report)
{
    casts_arguments a = {.set = set, .count = work->cast_count, .all = work->mode == TACT_BODY_CASTS_ALL};
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    tact_result result = take_casts(set, work->casts, work->cast_count);
    tact_float_env_leave(&float_env);
    if (result != TACT_OK) return result;
    const tact_call call = {.context = set->context,
                            .query = &tact_query_body_casts,
                            .arguments = &a,
                            .count = a.count,
                            .given = {TACT_BODIES_GIVEN(set), {set->casts, a.count}},
                            .parameters = {(uint32_t)work->mode}};
    result = tact_ask(&call, options, report);
    if (result < TACT_OK) return result;
    const tact_cast_hits* hits = &set->cast_hits;
    set->cast_answered = true;
    *work->count = hits->count;
    if (work->offsets) memcpy(work->offsets, hits->offsets, (a.count + 1) * sizeof *work->offsets);
    if (!work->hits) return result;
    const tact_result copied = tact_copy_out(hits->hits, hits->count, sizeof *hits->hits, work->hits, work->capacity);
    return tact_ticket_settle(set->context, options, copied, NULL);
}

tact_result tact_body_casts_find(tact_bodies* set, const tact_body_casts_work* work, const tact_query_options* options,
                                 tact_query_report* report)
{
    if (!tact_enter_query(set ? set->context : NULL, "set", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!work) return tact_null(env, "work");
    if (!work->count) return tact_null(env, "count");
    *work->count = 0;
    if (!work->casts && work->cast_count > 0) return tact_null(env, "casts");
    if (!work->hits && work->capacity > 0) return tact_null(env, "hits");
    if ((unsigned)work->mode > TACT_BODY_CASTS_ALL)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no mode %d", (int)work->mode);
    if (work->cast_count > TACT_MAX_VOLUMES)
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu casts: at most 2^30", work->cast_count);
    tact_guard_enter_both(&set->guard, NULL);
    set->cast_answered = false;
    const tact_result result = find(set, work, options, report);
    tact_guard_leave_both(&set->guard, NULL);
    return result;
}

const tact_body_cast_hit* tact_body_casts_last(const tact_bodies* set, size_t* count)
{
    const bool there = set && set->cast_answered && set->cast_hits.count > 0;
    if (count) *count = there ? set->cast_hits.count : 0;
    return there ? set->cast_hits.hits : NULL;
}
