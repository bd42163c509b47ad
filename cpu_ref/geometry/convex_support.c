// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/convex_internal.h"
#include "cpu_ref/geometry/hull_internal.h"

#define CONVEX_OF(shape_name, type, kind)                   \
    tact_convex tact_convex_##shape_name(const type* shape) \
    {                                                       \
        return (tact_convex){kind, shape, NULL};            \
    }

CONVEX_OF(point, tact_vec3, TACT_CONVEX_POINT)
CONVEX_OF(sphere, tact_sphere, TACT_CONVEX_SPHERE)
CONVEX_OF(segment, tact_segment, TACT_CONVEX_SEGMENT)
CONVEX_OF(capsule, tact_capsule, TACT_CONVEX_CAPSULE)
CONVEX_OF(triangle, tact_triangle, TACT_CONVEX_TRIANGLE)
CONVEX_OF(aabb, tact_aabb, TACT_CONVEX_AABB)
CONVEX_OF(obb, tact_obb, TACT_CONVEX_OBB)
CONVEX_OF(lozenge, tact_lozenge, TACT_CONVEX_LOZENGE)
CONVEX_OF(cylinder, tact_cylinder, TACT_CONVEX_CYLINDER)
CONVEX_OF(cone, tact_cone, TACT_CONVEX_CONE)
CONVEX_OF(ellipsoid, tact_ellipsoid, TACT_CONVEX_ELLIPSOID)
CONVEX_OF(hull, tact_hull, TACT_CONVEX_HULL)
CONVEX_OF(posed, tact_posed_convex, TACT_CONVEX_POSED)

tact_convex tact_convex_custom(const void* shape, tact_support_fn* support)
{
    return (tact_convex){TACT_CONVEX_CUSTOM, shape, support};
}

static dvec half_sum(tact_vec3 a, tact_vec3 b)
{
    return d_scale(d_add(d_from(a), d_from(b)), 0.5);
}

static dvec half_difference(tact_vec3 from, tact_vec3 to)
{
    return d_scale(d_sub(d_from(to), d_from(from)), 0.5);
}

static void prepare_box(convex_shape* s, const tact_aabb* box)
{
    s->edges = 3;
    s->origin = half_sum(box->lower, box->upper);
    const dvec half = half_difference(box->lower, box->upper);
    s->edge[0] = d_make(half.x, 0.0, 0.0);
    s->edge[1] = d_make(0.0, half.y, 0.0);
    s->edge[2] = d_make(0.0, 0.0, half.z);
    s->valid = half.x >= 0.0 && half.y >= 0.0 && half.z >= 0.0;
}

/// An oriented box or an ellipsoid.
static void prepare_axes(convex_shape* s, tact_vec3 center, const tact_vec3 axis[3], tact_vec3 size)
{
    s->edges = 3;
    s->origin = d_from(center);
    const dvec lengths = d_from(size);
    for (int i = 0; i < 3; ++i) {
        s->edge[i] = d_scale(d_from(axis[i]), d_at(lengths, i));
    }
    s->valid = lengths.x >= 0.0 && lengths.y >= 0.0 && lengths.z >= 0.0;
}

static void prepare_segment(convex_shape* s, tact_vec3 a, tact_vec3 b)
{
    s->edges = 1;
    s->origin = half_sum(a, b);
    s->edge[0] = half_difference(a, b);
}

static void prepare_lozenge(convex_shape* s, const tact_lozenge* l)
{
    s->edges = 2;
    s->edge[0] = d_scale(d_from(l->edge[0]), 0.5);
    s->edge[1] = d_scale(d_from(l->edge[1]), 0.5);
    s->origin = d_add(d_from(l->corner), d_add(s->edge[0], s->edge[1]));
    s->radius = (double)l->radius;
}

static void prepare_triangle(convex_shape* s, const tact_triangle* t)
{
    s->core = CORE_CORNERS;
    s->origin = d_from(t->a);
    s->edge[1] = d_sub(d_from(t->b), s->origin);
    s->edge[2] = d_sub(d_from(t->c), s->origin);
}

/// Around edge[0], which may be any length but 0.
static void prepare_round(convex_shape* s, convex_core core, dvec axis, dvec direction, float radius)
{
    s->core = core;
    const double length = d_length(direction);
    s->edge[0] = axis;
    s->edge[1] = d_scale(direction, 1.0 / length);
    s->disc = (double)radius;
    s->valid = length > 0.0 && s->disc >= 0.0;
}

static void prepare_cylinder(convex_shape* s, const tact_cylinder* c)
{
    s->origin = half_sum(c->a, c->b);
    const dvec half = half_difference(c->a, c->b);
    prepare_round(s, CORE_CYLINDER, half, half, c->radius);
}

static void prepare_cone(convex_shape* s, const tact_cone* c)
{
    s->origin = d_from(c->apex);
    prepare_round(s, CORE_CONE, d_scale(d_from(c->axis), (double)c->height), d_from(c->axis), c->radius);
    s->valid = s->valid && c->height >= 0.0f;
}

static void prepare_ellipsoid(convex_shape* s, const tact_ellipsoid* e)
{
    prepare_axes(s, e->center, e->axis, e->radius);
    s->core = CORE_ELLIPSOID;
    for (int i = 0; i < 3; ++i) {
        s->valid = s->valid && d_dot(d_from(e->axis[i]), d_from(e->axis[i])) > 0.0;
    }
}

static void prepare_hull(convex_shape* s, const tact_hull* hull)
{
    s->core = CORE_HULL;
    s->hull = hull;
    s->valid = hull->point_count > 0;
    if (!s->valid) return;
    s->origin = d_from(hull->points[0]);
    if (hull->neighbours != NULL && hull->neighbour_start != NULL) return;
    const hull_extent extent = tact_hull_extent(hull->points, hull->point_count);
    s->largest = extent.largest;
    s->valid = isfinite(s->largest);
    if (v_finite(extent.middle)) s->middle = d_sub(d_from(extent.middle), s->origin);
}

static void prepare_kind(convex_shape* s, tact_convex shape)
{
    const void* p = shape.shape;
    switch (shape.kind) {
        case TACT_CONVEX_POINT:
            s->origin = d_from(*(const tact_vec3*)p);
            break;
        case TACT_CONVEX_SPHERE:
            s->origin = d_from(((const tact_sphere*)p)->center);
            s->radius = (double)((const tact_sphere*)p)->radius;
            break;
        case TACT_CONVEX_SEGMENT:
            prepare_segment(s, ((const tact_segment*)p)->a, ((const tact_segment*)p)->b);
            break;
        case TACT_CONVEX_CAPSULE:
            prepare_segment(s, ((const tact_capsule*)p)->a, ((const tact_capsule*)p)->b);
            s->radius = (double)((const tact_capsule*)p)->radius;
            break;
        case TACT_CONVEX_TRIANGLE:
            prepare_triangle(s, p);
            break;
        case TACT_CONVEX_AABB:
            prepare_box(s, p);
            break;
        case TACT_CONVEX_OBB:
            prepare_axes(s, ((const tact_obb*)p)->center, ((const tact_obb*)p)->axis, ((const tact_obb*)p)->half);
            break;
        case TACT_CONVEX_LOZENGE:
            prepare_lozenge(s, p);
            break;
        case TACT_CONVEX_CYLINDER:
            prepare_cylinder(s, p);
            break;
        case TACT_CONVEX_CONE:
            prepare_cone(s, p);
            break;
        case TACT_CONVEX_ELLIPSOID:
            prepare_ellipsoid(s, p);
            break;
        case TACT_CONVEX_HULL:
            prepare_hull(s, p);
            break;
        case TACT_CONVEX_CUSTOM:
            s->core = CORE_CUSTOM;
            s->custom = p;
            s->support = shape.support;
            s->valid = shape.support != NULL;
            break;
        default:
            s->valid = false;
            break;
    }
}

/// The axes after a rotation about q and a scale. False for a length that a pose may not have.
static bool turned_axes(tact_quat q, double scale, dvec turn[3])
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double square = (x * x + y * y) + (z * z + w * w);
    turn[0] = d_make(scale, 0.0, 0.0);
    turn[1] = d_make(0.0, scale, 0.0);
    turn[2] = d_make(0.0, 0.0, scale);
    if (square == 0.0) return true;
    const double twice = 2.0 * scale / square;
    turn[0] = d_make(scale - twice * (y * y + z * z), twice * (x * y + w * z), twice * (x * z - w * y));
    turn[1] = d_make(twice * (x * y - w * z), scale - twice * (x * x + z * z), twice * (y * z + w * x));
    turn[2] = d_make(twice * (x * z + w * y), twice * (y * z - w * x), scale - twice * (x * x + y * y));
    return square >= 0.25 && square <= 4.0;
}

/// Moves a prepared shape.
static void place(convex_shape* s, const tact_pose* pose)
{
    const double scale = pose->scale == 0.0f ? 1.0 : (double)pose->scale;
    const bool good = fabs(pose->x) <= 0x1p40 && fabs(pose->y) <= 0x1p40 && fabs(pose->z) <= 0x1p40 &&
                      scale >= 0x1p-40 && scale <= 0x1p40 && pose->reserved == 0;
    s->valid = turned_axes(pose->rotation, scale, s->turn) && good;
    s->posed = true;
    s->scale = scale;
    s->origin = d_add(d_make(pose->x, pose->y, pose->z), convex_turned_out(s, s->origin));
    s->middle = convex_turned_out(s, s->middle);
    const bool has_axis = s->core == CORE_CYLINDER || s->core == CORE_CONE;
    for (int i = 0; i < 3; ++i) {
        const dvec v = convex_turned_out(s, s->edge[i]);
        s->edge[i] = has_axis && i == 1 ? d_scale(v, 1.0 / scale) : v;
    }
    s->disc *= scale;
    s->radius *= scale;
}

/// A point at the origin, of no kind. Leaves what only a pose has, and what is set for every kind that reads it: a
/// third of the struct, which is cleared once a shape and a query.
static void clear_shape(convex_shape* s)
{
    const dvec zero = d_make(0.0, 0.0, 0.0);
    s->core = CORE_SPAN;
    s->valid = true;
    s->posed = false;
    s->edges = 0;
    s->origin = s->middle = s->edge[0] = s->edge[1] = s->edge[2] = zero;
    s->scale = 1.0;
    s->disc = s->radius = 0.0;
    s->hint = 0;
    s->largest = 0.0f;
}

static void prepare_shape(convex_shape* s, tact_convex shape)
{
    const tact_pose* pose = NULL;
    clear_shape(s);
    if (shape.kind == TACT_CONVEX_POSED) {
        const tact_posed_convex* posed = shape.shape;
        shape = posed->shape;
        pose = posed->pose;
        s->valid = pose != NULL && shape.kind != TACT_CONVEX_POSED;
        if (!s->valid) return;
    }
    prepare_kind(s, shape);
    // A sum is finite when all terms are.
    const dvec sum = d_add(d_add(s->edge[0], s->edge[1]), d_add(s->edge[2], s->origin));
    s->valid = s->valid && d_finite(sum) && isfinite(s->radius) && s->radius >= 0.0 && isfinite(s->disc);
    if (s->valid && s->core == CORE_CUSTOM) {
        // Its own first answer serves as the origin.
        const tact_vec3 x = {1.0f, 0.0f, 0.0f};
        s->origin = d_from(s->support(s->custom, x));
        s->valid = d_finite(s->origin);
    }
    s->own = s->origin;
    if (s->valid && pose != NULL) place(s, pose);
}

static dvec span_support(const convex_shape* s, dvec d)
{
    dvec p = d_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->edges; ++i) {
        p = d_along(p, copysign(1.0, d_dot(s->edge[i], d)), s->edge[i]);
    }
    return p;
}

static dvec corners_support(const convex_shape* s, dvec d)
{
    int best = 0;
    for (int i = 1; i < 3; ++i) {
        if (d_dot(s->edge[i], d) > d_dot(s->edge[best], d)) best = i;
    }
    return s->edge[best];
}

/// The rim's point, of a disc about the origin.
static dvec disc_support(const convex_shape* s, dvec d)
{
    dvec across = d_along(d, -d_dot(d, s->edge[1]), s->edge[1]);
    // Once more: nearly along the axis, the first difference is mostly rounding, and would lead off the disc's plane.
    across = d_along(across, -d_dot(across, s->edge[1]), s->edge[1]);
    const double length = d_length(across);
    // Along the axis, the whole disc is as good; what is left of d there is rounding.
    if (!(length > 1e-15 * d_length(d))) return d_make(0.0, 0.0, 0.0);
    return d_scale(across, s->disc / length);
}

static dvec cylinder_support(const convex_shape* s, dvec d)
{
    const dvec rim = disc_support(s, d);
    return d_dot(s->edge[0], d) < 0.0 ? d_sub(rim, s->edge[0]) : d_add(rim, s->edge[0]);
}

static dvec cone_support(const convex_shape* s, dvec d)
{
    const dvec base = d_add(s->edge[0], disc_support(s, d));
    return d_dot(base, d) > 0.0 ? base : d_make(0.0, 0.0, 0.0);
}

static dvec ellipsoid_support(const convex_shape* s, dvec d)
{
    dvec q = d_make(d_dot(s->edge[0], d), d_dot(s->edge[1], d), d_dot(s->edge[2], d));
    const double length = d_length(q);
    if (!(length > 0.0)) return d_make(0.0, 0.0, 0.0);
    q = d_scale(q, 1.0 / length);
    return d_along(d_along(d_scale(s->edge[0], q.x), q.y, s->edge[1]), q.z, s->edge[2]);
}

/// Whether all neighbours of a point are in one plane across d with it, nearly: it may be at the top or in the middle
/// of the bottom, where no way leads up.
static bool is_level(const tact_hull* hull, uint32_t at, dvec d)
{
    const dvec p = d_from(hull->points[at]);
    for (uint32_t i = hull->neighbour_start[at]; i < hull->neighbour_start[at + 1]; ++i) {
        const dvec edge = d_sub(d_from(hull->points[hull->neighbours[i]]), p);
        if (!(fabs(d_dot(edge, d)) <= 1e-6 * d_length(edge) * d_length(d))) return false;
    }
    return true;
}

/// Goes up from neighbour to neighbour. Surrounded by points of one plane, only looking at all points tells.
static uint32_t climb(const tact_hull* hull, uint32_t at, dvec d, dvec origin)
{
    double best = d_dot(d_sub(d_from(hull->points[at]), origin), d);
    // Every step goes up, so the walk ends; the bound is for a NaN in the direction of an invalid hull.
    for (uint32_t steps = 0; steps < hull->point_count; ++steps) {
        const uint32_t from = at;
        for (uint32_t i = hull->neighbour_start[from]; i < hull->neighbour_start[from + 1]; ++i) {
            const uint32_t other = hull->neighbours[i];
            const double height = d_dot(d_sub(d_from(hull->points[other]), origin), d);
            if (height > best) {
                best = height;
                at = other;
            }
        }
        if (at != from) continue;
        if (!is_level(hull, at, d)) break;
        const float largest = tact_hull_extent(hull->points, hull->point_count).largest;
        return tact_hull_farthest(hull->points, hull->point_count, largest, d);
    }
    return at;
}

dvec tact_convex_hull_point(const convex_shape* s, uint32_t number)
{
    return convex_turned_out(s, d_sub(d_from(s->hull->points[number]), s->own));
}

static dvec hull_support(convex_shape* s, dvec d)
{
    const tact_hull* hull = s->hull;
    d = convex_turned_in(s, d);
    if (hull->neighbours != NULL && hull->neighbour_start != NULL) {
        s->hint = climb(hull, s->hint, d, s->own);
        if (!v_finite(hull->points[s->hint])) s->valid = false;
        return tact_convex_hull_point(s, s->hint);
    }
    return tact_convex_hull_point(s, tact_hull_farthest(hull->points, hull->point_count, s->largest, d));
}

static dvec custom_support(convex_shape* s, dvec d)
{
    d = convex_turned_in(s, d);
    const dvec p = d_sub(d_from(s->support(s->custom, d_round(d_scale(d, 1.0 / d_length(d))))), s->own);
    if (!d_finite(p)) s->valid = false;
    return convex_turned_out(s, p);
}

dvec tact_convex_core_support(convex_shape* s, dvec direction)
{
    switch (s->core) {
        case CORE_SPAN:
            return span_support(s, direction);
        case CORE_CORNERS:
            return corners_support(s, direction);
        case CORE_CYLINDER:
            return cylinder_support(s, direction);
        case CORE_CONE:
            return cone_support(s, direction);
        case CORE_ELLIPSOID:
            return ellipsoid_support(s, direction);
        case CORE_HULL:
            return hull_support(s, direction);
        case CORE_CUSTOM:
            return custom_support(s, direction);
        default:
            return d_make((double)NAN, (double)NAN, (double)NAN);
    }
}

bool tact_convex_pair_make(convex_pair* pair, tact_convex a, tact_convex b)
{
    prepare_shape(&pair->a, a);
    prepare_shape(&pair->b, b);
    if (!pair->a.valid || !pair->b.valid) return false;
    pair->offset = d_sub(pair->a.origin, pair->b.origin);
    pair->radius = pair->a.radius + pair->b.radius;
    return true;
}

convex_vertex tact_convex_pair_support(convex_pair* pair, dvec direction)
{
    convex_vertex p;
    p.direction = direction;
    p.a = tact_convex_core_support(&pair->a, direction);
    p.b = tact_convex_core_support(&pair->b, d_scale(direction, -1.0));
    p.y = d_add(pair->offset, d_sub(p.a, p.b));
    return p;
}

tact_vec3 tact_convex_support(tact_convex shape, tact_vec3 direction)
{
    const tact_vec3 none = {NAN, NAN, NAN};
    convex_shape s;
    prepare_shape(&s, shape);
    const dvec d = d_from(direction);
    const double length = d_length(d);
    if (!s.valid || !d_finite(d) || !(length > 0.0)) return none;
    const dvec p = d_along(tact_convex_core_support(&s, d), s.radius / length, d);
    return s.valid ? d_round(d_add(s.origin, p)) : none;
}
