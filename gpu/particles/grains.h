// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// GRAINS on a device: kernels/grain_layout.h says how they lie there.

#include "gpu/particles/internal.h"
#include "kernels/grain_layout.h"

/// Device memory of a grain, beside that of a particle: spin, orientation, place in the list and when it was made, 56;
/// sums, 48, or 64 with bodies; 16 for each partner that there is room for, 32 where contacts roll, 48 with bonds,
/// twice, since the old list is there until the new one has what it remembers; 64 for each contact with a surface,
/// twice; 112 for each clump, and 32 for each of its spheres; with clumps 8 for each id.
struct tact_gpu_grains {
    tact_buffer *spin, *turn;         ///< by slot: angular velocity, first of the contacts with surfaces; orientation
    tact_buffer* origin;              ///< by slot: where it is in the list, and whether it is a ghost
    tact_buffer *memory, *other;      ///< the list, and room for another one
    uint32_t rolls, bonds;            ///< where the list has angles and bonds; 0: it has none
    size_t list_count;                ///< slots of the list
    uint32_t longest;                 ///< partners of one of them, at most
    uint64_t list_rows;               ///< of the list, with the angles
    tact_buffer* nodes;               ///< contacts with surfaces, in two pools
    uint32_t node_room, nodes_taken;  ///< of a pool; in the present one
    bool pool;                        ///< the present one is the second
    bool touched;                     ///< a grain may have a chain
    tact_buffer *sums, *listed, *rows;
    tact_buffer *clumps, *parts, *of;  ///< NULL until there are clumps
    size_t clump_count;
    uint64_t clump_version;     ///< of the table that `parts` and `of` have; 0: of none
    bool holds;                 ///< the list is of these slots, and has all pairs that touch
    float margin, list_margin;  ///< to try next; of the list
    TactGrid grid;              ///< that the list was made in
    uint32_t age, expected;     ///< substeps that it has served; that the one before had
    uint64_t rules_version;     ///< of when it was made
    uint64_t lists;             ///< made so far, for tests
};

/// Rows of TACT_GRAIN_LANES grains.
static inline uint32_t tact_gpu_grain_blocks(size_t count)
{
    return (uint32_t)((count + TACT_GRAIN_LANES - 1) / TACT_GRAIN_LANES);
}

/// Takes over the clumps of a state, and copies them out.
tact_result tact_gpu_clumps_upload(tact_gpu_particles* e, const tact_particle_state* state);
tact_result tact_gpu_clumps_read(tact_gpu_particles* e, tact_particle_state* staging);
/// Brings what clumps are made of up to date.
tact_result tact_gpu_clumps_update(tact_gpu_particles* e, const tact_particle_model* model);
/// After pairs were listed to `memory`: notes members' slots, and takes pairs within clumps off the list.
tact_result tact_gpu_clumps_place(tact_gpu_particles* e, const tact_particle_model* model, tact_buffer* memory);
/// Before the move of a substep, and after it.
tact_result tact_gpu_clumps_move(tact_gpu_particles* e, const tact_particle_model* model, uint32_t number);
tact_result tact_gpu_clumps_follow(tact_gpu_particles* e, uint32_t number);

/// Room for `count` contacts with surfaces in a pool, keeping those there.
tact_result tact_gpu_grains_node_room(tact_gpu_particles* e, uint32_t count);

/// As in tact_gpu_turning: gpu/particles/grains_state.c.
tact_result tact_gpu_grains_come(tact_gpu_particles* e, const tact_particle_state* extra, size_t count);
tact_result tact_gpu_grains_upload(tact_gpu_particles* e, const tact_particle_state* state);
tact_result tact_gpu_grains_read(tact_gpu_particles* e, tact_particle_state* staging, const uint32_t* order);
