// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// GRAINS: clumps, rigid bodies of spheres. The spheres are particles; their forces move the clump, and it puts them
/// where it has them. The arithmetic is in kernels/grain_clump.h.

#include <stddef.h>
#include <stdint.h>

#include "base/env.h"
#include "kernels/grain_clump.h"
#include "tact/scene.h"

/// How a clump moves, as it lies in states and on devices.
typedef struct tact_clump_motion {
    float place[4], velocity[4], momentum[4];  ///< x y z; 0
    float turn[4];                             ///< unit quaternion x y z w
} tact_clump_motion;

/// A sphere of a clump.
typedef struct tact_clump_member {
    uint32_t id;
    float offset[3];  ///< from the centre of mass, in the clump's own frame
    float mass;       ///< its part of the clump's, by volume
} tact_clump_member;

/// The clumps of a system, in ascending order of the ids of their first members.
typedef struct tact_clump_table {
    size_t count;
    TactClumpBody* bodies;
    size_t* begins;              ///< where each one's members begin, and where all end
    tact_clump_member* members;  ///< of each clump in ascending order of id
    uint32_t (*of)[2];           ///< by id: the clump, TACT_NONE where there is none, and the place among all members
    size_t id_end;               ///< of `of`
    uint64_t version;            ///< changes when anything of it does
} tact_clump_table;

/// Room for a table of so many clumps, members and ids. False when out of memory.
bool tact_clump_table_make(tact_env* env, tact_clump_table* table, size_t clumps, size_t members, size_t id_end);
void tact_clump_table_free(tact_env* env, tact_clump_table* table);
/// Appends a clump of one table to another, which has room. In the same table it may move forwards.
void tact_clump_table_append(tact_clump_table* to, const tact_clump_table* from, size_t k);
/// Works out `of` from the members.
void tact_clump_table_index(tact_clump_table* table);

/// The clump that a particle is of, or TACT_NONE. `table` may be NULL.
static inline uint32_t tact_clump_of(const tact_clump_table* table, uint32_t id)
{
    return table && id < table->id_end ? table->of[id][0] : TACT_NONE;
}

/// Whether two particles are of one clump.
static inline bool tact_clump_joins(const tact_clump_table* table, uint32_t a, uint32_t b)
{
    const uint32_t clump = tact_clump_of(table, a);
    return clump != TACT_NONE && clump == tact_clump_of(table, b);
}

/// The clump whose first member a particle is, or TACT_NONE. `table` may be NULL.
static inline uint32_t tact_clump_led_by(const tact_clump_table* table, uint32_t id)
{
    const uint32_t clump = tact_clump_of(table, id);
    return clump != TACT_NONE && table->members[table->begins[clump]].id == id ? clump : TACT_NONE;
}

/// What acts on a clump: sums over its members in their order.
typedef struct tact_clump_load {
    TactVec force, torque;  ///< torque about the centre of mass
} tact_clump_load;
