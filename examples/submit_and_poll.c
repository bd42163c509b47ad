// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays that are given away and asked for later, so that the program does something else meanwhile; and every hit along
// rays, which nobody knows the number of before. On a GPU the first call returns at once; the CPU has done it all then.
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

enum { SIDE = 64, COUNT = SIDE * SIDE, BALLS = 10 };

int main(void)
{
    static tact_ray rays[COUNT];
    static tact_hit hits[COUNT];
    static uint64_t offsets[COUNT + 1];
    tact_sphere balls[BALLS];
    for (int i = 0; i < BALLS; ++i)
        balls[i] = (tact_sphere){{(float)(i % 3), (float)(i % 2), 2.0f * (float)i}, 1.0f};
    for (int i = 0; i < COUNT; ++i) {
        const float x = (float)(i % SIDE) / 16 - 1, y = (float)(i / SIDE) / 16 - 1;
        rays[i] = (tact_ray){.ox = x, .oy = y, .oz = -5, .dz = 1, .tmax = 100};
    }
    tact_context* context = NULL;
    tact_scene* scene = NULL;
    tact_hit* all = NULL;
    tact_ticket ticket = 0;
    uint32_t mesh, instance;
    bool done = false;
    unsigned meanwhile = 0, mistakes = 0;
    int status = 1;
    if (tact_context_create(NULL, &context) != TACT_OK) return 1;
    if (tact_scene_create(context, &scene) != TACT_OK ||
        tact_scene_add_spheres(scene, balls, BALLS, &mesh) != TACT_OK ||
        tact_scene_add_instance(scene, mesh, NULL, &instance) != TACT_OK || tact_scene_commit(scene) != TACT_OK) {
        goto finish;
    }
    const tact_raycast_work job = {.mode = TACT_RAY_CLOSEST, .count = COUNT, .rays = rays, .hits = hits};
    if (tact_raycast_with(scene, &job, &(tact_query_options){.ticket = &ticket}, NULL) != TACT_OK) goto finish;
    while (!done) {
        ++meanwhile;  // here the program does something else
        if (tact_poll(context, ticket, &done) != TACT_OK) goto finish;
    }
    if (tact_wait(context, ticket, NULL) != TACT_OK) goto finish;

    // All hits: without room the call counts them, and returns TACT_INCOMPLETE, which is no error.
    if (tact_raycast_all(scene, &(tact_raycast_all_work){.rays = rays, .count = COUNT, .offsets = offsets}, NULL,
                         NULL) < 0)
        goto finish;
    const size_t total = (size_t)offsets[COUNT];
    all = malloc((total ? total : 1) * sizeof *all);
    if (!all || tact_raycast_all(scene,
                                 &(tact_raycast_all_work){
                                     .rays = rays, .count = COUNT, .offsets = offsets, .hits = all, .capacity = total},
                                 NULL, NULL) != TACT_OK)
        goto finish;
    for (int i = 0; i < COUNT; ++i) {
        const bool hit = offsets[i] < offsets[i + 1];
        if (hit != (hits[i].instance != TACT_NONE) || (hit && all[offsets[i]].t != hits[i].t)) ++mistakes;
    }
    printf("%d rays, %zu hits along them; looked %u times whether the cast was done; %u first hits differ\n", COUNT,
           total, meanwhile, mistakes);
    status = mistakes != 0 || total == 0;
finish:
    if (status) fprintf(stderr, "%s\n", tact_context_error(context));
    free(all);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return status;
}
