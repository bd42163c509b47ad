// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/rays.h"
#include "apps/inputs/random.h"
#include "apps/system.h"

/// Pairs of a ray and a triangle that brute force may take for one case: a few seconds.
#define REFERENCE_PAIRS 4e8
#define REFERENCE_PAIRS_QUICK 4e7

/// Rays to be asked in another way, and the answers.
typedef struct asked {
    tact_context* context;
    tact_scene* scene;
    tact_ray_mode mode;
    tact_ray* rays;
    tact_hit* hits;
    uint32_t* from;  ///< which of the case's rays each one is
    size_t count;
} asked;

static bool ask(const asked* a, const tact_query_options* options, double* ms, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    const tact_result result = tact_raycast(a->scene, a->mode, a->rays, a->count, a->hits, options, NULL);
    *ms = tact_system_milliseconds() - start;
    return result >= 0 || tact_problem_from_result(problem, result, a->context, "ray casts");
}

static bool check(const asked* a, const tact_query_options* options, const tact_ray* rays, const tact_hit* hits,
                  tact_bench_check* result, tact_problem* problem)
{
    for (size_t i = 0; i < a->count; ++i)
        a->rays[i] = rays[a->from[i]];
    memset(a->hits, 0xa5, a->count * sizeof *a->hits);
    result->rays = a->count;
    if (!ask(a, options, &result->ms, problem)) return false;
    for (size_t i = 0; i < a->count; ++i)
        result->differs = result->differs || memcmp(&a->hits[i], &hits[a->from[i]], sizeof *hits) != 0;
    return true;
}

static void shuffle(uint32_t* items, size_t count, uint64_t seed)
{
    tact_random random = {seed};
    for (size_t i = count; i > 1; --i) {
        const size_t k = (size_t)tact_random_below(&random, i);
        const uint32_t item = items[i - 1];
        items[i - 1] = items[k];
        items[k] = item;
    }
}

static bool check_all(const tact_bench_rays_settings* settings, asked* a, const tact_ray* rays, const tact_hit* hits,
                      tact_bench_rays_case* c, tact_problem* problem)
{
    const tact_query_options alone = {.backend = TACT_BACKEND_CPU, .threads = 1, .no_fallback = true};
    const tact_query_options usual = {.backend = TACT_BACKEND_CPU, .threads = settings->threads, .no_fallback = true};
    const tact_query_options brute = {.backend = TACT_BACKEND_REFERENCE, .threads = settings->threads};
    const double pairs = settings->quick ? REFERENCE_PAIRS_QUICK : REFERENCE_PAIRS;
    for (size_t i = 0; i < a->count; ++i)
        a->from[i] = (uint32_t)i;
    if (!check(a, &alone, rays, hits, &c->one_thread, problem)) return false;
    shuffle(a->from, a->count, settings->common.seed);
    if (!check(a, &usual, rays, hits, &c->shuffled, problem)) return false;
    // The first of the shuffled rays are a fair sample.
    const double most = pairs / (double)(c->triangles ? c->triangles : 1);
    if (most < (double)a->count) a->count = most < 1.0 ? 1 : (size_t)most;
    return check(a, &brute, rays, hits, &c->reference, problem);
}

bool tact_bench_rays_check(const tact_bench_rays_settings* settings, tact_context* context, tact_scene* scene,
                           const tact_ray* rays, const tact_hit* hits, tact_bench_rays_case* c, tact_problem* problem)
{
    const size_t count = (size_t)c->count;
    asked a = {.context = context, .scene = scene, .mode = c->mode, .count = count};
    a.rays = malloc(count * sizeof *a.rays);
    a.hits = malloc(count * sizeof *a.hits);
    a.from = malloc(count * sizeof *a.from);
    bool good = a.rays && a.hits && a.from;
    if (!good) tact_problem_out_of_memory(problem, "the checks");
    good = good && check_all(settings, &a, rays, hits, c, problem);
    free(a.from);
    free(a.hits);
    free(a.rays);
    return good;
}

static void add_check(tact_table* table, const tact_bench_check* check)
{
    tact_table_add(table, "%" PRIu64, check->rays);
    tact_table_add(table, "%.3f", check->ms);
    tact_table_add(table, "%s", check->rays == 0 ? "-" : check->differs ? "DIFFERS" : "equal");
}

void tact_bench_rays_checks_table(tact_table* table, const tact_bench_rays_results* results)
{
    static const char* const heads[] = {"mesh",      "rays", "mode",   "digest",       ">one thread", ">ms",   "result",
                                        ">shuffled", ">ms",  "result", ">brute force", ">ms",         "result"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < results->case_count; ++i) {
        const tact_bench_rays_case* c = &results->cases[i];
        tact_table_add(table, "%s", c->mesh);
        tact_table_add(table, "%s", tact_bench_set_name(c->set));
        tact_table_add(table, "%s", tact_bench_mode_name(c->mode));
        tact_table_add(table, "%s", c->digest.text);
        add_check(table, &c->one_thread);
        add_check(table, &c->shuffled);
        add_check(table, &c->reference);
    }
}
