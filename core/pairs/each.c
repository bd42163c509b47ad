// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs in pieces. The first run stores what may be held and counts the rest; most results are complete with that.
// When one is not, a second run counts the pairs of each volume, and after that one run for each range of volumes
// whose pairs may be held finds those.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/dispatch/dispatch.h"
#include "core/pairs/pairs.h"
#include "cpu_ref/pairs/choose.h"
#include "cpu_ref/pairs/pair_sink.h"

enum { DEFAULT_PIECE = 1 << 24, USUAL_LEAST = 1 << 20 };

static size_t least = USUAL_LEAST;

void tact_pairs_limit_each(size_t pairs)
{
    least = pairs > 0 ? pairs : USUAL_LEAST;
}

typedef struct each {
    tact_pairs_arguments query;
    tact_query_options options;
    tact_query_report* report;
    tact_record_call record;
    tact_pairs_job job;
    tact_result (*find)(tact_pairs_job* job);
    tact_float_env* float_env;
    tact_pairs_fn* receive;
    void* user;
    size_t piece, held;     ///< pairs of a call; pairs that may be held
    uint64_t total, given;  ///< pairs in all, and handed over
    double done, share;     ///< progress when the run at hand began, and what it adds
} each;

static bool forward_progress(double fraction, void* user)
{
    const each* e = user;
    return e->options.progress(e->done + e->share * fraction, e->options.progress_user);
}

static void begin_run(each* e, double done, double share)
{
    e->done = done;
    e->share = share;
}

/// One run of the method over job->from to job->end; the sinks stay open.
static tact_result run(each* e, uint64_t most, uint32_t* const* rows, uint64_t* count)
{
    tact_result result = tact_pair_sinks_open(&e->job, most, rows);
    e->job.build_ms = 0.0;
    e->job.tests = 0;
    e->job.rebuilt = false;
    if (result == TACT_OK) result = e->find(&e->job);
    if (result == TACT_OK) result = tact_pair_sinks_close(&e->job, count);
    e->query.info.tests += e->job.tests;
    e->query.info.rebuilt = e->query.info.rebuilt || e->job.rebuilt;
    e->report->build_ms += e->job.build_ms;
    return result;
}

static uint64_t counted_only(const tact_pairs_job* job)
{
    uint64_t counted = 0;
    for (int i = 0; i < job->threads; ++i)
        counted += job->sinks[i].counted;
    return counted;
}

static tact_result hand_over(each* e, const tact_pair* pairs, size_t count)
{
    TACT_ASSERT(count >= 1 && e->given + count <= e->total);
    tact_float_env_leave(e->float_env);
    const bool more = e->receive(pairs, count, e->user);
    tact_float_env_enter(e->float_env);
    e->given += count;
    if (more) return TACT_OK;
    return tact_fail(e->job.env, TACT_ERROR_CANCELLED, "finding pairs: the receiver stopped it");
}

/// Hands over a sorted list: as many volumes' pairs at a time as make no more than a piece, or one volume's.
static tact_result hand_over_all(each* e, const tact_pair* pairs, size_t count)
{
    for (size_t at = 0; at < count;) {
        size_t end = count;
        if (count - at > e->piece) {
            end = at + e->piece;
            while (end > at && pairs[end].a == pairs[end - 1].a)
                --end;
            if (end == at) {
                while (end < count && pairs[end].a == pairs[at].a)
                    ++end;
            }
        }
        const tact_result result = hand_over(e, pairs + at, end - at);
        if (result != TACT_OK) return result;
        at = end;
    }
    return TACT_OK;
}

/// Sorts what the sinks hold, checks it if that was asked for, and hands it over.
static tact_result finish(each* e, uint64_t count)
{
    TACT_ASSERT(count <= e->total);
    tact_volumes* a = e->query.a;
    tact_result result = tact_pairs_make_room(a, count);
    if (result == TACT_OK) result = tact_pair_sinks_sort(&e->job, a->pairs);
    tact_pair_sinks_release(&e->job);
    if (result == TACT_OK) tact_record_answer(&e->record, a->pairs, (size_t)count * sizeof *a->pairs);
    if (result == TACT_OK && e->options.shadow) {
        result = tact_pairs_compare_with_reference(&e->job, a->pairs, count);
    }
    return result == TACT_OK ? hand_over_all(e, a->pairs, (size_t)count) : result;
}

/// Counts the pairs of each volume of the first set into a new array.
static tact_result count_rows(each* e, uint32_t** sums)
{
    const size_t threads = (size_t)e->job.threads, count = e->job.a->count;
    uint32_t** rows = tact_allocate_zeroed(e->job.env, threads, sizeof *rows);
    tact_result result = rows ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < threads && result == TACT_OK; ++i) {
        rows[i] = tact_allocate_zeroed(e->job.env, count, sizeof **rows);
        if (!rows[i]) result = TACT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t total = 0;
    e->job.end = (uint32_t)count;
    if (result == TACT_OK) result = run(e, 0, rows, &total);
    tact_pair_sinks_release(&e->job);
    if (result == TACT_OK) {
        // A volume has fewer pairs than there are volumes, so the sums fit.
        for (size_t t = 1; t < threads; ++t) {
            for (size_t i = 0; i < count; ++i)
                rows[0][i] += rows[t][i];
        }
        *sums = rows[0];
        rows[0] = NULL;
        TACT_ASSERT(e->job.env, total == e->total);
    }
    for (size_t i = 0; i < threads && rows; ++i)
        tact_release(e->job.env, rows[i]);
    tact_release(e->job.env, rows);
    return result;
}

static tact_aabb* masked_copy(tact_env* env, const tact_volume_view* of, uint32_t from, uint32_t end,
                              tact_volume_view* view)
{
    TACT_ASSERT(from <= end);
    tact_aabb* boxes = tact_allocate(env, of->count, sizeof *boxes);
    if (!boxes) return NULL;
    const tact_aabb none = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    *view = *of;
    view->boxes = boxes;
    view->live = 0;
    for (uint32_t i = 0; i < of->count; ++i) {
        boxes[i] = i >= from && i < end ? of->boxes[i] : none;
        view->live += tact_volume_is_live(&boxes[i]);
    }
    return boxes;
}

/// One part of a range: pairs within `a`, or between it and `b`, into the sinks of the job.
static tact_result find_part(each* e, const tact_volume_view* a, const tact_volume_view* b, tact_pairs_state* state_b)
{
    TACT_ASSERT(!b == !state_b);
    tact_pairs_state own = {0};
    tact_pairs_job part = e->job;
    part.a = a;
    part.b = b;
    part.state_a = &own;
    part.state_b = state_b;
    part.from = 0;
    part.end = UINT32_MAX;
    const tact_result result = e->find(&part);
    tact_pairs_state_release(part.env, &own);
    e->query.info.tests += part.tests;
    e->report->build_ms += part.build_ms;
    return result;
}

/// One run over a range for methods that look at everything however short the range is: on copies of the set in which
/// only the range takes part, and, as its partners, only what follows.
static tact_result run_masked(each* e, uint64_t most, uint64_t* count)
{
    tact_env* env = e->job.env;
    const tact_volume_view* of = e->job.a;
    const double share = 0.5 * e->share;
    tact_volume_view in = {0}, after = {0};
    tact_aabb* in_boxes = masked_copy(env, of, e->job.from, e->job.end, &in);
    tact_aabb* after_boxes = e->job.b ? NULL : masked_copy(env, of, e->job.end, of->count, &after);
    tact_pairs_state state_after = {0};
    tact_result result = in_boxes && (after_boxes || e->job.b) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_pair_sinks_open(&e->job, most, NULL);
    if (result == TACT_OK && e->job.b) {
        result = find_part(e, &in, e->job.b, e->job.state_b);
    } else if (result == TACT_OK) {
        begin_run(e, e->done, share);
        result = find_part(e, &in, NULL, NULL);
        begin_run(e, e->done + share, share);
        if (result == TACT_OK) result = find_part(e, &in, &after, &state_after);
    }
    tact_pairs_state_release(env, &state_after);
    tact_release(env, in_boxes);
    tact_release(env, after_boxes);
    return result == TACT_OK ? tact_pair_sinks_close(&e->job, count) : result;
}

/// Whether the method's cost for a range follows the range.
static bool prunes(const each* e)
{
    const tact_pairs_method method = e->query.info.method;
    return method == TACT_PAIRS_BRUTE || method == TACT_PAIRS_SAP;
}

/// Finds and hands over one range of volumes after another.
static tact_result find_ranges(each* e, const uint32_t* sums, double done)
{
    const uint32_t count = e->job.a->count;
    for (uint32_t from = 0; from < count;) {
        uint64_t sum = sums[from];
        uint32_t end = from + 1;
        while (end < count && sum + sums[end] <= e->held)
            sum += sums[end++];
        e->job.from = from;
        e->job.end = end;
        TACT_ASSERT(end > from && end <= count);
        from = end;
        if (sum == 0) continue;
        const double left = 1.0 - done, total = (double)e->total;
        begin_run(e, done + left * (double)e->given / total, left * (double)sum / total);
        uint64_t found = 0;
        tact_result result = prunes(e) ? run(e, sum, NULL, &found) : run_masked(e, sum, &found);
        if (result == TACT_OK) {
            TACT_ASSERT(e->job.env, found == sum);
            result = finish(e, found);
        }
        if (result != TACT_OK) return result;
    }
    return TACT_OK;
}

static tact_result find_each(each* e)
{
    TACT_ASSERT(e->job.threads >= 1 && e->held >= 1);
    // Each sink has room of its own; that of all together is about what may be held, and with few threads one alone
    // may hold it all.
    const size_t threads = (size_t)e->job.threads;
    const uint64_t most = threads > 2 ? 2 * (uint64_t)e->held / threads + 1 : e->held;
    begin_run(e, 0.0, 0.2);
    tact_result result = run(e, most, NULL, &e->total);
    if (result != TACT_OK) return result;
    if (counted_only(&e->job) == 0) return finish(e, e->total);
    tact_pair_sinks_release(&e->job);
    uint32_t* sums = NULL;
    begin_run(e, 0.2, 0.2);
    result = count_rows(e, &sums);
    if (result == TACT_OK) result = find_ranges(e, sums, 0.4);
    tact_release(e->job.env, sums);
    return result;
}

static tact_result choose(each* e)
{
    tact_pairs_arguments* q = &e->query;
    tact_env* env = e->job.env;
    if (e->options.backend == TACT_BACKEND_REFERENCE) {
        q->info.method = TACT_PAIRS_BRUTE;
        e->find = tact_pairs_reference;
        e->job.threads = 1;
        return TACT_OK;
    }
    if (e->options.backend != TACT_BACKEND_AUTO && e->options.backend != TACT_BACKEND_CPU) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "finding pairs in pieces: runs on the CPU, not on %s",
                         tact_backend_name(e->options.backend));
    }
    q->info.method = q->method;
    snprintf(q->info.reason, sizeof q->info.reason, "selected");
    if (q->method == TACT_PAIRS_AUTO) {
        q->info.method = tact_pairs_choose(&e->job, q->info.reason, sizeof q->info.reason);
    }
    const tact_pairs_way* way = tact_pairs_way_of(q->info.method);
    if (!way) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "the CPU has no method %s for pairs",
                         tact_pairs_method_name(q->info.method));
    }
    e->find = way->find;
    return TACT_OK;
}

static void describe(each* e, double elapsed)
{
    const tact_context* context = e->query.a->context;
    tact_query_report* r = e->report;
    r->backend = e->options.backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU;
    snprintf(r->device, sizeof r->device, "%s", context->cpu.name);
    r->software = context->cpu.software;
    r->exact = context->cpu.probe.exact;
    r->threads = e->job.threads;
    r->query_ms = elapsed - r->build_ms;
    r->total_ms = elapsed;
    r->memory_bytes = e->job.memory_bytes + (e->job.a->count + (e->job.b ? e->job.b->count : 0)) * sizeof(tact_aabb) +
                      e->query.a->pair_capacity * sizeof(tact_pair);
    snprintf(r->reason, sizeof r->reason, "%s: pairs in pieces are found on the CPU%s", tact_backend_name(r->backend),
             e->options.shadow ? "; shadow: equal" : "");
}

static tact_result check(tact_volumes* a, const tact_pairs_each_work* work, const tact_query_options* options)
{
    tact_env* env = &a->context->env;
    if (!work->receive || !work->count) return tact_null(env, work->receive ? "count" : "receive");
    tact_result checked = tact_query_options_check(env, "finding pairs", options);
    if (checked == TACT_OK) checked = tact_tickets_check(a->context, options);
    if (checked != TACT_OK) return checked;
    return tact_pairs_check_arguments(a, work->b, work->method);
}

static tact_result find_in_pieces(tact_volumes* a, const tact_pairs_each_work* work, const tact_query_options* options,
                                  tact_query_report* report)
{
    tact_query_report own_report, recorded;
    each e = {.query = {.a = a, .b = work->b, .method = work->method},
              .options = *options,
              .report = &own_report,
              .receive = work->receive,
              .user = work->user,
              .piece = work->piece > 0 ? work->piece : DEFAULT_PIECE};
    memset(&own_report, 0, sizeof own_report);
    e.held = e.piece > least ? e.piece : least;
    if (e.held > TACT_MAX_PAIRS) e.held = TACT_MAX_PAIRS;
    if (e.options.threads == 0) e.options.threads = a->context->threads;
    tact_error_clear(&a->context->env);
    a->pair_count = 0;
    a->answered = false;

    tact_result result = tact_pairs_fetch(&e.query);
    if (result != TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    e.float_env = &float_env;
    e.job = tact_pairs_job_of(&e.query, &e.options);
    if (e.options.progress) {
        e.job.progress = forward_progress;
        e.job.progress_user = &e;
    }
    // What the receiver was given is the answer, whatever the pieces.
    const tact_call call = tact_pairs_call(&e.query);
    tact_call_record(&call, options, &recorded, &e.record);
    result = choose(&e);
    if (result == TACT_OK) result = find_each(&e);
    tact_pair_sinks_release(&e.job);
    tact_float_env_leave(&float_env);
    *work->count = e.total;

    if (e.find) describe(&e, tact_platform_milliseconds() - start);
    if (report) *report = own_report;
    recorded = own_report;
    // Pairs that were not all handed over are no answer.
    if (result != TACT_OK && result != TACT_ERROR_SHADOW_MISMATCH) e.record.answered = false;
    result = tact_record_end(&e.record, result);
    if (result != TACT_OK) return result;
    a->info = e.query.info;
    a->info.pairs = e.total;
    a->answered = true;
    return TACT_OK;
}

tact_result tact_pairs_each(tact_volumes* a, const tact_pairs_each_work* work, const tact_query_options* options,
                            tact_query_report* report)
{
    static const tact_query_options defaults = {0};
    if (work && work->count) *work->count = 0;
    if (!tact_enter_query(a ? a->context : NULL, "a", options)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!work) return tact_null(&a->context->env, "work");
    if (!options) options = &defaults;
    tact_result result = check(a, work, options);
    if (result != TACT_OK) return result;
    tact_pairs_enter(a, work->b);
    result = find_in_pieces(a, work, options, report);
    tact_pairs_leave(a, work->b);
    return result;
}
