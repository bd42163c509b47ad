// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Checks of trees that devices build or fit, and meshes to build them of. Include after device_fixture.h.

#include <float.h>

#include "cpu_ref/trace/raycast.h"
#include "gpu/trace/bvh_build.h"
#include "tests/support/bvh8_check.h"
#include "tests/support/mesh_soup.h"

enum { RAYS = 150 };

static inline tact_trace_mesh view_of(const soup* s)
{
    return (tact_trace_mesh){
        .positions = s->positions, .indices = s->indices, .vertex_count = s->vertices, .triangle_count = s->triangles};
}

/// The padded boxes of the triangles that are in range, in order of id, and their ids: writes at most as many as there
/// are triangles and returns how many.
static inline size_t boxes_in_range(const tact_trace_mesh* mesh, tact_bvh_box* boxes, uint32_t* ids)
{
    size_t kept = 0;
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const float* p[3];
        for (size_t c = 0; c < 3; ++c)
            p[c] = mesh->positions + 3 * (size_t)mesh->indices[3 * i + c];
        if (!tact_in_range(p[0][0], p[0][1], p[0][2]) || !tact_in_range(p[1][0], p[1][1], p[1][2]) ||
            !tact_in_range(p[2][0], p[2][1], p[2][2])) {
            continue;
        }
        const TactBox b =
            tact_triangle_box(p[0][0], p[0][1], p[0][2], p[1][0], p[1][1], p[1][2], p[2][0], p[2][1], p[2][2]);
        boxes[kept] = (tact_bvh_box){{b.lx, b.ly, b.lz}, {b.hx, b.hy, b.hz}};
        ids[kept++] = (uint32_t)i;
    }
    return kept;
}

/// The tree read back holds the mesh: structure, boxes by the CPU's own, corners in the slots.
static inline void check_tree(tact_env* env, const tact_trace_mesh* mesh, const tact_bvh8* wide,
                              const tact_triangle_block* blocks)
{
    tact_bvh_box* boxes = scratch((mesh->triangle_count + 1) * sizeof *boxes);
    uint32_t* ids = scratch((mesh->triangle_count + 1) * sizeof *ids);
    uint32_t* rank = scratch((mesh->triangle_count + 1) * sizeof *rank);
    const size_t kept = boxes_in_range(mesh, boxes, ids);
    for (size_t i = 0; i < mesh->triangle_count; ++i)
        rank[i] = UINT32_MAX;
    for (size_t i = 0; i < kept; ++i)
        rank[ids[i]] = (uint32_t)i;
    for (size_t s = 0; s < wide->slot_count; ++s) {
        const tact_triangle_block* block = &blocks[s / TACT_BVH8_BLOCK];
        const uint32_t id = wide->order[s];
        assert_int_equal(block->primitive[s % TACT_BVH8_BLOCK], id);
        assert_true(id == UINT32_MAX || id < mesh->triangle_count);
        for (size_t c = 0; c < 3; ++c) {
            const float zero[3] = {0.0f, 0.0f, 0.0f};
            const float* p = id == UINT32_MAX ? zero : mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)id + c];
            for (int k = 0; k < 3; ++k)
                assert_memory_equal(&block->corner[c][k][s % TACT_BVH8_BLOCK], &p[k], sizeof *p);
        }
        if (id != UINT32_MAX) wide->order[s] = rank[id];
    }
    bvh8_check_tree(wide, boxes, kept, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH);
    for (size_t s = 0; s < wide->slot_count; ++s) {
        if (wide->order[s] != UINT32_MAX) wide->order[s] = ids[wide->order[s]];
    }
}

/// Moves vertices by a part of their distance from the origin.
static inline void shake(test_random* r, soup* s, float by)
{
    for (size_t i = 0; i < 3 * s->vertices; ++i) {
        // The sizes of things stay: what is tiny or out of range is still.
        const float p = s->positions[i];
        s->positions[i] = p + (fabsf(p) < 1e30f ? p : 0.0f) * by * test_random_signed(r);
    }
}

static inline void aim(test_random* r, const tact_trace_mesh* mesh, size_t vertices, tact_ray* ray)
{
    // From near a vertex to near another, so that rays hit something at every scale.
    const float* a = mesh->positions + 3 * (size_t)test_random_below(r, (uint32_t)vertices);
    const float* b = mesh->positions + 3 * (size_t)test_random_below(r, (uint32_t)vertices);
    const float near = 1.0f + 0.01f * test_random_signed(r);
    *ray = (tact_ray){a[0] * 1.5f - 0.5f * b[0],
                      a[1] * 1.5f - 0.5f * b[1],
                      a[2] * 1.5f - 0.5f * b[2],
                      0.0f,
                      (b[0] - a[0]) * near,
                      b[1] - a[1],
                      b[2] - a[2],
                      FLT_MAX};
    ray->oz += test_random_unit(r) * 0.01f;
}

/// Rays through the tree hit what brute force says.
static inline void check_rays(tact_env* env, const tact_trace_mesh* mesh, size_t vertices, const tact_bvh8* wide,
                              const tact_triangle_block* blocks, uint64_t seed)
{
    tact_trace_instance instance = {.mask = UINT32_MAX};
    const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_bvh_box all = tact_bvh8_bounds(&wide->nodes[0]);
    if (wide->count == 0) return;
    assert_true(tact_trace_place(&instance, identity, all.lower, all.upper));
    tact_build_reference reference = tact_build_reference_of(instance.lower, instance.upper, 0);
    const tact_build_desc desc = {TACT_BUILD_MEDIUM, 1, TACT_BVH8_MAX_TOP_DEPTH};
    tact_bvh8 top;
    assert_int_equal(tact_bvh8_build(env, 1, &desc, &reference, 1, &top), TACT_OK);
    const tact_trace_scene scene = {.wide_top = top.nodes,
                                    .wide_top_count = top.node_count,
                                    .wide = wide->nodes,
                                    .wide_count = wide->node_count,
                                    .blocks = blocks,
                                    .slot_count = wide->slot_count,
                                    .instances = &instance,
                                    .instance_count = 1,
                                    .meshes = mesh,
                                    .by_id = &instance,
                                    .by_id_count = 1,
                                    .stretch = 1.0f};
    tact_ray rays[RAYS];
    tact_hit hits[RAYS], expected[RAYS];
    test_random r = test_random_seeded(seed);
    for (int i = 0; i < RAYS; ++i)
        aim(&r, mesh, vertices, &rays[i]);
    const tact_trace_job job = {
        .scene = &scene, .mode = TACT_RAY_CLOSEST, .rays = rays, .hits = expected, .count = RAYS, .threads = 1};
    tact_trace_job other = job;
    other.hits = hits;
    assert_int_equal(tact_raycast_reference(env, &job), TACT_OK);
    assert_int_equal(tact_raycast_cpu(env, &other), TACT_OK);
    assert_memory_equal(hits, expected, sizeof hits);
    tact_bvh8_free(env, &top);
}

static inline void read_and_check(device_fixture* f, tact_tree_builder* build, const soup* s, uint64_t seed)
{
    const tact_trace_mesh mesh = view_of(s);
    tact_bvh8 wide;
    tact_triangle_block* blocks;
    expect_ok(f, tact_tree_builder_read(build, &wide, &blocks));
    check_tree(&f->env, &mesh, &wide, blocks);
    check_rays(&f->env, &mesh, s->vertices, &wide, blocks, seed);
    tact_bvh8_free(&f->env, &wide);
    tact_release(&f->env, blocks);
}

/// A landscape of 2 (side - 1)^2 triangles.
static inline tact_trace_mesh landscape(size_t side)
{
    float* p = malloc(3 * side * side * sizeof *p);
    const size_t count = 2 * (side - 1) * (side - 1);
    uint32_t *indices = malloc(3 * count * sizeof *indices), *to = indices;
    for (size_t i = 0; i < side * side; ++i) {
        const float x = (float)(i % side), z = (float)(i / side);
        const float point[3] = {x, 6.0f * sinf(x * 0.031f) * cosf(z * 0.023f) + 0.7f * sinf(x * 0.4f + z * 0.3f), z};
        memcpy(p + 3 * i, point, sizeof point);
    }
    for (size_t j = 0; j + 1 < side; ++j) {
        for (size_t i = 0; i + 1 < side; ++i) {
            const uint32_t a = (uint32_t)(j * side + i), b = a + 1, c = a + (uint32_t)side, d = c + 1;
            const uint32_t two[6] = {a, b, d, a, d, c};
            memcpy(to, two, sizeof two);
            to += 6;
        }
    }
    return (tact_trace_mesh){.positions = p, .indices = indices, .triangle_count = count};
}

/// Triangles of very different sizes in heaps.
static inline tact_trace_mesh heaps(size_t count)
{
    float *p = malloc(9 * count * sizeof *p), centre[3] = {0};
    uint32_t* indices = malloc(3 * count * sizeof *indices);
    test_random r = test_random_seeded(77);
    float spread = 1.0f;
    for (size_t i = 0; i < count; ++i) {
        if (i % 200 == 0) {
            for (int k = 0; k < 3; ++k)
                centre[k] = 100.0f * test_random_signed(&r);
            spread = 20.0f * test_random_unit(&r) * test_random_unit(&r);
        }
        const float size = spread * ldexpf(1.0f, -(int)test_random_below(&r, 9));
        for (int k = 0; k < 3; ++k) {
            const float at = centre[k] + spread * test_random_signed(&r);
            for (size_t c = 0; c < 3; ++c)
                p[9 * i + 3 * c + (size_t)k] = at + size * test_random_signed(&r);
        }
    }
    for (size_t i = 0; i < 3 * count; ++i)
        indices[i] = (uint32_t)i;
    return (tact_trace_mesh){.positions = p, .indices = indices, .triangle_count = count};
}

static inline void free_mesh(const tact_trace_mesh* mesh)
{
    free((void*)mesh->positions);
    free((void*)mesh->indices);
}
