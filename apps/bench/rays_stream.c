// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "apps/bench/rays.h"
#include "apps/system.h"

enum {
    SLICE = 1 << 20,
    WARM_SLICES = 3,          ///< after these nothing more should be asked of the system
    ALLOWED_GROWTH = 8 << 20  ///< bytes; the C library and the kernel keep their own books
};

static bool cast_slices(const tact_bench_rays_settings* settings, tact_context* context, tact_scene* scene,
                        const tact_bounds* bounds, tact_ray* rays, tact_hit* hits, tact_bench_stream* stream,
                        tact_problem* problem)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = settings->threads, .no_fallback = true};
    char chain[2 * sizeof stream->digest.text] = {0};
    stream->memory_known = tact_system_memory(NULL, &stream->before);
    uint64_t number = 0;
    for (uint64_t done = 0; done < stream->rays; ++number) {
        const uint64_t left = stream->rays - done, count = left < stream->slice ? left : stream->slice;
        tact_rays_random(bounds, settings->common.seed + number, count, rays);
        const double start = tact_system_milliseconds();
        const tact_result result = tact_raycast(scene, TACT_RAY_CLOSEST, rays, (size_t)count, hits, &options, NULL);
        stream->ms += tact_system_milliseconds() - start;
        if (result < 0) return tact_problem_from_result(problem, result, context, "ray casts");
        for (uint64_t i = 0; i < count; ++i)
            stream->hits += hits[i].instance != TACT_NONE;
        const tact_digest digest = tact_digest_of(hits, (size_t)count * sizeof *hits);
        memcpy(chain, stream->digest.text, sizeof stream->digest.text);
        memcpy(chain + sizeof stream->digest.text, digest.text, sizeof digest.text);
        stream->digest = tact_digest_of(chain, sizeof chain);
        done += count;
        if (number < WARM_SLICES) tact_system_memory(NULL, &stream->warm);
    }
    tact_system_memory(NULL, &stream->after);
    return true;
}

bool tact_bench_rays_stream(const tact_bench_rays_settings* settings, tact_context* context, tact_scene* scene,
                            const tact_bounds* bounds, tact_bench_rays_results* results, tact_problem* problem)
{
    tact_bench_stream* stream = &results->stream;
    *stream = (tact_bench_stream){.rays = settings->stream, .slice = SLICE};
    tact_ray* rays = malloc(SLICE * sizeof *rays);
    tact_hit* hits = malloc(SLICE * sizeof *hits);
    bool good = rays && hits;
    if (!good) tact_problem_out_of_memory(problem, "a slice of rays");
    good = good && cast_slices(settings, context, scene, bounds, rays, hits, stream, problem);
    results->wrong += good && stream->memory_known && stream->after > stream->warm + ALLOWED_GROWTH;
    free(hits);
    free(rays);
    return good;
}
