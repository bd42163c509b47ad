// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts of compounds, meshes and height fields, and of cylinders and cones.
#include "tests/support/run.h"

#include <math.h>

#include "tact/bodies.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

enum { MOST = 1 << 14, GRID = 9, HULL = 12 };

static tact_bodies* new_set(tact_context* context)
{
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    return KEEP(set);
}

static uint32_t add_shape(tact_bodies* set, tact_body_shape shape)
{
    uint32_t number = 0;
    const tact_result result = tact_bodies_add_shape(set, &shape, &number);
    if (result != TACT_OK) fail_msg("shape of kind %d: %s", (int)shape.kind, tact_result_string(result));
    return number;
}

static uint32_t add_body(tact_bodies* set, uint32_t shape, tact_pose pose, float margin)
{
    const tact_body body = {.shape = shape, .pose = pose, .margin = margin};
    uint32_t id = 0;
    assert_int_equal(tact_bodies_add(set, &body, 1, &id), TACT_OK);
    return id;
}

/// All contacts of a set, held against the reference, which looks at all parts.
static size_t contacts_of(tact_bodies* set, tact_contact* contacts)
{
    tact_contact* expected = scratch(MOST * sizeof *expected);
    size_t count[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        const tact_query_options options = {.backend = k ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU, .threads = 2};
        const tact_contacts_work work = {.contacts = k ? expected : contacts, .capacity = MOST, .count = &count[k]};
        assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(contacts, expected, count[0] * sizeof *contacts);
    return count[0];
}

static float unit(test_random* r)
{
    return test_random_unit(r);
}

static tact_quat turn(test_random* r)
{
    return (tact_quat){test_random_signed(r), test_random_signed(r), test_random_signed(r), 0.75f};
}

/// Convex shapes of every kind, about a metre across.
static uint32_t add_convex(tact_bodies* set, test_random* r, int kind)
{
    static tact_vec3 points[HULL];
    const float a = 0.2f + 0.3f * unit(r), b = 0.2f + 0.3f * unit(r), c = 0.2f + 0.3f * unit(r);
    switch (kind) {
        case 0:
            return add_shape(set, (tact_body_shape){.radius = a});
        case 1:
            return add_shape(set, (tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = a, .half = {0, b, 0}});
        case 2:
            return add_shape(set, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {a, b, c}});
        case 3:
            for (int i = 0; i < HULL; ++i)
                points[i] =
                    (tact_vec3){a * test_random_signed(r), b * test_random_signed(r), c * test_random_signed(r)};
            return add_shape(set, (tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = HULL});
        case 4:
            return add_shape(set, (tact_body_shape){.kind = TACT_BODY_CYLINDER, .radius = a, .half = {0, b, 0}});
        default:
            return add_shape(set, (tact_body_shape){.kind = TACT_BODY_CONE, .radius = a, .half = {0, b, 0}});
    }
}

enum { CONVEX = 6 };

static float deepest(const tact_contact* contacts, size_t count)
{
    float least = INFINITY;
    for (size_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < contacts[i].count; ++k)
            least = fminf(least, contacts[i].point[k].separation);
    return least;
}

/// A flat field of triangles, turned and moved as a whole, touches as the half-space below it: the same depth, and no
/// normal but its own, wherever the body lies over edges and corners inside it.
TEST(no_edge_inside_a_flat_field_is_felt)
{
    tact_context* context = KEEP(new_context(&host_alone));
    test_random r = test_random_seeded(1);
    tact_contact* contacts = scratch(MOST * sizeof *contacts);
    float heights[GRID * GRID] = {0};
    size_t touched = 0, rows = 0, equal = 0;
    for (int round = 0; round < 400; ++round) {
        tact_bodies *field = new_set(context), *plane = new_set(context);
        const double far = round % 2 ? 1e6 : 0.0;
        // A frame for all of it.
        const tact_pose frame = {.x = far, .y = 3.0, .z = -far};
        const uint32_t ground = add_shape(field, (tact_body_shape){.kind = TACT_BODY_HEIGHT_FIELD,
                                                                   .half = {0.5f, 0, 0.75f},
                                                                   .heights = heights,
                                                                   .columns = GRID,
                                                                   .rows = GRID,
                                                                   .one_sided = round % 3 == 0});
        add_body(field, ground, frame, 0.0f);
        add_body(plane, add_shape(plane, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE}), frame, 0.0f);
        const int kind = round % CONVEX;
        test_random same = r;
        const uint32_t shape = add_convex(field, &r, kind);
        assert_int_equal(add_convex(plane, &same, kind), shape);
        const tact_pose pose = {.x = far + 1.5 + (double)unit(&r),
                                .y = 3.0 + 0.45 * (double)unit(&r),
                                .z = -far + 2.0 + 2.0 * (double)unit(&r),
                                .rotation = turn(&r)};
        const float margin = round % 4 == 0 ? 0.05f : 0.0f;
        add_body(field, shape, pose, margin);
        add_body(plane, shape, pose, margin);
        const size_t on_plane = contacts_of(plane, contacts);
        const float depth = deepest(contacts, on_plane);
        const size_t count = contacts_of(field, contacts);
        const float on_field = deepest(contacts, count);
        // The deepest point of a slanted body may lie below a triangle that the body does not reach: never of a round
        // one, whose middle is above it.
        const bool same_depth = fabsf(depth - on_field) <= 2e-5f;
        if (on_plane && depth < margin - 1e-4f && (on_field < depth - 2e-5f || (kind < 2 && !same_depth)))
            fail_msg("round %d, kind %d: %g deep, should be %g", round, kind, -(double)on_field, -(double)depth);
        equal += on_plane && same_depth;
        for (size_t i = 0; i < count; ++i) {
            if (contacts[i].normal.y < 0.9999f)
                fail_msg("round %d, kind %d, part %u: a normal of %g %g %g", round, kind, contacts[i].part_a,
                         (double)contacts[i].normal.x, (double)contacts[i].normal.y, (double)contacts[i].normal.z);
        }
        touched += on_plane;
        rows += count;
    }
    print_message("%zu touch, %zu as deep, in %zu contacts of triangles\n", touched, equal, rows);
    assert_true(touched > 200 && rows > 2 * touched && equal > touched * 9 / 10);
}

/// At its border, and over ridges, a field pushes sideways too, but never into itself.
TEST(borders_and_ridges_are_felt)
{
    tact_context* context = KEEP(new_context(&host_alone));
    tact_contact* contacts = scratch(MOST * sizeof *contacts);
    // A ridge along z at x = 1, both sides sloping down by 45 degrees.
    const float heights[6] = {0, 1, 0, 0, 1, 0};
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        tact_bodies* set = new_set(context);
        const uint32_t ridge = add_shape(set, (tact_body_shape){.kind = TACT_BODY_HEIGHT_FIELD,
                                                                .half = {1, 0, 4},
                                                                .heights = heights,
                                                                .columns = 3,
                                                                .rows = 2,
                                                                .one_sided = one_sided}),
                       ball = add_shape(set, (tact_body_shape){.radius = 0.25f});
        add_body(set, ridge, (tact_pose){0}, 0.0f);
        // Over the ridge; at the border beside it; under a slope; beside the border and below it.
        const tact_pose poses[4] = {{.x = 1.0, .y = 1.2, .z = 2.0},
                                    {.x = -0.2, .y = 0.0, .z = 2.0},
                                    {.x = 0.5, .y = 0.25, .z = 2.0},
                                    {.x = -0.1, .y = -0.2, .z = 2.0}};
        for (int i = 0; i < 4; ++i)
            add_body(set, ball, poses[i], 0.0f);
        const size_t count = contacts_of(set, contacts);
        bool seen[5] = {false};
        for (size_t i = 0; i < count; ++i) {
            const tact_vec3 n = contacts[i].normal;
            if (contacts[i].a != 0) continue;
            seen[contacts[i].b] = true;
            if (contacts[i].b == 1) assert_true(n.y > 0.99f);
            if (contacts[i].b == 2) assert_true(n.x < -0.5f);
            if (contacts[i].b == 3) assert_true(n.y < 0.0f);
            if (contacts[i].b == 4) assert_true(n.x < -0.2f && n.y < -0.5f);
        }
        assert_true(seen[1]);
        // What is behind one side is not there.
        assert_int_equal(seen[3], !one_sided);
        assert_int_equal(seen[4], !one_sided);
    }
}

/// A compound touches as its parts would, one body each.
TEST(compounds_touch_as_their_parts)
{
    tact_context* context = KEEP(new_context(&host_alone));
    test_random r = test_random_seeded(3);
    tact_contact *contacts = scratch(MOST * sizeof *contacts), *apart = scratch(MOST * sizeof *apart);
    enum { PARTS = 5 };
    size_t total = 0;
    for (int round = 0; round < 200; ++round) {
        tact_bodies *whole = new_set(context), *each = new_set(context);
        tact_body_part parts[PARTS];
        test_random same = r;
        for (uint32_t i = 0; i < PARTS; ++i) {
            parts[i] = (tact_body_part){.shape = add_convex(whole, &r, (round + (int)i) % CONVEX),
                                        .scale = i == 2 ? 1.5f : 0.0f};
            assert_int_equal(add_convex(each, &same, (round + (int)i) % CONVEX), parts[i].shape);
        }
        const uint32_t probe = add_convex(whole, &r, round % CONVEX);
        assert_int_equal(add_convex(each, &same, round % CONVEX), probe);
        for (uint32_t i = 0; i < PARTS; ++i) {
            parts[i].position = (tact_vec3){test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
            // Turns by 90 degrees alone, so that the body's and the part's together are known.
            parts[i].rotation = (tact_quat){0, 0, i % 2 ? 1.0f : 0.0f, i % 2 ? 0.0f : 1.0f};
        }
        const uint32_t compound =
            add_shape(whole, (tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = PARTS});
        const tact_pose where = {.x = 1e6, .y = -5.0, .z = 2.0, .scale = 2.0f};
        const tact_pose other = {.x = 1e6 + 1.2 * (double)test_random_signed(&r),
                                 .y = -5.0 + 1.2 * (double)test_random_signed(&r),
                                 .z = 2.0 + 1.2 * (double)test_random_signed(&r),
                                 .rotation = turn(&r)};
        add_body(whole, compound, where, 0.0f);
        add_body(whole, probe, other, 0.0f);
        for (uint32_t i = 0; i < PARTS; ++i) {
            const tact_pose pose = {.x = where.x + 2.0 * (double)parts[i].position.x,
                                    .y = where.y + 2.0 * (double)parts[i].position.y,
                                    .z = where.z + 2.0 * (double)parts[i].position.z,
                                    .rotation = parts[i].rotation,
                                    .scale = i == 2 ? 3.0f : 2.0f};
            add_body(each, parts[i].shape, pose, 0.0f);
        }
        add_body(each, probe, other, 0.0f);
        const size_t count = contacts_of(whole, contacts), all = contacts_of(each, apart);
        size_t next = 0;
        for (size_t i = 0; i < all; ++i) {
            if (apart[i].b != PARTS) continue;
            // One that just touches may not.
            const bool there = next < count && contacts[next].part_a == apart[i].a;
            if (!there) {
                assert_true(deepest(&apart[i], 1) > -1e-5f);
                continue;
            }
            const tact_contact *c = &contacts[next++], *e = &apart[i];
            assert_int_equal(c->part_b, 0);
            assert_true(fabsf(deepest(c, 1) - deepest(e, 1)) < 1e-5f);
            assert_true(c->normal.x * e->normal.x + c->normal.y * e->normal.y + c->normal.z * e->normal.z > 0.999f ||
                        deepest(c, 1) > -1e-3f || c->count > 0);
            for (uint32_t k = 0; k < c->count && c->count == e->count; ++k) {
                const tact_vec3 p = parts[c->part_a].position, q = c->point[k].at, s = e->point[k].at;
                if (c->point[k].feature != e->point[k].feature) break;
                const float off =
                    fabsf(q.x - 2.0f * p.x - s.x) + fabsf(q.y - 2.0f * p.y - s.y) + fabsf(q.z - 2.0f * p.z - s.z);
                if (off > 1e-3f) fail_msg("round %d: a point is off by %g", round, (double)off);
            }
        }
        assert_int_equal(next, count);
        total += count;
    }
    print_message("%zu contacts\n", total);
    assert_true(total > 100);
}

/// A mesh of any triangles, bodies and compounds around it: trees lose nothing that the reference finds.
TEST(trees_lose_nothing)
{
    tact_context* context = KEEP(new_context(&host_alone));
    test_random r = test_random_seeded(4);
    tact_contact* contacts = scratch(MOST * sizeof *contacts);
    enum { POINTS = 60, TRIANGLES = 90, BODIES = 24 };
    size_t total = 0;
    for (int round = 0; round < 20; ++round) {
        tact_bodies* set = new_set(context);
        tact_vec3 points[POINTS];
        uint32_t triangles[3 * TRIANGLES];
        for (int i = 0; i < POINTS; ++i)
            points[i] = (tact_vec3){4.0f * test_random_signed(&r), 4.0f * test_random_signed(&r),
                                    4.0f * test_random_signed(&r)};
        for (int i = 0; i < 3 * TRIANGLES; ++i)
            triangles[i] = test_random_below(&r, POINTS);
        const uint32_t mesh = add_shape(set, (tact_body_shape){.kind = TACT_BODY_MESH,
                                                               .radius = round % 2 ? 0.05f : 0.0f,
                                                               .points = points,
                                                               .point_count = POINTS,
                                                               .triangles = triangles,
                                                               .triangle_count = TRIANGLES});
        tact_body_part parts[3];
        for (uint32_t i = 0; i < 3; ++i)
            parts[i] = (tact_body_part){.shape = add_convex(set, &r, (int)i * 2 % CONVEX),
                                        .position = {test_random_signed(&r), 0.5f, test_random_signed(&r)},
                                        .rotation = turn(&r)};
        const uint32_t compound =
            add_shape(set, (tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 3});
        const uint32_t plane = add_shape(set, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
        const double far = round % 3 ? 1e5 : 0.0;
        for (int i = 0; i < BODIES; ++i) {
            const uint32_t shape = i == 5 || i == 11 ? mesh
                                   : i == 7          ? plane
                                   : i % 3 == 0      ? compound
                                                     : add_convex(set, &r, i % CONVEX);
            add_body(set, shape,
                     (tact_pose){.x = far + 4.0 * (double)test_random_signed(&r),
                                 .y = 4.0 * (double)test_random_signed(&r) - (shape == plane ? 3.0 : 0.0),
                                 .z = 4.0 * (double)test_random_signed(&r),
                                 .rotation = turn(&r),
                                 .scale = i % 4 ? 1.0f : 0.5f},
                     i % 5 ? 0.0f : 0.1f);
        }
        const size_t count = contacts_of(set, contacts);
        for (size_t i = 1; i < count; ++i) {
            const tact_contact *p = &contacts[i - 1], *q = &contacts[i];
            const uint32_t x[4] = {p->a, p->b, p->part_a, p->part_b}, y[4] = {q->a, q->b, q->part_a, q->part_b};
            int k = 0;
            while (k < 4 && x[k] == y[k])
                ++k;
            assert_true(k < 4 && x[k] < y[k]);
        }
        total += count;
    }
    print_message("%zu contacts\n", total);
    assert_true(total > 2000);
}

/// Points on a surface that reaches far are measured from what touches it, to the last bit, also in lanes.
TEST(points_far_from_where_a_surface_has_its_origin)
{
    tact_context* context = KEEP(new_context(&host_alone));
    tact_contact* contacts = scratch(MOST * sizeof *contacts);
    const double far = 1e7;
    const tact_vec3 corners[3] = {{1e7f, 0, 0}, {1e7f, 0, 4}, {1e7f + 4, 0, 0}};
    static const uint32_t triangle[3] = {0, 1, 2};
    for (int round = 0; round < 16; ++round) {
        const bool first = round & 1, plane = round & 2, box = round & 4, turned = round & 8;
        tact_bodies* set = new_set(context);
        const uint32_t surface = add_shape(set, plane ? (tact_body_shape){.kind = TACT_BODY_HALF_SPACE}
                                                      : (tact_body_shape){.kind = TACT_BODY_MESH,
                                                                          .points = corners,
                                                                          .point_count = 3,
                                                                          .triangles = triangle,
                                                                          .triangle_count = 1});
        const uint32_t solid = add_shape(set, box ? (tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.25f, 1, 0.5f}}
                                                  : (tact_body_shape){.radius = 1.0f});
        // What is as good turned by half a turn about the normal: the half-space is far off on the other side, too.
        const tact_pose ground = {.x = plane && turned ? 3e9 : 0.0,
                                  .y = 3.0,
                                  .z = plane ? 1e8 : 0.0,
                                  .rotation = {.y = plane && turned ? 1.0f : 0.0f, .w = plane && turned ? 0.0f : 1.0f}};
        const tact_pose above = {.x = far + 1.0, .y = 3.9375, .z = 1.0};
        if (first) add_body(set, surface, ground, 0.0f);
        add_body(set, solid, above, 0.0f);
        if (!first) add_body(set, surface, ground, 0.0f);
        const size_t count = contacts_of(set, contacts);
        assert_int_equal(count, 1);
        const tact_contact* c = contacts;
        assert_int_equal(c->count, box ? 4 : 1);
        assert_int_equal(c->origin, first ? 1 : 0);
        for (uint32_t k = 0; k < c->count; ++k) {
            const tact_vec3 at = c->point[k].at;
            assert_true(c->point[k].separation == -0.0625f && at.y == -0.96875f);
            assert_true(fabsf(at.x) == (box ? 0.25f : 0.0f) && fabsf(at.z) == (box ? 0.5f : 0.0f));
        }
    }
}

static void expect_refused(tact_bodies* set, tact_context* context, tact_body_shape shape, const char* word)
{
    uint32_t number = 0;
    assert_int_equal(tact_bodies_add_shape(set, &shape, &number), TACT_ERROR_INVALID_ARGUMENT);
    if (!strstr(tact_context_error(context), word))
        fail_msg("\"%s\" says nothing of %s", tact_context_error(context), word);
}

TEST(what_is_refused)
{
    tact_context* context = KEEP(new_context(&host_alone));
    tact_bodies* set = new_set(context);
    const tact_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, wrong[1] = {{NAN, 0, 0}};
    const uint32_t good[3] = {0, 1, 2}, bad[3] = {0, 1, 3};
    const float heights[4] = {0, 1, INFINITY, 0};
    tact_body_shape mesh = {
        .kind = TACT_BODY_MESH, .points = points, .point_count = 3, .triangles = bad, .triangle_count = 1};
    expect_refused(set, context, mesh, "corner 2");
    mesh.triangles = NULL;
    expect_refused(set, context, mesh, "triangles");
    mesh.triangles = good;
    mesh.points = wrong;
    mesh.point_count = 1;
    expect_refused(set, context, mesh, "point 0");
    tact_body_shape field = {.kind = TACT_BODY_HEIGHT_FIELD, .heights = heights, .columns = 2, .rows = 1};
    expect_refused(set, context, field, "rows");
    field.rows = 2;
    expect_refused(set, context, field, "height 2");
    field.columns = field.rows = 1u << 31;
    uint32_t number = 0;
    assert_int_equal(tact_bodies_add_shape(set, &field, &number), TACT_ERROR_LIMIT);
    const uint32_t ball = add_shape(set, (tact_body_shape){.radius = 1.0f}),
                   plane = add_shape(set, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    tact_body_part part = {.shape = 9};
    tact_body_shape compound = {.kind = TACT_BODY_COMPOUND, .parts = &part, .part_count = 0};
    expect_refused(set, context, compound, "parts");
    compound.part_count = 1;
    expect_refused(set, context, compound, "no such shape");
    part.shape = plane;
    expect_refused(set, context, compound, "half-space");
    part.shape = ball;
    part.scale = -1.0f;
    expect_refused(set, context, compound, "scale");
    part.scale = 1.0f;
    part.rotation.x = NAN;
    expect_refused(set, context, compound, "rotation");
    part.rotation.x = 0.0f;
    part.position.y = INFINITY;
    expect_refused(set, context, compound, "position");
    part.position.y = 0.0f;
    part.shape = add_shape(set, compound);
    expect_refused(set, context, compound, "parts");
    // Triangles without an area are there, and touch nothing.
    const uint32_t flat[3] = {0, 1, 1};
    mesh = (tact_body_shape){
        .kind = TACT_BODY_MESH, .points = points, .point_count = 3, .triangles = flat, .triangle_count = 1};
    add_body(set, add_shape(set, mesh), (tact_pose){0}, 0.0f);
    add_body(set, ball, (tact_pose){0}, 0.0f);
    tact_contact* contacts = scratch(MOST * sizeof *contacts);
    assert_int_equal(contacts_of(set, contacts), 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
