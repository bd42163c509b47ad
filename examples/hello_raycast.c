// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The README's program: what stands below this line is printed there, and a test compares the two.
// [readme]
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_ray ray = {.ox = 0.25f, .oy = 0.25f, .oz = 2, .dz = -1, .tmax = 10};
    tact_context* context = NULL;
    tact_scene* scene = NULL;
    tact_query_report report;
    tact_hit hit;
    uint32_t mesh, instance;

    if (tact_context_create(NULL, &context) != TACT_OK) return 1;
    if (tact_scene_create(context, &scene) != TACT_OK || tact_scene_add_mesh(scene, &triangle, &mesh) != TACT_OK ||
        tact_scene_add_instance(scene, mesh, NULL, &instance) != TACT_OK || tact_scene_commit(scene) != TACT_OK ||
        tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, NULL, &report) != TACT_OK) {
        fprintf(stderr, "%s\n", tact_context_error(context));
        return 1;
    }
    printf("triangle %u at t = %g, found by %s\n", (unsigned)hit.primitive, (double)hit.t, report.device);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return 0;
}
// [/readme]
