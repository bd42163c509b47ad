// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts of shapes through sets of bodies, against distances in double precision at many places of the way.
#include "tests/support/run.h"

#include "tact/geometry/ray.h"
#include "tests/support/cast_scene.h"
#include "tests/support/effort.h"
#include "tests/support/quiet.h"

static tact_body_cast cast_of(test_random* r, uint32_t shape, double from, double half, bool turns)
{
    tact_body_cast c = {.shape = shape, .from = somewhere(r, from, half)};
    c.from.scale = test_random_below(r, 2) ? 1.0f : 0.6f;
    c.to = somewhere(r, from, half);
    if (!turns) c.to.rotation = c.from.rotation;
    c.margin = test_random_below(r, 4) ? 0.0f : 0.05f;
    return c;
}

TEST(a_cast_ends_where_its_shape_begins_to_touch)
{
    test_random r = test_random_seeded(1);
    tally t = {0};
    for (size_t round = 0; round < effort(12, 200); ++round) {
        const double far = round % 3 == 2 ? 1e7 : 0.0;
        scene* s = scene_of_kinds(&r, far, 2.5);
        enum { CASTS = 28 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit hits[MOST];
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i % CONVEX, far, 3.0, i % 4 != 0);
        assert_int_equal(run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, hits, NULL), CASTS);
        for (uint32_t i = 0; i < CASTS; ++i)
            check_cast(s, &casts[i], &hits[i], 60, &t);
    }
    print_message("%zu parts hit, %zu not; latest by %g, earliest by %g of the sizes, %zu by more than is promised\n",
                  t.hits, t.misses, t.latest, t.earliest, t.slow);
    assert_true(t.hits > 20 && t.misses > 500 && t.slow <= 1 && t.earliest < 2e-3);
}

/// Whether a ray that goes on from where it is said to touch goes through a triangle before.
static void check_ray(const scene* s, const tact_body_cast* c, double fraction, size_t* through)
{
    for (uint32_t b = 0; b < s->count; ++b) {
        const tact_body* body = &s->bodies[b];
        const model* m = &s->models[body->shape];
        const double origin[3] = {body->pose.x, body->pose.y, body->pose.z}, zero[3] = {0, 0, 0};
        double q[4], from[3], to[3], p[4];
        unit(&body->pose.rotation, q);
        pose_of(c, 0.0, origin, p, from);
        pose_of(c, 1.0, origin, p, to);
        for (uint32_t i = 0; i < m->count; ++i) {
            const solid own = placed(&m->part[i], q, (double)body->pose.scale, zero);
            if (own.count != 3) continue;
            tact_triangle t;
            tact_vec3* const corners[3] = {&t.a, &t.b, &t.c};
            for (int k = 0; k < 3; ++k)
                *corners[k] = (tact_vec3){(float)own.point[k][0], (float)own.point[k][1], (float)own.point[k][2]};
            const tact_ray ray = {.ox = (float)from[0],
                                  .oy = (float)from[1],
                                  .oz = (float)from[2],
                                  .dx = (float)(to[0] - from[0]),
                                  .dy = (float)(to[1] - from[1]),
                                  .dz = (float)(to[2] - from[2]),
                                  .tmax = 1.0f};
            const tact_ray_surface_hit hit = tact_ray_triangle_watertight(&ray, &t);
            if (!hit.hit) continue;
            ++*through;
            if ((double)hit.t < fraction - 1e-5)
                fail_msg("body %u part %u: the ray goes through it at %g, before %g", b, i, (double)hit.t, fraction);
        }
    }
}

/// Balls of any radius that do not turn, points among them, also on flat hulls, rods, needles of triangles and sharp
/// edges; many go by grazing.
TEST(rays_and_balls_end_where_they_touch)
{
    test_random r = test_random_seeded(6);
    tally t = {0};
    size_t through = 0;
    for (size_t round = 0; round < effort(16, 100); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene(s);
        add_kinds(s, &r);
        const tact_vec3 flat[4] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.1f, -0.8f, 0}};
        const tact_vec3 needle[4] = {{0, 0, 0}, {2, 0, 0}, {2, 1e-3f, 0}, {1, 1e-4f, 1}};
        const uint32_t needles[6] = {0, 1, 2, 0, 3, 1};
        const uint32_t ball = add_shape(s, (tact_body_shape){.radius = 0.5f}),
                       point = add_shape(s, (tact_body_shape){.radius = 0.0f});
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_HULL, .points = flat, .point_count = 4});
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_HULL, .points = flat, .point_count = 2});
        add_shape(
            s,
            (tact_body_shape){
                .kind = TACT_BODY_MESH, .points = needle, .point_count = 4, .triangles = needles, .triangle_count = 2});
        const double far = round % 3 == 2 ? 1e7 : 0.0;
        for (uint32_t i = 0; i < KINDS + 5; ++i)
            add_body(s, i, somewhere(&r, far, 3.0));
        enum { CASTS = 90 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit hits[CASTS];
        for (uint32_t i = 0; i < CASTS; ++i) {
            casts[i] = cast_of(&r, i % 3 ? point : ball, far, 4.0, false);
            tact_body_cast* c = &casts[i];
            if (i % 3 == 0) c->from.scale = i % 2 ? 0.02f : 0.5f;
            c->to.scale = c->from.scale;
            if (i % 9) c->margin = 0.0f;
            // To the place of a body, and as far beyond; or along an axis.
            const tact_pose* to = &s->bodies[i % (KINDS + 5)].pose;
            if (i % 2) {
                const double beside = 1e-3 * (double)test_random_signed(&r);
                c->to.x = 2.0 * to->x - c->from.x + beside;
                c->to.y = 2.0 * to->y - c->from.y;
                c->to.z = 2.0 * to->z - c->from.z;
            } else if (i % 4 == 0) {
                c->to.x = c->from.x;
                c->to.y = c->from.y;
            }
        }
        assert_int_equal(run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, hits, NULL), CASTS);
        for (uint32_t i = 0; i < CASTS; ++i) {
            check_cast(s, &casts[i], &hits[i], 12, &t);
            check_ray(s, &casts[i], hits[i].fraction, &through);
        }
    }
    print_message("%zu parts hit, %zu not; latest by %g, earliest by %g of the sizes, %zu by more than is promised\n",
                  t.hits, t.misses, t.latest, t.earliest, t.slow);
    print_message("%zu go through a triangle\n", through);
    assert_true(t.hits > 30 && t.misses > 1000 && t.slow == 0 && through > 5);
}

TEST(all_hits_are_those_of_each_part_alone)
{
    test_random r = test_random_seeded(2);
    tally t = {0};
    for (size_t round = 0; round < effort(4, 60); ++round) {
        scene* s = scene_of_kinds(&r, 0.0, 1.5);
        enum { CASTS = 14 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit all[MOST], first[MOST];
        uint64_t offsets[CASTS + 1];
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i % CONVEX, 0.0, 3.0, i % 2 != 0);
        const size_t count = run(s, casts, CASTS, TACT_BODY_CASTS_ALL, all, offsets);
        run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, first, NULL);
        assert_int_equal(offsets[0], 0);
        assert_int_equal(offsets[CASTS], count);
        for (uint32_t i = 0; i < CASTS; ++i) {
            bool touched[KINDS][MOST_PARTS] = {{false}};
            for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
                assert_int_equal(all[k].cast, i);
                touched[all[k].body][all[k].part] = true;
                check_part(s, &casts[i], all[k].body, all[k].part, 0, all[k].fraction, true, 60, &t);
                if (k > offsets[i]) assert_true(all[k - 1].fraction <= all[k].fraction);
            }
            for (uint32_t b = 0; b < KINDS; ++b) {
                for (uint32_t p = 0; p < s->models[b].count; ++p)
                    if (!touched[b][p]) check_part(s, &casts[i], b, p, 0, 1.0, false, 60, &t);
            }
            if (offsets[i] < offsets[i + 1])
                assert_memory_equal(&all[offsets[i]], &first[i], sizeof *first);
            else
                assert_int_equal(first[i].body, 0xffffffffu);
        }
        // With too little room nothing is lost.
        size_t needed = 0;
        const tact_body_casts_work work = {.casts = casts,
                                           .cast_count = CASTS,
                                           .mode = TACT_BODY_CASTS_ALL,
                                           .hits = first,
                                           .capacity = 1,
                                           .count = &needed};
        assert_int_equal(tact_body_casts_find(s->set, &work, NULL, NULL), count > 1 ? TACT_INCOMPLETE : TACT_OK);
        assert_int_equal(needed, count);
        size_t kept = 0;
        const tact_body_cast_hit* last = tact_body_casts_last(s->set, &kept);
        assert_int_equal(kept, count);
        if (count > 0) assert_memory_equal(last, all, count * sizeof *all);
    }
    print_message("%zu parts hit, %zu not; earliest by %g of the sizes, %zu slow\n", t.hits, t.misses, t.earliest,
                  t.slow);
    assert_true(t.hits > 10 && t.slow <= 1 && t.earliest < 2e-3);
}

TEST(a_ball_falls_on_a_half_space)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    add_body(&s, plane, pose_at(100.0, 1.0, -50.0));
    const tact_body_cast_hit hit =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, 3.5, 0), .to = pose_at(8, -0.5, 0)});
    // From 2 above to 2 below where it touches.
    assert_float_equal((float)hit.fraction, 0.5f, 1e-5f);
    assert_true(hit.body == 0 && hit.normal.y == 1.0f);
    assert_float_equal(hit.at.x, -96.0f, 1e-3f);
    assert_float_equal(hit.at.y, 0.0f, 1e-5f);
    const tact_body_cast_hit away =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, 1.6, 0), .to = pose_at(1e9, 1.6, 0)});
    assert_int_equal(away.body, 0xffffffffu);
    const tact_body_cast_hit inside =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, -1e6, 0), .to = pose_at(0, 9.0, 0)});
    assert_true(inside.fraction == 0.0 && inside.normal.y == 1.0f);
    const tact_body_cast_hit deep =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, 1e9, 0), .to = pose_at(0, -1e9, 0)});
    assert_true(deep.body == 0 && deep.fraction <= 0.5 && deep.fraction > 0.4999999);
}

/// However far a step goes, and however thin the wall: a sheet of triangles, a flat box, and a wire.
TEST(nothing_tunnels_through_a_wall)
{
    test_random r = test_random_seeded(3);
    scene* s = scratch(sizeof *s);
    open_scene(s);
    add_kinds(s, &r);
    const tact_vec3 corners[4] = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    const uint32_t walls[3] = {
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_MESH,
                                       .points = corners,
                                       .point_count = 4,
                                       .triangles = triangles,
                                       .triangle_count = 2}),
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {9, 9, 0}}),
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_HULL, .points = corners, .point_count = 4})};
    for (int wall = 0; wall < 3; ++wall) {
        const uint32_t id = add_body(s, walls[wall], pose_at(0, 0, 0));
        for (uint32_t i = 0; i < 20 * CONVEX; ++i) {
            tact_body_cast c = cast_of(&r, i % CONVEX, 0.0, 2.0, i % 2);
            const double far = i % 3 ? 4.0 : 4e5;
            c.from.z = -far;
            c.to.z = far;
            const tact_body_cast_hit hit = one_cast(s, c);
            if (hit.body != id) fail_msg("shape %u gets through wall %d", i % CONVEX, wall);
            if (!(hit.fraction > 0.0 && hit.fraction < 0.6 && hit.normal.z < -0.9f))
                fail_msg("shape %u, wall %d: %g, normal %g %g %g", i % CONVEX, wall, hit.fraction, (double)hit.normal.x,
                         (double)hit.normal.y, (double)hit.normal.z);
        }
        assert_int_equal(tact_bodies_remove(s->set, &id, 1), TACT_OK);
    }
}

/// At a speed of 1,000 km a step a ball of a centimetre passes by one of its size, or does not, by a hair.
TEST(long_ways_do_not_blur_what_is_touched)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.01f});
    add_body(&s, ball, pose_at(4e5, 0, 0));
    for (int i = 0; i < 2; ++i) {
        const double beside = i ? 0.019999 : 0.020001;
        const tact_body_cast_hit hit =
            one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, beside, 0), .to = pose_at(1e6, beside, 0)});
        assert_int_equal(hit.body, i ? 0 : 0xffffffffu);
        if (i) assert_float_equal((float)hit.fraction, 0.4f, 1e-6f);
    }
}

TEST(an_overlap_at_the_start_has_the_contact_there)
{
    scene s;
    open_scene(&s);
    const uint32_t box = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 1, 1}});
    add_body(&s, box, pose_at(0, 0, 0));
    tact_body_cast c = {.shape = box, .from = pose_at(0.25, 1.75, 0.25), .to = pose_at(5, 5, 5)};
    tact_body_cast_hit hit = one_cast(&s, c);
    assert_true(hit.body == 0 && hit.fraction == 0.0 && hit.normal.y == 1.0f);
    assert_float_equal(hit.at.y, 1.0f, 1e-5f);
    // The same without a motion; and apart, without a motion, nothing, unless the margin reaches.
    c.to = c.from;
    assert_true(one_cast(&s, c).fraction == 0.0);
    c.from.y = c.to.y = 2.25;
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
    c.margin = 0.5f;
    hit = one_cast(&s, c);
    assert_true(hit.body == 0 && hit.fraction == 0.0 && hit.normal.y == 1.0f);
    assert_float_equal(hit.at.y, 1.0f, 1e-5f);
}

/// So overlaps are asked for.
TEST(what_does_not_move_hits_what_it_overlaps)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 1.0f}),
                   box = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 1, 1}});
    for (uint32_t i = 0; i < 5; ++i)
        add_body(&s, i % 2 ? box : ball, (tact_pose){.x = 1.5 * i, .rotation = {0, 0, 0, 1}});
    tact_body_cast c = {.shape = box, .from = {.x = 2.625}, .to = {.x = 2.625}};
    tact_body_cast_hit hits[MOST];
    assert_int_equal(run(&s, &c, 1, TACT_BODY_CASTS_ALL, hits, NULL), 3);
    for (uint32_t i = 0; i < 3; ++i)
        assert_true(hits[i].body == i + 1 && hits[i].fraction == 0.0);
    c.from.x = c.to.x = -20.0;
    assert_int_equal(run(&s, &c, 1, TACT_BODY_CASTS_ALL, hits, NULL), 0);
}

/// A rod turns by 90 degrees about its middle; nothing else moves.
TEST(a_turn_alone_touches_what_it_sweeps)
{
    scene s;
    open_scene(&s);
    const uint32_t rod =
        add_shape(&s, (tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = 0.125f, .half = {0, 2, 0}});
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.125f});
    // At 45 degrees, 1.5 from the middle.
    add_body(&s, ball, pose_at(-1.0606601717798212, 1.0606601717798212, 0));
    const tact_body_cast c = {.shape = rod, .to = {.rotation = {0, 0, 0.70710678f, 0.70710678f}}};
    const tact_body_cast_hit hit = one_cast(&s, c);
    // It touches 0.25 before: the sine of what is left of the angle is 1 / 6.
    const double angle = 0.7853981633974483 - asin(1.0 / 6.0), half = 0.5 * angle;
    // Of the chord between both quaternions, whose end is at 45 degrees.
    const double along = tan(half) / (tan(half) * (1.0 - 0.7071067811865476) + 0.7071067811865476);
    assert_int_equal(hit.body, 0);
    assert_float_equal((float)hit.fraction, (float)along, 2e-5f);
    tally t = {0};
    check_cast(&s, &c, &hit, 100, &t);
    assert_int_equal(t.slow, 0);
    // The shorter way, for either sign of the quaternion.
    tact_body_cast other = c;
    other.to.rotation = (tact_quat){0, 0, -0.70710678f, -0.70710678f};
    const tact_body_cast_hit same = one_cast(&s, other);
    assert_memory_equal(&same, &hit, sizeof hit);
}

/// A blob far from its shape's position, behind it at first: no point of it comes nearer to the wall to begin with.
TEST(what_swings_round_from_behind_is_not_missed)
{
    scene s;
    open_scene(&s);
    tact_vec3 points[8];
    for (int i = 0; i < 8; ++i)
        points[i] = (tact_vec3){i & 1 ? 0.1f : -0.1f, i & 2 ? -2.9f : -3.1f, i & 4 ? 0.1f : -0.1f};
    const uint32_t blob = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = 8});
    const uint32_t wall = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 0, 9}});
    add_body(&s, wall, pose_at(0, 2, 0));
    tact_body_cast c = {.shape = blob, .to = {.rotation = {1, 0, 0, 0}}};
    tally t = {0};
    for (int i = 0; i < 2; ++i) {
        const tact_body_cast_hit hit = one_cast(&s, c);
        assert_int_equal(hit.body, 0);
        check_cast(&s, &c, &hit, 200, &t);
        c.to.rotation = (tact_quat){0.9f, 0.1f, 0, -0.3f};
    }
    assert_int_equal(t.slow, 0);
}

TEST(of_equal_hits_the_smaller_id_is_first)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    for (int i = 0; i < 3; ++i)
        add_body(&s, ball, pose_at(4, 0.25, 0));
    const tact_body_cast c = {.shape = ball, .to = pose_at(20, 0, 0)};
    assert_int_equal(one_cast(&s, c).body, 0);
    tact_body_cast_hit hits[MOST];
    assert_int_equal(run(&s, &c, 1, TACT_BODY_CASTS_ALL, hits, NULL), 3);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(hits[i].body, i);
}

/// Scenes of every kind of shape, half-spaces too, on the device as on the CPU.
static void run_on(tact_backend backend)
{
    const tact_context_desc desc = {.gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .log = quiet};
    tact_context* context = KEEP(new_context(&desc));
    if (device_missing(context, backend)) return;
    test_random r = test_random_seeded(5);
    for (size_t round = 0; round < effort(2, 20); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene_in(s, context);
        add_kinds(s, &r);
        const uint32_t plane = add_shape(s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
        const double far = round % 2 ? 1e7 : 0.0;
        for (uint32_t i = 0; i < 3 * KINDS; ++i)
            add_body(s, i % KINDS, somewhere(&r, far, 4.0));
        add_body(s, plane, pose_at(far, -3.0, 0));
        enum { CASTS = 700 };
        tact_body_cast* casts = scratch(CASTS * sizeof *casts);
        tact_body_cast_hit *hits = scratch(2 * MOST * sizeof *hits), *expected = scratch(2 * MOST * sizeof *hits);
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i % CONVEX, far, 5.0, i % 4 != 0);
        size_t count[2] = {0};
        for (int k = 0; k < 2; ++k) {
            const tact_query_options options = {.backend = k ? backend : TACT_BACKEND_CPU, .no_fallback = true};
            const tact_body_casts_work work = {.casts = casts,
                                               .cast_count = CASTS,
                                               .mode = TACT_BODY_CASTS_ALL,
                                               .hits = k ? hits : expected,
                                               .capacity = (size_t)2 * MOST,
                                               .count = &count[k]};
            assert_int_equal(tact_body_casts_find(s->set, &work, &options, NULL), TACT_OK);
        }
        assert_int_equal(count[0], count[1]);
        assert_true(count[0] > CASTS);
        assert_memory_equal(hits, expected, count[0] * sizeof *hits);
    }
}

TEST(opengl_casts_as_the_cpu_does)
{
    run_on(TACT_BACKEND_GL);
}

TEST(opencl_casts_as_the_cpu_does)
{
    run_on(TACT_BACKEND_CL);
}

/// 10,000 km from the origin casts end where they end there, as closely as a touch is found at all.
TEST(casts_are_as_good_far_from_the_origin)
{
    test_random r = test_random_seeded(4);
    scene *near_by = scratch(sizeof *near_by), *far_off = scratch(sizeof *far_off);
    open_scene(near_by);
    open_scene(far_off);
    const test_random same = r;
    add_kinds(near_by, &r);
    r = same;
    add_kinds(far_off, &r);
    enum { CASTS = 70 };
    tact_body_cast casts[CASTS], moved[CASTS];
    tact_body_cast_hit hits[MOST], there[MOST];
    for (uint32_t i = 0; i < 2 * KINDS; ++i) {
        tact_pose p = somewhere(&r, 0.0, 2.5);
        p.x = floor(p.x * 65536.0) / 65536.0;
        add_body(near_by, i % KINDS, p);
        p.x += 1e7;
        add_body(far_off, i % KINDS, p);
    }
    for (uint32_t i = 0; i < CASTS; ++i) {
        casts[i] = cast_of(&r, i % CONVEX, 0.0, 4.0, i % 2);
        casts[i].from.x = floor(casts[i].from.x * 65536.0) / 65536.0;
        casts[i].to.x = floor(casts[i].to.x * 65536.0) / 65536.0;
        moved[i] = casts[i];
        moved[i].from.x += 1e7;
        moved[i].to.x += 1e7;
    }
    run(near_by, casts, CASTS, TACT_BODY_CASTS_FIRST, hits, NULL);
    run(far_off, moved, CASTS, TACT_BODY_CASTS_FIRST, there, NULL);
    size_t touched = 0;
    for (uint32_t i = 0; i < CASTS; ++i) {
        touched += hits[i].body != 0xffffffffu;
        assert_int_equal(hits[i].body, there[i].body);
        assert_float_equal((float)hits[i].fraction, (float)there[i].fraction, 1e-4f);
    }
    assert_true(touched > CASTS / 3);
}

TEST(categories_and_removed_bodies_are_kept_apart)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    for (int i = 0; i < 3; ++i) {
        const tact_body body = {.shape = ball, .pose = pose_at(2.0 + 2.0 * i, 0, 0), .categories = {1u << i, 0xff}};
        assert_int_equal(tact_bodies_add(s.set, &body, 1, NULL), TACT_OK);
    }
    tact_body_cast c = {.shape = ball, .to = pose_at(20, 0, 0)};
    assert_int_equal(one_cast(&s, c).body, 0);
    c.categories = (tact_categories){1, 6};
    assert_int_equal(one_cast(&s, c).body, 1);
    c.categories = (tact_categories){0x100, 7};
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
    c.categories = (tact_categories){1, 6};
    const uint32_t second = 1;
    assert_int_equal(tact_bodies_remove(s.set, &second, 1), TACT_OK);
    assert_int_equal(one_cast(&s, c).body, 2);
    const uint32_t third = 2;
    const tact_pose away = pose_at(0, 90, 0);
    assert_int_equal(tact_bodies_move(s.set, &third, &away, 1), TACT_OK);
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
}

/// A surface with one side lets through what comes from behind.
TEST(one_sided_surfaces_are_touched_in_front_alone)
{
    scene s;
    open_scene(&s);
    const tact_vec3 corners[3] = {{-9, 0, -9}, {0, 0, 9}, {9, 0, -9}};
    const uint32_t triangle[3] = {0, 1, 2};
    const uint32_t sheet = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_MESH,
                                                           .points = corners,
                                                           .point_count = 3,
                                                           .triangles = triangle,
                                                           .triangle_count = 1,
                                                           .one_sided = true});
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    add_body(&s, sheet, pose_at(0, 0, 0));
    const tact_body_cast down = {.shape = ball, .from = pose_at(0, 4, 0), .to = pose_at(0, -4, 0)};
    const tact_body_cast up = {.shape = ball, .from = pose_at(0, -4, 0), .to = pose_at(0, 4, 0)};
    assert_int_equal(one_cast(&s, down).body, 0);
    assert_true(one_cast(&s, down).normal.y == 1.0f);
    assert_int_equal(one_cast(&s, up).body, 0xffffffffu);
}

static void expect_refused(scene* s, tact_body_cast cast)
{
    tact_body_cast_hit hit;
    size_t count = 9;
    const tact_body_casts_work work = {.casts = &cast, .cast_count = 1, .hits = &hit, .capacity = 1, .count = &count};
    assert_int_equal(tact_body_casts_find(s->set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
    assert_null(tact_body_casts_last(s->set, &count));
}

TEST(casts_that_are_none_are_refused)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    add_body(&s, ball, pose_at(0, 0, 0));
    const double bad[3] = {(double)NAN, (double)INFINITY, 0x1p41};
    for (int i = 0; i < 3; ++i) {
        expect_refused(&s, (tact_body_cast){.from = pose_at(bad[i], 0, 0)});
        expect_refused(&s, (tact_body_cast){.to = pose_at(0, 0, bad[i])});
        expect_refused(&s, (tact_body_cast){.from = {.rotation = {(float)bad[i], 0, 0, 1}}});
        expect_refused(&s, (tact_body_cast){.to = {.rotation = {0, 0, 0, (float)bad[i]}}});
        expect_refused(&s, (tact_body_cast){.from = {.scale = (float)bad[i]}});
        expect_refused(&s, (tact_body_cast){.margin = (float)bad[i]});
    }
    expect_refused(&s, (tact_body_cast){.margin = -1.0f});
    expect_refused(&s, (tact_body_cast){.from = {.scale = 2.0f}, .to = {.scale = 3.0f}});
    expect_refused(&s, (tact_body_cast){.shape = 2});
    expect_refused(&s, (tact_body_cast){.shape = plane});
    size_t count = 9;
    const tact_body_casts_work wrong = {.mode = (tact_body_casts_mode)2, .count = &count};
    assert_int_equal(tact_body_casts_find(s.set, &wrong, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    // So is a set without bodies, or without any that has an end.
    scene empty;
    open_scene(&empty);
    add_shape(&empty, (tact_body_shape){.radius = 0.5f});
    assert_int_equal(one_cast(&empty, (tact_body_cast){.to = pose_at(9, 0, 0)}).body, 0xffffffffu);
    add_body(&empty, add_shape(&empty, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE}), pose_at(0, -9, 0));
    assert_int_equal(one_cast(&empty, (tact_body_cast){.to = pose_at(9, 0, 0)}).body, 0xffffffffu);
    assert_int_equal(one_cast(&empty, (tact_body_cast){.to = pose_at(9, -9, 0)}).body, 0);
    // None at all are allowed, and so are shapes and motions of any size.
    const tact_body_casts_work none = {.count = &count};
    assert_int_equal(tact_body_casts_find(s.set, &none, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    const float sizes[4] = {0x1p-40f, 0x1p-20f, 0x1p20f, 0x1p40f};
    for (int i = 0; i < 16; ++i) {
        const double at = i % 2 ? 0x1p40 : 0x1p-40;
        tact_body_cast c = {.shape = ball, .margin = i & 2 ? 0x1p40f : 0.0f, .from = pose_at(-at, at / 3, 0)};
        c.from.scale = sizes[i / 4];
        c.to = pose_at(at, -at / 3, 0);
        c.to.rotation = (tact_quat){0x1p-120f, 1, 0, i & 1 ? 0.0f : 0x1p-60f};
        const tact_body_cast_hit hit = one_cast(&s, c);
        assert_true(hit.fraction >= 0.0 && hit.fraction <= 1.0);
        // The line through both positions goes through the ball.
        assert_int_equal(hit.body, 0);
    }
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
