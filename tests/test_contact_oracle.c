// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts of boxes and hulls against all of their axes: every face and every product of two edges, with every corner,
// in double precision, and once more with more bits where an axis may be the one of least depth.
#include "tests/support/run.h"

#include <math.h>

#include "tact/bodies.h"
#include "tact/geometry/hull.h"
#include "tests/geometry/wide.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { MOST_POINTS = 32, MOST_FACES = 64, MOST_EDGES = 100, KINDS = 4, WAYS = 7 };

static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

/// A polyhedron in its own frame.
typedef struct solid {
    tact_body_shape shape;
    tact_vec3 points[MOST_POINTS];
    uint32_t triangles[MOST_FACES][3], edges[MOST_EDGES][2];
    uint32_t count, triangle_count, edge_count;
} solid;

static void add_edge(solid* s, uint32_t from, uint32_t to)
{
    if (from > to) return;  // the other triangle has it the other way round
    assert_true(s->edge_count < MOST_EDGES);
    s->edges[s->edge_count][0] = from;
    s->edges[s->edge_count][1] = to;
    ++s->edge_count;
}

/// A box, hulls of eight and of 32 points, and a needle.
static void make_solid(solid* s, int kind, test_random* r)
{
    *s = (solid){.count = kind == 2 ? 32 : 8};
    const float x = kind == 3 ? 0.01f : 1.0f, z = kind == 3 ? 0.02f : 1.0f;
    const tact_vec3 half = {0.1f + test_random_unit(r), 0.1f + test_random_unit(r), 0.1f + test_random_unit(r)};
    for (uint32_t i = 0; i < s->count; ++i) {
        tact_vec3 p = {x * test_random_signed(r), test_random_signed(r), z * test_random_signed(r)};
        if (kind == 0) p = (tact_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
        s->points[i] = p;
    }
    s->shape = (tact_body_shape){.kind = TACT_BODY_BOX, .half = half};
    if (kind != 0) s->shape = (tact_body_shape){.kind = TACT_BODY_HULL, .points = s->points, .point_count = s->count};
    tact_hull_mesh mesh;
    assert_int_equal(tact_hull_mesh_3d(s->points, s->count, NULL, &mesh), TACT_OK);
    assert_int_equal(mesh.dimension, 3);
    assert_true(mesh.triangle_count <= MOST_FACES);
    s->triangle_count = (uint32_t)mesh.triangle_count;
    memcpy(s->triangles, mesh.triangles, mesh.triangle_count * sizeof *s->triangles);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k)
            add_edge(s, s->triangles[t][k], s->triangles[t][(k + 1) % 3]);
    }
    tact_hull_mesh_free(&mesh);
}

typedef struct point {
    double x, y, z;
} point;

/// Where a body's corners are, relative to an origin.
typedef struct placed {
    const solid* s;
    point at[MOST_POINTS];
    double extent;  ///< of the corner that is farthest from the position
} placed;

static double times(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static point difference(point a, point b)
{
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static point across(point a, point b)
{
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static point turned(tact_quat q, point v)
{
    const point u = {(double)q.x, (double)q.y, (double)q.z};
    const double w = (double)q.w, twice = 2.0 / (times(u, u) + w * w);
    const point c = across(u, v), d = across(u, c);
    return (point){v.x + twice * (w * c.x + d.x), v.y + twice * (w * c.y + d.y), v.z + twice * (w * c.z + d.z)};
}

static void place(placed* p, const solid* s, const tact_pose* pose, const tact_pose* origin)
{
    p->s = s;
    p->extent = 0.0;
    const point at = {pose->x - origin->x, pose->y - origin->y, pose->z - origin->z};
    for (uint32_t i = 0; i < s->count; ++i) {
        const double scale = (double)pose->scale;
        const point v = turned(pose->rotation, (point){scale * (double)s->points[i].x, scale * (double)s->points[i].y,
                                                       scale * (double)s->points[i].z});
        p->extent = fmax(p->extent, sqrt(times(v, v)));
        p->at[i] = (point){v.x + at.x, v.y + at.y, v.z + at.z};
    }
}

static double gap_along(const placed* a, const placed* b, point n)
{
    double most = -HUGE_VAL, least = HUGE_VAL;
    for (uint32_t i = 0; i < a->s->count; ++i)
        most = fmax(most, times(a->at[i], n));
    for (uint32_t i = 0; i < b->s->count; ++i)
        least = fmin(least, times(b->at[i], n));
    return least - most;
}

static wide3 widened(point p)
{
    return (wide3){(wide)p.x, (wide)p.y, (wide)p.z};
}

/// The gap along a product of two vectors, with more bits, over the square of its length.
static double wide_gap(const placed* a, const placed* b, point u, point v, double sign)
{
    const wide3 n = w_cross(widened(u), widened(v));
    wide most = w_dot(widened(a->at[0]), n) * (wide)sign, least = w_dot(widened(b->at[0]), n) * (wide)sign;
    for (uint32_t i = 1; i < a->s->count; ++i) {
        const wide h = w_dot(widened(a->at[i]), n) * (wide)sign;
        if (h > most) most = h;
    }
    for (uint32_t i = 1; i < b->s->count; ++i) {
        const wide h = w_dot(widened(b->at[i]), n) * (wide)sign;
        if (h < least) least = h;
    }
    return (double)(least - most) / sqrt((double)w_dot(n, n));
}

static void try_axis(const placed* a, const placed* b, point u, point v, double* best)
{
    const point n = across(u, v);
    const double length = sqrt(times(n, n)), size = a->extent + b->extent;
    if (!(length > 1e-13 * sqrt(times(u, u) * times(v, v)))) return;
    for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
        const double gap = gap_along(a, b, (point){sign * n.x / length, sign * n.y / length, sign * n.z / length});
        if (gap > *best - 1e-7 * size) *best = fmax(*best, wide_gap(a, b, u, v, sign));
    }
}

static void try_faces(const placed* a, const placed* b, const placed* of, double* best)
{
    for (uint32_t t = 0; t < of->s->triangle_count; ++t) {
        const uint32_t* k = of->s->triangles[t];
        try_axis(a, b, difference(of->at[k[1]], of->at[k[0]]), difference(of->at[k[2]], of->at[k[0]]), best);
    }
}

/// The largest gap over all axes: minus the depth, or above 0.
static double all_axes(const placed* a, const placed* b)
{
    double best = -HUGE_VAL;
    try_faces(a, b, a, &best);
    try_faces(a, b, b, &best);
    for (uint32_t i = 0; i < a->s->edge_count; ++i) {
        const point u = difference(a->at[a->s->edges[i][1]], a->at[a->s->edges[i][0]]);
        for (uint32_t k = 0; k < b->s->edge_count; ++k)
            try_axis(a, b, u, difference(b->at[b->s->edges[k][1]], b->at[b->s->edges[k][0]]), &best);
    }
    return best;
}

static uint32_t extreme(const solid* s, float sign)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->count; ++i)
        if (sign * s->points[i].y > sign * s->points[best].y) best = i;
    return best;
}

/// Anywhere near, touching, with a common turn, one in the other, of very different sizes on each other, about one
/// middle, and far from the origin.
static void random_poses(test_random* r, int way, tact_body* a, const solid* of_a, tact_body* b, const solid* of_b)
{
    const double far = way == 6 ? 1e7 : 0.0;
    a->pose = (tact_pose){.x = far, .z = -far, .scale = 0.5f + test_random_unit(r)};
    a->pose.rotation = (tact_quat){test_random_signed(r), test_random_signed(r), test_random_signed(r), 0.9f};
    b->pose = a->pose;
    const point away = {(double)test_random_signed(r), (double)test_random_signed(r), (double)test_random_signed(r)};
    double about = way == 3 ? 0.1 : way == 5 ? 0.0 : 1.0;
    if (way != 1 && way != 2) b->pose.rotation = (tact_quat){test_random_signed(r), test_random_signed(r), 0.3f, 0.7f};
    if (way == 2) b->pose.rotation.w += 1e-3f * test_random_signed(r);
    if (way == 3) b->pose.scale *= 0.2f;
    if (way == 4) {
        // A small one at a corner of the large one.
        b->pose.scale *= 1e-3f;
        const tact_vec3 p = of_a->points[test_random_below(r, of_a->count)];
        const double s = (double)a->pose.scale;
        const point c = turned(a->pose.rotation, (point){s * (double)p.x, s * (double)p.y, s * (double)p.z});
        b->pose.x += c.x;
        b->pose.y += c.y;
        b->pose.z += c.z;
        about = 1e-3;
    }
    if (way == 1) {
        // The lowest corner of one on the highest of the other, but for a little; of boxes also their faces.
        static const float gaps[] = {0.0f, 1e-6f, -1e-6f, 1e-4f, -1e-4f, -1e-3f};
        const tact_vec3 top = of_a->points[extreme(of_a, 1.0f)], bottom = of_b->points[extreme(of_b, -1.0f)];
        const double s = (double)a->pose.scale, up = (double)gaps[test_random_below(r, 6)];
        const point way_up = turned(a->pose.rotation, (point){s * ((double)top.x - (double)bottom.x),
                                                              s * ((double)top.y - (double)bottom.y) + up,
                                                              s * ((double)top.z - (double)bottom.z)});
        b->pose.x += way_up.x;
        b->pose.y += way_up.y;
        b->pose.z += way_up.z;
        about = 0.0;
    }
    b->pose.x += about * away.x;
    b->pose.y += about * away.y;
    b->pose.z += about * away.z;
}

typedef struct tally {
    size_t pairs, contacts, near;
    double depth, normal;  ///< worst errors, of the extents
} tally;

static void check_pair(const placed* a, const placed* b, const tact_contact* c, tally* t, int way)
{
    const double gap = all_axes(a, b), size = a->extent + b->extent, tolerance = 1e-5 * size;
    ++t->pairs;
    t->near += fabs(gap) < tolerance;
    if (!c && gap < -tolerance) fail_msg("way %d: no contact, %g deep of %g", way, -gap, size);
    if (!c) return;
    ++t->contacts;
    if (gap > tolerance) fail_msg("way %d: a contact, %g apart of %g", way, gap, size);
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < c->count; ++k)
        least = fmin(least, (double)c->point[k].separation);
    // Of more than four corners the deepest may be left out by 64 times what coordinates are certain to.
    const double left_out = c->count > 1 && least > gap ? 64.0 * 0x1p-20 * size : 0.0;
    const double off = fabs(least - gap);
    if (off > tolerance + left_out) fail_msg("way %d: %g, not %g, of %g", way, least, gap, size);
    t->depth = fmax(t->depth, off / size);
    const double lost = gap - gap_along(a, b, (point){(double)c->normal.x, (double)c->normal.y, (double)c->normal.z});
    if (lost > 2e-5 * size) fail_msg("way %d: along the normal worse by %g of %g", way, lost, size);
    t->normal = fmax(t->normal, lost / size);
}

static void check_kinds(tact_context* context, int ka, int kb, size_t pairs, tally tallies[WAYS])
{
    test_random r = test_random_seeded((uint64_t)(500 + ka * KINDS + kb));
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    solid* solids = scratch(2 * pairs * sizeof *solids);
    tact_body* bodies = scratch_zeroed(2 * pairs, sizeof *bodies);
    tact_pair* list = scratch(pairs * sizeof *list);
    for (size_t i = 0; i < pairs; ++i) {
        for (size_t k = 2 * i; k < 2 * i + 2; ++k) {
            make_solid(&solids[k], k % 2 == 0 ? ka : kb, &r);
            assert_int_equal(tact_bodies_add_shape(set, &solids[k].shape, &bodies[k].shape), TACT_OK);
        }
        random_poses(&r, (int)(i % WAYS), &bodies[2 * i], &solids[2 * i], &bodies[2 * i + 1], &solids[2 * i + 1]);
        list[i] = (tact_pair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    }
    assert_int_equal(tact_bodies_add(set, bodies, 2 * pairs, NULL), TACT_OK);
    tact_contact* contacts = scratch(pairs * sizeof *contacts);
    size_t count = 0, next = 0;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    const tact_contacts_work work = {
        .pairs = list, .pair_count = pairs, .contacts = contacts, .capacity = pairs, .count = &count};
    assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
    for (size_t i = 0; i < pairs; ++i) {
        const bool there = next < count && contacts[next].a == 2 * i;
        static placed a, b;
        place(&a, &solids[2 * i], &bodies[2 * i].pose, &bodies[2 * i].pose);
        place(&b, &solids[2 * i + 1], &bodies[2 * i + 1].pose, &bodies[2 * i].pose);
        check_pair(&a, &b, there ? &contacts[next] : NULL, &tallies[i % WAYS], (int)(i % WAYS));
        next += there;
    }
    assert_int_equal(next, count);
}

TEST(contacts_are_as_deep_as_the_best_of_all_axes)
{
    static const char* const ways[WAYS] = {"anywhere",       "touching",         "turned alike", "one in the other",
                                           "of unlike size", "about one middle", "far away"};
    tact_context* context = KEEP(new_context(&host_alone));
    tally tallies[WAYS] = {{0}};
    for (int a = 0; a < KINDS; ++a) {
        for (int b = 0; b < KINDS; ++b)
            check_kinds(context, a, b, effort(a == 2 && b == 2 ? 140 : 280, 14000), tallies);
    }
    for (int w = 0; w < WAYS; ++w) {
        const tally* t = &tallies[w];
        print_message("%s: %zu pairs, %zu contacts, %zu within 1e-5 of a touch; depth off by %.2g, normals by %.2g\n",
                      ways[w], t->pairs, t->contacts, t->near, t->depth, t->normal);
        assert_true(t->pairs > 100 && t->contacts > t->pairs / 20);
    }
    assert_true(tallies[1].near > tallies[1].pairs / 4);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
