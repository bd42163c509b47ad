// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Solids of any shape, and whether a result of tact_image_concave() keeps its promises to the exact overlap of meshes.
/// Include after run.h, and image_shapes.h.

#include "tact/mesh_overlap.h"
#include "tests/support/calls.h"
#include "tests/support/image_shapes.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"

/// A mesh with arrays of its own, until the test ends.
typedef struct concave_solid {
    float* positions;
    uint32_t* indices;
    size_t vertices, triangles;
    float radius;  ///< of a ball around the origin that holds it
} concave_solid;

static inline concave_solid concave_make(size_t vertices, size_t triangles)
{
    return (concave_solid){scratch(vertices * 12), scratch(triangles * 12), vertices, triangles, 0};
}

static inline void concave_measure(concave_solid* s)
{
    s->radius = 0;
    for (size_t i = 0; i < s->vertices; ++i) {
        const float* p = s->positions + 3 * i;
        s->radius = fmaxf(s->radius, sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
}

/// Rows of quadrilaterals around two ways, both closed.
static inline void concave_grid(uint32_t along, uint32_t around, uint32_t* indices)
{
    for (uint32_t i = 0; i < along; ++i) {
        for (uint32_t k = 0; k < around; ++k) {
            const uint32_t j = (i + 1) % along, l = (k + 1) % around;
            const uint32_t p = i * around + k, q = j * around + k, r = i * around + l, s = j * around + l;
            const uint32_t six[6] = {p, q, r, r, q, s};
            memcpy(indices, six, sizeof six);
            indices += 6;
        }
    }
}

static inline void concave_knot_at(double t, double p[3])
{
    const double ring = 0.65 + 0.25 * cos(3 * t);
    p[0] = ring * cos(2 * t);
    p[1] = ring * sin(2 * t);
    p[2] = 0.3 * sin(3 * t);
}

/// A trefoil of `along` * `around` * 2 triangles.
static inline concave_solid concave_knot(uint32_t along, uint32_t around, double thick)
{
    concave_solid s = concave_make((size_t)along * around, (size_t)along * around * 2);
    for (uint32_t i = 0; i < along; ++i) {
        const double t = 6.283185307179586 * i / along;
        double p[3], q[3], u[3], v[3], w[3];
        concave_knot_at(t, p);
        concave_knot_at(t + 1e-4, q);
        double length = 0, across = 0;
        for (int k = 0; k < 3; ++k) {
            u[k] = q[k] - p[k];
            length += u[k] * u[k];
        }
        for (int k = 0; k < 3; ++k)
            u[k] /= sqrt(length);
        // To the side: from the axis, less what is along the curve.
        const double along_p = u[0] * p[0] + u[1] * p[1];
        for (int k = 0; k < 3; ++k) {
            v[k] = (k < 2 ? p[k] : 0) - along_p * u[k];
            across += v[k] * v[k];
        }
        for (int k = 0; k < 3; ++k)
            v[k] /= sqrt(across);
        for (int k = 0; k < 3; ++k)
            w[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        for (uint32_t k = 0; k < around; ++k) {
            const double a = 6.283185307179586 * k / around;
            for (size_t c = 0; c < 3; ++c) {
                s.positions[3 * ((size_t)i * around + k) + c] = (float)(p[c] + thick * (cos(a) * v[c] + sin(a) * w[c]));
            }
        }
    }
    concave_grid(along, around, s.indices);
    concave_measure(&s);
    return s;
}

static inline concave_solid concave_box(const float low[3], const float high[3])
{
    concave_solid s = concave_make(8, 12);
    box_corners(low, high, s.positions);
    memcpy(s.indices, box_indices, sizeof box_indices);
    concave_measure(&s);
    return s;
}

/// A box whose walls are closed surfaces too: what is in the cavity is not inside.
static inline concave_solid concave_hollow(float outer, float inner)
{
    concave_solid a = concave_box((const float[3]){-outer, -outer, -outer}, (const float[3]){outer, outer, outer});
    concave_solid b = concave_box((const float[3]){-inner, -inner, -inner}, (const float[3]){inner, inner, inner});
    concave_solid s = concave_make(16, 24);
    memcpy(s.positions, a.positions, 96);
    memcpy(s.positions + 24, b.positions, 96);
    memcpy(s.indices, a.indices, 144);
    for (size_t i = 0; i < 36; ++i)
        s.indices[36 + i] = 8 + b.indices[35 - i];
    concave_measure(&s);
    return s;
}

static inline tact_image_body concave_body(const concave_solid* s, const float (*poses)[12], size_t pose_count)
{
    const tact_image_body body = {.mesh = {.positions = s->positions,
                                           .vertex_count = s->vertices,
                                           .indices = s->indices,
                                           .triangle_count = s->triangles},
                                  .poses = poses,
                                  .pose_count = pose_count};
    return body;
}

static inline tact_mesh* concave_mesh(tact_context* context, const concave_solid* s)
{
    const tact_mesh_desc desc = {
        .positions = s->positions, .vertex_count = s->vertices, .indices = s->indices, .triangle_count = s->triangles};
    return new_mesh(context, &desc);
}

/// A place whose distance to meshes is asked for.
static inline tact_mesh* concave_point(tact_context* context)
{
    static const float origin[9] = {0};
    const tact_mesh_desc desc = {.positions = origin, .vertex_count = 3, .triangle_count = 1};
    return new_mesh(context, &desc);
}

/// A pair of solids, of which A stays where it is.
typedef struct concave_pair {
    const concave_solid* solids[2];
    tact_mesh* meshes[2];
    tact_mesh* point;
    double slack;  ///< what the exact tests' own rounding of B may come to
} concave_pair;

typedef struct concave_tally {
    size_t poses, apart, inside, meeting;
    size_t false_hits, misses, outside;
    double worst_gap, worst_depth;  ///< as a share of what is allowed
} concave_tally;

static inline void concave_invert(const float pose[12], float inverse[12])
{
    // Of a turn and a way.
    for (int i = 0; i < 3; ++i) {
        double t = 0;
        for (int k = 0; k < 3; ++k) {
            inverse[4 * i + k] = pose[4 * k + i];
            t -= (double)pose[4 * k + i] * (double)pose[4 * k + 3];
        }
        inverse[4 * i + 3] = (float)t;
    }
}

/// Points along the edges of one solid that lie in the view, in the other solid's frame, as poses of a point. The
/// caller frees them.
static inline size_t concave_edge_points(const concave_pair* pair, int of, const float pose[12],
                                         const tact_image_view* view, float (**points)[12])
{
    enum { STEPS = 5 };
    const concave_solid* s = pair->solids[of];
    float inverse[12];
    size_t count = 0;
    concave_invert(pose, inverse);
    *points = malloc(3 * s->triangles * STEPS * sizeof **points);
    assert_non_null(*points);
    for (size_t e = 0; e < 3 * s->triangles; ++e) {
        const size_t other = e % 3 == 2 ? e - 2 : e + 1;
        if (s->indices[e] > s->indices[other]) continue;  // comes the other way round
        const float *a = s->positions + 3 * s->indices[e], *b = s->positions + 3 * s->indices[other];
        for (int step = 0; step < STEPS; ++step) {
            float p[3], q[3];
            for (int k = 0; k < 3; ++k)
                p[k] = a[k] + (b[k] - a[k]) * (float)step / STEPS;
            // In A's frame, which is the view's.
            const float* to = pose;
            for (int k = 0; k < 3; ++k)
                q[k] = of == 0 ? p[k] : to[4 * k] * p[0] + to[4 * k + 1] * p[1] + to[4 * k + 2] * p[2] + to[4 * k + 3];
            bool seen = true;
            for (int k = 0; k < 3; ++k) {
                float along = 0;
                for (int c = 0; c < 3; ++c)
                    along += view->axes[k][c] * (q[c] - view->centre[c]);
                seen = seen && fabsf(along) <= 1.001f * view->half_extent[k];
            }
            if (!seen) continue;
            const float* back = inverse;
            float* m = (*points)[count++];
            for (int k = 0; k < 3; ++k) {
                m[5 * k] = 1;
                for (int c = 0; c < 3; ++c)
                    if (c != k) m[4 * k + c] = 0;
                m[4 * k + 3] =
                    of == 1 ? q[k]
                            : back[4 * k] * q[0] + back[4 * k + 1] * q[1] + back[4 * k + 2] * q[2] + back[4 * k + 3];
            }
        }
    }
    return count;
}

/// The deepest of points along the edges of one solid that are inside the other. Only what both boxes hold can be.
static inline double concave_deepest(const concave_pair* pair, int of, const float pose[12],
                                     const tact_image_view* view)
{
    float(*points)[12];
    const size_t count = concave_edge_points(pair, of, pose, view, &points);
    uint8_t* relations = scratch(count + 1);
    double deepest = 0;
    assert_int_equal(call_mesh_overlap(pair->meshes[1 - of], pair->point, (const float(*)[12])points, count, true,
                                       relations, NULL, NULL),
                     TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        if (relations[i] != TACT_MESHES_B_INSIDE) continue;
        tact_mesh_distance d;
        assert_int_equal(tact_mesh_separation(pair->meshes[1 - of], pair->point, points[i], INFINITY, NULL, &d),
                         TACT_OK);
        deepest = fmax(deepest, (double)d.distance);
    }
    free(points);
    return deepest;
}

/// Holds a result of A as it is and B in a pose (a turn and a way) against the exact one.
static inline void concave_check(const concave_pair* pair, const float pose[12], const tact_image_result* r,
                                 concave_tally* t)
{
    uint8_t relation = 0;
    assert_int_equal(
        call_mesh_overlap(pair->meshes[0], pair->meshes[1], (const float(*)[12])pose, 1, true, &relation, NULL, NULL),
        TACT_OK);
    const bool overlap = relation != TACT_MESHES_APART;
    ++t->poses;
    t->apart += !overlap;
    t->meeting += relation == TACT_MESHES_INTERSECT;
    t->inside += relation == TACT_MESHES_A_INSIDE || relation == TACT_MESHES_B_INSIDE;
    if (overlap == r->overlap) return;
    if (!overlap) {
        ++t->false_hits;
        tact_mesh_distance d;
        assert_int_equal(tact_mesh_separation(pair->meshes[0], pair->meshes[1], pose, INFINITY, NULL, &d), TACT_OK);
        const double allowed = (double)r->gap + pair->slack;
        t->worst_gap = fmax(t->worst_gap, (double)d.distance / allowed);
        t->outside += (double)d.distance > allowed;
        return;
    }
    ++t->misses;
    const double allowed = (double)r->depth + pair->slack;
    const double deepest = fmax(concave_deepest(pair, 0, pose, &r->view), concave_deepest(pair, 1, pose, &r->view));
    t->worst_depth = fmax(t->worst_depth, deepest / allowed);
    t->outside += deepest > allowed;
}

/// A turn; for two of three poses B is then moved along a random line until it all but touches A.
static inline void concave_near_pose(test_random* r, const concave_pair* pair, size_t i, float pose[12])
{
    float turned[12], way[3];
    image_random_turn(r, turned);
    for (int c = 0; c < 3; ++c) {
        // Without scales, which are a column's length.
        const float length = hypotf(hypotf(turned[c], turned[4 + c]), turned[8 + c]);
        for (int k = 0; k < 3; ++k)
            pose[4 * k + c] = turned[4 * k + c] / length;
        way[c] = test_random_signed(r);
    }
    const float reach = pair->solids[0]->radius + pair->solids[1]->radius;
    const float length = hypotf(hypotf(way[0], way[1]), way[2]) + 1e-6f;
    float out = i % 3 == 0 ? reach * test_random_unit(r) * 0.8f : reach;
    for (int step = 0; step < 12; ++step) {
        for (int k = 0; k < 3; ++k)
            pose[4 * k + 3] = way[k] / length * out + 0.2f * way[k] * reach;
        tact_mesh_distance d;
        if (i % 3 == 0) return;
        assert_int_equal(tact_mesh_separation(pair->meshes[0], pair->meshes[1], pose, INFINITY, NULL, &d), TACT_OK);
        if (d.distance < 1e-4f) break;
        out -= d.distance;
    }
    for (int k = 0; k < 3; ++k)
        pose[4 * k + 3] += 0.06f * test_random_signed(r) * test_random_unit(r);
}
