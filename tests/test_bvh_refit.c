// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "tests/support/device_fixture.h"
#include "tests/support/device_tree.h"

// Trees that devices fit to vertices which moved: what is taken over is fitted as where it was built. Scenes of such:
// test_scene_trees.c.

enum { METHODS = 2 };

/// The area of a box, or half of it, to be exact.
static double area_of(const double side[3])
{
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/// What a tree costs: 1 for the root, and for each child its area, as a share of the root's, times what it costs.
static double cost_by_hand(const tact_bvh8* tree)
{
    double sum = 0.0, side[3];
    for (size_t i = 0; i < tree->node_count; ++i) {
        const tact_bvh8_node* n = &tree->nodes[i];
        for (int k = 0; k < TACT_BVH8_WIDTH && tact_bvh8_kind(n, k) != 0; ++k) {
            for (int axis = 0; axis < 3; ++axis)
                side[axis] = ldexp((double)(n->box[axis][1][k] - n->box[axis][0][k]), (int)n->exponent[axis] - 127);
            const uint32_t kind = tact_bvh8_kind(n, k);
            sum += area_of(side) * (kind == TACT_BVH8_INNER ? 1.0 : 0.4 + 0.1 * (double)kind);
        }
    }
    const tact_bvh_box all = tact_bvh8_bounds(&tree->nodes[0]);
    for (int k = 0; k < 3; ++k)
        side[k] = (double)all.upper[k] - (double)all.lower[k];
    return tree->count > 0 && area_of(side) > 0.0 ? 1.0 + sum / area_of(side) : 1.0;
}

/// Without the host's vertices the device finds out where the mesh is, to the bit.
static void check_bounds(device_fixture* f, tact_tree_builder* tree, const soup* s)
{
    tact_tree_facts facts;
    tact_trace_bounds bounds;
    bool changed;
    const tact_trace_mesh mesh = view_of(s);
    expect_ok(f, tact_tree_builder_refit(tree, NULL, NULL, &changed));
    assert_false(changed);
    tact_tree_builder_facts(tree, &facts);
    assert_true(facts.bounded);
    if (tact_device_describe(f->device)->probe.flushes_subnormals) return;
    assert_int_equal(tact_trace_measure(&f->env, &mesh, 1, &bounds), TACT_OK);
    assert_memory_equal(&facts.bounds, &bounds, sizeof bounds);
}

TEST_AS(DEVICE_TEST, trees_taken_over)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    static const size_t counts[] = {1, 2, 3, 4, 5, 9, 33, 600};
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(31);
    uint32_t fitted = 0;
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            const tact_tree_method method = c % 2 ? TACT_TREE_CLUSTERED : TACT_TREE_LINEAR;
            tact_tree_builder *maker, *fitter;
            expect_ok(f, tact_tree_builder_create(device, &maker));
            expect_ok(f, tact_tree_builder_create(device, &fitter));
            fill_soup(&r, (soup_kind)kind, counts[c], s);
            // Zeros of both signs at the edges.
            for (size_t i = 0; kind == LATTICE && i < 3 * s->vertices; ++i)
                s->positions[i] = s->positions[i] < 0.0f ? -0.0f : s->positions[i];
            const tact_trace_mesh mesh = view_of(s);
            tact_bvh8 wide;
            expect_ok(f, tact_tree_builder_run(maker, &mesh, s->vertices, method, NULL));
            expect_ok(f, tact_tree_builder_read(maker, &wide, NULL));
            expect_ok(f, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide));
            // It is of no vertices yet.
            tact_bvh8 trial;
            double cost;
            expect_failure(device, tact_tree_builder_read(fitter, &trial, NULL), TACT_ERROR_INVALID_ARGUMENT);
            for (int frame = 0; frame < 2; ++frame) {
                shake(&r, s, 0.5f);
                bool changed[2];
                expect_ok(f, tact_tree_builder_refit(maker, s->positions, NULL, &changed[0]));
                expect_ok(f, tact_tree_builder_refit(fitter, s->positions, &cost, &changed[1]));
                assert_int_equal(changed[0], changed[1]);
                if (changed[0]) break;
                tact_bvh8 twins[2];
                ++fitted;
                expect_ok(f, tact_tree_builder_read(maker, &twins[0], NULL));
                expect_ok(f, tact_tree_builder_read(fitter, &twins[1], NULL));
                assert_memory_equal(twins[0].nodes, twins[1].nodes, wide.node_count * sizeof *wide.nodes);
                for (int t = 0; t < 2; ++t) {
                    assert_true(twins[t].sah_cost == cost);
                    const double expected = cost_by_hand(&twins[t]);
                    if (!(fabs(cost - expected) <= 1e-5 * expected)) fail_msg("cost %g, expected %g", cost, expected);
                    tact_bvh8_free(&f->env, &twins[t]);
                }
                read_and_check(f, fitter, s, c);
                check_bounds(f, fitter, s);
            }
            tact_bvh8_free(&f->env, &wide);
            tact_tree_builder_destroy(maker);
            tact_tree_builder_destroy(fitter);
        }
    }
    assert_true(fitted > SOUP_KINDS * 8);
}

/// Of so many triangles clusters are joined in rounds, before one group joins the rest. Small, for oclgrind.
TEST_AS(DEVICE_TEST, a_tree_is_put_among_others)
{
    enum { COUNT = 560, FIRST_NODE = 3, FIRST_SLOT = 8 };
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(41);
    tact_tree_builder* build;
    tact_buffer *nodes = NULL, *triangles = NULL;
    tact_bvh8 wide;
    expect_ok(f, tact_tree_builder_create(device, &build));
    fill_soup(&r, SMOOTH, COUNT, s);
    const tact_trace_mesh mesh = view_of(s);
    expect_ok(f, tact_tree_builder_run(build, &mesh, s->vertices, TACT_TREE_CLUSTERED, &wide));
    const size_t node_bytes = wide.node_count * sizeof *wide.nodes, slot_bytes = (size_t)wide.slot_count * 48;
    expect_ok(f, tact_buffer_create(device, node_bytes + (FIRST_NODE + 1) * sizeof *wide.nodes, NULL, &nodes));
    expect_ok(f, tact_buffer_create(device, slot_bytes + (FIRST_SLOT + 1) * 48, NULL, &triangles));
    expect_ok(f, tact_buffer_fill(nodes, 0, tact_buffer_size(nodes), 0x5a5a5a5a));
    expect_ok(f, tact_buffer_fill(triangles, 0, tact_buffer_size(triangles), 0x5a5a5a5a));
    expect_ok(f, tact_tree_builder_put(build, nodes, FIRST_NODE, triangles, FIRST_SLOT));
    uint8_t* back = scratch(tact_buffer_size(nodes));
    expect_ok(f, tact_buffer_read(nodes, 0, back, tact_buffer_size(nodes)));
    // Those before and behind are left alone; children and slots count from where the tree was put.
    for (size_t i = 0; i < FIRST_NODE * sizeof *wide.nodes; ++i)
        assert_int_equal(back[i], 0x5a);
    for (size_t i = 0; i < sizeof *wide.nodes; ++i)
        assert_int_equal(back[FIRST_NODE * sizeof *wide.nodes + node_bytes + i], 0x5a);
    const tact_bvh8_node* put = (const tact_bvh8_node*)(const void*)back + FIRST_NODE;
    for (uint32_t i = 0; i < wide.node_count; ++i) {
        tact_bvh8_node expected = wide.nodes[i];
        expected.node += FIRST_NODE;
        expected.slot += FIRST_SLOT;
        assert_memory_equal(&put[i], &expected, sizeof expected);
    }
    float* slots = scratch(tact_buffer_size(triangles));
    expect_ok(f, tact_buffer_read(triangles, 0, slots, tact_buffer_size(triangles)));
    for (uint32_t i = 0; i < wide.slot_count; ++i) {
        const uint32_t t = wide.order[i];
        if (t == TACT_NONE) continue;
        assert_memory_equal(slots + 12 * ((size_t)FIRST_SLOT + i) + 3, &t, sizeof t);
        for (int corner = 0; corner < 3; ++corner)
            assert_memory_equal(slots + 12 * ((size_t)FIRST_SLOT + i) + 4 * (size_t)corner,
                                s->positions + 3 * (size_t)s->indices[3 * t + (uint32_t)corner], 12);
    }
    tact_buffer_destroy(nodes);
    tact_buffer_destroy(triangles);
    tact_bvh8_free(&f->env, &wide);
    tact_tree_builder_destroy(build);
}

TEST_AS(DEVICE_TEST, trees_that_cannot_be_taken_over)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    soup* s = scratch(sizeof *s);
    test_random r = test_random_seeded(32);
    fill_soup(&r, SMOOTH, 300, s);
    const tact_trace_mesh mesh = view_of(s);
    tact_tree_builder *maker, *fitter;
    tact_bvh8 wide;
    bool changed;
    expect_ok(f, tact_tree_builder_create(device, &maker));
    expect_ok(f, tact_tree_builder_run(maker, &mesh, s->vertices, TACT_TREE_CLUSTERED, NULL));
    expect_ok(f, tact_tree_builder_read(maker, &wide, NULL));
    tact_tree_builder_destroy(maker);
    expect_ok(f, tact_tree_builder_create(device, &fitter));
    ++wide.nodes[0].node;
    expect_failure(device, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide), TACT_ERROR_UNSUPPORTED);
    expect_failure(device, tact_tree_builder_refit(fitter, s->positions, NULL, &changed), TACT_ERROR_INVALID_ARGUMENT);
    --wide.nodes[0].node;
    --wide.node_count;
    expect_failure(device, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide), TACT_ERROR_UNSUPPORTED);
    ++wide.node_count;
    tact_tree_builder_destroy(fitter);
    uint32_t failed = 0;
    for (uint32_t number = 1;; ++number) {
        expect_ok(f, tact_tree_builder_create(device, &fitter));
        tact_device_fail_buffer(device, number);
        const tact_result result = tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide);
        tact_device_fail_buffer(device, 0);
        if (result != TACT_OK) {
            expect_failure(device, result, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
            ++failed;
            expect_failure(device, tact_tree_builder_refit(fitter, s->positions, NULL, &changed),
                           TACT_ERROR_INVALID_ARGUMENT);
            expect_ok(f, tact_tree_builder_adopt(fitter, &mesh, s->vertices, &wide));
        }
        expect_ok(f, tact_tree_builder_refit(fitter, s->positions, NULL, &changed));
        read_and_check(f, fitter, s, 3);
        tact_tree_builder_destroy(fitter);
        if (result == TACT_OK) break;
    }
    assert_int_equal(failed, 9);
    tact_bvh8_free(&f->env, &wide);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
