// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/query/sample.h"

#include <math.h>
#include <string.h>

tact_result tact_sample_create(tact_context* context, const tact_query* query, const tact_query_sample* of, size_t size,
                               uint64_t seed, tact_sample** out)
{
    TACT_ASSERT(query->sample && of);
    *out = NULL;
    tact_sample* s = tact_allocate_zeroed(&context->env, 1, sizeof *s);
    if (!s) return TACT_ERROR_OUT_OF_MEMORY;
    s->request = (tact_request){.context = context, .query = query};
    s->of = of;
    s->size = size;
    s->random = seed;
    const tact_result result = query->sample(s);
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
    tact_env* env = &s->request.context->env;
    tact_request_release(&s->request);
    tact_release(env, s);
}

tact_result tact_sample_ask(tact_sample* s, const tact_query_options* options, tact_query_report* report)
{
    tact_result answered = TACT_OK;
    const tact_result result = tact_request_ask(&s->request, options, report, &answered);
    // There need be no room for what is found.
    return result != TACT_OK ? result : answered == TACT_INCOMPLETE ? TACT_OK : answered;
}

static bool is_feature(const tact_sample* s)
{
    const tact_query* q = s->request.query;
    for (size_t i = 0; i < q->feature_count; ++i)
        if (s->of == &q->features[i]) return true;
    return false;
}

/// PCG's output on a linear congruential generator (O'Neill 2014).
float tact_sample_uniform(tact_sample* s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t x = s->random ^ (s->random >> 33);
    return (float)((x * 0xff51afd7ed558ccdu) >> 40) * 0x1p-24f;
}

tact_vec3 tact_sample_place(tact_sample* s, float half)
{
    const float x = (2.0f * tact_sample_uniform(s) - 1.0f) * half, y = (2.0f * tact_sample_uniform(s) - 1.0f) * half;
    return (tact_vec3){x, y, (2.0f * tact_sample_uniform(s) - 1.0f) * half};
}

typedef struct turn {
    float cosine, sine;
} turn;

/// Turns by about `part` of a full turn, and by just that at the quarters.
static turn turn_by(float part)
{
    const float quarter = floorf(4.0f * part), t = 4.0f * part - quarter;
    const float x = (1.0f - t * t) / (1.0f + t * t), y = 2.0f * t / (1.0f + t * t);
    switch ((int)quarter & 3) {
        case 0:
            return (turn){x, y};
        case 1:
            return (turn){-y, x};
        case 2:
            return (turn){-x, -y};
        default:
            return (turn){y, -x};
    }
}

void tact_sample_pose(tact_sample* s, float half, float pose[12])
{
    const tact_vec3 at = tact_sample_place(s, half);
    const turn t = turn_by(tact_sample_uniform(s));
    const float made[12] = {t.cosine, -t.sine, 0, at.x, t.sine, t.cosine, 0, at.y, 0, 0, 1, at.z};
    memcpy(pose, made, sizeof made);
}

tact_ray tact_sample_ray(tact_sample* s)
{
    const tact_vec3 from = tact_sample_place(s, 1.5f), to = tact_sample_place(s, 1.0f);
    return (tact_ray){from.x, from.y, from.z, 0.0f, to.x - from.x, to.y - from.y, to.z - from.z, INFINITY};
}

tact_ray tact_sample_ray_down(tact_sample* s)
{
    const tact_vec3 from = tact_sample_place(s, 2.0f), along = tact_sample_place(s, 0.2f);
    return (tact_ray){from.x, from.y, 9.0f, 0.0f, along.x, along.y, -1.0f, 40.0f};
}

float tact_sample_cube_root(float volume)
{
    enum { STEPS = 6 };  // of Newton's method, from less than twice the root on
    float root = 1.0f;
    while (root * root * root < volume)
        root *= 2.0f;
    for (int i = 0; i < STEPS; ++i)
        root -= (root * root * root - volume) / (3.0f * root * root);
    return root;
}

void* tact_sample_rows(tact_sample* s, int input, size_t bytes)
{
    TACT_ASSERT(input >= 0 && input < TACT_QUERY_INPUTS && !s->request.given[input].data);
    void* rows = tact_request_array(&s->request, s->size, bytes);
    if (rows) s->request.given[input] = (tact_given){rows, s->size};
    return rows;
}

tact_aabb* tact_sample_boxes(tact_sample* s)
{
    tact_aabb* boxes = tact_request_array(&s->request, s->size, sizeof *boxes);
    const float half = 0.5f * tact_sample_cube_root((float)s->size * 8.0f / 3.0f);
    for (size_t i = 0; boxes && i < s->size; ++i) {
        const tact_vec3 at = tact_sample_place(s, half);
        boxes[i] = (tact_aabb){{at.x - 0.5f, at.y - 0.5f, at.z - 0.5f}, {at.x + 0.5f, at.y + 0.5f, at.z + 0.5f}};
    }
    return boxes;
}

void tact_sample_planes(tact_sample* s)
{
    static const tact_plane planes[6] = {{{1, 0, 0}, -30},  {{-1, 0, 0}, -30}, {{0, 1, 0}, -30},
                                         {{0, -1, 0}, -30}, {{0, 0, 1}, -30},  {{0, 0, -1}, -30}};
    s->request.given[1] = (tact_given){planes, sizeof planes / sizeof planes[0]};
}

tact_result tact_sample_mesh(tact_sample* s, uint32_t n)
{
    enum { FEW = 6 };
    TACT_ASSERT(n >= 2);
    if (n > FEW && (s->size < s->of->smallest || is_feature(s))) n = FEW;
    const size_t vertices = (size_t)n * n, triangles = 2 * (size_t)n * (n - 1);
    float* positions = tact_request_array(&s->request, 3 * vertices, sizeof *positions);
    uint32_t* indices = tact_request_array(&s->request, 3 * triangles, sizeof *indices);
    if (!positions || !indices) return TACT_ERROR_OUT_OF_MEMORY;
    s->request.surfaces[0] = (tact_mesh_desc){
        .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles};
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t i = 0; i < n; ++i, positions += 3) {
            const float u = (float)i / (float)n, v = 0.5f * (float)j / (float)(n - 1);
            const turn around = turn_by(u), down = turn_by(v);
            const float r = 1.0f + 0.05f * turn_by(9.0f * u).sine * turn_by(7.0f * v).sine;
            positions[0] = r * down.sine * around.cosine;
            positions[1] = r * down.sine * around.sine;
            positions[2] = r * down.cosine;
        }
    }
    for (uint32_t j = 0; j + 1 < n; ++j) {
        for (uint32_t i = 0; i < n; ++i, indices += 6) {
            const uint32_t next = (i + 1) % n, a = j * n + i, b = j * n + next;
            const uint32_t corners[6] = {a, a + n, b, b, a + n, b + n};
            memcpy(indices, corners, sizeof corners);
        }
    }
    return TACT_OK;
}

tact_result tact_sample_soup(tact_sample* s)
{
    tact_vec3* corners = tact_request_array(&s->request, 3 * s->size, sizeof *corners);
    if (!corners) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < 3 * s->size; ++i)
        corners[i] = tact_sample_place(s, 1.0f);
    s->request.surfaces[0] =
        (tact_mesh_desc){.positions = &corners->x, .vertex_count = 3 * s->size, .triangle_count = s->size};
    return TACT_OK;
}

static void release_scene(void* scene)
{
    tact_scene_destroy(scene);
}

tact_result tact_sample_scene(tact_sample* s, uint32_t n, size_t instances)
{
    uint32_t id = 0, instance;
    tact_scene* scene = NULL;
    tact_result result = tact_sample_mesh(s, n);
    if (result == TACT_OK) result = tact_scene_create(s->request.context, &scene);
    if (scene) tact_request_own(&s->request, scene, release_scene);
    if (result == TACT_OK) result = tact_scene_add_mesh(scene, &s->request.surfaces[0], &id);
    if (result == TACT_OK) result = tact_scene_set_quality(scene, id, TACT_MESH_FAST);
    for (size_t i = 0; i < instances && result == TACT_OK; ++i) {
        float pose[12];
        tact_sample_pose(s, instances > 1 ? 100.0f : 0.0f, pose);
        result = tact_scene_add_instance(scene, id, pose, &instance);
    }
    s->request.given[0] = (tact_given){scene, 1};
    return result == TACT_OK ? tact_scene_commit(scene) : result;
}

/// Cubes of edge 2, with where on its mask each corner is.
static const float cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
static const float cube_uvs[16] = {-1, -1, 1, -1, -1, 1, 1, 1, -1, -1, 1, -1, -1, 1, 1, 1};
static const uint32_t cube_indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const tact_mesh_desc cube_desc = {
    .positions = cube, .vertex_count = 8, .indices = cube_indices, .triangle_count = 12};

static tact_result add_cubes(tact_scene* scene)
{
    enum { CUBES = 5 };
    uint32_t mesh = 0, instance;
    tact_result result = tact_scene_add_mesh(scene, &cube_desc, &mesh);
    if (result == TACT_OK) result = tact_scene_set_quality(scene, mesh, TACT_MESH_HIGH);
    for (int i = 0; i < CUBES && result == TACT_OK; ++i) {
        const float pose[12] = {1, 0, 0.25f * (float)i, (float)i - 2, 0, 1, 0, 0.5f * (float)i, 0, 0, 1, (float)-i};
        result = tact_scene_add_instance(scene, mesh, pose, &instance);
    }
    if (result == TACT_OK) result = tact_scene_set_mask(scene, 2, 6);
    if (result == TACT_OK) result = tact_scene_set_dynamic(scene, 3, true);
    return result;
}

static const tact_sphere spheres[2] = {{{-1, -1, 2}, 0.5f}, {{1, -1, 3}, 0.25f}};
static const tact_aabb boxes[2] = {{{0, 1, 3}, {0.5f, 2, 4}}, {{-2, 1, 2}, {-1.5f, 1.25f, 5}}};
static const tact_capsule capsule = {{0, -2, 1}, {1, -1, 4}, 0.25f};

static tact_result add_shapes(tact_scene* scene)
{
    static const uint8_t texels[6] = {0, 255, 9, 200, 0, 130};
    static const float up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4};
    const tact_alpha_desc alpha = {.uvs = cube_uvs, .texels = texels, .width = 3, .height = 2, .threshold = 128};
    uint32_t mesh[4] = {0}, instance;
    tact_result result = tact_scene_add_mesh(scene, &cube_desc, &mesh[0]);
    if (result == TACT_OK) result = tact_scene_set_alpha(scene, mesh[0], &alpha);
    if (result == TACT_OK) result = tact_scene_add_spheres(scene, spheres, 2, &mesh[1]);
    if (result == TACT_OK) result = tact_scene_add_boxes(scene, boxes, 2, &mesh[2]);
    if (result == TACT_OK) result = tact_scene_add_capsules(scene, &capsule, 1, &mesh[3]);
    for (int i = 0; i < 4 && result == TACT_OK; ++i)
        result = tact_scene_add_instance(scene, mesh[i], i == 0 ? up : NULL, &instance);
    return result;
}

/// An empty scene as input 0.
static tact_result begin_scene(tact_sample* s, tact_scene** scene)
{
    const tact_result result = tact_scene_create(s->request.context, scene);
    if (result != TACT_OK) return result;
    tact_request_own(&s->request, *scene, release_scene);
    s->request.given[0] = (tact_given){*scene, 1};
    return TACT_OK;
}

tact_result tact_sample_mixed_scene(tact_sample* s, bool shapes)
{
    tact_scene* scene = NULL;
    tact_result result = begin_scene(s, &scene);
    s->request.surfaces[0] = cube_desc;
    if (result == TACT_OK) result = add_cubes(scene);
    if (result == TACT_OK && shapes) result = add_shapes(scene);
    if (result == TACT_OK) result = tact_scene_remove_instance(scene, 1);
    return result == TACT_OK ? tact_scene_commit(scene) : result;
}

tact_result tact_sample_bent_scene(tact_sample* s)
{
    static const float poses[3][12] = {{3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5f, 0},
                                       {1, 0.75f, 0, 1, 0, -1, 0.25f, 0, 0, 0, 2, -4},
                                       {0.5f, 0, 2, -1, 0.125f, 1, 0, 0, 0, -0.0625f, 1, 0}};
    tact_scene* scene = NULL;
    uint32_t mesh[3] = {0}, instance;
    tact_result result = begin_scene(s, &scene);
    s->request.surfaces[0] = cube_desc;
    if (result == TACT_OK) result = add_cubes(scene);
    if (result == TACT_OK) result = tact_scene_add_spheres(scene, spheres, 2, &mesh[0]);
    if (result == TACT_OK) result = tact_scene_add_boxes(scene, boxes, 2, &mesh[1]);
    if (result == TACT_OK) result = tact_scene_add_capsules(scene, &capsule, 1, &mesh[2]);
    for (int i = 0; i < 9 && result == TACT_OK; ++i)
        result = tact_scene_add_instance(scene, mesh[i / 3], poses[i % 3], &instance);
    return result == TACT_OK ? tact_scene_commit(scene) : result;
}
