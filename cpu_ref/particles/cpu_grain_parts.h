// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What grains on the CPU have, and what is done for parts of it: skins, walls, bonds, clumps. cpu_grains.h has the
/// rest.

#include "cpu_ref/particles/cpu_engine.h"

/// The contacts with surfaces of slots that follow each other, in order of slot.
typedef struct tact_grain_page {
    tact_pair_list walls;           ///< slots and the faces of the domain that are a margin away, or less
    tact_grain_record* records[2];  ///< with colliders and bodies: those of now, and room for the next substep's; `a`
                                    ///< of a record is the slot
    size_t count, capacity[2];
} tact_grain_page;

enum {
    TACT_GRAIN_PAGE = 1024,  ///< slots of a page
};

/// A bond of the particle in a slot; each is there twice. One that is none any more is a contact, in no other list.
typedef struct tact_cpu_bond {
    uint32_t other;  ///< slot
    bool first;      ///< the particle has the smaller id
    bool there;      ///< bonded or touching
    TactBond bond;
    TactGrainMemory spring;  ///< as seen from the one with the smaller id
} tact_cpu_bond;

/// A sphere of a clump.
typedef struct tact_cpu_member {
    uint32_t slot;
    float arm[3];  ///< from the centre of mass
} tact_cpu_member;

typedef struct tact_cpu_grains {
    /// By rank, while there is no list; and the records, sorted.
    float (*packed_spin)[4], (*packed_turn)[4];
    size_t packed_capacity;
    tact_grain_record* records;
    size_t record_count, record_capacity;

    bool listed;                   ///< there is a list, and what follows holds
    float (*spin)[4], (*turn)[4];  ///< by slot
    float* way;                    ///< by slot: how far it may come yet while the list serves
    tact_grain_sums* sums;         ///< spare rows follow
    size_t slot_capacity;
    uint32_t* pairs;  ///< the chunks' lists
    size_t pair_capacity;
    float* springs;  ///< seven numbers of each pair, or three
    size_t spring_capacity;
    uint32_t* walls;  ///< the pages' lists
    size_t wall_capacity;
    float* wall_springs;  ///< likewise of these
    size_t wall_spring_capacity;
    bool rolls;              ///< seven
    uint32_t share;          ///< pairs a slot there is room for
    float margin;            ///< the part of its radius that a grain's skin is at least
    uint32_t age;            ///< substeps that the list has served
    float list_margin;       ///< by how much cells were wider when the list was made
    bool radii_stay;         ///< while radii are others: as tact_particle_cpu::equal_radii otherwise
    bool holds;              ///< no particle has come too far since
    float ghost_way;         ///< how far a ghost may come yet, at least
    uint64_t rules_version;  ///< of when the list was made
    tact_grain_page* pages;
    size_t page_count, page_capacity;
    size_t* bond_begins;  ///< by slot, one more than there are; NULL: there are no bonds
    size_t bond_slots, bond_capacity;
    tact_cpu_bond* bonds;
    const tact_clump_table* table;  ///< of the list; NULL: there are no clumps
    tact_clump_motion* clumps;
    size_t clump_count, clump_capacity;
    tact_cpu_member* members;  ///< as the table's
    size_t member_capacity;
    uint64_t lists;  ///< made so far, for tests
} tact_cpu_grains;

/// Makes radii of slots those that lists are made with, and the grid that for these. There are slots.
void tact_cpu_grains_widen(tact_particle_cpu* engine, const tact_particle_model* model, TactGrid* grid);
/// Makes them what they are. `sorted`: slots have another order than they had.
void tact_cpu_grains_narrow(tact_particle_cpu* engine, int threads, bool sorted);
/// Lists walls, for a list of pairs with this margin.
tact_result tact_cpu_grains_list_walls(tact_particle_cpu* engine, const tact_particle_model* model, float margin);
/// Notes how walls lie.
void tact_cpu_grains_meet_walls(const tact_particle_model* model, tact_grain_pass* pass);
/// Takes the bonds from what is packed.
tact_result tact_cpu_bonds_unpack(tact_particle_cpu* engine);
/// Lets go of them.
void tact_cpu_bonds_drop(tact_particle_cpu* engine);
/// Adds what bonds do to `sums`. Returns whether one has broken.
bool tact_cpu_bonds_act(tact_particle_cpu* engine, const tact_particle_model* model);
/// Takes over the clumps of a state, and copies them out.
tact_result tact_cpu_clumps_load(tact_particle_cpu* engine, const tact_particle_state* state);
tact_result tact_cpu_clumps_store(const tact_particle_cpu* engine, tact_particle_state* state);
/// Notes the slots of clumps' members. Errors: OUT_OF_MEMORY.
tact_result tact_cpu_clumps_place(tact_particle_cpu* engine);
/// Moves clumps by what acts on their members, and leads these on as particles of infinite mass.
void tact_cpu_clumps_move(tact_particle_cpu* engine, const tact_particle_model* model, tact_cpu_tally* tallies);
/// Gives the members, which are in place, the motion of their clumps.
void tact_cpu_clumps_follow(tact_particle_cpu* engine, const tact_particle_model* model);
