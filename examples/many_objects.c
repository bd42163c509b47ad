// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Many objects that all move: in each frame, which of them collide, and with which triangles. No tree is kept.
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

enum { SIDE = 10, COUNT = SIDE * SIDE, FRAMES = 4, ROOM = 10000 };

int main(void)
{
    // A tetrahedron, and a hundred places for it, in rows two units apart. Every other row drifts sideways and
    // forwards.
    const float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t corners[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const tact_mesh_desc shape = {.positions = vertices, .vertex_count = 4, .indices = corners, .triangle_count = 4};
    static tact_filter_object objects[COUNT];
    tact_filter_pair* pairs = malloc(ROOM * sizeof *pairs);
    tact_context* context = NULL;
    tact_filter* filter = NULL;
    size_t first = 0, last = 0;
    int status = 1;
    if (!pairs || tact_context_create(NULL, &context) != TACT_OK || tact_filter_create(context, &filter) != TACT_OK) {
        goto done;
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < COUNT; ++i) {
            const float drift = (i / SIDE) % 2 ? 0.6f * (float)frame : 0.0f;
            const float pose[12] = {1, 0, 0, 2.0f * (float)(i % SIDE) + 0.25f * drift, 0, 1, 0, 0,
                                    0, 0, 1, 2.0f * (float)(i / SIDE) + drift};
            objects[i].shape = 0;
            for (int k = 0; k < 12; ++k)
                objects[i].pose[k] = pose[k];
        }
        size_t count;
        tact_filter_count stages[TACT_FILTER_STAGES];
        if (tact_filter_meshes(filter,
                               &(tact_filter_work){.shapes = &shape,
                                                   .shape_count = 1,
                                                   .objects = objects,
                                                   .object_count = COUNT,
                                                   .pairs = pairs,
                                                   .capacity = ROOM,
                                                   .count = &count,
                                                   .stages = stages},
                               NULL, NULL) != TACT_OK) {
            goto done;
        }
        printf("frame %d: %zu pairs of triangles, of %llu objects\n", frame, count,
               (unsigned long long)stages[TACT_FILTER_EXACT].objects);
        for (size_t i = 0; i < count; ++i) {
            // Rows meet their neighbours only.
            if (pairs[i].object_b / SIDE != pairs[i].object_a / SIDE + 1) goto done;
        }
        if (frame == 0) first = count;
        last = count;
    }
    status = first != 0 || last == 0;
done:
    if (status) fprintf(stderr, "%s\n", context ? tact_context_error(context) : "no context, or no memory");
    tact_filter_destroy(filter);
    tact_context_destroy(context);
    free(pairs);
    return status;
}
