// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peer_embree.h"

#include <embree3/rtcore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"
#include "apps/timing.h"

static bool attach_mesh(RTCDevice device, RTCScene scene, const tact_model_mesh* mesh)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    void* vertices =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh->vertex_count);
    void* indices =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh->triangle_count);
    const bool good = vertices && indices;
    if (good) {
        memcpy(vertices, mesh->positions, 12 * mesh->vertex_count);
        memcpy(indices, mesh->indices, 12 * mesh->triangle_count);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
    }
    rtcReleaseGeometry(geometry);
    return good;
}

static uint64_t cast_range(RTCScene scene, const tact_ray* rays, size_t begin, size_t end)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    uint64_t hits = 0;
    for (size_t i = begin; i < end; ++i) {
        const tact_ray* r = &rays[i];
        struct RTCRayHit query;
        memset(&query, 0, sizeof query);
        query.ray.org_x = r->ox, query.ray.org_y = r->oy, query.ray.org_z = r->oz;
        query.ray.dir_x = r->dx, query.ray.dir_y = r->dy, query.ray.dir_z = r->dz;
        query.ray.tnear = r->tmin, query.ray.tfar = r->tmax;
        query.ray.mask = UINT32_MAX;
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(scene, &context, &query);
        hits += query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    }
    return hits;
}

static uint64_t cast_all(RTCScene scene, const tact_ray* rays, size_t count, int threads)
{
    enum { PIECE = 4096 };
    const long long pieces = (long long)((count + PIECE - 1) / PIECE);
    uint64_t hits = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : hits)
#else
    (void)threads;
#endif
    for (long long piece = 0; piece < pieces; ++piece) {
        const size_t begin = (size_t)piece * PIECE, left = count - begin;
        hits += cast_range(scene, rays, begin, begin + (left < PIECE ? left : PIECE));
    }
    return hits;
}

bool tact_peer_embree(const tact_model* model, const tact_ray* rays, size_t count, int threads, uint64_t repeat,
                      tact_peer_result* result, tact_problem* problem)
{
    *result = (tact_peer_result){.threads = threads};
#ifndef _OPENMP
    result->threads = 1;
#endif
    char config[32];
    snprintf(config, sizeof config, "threads=%d", threads);
    RTCDevice device = rtcNewDevice(config);
    double* samples = malloc((size_t)repeat * sizeof *samples);
    bool good = device && samples;
    RTCScene scene = device ? rtcNewScene(device) : NULL;
    const double start = tact_system_milliseconds();
    if (scene) rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    for (size_t i = 0; good && i < model->mesh_count; ++i)
        good = attach_mesh(device, scene, &model->meshes[i]);
    if (good) {
        rtcCommitScene(scene);
        result->build_ms = tact_system_milliseconds() - start;
        result->hits = cast_all(scene, rays, count, threads);
        for (uint64_t i = 0; i < repeat; ++i) {
            const double begin = tact_system_milliseconds();
            result->hits = cast_all(scene, rays, count, threads);
            samples[i] = tact_system_milliseconds() - begin;
        }
        const tact_spread spread = tact_spread_of(samples, (size_t)repeat);
        result->query_ms = spread.median;
        result->query_low_ms = spread.low;
        result->query_high_ms = spread.high;
    }
    free(samples);
    if (scene) rtcReleaseScene(scene);
    if (device) rtcReleaseDevice(device);
    return good || tact_problem_set(problem, "Embree 3 could not be started");
}
