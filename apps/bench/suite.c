// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/device_model.h"
#include "apps/inputs/scenes.h"
#include "apps/system.h"
#include "base/order.h"

enum { MESHES = 16, DECADE = 10 };

typedef struct suite_run {
    const tact_suite_settings* settings;
    const tact_session* session;
    tact_suite_results* results;
    tact_progress progress;
    tact_suite_mesh meshes[MESHES];
    size_t mesh_count;
    double started, end;  ///< milliseconds
    size_t left;          ///< series that are not done
    int threads;
    bool here[TACT_BACKEND_COUNT];
} suite_run;

/// A query about a mesh, over its sizes.
typedef struct suite_series {
    const tact_suite_query* query;
    tact_suite_input input;
    uint64_t triangles;
    double end;                       ///< when its time is over
    double cost[TACT_BACKEND_COUNT];  ///< milliseconds of the last size
    double peer_cost;
    bool stopped[TACT_BACKEND_COUNT];
    uint64_t last_size;
    // Of the size at hand.
    void* own;
    uint64_t size;
    double setup_ms;
    tact_digest expected;  ///< empty: nobody has answered
    bool by_reference;
} suite_series;

static const tact_suite_query* const all_tables[] = {
    tact_suite_scene_queries, tact_suite_volume_queries, tact_suite_particle_queries, tact_suite_mesh_queries,
    tact_suite_pick_queries,  tact_suite_body_queries,   tact_suite_cloud_queries};
enum { TABLES = sizeof all_tables / sizeof all_tables[0] };

const tact_suite_query* tact_suite_find(const char* name)
{
    for (int t = 0; t < TABLES; ++t)
        for (const tact_suite_query* q = all_tables[t]; q->name; ++q)
            if (strcmp(q->name, name) == 0) return q;
    return NULL;
}

/// The tables that are to be gone through, one after the other; NULL past the last one.
static const tact_suite_query* table_at(const tact_suite_settings* settings, int at)
{
    if (settings->queries) return at == 0 ? settings->queries : NULL;
    return at < TABLES ? all_tables[at] : NULL;
}

#define BLOCK(key, what)                                                                                         \
    {                                                                                                            \
        .name = key, .title = "Building block: " what, .set = "random", .unit = "elements", .found = "elements", \
        .about =                                                                                                 \
            "Data that lie in the device's memory already. The device's result is compared with the CPU's "      \
            "before it is timed.",                                                                               \
        .backends = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL, .first = 1000,       \
        .most = 10000000, .quick_most = 100000                                                                   \
    }
static const tact_suite_query block_queries[] = {
    BLOCK("block_scan", "prefix sum"),
    BLOCK("block_reduce", "sum"),
    BLOCK("block_compact", "compaction"),
    BLOCK("block_sort32", "sort of 32-bit keys with payload"),
    BLOCK("block_sort64", "sort of 64-bit keys with payload"),
    BLOCK("block_bounds", "bounds of boxes"),
    BLOCK("block_morton", "Morton codes of boxes"),
};
enum { BLOCKS = sizeof block_queries / sizeof block_queries[0] };

static tact_suite_row* new_row(suite_run* run, tact_problem* problem)
{
    tact_suite_results* r = run->results;
    if (r->count == r->capacity) {
        const size_t capacity = r->capacity ? 2 * r->capacity : 256;
        tact_suite_row* rows = realloc(r->rows, capacity * sizeof *rows);
        if (!rows) {
            tact_problem_out_of_memory(problem, "the results");
            return NULL;
        }
        r->rows = rows;
        r->capacity = capacity;
    }
    tact_suite_row* row = &r->rows[r->count++];
    *row = (tact_suite_row){0};
    return row;
}

static tact_suite_row* new_row_of(suite_run* run, const suite_series* s, tact_backend backend, tact_problem* problem)
{
    tact_suite_row* row = new_row(run, problem);
    if (!row) return NULL;
    row->query = s->query;
    row->triangles = s->triangles;
    row->size = s->size;
    row->backend = backend;
    row->setup_ms = s->setup_ms;
    if (s->input.mesh) memcpy(row->mesh, s->input.mesh->name, sizeof row->mesh);
    tact_device_info info;
    if (tact_session_device(run->session, backend, &info) >= 0) {
        snprintf(row->device, sizeof row->device, "%s", info.name);
        row->software = info.software;
    }
    return row;
}

// ---- One backend, one size ----

/// What the repetitions gave.
typedef struct samples {
    double* ms[5];  ///< build, upload, query, download, total
    uint64_t repeat;
    tact_digest digest;
    bool changed;  ///< a query that stands still gave other bytes than before
    bool late;     ///< there was no time for all of them
} samples;

static bool is_over(const suite_run* run)
{
    return tact_system_signal() || tact_system_milliseconds() >= run->end;
}

void tact_suite_run_on(tact_digest* digest, const tact_digest* next)
{
    const tact_digest both[2] = {*digest, *next};
    *digest = tact_digest_of(both, sizeof both);
}

tact_suite_answer tact_suite_items(const void* items, size_t count, size_t size)
{
    return (tact_suite_answer){tact_digest_of(items, count * size), count, items, count, size};
}

static double time_of(const tact_contestant* who)
{
    return who->clock ? tact_context_milliseconds(who->clock) : tact_system_milliseconds();
}

/// Brute force is not timed, and takes long: a signal cancels it.
static bool go_on(double fraction, void* user)
{
    (void)fraction, (void)user;
    return !tact_system_signal();
}

tact_result tact_suite_turn(const tact_suite_query* query, void* own, tact_contestant* who, uint64_t frame, double* ms,
                            tact_suite_answer* answer, tact_problem* problem)
{
    const tact_query_options options = {.backend = who->backend,
                                        .threads = who->threads,
                                        .no_fallback = true,
                                        .progress = who->backend == TACT_BACKEND_REFERENCE ? go_on : NULL};
    if (query->place && !query->place(own, (unsigned)frame, problem)) return TACT_ERROR_OUT_OF_MEMORY;
    if (query->choose && !who->peer) query->choose(own, who->variant);
    who->report = (tact_query_report){0};
    tact_result result = TACT_OK;
    const double start = time_of(who);
    if (!who->peer)
        result = query->ask(own, &options, &who->report);
    else if (!query->peer_ask(own, who, (unsigned)frame))
        result = TACT_ERROR_INTERNAL;
    *ms = time_of(who) - start;
    if (result < 0 || who->peer) return result;
    return query->answer(own, answer, problem) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static void take_digest(const tact_suite_query* q, samples* s, const tact_digest* next, bool first)
{
    if (first) {
        s->digest = *next;
    } else if (q->moves) {
        tact_suite_run_on(&s->digest, next);
    } else if (strcmp(s->digest.text, next->text) != 0) {
        s->changed = true;
    }
}

/// Ends early with `to->late` when the time of the whole run is over: what took fewer repetitions than the rest, or
/// than the frames that its digest is of, does not count.
static tact_result run_frames(const suite_run* run, const suite_series* s, tact_contestant* who, uint64_t frames,
                              samples* to, tact_suite_row* row, tact_problem* problem)
{
    const tact_suite_query* q = s->query;
    tact_result result = q->begin && !who->peer ? q->begin(s->own) : TACT_OK;
    for (uint64_t i = 0; result >= 0 && i < frames; ++i) {
        to->late = is_over(run);
        if (to->late) return TACT_OK;
        double total = 0.0;
        tact_suite_answer answer = {.results = 0};
        const tact_query_report* report = &who->report;
        static const tact_device_counts none;
        const tact_device_counts before = tact_session_counts(run->session, row->backend, &none);
        result = tact_suite_turn(q, s->own, who, i, &total, &answer, problem);
        if (result < 0) break;
        if (who->peer) q->note(s->own, who, NULL);
        take_digest(q, to, &answer.digest, i == 0);
        row->results = answer.results;
        row->memory_bytes = report->memory_bytes;
        row->counts = tact_session_counts(run->session, row->backend, &before);
        if (run->settings->model_file && row->backend == TACT_BACKEND_CL) {
            row->floor_ms = tact_device_model_floor(&run->settings->model, &row->counts);
        }
        row->threads = report->threads;
        if (i == 0) {
            row->first_ms = total;
            row->first_build_ms = report->build_ms;
            row->first_upload_ms = report->upload_ms;
        } else if (i <= to->repeat) {
            const double ms[5] = {report->build_ms, report->upload_ms, report->query_ms, report->download_ms, total};
            for (int k = 0; k < 5; ++k)
                to->ms[k][i - 1] = ms[k];
        }
    }
    return result;
}

static bool open_samples(samples* s, uint64_t repeat, tact_problem* problem)
{
    *s = (samples){.repeat = repeat};
    double* memory = calloc(5 * ((size_t)repeat + 1), sizeof *memory);
    if (!memory) return tact_problem_out_of_memory(problem, "the measurements");
    for (size_t k = 0; k < 5; ++k)
        s->ms[k] = memory + k * (size_t)repeat;
    return true;
}

/// Puts the spreads into the row.
static void close_samples(samples* s, tact_suite_row* row)
{
    tact_spread* const to[5] = {&row->build, &row->upload, &row->query_ms, &row->download, &row->total};
    for (int k = 0; k < 5; ++k)
        *to[k] = tact_spread_of(s->ms[k], (size_t)s->repeat);
    free(s->ms[0]);
}

/// A time counts only when the digest is right.
static void judge(suite_run* run, suite_series* s, const samples* taken, tact_suite_row* row)
{
    row->digest = taken->digest;
    // A build that orders nothing gives other bytes each time.
    if (!TACT_ORDERED) return;
    if (!s->expected.text[0]) s->expected = row->digest;
    row->by_reference = s->by_reference;
    if (taken->changed) {
        row->status = TACT_BENCH_DIFFERS;
        snprintf(row->detail, sizeof row->detail, "it gave other bytes when asked again");
    } else if (strcmp(s->expected.text, row->digest.text) != 0) {
        row->status = TACT_BENCH_DIFFERS;
        snprintf(row->detail, sizeof row->detail, "digest %s, expected %s", row->digest.text, s->expected.text);
    }
    run->results->wrong += row->status == TACT_BENCH_DIFFERS;
}

/// Whether what took so long at the last size has the time for this one: costs are taken to grow as sizes do, and one
/// measurement takes half of what is left to its series at most.
static bool has_time(const suite_series* s, double cost)
{
    const double growth = s->last_size ? (double)s->size / (double)s->last_size : 0.0;
    return !s->last_size || cost * growth <= 0.5 * (s->end - tact_system_milliseconds());
}

static void leave_out(suite_run* run, suite_series* s, tact_suite_row* row)
{
    s->stopped[row->backend] = true;
    row->status = tact_system_signal() ? TACT_BENCH_STOPPED : TACT_BENCH_TOO_SLOW;
    run->results->stopped |= row->status == TACT_BENCH_STOPPED;
    ++run->results->left_out;
}

/// Starts the busy programs and lets the system spread them over the cores.
static bool start_busy(const suite_run* run, tact_problem* problem)
{
    const unsigned count = tact_system_busy_start((unsigned)run->settings->busy);
    if (count < run->settings->busy) {
        tact_system_busy_stop();
        return tact_problem_set(problem, "--busy: only %u of %" PRIu64 " busy programs could be started", count,
                                run->settings->busy);
    }
    const double settled = tact_system_milliseconds() + 50.0;
    while (tact_system_milliseconds() < settled) {
    }
    return true;
}

enum { BUSY_ROUNDS = 16 };
static const double BUSY_MS = 1000.0;

/// Measures what the CPU has just been measured at once more, beside busy programs. A thread that shares a core runs
/// for some milliseconds and stands still for some more, so that few repetitions of a short query tell of luck alone:
/// they are done in up to 16 rounds, each with the frames of the quiet measurement, for a second.
static bool measure_busy(suite_run* run, suite_series* s, tact_suite_row* row, tact_problem* problem)
{
    const uint64_t repeat = run->settings->repeat;
    if (!run->settings->busy || row->status != TACT_BENCH_EQUAL) return true;
    double* totals = malloc(BUSY_ROUNDS * ((size_t)repeat + 1) * sizeof *totals);
    samples taken = {.repeat = 0};
    if (!totals || !open_samples(&taken, repeat, problem)) {
        free(totals);
        return tact_problem_out_of_memory(problem, "the measurements");
    }
    tact_contestant who = {.backend = TACT_BACKEND_CPU, .threads = run->threads};
    const double start = tact_system_milliseconds();
    bool good = start_busy(run, problem);
    size_t count = 0;
    for (int round = 0; good && round < BUSY_ROUNDS; ++round) {
        if (round > 0 && tact_system_milliseconds() - start > BUSY_MS) break;
        tact_suite_row busy = *row;
        const tact_result result = run_frames(run, s, &who, 1 + repeat, &taken, &busy, problem);
        good = !problem->text[0];
        if (result < 0 && good)
            good = tact_problem_from_result(problem, result, run->session->context, "beside busy programs");
        if (!good || taken.late) break;
        memcpy(totals + count, taken.ms[4], (size_t)repeat * sizeof *totals);
        count += (size_t)repeat;
        judge(run, s, &taken, row);
        if (row->status != TACT_BENCH_EQUAL) break;
    }
    tact_system_busy_stop();
    // The quiet time stands where there was no time left for the other.
    if (count > 0) row->busy = tact_spread_of(totals, count);
    free(taken.ms[0]);
    free(totals);
    s->cost[TACT_BACKEND_CPU] += tact_system_milliseconds() - start;
    return good;
}

static bool measure_backend(suite_run* run, suite_series* s, tact_backend backend, tact_problem* problem)
{
    tact_suite_row* row = new_row_of(run, s, backend, problem);
    if (!row) return false;
    if (s->stopped[backend] || is_over(run) || !has_time(s, s->cost[backend])) {
        leave_out(run, s, row);
        return true;
    }
    samples taken;
    if (!open_samples(&taken, run->settings->repeat, problem)) return false;
    tact_contestant who = {.backend = backend,
                           .threads = backend == TACT_BACKEND_CPU ? run->threads : 0,
                           .clock = run->settings->model_file ? run->session->context : NULL};
    const double start = tact_system_milliseconds();
    const tact_result result = run_frames(run, s, &who, 1 + run->settings->repeat, &taken, row, problem);
    close_samples(&taken, row);
    if (problem->text[0]) return false;
    if (taken.late) {
        leave_out(run, s, row);
        return true;
    }
    // The least time, since what else the machine did does not grow; and without what is done once. What is modelled
    // takes another time here.
    s->cost[backend] =
        who.clock ? tact_system_milliseconds() - start : (double)(1 + run->settings->repeat) * row->total.low;
    if (result >= 0) {
        judge(run, s, &taken, row);
        return backend != TACT_BACKEND_CPU || measure_busy(run, s, row, problem);
    }
    const char* detail = tact_context_error(run->session->context);
    snprintf(row->detail, sizeof row->detail, "%.250s", *detail ? detail : tact_result_string(result));
    s->stopped[backend] = true;
    const bool missing = result == TACT_ERROR_UNSUPPORTED || result == TACT_ERROR_NO_DEVICE;
    row->status = missing ? TACT_BENCH_MISSING : TACT_BENCH_FAILED;
    run->results->wrong += !missing;
    return true;
}

/// What the reference answers, where brute force ends in time.
static bool ask_reference(suite_run* run, suite_series* s, tact_problem* problem)
{
    s->expected.text[0] = '\0';
    s->by_reference = false;
    if (s->size > s->query->reference_most) return true;
    samples taken = {.repeat = 0};
    tact_suite_row row = {0};
    tact_contestant who = {.backend = TACT_BACKEND_REFERENCE};
    const uint64_t frames = s->query->moves ? 1 + run->settings->repeat : 1;
    const tact_result result = run_frames(run, s, &who, frames, &taken, &row, problem);
    if (problem->text[0]) return false;
    if (taken.late || result == TACT_ERROR_CANCELLED) return true;
    if (result < 0) return tact_problem_from_result(problem, result, run->session->context, "the reference");
    s->expected = taken.digest;
    s->by_reference = true;
    return true;
}

/// A peer that fails, or has no time left, has no row.
static bool measure_peer(suite_run* run, suite_series* s, tact_contestant* who, uint64_t ours, tact_problem* problem)
{
    const uint64_t repeat = run->settings->repeat;
    tact_suite_row kept = {0}, busy = {0};
    samples taken;
    if (!open_samples(&taken, repeat, problem)) return false;
    bool ran = run_frames(run, s, who, 1 + repeat, &taken, &kept, problem) >= 0 && !taken.late;
    close_samples(&taken, &kept);
    if (ran && run->settings->busy) {
        if (!open_samples(&taken, repeat, problem) || !start_busy(run, problem)) return false;
        ran = run_frames(run, s, who, 1 + repeat, &taken, &busy, problem) >= 0;
        tact_system_busy_stop();
        close_samples(&taken, &busy);
        if (taken.late) busy.total = (tact_spread){0};
    }
    if (problem->text[0]) return false;
    tact_suite_row* row = ran ? new_row_of(run, s, TACT_BACKEND_CPU, problem) : NULL;
    if (!row) return !ran;
    row->peer = who->peer_name;
    row->setup_ms = who->build_ms;
    row->total = kept.total;
    row->query_ms = who->report.query_ms > 0.0 ? kept.query_ms : kept.total;
    row->busy = busy.total;
    row->threads = who->threads;
    row->results = who->results;
    if (row->results != ours) {
        snprintf(row->detail, sizeof row->detail, "%" PRIu64 " %s, ours %" PRIu64, row->results, s->query->found, ours);
    }
    return true;
}

static bool measure_peers(suite_run* run, suite_series* s, tact_problem* problem)
{
    if (!run->settings->peers || !s->query->peer || s->stopped[TACT_BACKEND_CPU]) return true;
    if (is_over(run) || !has_time(s, s->peer_cost)) return true;
    const double start = tact_system_milliseconds();
    uint64_t ours = 0;
    for (size_t i = run->results->count; i-- > 0;) {
        const tact_suite_row* row = &run->results->rows[i];
        if (row->query != s->query || row->size != s->size) break;
        if (!row->peer && row->backend == TACT_BACKEND_CPU) ours = row->results;
    }
    bool good = true;
    tact_contestant who = {.backend = TACT_BACKEND_CPU};
    for (size_t i = 0; good && s->query->peer(s->own, i, &who); ++i) {
        if (who.made) {
            good = measure_peer(run, s, &who, ours, problem);
            s->query->peer_close(&who);
        }
        who = (tact_contestant){.backend = TACT_BACKEND_CPU};
    }
    s->peer_cost = tact_system_milliseconds() - start;
    return good;
}

static bool measure_size(suite_run* run, suite_series* s, tact_problem* problem)
{
    static const tact_backend order[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    s->setup_ms = 0.0;
    bool good =
        s->query->open(s->query, &s->input, s->size, &s->own, &s->setup_ms, problem) && ask_reference(run, s, problem);
    for (int i = 0; good && i < 3; ++i) {
        if (run->here[order[i]] && (s->query->backends & 1u << order[i]))
            good = measure_backend(run, s, order[i], problem);
    }
    good = good && measure_peers(run, s, problem);
    s->query->close(s->own);
    s->own = NULL;
    s->last_size = s->size;
    return good;
}

// ---- Series ----

static uint64_t most_of(const suite_run* run, const tact_suite_query* q)
{
    const uint64_t most = run->settings->quick ? q->quick_most : q->most;
    return run->settings->most && run->settings->most < most ? run->settings->most : most;
}

/// The first size of a series that is not left out for being small: none but its last if all are.
static uint64_t first_of(const suite_run* run, const tact_suite_query* q)
{
    uint64_t size = q->first;
    while (size < run->settings->least && size * DECADE <= most_of(run, q))
        size *= DECADE;
    return size;
}

static bool anyone_goes_on(const suite_run* run, const suite_series* s)
{
    for (int b = 0; b < TACT_BACKEND_COUNT; ++b) {
        if (run->here[b] && (s->query->backends & 1u << b) && !s->stopped[b]) return true;
    }
    return false;
}

/// What is left of the time is shared out among what is left to do.
static double share_of_time(suite_run* run)
{
    const double now = tact_system_milliseconds();
    const double left = run->end > now ? run->end - now : 0.0;
    const double share = run->left ? left / (double)run->left : left;
    run->left -= run->left > 0;
    return now + share;
}

/// From this size on, what is not left out already.
static bool leave_out_rest(suite_run* run, suite_series* s, tact_problem* problem)
{
    s->setup_ms = 0.0;
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_CL; ++b) {
        if (!run->here[b] || !(s->query->backends & 1u << b) || s->stopped[b]) continue;
        tact_suite_row* row = new_row_of(run, s, (tact_backend)b, problem);
        if (!row) return false;
        leave_out(run, s, row);
    }
    return true;
}

/// Whether a device pins memory.
static bool pins(const suite_run* run)
{
    tact_pinned* trial = NULL;
    if (tact_pinned_create(run->session->context, TACT_BACKEND_AUTO, 1, &trial) != TACT_OK) return false;
    const bool direct = tact_pinned_is_direct(trial);
    tact_pinned_destroy(trial);
    return direct;
}

static bool measure_series(suite_run* run, const tact_suite_query* q, const tact_suite_mesh* mesh,
                           tact_problem* problem)
{
    suite_series s = {.query = q,
                      .input = {.context = run->session->context,
                                .mesh = mesh,
                                .seed = run->settings->common.seed,
                                .threads = run->threads},
                      .triangles = mesh ? tact_model_triangles(&mesh->model) : 0,
                      .end = share_of_time(run)};
    const uint64_t most = q->pinned && !pins(run) ? 0 : most_of(run, q), from = first_of(run, q);
    bool good = true;
    for (s.size = from; good && most > 0 && (s.size <= most || s.size == from); s.size *= DECADE) {
        if (!anyone_goes_on(run, &s)) break;
        if (is_over(run) || (s.last_size && tact_system_milliseconds() >= s.end)) {
            good = leave_out_rest(run, &s, problem);
            break;
        }
        good = measure_size(run, &s, problem);
    }
    ++run->progress.part;
    tact_progress_update(0.0, &run->progress);
    return good;
}

static bool add_block_rows(suite_run* run, suite_series* s, tact_backend backend, tact_problem* problem)
{
    tact_suite_block blocks[TACT_SUITE_BLOCKS];
    size_t count = 0;
    const double now = tact_system_milliseconds();
    if (s->stopped[backend]) return true;
    if (is_over(run) || !has_time(s, s->cost[backend])) {
        for (size_t i = 0; i < BLOCKS; ++i) {
            s->query = &block_queries[i];
            tact_suite_row* row = new_row_of(run, s, backend, problem);
            if (!row) return false;
            leave_out(run, s, row);
        }
        return true;
    }
    const tact_result result = tact_suite_blocks(run->session->context, backend, run->threads, s->size,
                                                 (int)run->settings->repeat, blocks, &count);
    s->cost[backend] = tact_system_milliseconds() - now;
    if (result < 0 && result != TACT_ERROR_UNSUPPORTED) {
        s->query = &block_queries[0];
        tact_suite_row* row = new_row_of(run, s, backend, problem);
        if (!row) return false;
        row->status = result == TACT_ERROR_SHADOW_MISMATCH ? TACT_BENCH_DIFFERS : TACT_BENCH_FAILED;
        snprintf(row->detail, sizeof row->detail, "%.250s", tact_context_error(run->session->context));
        s->stopped[backend] = true;
        ++run->results->wrong;
        return true;
    }
    for (size_t i = 0; i < count && i < BLOCKS; ++i) {
        s->query = &block_queries[i];
        tact_suite_row* row = new_row_of(run, s, backend, problem);
        if (!row) return false;
        row->size = row->results = blocks[i].count;
        row->query_ms = row->total = blocks[i].ms;
        row->threads = backend == TACT_BACKEND_CPU ? run->threads : 0;
    }
    return true;
}

/// By block, then size, then backend.
static int compare_block_rows(const void* a, const void* b)
{
    const tact_suite_row *x = a, *y = b;
    if (x->query != y->query) return x->query < y->query ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return (x->backend > y->backend) - (x->backend < y->backend);
}

static bool measure_blocks(suite_run* run, tact_problem* problem)
{
    static const tact_backend order[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    suite_series s = {.query = &block_queries[0], .end = share_of_time(run)};
    const size_t first = run->results->count;
    const uint64_t most = most_of(run, s.query), from = first_of(run, s.query);
    bool good = true;
    for (s.size = from; good && (s.size <= most || s.size == from); s.size *= DECADE) {
        for (int i = 0; good && i < 3; ++i)
            if (run->here[order[i]]) good = add_block_rows(run, &s, order[i], problem);
        s.last_size = s.size;
    }
    qsort(run->results->rows + first, run->results->count - first, sizeof *run->results->rows, compare_block_rows);
    ++run->progress.part;
    return good;
}

static bool is_wanted(const suite_run* run, const tact_suite_query* q)
{
    const char* only = run->settings->only;
    if (!only) return true;
    if (*only != '=') return strstr(q->name, only) != NULL;
    const size_t length = strlen(q->name);
    if (strncmp(q->name, only + 1, length) != 0) return false;
    const char* set = only + 1 + length;
    return *set == '\0' || (*set == ',' && strcmp(q->set, set + 1) == 0);
}

static bool blocks_are_wanted(const suite_run* run)
{
    for (int i = 0; i < BLOCKS && !run->settings->queries; ++i)
        if (is_wanted(run, &block_queries[i])) return true;
    return false;
}

static size_t count_series(const suite_run* run)
{
    size_t count = blocks_are_wanted(run) ? 1 : 0;
    const tact_suite_query* table;
    for (int t = 0; (table = table_at(run->settings, t)) != NULL; ++t)
        for (const tact_suite_query* q = table; q->name; ++q)
            if (is_wanted(run, q)) count += q->takes_mesh ? run->mesh_count : 1;
    return count;
}

static bool make_meshes(suite_run* run, tact_problem* problem)
{
    const tact_text_list* files = &run->settings->meshes;
    if (files->count >= MESHES) return tact_problem_set(problem, "--mesh: at most %d meshes", MESHES - 1);
    for (size_t i = 0; i < files->count; ++i)
        if (!tact_suite_mesh_read(&run->meshes[run->mesh_count++], files->items[i], problem)) return false;
    tact_model_mesh terrain;
    const bool made = tact_mesh_terrain(128, run->settings->common.seed, &terrain, problem);
    return tact_suite_mesh_take(&run->meshes[run->mesh_count++], "terrain 33k", made, &terrain, problem);
}

static void find_devices(suite_run* run)
{
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_CL; ++b) {
        tact_device_info info;
        if (tact_session_device(run->session, (tact_backend)b, &info) < 0) continue;
        run->here[b] = true;
        if (b == TACT_BACKEND_CPU) run->threads = (int)info.compute_units;
    }
    if (run->settings->common.threads) run->threads = (int)run->settings->common.threads;
}

bool tact_suite_measure(const tact_suite_settings* settings, const tact_session* session, tact_suite_results* results,
                        tact_problem* problem)
{
    suite_run run = {.settings = settings, .session = session, .results = results};
    run.started = tact_system_milliseconds();
    run.end = run.started + 1000.0 * (double)settings->budget;
    find_devices(&run);
    bool good = make_meshes(&run, problem);
    tact_system_note_signals();
    run.left = count_series(&run);
    if (good && run.left == 0)
        good = tact_problem_set(problem, "--only %s: no query has this in its name", settings->only);
    tact_progress_start(&run.progress, "measuring", settings->common.quiet);
    run.progress.parts = run.left;
    const tact_suite_query* table;
    for (int t = 0; good && (table = table_at(settings, t)) != NULL; ++t) {
        for (const tact_suite_query* q = table; good && q->name; ++q) {
            const size_t times = !is_wanted(&run, q) ? 0 : q->takes_mesh ? run.mesh_count : 1;
            for (size_t i = 0; good && i < times; ++i)
                good = measure_series(&run, q, q->takes_mesh ? &run.meshes[i] : NULL, problem);
        }
    }
    if (good && blocks_are_wanted(&run)) good = measure_blocks(&run, problem);
    tact_progress_end(&run.progress);
    for (size_t i = 0; i < run.mesh_count; ++i)
        tact_model_free(&run.meshes[i].model);
    results->seconds = (tact_system_milliseconds() - run.started) * 1e-3;
    return good;
}

void tact_suite_free(tact_suite_results* results)
{
    free(results->rows);
    *results = (tact_suite_results){0};
}
