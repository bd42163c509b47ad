// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Making bodies: copying meshes and height fields, their trees, and frames of poses.

#include <math.h>
#include <string.h>

#include "cpu_ref/particles/bodies.h"

enum { LEAF = 4 };

static void corner_of(const tact_mesh_desc* mesh, size_t triangle, size_t k, float p[3])
{
    const size_t stride = mesh->position_stride ? mesh->position_stride : 3 * sizeof(float);
    const size_t vertex = mesh->indices ? mesh->indices[3 * triangle + k] : 3 * triangle + k;
    memcpy(p, (const char*)mesh->positions + vertex * stride, 3 * sizeof *p);
}

/// False: out of range, to be left out.
static bool triangle_of(const tact_mesh_desc* mesh, size_t i, tact_body_triangle* t)
{
    *t = (tact_body_triangle){.id = (uint32_t)i};
    corner_of(mesh, i, 0, t->a);
    corner_of(mesh, i, 1, t->b);
    corner_of(mesh, i, 2, t->c);
    for (int k = 0; k < 3; ++k) {
        const bool good = fabsf(t->a[k]) <= TACT_MAX_COORDINATE && fabsf(t->b[k]) <= TACT_MAX_COORDINATE &&
                          fabsf(t->c[k]) <= TACT_MAX_COORDINATE;
        if (!good) return false;
    }
    return true;
}

/// The plain box: nothing is to be added for rounding, see tact_triangle_near().
static tact_bvh_box box_of(const tact_body_triangle* t)
{
    tact_bvh_box box;
    for (int k = 0; k < 3; ++k) {
        box.lower[k] = tact_least3(t->a[k], t->b[k], t->c[k]);
        box.upper[k] = tact_most3(t->a[k], t->b[k], t->c[k]);
    }
    return box;
}

tact_result tact_body_make_mesh(tact_env* env, int threads, const tact_mesh_desc* mesh, tact_particle_body* body)
{
    const size_t total = mesh->triangle_count;
    tact_bvh_box* boxes = tact_allocate(env, total, sizeof *boxes);
    uint32_t* ids = tact_allocate(env, total, sizeof *ids);
    tact_bvh bvh = {0};
    tact_result result = boxes && ids ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    size_t kept = 0;
    for (size_t i = 0; i < total && result == TACT_OK; ++i) {
        tact_body_triangle t;
        if (!triangle_of(mesh, i, &t)) continue;
        boxes[kept] = box_of(&t);
        ids[kept++] = (uint32_t)i;
    }
    if (result == TACT_OK) result = tact_bvh_build(env, threads, boxes, ids, kept, LEAF, TACT_BVH_MAX_DEPTH, &bvh);
    tact_body_triangle* triangles = NULL;
    if (result == TACT_OK) {
        triangles = tact_allocate(env, kept, sizeof *triangles);
        if (!triangles) result = TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t k = 0; k < kept && result == TACT_OK; ++k)
        (void)triangle_of(mesh, bvh.order[k], &triangles[k]);
    if (result == TACT_OK) {
        body->kind = TACT_BODY_MESH;
        body->triangle_end = (uint32_t)total;
        body->triangles = triangles;
        body->triangle_count = kept;
        body->nodes = bvh.nodes;
        body->node_count = bvh.node_count;
        bvh.nodes = NULL;
    }
    tact_release(env, boxes);
    tact_release(env, ids);
    tact_bvh_free(env, &bvh);
    return result;
}

tact_result tact_body_make_field(tact_env* env, const tact_height_field_desc* field, tact_particle_body* body)
{
    const size_t count = (size_t)field->columns * field->rows;
    body->heights = tact_allocate(env, count, sizeof *body->heights);
    if (!body->heights) return TACT_ERROR_OUT_OF_MEMORY;
    body->kind = TACT_BODY_FIELD;
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
