// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts of bodies against the geometry library, which has double precision: whether there is one, how deep, and that
// the normal separates as much as it says.
#include "tests/support/run.h"

#include <math.h>

#include "tact/bodies.h"
#include "tact/geometry/convex.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { KINDS = 8, MOST_POINTS = 64 };

/// Devices are held against the CPU by test_conformance.
static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

/// A shape and the points of its core.
typedef struct specimen {
    tact_body_shape shape;
    tact_vec3 points[MOST_POINTS];
    uint32_t count;
} specimen;

static void take_points(specimen* s, test_random* r, uint32_t count, float x, float y, float z)
{
    s->count = count;
    for (uint32_t i = 0; i < count; ++i)
        s->points[i] = (tact_vec3){x * test_random_signed(r), y * test_random_signed(r), z * test_random_signed(r)};
    s->shape.kind = TACT_BODY_HULL;
    s->shape.points = s->points;
    s->shape.point_count = count;
}

/// Sphere, capsule, box, small hull, larger hull, rounded box, needle, flat hull.
static void make_specimen(specimen* s, int kind, test_random* r)
{
    *s = (specimen){0};
    switch (kind) {
        case 0:
            s->shape.kind = TACT_BODY_SPHERE;
            s->shape.radius = 0.1f + test_random_unit(r);
            s->count = 1;
            break;
        case 1:
            s->shape.kind = TACT_BODY_CAPSULE;
            s->shape.radius = 0.05f + 0.4f * test_random_unit(r);
            s->shape.half.y = test_random_unit(r);
            s->points[0].y = -s->shape.half.y;
            s->points[1].y = s->shape.half.y;
            s->count = 2;
            break;
        case 2:
        case 5:
            s->shape.kind = TACT_BODY_BOX;
            s->shape.radius = kind == 5 ? 0.1f : 0.0f;
            s->shape.half =
                (tact_vec3){0.1f + test_random_unit(r), 0.1f + test_random_unit(r), 0.1f + test_random_unit(r)};
            s->count = 8;
            for (int i = 0; i < 8; ++i) {
                const tact_vec3 h = s->shape.half;
                s->points[i] = (tact_vec3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
            }
            break;
        case 3:
            take_points(s, r, 8, 1, 1, 1);
            break;
        case 4:
            take_points(s, r, 48, 1, 1, 1);
            break;
        case 6:
            take_points(s, r, 6, 0.01f, 1, 0.02f);
            break;
        default:
            take_points(s, r, 5, 1, 0, 1);
            break;
    }
}

static void rotate(const tact_pose* p, tact_vec3 v, double out[3])
{
    const double x = (double)p->rotation.x, y = (double)p->rotation.y, z = (double)p->rotation.z,
                 w = (double)p->rotation.w, n = x * x + y * y + z * z + w * w, s = (double)p->scale;
    const double vx = (double)v.x * s, vy = (double)v.y * s, vz = (double)v.z * s;
    out[0] = ((w * w + x * x - y * y - z * z) * vx + 2 * (x * y - w * z) * vy + 2 * (x * z + w * y) * vz) / n;
    out[1] = (2 * (x * y + w * z) * vx + (w * w - x * x + y * y - z * z) * vy + 2 * (y * z - w * x) * vz) / n;
    out[2] = (2 * (x * z - w * y) * vx + 2 * (y * z + w * x) * vy + (w * w - x * x - y * y + z * z) * vz) / n;
}

/// The core's points relative to `origin`, and how far the farthest of them is from it.
static double place(const specimen* s, const tact_pose* p, const tact_pose* origin, tact_vec3* to, double (*exact)[3])
{
    double most = 0.0;
    for (uint32_t i = 0; i < s->count; ++i) {
        double v[3];
        rotate(p, s->points[i], v);
        most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        v[0] += p->x - origin->x;
        v[1] += p->y - origin->y;
        v[2] += p->z - origin->z;
        to[i] = (tact_vec3){(float)v[0], (float)v[1], (float)v[2]};
        memcpy(exact[i], v, sizeof v);
    }
    return most;
}

static tact_pose random_pose(test_random* r, double far, double about)
{
    tact_pose p = {.x = far + about * (double)test_random_signed(r),
                   .y = about * (double)test_random_signed(r),
                   .z = -far + about * (double)test_random_signed(r),
                   .rotation = {test_random_signed(r), test_random_signed(r), test_random_signed(r), 0.9f},
                   .scale = 0.5f + test_random_unit(r)};
    return p;
}

/// Of turned poses some are along the axes, where edges are parallel and faces meet.
static void straighten(test_random* r, tact_pose* p)
{
    static const tact_quat straight[] = {{0, 0, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 0}, {0.5f, 0.5f, 0.5f, 0.5f}};
    if (test_random_below(r, 3) == 0) p->rotation = straight[test_random_below(r, 4)];
}

typedef struct tally {
    size_t pairs, contacts, points;
    double worst, worst_normal;
} tally;

static void check_pair(const specimen* a, const specimen* b, const tact_pose* pa, const tact_pose* pb, float margin,
                       const tact_contact* c, tally* t)
{
    tact_vec3 points[2][MOST_POINTS];
    static double exact[2][MOST_POINTS][3];
    const double size = place(a, pa, pa, points[0], exact[0]) + place(b, pb, pa, points[1], exact[1]);
    const tact_hull hulls[2] = {{.points = points[0], .point_count = a->count},
                                {.points = points[1], .point_count = b->count}};
    const tact_convex_contact right = tact_convex_penetration(tact_convex_hull(&hulls[0]), tact_convex_hull(&hulls[1]));
    const double radii = (double)(a->shape.radius * pa->scale) + (double)(b->shape.radius * pb->scale);
    const double apart = (double)right.distance - radii;
    const double tolerance = 1e-5 * size + 2e-6 * fabs(apart) + 1e-6 * radii + (right.converged ? 0.0 : 1e-3 * size);
    ++t->pairs;
    if (!c) {
        if (apart < (double)margin - tolerance)
            fail_msg("kinds %d %d: no contact, but %g apart, margin %g, size %g", (int)a->shape.kind,
                     (int)b->shape.kind, apart, (double)margin, size);
        return;
    }
    ++t->contacts;
    t->points += c->count;
    double least = (double)INFINITY;
    for (uint32_t k = 0; k < c->count; ++k)
        least = fmin(least, (double)c->point[k].separation);
    const double off = fabs(least - apart);
    // Of more than four corners the deepest may be left out by 64 times what coordinates are certain to.
    const double left_out = c->count > 1 && least > apart ? 64.0 * 0x1p-20 * size : 0.0;
    t->worst = fmax(t->worst, (off - 2e-6 * fabs(apart) - 1e-6 * radii) / fmax(size, 1e-30));
    if (off > tolerance + left_out) {
        fail_msg("kinds %d %d: %g apart, should be %g: off by %g of %g", (int)a->shape.kind, (int)b->shape.kind, least,
                 apart, off / size, size);
    }
    const double n[3] = {(double)c->normal.x, (double)c->normal.y, (double)c->normal.z};
    double most_a = -(double)INFINITY, least_b = (double)INFINITY;
    for (uint32_t i = 0; i < a->count; ++i)
        most_a = fmax(most_a, n[0] * exact[0][i][0] + n[1] * exact[0][i][1] + n[2] * exact[0][i][2]);
    for (uint32_t i = 0; i < b->count; ++i)
        least_b = fmin(least_b, n[0] * exact[1][i][0] + n[1] * exact[1][i][1] + n[2] * exact[1][i][2]);
    const double lost = (double)right.distance - (least_b - most_a);
    t->worst_normal = fmax(t->worst_normal, lost / fmax(size + radii, 1e-30));
    if (lost > 2e-5 * (size + radii) + (right.converged ? 0.0 : 1e-3 * size))
        fail_msg("kinds %d %d: along the normal %g apart, should be %g", (int)a->shape.kind, (int)b->shape.kind,
                 least_b - most_a, (double)right.distance);
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (fabs(length - 1.0) > 1e-6) fail_msg("a normal of length %.9g", length);
}

static void check_kinds(tact_context* context, int ka, int kb, size_t pairs, uint64_t seed, double far)
{
    test_random r = test_random_seeded(seed);
    enum { SHAPES = 40 };
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    specimen* shapes = scratch(2 * SHAPES * sizeof *shapes);
    for (uint32_t i = 0; i < 2 * SHAPES; ++i) {
        uint32_t number;
        make_specimen(&shapes[i], i < SHAPES ? ka : kb, &r);
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i].shape, &number), TACT_OK);
        assert_int_equal(number, i);
    }
    tact_body* bodies = scratch_zeroed(2 * pairs, sizeof *bodies);
    tact_pair* list = scratch(pairs * sizeof *list);
    for (size_t i = 0; i < pairs; ++i) {
        for (uint32_t k = 0; k < 2; ++k) {
            tact_body* b = &bodies[2 * i + k];
            b->shape = test_random_below(&r, SHAPES) + k * SHAPES;
            b->margin = i % 3 == 0 ? 0.05f : 0.0f;
            b->pose = random_pose(&r, far, 0.8);
            straighten(&r, &b->pose);
        }
        list[i] = (tact_pair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    }
    assert_int_equal(tact_bodies_add(set, bodies, 2 * pairs, NULL), TACT_OK);
    tact_contact* contacts = scratch(pairs * sizeof *contacts);
    size_t count = 0;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    assert_int_equal(
        tact_contacts_find(
            set,
            &(tact_contacts_work){
                .pairs = list, .pair_count = pairs, .contacts = contacts, .capacity = pairs, .count = &count},
            &options, NULL),
        TACT_OK);
    tally t = {0};
    size_t next = 0;
    for (size_t i = 0; i < pairs; ++i) {
        const bool there = next < count && contacts[next].a == 2 * i;
        const tact_body *a = &bodies[2 * i], *b = &bodies[2 * i + 1];
        check_pair(&shapes[a->shape], &shapes[b->shape], &a->pose, &b->pose, a->margin + b->margin,
                   there ? &contacts[next] : NULL, &t);
        next += there;
    }
    assert_int_equal(next, count);
    print_message("kinds %d, %d: %zu pairs, %zu contacts, %zu points; off by %.2g of the size, normals by %.2g\n", ka,
                  kb, t.pairs, t.contacts, t.points, t.worst, t.worst_normal);
}

TEST(against_the_geometry_library)
{
    tact_context* context = KEEP(new_context(&host_alone));
    for (int a = 0; a < KINDS; ++a)
        for (int b = 0; b < KINDS; ++b)
            check_kinds(context, a, b, 1000, (uint64_t)(a * KINDS + b), (a + b) % 2 ? 1e7 : 0.0);
}

static tact_bodies* new_set(tact_context* context, const tact_body_shape* shapes, uint32_t count)
{
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = 99;
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i], &number), TACT_OK);
        assert_int_equal(number, i);
    }
    return set;
}

static size_t contacts_of(tact_bodies* set, tact_contact* contacts, size_t capacity, tact_backend backend)
{
    const tact_query_options options = {.backend = backend};
    size_t count = 0;
    const tact_contacts_work work = {.contacts = contacts, .capacity = capacity, .count = &count};
    const tact_result result = tact_contacts_find(set, &work, &options, NULL);
    assert_int_equal(result, count > capacity ? TACT_INCOMPLETE : TACT_OK);
    return count;
}

/// A box on a box, on a half-space: four points each, all as deep, the same features when it slides.
TEST(boxes_rest_on_four_points)
{
    tact_context* context = KEEP(new_context(&host_alone));
    const tact_body_shape shapes[] = {{.kind = TACT_BODY_HALF_SPACE},
                                      {.kind = TACT_BODY_BOX, .half = {1.0f, 0.5f, 1.0f}}};
    tact_bodies* set = new_set(context, shapes, 2);
    const tact_body bodies[] = {
        {.shape = 0}, {.shape = 1, .pose = {.y = 0.4375}}, {.shape = 1, .pose = {.x = 0.25, .y = 1.375, .z = 0.5}}};
    assert_int_equal(tact_bodies_add(set, bodies, 3, NULL), TACT_OK);
    tact_contact c[4], moved[4];
    assert_int_equal(contacts_of(set, c, 4, TACT_BACKEND_CPU), 2);
    for (uint32_t k = 0; k < 2; ++k) {
        assert_int_equal(c[k].a, k);
        assert_int_equal(c[k].b, k + 1);
        assert_int_equal(c[k].count, 4);
        assert_true(c[k].normal.x == 0.0f && c[k].normal.y == 1.0f && c[k].normal.z == 0.0f);
        float area[2] = {0.0f, 0.0f};
        for (uint32_t i = 0; i < 4; ++i) {
            assert_true(c[k].point[i].separation == -0.0625f);
            assert_true(i == 0 || c[k].point[i - 1].feature < c[k].point[i].feature);
            area[0] = fmaxf(area[0], c[k].point[i].at.x);
            area[1] = fmaxf(area[1], c[k].point[i].at.z);
        }
        assert_true(area[0] == 1.0f && area[1] == 1.0f);
    }
    const uint32_t id = 2;
    const tact_pose there = {.x = 0.3125, .y = 1.375, .z = 0.5625};
    assert_int_equal(tact_bodies_move(set, &id, &there, 1), TACT_OK);
    assert_int_equal(contacts_of(set, moved, 4, TACT_BACKEND_CPU), 2);
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(moved[1].point[i].feature, c[1].point[i].feature);
}

/// Centres and axes that coincide: some direction, and the whole depth.
TEST(nested_bodies)
{
    tact_context* context = KEEP(new_context(&host_alone));
    static const tact_vec3 flat[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    const tact_body_shape shapes[] = {{.radius = 1.0f},
                                      {.kind = TACT_BODY_CAPSULE, .radius = 1.0f, .half = {0, 1, 0}},
                                      {.kind = TACT_BODY_BOX, .half = {1, 1, 1}},
                                      {.kind = TACT_BODY_HULL, .points = flat, .point_count = 4},
                                      {.kind = TACT_BODY_BOX}};
    static const float depth[5][5] = {
        {2, 2, 2, 1, 1}, {2, 2, 2, 2, 1}, {2, 2, 2, 1, 1}, {1, 2, 1, 0, 0}, {1, 1, 1, 0, 0}};
    tact_bodies* set = new_set(context, shapes, 5);
    for (uint32_t a = 0; a < 5; ++a) {
        for (uint32_t b = 0; b < 5; ++b) {
            const tact_body bodies[2] = {{.shape = a}, {.shape = b}};
            uint32_t ids[2];
            tact_contact c = {0};
            assert_int_equal(tact_bodies_add(set, bodies, 2, ids), TACT_OK);
            const size_t count = contacts_of(set, &c, 1, TACT_BACKEND_CPU);
            // A point has no size to be worked out in.
            assert_int_equal(count, a != 4 || b != 4);
            float least = count ? c.point[0].separation : 0.0f;
            for (uint32_t i = 0; i < c.count; ++i)
                least = fminf(least, c.point[i].separation);
            if (fabsf(least + depth[a][b]) > 1e-5f)
                fail_msg("shapes %u and %u: %g deep, not %g", a, b, -(double)least, (double)depth[a][b]);
            assert_int_equal(tact_bodies_remove(set, ids, 2), TACT_OK);
        }
    }
}

/// Bodies of all kinds and sizes from 1e-3 to 1e3 that move, come and go: no contact of any pair is lost by the boxes.
TEST(no_contact_is_lost)
{
    tact_context* context = KEEP(new_context(&host_alone));
    enum { SHAPES = 16, BODIES = 160, PAIRS = BODIES * (BODIES - 1) / 2 };
    test_random r = test_random_seeded(5);
    specimen* shapes = scratch(SHAPES * sizeof *shapes);
    tact_bodies* set = new_set(context, NULL, 0);
    for (uint32_t i = 0; i < SHAPES; ++i) {
        uint32_t number;
        make_specimen(&shapes[i], (int)i % KINDS, &r);
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i].shape, &number), TACT_OK);
    }
    tact_body* bodies = scratch_zeroed(BODIES, sizeof *bodies);
    tact_pair* all = scratch(PAIRS * sizeof *all);
    tact_contact *found = scratch(PAIRS * sizeof *found), *right = scratch(PAIRS * sizeof *right);
    size_t pairs = 0, total = 0;
    for (uint32_t i = 0; i < BODIES; ++i) {
        const double far = i % 2 ? 1e7 : 0.0;
        bodies[i].shape = i % SHAPES;
        bodies[i].margin = i % 5 == 0 ? 0.125f : 0.0f;
        bodies[i].pose = random_pose(&r, far, 2.5);
        if (i % 7 == 0) bodies[i].pose.scale = powf(10.0f, 3.0f * test_random_signed(&r));
        for (uint32_t k = i + 1; k < BODIES; ++k)
            all[pairs++] = (tact_pair){i, k};
    }
    assert_int_equal(tact_bodies_add(set, bodies, BODIES, NULL), TACT_OK);
    for (int frame = 0; frame < 12; ++frame) {
        size_t expected = 0;
        const tact_contacts_work work = {
            .pairs = all, .pair_count = PAIRS, .contacts = right, .capacity = PAIRS, .count = &expected};
        assert_int_equal(tact_contacts_find(set, &work, &(tact_query_options){.backend = TACT_BACKEND_CPU}, NULL),
                         TACT_OK);
        const size_t count = contacts_of(set, found, PAIRS, TACT_BACKEND_CPU);
        assert_int_equal(count, expected);
        assert_memory_equal(found, right, count * sizeof *found);
        total += count;
        for (uint32_t i = 0; i < BODIES; ++i) {
            bodies[i].pose.x += 0.2 * (double)test_random_signed(&r);
            bodies[i].pose.y += 0.2 * (double)test_random_signed(&r);
            const tact_pose pose = bodies[i].pose;
            assert_int_equal(tact_bodies_move(set, &i, &pose, 1), TACT_OK);
        }
    }
    print_message("%zu contacts\n", total);
    assert_true(total > 2000);
}

/// By powers of two the same contact: no size is special.
TEST(any_size)
{
    tact_context* context = KEEP(new_context(&host_alone));
    const tact_body_shape shape = {.kind = TACT_BODY_BOX, .radius = 0.25f, .half = {1.0f, 0.5f, 0.75f}};
    tact_bodies* set = new_set(context, &shape, 1);
    tact_contact first = {0};
    for (int exponent = -38; exponent <= 38; exponent += 4) {
        const float scale = ldexpf(1.0f, exponent);
        const tact_body bodies[2] = {{.pose = {.scale = scale}},
                                     {.pose = {.x = 1.25 * (double)scale,
                                               .y = 0.5 * (double)scale,
                                               .rotation = {0.25f, 0.5f, 0.125f, 0.75f},
                                               .scale = scale}}};
        uint32_t ids[2];
        tact_contact c = {0};
        assert_int_equal(tact_bodies_add(set, bodies, 2, ids), TACT_OK);
        assert_int_equal(contacts_of(set, &c, 1, TACT_BACKEND_CPU), 1);
        for (uint32_t k = 0; k < c.count; ++k) {
            c.point[k].separation /= scale;
            c.point[k].at.x /= scale;
            c.point[k].at.y /= scale;
            c.point[k].at.z /= scale;
        }
        if (first.count == 0) first = c;
        assert_memory_equal(&c, &first, sizeof c);
        assert_int_equal(tact_bodies_remove(set, ids, 2), TACT_OK);
    }
}

static void expect_refused(tact_context* context, tact_result result, const char* word)
{
    assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
    if (!strstr(tact_context_error(context), word))
        fail_msg("\"%s\" says nothing of %s", tact_context_error(context), word);
}

TEST(what_is_refused)
{
    tact_context* context = KEEP(new_context(&host_alone));
    const tact_body_shape ball = {.radius = 1.0f};
    tact_bodies* set = new_set(context, &ball, 1);
    uint32_t number = 0;
    const float wrong[] = {NAN, -1.0f, INFINITY, 0x1p41f};
    for (size_t i = 0; i < 4; ++i) {
        const tact_body_shape radius = {.radius = wrong[i]}, half = {.kind = TACT_BODY_BOX, .half = {1, wrong[i], 1}};
        expect_refused(context, tact_bodies_add_shape(set, &radius, &number), "radius");
        expect_refused(context, tact_bodies_add_shape(set, &half, &number), "radius");
        const tact_body margin = {.margin = wrong[i]}, scale = {.pose = {.scale = wrong[i]}};
        const tact_body place = {.pose = {.x = i == 1 ? -0x1p41 : (double)wrong[i]}};
        const tact_body turn = {.pose = {.rotation = {wrong[i], 9, 0, 0}}};
        expect_refused(context, tact_bodies_add(set, &margin, 1, NULL), "margin");
        expect_refused(context, tact_bodies_add(set, &scale, 1, NULL), "scale");
        expect_refused(context, tact_bodies_add(set, &place, 1, NULL), "position");
        expect_refused(context, tact_bodies_add(set, &turn, 1, NULL), "rotation");
    }
    expect_refused(context, tact_bodies_add_shape(set, &(tact_body_shape){.kind = (tact_body_kind)99}, &number),
                   "kind");
    expect_refused(context, tact_bodies_add_shape(set, &(tact_body_shape){.kind = TACT_BODY_HULL}, &number), "hull");
    expect_refused(context, tact_bodies_add(set, &(tact_body){.shape = 7}, 1, NULL), "shape");
    assert_int_equal(tact_bodies_count(set), 0);
    enum { ROUND = 400 };
    test_random r = test_random_seeded(6);
    tact_vec3* points = scratch(ROUND * sizeof *points);
    for (size_t i = 0; i < ROUND; ++i) {
        const float x = test_random_signed(&r), y = test_random_signed(&r), z = test_random_signed(&r);
        const float length = sqrtf(x * x + y * y + z * z);
        points[i] = (tact_vec3){x / length, y / length, z / length};
    }
    const tact_body_shape round_one = {.kind = TACT_BODY_HULL, .points = points, .point_count = ROUND};
    assert_int_equal(tact_bodies_add_shape(set, &round_one, &number), TACT_ERROR_LIMIT);
    const tact_body two[2] = {{.shape = 0}, {.shape = 0}};
    assert_int_equal(tact_bodies_add(set, two, 2, NULL), TACT_OK);
    const tact_pair pairs[] = {{0, 1}, {1, 0}, {0, 2}, {0, 0}};
    size_t count = 0;
    for (size_t i = 1; i < 4; ++i) {
        const tact_contacts_work work = {.pairs = &pairs[i], .pair_count = 1, .count = &count};
        expect_refused(context, tact_contacts_find(set, &work, NULL, NULL), "pair");
    }
    const tact_pair twice[] = {{0, 1}, {0, 1}};
    const tact_contacts_work work = {.pairs = twice, .pair_count = 2, .count = &count};
    expect_refused(context, tact_contacts_find(set, &work, NULL, NULL), "order");
    expect_refused(context, tact_bodies_remove(set, &pairs[2].b, 1), "not in the set");
    const tact_pose pose = {0};
    expect_refused(context, tact_bodies_move(set, &pairs[2].b, &pose, 1), "not in the set");
    tact_contact room;
    assert_int_equal(contacts_of(set, &room, 0, TACT_BACKEND_CPU), 1);
    assert_non_null(tact_contacts_last(set, &count));
    assert_int_equal(count, 1);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
