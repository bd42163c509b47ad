// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Parts of a system that is spread over ranks, and all of them in one place again.

#include "core/particles/spread.h"

#include "core/particles/spread_rows.h"

tact_result tact_spread_check_alone(const tact_particles* p, const char* what)
{
    if (!p->spread) return TACT_OK;
    return tact_fail(&p->context->env, TACT_ERROR_UNSUPPORTED,
                     "%s: not of a system over ranks; rank 0 can restore it from tact_particles_save()", what);
}

void tact_spread_keep(const tact_particle_spread* s, tact_particle_state* state)
{
    const uint32_t own = tact_ranks_own(s->ranks);
    size_t kept = 0;
    for (size_t i = 0; i < state->count; ++i) {
        const uint64_t code = tact_spread_code(tact_spread_cell(&s->cells, state->position[i]));
        if (tact_spread_owner(&s->cells, code) == own) tact_particle_state_move(state, kept++, state, i);
    }
    state->count = kept;
}

tact_result tact_spread_collect(tact_particles* p, tact_particle_state* all)
{
    tact_env* env = &p->context->env;
    tact_ranks* ranks = p->spread->ranks;
    const tact_particle_state* m = &p->mirror;
    const uint32_t count = tact_ranks_count(ranks), own = tact_ranks_own(ranks);
    const size_t sent = own > 0 ? m->count : 0;
    *all = (tact_particle_state){.turns = m->turns};
    size_t *first = NULL, *begins = tact_allocate(env, (size_t)count + 1, sizeof *begins);
    uint32_t* rows = tact_allocate(env, sent, sizeof *rows);
    const bool good = begins && rows && tact_spread_first_records(env, m, &first);
    tact_result result = tact_ranks_agree(ranks, good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    tact_spread_rows came = {0};
    if (result == TACT_OK) {
        for (uint32_t r = 0; r <= count; ++r)
            begins[r] = r > 0 ? sent : 0;
        for (size_t i = 0; i < sent; ++i)
            rows[i] = (uint32_t)i;
        const tact_spread_list list = {rows, begins};
        result = tact_spread_send(ranks, m, first, p->model.clumps, &list, true, &came);
    }
    if (result == TACT_OK) {
        const bool joined = own > 0 ? tact_particle_state_reserve(env, all, 0)
                                    : tact_spread_join(env, m, first, NULL, &came, false, all, NULL, NULL);
        result = tact_ranks_agree(ranks, joined ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    }
    tact_spread_rows_free(env, &came);
    tact_release(env, rows);
    tact_release(env, begins);
    tact_release(env, first);
    if (result != TACT_OK) tact_particle_state_free(env, all);
    return result;
}
