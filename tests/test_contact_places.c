// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where the points of contacts of boxes and capsules are, against faces that are cut in double precision.
#include "tests/support/run.h"

#include <math.h>

#include "kernels/contact_points.h"
#include "tact/bodies.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

typedef struct vec {
    double x, y, z;
} vec;

static vec add(vec a, vec b, double times)
{
    return (vec){a.x + times * b.x, a.y + times * b.y, a.z + times * b.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec of_float(tact_vec3 v)
{
    return (vec){(double)v.x, (double)v.y, (double)v.z};
}

/// A body: a box, or a capsule whose half lengths across are 0.
typedef struct solid {
    vec at, axis[3];
    double half[3], radius;
} solid;

static solid solid_of(const tact_body_shape* shape, const tact_pose* pose)
{
    const double x = (double)pose->rotation.x, y = (double)pose->rotation.y, z = (double)pose->rotation.z,
                 w = (double)pose->rotation.w, n = 2.0 / (x * x + y * y + z * z + w * w);
    return (solid){.at = {pose->x, pose->y, pose->z},
                   .axis = {{1 - n * (y * y + z * z), n * (x * y + w * z), n * (x * z - w * y)},
                            {n * (x * y - w * z), 1 - n * (x * x + z * z), n * (y * z + w * x)},
                            {n * (x * z + w * y), n * (y * z - w * x), 1 - n * (x * x + y * y)}},
                   .half = {(double)shape->half.x, (double)shape->half.y, (double)shape->half.z},
                   .radius = (double)shape->radius};
}

/// The distance from the core.
static double beyond(const solid* s, vec p)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double along = fabs(dot(add(p, s->at, -1.0), s->axis[i])) - s->half[i];
        if (along > 0.0) sum += along * along;
    }
    return sqrt(sum);
}

/// How deep inside the core, 0 on its surface and beyond.
static double inside(const solid* s, vec p)
{
    double least = HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        least = fmin(least, s->half[i] - fabs(dot(add(p, s->at, -1.0), s->axis[i])));
    return fmax(least, 0.0);
}

/// A polygon as its plane has it, or a segment.
typedef struct polygon {
    double at[16][3];
    int count;
} polygon;

static void cut(polygon* p, int axis, double sign, double most)
{
    polygon r = {.count = 0};
    for (int i = 0; i < p->count; ++i) {
        const double *here = p->at[i], *next = p->at[(i + 1) % p->count];
        const double of_here = sign * here[axis] - most, of_next = sign * next[axis] - most;
        if (of_here <= 0.0) memcpy(r.at[r.count++], here, sizeof r.at[0]);
        if ((of_here <= 0.0) != (of_next <= 0.0) && (p->count > 2 || i == 0)) {
            for (int k = 0; k < 3; ++k)
                r.at[r.count][k] = here[k] + (next[k] - here[k]) * of_here / (of_here - of_next);
            ++r.count;
        }
    }
    *p = r;
}

typedef struct totals {
    size_t faces, others, corners, areas;
    double least_area;  // that four points span of what more corners do
} totals;

/// What of `other` lies over a face of `own`, in that face's frame: two places along it and the height. False: which
/// face of the other it is depends on rounding.
static bool part_over(const solid* own, const solid* other, int axis, double sign, polygon* p)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int steep = -1;
    double most = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (other->half[0] == 0.0 && i != 1) continue;
        const double turn = fabs(dot(other->axis[i], own->axis[axis]));
        if (fabs(turn - most) < 1e-3) return false;
        if (turn > most) steep = i;
        most = fmax(turn, most);
    }
    const bool rod = other->half[0] == 0.0;
    vec middle = add(other->at, own->at, -1.0);
    const int e = rod ? 1 : (steep + 1) % 3, f = (steep + 2) % 3;
    if (!rod) {
        const double towards = sign * dot(other->axis[steep], own->axis[axis]) > 0.0 ? -1.0 : 1.0;
        middle = add(middle, other->axis[steep], towards * other->half[steep]);
    }
    static const int around[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    p->count = rod ? 2 : 4;
    for (int i = 0; i < p->count; ++i) {
        vec c = add(middle, other->axis[e], around[i][0] * other->half[e]);
        if (!rod) c = add(c, other->axis[f], around[i][1] * other->half[f]);
        p->at[i][0] = dot(c, own->axis[u]);
        p->at[i][1] = dot(c, own->axis[v]);
        p->at[i][2] = sign * dot(c, own->axis[axis]) - own->half[axis];
    }
    for (int side = -1; side < 2; side += 2) {
        cut(p, 0, side, own->half[u]);
        cut(p, 1, side, own->half[v]);
    }
    return true;
}

static double area_of(double at[][3], int count)
{
    double area = 0.0;
    for (int i = 0; i < count; ++i)
        area += at[i][0] * at[(i + 1) % count][1] - at[i][1] * at[(i + 1) % count][0];
    return 0.5 * fabs(area);
}

/// The largest area of four, or fewer, points in any order.
static double area_of_four(double at[][3], int count)
{
    double most = area_of(at, count);
    if (count < 4) return most;
    double other[4][3];
    static const int orders[2][4] = {{0, 2, 1, 3}, {0, 1, 3, 2}};
    for (int o = 0; o < 2; ++o) {
        for (int i = 0; i < 4; ++i)
            memcpy(other[i], at[orders[o][i]], sizeof other[i]);
        most = fmax(most, area_of(other, 4));
    }
    return most;
}

/// Each point is on the surface of one core, and on or within the other; those at a face are corners of what lies over
/// it; of four corners or fewer each is a point, and of more four
/// that span much of what there is.
static void check(const tact_contact* c, const solid* a, const solid* b, double reach, totals* t)
{
    const vec n = of_float(c->normal);
    double size = 0.0;
    for (int i = 0; i < 3; ++i)
        size += a->half[i] + b->half[i];
    const double tolerance = 2e-5 * size;
    const bool face = !(c->point[0].feature & (TACT_FEATURE_EDGES | TACT_FEATURE_CLOSEST));
    const bool second = face && (c->point[0].feature & TACT_FEATURE_SECOND);
    const solid *own = second ? b : a, *other = second ? a : b;
    const uint32_t number = c->point[0].feature >> 16 & 0x1ffu;
    const int axis = (int)(number >> 1);
    const double sign = number & 1u ? 1.0 : -1.0, way = second ? -1.0 : 1.0;
    polygon p;
    const bool sure = face && part_over(own, other, axis, sign, &p);
    double found[4][3];
    int near_corners = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        const double apart = (double)c->point[k].separation + a->radius + b->radius;
        const vec at = add(a->at, of_float(c->point[k].at), 1.0);
        const double half = 0.5 * (double)c->point[k].separation;
        const vec on_a = add(at, n, -half - a->radius), on_b = add(at, n, half + b->radius);
        const double off_a = beyond(a, on_a), off_b = beyond(b, on_b);
        const double skin_a = fmax(off_a, inside(a, on_a)), skin_b = fmax(off_b, inside(b, on_b));
        // The deepest corner stands for itself where none that is over the face comes near its depth.
        const bool lone = face && (c->point[k].feature & 0x7000u) == 0x1000u;
        const double most = lone ? HUGE_VAL : 0.004 * size + 0.15 * fabs(apart) + tolerance;
        if (fmin(skin_a, skin_b) > tolerance || fmax(off_a, off_b) > most) {
            fail_msg("a point of feature %x is off the surfaces by %g and %g, beyond the cores by %g and %g",
                     c->point[k].feature, skin_a, skin_b, off_a, off_b);
        }
        if (!sure) continue;
        const vec on_other = add(second ? on_a : on_b, own->at, -1.0);
        found[k][0] = dot(on_other, own->axis[(axis + 1) % 3]);
        found[k][1] = dot(on_other, own->axis[(axis + 2) % 3]);
        if (lone) return;
        double nearest = HUGE_VAL;
        for (int i = 0; i < p.count; ++i)
            nearest = fmin(nearest, hypot(p.at[i][0] - found[k][0], p.at[i][1] - found[k][1]));
        if (nearest > 4.0 * tolerance) fail_msg("a point of feature %x is no corner", c->point[k].feature);
        ++near_corners;
    }
    ++*(face ? &t->faces : &t->others);
    if (!sure) return;
    // Corners within reach, by a wide margin; one that is not clearly there, or two that are nearly one, prove nothing.
    const double turned = way * sign * dot(n, own->axis[axis]);
    for (int i = 0; i < p.count; ++i) {
        const double over = p.at[i][2] / turned - a->radius - b->radius - reach;
        for (int k = 0; k < i; ++k)
            if (hypot(p.at[i][0] - p.at[k][0], p.at[i][1] - p.at[k][1]) < 0.02 * size) return;
        if (over > -0.01 * size) return;
    }
    if (p.count <= 4) {
        assert_int_equal(near_corners, p.count);
        for (int i = 0; i < p.count; ++i) {
            double nearest = HUGE_VAL;
            for (uint32_t k = 0; k < c->count; ++k)
                nearest = fmin(nearest, hypot(p.at[i][0] - found[k][0], p.at[i][1] - found[k][1]));
            assert_true(nearest <= 4.0 * tolerance);
        }
        ++t->corners;
    } else {
        // Three, where the two that are farthest from each other are neighbours.
        assert_true(c->count >= 3);
        t->least_area = fmin(t->least_area, area_of_four(found, (int)c->count) / area_of(p.at, p.count));
        ++t->areas;
    }
}

static tact_body_shape random_shape(test_random* r, bool capsule)
{
    if (capsule) {
        return (tact_body_shape){.kind = TACT_BODY_CAPSULE,
                                 .radius = 0.05f + 0.3f * test_random_unit(r),
                                 .half = {0, 0.1f + test_random_unit(r), 0}};
    }
    return (tact_body_shape){
        .kind = TACT_BODY_BOX,
        .radius = test_random_below(r, 3) ? 0.0f : 0.1f,
        .half = {0.1f + test_random_unit(r), 0.1f + test_random_unit(r), 0.1f + test_random_unit(r)}};
}

/// Turned about an axis of theirs by any angle, or by quarters, or any way; and a little.
static tact_quat random_turn(test_random* r)
{
    const float angle = 3.1415927f * test_random_signed(r), little = 0.05f;
    tact_quat q = {test_random_signed(r), test_random_signed(r), test_random_signed(r), 0.7f};
    if (test_random_below(r, 3)) q = (tact_quat){0, sinf(0.5f * angle), 0, cosf(0.5f * angle)};
    q.x += little * test_random_signed(r);
    q.z += little * test_random_signed(r);
    return q;
}

static void check_pairs(bool first_rod, bool second_rod, test_random* r, totals* t)
{
    enum { SHAPES = 40, PAIRS = 800 };
    tact_context* context = KEEP(new_context(&host_alone));
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    tact_body_shape shapes[SHAPES];
    tact_body bodies[2 * PAIRS] = {0};
    tact_pair pairs[PAIRS];
    for (uint32_t i = 0; i < SHAPES; ++i) {
        uint32_t number;
        shapes[i] = random_shape(r, i % 2 ? second_rod : first_rod);
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i], &number), TACT_OK);
    }
    for (uint32_t i = 0; i < 2 * PAIRS; ++i) {
        tact_body* b = &bodies[i];
        b->shape = 2 * test_random_below(r, SHAPES / 2) + i % 2;
        b->margin = i % 4 < 2 ? 0.0f : 0.05f;
        b->pose = (tact_pose){.rotation = random_turn(r)};
        if (i % 2) {
            const tact_body_shape *own = &shapes[b->shape], *below = &shapes[bodies[i - 1].shape];
            b->pose.x = 0.6 * (double)test_random_signed(r);
            b->pose.y =
                (double)(own->half.y + below->half.y + own->radius + below->radius) - 0.2 * (double)test_random_unit(r);
            b->pose.z = 0.6 * (double)test_random_signed(r);
        }
        pairs[i / 2] = (tact_pair){i & ~1u, i | 1u};
    }
    assert_int_equal(tact_bodies_add(set, bodies, 2 * PAIRS, NULL), TACT_OK);
    static tact_contact contacts[PAIRS];
    size_t count;
    const tact_contacts_work work = {
        .pairs = pairs, .pair_count = PAIRS, .contacts = contacts, .capacity = PAIRS, .count = &count};
    assert_int_equal(tact_contacts_find(set, &work, &(tact_query_options){.backend = TACT_BACKEND_CPU}, NULL), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        const tact_body *a = &bodies[contacts[i].a], *b = &bodies[contacts[i].b];
        const solid of_a = solid_of(&shapes[a->shape], &a->pose), of_b = solid_of(&shapes[b->shape], &b->pose);
        check(&contacts[i], &of_a, &of_b, (double)a->margin + (double)b->margin, t);
    }
}

static void check_kinds(bool first_rod, bool second_rod)
{
    totals t = {.least_area = 1.0};
    test_random r = test_random_seeded(5);
    const int rounds = (int)effort(10, 200);
    for (int i = 0; i < rounds; ++i)
        check_pairs(first_rod, second_rod, &r, &t);
    print_message("%zu at faces, %zu at edges and corners; all corners of %zu, of %zu %.2f of the area\n", t.faces,
                  t.others, t.corners, t.areas, t.least_area);
    assert_true(t.faces > 100 && t.others > 100 && t.corners > 100 && t.least_area > 0.5);
}

TEST(boxes)
{
    check_kinds(false, false);
}

TEST(capsules_on_boxes)
{
    check_kinds(false, true);
}

TEST(boxes_on_capsules)
{
    check_kinds(true, false);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
