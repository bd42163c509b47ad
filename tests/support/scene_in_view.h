// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Scenes to cull, and planes to cull them by. Include after run.h.

#include "tact/tact.h"
#include "tests/support/calls.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/objects.h"

/// Ids that a scene has at most.
enum { MOST = 3000 };

/// The triangle of which all instances are.
static const float view_corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0.5f};

/// Where instance i may be: turned, over a cube, now and then far away or large.
static inline void random_place(test_random* r, uint32_t i, float m[12])
{
    random_turn(r, i % 50 == 7 ? 30.0f : 0.5f, m);
    for (int k = 0; k < 3; ++k)
        m[4 * k + 3] = test_random_signed(r) * (i % 97 == 5 ? 1e6f : 20.0f);
}

/// Triangles as random_place() has them, a few removed, one without anything to hit.
static inline tact_scene* make_view_scene(tact_context* context, test_random* r, uint32_t count)
{
    const tact_mesh_desc desc = {.positions = view_corners, .vertex_count = 3, .triangle_count = 1};
    const tact_mesh_desc nothing = {.triangle_count = 0};
    uint32_t mesh, empty, id;
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_mesh(scene, &nothing, &empty), TACT_OK);
    for (uint32_t i = 0; i < count; ++i) {
        float m[12];
        random_place(r, i, m);
        assert_int_equal(tact_scene_add_instance(scene, i == 11 ? empty : mesh, m, &id), TACT_OK);
        // Two trees under one root.
        assert_int_equal(tact_scene_set_dynamic(scene, id, i % 5 == 2), TACT_OK);
    }
    for (uint32_t i = 3; i < count; i += 71)
        assert_int_equal(tact_scene_remove_instance(scene, i), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static inline void random_planes(test_random* r, tact_plane* planes, uint32_t count)
{
    for (uint32_t p = 0; p < count; ++p) {
        for (int k = 0; k < 3; ++k)
            (&planes[p].normal.x)[k] = test_random_below(r, 5) ? test_random_signed(r) : 0.0f;
        planes[p].distance = 10.0f * test_random_signed(r) + 4.0f;
        if (test_random_below(r, 60) == 0) planes[p].distance = test_random_any(r);
    }
}

/// Asks for those in view seven at a time: together they are those that one call finds, more than a
/// hundred, whose number is returned.
static inline size_t expect_same_in_pieces(tact_scene* scene, tact_cull_scene_work work, const tact_query_options* how)
{
    static uint32_t all[MOST], part[7];
    size_t whole = 0, got = 0, count = 0;
    assert_int_equal(call_cull_scene(scene, &work, all, MOST, &whole, NULL, how, NULL), TACT_OK);
    assert_true(whole > 100);
    tact_result result = TACT_INCOMPLETE;
    while (result == TACT_INCOMPLETE) {
        result = call_cull_scene(scene, &work, part, 7, &count, NULL, how, NULL);
        assert_int_equal(count, whole - got);
        const size_t here = count < 7 ? count : 7;
        assert_memory_equal(part, all + got, here * sizeof *part);
        got += here;
        work.first = part[here - 1] + 1;
    }
    assert_int_equal(result, TACT_OK);
    assert_int_equal(got, whole);
    return whole;
}
