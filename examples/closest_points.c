// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How far points are from a scene, and where it is closest: a box and two balls, asked within a reach.
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    const tact_aabb box = {{-1, -1, -1}, {1, 1, 1}};
    const tact_sphere balls[] = {{{5, 0, 0}, 1}, {{0, 0, 8}, 2}};
    const tact_closest_query queries[] = {
        {0.5f, 4, 0, 10},  // above the box
        {3.5f, 0, 0, 10},  // between the box and the first ball, which is nearer
        {0, 0, 8, 10},     // in the middle of the second ball: everything is a surface
        {0, 100, 0, 10},   // out of reach
    };
    enum { COUNT = sizeof queries / sizeof queries[0] };
    tact_closest_hit hits[COUNT];

    tact_context* context = NULL;
    tact_scene* scene = NULL;
    uint32_t boxes, spheres, first, second;
    int status = 1;
    if (tact_context_create(NULL, &context) != TACT_OK) return 1;
    if (tact_scene_create(context, &scene) == TACT_OK && tact_scene_add_boxes(scene, &box, 1, &boxes) == TACT_OK &&
        tact_scene_add_spheres(scene, balls, 2, &spheres) == TACT_OK &&
        tact_scene_add_instance(scene, boxes, NULL, &first) == TACT_OK &&
        tact_scene_add_instance(scene, spheres, NULL, &second) == TACT_OK && tact_scene_commit(scene) == TACT_OK &&
        tact_closest_points(scene, queries, COUNT, hits, NULL, NULL) == TACT_OK) {
        for (int i = 0; i < COUNT; ++i) {
            if (hits[i].instance == TACT_NONE) {
                printf("point %d: nothing within %g\n", i, (double)hits[i].distance);
            } else {
                printf("point %d: instance %u, shape %u, at (%g %g %g), %g away\n", i, (unsigned)hits[i].instance,
                       (unsigned)hits[i].primitive, (double)hits[i].x, (double)hits[i].y, (double)hits[i].z,
                       (double)hits[i].distance);
            }
        }
        status = hits[0].distance != 3.0f || hits[1].instance != second || hits[1].distance != 0.5f ||
                 hits[2].distance != 2.0f || hits[3].instance != TACT_NONE;
    } else {
        fprintf(stderr, "%s\n", tact_context_error(context));
    }
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return status;
}
