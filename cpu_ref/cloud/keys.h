// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Points that were found as numbers that are ordered as they are to be: the square of the distance in the upper half,
/// whose bits are ordered as it is, since it is not negative, the id in the lower one.

#include "kernels/cloud_point.h"
#include "tact/point_cloud.h"

static inline uint64_t tact_cloud_key(float distance2, uint32_t id)
{
    return (uint64_t)as_uint(distance2) << 32 | id;
}

static inline float tact_cloud_key_distance2(uint64_t key)
{
    return as_float((uint32_t)(key >> 32));
}

/// Inserts a key that is less than the last of `count`, which goes.
static inline void tact_cloud_insert(uint64_t* keys, uint32_t count, uint64_t key)
{
    uint32_t place = count - 1;
    for (; place > 0 && keys[place - 1] > key; --place)
        keys[place] = keys[place - 1];
    keys[place] = key;
}

/// The rows of a query, from its keys; an id of TACT_NONE is no point.
static inline void tact_cloud_write(const uint64_t* keys, uint32_t count, tact_cloud_neighbour* rows)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t id = (uint32_t)keys[i];
        rows[i] = (tact_cloud_neighbour){id, id == TACT_NONE ? INFINITY : tact_cloud_key_distance2(keys[i])};
    }
}
