// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/index/code_map.h"

enum { LEAST_SIZE = 16 };

static size_t home_of(const tact_code_map* map, uint64_t code)
{
    uint64_t h = code * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 32) & (map->size - 1);
}

/// Where a code is, or the empty place where it would be.
static size_t place_of(const tact_code_map* map, uint64_t code)
{
    size_t i = home_of(map, code);
    while (map->entries[i].number != TACT_CODE_NONE && map->entries[i].code != code)
        i = (i + 1) & (map->size - 1);
    return i;
}

uint32_t tact_code_map_find(const tact_code_map* map, uint64_t code)
{
    return map->size ? map->entries[place_of(map, code)].number : TACT_CODE_NONE;
}

bool tact_code_map_reserve(tact_code_map* map, tact_env* env, size_t more)
{
    tact_code_map grown = {.size = map->size ? map->size : LEAST_SIZE, .count = map->count};
    while (grown.size < 2 * (map->count + more))
        grown.size *= 2;
    if (grown.size == map->size) return true;
    grown.entries = tact_allocate(env, grown.size, sizeof *grown.entries);
    if (!grown.entries) return false;
    for (size_t i = 0; i < grown.size; ++i)
        grown.entries[i] = (tact_code_entry){0, TACT_CODE_NONE};
    for (size_t i = 0; i < map->size; ++i) {
        const tact_code_entry e = map->entries[i];
        if (e.number != TACT_CODE_NONE) grown.entries[place_of(&grown, e.code)] = e;
    }
    tact_release(env, map->entries);
    *map = grown;
    return true;
}

void tact_code_map_put(tact_code_map* map, uint64_t code, uint32_t number)
{
    tact_code_entry* e = &map->entries[place_of(map, code)];
    TACT_ASSERT(e->number == TACT_CODE_NONE && 2 * (map->count + 1) <= map->size);
    *e = (tact_code_entry){code, number};
    ++map->count;
}

void tact_code_map_remove(tact_code_map* map, uint64_t code)
{
    const size_t mask = map->size - 1;
    size_t hole = place_of(map, code);
    TACT_ASSERT(map->entries[hole].number != TACT_CODE_NONE);
    // What follows moves up where it is looked for from the hole on or before.
    for (size_t i = (hole + 1) & mask; map->entries[i].number != TACT_CODE_NONE; i = (i + 1) & mask) {
        const size_t home = home_of(map, map->entries[i].code);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        map->entries[hole] = map->entries[i];
        hole = i;
    }
    map->entries[hole].number = TACT_CODE_NONE;
    --map->count;
}
