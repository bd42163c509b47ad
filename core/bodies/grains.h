// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside bodies that move as grains.

#include "core/bodies/bodies.h"
#include "cpu_ref/contacts/grains.h"

/// What a set keeps of its contacts; of the grains while the caller's are in the set, and the other way round.
typedef struct tact_kept_contacts {
    tact_contact* contacts;
    size_t count, capacity;
    bool answered;
    tact_contact_history history;
} tact_kept_contacts;

struct tact_body_grains {
    tact_bodies* set;
    tact_vec3 gravity;
    float drag;
    uint32_t material_count;
    TactGrainRule rules[TACT_PARTICLE_MATERIALS * TACT_PARTICLE_MATERIALS];

    tact_grain_body* bodies;       ///< by id; those behind the end have never had anything
    tact_body_measures* measures;  ///< by id, of those of finite mass
    size_t end, body_capacity, measure_capacity;
    uint64_t ids_clock;  ///< of the boxes, when ids were last looked at

    tact_volumes* reach;   ///< boxes within which bodies stay until pairs are found anew; ids 0 to end - 1
    uint64_t reach_clock;  ///< `ids_clock` when it was made
    uint64_t version;      ///< of the set's boxes as the last step left them; another: the caller has moved some
    bool listed;           ///< the pairs hold as long as bodies stay within
    tact_pair* pairs;
    size_t pair_count, pair_capacity;
    double* skins;  ///< by id: how far a body may be moved until then
    size_t skin_capacity;
    tact_aabb* boxes;
    size_t box_capacity;

    tact_kept_contacts kept;
    tact_body_grain_push* pushes;
    tact_grain_load* loads;
    uint32_t* index;  ///< begins, first and rows of the job
    size_t push_capacity, load_capacity, index_capacity;

    uint64_t steps, substeps, slowed, searches;
    double time;
    double held,
        forgotten;  ///< J, by springs with a memory after the last substep; and by those that have ended, in all
};

/// Makes the grains of a set, all zeros. Errors: INVALID_ARGUMENT (the set has some), OUT_OF_MEMORY.
tact_result tact_body_grains_make(tact_bodies* set, tact_body_grains** grains);

/// Makes room for all ids of the set, and forgets bodies whose ids were given out anew. Errors: OUT_OF_MEMORY.
tact_result tact_body_grains_sync(tact_body_grains* grains);

/// Makes room for what the contacts there are do. Errors: OUT_OF_MEMORY.
tact_result tact_body_grains_room(tact_body_grains* grains);

/// Brings the set's boxes up to date with the bodies that were moved. Errors: OUT_OF_MEMORY.
tact_result tact_body_grains_settle(tact_body_grains* grains);

/// Whether an id is in the set.
static inline bool tact_body_grains_have(const tact_body_grains* g, uint32_t id)
{
    return tact_volumes_contains(g->set->boxes, id);
}
