// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Ids that a search finds, as many as there is room for, and how many there are.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tact_id_list {
    uint32_t* ids;
    size_t capacity;
    uint64_t count;
} tact_id_list;

/// Adds an id to the list that `user` points to.
static inline bool tact_list_id(uint32_t id, void* user)
{
    tact_id_list* list = user;
    if (list->count < list->capacity) list->ids[list->count] = id;
    ++list->count;
    return true;
}
