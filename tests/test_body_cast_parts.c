// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts of compounds, meshes and height fields through sets of bodies: against distances of each two parts in double
// precision at many places of the way, and of large meshes against exact overlaps of triangles.
#include "tests/support/run.h"

#include "tact/geometry/aabb.h"
#include "tact/geometry/distance.h"
#include "tact/geometry/triangle_triangle.h"
#include "tests/support/cast_scene.h"
#include "tests/support/effort.h"
#include "tests/support/quiet.h"

enum { FIELD = KINDS - 1, MESH = KINDS - 2, COMPOUND = KINDS - 3 };

/// A cast of one of the three kinds that have parts, which does not turn, turns, or turns by nearly half a turn.
static tact_body_cast cast_of(test_random* r, uint32_t number, double from, double half)
{
    tact_body_cast c = {.shape = COMPOUND + number % 3, .from = somewhere(r, from, half)};
    c.from.scale = test_random_below(r, 2) ? 1.0f : 0.6f;
    c.to = somewhere(r, from, half);
    if (number % 4 == 0) c.to.rotation = c.from.rotation;
    if (number % 4 == 1) {
        // Times nearly half a turn about a random axis.
        const tact_quat p = c.from.rotation, t = turn(r);
        const double q[4] = {(double)t.x, (double)t.y, (double)t.z, 0.01}, w = (double)p.w;
        const double x = (double)p.x, y = (double)p.y, z = (double)p.z;
        const double length = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        c.to.rotation = (tact_quat){(float)((w * q[0] + x * q[3] + y * q[2] - z * q[1]) * length),
                                    (float)((w * q[1] - x * q[2] + y * q[3] + z * q[0]) * length),
                                    (float)((w * q[2] + x * q[1] - y * q[0] + z * q[3]) * length),
                                    (float)((w * q[3] - x * q[0] - y * q[1] - z * q[2]) * length)};
    }
    c.margin = test_random_below(r, 4) ? 0.0f : 0.05f;
    return c;
}

TEST(a_cast_ends_where_its_parts_begin_to_touch)
{
    test_random r = test_random_seeded(11);
    tally t = {0};
    for (size_t round = 0; round < effort(32, 150); ++round) {
        const double far = round % 3 == 2 ? 1e7 : 0.0;
        scene* s = scene_of_kinds(&r, far, 3.0);
        enum { CASTS = 12 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit hits[MOST];
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i, far, 4.0);
        assert_int_equal(run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, hits, NULL), CASTS);
        for (uint32_t i = 0; i < CASTS; ++i)
            check_cast(s, &casts[i], &hits[i], 30, &t);
    }
    print_message("%zu parts hit, %zu not; latest by %g, earliest by %g of the sizes, %zu by more than is promised\n",
                  t.hits, t.misses, t.latest, t.earliest, t.slow);
    assert_true(t.hits > 20 && t.misses > 5000 && t.slow <= 1 && t.earliest < 2e-3);
}

TEST(all_hits_are_those_of_each_two_parts_alone)
{
    test_random r = test_random_seeded(12);
    tally t = {0};
    for (size_t round = 0; round < effort(12, 40); ++round) {
        scene* s = scene_of_kinds(&r, 0.0, 2.0);
        enum { CASTS = 12 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit all[MOST], first[MOST];
        uint64_t offsets[CASTS + 1];
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i, 0.0, 3.0);
        run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, first, NULL);
        const size_t count = run(s, casts, CASTS, TACT_BODY_CASTS_ALL, all, offsets);
        assert_int_equal(offsets[CASTS], count);
        for (uint32_t i = 0; i < CASTS; ++i) {
            bool touched[KINDS][MOST_PARTS][MOST_PARTS] = {{{false}}};
            for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
                const tact_body_cast_hit *h = &all[k], *last = k > offsets[i] ? &all[k - 1] : NULL;
                assert_int_equal(h->cast, i);
                assert_false(touched[h->body][h->part][h->cast_part]);
                touched[h->body][h->part][h->cast_part] = true;
                check_part(s, &casts[i], h->body, h->part, h->cast_part, h->fraction, true, 12, &t);
                if (!last) continue;
                assert_true(last->fraction <= h->fraction);
                if (last->fraction < h->fraction) continue;
                const uint32_t of_last[3] = {last->body, last->part, last->cast_part},
                               own[3] = {h->body, h->part, h->cast_part};
                int n = 0;
                while (n < 2 && of_last[n] == own[n])
                    ++n;
                assert_true(of_last[n] < own[n]);
            }
            for (uint32_t b = 0; b < KINDS; ++b) {
                for (uint32_t p = 0; p < s->models[b].count; ++p) {
                    for (uint32_t q = 0; q < s->models[casts[i].shape].count; ++q)
                        if (!touched[b][p][q]) check_part(s, &casts[i], b, p, q, 1.0, false, 12, &t);
                }
            }
            if (offsets[i] < offsets[i + 1])
                assert_memory_equal(&all[offsets[i]], &first[i], sizeof *first);
            else
                assert_int_equal(first[i].body, 0xffffffffu);
        }
    }
    print_message("%zu parts hit, %zu not; earliest by %g of the sizes, %zu slow\n", t.hits, t.misses, t.earliest,
                  t.slow);
    assert_true(t.hits > 100 && t.slow <= t.hits / 500 + 1 && t.earliest < 2e-3);
}

// ---- Meshes ----

/// A bumpy ball: a grid of `rings` times twice as many squares of two triangles each, flat at the poles.
typedef struct ball {
    tact_vec3* points;
    uint32_t* triangles;
    uint32_t point_count, triangle_count;
} ball;

static ball ball_of(test_random* r, uint32_t rings, float bumps)
{
    const uint32_t columns = 2 * rings, points = 2 + (rings - 1) * columns;
    ball b = {scratch(points * sizeof *b.points), scratch((size_t)6 * rings * columns * sizeof *b.triangles), points,
              0};
    for (uint32_t i = 0; i < points; ++i) {
        const double up = 3.14159265358979 * (i < 2 ? i : 1 + (i - 2) / columns) / (i < 2 ? 1 : rings);
        const double around = 3.14159265358979 * (i < 2 ? 0 : (i - 2) % columns) / rings;
        const double radius = 1.0 + (double)(bumps * test_random_signed(r));
        b.points[i] = (tact_vec3){(float)(radius * sin(up) * cos(around)), (float)(radius * cos(up)),
                                  (float)(radius * sin(up) * sin(around))};
    }
    for (uint32_t ring = 0; ring < rings; ++ring) {
        for (uint32_t k = 0; k < columns; ++k) {
            const uint32_t next = (k + 1) % columns, above = 2 + (ring - 1) * columns, below = 2 + ring * columns;
            uint32_t* to = b.triangles + (size_t)3 * b.triangle_count;
            if (ring > 0) {
                const uint32_t one[3] = {above + k, above + next, ring + 1 < rings ? below + k : 1};
                memcpy(to, one, sizeof one);
                to += 3;
                ++b.triangle_count;
            }
            if (ring + 1 < rings) {
                const uint32_t one[3] = {ring > 0 ? above + next : 0, below + next, below + k};
                memcpy(to, one, sizeof one);
                ++b.triangle_count;
            }
        }
    }
    return b;
}

static uint32_t add_mesh(scene* s, const ball* b)
{
    const tact_body_shape shape = {.kind = TACT_BODY_MESH,
                                   .points = b->points,
                                   .point_count = b->point_count,
                                   .triangles = b->triangles,
                                   .triangle_count = b->triangle_count};
    uint32_t number = 0;
    assert_int_equal(tact_bodies_add_shape(s->set, &shape, &number), TACT_OK);
    return number;
}

static tact_triangle triangle_of(const tact_vec3* points, const ball* b, uint32_t i)
{
    const uint32_t* corner = b->triangles + (size_t)3 * i;
    return (tact_triangle){points[corner[0]], points[corner[1]], points[corner[2]]};
}

static tact_vec3* placed_points(const ball* b, const double q[4], double scale, const double at[3])
{
    tact_vec3* to = scratch(b->point_count * sizeof *to);
    for (uint32_t i = 0; i < b->point_count; ++i) {
        const double p[3] = {(double)b->points[i].x * scale, (double)b->points[i].y * scale,
                             (double)b->points[i].z * scale};
        double out[3];
        rotate(q, p, out);
        to[i] = (tact_vec3){(float)(out[0] + at[0]), (float)(out[1] + at[1]), (float)(out[2] + at[2])};
    }
    return to;
}

/// Whether triangles of the body and the cast's shape overlap at a time; `gap` becomes that of the two of `hit`.
static bool overlap_at(const ball* own, const tact_body* body, const ball* other, const tact_body_cast* c, double time,
                       const tact_body_cast_hit* hit, double* gap)
{
    const double origin[3] = {body->pose.x, body->pose.y, body->pose.z}, zero[3] = {0, 0, 0};
    double q[4], p[4], at[3];
    unit(&body->pose.rotation, q);
    pose_of(c, time, origin, p, at);
    const tact_vec3* mine = placed_points(own, q, (double)body->pose.scale, zero);
    const tact_vec3* its = placed_points(other, p, scale_of(c), at);
    if (hit) {
        const tact_triangle a = triangle_of(mine, own, hit->part), b = triangle_of(its, other, hit->cast_part);
        *gap = (double)tact_closest_triangle_triangle(&a, &b).distance;
    }
    for (uint32_t i = 0; i < own->triangle_count; ++i) {
        const tact_triangle a = triangle_of(mine, own, i);
        const tact_aabb box = tact_aabb_from_points(&a.a, 3, sizeof a.a);
        for (uint32_t k = 0; k < other->triangle_count; ++k) {
            const tact_triangle b = triangle_of(its, other, k);
            if (tact_aabb_overlaps_aabb(box, tact_aabb_from_points(&b.a, 3, sizeof b.a)) &&
                tact_triangle_overlaps_triangle(&a, &b))
                return true;
        }
    }
    return false;
}

TEST(meshes_touch_when_their_triangles_do)
{
    test_random r = test_random_seeded(13);
    size_t hits = 0, misses = 0;
    double most = 0.0;
    const size_t rounds = effort(20, 60);
    for (size_t round = 0; round < rounds; ++round) {
        scene* s = scratch(sizeof *s);
        open_scene(s);
        const uint32_t sizes[4] = {2, 5, 9, round == 7 ? 23 : 12};
        const ball own = ball_of(&r, sizes[round % 4], 0.2f), other = ball_of(&r, sizes[round / 2 % 4], 0.2f);
        const uint32_t shapes[2] = {add_mesh(s, &own), add_mesh(s, &other)};
        const tact_body body = {.shape = shapes[0], .pose = somewhere(&r, 100.0, 0.5)};
        assert_int_equal(tact_bodies_add(s->set, &body, 1, NULL), TACT_OK);
        enum { CASTS = 8 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit found[CASTS];
        for (uint32_t i = 0; i < CASTS; ++i) {
            casts[i] = cast_of(&r, i, 100.0, 5.0);
            casts[i].shape = shapes[1];
            casts[i].margin = 0.0f;
            // One goes past grazing, one begins inside, small.
            if (i == 2) casts[i].to.y = casts[i].from.y = 1.0 + (double)casts[i].from.scale;
            if (i == 3) {
                casts[i].from.x = 100.0;
                casts[i].from.y = casts[i].from.z = 0.0;
                casts[i].from.scale = 0.2f;
            }
        }
        assert_int_equal(run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, found, NULL), CASTS);
        tact_body kept;
        assert_int_equal(tact_bodies_get(s->set, 0, &kept), TACT_OK);
        for (uint32_t i = 0; i < CASTS; ++i) {
            const bool hit = found[i].body == 0;
            double gap = 0.0;
            hits += hit;
            misses += !hit;
            // Less than the fraction by what coordinates are rounded by as they are looked at here.
            for (int k = 0; k < 8 && found[i].fraction > 0.0; ++k) {
                const double time = (found[i].fraction - 1e-6) * (8 - k) / 8.0;
                if (overlap_at(&own, &kept, &other, &casts[i], time, NULL, NULL))
                    fail_msg("round %zu cast %u: an overlap at %.9g before %.9g", round, i, time, found[i].fraction);
            }
            if (!hit) continue;
            overlap_at(&own, &kept, &other, &casts[i], found[i].fraction, &found[i], &gap);
            // 2^-17 of how far triangles are from the position, and of their sizes.
            if (gap > 6e-5) fail_msg("round %zu cast %u: %g apart at %.9g", round, i, gap, found[i].fraction);
            most = fmax(most, gap);
        }
    }
    print_message("%zu hits, %zu misses, at most %g apart\n", hits, misses, most);
    assert_true(hits > rounds && misses > rounds / 2);
}

/// What overlaps at the start is at 0, with the smallest parts that do, however many they are; what is within without
/// touching goes on until it touches from inside.
TEST(meshes_begin_within_each_other)
{
    test_random r = test_random_seeded(14);
    scene* s = scratch(sizeof *s);
    open_scene(s);
    const ball b = ball_of(&r, 8, 0.0f);
    const uint32_t mesh = add_mesh(s, &b);
    const tact_body body = {.shape = mesh};
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tact_bodies_add(s->set, &body, 1, NULL), TACT_OK);
    tact_body_cast c = {.shape = mesh, .to = pose_at(3, 0, 0)};
    tact_body_cast_hit hit = one_cast(s, c);
    assert_true(hit.fraction == 0.0 && hit.body == 0 && hit.part == 0 && hit.cast_part == 0);
    // Half as large it is half a unit inside.
    c.from.scale = 0.5f;
    hit = one_cast(s, c);
    assert_int_equal(hit.body, 0);
    assert_float_equal((float)hit.fraction, 0.5f / 3.0f, 5e-3f);
    assert_true(hit.normal.x < -0.9f);
    c.from.scale = 2.0f;
    hit = one_cast(s, c);
    assert_float_equal((float)hit.fraction, 1.0f / 3.0f, 5e-3f);
    // From outside.
    c = (tact_body_cast){.shape = mesh, .from = pose_at(-4, 0, 0), .to = pose_at(4, 0, 0)};
    hit = one_cast(s, c);
    assert_float_equal((float)hit.fraction, 0.25f, 5e-3f);
    assert_float_equal(hit.at.x, -1.0f, 1e-2f);
    assert_true(hit.normal.x < -0.9f && hit.body == 0);
}

/// However far a step goes, and however the sheet is turned.
TEST(no_mesh_tunnels_through_a_wall)
{
    test_random r = test_random_seeded(15);
    scene* s = scratch(sizeof *s);
    open_scene(s);
    add_kinds(s, &r);
    const tact_vec3 corners[4] = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    const uint32_t walls[3] = {add_shape(s, (tact_body_shape){.kind = TACT_BODY_MESH,
                                                              .points = corners,
                                                              .point_count = 4,
                                                              .triangles = triangles,
                                                              .triangle_count = 2}),
                               add_shape(s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {9, 9, 0}}),
                               add_shape(s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE})};
    for (uint32_t wall = 0; wall < 3; ++wall) {
        tact_pose pose = pose_at(0, 0, 0);
        // A half-space is behind.
        if (wall == 2) pose.rotation = (tact_quat){-0.70710678f, 0, 0, 0.70710678f};
        const uint32_t id = add_body(s, walls[wall], pose);
        for (uint32_t i = 0; i < effort(192, 480); ++i) {
            tact_body_cast c = cast_of(&r, i, 0.0, 2.0);
            const double far = i % 3 ? 4.0 : 4e5;
            c.from.z = -far;
            c.to.z = far;
            const tact_body_cast_hit hit = one_cast(s, c);
            if (hit.body != id) fail_msg("shape %u gets through wall %u", c.shape, wall);
            if (!(hit.fraction > 0.0 && hit.fraction < 0.7 && hit.normal.z < -0.9f))
                fail_msg("shape %u, wall %u: %g, normal %g %g %g", c.shape, wall, hit.fraction, (double)hit.normal.x,
                         (double)hit.normal.y, (double)hit.normal.z);
        }
        assert_int_equal(tact_bodies_remove(s->set, &id, 1), TACT_OK);
    }
}

/// Two balls at the ends of a bar turn by 90 degrees about its middle.
TEST(parts_turn_about_the_position_of_their_shape)
{
    scene s;
    open_scene(&s);
    const uint32_t ball_shape = add_shape(&s, (tact_body_shape){.radius = 0.25f});
    const tact_body_part parts[2] = {{.shape = ball_shape, .position = {2, 0, 0}},
                                     {.shape = ball_shape, .position = {-2, 0, 0}}};
    const uint32_t bar = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 2});
    // At 45 degrees, on the circle of the second one.
    const uint32_t id = add_body(&s, ball_shape, pose_at(-sqrt(2.0), -sqrt(2.0), 0));
    const tact_body_cast c = {.shape = bar, .to = {.rotation = {0, 0, 0.70710678f, 0.70710678f}}};
    const tact_body_cast_hit hit = one_cast(&s, c);
    // Middles are 0.5 apart: half of what is left of the angle has the sine 0.25 / 2.
    const double angle = 0.7853981633974483 - 2.0 * asin(0.125), half = 0.5 * angle;
    const double along = tan(half) / (tan(half) * (1.0 - 0.7071067811865476) + 0.7071067811865476);
    assert_true(hit.body == id && hit.cast_part == 1);
    assert_true(hit.fraction <= along + 1e-7);
    assert_float_equal((float)hit.fraction, (float)along, 3e-5f);
    // Beside the circle by a hair it is not touched.
    const tact_pose beside = pose_at(-2.501 * sqrt(0.5), -2.501 * sqrt(0.5), 0);
    assert_int_equal(tact_bodies_move(s.set, &id, &beside, 1), TACT_OK);
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
}

/// A long way takes no digits from a mesh that does not turn.
TEST(long_ways_do_not_blur_what_meshes_touch)
{
    test_random r = test_random_seeded(16);
    scene* s = scratch(sizeof *s);
    open_scene(s);
    const ball b = ball_of(&r, 4, 0.0f);
    const uint32_t mesh = add_mesh(s, &b);
    tact_body body = {.shape = mesh, .pose = pose_at(4e5, 0, 0)};
    body.pose.scale = 0.01f;
    assert_int_equal(tact_bodies_add(s->set, &body, 1, NULL), TACT_OK);
    for (int i = 0; i < 2; ++i) {
        const double beside = i ? 0.019999 : 0.020001;
        tact_body_cast c = {.shape = mesh, .from = pose_at(0, beside, 0), .to = pose_at(1e6, beside, 0)};
        c.from.scale = 0.01f;
        const tact_body_cast_hit hit = one_cast(s, c);
        assert_int_equal(hit.body, i ? 0 : 0xffffffffu);
        if (i) assert_float_equal((float)hit.fraction, 0.4f, 1e-6f);
    }
}

TEST(meshes_fall_on_a_half_space)
{
    scene s;
    open_scene(&s);
    const tact_vec3 corners[4] = {{0, -1, 0}, {1, 1, 0}, {-1, 1, 1}, {-1, 1, -1}};
    const uint32_t triangles[9] = {0, 1, 2, 0, 2, 3, 0, 3, 1};
    const uint32_t mesh = add_shape(
        &s,
        (tact_body_shape){
            .kind = TACT_BODY_MESH, .points = corners, .point_count = 4, .triangles = triangles, .triangle_count = 3});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    add_body(&s, plane, pose_at(100.0, 1.0, -50.0));
    const tact_body_cast_hit hit =
        one_cast(&s, (tact_body_cast){.shape = mesh, .from = pose_at(0, 4, 0), .to = pose_at(8, 0, 0)});
    assert_float_equal((float)hit.fraction, 0.5f, 1e-5f);
    assert_true(hit.body == 0 && hit.normal.y == 1.0f && hit.cast_part == 0);
    assert_float_equal(hit.at.x, -96.0f, 1e-3f);
    assert_float_equal(hit.at.y, 0.0f, 1e-4f);
    assert_int_equal(
        one_cast(&s, (tact_body_cast){.shape = mesh, .from = pose_at(0, 2.1, 0), .to = pose_at(1e9, 2.1, 0)}).body,
        0xffffffffu);
    const tact_body_cast_hit inside =
        one_cast(&s, (tact_body_cast){.shape = mesh, .from = pose_at(0, -1e6, 0), .to = pose_at(0, 9, 0)});
    assert_true(inside.fraction == 0.0 && inside.normal.y == 1.0f);
    const tact_body_cast_hit deep =
        one_cast(&s, (tact_body_cast){.shape = mesh, .from = pose_at(0, 1e9, 0), .to = pose_at(0, -1e9, 0)});
    assert_true(deep.body == 0 && deep.fraction <= 0.5 && deep.fraction > 0.4999999);
}

/// A surface with one side touches solids in front of it alone, and other surfaces on both.
TEST(one_sided_meshes_touch_solids_in_front_alone)
{
    scene s;
    open_scene(&s);
    const tact_vec3 corners[3] = {{-9, 0, -9}, {0, 0, 9}, {9, 0, -9}};
    const uint32_t triangle[3] = {0, 1, 2};
    tact_body_shape sheet = {.kind = TACT_BODY_MESH,
                             .points = corners,
                             .point_count = 3,
                             .triangles = triangle,
                             .triangle_count = 1,
                             .one_sided = true};
    const uint32_t front = add_shape(&s, sheet);
    const uint32_t solid_ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t id = add_body(&s, solid_ball, pose_at(0, 0, 0));
    tact_body_cast up = {.shape = front, .from = pose_at(0, -4, 0), .to = pose_at(0, 4, 0)};
    tact_body_cast down = {.shape = front, .from = pose_at(0, 4, 0), .to = pose_at(0, -4, 0)};
    assert_int_equal(one_cast(&s, up).body, id);
    assert_float_equal((float)one_cast(&s, up).fraction, 3.5f / 8.0f, 1e-5f);
    assert_int_equal(one_cast(&s, down).body, 0xffffffffu);
    const uint32_t other = add_body(&s, front, pose_at(0, 1, 0));
    assert_int_equal(one_cast(&s, down).body, other);
    assert_int_equal(tact_bodies_remove(s.set, &id, 1), TACT_OK);
    assert_int_equal(one_cast(&s, up).body, other);
}

TEST(shapes_without_anything_to_touch_touch_nothing)
{
    scene s;
    open_scene(&s);
    const tact_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const uint32_t flat[3] = {0, 1, 2};
    // A triangle without an area, and a compound of a point.
    const tact_body_shape line = {
        .kind = TACT_BODY_MESH, .points = points, .point_count = 3, .triangles = flat, .triangle_count = 1};
    const uint32_t nothing = add_shape(&s, line), point = add_shape(&s, (tact_body_shape){.radius = 0.0f});
    const tact_body_part part = {.shape = point, .position = {0x1p30f, 0, 0}};
    const uint32_t compound =
        add_shape(&s, (tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = &part, .part_count = 1});
    const uint32_t box = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 1, 1}});
    add_body(&s, box, pose_at(0, 0, 0));
    tact_body_cast c = {.shape = nothing, .from = pose_at(-4, 0, 0), .to = pose_at(4, 0, 0)};
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
    c.shape = compound;
    c.from.x -= 0x1p30;
    c.to.x -= 0x1p30;
    const tact_body_cast_hit hit = one_cast(&s, c);
    assert_int_equal(hit.body, 0);
    assert_float_equal((float)hit.fraction, 3.0f / 8.0f, 1e-5f);
    // Numbers of any size, turning.
    const float sizes[4] = {0x1p-40f, 0x1p-10f, 1.0f, 0x1p40f};
    for (int i = 0; i < 32; ++i) {
        const double at = i % 2 ? 0x1p40 : 0x1p-40;
        tact_body_cast any = {
            .shape = i & 16 ? compound : nothing, .margin = i & 2 ? 0x1p40f : 0.0f, .from = pose_at(-at, at / 3, 0)};
        any.from.scale = sizes[i / 4 % 4];
        any.to = pose_at(at, -at / 3, 0);
        any.to.rotation = (tact_quat){0x1p-120f, 1, 0, 0.1f};
        const tact_body_cast_hit one = one_cast(&s, any);
        assert_true(one.fraction >= 0.0 && one.fraction <= 1.0);
    }
}

/// Scenes of every kind of shape, half-spaces too, on the device as on the CPU; first hits and all.
static void run_on(tact_backend backend)
{
    const tact_context_desc desc = {.gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .log = quiet};
    tact_context* context = KEEP(new_context(&desc));
    if (device_missing(context, backend)) return;
    test_random r = test_random_seeded(17);
    for (size_t round = 0; round < effort(2, 10); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene_in(s, context);
        add_kinds(s, &r);
        const uint32_t plane = add_shape(s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
        const double far = round % 2 ? 1e7 : 0.0;
        for (uint32_t i = 0; i < 2 * KINDS; ++i)
            add_body(s, i % KINDS, somewhere(&r, far, 4.0));
        add_body(s, plane, pose_at(far, -3.0, 0));
        enum { CASTS = 60, ROWS = 1 << 15 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit *hits = scratch(ROWS * sizeof *hits), *expected = scratch(ROWS * sizeof *hits);
        for (uint32_t i = 0; i < CASTS; ++i) {
            casts[i] = cast_of(&r, i, far, 5.0);
            // Some without parts among them.
            if (i % 5 == 4) casts[i].shape = i % CONVEX;
        }
        for (int mode = TACT_BODY_CASTS_FIRST; mode <= TACT_BODY_CASTS_ALL; ++mode) {
            size_t count[2] = {0};
            for (int k = 0; k < 2; ++k) {
                const tact_query_options options = {.backend = k ? backend : TACT_BACKEND_CPU, .no_fallback = true};
                const tact_body_casts_work work = {.casts = casts,
                                                   .cast_count = CASTS,
                                                   .mode = (tact_body_casts_mode)mode,
                                                   .hits = k ? hits : expected,
                                                   .capacity = ROWS,
                                                   .count = &count[k]};
                assert_int_equal(tact_body_casts_find(s->set, &work, &options, NULL), TACT_OK);
            }
            assert_int_equal(count[0], count[1]);
            assert_true(count[0] >= CASTS);
            assert_memory_equal(hits, expected, count[0] * sizeof *hits);
        }
    }
}

TEST(opengl_casts_parts_as_the_cpu_does)
{
    run_on(TACT_BACKEND_GL);
}

TEST(opencl_casts_parts_as_the_cpu_does)
{
    run_on(TACT_BACKEND_CL);
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
