// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/measure.h"

#include "cpu_ref/geometry/obb_internal.h"

static const double pi = 3.14159265358979323846;

static const double none = (double)NAN;

static bool length_valid(float x)
{
    return x >= 0.0f && isfinite(x);
}

double tact_sphere_volume(tact_sphere sphere)
{
    const double r = (double)sphere.radius;
    return v_finite(sphere.center) && length_valid(sphere.radius) ? 4.0 / 3.0 * pi * r * r * r : none;
}

double tact_sphere_area(tact_sphere sphere)
{
    const double r = (double)sphere.radius;
    return v_finite(sphere.center) && length_valid(sphere.radius) ? 4.0 * pi * r * r : none;
}

static bool cylinder_valid(const tact_cylinder* c)
{
    return v_finite(c->a) && v_finite(c->b) && length_valid(c->radius);
}

double tact_cylinder_volume(const tact_cylinder* cylinder)
{
    if (!cylinder_valid(cylinder)) return none;
    const double r = (double)cylinder->radius, length = d_length(d_sub(d_from(cylinder->b), d_from(cylinder->a)));
    return pi * r * r * length;
}

double tact_cylinder_area(const tact_cylinder* cylinder)
{
    if (!cylinder_valid(cylinder)) return none;
    const double r = (double)cylinder->radius, length = d_length(d_sub(d_from(cylinder->b), d_from(cylinder->a)));
    return 2.0 * pi * r * (length + r);
}

static bool cone_valid(const tact_cone* c)
{
    return v_finite(c->apex) && v_finite(c->axis) && length_valid(c->height) && length_valid(c->radius);
}

double tact_cone_volume(const tact_cone* cone)
{
    const double r = (double)cone->radius, h = (double)cone->height;
    return cone_valid(cone) ? pi / 3.0 * r * r * h : none;
}

double tact_cone_area(const tact_cone* cone)
{
    const double r = (double)cone->radius, h = (double)cone->height;
    return cone_valid(cone) ? pi * r * (r + sqrt(r * r + h * h)) : none;
}

double tact_ellipsoid_volume(const tact_ellipsoid* ellipsoid)
{
    const tact_vec3 r = ellipsoid->radius;
    bool valid = v_finite(ellipsoid->center) && length_valid(r.x) && length_valid(r.y) && length_valid(r.z);
    for (int i = 0; i < 3; ++i)
        valid = valid && v_finite(ellipsoid->axis[i]);
    return valid ? 4.0 / 3.0 * pi * (double)r.x * (double)r.y * (double)r.z : none;
}

/// Planes with unit normals, relative to a centre. Each is moved out by `step` times its index, so that of planes that
/// are one to rounding the first alone has a face.
typedef struct half_spaces {
    dvec normal[TACT_MEASURE_MAX_PLANES];
    double distance[TACT_MEASURE_MAX_PLANES];
    size_t count;
    double size, step;  // half the side of the square a face is cut from
} half_spaces;

typedef struct face {
    dvec corner[TACT_MEASURE_MAX_PLANES + 4];
    size_t count;
} face;

typedef struct bounds {
    double low[3], high[3];
} bounds;

static double moved_distance(const half_spaces* h, size_t plane)
{
    return h->distance[plane] + (double)plane * h->step;
}

static double height(const half_spaces* h, size_t plane, dvec p)
{
    return d_dot(p, h->normal[plane]) - moved_distance(h, plane);
}

static void cut(const half_spaces* h, size_t plane, face* f)
{
    face rest = {.count = 0};
    for (size_t i = 0; i < f->count; ++i) {
        const dvec p = f->corner[i], q = f->corner[i + 1 == f->count ? 0 : i + 1];
        const double a = height(h, plane, p), b = height(h, plane, q);
        if (a <= 0.0) rest.corner[rest.count++] = p;
        if ((a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0))
            rest.corner[rest.count++] = d_along(p, a / (a - b), d_sub(q, p));
        if (rest.count > TACT_MEASURE_MAX_PLANES + 2) break;  // not of a convex polygon: rounding at its worst
    }
    *f = rest;
}

static void make_face(const half_spaces* h, size_t plane, face* f)
{
    const dvec n = h->normal[plane], u = d_scale(d_perpendicular(n), h->size);
    const dvec v = d_cross(n, u), middle = d_scale(n, moved_distance(h, plane));
    f->corner[0] = d_add(middle, d_add(u, v));
    f->corner[1] = d_add(middle, d_sub(v, u));
    f->corner[2] = d_sub(middle, d_add(u, v));
    f->corner[3] = d_add(middle, d_sub(u, v));
    f->count = 4;
    for (size_t i = 0; i < h->count && f->count > 0; ++i) {
        if (i != plane) cut(h, i, f);
    }
}

/// Twice the area.
static double face_area(const face* f, dvec normal)
{
    dvec sum = d_make(0.0, 0.0, 0.0);
    for (size_t i = 2; i < f->count; ++i) {
        const dvec a = d_sub(f->corner[i - 1], f->corner[0]), b = d_sub(f->corner[i], f->corner[0]);
        sum = d_add(sum, d_cross(a, b));
    }
    return fabs(d_dot(sum, normal));
}

static bool take_planes(const tact_plane* planes, size_t count, half_spaces* h)
{
    if (count > TACT_MEASURE_MAX_PLANES) return false;
    h->count = count;
    double farthest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const dvec n = d_from(planes[i].normal);
        const double length = d_length(n);
        if (!v_finite(planes[i].normal) || !isfinite(planes[i].distance) || !(length > 0.0)) return false;
        h->normal[i] = d_scale(n, 1.0 / length);
        h->distance[i] = (double)planes[i].distance / length;
        farthest = fmax(farthest, fabs(h->distance[i]));
    }
    // Corners cut from a square so large are off by 2^-33 of the farthest plane.
    h->size = farthest > 0.0 ? 0x1p20 * farthest : 1.0;
    h->step = 0x1p-50 * h->size;
    return true;
}

/// False when a corner is so far that the set is taken to be unbounded. No corner leaves low above high.
static bool find_bounds(const half_spaces* h, bounds* b)
{
    face f;
    for (int k = 0; k < 3; ++k) {
        b->low[k] = HUGE_VAL;
        b->high[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < h->count; ++i) {
        make_face(h, i, &f);
        for (size_t c = 0; c < f.count; ++c) {
            for (int k = 0; k < 3; ++k) {
                const double x = d_at(f.corner[c], k);
                if (fabs(x) > 0.25 * h->size) return false;
                b->low[k] = fmin(b->low[k], x);
                b->high[k] = fmax(b->high[k], x);
            }
        }
    }
    return h->count > 0;
}

/// Moves the origin to the middle of the set and sizes the squares for it.
static void recentre(half_spaces* h, const bounds* b)
{
    const dvec low = d_make(b->low[0], b->low[1], b->low[2]), high = d_make(b->high[0], b->high[1], b->high[2]);
    const dvec center = d_scale(d_add(low, high), 0.5);
    for (size_t i = 0; i < h->count; ++i)
        h->distance[i] -= d_dot(center, h->normal[i]);
    h->size = 8.0 * d_length(d_sub(high, low));
    h->step = 0x1p-43 * h->size;
}

/// Six volumes and two areas.
static void measure(const tact_plane* planes, size_t count, double* volume, double* area)
{
    half_spaces h;
    face f;
    bounds b;
    *volume = *area = none;
    if (!take_planes(planes, count, &h)) return;
    for (int pass = 0; pass < 2; ++pass) {  // the second with the digits that the first's wide squares cost
        *volume = *area = HUGE_VAL;
        if (!find_bounds(&h, &b)) return;
        *volume = *area = 0.0;
        if (b.low[0] > b.high[0]) return;
        recentre(&h, &b);
    }
    for (size_t i = 0; i < count; ++i) {
        make_face(&h, i, &f);
        const double a = face_area(&f, h.normal[i]);
        *area += a;
        *volume += a * moved_distance(&h, i);
    }
}

double tact_half_spaces_volume(const tact_plane* planes, size_t count)
{
    double volume, area;
    measure(planes, count, &volume, &area);
    return volume / 6.0;
}

double tact_half_spaces_area(const tact_plane* planes, size_t count)
{
    double volume, area;
    measure(planes, count, &volume, &area);
    return area / 2.0;
}

double tact_diameter(const tact_vec3* points, size_t count)
{
    if (!v_all_finite(points, count)) return none;
    double most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = i + 1; k < count; ++k) {
            const dvec d = d_sub(d_from(points[i]), d_from(points[k]));
            most = fmax(most, d_dot(d, d));
        }
    }
    return sqrt(most);
}

/// p is relative to the corner in which the edges u and v begin.
static double to_triangle(dvec p, dvec u, dvec v)
{
    double least = fmin(fmin(d_to_segment(p, u), d_to_segment(p, v)), d_to_segment(d_sub(p, u), d_sub(v, u)));
    const dvec n = d_cross(u, v);
    const double nn = d_dot(n, n), s = d_dot(d_cross(p, v), n), t = d_dot(d_cross(u, p), n);
    if (nn > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= nn) least = fmin(least, fabs(d_dot(p, n)) / sqrt(nn));
    return least;
}

double tact_tightness(const tact_vec3* corners, size_t corner_count, const tact_vec3* points, size_t point_count,
                      const uint32_t* triangles, size_t triangle_count)
{
    if (!v_all_finite(corners, corner_count) || !v_all_finite(points, point_count) || triangle_count == 0) return none;
    double most = 0.0;
    for (size_t i = 0; i < corner_count; ++i) {
        double least = HUGE_VAL;
        for (size_t k = 0; k < triangle_count; ++k) {
            const uint32_t* t = &triangles[3 * k];
            if (t[0] >= point_count || t[1] >= point_count || t[2] >= point_count) return none;
            const dvec a = d_from(points[t[0]]);
            const dvec u = d_sub(d_from(points[t[1]]), a), v = d_sub(d_from(points[t[2]]), a);
            least = fmin(least, to_triangle(d_sub(d_from(corners[i]), a), u, v));
        }
        most = fmax(most, least);
    }
    return most;
}
