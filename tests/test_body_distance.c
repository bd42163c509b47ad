// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Distances and touches of particles and bodies: trees and look-ups against brute force to the bit, and triangles
// against the geometry module, which works in double precision.
#include <float.h>
#include "tests/support/run.h"

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "core/context/context.h"
#include "cpu_ref/particles/bodies.h"
#include "tact/geometry/closest_point.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

static const char bunny_path[] = "/usr/share/glmark2/models/bunny.obj";

static tact_env* env(void)
{
    return &context->env;
}

static void random_pose(test_random* r, float size, tact_body_pose* pose)
{
    const double angle = 6.28 * (double)test_random_unit(r), tilt = 6.28 * (double)test_random_unit(r);
    const double c = cos(angle), s = sin(angle), d = cos(tilt), t = sin(tilt);
    const double rows[9] = {c, -s * d, s * t, s, c * d, -c * t, 0, t, d};
    for (int i = 0; i < 9; ++i)
        pose->rotation[i] = (float)rows[i];
    pose->position =
        (tact_vec3){size * test_random_signed(r), size * test_random_signed(r), size * test_random_signed(r)};
}

static tact_particle_body body_of(const tact_model_mesh* mesh, float scale, const tact_body_pose* pose)
{
    float* scaled = scratch((3 * mesh->vertex_count + 1) * sizeof *scaled);
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
        scaled[i] = mesh->positions[i] * scale;
    const tact_mesh_desc desc = {.positions = scaled,
                                 .vertex_count = mesh->vertex_count,
                                 .indices = mesh->indices,
                                 .triangle_count = mesh->triangle_count};
    tact_particle_body body = {0};
    assert_int_equal(tact_body_make_mesh(env(), 1, &desc, &body), TACT_OK);
    body.pose = *pose;
    body.frame = tact_body_frame(pose);
    return body;
}

/// A point of a triangle: a corner, on an edge, inside, or beside it, and moved off it or not.
static void point_near(test_random* r, const tact_body_triangle* t, float size, float p[3])
{
    const uint32_t kind = test_random_below(r, 5);
    float u = test_random_unit(r), v = test_random_unit(r);
    if (kind == 0) u = v = 0.0f;
    if (kind == 1) v = 0.0f;
    if (kind == 2) u = v = 0.5f;
    if (kind == 3) u = 1.0f;
    const float off =
        test_random_below(r, 3) == 0 ? 0.0f : size * ldexpf(test_random_unit(r), -(int)test_random_below(r, 12));
    for (int k = 0; k < 3; ++k) {
        p[k] = t->a[k] + u * (t->b[k] - t->a[k]) + v * (t->c[k] - t->a[k]);
        p[k] = kind == 4 ? size * 2.0f * test_random_signed(r) : p[k] + off * test_random_signed(r);
    }
}

static void compare(const char* what, const tact_particle_body* body, const float p[3], float radius)
{
    tact_body_touch fast[TACT_BODY_TOUCHES], slow[TACT_BODY_TOUCHES];
    memset(fast, 0, sizeof fast);
    memset(slow, 0, sizeof slow);
    const size_t n = tact_body_touches(body, p, radius, fast);
    const size_t m = tact_body_touches_reference(body, p, radius, slow);
    if (n != m || memcmp(fast, slow, sizeof fast) != 0) {
        fail_msg("%s: at %a %a %a, radius %a: %zu touches (first: triangle %u at %a), by definition %zu (%u at %a)",
                 what, (double)p[0], (double)p[1], (double)p[2], (double)radius, n, (unsigned)fast[0].triangle,
                 (double)fast[0].distance, m, (unsigned)slow[0].triangle, (double)slow[0].distance);
    }
    float normals[2][3];
    const float a = tact_body_distance(body, p, radius, normals[0]);
    const float b = tact_body_distance_reference(body, p, radius, normals[1]);
    if (memcmp(&a, &b, sizeof a) != 0 || memcmp(normals[0], normals[1], sizeof normals[0]) != 0) {
        fail_msg("%s: distance %a, by definition %a", what, (double)a, (double)b);
    }
}

static void check_mesh(const char* name, const tact_model_mesh* mesh, size_t points, uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    const int exponents[] = {0, -40, 40};
    for (int e = 0; e < 3; ++e) {
        const float scale = ldexpf(1.0f, exponents[e]);
        tact_body_pose pose = {0};
        if (e > 0) random_pose(&r, scale, &pose);
        tact_particle_body body = body_of(mesh, scale, &pose);
        char what[96];
        snprintf(what, sizeof what, "%s, scale 2^%d", name, exponents[e]);
        for (size_t i = 0; i < points && body.triangle_count > 0; ++i) {
            float p[3] = {0}, at[3];
            const uint32_t k = test_random_below(&r, (uint32_t)body.triangle_count);
            point_near(&r, &body.triangles[k], scale, p);
            // Into the world: rounded, but as good a point.
            const TactVec turned = tact_frame_turn(body.frame, p[0], p[1], p[2]);
            at[0] = turned.x + body.frame.tx;
            at[1] = turned.y + body.frame.ty;
            at[2] = turned.z + body.frame.tz;
            compare(what, &body, at, scale * ldexpf(0.5f + test_random_unit(&r), 1 - (int)test_random_below(&r, 8)));
        }
        tact_body_free(env(), &body);
    }
}

TEST(test_trees_answer_what_brute_force_does)
{
    tact_problem problem = {0};
    tact_model_mesh mesh;
    assert_true(tact_mesh_icosphere(3, &mesh, &problem));
    check_mesh("icosphere", &mesh, 400, 1);
    tact_model_mesh_free(&mesh);
    assert_true(tact_mesh_terrain(24, 5, &mesh, &problem));
    check_mesh("terrain", &mesh, 400, 2);
    tact_model_mesh_free(&mesh);
    assert_true(tact_mesh_needles(800, 7, &mesh, &problem));
    check_mesh("needles", &mesh, 400, 3);
    tact_model_mesh_free(&mesh);
    assert_true(tact_mesh_degenerate(600, 9, &mesh, &problem));
    check_mesh("degenerate", &mesh, 400, 4);
    tact_model_mesh_free(&mesh);
    if (!tact_mesh_file_read(bunny_path, &mesh, &problem)) {
        leave_out("the bunny (package glmark2-data)");
        return;
    }
    check_mesh("bunny", &mesh, 15, 5);
    tact_model_mesh_free(&mesh);
}

static void random_triangle(test_random* r, float t[3][3])
{
    const uint32_t kind = test_random_below(r, 6);
    for (int i = 0; i < 9; ++i)
        t[i / 3][i % 3] = test_random_signed(r);
    const float thin = ldexpf(1.0f, -(int)test_random_below(r, 26));
    const float u = test_random_unit(r);
    for (int k = 0; k < 3; ++k) {
        if (kind == 1) t[2][k] = t[0][k] + u * (t[1][k] - t[0][k]) + thin * t[2][k];  // a needle, blunt
        if (kind == 2) t[2][k] = t[0][k] + thin * t[2][k];                            // a needle, sharp
        if (kind == 3) t[2][k] = t[1][k];                                             // a line
        if (kind == 4) t[1][k] = t[2][k] = t[0][k];                                   // a point
        if (kind == 5) t[2][k] = t[0][k] + 2.0f * (t[1][k] - t[0][k]);                // a line through three
    }
}

/// The distance is right to a part of the triangle's and the distance's size; so is the place where the normal leads.
TEST(test_distances_and_normals_are_true)
{
    test_random r = test_random_seeded(11);
    double worst = 0.0, worst_place = 0.0;
    for (int round = 0; round < 400000; ++round) {
        float t[3][3];
        random_triangle(&r, t);
        tact_body_triangle own = {0};
        memcpy(own.a, t[0], sizeof own.a);
        memcpy(own.b, t[1], sizeof own.b);
        memcpy(own.c, t[2], sizeof own.c);
        float p[3];
        point_near(&r, &own, ldexpf(1.0f, 2 - (int)test_random_below(&r, 20)), p);
        const tact_triangle exact = {
            {t[0][0], t[0][1], t[0][2]}, {t[1][0], t[1][1], t[1][2]}, {t[2][0], t[2][1], t[2][2]}};
        const tact_closest c = tact_closest_on_triangle((tact_vec3){p[0], p[1], p[2]}, &exact);
        const TactNear n = tact_triangle_near(p[0], p[1], p[2], t[0][0], t[0][1], t[0][2], t[1][0], t[1][1], t[1][2],
                                              t[2][0], t[2][1], t[2][2], FLT_MAX);
        const double d = (double)tact_sqrt(n.d2);
        const double size = 4.0 + fabs((double)p[0]) + fabs((double)p[1]) + fabs((double)p[2]);
        const double error = fabs(d - (double)c.distance) / size;
        worst = error > worst ? error : worst;
        const TactVec normal = tact_near_normal(n.gx, n.gy, n.gz);
        assert_true(fabsf(tact_length3(normal.x, normal.y, normal.z) - 1.0f) < 0x1p-20f);
        // The square of how far the normal leads beside the triangle is lost in its length.
        const tact_closest end = tact_closest_on_triangle(
            (tact_vec3){(float)((double)p[0] - d * (double)normal.x), (float)((double)p[1] - d * (double)normal.y),
                        (float)((double)p[2] - d * (double)normal.z)},
            &exact);
        const double place = (double)end.distance / (size + d);
        worst_place = place > worst_place ? place : worst_place;
        if (error > 0x1p-21 || place > 0x1p-17) {
            fail_msg("round %d: distance %a, truly %a; the normal leads %a beside it", round, d, (double)c.distance,
                     (double)end.distance);
        }
    }
    print_message("largest error of a distance 2^%.2f of the size; a normal leads 2^%.2f beside the triangle\n",
                  log2(worst), log2(worst_place));
}

TEST(test_scaling_by_powers_of_two_changes_nothing)
{
    test_random r = test_random_seeded(12);
    for (int round = 0; round < 20000; ++round) {
        float t[3][3], v[12];
        random_triangle(&r, t);
        memcpy(v, t, sizeof t);
        for (int k = 9; k < 12; ++k)
            v[k] = 3.0f * test_random_signed(&r);
        const float scale = ldexpf(1.0f, (int)test_random_below(&r, 81) - 40);
        float w[12];
        for (int k = 0; k < 12; ++k)
            w[k] = v[k] * scale;
        const TactNear a =
            tact_triangle_near(v[9], v[10], v[11], v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], 1e30f);
        const TactNear b =
            tact_triangle_near(w[9], w[10], w[11], w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], 1e30f);
        assert_true(a.d2 * (scale * scale) == b.d2);
        assert_true(a.gx == b.gx && a.gy == b.gy && a.gz == b.gz);
    }
}

TEST(test_flat_surroundings_count_once)
{
    test_random r = test_random_seeded(13);
    // A plane of 32 x 32 squares, turned; balls on it, above corners, edges and faces, to any depth.
    enum { SIDE = 32 };
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    assert_true(tact_mesh_terrain(SIDE, 1, &mesh, &problem));
    for (size_t i = 0; i < mesh.vertex_count; ++i)
        mesh.positions[3 * i + 1] = 0.0f;
    for (int round = 0; round < 60; ++round) {
        tact_body_pose pose = {0};
        if (round > 0) random_pose(&r, 1.0f, &pose);
        tact_particle_body body = body_of(&mesh, 1.0f, &pose);
        for (int i = 0; i < 200; ++i) {
            float x = 0.6f * test_random_signed(&r), z = 0.6f * test_random_signed(&r);
            if (i % 4 == 0) x = floorf(x * 16.0f) / 16.0f;
            if (i % 3 == 0) z = floorf(z * 16.0f) / 16.0f;
            const float radius = 0.02f + 0.2f * test_random_unit(&r),
                        height = radius * (0.05f + 0.94f * test_random_unit(&r));
            const TactVec turned = tact_frame_turn(body.frame, x, i % 2 ? height : -height, z);
            const float at[3] = {turned.x + body.frame.tx, turned.y + body.frame.ty, turned.z + body.frame.tz};
            tact_body_touch touches[TACT_BODY_TOUCHES];
            assert_int_equal(tact_body_touches(&body, at, radius, touches), 1);
            assert_true(fabsf(touches[0].distance - height) < 1e-6f);
        }
        tact_body_free(env(), &body);
    }
    tact_model_mesh_free(&mesh);
}

TEST(test_corners_of_rooms_count_thrice)
{
    const float corners[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3, 0, 3, 1};
    const tact_mesh_desc desc = {.positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 3};
    tact_particle_body body = {0};
    assert_int_equal(tact_body_make_mesh(env(), 1, &desc, &body), TACT_OK);
    body.frame = tact_body_frame(&body.pose);
    const float at[3] = {0.75f, 0.5f, 0.25f};
    tact_body_touch touches[TACT_BODY_TOUCHES];
    assert_int_equal(tact_body_touches(&body, at, 1.0f, touches), 3);
    assert_int_equal(touches[0].triangle, 0);
    assert_true(touches[0].nz == 1.0f && touches[0].distance == 0.25f);
    assert_true(touches[1].ny == 1.0f && touches[1].distance == 0.5f);
    assert_true(touches[2].nx == 1.0f && touches[2].distance == 0.75f);
    // Outside, over the edge of two faces: that edge is one contact.
    const float outside[3] = {2.0f, -0.3f, -0.4f};
    assert_int_equal(tact_body_touches(&body, outside, 1.0f, touches), 1);
    assert_true(fabsf(touches[0].distance - 0.5f) < 1e-6f);
    tact_body_free(env(), &body);
}

static void fill_heights(test_random* r, uint32_t kind, float* heights, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        heights[i] = test_random_signed(r);
        if (kind == 1) heights[i] *= 40.0f;
        if (kind == 2) heights[i] = 0.0f;
        if (kind == 3 && test_random_below(r, 5) == 0) heights[i] = NAN;
        if (kind == 4 && test_random_below(r, 9) == 0) heights[i] = 1e17f;
        if (kind == 5) heights[i] = NAN;
    }
}

TEST(test_height_fields_answer_what_brute_force_does)
{
    enum { COLUMNS = 23, ROWS = 17 };
    test_random r = test_random_seeded(14);
    for (uint32_t round = 0; round < 36; ++round) {
        float heights[COLUMNS * ROWS];
        fill_heights(&r, round % 6, heights, sizeof heights / sizeof *heights);
        const float step = ldexpf(0.5f + test_random_unit(&r), (int)test_random_below(&r, 5) - 3);
        // Every third one has its steps as small against its place as they may be.
        const float far = round % 3 == 0 ? ldexpf(step, 17) : 3.0f;
        const tact_height_field_desc desc = {.heights = heights,
                                             .columns = COLUMNS,
                                             .rows = ROWS,
                                             .step_x = step,
                                             .step_z = 1.5f * step,
                                             .origin = {far, -2.0f, -0.5f * far}};
        tact_particle_body body = {0};
        assert_int_equal(tact_body_make_field(env(), &desc, &body), TACT_OK);
        body.frame = tact_body_frame(&body.pose);
        for (int i = 0; i < 300; ++i) {
            float p[3] = {desc.origin.x + step * 30.0f * (test_random_unit(&r) - 0.15f),
                          -2.0f + 3.0f * test_random_signed(&r),
                          desc.origin.z + step * 30.0f * (test_random_unit(&r) - 0.15f)};
            if (i % 5 == 0) p[0] = desc.origin.x + step * floorf(20.0f * test_random_unit(&r));
            if (i % 7 == 0) p[1] = -2.0f;
            if (i % 50 == 0) p[i % 3] *= 1e6f;
            const float radius = (i % 50 == 0 ? 1.2e6f * (fabsf(far) + 5.0f) : 1.0f) *
                                 ldexpf(0.5f + test_random_unit(&r), 2 - (int)test_random_below(&r, 6));
            compare("height field", &body, p, radius);
        }
        tact_body_free(env(), &body);
    }
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
