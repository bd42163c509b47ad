// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// One description of a triangle mesh, taken and refused alike by all that take one.
#include <string.h>

#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

static const float square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};

// ---- The description ----

static tact_result to_scene(const tact_mesh_desc* desc)
{
    uint32_t id = 0;
    return tact_scene_add_mesh(KEEP(new_scene(context)), desc, &id);
}

static tact_result to_mesh(const tact_mesh_desc* desc)
{
    tact_mesh* mesh = NULL;
    const tact_result result = tact_mesh_create(context, desc, &mesh);
    tact_mesh_destroy(mesh);
    return result;
}

static tact_result to_particles(const tact_mesh_desc* desc)
{
    const tact_particles_desc particles = {.max_radius = 1.0f};
    return tact_particles_add_mesh(KEEP(new_particles(context, &particles)), desc, NULL, 0, NULL);
}

static tact_result to_filter(const tact_mesh_desc* desc)
{
    const tact_filter_object object = {0, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    size_t count = 0;
    return call_filter_meshes(KEEP(new_filter(context)), desc, 1, &object, 1, NULL, NULL, 0, &count, NULL, NULL, NULL);
}

static tact_result (*const takers[])(const tact_mesh_desc*) = {to_scene, to_mesh, to_particles, to_filter};
enum { TAKERS = sizeof takers / sizeof *takers };

TEST(a_description_is_taken_by_all)
{
    const tact_mesh_desc good[] = {
        {.positions = square, .vertex_count = 4, .indices = halves, .triangle_count = 2},
        {.positions = square, .vertex_count = 4, .triangle_count = 1},
        {.positions = square, .vertex_count = 3, .position_stride = 16, .triangle_count = 1},
        {.positions = square, .vertex_count = 4},
        {0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        for (size_t k = 0; k < TAKERS; ++k) {
            if (takers[k](&good[i]) != TACT_OK) fail_msg("%zu by %zu: %s", i, k, tact_context_error(context));
        }
    }
}

TEST(a_description_is_refused_by_all_with_one_detail)
{
    static const uint32_t past[6] = {0, 1, 2, 0, 4, 3};
    const tact_mesh_desc good = {.positions = square, .vertex_count = 4, .indices = halves, .triangle_count = 2};
    tact_mesh_desc nowhere = good, narrow = good, odd = good, wrong = good, few = good, none = good;
    nowhere.positions = NULL;
    narrow.position_stride = 8;
    odd.position_stride = 14;
    wrong.indices = past;
    few.indices = NULL;
    none.vertex_count = 0;
    const struct {
        const tact_mesh_desc* desc;
        const char* detail;
    } cases[] = {
        {&nowhere, "4 vertices, but the array is NULL"},
        {&narrow, "a stride of 8 bytes; it must be a multiple of 4 and at least 12"},
        {&odd, "a stride of 14 bytes; it must be a multiple of 4 and at least 12"},
        {&wrong, "triangle 1 refers to vertex 4, but there are 4 vertices"},
        {&few, "triangle 1 refers to vertex 4, but there are 4 vertices"},
        {&none, "a mesh of 2 triangles has no vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (size_t k = 0; k < TAKERS; ++k) {
            assert_int_equal(takers[k](cases[i].desc), TACT_ERROR_INVALID_ARGUMENT);
            if (!strstr(tact_context_error(context), cases[i].detail))
                fail_msg("'%s' by %zu: '%s'", cases[i].detail, k, tact_context_error(context));
        }
    }
}

TEST(vertices_on_a_device_are_for_the_filter_alone)
{
    const tact_device_array array = {.backend = TACT_BACKEND_GL, .gl_buffer = 1};
    const tact_mesh_desc desc = {.device_positions = &array, .vertex_count = 3, .triangle_count = 1};
    for (size_t k = 0; k < TAKERS; ++k) {
        assert_int_equal(takers[k](&desc), TACT_ERROR_INVALID_ARGUMENT);
        const bool refused = strstr(tact_context_error(context), "where only those on the host fit") != NULL;
        assert_true(refused == (takers[k] != to_filter));
    }
}

#include TEST_LIST

RUN_ALL(open_host_context, close_context)
