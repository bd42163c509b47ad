// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/obb.h"

#include "base/simd_threes.h"
#include "cpu_ref/geometry/obb_internal.h"

static dvec corner(const dbox* b, int k)
{
    dvec p = b->center;
    for (int i = 0; i < 3; ++i)
        p = d_along(p, k >> i & 1 ? b->half[i] : -b->half[i], b->axis[i]);
    return p;
}

void tact_obb_corners(const tact_obb* box, tact_vec3 corners[8])
{
    dbox b;
    const bool valid = dbox_from(box, &b);
    for (int k = 0; k < 8; ++k) {
        const tact_vec3 none = {NAN, NAN, NAN};
        corners[k] = valid ? d_round(corner(&b, k)) : none;
    }
}

tact_obb tact_obb_from_aabb(tact_aabb box)
{
    const dvec low = d_from(box.lower), high = d_from(box.upper);
    tact_obb r = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {-1, -1, -1}};
    const bool valid = d_finite(low) && d_finite(high) && low.x <= high.x && low.y <= high.y && low.z <= high.z;
    if (!valid) return r;
    r.center = d_round(d_scale(d_add(low, high), 0.5));
    const dvec c = d_from(r.center);
    r.half.x = d_round_up(fmax(high.x - c.x, c.x - low.x));
    r.half.y = d_round_up(fmax(high.y - c.y, c.y - low.y));
    r.half.z = d_round_up(fmax(high.z - c.z, c.z - low.z));
    return r;
}

tact_aabb tact_obb_to_aabb(const tact_obb* box)
{
    dbox b;
    tact_aabb r = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (!dbox_from(box, &b)) return r;
    dvec e = d_make(0, 0, 0);
    for (int i = 0; i < 3; ++i) {
        const dvec u = b.axis[i];
        e = d_along(e, b.half[i], d_make(fabs(u.x), fabs(u.y), fabs(u.z)));
    }
    const dvec low = d_sub(b.center, e), high = d_add(b.center, e);
    r.lower.x = d_round_down(low.x);
    r.lower.y = d_round_down(low.y);
    r.lower.z = d_round_down(low.z);
    r.upper.x = d_round_up(high.x);
    r.upper.y = d_round_up(high.y);
    r.upper.z = d_round_up(high.z);
    return r;
}

double tact_obb_volume(const tact_obb* box)
{
    dbox b;
    return dbox_from(box, &b) ? 8.0 * b.half[0] * b.half[1] * b.half[2] : (double)NAN;
}

double tact_obb_area(const tact_obb* box)
{
    dbox b;
    if (!dbox_from(box, &b)) return (double)NAN;
    return 8.0 * (b.half[0] * b.half[1] + b.half[1] * b.half[2] + b.half[2] * b.half[0]);
}

static bool box_contains(const dbox* b, dvec p)
{
    const dvec d = d_sub(p, b->center);
    for (int i = 0; i < 3; ++i) {
        const double reach = b->half[i] * fabs(b->det) + 0x1p-50 * d_abs_dot(d, b->face[i]);
        if (!(fabs(d_dot(d, b->face[i])) <= reach)) return false;
    }
    return true;
}

bool tact_obb_contains_point(const tact_obb* box, tact_vec3 point)
{
    dbox b;
    return dbox_from(box, &b) && v_finite(point) && box_contains(&b, d_from(point));
}

static double reach(const dbox* b, dvec axis)
{
    return (b->half[0] * fabs(d_dot(b->axis[0], axis)) + b->half[1] * fabs(d_dot(b->axis[1], axis))) +
           b->half[2] * fabs(d_dot(b->axis[2], axis));
}

static double reach_terms(const dbox* b, dvec axis)
{
    return (b->half[0] * d_abs_dot(b->axis[0], axis) + b->half[1] * d_abs_dot(b->axis[1], axis)) +
           b->half[2] * d_abs_dot(b->axis[2], axis);
}

/// t is from a's centre to b's.
static bool separates(const dbox* a, const dbox* b, dvec t, dvec axis)
{
    const double apart = fabs(d_dot(t, axis)), together = reach(a, axis) + reach(b, axis);
    if (!(apart > together)) return false;
    const double terms = d_abs_dot(t, axis) + (reach_terms(a, axis) + reach_terms(b, axis));
    return apart - together > 0x1p-50 * terms;
}

/// What rounding may do to a difference in the quick tests below, with room to spare; infinite where axes are far from
/// unit length, for which their error was not worked out.
static double quick_error(const dbox* a, const dbox* b, dvec t)
{
    double longest = 0.0, size = (fabs(t.x) + fabs(t.y)) + fabs(t.z);
    for (int i = 0; i < 3; ++i) {
        longest = fmax(longest, fmax(d_dot(a->axis[i], a->axis[i]), d_dot(b->axis[i], b->axis[i])));
        size += a->half[i] + b->half[i];
    }
    return longest < 2.0 ? 0x1p-40 * size : HUGE_VAL;
}

/// The other box's axes on the face normals of a box, row by face.
static void project_axes(const dbox* box, const dbox* other, double on[3][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            on[i][j] = fabs(d_dot(box->face[i], other->axis[j]));
    }
}

/// Tests a's face normals, where the quick numbers leave a doubt with the careful ones.
static bool apart_on_faces(const dbox* a, const dbox* b, dvec t, double on_a[3][3], double error)
{
    const double own = fabs(a->det);
    for (int i = 0; i < 3; ++i) {
        const double reach_b = (b->half[0] * on_a[i][0] + b->half[1] * on_a[i][1]) + b->half[2] * on_a[i][2];
        const double gap = fabs(d_dot(t, a->face[i])) - (own * a->half[i] + reach_b);
        if (!(gap < -error) && separates(a, b, t, a->face[i])) return true;
    }
    return false;
}

/// The nine cross products of axes are not needed to project on them: a_k . (a_i x b_j) is b_j on a face normal of a.
/// Where that is too close to call, nearly parallel edges included, the product itself decides.
static bool apart_on_edges(const dbox* a, const dbox* b, dvec t, double on_a[3][3], double on_b[3][3], double error)
{
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        const dvec across = d_cross(t, a->axis[i]);
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double reach_a = a->half[i1] * on_a[i2][j] + a->half[i2] * on_a[i1][j];
            const double reach_b = b->half[j1] * on_b[j2][i] + b->half[j2] * on_b[j1][i];
            const double gap = fabs(d_dot(across, b->axis[j])) - (reach_a + reach_b);
            if (!(gap < -error) && separates(a, b, t, d_cross(a->axis[i], b->axis[j]))) return true;
        }
    }
    return false;
}

static bool boxes_overlap(const dbox* a, const dbox* b, bool faces_only)
{
    const dvec t = d_sub(b->center, a->center);
    const double error = quick_error(a, b, t);
    double on_a[3][3], on_b[3][3];
    project_axes(a, b, on_a);
    if (apart_on_faces(a, b, t, on_a, error)) return false;
    project_axes(b, a, on_b);
    if (apart_on_faces(b, a, t, on_b, error)) return false;
    return faces_only || !apart_on_edges(a, b, t, on_a, on_b, error);
}

// ---- The same in single precision, where that is enough ----

// Axes that miss being orthonormal by more are left to double precision, and gaps within this many times as much of the
// sizes: what the projections below are off by for axes that are nearly orthonormal is at most 11 times their skew,
// what they are off by for rounding is far below the rest (docs/geometry.md).
#define QUICK_SKEW 0x1p-19f
#define QUICK_ERROR (16.0f * QUICK_SKEW)

/// Two boxes in the first one's frame; each f4 goes by the first one's axes, or by the second one's.
typedef struct quick_boxes {
    f4 on[3];           ///< the second one's axes, by the first one's
    f4 t_a, t_b;        ///< the way between the centres by the first one's axes, and by the second one's
    f4 half_a, half_b;  ///< by their own axes
    f4 each_half_b[3];  ///< in all lanes
    f4 size, error;     ///< in all lanes
    bool valid;
} quick_boxes;

/// By how much three vectors miss being orthonormal: the sum of the errors of a length and of an angle, for each.
LANES_INLINE f4 quick_skew(threes v)
{
    const f4 length = f4_sub(threes_dot(v, v.x, v.y, v.z), f4_set(1.0f));
    return f4_add(f4_abs(length), f4_abs(threes_dot(v, f4_next(v.x), f4_next(v.y), f4_next(v.z))));
}

/// The largest gap on the face normals of both.
LANES_INLINE f4 quick_face_gap(quick_boxes* q, const tact_obb* a, const tact_obb* b)
{
    const threes axes = threes_load(&a->axis[0].x);
    const f4 t = f4_sub(f4_load(&b->center.x), f4_load(&a->center.x));
    q->half_a = f4_last_three(f4_load(&a->axis[2].z));
    q->half_b = f4_last_three(f4_load(&b->axis[2].z));
    for (int j = 0; j < 3; ++j)
        q->on[j] = threes_dot(axes, f4_set(b->axis[j].x), f4_set(b->axis[j].y), f4_set(b->axis[j].z));
    f4 turned[4] = {q->on[0], q->on[1], q->on[2], q->on[0]};
    f4_turn(turned);
    const threes by_b = {turned[0], turned[1], turned[2]};
    q->t_a = threes_dot(axes, f4_first_of(t), f4_second_of(t), f4_third_of(t));
    q->t_b = threes_dot(by_b, f4_first_of(q->t_a), f4_second_of(q->t_a), f4_third_of(q->t_a));
    q->size = threes_sum(f4_add(f4_add(f4_abs(t), q->half_a), q->half_b));
    q->error = f4_add(f4_mul(q->size, f4_set(QUICK_ERROR)), f4_set(0x1p-100f));
    q->valid = threes_less(f4_max(quick_skew(axes), quick_skew(by_b)), f4_set(QUICK_SKEW)) == 7u &&
               threes_less(f4_min(q->half_a, q->half_b), f4_set(0.0f)) == 0u &&
               threes_less(q->size, f4_set(0x1p120f)) == 7u;
    q->each_half_b[0] = f4_first_of(q->half_b);
    q->each_half_b[1] = f4_second_of(q->half_b);
    q->each_half_b[2] = f4_third_of(q->half_b);
    const threes of_a = {f4_abs(q->on[0]), f4_abs(q->on[1]), f4_abs(q->on[2])};
    const threes of_b = {f4_abs(by_b.x), f4_abs(by_b.y), f4_abs(by_b.z)};
    const f4 reach_b = threes_dot(of_a, q->each_half_b[0], q->each_half_b[1], q->each_half_b[2]);
    const f4 reach_a = threes_dot(of_b, f4_first_of(q->half_a), f4_second_of(q->half_a), f4_third_of(q->half_a));
    return f4_max(f4_sub(f4_abs(q->t_a), f4_add(q->half_a, reach_b)),
                  f4_sub(f4_abs(q->t_b), f4_add(q->half_b, reach_a)));
}

/// The gaps on the cross products of an axis of the second box with those of the first. `bound` is what a gap along
/// such a product, made of unit length, is below: two edges at a small angle become parallel when the second box turns
/// by that angle, and parallel ones have no axis that the faces lack.
LANES_INLINE f4 quick_edge_gap(const quick_boxes* q, int j, f4 face_gap, f4* bound)
{
    const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const f4 next = f4_next(q->on[j]), after = f4_after(q->on[j]), abs1 = f4_abs(q->on[j1]), abs2 = f4_abs(q->on[j2]);
    const f4 apart = f4_abs(f4_sub(f4_mul(f4_after(q->t_a), next), f4_mul(f4_next(q->t_a), after)));
    const f4 reach_a = f4_add(f4_mul(f4_next(q->half_a), f4_abs(after)), f4_mul(f4_after(q->half_a), f4_abs(next)));
    const f4 reach_b = f4_add(f4_mul(q->each_half_b[j1], abs2), f4_mul(q->each_half_b[j2], abs1));
    *bound = f4_add(face_gap, f4_mul(f4_mul(f4_add(abs1, abs2), q->size), f4_set(4.0f)));
    return f4_sub(apart, f4_add(reach_a, reach_b));
}

obb_quick tact_obb_quick(const tact_obb* a, const tact_obb* b, bool faces_only)
{
    if (TACT_LANES_ISA == 0) return OBB_UNSURE;  // four numbers one by one take longer than double precision
    quick_boxes q;
    const f4 face = quick_face_gap(&q, a, b);
    if (!q.valid) return OBB_UNSURE;
    if (threes_less(q.error, face)) return OBB_APART;
    const f4 face_gap = threes_most(face);
    f4 gap = face, sure = face;
    for (int j = 0; j < 3 && !faces_only; ++j) {
        f4 bound;
        const f4 edge = quick_edge_gap(&q, j, face_gap, &bound);
        gap = f4_max(gap, edge);
        sure = f4_max(sure, f4_min(edge, bound));
    }
    if (threes_less(q.error, gap)) return OBB_APART;
    return threes_less(sure, f4_negate(q.error)) == 7u ? OBB_OVERLAP : OBB_UNSURE;
}

static bool overlap(const tact_obb* a, const tact_obb* b, bool faces_only)
{
    const obb_quick quick = tact_obb_quick(a, b, faces_only);
    if (quick != OBB_UNSURE) return quick == OBB_OVERLAP;
    dbox p, q;
    return dbox_from(a, &p) && dbox_from(b, &q) && boxes_overlap(&p, &q, faces_only);
}

bool tact_obb_overlaps_obb(const tact_obb* a, const tact_obb* b)
{
    return overlap(a, b, false);
}

bool tact_obb_overlaps_obb_faces(const tact_obb* a, const tact_obb* b)
{
    return overlap(a, b, true);
}

bool tact_obb_overlaps_obb_upright(const tact_obb* a, const tact_obb* b, int up)
{
    dbox p, q;
    if (up < 0 || up > 2 || !dbox_from(a, &p) || !dbox_from(b, &q)) return false;
    const dvec t = d_sub(q.center, p.center);
    if (separates(&p, &q, t, p.face[up])) return false;
    for (int k = 1; k < 3; ++k) {
        const int i = (up + k) % 3;
        if (separates(&p, &q, t, p.face[i]) || separates(&p, &q, t, q.face[i])) return false;
    }
    return true;
}

bool tact_obb_overlaps_aabb(const tact_obb* box, tact_aabb aabb)
{
    dbox p;
    const dvec low = d_from(aabb.lower), high = d_from(aabb.upper);
    if (!dbox_from(box, &p) || !d_finite(low) || !d_finite(high)) return false;
    if (low.x > high.x || low.y > high.y || low.z > high.z) return false;
    dbox q = {.center = d_scale(d_add(low, high), 0.5), .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const dvec half = d_scale(d_sub(high, low), 0.5);
    for (int i = 0; i < 3; ++i)
        q.half[i] = d_at(half, i);
    dbox_faces(q.axis, q.face, &q.det);
    return boxes_overlap(&p, &q, false);
}

/// A vector in b's coordinates, times |det|.
static dvec to_local(const dbox* b, dvec v)
{
    const dvec r = d_make(d_dot(v, b->face[0]), d_dot(v, b->face[1]), d_dot(v, b->face[2]));
    return b->det < 0.0 ? d_scale(r, -1.0) : r;
}

/// Whether p + t d, 0 <= t <= 1, meets the product of the three intervals, flat ones too.
static bool segment_meets(dvec p, dvec d, const double low[3], const double high[3])
{
    double enter = 0.0, leave = 1.0;
    for (int i = 0; i < 3; ++i) {
        const double x = d_at(p, i), dx = d_at(d, i);
        if (dx == 0.0) {
            if (x < low[i] || x > high[i]) return false;
            continue;
        }
        const double s = (low[i] - x) / dx, t = (high[i] - x) / dx;
        enter = fmax(enter, fmin(s, t));
        leave = fmin(leave, fmax(s, t));
    }
    return enter <= leave;
}

/// The signs of the three faces of b that look towards a point.
static void front(const dbox* b, dvec towards, double sign[3])
{
    const dvec d = to_local(b, d_sub(towards, b->center));
    for (int i = 0; i < 3; ++i)
        sign[i] = d_at(d, i) >= 0.0 ? 1.0 : -1.0;
}

/// Edge along axis i of b, in the coordinates of `in`, at the given signs along the next two axes: whether it meets a
/// face of `in`, of those with the signs of `front` or, where that is NULL, any.
static bool edge_meets_faces(const dbox* b, int i, double side_j, double side_k, const dbox* in, const double* front)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    dvec p = d_sub(b->center, in->center);
    p = d_along(p, -b->half[i], b->axis[i]);
    p = d_along(p, side_j * b->half[j], b->axis[j]);
    p = d_along(p, side_k * b->half[k], b->axis[k]);
    const dvec from = to_local(in, p), along = to_local(in, d_scale(b->axis[i], 2.0 * b->half[i]));
    for (int face = 0; face < 6; ++face) {
        const int at = face / 2;
        const double side = face % 2 ? 1.0 : -1.0;
        if (front && side != front[at]) continue;
        double low[3], high[3];
        for (int c = 0; c < 3; ++c) {
            high[c] = in->half[c] * fabs(in->det);
            low[c] = -high[c];
        }
        low[at] = high[at] = side * high[at];
        if (segment_meets(from, along, low, high)) return true;
    }
    return false;
}

/// The two boxes in double precision; whether that leaves the edges nothing to decide, with the answer in `overlap`.
static bool decided_by_centres(const tact_obb* a, const tact_obb* b, dbox* p, dbox* q, bool* overlap)
{
    const bool valid = dbox_from(a, p) && dbox_from(b, q);
    *overlap = valid && (box_contains(p, q->center) || box_contains(q, p->center));
    return !valid || *overlap;
}

bool tact_obb_overlaps_obb_edges(const tact_obb* a, const tact_obb* b)
{
    dbox p, q;
    bool overlap;
    if (decided_by_centres(a, b, &p, &q, &overlap)) return overlap;
    for (int edge = 0; edge < 12; ++edge) {
        const double side_j = edge / 3 % 2 ? 1.0 : -1.0, side_k = edge / 6 ? 1.0 : -1.0;
        if (edge_meets_faces(&p, edge % 3, side_j, side_k, &q, NULL)) return true;
        if (edge_meets_faces(&q, edge % 3, side_j, side_k, &p, NULL)) return true;
    }
    return false;
}

/// The edges along axis i of the front faces of b: all but the one between the other two faces along it.
static bool front_edges_meet(const dbox* b, const double sign[3], int i, const dbox* in, const double in_sign[3])
{
    const double j = sign[(i + 1) % 3], k = sign[(i + 2) % 3];
    return edge_meets_faces(b, i, j, k, in, in_sign) || edge_meets_faces(b, i, -j, k, in, in_sign) ||
           edge_meets_faces(b, i, j, -k, in, in_sign);
}

bool tact_obb_overlaps_obb_front_faces(const tact_obb* a, const tact_obb* b)
{
    dbox p, q;
    bool overlap;
    if (decided_by_centres(a, b, &p, &q, &overlap)) return overlap;
    double p_front[3], q_front[3];
    front(&p, q.center, p_front);
    front(&q, p.center, q_front);
    for (int i = 0; i < 3; ++i) {
        if (front_edges_meet(&p, p_front, i, &q, q_front) || front_edges_meet(&q, q_front, i, &p, p_front)) return true;
    }
    return false;
}

static dvec image_of(const tact_transform* t, dvec v)
{
    const dvec x = {(double)t->m[0][0], (double)t->m[0][1], (double)t->m[0][2]};
    const dvec y = {(double)t->m[1][0], (double)t->m[1][1], (double)t->m[1][2]};
    const dvec z = {(double)t->m[2][0], (double)t->m[2][1], (double)t->m[2][2]};
    return d_make(d_dot(x, v), d_dot(y, v), d_dot(z, v));
}

bool tact_obb_transform(const tact_transform* transform, const tact_obb* box, tact_obb* image)
{
    dbox b;
    if (!dbox_from(box, &b)) return false;
    dvec axis[3], points[8];
    d_frame(image_of(transform, b.axis[0]), image_of(transform, b.axis[1]), axis);
    const dvec t = d_from(transform->t);
    for (int k = 0; k < 8; ++k) {
        points[k] = d_add(image_of(transform, corner(&b, k)), t);
        if (!d_finite(points[k])) return false;
    }
    obb_builder builder = obb_begin(axis, points[0]);
    for (int k = 0; k < 8; ++k)
        obb_add(&builder, points[k]);
    return obb_finish(&builder, image);
}

static void corners_covariance(const dvec p[16], double c[3][3])
{
    dvec mean = d_make(0, 0, 0);
    for (int k = 0; k < 16; ++k)
        mean = d_along(mean, 1.0 / 16.0, p[k]);
    for (int i = 0; i < 9; ++i)
        c[i / 3][i % 3] = 0.0;
    for (int k = 0; k < 16; ++k) {
        const dvec d = d_sub(p[k], mean);
        for (int i = 0; i < 9; ++i)
            c[i / 3][i % 3] += d_at(d, i / 3) * d_at(d, i % 3);
    }
}

bool tact_obb_merge(const tact_obb* a, const tact_obb* b, tact_obb* merged)
{
    dbox p, q;
    if (!dbox_from(a, &p) || !dbox_from(b, &q)) return false;
    dvec points[16], frame[3][3];
    for (int k = 0; k < 8; ++k) {
        points[k] = corner(&p, k);
        points[k + 8] = corner(&q, k);
    }
    double c[3][3];
    corners_covariance(points, c);
    for (int i = 0; i < 3; ++i) {
        frame[0][i] = p.axis[i];
        frame[1][i] = q.axis[i];
    }
    d_principal_axes(c, frame[2]);
    obb_builder best = {0};
    double least = HUGE_VAL;
    for (int f = 0; f < 3; ++f) {
        obb_builder builder = obb_begin(frame[f], points[0]);
        for (int k = 0; k < 16; ++k)
            obb_add(&builder, points[k]);
        const double volume = obb_extent(&builder, 0) * obb_extent(&builder, 1) * obb_extent(&builder, 2);
        if (f != 0 && !(volume < least)) continue;
        least = volume;
        best = builder;
    }
    return obb_finish(&best, merged);
}
