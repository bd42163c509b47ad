// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Random convex shapes of every kind, and how far they reach along a direction by formulas of their own.

#include "tact/geometry/convex.h"
#include "tests/support/random.h"

typedef struct any_shape {
    tact_convex convex;
    union {
        tact_vec3 point;
        tact_sphere sphere;
        tact_segment segment;
        tact_capsule capsule;
        tact_triangle triangle;
        tact_aabb aabb;
        tact_obb obb;
        tact_lozenge lozenge;
        tact_cylinder cylinder;
        tact_cone cone;
        tact_ellipsoid ellipsoid;
        tact_hull hull;
    } as;
    tact_vec3 corner[12];
} any_shape;

typedef struct xyz {
    double x, y, z;
} xyz;

static inline xyz of_vec3(tact_vec3 v)
{
    const xyz r = {(double)v.x, (double)v.y, (double)v.z};
    return r;
}

static inline xyz minus(xyz a, xyz b)
{
    const xyz r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

static inline xyz times(double s, xyz a)
{
    const xyz r = {s * a.x, s * a.y, s * a.z};
    return r;
}

static inline double dot(xyz a, xyz b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double norm(xyz a)
{
    return sqrt(dot(a, a));
}

static inline xyz cross(xyz a, xyz b)
{
    const xyz r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

static inline double reach3(const tact_vec3 axis[3], tact_vec3 size, xyz n, bool round)
{
    const double s[3] = {(double)size.x, (double)size.y, (double)size.z};
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double r = s[i] * dot(of_vec3(axis[i]), n);
        sum += round ? r * r : fabs(r);
    }
    return round ? sqrt(sum) : sum;
}

static inline double disc_reach(xyz axis, double radius, xyz n)
{
    return radius * norm(cross(axis, n)) / norm(axis);
}

static inline double corners_reach(const tact_vec3* p, uint32_t count, xyz n, xyz base)
{
    double best = -HUGE_VAL;
    for (uint32_t i = 0; i < count; ++i)
        best = fmax(best, dot(n, minus(of_vec3(p[i]), base)));
    return best;
}

/// The largest n . (x - base) of the shape's points x.
static inline double reach(const any_shape* s, xyz n, xyz base)
{
    const tact_vec3 ends[2] = {s->as.segment.a, s->as.segment.b};
    switch (s->convex.kind) {
        case TACT_CONVEX_POINT:
            return corners_reach(&s->as.point, 1, n, base);
        case TACT_CONVEX_SPHERE:
            return corners_reach(&s->as.sphere.center, 1, n, base) + (double)s->as.sphere.radius * norm(n);
        case TACT_CONVEX_SEGMENT:
            return corners_reach(ends, 2, n, base);
        case TACT_CONVEX_CAPSULE:
            return corners_reach(ends, 2, n, base) + (double)s->as.capsule.radius * norm(n);
        case TACT_CONVEX_TRIANGLE:
            return corners_reach(&s->as.triangle.a, 3, n, base);
        case TACT_CONVEX_AABB: {
            const xyz l = minus(of_vec3(s->as.aabb.lower), base), u = minus(of_vec3(s->as.aabb.upper), base);
            return fmax(n.x * l.x, n.x * u.x) + fmax(n.y * l.y, n.y * u.y) + fmax(n.z * l.z, n.z * u.z);
        }
        case TACT_CONVEX_OBB:
            return dot(n, minus(of_vec3(s->as.obb.center), base)) + reach3(s->as.obb.axis, s->as.obb.half, n, false);
        case TACT_CONVEX_LOZENGE:
            return dot(n, minus(of_vec3(s->as.lozenge.corner), base)) +
                   fmax(0.0, dot(n, of_vec3(s->as.lozenge.edge[0]))) +
                   fmax(0.0, dot(n, of_vec3(s->as.lozenge.edge[1]))) + (double)s->as.lozenge.radius * norm(n);
        case TACT_CONVEX_CYLINDER:
            return corners_reach(ends, 2, n, base) +
                   disc_reach(minus(of_vec3(ends[1]), of_vec3(ends[0])), (double)s->as.cylinder.radius, n);
        case TACT_CONVEX_CONE: {
            const xyz axis = of_vec3(s->as.cone.axis);
            const double rim =
                (double)s->as.cone.height * dot(n, axis) + disc_reach(axis, (double)s->as.cone.radius, n);
            return dot(n, minus(of_vec3(s->as.cone.apex), base)) + fmax(0.0, rim);
        }
        case TACT_CONVEX_ELLIPSOID:
            return dot(n, minus(of_vec3(s->as.ellipsoid.center), base)) +
                   reach3(s->as.ellipsoid.axis, s->as.ellipsoid.radius, n, true);
        default:
            return corners_reach(s->corner, s->as.hull.point_count, n, base);
    }
}

static inline tact_vec3 random_vec3(test_random* r, float size)
{
    const tact_vec3 v = {size * test_random_signed(r), size * test_random_signed(r), size * test_random_signed(r)};
    return v;
}

static inline tact_vec3 to_vec3(xyz a)
{
    const tact_vec3 v = {(float)a.x, (float)a.y, (float)a.z};
    return v;
}

static inline xyz random_unit(test_random* r)
{
    for (;;) {
        const xyz v = of_vec3(random_vec3(r, 1.0f));
        if (dot(v, v) > 0.01 && dot(v, v) <= 1.0) return times(1.0 / norm(v), v);
    }
}

/// Orthonormal but for rounding; a third of them is the frame itself.
static inline void random_axes(test_random* r, tact_vec3 axis[3])
{
    xyz x = {1, 0, 0}, y = {0, 1, 0};
    if (test_random_below(r, 3) != 0) {
        x = random_unit(r);
        y = cross(x, random_unit(r));
        y = times(1.0 / norm(y), y);
    }
    axis[0] = to_vec3(x);
    axis[1] = to_vec3(y);
    axis[2] = to_vec3(cross(x, y));
}

static inline tact_vec3 shifted(tact_vec3 p, tact_vec3 by)
{
    const tact_vec3 v = {p.x + by.x, p.y + by.y, p.z + by.z};
    return v;
}

static inline float random_size(test_random* r, float size)
{
    const uint32_t kind = test_random_below(r, 8);
    return kind == 0 ? 0.0f : kind == 1 ? size : size * test_random_unit(r);
}

static inline void random_points(test_random* r, any_shape* s, tact_vec3 at, float size)
{
    for (int i = 0; i < 12; ++i)
        s->corner[i] = shifted(at, random_vec3(r, size));
    // On a lattice, so that there are parallel edges, common planes and equal points.
    for (int i = 0; i < 12 && test_random_below(r, 3) == 0; ++i) {
        s->corner[i].x = at.x + size * (float)((int)test_random_below(r, 3) - 1);
        s->corner[i].y = at.y + size * (float)((int)test_random_below(r, 3) - 1);
        s->corner[i].z = at.z + size * (float)((int)test_random_below(r, 2));
    }
    s->as.hull = (tact_hull){.points = s->corner, .point_count = 4 + test_random_below(r, 9)};
}

/// A shape of about that size near `at`. One size in eight is 0.
static inline void random_shape(test_random* r, any_shape* s, tact_convex_kind kind, tact_vec3 at, float size)
{
    const tact_vec3 a = shifted(at, random_vec3(r, size)), b = shifted(at, random_vec3(r, size));
    const tact_vec3 sizes = {random_size(r, size), random_size(r, size), random_size(r, size)};
    tact_vec3 axis[3];
    random_axes(r, axis);
    s->convex = (tact_convex){kind, &s->as, NULL};
    switch (kind) {
        case TACT_CONVEX_POINT:
            s->as.point = a;
            break;
        case TACT_CONVEX_SPHERE:
            s->as.sphere = (tact_sphere){a, sizes.x};
            break;
        case TACT_CONVEX_SEGMENT:
            s->as.segment = (tact_segment){a, b};
            break;
        case TACT_CONVEX_CAPSULE:
            s->as.capsule = (tact_capsule){a, b, sizes.x};
            break;
        case TACT_CONVEX_TRIANGLE:
            s->as.triangle = (tact_triangle){a, b, shifted(at, random_vec3(r, size))};
            break;
        case TACT_CONVEX_AABB:
            s->as.aabb.lower = (tact_vec3){fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)};
            s->as.aabb.upper = (tact_vec3){fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)};
            break;
        case TACT_CONVEX_OBB:
            s->as.obb = (tact_obb){at, {axis[0], axis[1], axis[2]}, sizes};
            break;
        case TACT_CONVEX_LOZENGE:
            s->as.lozenge = (tact_lozenge){
                a,
                {to_vec3(times((double)sizes.y, of_vec3(axis[0]))), to_vec3(times((double)sizes.z, of_vec3(axis[1])))},
                sizes.x};
            break;
        case TACT_CONVEX_CYLINDER:
            s->as.cylinder = (tact_cylinder){a, b, sizes.x};
            break;
        case TACT_CONVEX_CONE:
            s->as.cone = (tact_cone){a, axis[0], sizes.x, sizes.y};
            break;
        case TACT_CONVEX_ELLIPSOID:
            s->as.ellipsoid = (tact_ellipsoid){at, {axis[0], axis[1], axis[2]}, sizes};
            break;
        default:
            random_points(r, s, at, size);
            break;
    }
}

typedef struct pair_of_shapes {
    any_shape a, b;
    xyz base;
    double size;
} pair_of_shapes;

static inline void random_pair(test_random* r, pair_of_shapes* p, tact_convex_kind a, tact_convex_kind b)
{
    static const float sizes[] = {1.0f, 1.0f, 1.0f, 1e-6f, 1e6f};
    const float size = sizes[test_random_below(r, 5)];
    const float ratio = test_random_below(r, 8) == 0 ? 1e-4f : 1.0f;
    const float away = test_random_below(r, 6) == 0 ? 1000.0f * size : 0.0f;
    const tact_vec3 at = random_vec3(r, away);
    const float apart = (float)test_random_below(r, 3);
    random_shape(r, &p->a, a, at, size);
    random_shape(r, &p->b, b, shifted(at, random_vec3(r, apart * size)), ratio * size);
    p->a.convex.shape = &p->a.as;
    p->b.convex.shape = &p->b.as;
    p->base = of_vec3(at);
    p->size = (double)size;
}

static inline bool pair_valid(const any_shape* s)
{
    return s->convex.kind != TACT_CONVEX_CYLINDER ||
           norm(minus(of_vec3(s->as.segment.a), of_vec3(s->as.segment.b))) > 0;
}

/// How far A and B are apart along n: a lower bound of their distance.
static inline double gap_along(const pair_of_shapes* p, xyz n)
{
    return -reach(&p->b, times(-1.0, n), p->base) - reach(&p->a, n, p->base);
}

static inline tact_vec3 scaled(tact_vec3 v, float s)
{
    const tact_vec3 r = {s * v.x, s * v.y, s * v.z};
    return r;
}

/// Turned by 120 degrees about (1, 1, 1), which moves numbers but does not round.
static inline tact_vec3 turned(tact_vec3 v)
{
    const tact_vec3 r = {v.z, v.x, v.y};
    return r;
}

/// The shape scaled by a power of two and, if so wanted, turned.
static inline void change_shape(any_shape* s, float by, bool turn)
{
    // How many vectors there are at the start, which of them are directions, and how many lengths follow.
    static const struct {
        int vectors;
        unsigned directions;
        int lengths;
    } layout[] = {{1, 0, 0},  {1, 0, 1}, {2, 0, 0}, {2, 0, 1}, {3, 0, 0}, {2, 0, 0},
                  {4, 14, 3}, {3, 0, 1}, {2, 0, 1}, {2, 2, 2}, {4, 14, 3}};
    if (s->convex.kind == TACT_CONVEX_HULL) {
        for (int i = 0; i < 12; ++i)
            s->corner[i] = scaled(turn ? turned(s->corner[i]) : s->corner[i], by);
        return;
    }
    tact_vec3* v = &s->as.point;
    float* f = &s->as.point.x;
    const int vectors = layout[s->convex.kind].vectors;
    for (int i = 0; i < vectors; ++i) {
        if (turn) v[i] = turned(v[i]);
        if ((layout[s->convex.kind].directions >> i & 1u) == 0) v[i] = scaled(v[i], by);
    }
    for (int i = 0; i < layout[s->convex.kind].lengths; ++i)
        f[3 * vectors + i] *= by;
}
