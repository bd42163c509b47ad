// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Many threads that ask one scene at once, each on its own thread alone, beside as many that ask Embree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/rays.h"
#include "apps/system.h"
#include "base/threads.h"

enum {
    POOL = 4096,  ///< rays that a thread asks about again and again
    BATCHES = 4,
    TURN_MS = 200,
    TURN_MS_QUICK = 40
};
static const size_t batches[BATCHES] = {1, 16, 256, 4096};

/// What is measured in one turn.
typedef struct frame {
    tact_scene* scene;
    const tact_embree* peer;  ///< in place of the scene; NULL: the scene
    tact_backend backend;     ///< of the scene
    const tact_ray* rays;     ///< POOL of them
    size_t batch;             ///< rays of a call
    double ms;                ///< for so long
} frame;

typedef struct asker {
    tact_thread thread;
    const frame* frame;
    tact_hit* hits;  ///< POOL of them
    uint64_t asked;  ///< rays
    tact_result result;
    char apart[128];  ///< from the next asker, which another core writes to
} asker;

static void run_asker(void* user)
{
    asker* a = user;
    const frame* f = a->frame;
    const tact_query_options options = {.backend = f->backend, .threads = 1};
    const double end = tact_system_milliseconds() + f->ms;
    do {
        for (size_t at = 0; at < POOL && a->result >= 0; at += f->batch, a->asked += f->batch) {
            if (f->peer)
                tact_embree_each(f->peer, f->rays + at, f->batch, a->hits + at);
            else
                a->result =
                    tact_raycast(f->scene, TACT_RAY_CLOSEST, f->rays + at, f->batch, a->hits + at, &options, NULL);
        }
    } while (a->result >= 0 && tact_system_milliseconds() < end);
}

/// Lets `count` askers ask at once. Returns their rays in a second, in millions; 0 where one failed, with its result.
static double ask_at_once(const frame* f, asker* askers, size_t count, tact_result* result)
{
    const double start = tact_system_milliseconds();
    size_t started = 0;
    for (; started < count; ++started) {
        asker* a = &askers[started];
        a->frame = f;
        a->asked = 0;
        a->result = TACT_OK;
        if (!tact_thread_start(&a->thread, run_asker, a)) break;
    }
    uint64_t rays = 0;
    bool good = started == count;
    if (!good) *result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < started; ++i) {
        tact_thread_join(&askers[i].thread);
        rays += askers[i].asked;
        if (askers[i].result < 0) *result = askers[i].result;
        good = good && askers[i].result >= 0;
    }
    return good ? tact_bench_rate(rays, tact_system_milliseconds() - start) : 0.0;
}

/// One of those that are asked, over the rounds.
typedef struct side {
    const char* name;
    const tact_embree* peer;
    tact_backend backend;
    double *alone, *together, *gain;  ///< of each round
    tact_result result;               ///< of the last thread that failed
    uint64_t differing;               ///< rays of ours whose bytes are not those of a call alone
} side;

static bool measure_round(frame* f, side* s, asker* askers, size_t count, const tact_hit* expected, uint64_t round)
{
    f->peer = s->peer;
    f->backend = s->backend;
    s->alone[round] = ask_at_once(f, askers, 1, &s->result);
    s->together[round] = ask_at_once(f, askers, count, &s->result);
    s->gain[round] = s->together[round] / s->alone[round];
    for (size_t i = 0; i < count && !s->peer; ++i)
        for (size_t k = 0; k < POOL; ++k)
            s->differing += memcmp(&askers[i].hits[k], &expected[k], sizeof *expected) != 0;
    return s->alone[round] > 0.0 && s->together[round] > 0.0;
}

static void report_side(tact_rays_bench* bench, const tact_rays_mesh* mesh, const side* s, size_t batch, double ours)
{
    const size_t rounds = (size_t)bench->run.repeat;
    tact_report* report = &bench->run.report;
    const tact_spread together = tact_spread_of(s->together, rounds);
    tact_report_row(report);
    tact_report_text(report, "mesh", "mesh", mesh->mesh->name);
    tact_report_count(report, "rays a call", "batch", batch);
    tact_report_text(report, "asked", "asked", s->name);
    tact_report_number(report, "Mrays/s, one thread", "mrays_alone", "%.3f", tact_spread_of(s->alone, rounds).median);
    tact_report_number(report, "all", "mrays_together", "%.3f", together.median);
    tact_report_number(report, "gain", "gain", "%.2f", tact_spread_of(s->gain, rounds).median);
    tact_report_number(report, "of ours", "of_ours", "%.2f", together.median / ours);
    tact_report_count(report, "differing", "differing", s->differing);
    bench->run.wrong += s->differing > 0;
}

/// Ours and Embree's take turns, since what else the machine does slows both down.
static bool measure_batch(tact_rays_bench* bench, const tact_rays_mesh* mesh, frame* f, asker* askers,
                          const tact_hit* expected, tact_problem* problem)
{
    const uint64_t rounds = bench->run.repeat;
    enum { SIDES = 3 };
    double* times = calloc(3 * SIDES * (size_t)rounds, sizeof *times);
    if (!times) return tact_problem_out_of_memory(problem, "the times");
    side sides[SIDES] = {{.name = "tact", .backend = TACT_BACKEND_CPU},
                         {.name = "tact, auto", .backend = TACT_BACKEND_AUTO},
                         {.name = "embree, single rays", .peer = mesh->embree[0]}};
    const size_t count = mesh->embree[0] ? SIDES : SIDES - 1;
    for (size_t i = 0; i < count; ++i) {
        sides[i].alone = times + 3 * i * rounds;
        sides[i].together = sides[i].alone + rounds;
        sides[i].gain = sides[i].together + rounds;
    }
    bool good = true;
    for (uint64_t turn = 0; good && turn < rounds * count; ++turn) {
        const uint64_t round = turn / count, i = turn % count;
        good = measure_round(f, &sides[round % 2 ? count - 1 - i : i], askers, (size_t)bench->askers, expected, round);
        if (good && tact_system_signal() && turn + 1 < rounds * count)
            good = tact_problem_stop(problem, "in a measurement");
    }
    for (size_t i = 0; i < count; ++i)
        if (sides[i].result < 0)
            tact_problem_set(problem, "a thread could not ask: %s", tact_result_string(sides[i].result));
    const double ours = good ? tact_spread_of(sides[0].together, (size_t)rounds).median : 0.0;
    for (size_t i = 0; good && i < count; ++i)
        report_side(bench, mesh, &sides[i], f->batch, ours);
    free(times);
    return good;
}

/// Nanoseconds of a call that casts no ray: the least mean of the rounds.
static double time_empty_calls(const tact_rays_bench* bench, tact_scene* scene)
{
    enum { CALLS = 10000 };
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    double least = HUGE_VAL;
    for (uint64_t round = 0; round < 10 * bench->run.repeat; ++round) {
        const double start = tact_system_milliseconds();
        for (int i = 0; i < CALLS; ++i)
            tact_raycast(scene, TACT_RAY_CLOSEST, NULL, 0, NULL, &options, NULL);
        least = fmin(least, tact_system_milliseconds() - start);
    }
    return least * 1e6 / CALLS;
}

bool tact_bench_rays_askers(tact_rays_bench* bench, const tact_rays_mesh* mesh, tact_problem* problem)
{
    const size_t count = (size_t)bench->askers;
    asker* askers = calloc(count, sizeof *askers);
    tact_ray* rays = malloc(POOL * sizeof *rays);
    tact_hit* hits = malloc((count + 1) * POOL * sizeof *hits);
    bool good = askers && rays && hits;
    if (!good) tact_problem_out_of_memory(problem, "rays of many threads");
    if (good) {
        tact_rays_random(&mesh->bounds, bench->run.common.seed, POOL, rays);
        const tact_query_options options = {.backend = TACT_BACKEND_CPU, .no_fallback = true};
        const tact_result result = tact_raycast(mesh->first, TACT_RAY_CLOSEST, rays, POOL, hits, &options, NULL);
        good = result >= 0 || tact_problem_from_result(problem, result, bench->run.session.context, "ray casts");
    }
    for (size_t i = 0; good && i < count; ++i)
        askers[i].hits = hits + (i + 1) * POOL;
    frame f = {.scene = mesh->first, .rays = rays, .ms = bench->run.quick ? TURN_MS_QUICK : TURN_MS};
    for (int k = 0; good && k < BATCHES; ++k) {
        f.batch = batches[k];
        const char* name = mesh->mesh->name;
        if (tact_bench_stopped(&bench->run, problem, "%s, calls of %zu rays", name, f.batch)) continue;
        good = measure_batch(bench, mesh, &f, askers, hits, problem) ||
               tact_bench_stopped(&bench->run, problem, "%s, calls of %zu rays", name, f.batch);
        tact_progress_update((double)(k + 1) / BATCHES, &bench->run.progress);
    }
    if (good && !tact_bench_is_stopped(&bench->run))
        tact_json_number(bench->run.report.root, "empty_call_ns", time_empty_calls(bench, mesh->first));
    free(hits);
    free(rays);
    free(askers);
    return good;
}
