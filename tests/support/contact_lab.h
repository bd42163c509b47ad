// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pairs of bodies of all kinds in the ways that contacts may go wrong, and what oracles of contacts need of them.
/// Include after run.h.

#include <math.h>

#include "tact/bodies.h"
#include "tact/geometry/hull.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

/// Kinds of specimens. Those before LAB_ROUND_BOX are not flat and have one core each.
typedef enum lab_kind {
    LAB_SPHERE,
    LAB_CAPSULE,
    LAB_BOX,
    LAB_HULL,        ///< of 8 points, some rounded
    LAB_LARGE_HULL,  ///< of 32 points
    LAB_ROUND_BOX,
    LAB_NEEDLE,
    LAB_FLAT,  ///< a hull in a plane
    LAB_CYLINDER,
    LAB_CONE,
    LAB_LARGEST_HULL,  ///< of a thousand points, as many corners as there may be
    LAB_TRIANGLE,      ///< a mesh of one
    LAB_HALF_SPACE,
    LAB_KINDS
} lab_kind;

/// Ways in which two bodies are placed.
typedef enum lab_way {
    LAB_ANYWHERE,  ///< near each other, some of them along the axes
    LAB_TOUCHING,  ///< a corner on a corner, but for a little; of boxes also their faces
    LAB_ALIKE,     ///< turned alike, but for a little
    LAB_NESTED,    ///< one in the other
    LAB_UNLIKE,    ///< of sizes from 1 : 1000 to 1000 : 1, the small one on the large one
    LAB_CENTRED,   ///< about one middle, some turned alike
    LAB_FAR,       ///< 14,000 km from the origin
    LAB_EDGES,     ///< edge on edge, crossing or parallel, but for a little
    LAB_WAYS
} lab_way;

static const char* const lab_ways[LAB_WAYS] = {"anywhere",       "touching",         "turned alike", "one in the other",
                                               "of unlike size", "about one middle", "far away",     "edge on edge"};

enum { LAB_POINTS = TACT_HULL_MOST_POINTS, LAB_TRIANGLES = 2 * LAB_POINTS, LAB_EDGE_ROOM = 3 * LAB_POINTS };

/// A shape, and the polytope that is its core.
typedef struct specimen {
    tact_body_shape shape;
    tact_vec3 points[LAB_POINTS];
    uint32_t count;
    uint32_t triangles[LAB_TRIANGLES][3], edges[LAB_EDGE_ROOM][2];  ///< none of what is no solid
    uint32_t triangle_count, edge_count;
} specimen;

typedef struct point {
    double x, y, z;
} point;

static inline point lab_point(tact_vec3 v)
{
    return (point){(double)v.x, (double)v.y, (double)v.z};
}

static inline double times(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// a + s b
static inline point along(point a, double s, point b)
{
    return (point){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline point across(point a, point b)
{
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline point scaled(point a, double s)
{
    return (point){s * a.x, s * a.y, s * a.z};
}

static inline point unit_of(point a)
{
    return scaled(a, 1.0 / sqrt(times(a, a)));
}

static inline point turned(tact_quat q, point v)
{
    const point u = {(double)q.x, (double)q.y, (double)q.z};
    const double w = (double)q.w, twice = 2.0 / (times(u, u) + w * w);
    const point c = across(u, v), d = across(u, c);
    return along(along(v, twice * w, c), twice, d);
}

/// The rotation with these images of the axes.
static inline tact_quat lab_quat(point x, point y, point z)
{
    // Four times the squares of the parts.
    const double w = 1 + x.x + y.y + z.z, a = 1 + x.x - y.y - z.z, b = 1 - x.x + y.y - z.z, c = 1 - x.x - y.y + z.z;
    double q[4] = {y.z - z.y, z.x - x.z, x.y - y.x, w};
    if (a >= b && a >= c && a > w) {
        const double of_x[4] = {a, x.y + y.x, z.x + x.z, y.z - z.y};
        memcpy(q, of_x, sizeof q);
    } else if (b >= c && b > w) {
        const double of_y[4] = {x.y + y.x, b, y.z + z.y, z.x - x.z};
        memcpy(q, of_y, sizeof q);
    } else if (c > w) {
        const double of_z[4] = {z.x + x.z, y.z + z.y, c, x.y - y.x};
        memcpy(q, of_z, sizeof q);
    }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (tact_quat){(float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length), (float)(q[3] / length)};
}

static inline point lab_normal(const specimen* s, const uint32_t t[3])
{
    const point a = lab_point(s->points[t[0]]);
    return across(along(lab_point(s->points[t[1]]), -1.0, a), along(lab_point(s->points[t[2]]), -1.0, a));
}

/// Faces of a solid and the edges between two that are not in one plane.
static inline void lab_faces(specimen* s)
{
    tact_hull_mesh mesh;
    assert_int_equal(tact_hull_mesh_3d(s->points, s->count, NULL, &mesh), TACT_OK);
    assert_int_equal(mesh.dimension, 3);
    assert_true(mesh.triangle_count <= LAB_TRIANGLES);
    s->triangle_count = (uint32_t)mesh.triangle_count;
    memcpy(s->triangles, mesh.triangles, mesh.triangle_count * sizeof *s->triangles);
    tact_hull_mesh_free(&mesh);
    for (uint32_t t = 0; t < 3 * s->triangle_count; ++t) {
        const uint32_t from = s->triangles[t / 3][t % 3], to = s->triangles[t / 3][(t + 1) % 3];
        uint32_t beside = 0;
        if (from > to) continue;  // the other triangle has it the other way round
        for (; beside < 3 * s->triangle_count; ++beside)
            if (s->triangles[beside / 3][beside % 3] == to && s->triangles[beside / 3][(beside + 1) % 3] == from) break;
        assert_true(beside < 3 * s->triangle_count);
        const point n = lab_normal(s, s->triangles[t / 3]), m = lab_normal(s, s->triangles[beside / 3]);
        const point c = across(n, m);
        if (times(c, c) < 1e-20 * times(n, n) * times(m, m)) continue;
        assert_true(s->edge_count < LAB_EDGE_ROOM);
        s->edges[s->edge_count][0] = from;
        s->edges[s->edge_count++][1] = to;
    }
}

/// Of few points in a plane, all that may be its sides.
static inline void lab_sides(specimen* s)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        for (uint32_t k = i + 1; k < s->count; ++k) {
            s->edges[s->edge_count][0] = i;
            s->edges[s->edge_count++][1] = k;
        }
    }
    for (uint32_t k = 0; k < 3; ++k)
        s->triangles[0][k] = k;
    s->triangle_count = 1;
}

static inline void lab_take_points(specimen* s, test_random* r, uint32_t count, tact_vec3 most)
{
    s->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        s->points[i] =
            (tact_vec3){most.x * test_random_signed(r), most.y * test_random_signed(r), most.z * test_random_signed(r)};
    }
    s->shape.kind = TACT_BODY_HULL;
    s->shape.points = s->points;
    s->shape.point_count = count;
}

/// Of a thousand points those that 256 directions spread over a sphere have the farthest along them.
static inline void lab_largest_hull(specimen* s, test_random* r)
{
    enum { ALL = 1000 };
    tact_vec3 all[ALL];
    for (int i = 0; i < ALL; ++i) {
        const point p = unit_of((point){(double)test_random_signed(r), (double)test_random_signed(r) + 1e-9,
                                        (double)test_random_signed(r)});
        all[i] = (tact_vec3){(float)p.x, 0.7f * (float)p.y, 0.5f * (float)p.z};
    }
    bool taken[ALL] = {false};
    for (int d = 0; d < LAB_POINTS; ++d) {
        const double y = 1.0 - (2.0 * d + 1.0) / LAB_POINTS, turn = 2.399963229728653 * d, flat = sqrt(1.0 - y * y);
        const point way = {flat * cos(turn), y, flat * sin(turn)};
        int best = 0;
        for (int i = 1; i < ALL; ++i)
            if (times(lab_point(all[i]), way) > times(lab_point(all[best]), way)) best = i;
        if (!taken[best]) s->points[s->count++] = all[best];
        taken[best] = true;
    }
    s->shape = (tact_body_shape){.kind = TACT_BODY_HULL, .points = s->points, .point_count = s->count};
}

static inline void lab_round(specimen* s, test_random* r, bool cone)
{
    const float radius = 0.1f + 0.5f * test_random_unit(r), half = 0.1f + test_random_unit(r);
    s->shape.kind = cone ? TACT_BODY_CONE : TACT_BODY_CYLINDER;
    s->shape.radius = radius;
    s->shape.half.y = half;
    s->count = cone ? TACT_ROUND_SIDES + 1 : 2 * TACT_ROUND_SIDES;
    for (int i = 0; i < TACT_ROUND_SIDES; ++i) {
        const double angle = 6.283185307179586 * i / TACT_ROUND_SIDES;
        const float x = (float)((double)radius * cos(angle)), z = (float)((double)radius * sin(angle));
        s->points[i] = (tact_vec3){x, -half, z};
        if (!cone) s->points[TACT_ROUND_SIDES + i] = (tact_vec3){x, half, z};
    }
    if (cone) s->points[TACT_ROUND_SIDES] = (tact_vec3){0.0f, half, 0.0f};
}

static inline void lab_box(specimen* s, tact_vec3 half)
{
    s->shape.kind = TACT_BODY_BOX;
    s->shape.half = half;
    s->count = 8;
    for (int i = 0; i < 8; ++i)
        s->points[i] = (tact_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    lab_faces(s);
}

/// The radius around the core.
static inline float lab_radius(const specimen* s)
{
    const bool round = s->shape.kind == TACT_BODY_CYLINDER || s->shape.kind == TACT_BODY_CONE;
    return round ? 0.0f : s->shape.radius;
}

/// A specimen; the shape points into it.
static inline void make_specimen(specimen* s, lab_kind kind, test_random* r)
{
    static const uint32_t first[3] = {0, 1, 2};
    memset(s, 0, sizeof *s);
    switch (kind) {
        case LAB_SPHERE:
            s->shape.kind = TACT_BODY_SPHERE;
            s->shape.radius = 0.1f + test_random_unit(r);
            s->count = 1;
            break;
        case LAB_CAPSULE:
            s->shape.kind = TACT_BODY_CAPSULE;
            s->shape.radius = 0.05f + 0.4f * test_random_unit(r);
            s->shape.half.y = test_random_unit(r);
            s->points[0].y = -s->shape.half.y;
            s->points[1].y = s->shape.half.y;
            s->count = 2;
            break;
        case LAB_BOX:
        case LAB_ROUND_BOX:
            lab_box(s, (tact_vec3){0.1f + test_random_unit(r), 0.1f + test_random_unit(r), 0.1f + test_random_unit(r)});
            s->shape.radius = kind == LAB_ROUND_BOX ? 0.1f : 0.0f;
            break;
        case LAB_HULL:
            lab_take_points(s, r, 8, (tact_vec3){1, 1, 1});
            s->shape.radius = test_random_below(r, 4) ? 0.0f : 0.1f;
            lab_faces(s);
            break;
        case LAB_LARGE_HULL:
            lab_take_points(s, r, 32, (tact_vec3){1, 1, 1});
            lab_faces(s);
            break;
        case LAB_NEEDLE:
            lab_take_points(s, r, 6, (tact_vec3){0.01f, 1, 0.02f});
            lab_faces(s);
            break;
        case LAB_FLAT:
            lab_take_points(s, r, 5, (tact_vec3){1, 0, 1});
            lab_sides(s);
            break;
        case LAB_CYLINDER:
        case LAB_CONE:
            lab_round(s, r, kind == LAB_CONE);
            lab_faces(s);
            break;
        case LAB_LARGEST_HULL:
            lab_largest_hull(s, r);
            lab_faces(s);
            break;
        case LAB_TRIANGLE:
            lab_take_points(s, r, 3, (tact_vec3){1, 1, 1});
            // A part's position, which errors are measured by, is the first corner.
            s->points[0] = (tact_vec3){0, 0, 0};
            s->shape.kind = TACT_BODY_MESH;
            s->shape.triangles = first;
            s->shape.triangle_count = 1;
            lab_sides(s);
            break;
        default:
            s->shape.kind = TACT_BODY_HALF_SPACE;
            s->count = 1;
            break;
    }
}

/// Where the points of a body's core are, relative to an origin.
typedef struct placed {
    const specimen* s;
    point at[LAB_POINTS];
    double extent;  ///< of the point that is farthest from the position
} placed;

static inline void place(placed* p, const specimen* s, const tact_pose* pose, const tact_pose* origin)
{
    p->s = s;
    p->extent = 0.0;
    const point at = {pose->x - origin->x, pose->y - origin->y, pose->z - origin->z};
    for (uint32_t i = 0; i < s->count; ++i) {
        const point v = turned(pose->rotation, scaled(lab_point(s->points[i]), (double)pose->scale));
        p->extent = fmax(p->extent, sqrt(times(v, v)));
        p->at[i] = along(at, 1.0, v);
    }
}

/// How far apart two cores are along a direction of unit length.
static inline double gap_along(const placed* a, const placed* b, point n)
{
    double most = -HUGE_VAL, least = HUGE_VAL;
    for (uint32_t i = 0; i < a->s->count; ++i)
        most = fmax(most, times(a->at[i], n));
    for (uint32_t i = 0; i < b->s->count; ++i)
        least = fmin(least, times(b->at[i], n));
    return least - most;
}

static inline uint32_t lab_extreme(const specimen* s, float sign)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->count; ++i)
        if (sign * s->points[i].y > sign * s->points[best].y) best = i;
    return best;
}

static inline tact_quat lab_turn(test_random* r)
{
    static const tact_quat straight[] = {{0, 0, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 0}, {0.5f, 0.5f, 0.5f, 0.5f}};
    if (test_random_below(r, 3) == 0) return straight[test_random_below(r, 4)];
    return (tact_quat){test_random_signed(r), test_random_signed(r), test_random_signed(r), 0.9f};
}

/// None, or a little; above 0 leaves the bodies apart.
static inline double lab_gap(test_random* r)
{
    static const float gaps[] = {0.0f, 1e-6f, -1e-6f, 1e-4f, -1e-4f, -1e-3f};
    return (double)gaps[test_random_below(r, 6)];
}

static inline void lab_move(tact_pose* pose, point by)
{
    pose->x += by.x;
    pose->y += by.y;
    pose->z += by.z;
}

/// The middle of an edge, and axes along it, outwards from the origin, and across both.
static inline void lab_edge_frame(const specimen* s, test_random* r, point* middle, point axes[3])
{
    const uint32_t* e = s->edges[test_random_below(r, s->edge_count)];
    const point p = lab_point(s->points[e[0]]), q = lab_point(s->points[e[1]]);
    *middle = scaled(along(p, 1.0, q), 0.5);
    axes[0] = unit_of(along(q, -1.0, p));
    axes[1] = along(*middle, -times(*middle, axes[0]), axes[0]);
    axes[1] = unit_of(along(axes[1], 1e-12, (point){axes[0].y, axes[0].z, axes[0].x}));
    axes[1] = unit_of(along(axes[1], -times(axes[1], axes[0]), axes[0]));
    axes[2] = across(axes[0], axes[1]);
}

static inline void lab_edge_on_edge(test_random* r, tact_pose* a, const specimen* of_a, tact_pose* b,
                                    const specimen* of_b)
{
    point middle[2], own[3], other[3], image[3];
    lab_edge_frame(of_a, r, &middle[0], own);
    lab_edge_frame(of_b, r, &middle[1], other);
    const uint32_t how = test_random_below(r, 4);
    const double angle = how < 2 ? 0.0 : how == 2 ? 1e-4 : 3.0 * (double)test_random_unit(r);
    // Axes of B's edge where they are to be in A's frame: along or across A's edge, and against its way outwards.
    point to[3] = {along(scaled(own[0], cos(angle)), sin(angle), own[2]), scaled(own[1], -1.0), {0.0, 0.0, 0.0}};
    to[2] = across(to[0], to[1]);
    for (int k = 0; k < 3; ++k) {
        const point axis = {k == 0, k == 1, k == 2};
        image[k] = scaled(to[0], times(other[0], axis));
        image[k] = along(along(image[k], times(other[1], axis), to[1]), times(other[2], axis), to[2]);
        image[k] = turned(a->rotation, image[k]);
    }
    b->rotation = lab_quat(image[0], image[1], image[2]);
    const double s = (double)a->scale;
    const double up = lab_gap(r) + s * ((double)lab_radius(of_a) + (double)lab_radius(of_b));
    const point on_a = turned(a->rotation, along(scaled(middle[0], s), up, own[1]));
    lab_move(b, along(on_a, -s, turned(b->rotation, middle[1])));
}

/// A place on the surface of a specimen, or on its core where it is round.
static inline point lab_surface(const specimen* s, test_random* r)
{
    point p = lab_point(s->points[test_random_below(r, s->count)]);
    if (s->triangle_count && test_random_below(r, 2)) {
        const uint32_t* t = s->triangles[test_random_below(r, s->triangle_count)];
        double u = (double)test_random_unit(r), v = (double)test_random_unit(r);
        if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
        p = scaled(lab_point(s->points[t[0]]), 1.0 - u - v);
        p = along(along(p, u, lab_point(s->points[t[1]])), v, lab_point(s->points[t[2]]));
    }
    const point way = {(double)test_random_signed(r), (double)test_random_signed(r) + 1e-9,
                       (double)test_random_signed(r)};
    return along(p, (double)lab_radius(s), unit_of(way));
}

/// Places two bodies.
static inline void lab_poses(test_random* r, lab_way way, tact_pose* a, const specimen* of_a, tact_pose* b,
                             const specimen* of_b)
{
    const bool ground = of_b->shape.kind == TACT_BODY_HALF_SPACE && of_a->shape.kind != TACT_BODY_HALF_SPACE;
    if (ground || (way == LAB_UNLIKE && of_a->shape.kind != TACT_BODY_HALF_SPACE && test_random_below(r, 2))) {
        const specimen* s = of_a;
        tact_pose* pose = a;
        of_a = of_b;
        of_b = s;
        a = b;
        b = pose;
    }
    if (way == LAB_EDGES && (!of_a->edge_count || !of_b->edge_count)) way = LAB_TOUCHING;
    const double far = way == LAB_FAR ? 1e7 : 0.0;
    *a = (tact_pose){.x = far, .z = -far, .rotation = lab_turn(r), .scale = 0.5f + test_random_unit(r)};
    *b = *a;
    const point away = {(double)test_random_signed(r), (double)test_random_signed(r), (double)test_random_signed(r)};
    const double s = (double)a->scale;
    double about = 1.0;
    switch (way) {
        case LAB_TOUCHING: {
            const point top = lab_point(of_a->points[lab_extreme(of_a, 1.0f)]);
            const point bottom = lab_point(of_b->points[lab_extreme(of_b, -1.0f)]);
            point up = scaled(along(top, -1.0, bottom), s);
            up.y += lab_gap(r) + s * ((double)lab_radius(of_a) + (double)lab_radius(of_b));
            lab_move(b, turned(a->rotation, up));
            about = 0.0;
            break;
        }
        case LAB_ALIKE:
            b->rotation.w += 1e-3f * test_random_signed(r);
            break;
        case LAB_NESTED:
            b->rotation = lab_turn(r);
            b->scale *= 0.2f;
            about = 0.1;
            break;
        case LAB_UNLIKE: {
            const float ratio = powf(10.0f, -3.0f * test_random_unit(r));
            b->rotation = lab_turn(r);
            b->scale *= ratio;
            lab_move(b, turned(a->rotation, scaled(lab_surface(of_a, r), s)));
            about = (double)b->scale;
            break;
        }
        case LAB_CENTRED:
            if (test_random_below(r, 4)) b->rotation = lab_turn(r);
            about = 0.0;
            break;
        case LAB_EDGES:
            lab_edge_on_edge(r, a, of_a, b, of_b);
            about = 0.0;
            break;
        default:
            b->rotation = lab_turn(r);
            b->scale = 0.5f + test_random_unit(r);
            break;
    }
    lab_move(b, scaled(away, about));
}

/// A pair and what was found: NULL, or its contact.
typedef struct lab_pair {
    const specimen *a, *b;
    const tact_body *body_a, *body_b;
    const tact_contact* contact;
    lab_way way;
    double margin;  ///< of both
} lab_pair;

/// Counts a pair that is wrong. Prints the first few, so that a long run shows them all at once, with the number that
/// is wrong and what it should be.
static inline void lab_wrong(const lab_pair* p, size_t* wrong, const char* what, double found, double right,
                             double size)
{
    if (++*wrong > 4) return;
    print_message("WRONG, %s: %s: %g, right is %g, size %g, margin %g\n", lab_ways[p->way], what, found, right, size,
                  p->margin);
    for (int k = 0; k < 2; ++k) {
        const specimen* s = k ? p->b : p->a;
        const tact_pose* at = k ? &p->body_b->pose : &p->body_a->pose;
        print_message("  kind %d, radius %a, at %a %a %a, turned %a %a %a %a, scale %a\n ", (int)s->shape.kind,
                      (double)s->shape.radius, at->x, at->y, at->z, (double)at->rotation.x, (double)at->rotation.y,
                      (double)at->rotation.z, (double)at->rotation.w, (double)at->scale);
        for (uint32_t i = 0; i < s->count && i < 8; ++i)
            print_message(" (%a %a %a)", (double)s->points[i].x, (double)s->points[i].y, (double)s->points[i].z);
        print_message("\n");
    }
    for (uint32_t k = 0; p->contact && k < p->contact->count; ++k) {
        const tact_contact* c = p->contact;
        print_message("  normal %g %g %g, %g apart, feature %x\n", (double)c->normal.x, (double)c->normal.y,
                      (double)c->normal.z, (double)c->point[k].separation, (unsigned)c->point[k].feature);
    }
}

typedef void (*lab_check)(const lab_pair* pair, void* user);

enum { LAB_SHAPES = 32, LAB_BATCH = 4096 };

static inline void lab_run_batch(tact_context* context, lab_kind ka, lab_kind kb, size_t pairs, test_random* r,
                                 bool plain, lab_check check, void* user)
{
    static specimen shapes[2 * LAB_SHAPES];
    static tact_body bodies[2 * LAB_BATCH];
    static tact_pair list[LAB_BATCH];
    static tact_contact contacts[LAB_BATCH];
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    for (uint32_t i = 0; i < 2 * LAB_SHAPES; ++i) {
        uint32_t number;
        make_specimen(&shapes[i], i < LAB_SHAPES ? ka : kb, r);
        if (plain) shapes[i].shape.radius -= lab_radius(&shapes[i]);
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i].shape, &number), TACT_OK);
        assert_int_equal(number, i);
    }
    memset(bodies, 0, sizeof bodies);
    for (size_t i = 0; i < pairs; ++i) {
        tact_body* b = &bodies[2 * i];
        for (uint32_t k = 0; k < 2; ++k) {
            b[k].shape = test_random_below(r, LAB_SHAPES) + (k == i / LAB_WAYS % 2 ? 0 : LAB_SHAPES);
            b[k].margin = !plain && i % 3 == 0 ? 0.05f : 0.0f;
        }
        lab_poses(r, (lab_way)(i % LAB_WAYS), &b[0].pose, &shapes[b[0].shape], &b[1].pose, &shapes[b[1].shape]);
        list[i] = (tact_pair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    }
    assert_int_equal(tact_bodies_add(set, bodies, 2 * pairs, NULL), TACT_OK);
    size_t count = 0, next = 0;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 1};
    const tact_contacts_work work = {
        .pairs = list, .pair_count = pairs, .contacts = contacts, .capacity = pairs, .count = &count};
    assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
    for (size_t i = 0; i < pairs; ++i) {
        const bool there = next < count && contacts[next].a == 2 * i;
        const tact_body* b = &bodies[2 * i];
        const lab_pair pair = {.a = &shapes[b[0].shape],
                               .b = &shapes[b[1].shape],
                               .body_a = &b[0],
                               .body_b = &b[1],
                               .contact = there ? &contacts[next] : NULL,
                               .way = (lab_way)(i % LAB_WAYS),
                               .margin = (double)b[0].margin + (double)b[1].margin};
        check(&pair, user);
        next += there;
    }
    assert_int_equal(next, count);
    tact_bodies_destroy(set);
}

/// Finds the contacts of pairs of two kinds, in all ways and both orders, and has each looked at. `plain`: without
/// radii and margins.
static inline void lab_run(tact_context* context, lab_kind ka, lab_kind kb, size_t pairs, bool plain, lab_check check,
                           void* user)
{
    test_random r = test_random_seeded((uint64_t)(ka * LAB_KINDS + kb));
    for (size_t done = 0; done < pairs; done += LAB_BATCH) {
        const size_t batch = pairs - done < LAB_BATCH ? pairs - done : LAB_BATCH;
        lab_run_batch(context, ka, kb, batch, &r, plain, check, user);
    }
}
