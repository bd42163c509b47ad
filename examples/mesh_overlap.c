// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Two cubes in three poses: how they lie, which of their triangles overlap, how far apart they are.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

static const uint32_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

/// A cube about the origin.
static tact_result make_cube(tact_context* context, float half, tact_mesh** mesh)
{
    float vertices[8][3];
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k)
            vertices[i][k] = (i >> k & 1) ? half : -half;
    }
    const tact_mesh_desc desc = {.positions = vertices[0], .vertex_count = 8, .indices = corners, .triangle_count = 12};
    return tact_mesh_create(context, &desc, mesh);
}

int main(void)
{
    // From the small cube's frame to the large one's: aside, across a face, inside.
    const float poses[3][12] = {{1, 0, 0, 4, 0, 1, 0, 0, 0, 0, 1, 0},
                                {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0},
                                {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    static const char* const names[] = {"apart", "intersect", "the first inside", "the second inside"};
    tact_context* context = NULL;
    tact_mesh *large = NULL, *small = NULL;
    tact_mesh_pair* pairs = NULL;
    tact_mesh_distance distance = {0};
    uint8_t relations[3];
    size_t count = 0;
    int status = 1;
    if (tact_context_create(NULL, &context) != TACT_OK) return 1;
    if (make_cube(context, 1, &large) != TACT_OK || make_cube(context, 0.25f, &small) != TACT_OK ||
        tact_mesh_overlap(large, small,
                          &(tact_overlap_work){.poses = poses, .pose_count = 3, .solid = true, .relations = relations},
                          NULL, NULL) != TACT_OK ||
        tact_mesh_separation(large, small, poses[0], INFINITY, NULL, &distance) != TACT_OK) {
        goto done;
    }
    // First how many there are, then with room for them.
    if (tact_mesh_overlap_pairs(large, small, &(tact_overlap_work){.poses = poses, .pose_count = 3, .count = &count},
                                NULL, NULL) < 0)
        goto done;
    pairs = malloc((count ? count : 1) * sizeof *pairs);
    if (!pairs ||
        tact_mesh_overlap_pairs(
            large, small,
            &(tact_overlap_work){.poses = poses, .pose_count = 3, .pairs = pairs, .capacity = count, .count = &count},
            NULL, NULL) != TACT_OK) {
        goto done;
    }
    for (int i = 0; i < 3; ++i)
        printf("pose %d: %s\n", i, names[relations[i]]);
    printf("%zu pairs of triangles overlap, all in pose %u; in pose 0 the cubes are %g apart\n", count,
           count ? (unsigned)pairs[0].pose : 0, (double)distance.distance);
    status = relations[0] != TACT_MESHES_APART || relations[1] != TACT_MESHES_INTERSECT ||
             relations[2] != TACT_MESHES_B_INSIDE || count == 0 || distance.distance != 2.75f;
done:
    if (status) fprintf(stderr, "%s\n", tact_context_error(context));
    free(pairs);
    tact_mesh_destroy(small);
    tact_mesh_destroy(large);
    tact_context_destroy(context);
    return status;
}
