// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What lists of neighbours and of contacts have in common on devices.

#include "gpu/particles/internal.h"

struct tact_gpu_particle_lists {
    uint32_t *counts, *ids, *neighbours;
    uint32_t* found;  ///< neighbours: what is read of the device with one wait
    uint64_t* offsets;
    size_t slots, capacity;  ///< room in the arrays by slot, and in `neighbours`
    tact_buffer* chunk;      ///< what is read by the host next
    tact_buffer* items;      ///< pairs that are to become contacts
    bool bodies;             ///< contacts: there are meshes or height fields
    bool none;               ///< contacts: there were none when they were last looked for
    uint32_t longest;        ///< candidates of the longest walk, or 0 where one launch is enough
    tact_gpu_crowd crowd;    ///< of tables for neighbours
};

/// Makes the arrays of e->lists as long as there are particles.
tact_result tact_gpu_lists_room(tact_gpu_particles* e);

/// Forgets what was seen of particles that are there no more.
void tact_gpu_lists_forget(tact_gpu_particles* e);

/// Sorts the state by the cells of a model, of which `crowd` says what is known.
tact_result tact_gpu_lists_sort(tact_gpu_particles* e, const tact_particle_model* model, tact_gpu_crowd* crowd);
