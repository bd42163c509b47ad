// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a ball touches on its way: one that falls onto a floor, one that flies past a wall's edge, one too high up.
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    // A floor in the plane y = 0 and a wall that stands on it in the plane x = 2.
    const float vertices[] = {-9, 0, -9, 9, 0, -9, 9, 0, 9, -9, 0, 9, 2, 0, -1, 2, 3, -1, 2, 3, 1, 2, 0, 1};
    const uint32_t corners[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7};
    const tact_mesh_desc room = {.positions = vertices, .vertex_count = 8, .indices = corners, .triangle_count = 4};
    const tact_sphere_cast casts[] = {
        {.ray = {.ox = -3, .oy = 5, .dy = -1, .tmax = 10}, .radius = 0.5f},
        {.ray = {.ox = -3, .oy = 3.25f, .dx = 1, .tmax = 10}, .radius = 0.5f},
        {.ray = {.ox = -3, .oy = 4, .dx = 1, .tmax = 10}, .radius = 0.5f},
    };
    enum { COUNT = sizeof casts / sizeof casts[0] };
    tact_sphere_hit hits[COUNT];

    tact_context* context = NULL;
    tact_scene* scene = NULL;
    uint32_t mesh, instance;
    int status = 1;
    if (tact_context_create(NULL, &context) != TACT_OK) return 1;
    if (tact_scene_create(context, &scene) == TACT_OK && tact_scene_add_mesh(scene, &room, &mesh) == TACT_OK &&
        tact_scene_add_instance(scene, mesh, NULL, &instance) == TACT_OK && tact_scene_commit(scene) == TACT_OK &&
        tact_spherecast(scene, casts, COUNT, hits, NULL, NULL) == TACT_OK) {
        for (int i = 0; i < COUNT; ++i) {
            if (hits[i].instance == TACT_NONE) {
                printf("ball %d: nothing up to t = %g\n", i, (double)hits[i].t);
            } else {
                printf("ball %d: triangle %u at t = %.4f, point (%g %g %g), normal (%.3f %.3f %.3f)\n", i,
                       (unsigned)hits[i].primitive, (double)hits[i].t, (double)hits[i].x, (double)hits[i].y,
                       (double)hits[i].z, (double)hits[i].nx, (double)hits[i].ny, (double)hits[i].nz);
            }
        }
        // The second ball's centre passes a quarter above the wall, whose edge it touches at a slant.
        status = hits[0].t != 4.5f || hits[0].ny != 1.0f || hits[1].primitive < 2 || hits[1].ny <= 0.0f ||
                 hits[1].nx >= 0.0f || hits[2].instance != TACT_NONE;
    } else {
        fprintf(stderr, "%s\n", tact_context_error(context));
    }
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return status;
}
