// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Closest points on every backend against the brute force. Include after run.h.

#include "cpu_ref/trace/lanes.h"
#include "tact/closest.h"
#include "tests/support/flushed.h"
#include "tests/support/test_context.h"

static inline void find(tact_scene* scene, tact_backend backend, int threads, const tact_closest_query* points,
                        size_t count, tact_closest_hit* hits)
{
    tact_query_report report;
    const tact_query_options options = {.backend = backend, .threads = threads, .no_fallback = true};
    memset(hits, 0xcd, count * sizeof *hits);
    tact_result result = tact_closest_points(scene, points, count, hits, &options, &report);
    if (left_to_cpu(context, backend, result)) {
        backend = TACT_BACKEND_REFERENCE;
        result = tact_closest_points(scene, points, count, hits, &(tact_query_options){.backend = backend}, &report);
    }
    if (result != TACT_OK) fail_msg("%s: %s", tact_backend_name(backend), tact_context_error(context));
    assert_int_equal(report.backend, backend);
}

static inline void compare(const char* name, const char* who, const tact_closest_query* points, size_t count,
                           const tact_closest_hit* expected, const tact_closest_hit* got)
{
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&expected[i], &got[i], sizeof *got) == 0) continue;
        fail_msg("%s, %s: point %zu, %a %a %a within %a: %u/%u at %a, expected %u/%u at %a", name, who, i,
                 (double)points[i].x, (double)points[i].y, (double)points[i].z, (double)points[i].max_distance,
                 got[i].instance, got[i].primitive, (double)got[i].distance, expected[i].instance,
                 expected[i].primitive, (double)expected[i].distance);
    }
}

/// All backends and sets of instructions against the brute force.
static inline void conform_bytes(const char* name, tact_scene* scene, const tact_closest_query* points, size_t count)
{
    tact_closest_hit* expected = scratch(count * sizeof *expected);
    tact_closest_hit* got = scratch(count * sizeof *got);
    find(scene, TACT_BACKEND_REFERENCE, 0, points, count, expected);
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        find(scene, (tact_backend)backend, 0, points, count, got);
        compare(name, tact_backend_name((tact_backend)backend), points, count, expected, got);
    }
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        if (!tact_lanes_limit(level)) continue;
        find(scene, TACT_BACKEND_CPU, 1, points, count, got);
        compare(name, tact_trace_lanes()->name, points, count, expected, got);
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    // A few points are answered one by one.
    for (size_t i = 0; i < count && i < 12; i += 4) {
        const size_t few = count - i < 4 ? count - i : 4;
        find(scene, TACT_BACKEND_CPU, 0, points + i, few, got);
        compare(name, "a few", points + i, few, expected + i, got);
    }
}
