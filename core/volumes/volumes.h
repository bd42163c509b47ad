// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a set of volumes: the volumes, and what queries on it keep.

#include "core/context/context.h"
#include "core/context/guard.h"
#include "core/context/residents.h"
#include "cpu_ref/pairs/pairs.h"
#include "tact/volumes.h"

struct tact_volumes {
    tact_context* context;
    tact_guard guard;  ///< its own lock is held over each query, whose pairs the set keeps
    tact_volume_kind kind;

    tact_aabb* boxes;  ///< pruning boxes, by id
    size_t box_capacity;
    tact_sphere* spheres;  ///< as given; NULL for AABBs
    size_t sphere_capacity;
    tact_categories* categories;  ///< NULL until one is not TACT_CATEGORIES_ALL
    size_t categories_capacity;
    uint64_t* user_data;  ///< NULL until one is not 0
    size_t user_capacity;
    uint64_t* used;  ///< a bit for each id
    size_t used_capacity;
    uint64_t* born;  ///< the set's clock when an id was given out; NULL until one was removed
    size_t born_capacity;
    uint64_t cleared;       ///< the clock when the set was last cleared: what `born` is while it is NULL
    uint64_t clock;         ///< counts the changes of which ids are in use
    uint32_t id_end;        ///< ids below this were given out
    uint32_t count;         ///< ids in use
    uint32_t free_from;     ///< no id below this is free
    tact_volume_view view;  ///< of the above, for the methods; brought up to date by tact_volumes_view
    tact_volume_change* changes;
    size_t change_capacity;

    bool bound;  ///< reads from `array`
    tact_device_array array;

    tact_pairs_state state;  ///< what the CPU's methods keep
    tact_pair* pairs;        ///< of the last query
    size_t pair_count, pair_capacity;
    bool answered;
    tact_pairs_info info;

    tact_resident kept[TACT_MAX_DEVICES];  ///< what each device keeps for this set
};

/// The set as the methods see it, valid until it changes.
const tact_volume_view* tact_volumes_view(tact_volumes* set);

/// Whether as many ids are marked as used as the count says, none at or above the end and all below the first free one,
/// and as many take part as the view says. For TACT_VALIDATE.
bool tact_volumes_is_valid(const tact_volumes* set);

/// When the id was given out, as the set's clock counts.
uint64_t tact_volumes_born(const tact_volumes* set, uint32_t id);

/// Copies what a bound set reads to the host, for whoever works there; other sets are left alone. Errors: the device's,
/// OUT_OF_MEMORY.
tact_result tact_volumes_fetch(tact_volumes* set);

/// For binding: categories and user data for ids below `count`, as if none had been given. The set must be empty. False
/// when out of memory.
bool tact_volumes_reset_details(tact_volumes* set, size_t count);
