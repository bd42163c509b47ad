// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/frustum.h"

#include "cpu_ref/geometry/obb_internal.h"
#include "cpu_ref/geometry/overlap_internal.h"

enum { SIDES = 0xf, ALL_PLANES = 0x3f, NEAR_BIT = 1 << TACT_FRUSTUM_NEAR, FAR_BIT = 1 << TACT_FRUSTUM_FAR };

static const tact_frustum nothing;

/// n . x <= d, unit normal; missing when the normal is zero.
typedef struct bound {
    dvec n;
    double d;
} bound;

static bool normalise(bound* b)
{
    const double size = fmax(fmax(fabs(b->n.x), fabs(b->n.y)), fabs(b->n.z));
    if (!(size > 0.0)) return false;
    const double length = size * d_length(d_scale(b->n, 1.0 / size));
    b->n = d_scale(b->n, 1.0 / length);
    b->d /= length;
    return true;
}

/// The point on three planes, or the direction of the first two that leads away from the third or, when that is
/// missing, into the frustum from the other end.
static bool corner_of(const bound* x, const bound* y, const bound* z, const bound* other, bool meets, tact_vec3* corner,
                      bool* direction)
{
    const dvec edge = d_cross(x->n, y->n);
    const double across = d_dot(edge, meets ? z->n : other->n);
    if (!(fabs(across) > 0x1p-45)) return false;
    *direction = !meets;
    if (meets) {
        const dvec p =
            d_add(d_add(d_scale(d_cross(y->n, z->n), x->d), d_scale(d_cross(z->n, x->n), y->d)), d_scale(edge, z->d));
        *corner = d_round(d_scale(p, 1.0 / across));
        return v_finite(*corner);
    }
    *corner = d_round(d_unit(across < 0.0 ? edge : d_scale(edge, -1.0)));
    return true;
}

/// Whether the corners are behind the planes that they are not on, and not all of them on those too: else the planes
/// bound nothing, or something flat.
static bool holds_its_corners(const bound* b, const tact_frustum* f)
{
    for (uint32_t i = 0; i < TACT_FRUSTUM_PLANES; ++i) {
        bool deep = false;
        for (uint32_t k = 0; k < 8; ++k) {
            const bool on = (k >> i / 2 & 1) == (i & 1), direction = f->directions >> k & 1;
            if (on || !(f->planes >> i & 1)) continue;
            const dvec c = d_from(f->corner[k]);
            const double d = direction ? 0.0 : b[i].d, above = d_dot(b[i].n, c) - d;
            if (!(above <= 0x1p-20 * (d_length(c) + fabs(d)))) return false;
            deep = deep || above < 0.0;
        }
        if (f->planes >> i & 1 && !deep) return false;
    }
    return true;
}

/// From normalised bounds, of which `planes` are there.
static bool build(const bound* b, uint32_t planes, tact_frustum* f)
{
    *f = nothing;
    if ((planes & SIDES) != SIDES || !(planes & (NEAR_BIT | FAR_BIT))) return false;
    tact_frustum result = nothing;
    result.planes = planes;
    for (int k = 0; k < TACT_FRUSTUM_PLANES; ++k) {
        if (!(planes >> k & 1)) continue;
        result.plane[k].normal = d_round(b[k].n);
        result.plane[k].distance = (float)b[k].d;
        if (!isfinite(result.plane[k].distance)) return false;
    }
    for (int k = 0; k < 8; ++k) {
        const int z = k & 4 ? TACT_FRUSTUM_FAR : TACT_FRUSTUM_NEAR, other = TACT_FRUSTUM_NEAR + TACT_FRUSTUM_FAR - z;
        bool direction;
        if (!corner_of(&b[k & 1], &b[TACT_FRUSTUM_BOTTOM + (k >> 1 & 1)], &b[z], &b[other], planes >> z & 1,
                       &result.corner[k], &direction)) {
            return false;
        }
        if (direction) result.directions |= 1u << k;
    }
    if (!holds_its_corners(b, &result)) return false;
    *f = result;
    return true;
}

static double element(const float* m, tact_matrix_order order, int row, int column)
{
    return (double)m[order == TACT_MATRIX_BY_COLUMNS ? row + 4 * column : 4 * row + column];
}

/// What is inside is where base + sign * row is not negative; base is the row of w, or zero. False where nothing is.
static bool bound_from_rows(const double* base, double sign, const double* row, bound* b, bool* there)
{
    double sum[4], size = 0.0, most = 0.0;
    for (int k = 0; k < 4; ++k) {
        sum[k] = base[k] + sign * row[k];
        if (k == 3) continue;
        size = fmax(size, fabs(base[k]) + fabs(row[k]));
        most = fmax(most, fabs(sum[k]));
    }
    b->n = d_make(-sum[0], -sum[1], -sum[2]);
    b->d = sum[3];
    *there = most > 0x1p-20 * size;
    if (*there) return normalise(b);
    return sum[3] >= 0.0;
}

bool tact_frustum_from_matrix(const float m[16], tact_matrix_order order, tact_clip_depth depth, tact_frustum* frustum)
{
    static const double zero[4] = {0.0, 0.0, 0.0, 0.0};
    double row[4][4];
    bound b[TACT_FRUSTUM_PLANES];
    uint32_t planes = 0;
    *frustum = nothing;
    for (int k = 0; k < 16; ++k) {
        if (!isfinite(m[k])) return false;
        row[k / 4][k % 4] = element(m, order, k / 4, k % 4);
    }
    for (int k = 0; k < TACT_FRUSTUM_PLANES; ++k) {
        const double* base = k == TACT_FRUSTUM_NEAR && depth == TACT_CLIP_ZERO_TO_ONE ? zero : row[3];
        bool there;
        if (!bound_from_rows(base, k % 2 == 0 ? 1.0 : -1.0, row[k / 2], &b[k], &there)) return false;
        if (there) planes |= 1u << k;
    }
    return build(b, planes, frustum);
}

bool tact_frustum_from_planes(const tact_plane planes[TACT_FRUSTUM_PLANES], tact_frustum* frustum)
{
    bound b[TACT_FRUSTUM_PLANES];
    uint32_t there = 0;
    *frustum = nothing;
    for (int k = 0; k < TACT_FRUSTUM_PLANES; ++k) {
        if (!v_finite(planes[k].normal) || !isfinite(planes[k].distance)) return false;
        b[k].n = d_from(planes[k].normal);
        b[k].d = (double)planes[k].distance;
        if (normalise(&b[k])) there |= 1u << k;
    }
    return build(b, there, frustum);
}

static double height(const tact_plane* plane, dvec p)
{
    return d_dot(d_from(plane->normal), p) - (double)plane->distance;
}

bool tact_frustum_contains_point(const tact_frustum* f, tact_vec3 point)
{
    if (!f->planes || !v_finite(point)) return false;
    for (int k = 0; k < TACT_FRUSTUM_PLANES; ++k) {
        if (f->planes >> k & 1 && !(height(&f->plane[k], d_from(point)) <= 0.0)) return false;
    }
    return true;
}

/// A shape that looks the same from both sides of its centre: a sphere or a box.
typedef struct solid {
    dvec center;
    double radius;
    dvec half;         // of an AABB
    const dvec* edge;  // of an OBB, else NULL
} solid;

static double reach(const solid* s, dvec n)
{
    double e = s->radius + (fabs(n.x) * s->half.x + fabs(n.y) * s->half.y + fabs(n.z) * s->half.z);
    for (int i = 0; s->edge && i < 3; ++i)
        e += fabs(d_dot(n, s->edge[i]));
    return e;
}

/// Whether the shape has a point behind the plane; clears the plane's bit when it is wholly behind.
static bool behind(const tact_frustum* f, const solid* s, uint32_t k, uint32_t* crossed)
{
    const double h = height(&f->plane[k], s->center), e = reach(s, d_from(f->plane[k].normal));
    if (!(h <= e && h > -HUGE_VAL)) return false;
    if (h <= -e) *crossed &= ~(1u << k);
    return true;
}

static tact_containment classify(const tact_frustum* f, const solid* s, uint32_t* planes, uint32_t* last)
{
    const uint32_t test = *planes & f->planes, first = last && *last < TACT_FRUSTUM_PLANES ? *last : 0;
    uint32_t crossed = test;
    if (!f->planes) return TACT_OUTSIDE;
    for (uint32_t i = 0; i < TACT_FRUSTUM_PLANES; ++i) {
        const uint32_t k = i == 0 ? first : i <= first ? i - 1 : i;
        if (!(test >> k & 1) || behind(f, s, k, &crossed)) continue;
        if (last) *last = k;
        return TACT_OUTSIDE;
    }
    if (!crossed) return TACT_INSIDE;
    *planes = crossed;
    return TACT_INTERSECTING;
}

static bool solid_from_sphere(tact_sphere s, solid* v)
{
    *v = (solid){d_from(s.center), (double)s.radius, {0.0, 0.0, 0.0}, NULL};
    return sphere_valid(s.center, s.radius);
}

static bool solid_from_aabb(tact_aabb box, solid* v)
{
    const dvec low = d_from(box.lower), high = d_from(box.upper);
    *v = (solid){d_scale(d_add(low, high), 0.5), 0.0, d_scale(d_sub(high, low), 0.5), NULL};
    return aabb_valid(box);
}

static bool solid_from_obb(const tact_obb* box, dbox* b, dvec* edge, solid* v)
{
    if (!dbox_from(box, b)) return false;
    for (int i = 0; i < 3; ++i)
        edge[i] = d_scale(b->axis[i], b->half[i]);
    *v = (solid){b->center, 0.0, {0.0, 0.0, 0.0}, edge};
    return true;
}

tact_containment tact_frustum_sphere_masked(const tact_frustum* f, tact_sphere s, uint32_t* planes, uint32_t* last)
{
    solid v;
    return solid_from_sphere(s, &v) ? classify(f, &v, planes, last) : TACT_OUTSIDE;
}

tact_containment tact_frustum_aabb_masked(const tact_frustum* f, tact_aabb box, uint32_t* planes, uint32_t* last)
{
    solid v;
    return solid_from_aabb(box, &v) ? classify(f, &v, planes, last) : TACT_OUTSIDE;
}

tact_containment tact_frustum_obb_masked(const tact_frustum* f, const tact_obb* box, uint32_t* planes, uint32_t* last)
{
    solid v;
    dbox b;
    dvec edge[3];
    return solid_from_obb(box, &b, edge, &v) ? classify(f, &v, planes, last) : TACT_OUTSIDE;
}

tact_containment tact_frustum_sphere(const tact_frustum* f, tact_sphere s)
{
    uint32_t planes = ALL_PLANES;
    return tact_frustum_sphere_masked(f, s, &planes, NULL);
}

tact_containment tact_frustum_aabb(const tact_frustum* f, tact_aabb box)
{
    uint32_t planes = ALL_PLANES;
    return tact_frustum_aabb_masked(f, box, &planes, NULL);
}

tact_containment tact_frustum_obb(const tact_frustum* f, const tact_obb* box)
{
    uint32_t planes = ALL_PLANES;
    return tact_frustum_obb_masked(f, box, &planes, NULL);
}

/// Whether all of the frustum has n . (x - center) > limit: its corners do, and none at infinity lies the other way. By
/// more than rounding, which a corner has had where it was computed.
static bool all_beyond(const tact_frustum* f, dvec center, dvec n, double limit)
{
    for (int k = 0; k < 8; ++k) {
        const dvec c = d_from(f->corner[k]);
        const bool direction = f->directions >> k & 1;
        const double size = (fabs(n.x * c.x) + fabs(n.y * c.y)) + fabs(n.z * c.z);
        const double along = direction ? d_dot(n, c) : d_dot(n, d_sub(c, center)) - limit;
        if (!(along > 0x1p-20 * (direction ? d_length(n) : size))) return false;
    }
    return true;
}

tact_containment tact_frustum_aabb_tight(const tact_frustum* f, tact_aabb box)
{
    const tact_containment answer = tact_frustum_aabb(f, box);
    if (answer != TACT_INTERSECTING) return answer;
    for (int axis = 0; axis < 3; ++axis) {
        const dvec n = d_make(axis == 0, axis == 1, axis == 2);
        if (all_beyond(f, d_from(box.upper), n, 0.0)) return TACT_OUTSIDE;
        if (all_beyond(f, d_from(box.lower), d_scale(n, -1.0), 0.0)) return TACT_OUTSIDE;
    }
    return TACT_INTERSECTING;
}

tact_containment tact_frustum_obb_tight(const tact_frustum* f, const tact_obb* box)
{
    const tact_containment answer = tact_frustum_obb(f, box);
    dbox b;
    if (answer != TACT_INTERSECTING || !dbox_from(box, &b)) return answer;
    for (int axis = 0; axis < 3; ++axis) {
        const double limit = b.half[axis] * fabs(b.det);
        if (all_beyond(f, b.center, b.face[axis], limit)) return TACT_OUTSIDE;
        if (all_beyond(f, b.center, d_scale(b.face[axis], -1.0), limit)) return TACT_OUTSIDE;
    }
    return TACT_INTERSECTING;
}

uint32_t tact_frustum_octant(const tact_frustum* f, tact_vec3 point)
{
    uint32_t planes = 0;
    if (!v_finite(point)) return 0;
    for (uint32_t k = 0; k < TACT_FRUSTUM_PLANES; k += 2) {
        const uint32_t pair = f->planes >> k & 3;
        if (pair == 3) {
            const bool second = height(&f->plane[k + 1], d_from(point)) > height(&f->plane[k], d_from(point));
            planes |= (second ? 2u : 1u) << k;
        } else {
            planes |= pair << k;
        }
    }
    return planes;
}

/// The bounds that a point is beyond, a bit each.
static uint32_t beyond(double row[4][4], tact_clip_depth depth, tact_vec3 point)
{
    double c[4];
    for (int k = 0; k < 4; ++k) {
        c[k] = ((row[k][0] * (double)point.x + row[k][1] * (double)point.y) + row[k][2] * (double)point.z) + row[k][3];
    }
    uint32_t bits = 0;
    for (uint32_t k = 0; k < TACT_FRUSTUM_PLANES; ++k) {
        const double w = k == TACT_FRUSTUM_NEAR && depth == TACT_CLIP_ZERO_TO_ONE ? 0.0 : c[3];
        const double x = k % 2 == 0 ? -c[k / 2] : c[k / 2];
        if (!(x <= w)) bits |= 1u << k;
    }
    return bits;
}

tact_containment tact_clip_points(const float m[16], tact_matrix_order order, tact_clip_depth depth,
                                  const tact_vec3* points, size_t count)
{
    double row[4][4];
    uint32_t all = ALL_PLANES, some = 0;
    for (int k = 0; k < 16; ++k) {
        if (!isfinite(m[k])) return TACT_OUTSIDE;
        row[k / 4][k % 4] = element(m, order, k / 4, k % 4);
    }
    for (size_t i = 0; i < count; ++i) {
        if (!v_finite(points[i])) return TACT_OUTSIDE;
        const uint32_t bits = beyond(row, depth, points[i]);
        all &= bits;
        some |= bits;
    }
    return all ? TACT_OUTSIDE : some ? TACT_INTERSECTING : TACT_INSIDE;
}
