// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A moving set of boxes: each frame, which pairs have begun to overlap and which have stopped.
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

enum { COUNT = 20000, FRAMES = 10 };

/// Boxes on three nested rings that turn at different speeds.
static tact_aabb place(int i, int frame)
{
    const int ring = i % 3;
    const float turn = (float)((i / 3 * 37 + frame * (ring + 1)) % 10007) / 10007.0f;
    const float x = turn * 400.0f, y = (float)ring * 1.5f + (float)(i % 7) * 0.4f, z = (float)(i % 11) * 3.0f;
    const tact_aabb box = {{x, y, z}, {x + 1.0f, y + 1.0f, z + 1.0f}};
    return box;
}

int main(void)
{
    tact_context* context = NULL;
    tact_volumes* set = NULL;
    tact_pair_tracker* tracker = NULL;
    tact_aabb* boxes = malloc(COUNT * sizeof *boxes);
    int status = 1;
    if (!boxes || tact_context_create(NULL, &context) != TACT_OK) goto done;
    for (int i = 0; i < COUNT; ++i)
        boxes[i] = place(i, 0);
    if (tact_volumes_create(context, NULL, &set) != TACT_OK ||
        tact_volumes_add_aabbs(set, boxes, COUNT, NULL, NULL, NULL) != TACT_OK ||
        tact_pair_tracker_create(set, NULL, &tracker) != TACT_OK) {
        goto done;
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < COUNT; ++i)
            boxes[i] = place(i, frame);
        tact_query_report report;
        if (tact_volumes_move_aabbs(set, NULL, boxes, COUNT) != TACT_OK ||
            tact_pair_tracker_update(tracker, TACT_PAIRS_AUTO, NULL, &report) != TACT_OK) {
            goto done;
        }
        size_t begun, ended, current;
        tact_pair_tracker_pairs(tracker, TACT_PAIRS_BEGUN, &begun);
        tact_pair_tracker_pairs(tracker, TACT_PAIRS_ENDED, &ended);
        tact_pair_tracker_pairs(tracker, TACT_PAIRS_CURRENT, &current);
        printf("frame %d: %zu pairs, %zu begun, %zu ended; %.2f ms\n", frame, current, begun, ended, report.total_ms);
    }
    status = 0;
done:
    if (status) fprintf(stderr, "%s\n", context ? tact_context_error(context) : "no context, or no memory");
    tact_pair_tracker_destroy(tracker);
    tact_volumes_destroy(set);
    tact_context_destroy(context);
    free(boxes);
    return status;
}
