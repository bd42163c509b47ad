// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against boxes, slabs and convex polyhedra, compared with what eliminating t says: exactly, on whole numbers, and
// in 113-bit arithmetic.

#include "tests/support/run.h"

#include "tests/geometry/ray_boxes.h"
#include "tests/geometry/wide.h"

/// A half space in t: slope t <= limit.
typedef struct bound {
    int64_t slope, limit;
} bound;

/// Whether some t satisfies all: eliminates t between every pair that bounds it from both sides.
static bool feasible(const bound* b, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (b[i].slope == 0 && b[i].limit < 0) return false;
        for (size_t j = 0; j < count; ++j) {
            if (b[i].slope > 0 && b[j].slope < 0 && b[i].limit * -b[j].slope + b[j].limit * b[i].slope < 0)
                return false;
        }
    }
    return true;
}

static int64_t whole(float x)
{
    return (int64_t)x;
}

static int64_t whole_dot(tact_vec3 a, float x, float y, float z)
{
    return whole(a.x) * whole(x) + whole(a.y) * whole(y) + whole(a.z) * whole(z);
}

static size_t interval_bounds(const tact_ray* r, bound* b)
{
    size_t n = 0;
    if (r->tmin > -INFINITY) b[n++] = (bound){-1, -whole(r->tmin)};
    if (r->tmax < INFINITY) b[n++] = (bound){1, whole(r->tmax)};
    return n;
}

static bool whole_convex(const tact_ray* r, const tact_plane* p, size_t count)
{
    bound b[20];
    size_t n = interval_bounds(r, b);
    for (size_t i = 0; i < count; ++i) {
        b[n++] = (bound){whole_dot(p[i].normal, r->dx, r->dy, r->dz),
                         whole(p[i].distance) - whole_dot(p[i].normal, r->ox, r->oy, r->oz)};
    }
    return feasible(b, n);
}

/// Points of the hit lie in the box, its ends on the boundary unless they are those of the interval.
static bool ends_fit(const tact_ray* r, const tact_aabb* b, const tact_ray_solid_hit* h)
{
    const float* lower = &b->lower.x;
    const float* upper = &b->upper.x;
    const float t[2] = {h->t, h->exit}, interval[2] = {r->tmin, r->tmax};
    for (int end = 0; end < 2; ++end) {
        if (!isfinite(t[end])) continue;
        bool on = false;
        for (int i = 0; i < 3; ++i) {
            const double x = ray_at(r, (double)t[end], i), size = fabs(ray_at(r, 0.0, i)) + fabs(x) + 1.0;
            const double below = x - (double)lower[i], above = (double)upper[i] - x, slack = 4e-7 * size;
            if (below < -slack || above < -slack) return false;
            on = on || fabs(below) < slack || fabs(above) < slack;
        }
        if (!on && t[end] != interval[end]) return false;
    }
    return true;
}

TEST(boxes_agree_with_exact_elimination)
{
    test_random r = test_random_seeded(1);
    size_t hits = 0;
    const int sizes[4] = {2, 5, 40, 1000};
    enum { CASES = 1200000 };
    for (int i = 0; i < CASES; ++i) {
        const int n = sizes[i % 4];
        const tact_ray ray = random_grid_ray(&r, n, n < 40 ? n : 16);
        const tact_aabb box = random_grid_box(&r, n);
        const planes p = as_planes(&box, 1.0f);
        const bool expected = whole_convex(&ray, p.plane, p.count);
        hits += expected;
        const tact_ray_solid_hit slabs = tact_ray_aabb(&ray, &box);
        // Single precision cannot tell all fractions of large numbers apart, but it never loses a hit.
        if (slabs.hit != expected && (n < 1000 || expected)) fail_msg("case %d: aabb, expected %d", i, expected);
        if (tact_ray_overlaps_aabb(&ray, &box) != expected) fail_msg("case %d: axes, expected %d", i, expected);
        if (slopes_overlap(&ray, &box) != expected) fail_msg("case %d: slopes, expected %d", i, expected);
        const tact_obb obb = as_obb(&box, (uint32_t)i);
        const tact_ray_solid_hit oriented = tact_ray_obb(&ray, &obb);
        if (oriented.hit != expected) fail_msg("case %d: obb, expected %d", i, expected);
        if (tact_ray_overlaps_obb(&ray, &obb) != expected) fail_msg("case %d: obb axes, expected %d", i, expected);
        if (tact_ray_overlaps_obb_slopes(&ray, &obb) != expected)
            fail_msg("case %d: obb slopes, expected %d", i, expected);
        const tact_ray_solid_hit k = slabs_of(&ray, &box, 3.0f);
        if (k.hit != expected) fail_msg("case %d: slabs, expected %d", i, expected);
        const tact_ray_solid_hit convex = tact_ray_convex(&ray, p.plane, p.count);
        if (convex.hit != expected) fail_msg("case %d: planes, expected %d", i, expected);
        if (!plausible_solid_hit(&ray, &slabs) || !plausible_solid_hit(&ray, &convex)) fail_msg("case %d", i);
        if (!expected) continue;
        if (!ends_fit(&ray, &box, &slabs) || !ends_fit(&ray, &box, &convex)) fail_msg("case %d: its ends", i);
        // All in double: the same to the bit, but for the normals where faces tie.
        if (k.t != convex.t || k.exit != convex.exit) fail_msg("case %d: slabs and planes differ", i);
        if (oriented.t != k.t || oriented.exit != k.exit) fail_msg("case %d: box and slabs differ", i);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

TEST(polyhedra_agree_with_exact_elimination)
{
    test_random r = test_random_seeded(2);
    size_t hits = 0;
    enum { CASES = 1000000 };
    for (int i = 0; i < CASES; ++i) {
        const tact_ray ray = random_grid_ray(&r, 6, 4);
        planes p = {.count = 1 + test_random_below(&r, 8)};
        tact_vec3 normals[16];
        float lower[16], upper[16];
        for (size_t k = 0; k < p.count; ++k) {
            normals[k] = p.plane[k].normal = random_grid(&r, 3);
            upper[k] = p.plane[k].distance = (float)random_whole(&r, 12) + 6.0f;
            lower[k] = upper[k] - (float)test_random_below(&r, 30);
        }
        const bool expected = whole_convex(&ray, p.plane, p.count);
        const tact_ray_solid_hit h = tact_ray_convex(&ray, p.plane, p.count);
        if (h.hit != expected || !plausible_solid_hit(&ray, &h)) fail_msg("case %d: planes, expected %d", i, expected);
        hits += expected;
        const size_t slabs = p.count;
        for (size_t k = 0; k < slabs; ++k) {
            p.plane[p.count].normal = v3(-normals[k].x, -normals[k].y, -normals[k].z);
            p.plane[p.count++].distance = -lower[k];
        }
        const bool within = whole_convex(&ray, p.plane, p.count);
        const tact_ray_solid_hit s = tact_ray_slabs(&ray, normals, lower, upper, slabs);
        if (s.hit != within || !plausible_solid_hit(&ray, &s)) fail_msg("case %d: slabs, expected %d", i, within);
    }
    assert_in_range(hits, CASES / 5, CASES * 4 / 5);
}

/// Two large terms of n . d cancel and leave one far below the rounding of their sum in double; or nothing.
TEST(nearly_parallel_rays_meet_faces_where_they_should)
{
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 400000; ++i) {
        const float a = (float)(4096 + test_random_below(&r, 1u << 23)),
                    c = (float)(4096 + test_random_below(&r, 1u << 23));
        const float tiny = ldexpf(1, -30 - (int)test_random_below(&r, 30));
        const float t = (float)(1 + test_random_below(&r, 1000));
        const tact_plane face = {{a, -tiny, a}, -t * tiny};
        tact_ray ray = make_ray(0, 0, 0, c, 1, -c);
        tact_ray_solid_hit h = tact_ray_convex(&ray, &face, 1);
        assert_true(h.hit && h.t == t && h.exit == INFINITY);
        const float low = -INFINITY;
        assert_true(same_hit(tact_ray_slabs(&ray, &face.normal, &low, &face.distance, 1), h));
        ray.dy = 0;
        assert_false(tact_ray_convex(&ray, &face, 1).hit);
        ray.oy = t;
        h = tact_ray_convex(&ray, &face, 1);
        assert_solid(h, 0, INFINITY, v3(0, 0, 0), v3(0, 0, 0));
    }
}

#ifdef __SIZEOF_FLOAT128__

/// A half space in t with the sum of the magnitudes that went into its numbers.
typedef struct wide_bound {
    wide slope, limit, slope_size, limit_size;
} wide_bound;

/// 1 feasible, -1 not, 0 within `band` of touching.
static int wide_feasible(const wide_bound* b, size_t count, double band)
{
    int answer = 1;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < count; ++j) {
            if (!(b[i].slope > 0 && b[j].slope < 0)) continue;
            const wide room = b[i].limit * -b[j].slope + b[j].limit * b[i].slope;
            const wide size = b[i].limit_size * b[j].slope_size + b[j].limit_size * b[i].slope_size;
            if (w_abs(room) <= (wide)band * size)
                answer = answer < 0 ? -1 : 0;
            else if (room < 0)
                answer = -1;
        }
        if (w_abs(b[i].slope) > (wide)band * b[i].slope_size) continue;
        if (w_abs(b[i].limit) <= (wide)band * b[i].limit_size)
            answer = answer < 0 ? -1 : 0;
        else if (b[i].limit < 0)
            answer = -1;
    }
    return answer;
}

static wide_bound wide_plane(const tact_ray* r, tact_vec3 n, wide distance, tact_vec3 center)
{
    const wide x = (wide)r->ox - (wide)center.x, y = (wide)r->oy - (wide)center.y, z = (wide)r->oz - (wide)center.z;
    const wide nx = (wide)n.x, ny = (wide)n.y, nz = (wide)n.z;
    const wide dx = (wide)r->dx, dy = (wide)r->dy, dz = (wide)r->dz;
    wide_bound b = {nx * dx + ny * dy + nz * dz, distance - (nx * x + ny * y + nz * z), 0, 0};
    b.slope_size = w_abs(nx * dx) + w_abs(ny * dy) + w_abs(nz * dz);
    b.limit_size = w_abs(distance) + w_abs(nx * x) + w_abs(ny * y) + w_abs(nz * z);
    return b;
}

static size_t wide_interval(const tact_ray* r, wide_bound* b)
{
    size_t n = 0;
    if (r->tmin > -INFINITY) b[n++] = (wide_bound){-1, -(wide)r->tmin, 1, w_abs((wide)r->tmin)};
    if (r->tmax < INFINITY) b[n++] = (wide_bound){1, (wide)r->tmax, 1, w_abs((wide)r->tmax)};
    return n;
}

static tact_obb random_obb(test_random* r, float size)
{
    tact_obb b = {.center = random_vec(r, 2.0f * size)};
    random_frame(r, b.axis);
    b.half = v3(size * test_random_unit(r), size * test_random_unit(r), size * test_random_unit(r));
    if (test_random_below(r, 8) == 0) b.half.y = 0.0f;
    return b;
}

/// Aimed at a point of an edge, or past it by a little, or anywhere.
static tact_ray ray_past_edge(test_random* r, const tact_obb* b, float size)
{
    const tact_vec3 o = random_vec(r, 6.0f * size);
    tact_vec3 p = b->center;
    const float* half = &b->half.x;
    const uint32_t edge = test_random_below(r, 3), corner = test_random_below(r, 4);
    const float off = size * ldexpf(test_random_signed(r), -(int)test_random_below(r, 30));
    for (uint32_t i = 0; i < 3; ++i) {
        float s = half[i] * (i == edge ? test_random_signed(r) : corner >> (i & 1) & 1 ? 1.0f : -1.0f);
        if (i != edge) s += off;
        p.x += s * b->axis[i].x;
        p.y += s * b->axis[i].y;
        p.z += s * b->axis[i].z;
    }
    tact_ray ray = make_segment(o, p);
    ray.tmax = test_random_bits(r) & 1 ? INFINITY : 0.5f + test_random_unit(r);
    if (test_random_below(r, 4) == 0) ray.tmin = -INFINITY;
    if (test_random_below(r, 8) == 0) {  // parallel to an edge
        const tact_vec3 d = b->axis[edge];
        ray.dx = d.x;
        ray.dy = d.y;
        ray.dz = d.z;
    }
    return ray;
}

TEST(oriented_boxes_agree_with_wide_elimination)
{
    test_random r = test_random_seeded(4);
    size_t decided = 0, hits = 0;
    enum { CASES = 300000 };
    for (int i = 0; i < CASES; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        const tact_obb box = random_obb(&r, size);
        const tact_ray ray = ray_past_edge(&r, &box, size);
        wide_bound b[8];
        size_t n = wide_interval(&ray, b);
        const float* half = &box.half.x;
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 axis = box.axis[k], back = {-axis.x, -axis.y, -axis.z};
            b[n++] = wide_plane(&ray, axis, (wide)half[k], box.center);
            b[n++] = wide_plane(&ray, back, (wide)half[k], box.center);
        }
        const int expected = wide_feasible(b, n, 1e-14);
        const tact_ray_solid_hit h = tact_ray_obb(&ray, &box);
        if (!plausible_solid_hit(&ray, &h)) fail_msg("case %d", i);
        if (expected == 0) continue;
        ++decided;
        hits += h.hit;
        if (h.hit != (expected > 0)) fail_msg("case %d: slabs, expected %d", i, expected);
        if (tact_ray_overlaps_obb(&ray, &box) != h.hit) fail_msg("case %d: axes, expected %d", i, expected);
        if (tact_ray_overlaps_obb_slopes(&ray, &box) != h.hit) fail_msg("case %d: slopes, expected %d", i, expected);
    }
    assert_true(decided > CASES * 9 / 10 && hits > CASES / 5);
}

TEST(axis_aligned_boxes_agree_with_wide_elimination)
{
    test_random r = test_random_seeded(5);
    size_t decided = 0;
    enum { CASES = 300000 };
    for (int i = 0; i < CASES; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        tact_obb obb = random_obb(&r, size);
        obb.axis[0] = v3(1, 0, 0);
        obb.axis[1] = v3(0, 1, 0);
        obb.axis[2] = v3(0, 0, 1);
        const tact_ray ray = ray_past_edge(&r, &obb, size);
        const tact_vec3 c = obb.center, e = obb.half;
        const tact_aabb box = {{c.x - e.x, c.y - e.y, c.z - e.z}, {c.x + e.x, c.y + e.y, c.z + e.z}};
        const planes p = as_planes(&box, 1.0f);
        wide_bound b[8];
        size_t n = wide_interval(&ray, b);
        for (size_t k = 0; k < p.count; ++k)
            b[n++] = wide_plane(&ray, p.plane[k].normal, (wide)p.plane[k].distance, v3(0, 0, 0));
        const int expected = wide_feasible(b, n, 1e-14);
        const int coarse = expected == 0 ? 0 : wide_feasible(b, n, 1e-6);
        if (coarse != 0 && tact_ray_aabb(&ray, &box).hit != (coarse > 0)) fail_msg("case %d: slabs", i);
        if (expected == 0) continue;
        ++decided;
        if (tact_ray_overlaps_aabb(&ray, &box) != (expected > 0)) fail_msg("case %d: axes, expected %d", i, expected);
        if (slopes_overlap(&ray, &box) != (expected > 0)) fail_msg("case %d: slopes, expected %d", i, expected);
    }
    assert_true(decided > CASES * 9 / 10);
}

TEST(polyhedra_agree_with_wide_elimination)
{
    test_random r = test_random_seeded(6);
    size_t decided = 0, hits = 0;
    enum { CASES = 60000 };
    for (int i = 0; i < CASES; ++i) {
        planes p = {.count = 4 + test_random_below(&r, 8)};
        const tact_vec3 o = random_vec(&r, 4.0f), d = along(random_vec(&r, 1.0f), -1.0, o);
        const tact_ray ray = make_ray(o.x, o.y, o.z, d.x, d.y, d.z);
        wide_bound b[20];
        size_t n = wide_interval(&ray, b);
        for (size_t k = 0; k < p.count; ++k) {
            p.plane[k].normal = random_vec(&r, 2.0f);
            p.plane[k].distance = 0.25f + test_random_unit(&r);
            b[n++] = wide_plane(&ray, p.plane[k].normal, (wide)p.plane[k].distance, v3(0, 0, 0));
        }
        const int expected = wide_feasible(b, n, 1e-15);
        const tact_ray_solid_hit h = tact_ray_convex(&ray, p.plane, p.count);
        if (!plausible_solid_hit(&ray, &h)) fail_msg("case %d", i);
        if (expected == 0) continue;
        ++decided;
        hits += h.hit;
        if (h.hit != (expected > 0)) fail_msg("case %d: expected %d", i, expected);
        // The entry is on the plane whose normal it tells, against the ray.
        if (!h.hit || h.t == ray.tmin) continue;
        bool found = false;
        for (size_t k = 0; k < p.count; ++k) {
            const double length = sqrt(dot3(p.plane[k].normal, p.plane[k].normal));
            const tact_vec3 at = {(float)ray_at(&ray, (double)h.t, 0), (float)ray_at(&ray, (double)h.t, 1),
                                  (float)ray_at(&ray, (double)h.t, 2)};
            const double away = fabs(dot3(at, p.plane[k].normal) / length - (double)p.plane[k].distance / length);
            const double cosine = dot3(h.normal, p.plane[k].normal) / length;
            found = found || (away < 1e-5 * (1.0 + sqrt(dot3(at, at))) && cosine > 1.0 - 1e-6);
        }
        if (!found || dot3(h.normal, d) > 0.0) fail_msg("case %d: its normal", i);
    }
    assert_true(decided > CASES * 9 / 10 && hits > CASES / 10);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
