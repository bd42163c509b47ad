// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/bodies/gaps.h"

#include <string.h>

#include "base/platform.h"
#include "core/volumes/volumes.h"
#ifdef TACT_HAVE_GPU
#include "gpu/contacts/distances.h"
#endif

static tact_gaps_job job_of(const tact_gaps_arguments* a, const tact_query_options* options)
{
    const size_t bodies = tact_volumes_id_end(a->set->boxes);
    return (tact_gaps_job){.tables = &a->set->tables,
                           .bodies = a->set->bodies,
                           .rows = a->set->rows,
                           .body_count = bodies,
                           .pairs = a->pairs,
                           .nearest = a->nearest,
                           .set = {a->set->bodies, tact_volumes_view(a->set->boxes)->boxes, bodies, &a->set->tree},
                           .count = a->count,
                           .farthest = a->farthest,
                           .overlap = a->overlap,
                           .threads = options->threads,
                           .progress = options->progress,
                           .progress_user = options->progress_user};
}

/// The pairs, where they are to be found.
static tact_result find_pairs(tact_gaps_arguments* a, uint32_t device, const tact_query_options* options,
                              tact_query_report* report)
{
    tact_pairs_arguments q;
    if (!a->whole) return TACT_OK;
    const tact_result result = tact_bodies_find_pairs(a->set, false, &q, device, options, report);
    a->pairs = a->set->boxes->pairs;
    a->count = (size_t)q.info.pairs;
    report->build_ms += report->query_ms;
    report->query_ms = 0.0;
    return result;
}

/// The pairs, room for an answer, and the tree that the asks need.
static tact_result prepare(tact_gaps_arguments* a, uint32_t device, const tact_query_options* options,
                           tact_query_report* report)
{
    tact_bodies* set = a->set;
    tact_env* env = &set->context->env;
    const tact_result found = find_pairs(a, device, options, report);
    if (found != TACT_OK) return found;
    void *best = set->gap_best, *rows = a->answer->rows;
    bool good = tact_reserve(env, &best, &set->gap_best_capacity, 0, a->count, sizeof *set->gap_best);
    set->gap_best = best;
    good = good && tact_reserve(env, &rows, &a->answer->capacity, 0, a->count, a->row_bytes);
    a->answer->rows = rows;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    return a->nearest ? tact_bodies_make_tree(set, options->threads) : TACT_OK;
}

static void put_rows(const tact_gaps_arguments* a, const tact_gaps_job* job, const tact_gap_best* best, void* rows)
{
    unsigned char* to = rows;
    if (a->count == 0) return;
    memset(rows, 0, a->count * a->row_bytes);
    for (size_t i = 0; i < a->count; ++i)
        a->put(job, i, &best[i], to + i * a->row_bytes);
}

tact_result tact_gaps_run_host(tact_context* context, uint32_t device, void* arguments,
                               const tact_query_options* options, tact_query_report* report)
{
    tact_gaps_arguments* a = arguments;
    tact_result result = prepare(a, device, options, report);
    if (result != TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    tact_gaps_job job = job_of(a, options);
    job.reference = report->backend == TACT_BACKEND_REFERENCE;
    result = tact_gaps_run(&context->env, &job, a->set->gap_best);
    if (result != TACT_OK) return result;
    put_rows(a, &job, a->set->gap_best, a->answer->rows);
    a->answer->count = a->count;
    report->threads = job.reference ? 1 : job.threads;
    report->query_ms = tact_platform_milliseconds() - start;
    report->memory_bytes += a->count * (sizeof *a->set->gap_best + a->row_bytes);
    return TACT_OK;
}

tact_cost tact_gaps_cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const tact_gaps_arguments* a = arguments;
    (void)index;
    return tact_cost_of(NULL, 0.01, (double)a->count * 1e-3 / tact_dispatch_threads(device), 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

tact_result tact_gaps_run_device(tact_context* context, uint32_t index, void* arguments,
                                 const tact_query_options* options, tact_query_report* report)
{
    tact_gaps_arguments* a = arguments;
    tact_bodies* set = a->set;
    tact_result result = prepare(a, index, options, report);
    if (result != TACT_OK) return result;
    const tact_gaps_job job = job_of(a, options);
    result = tact_gap_items_find(&context->env, &job, &set->gap_items);
    if (result != TACT_OK) return result;
    tact_gpu_contacts* resident = set->kept[index].data;
    result = tact_gpu_gaps_run(context->devices[index], &resident, &job, job.body_count + (a->nearest ? a->count : 0),
                               &set->gap_items, report);
    tact_resident_keep(&set->kept[index], resident, tact_gpu_contacts_release);
    if (result != TACT_OK) return result;
    tact_gap_items_choose(&job, &set->gap_items, set->gap_best);
    put_rows(a, &job, set->gap_best, a->answer->rows);
    a->answer->count = a->count;
    return TACT_OK;
}

tact_cost tact_gaps_cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const tact_gaps_arguments* a = arguments;
    (void)index;
    const double up = (double)a->count * 16.0 + (double)tact_volumes_id_end(a->set->boxes) * 64.0;
    const double down = (double)a->count * 16.0 * TACT_GAP_ROWS;
    if (device->software) return tact_cost_of(NULL, 2.0, (double)a->count * 4e-3, up * 2.0, down * 2.0);
    return tact_cost_of(NULL, 0.2, (double)a->count * 2e-5, up, down);
}

#endif

tact_result tact_gaps_compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    tact_gaps_arguments* a = arguments;
    tact_env* env = &context->env;
    const size_t count = a->count;
    tact_query_report report = {.backend = TACT_BACKEND_CPU};
    const tact_result found_pairs = find_pairs(a, 0, options, &report);
    if (found_pairs != TACT_OK) return found_pairs;
    if (a->count != count)
        return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "%zu pairs, the reference has %zu", count, a->count);
    tact_gaps_job job = job_of(a, options);
    job.reference = true;
    job.progress = NULL;
    tact_gap_best* best = tact_allocate(env, a->count, sizeof *best);
    unsigned char* expected = tact_allocate(env, a->count, a->row_bytes);
    tact_result result = best && expected ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_gaps_run(env, &job, best);
    if (result == TACT_OK) {
        put_rows(a, &job, best, expected);
        const unsigned char* found = a->answer->rows;
        size_t k = 0;
        while (k < a->count && memcmp(expected + k * a->row_bytes, found + k * a->row_bytes, a->row_bytes) == 0)
            ++k;
        if (k < a->count)
            result =
                tact_fail(env, TACT_ERROR_SHADOW_MISMATCH, "row %zu of %zu differs from the reference's", k, a->count);
    }
    tact_release(env, expected);
    tact_release(env, best);
    return result;
}

void tact_gaps_answer(const void* arguments, tact_record_call* record)
{
    const tact_gaps_arguments* a = arguments;
    tact_record_answer(record, a->answer->rows, a->answer->count * a->row_bytes);
}

tact_result tact_gaps_give(tact_result result, const tact_gaps_arguments* a, void* rows, size_t capacity, size_t* count,
                           const tact_query_options* options)
{
    if (result < TACT_OK) return result;
    a->answer->answered = true;
    *count = a->answer->count;
    if (!rows) return result;
    const tact_result copied = tact_copy_out(a->answer->rows, *count, a->row_bytes, rows, capacity);
    return tact_ticket_settle(a->set->context, options, copied, NULL);
}

const void* tact_gaps_last(const tact_gap_rows* found, size_t* count)
{
    const bool there = found && found->answered && found->count > 0;
    if (count) *count = there ? found->count : 0;
    return there ? found->rows : NULL;
}
