// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/particles/clump_table.h"

void tact_clumps_take(tact_particles* p, tact_clump_table* table)
{
    const uint64_t version = p->clumps.version + 1;
    tact_clump_table_free(&p->context->env, &p->clumps);
    p->clumps = *table;
    p->clumps.version = version;
    p->model.clumps = p->clumps.count > 0 ? &p->clumps : NULL;
    *table = (tact_clump_table){0};
}

void tact_clumps_drop_gone(tact_particles* p)
{
    tact_clump_table* t = &p->clumps;
    tact_clump_motion* motions = p->mirror.clumps;
    const size_t count = t->count;
    if (count == 0) return;
    t->count = 0;
    for (size_t k = 0; k < count; ++k) {
        if (!tact_particles_has(p, t->members[t->begins[k]].id)) continue;
        const tact_clump_table from = *t;
        motions[t->count] = motions[k];
        tact_clump_table_append(t, &from, k);
    }
    p->mirror.clump_count = t->count;
    tact_clump_table_index(t);
    ++t->version;
    p->model.clumps = t->count > 0 ? t : NULL;
}

tact_result tact_clumps_check_free(const tact_particles* p, uint32_t id)
{
    const uint32_t clump = tact_clump_of(p->model.clumps, id);
    if (clump == TACT_NONE) return TACT_OK;
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "particle %u is of the clump %u", (unsigned)id,
                     (unsigned)p->clumps.members[p->clumps.begins[clump]].id);
}

tact_result tact_particles_list_contacts(tact_particles* p, tact_particle_engine* engine,
                                         tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    if (!p->model.clumps) return engine->type->contacts(engine, &p->model, contacts, capacity, count);
    tact_env* env = &p->context->env;
    size_t room = 0, kept = 0;
    tact_result result = engine->type->contacts(engine, &p->model, NULL, 0, &room);
    if (result != TACT_OK) return result;
    tact_particle_contact* all = tact_allocate(env, room + 1, sizeof *all);
    if (!all) return TACT_ERROR_OUT_OF_MEMORY;
    result = engine->type->contacts(engine, &p->model, all, room, &room);
    for (size_t i = 0; i < room && result == TACT_OK; ++i) {
        if (all[i].with == TACT_CONTACT_PARTICLE && tact_clump_joins(p->model.clumps, all[i].a, all[i].b)) continue;
        if (kept < capacity) contacts[kept] = all[i];
        ++kept;
    }
    tact_release(env, all);
    *count = kept;
    return result;
}
