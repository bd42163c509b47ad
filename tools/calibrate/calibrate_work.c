// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tools/calibrate/calibrate_work.h"

#include <math.h>
#include <string.h>

#include "tools/request/request.h"

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
    tact_request request;
    int kind;
    size_t size;
    uint64_t random;
    void* queries;     // rays, points, spheres, boxes, poses, objects
    float* positions;  // of the mesh
    uint32_t* indices;
    size_t vertices, triangles;
    tact_filter_shape shape;
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
    return tact_allocate_zeroed(&s->request.context->env, count ? count : 1, size);
}

/// A sphere of radius 1 with bumps: 2 n (n - 1) triangles.
static tact_result make_mesh(tact_sample* s, uint32_t n)
{
    TACT_ASSERT(n >= 2 && !s->positions && !s->indices);
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
    TACT_ASSERT(at == s->indices + 3 * s->triangles);
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
    if (result == TACT_OK) result = tact_scene_create(s->request.context, &s->request.scene);
    const tact_mesh_desc desc = desc_of(s);
    if (result == TACT_OK) result = tact_scene_add_mesh(s->request.scene, &desc, &id);
    for (size_t i = 0; i < instances && result == TACT_OK; ++i) {
        float pose[12];
        make_pose(s, instances > 1 ? 100.0f : 0.0f, pose);
        result = tact_scene_add_instance(s->request.scene, id, pose, &instance);
    }
    return result == TACT_OK ? tact_scene_commit(s->request.scene) : result;
}

static tact_ray make_ray(tact_sample* s)
{
    const tact_vec3 from = place(s, 1.5f), to = place(s, 1.0f);
    return (tact_ray){from.x, from.y, from.z, 0.0f, to.x - from.x, to.y - from.y, to.z - from.z, INFINITY};
}

/// The rows of an input.
static void give(tact_sample* s, int input, const void* rows, size_t count)
{
    TACT_ASSERT(input >= 0 && input < TACT_QUERY_INPUTS);
    TACT_ASSERT(!s->request.given[input].data);
    s->request.given[input] = (tact_given){rows, count};
}

static tact_result make_rays(tact_sample* s)
{
    tact_request* r = &s->request;
    tact_ray* rays = s->queries = array(s, s->size, sizeof *rays);
    if (!rays) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i)
        rays[i] = make_ray(s);
    give(s, 1, rays, s->size);
    if (s->kind == ALL_HITS) {
        enum { MOST = 4 };
        r->parameters[0] = MOST;
        tact_request_set_wide(r, 4, MOST * (uint64_t)s->size);
    } else {
        r->parameters[0] = (uint32_t)(s->kind - CLOSEST_HIT);
    }
    return make_scene(s, 64, 1);
}

static tact_result make_near(tact_sample* s)
{
    const bool points = s->kind == POINTS;
    s->queries = array(s, s->size, points ? sizeof(tact_closest_query) : sizeof(tact_sphere_cast));
    if (!s->queries) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i) {
        const tact_vec3 at = place(s, 1.5f);
        if (points) {
            ((tact_closest_query*)s->queries)[i] = (tact_closest_query){at.x, at.y, at.z, INFINITY};
        } else {
            ((tact_sphere_cast*)s->queries)[i] = (tact_sphere_cast){make_ray(s), 0.02f};
        }
    }
    give(s, 1, s->queries, s->size);
    return make_scene(s, 48, 1);
}

/// The view of a camera: half of what there is.
static const tact_plane planes[6] = {{{1, 0, 0}, -30},  {{-1, 0, 0}, -30}, {{0, 1, 0}, -30},
                                     {{0, -1, 0}, -30}, {{0, 0, 1}, -30},  {{0, 0, -1}, -30}};

static tact_result make_culled_scene(tact_sample* s)
{
    s->request.parameters[1] = s->kind == SCENE_CLASSES;
    give(s, 1, planes, sizeof planes / sizeof planes[0]);
    return make_scene(s, 8, s->size);
}

/// Boxes of edge 1, of which each overlaps some three others.
static tact_result make_boxes(tact_sample* s)
{
    tact_request* r = &s->request;
    tact_aabb* boxes = s->queries = array(s, s->size, sizeof *boxes);
    if (!boxes) return TACT_ERROR_OUT_OF_MEMORY;
    const float half = 0.5f * cbrtf((float)s->size * 8.0f / 3.0f);
    for (size_t i = 0; i < s->size; ++i) {
        const tact_vec3 at = place(s, half);
        boxes[i] = (tact_aabb){{at.x - 0.5f, at.y - 0.5f, at.z - 0.5f}, {at.x + 0.5f, at.y + 0.5f, at.z + 0.5f}};
    }
    if (s->kind == CULL) {
        r->parameters[0] = TACT_CULL_AABBS;
        give(s, 0, boxes, s->size);
        give(s, 1, planes, sizeof planes / sizeof planes[0]);
        return TACT_OK;
    }
    r->parameters[0] = (uint32_t)(s->kind == PAIRS        ? TACT_PAIRS_AUTO
                                  : s->kind == PAIRS_GRID ? TACT_PAIRS_GRID
                                                          : TACT_PAIRS_BVH);
    const tact_volume_set_desc desc = {.kind = TACT_VOLUME_AABB, .reserve = s->size};
    tact_result result = tact_volume_set_create(r->context, &desc, &r->sets[0]);
    if (result == TACT_OK) result = tact_volume_set_add_aabbs(r->sets[0], boxes, s->size, NULL, NULL, NULL);
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
    tact_request* r = &s->request;
    const float dt = 1e-4f, radius = 1.5f;
    if (s->kind == CONTACTS) {
        tact_request_set_wide(r, 0, 4 * (uint64_t)s->size);
    } else if (s->kind == NEIGHBOURS) {
        memcpy(&r->parameters[0], &radius, sizeof radius);
        r->parameters[1] = TACT_NEIGHBOURS_ONCE;
    } else {
        memcpy(&r->parameters[0], &dt, sizeof dt);
        r->parameters[1] = 1;  // substeps
        r->parameters[2] = 4;  // steps
    }
    tact_result result = tact_particles_create(r->context, &desc, &r->particles);
    if (result == TACT_OK) result = tact_particles_add(r->particles, &arrays, s->size, NULL);
    return result;
}

static tact_result make_meshes(tact_sample* s)
{
    tact_request* r = &s->request;
    float(*poses)[12] = s->queries = array(s, s->size, sizeof *poses);
    if (!poses) return TACT_ERROR_OUT_OF_MEMORY;
    // Some two out of three poses meet.
    for (size_t i = 0; i < s->size; ++i)
        make_pose(s, 1.6f, poses[i]);
    give(s, 2, poses, s->size);
    r->parameters[0] = (uint32_t)(s->kind - RELATIONS);
    tact_result result = make_mesh(s, 32);
    const tact_mesh_desc desc = desc_of(s);
    if (result == TACT_OK) result = tact_mesh_create(r->context, &desc, &r->meshes[0]);
    if (result == TACT_OK) result = tact_mesh_create(r->context, &desc, &r->meshes[1]);
    return result;
}

static tact_result make_objects(tact_sample* s)
{
    tact_filter_object* objects = s->queries = array(s, s->size, sizeof *objects);
    if (!objects) return TACT_ERROR_OUT_OF_MEMORY;
    const float half = cbrtf((float)s->size) * 1.1f;
    for (size_t i = 0; i < s->size; ++i)
        make_pose(s, half, objects[i].pose);
    give(s, 1, objects, s->size);
    const tact_result result = make_mesh(s, 16);
    s->shape = (tact_filter_shape){
        .positions = s->positions, .vertex_count = s->vertices, .indices = s->indices, .triangle_count = s->triangles};
    s->request.shapes = &s->shape;
    s->request.shape_count = 1;
    return result;
}

tact_result tact_sample_create(tact_context* context, int kind, size_t size, tact_sample** out)
{
    static const struct {
        tact_recorded_kind kind;
        tact_result (*make)(tact_sample* s);
    } makers[TACT_SAMPLE_KINDS] = {
        [CLOSEST_HIT] = {TACT_RECORDED_RAYCAST, make_rays},
        [ANY_HIT] = {TACT_RECORDED_RAYCAST, make_rays},
        [COUNT_HITS] = {TACT_RECORDED_RAYCAST, make_rays},
        [ALL_HITS] = {TACT_RECORDED_RAYCAST_ALL, make_rays},
        [POINTS] = {TACT_RECORDED_CLOSEST, make_near},
        [SPHERES] = {TACT_RECORDED_SPHERES, make_near},
        [CULL] = {TACT_RECORDED_CULL, make_boxes},
        [SCENE_CULL] = {TACT_RECORDED_SCENE_CULL, make_culled_scene},
        [SCENE_CLASSES] = {TACT_RECORDED_SCENE_CULL, make_culled_scene},
        [PAIRS] = {TACT_RECORDED_PAIRS, make_boxes},
        [PAIRS_GRID] = {TACT_RECORDED_PAIRS, make_boxes},
        [PAIRS_BVH] = {TACT_RECORDED_PAIRS, make_boxes},
        [STEP] = {TACT_RECORDED_PARTICLES, make_particles},
        [CONTACTS] = {TACT_RECORDED_CONTACTS, make_particles},
        [NEIGHBOURS] = {TACT_RECORDED_NEIGHBOURS, make_particles},
        [RELATIONS] = {TACT_RECORDED_OVERLAP, make_meshes},
        [SOLID] = {TACT_RECORDED_OVERLAP, make_meshes},
        [MESH_PAIRS] = {TACT_RECORDED_OVERLAP, make_meshes},
        [FILTER] = {TACT_RECORDED_FILTER, make_objects},
        [STEP_UNIFORM] = {TACT_RECORDED_PARTICLES, make_particles},
        [STEP_POWER_LAW] = {TACT_RECORDED_PARTICLES, make_particles},
        [STEP_BIMODAL] = {TACT_RECORDED_PARTICLES, make_particles},
    };
    *out = NULL;
    tact_sample* s = tact_allocate_zeroed(&context->env, 1, sizeof *s);
    if (!s) return TACT_ERROR_OUT_OF_MEMORY;
    s->request = (tact_request){.context = context, .kind = makers[kind].kind};
    s->kind = kind;
    s->size = size;
    s->random = 1;
    const tact_result result = makers[kind].make(s);
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
    tact_request* r = &s->request;
    tact_env* env = &r->context->env;
    tact_request_release(r);
    tact_scene_destroy(r->scene);
    tact_volume_set_destroy(r->sets[0]);
    tact_particles_destroy(r->particles);
    tact_mesh_destroy(r->meshes[0]);
    tact_mesh_destroy(r->meshes[1]);
    tact_release(env, s->queries);
    tact_release(env, s->positions);
    tact_release(env, s->indices);
    tact_release(env, s);
}

tact_result tact_sample_ask(tact_sample* s, const tact_query_options* options, tact_query_report* report)
{
    tact_result answered = TACT_OK;
    const tact_result result = tact_request_ask(&s->request, options, report, &answered);
    // There need be no room for what is found.
    return result != TACT_OK ? result : answered == TACT_INCOMPLETE ? TACT_OK : answered;
}
