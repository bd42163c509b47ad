// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "apps/bench/rays.h"
#include "apps/inputs/random.h"
#include "apps/system.h"

/// Rays to be asked in another way, and the answers.
typedef struct asked {
    const tact_rays_cast* cast;
    tact_ray* rays;
    tact_hit* hits;
    uint32_t* from;  ///< which of the case's rays each one is
    size_t count;
} asked;

static bool ask(const asked* a, const tact_query_options* options, double* ms, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    const tact_result result = tact_raycast(a->cast->scene, a->cast->mode, a->rays, a->count, a->hits, options, NULL);
    *ms = tact_system_milliseconds() - start;
    return result >= 0 || tact_problem_from_result(problem, result, a->cast->context, "ray casts");
}

static bool check(const asked* a, const tact_query_options* options, tact_rays_check* result, tact_problem* problem)
{
    const tact_ray* rays = a->cast->rays;
    const tact_hit* hits = a->cast->hits;
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

static bool check_all(asked* a, tact_rays_check checks[TACT_RAYS_CHECKS], tact_problem* problem)
{
    const int threads = a->cast->threads;
    const tact_query_options alone = {.backend = TACT_BACKEND_CPU, .threads = 1, .no_fallback = true};
    const tact_query_options usual = {.backend = TACT_BACKEND_CPU, .threads = threads, .no_fallback = true};
    const tact_query_options brute = {.backend = TACT_BACKEND_REFERENCE, .threads = threads};
    for (size_t i = 0; i < a->count; ++i)
        a->from[i] = (uint32_t)i;
    if (!check(a, &alone, &checks[TACT_ONE_THREAD], problem)) return false;
    shuffle(a->from, a->count, a->cast->seed);
    if (!check(a, &usual, &checks[TACT_SHUFFLED], problem)) return false;
    // The first of the shuffled rays are a fair sample.
    if (a->cast->most < (double)a->count) a->count = a->cast->most < 1.0 ? 1 : (size_t)a->cast->most;
    return check(a, &brute, &checks[TACT_BRUTE_FORCE], problem);
}

bool tact_rays_check_all(const tact_rays_cast* cast, tact_rays_check checks[TACT_RAYS_CHECKS], tact_problem* problem)
{
    asked a = {.cast = cast, .count = cast->count};
    a.rays = malloc(a.count * sizeof *a.rays);
    a.hits = malloc(a.count * sizeof *a.hits);
    a.from = malloc(a.count * sizeof *a.from);
    bool good = a.rays && a.hits && a.from;
    if (!good) tact_problem_out_of_memory(problem, "the checks");
    good = good && check_all(&a, checks, problem);
    free(a.from);
    free(a.hits);
    free(a.rays);
    return good;
}
