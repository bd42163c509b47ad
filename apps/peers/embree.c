// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peers/embree.h"

#include <stdlib.h>

#include "apps/peers/rays.h"
#include "apps/system.h"
#include "apps/timing.h"

static bool measure(const tact_embree* embree, const tact_ray* rays, size_t count, uint64_t repeat, tact_hit* hits,
                    double* samples, tact_peer_result* result)
{
    size_t forms = 0;
    const tact_embree_form* single = tact_embree_forms(&forms);
    if (!hits || !samples || forms == 0) return false;
    tact_embree_closest(embree, single, rays, count, hits);
    for (uint64_t i = 0; i < repeat; ++i) {
        const double begin = tact_system_milliseconds();
        tact_embree_closest(embree, single, rays, count, hits);
        samples[i] = tact_system_milliseconds() - begin;
    }
    for (size_t i = 0; i < count; ++i)
        result->hits += hits[i].instance != TACT_NONE;
    const tact_spread spread = tact_spread_of(samples, (size_t)repeat);
    result->query_ms = spread.median;
    result->query_low_ms = spread.low;
    result->query_high_ms = spread.high;
    return true;
}

bool tact_peer_embree(const tact_model* model, const tact_ray* rays, size_t count, int threads, uint64_t repeat,
                      tact_peer_result* result, tact_problem* problem)
{
    const tact_embree_desc desc = {.threads = threads, .quality = TACT_EMBREE_MEDIUM, .robust = true};
    tact_embree* embree = NULL;
    *result = (tact_peer_result){0};
    if (!tact_embree_open(model, &desc, &embree, problem)) return false;
    result->threads = tact_embree_threads(embree);
    result->build_ms = tact_embree_get_facts(embree).whole_ms;
    tact_hit* hits = malloc((count + 1) * sizeof *hits);
    double* samples = malloc((size_t)repeat * sizeof *samples);
    const bool good = measure(embree, rays, count, repeat, hits, samples, result);
    free(samples);
    free(hits);
    tact_embree_close(embree);
    return good || tact_problem_out_of_memory(problem, "Embree's hits");
}
