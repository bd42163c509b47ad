// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Arguments that are wrong one at a time, and right at the edge of what is allowed. test_error_details.c has NULL for
// every pointer.
#include <float.h>

#include "tests/support/run.h"

#include "core/volumes/volumes.h"
#include "cpu_ref/image/image.h"
#include "cpu_ref/pick/code.h"
#include "cpu_ref/pick/view.h"
#include "tests/support/calls.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

static void refused(tact_result result, const char* word)
{
    if (result != TACT_ERROR_INVALID_ARGUMENT || !strstr(tact_last_error(), word)) {
        fail_msg("%s, \"%s\", expected \"%s\"", tact_result_name(result), tact_last_error(), word);
    }
}

// ---- Scenes and volumes ----

TEST(alpha_masks_are_checked)
{
    static const float p[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uvs[12] = {0, 0, 1, 0, 0, 1};
    static const uint8_t texels[64];
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 3, .triangle_count = 1};
    const tact_alpha_desc good = {.uvs = uvs, .texels = texels, .width = 4, .height = 2};
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t mesh = put_mesh(scene, &desc);
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &good), TACT_OK);
    tact_alpha_desc a = good;
    a.width = 0;
    refused(tact_scene_set_alpha(scene, mesh, &a), "0 by 2 texels");
    a = good;
    a.height = 0;
    refused(tact_scene_set_alpha(scene, mesh, &a), "4 by 0 texels");
    a.height = 65537;
    refused(tact_scene_set_alpha(scene, mesh, &a), "4 by 65537 texels");
    a = good;
    a.width = 65537;
    refused(tact_scene_set_alpha(scene, mesh, &a), "65537 by 2 texels");
    a = good;
    a.uv_stride = 4;
    refused(tact_scene_set_alpha(scene, mesh, &a), "a stride of 4 bytes");
    a.uv_stride = 10;
    refused(tact_scene_set_alpha(scene, mesh, &a), "a stride of 10 bytes");
    a.uv_stride = 16;
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_OK);
    a = good;
    a.texel_stride = SIZE_MAX / 2;
    refused(tact_scene_set_alpha(scene, mesh, &a), "rows of an alpha mask overlap");
    a = good;
    a.row_stride = 3;
    refused(tact_scene_set_alpha(scene, mesh, &a), "rows of an alpha mask overlap");
    a.row_stride = 4;
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_OK);
}

static bool stop(double done, void* user)
{
    return *(bool*)user;
}

TEST(culls_are_checked)
{
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    uint32_t id;
    size_t kept = 7;
    assert_null(tact_cull_last(NULL, &kept));
    assert_int_equal(kept, 0);
    tact_culler* culler = KEEP(new_culler(context));
    assert_null(tact_cull_last(culler, &kept));
    tact_cull_work work = {.kind = TACT_CULL_AABBS, .volumes = &box, .count = 1, .plane_count = 1};
    refused(call_cull_volumes(culler, &work, &id, 1, &kept, NULL, NULL, NULL), "1 planes");
    work.plane_count = 0;
    work.box_count = 1;
    refused(call_cull_volumes(culler, &work, &id, 1, &kept, NULL, NULL, NULL), "1 boxes");
    work.boxes = &box;
    assert_int_equal(call_cull_volumes(culler, &work, &id, 1, &kept, NULL, NULL, NULL), TACT_OK);
    assert_ptr_not_equal(tact_cull_last(culler, &kept), NULL);
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_cull_scene_work view = {.plane_count = 1};
    refused(call_cull_scene(scene, &view, &id, 1, &kept, NULL, NULL, NULL), "1 planes");
    const tact_cull_scene_work all = {.plane_count = 0};
    for (int go_on = 0; go_on < 2; ++go_on) {
        bool go = go_on;
        const tact_query_options options = {.backend = TACT_BACKEND_CPU, .progress = stop, .progress_user = &go};
        assert_int_equal(call_cull_scene(scene, &all, &id, 1, &kept, NULL, &options, NULL),
                         go_on ? TACT_OK : TACT_ERROR_CANCELLED);
    }
}

TEST(sets_are_checked)
{
    static const tact_aabb boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    static const tact_sphere balls[2] = {{{0, 0, 0}, 1}, {{0, 0, 0}, 2}};
    static const uint64_t data[2] = {7, 8};
    const tact_volumes_desc round = {.kind = TACT_VOLUME_SPHERE};
    tact_aabb box;
    tact_sphere ball;
    tact_volumes* set = KEEP(new_volumes(context, NULL));
    tact_volumes* spheres = KEEP(new_volumes(context, &round));
    assert_int_equal(tact_volumes_add_spheres(spheres, NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_add_spheres(spheres, balls, 2, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_add_aabbs(set, NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 2, NULL, data, NULL), TACT_OK);
    refused(tact_volumes_get_sphere(set, 0, &ball), "no spheres of its own");
    refused(tact_volumes_get_aabb(spheres, 0, &box), "no AABBs of its own");
    assert_int_equal(tact_volumes_get_sphere(spheres, 1, &ball), TACT_OK);
    assert_true(ball.radius == 2.0f);
    // Filters that all pass are none; either half that does not is.
    tact_categories categories[2] = {{0xffffffffu, 0xffffffffu}, {0xffffffffu, 0xffffffffu}};
    size_t count = 9;
    assert_null(tact_pairs_last(NULL, &count));
    assert_int_equal(count, 0);
    assert_null(tact_pairs_last(set, &count));
    for (int way = 0; way < 3; ++way) {
        if (way == 1) categories[1].mask = 0;
        if (way == 2) categories[1] = (tact_categories){0, 0xffffffffu};
        tact_volumes* other = new_volumes(context, NULL);
        assert_int_equal(tact_volumes_add_aabbs(other, boxes, 2, categories, NULL, NULL), TACT_OK);
        assert_int_equal(call_pairs_find(other, NULL, TACT_PAIRS_AUTO, NULL, 0, &count, NULL, NULL), TACT_OK);
        assert_int_equal(count, way == 0);
        assert_int_equal(tact_pairs_last(other, &count) != NULL, way == 0);
        tact_volumes_destroy(other);
    }
    // Births are known of ids there are.
    assert_true(tact_volumes_born(set, 5) == set->cleared);
    // Filters and data, for as many as come from elsewhere.
    assert_true(tact_volumes_reset_details(spheres, 2));
    assert_true(tact_volumes_reset_details(set, 2));
    assert_true(set->user_data[0] == 0 && set->user_data[1] == 0);
}

// ---- Particles ----

TEST(particles_are_checked)
{
    static const float places[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, speeds[9] = {0};
    const float bad[9] = {0, 0, 0, NAN, 0, 0, 2, 0, 0}, heights[4] = {0, 0, 0, 0};
    const tact_particle_material material = {1e4f, 0.5f, 0.5f, 0.5f};
    const tact_particle_arrays three = {.positions = places, .radius = 0.25f};
    tact_particles* p = KEEP(new_particles(context, NULL));
    for (int axis = 0; axis < 3; ++axis) {
        tact_vec3 gravity = {0, 0, 0};
        (&gravity.x)[axis] = NAN;
        refused(tact_particles_set_gravity(p, gravity), "gravity");
    }
    refused(tact_particles_set_contact(p, 1, 0, &material), "material");
    refused(tact_particles_set_contact(p, 0, 1, &material), "material");
    assert_int_equal(tact_particles_set_contact(p, 0, 0, &material), TACT_OK);
    tact_height_field_desc field = {
        .heights = heights, .columns = 2, .rows = 1, .step_x = 1.0f, .step_z = 1.0f, .origin = {0, 0, 0}};
    refused(tact_particles_add_height_field(p, &field, NULL, 0, NULL), "rows");
    field = (tact_height_field_desc){
        .heights = heights, .columns = 1, .rows = 2, .step_x = 1.0f, .step_z = 1.0f, .origin = {0, 0, 0}};
    refused(tact_particles_add_height_field(p, &field, NULL, 0, NULL), "rows");
    assert_true(isinf(tact_particles_stable_step(NULL)));
    assert_true(isinf(tact_particles_stable_step(p)));
    assert_int_equal(tact_particles_add(p, &three, 3, NULL), TACT_OK);
    assert_true(isfinite(tact_particles_stable_step(p)));
    const uint32_t gone = 1, ids[2] = {0, 2};
    assert_int_equal(tact_particles_remove(p, &gone, 1), TACT_OK);
    refused(tact_particles_write(p, &gone, 1, places, speeds), "particle 1 is not in the system");
    assert_int_equal(tact_particles_write(p, ids, 2, places, speeds), TACT_OK);
    refused(tact_particles_write(p, ids, 2, bad, speeds), "particle");
    refused(tact_particles_write(p, ids, 2, places, bad), "particle");
    refused(tact_particles_write(p, NULL, 3, places, speeds), "3 of 2 particles");
    assert_int_equal(tact_particles_write(p, NULL, 2, places, NULL), TACT_OK);
    assert_int_equal(tact_particles_write(p, NULL, 3, NULL, NULL), TACT_OK);
}

// ---- Views ----

static const tact_pick_view identity = {
    .world_to_clip = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, .width = 8, .height = 4};

TEST(views_differ_in_every_member)
{
    assert_true(tact_pick_view_same(&identity, &identity));
    tact_pick_view v[8];
    for (int i = 0; i < 8; ++i)
        v[i] = identity;
    v[0].world_to_clip[15] = 2.0f;
    v[1].order = (tact_matrix_order)(1 - (int)identity.order);
    v[2].depth = (tact_clip_depth)(1 - (int)identity.depth);
    v[3].reversed = true;
    v[4].width = 9;
    v[5].height = 5;
    v[6].left = 1;
    v[7].top = -1;
    for (int i = 0; i < 8; ++i)
        if (tact_pick_view_same(&identity, &v[i])) fail_msg("member %d makes no difference", i);
}

TEST(windows_are_odd_and_within_integers)
{
    tact_pick_view w;
    static const struct {
        int32_t x, y;
        uint32_t size;
        bool good;
    } rows[] = {{3, 2, 3, true},
                {3, 2, 2, false},
                {3, 2, TACT_PICK_SIZE_MAX + 1 + TACT_PICK_SIZE_MAX % 2, false},
                {INT32_MIN, 2, 3, false},
                {3, INT32_MIN, 3, false},
                {INT32_MAX, 2, 3, false},
                {3, INT32_MAX, 3, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (tact_pick_window(&identity, rows[i].x, rows[i].y, rows[i].size, &w) != rows[i].good) {
            fail_msg("row %zu: %s", i, rows[i].good ? "refused" : "taken");
        }
    }
}

TEST(depths_beyond_a_float_are_none)
{
    tact_pick_view v = identity;
    tact_pick_lens lens;
    double place[2];
    float depth;
    const float at[3] = {0.5f, 0.25f, 3e38f};
    assert_true(tact_pick_project(&v, (const float[3]){0.5f, 0.25f, 0.5f}, place, &depth));
    v.world_to_clip[10] = 3e38f;
    assert_false(tact_pick_project(&v, at, place, &depth));
    // Nor are triangles larger than numbers, or points beyond a float.
    tact_pick pick = {0};
    const double small[9] = {-9, -9, 0.5, 9, -9, 0.5, 0, 9, 0.5};
    double large[9];
    assert_true(tact_pick_lens_make(&identity, &lens));
    assert_true(tact_pick_lens_refine(&lens, small, &pick));
    for (int i = 0; i < 9; ++i)
        large[i] = small[i] * (i % 3 == 2 ? 1.0 : 1e200);
    assert_false(tact_pick_lens_refine(&lens, large, &pick));
    assert_true(tact_pick_lens_place(&lens, (const double[3]){0.5, 0.5, 0.5}, &pick));
    assert_false(tact_pick_lens_place(&lens, (const double[3]){1e60, 0.5, 0.5}, &pick));
}

TEST(weights_that_are_none_are_not_known)
{
    const float tiny = FLT_MIN / 2.0f, huge = HUGE_VALF;
    assert_int_not_equal(tact_pick_encode_barycentric(1.0f, 0.0f, 0.0f), TACT_PICK_NOTHING);
    assert_int_not_equal(tact_pick_encode_barycentric(0.0f, 1.0f, 0.0f), TACT_PICK_NOTHING);
    assert_int_not_equal(tact_pick_encode_barycentric(0.0f, 0.0f, 1.0f), TACT_PICK_NOTHING);
    assert_int_equal(tact_pick_encode_barycentric(tiny, tiny, -tiny), TACT_PICK_NOTHING);
    assert_int_equal(tact_pick_encode_barycentric(huge, 0.5f, 0.5f), TACT_PICK_NOTHING);
    assert_int_equal(tact_pick_encode_barycentric(0.5f, -huge, 0.5f), TACT_PICK_NOTHING);
    assert_int_equal(tact_pick_encode_barycentric(0.5f, 0.5f, NAN), TACT_PICK_NOTHING);
}

TEST(views_are_within_integers)
{
    size_t count;
    const tact_pick_region all = {.shape = TACT_PICK_FRAME};
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_picker* picker = KEEP(new_picker(context));
    tact_pick_view v[5] = {identity, identity, identity, identity, identity};
    v[0].width = TACT_PICK_SIZE_MAX + 1;
    v[1].height = TACT_PICK_SIZE_MAX + 1;
    v[2].left = INT32_MAX - 4;
    v[3].top = INT32_MAX - 2;
    for (int i = 0; i < 5; ++i) {
        const tact_result result = call_pick_scene(picker, scene, &v[i], &all, NULL, NULL, 0, &count, NULL, NULL);
        assert_int_equal(result, i < 4 ? TACT_ERROR_INVALID_ARGUMENT : TACT_OK);
    }
    assert_false(tact_pick_target_current(NULL, &identity, 0));
}

// ---- Image tests ----

/// What is only checked of a body that the library can read, and that does not promise it.
TEST(surfaces_are_looked_at_where_they_can_be)
{
    tact_env* env = &context->env;
    const tact_device_array array = {.backend = TACT_BACKEND_GL};
    float p[24];
    cube_corners(0, 0, 0, 1, p);
    uint32_t turned[36];
    memcpy(turned, box_indices, sizeof turned);
    const tact_image_body good = {
        .mesh = {.positions = p, .vertex_count = 8, .indices = box_indices, .triangle_count = 12}};
    bool once = false;
    assert_int_equal(tact_image_check_closed(env, &good, "A", &once), TACT_OK);
    assert_true(once);
    assert_int_equal(tact_image_check_convex(env, &good, "A"), TACT_OK);
    tact_image_body b[6] = {good, good, good, good, good, good};
    b[0].closed = b[0].convex = true;
    b[1].mesh.positions = NULL;
    b[2].mesh.device_positions = &array;
    b[3].mesh.device_indices = &array;
    b[4].mesh.triangle_count = 0;
    b[5].mesh.vertex_count = 0;
    for (int i = 0; i < 6; ++i) {
        once = true;
        assert_int_equal(tact_image_check_closed(env, &b[i], "A", &once), TACT_OK);
        assert_false(once);
        if (i != 2) assert_int_equal(tact_image_check_convex(env, &b[i], "A"), TACT_OK);
    }
    // One triangle the other way round: closed, and not one solid's surface.
    turned[0] = box_indices[1];
    turned[1] = box_indices[0];
    tact_image_body c = good;
    c.mesh.indices = turned;
    tact_image_check_closed(env, &c, "A", &once);
    assert_false(once);
}

TEST(bodies_are_checked)
{
    const tact_context_desc desc = {.cl = TACT_DEVICE_NONE, .log = quiet};
    tact_context* with = new_context(&desc);
    if (device_missing(with, TACT_BACKEND_GL)) {
        tact_context_destroy(with);
        skip_because("the device is missing");
    }
    tact_image_result r;
    tact_image_tester* tester = new_image_tester(with);
    const tact_device_array array = {.backend = TACT_BACKEND_GL};
    float p[24];
    cube_corners(0, 0, 0, 1, p);
    const tact_image_body good = {
        .mesh = {.positions = p, .vertex_count = 8, .indices = box_indices, .triangle_count = 12}};
    assert_int_equal(call_image_convex(tester, &good, &good, NULL, &r, 1), TACT_OK);
    assert_int_equal(call_image_convex(tester, &good, &good, NULL, NULL, 0), TACT_OK);
    assert_int_equal(call_image_concave(tester, &good, &good, NULL, NULL, 0), TACT_OK);
    tact_image_body b[8] = {good, good, good, good, good, good, good, good};
    static const char* const words[8] = {"vertices both on the host and on a device",
                                         "indices both on the host and on a device",
                                         "a stride of 8 bytes",
                                         "a stride of 14 bytes",
                                         "a stride of 65536 bytes",
                                         "triangle 2 refers to vertex 8, but there are 8 vertices",
                                         "1 poses, but the array is NULL",
                                         "8 vertices, but the array is NULL"};
    b[0].mesh.device_positions = &array;
    b[1].mesh.device_indices = &array;
    b[2].mesh.position_stride = 8;
    b[3].mesh.position_stride = 14;
    b[4].mesh.position_stride = 65536;
    b[5].mesh.indices = NULL;
    b[6].pose_count = 1;
    b[7].mesh.positions = NULL;
    for (int i = 0; i < 8; ++i) {
        refused(call_image_convex(tester, &b[i], &good, NULL, &r, 1), words[i]);
        refused(call_image_concave(tester, &good, &b[i], NULL, &r, 1), words[i]);
    }
    const tact_image_options method = {.method = (tact_image_method)3}, coarse = {.resolution = 1};
    refused(call_image_convex(tester, &good, &good, &method, &r, 1), "no method 3");
    refused(call_image_convex(tester, &good, &good, &coarse, &r, 1), "a resolution of 1");
    tact_image_tester_destroy(tester);
    tact_context_destroy(with);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
