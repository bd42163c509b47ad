// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/hull_planes.h"

#include "cpu_ref/geometry/vec.h"

/// One hull in front of whose planes another may be: points with radii, which is what vertices, spheres and bounds are.
typedef struct cover {
    const tact_vec3* vertices;
    const tact_sphere* spheres;
    size_t count;
    const tact_sphere* bound;
} cover;

static bool sphere_valid(const tact_sphere* s)
{
    return v_finite(s->center) && s->radius >= 0.0f && isfinite(s->radius);
}

static bool cover_valid(const cover* c)
{
    for (size_t i = 0; i < c->count; ++i) {
        if (!(c->vertices ? v_finite(c->vertices[i]) : sphere_valid(&c->spheres[i]))) return false;
    }
    return c->count > 0 && (!c->bound || sphere_valid(c->bound));
}

static bool planes_valid(const tact_plane* planes, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(planes[i].normal) || !isfinite(planes[i].distance)) return false;
    }
    return true;
}

typedef struct half_space {
    dvec normal;
    double distance, length;
} half_space;

/// How far a ball is in front (greater than 0) of the plane, 0 within the rounding of it.
static double in_front(const half_space* h, tact_vec3 center, double radius)
{
    const dvec c = d_from(center), n = h->normal;
    const double gap = d_dot(c, n) - (h->distance + radius * h->length);
    const double terms = (fabs(c.x * n.x) + fabs(c.y * n.y)) + (fabs(c.z * n.z) + fabs(h->distance));
    return gap > 0x1p-50 * (terms + fabs(radius) * h->length) ? gap : 0.0;
}

static bool all_in_front(const half_space* h, const cover* c)
{
    if (c->bound) {
        const double radius = (double)c->bound->radius;
        if (in_front(h, c->bound->center, radius) > 0.0) return true;
        if (!(in_front(h, c->bound->center, -radius) > 0.0)) return false;  // nothing of it is in front
    }
    for (size_t i = 0; i < c->count; ++i) {
        const bool front = c->vertices ? in_front(h, c->vertices[i], 0.0) > 0.0
                                       : in_front(h, c->spheres[i].center, (double)c->spheres[i].radius) > 0.0;
        if (!front) return false;
    }
    return true;
}

static bool separated(const tact_plane* planes, size_t count, const cover* other)
{
    for (size_t i = 0; i < count; ++i) {
        half_space h = {d_from(planes[i].normal), (double)planes[i].distance, 0.0};
        h.length = d_length(h.normal);
        if (all_in_front(&h, other)) return true;
    }
    return false;
}

bool tact_hull_planes_overlap(const tact_hull_planes* a, const tact_hull_planes* b)
{
    const cover of_a = {a->vertices, NULL, a->vertex_count, a->bound};
    const cover of_b = {b->vertices, NULL, b->vertex_count, b->bound};
    return cover_valid(&of_a) && cover_valid(&of_b) && planes_valid(a->planes, a->plane_count) &&
           planes_valid(b->planes, b->plane_count) && !separated(a->planes, a->plane_count, &of_b) &&
           !separated(b->planes, b->plane_count, &of_a);
}

bool tact_hull_spheres_overlap(const tact_hull_spheres* a, const tact_hull_spheres* b)
{
    const cover of_a = {NULL, a->spheres, a->sphere_count, a->bound};
    const cover of_b = {NULL, b->spheres, b->sphere_count, b->bound};
    return cover_valid(&of_a) && cover_valid(&of_b) && planes_valid(a->planes, a->plane_count) &&
           planes_valid(b->planes, b->plane_count) && !separated(a->planes, a->plane_count, &of_b) &&
           !separated(b->planes, b->plane_count, &of_a);
}

/// 2, above any cosine, where one has no direction.
static double cosine(tact_vec3 a, tact_vec3 b)
{
    const dvec p = d_from(a), q = d_from(b);
    const double c = d_dot(p, q) / (d_length(p) * d_length(q));
    return isfinite(c) ? c : 2.0;
}

/// The greatest cosine to one of the first `done` planes, but no more than `limit` matters.
static double alignment(const tact_plane* planes, size_t done, size_t i, double limit)
{
    double most = -1.0;
    for (size_t k = 0; k < done && most < limit; ++k)
        most = fmax(most, fabs(cosine(planes[k].normal, planes[i].normal)));
    return most;
}

void tact_hull_planes_order(tact_plane* planes, size_t count)
{
    for (size_t done = 1; done + 1 < count; ++done) {
        size_t best = done;
        double least = 3.0;
        for (size_t i = done; i < count; ++i) {
            const double a = alignment(planes, done, i, least);
            if (!(a < least)) continue;
            least = a;
            best = i;
        }
        const tact_plane swap = planes[done];
        planes[done] = planes[best];
        planes[best] = swap;
    }
}
