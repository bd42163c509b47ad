// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The search of two wide trees, once for each set of instructions: lanes_portable.c, lanes_sse2.c and lanes_avx2.c
/// each include lanes_body.h.

#include "base/lane_levels.h"
#include "cpu_ref/overlap/overlap.h"
#include "cpu_ref/pair_keys.h"

/// A pose prepared. Boxes are compared along six axes: those of A's frame, and the three across the faces of B's boxes.
///
/// What the slacks hold. Let e = 2^-24, and let size_i be |m_i0| x + |m_i1| y + |m_i2| z + |m_i3| for the largest
/// coordinates x, y, z of B. A vertex that is moved in single precision is within 4 e size_i (and a little) of where
/// the matrix has it; centre and half of a moved box are wrong by no more than 12 e size_i together. `slack` is
/// 2^-19 size_i = 32 e size_i and 2^-100 for what underflows. Along B's axis j, n_j, numbers are sums of products whose
/// magnitudes add up to at most `reach`; they are wrong by no more than 6 e reach; and the axis is not quite across the
/// other two edges, by what `stray` bounds. Both slacks are in lo and hi.
typedef struct tact_overlap_frame {
    float m[12];             ///< of vertices
    float box[12], size[9];  ///< of boxes, and the magnitudes of its first three columns; zero in a wild pose
    float slack[3];
    float axis[3][3];  ///< n_j, of length about 1 (or 0), in A's frame
    float along[3];    ///< n_j . (edge j of B), at least 0
    float lo[3], hi[3];
} tact_overlap_frame;

/// In a *wild* pose numbers could overflow: all its boxes of B are without end, and B is descended first.
void tact_overlap_frame_make(const float pose[12], const tact_overlap_mesh* a, const tact_overlap_mesh* b,
                             tact_overlap_frame* frame);

/// Nodes of both trees, or groups, with TACT_BVH_LEAF_BIT.
typedef struct tact_overlap_item {
    uint32_t a, b;
} tact_overlap_item;

/// An item leaves at most 64 others in its place, and each level of either tree does so once.
enum { TACT_OVERLAP_STACK = 63 * 2 * (TACT_BVH_MAX_DEPTH + 1) + 64 };

/// One search, by one thread. Begins as zeroes but for the first four.
typedef struct tact_overlap_search {
    tact_env* env;
    const tact_overlap_mesh *a, *b;
    const tact_overlap_frame* frame;
    bool self, any;  ///< any: whether there is a pair, no more
    bool found;
    bool out_of_memory;
    uint64_t* keys;  ///< a pair each: a in the upper half
    size_t count, capacity;
    size_t depth;
    tact_overlap_item stack[TACT_OVERLAP_STACK];
} tact_overlap_search;

static inline void tact_overlap_add(tact_overlap_search* s, uint32_t a, uint32_t b)
{
    s->found = true;
    if (s->any) return;
    if (s->count == s->capacity && !tact_pair_keys_room(s->env, &s->keys, &s->capacity)) {
        s->out_of_memory = true;
        return;
    }
    const bool swap = s->self && b < a;
    s->keys[s->count++] = (uint64_t)(swap ? b : a) << 32 | (swap ? a : b);
}

typedef struct tact_overlap_lanes {
    const char* name;
    /// Takes the top item from the stack: puts what is below it there, or finds its pairs.
    void (*step)(tact_overlap_search* s);
    /// Until the stack is empty or, with `any`, a pair is found.
    void (*run)(tact_overlap_search* s);
} tact_overlap_lanes;

extern const tact_overlap_lanes tact_overlap_lanes_portable, tact_overlap_lanes_sse2, tact_overlap_lanes_avx2;

/// The best here, no better than the limit.
const tact_overlap_lanes* tact_overlap_lanes_best(void);

/// Whether a point in A's frame is inside a mesh, which is closed: b moved, or, without a frame, a mesh as it is. As
/// tact_mesh_locate(), by the tree.
bool tact_overlap_inside(const tact_overlap_mesh* mesh, const tact_overlap_frame* frame, tact_vec3 point);
