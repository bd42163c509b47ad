// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Crossings of a ray along +x, for winding numbers: eight boxes of a node and the triangles of a block beside each
// other. Included by lanes_body.h, after closest_lanes.h. Signs count only where they exceed all that rounding can have
// done; the others are found exactly, by tact_triangle_crossing().

/// A point, and what its ray has crossed so far.
typedef struct crossing_ray {
    const tact_trace_scene* scene;
    tact_vec3 p;
    int64_t sum;
} crossing_ray;

/// The side of the line from a to b, as seen along x, that the origin is on, as a number of that sign.
LANES_FN VF crossing_side(lanes_vec a, lanes_vec b, VF* bound)
{
    const VF yz = V_MUL(a.y, b.z), zy = V_MUL(a.z, b.y);
    // Two differences, a product and the last difference: below 2^-22 of the sizes, and 2^-140 by underflow.
    *bound = V_ADD(V_MUL(V_SET(0x1p-20f), V_ADD(V_ABS(yz), V_ABS(zy))), V_SET(0x1p-100f));
    return V_SUB(yz, zy);
}

/// Triangles, a bit each.
typedef struct crossing_bits {
    uint32_t front, back;  ///< left through the front, through the back
    uint32_t unsure;       ///< rounding might have changed a sign
} crossing_bits;

/// Tests triangles, their corners less the point.
LANES_FN crossing_bits crossing_signs(lanes_vec a, lanes_vec b, lanes_vec c)
{
    VF ab_bound, bc_bound, ca_bound;
    const VF ab = crossing_side(a, b, &ab_bound), bc = crossing_side(b, c, &bc_bound),
             ca = crossing_side(c, a, &ca_bound);
    const VM ab_left = V_LT(ab_bound, ab), ab_right = V_LT(ab, near_negative(ab_bound));
    const VM bc_left = V_LT(bc_bound, bc), bc_right = V_LT(bc, near_negative(bc_bound));
    const VM ca_left = V_LT(ca_bound, ca), ca_right = V_LT(ca, near_negative(ca_bound));
    // The sign of a difference is exact.
    const VM behind = V_LT(near_most(a.x, b.x, c.x), V_SET(0.0f));
    const VM apart = M_AND(M_OR(ab_left, M_OR(bc_left, ca_left)), M_OR(ab_right, M_OR(bc_right, ca_right)));
    const uint32_t missed = M_BITS(M_OR(behind, apart));
    const uint32_t all = LANES < 32 ? (1u << LANES) - 1u : 0xffffffffu;
    if (missed == all) return (crossing_bits){0};
    // The x of the plane straight ahead, times the sum of the sides. Each term has met three differences, two products
    // and three sums: below 2^-20 of the sizes, which the sides' bounds are, times x. Where a product might overflow,
    // nothing is sure.
    const VF ahead = V_ADD(V_ADD(V_MUL(a.x, bc), V_MUL(b.x, ca)), V_MUL(c.x, ab));
    const VF sizes =
        V_ADD(V_ADD(V_MUL(V_ABS(a.x), bc_bound), V_MUL(V_ABS(b.x), ca_bound)), V_MUL(V_ABS(c.x), ab_bound));
    const VF bound = V_ADD(sizes, V_SET(0x1p-100f));
    const VM small = V_LT(sizes, V_SET(0x1p100f));
    const VM up = M_AND(small, V_LT(bound, ahead)), down = M_AND(small, V_LT(ahead, near_negative(bound)));
    const VM left = M_AND(ab_left, M_AND(bc_left, ca_left)), right = M_AND(ab_right, M_AND(bc_right, ca_right));
    const crossing_bits found = {M_BITS(M_AND(left, up)), M_BITS(M_AND(right, down)), 0};
    const uint32_t passed = missed | M_BITS(M_OR(M_AND(left, down), M_AND(right, up)));
    return (crossing_bits){found.front & ~missed, found.back & ~missed, all & ~(found.front | found.back | passed)};
}

/// Counts what is crossed of a leaf's triangles.
LANES_INLINE void crossing_leaf(crossing_ray* r, const float* m, uint32_t slot, uint32_t count, int sign)
{
    const tact_triangle_block* block = &r->scene->blocks[slot / TACT_BVH8_BLOCK];
    const uint32_t begin = slot % TACT_BVH8_BLOCK, end = begin + count;
    const lanes_vec p = {V_SET(r->p.x), V_SET(r->p.y), V_SET(r->p.z)};
    for (uint32_t first = begin / LANES * LANES; first < end; first += LANES) {
        const lanes_vec a = near_corner(block, first, 0, m), b = near_corner(block, first, 1, m),
                        c = near_corner(block, first, 2, m);
        const crossing_bits found = crossing_signs(near_between(p, a), near_between(p, b), near_between(p, c));
        if ((found.front | found.back | found.unsure) == 0) continue;
        for (uint32_t i = 0; i < LANES; ++i) {
            if (first + i < begin || first + i >= end) continue;
            r->sum += sign * ((int)(found.front >> i & 1u) - (int)(found.back >> i & 1u));
            if (found.unsure >> i & 1u) {
                float corners[3][3];
                for (int k = 0; k < 3; ++k) {
                    const float own[3] = {block->corner[k][0][first + i], block->corner[k][1][first + i],
                                          block->corner[k][2][first + i]};
                    memcpy(corners[k], own, sizeof own);
                    if (m) tact_near_move(m, own, corners[k]);
                }
                r->sum += sign * tact_triangle_crossing(corners[0], corners[1], corners[2], r->p);
            }
        }
    }
}

/// Bits of a node's children that the ray meets; boxes contain moved corners without any allowance.
LANES_INLINE uint32_t crossing_met(const crossing_ray* r, const tact_bvh8_node* node, const float* m)
{
    f8 lower[3], upper[3];
    for (int k = 0; k < 3; ++k) {
        const f8 scale = box_scale(node->exponent[k]), origin = f8_set(node->origin[k]);
        lower[k] = f8_add(origin, f8_mul(f8_bytes(node->box[k][0]), scale));
        upper[k] = f8_add(origin, f8_mul(f8_bytes(node->box[k][1]), scale));
    }
    const float at[3] = {r->p.x, r->p.y, r->p.z};
    uint32_t met = 0xff;
    for (int k = 2; k >= 0 && met; --k) {
        f8 low = lower[k], high = upper[k];
        if (m) near_move_sides(m + 4 * k, lower, upper, &low, &high);
        const f8 p = f8_set(at[k]);
        met &= f8_le_bits(p, high);
        if (k > 0) met &= f8_le_bits(low, p);
    }
    return met;
}

LANES_TARGET static void crossing_instance(crossing_ray* r, const tact_trace_instance* in, int sign)
{
    const tact_trace_scene* scene = r->scene;
    const float* matrix = scene->matrices[in->id];
    const float* m = tact_closest_is_identity(matrix) ? NULL : matrix;
    uint32_t stack[TACT_BVH8_STACK], top = 0;
    stack[top++] = in->wide_root;
    while (top > 0) {
        const tact_bvh8_node* node = &scene->wide[stack[--top]];
        for (uint32_t met = crossing_met(r, node, m); met; met &= met - 1u) {
            const int i = (int)tact_lowest_bit_64(met);
            const uint32_t kind = tact_bvh8_kind(node, i), child = tact_bvh8_child(node, i);
            if (kind == 0) break;
            if (kind == TACT_BVH8_INNER) {
                stack[top++] = child;
            } else {
                crossing_leaf(r, m, child, kind, sign);
            }
        }
    }
}

LANES_TARGET static int64_t crossings(const tact_trace_scene* scene, const tact_rim* boundary, tact_vec3 p)
{
    crossing_ray r = {scene, p, 0};
    uint32_t stack[TACT_BVH8_TOP_STACK], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const tact_bvh8_node* node = &scene->wide_top[stack[--top]];
        for (uint32_t met = crossing_met(&r, node, NULL); met; met &= met - 1u) {
            const int i = (int)tact_lowest_bit_64(met);
            const uint32_t kind = tact_bvh8_kind(node, i), child = tact_bvh8_child(node, i);
            if (kind == 0) break;
            if (kind == TACT_BVH8_INNER) {
                stack[top++] = child;
                continue;
            }
            for (uint32_t k = child; k < child + kind; ++k) {
                const tact_trace_instance* in = &scene->instances[k];
                if (in->kind != TACT_KIND_TRIANGLES) continue;
                if (!(p.x <= in->upper[0] && in->lower[1] <= p.y && p.y <= in->upper[1] && in->lower[2] <= p.z &&
                      p.z <= in->upper[2])) {
                    continue;
                }
                const bool mirrored = boundary->mirrored[in->id / 32] >> in->id % 32 & 1u;
                crossing_instance(&r, in, mirrored ? -1 : 1);
            }
        }
    }
    return r.sum;
}

#if TACT_LANES_ISA == 2
int64_t tact_trace_crossings_avx2(const tact_trace_scene* scene, const tact_rim* boundary, tact_vec3 p)
{
    return crossings(scene, boundary, p);
}
#endif
