// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/env.h"
#include "cpu_ref/geometry/fit_internal.h"

static void store(dvec from, double mean[3])
{
    mean[0] = from.x;
    mean[1] = from.y;
    mean[2] = from.z;
}

bool tact_covariance_of_points(const tact_vec3* points, size_t count, double mean[3], double covariance[3][3])
{
    if (!v_all_finite(points, count)) return false;
    dvec middle;
    d_covariance(points, count, &middle, covariance);
    store(middle, mean);
    return true;
}

typedef struct surface {
    const tact_vec3* points;
    size_t count;
    const uint32_t* triangles;
    size_t triangle_count;
} surface;

static bool surface_valid(const surface* s)
{
    if (!v_all_finite(s->points, s->count)) return false;
    for (size_t i = 0; i < 3 * s->triangle_count; ++i) {
        if (s->triangles[i] >= s->count) return false;
    }
    return true;
}

static tact_result check_axes(tact_obb_axes axes)
{
    if (axes == TACT_OBB_ALL_AXES || axes == TACT_OBB_GREATEST_AXIS || axes == TACT_OBB_LEAST_AXIS) return TACT_OK;
    return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "no tact_obb_axes %d", (int)axes);
}

static tact_result check_surface(const surface* s, tact_obb_axes axes)
{
    tact_result result = obb_check_points(s->points, s->count);
    if (result == TACT_OK) result = check_axes(axes);
    for (size_t i = 0; i < 3 * s->triangle_count && result == TACT_OK; ++i) {
        if (s->triangles[i] < s->count) continue;
        result = tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "triangle %zu refers to point %u, but there are %zu",
                           i / 3, (unsigned)s->triangles[i], s->count);
    }
    return result;
}

static void corners_of(const surface* s, size_t i, dvec origin, dvec corner[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = d_sub(d_from(s->points[s->triangles[3 * i + k]]), origin);
}

static double area_of(const dvec corner[3])
{
    return 0.5 * d_length(d_cross(d_sub(corner[1], corner[0]), d_sub(corner[2], corner[0])));
}

static dvec centroid_of(const dvec corner[3])
{
    return d_scale(d_add(d_add(corner[0], corner[1]), corner[2]), 1.0 / 3.0);
}

static void add_product(double c[3][3], double weight, dvec v)
{
    const double x[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            c[i][j] += weight * (x[i] * x[j]);
    }
}

/// The products of the triangles' corners and centroids about the mean, each by its share of `whole`.
static void add_corners(const surface* s, dvec mean, double (*share)(const dvec corner[3]), double whole,
                        double c[3][3])
{
    for (int i = 0; i < 9; ++i)
        c[i / 3][i % 3] = 0.0;
    for (size_t i = 0; i < s->triangle_count; ++i) {
        dvec corner[3];
        corners_of(s, i, mean, corner);
        const double weight = share(corner) / whole;
        add_product(c, 9.0 * weight, centroid_of(corner));
        for (int k = 0; k < 3; ++k)
            add_product(c, weight, corner[k]);
    }
}

/// False when there is no area. The corners are taken relative to the mean, so that nothing is subtracted at the end.
static bool surface_covariance(const surface* s, dvec* mean, double c[3][3])
{
    const dvec first = d_from(s->points[0]);
    dvec corner[3], sum = d_make(0.0, 0.0, 0.0);
    double area = 0.0;
    for (size_t i = 0; i < s->triangle_count; ++i) {
        corners_of(s, i, first, corner);
        const double a = area_of(corner);
        area += a;
        sum = d_along(sum, a, centroid_of(corner));
    }
    if (!(area > 0.0)) return false;
    *mean = d_along(first, 1.0 / area, sum);
    add_corners(s, *mean, area_of, 12.0 * area, c);
    return true;
}

static bool store_covariance(const surface* s, bool (*of)(const surface* s, dvec* mean, double c[3][3]), double mean[3],
                             double covariance[3][3])
{
    dvec middle;
    double c[3][3];
    if (!surface_valid(s) || !of(s, &middle, c)) return false;
    store(middle, mean);
    memcpy(covariance, c, sizeof c);
    return true;
}

bool tact_covariance_of_surface(const tact_vec3* points, size_t count, const uint32_t* triangles, size_t triangle_count,
                                double mean[3], double covariance[3][3])
{
    const surface s = {points, count, triangles, triangle_count};
    return store_covariance(&s, surface_covariance, mean, covariance);
}

/// Six times the signed volume of the tetrahedron with the origin.
static double volume_of(const dvec corner[3])
{
    return d_dot(corner[0], d_cross(corner[1], corner[2]));
}

/// Relative to the mean of the points first and to the centre of mass then, which is in or near the body both times.
static bool solid_covariance(const surface* s, dvec* mean, double c[3][3])
{
    double other[3][3];
    dvec corner[3], origin, sum = d_make(0.0, 0.0, 0.0);
    d_covariance(s->points, s->count, &origin, other);
    double volume = 0.0, area = 0.0;
    for (size_t i = 0; i < s->triangle_count; ++i) {
        corners_of(s, i, origin, corner);
        const double v = volume_of(corner);
        volume += v;
        area += area_of(corner);
        sum = d_along(sum, 0.75 * v, centroid_of(corner));
    }
    if (!(fabs(volume) > 6.0 * 0x1p-20 * area * sqrt(area))) return false;  // mostly the corners' rounding
    *mean = d_along(origin, 1.0 / volume, sum);
    add_corners(s, *mean, volume_of, 20.0 * volume, c);
    return true;
}

bool tact_covariance_of_solid(const tact_vec3* points, size_t count, const uint32_t* triangles, size_t triangle_count,
                              double mean[3], double covariance[3][3])
{
    const surface s = {points, count, triangles, triangle_count};
    return store_covariance(&s, solid_covariance, mean, covariance);
}

/// Points and the memory to lay them out in a plane.
typedef struct plane_points {
    const tact_vec3* points;
    size_t count;
    dvec2 *flat, *hull;
    tact_env env;
} plane_points;

static bool begin(plane_points* p, const tact_allocator* allocator, const tact_vec3* points, size_t count)
{
    tact_env_init(&p->env, allocator, NULL, NULL, NULL, NULL);
    p->points = points;
    p->count = count;
    p->flat = tact_allocate(&p->env, count, sizeof *p->flat);
    p->hull = p->flat ? tact_allocate(&p->env, count, 2 * sizeof *p->hull) : NULL;
    if (p->hull) return true;
    tact_release(&p->env, p->flat);
    return false;
}

static void end(plane_points* p)
{
    tact_release(&p->env, p->flat);
    tact_release(&p->env, p->hull);
}

/// The frame that keeps axis k and has the others along the least rectangle across it. The axes may be out's.
static void least_across(plane_points* p, const dvec axis[3], int k, dvec out[3])
{
    const dvec origin = d_from(p->points[0]), keep = axis[k], u = axis[(k + 1) % 3], v = axis[(k + 2) % 3];
    for (size_t i = 0; i < p->count; ++i) {
        const dvec d = d_sub(d_from(p->points[i]), origin);
        p->flat[i].x = d_dot(d, u);
        p->flat[i].y = d_dot(d, v);
    }
    const ring hull = {NULL, p->hull, tact_flat_hull(p->flat, p->count, p->hull)};
    const dvec2 side = tact_least_rect_direction(hull);
    d_frame(keep, d_along(d_scale(u, side.x), side.y, v), out);
}

static tact_result fit_covariance(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                  double covariance[3][3], tact_obb_axes axes, tact_obb* box)
{
    dvec axis[3];
    d_principal_axes(covariance, axis);
    if (axes != TACT_OBB_ALL_AXES) {
        plane_points flat;
        if (!begin(&flat, allocator, points, count)) return TACT_ERROR_OUT_OF_MEMORY;
        least_across(&flat, axis, axes == TACT_OBB_GREATEST_AXIS ? 0 : 2, axis);
        end(&flat);
    }
    return d_fit_along(points, count, axis, box);
}

tact_result tact_obb_fit_principal(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                   tact_obb_axes axes, tact_obb* box)
{
    tact_result wrong = obb_check_points(points, count);
    if (wrong == TACT_OK) wrong = check_axes(axes);
    if (wrong != TACT_OK) return wrong;
    dvec mean;
    double c[3][3];
    d_covariance(points, count, &mean, c);
    return fit_covariance(allocator, points, count, c, axes, box);
}

tact_result tact_obb_fit_surface(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                                 const uint32_t* triangles, size_t triangle_count, tact_obb_axes axes, tact_obb* box)
{
    const surface s = {points, count, triangles, triangle_count};
    const tact_result wrong = check_surface(&s, axes);
    if (wrong != TACT_OK) return wrong;
    dvec mean;
    double c[3][3];
    if (!surface_covariance(&s, &mean, c)) d_covariance(points, count, &mean, c);
    return fit_covariance(allocator, points, count, c, axes, box);
}

tact_result tact_obb_fit_solid(const tact_allocator* allocator, const tact_vec3* points, size_t count,
                               const uint32_t* triangles, size_t triangle_count, tact_obb_axes axes, tact_obb* box)
{
    const surface s = {points, count, triangles, triangle_count};
    const tact_result wrong = check_surface(&s, axes);
    if (wrong != TACT_OK) return wrong;
    dvec mean;
    double c[3][3];
    if (!solid_covariance(&s, &mean, c))
        return tact_obb_fit_surface(allocator, points, count, triangles, triangle_count, axes, box);
    return fit_covariance(allocator, points, count, c, axes, box);
}

/// Of the extreme points along each axis the pair that is farthest apart, as the way from one to the other. What points
/// have along `drop` (a unit vector or 0) does not count.
static dvec longest_pair(const tact_vec3* points, size_t count, const dvec* axis, int axes, dvec drop)
{
    dvec longest = d_make(0.0, 0.0, 0.0);
    const dvec origin = d_from(points[0]);
    for (int k = 0; k < axes; ++k) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        dvec low = longest, high = longest;
        for (size_t i = 0; i < count; ++i) {
            const dvec d = d_sub(d_from(points[i]), origin), p = d_along(d, -d_dot(d, drop), drop);
            const double x = d_dot(p, axis[k]);
            if (x < least) {
                least = x;
                low = p;
            }
            if (x > most) {
                most = x;
                high = p;
            }
        }
        const dvec between = d_sub(high, low);
        if (d_dot(between, between) > d_dot(longest, longest)) longest = between;
    }
    return longest;
}

tact_result tact_obb_fit_simple(const tact_vec3* points, size_t count, tact_obb* box)
{
    static const dvec unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tact_result wrong = obb_check_points(points, count);
    if (wrong != TACT_OK) return wrong;
    dvec axis[3];
    const dvec first = longest_pair(points, count, unit, 3, d_make(0.0, 0.0, 0.0));
    d_frame(first, unit[2], axis);
    const dvec second = longest_pair(points, count, axis + 1, 2, axis[0]);
    d_frame(first, second, axis);
    return d_fit_along(points, count, axis, box);
}

/// Turns the frame while it gets better.
static void improve(plane_points* p, dvec axis[3])
{
    double least = d_measure_along(p->points, p->count, TACT_OBB_VOLUME, axis);
    bool better = true;
    for (int turn = 0; turn < 64 && better; ++turn) {
        better = false;
        for (int k = 0; k < 3; ++k) {
            dvec other[3];
            least_across(p, axis, k, other);
            const double measure = d_measure_along(p->points, p->count, TACT_OBB_VOLUME, other);
            if (!(measure < least * (1.0 - 0x1p-20))) continue;
            least = measure;
            better = true;
            for (int i = 0; i < 3; ++i)
                axis[i] = other[i];
        }
    }
}

tact_result tact_obb_improve(const tact_allocator* allocator, const tact_vec3* points, size_t count, tact_obb* box)
{
    dbox given;
    const tact_result wrong = obb_check_points(points, count);
    if (wrong != TACT_OK) return wrong;
    if (!dbox_from(box, &given)) return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the box is none");
    plane_points flat;
    if (!begin(&flat, allocator, points, count)) return TACT_ERROR_OUT_OF_MEMORY;
    dvec axis[3];
    d_frame(given.axis[0], given.axis[1], axis);
    improve(&flat, axis);
    end(&flat);
    return d_fit_along(points, count, axis, box);
}
