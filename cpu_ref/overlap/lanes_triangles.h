// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Up to eight triangles against one, for one set of instructions: part of lanes_body.h, here and in cpu_ref/filter. The
// including file defines TACT_LANES_ISA.

#include "base/compiler.h"
#include "base/simd.h"
#include "cpu_ref/overlap/overlap_mesh.h"
#include "tact/geometry/triangle_triangle.h"

enum { ALL_LANES = (1 << LANES) - 1 };

/// Triangles of a group as lanes need them.
typedef struct leaf {
    const float (*corner)[TACT_WIDE];  ///< nine rows
    float moved[9][TACT_WIDE];         ///< what `corner` points to where they were moved
    float lower[3][TACT_WIDE], upper[3][TACT_WIDE];
    float normal[3][TACT_WIDE];  ///< (b - a) x (c - a)
    float weight[3][TACT_WIDE];  ///< the same with all magnitudes added up
    uint32_t there;              ///< bits
} leaf;

static inline uint32_t first_bits(uint32_t count)
{
    return (1u << count) - 1u;
}

LANES_FN VF least3(VF a, VF b, VF c)
{
    return V_MIN(V_MIN(a, b), c);
}

LANES_FN VF most3(VF a, VF b, VF c)
{
    return V_MAX(V_MAX(a, b), c);
}

LANES_TARGET static void box_leaf(leaf* l)
{
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        for (int k = 0; k < 3; ++k) {
            const VF a = V_LOAD(l->corner[k] + i), b = V_LOAD(l->corner[3 + k] + i), c = V_LOAD(l->corner[6 + k] + i);
            V_STORE(l->lower[k] + i, least3(a, b, c));
            V_STORE(l->upper[k] + i, most3(a, b, c));
        }
    }
}

LANES_TARGET static void move_leaf(const float* m, const float (*corner)[TACT_WIDE], uint32_t count, leaf* l)
{
    l->corner = (const float(*)[TACT_WIDE])l->moved;
    l->there = 0;
    const VF most = V_SET(TACT_MAX_COORDINATE);
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        VM there = V_LE(V_SET(0.0f), most);
        for (int v = 0; v < 9; v += 3) {
            const VF x = V_LOAD(corner[v] + i), y = V_LOAD(corner[v + 1] + i), z = V_LOAD(corner[v + 2] + i);
            for (int k = 0; k < 3; ++k) {
                const float* r = m + 4 * k;
                VF sum = V_ADD(V_MUL(V_SET(r[0]), x), V_MUL(V_SET(r[1]), y));
                sum = V_ADD(V_ADD(sum, V_MUL(V_SET(r[2]), z)), V_SET(r[3]));
                V_STORE(l->moved[v + k] + i, sum);
                there = M_AND(there, V_LE(V_ABS(sum), most));
            }
        }
        l->there |= M_BITS(there) << i;
    }
    l->there &= first_bits(count);
    box_leaf(l);
}

/// Normals, and what bounds the error of a product with them: `error` below.
LANES_TARGET static void raise_leaf(leaf* l)
{
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        VF u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            const VF a = V_LOAD(l->corner[k] + i);
            u[k] = V_SUB(V_LOAD(l->corner[3 + k] + i), a);
            v[k] = V_SUB(V_LOAD(l->corner[6 + k] + i), a);
        }
        for (int k = 0; k < 3; ++k) {
            const VF one = V_MUL(u[(k + 1) % 3], v[(k + 2) % 3]), two = V_MUL(u[(k + 2) % 3], v[(k + 1) % 3]);
            V_STORE(l->normal[k] + i, V_SUB(one, two));
            V_STORE(l->weight[k] + i, V_ADD(V_ADD(V_ABS(one), V_ABS(two)), V_SET(0x1p-126f)));
        }
    }
}

/// What a volume w . (u x v) of differences of floats, computed in single precision, can be wrong by.
///
/// Let e = 2^-24, and let S be the sum of |w_k| (|u_i v_j| + |u_j v_i|) as computed. Differences are good to a factor
/// of 1 + e, the products u_i v_j of two of them to (1 + e)^3, n_k to (1 + e)^4 of the magnitudes, n_k w_k to (1 + e)^6
/// and the sum of three to (1 + e)^8: the volume is wrong by at most 8.01 e times the exact S, which the computed one
/// is below by a factor of no more than (1 - e)^9. 2^-20 S is 16 e S. Where something underflows: each product is off
/// by up to 2^-150; those in n_k, times |w_k|, are below what 2^-126 in the weights adds (2^-146 |w_k|), those of n_k
/// w_k below 2^-126 as well. Where something overflows S does, or the sum of the same magnitudes, and nothing is
/// greater than that. A NaN is not greater either.
LANES_FN VF error_of(VF sum)
{
    return V_ADD(V_MUL(sum, V_SET(0x1p-20f)), V_SET(0x1p-126f));
}

LANES_FN VF dot3(const VF n[3], const VF w[3])
{
    return V_ADD(V_ADD(V_MUL(n[0], w[0]), V_MUL(n[1], w[1])), V_MUL(n[2], w[2]));
}

/// On which sides of a plane the three vertices of a triangle are, where that is sure.
typedef struct sides {
    VM above[3], below[3];
} sides;

LANES_FN sides sides_of(const VF base[3], const VF normal[3], const VF weight[3], const VF p[9])
{
    VF height[3], most[3] = {V_SET(0.0f), V_SET(0.0f), V_SET(0.0f)};
    for (int v = 0; v < 3; ++v) {
        VF w[3];
        for (int k = 0; k < 3; ++k) {
            w[k] = V_SUB(p[3 * v + k], base[k]);
            most[k] = V_MAX(V_ABS(w[k]), most[k]);
        }
        height[v] = dot3(normal, w);
    }
    const VF error = error_of(dot3(weight, most));
    sides s;
    for (int v = 0; v < 3; ++v) {
        s.above[v] = V_LT(error, height[v]);
        s.below[v] = V_LT(height[v], V_SUB(V_SET(0.0f), error));
    }
    return s;
}

LANES_FN VM all_on_one_side(const sides* s)
{
    return M_OR(M_AND(M_AND(s->above[0], s->above[1]), s->above[2]),
                M_AND(M_AND(s->below[0], s->below[1]), s->below[2]));
}

LANES_FN VM all_sure(const sides* s)
{
    return M_AND(M_AND(M_OR(s->above[0], s->below[0]), M_OR(s->above[1], s->below[1])), M_OR(s->above[2], s->below[2]));
}

/// The vertex that is alone on its side first, the others after it in their order. Returns where it is above. Only for
/// lanes where all sides are sure and not all the same.
LANES_FN VM turn(const sides* s, const VF p[9], VF turned[9])
{
    const VM first = M_OR(M_AND(s->above[1], s->above[2]), M_AND(s->below[1], s->below[2]));
    const VM second = M_OR(M_AND(s->above[0], s->above[2]), M_AND(s->below[0], s->below[2]));
    for (int k = 0; k < 3; ++k) {
        const VF a = p[k], b = p[3 + k], c = p[6 + k];
        turned[k] = V_SELECT(first, a, V_SELECT(second, b, c));
        turned[3 + k] = V_SELECT(first, b, V_SELECT(second, c, a));
        turned[6 + k] = V_SELECT(first, c, V_SELECT(second, a, b));
    }
    const VM other = M_OR(M_AND(second, s->above[1]), M_ANDNOT(second, s->above[2]));
    return M_OR(M_AND(first, s->above[0]), M_ANDNOT(first, other));
}

/// Exchanges the second and the third vertex unless told not to.
LANES_FN void flip_unless(VM keep, VF p[9])
{
    for (int k = 3; k < 6; ++k) {
        const VF b = p[k], c = p[k + 3];
        p[k] = V_SELECT(keep, b, c);
        p[k + 3] = V_SELECT(keep, c, b);
    }
}

/// The volume (a, b, c, d) and its error.
LANES_FN VF volume_of(const VF* a, const VF* b, const VF* c, const VF* d, VF* error)
{
    VF u[3], v[3], w[3], n[3], size[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = V_SUB(b[k], a[k]);
        v[k] = V_SUB(c[k], a[k]);
        w[k] = V_SUB(d[k], a[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const VF one = V_MUL(u[(k + 1) % 3], v[(k + 2) % 3]), two = V_MUL(u[(k + 2) % 3], v[(k + 1) % 3]);
        n[k] = V_SUB(one, two);
        size[k] = V_ADD(V_ADD(V_ABS(one), V_ABS(two)), V_SET(0x1p-126f));
    }
    const VF magnitude[3] = {V_ABS(w[0]), V_ABS(w[1]), V_ABS(w[2])};
    *error = error_of(dot3(size, magnitude));
    return dot3(n, w);
}

/// Bits of lanes where triangle j of b is not surely apart from that of a; `sure` those where they surely overlap. What
/// tact_triangle_overlaps_triangle() computes, where rounding cannot have changed a sign.
LANES_TARGET static uint32_t meet_triangles(const leaf* a, int i, const leaf* b, uint32_t j, uint32_t* sure)
{
    VF p[9], q[9], base[3], normal[3], weight[3];
    for (int k = 0; k < 9; ++k) {
        p[k] = V_LOAD(a->corner[k] + i);
        q[k] = V_SET(b->corner[k][j]);
    }
    for (int k = 0; k < 3; ++k) {
        normal[k] = V_SET(b->normal[k][j]);
        weight[k] = V_SET(b->weight[k][j]);
    }
    const sides of_a = sides_of(q, normal, weight, p);
    VM apart = all_on_one_side(&of_a);
    *sure = 0;
    if (M_BITS(apart) == ALL_LANES) return 0;
    for (int k = 0; k < 3; ++k) {
        base[k] = p[k];
        normal[k] = V_LOAD(a->normal[k] + i);
        weight[k] = V_LOAD(a->weight[k] + i);
    }
    const sides of_b = sides_of(base, normal, weight, q);
    apart = M_OR(apart, all_on_one_side(&of_b));
    if (M_BITS(apart) == ALL_LANES) return 0;
    VF r[9], s[9], error;
    const VM a_above = turn(&of_a, p, r), b_above = turn(&of_b, q, s);
    flip_unless(a_above, s);
    flip_unless(b_above, r);
    const VM known = M_AND(all_sure(&of_a), all_sure(&of_b));
    VF volume = volume_of(r, r + 3, s, s + 3, &error);
    VM over = M_AND(known, V_LT(volume, V_SUB(V_SET(0.0f), error)));
    VM beside = V_LT(error, volume);
    volume = volume_of(r, r + 6, s, s + 6, &error);
    over = M_AND(over, V_LT(error, volume));
    beside = M_AND(known, M_OR(beside, V_LT(volume, V_SUB(V_SET(0.0f), error))));
    apart = M_OR(apart, beside);
    *sure = M_BITS(over);
    return ~M_BITS(apart) & ALL_LANES;
}

static inline tact_triangle triangle_of(const float (*corner)[TACT_WIDE], uint32_t i)
{
    return (tact_triangle){{corner[0][i], corner[1][i], corner[2][i]},
                           {corner[3][i], corner[4][i], corner[5][i]},
                           {corner[6][i], corner[7][i], corner[8][i]}};
}
