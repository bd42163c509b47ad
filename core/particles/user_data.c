// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the caller's program has for particles and what they touch: by id, on the host alone, whatever holds the state.

#include <string.h>

#include "core/context/strided_ids.h"
#include "core/particles/particles.h"

void tact_particles_forget_user_data(tact_particles* p, const uint32_t* ids, size_t count)
{
    if (p->user_count == 0) return;
    for (size_t i = 0; i < count; ++i) {
        if (ids[i] < p->user_count) p->user_data[ids[i]] = 0;
    }
}

static tact_result check_list(const tact_particles* p, const uint32_t* ids, size_t count, const uint64_t* user_data)
{
    tact_env* env = &p->context->env;
    if (count == 0) return TACT_OK;
    if (!ids && count != p->count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu of %zu particles, and no ids", count, p->count);
    }
    return user_data ? TACT_OK : tact_null(env, "user_data");
}

static tact_result check_id(const tact_particles* p, uint32_t id)
{
    if (tact_particles_has(p, id)) return TACT_OK;
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "particle %u is not in the system", (unsigned)id);
}

/// The least id in use from this one on; there is one.
static uint32_t in_use(const tact_particles* p, uint32_t id)
{
    while (!tact_particles_has(p, id))
        ++id;
    return id;
}

/// Room for all ids there are.
static bool reserve(tact_particles* p)
{
    if (p->id_end <= p->user_count) return true;
    if (!tact_reserve(&p->context->env, (void**)&p->user_data, &p->user_capacity, p->user_count, p->id_end,
                      sizeof *p->user_data)) {
        return false;
    }
    memset(p->user_data + p->user_count, 0, (p->id_end - p->user_count) * sizeof *p->user_data);
    p->user_count = p->id_end;
    return true;
}

tact_result tact_particles_set_user_data(tact_particles* p, const uint32_t* ids, size_t count,
                                         const uint64_t* user_data)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result result = check_list(p, ids, count, user_data);
    for (size_t i = 0; i < count && ids && result == TACT_OK; ++i)
        result = check_id(p, ids[i]);
    if (result != TACT_OK || count == 0) return result;
    if (!reserve(p)) return TACT_ERROR_OUT_OF_MEMORY;
    uint32_t next = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : in_use(p, next);
        p->user_data[id] = user_data[i];
        next = id + 1;
    }
    return TACT_OK;
}

tact_result tact_particles_get_user_data(const tact_particles* p, const uint32_t* ids, size_t stride, size_t count,
                                         uint64_t* user_data)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result result = check_list(p, ids, count, user_data);
    if (result == TACT_OK) result = tact_strided_ids_check(&p->context->env, stride);
    uint32_t next = 0;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const uint32_t id = ids ? tact_strided_id(ids, stride, i) : in_use(p, next);
        user_data[i] = id < p->user_count ? p->user_data[id] : 0;
        if (id == TACT_NONE) continue;
        result = check_id(p, id);
        next = id + 1;
    }
    return result;
}

static tact_result fail_missing(const tact_particles* p, const char* what, uint32_t index)
{
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "no %s %u", what, (unsigned)index);
}

tact_result tact_particles_set_collider_user_data(tact_particles* p, uint32_t index, uint64_t user_data)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (index >= p->model.solid_count) return fail_missing(p, "collider", index);
    p->collider_data[index] = user_data;
    return TACT_OK;
}

tact_result tact_particles_set_body_user_data(tact_particles* p, uint32_t body, uint64_t user_data)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (body >= p->model.body_count) return fail_missing(p, "mesh or height field", body);
    p->body_data[body] = user_data;
    return TACT_OK;
}

static tact_result get_touched(const tact_particles* p, const tact_particle_contact* contact, uint64_t* user_data)
{
    const uint32_t b = contact->b;
    switch (contact->with) {
        case TACT_CONTACT_PARTICLE:
            *user_data = b < p->user_count ? p->user_data[b] : 0;
            return check_id(p, b);
        case TACT_CONTACT_WALL:
            *user_data = 0;
            return TACT_OK;
        case TACT_CONTACT_COLLIDER:
            if (b >= p->model.solid_count) return fail_missing(p, "collider", b);
            *user_data = p->collider_data[b];
            return TACT_OK;
        case TACT_CONTACT_BODY:
            if (b >= p->model.body_count) return fail_missing(p, "mesh or height field", b);
            *user_data = p->body_data[b];
            return TACT_OK;
        default:
            return fail_missing(p, "tact_contact_with", contact->with);
    }
}

tact_result tact_particles_get_touched_user_data(const tact_particles* p, const tact_particle_contact* contacts,
                                                 size_t count, uint64_t* user_data)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (count > 0 && (!contacts || !user_data)) return tact_null(&p->context->env, contacts ? "user_data" : "contacts");
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        result = get_touched(p, &contacts[i], &user_data[i]);
    return result;
}
