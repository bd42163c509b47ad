// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Convex meshes of many kinds, poses, and how deep two of them really are in each other. Include after run.h.

#include "tact/geometry/convex.h"
#include "tact/geometry/hull.h"
#include "tact/image_space.h"
#include "tests/support/random.h"

enum { IMAGE_POINTS_MAX = 300 };

typedef struct image_shape {
    tact_vec3 points[IMAGE_POINTS_MAX];
    uint32_t count;
    float radius;  ///< of a ball around the origin that holds it
    float inner;   ///< of the ball around the mean
    tact_hull_mesh hull;
} image_shape;

static inline float image_radius(const image_shape* s)
{
    float r = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const tact_vec3 p = s->points[i];
        r = fmaxf(r, sqrtf(p.x * p.x + p.y * p.y + p.z * p.z));
    }
    return r;
}

/// Kind 0: a box, 1: a hull of a few points, 2: an ellipsoid, 3: a long or flat box.
static inline void image_make_shape(test_random* r, uint32_t kind, image_shape* s)
{
    const float thin = kind == 3 ? 0.05f : 0.4f;
    float size[3];
    for (int k = 0; k < 3; ++k)
        size[k] = thin + (1.0f - thin) * test_random_unit(r);
    if (kind == 3) size[test_random_below(r, 3)] = thin;
    s->count = kind == 0 || kind == 3 ? 8 : kind == 1 ? 6 + test_random_below(r, 40) : 200;
    for (uint32_t i = 0; i < s->count; ++i) {
        float p[3] = {i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f};
        if (kind == 1) {
            for (int k = 0; k < 3; ++k)
                p[k] = test_random_signed(r);
        } else if (kind == 2) {
            // A spiral around the ball.
            const double z = 1.0 - (2.0 * i + 1.0) / s->count, a = 2.399963 * i, ring = sqrt(1.0 - z * z);
            p[0] = (float)(ring * cos(a));
            p[1] = (float)(ring * sin(a));
            p[2] = (float)z;
        }
        s->points[i] = (tact_vec3){p[0] * size[0], p[1] * size[1], p[2] * size[2]};
    }
    s->radius = image_radius(s);
    assert_int_equal(tact_hull_mesh_3d(s->points, s->count, NULL, &s->hull), TACT_OK);
    assert_int_equal(s->hull.dimension, 3);
}

static inline tact_image_body image_body_of(const image_shape* s, const float (*poses)[12], size_t pose_count)
{
    const tact_image_body body = {.mesh = {.positions = &s->points[0].x,
                                           .vertex_count = s->count,
                                           .indices = s->hull.triangles,
                                           .triangle_count = s->hull.triangle_count},
                                  .poses = poses,
                                  .pose_count = pose_count};
    return body;
}

/// A turn, any, or for every eighth the identity; for every fourth with scales along the object's axes, also negative.
static inline void image_random_turn(test_random* r, float pose[12])
{
    double q[4], length = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = (double)test_random_signed(r);
        length += q[i] * q[i];
    }
    length = sqrt(length > 0 ? length : 1);
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
    if (test_random_below(r, 8) == 0) {
        q[0] = 1;
        q[1] = q[2] = q[3] = 0;
    }
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    double scale[3] = {1, 1, 1};
    if (test_random_below(r, 4) == 0) {
        for (int k = 0; k < 3; ++k)
            scale[k] = (0.5 + (double)test_random_unit(r)) * (test_random_below(r, 2) ? 1.0 : -1.0);
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            pose[4 * i + k] = (float)(m[3 * i + k] * scale[k]);
        pose[4 * i + 3] = 0.0f;
    }
}

static inline void image_pose_points(const image_shape* s, const float m[12], tact_vec3* to)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        const double p[3] = {(double)s->points[i].x, (double)s->points[i].y, (double)s->points[i].z};
        float q[3];
        for (int k = 0; k < 3; ++k) {
            q[k] = (float)((double)m[4 * k] * p[0] + (double)m[4 * k + 1] * p[1] + (double)m[4 * k + 2] * p[2] +
                           (double)m[4 * k + 3]);
        }
        to[i] = (tact_vec3){q[0], q[1], q[2]};
    }
}

/// The signed distance, by GJK and the expanding polytope.
static inline tact_convex_contact image_truth(const image_shape* a, const float pa[12], const image_shape* b,
                                              const float pb[12])
{
    tact_vec3 points_a[IMAGE_POINTS_MAX], points_b[IMAGE_POINTS_MAX];
    image_pose_points(a, pa, points_a);
    image_pose_points(b, pb, points_b);
    const tact_hull hull_a = {.points = points_a, .point_count = a->count};
    const tact_hull hull_b = {.points = points_b, .point_count = b->count};
    return tact_convex_penetration(tact_convex_hull(&hull_a), tact_convex_hull(&hull_b));
}

/// Poses of a pair: a third anywhere near each other, the others at a distance of up to `close` either way.
static inline void image_random_pair(test_random* r, const image_shape* a, const image_shape* b, float close,
                                     float offset, float pa[12], float pb[12])
{
    image_random_turn(r, pa);
    image_random_turn(r, pb);
    const float reach = a->radius + b->radius;
    for (int k = 0; k < 3; ++k) {
        pa[4 * k + 3] = offset * test_random_signed(r);
        pb[4 * k + 3] = pa[4 * k + 3] + reach * test_random_signed(r) * 0.7f;
    }
    if (test_random_below(r, 3) == 0) return;
    const tact_convex_contact c = image_truth(a, pa, b, pb);
    const float wanted = close * test_random_signed(r) * test_random_unit(r);
    pb[3] += (wanted - c.distance) * c.normal.x;
    pb[7] += (wanted - c.distance) * c.normal.y;
    pb[11] += (wanted - c.distance) * c.normal.z;
}
