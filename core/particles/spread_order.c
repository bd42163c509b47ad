// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "core/particles/spread_order.h"

#include <string.h>

#include "core/particles/spread_rows.h"

uint64_t tact_spread_record_count(const tact_particle_state* s)
{
    size_t i = 0;
    uint64_t count = 0;
    for (size_t k = 0; s->turns && k < s->record_count; ++k) {
        while (i < s->count && s->tag[i][0] < s->records[k].a)
            ++i;
        count += i < s->count && s->tag[i][0] == s->records[k].a;
    }
    return count;
}

/// Where the rows of each rank begin in a state, by the ids with which they begin; those of `own` are marked as staying
/// and left out of `rows`.
static void list_rows(const tact_particle_state* m, const uint32_t* ids, uint32_t count, uint32_t own, uint32_t* rows,
                      size_t* begins, uint8_t* leaves)
{
    size_t i = 0, sent = 0;
    for (uint32_t r = 0; r < count; ++r) {
        begins[r] = sent;
        for (; i < m->count && (r + 1 == count || m->tag[i][0] < ids[r + 1]); ++i) {
            leaves[i] = r != own;
            if (r != own) rows[sent++] = (uint32_t)i;
        }
    }
    begins[count] = sent;
}

/// How a clump moves, on its way.
typedef struct clump_row {
    uint64_t clump;
    tact_clump_motion motion;
} clump_row;

/// Gives the first rank the motions of all clumps, of which each has those whose first members it has.
static tact_result gather_motions(tact_particles* p, tact_particle_state* part)
{
    tact_ranks* ranks = p->spread->ranks;
    tact_env* env = &p->context->env;
    const uint32_t count = tact_ranks_count(ranks);
    if (count == 1 || !p->model.clumps) return TACT_OK;
    clump_row* rows = tact_allocate(env, part->clump_count, sizeof *rows);
    const void** parts = tact_allocate(env, count, sizeof *parts);
    uint64_t* sizes = tact_allocate_zeroed(env, 2 * (size_t)count, sizeof *sizes);
    void* came = NULL;
    tact_result result = tact_ranks_agree(ranks, rows && parts && sizes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) {
        size_t own = 0;
        for (size_t i = 0; i < part->count; ++i) {
            const uint32_t clump = tact_clump_led_by(p->model.clumps, part->tag[i][0]);
            if (clump != TACT_NONE) rows[own++] = (clump_row){clump, part->clumps[clump]};
        }
        for (uint32_t r = 0; r < count; ++r)
            parts[r] = rows;
        sizes[0] = own * sizeof *rows;
        result = tact_ranks_send(ranks, parts, sizes, &came, sizes + count);
    }
    const uint8_t* at = came;
    for (uint32_t r = 0; r < count && result == TACT_OK; ++r) {
        for (uint64_t left = sizes[count + r]; left >= sizeof *rows; left -= sizeof *rows, at += sizeof *rows) {
            clump_row one;
            memcpy(&one, at, sizeof one);
            TACT_ASSERT(one.clump < part->clump_count);
            part->clumps[one.clump] = one.motion;
        }
    }
    tact_release(env, came);
    tact_release(env, sizes);
    tact_release(env, (void*)parts);
    tact_release(env, rows);
    return result;
}

tact_result tact_spread_in_order(tact_particles* p, const uint64_t* begins_of_all, tact_particle_state* part)
{
    tact_env* env = &p->context->env;
    tact_ranks* ranks = p->spread->ranks;
    const tact_particle_state* m = &p->mirror;
    const uint32_t count = tact_ranks_count(ranks), own = tact_ranks_own(ranks);
    *part = (tact_particle_state){.turns = m->turns};
    size_t *first = NULL, *begins = tact_allocate(env, (size_t)count + 1, sizeof *begins);
    uint32_t* ids = tact_allocate(env, count, sizeof *ids);
    uint32_t* rows = tact_allocate(env, m->count, sizeof *rows);
    uint8_t* leaves = tact_allocate(env, m->count, sizeof *leaves);
    const bool good = begins && ids && rows && leaves && tact_spread_first_records(env, m, &first);
    tact_result result = tact_ranks_agree(ranks, good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    tact_spread_rows came = {.turns = m->turns};
    if (result == TACT_OK) {
        tact_particles_ids_at(p, begins_of_all, count, ids);
        list_rows(m, ids, count, own, rows, begins, leaves);
        const tact_spread_list list = {rows, begins};
        if (count > 1) result = tact_spread_send(ranks, m, first, p->model.clumps, &list, true, &came);
    }
    if (result == TACT_OK) {
        const bool joined = tact_spread_join(env, m, first, leaves, &came, false, part, NULL, NULL);
        TACT_ASSERT(!joined || part->count == begins_of_all[own + 1] - begins_of_all[own]);
        result = tact_ranks_agree(ranks, joined ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    }
    if (result == TACT_OK) result = gather_motions(p, part);
    tact_spread_rows_free(env, &came);
    tact_release(env, leaves);
    tact_release(env, rows);
    tact_release(env, ids);
    tact_release(env, begins);
    tact_release(env, first);
    return result;
}
