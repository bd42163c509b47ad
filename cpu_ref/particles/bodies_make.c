// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Making bodies: copying meshes and height fields, their trees, and frames of poses.

#include <math.h>

#include "cpu_ref/particles/bodies.h"

enum { LEAF = 4 };

tact_result tact_body_make_mesh(tact_env* env, int threads, const tact_mesh_desc* mesh, tact_particle_body* body)
{
    TACT_ASSERT(!body->nodes && !body->heights);
    // The plain boxes: nothing is to be added for rounding, see tact_triangle_near().
    tact_triangle_tree tree;
    const tact_result result = tact_triangle_tree_build(env, threads, mesh, LEAF, &tree);
    if (result != TACT_OK) return result;
    body->kind = TACT_COLLIDER_MESH;
    body->triangle_end = (uint32_t)mesh->triangle_count;
    body->triangles = tree.triangles;
    body->triangle_count = tree.triangle_count;
    body->nodes = tree.nodes;
    body->node_count = tree.node_count;
    TACT_ASSERT(body->triangle_count <= body->triangle_end && body->node_count >= 1);
    return TACT_OK;
}

tact_result tact_body_make_field(tact_env* env, const tact_height_field_desc* field, tact_particle_body* body)
{
    TACT_ASSERT(field->columns >= 2 && field->rows >= 2 && !body->heights);
    const size_t count = (size_t)field->columns * field->rows;
    body->heights = tact_allocate(env, count, sizeof *body->heights);
    if (!body->heights) return TACT_ERROR_OUT_OF_MEMORY;
    body->kind = TACT_COLLIDER_FIELD;
    body->across = (TactFieldAxis){field->origin.x, field->step_x, (int)field->columns - 1};
    body->along = (TactFieldAxis){field->origin.z, field->step_z, (int)field->rows - 1};
    body->triangle_end = 2 * (field->columns - 1) * (field->rows - 1);
    // With no corner at all the lowest is above the highest, which is farther than anything.
    body->lowest = TACT_MAX_COORDINATE;
    body->highest = -TACT_MAX_COORDINATE;
    for (size_t i = 0; i < count; ++i) {
        const float y = field->origin.y + field->heights[i];
        const bool hole = !(fabsf(y) <= TACT_MAX_COORDINATE);
        body->heights[i] = hole ? TACT_FIELD_HOLE : y;
        if (hole) continue;
        body->lowest = y < body->lowest ? y : body->lowest;
        body->highest = y > body->highest ? y : body->highest;
    }
    return TACT_OK;
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

TactFrame tact_body_frame(const tact_body_pose* pose)
{
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool given = false;
    for (int i = 0; i < 9; ++i)
        given = given || pose->rotation[i] != 0.0f;
    for (int i = 0; given && i < 9; ++i)
        r[i / 3][i % 3] = (double)pose->rotation[i];
    // Gram and Schmidt: each row less its parts along those before, of unit length.
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            const double along = dot(r[i], r[j]);
            for (int k = 0; k < 3; ++k)
                r[i][k] -= along * r[j][k];
        }
        const double length = sqrt(dot(r[i], r[i]));
        TACT_ASSERT(length > 0.0);
        for (int k = 0; k < 3; ++k)
            r[i][k] /= length;
    }
    const TactFrame f = {pose->position.x, pose->position.y, pose->position.z, (float)r[0][0],
                         (float)r[0][1],   (float)r[0][2],   (float)r[1][0],   (float)r[1][1],
                         (float)r[1][2],   (float)r[2][0],   (float)r[2][1],   (float)r[2][2]};
    return f;
}

void tact_body_free(tact_env* env, tact_particle_body* body)
{
    tact_release(env, body->nodes);
    tact_release(env, body->triangles);
    tact_release(env, body->heights);
    *body = (tact_particle_body){0};
}
