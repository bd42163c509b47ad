// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>

#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"

typedef struct vector {
    double at[3];
} vector;

static vector along(const double* from, const double* to, double fraction)
{
    vector v;
    for (int i = 0; i < 3; ++i)
        v.at[i] = from[i] + (to[i] - from[i]) * fraction;
    return v;
}

static vector random_point(const tact_bounds* bounds, double enlarged, tact_random* random)
{
    vector v;
    for (int i = 0; i < 3; ++i) {
        const double size = bounds->upper[i] - bounds->lower[i];
        v.at[i] = bounds->lower[i] - enlarged * size + (1.0 + 2.0 * enlarged) * size * tact_random_fraction(random);
    }
    return v;
}

static tact_ray ray_of(vector origin, vector direction)
{
    return (tact_ray){(float)origin.at[0],    (float)origin.at[1],    (float)origin.at[2],    0.0f,
                      (float)direction.at[0], (float)direction.at[1], (float)direction.at[2], INFINITY};
}

static vector difference(vector a, vector b)
{
    for (int i = 0; i < 3; ++i)
        a.at[i] -= b.at[i];
    return a;
}

static vector scaled(vector a, double factor)
{
    for (int i = 0; i < 3; ++i)
        a.at[i] *= factor;
    return a;
}

/// A triangle that has only finite corners, if one of a few tries finds it; else one inside the box.
static void pick_triangle(const tact_model* model, const tact_bounds* bounds, tact_random* random, double corners[3][3])
{
    for (int tries = 0; tries < 8 && model->instance_count > 0; ++tries) {
        const size_t instance = (size_t)tact_random_below(random, model->instance_count);
        const size_t count = model->meshes[model->instances[instance].mesh].triangle_count;
        if (count == 0) continue;
        tact_model_corners(model, instance, (size_t)tact_random_below(random, count), corners);
        bool finite = true;
        for (int i = 0; i < 9; ++i)
            finite = finite && fabs(corners[i / 3][i % 3]) <= (double)TACT_MAX_COORDINATE;
        if (finite) return;
    }
    for (int c = 0; c < 3; ++c) {
        const vector corner = random_point(bounds, 0.0, random);
        for (int i = 0; i < 3; ++i)
            corners[c][i] = corner.at[i];
    }
}

/// A ray along an axis to a point, which it reaches at t = 1 to the bit: the distance is a power of two above the
/// point's own size, so origin and point differ by exactly that where the sum is exact.
static tact_ray axis_ray(vector target, double reach, tact_random* random)
{
    const int axis = (int)tact_random_below(random, 3);
    const double sign = tact_random_below(random, 2) ? 1.0 : -1.0;
    double distance = 1.0;
    while (distance < reach && distance < 1e18)
        distance *= 2.0;
    while (distance > 2.0 * reach && distance > 1e-18)
        distance *= 0.5;
    vector direction = {{0.0, 0.0, 0.0}};
    direction.at[axis] = -sign * distance;
    vector origin = target;
    origin.at[axis] += sign * distance;
    tact_ray ray = ray_of(origin, direction);
    // The zeros with either sign: a slab test that divides by them sees infinities of either sign.
    if (tact_random_below(random, 2)) {
        float* parts[3] = {&ray.dx, &ray.dy, &ray.dz};
        for (int i = 0; i < 3; ++i) {
            if (i != axis) *parts[i] = -0.0f;
        }
    }
    return ray;
}

static tact_ray broken_ray(tact_ray ray, tact_random* random)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f};
    float* parts[8] = {&ray.ox, &ray.oy, &ray.oz, &ray.tmin, &ray.dx, &ray.dy, &ray.dz, &ray.tmax};
    *parts[tact_random_below(random, 8)] = bad[tact_random_below(random, 4)];
    return ray;
}

enum { KINDS = 20 };

static tact_ray hard_ray(int kind, const double t[3][3], const tact_bounds* bounds, tact_random* random)
{
    double reach = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double size = bounds->upper[i] - bounds->lower[i];
        if (size > reach) reach = size;
    }
    const double w = tact_random_fraction(random);
    const vector corner = {{t[0][0], t[0][1], t[0][2]}};
    const vector middle = along(t[0], t[1], 0.5);
    const vector on_edge = along(t[0], t[1], w);
    const vector inside = along(on_edge.at, t[2], tact_random_fraction(random));
    const vector outside = random_point(bounds, 1.0, random);
    const tact_ray to_inside = ray_of(outside, difference(inside, outside));
    tact_ray ray = to_inside;
    switch (kind) {
        case 0:
            return axis_ray(inside, reach, random);
        case 1:
            return axis_ray(corner, reach, random);
        case 2:
            return axis_ray(middle, reach, random);
        case 3:  // through a corner, obliquely
            return ray_of(outside, difference(corner, outside));
        case 4:  // through an edge, obliquely
            return ray_of(outside, difference(on_edge, outside));
        case 5:  // along an edge, from before its first corner
            return ray_of(along(t[0], t[1], -1.0), difference(along(t[0], t[1], 1.0), corner));
        case 6:  // in the triangle's plane, from inside it
            return ray_of(inside, difference(middle, inside));
        case 7:  // from the surface
            return ray_of(inside, difference(outside, inside));
        case 8: {  // one zero component
            ray.dy = w < 0.5 ? 0.0f : -0.0f;
            ray.oy = (float)inside.at[1];
            return ray;
        }
        case 9: {  // all components alike: the choice of the largest one is a tie
            const vector diagonal = {{reach, w < 0.5 ? reach : -reach, w < 0.25 ? reach : -reach}};
            return ray_of(difference(corner, diagonal), diagonal);
        }
        case 10: {  // tiny directions, down to where components count as zero
            static const double tiny[] = {1e-6, 1e-12, 1e-30, 1e-37, 1e-38, 1e-41};
            return ray_of(outside, scaled(difference(inside, outside), tiny[tact_random_below(random, 6)] / reach));
        }
        case 11: {  // huge directions
            static const double huge[] = {1e6, 1e12, 1e18, 1e30, 1e37};
            return ray_of(outside, scaled(difference(inside, outside), huge[tact_random_below(random, 5)] / reach));
        }
        case 12: {  // from far away
            static const double far[] = {1e3, 1e6, 1e12};
            const vector origin = along(inside.at, outside.at, far[tact_random_below(random, 3)]);
            return ray_of(origin, difference(inside, origin));
        }
        case 13:  // limited exactly at the hit
            ray = axis_ray(middle, reach, random);
            if (w < 0.33) {
                ray.tmax = 1.0f;
            } else if (w < 0.66) {
                ray.tmin = 1.0f;
            } else {
                ray.tmin = ray.tmax = 1.0f;
            }
            return ray;
        case 14:  // limited just before or after it
            ray = axis_ray(inside, reach, random);
            ray.tmax = w < 0.5 ? nextafterf(1.0f, 0.0f) : nextafterf(1.0f, 2.0f);
            return ray;
        case 15:  // tmin > tmax
            ray.tmin = 2.0f;
            ray.tmax = w < 0.5 ? 1.0f : nextafterf(2.0f, 0.0f);
            return ray;
        case 16:  // negative tmin, and the hit behind the origin
            ray.tmin = -10.0f;
            ray.dx = -ray.dx, ray.dy = -ray.dy, ray.dz = -ray.dz;
            if (w < 0.5) ray.tmax = 0.0f;
            return ray;
        case 17:  // no direction, or one that counts as none
            ray.dx = w < 0.5 ? 0.0f : FLT_MIN * 0.5f;
            ray.dy = w < 0.25 ? -0.0f : FLT_MIN * 0.25f;
            ray.dz = 0.0f;
            return ray;
        case 18:
            return broken_ray(ray, random);
        default:  // a finite tmax between the surfaces
            ray.tmin = (float)w;
            ray.tmax = (float)(w + 0.5);
            return ray;
    }
}

void tact_rays_hard(const tact_model* model, const tact_bounds* bounds, uint64_t seed, uint64_t count, tact_ray* rays)
{
    tact_random random = {seed ^ 0x6861726421u};
    for (uint64_t n = 0; n < count; ++n) {
        double corners[3][3];
        pick_triangle(model, bounds, &random, corners);
        rays[n] = hard_ray((int)(n % KINDS), (const double(*)[3])corners, bounds, &random);
    }
}
