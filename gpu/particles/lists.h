// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What lists of neighbours and of contacts have in common on devices.

#include "gpu/particles/internal.h"

struct tact_gpu_particle_lists {
    uint32_t *counts, *ids, *neighbours;
    uint32_t (*tags)[2];
    uint64_t* offsets;
    size_t slots, capacity;  ///< room in the arrays by slot, and in `neighbours`
    tact_buffer* chunk;      ///< what is read by the host next
    tact_buffer* items;      ///< pairs that are to become contacts
    bool bodies;             ///< contacts: there are meshes or height fields
};

enum {
    TACT_LISTS_GROUP = 64,
    // Candidates of a launch on llvmpipe, which adds up the iterations of up to 16 neighbouring items. The rows of a
    // walk take 13,000 at most: see kernels/particle_walk.h.
    TACT_LISTS_WINDOW = 3000
};

_Static_assert(16 * TACT_LISTS_WINDOW + 13000 < 65535, "llvmpipe would cut lists short");

/// Makes the arrays of e->lists as long as there are particles.
tact_result tact_gpu_lists_room(tact_gpu_particles* e);

/// Looks at where particles are, however long ago they were looked at: where nothing happens on touching, steps do not.
tact_result tact_gpu_lists_look(tact_gpu_particles* e);

/// Sorts the state by the cells of a model.
tact_result tact_gpu_lists_sort(tact_gpu_particles* e, const tact_particle_model* model);

/// Whether the device wants walks in windows.
static inline bool tact_gpu_lists_limited(const tact_gpu_particles* e)
{
    return e->software && e->base.type->backend == TACT_BACKEND_GL;
}

/// A walk of `items` particles, in as many launches as the longest asks for. The last two arguments are the first
/// candidate and the window, which are set here.
tact_result tact_gpu_lists_walk(tact_gpu_particles* e, tact_kernel_id kernel, uint32_t items, tact_arg* args,
                                size_t count);
