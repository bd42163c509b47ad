// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The bounds and squares for one set of instructions; see separation_bounds.h. The including file defines
// TACT_LANES_ISA, LANES_TABLE and LANES_NAME.

#include "base/simd_doubles.h"
#include "cpu_ref/overlap/separation_bounds.h"
#include "kernels/pose.h"
#include "tact/scene.h"

enum { WIDE = TACT_SEPARATION_WIDE, PAIRS = TACT_SEPARATION_PAIRS };

// ---- Boxes ----

/// What is needed of four boxes.
typedef struct boxes {
    float center[3][WIDE], axis[9][WIDE];
    float inverse[3][WIDE];  ///< of the axes' squares
    float size[WIDE];        ///< at least the sum of all coordinates of the axes
    float slack[WIDE];
    float radius[WIDE];  ///< along the way that all have in common
} boxes;

typedef struct f4v {
    f4 x, y, z;
} f4v;

typedef struct vfv {
    VF x, y, z;
} vfv;

LANES_FN f4 f4_dot(f4v a, f4v b)
{
    return f4_add(f4_add(f4_mul(a.x, b.x), f4_mul(a.y, b.y)), f4_mul(a.z, b.z));
}

LANES_FN VF v_dot(vfv a, vfv b)
{
    return V_ADD(V_ADD(V_MUL(a.x, b.x), V_MUL(a.y, b.y)), V_MUL(a.z, b.z));
}

LANES_FN f4v f4_load_rows_of(const float rows[3][WIDE])
{
    return (f4v){f4_load(rows[0]), f4_load(rows[1]), f4_load(rows[2])};
}

/// What follows from the axes, which are there.
LANES_FN void finish_boxes(boxes* b, const float along[3])
{
    const f4v w = {f4_set(along[0]), f4_set(along[1]), f4_set(along[2])};
    const boxes* made = b;
    f4 radius = f4_set(0.0f);
    for (int i = 0; i < 3; ++i) {
        const f4v e = f4_load_rows_of(made->axis + 3 * i);
        // An axis of no length has infinity here: the products with it below are NaN, and the way one of no use.
        f4_store(b->inverse[i], f4_div(f4_set(1.0f), f4_dot(e, e)));
        radius = f4_add(radius, f4_abs(f4_dot(e, w)));
    }
    f4_store(b->radius, radius);
}

LANES_FN void still_boxes(const tact_separation_node* n, const float along[3], boxes* b)
{
    memcpy(b->center, n->center, sizeof b->center);
    memcpy(b->axis, n->axis, sizeof b->axis);
    const f4 spread = f4_load(n->spread), reach = f4_load(n->reach);
    f4_store(b->size, f4_mul(f4_set(1.75f), spread));
    f4_store(b->slack,
             f4_add(f4_add(f4_mul(f4_set(0x1p-22f), spread), f4_mul(f4_set(0x1p-40f), reach)), f4_set(0x1p-109f)));
    finish_boxes(b, along);
}

/// A row of the matrix times four points or ways.
LANES_FN f4 turn_row(const float row[3], f4v v)
{
    return f4_add(f4_add(f4_mul(f4_set(row[0]), v.x), f4_mul(f4_set(row[1]), v.y)), f4_mul(f4_set(row[2]), v.z));
}

LANES_FN void moved_boxes(const tact_separation_node* n, const tact_separation_motion* m, const float along[3],
                          boxes* b)
{
    const f4v c = f4_load_rows_of(n->center);
    for (int k = 0; k < 3; ++k) {
        f4_store(b->center[k], f4_add(turn_row(m->matrix[k], c), f4_set(m->shift[k])));
        for (int i = 0; i < 3; ++i)
            f4_store(b->axis[3 * i + k], turn_row(m->matrix[k], f4_load_rows_of(n->axis[i])));
    }
    const f4 spread = f4_mul(f4_set(m->stretch), f4_load(n->spread));
    const f4 far = f4_add(f4_mul(f4_set(m->stretch), f4_load(n->reach)), f4_set(m->far));
    f4_store(b->size, f4_mul(f4_set(3.0f), spread));
    f4_store(b->slack, f4_mul(f4_set(0x1p-20f), f4_add(spread, far)));
    finish_boxes(b, along);
}

/// How much of d lies in a box's three ways, no more than the box is long.
LANES_FN vfv within_box(vfv d, const vfv axes[3], const VF inverse[3])
{
    vfv at = {V_SET(0.0f), V_SET(0.0f), V_SET(0.0f)};
    for (int i = 0; i < 3; ++i) {
        const VF x = V_MUL(v_dot(d, axes[i]), inverse[i]);
        const VF t = V_MIN(V_MAX(x, V_SET(-1.0f)), V_SET(1.0f));
        at =
            (vfv){V_ADD(at.x, V_MUL(t, axes[i].x)), V_ADD(at.y, V_MUL(t, axes[i].y)), V_ADD(at.z, V_MUL(t, axes[i].z))};
    }
    return at;
}

LANES_FN vfv v_minus(vfv a, vfv b)
{
    return (vfv){V_SUB(a.x, b.x), V_SUB(a.y, b.y), V_SUB(a.z, b.z)};
}

LANES_FN vfv v_spread(const float rows[3][WIDE], int k)
{
    return (vfv){V_SPREAD_FOUR(rows[0], k), V_SPREAD_FOUR(rows[1], k), V_SPREAD_FOUR(rows[2], k)};
}

LANES_FN vfv v_repeat(const float rows[3][WIDE], int k)
{
    return (vfv){V_REPEAT_FOUR(rows[0], k), V_REPEAT_FOUR(rows[1], k), V_REPEAT_FOUR(rows[2], k)};
}

/// What lies between the boxes of LANES pairs from pair k on, along a way of each pair's own: from A's point nearest to
/// B's middle to B's nearest to that, or near that, where a pose has bent the box. -1 where that way is so short that
/// it has lost its digits.
LANES_INLINE VF own_gap(const boxes* a, const boxes* b, vfv between, float scale, int k)
{
    vfv axes[6];
    VF inverse[6];
    for (int i = 0; i < 3; ++i) {
        axes[i] = v_spread(a->axis + 3 * i, k);
        axes[3 + i] = v_repeat(b->axis + 3 * i, k);
        inverse[i] = V_SPREAD_FOUR(a->inverse[i], k);
        inverse[3 + i] = V_REPEAT_FOUR(b->inverse[i], k);
    }
    const vfv rest = v_minus(between, within_box(between, axes, inverse));
    vfv way = v_minus(rest, within_box(rest, axes + 3, inverse + 3));
    way = (vfv){V_MUL(way.x, V_SET(scale)), V_MUL(way.y, V_SET(scale)), V_MUL(way.z, V_SET(scale))};
    VF radius = V_ABS(v_dot(axes[0], way));
    for (int i = 1; i < 6; ++i)
        radius = V_ADD(radius, V_ABS(v_dot(axes[i], way)));
    const VF square = v_dot(way, way);
    const VF gap = V_DIV(V_SUB(V_ABS(v_dot(between, way)), radius), V_SQRT(square));
    return V_SELECT(V_LT(V_SET(0x1p-60f), square), gap, V_SET(-1.0f));
}

/// A gap less what rounding may have added.
LANES_FN VF certain(VF gap, VF size, VF slack)
{
    return V_SELECT(V_LT(size, V_SET(0x1p62f)), V_SUB(gap, slack), V_SET(-1.0f));
}

LANES_TARGET static uint32_t find_boxes(const tact_separation_node* a, const tact_separation_node* b, uint32_t of,
                                        const tact_separation_motion* motion, const float along[3], float reach,
                                        float enough, float beyond[PAIRS], float middles[PAIRS])
{
    boxes made[2];
    const boxes *still = &made[0], *moved = &made[1];
    still_boxes(a, along, &made[0]);
    moved_boxes(b, motion, along, &made[1]);
    const vfv w = {V_SET(along[0]), V_SET(along[1]), V_SET(along[2])};
    uint32_t near = 0;
    for (int k = 0; k < PAIRS; k += LANES) {
        const uint32_t wanted = of >> k & ((1u << LANES) - 1u);
        const vfv between = v_minus(v_repeat(moved->center, k), v_spread(still->center, k));
        const VF common =
            V_SUB(V_ABS(v_dot(between, w)), V_ADD(V_SPREAD_FOUR(still->radius, k), V_REPEAT_FOUR(moved->radius, k)));
        const VF sum = V_ADD(V_ADD(V_ABS(between.x), V_ABS(between.y)), V_ABS(between.z));
        const VF size = V_ADD(sum, V_ADD(V_SPREAD_FOUR(still->size, k), V_REPEAT_FOUR(moved->size, k)));
        const VF slack =
            V_ADD(V_MUL(V_SET(0x1p-18f), size), V_ADD(V_SPREAD_FOUR(still->slack, k), V_REPEAT_FOUR(moved->slack, k)));
        VF distance = certain(common, size, slack);
        uint32_t far = M_BITS(V_LT(V_SET(enough), distance));
        if (wanted & ~far) {
            V_STORE(middles + k, V_SQRT(v_dot(between, between)));
            distance = certain(V_MAX(own_gap(still, moved, between, motion->scale, k), common), size, slack);
            far = M_BITS(V_LT(V_SET(reach), distance));
        }
        V_STORE(beyond + k, distance);
        near |= (wanted & ~far) << k;
    }
    return near;
}

// ---- Triangles ----

LANES_FN f4 f4_least_of(const f4 corner[9], int k)
{
    return f4_min(f4_min(corner[k], corner[k + 3]), corner[k + 6]);
}

LANES_FN f4 f4_most_of(const f4 corner[9], int k)
{
    return f4_max(f4_max(corner[k], corner[k + 3]), corner[k + 6]);
}

/// Four triangles as intervals: along x, y, z and the way that all have in common.
typedef struct spans {
    float low[4][WIDE], high[4][WIDE];
} spans;

LANES_FN void find_spans(const f4 corner[9], const float along[3], spans* s)
{
    for (int k = 0; k < 3; ++k) {
        f4_store(s->low[k], f4_least_of(corner, k));
        f4_store(s->high[k], f4_most_of(corner, k));
    }
    const f4v w = {f4_set(along[0]), f4_set(along[1]), f4_set(along[2])};
    const f4 x = f4_dot((f4v){corner[0], corner[1], corner[2]}, w),
             y = f4_dot((f4v){corner[3], corner[4], corner[5]}, w),
             z = f4_dot((f4v){corner[6], corner[7], corner[8]}, w);
    f4_store(s->low[3], f4_min(f4_min(x, y), z));
    f4_store(s->high[3], f4_max(f4_max(x, y), z));
}

/// What lies between the intervals of LANES pairs, on either side: less than nothing where they overlap.
LANES_FN VF v_between(const spans* a, const spans* b, int axis, int k)
{
    const VF one = V_SUB(V_REPEAT_FOUR(b->low[axis], k), V_SPREAD_FOUR(a->high[axis], k));
    const VF other = V_SUB(V_SPREAD_FOUR(a->low[axis], k), V_REPEAT_FOUR(b->high[axis], k));
    return V_MAX(one, other);
}

LANES_TARGET static void find_triangles(const tact_separation_group* a, const tact_separation_group* b,
                                        const tact_separation_motion* motion, const float along[3], float reach_a,
                                        float reach_b, float reach, tact_separation_meeting* meeting)
{
    static const uint32_t rows[] = {0, 1, 3, 7, 15};
    static const uint32_t all[] = {0, 0xf, 0xff, 0xfff, 0xffff};
    const float* m = motion->pose;
    f4 still[9], moved[9];
    spans spans_a, spans_b;
    for (int k = 0; k < 9; ++k)
        still[k] = f4_load(a->corner[k]);
    for (int c = 0; c < 9; c += 3) {
        const f4v v = f4_load_rows_of(b->corner + c);
        for (int k = 0; k < 3; ++k) {
            // As tact_pose_apply() has it.
            const f4 x = f4_add(turn_row(m + 4 * k, v), f4_set(m[4 * k + 3]));
            f4_store(meeting->moved[c + k], x);
            moved[c + k] = x;
        }
    }
    uint32_t there = 15;
    for (int k = 0; k < 9; ++k)
        there &= f4_le_bits(f4_abs(moved[k]), f4_set(TACT_MAX_COORDINATE));
    find_spans(still, along, &spans_a);
    find_spans(moved, along, &spans_b);
    there &= rows[b->count];
    const float far = motion->stretch * reach_b + motion->far;
    const float slack = 0x1p-40f * (reach_a + far) + 0x1p-140f, slack_along = 0x1p-19f * (reach_a + far) + 0x1p-109f;
    uint32_t beyond_reach = 0, touching = 0;
    const uint32_t valid = (there | there << 4 | there << 8 | there << 12) & all[a->count];
    VF least = V_SET(INFINITY);
    for (int k = 0; k < PAIRS; k += LANES) {
        VF g[3];
        for (int axis = 0; axis < 3; ++axis)
            g[axis] = V_MAX(v_between(&spans_a, &spans_b, axis, k), V_SET(0.0f));
        const VF square = V_ADD(V_ADD(V_MUL(g[0], g[0]), V_MUL(g[1], g[1])), V_MUL(g[2], g[2]));
        const VF common = V_SUB(v_between(&spans_a, &spans_b, 3, k), V_SET(slack_along));
        const VF apart = V_MUL(V_SQRT(square), V_SET(1.0f - 0x1p-20f));
        const VF beyond = V_SUB(V_SELECT(V_LT(apart, common), common, apart), V_SET(slack));
        touching |= M_BITS(V_EQ(square, V_SET(0.0f))) << k;
        beyond_reach |= M_BITS(V_LT(V_SET(reach), beyond)) << k;
        least = V_SELECT(M_ANDNOT(M_OF_BITS(~valid >> k & ((1u << LANES) - 1u)), V_LT(beyond, least)), beyond, least);
    }
    meeting->there = there;
    meeting->near = valid & ~beyond_reach;
    meeting->touching = touching & valid;
    meeting->beyond = V_LEAST(least);
}

// ---- Squares ----

typedef struct vdv {
    VD x, y, z;
} vdv;

LANES_FN vdv vd_sub(vdv a, vdv b)
{
    return (vdv){D_SUB(a.x, b.x), D_SUB(a.y, b.y), D_SUB(a.z, b.z)};
}

LANES_FN VD vd_dot(vdv a, vdv b)
{
    return D_ADD(D_ADD(D_MUL(a.x, b.x), D_MUL(a.y, b.y)), D_MUL(a.z, b.z));
}

LANES_FN vdv vd_cross(vdv a, vdv b)
{
    return (vdv){D_SUB(D_MUL(a.y, b.z), D_MUL(a.z, b.y)), D_SUB(D_MUL(a.z, b.x), D_MUL(a.x, b.z)),
                 D_SUB(D_MUL(a.x, b.y), D_MUL(a.y, b.x))};
}

LANES_FN vdv vd_scale(vdv a, VD s)
{
    return (vdv){D_MUL(a.x, s), D_MUL(a.y, s), D_MUL(a.z, s)};
}

/// a + s b
LANES_FN vdv vd_along(vdv a, VD s, vdv b)
{
    return (vdv){D_ADD(a.x, D_MUL(s, b.x)), D_ADD(a.y, D_MUL(s, b.y)), D_ADD(a.z, D_MUL(s, b.z))};
}

LANES_FN VD vd_negative(VD a)
{
    return D_MUL(a, D_SET(-1.0));
}

/// tact_separation_triangle of D_LANES triangles.
typedef struct triangles {
    vdv corner[3], edge[3];
    VD inverse[3];
    vdv side, rise;
    DM face;
} triangles;

LANES_INLINE void prepare(const float rows[9][TACT_SEPARATION_BATCH], int at, triangles* t)
{
    const VD zero = D_SET(0.0), one = D_SET(1.0);
    for (int i = 0; i < 3; ++i)
        t->corner[i] = (vdv){D_FROM(rows[3 * i] + at), D_FROM(rows[3 * i + 1] + at), D_FROM(rows[3 * i + 2] + at)};
    for (int i = 0; i < 3; ++i) {
        t->edge[i] = vd_sub(t->corner[(i + 1) % 3], t->corner[i]);
        const VD square = vd_dot(t->edge[i], t->edge[i]);
        t->inverse[i] = D_SELECT(D_LT(zero, square), D_DIV(one, square), zero);
    }
    const vdv along = t->edge[0], other = vd_sub(t->corner[2], t->corner[0]), n = vd_cross(along, other);
    const VD square = vd_dot(n, n), inverse = D_DIV(one, square);
    t->face = D_LT(zero, square);
    t->side = vd_scale(vd_cross(other, n), inverse);
    t->rise = vd_scale(vd_cross(n, along), inverse);
}

LANES_FN VD clamp(VD x)
{
    return D_MIN(D_MAX(x, D_SET(0.0)), D_SET(1.0));
}

typedef struct nearest {
    VD square;
    vdv gap;
} nearest;

LANES_FN void take(nearest* n, DM any, VD square, vdv way)
{
    const DM nearer = DM_AND(any, D_LT(square, n->square));
    n->square = D_SELECT(nearer, square, n->square);
    n->gap =
        (vdv){D_SELECT(nearer, way.x, n->gap.x), D_SELECT(nearer, way.y, n->gap.y), D_SELECT(nearer, way.z, n->gap.z)};
}

/// From a point of edge i of a to one of edge j of b.
LANES_INLINE vdv edges(const triangles* a, int i, const triangles* b, int j)
{
    const vdv d = a->edge[i], e = b->edge[j], w = vd_sub(b->corner[j], a->corner[i]), n = vd_cross(d, e);
    const VD square = vd_dot(n, n), zero = D_SET(0.0);
    const VD first = D_SELECT(D_LT(zero, square), D_DIV(vd_dot(vd_cross(w, e), n), square), zero);
    VD s = clamp(first);
    const VD t = clamp(D_MUL(D_SUB(D_MUL(s, vd_dot(d, e)), vd_dot(w, e)), b->inverse[j]));
    const vdv from = vd_along(w, t, e);
    s = clamp(D_MUL(vd_dot(from, d), a->inverse[i]));
    return vd_along(from, vd_negative(s), d);
}

/// The points' corners against the inside of the faces. `turn` is 1 or -1.
LANES_INLINE void corners(const triangles* point, const triangles* face, VD turn, nearest* n)
{
    const VD zero = D_SET(0.0), one = D_SET(1.0);
    for (int i = 0; i < 3; ++i) {
        const vdv v = vd_sub(point->corner[i], face->corner[0]);
        const VD x = vd_dot(v, face->side), y = vd_dot(v, face->rise);
        const DM above = DM_AND(DM_AND(D_LT(zero, x), D_LT(zero, y)), D_LT(D_ADD(x, y), one));
        const vdv way = vd_sub(vd_along(vd_scale(face->edge[0], x), vd_negative(y), face->edge[2]), v);
        take(n, DM_AND(face->face, above), vd_dot(way, way), vd_scale(way, turn));
    }
}

LANES_TARGET static void find_squares(tact_separation_batch* batch)
{
    const tact_separation_batch* given = batch;
    for (int at = 0; at < TACT_SEPARATION_BATCH; at += D_LANES) {
        triangles a, b;
        prepare(given->a, at, &a);
        prepare(given->b, at, &b);
        const VD zero = D_SET(0.0);
        nearest n = {D_SET((double)INFINITY), {zero, zero, zero}};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const vdv way = edges(&a, i, &b, j);
                const VD square = vd_dot(way, way);
                take(&n, D_LT(square, n.square), square, way);
            }
        }
        corners(&a, &b, D_SET(1.0), &n);
        corners(&b, &a, D_SET(-1.0), &n);
        D_STORE(batch->square + at, n.square);
        D_STORE(batch->gap[0] + at, n.gap.x);
        D_STORE(batch->gap[1] + at, n.gap.y);
        D_STORE(batch->gap[2] + at, n.gap.z);
    }
}

const tact_separation_lanes LANES_TABLE = {LANES_NAME, find_boxes, find_triangles, find_squares};
