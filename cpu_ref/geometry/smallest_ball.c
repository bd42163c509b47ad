// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The smallest ball by support sets. What decides is never "is this point inside" but "whose farthest point is
// nearest": the true centre minimises the distance to the farthest point, and circumcentres that rounding spoiled lose.

#include "base/asserts.h"
#include "cpu_ref/geometry/fit_internal.h"
#include "cpu_ref/geometry/round_internal.h"

enum { SUPPORT_MAX = 4, POOL = SUPPORT_MAX + 1 };

/// How far, in barycentric coordinates, a circumcentre may lie outside of its points' hull. The smallest ball of those
/// points then differs from the circumscribed one by the square of this.
static const double outside = 0x1p-27;

/// How much nearer than the farthest point the points of a support set may be, relatively and squared.
static const double support_slack = 0x1p-40;

/// When the farthest point is outside by less (squared, relatively), the ball is the smallest.
static const double finished = 0x1p-40;

/// A step must increase the squared radius by this much.
static const double progress = 0x1p-50;

typedef struct support {
    dvec point[POOL];
    int count;
    dvec center;
    double r2;  // of the farthest of its points
} support;

static double square(dvec a, dvec b)
{
    const dvec d = d_sub(a, b);
    return d_dot(d, d);
}

/// The point of their plane as far from all three, not finite for collinear ones, and its least barycentric coordinate.
static dvec center_of_3(const dvec* p, double* least)
{
    const dvec u = d_sub(p[1], p[0]), v = d_sub(p[2], p[0]), n = d_cross(u, v);
    const double uu = d_dot(u, u), vv = d_dot(v, v), nn = d_dot(n, n);
    const dvec q = d_scale(d_add(d_scale(d_cross(v, n), uu), d_scale(d_cross(n, u), vv)), 0.5 / nn);
    const double s = d_dot(d_cross(q, v), n) / nn, t = d_dot(d_cross(u, q), n) / nn;
    *least = fmin(1 - s - t, fmin(s, t));
    return d_add(p[0], q);
}

static dvec center_of_4(const dvec* p, double* least)
{
    const dvec u = d_sub(p[1], p[0]), v = d_sub(p[2], p[0]), w = d_sub(p[3], p[0]);
    const dvec vw = d_cross(v, w), wu = d_cross(w, u), uv = d_cross(u, v);
    const double det = d_dot(u, vw);
    const dvec q =
        d_scale(d_add(d_add(d_scale(vw, d_dot(u, u)), d_scale(wu, d_dot(v, v))), d_scale(uv, d_dot(w, w))), 0.5 / det);
    const double r = d_dot(q, vw) / det, s = d_dot(q, wu) / det, t = d_dot(q, uv) / det;
    *least = fmin(fmin(1 - r - s - t, r), fmin(s, t));
    return d_add(p[0], q);
}

/// The circumcentre of 1 to 4 points.
static dvec center_of(const dvec* p, int count, double* least)
{
    TACT_ASSERT(count >= 1 && count <= SUPPORT_MAX);
    *least = 0.5;
    if (count == 1) return p[0];
    if (count == 2) return d_scale(d_add(p[0], p[1]), 0.5);
    return count == 3 ? center_of_3(p, least) : center_of_4(p, least);
}

static double farthest_of(const dvec* p, int count, dvec c)
{
    double top = 0;
    for (int i = 0; i < count; ++i)
        top = fmax(top, square(p[i], c));
    return top;
}

/// The subset of a pool by a bit for each point; 0 when it has more than SUPPORT_MAX.
static int choose(const support* pool, unsigned mask, dvec* chosen)
{
    TACT_ASSERT(pool->count <= POOL);
    int count = 0;
    for (int i = 0; i < pool->count; ++i) {
        if (!(mask >> i & 1u)) continue;
        if (count == SUPPORT_MAX) return 0;
        chosen[count++] = pool->point[i];
    }
    return count;
}

/// Leaves only the points that determine the smallest ball of the pool. A candidate must be the smallest ball of its
/// own points (the centre in their hull, the points at the radius); should rounding leave none, the best centre is
/// taken as it is.
static support reduce(const support* pool)
{
    TACT_ASSERT(pool->count >= 1 && pool->count <= POOL);
    support best = *pool;
    best.r2 = HUGE_VAL;
    bool best_sound = false;
    for (int size = 1; size <= SUPPORT_MAX; ++size) {
        for (unsigned mask = 1; mask < 1u << pool->count; ++mask) {
            support s;
            double least;
            s.count = choose(pool, mask, s.point);
            if (s.count != size) continue;
            s.center = center_of(s.point, s.count, &least);
            s.r2 = farthest_of(pool->point, pool->count, s.center);
            if (!isfinite(s.center.x + s.center.y + s.center.z)) continue;
            const bool sound = least >= -outside && farthest_of(s.point, size, s.center) >= s.r2 * (1 - support_slack);
            if (sound < best_sound || (sound == best_sound && !(s.r2 < best.r2))) continue;
            best = s;
            best_sound = sound;
        }
    }
    return best;
}

dvec tact_smallest_ball_center(const tact_vec3* points, size_t count, size_t stride, const size_t pair[2])
{
    TACT_ASSERT(count > 0 && stride > 0 && pair[0] < count && pair[1] < count);
    support pool = {.count = 2};
    pool.point[0] = d_from(point_at(points, stride, pair[0]));
    pool.point[1] = d_from(point_at(points, stride, pair[1]));
    dvec best = pool.point[0];
    double best_r2 = HUGE_VAL, before = -1;
    for (;;) {
        const support s = reduce(&pool);
        if (!(s.r2 > before * (1 + progress))) return best;
        dvec far = s.center;
        double top = 0;
        for (size_t i = 0; i < count; ++i) {
            const dvec p = d_from(point_at(points, stride, i));
            const double d2 = square(p, s.center);
            if (d2 > top) {
                top = d2;
                far = p;
            }
        }
        if (top < best_r2) {
            best_r2 = top;
            best = s.center;
        }
        if (top <= s.r2 * (1 + finished)) return best;
        before = s.r2;
        pool = s;
        TACT_ASSERT(pool.count <= SUPPORT_MAX);
        pool.point[pool.count++] = far;
    }
}
