// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Spreading a system over ranks.

#include "base/xxh64.h"
#include "core/particles/spread.h"
#include "core/particles/surfaces.h"

/// Keeps rows [begin, end) of a state, and what their contacts remember.
static void keep_rows(tact_particle_state* s, size_t begin, size_t end)
{
    size_t records = 0;
    const uint32_t first = begin < s->count ? s->tag[begin][0] : UINT32_MAX;
    const uint64_t stop = end < s->count ? s->tag[end][0] : UINT64_MAX;
    for (size_t k = 0; s->turns && k < s->record_count; ++k) {
        if (begin < end && s->records[k].a >= first && s->records[k].a < stop) s->records[records++] = s->records[k];
    }
    s->record_count = records;
    for (size_t i = begin; i < end; ++i)
        tact_particle_state_move(s, i - begin, s, i);
    s->count = end > begin ? end - begin : 0;
}

/// Whether all ranks have the same system.
static tact_result check_alike(tact_particles* p, tact_ranks* ranks)
{
    const tact_particle_state* m = &p->mirror;
    tact_xxh64 state;
    tact_xxh64_begin(&state);
    tact_xxh64_add(&state, m->position, m->count * sizeof *m->position);
    tact_xxh64_add(&state, m->velocity, m->count * sizeof *m->velocity);
    tact_xxh64_add(&state, m->tag, m->count * sizeof *m->tag);
    tact_xxh64_add(&state, &p->clock.steps, sizeof p->clock.steps);
    tact_xxh64_add(&state, p->model.rules, sizeof p->model.rules);
    tact_xxh64_add(&state, &p->model.solid_count, sizeof p->model.solid_count);
    tact_xxh64_add(&state, &p->model.body_count, sizeof p->model.body_count);
    const uint64_t own = tact_xxh64_end(&state);
    // The largest of them, and of their complements: the least.
    uint64_t numbers[2] = {own, ~own};
    const tact_result result = tact_ranks_combine(ranks, TACT_RANKS_MAX, numbers, 2);
    if (result != TACT_OK || numbers[0] == ~numbers[1]) return result;
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "the ranks have not made the same system");
}

tact_result tact_spread_check(tact_particles* p, const tact_ranks* ranks, const tact_particle_ranks_desc* d)
{
    tact_env* env = &p->context->env;
    if (p->spread) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the system is spread already");
    if (ranks->context != p->context)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the ranks are of another context");
    if (tact_surfaces_measure(p)) return tact_fail(env, TACT_ERROR_UNSUPPORTED, "servo walls and wear over ranks");
    if (p->calls.function) return tact_fail(env, TACT_ERROR_UNSUPPORTED, "force functions over ranks");
    if (!(d->imbalance == 0.0f || (d->imbalance >= 1.0f && d->imbalance <= 1e6f)))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "imbalance %g", (double)d->imbalance);
    if (!(d->margin >= 0.0f && d->margin <= 4.0f))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "margin %g", (double)d->margin);
    return TACT_OK;
}

bool tact_spread_attach(tact_particles* p, tact_ranks* ranks, const tact_particle_ranks_desc* d)
{
    tact_particle_spread* s = tact_allocate_zeroed(&p->context->env, 1, sizeof *s);
    if (!s) return false;
    *s = (tact_particle_spread){.ranks = ranks,
                                .most_imbalance = d->imbalance > 0.0f ? d->imbalance : 1.1f,
                                .margin = d->margin > 0.0f ? d->margin : 0.25f,
                                .reached = 1.0f};
    s->before = ranks->done;
    s->info.rank = tact_ranks_own(ranks);
    s->info.ranks = tact_ranks_count(ranks);
    s->info.held = p->mirror.count;
    for (int i = 0; i < TACT_BACKEND_COUNT; ++i) {
        if (p->engines[i]) p->engines[i]->type->destroy(p->engines[i]);
        p->engines[i] = NULL;
    }
    p->engine_fresh = false;
    p->home = TACT_BACKEND_AUTO;
    p->journal = (tact_particle_journal){0};
    p->spread = s;
    return true;
}

tact_result tact_particles_spread(tact_particles* p, tact_ranks* ranks, const tact_particle_ranks_desc* desc)
{
    static const tact_particle_ranks_desc defaults = {0};
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!ranks) return tact_null(env, "ranks");
    const tact_particle_ranks_desc* d = desc ? desc : &defaults;
    tact_result result = tact_spread_check(p, ranks, d);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result == TACT_OK) result = tact_particles_fetch_forces(p);
    result = tact_ranks_agree(ranks, result);
    if (result == TACT_OK) result = check_alike(p, ranks);
    if (result != TACT_OK) return result;
    result = tact_ranks_agree(ranks, tact_spread_attach(p, ranks, d) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result != TACT_OK) {
        tact_release(&p->context->env, p->spread);
        p->spread = NULL;
        return result;
    }
    // Any part will do: they go to their ranks before the first substep.
    const uint64_t count = p->mirror.count, rank = tact_ranks_own(ranks), of = tact_ranks_count(ranks);
    keep_rows(&p->mirror, (size_t)(count * rank / of), (size_t)(count * (rank + 1) / of));
    p->spread->info.held = p->mirror.count;
    return TACT_OK;
}

tact_result tact_particles_get_ranks(tact_particles* p, tact_particle_ranks_info* info)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!info) return tact_null(&p->context->env, "info");
    *info = (tact_particle_ranks_info){.ranks = 1, .held = p->count, .imbalance = 1.0};
    const tact_particle_spread* s = p->spread;
    if (!s) return TACT_OK;
    *info = s->info;
    if (p->mirror_fresh) info->held = p->mirror.count;
    info->bytes = s->ranks->done.bytes - s->before.bytes;
    info->messages = s->ranks->done.messages - s->before.messages;
    info->meetings = s->ranks->done.meetings - s->before.meetings;
    return TACT_OK;
}

tact_result tact_particles_get_all_ranks(tact_particles* p, tact_particle_ranks_info* infos)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!infos) return tact_null(&p->context->env, "infos");
    tact_particle_ranks_info own;
    const tact_result result = tact_particles_get_ranks(p, &own);
    if (result != TACT_OK) return result;
    return tact_ranks_gather(p->spread ? p->spread->ranks : NULL, &own, sizeof own, infos);
}
