// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loops for one set of instructions; see cull_lanes.h. The same operations in the same order as in
// kernels/cull_volume.h. The including file defines TACT_LANES_ISA, LANES_TABLE and LANES_NAME.

#include "base/compiler.h"
#include "base/simd.h"
#include "cpu_ref/cull/cull_lanes.h"

/// Bits of lanes that are outside of a plane, and that cross one.
typedef struct sides {
    uint32_t outside, crossing;
} sides;

LANES_FN VF margin_of(VF size)
{
    return V_ADD(V_MUL(size, V_SET(TACT_CULL_MARGIN)), V_SET(TACT_CULL_TINY));
}

LANES_FN VF dot_of(VF ax, VF ay, VF az, VF bx, VF by, VF bz)
{
    return V_ADD(V_ADD(V_MUL(ax, bx), V_MUL(ay, by)), V_MUL(az, bz));
}

LANES_FN VF sizes_of(VF a, VF b, VF c)
{
    return V_ADD(V_ADD(V_ABS(a), V_ABS(b)), V_ABS(c));
}

LANES_FN uint32_t bits_above(VF low, VF size, VF d)
{
    return M_BITS(V_LT(margin_of(V_ADD(size, V_ABS(d))), V_SUB(low, d)));
}

LANES_FN uint32_t bits_below(VF high, VF size, VF d)
{
    return M_BITS(V_LT(margin_of(V_ADD(size, V_ABS(d))), V_SUB(d, high)));
}

enum { ALL_LANES = (1 << LANES) - 1 };

static inline void write_classes(sides s, uint8_t* classes)
{
    for (uint32_t i = 0; i < LANES; ++i) {
        const uint32_t kept = (s.outside >> i & 1u) ^ 1u, inside = (s.crossing >> i & 1u) ^ 1u;
        classes[i] = (uint8_t)(kept + (kept & inside));
    }
}

/// What the nearest and the farthest corner along a plane's normal are made of. Where a component is zero, so are both.
typedef struct corner_rows {
    const float *near_x, *near_y, *near_z;
    const float *far_x, *far_y, *far_z;
    uint32_t step_x, step_y, step_z;
} corner_rows;

static inline void pick(float n, const tact_cull_block* block, uint32_t axis, const float** near_row,
                        const float** far_row, uint32_t* step)
{
    static const float zeros[16];
    const float *low = block->row[axis], *high = block->row[3 + axis];
    *near_row = n > 0.0f ? low : n < 0.0f ? high : zeros;
    *far_row = n > 0.0f ? high : n < 0.0f ? low : zeros;
    *step = n > 0.0f || n < 0.0f ? 1u : 0u;
}

LANES_TARGET static void boxes(const tact_cull_table* table, const tact_cull_block* block, bool classify,
                               uint8_t* classes)
{
    corner_rows rows[TACT_CULL_PLANES_MAX];
    for (uint32_t p = 0; p < table->count; ++p) {
        pick(table->planes[p].nx, block, 0, &rows[p].near_x, &rows[p].far_x, &rows[p].step_x);
        pick(table->planes[p].ny, block, 1, &rows[p].near_y, &rows[p].far_y, &rows[p].step_y);
        pick(table->planes[p].nz, block, 2, &rows[p].near_z, &rows[p].far_z, &rows[p].step_z);
    }
    for (uint32_t i = 0; i < block->count; i += LANES) {
        sides s = {0, classify ? 0 : ALL_LANES};
        VM apart = V_LT(V_SET(table->upper[0]), V_LOAD(block->row[0] + i));
        apart = M_OR(apart, V_LT(V_LOAD(block->row[3] + i), V_SET(table->lower[0])));
        apart = M_OR(apart, V_LT(V_SET(table->upper[1]), V_LOAD(block->row[1] + i)));
        apart = M_OR(apart, V_LT(V_LOAD(block->row[4] + i), V_SET(table->lower[1])));
        apart = M_OR(apart, V_LT(V_SET(table->upper[2]), V_LOAD(block->row[2] + i)));
        apart = M_OR(apart, V_LT(V_LOAD(block->row[5] + i), V_SET(table->lower[2])));
        s.outside = M_BITS(apart);
        for (uint32_t p = 0; p < table->count && s.outside != ALL_LANES; ++p) {
            const corner_rows* r = &rows[p];
            const VF nx = V_SET(table->planes[p].nx), ny = V_SET(table->planes[p].ny), nz = V_SET(table->planes[p].nz);
            const VF d = V_SET(table->planes[p].d);
            const VF x = V_MUL(nx, V_LOAD(r->near_x + i * r->step_x));
            const VF y = V_MUL(ny, V_LOAD(r->near_y + i * r->step_y));
            const VF z = V_MUL(nz, V_LOAD(r->near_z + i * r->step_z));
            s.outside |= bits_above(V_ADD(V_ADD(x, y), z), sizes_of(x, y, z), d);
            if (!classify) continue;
            const VF u = V_MUL(nx, V_LOAD(r->far_x + i * r->step_x));
            const VF v = V_MUL(ny, V_LOAD(r->far_y + i * r->step_y));
            const VF w = V_MUL(nz, V_LOAD(r->far_z + i * r->step_z));
            s.crossing |= ~bits_below(V_ADD(V_ADD(u, v), w), sizes_of(u, v, w), d);
        }
        write_classes(s, classes + i);
    }
}

LANES_TARGET static void spheres(const tact_cull_table* table, const tact_cull_block* block, uint8_t* classes)
{
    for (uint32_t i = 0; i < block->count; i += LANES) {
        const VF cx = V_LOAD(block->row[0] + i), cy = V_LOAD(block->row[1] + i), cz = V_LOAD(block->row[2] + i);
        const VF radius = V_LOAD(block->row[3] + i);
        sides s = {0, 0};
        for (uint32_t p = 0; p < table->count && s.outside != ALL_LANES; ++p) {
            const VF x = V_MUL(V_SET(table->planes[p].nx), cx);
            const VF y = V_MUL(V_SET(table->planes[p].ny), cy);
            const VF z = V_MUL(V_SET(table->planes[p].nz), cz);
            const VF at = V_ADD(V_ADD(x, y), z), d = V_SET(table->planes[p].d);
            const VF reach = V_MUL(radius, V_SET(table->planes[p].norm));
            const VF size = V_ADD(sizes_of(x, y, z), reach);
            s.outside |= bits_above(V_SUB(at, reach), size, d);
            s.crossing |= ~bits_below(V_ADD(at, reach), size, d);
        }
        write_classes(s, classes + i);
    }
}

LANES_FN VF row_at(const tact_cull_block* block, uint32_t row, uint32_t i)
{
    return V_LOAD(block->row[row] + i);
}

LANES_TARGET static void obbs(const tact_cull_table* table, const tact_cull_block* block, uint8_t* classes)
{
    for (uint32_t i = 0; i < block->count; i += LANES) {
        const VF spread = V_MUL(V_SET(2.0f), row_at(block, 15, i));
        sides s = {0, 0};
        for (uint32_t p = 0; p < table->count && s.outside != ALL_LANES; ++p) {
            const VF nx = V_SET(table->planes[p].nx), ny = V_SET(table->planes[p].ny), nz = V_SET(table->planes[p].nz);
            const VF d = V_SET(table->planes[p].d);
            const VF x = V_MUL(nx, row_at(block, 0, i));
            const VF y = V_MUL(ny, row_at(block, 1, i));
            const VF z = V_MUL(nz, row_at(block, 2, i));
            const VF a = dot_of(nx, ny, nz, row_at(block, 3, i), row_at(block, 4, i), row_at(block, 5, i));
            const VF b = dot_of(nx, ny, nz, row_at(block, 6, i), row_at(block, 7, i), row_at(block, 8, i));
            const VF g = dot_of(nx, ny, nz, row_at(block, 9, i), row_at(block, 10, i), row_at(block, 11, i));
            const VF reach =
                dot_of(V_ABS(a), V_ABS(b), V_ABS(g), row_at(block, 12, i), row_at(block, 13, i), row_at(block, 14, i));
            const VF at = V_ADD(V_ADD(x, y), z), size = V_ADD(sizes_of(x, y, z), spread);
            s.outside |= bits_above(V_SUB(at, reach), size, d);
            s.crossing |= ~bits_below(V_ADD(at, reach), size, d);
        }
        write_classes(s, classes + i);
    }
}

/// Those of the eight boxes of a group that meet a box.
LANES_TARGET static uint32_t meet_eight(const float* group, const TactCullBox* box)
{
    uint32_t bits = 0;
    // Half of sixteen lanes would have nothing to do.
    for (uint32_t i = 0; i < TACT_CULL_FAN; i += S_LANES) {
        const float* g = group + i;
        const SM x = S_AND(S_LE(S_LOAD(g), S_SET(box->hx)), S_LE(S_SET(box->lx), S_LOAD(g + 24)));
        const SM y = S_AND(S_LE(S_LOAD(g + 8), S_SET(box->hy)), S_LE(S_SET(box->ly), S_LOAD(g + 32)));
        const SM z = S_AND(S_LE(S_LOAD(g + 16), S_SET(box->hz)), S_LE(S_SET(box->lz), S_LOAD(g + 40)));
        bits |= S_BITS(S_AND(S_AND(x, y), z)) << i;
    }
    return bits;
}

static inline uint32_t take_lowest(uint32_t* bits)
{
    const uint32_t index = tact_lowest_bit(*bits);
    *bits &= *bits - 1u;
    return index;
}

/// The answer of a box that the outer box meets.
static inline int of_box(const tact_cull_tree* tree, const tact_cull_one* one, uint32_t i)
{
    const TactCullBox box = tree->nodes[i];
    const float* slabs = tree->slabs ? tree->slabs + 26 * (size_t)i : NULL;
    if (!tact_cull_one_box(one, box, slabs, slabs ? slabs + 13 : NULL)) return TACT_CULL_OUTSIDE;
    return tact_cull_box_within(one->outer, box) ? TACT_CULL_INSIDE : TACT_CULL_CROSSING;
}

// Depth first, the next of eight siblings at each level kept as a set of bits.
LANES_TARGET static int tree_answer(const tact_cull_tree* tree, const tact_cull_one* one, bool classify)
{
    uint32_t pending[TACT_CULL_TREE_LEVELS], first[TACT_CULL_TREE_LEVELS];  // siblings to visit, and the first's number
    const uint32_t top = tree->levels - 1;
    uint32_t level = top;
    int answer = TACT_CULL_OUTSIDE;
    first[top] = 0;
    pending[top] = meet_eight(tree->groups + 6 * (size_t)tree->start[top], &one->outer);
    for (;;) {
        if (pending[level] == 0) {
            if (level == top) return answer;
            ++level;
            continue;
        }
        const uint32_t node = first[level] + take_lowest(&pending[level]);
        if (level > 0) {
            --level;
            first[level] = node * TACT_CULL_FAN;
            pending[level] = meet_eight(tree->groups + 6 * ((size_t)tree->start[level] + first[level]), &one->outer);
            continue;
        }
        const int here = of_box(tree, one, node);
        if (here > answer) answer = here;
        if (here == TACT_CULL_INSIDE || (here == TACT_CULL_CROSSING && !classify)) return answer;
    }
}

const tact_cull_lane_table LANES_TABLE = {
    .name = LANES_NAME,
    .boxes = boxes,
    .spheres = spheres,
    .obbs = obbs,
    .tree = tree_answer,
};
