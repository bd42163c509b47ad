// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/rays.h"

#include <math.h>

#include "apps/inputs/random.h"

void tact_points_random(const tact_bounds* bounds, uint64_t seed, uint64_t count, float max_distance,
                        tact_closest_query* points)
{
    tact_random random = {seed};
    for (uint64_t n = 0; n < count; ++n) {
        float at[3];
        for (int i = 0; i < 3; ++i) {
            const double size = bounds->upper[i] - bounds->lower[i];
            at[i] = (float)(bounds->lower[i] - 0.5 * size + 2.0 * size * tact_random_fraction(&random));
        }
        points[n] = (tact_closest_query){at[0], at[1], at[2], max_distance};
    }
}

/// A triangle of the scene; that of the unit axes where there is none.
static void any_triangle(const tact_model* model, tact_random* random, double corners[3][3])
{
    for (int tries = 0; tries < 8 && model->instance_count > 0; ++tries) {
        const size_t instance = (size_t)tact_random_below(random, model->instance_count);
        const size_t count = model->meshes[model->instances[instance].mesh].triangle_count;
        if (count == 0) continue;
        tact_model_corners(model, instance, (size_t)tact_random_below(random, count), corners);
        return;
    }
    for (int i = 0; i < 9; ++i)
        corners[i / 3][i % 3] = i % 4 == 0 ? 1.0 : 0.0;
}

static void mix(const double t[3][3], double a, double b, double c, float at[3])
{
    for (int i = 0; i < 3; ++i)
        at[i] = (float)(a * t[0][i] + b * t[1][i] + c * t[2][i]);
}

enum { KINDS = 14 };

static tact_closest_query hard_point(int kind, const double t[3][3], const tact_bounds* bounds, tact_random* random)
{
    const double u = tact_random_fraction(random), v = (1.0 - u) * tact_random_fraction(random);
    const double size = bounds->upper[0] - bounds->lower[0];
    float p[3], far = INFINITY;
    mix(t, 1.0 - u - v, u, v, p);
    switch (kind) {
        case 0:
            mix(t, 1.0, 0.0, 0.0, p);
            break;
        case 1:
            mix(t, 0.5, 0.5, 0.0, p);
            far = 0.0f;
            break;
        case 2:
            mix(t, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, p);
            break;
        case 3:
            p[tact_random_below(random, 3)] += (float)(size * 1e-7);
            break;
        case 4:  // as far as the limit along an axis
            far = (float)(0.125 * size);
            p[tact_random_below(random, 3)] += far;
            break;
        case 5:
            mix(t, 2.0, -1.0, 0.0, p);
            break;
        case 6:
            for (int i = 0; i < 3; ++i)
                p[i] *= 1e6f;
            break;
        case 7:
            p[0] = p[1] = p[2] = 0.0f;
            break;
        case 8:
            mix(t, 0.0, 1.0, 0.0, p);
            far = 0.0f;
            break;
        case 9:
            far = -1.0f;
            break;
        case 10:
            far = NAN;
            break;
        case 11:
            p[tact_random_below(random, 3)] = tact_random_below(random, 2) ? NAN : -INFINITY;
            break;
        case 12:
            p[tact_random_below(random, 3)] = tact_random_below(random, 2) ? 0x1p60f : -0x1.8p60f;
            break;
        default:
            mix(t, 1.0 - u, u, 0.0, p);
            far = (float)(1e-3 * size);
            break;
    }
    return (tact_closest_query){p[0], p[1], p[2], far};
}

void tact_points_hard(const tact_model* model, const tact_bounds* bounds, uint64_t seed, uint64_t count,
                      tact_closest_query* points)
{
    tact_random random = {seed};
    for (uint64_t n = 0; n < count; ++n) {
        double corners[3][3];
        any_triangle(model, &random, corners);
        points[n] = hard_point((int)(n % KINDS), (const double(*)[3])corners, bounds, &random);
    }
}
