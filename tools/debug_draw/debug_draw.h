// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How the parts of debug drawing emit: primitives go through a batch, which counts them against the limit.

#include "tact/debug_draw.h"

enum { TACT_DEBUG_BATCH = 192 };  ///< vertices; a multiple of 2 and 3

typedef struct tact_debug_batch {
    tact_debug_draw* draw;
    tact_result result;  ///< negative: what a callback returned, and nothing more is emitted
    bool left_out;       ///< beyond the limit
    uint32_t corners;    ///< of the primitives in it: 1, 2 or 3
    uint32_t count;      ///< vertices
    tact_debug_vertex vertices[TACT_DEBUG_BATCH];
} tact_debug_batch;

typedef struct tact_debug_point {
    double p[3];
} tact_debug_point;

void tact_debug_begin(tact_debug_batch* batch, tact_debug_draw* draw);
/// Hands over what is left, and returns what the whole call returns.
tact_result tact_debug_end(tact_debug_batch* batch);
/// A primitive of 1, 2 or 3 corners.
void tact_debug_put(tact_debug_batch* batch, tact_debug_kind kind, const tact_debug_point* corners, uint32_t count);
void tact_debug_put_line(tact_debug_batch* batch, tact_debug_kind kind, tact_debug_point a, tact_debug_point b);
/// The 12 edges of a body of eight corners: bit 0, 1, 2 of a corner's number is its side along three axes.
void tact_debug_put_edges(tact_debug_batch* batch, tact_debug_kind kind, const tact_debug_point corners[8]);
/// A box that holds something, moved by a matrix (NULL: not).
void tact_debug_put_box(tact_debug_batch* batch, tact_debug_kind kind, tact_aabb box, const float matrix[12]);
enum { TACT_DEBUG_ROUND = 32 };  ///< sides of a circle
/// `steps` sides of a circle, from u on towards v.
void tact_debug_put_arc(tact_debug_batch* batch, tact_debug_kind kind, tact_debug_point centre, tact_debug_point u,
                        tact_debug_point v, double radius, uint32_t steps);
/// A square about the point of the plane nearest to `center`, with its diagonals and the normal.
void tact_debug_put_plane(tact_debug_batch* batch, tact_plane plane, tact_vec3 center, double size);
void tact_debug_put_capsule(tact_debug_batch* batch, tact_debug_kind kind, tact_capsule capsule);
void tact_debug_put_sphere(tact_debug_batch* batch, tact_debug_kind kind, tact_sphere sphere);

bool tact_debug_finite(const float* numbers, size_t count);
tact_debug_point tact_debug_move(const float* matrix, const float* p);
/// a + s b.
tact_debug_point tact_debug_along(tact_debug_point a, double s, tact_debug_point b);
tact_debug_point tact_debug_at(tact_vec3 v);
