// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tools/request/request.h"

#include <string.h>

#include "core/scene/scene.h"

/// Room for the bytes of an answer, kept for the next one. NULL when out of memory.
static void* room_of(tact_request* r, int place, size_t count, size_t size)
{
    TACT_ASSERT(place >= 0 && place < TACT_REQUEST_ROOMS && size > 0);
    tact_env* env = &r->context->env;
    if (count > SIZE_MAX / size) return NULL;
    const size_t bytes = count * size;
    if (r->rooms[place] && r->room_bytes[place] >= bytes) return r->rooms[place];
    tact_release(env, r->rooms[place]);
    r->room_bytes[place] = bytes;
    r->rooms[place] = tact_allocate(env, bytes > 0 ? bytes : 1, 1);
    return r->rooms[place];
}

typedef struct call {
    const tact_query_options* options;
    tact_query_report* report;
    tact_result* result;
} call;

typedef tact_result ask_fn(tact_request* r, const call* c);

// ---- Scenes ----

/// NULL for none, which are answered in another way.
static const tact_ray_rules* rules_of(const tact_request* r, tact_ray_rules* rules)
{
    *rules = (tact_ray_rules){.mask = r->parameters[1],
                              .masks = r->given[2].data,
                              .cull = (tact_ray_cull)r->parameters[2],
                              .ignore_alpha = r->parameters[3] != 0};
    return rules->mask || rules->masks || rules->cull != TACT_RAY_CULL_NONE || rules->ignore_alpha ? rules : NULL;
}

static tact_result cast(tact_request* r, const call* c)
{
    tact_ray_rules rules;
    const size_t count = r->given[1].count;
    tact_hit* hits = room_of(r, 0, count, sizeof *hits);
    if (!hits) return TACT_ERROR_OUT_OF_MEMORY;
    *c->result = tact_raycast_with(r->scene, (tact_ray_mode)r->parameters[0], r->given[1].data, count,
                                   rules_of(r, &rules), hits, c->options, c->report);
    return TACT_OK;
}

static tact_result cast_all(tact_request* r, const call* c)
{
    tact_ray_rules rules;
    const size_t count = r->given[1].count;
    const uint64_t capacity = tact_request_wide(r, 4);
    uint64_t* offsets = room_of(r, 0, count + 1, sizeof *offsets);
    tact_hit* hits = capacity > SIZE_MAX / sizeof *hits ? NULL : room_of(r, 1, (size_t)capacity, sizeof *hits);
    if (!offsets || !hits) return TACT_ERROR_OUT_OF_MEMORY;
    *c->result = tact_raycast_all_with(r->scene, r->given[1].data, count, r->parameters[0], rules_of(r, &rules),
                                       offsets, hits, (size_t)capacity, c->options, c->report);
    r->count = *c->result >= TACT_OK ? (size_t)offsets[count] : 0;
    return TACT_OK;
}

static tact_result find_closest(tact_request* r, const call* c)
{
    const size_t count = r->given[1].count;
    tact_closest_hit* hits = room_of(r, 0, count, sizeof *hits);
    if (!hits) return TACT_ERROR_OUT_OF_MEMORY;
    *c->result = tact_closest_points(r->scene, r->given[1].data, count, hits, c->options, c->report);
    return TACT_OK;
}

static tact_result cast_spheres(tact_request* r, const call* c)
{
    const size_t count = r->given[1].count;
    tact_sphere_hit* hits = room_of(r, 0, count, sizeof *hits);
    if (!hits) return TACT_ERROR_OUT_OF_MEMORY;
    *c->result = tact_cast_spheres(r->scene, r->given[1].data, count, hits, c->options, c->report);
    return TACT_OK;
}

static tact_result cull_scene(tact_request* r, const call* c)
{
    const size_t all = r->scene->trace.by_id_count;
    uint32_t* ids = room_of(r, 0, all, sizeof *ids);
    uint8_t* classes = room_of(r, 1, all, 1);
    if (!ids || !classes) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_scene_cull_work work = {
        .planes = r->given[1].data, .plane_count = (uint32_t)r->given[1].count, .first = r->parameters[0]};
    *c->result =
        tact_scene_cull(r->scene, &work, ids, all, &r->count, r->parameters[1] ? classes : NULL, c->options, c->report);
    return TACT_OK;
}

// ---- Volumes ----

static tact_result cull(tact_request* r, const call* c)
{
    const size_t count = r->given[0].count;
    if (!r->culler) {
        const tact_result made = tact_culler_create(r->context, &r->culler);
        if (made != TACT_OK) return made;
    }
    uint32_t* ids = room_of(r, 0, count, sizeof *ids);
    uint8_t* classes = room_of(r, 1, count, 1);
    if (!ids || !classes) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_cull_work work = {.kind = (tact_cull_kind)r->parameters[0],
                                 .volumes = r->given[0].data,
                                 .count = count,
                                 .planes = r->given[1].data,
                                 .plane_count = (uint32_t)r->given[1].count,
                                 .boxes = r->given[2].data,
                                 .box_count = r->given[2].count};
    *c->result =
        tact_cull(r->culler, &work, ids, count, &r->count, r->parameters[1] ? classes : NULL, c->options, c->report);
    return TACT_OK;
}

static tact_result find_pairs(tact_request* r, const call* c)
{
    *c->result = tact_pairs_find(r->sets[0], r->sets[1], (tact_pairs_method)r->parameters[0], NULL, 0, &r->count,
                                 c->options, c->report);
    return TACT_OK;
}

// ---- Meshes ----

/// C has no conversion from const void* to a pointer to an array of constants.
static const float (*poses_of(const tact_request* r))[12]
{
    return (const float(*)[12])(uintptr_t)r->given[2].data;
}

static tact_result overlap(tact_request* r, const call* c)
{
    enum { RELATIONS, SOLID, PAIRS };
    tact_mesh *a = r->meshes[0], *b = r->meshes[1];
    const float(*poses)[12] = poses_of(r);
    const size_t count = r->given[2].count;
    if (!b) {
        *c->result = tact_mesh_self_overlap_pairs(a, NULL, 0, &r->count, c->options, c->report);
        return TACT_OK;
    }
    if (r->parameters[0] >= PAIRS) {
        *c->result = tact_mesh_overlap_pairs(a, b, poses, count, NULL, 0, &r->count, c->options, c->report);
        return TACT_OK;
    }
    uint8_t* relations = room_of(r, 0, count, 1);
    if (!relations) return TACT_ERROR_OUT_OF_MEMORY;
    *c->result = tact_mesh_overlap(a, b, poses, count, r->parameters[0] == SOLID, relations, c->options, c->report);
    return TACT_OK;
}

static tact_result separate(tact_request* r, const call* c)
{
    float limit;
    memcpy(&limit, &r->parameters[0], sizeof limit);
    tact_mesh_distance distance;
    *c->result = tact_mesh_separation(r->meshes[0], r->meshes[1], r->given[2].data, limit, NULL, &distance);
    return TACT_OK;
}

static tact_result find_segments(tact_request* r, const call* c)
{
    const size_t count = r->given[3].count;
    tact_triangle_contact* contacts = room_of(r, 0, count, sizeof *contacts);
    if (!contacts) return TACT_ERROR_OUT_OF_MEMORY;
    *c->result = tact_mesh_overlap_segments(r->meshes[0], r->meshes[1], poses_of(r), r->given[2].count,
                                            r->given[3].data, count, contacts, c->options);
    return TACT_OK;
}

static tact_result filter(tact_request* r, const call* c)
{
    if (!r->filter) {
        const tact_result made = tact_filter_create(r->context, &r->filter);
        if (made != TACT_OK) return made;
    }
    const tact_filter_options options = {
        .images = (tact_filter_images)r->parameters[0], .fast = r->parameters[1] != 0, .cells_log2 = r->parameters[2]};
    *c->result = tact_filter_run(r->filter, r->shapes, r->shape_count, r->given[1].data, r->given[1].count, &options,
                                 NULL, 0, &r->count, NULL, c->options, c->report);
    return TACT_OK;
}

// ---- Particles ----

static tact_result step(tact_request* r, const call* c)
{
    float dt;
    memcpy(&dt, &r->parameters[0], sizeof dt);
    *c->result = tact_particles_step(r->particles, dt, r->parameters[1], r->parameters[2], c->options, c->report);
    if (*c->result == TACT_OK) *c->result = tact_particles_wait(r->particles);
    return TACT_OK;
}

static tact_result list_contacts(tact_request* r, const call* c)
{
    const uint64_t capacity = tact_request_wide(r, 0);
    tact_particle_contact* contacts =
        capacity > SIZE_MAX / sizeof *contacts ? NULL : room_of(r, 0, (size_t)capacity, sizeof *contacts);
    if (!contacts) return TACT_ERROR_OUT_OF_MEMORY;
    *c->result = tact_particles_contacts(r->particles, contacts, (size_t)capacity, &r->count, c->options, c->report);
    return TACT_OK;
}

static tact_result list_neighbours(tact_request* r, const call* c)
{
    float radius;
    tact_neighbour_lists lists;
    memcpy(&radius, &r->parameters[0], sizeof radius);
    *c->result = tact_particles_neighbours(r->particles, radius, (tact_neighbour_kind)r->parameters[1], &lists,
                                           c->options, c->report);
    return TACT_OK;
}

tact_result tact_request_ask(tact_request* r, const tact_query_options* options, tact_query_report* report,
                             tact_result* result)
{
    static ask_fn* const asks[TACT_RECORDED_KINDS] = {
        [TACT_RECORDED_RAYCAST] = cast,           [TACT_RECORDED_RAYCAST_ALL] = cast_all,
        [TACT_RECORDED_CLOSEST] = find_closest,   [TACT_RECORDED_SPHERES] = cast_spheres,
        [TACT_RECORDED_SCENE_CULL] = cull_scene,  [TACT_RECORDED_CULL] = cull,
        [TACT_RECORDED_PAIRS] = find_pairs,       [TACT_RECORDED_OVERLAP] = overlap,
        [TACT_RECORDED_FILTER] = filter,          [TACT_RECORDED_PARTICLES] = step,
        [TACT_RECORDED_SEPARATION] = separate,    [TACT_RECORDED_SEGMENTS] = find_segments,
        [TACT_RECORDED_CONTACTS] = list_contacts, [TACT_RECORDED_NEIGHBOURS] = list_neighbours,
    };
    r->count = 0;
    ask_fn* ask = (unsigned)r->kind < TACT_RECORDED_KINDS ? asks[r->kind] : NULL;
    if (!ask) {
        return tact_fail(&r->context->env, TACT_ERROR_UNSUPPORTED, "%s: not a request",
                         tact_recorded_kind_name(r->kind));
    }
    const call c = {options, report, result};
    return ask(r, &c);
}

void tact_request_release(tact_request* r)
{
    tact_culler_destroy(r->culler);
    tact_filter_destroy(r->filter);
    r->culler = NULL;
    r->filter = NULL;
    for (int i = 0; i < TACT_REQUEST_ROOMS; ++i) {
        if (r->context) tact_release(&r->context->env, r->rooms[i]);
        r->rooms[i] = NULL;
        r->room_bytes[i] = 0;
    }
}
