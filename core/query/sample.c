// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/query/sample.h"

#include <math.h>
#include <string.h>

tact_result tact_sample_create(tact_context* context, const tact_query* query, const tact_query_sample* of, size_t size,
                               uint64_t seed, tact_sample** out)
{
    TACT_ASSERT(query->sample && of >= query->samples && of < query->samples + query->sample_count);
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

void tact_sample_pose(tact_sample* s, float half, float pose[12])
{
    const tact_vec3 at = tact_sample_place(s, half);
    const float turn = 6.28318531f * tact_sample_uniform(s), c = cosf(turn), t = sinf(turn);
    const float made[12] = {c, -t, 0, at.x, t, c, 0, at.y, 0, 0, 1, at.z};
    memcpy(pose, made, sizeof made);
}

tact_ray tact_sample_ray(tact_sample* s)
{
    const tact_vec3 from = tact_sample_place(s, 1.5f), to = tact_sample_place(s, 1.0f);
    return (tact_ray){from.x, from.y, from.z, 0.0f, to.x - from.x, to.y - from.y, to.z - from.z, INFINITY};
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
    const float half = 0.5f * cbrtf((float)s->size * 8.0f / 3.0f);
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
    TACT_ASSERT(n >= 2);
    const size_t vertices = (size_t)n * n, triangles = 2 * (size_t)n * (n - 1);
    float* positions = tact_request_array(&s->request, 3 * vertices, sizeof *positions);
    uint32_t* indices = tact_request_array(&s->request, 3 * triangles, sizeof *indices);
    if (!positions || !indices) return TACT_ERROR_OUT_OF_MEMORY;
    s->request.surfaces[0] = (tact_mesh_desc){
        .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles};
    const float pi = 3.14159265f;
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t i = 0; i < n; ++i, positions += 3) {
            const float u = 2.0f * pi * (float)i / (float)n, v = pi * (float)j / (float)(n - 1);
            const float r = 1.0f + 0.05f * sinf(9.0f * u) * sinf(7.0f * v);
            positions[0] = r * sinf(v) * cosf(u);
            positions[1] = r * sinf(v) * sinf(u);
            positions[2] = r * cosf(v);
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
