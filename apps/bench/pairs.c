// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

/// Up to this many volumes the reference is asked.
enum { REFERENCE_MOST = 20000 };

/// The digests of frames, run together into one.
typedef struct running_digest {
    char texts[2][17];
} running_digest;

static void run_on(running_digest* all, const tact_digest* next)
{
    memcpy(all->texts[1], next->text, sizeof all->texts[1]);
    const tact_digest both = tact_digest_of(all->texts, sizeof all->texts);
    memcpy(all->texts[0], both.text, sizeof all->texts[0]);
}

bool tact_pairs_bench_open(tact_pairs_bench_case* c, const char* scene, tact_volume_input* boxes, tact_problem* problem)
{
    *c = (tact_pairs_bench_case){.scene = scene, .boxes = *boxes, .speed = 0.1};
    *boxes = (tact_volume_input){0};
    return tact_volume_input_like(&c->boxes, &c->moved, problem);
}

void tact_pairs_bench_close(tact_pairs_bench_case* c)
{
    tact_volume_input_free(&c->boxes);
    tact_volume_input_free(&c->moved);
}

const char* tact_pairs_contestant_name(const tact_pairs_contestant* who, char* text, size_t size)
{
    if (who->peer) {
        snprintf(text, size, "%s", who->peer->name);
    } else {
        snprintf(text, size, "%s %s", tact_backend_name(who->backend), tact_pairs_method_name(who->method));
    }
    return text;
}

/// Places the boxes of a frame; at rest they stay where they are.
static bool place(tact_pairs_bench_case* c, uint64_t frame, tact_problem* problem)
{
    return tact_volume_input_move(&c->boxes, c->seed + 1, c->moving ? (unsigned)frame : 0, c->speed, &c->moved,
                                  problem);
}

/// What the measurements of a row are gathered in.
typedef struct samples {
    double *total, *set, *build;
    running_digest digest;  ///< at rest it is the digest of the pairs
    uint64_t pairs;         ///< at rest of one run, else of all frames
    bool changed;           ///< at rest, and a run gave other pairs than the first
} samples;

static bool open_samples(samples* s, uint64_t repeat, tact_problem* problem)
{
    *s = (samples){0};
    s->total = calloc(3 * (size_t)repeat, sizeof *s->total);
    if (!s->total) return tact_problem_out_of_memory(problem, "the measurements");
    s->set = s->total + repeat;
    s->build = s->set + repeat;
    return true;
}

/// At rest on a set made anew, since a set that is only filled again may know that nothing has changed.
static tact_result find_once(tact_pairs_bench_case* c, const tact_pairs_contestant* who, tact_context* context,
                             tact_volume_set** set, bool anew, double times[3], tact_query_report* report)
{
    const tact_query_options options = {.backend = who->backend, .threads = c->threads, .no_fallback = true};
    tact_result result = TACT_OK;
    if (anew) tact_volume_set_destroy(*set);
    if (anew) *set = NULL;
    const double start = tact_system_milliseconds();
    size_t count = 0;
    if (anew) {
        result = tact_volume_input_create_set(&c->moved, context, set);
        if (result == TACT_OK) result = tact_volume_input_fill_set(&c->moved, *set);
    } else {
        result = tact_volume_input_move_set(&c->moved, *set);
    }
    const double filled = tact_system_milliseconds();
    if (result == TACT_OK) result = tact_pairs_find(*set, NULL, who->method, NULL, 0, &count, &options, report);
    times[0] = tact_system_milliseconds() - start;
    times[1] = filled - start;
    times[2] = report->build_ms;
    return result;
}

static void take(const tact_pairs_bench_case* c, samples* s, const tact_digest* digest, uint64_t pairs, bool first)
{
    if (c->moving) {
        run_on(&s->digest, digest);
        s->pairs += pairs;
    } else if (first) {
        memcpy(s->digest.texts[0], digest->text, sizeof s->digest.texts[0]);
        s->pairs = pairs;
    } else if (strcmp(s->digest.texts[0], digest->text) != 0) {
        s->changed = true;
    }
}

/// All frames or repetitions by one of ours. The first is the warm-up: it is checked, not timed.
static tact_result run_ours(tact_pairs_bench_case* c, const tact_pairs_contestant* who, tact_context* context,
                            samples* s, tact_pairs_bench_row* row, tact_problem* problem)
{
    tact_volume_set* set = NULL;
    tact_result result = TACT_OK;
    tact_query_report report = {0};
    for (uint64_t i = 0; result == TACT_OK && i <= c->repeat; ++i) {
        double times[3];
        if (!place(c, i, problem)) result = TACT_ERROR_OUT_OF_MEMORY;
        if (result == TACT_OK) {
            result = find_once(c, who, context, &set, !c->moving || i == 0, times, &report);
        }
        if (result != TACT_OK) break;
        size_t count = 0;
        const tact_pair* pairs = tact_pairs_last(set, &count);
        const tact_digest digest = tact_digest_of(pairs, count * sizeof *pairs);
        take(c, s, &digest, count, i == 0);
        row->pairs = count;
        if (i == 0) continue;
        s->total[i - 1] = times[0];
        s->set[i - 1] = times[1];
        s->build[i - 1] = times[2];
    }
    tact_pairs_info info = {0};
    if (result == TACT_OK) result = tact_pairs_get_info(set, &info);
    if (result == TACT_OK && who->method != TACT_PAIRS_AUTO && info.method != who->method) {
        snprintf(row->detail, sizeof row->detail, "answered by %s", tact_pairs_method_name(info.method));
        result = TACT_ERROR_UNSUPPORTED;
    }
    row->threads = report.threads;
    row->memory_bytes = report.memory_bytes;
    row->tests_per_box = c->boxes.count ? (double)info.tests / (double)c->boxes.count : 0.0;
    if (result < 0 && !row->detail[0]) {
        const char* detail = tact_context_error(context);
        snprintf(row->detail, sizeof row->detail, "%.250s", *detail ? detail : tact_result_string(result));
    }
    tact_volume_set_destroy(set);
    return result;
}

static void judge(tact_pairs_bench_case* c, const samples* s, tact_pairs_bench_row* row)
{
    memcpy(row->digest.text, s->digest.texts[0], sizeof row->digest.text);
    if (!c->known) {
        c->digest = row->digest;
        c->pairs = s->pairs;
        c->known = true;
    }
    row->by_reference = c->by_reference;
    if (s->changed || strcmp(c->digest.text, row->digest.text) != 0) row->status = TACT_BENCH_DIFFERS;
}

/// A peer's pairs are counted, not compared: they come in no order.
static bool run_peer(tact_pairs_bench_case* c, const tact_pair_peer* peer, samples* s, tact_pairs_bench_row* row,
                     tact_problem* problem)
{
    void* own = peer->open(c->boxes.count, c->threads);
    bool good = own != NULL;
    double width = 0.0;
    for (size_t i = 0; i < c->boxes.count; ++i)
        width += (double)(c->boxes.boxes[i].upper.x - c->boxes.boxes[i].lower.x) / (double)c->boxes.count;
    for (uint64_t i = 0; good && i <= c->repeat; ++i) {
        if (!place(c, i, problem)) {
            peer->close(own);
            return false;
        }
        const bool build = !c->moving || i == 0;
        if (build && i > 0) peer->clear(own);
        const double start = tact_system_milliseconds();
        if (build) {
            good = peer->build(own, c->moved.boxes, width);
        } else {
            peer->move(own, c->moved.boxes);
        }
        const double built = tact_system_milliseconds();
        if (good) row->pairs = peer->find(own);
        const double end = tact_system_milliseconds();
        s->pairs = c->moving ? s->pairs + row->pairs : row->pairs;
        if (i == 0) continue;
        s->total[i - 1] = end - start;
        s->build[i - 1] = built - start;
    }
    if (own) peer->close(own);
    row->threads = peer->threaded ? c->threads : 1;
    if (!good) {
        row->status = TACT_BENCH_FAILED;
        snprintf(row->detail, sizeof row->detail, "it could not be started");
    } else if (c->known && s->pairs != c->pairs) {
        row->status = TACT_BENCH_DIFFERS;
    }
    return true;
}

bool tact_pairs_bench_define(tact_pairs_bench_case* c, tact_context* context, tact_problem* problem)
{
    c->known = c->by_reference = false;
    if (c->boxes.count > REFERENCE_MOST / (c->moving ? 4 : 1)) return true;
    const tact_pairs_contestant reference = {.backend = TACT_BACKEND_REFERENCE};
    tact_pairs_bench_row row = {0};
    samples s;
    if (!open_samples(&s, c->repeat, problem)) return false;
    const uint64_t repeat = c->repeat;
    if (!c->moving) c->repeat = 0;
    const tact_result result = run_ours(c, &reference, context, &s, &row, problem);
    c->repeat = repeat;
    free(s.total);
    if (result < 0) return tact_problem_from_result(problem, result, context, "the reference");
    judge(c, &s, &row);
    c->by_reference = true;
    return true;
}

bool tact_pairs_bench_measure(tact_pairs_bench_case* c, const tact_pairs_contestant* who, tact_context* context,
                              tact_pairs_bench_row* row, tact_problem* problem)
{
    *row = (tact_pairs_bench_row){.who = *who, .parameter = c->parameter, .count = c->boxes.count, .moving = c->moving};
    snprintf(row->scene, sizeof row->scene, "%s", c->scene);
    samples s;
    if (!open_samples(&s, c->repeat, problem)) return false;
    bool good = true;
    if (who->peer) {
        good = run_peer(c, who->peer, &s, row, problem);
    } else {
        const tact_result result = run_ours(c, who, context, &s, row, problem);
        if (result == TACT_ERROR_UNSUPPORTED || result == TACT_ERROR_NO_DEVICE) {
            row->status = TACT_BENCH_MISSING;
        } else if (result < 0) {
            row->status = TACT_BENCH_FAILED;
        } else {
            judge(c, &s, row);
        }
    }
    row->overlaps = c->boxes.count ? 2.0 * (double)row->pairs / (double)c->boxes.count : 0.0;
    row->set_ms = tact_spread_of(s.set, (size_t)c->repeat).median;
    row->build_ms = tact_spread_of(s.build, (size_t)c->repeat).median;
    row->ms = tact_spread_of(s.total, (size_t)c->repeat);
    free(s.total);
    return good;
}
