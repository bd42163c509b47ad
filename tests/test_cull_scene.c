// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "core/scene/scene.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/scene_in_view.h"
#include "tests/support/test_context.h"

// The objects of a scene in view: the tree against the definition, the definition against tact_cull_volumes() on the
// boxes, and both against corners of triangles in double precision.

static size_t cull(tact_scene* scene, const tact_cull_scene_work* work, tact_backend backend, uint32_t* ids,
                   uint8_t* classes)
{
    static int turn;
    const tact_query_options options = {.backend = backend, .threads = 1 + turn++ % 3};
    size_t count = 0;
    if (call_cull_scene(scene, work, ids, MOST, &count, classes, &options, NULL) != TACT_OK) {
        fail_msg("%s", tact_context_error(context));
    }
    return count;
}

/// The same by tact_cull_volumes() over the boxes of all instances.
static size_t cull_boxes(const tact_scene* scene, const tact_cull_scene_work* work, uint32_t* ids, uint8_t* classes)
{
    static tact_aabb boxes[MOST];
    static uint32_t which[MOST];
    static uint8_t all[MOST];
    const tact_trace_scene* s = &scene->trace;
    for (size_t i = 0; i < s->by_id_count; ++i)
        boxes[i] = (tact_aabb){{1, 1, 1}, {-1, -1, -1}};
    for (size_t i = 0; i < s->instance_count; ++i) {
        const tact_trace_instance* in = &s->instances[i];
        boxes[in->id] =
            (tact_aabb){{in->lower[0], in->lower[1], in->lower[2]}, {in->upper[0], in->upper[1], in->upper[2]}};
    }
    tact_culler* culler = KEEP(new_culler(context));
    const tact_cull_work boxed = {.kind = TACT_CULL_AABBS,
                                  .volumes = boxes,
                                  .count = s->by_id_count,
                                  .planes = work->planes,
                                  .plane_count = work->plane_count,
                                  .boxes = NULL,
                                  .box_count = 0};
    size_t count = 0, kept = 0;
    assert_int_equal(call_cull_volumes(culler, &boxed, which, MOST, &kept, all, NULL, NULL), TACT_OK);
    for (size_t i = 0; i < kept; ++i) {
        if (which[i] < work->first) continue;
        ids[count] = which[i];
        classes[count++] = all[which[i]];
    }
    return count;
}

/// Whether a corner of an instance's triangle is well behind all planes.
static bool surely_in(const tact_scene* scene, uint32_t id, const tact_cull_scene_work* work)
{
    const float* m = scene->matrices[id];
    for (int c = 0; c < 3; ++c) {
        bool in = true;
        for (uint32_t p = 0; p < work->plane_count && in; ++p) {
            double at = -(double)work->planes[p].distance;
            const float* n = &work->planes[p].normal.x;
            for (int k = 0; k < 3; ++k) {
                double x = (double)m[4 * k + 3];
                for (int j = 0; j < 3; ++j)
                    x += (double)m[4 * k + j] * (double)view_corners[3 * c + j];
                at += (double)n[k] * x;
            }
            in = at <= 0.0;
        }
        if (in) return true;
    }
    return false;
}

static void compare(tact_scene* scene, const tact_cull_scene_work* work, size_t* in_view)
{
    static uint32_t expected[MOST], ids[MOST];
    static uint8_t expected_classes[MOST], classes[MOST];
    const size_t right = cull_boxes(scene, work, expected, expected_classes);
    static const tact_backend backends[] = {TACT_BACKEND_AUTO, TACT_BACKEND_CPU, TACT_BACKEND_REFERENCE};
    for (int b = 0; b < 3; ++b) {
        const size_t count = cull(scene, work, backends[b], ids, classes);
        assert_int_equal(count, right);
        assert_memory_equal(ids, expected, count * sizeof *ids);
        assert_memory_equal(classes, expected_classes, count);
    }
    size_t k = 0;
    for (uint32_t id = work->first; id < scene->trace.by_id_count; ++id) {
        while (k < right && expected[k] < id)
            ++k;
        const tact_trace_instance* in = &scene->trace.by_id[id];
        if (in->mesh != 0 || !surely_in(scene, id, work)) continue;
        assert_true(k < right && expected[k] == id);
    }
    *in_view += right;
}

TEST(the_tree_finds_what_the_definition_keeps)
{
    test_random r = test_random_seeded(11);
    static const uint32_t counts[] = {1, 9, 300, 2500};
    size_t in_view = 0, asked = 0;
    for (int round = 0; round < 40; ++round) {
        const uint32_t count = counts[round % 4];
        tact_scene* scene = make_view_scene(context, &r, count);
        for (int view = 0; view < 12; ++view) {
            tact_plane planes[8];
            const uint32_t plane_count = (uint32_t)view % 8u;
            random_planes(&r, planes, plane_count);
            const tact_cull_scene_work work = {
                .planes = planes, .plane_count = plane_count, .first = view % 3 ? 0 : count / 2};
            compare(scene, &work, &in_view);
            asked += count;
        }
        tact_scene_destroy(scene);
    }
    assert_true(in_view > asked / 50 && in_view < asked);
}

TEST(what_does_not_fit_is_asked_for_again)
{
    test_random r = test_random_seeded(2);
    tact_scene* scene = KEEP(make_view_scene(context, &r, 500));
    const tact_plane plane = {{1, 0, 0}, 3};
    const tact_cull_scene_work work = {.planes = &plane, .plane_count = 1, .first = 0};
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    size_t count = 0;
    const size_t whole = expect_same_in_pieces(scene, work, &cpu);
    assert_int_equal(call_cull_scene(scene, &work, NULL, 0, &count, NULL, NULL, NULL), TACT_INCOMPLETE);
    assert_int_equal(count, whole);
}

TEST(wrong_use_is_refused)
{
    const tact_plane plane = {{1, 0, 0}, 3};
    tact_cull_scene_work work = {.planes = &plane, .plane_count = 1, .first = 0};
    uint32_t id;
    size_t count = 5;
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(call_cull_scene(scene, &work, &id, 1, &count, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(call_cull_scene(scene, &work, NULL, 1, &count, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_cull_scene(scene, &work, &id, 1, NULL, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.plane_count = TACT_CULL_PLANES_MAX + 1;
    assert_int_equal(call_cull_scene(scene, &work, &id, 1, &count, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.plane_count = 1;
    const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
    assert_int_equal(call_cull_scene(scene, &work, &id, 1, &count, NULL, &shadow, NULL), TACT_OK);
    assert_int_equal(count, 0);
    const tact_query_options device = {.backend = TACT_BACKEND_GL, .no_fallback = true};
    assert_int_equal(call_cull_scene(scene, &work, &id, 1, &count, NULL, &device, NULL), TACT_ERROR_NO_DEVICE);
}

TEST(spheres_are_found_by_their_boxes)
{
    const tact_sphere ball = {{0, 0, 0}, 1};
    const float far[12] = {1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_plane planes[2] = {{{1, 0, 0}, 3}, {{-1, 0, 0}, -3}};
    uint32_t mesh, id;
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_scene_add_spheres(scene, &ball, 1, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &id), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, far, &id), TACT_OK);
    assert_int_equal(tact_scene_set_mask(scene, id, 0), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (int backend = 0; backend < 2; ++backend) {
        uint32_t found[2][MOST];
        size_t count[2];
        for (int p = 0; p < 2; ++p) {
            const tact_cull_scene_work work = {.planes = &planes[p], .plane_count = 1, .first = 0};
            count[p] = cull(scene, &work, backend ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU, found[p], NULL);
        }
        // One on each side of x = 3.
        assert_true(count[0] == 1 && count[1] == 1 && found[0][0] + found[1][0] == 1);
    }
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
