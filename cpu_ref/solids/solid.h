// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A closed mesh made ready for being combined with another: welded, with its edges numbered and a tree.

#include "cpu_ref/geometry/mesh_internal.h"
#include "cpu_ref/overlap/overlap.h"
#include "cpu_ref/solids/points.h"

typedef struct tact_solid {
    tact_env* env;
    tact_mesh_parts parts;  ///< triangles are those of `parts.corners`
    tact_mesh_sides sides;
    uint32_t* edge_of;     ///< of side 3 t + k, from corner k on
    uint32_t* edge_begin;  ///< of each edge, its first among `sides.sides`; one more at the end
    size_t edge_count;
    uint32_t* number;        ///< of each triangle, in the mesh that was given
    uint64_t bad_triangles;  ///< with a vertex that is not finite or not there: left out
    tact_overlap_mesh tree;
} tact_solid;

/// Errors: OUT_OF_MEMORY; LIMIT. What it allocated is released by tact_solid_end(),
/// after a failure too.
tact_result tact_solid_begin(tact_solid* solid, tact_env* env, const tact_mesh_view* mesh);
void tact_solid_end(tact_solid* solid);

/// INVALID_ARGUMENT, with a detail that has the counts, for a mesh that does not enclose a solid: `name` says which
/// mesh.
tact_result tact_solid_check(const tact_solid* solid, const char* name);
/// The same but for parts that face the wrong way.
tact_result tact_solid_check_surface(const tact_solid* solid, const char* name);

/// The triangles that take part and their vertices, each place once.
tact_result tact_solid_copy(const tact_solid* solid, tact_mesh_copy* copy);

/// The same for a mesh that meets itself between its parts or where the other mesh is too: at triangles that both have
/// a 1 in `meets`. Elsewhere no point of both surfaces is in doubt; `apart` grows by the pairs there.
tact_result tact_solid_check_crossings(const tact_solid* solid, const char* name, const uint8_t* meets,
                                       uint64_t* apart);

/// Pairs of triangles that meet, one of each solid; of a solid and itself those without a common corner, each once.
tact_result tact_solid_pairs(const tact_solid* a, const tact_solid* b, tact_overlap_list* list);

/// Pairs of triangles that meet elsewhere than at corners and edges of both, sorted, each once, by the solid's numbers.
tact_result tact_solid_crossings(const tact_solid* solid, tact_overlap_list* list);

/// How many times the surface encloses a point, of an edge or a vertex, that is not on it. `part`, which may be NULL,
/// has a number for each triangle; those with the number `own` are left out.
int tact_solid_winding(const tact_solid* solid, const tact_meet_point* point, int32_t scale, const uint32_t* part,
                       uint32_t own, uint64_t* exact);

static inline tact_vec3 tact_solid_vertex(const tact_solid* solid, uint32_t vertex)
{
    return solid->parts.mesh->positions[vertex];
}

static inline void tact_solid_triangle(const tact_solid* solid, size_t triangle, tact_vec3 corner[3])
{
    for (size_t k = 0; k < 3; ++k)
        corner[k] = tact_solid_vertex(solid, solid->parts.corners[3 * triangle + k]);
}

/// The ends of an edge, in the order of their numbers.
static inline void tact_solid_edge(const tact_solid* solid, uint32_t edge, uint32_t end[2])
{
    const uint32_t side = solid->sides.sides[solid->edge_begin[edge]];
    const uint32_t a = solid->parts.corners[side], b = solid->parts.corners[tact_mesh_next_side(side)];
    end[0] = a < b ? a : b;
    end[1] = a < b ? b : a;
}
