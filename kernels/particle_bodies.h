// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Meshes and height fields as kernels get them: one buffer `bodies` of rows of four words, written by
// gpu/particles/bodies.c. Row 0 says how many there are, and how many steps a particle may take in one launch;
// TACT_BODY_ROWS for each; then their trees and triangles, or heights.
#ifndef TACT_PARTICLE_BODIES_H
#define TACT_PARTICLE_BODIES_H

#define TACT_BODY_FIRST 1u
#define TACT_BODY_ROWS 9u
// Within a body's rows:
#define TACT_BODY_ROW_KIND 0u   // kind, material, row of the first node or heights, row of the first triangle
#define TACT_BODY_ROW_PLACE 1u  // t of its TactFrame; then the three rows of its rotation
#define TACT_BODY_ROW_VELOCITY 5u
#define TACT_BODY_ROW_SPIN 6u
#define TACT_BODY_ROW_ACROSS 7u  // origin, step, squares along x; lowest
#define TACT_BODY_ROW_ALONG 8u   // origin, step, squares along z; highest
// As tact_body_kind, and one for meshes without triangles.
#define TACT_BODY_IS_MESH 0u
#define TACT_BODY_IS_FIELD 1u
#define TACT_BODY_IS_EMPTY 2u

// Steps that one particle takes in one launch at most, on llvmpipe: it leaves all loops of an item without a word once
// they have gone round 65,535 times together, where an item is up to 16 particles side by side, and a round counts when
// any of them is in it. So rounds are counted by each particle, and whoever comes across the limit says so
// (SEARCH_FAILED). What is left is for loops over colliders, which all 16 go round together.
#define TACT_SEARCH_STEPS 3600u
// Elsewhere: as good as none.
#define TACT_SEARCH_STEPS_ANY 0xffffff00u
// Rounds of a search that looks at nothing: that of the loops around it, and those in which loops end.
#define TACT_SEARCH_ROUNDS 4u
// Nodes and leaves put aside: one on each level of a tree of TACT_BVH_MAX_DEPTH.
#define TACT_SEARCH_STACK 52

#if defined(TACT_GLSL) || defined(TACT_OPENCL)

#include "particle_mesh.h"

FN TactFrame tact_body_frame(uint4 place, uint4 x, uint4 y, uint4 z)
{
    TactFrame f;
    f.tx = as_float(place.x);
    f.ty = as_float(place.y);
    f.tz = as_float(place.z);
    f.xx = as_float(x.x);
    f.xy = as_float(x.y);
    f.xz = as_float(x.z);
    f.yx = as_float(y.x);
    f.yy = as_float(y.y);
    f.yz = as_float(y.z);
    f.zx = as_float(z.x);
    f.zy = as_float(z.y);
    f.zz = as_float(z.z);
    return f;
}

FN TactFieldAxis tact_body_axis(uint4 row)
{
    TactFieldAxis a;
    a.origin = as_float(row.x);
    a.step = as_float(row.y);
    a.squares = to_int(row.z);
    return a;
}

FN float tact_body_gap2(TactVec p, uint4 lower, uint4 upper)
{
    return tact_box_gap2(p.x, p.y, p.z, as_float(lower.x), as_float(lower.y), as_float(lower.z), as_float(upper.x),
                         as_float(upper.y), as_float(upper.z));
}

FN float tact_body_word(uint4 row, uint at)
{
    return as_float(at == 0u ? row.x : (at == 1u ? row.y : (at == 2u ? row.z : row.w)));
}

// Functions cannot read buffers, hence macros, for kernels whose buffer `bodies` this is.
#define BODIES bodies[0].x
#define BODY_ROW(body, row) bodies[TACT_BODY_FIRST + TACT_BODY_ROWS * (body) + (row)]
#define BODY_FRAME(body)                                                                           \
    tact_body_frame(BODY_ROW(body, TACT_BODY_ROW_PLACE), BODY_ROW(body, TACT_BODY_ROW_PLACE + 1u), \
                    BODY_ROW(body, TACT_BODY_ROW_PLACE + 2u), BODY_ROW(body, TACT_BODY_ROW_PLACE + 3u))
#define BODY_HEIGHT(first, index) tact_body_word(bodies[(first) + ((index) >> 2u)], (index)&3u)

// What particle_search.h works with, declared once in a kernel.
#define SEARCH_VARIABLES                           \
    uint search_steps = 0u;                        \
    uint search_most = bodies[0].y;                \
    uint search_child[TACT_SEARCH_STACK];          \
    uint search_count[TACT_SEARCH_STACK];          \
    float search_gap[TACT_SEARCH_STACK];           \
    float taken_x[4];                              \
    float taken_y[4];                              \
    float taken_z[4];                              \
    float taken_distance[4];                       \
    uint taken_count = 0u;                         \
    uint search_body = 0u;                         \
    TactVec search_p = tact_vec(0.0f, 0.0f, 0.0f); \
    float search_best2 = 0.0f;                     \
    uint search_id = 0u;                           \
    TactVec search_away = tact_vec(0.0f, 1.0f, 0.0f);

// After all searches: some ended before they were done.
#define SEARCH_FAILED (search_steps >= search_most)

#endif
#endif
