// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Particles on their way from rank to rank: rows of a state with what their contacts remember, as bytes.

#include "core/ranks/ranks.h"
#include "cpu_ref/particles/particles.h"

/// Which rows of a state go to which rank: `rows` of rank r are those from begins[r] on, before begins[r + 1].
typedef struct tact_spread_list {
    const uint32_t* rows;
    const size_t* begins;  ///< one more than there are ranks
} tact_spread_list;

/// Rows that came from other ranks.
typedef struct tact_spread_rows {
    void* bytes;
    const tact_clump_table* clumps;  ///< NULL: none travel
    size_t count, record_count;
    bool turns;
    const uint8_t** rows;     ///< of each, in order of the ranks they came from
    const uint8_t** records;  ///< where its records begin
    const uint8_t** motions;  ///< where the motion of the clump is whose first member it is; NULL for others
    uint64_t* order;          ///< id << 32 | number, ascending
    size_t* begins;           ///< as in tact_spread_list
} tact_spread_rows;

/// Sends rows of a state, and what pairs of them remember; `all`: also what their contacts with surfaces do, and the
/// motions of clumps, each with its first member. `first`: the number of the first record of each particle, one more
/// than there are particles; NULL: there are none.
/// Collective; `rows` is to be freed, also after a failure. Errors: OUT_OF_MEMORY, INTERNAL (bytes did not come as they
/// were sent), the group's.
tact_result tact_spread_send(tact_ranks* ranks, const tact_particle_state* state, const size_t* first,
                             const tact_clump_table* clumps, const tact_spread_list* list, bool all,
                             tact_spread_rows* rows);
void tact_spread_rows_free(tact_env* env, tact_spread_rows* rows);

/// The number of the first record of each particle of a state that turns, and one more. False when out of memory.
bool tact_spread_first_records(tact_env* env, const tact_particle_state* state, size_t** first);

/// What becomes of a state: its own rows but those that `leaves` marks (NULL: none), and rows that came, in order of
/// id. `ghosts`: these become ghosts. Numbers in the new state go to `own_at`, by old row, and `came_at`, in the order
/// in which rows came; either may be NULL. `first` as above. All states
/// have a motion for each clump, of which those count whose members are this rank's. False when out of memory.
bool tact_spread_join(tact_env* env, const tact_particle_state* from, const size_t* first, const uint8_t* leaves,
                      const tact_spread_rows* came, bool ghosts, tact_particle_state* to, uint32_t* own_at,
                      uint32_t* came_at);
