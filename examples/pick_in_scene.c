// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is under the cursor, and what a rectangle of the screen shows: two squares, the nearer one in front.
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    const float vertices[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const uint32_t corners[] = {0, 1, 2, 0, 2, 3};
    const tact_mesh_desc square = {.positions = vertices, .vertex_count = 4, .indices = corners, .triangle_count = 2};
    // The first is far and large, the second near and small.
    const float far_away[12] = {4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1, -10},
                close_by[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -4};
    // A camera at the origin that looks along -z: 90 degrees each way, from 1 to 100, in a window of 400 x 400.
    const tact_pick_view view = {
        .world_to_clip = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -101.0f / 99.0f, -200.0f / 99.0f, 0, 0, -1, 0},
        .order = TACT_MATRIX_BY_ROWS,
        .width = 400,
        .height = 400};
    const tact_pick_region cursor = {.shape = TACT_PICK_POINT, .x = 200, .y = 200};
    const tact_pick_region frame = {.shape = TACT_PICK_RECTANGLE, .rectangle = {100, 100, 300, 300}};
    const tact_pick_options all = {.extent = TACT_PICK_ALL};
    tact_pick one[1], several[8];
    size_t under = 0, inside = 0, behind = 0;

    tact_context* context = NULL;
    tact_scene* scene = NULL;
    tact_picker* picker = NULL;
    uint32_t mesh, large, little;
    int status = 1;
    if (tact_context_create(NULL, &context) != TACT_OK) return 1;
    if (tact_scene_create(context, &scene) == TACT_OK && tact_scene_add_mesh(scene, &square, &mesh) == TACT_OK &&
        tact_scene_add_instance(scene, mesh, far_away, &large) == TACT_OK &&
        tact_scene_add_instance(scene, mesh, close_by, &little) == TACT_OK && tact_scene_commit(scene) == TACT_OK &&
        tact_picker_create(context, &picker) == TACT_OK &&
        tact_pick_scene(
            picker, scene,
            &(tact_pick_work){.view = &view, .region = &cursor, .picks = one, .capacity = 1, .count = &under}, NULL,
            NULL) == TACT_OK &&
        tact_pick_scene(
            picker, scene,
            &(tact_pick_work){
                .view = &view, .region = &cursor, .options = &all, .picks = several, .capacity = 8, .count = &behind},
            NULL, NULL) == TACT_OK &&
        tact_pick_scene(
            picker, scene,
            &(tact_pick_work){.view = &view, .region = &frame, .picks = several, .capacity = 8, .count = &inside}, NULL,
            NULL) == TACT_OK) {
        printf("under the cursor: instance %u at (%.2f %.2f %.2f); %zu things in all, one behind the other\n",
               (unsigned)one[0].instance, (double)one[0].position[0], (double)one[0].position[1],
               (double)one[0].position[2], behind);
        for (size_t i = 0; i < inside; ++i)
            printf("in the rectangle: instance %u in %u pixels\n", (unsigned)several[i].instance,
                   (unsigned)several[i].pixels);
        status = under != 1 || one[0].instance != little || behind != 2 || inside != 2;
    } else {
        fprintf(stderr, "%s\n", tact_context_error(context));
    }
    tact_picker_destroy(picker);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return status;
}
