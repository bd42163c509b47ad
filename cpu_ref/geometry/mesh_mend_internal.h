// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the steps of mending a mesh share.

#include "cpu_ref/geometry/mesh_internal.h"
#include "tact/geometry/mesh_mend.h"

/// A mesh whose triangles come and go while its vertices stay.
typedef struct tact_mend {
    tact_env* env;
    const tact_vec3* positions;
    size_t vertex_count;
    uint32_t* corners;   ///< three for each triangle, from tact_allocate()
    size_t count, room;  ///< of triangles
    tact_mesh_mend_options options;
    tact_mesh_mended* report;
} tact_mend;

/// Splits sides of one triangle at the boundary vertices on them.
tact_result tact_mend_junctions(tact_mend* mend);

/// Fills loops of boundary edges. Neighbours must face the same side; a loop at which they do not stays.
tact_result tact_mend_holes(tact_mend* mend);

static inline bool tact_mend_reserve(tact_mend* mend, size_t more)
{
    return tact_reserve(mend->env, (void**)&mend->corners, &mend->room, mend->count, mend->count + more,
                        3 * sizeof *mend->corners);
}

/// There must be room.
static inline void tact_mend_add(tact_mend* mend, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t* t = mend->corners + 3 * mend->count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}
