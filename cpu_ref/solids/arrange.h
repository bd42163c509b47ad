// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Where the surfaces of two solids meet. A point of both is known by the part of each surface that it is in the inside
/// of: a vertex, an edge or a face. No surface passes through itself, so it is in one part of each, and two points
/// in the same parts are one. Numbers and signs alone decide what is next to what, so the pieces of a cut surface fit
/// together whatever rounding does to their places.

#include "cpu_ref/solids/meeting.h"
#include "cpu_ref/solids/solid.h"

/// A part of a surface: the kind and a number.
#define TACT_PART_EDGE 0x40000000u
#define TACT_PART_FACE 0x80000000u
#define TACT_PART_NUMBER 0x3fffffffu
#define TACT_PART_KIND 0xc0000000u  ///< 0: a vertex

/// A point or, with ends that differ, a segment that a face or an edge must have; ends by the number among all points.
typedef struct tact_cut {
    uint32_t owner;
    uint32_t from, to;
} tact_cut;

typedef struct tact_cuts {
    tact_cut* items;  ///< sorted by owner
    size_t count, room;
} tact_cuts;

/// A segment where both surfaces are, the lower end first, and the part of each surface that it is in the inside of.
typedef struct tact_seam {
    uint32_t from, to;
    uint32_t part[2];
} tact_seam;

/// All points have numbers: the vertices of the first solid as they are, then those of the second, then those where
/// surfaces meet.
typedef struct tact_arrangement {
    tact_env* env;
    const tact_solid* solid[2];
    int32_t scale;          ///< the lowest shift of all coordinates
    uint64_t* keys;         ///< of each point where surfaces meet: its parts, that of the first solid above; ascending
    tact_meet_point* meet;  ///< these points
    size_t meet_count;
    uint32_t first_meet;    ///< the number of the first of them
    uint32_t* number[2];    ///< of each vertex: that of the point where it meets the other surface, else its own
    tact_mesh_pair* pairs;  ///< of triangles that meet, one of each solid
    size_t pair_count, pair_room;
    uint8_t* meets[2];  ///< of each face: 1 if it meets the other surface
    tact_cuts faces[2], edges[2];
    tact_cuts coplanar[2];  ///< of each face: those of the other solid that share more than a segment with it (`from`)
    tact_seam* seams;       ///< sorted, each once
    size_t seam_count, seam_room;
    uint64_t exact;  ///< signs that took whole numbers
} tact_arrangement;

/// Solids that tact_solid_check() and tact_solid_check_crossings() have passed, for which tact_arrange_begin() finds
/// `meets`. Errors of both: OUT_OF_MEMORY; LIMIT. What it allocated is released by
/// tact_arrangement_end(), after a failure too.
tact_result tact_arrange_begin(tact_arrangement* arrangement, tact_env* env, const tact_solid* a, const tact_solid* b);
tact_result tact_arrange(tact_arrangement* arrangement);
void tact_arrangement_end(tact_arrangement* arrangement);

/// The cuts of an owner: where they begin among `items`, and how many there are.
size_t tact_cuts_of(const tact_cuts* cuts, uint32_t owner, size_t* count);

/// NULL: the two surfaces are not both there.
const tact_seam* tact_find_seam(const tact_arrangement* arrangement, uint32_t from, uint32_t to);

/// The part of a solid that a point is in the inside of, where surfaces meet.
static inline uint32_t tact_part_of(const tact_arrangement* a, uint32_t point, int solid)
{
    const uint64_t key = a->keys[point - a->first_meet];
    return solid == 0 ? (uint32_t)(key >> 32) : (uint32_t)key;
}

static inline bool tact_is_meet(const tact_arrangement* a, uint32_t point)
{
    return point >= a->first_meet;
}

/// A point by its number.
static inline tact_meet_point tact_point_of(const tact_arrangement* a, uint32_t point)
{
    if (point >= a->first_meet) return a->meet[point - a->first_meet];
    const size_t vertices = a->solid[0]->parts.mesh->vertex_count;
    return tact_point_given(point < vertices ? tact_solid_vertex(a->solid[0], point)
                                             : tact_solid_vertex(a->solid[1], (uint32_t)(point - vertices)));
}
