// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Spheres, boxes and capsules of all sizes, moved by matrices that keep their form, and how far away they are in
/// double precision. Include after run.h.

#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { SHAPES = 40, PLACED = 4 };

typedef struct shape_lab {
    tact_sphere spheres[SHAPES];
    tact_aabb boxes[SHAPES];
    tact_capsule capsules[SHAPES];
    float matrices[PLACED][12];
    uint32_t kinds[PLACED];
} shape_lab;

static inline tact_vec3 somewhere(test_random* r)
{
    return (tact_vec3){test_random_signed(r), test_random_signed(r), test_random_signed(r)};
}

/// Shapes of all sizes, also points, flat boxes and capsules without length, and two that take no part.
static inline void fill_shapes(test_random* r, shape_lab* lab)
{
    for (int i = 0; i < SHAPES; ++i) {
        const float size = i % 5 == 0 ? 0.0f : fabsf(test_random_signed(r)) * (i % 3 == 0 ? 0.5f : 0.05f);
        const tact_vec3 at = somewhere(r), to = somewhere(r), wide = somewhere(r);
        lab->spheres[i] = (tact_sphere){at, size};
        lab->boxes[i] = (tact_aabb){at, {at.x + size, at.y + fabsf(wide.y) * size, at.z + fabsf(wide.z) * 0.2f}};
        lab->capsules[i] = (tact_capsule){at, i % 7 == 0 ? at : to, size * 0.3f};
    }
    lab->spheres[3].radius = -1.0f;
    lab->spheres[4].center.y = NAN;
    lab->boxes[3].upper.x = lab->boxes[3].lower.x - 1.0f;
    lab->capsules[3].radius = NAN;
}

/// A turn about an axis of the cube and one about z, mirrored or not, scaled, moved.
static inline void similar(test_random* r, float m[12])
{
    const double angle = 3.0 * (double)test_random_signed(r), c = cos(angle), s = sin(angle);
    const double scale = exp2(6.0 * (double)test_random_signed(r)), mirror = test_random_below(r, 2) ? -1.0 : 1.0;
    const double turn[3][3] = {{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, mirror}};
    const uint32_t first = test_random_below(r, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < 3; ++k)
            m[4 * i + k] = (float)(scale * turn[(i + first) % 3][k]);
        m[4 * i + 3] = 2.0f * test_random_signed(r);
    }
}

/// The distance of a point to the segment from a to b, less the radius; double precision.
static inline double beyond_round(const double p[3], tact_vec3 a, tact_vec3 b, double radius)
{
    const double from[3] = {(double)a.x, (double)a.y, (double)a.z};
    const double e[3] = {(double)b.x - from[0], (double)b.y - from[1], (double)b.z - from[2]};
    double along = 0.0, length2 = 0.0, d2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        along += (p[k] - from[k]) * e[k];
        length2 += e[k] * e[k];
    }
    const double t = length2 > 0.0 ? fmin(fmax(along / length2, 0.0), 1.0) : 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = p[k] - from[k] - t * e[k];
        d2 += d * d;
    }
    return sqrt(d2) - radius;
}

/// The distance of a point to a box; inside, to the nearest face, negated.
static inline double beyond_box(const double p[3], const tact_aabb* box)
{
    const double low[3] = {(double)box->lower.x, (double)box->lower.y, (double)box->lower.z};
    const double high[3] = {(double)box->upper.x, (double)box->upper.y, (double)box->upper.z};
    double out2 = 0.0, in = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        const double out = fmax(fmax(low[k] - p[k], p[k] - high[k]), 0.0);
        out2 += out * out;
        in = fmin(in, fmin(p[k] - low[k], high[k] - p[k]));
    }
    return out2 > 0.0 ? sqrt(out2) : -in;
}

/// How far beyond the surface of shape i of a placed mesh a point of the world is, negative within; NaN where that
/// shape takes no part.
static inline double beyond_shape(const shape_lab* lab, int placed, int i, const double at[3])
{
    const float* m = lab->matrices[placed];
    const double d[3] = {at[0] - (double)m[3], at[1] - (double)m[7], at[2] - (double)m[11]};
    double scale2 = 0.0, p[3];
    for (int k = 0; k < 3; ++k)
        scale2 += (double)m[k] * (double)m[k];
    for (int k = 0; k < 3; ++k)
        p[k] = ((double)m[k] * d[0] + (double)m[4 + k] * d[1] + (double)m[8 + k] * d[2]) / scale2;
    double own = (double)NAN;
    if (lab->kinds[placed] == 0 && lab->spheres[i].radius >= 0.0f && i != 4) {
        own = beyond_round(p, lab->spheres[i].center, lab->spheres[i].center, (double)lab->spheres[i].radius);
    } else if (lab->kinds[placed] == 1 && i != 3) {
        own = beyond_box(p, &lab->boxes[i]);
    } else if (lab->kinds[placed] == 2 && i != 3) {
        own = beyond_round(p, lab->capsules[i].a, lab->capsules[i].b, (double)lab->capsules[i].radius);
    }
    return own * sqrt(scale2);
}

/// Adds the lab's shapes to a scene, with an instance for each matrix.
static inline void put_lab(tact_scene* scene, const shape_lab* lab)
{
    const uint32_t meshes[3] = {put_spheres(scene, lab->spheres, SHAPES), put_boxes(scene, lab->boxes, SHAPES),
                                put_capsules(scene, lab->capsules, SHAPES)};
    for (int n = 0; n < PLACED; ++n)
        put_instance(scene, meshes[lab->kinds[n]], lab->matrices[n]);
}
