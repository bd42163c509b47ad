// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// GJK for a mere yes or no: no distances, no weights and no division, but the next direction alone. What it finds
// counts only with a proof that leaves rounding room: a direction along which all of K is behind the origin, or
// points of K about the origin. What has neither is left to tact_convex_gjk().

#include "base/asserts.h"
#include "cpu_ref/geometry/convex_internal.h"
#include "cpu_ref/geometry/hull_internal.h"

/// What rounding may do to a height or a volume, and much more, in units of the numbers that it is made of.
#define QUICK_ROOM 0x1p-40

/// The same where radii count: distances are as good as the normals of thin triangles.
#define QUICK_ROOM_RADIUS 0x1p-26

/// The same of support functions of the caller's, whose points are floats.
#define QUICK_ROOM_CUSTOM 0x1p-16

/// Triangles with a smaller sine between two edges give no distance.
#define QUICK_SINE 0x1p-20

enum { QUICK_STEPS = 24 };

/// Points of K, the newest one last. Of three, the origin is on the side from which they turn clockwise.
typedef struct quick_simplex {
    int count;
    dvec y[4];
    int step[4];  ///< in which they were found
} quick_simplex;

/// Keeps two points, the newer one last.
static inline void keep_two(quick_simplex* s, int i, int j)
{
    const dvec p = s->y[i], q = s->y[j];
    const int of_p = s->step[i], of_q = s->step[j];
    s->y[0] = p;
    s->y[1] = q;
    s->step[0] = of_p;
    s->step[1] = of_q;
    s->count = 2;
}

static inline void keep_three(quick_simplex* s, int i, int j, int k)
{
    const dvec r = s->y[k];
    const int of_r = s->step[k];
    keep_two(s, i, j);
    s->y[2] = r;
    s->step[2] = of_r;
    s->count = 3;
}

/// Towards the origin from the segment of the newest point and another, or from the newest alone where that is nearer.
/// The other alone never is: the newest is farther than it along the way to the origin.
static dvec from_segment(quick_simplex* s, int other, int newest)
{
    const dvec a = s->y[newest], ab = d_sub(s->y[other], a);
    const double along = d_dot(ab, a);
    if (!(along < 0.0)) {
        s->y[0] = a;
        s->step[0] = s->step[newest];
        s->count = 1;
        return d_scale(a, -1.0);
    }
    keep_two(s, other, newest);
    return d_sub(d_scale(ab, along), d_scale(a, d_dot(ab, ab)));
}

/// Towards the origin from the triangle of the newest point and two others, or a part of it with the newest.
static dvec from_triangle(quick_simplex* s, int i, int j, int newest)
{
    const dvec a = s->y[newest], ab = d_sub(s->y[j], a), ac = d_sub(s->y[i], a), n = d_cross(ab, ac);
    if (d_dot(d_cross(n, ac), a) < 0.0) return from_segment(s, d_dot(ac, a) < 0.0 ? i : j, newest);
    if (d_dot(d_cross(ab, n), a) < 0.0) return from_segment(s, j, newest);
    if (d_dot(n, a) < 0.0) {
        keep_three(s, i, j, newest);
        return n;
    }
    keep_three(s, j, i, newest);
    return d_scale(n, -1.0);
}

/// Whether the origin is on the same side of all faces, for certain: behind them, with the heights of the three that
/// have the newest corner.
static bool surrounds(const quick_simplex* s, const double height[3], double room)
{
    const dvec a = s->y[3], b = s->y[2], c = s->y[1], d = s->y[0];
    const double base = -d_dot(d_cross(d_sub(c, b), d_sub(d, b)), b);
    const double size = (convex_size(a) + convex_size(b)) + (convex_size(c) + convex_size(d)),
                 least = room * size * size * size;
    return base > least && height[0] < -least && height[1] < -least && height[2] < -least;
}

/// Towards the origin from a face with the newest of four points. False when none of these faces has the origin before
/// it.
static bool from_tetrahedron(quick_simplex* s, double height[3], dvec* direction)
{
    const dvec a = s->y[3], ab = d_sub(s->y[2], a), ac = d_sub(s->y[1], a), ad = d_sub(s->y[0], a);
    height[0] = -d_dot(d_cross(ab, ac), a);
    height[1] = -d_dot(d_cross(ac, ad), a);
    height[2] = -d_dot(d_cross(ad, ab), a);
    if (height[0] > 0.0) {
        *direction = from_triangle(s, 1, 2, 3);
    } else if (height[1] > 0.0) {
        *direction = from_triangle(s, 0, 1, 3);
    } else if (height[2] > 0.0) {
        *direction = from_triangle(s, 2, 0, 3);
    } else {
        return false;
    }
    return true;
}

/// A corner of K, which is a sum of six segments, farthest along d.
static dvec span_point(const convex_pair* pair, dvec d)
{
    dvec p = pair->offset, q = d_make(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        const dvec e = pair->a.edge[i], f = pair->b.edge[i];
        p = d_along(p, copysign(1.0, d_dot(e, d)), e);
        q = d_along(q, copysign(1.0, d_dot(f, d)), f);
    }
    return d_add(p, q);
}

/// A hull that is looked at as a whole, in single precision here.
static bool is_rough(const convex_shape* s)
{
    return TACT_LANES_ISA > 0 && s->core == CORE_HULL && s->largest > 0.0f && s->hull->point_count >= HULL_MANY;
}

static dvec shape_point(convex_shape* s, dvec d)
{
    if (!is_rough(s)) return tact_convex_core_support(s, d);
    const tact_hull* hull = s->hull;
    const uint32_t at = tact_hull_roughly_farthest(hull->points, hull->point_count, s->largest, convex_turned_in(s, d));
    return convex_turned_out(s, d_sub(d_from(hull->points[at]), s->own));
}

static dvec pair_point(convex_pair* pair, dvec d)
{
    const dvec a = shape_point(&pair->a, d), b = shape_point(&pair->b, d_scale(d, -1.0));
    return d_add(pair->offset, d_sub(a, b));
}

/// What the points of rough hulls may be lower than the farthest, along a direction with coordinates up to 1.
static double roughness(const convex_shape* s)
{
    return is_rough(s) ? 0x1p-16 * (double)s->largest * s->scale : 0.0;
}

/// A query on its way.
typedef struct quick_query {
    convex_pair* pair;
    quick_simplex simplex;
    dvec tried[QUICK_STEPS];  ///< the directions of all steps
    double room, rough;
} quick_query;

static bool has_corner(const quick_simplex* s, dvec y)
{
    for (int i = 0; i < s->count; ++i) {
        if (d_same(s->y[i], y)) return true;
    }
    return false;
}

/// Whether the foot of the origin in the plane of three points, which turn clockwise seen along n, is among them.
static bool foot_inside(const quick_simplex* s, dvec n)
{
    for (int i = 0; i < 3; ++i) {
        const dvec p = s->y[i], outward = d_cross(n, d_sub(s->y[(i + 1) % 3], p));
        if (d_dot(outward, p) < 0.0) return false;
    }
    return true;
}

/// Whether a part of the simplex is nearer to the origin than the radii reach, for certain: the part whose points have
/// the direction as their way to it.
static bool within_radius(const quick_query* q, dvec direction)
{
    const quick_simplex* s = &q->simplex;
    const dvec a = s->y[s->count - 1];
    const double length = d_length(direction), size = convex_size(a) + q->pair->radius;
    if (!(-d_dot(direction, a) < (q->pair->radius - q->room * size) * length)) return false;
    if (s->count == 1) return true;
    if (s->count == 2) return d_dot(d_sub(s->y[0], a), s->y[0]) > 0.0;
    const dvec ab = d_sub(s->y[1], a), ac = d_sub(s->y[0], a);
    return length > QUICK_SINE * d_length(ab) * d_length(ac) && foot_inside(s, direction);
}

/// Adds a point. Returns false when an answer is found, or will not be.
static bool advance(quick_query* q, dvec y, int step, dvec* direction, convex_quick* answer)
{
    quick_simplex* s = &q->simplex;
    s->y[s->count] = y;
    s->step[s->count] = step;
    ++s->count;
    double height[3];
    if (s->count == 1) {
        *direction = d_scale(y, -1.0);
    } else if (s->count == 2) {
        *direction = from_segment(s, 0, 1);
    } else if (s->count == 3) {
        *direction = from_triangle(s, 0, 1, 2);
    } else if (!from_tetrahedron(s, height, direction)) {
        if (surrounds(s, height, q->room)) *answer = QUICK_TOUCHING;
        return false;
    }
    if (!(q->pair->radius > 0.0) || !within_radius(q, *direction)) return true;
    *answer = QUICK_TOUCHING;
    return false;
}

/// Whether all of K is behind the origin along a direction by more than the radii, for certain; `y` is the point
/// farthest along it, at that height.
static bool separates(const quick_query* q, dvec direction, dvec y, double height)
{
    const convex_pair* pair = q->pair;
    const double size = convex_size(direction) * (convex_size(y) + convex_size(pair->offset) + pair->radius);
    const double reach = pair->radius > 0.0 ? pair->radius * d_length(direction) : 0.0;
    return height + reach + q->rough * convex_size(direction) < -q->room * size;
}

static convex_quick search(quick_query* q, const tact_convex_cache* cache, int known, int* steps)
{
    convex_pair* pair = q->pair;
    const bool spans = pair->a.core == CORE_SPAN && pair->b.core == CORE_SPAN;
    convex_quick answer = QUICK_UNSURE;
    const dvec to_b = d_sub(pair->b.middle, d_add(pair->offset, pair->a.middle));
    dvec direction = convex_size(to_b) > 0.0 ? to_b : d_make(1.0, 0.0, 0.0);
    q->simplex.count = 0;
    for (*steps = 0; *steps < QUICK_STEPS;) {
        const int step = (*steps)++;
        if (step < known) direction = d_from(cache->direction[step]);
        if (!(convex_size(direction) > 0.0)) return QUICK_UNSURE;
        q->tried[step] = direction;
        const dvec y = spans ? span_point(pair, direction) : pair_point(pair, direction);
        const double height = d_dot(direction, y);
        if (height < 0.0 && separates(q, direction, y, height)) return QUICK_APART;
        if (has_corner(&q->simplex, y)) {
            if (step < known) continue;
            return QUICK_UNSURE;
        }
        if (!advance(q, y, step, &direction, &answer)) return answer;
    }
    return QUICK_UNSURE;
}

/// The directions of the simplex' corners, after an answer that a direction alone gave that one first. What was found
/// by what is remembered already stays, in an order that finds it sooner.
static void remember(const quick_query* q, convex_quick answer, int steps, int known, tact_convex_cache* cache)
{
    TACT_ASSERT(steps > 0 && q->simplex.count <= 4);
    if (steps <= known) {
        const tact_vec3 first = cache->direction[0];
        if (answer != QUICK_APART) return;
        cache->direction[0] = cache->direction[steps - 1];
        cache->direction[steps - 1] = first;
        return;
    }
    cache->count = 0;
    if (answer == QUICK_APART) cache->direction[cache->count++] = d_round(d_unit(q->tried[steps - 1]));
    for (int i = 0; i < q->simplex.count && cache->count < 4; ++i) {
        cache->direction[cache->count++] = d_round(d_unit(q->tried[q->simplex.step[i]]));
    }
}

convex_quick tact_convex_quick(convex_pair* pair, tact_convex_cache* cache)
{
    // Origins are points of their shapes.
    const bool known_sets = pair->a.core < CORE_HULL && pair->b.core < CORE_HULL;
    if (known_sets && d_dot(pair->offset, pair->offset) == 0.0) return QUICK_TOUCHING;
    quick_query q;
    q.pair = pair;
    q.rough = roughness(&pair->a) + roughness(&pair->b);
    q.room = pair->radius > 0.0 ? QUICK_ROOM_RADIUS : QUICK_ROOM;
    if (pair->a.core == CORE_CUSTOM || pair->b.core == CORE_CUSTOM) q.room = QUICK_ROOM_CUSTOM;
    const int known = cache != NULL && cache->count <= 4 ? (int)cache->count : 0;
    int steps, warm = known;
    convex_quick answer = search(&q, cache, known, &steps);
    if (answer == QUICK_UNSURE && known > 0) {
        warm = 0;
        answer = search(&q, cache, 0, &steps);
    }
    if (!pair->a.valid || !pair->b.valid) return QUICK_UNSURE;
    if (cache != NULL && answer != QUICK_UNSURE) remember(&q, answer, steps, warm, cache);
    return answer;
}
