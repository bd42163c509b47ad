// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A program outside the project, valid as C17 and as C++17 (consumer.cpp includes it): one triangle, one ray.
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

static int fail(const char* what)
{
    fprintf(stderr, "consumer: %s\n", what);
    return 1;
}

int main(void)
{
    if (strcmp(tact_version(), EXPECTED_VERSION) != 0 || strcmp(TACT_VERSION_STRING, EXPECTED_VERSION) != 0) {
        fprintf(stderr, "consumer: library %s, header %s, package %s\n", tact_version(), TACT_VERSION_STRING,
                EXPECTED_VERSION);
        return 1;
    }

    const float corners[9] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    tact_context_desc context_desc;
    tact_mesh_desc mesh_desc;
    memset(&context_desc, 0, sizeof context_desc);
    memset(&mesh_desc, 0, sizeof mesh_desc);
    context_desc.gl = TACT_DEVICE_NONE;
    context_desc.cl = TACT_DEVICE_NONE;
    mesh_desc.positions = corners;
    mesh_desc.vertex_count = 3;
    mesh_desc.triangle_count = 1;

    tact_context* context = NULL;
    tact_scene* scene = NULL;
    uint32_t mesh = 0;
    uint32_t instance = 0;
    if (tact_context_create(&context_desc, &context) != TACT_OK) {
        return fail("no context");
    }
    if (tact_scene_create(context, &scene) != TACT_OK || tact_scene_add_mesh(scene, &mesh_desc, &mesh) != TACT_OK ||
        tact_scene_add_instance(scene, mesh, NULL, &instance) != TACT_OK || tact_scene_commit(scene) != TACT_OK) {
        return fail(tact_context_error(context));
    }

    tact_ray rays[2];
    tact_hit hits[2];
    memset(rays, 0, sizeof rays);
    for (int i = 0; i < 2; ++i) {
        rays[i].ox = 0.25f + 2.0f * (float)i;  // the first hits, the second passes by
        rays[i].oy = 0.25f;
        rays[i].oz = 2.0f;
        rays[i].dz = -1.0f;
        rays[i].tmax = 10.0f;
    }
    if (tact_raycast(scene, TACT_RAY_CLOSEST, rays, 2, hits, NULL, NULL) != TACT_OK) {
        return fail(tact_context_error(context));
    }
    if (hits[0].instance != instance || hits[0].primitive != 0 || hits[0].t != 2.0f || hits[0].u != 0.25f ||
        hits[0].v != 0.25f || hits[1].primitive != TACT_NONE) {
        return fail("wrong hits");
    }
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    printf("tact %s (%s)\n", tact_version(), tact_build_info());
    return 0;
}
