// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/rays.h"
#include "apps/system.h"

enum {
    SLICE = 1 << 20,
    WARM_SLICES = 3,          ///< after these nothing more should be asked of the system
    ALLOWED_GROWTH = 8 << 20  ///< bytes; the C library and the kernel keep their own books
};

/// Rays that went through, and the peak memory of the process on the way.
typedef struct stream_result {
    uint64_t rays, hits;
    double ms;  ///< of the casts alone
    bool memory_known;
    uint64_t before, warm, after;  ///< before the first ray, after a few slices, after the last
    tact_digest digest;            ///< of the digests of the slices
} stream_result;

static bool cast_slices(tact_rays_bench* bench, const tact_rays_mesh* mesh, tact_ray* rays, tact_hit* hits,
                        stream_result* stream, tact_problem* problem)
{
    const tact_query_options options = {
        .backend = TACT_BACKEND_CPU, .threads = bench->run.threads, .no_fallback = true};
    stream->memory_known = tact_system_memory(NULL, &stream->before);
    uint64_t number = 0;
    for (uint64_t done = 0; done < stream->rays; ++number) {
        const uint64_t left = stream->rays - done, count = left < SLICE ? left : SLICE;
        if (tact_bench_stopped(&bench->run, problem, "%s, %" PRIu64 " rays", mesh->mesh->name, left)) {
            stream->rays = done;
            break;
        }
        tact_rays_random(&mesh->bounds, bench->run.common.seed + number, count, rays);
        const double start = tact_system_milliseconds();
        const tact_result result =
            tact_raycast(mesh->first, TACT_RAY_CLOSEST, rays, (size_t)count, hits, &options, NULL);
        stream->ms += tact_system_milliseconds() - start;
        if (result < 0) return tact_problem_from_result(problem, result, bench->run.session.context, "ray casts");
        for (uint64_t i = 0; i < count; ++i)
            stream->hits += hits[i].instance != TACT_NONE;
        const tact_digest digest = tact_digest_of(hits, (size_t)count * sizeof *hits);
        tact_suite_run_on(&stream->digest, &digest);
        done += count;
        if (number < WARM_SLICES) tact_system_memory(NULL, &stream->warm);
    }
    tact_system_memory(NULL, &stream->after);
    return true;
}

static void add_stream(cJSON* root, const stream_result* stream)
{
    cJSON* entry = tact_json_object(root, "stream");
    tact_json_count(entry, "rays", stream->rays);
    tact_json_count(entry, "slice", SLICE);
    tact_json_time(entry, "ms", stream->ms);
    tact_json_number(entry, "mrays_per_second", tact_bench_rate(stream->rays, stream->ms));
    tact_json_count(entry, "hits", stream->hits);
    tact_json_text(entry, "digest", stream->digest.text);
    if (!stream->memory_known) return;
    tact_json_count(entry, "peak_bytes_before", stream->before);
    tact_json_count(entry, "peak_bytes_warm", stream->warm);
    tact_json_count(entry, "peak_bytes_after", stream->after);
}

static void print_stream(const stream_result* stream)
{
    printf("\n%" PRIu64 " rays in slices of %d: %.2f Mrays/s, %" PRIu64 " hits, digest %s\n", stream->rays, SLICE,
           tact_bench_rate(stream->rays, stream->ms), stream->hits, stream->digest.text);
    if (!stream->memory_known) return;
    printf("peak memory: %.1f MB before the first ray, %.1f MB after three slices, %.1f MB after the last\n",
           (double)stream->before * 1e-6, (double)stream->warm * 1e-6, (double)stream->after * 1e-6);
}

bool tact_bench_rays_stream(tact_rays_bench* bench, const tact_rays_mesh* mesh, tact_problem* problem)
{
    stream_result stream = {.rays = bench->stream};
    tact_ray* rays = malloc(SLICE * sizeof *rays);
    tact_hit* hits = malloc(SLICE * sizeof *hits);
    bool good = rays && hits;
    if (!good) tact_problem_out_of_memory(problem, "a slice of rays");
    good = good && cast_slices(bench, mesh, rays, hits, &stream, problem);
    bench->run.wrong += good && stream.memory_known && stream.after > stream.warm + ALLOWED_GROWTH;
    if (good) add_stream(bench->run.report.root, &stream);
    if (good && !bench->run.common.json) print_stream(&stream);
    free(hits);
    free(rays);
    return good;
}
