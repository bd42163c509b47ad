// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a camera sees of many boxes: an array of your own, and the instances of a scene.
#include <stdio.h>
#include <tact/tact.h>

enum { SIDE = 50, COUNT = SIDE * SIDE };

int main(void)
{
    static tact_aabb boxes[COUNT];
    static uint32_t ids[COUNT], instances[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        const float x = 2.0f * (float)(i % SIDE) - (float)SIDE, z = 2.0f * (float)(i / SIDE) - (float)SIDE;
        boxes[i] = (tact_aabb){{x, 0, z}, {x + 1, 1, z + 1}};
    }
    // A camera in the middle that looks along -z: 90 degrees each way, from 1 to 100. Row after row.
    const float front = 1, back = 100;
    const float matrix[16] = {
        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, (back + front) / (front - back), 2 * back * front / (front - back), 0, 0, -1, 0};
    tact_frustum frustum;
    tact_plane planes[TACT_FRUSTUM_PLANES];
    if (!tact_frustum_from_matrix(matrix, TACT_MATRIX_BY_ROWS, TACT_CLIP_MINUS_ONE_TO_ONE, &frustum)) return 1;
    const uint32_t plane_count = tact_cull_frustum(&frustum, planes);

    const tact_cull_work work = {
        .kind = TACT_CULL_AABBS, .volumes = boxes, .count = COUNT, .planes = planes, .plane_count = plane_count};
    const tact_cull_scene_work view = {.planes = planes, .plane_count = plane_count};
    const tact_aabb unit = {{0, 0, 0}, {1, 1, 1}};
    tact_context* context = NULL;
    tact_culler* culler = NULL;
    tact_scene* scene = NULL;
    size_t kept = 0, seen = 0;
    uint32_t mesh, instance;
    int status = 1;
    if (tact_context_create(NULL, &context) != TACT_OK) return 1;
    bool made = tact_culler_create(context, &culler) == TACT_OK && tact_scene_create(context, &scene) == TACT_OK &&
                tact_scene_add_boxes(scene, &unit, 1, &mesh) == TACT_OK;
    for (int i = 0; made && i < COUNT; ++i) {
        const float place[12] = {1, 0, 0, boxes[i].lower.x, 0, 1, 0, 0, 0, 0, 1, boxes[i].lower.z};
        made = tact_scene_add_instance(scene, mesh, place, &instance) == TACT_OK;
    }
    if (made && tact_scene_commit(scene) == TACT_OK &&
        tact_cull_volumes(culler, &work, &(tact_cull_room){.ids = ids, .capacity = COUNT, .count = &kept}, NULL,
                          NULL) == TACT_OK &&
        tact_cull_scene(scene, &view, &(tact_cull_room){.ids = instances, .capacity = COUNT, .count = &seen}, NULL,
                        NULL) == TACT_OK) {
        printf("of %d boxes %zu are in view; of as many instances %zu\n", COUNT, kept, seen);
        // A quarter lies in view, and none of it behind the camera. Instances have boxes a hair larger.
        status = kept < COUNT / 5 || kept > COUNT / 3 || seen < kept || boxes[ids[kept - 1]].lower.z > 0;
    } else {
        fprintf(stderr, "%s\n", tact_context_error(context));
    }
    tact_culler_destroy(culler);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return status;
}
