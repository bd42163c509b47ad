// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sets of volumes, what may be done to them between two queries, and their pairs by definition. Include after
/// run.h.

#include "apps/inputs/volume_input.h"
#include "tact/pairs.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

static inline tact_volumes* make_boxes(tact_context* context, const tact_aabb* boxes, size_t count)
{
    tact_volumes* set = new_volumes(context, NULL);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, count, NULL, NULL, NULL), TACT_OK);
    return set;
}

static inline tact_volumes* make_spheres(tact_context* context, const tact_sphere* spheres, size_t count)
{
    const tact_volumes_desc desc = {.kind = TACT_VOLUME_SPHERE};
    tact_volumes* set = new_volumes(context, &desc);
    assert_int_equal(tact_volumes_add_spheres(set, spheres, count, NULL, NULL, NULL), TACT_OK);
    return set;
}

/// The pairs by definition; the caller frees them.
static inline tact_pair* define_pairs(tact_volumes* a, tact_volumes* b, size_t* count)
{
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    assert_int_equal(call_pairs_find(a, b, TACT_PAIRS_AUTO, NULL, 0, count, &options, NULL), TACT_OK);
    tact_pair* pairs = scratch((*count + 1) * sizeof *pairs);
    if (*count > 0) memcpy(pairs, tact_pairs_last(a, count), *count * sizeof *pairs);
    return pairs;
}

/// Fails unless the last query with `a` as its first set was answered by the method that was asked for.
static inline void expect_method(const char* what, const tact_volumes* a, tact_pairs_method asked)
{
    tact_pairs_info info;
    assert_int_equal(tact_pairs_get_info(a, &info), TACT_OK);
    if (asked != TACT_PAIRS_AUTO ? info.method == asked : info.method != TACT_PAIRS_AUTO) return;
    fail_msg("%s: %s was asked for, %s answered: %s", what, tact_pairs_method_name(asked),
             tact_pairs_method_name(info.method), info.reason);
}

/// Spheres about boxes, at least nine; some that are none, a point, and one at infinity.
static inline void make_odd_spheres(const tact_aabb* boxes, size_t count, tact_sphere* spheres)
{
    tact_input_volumes_to_spheres(boxes, count, spheres);
    spheres[5].radius = -1.0f;
    spheres[6].radius = NAN;
    spheres[7].radius = 0.0f;
    spheres[8].center.y = INFINITY;
}

/// Boxes times a power of two, which is exact; turned around the origin if `mirrored`.
static inline void scale_boxes(const tact_aabb* boxes, size_t count, int power, bool mirrored, tact_aabb* scaled)
{
    for (size_t i = 0; i < 6 * count; ++i)
        ((float*)scaled)[i] = ldexpf(((const float*)boxes)[i], power) * (mirrored ? -1.0f : 1.0f);
    for (size_t i = 0; i < count && mirrored; ++i) {
        const tact_vec3 lower = scaled[i].lower;
        scaled[i].lower = scaled[i].upper;
        scaled[i].upper = lower;
    }
}

/// Moves the volumes that are in the set, of ids below `count`.
static inline void move_all(tact_volumes* set, const tact_aabb* moved, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (!tact_volumes_contains(set, i)) continue;
        assert_int_equal(tact_volumes_move_aabbs(set, &i, &moved[i], 1), TACT_OK);
    }
}

/// Takes volumes out that are in the set, and puts others in.
static inline void exchange_some(tact_volumes* set, const tact_aabb* boxes, uint32_t count, test_random* r)
{
    for (int k = 0; k < 20; ++k) {
        const uint32_t id = test_random_below(r, count);
        if (tact_volumes_contains(set, id)) {
            assert_int_equal(tact_volumes_remove(set, &id, 1), TACT_OK);
        } else {
            assert_int_equal(tact_volumes_add_aabbs(set, &boxes[id], 1, NULL, NULL, NULL), TACT_OK);
        }
    }
}

/// Gives categories to a third of the ids below `count`.
static inline void filter_thirds(tact_volumes* set, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 3) {
        const tact_categories categories = {1u << (i % 5), 0x15u};
        if (tact_volumes_contains(set, i))
            assert_int_equal(tact_volumes_set_categories(set, &i, &categories, 1), TACT_OK);
    }
}
