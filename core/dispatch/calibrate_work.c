// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch/calibrate_work.h"

#include <math.h>
#include <string.h>

#include "tact/tact.h"

enum {
    CLOSEST_HIT,
    ANY_HIT,
    COUNT_HITS,
    ALL_HITS,
    POINTS,
    SPHERES,
    CULL,
    SCENE_CULL,
    SCENE_CLASSES,
    PAIRS,
    PAIRS_GRID,
    PAIRS_BVH,
    STEP,
    CONTACTS,
    NEIGHBOURS,
    RELATIONS,
    SOLID,
    MESH_PAIRS,
    FILTER,
    STEP_UNIFORM,
    STEP_POWER_LAW,
    STEP_BIMODAL
};

const tact_sample_kind tact_sample_kinds[TACT_SAMPLE_KINDS] = {
    [CLOSEST_HIT] = {"casting rays", "closest", "rays", 64, 1 << 18, false},
    [ANY_HIT] = {"casting rays", "any", "rays", 64, 1 << 18, false},
    [COUNT_HITS] = {"casting rays", "count", "rays", 64, 1 << 17, false},
    [ALL_HITS] = {"casting rays for all hits", NULL, "rays", 64, 1 << 17, false},
    [POINTS] = {"finding closest points", NULL, "points", 64, 1 << 17, false},
    [SPHERES] = {"casting spheres", NULL, "spheres", 64, 1 << 16, false},
    [CULL] = {"culling", NULL, "boxes", 256, 1 << 20, false},
    [SCENE_CULL] = {"culling a scene", "ids", "instances", 64, 1 << 16, false},
    [SCENE_CLASSES] = {"culling a scene", "classes", "instances", 64, 1 << 16, false},
    [PAIRS] = {"finding pairs", NULL, "boxes", 256, 1 << 18, false},
    [PAIRS_GRID] = {"finding pairs", "grid", "boxes", 256, 1 << 18, false},
    [PAIRS_BVH] = {"finding pairs", "bvh", "boxes", 256, 1 << 18, false},
    [STEP] = {"moving particles", NULL, "particles", 256, 1 << 17, false},
    [CONTACTS] = {"finding contacts", NULL, "particles", 256, 1 << 17, false},
    [NEIGHBOURS] = {"finding neighbours", NULL, "particles", 256, 1 << 17, false},
    [RELATIONS] = {"overlap of meshes", "relations", "poses", 4, 1 << 13, false},
    [SOLID] = {"overlap of meshes", "solid", "poses", 4, 1 << 13, false},
    [MESH_PAIRS] = {"overlap of meshes", "pairs", "poses", 4, 1 << 11, false},
    [FILTER] = {"filtering objects", NULL, "objects", 4, 1 << 11, false},
    [STEP_UNIFORM] = {"moving particles", NULL, "particles of uniform radii", 256, 1 << 17, true},
    [STEP_POWER_LAW] = {"moving particles", NULL, "particles of power-law radii", 256, 1 << 17, true},
    [STEP_BIMODAL] = {"moving particles", NULL, "particles of two radii", 256, 1 << 17, true},
};

struct tact_sample {
    tact_context* context;
    int kind;
    size_t size;
    uint64_t random;
    void* queries;  // rays, points, spheres, boxes, poses, objects
    void* answers;
    uint64_t* offsets;
    uint8_t* classes;
    float* positions;  // of the mesh
    uint32_t* indices;
    size_t vertices, triangles;
    tact_scene* scene;
    tact_culler* culler;
    tact_volume_set* set;
    tact_particles* particles;
    tact_mesh *mesh, *other;
    tact_filter* filter;
};

/// From 0 to 1: PCG's output on a linear congruential generator (O'Neill 2014).
static float uniform(tact_sample* s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t x = s->random ^ (s->random >> 33);
    return (float)((x * 0xff51afd7ed558ccdu) >> 40) * 0x1p-24f;
}

static void* array(tact_sample* s, size_t count, size_t size)
{
    return tact_allocate_zeroed(&s->context->env, count ? count : 1, size);
}

/// A sphere of radius 1 with bumps: 2 n (n - 1) triangles.
static tact_result make_mesh(tact_sample* s, uint32_t n)
{
    const uint32_t around = n, rings = n;
    s->vertices = (size_t)around * rings;
    s->triangles = 2 * (size_t)around * (rings - 1);
    s->positions = array(s, 3 * s->vertices, sizeof *s->positions);
    s->indices = array(s, 3 * s->triangles, sizeof *s->indices);
    if (!s->positions || !s->indices) return TACT_ERROR_OUT_OF_MEMORY;
    const float pi = 3.14159265f;
    for (uint32_t j = 0; j < rings; ++j) {
        for (uint32_t i = 0; i < around; ++i) {
            const float u = 2.0f * pi * (float)i / (float)around, v = pi * (float)j / (float)(rings - 1);
            const float r = 1.0f + 0.05f * sinf(9.0f * u) * sinf(7.0f * v);
            float* p = s->positions + 3 * ((size_t)j * around + i);
            p[0] = r * sinf(v) * cosf(u);
            p[1] = r * sinf(v) * sinf(u);
            p[2] = r * cosf(v);
        }
    }
    uint32_t* at = s->indices;
    for (uint32_t j = 0; j + 1 < rings; ++j) {
        for (uint32_t i = 0; i < around; ++i) {
            const uint32_t next = (i + 1) % around, a = j * around + i, b = j * around + next;
            const uint32_t corners[6] = {a, a + around, b, b, a + around, b + around};
            memcpy(at, corners, sizeof corners);
            at += 6;
        }
    }
    return TACT_OK;
}

static tact_mesh_desc desc_of(const tact_sample* s)
{
    return (tact_mesh_desc){.positions = s->positions,
                            .vertex_count = s->vertices,
                            .indices = s->indices,
                            .triangle_count = s->triangles,
                            .quality = TACT_MESH_FAST};
}

/// Somewhere in a cube of that half edge.
static tact_vec3 place(tact_sample* s, float half)
{
    const float x = (2.0f * uniform(s) - 1.0f) * half, y = (2.0f * uniform(s) - 1.0f) * half;
    return (tact_vec3){x, y, (2.0f * uniform(s) - 1.0f) * half};
}

static void make_pose(tact_sample* s, float half, float pose[12])
{
    const tact_vec3 at = place(s, half);
    const float turn = 6.28318531f * uniform(s), c = cosf(turn), t = sinf(turn);
    const float made[12] = {c, -t, 0, at.x, t, c, 0, at.y, 0, 0, 1, at.z};
    memcpy(pose, made, sizeof made);
}

static tact_result make_scene(tact_sample* s, uint32_t detail, size_t instances)
{
    uint32_t id = 0, instance;
    tact_result result = make_mesh(s, detail);
    if (result == TACT_OK) result = tact_scene_create(s->context, &s->scene);
    const tact_mesh_desc desc = desc_of(s);
    if (result == TACT_OK) result = tact_scene_add_mesh(s->scene, &desc, &id);
    for (size_t i = 0; i < instances && result == TACT_OK; ++i) {
        float pose[12];
        make_pose(s, instances > 1 ? 100.0f : 0.0f, pose);
        result = tact_scene_add_instance(s->scene, id, pose, &instance);
    }
    return result == TACT_OK ? tact_scene_commit(s->scene) : result;
}

static tact_ray make_ray(tact_sample* s)
{
    const tact_vec3 from = place(s, 1.5f), to = place(s, 1.0f);
    return (tact_ray){from.x, from.y, from.z, 0.0f, to.x - from.x, to.y - from.y, to.z - from.z, INFINITY};
}

static tact_result make_rays(tact_sample* s)
{
    const size_t hits = s->kind == ALL_HITS ? 4 * s->size : s->size;
    tact_ray* rays = s->queries = array(s, s->size, sizeof *rays);
    s->answers = array(s, hits, sizeof(tact_hit));
    if (s->kind == ALL_HITS) s->offsets = array(s, s->size + 1, sizeof *s->offsets);
    if (!rays || !s->answers || (s->kind == ALL_HITS && !s->offsets)) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i)
        rays[i] = make_ray(s);
    return make_scene(s, 64, 1);
}

static tact_result make_near(tact_sample* s)
{
    const bool points = s->kind == POINTS;
    s->queries = array(s, s->size, points ? sizeof(tact_closest_query) : sizeof(tact_sphere_cast));
    s->answers = array(s, s->size, points ? sizeof(tact_closest_hit) : sizeof(tact_sphere_hit));
    if (!s->queries || !s->answers) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i) {
        const tact_vec3 at = place(s, 1.5f);
        if (points) {
            ((tact_closest_query*)s->queries)[i] = (tact_closest_query){at.x, at.y, at.z, INFINITY};
        } else {
            ((tact_sphere_cast*)s->queries)[i] = (tact_sphere_cast){make_ray(s), 0.02f};
        }
    }
    return make_scene(s, 48, 1);
}

/// Boxes of edge 1, of which each overlaps some three others.
static tact_result make_boxes(tact_sample* s)
{
    tact_aabb* boxes = s->queries = array(s, s->size, sizeof *boxes);
    s->answers = array(s, s->size, sizeof(uint32_t));
    if (!boxes || !s->answers) return TACT_ERROR_OUT_OF_MEMORY;
    const float half = 0.5f * cbrtf((float)s->size * 8.0f / 3.0f);
    for (size_t i = 0; i < s->size; ++i) {
        const tact_vec3 at = place(s, half);
        boxes[i] = (tact_aabb){{at.x - 0.5f, at.y - 0.5f, at.z - 0.5f}, {at.x + 0.5f, at.y + 0.5f, at.z + 0.5f}};
    }
    if (s->kind == CULL) return tact_culler_create(s->context, &s->culler);
    const tact_volume_set_desc desc = {.kind = TACT_VOLUME_AABB, .reserve = s->size};
    tact_result result = tact_volume_set_create(s->context, &desc, &s->set);
    if (result == TACT_OK) result = tact_volume_set_add_aabbs(s->set, boxes, s->size, NULL, NULL, s->answers);
    return result;
}

/// A radius of at most a half.
static float radius_of(tact_sample* s)
{
    const float u = uniform(s);
    if (s->kind == STEP_UNIFORM) return 0.1f + 0.4f * u;
    if (s->kind == STEP_BIMODAL) return u < 0.1f ? 0.0625f : 0.5f;
    // As many above a radius as its power of -1.5 says, of sizes 16 to 1: 64 is 16^1.5.
    const float root = cbrtf(64.0f - 63.0f * u);
    return fmaxf(0.5f / (root * root), 0.03125f);
}

static tact_result make_particles(tact_sample* s)
{
    float* positions = s->queries = array(s, 4 * s->size, sizeof *positions);
    if (!positions) return TACT_ERROR_OUT_OF_MEMORY;
    float* radii = positions + 3 * s->size;
    const size_t edge = (size_t)ceil(cbrt((double)s->size));
    for (size_t i = 0; i < s->size; ++i) {
        const size_t at[3] = {i % edge, i / edge % edge, i / (edge * edge)};
        for (int k = 0; k < 3; ++k)
            positions[3 * i + (size_t)k] = 0.98f * (float)at[k] + 0.51f + 0.02f * uniform(s);
        radii[i] = s->kind >= STEP_UNIFORM ? radius_of(s) : 0.5f;
    }
    const float top = (float)edge + 2.0f;
    const tact_particles_desc desc = {
        .domain = {{0, 0, 0}, {top, top, top}}, .gravity = {0, 0, -9.81f}, .reserve = s->size};
    const tact_particle_arrays arrays = {.positions = positions, .radii = radii};
    tact_result result = tact_particles_create(s->context, &desc, &s->particles);
    if (result == TACT_OK) result = tact_particles_add(s->particles, &arrays, s->size, NULL);
    if (result == TACT_OK && s->kind == CONTACTS) {
        s->answers = array(s, 4 * s->size, sizeof(tact_particle_contact));
        if (!s->answers) result = TACT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

static tact_result make_meshes(tact_sample* s)
{
    float(*poses)[12] = s->queries = array(s, s->size, sizeof *poses);
    s->answers = array(s, s->size, 1);
    if (!poses || !s->answers) return TACT_ERROR_OUT_OF_MEMORY;
    // Some two out of three poses meet.
    for (size_t i = 0; i < s->size; ++i)
        make_pose(s, 1.6f, poses[i]);
    tact_result result = make_mesh(s, 32);
    const tact_mesh_desc desc = desc_of(s);
    if (result == TACT_OK) result = tact_mesh_create(s->context, &desc, &s->mesh);
    if (result == TACT_OK) result = tact_mesh_create(s->context, &desc, &s->other);
    return result;
}

static tact_result make_objects(tact_sample* s)
{
    tact_filter_object* objects = s->queries = array(s, s->size, sizeof *objects);
    if (!objects) return TACT_ERROR_OUT_OF_MEMORY;
    const float half = cbrtf((float)s->size) * 1.1f;
    for (size_t i = 0; i < s->size; ++i)
        make_pose(s, half, objects[i].pose);
    const tact_result result = make_mesh(s, 16);
    return result == TACT_OK ? tact_filter_create(s->context, &s->filter) : result;
}

static tact_result make(tact_sample* s)
{
    switch (s->kind) {
        case CLOSEST_HIT:
        case ANY_HIT:
        case COUNT_HITS:
        case ALL_HITS:
            return make_rays(s);
        case POINTS:
        case SPHERES:
            return make_near(s);
        case CULL:
        case PAIRS:
        case PAIRS_GRID:
        case PAIRS_BVH:
            return make_boxes(s);
        case SCENE_CULL:
        case SCENE_CLASSES:
            s->answers = array(s, s->size, sizeof(uint32_t));
            s->classes = array(s, s->size, 1);
            return s->answers && s->classes ? make_scene(s, 8, s->size) : TACT_ERROR_OUT_OF_MEMORY;
        case STEP:
        case CONTACTS:
        case NEIGHBOURS:
        case STEP_UNIFORM:
        case STEP_POWER_LAW:
        case STEP_BIMODAL:
            return make_particles(s);
        case FILTER:
            return make_objects(s);
        default:
            return make_meshes(s);
    }
}

tact_result tact_sample_create(tact_context* context, int kind, size_t size, tact_sample** out)
{
    *out = NULL;
    tact_sample* s = tact_allocate_zeroed(&context->env, 1, sizeof *s);
    if (!s) return TACT_ERROR_OUT_OF_MEMORY;
    *s = (tact_sample){.context = context, .kind = kind, .size = size, .random = 1};
    const tact_result result = make(s);
    if (result == TACT_OK) {
        *out = s;
    } else {
        tact_sample_destroy(s);
    }
    return result;
}

void tact_sample_destroy(tact_sample* s)
{
    if (!s) return;
    tact_env* env = &s->context->env;
    tact_scene_destroy(s->scene);
    tact_culler_destroy(s->culler);
    tact_volume_set_destroy(s->set);
    tact_particles_destroy(s->particles);
    tact_mesh_destroy(s->mesh);
    tact_mesh_destroy(s->other);
    tact_filter_destroy(s->filter);
    void* const all[] = {s->queries, s->answers, s->offsets, s->classes, s->positions, s->indices};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        tact_release(env, all[i]);
    tact_release(env, s);
}

/// The view of a camera: half of what there is.
static const tact_plane planes[6] = {{{1, 0, 0}, -30},  {{-1, 0, 0}, -30}, {{0, 1, 0}, -30},
                                     {{0, -1, 0}, -30}, {{0, 0, 1}, -30},  {{0, 0, -1}, -30}};

tact_result tact_sample_ask(tact_sample* s, const tact_query_options* options, tact_query_report* report)
{
    const size_t n = s->size;
    size_t count = 0;
    tact_result result;
    switch (s->kind) {
        case CLOSEST_HIT:
        case ANY_HIT:
        case COUNT_HITS:
            return tact_raycast(s->scene, (tact_ray_mode)(s->kind - CLOSEST_HIT), s->queries, n, s->answers, options,
                                report);
        case ALL_HITS:
            result = tact_raycast_all(s->scene, s->queries, n, 4, s->offsets, s->answers, 4 * n, options, report);
            break;
        case POINTS:
            return tact_closest_points(s->scene, s->queries, n, s->answers, options, report);
        case SPHERES:
            return tact_cast_spheres(s->scene, s->queries, n, s->answers, options, report);
        case CULL: {
            const tact_cull_work work = {
                .kind = TACT_CULL_AABBS, .volumes = s->queries, .count = n, .planes = planes, .plane_count = 6};
            result = tact_cull(s->culler, &work, s->answers, n, &count, NULL, options, report);
            break;
        }
        case SCENE_CULL:
        case SCENE_CLASSES: {
            const tact_scene_cull_work work = {.planes = planes, .plane_count = 6};
            uint8_t* classes = s->kind == SCENE_CLASSES ? s->classes : NULL;
            result = tact_scene_cull(s->scene, &work, s->answers, n, &count, classes, options, report);
            break;
        }
        case PAIRS:
        case PAIRS_GRID:
        case PAIRS_BVH: {
            const tact_pairs_method method = s->kind == PAIRS        ? TACT_PAIRS_AUTO
                                             : s->kind == PAIRS_GRID ? TACT_PAIRS_GRID
                                                                     : TACT_PAIRS_BVH;
            result = tact_pairs_find(s->set, NULL, method, NULL, 0, &count, options, report);
            break;
        }
        case STEP:
        case STEP_UNIFORM:
        case STEP_POWER_LAW:
        case STEP_BIMODAL:
            result = tact_particles_step(s->particles, 1e-4f, 1, 4, options, report);
            return result == TACT_OK ? tact_particles_wait(s->particles) : result;
        case CONTACTS:
            result = tact_particles_contacts(s->particles, s->answers, 4 * n, &count, options, report);
            break;
        case NEIGHBOURS: {
            tact_neighbour_lists lists;
            return tact_particles_neighbours(s->particles, 1.5f, TACT_NEIGHBOURS_ONCE, &lists, options, report);
        }
        case FILTER: {
            const tact_filter_shape shape = {.positions = s->positions,
                                             .vertex_count = s->vertices,
                                             .indices = s->indices,
                                             .triangle_count = s->triangles};
            result = tact_filter_run(s->filter, &shape, 1, s->queries, n, NULL, NULL, 0, &count, NULL, options, report);
            break;
        }
        case MESH_PAIRS:
            result = tact_mesh_overlap_pairs(s->mesh, s->other, (const float(*)[12])s->queries, n, NULL, 0, &count,
                                             options, report);
            break;
        default:
            return tact_mesh_overlap(s->mesh, s->other, (const float(*)[12])s->queries, n, s->kind == SOLID, s->answers,
                                     options, report);
    }
    // There need be no room for what is found.
    return result == TACT_INCOMPLETE ? TACT_OK : result;
}
