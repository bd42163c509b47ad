// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Volumes of every kind and what to cull them by, and how an answer is taken and compared. Include after run.h.

#include "tact/cull.h"
#include "tests/support/calls.h"
#include "tests/support/random.h"

typedef test_random cull_random;

static inline uint32_t cull_next(cull_random* r)
{
    return (uint32_t)(test_random_bits(r) >> 32);
}

/// A box with random axes around a point.
static inline tact_obb cull_random_obb(cull_random* r, tact_vec3 center, float size)
{
    double q[4], length = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = (double)test_random_signed(r);
        length += q[i] * q[i];
    }
    length = sqrt(length > 0 ? length : 1);
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
    if (cull_next(r) % 8u == 0) {  // along the axes, or nearly
        q[0] = 1;
        q[1] = cull_next(r) % 2u ? 1e-6 : 0;
        q[2] = q[3] = 0;
    }
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const tact_obb b = {
        center,
        {{(float)(1 - 2 * (y * y + z * z)), (float)(2 * (x * y + w * z)), (float)(2 * (x * z - w * y))},
         {(float)(2 * (x * y - w * z)), (float)(1 - 2 * (x * x + z * z)), (float)(2 * (y * z + w * x))},
         {(float)(2 * (x * z + w * y)), (float)(2 * (y * z - w * x)), (float)(1 - 2 * (x * x + y * y))}},
        {size * test_random_unit(r), size * test_random_unit(r), size * test_random_unit(r)}};
    return b;
}

typedef struct cull_case {
    tact_cull_work work;
    void* volumes;
    tact_plane* planes;
    tact_aabb* boxes;
} cull_case;

/// 0 a frustum, 1 twenty planes around a ball, 2 three planes, 3 a list of 3,000 boxes, 4 one of 5, 5 the frustum and
/// one of 6,000 boxes, 6 the frustum and 40 boxes, 7 no condition.
enum { CULL_CONDITIONS = 8 };

static inline tact_aabb cull_random_box(cull_random* r, float size)
{
    tact_aabb b;
    b.lower = (tact_vec3){test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    b.upper = (tact_vec3){b.lower.x + size * test_random_unit(r), b.lower.y + size * test_random_unit(r),
                          b.lower.z + size * test_random_unit(r)};
    return b;
}

static inline void cull_make_volume(cull_random* r, tact_cull_kind kind, size_t i, void* volumes)
{
    static const uint32_t ks[] = {6, 8, 12, 14, 18, 20, 26};
    const float size = cull_next(r) % 16u == 0 ? 1.5f : 0.1f;
    const tact_aabb box = cull_random_box(r, size);
    if (kind == TACT_CULL_SPHERES) {
        ((tact_sphere*)volumes)[i] = (tact_sphere){box.lower, 0.5f * size * test_random_unit(r)};
        if (i % 64 == 5) ((tact_sphere*)volumes)[i].radius = -1;
    } else if (kind == TACT_CULL_OBBS) {
        ((tact_obb*)volumes)[i] = cull_random_obb(r, box.lower, 0.5f * size);
        if (i % 64 == 5) ((tact_obb*)volumes)[i].half.y = NAN;
    } else if (kind == TACT_CULL_KDOPS) {
        const tact_vec3 points[4] = {box.lower,
                                     {box.upper.x, box.lower.y, box.lower.z},
                                     {box.lower.x, box.upper.y, box.lower.z},
                                     {box.lower.x, box.lower.y, box.upper.z}};
        ((tact_kdop*)volumes)[i] = tact_kdop_from_points(ks[cull_next(r) % 7u], points, 4, 0);
        if (i % 64 == 5) ((tact_kdop*)volumes)[i].k = i % 128 == 5 ? 7 : 0xffffffffu;
    } else {
        ((tact_aabb*)volumes)[i] = box;
        if (i % 64 == 5) ((tact_aabb*)volumes)[i].lower.z = NAN;
        if (i % 64 == 6) ((tact_aabb*)volumes)[i].upper.x = INFINITY;
        if (i % 64 == 7) ((tact_aabb*)volumes)[i].lower.y = -INFINITY;
    }
    // A NaN in each place in turn: the compilers of devices combine comparisons, and one may be lost.
    static const size_t words[TACT_CULL_KIND_COUNT] = {6, 4, 15, 27};
    if (i % 16 == 9) {
        const size_t bounds = kind == TACT_CULL_KDOPS ? 1 + 13 * (i / 16 % 2) + i / 32 % 3 : i / 16 % words[kind];
        ((float*)volumes)[words[kind] * i + bounds] = NAN;
    }
}

static inline uint32_t cull_make_planes(cull_random* r, int condition, tact_plane* planes)
{
    if (condition == 1) {
        for (uint32_t i = 0; i < 20; ++i)
            planes[i] = (tact_plane){{test_random_signed(r), test_random_signed(r), test_random_signed(r)}, 0.4f};
        return 20;
    }
    if (condition == 2) {
        for (uint32_t i = 0; i < 3; ++i)
            planes[i] = (tact_plane){{test_random_signed(r), test_random_signed(r), test_random_signed(r)}, 0.1f};
        return 3;
    }
    if (condition != 0 && condition != 5 && condition != 6) return 0;
    // From (-0.9, 0, 0) along x, 50 degrees wide and high, from 0.1 to 1.5.
    const float c = 0.9063f, s = 0.4226f;
    planes[0] = (tact_plane){{-s, c, 0}, 0.9f * s};
    planes[1] = (tact_plane){{-s, -c, 0}, 0.9f * s};
    planes[2] = (tact_plane){{-s, 0, c}, 0.9f * s};
    planes[3] = (tact_plane){{-s, 0, -c}, 0.9f * s};
    planes[4] = (tact_plane){{-1, 0, 0}, 0.8f};
    planes[5] = (tact_plane){{2, 0, 0}, 1.2f};
    return 6;
}

static inline cull_case cull_case_make(tact_cull_kind kind, int condition, size_t count)
{
    static const size_t sizes[] = {sizeof(tact_aabb), sizeof(tact_sphere), sizeof(tact_obb), sizeof(tact_kdop)};
    static const size_t lists[CULL_CONDITIONS] = {0, 0, 0, 3000, 5, 6000, 40, 0};
    cull_random r = test_random_seeded((uint64_t)kind * 100 + (uint64_t)condition);
    cull_case c;
    memset(&c, 0, sizeof c);
    c.volumes = scratch(count * sizes[kind] + 1);
    for (size_t i = 0; i < count; ++i)
        cull_make_volume(&r, kind, i, c.volumes);
    c.work = (tact_cull_work){.kind = kind, .volumes = c.volumes, .count = count};
    c.planes = scratch_zeroed(TACT_CULL_PLANES_MAX, sizeof *c.planes);
    c.work.planes = c.planes;
    c.work.plane_count = cull_make_planes(&r, condition, c.planes);
    c.work.box_count = lists[condition];
    if (lists[condition] > 0) {
        c.boxes = scratch(lists[condition] * sizeof *c.boxes);
        c.work.boxes = c.boxes;
        for (size_t i = 0; i < lists[condition]; ++i)
            c.boxes[i] = cull_random_box(&r, condition == 4 ? 0.6f : 0.04f);
        if (lists[condition] > 100) {
            c.boxes[3].lower.x = NAN;
            c.boxes[4].lower.x = 1e30f;
            c.boxes[4].upper.x = 2e30f;
            c.boxes[5].upper.y = INFINITY;
        }
    }
    return c;
}

/// Multiplies every length. OBBs' axes stay.
static inline void cull_case_scale(cull_case* c, float by)
{
    static const size_t floats[] = {6, 4, 15, 27};
    float* f = c->volumes;
    const size_t each = floats[c->work.kind];
    for (size_t i = 0; i < c->work.count * each; ++i) {
        if (c->work.kind == TACT_CULL_OBBS && i % 15 >= 3 && i % 15 < 12) continue;
        if (c->work.kind == TACT_CULL_KDOPS && i % 27 == 0) continue;
        f[i] *= by;
    }
    for (uint32_t i = 0; i < c->work.plane_count; ++i)
        c->planes[i].distance *= by;
    for (size_t i = 0; i < 6 * c->work.box_count; ++i)
        ((float*)c->boxes)[i] *= by;
}

typedef struct cull_answer {
    uint32_t* ids;
    size_t kept;
    uint8_t* classes;  ///< NULL when not asked for
    size_t count;
} cull_answer;

static inline cull_answer cull_answer_of(tact_culler* culler, const tact_cull_work* given, tact_backend backend,
                                         int threads, bool classes)
{
    cull_answer a = {NULL, 0, NULL, given->count};
    const tact_query_options options = {.backend = backend, .threads = threads, .no_fallback = true};
    a.ids = scratch(given->count * sizeof *a.ids + 1);
    if (classes) a.classes = scratch(given->count + 1);
    const tact_result result =
        call_cull_volumes(culler, given, a.ids, given->count, &a.kept, a.classes, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_result_name(result));
    return a;
}

static inline void cull_answers_equal(const cull_answer* expected, const cull_answer* got)
{
    assert_int_equal(expected->kept, got->kept);
    assert_memory_equal(expected->ids, got->ids, expected->kept * sizeof *expected->ids);
    if (!expected->classes) return;
    size_t kept = 0;
    for (size_t i = 0; i < expected->count; ++i) {
        if (expected->classes[i] != TACT_OUTSIDE) assert_int_equal(expected->ids[kept++], i);
        if (got->classes && got->classes[i] != expected->classes[i]) {
            fail_msg("volume %zu: class %d, not %d", i, got->classes[i], expected->classes[i]);
        }
    }
    assert_int_equal(kept, expected->kept);
}
