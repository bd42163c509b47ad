// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/particles/bodies.h"

#include <string.h>

#include "kernels/particle_bodies.h"

_Static_assert(TACT_BODY_IS_MESH == (unsigned)TACT_COLLIDER_MESH && TACT_BODY_IS_FIELD == (unsigned)TACT_COLLIDER_FIELD,
               "the kernels' names of the kinds");
_Static_assert(TACT_SEARCH_STACK >= TACT_BVH_MAX_DEPTH + 2, "the kernels' stack holds a way down the tree");

enum { ROW = 16 };  // bytes

// The way asks 17 times for the nearest of all colliders, before that walls and colliders may touch, and a particle
// notices a little after the limit that it is beyond. See TACT_SEARCH_STEPS.
_Static_assert(16 * (TACT_SEARCH_STEPS + 32) + 18 * (TACT_MAX_COLLIDERS + 2) + TACT_MAX_COLLIDERS + 8 < 65535,
               "llvmpipe would cut searches short");

static bool limits_loops(tact_device* device)
{
    const tact_device_info* info = tact_device_describe(device);
    return info->software && info->backend == TACT_BACKEND_GL;
}

static size_t table_rows(const tact_particle_model* m)
{
    return TACT_BODY_FIRST + (size_t)TACT_BODY_ROWS * m->body_count;
}

static size_t height_rows(const tact_particle_body* b)
{
    return (((size_t)b->across.squares + 1) * ((size_t)b->along.squares + 1) + 3) / 4;
}

static size_t data_rows(const tact_particle_body* b)
{
    return b->kind == TACT_COLLIDER_FIELD ? height_rows(b) : 4 * b->node_count + 3 * b->triangle_count;
}

static void set_row(uint32_t* row, float x, float y, float z)
{
    const float v[3] = {x, y, z};
    memcpy(row, v, sizeof v);
}

static void set_axis(uint32_t* row, TactFieldAxis a, float bound)
{
    memcpy(&row[0], &a.origin, sizeof a.origin);
    memcpy(&row[1], &a.step, sizeof a.step);
    row[2] = (uint32_t)a.squares;
    memcpy(&row[3], &bound, sizeof bound);
}

static void set_body(uint32_t* rows, const tact_particle_body* b, size_t first)
{
    const TactFrame* f = &b->frame;
    const bool empty = b->kind == TACT_COLLIDER_MESH && b->triangle_count == 0;
    rows[0] = empty ? TACT_BODY_IS_EMPTY : (uint32_t)b->kind;
    rows[1] = b->material;
    rows[2] = (uint32_t)first;
    rows[3] = (uint32_t)(first + 4 * b->node_count);
    set_row(rows + 4, f->tx, f->ty, f->tz);
    set_row(rows + 8, f->xx, f->xy, f->xz);
    set_row(rows + 12, f->yx, f->yy, f->yz);
    set_row(rows + 16, f->zx, f->zy, f->zz);
    set_row(rows + 4 * TACT_BODY_ROW_VELOCITY, b->pose.velocity.x, b->pose.velocity.y, b->pose.velocity.z);
    set_row(rows + 4 * TACT_BODY_ROW_SPIN, b->pose.spin.x, b->pose.spin.y, b->pose.spin.z);
    set_axis(rows + 4 * TACT_BODY_ROW_ACROSS, b->across, b->lowest);
    set_axis(rows + 4 * TACT_BODY_ROW_ALONG, b->along, b->highest);
}

/// Fills in the table; returns how many rows the buffer has in all.
static size_t set_table(uint32_t* rows, const tact_particle_model* m, bool limited)
{
    size_t next = table_rows(m);
    memset(rows, 0, next * ROW);
    rows[0] = m->body_count;
    rows[1] = limited ? TACT_SEARCH_STEPS : TACT_SEARCH_STEPS_ANY;
    for (uint32_t i = 0; i < m->body_count; ++i) {
        set_body(rows + 4 * (TACT_BODY_FIRST + (size_t)TACT_BODY_ROWS * i), &m->bodies[i], next);
        next += data_rows(&m->bodies[i]);
    }
    return next;
}

static tact_result write_body(tact_buffer* buffer, const tact_particle_body* b, size_t first)
{
    if (b->kind == TACT_COLLIDER_FIELD) {
        const size_t count = ((size_t)b->across.squares + 1) * ((size_t)b->along.squares + 1);
        return tact_buffer_write(buffer, first * ROW, b->heights, count * sizeof *b->heights);
    }
    if (b->triangle_count == 0) return TACT_OK;
    const size_t nodes = b->node_count * sizeof *b->nodes;
    tact_buffer_write(buffer, first * ROW, b->nodes, nodes);
    return tact_buffer_write(buffer, first * ROW + nodes, b->triangles, b->triangle_count * sizeof *b->triangles);
}

static tact_result upload_all(tact_gpu_bodies* g, tact_device* device, const tact_particle_model* m)
{
    tact_env* env = tact_device_env(device);
    size_t total = table_rows(m);
    for (uint32_t i = 0; i < m->body_count; ++i)
        total += data_rows(&m->bodies[i]);
    if (total > UINT32_MAX / 2 || total > SIZE_MAX / ROW) {
        return TACT_DEVICE_FAIL(device, TACT_ERROR_LIMIT,
                                "meshes and height fields of %zu rows are too large for a device", total);
    }
    tact_gpu_bodies_free(g, env);
    g->rows = tact_allocate(env, table_rows(m), ROW);
    if (!g->rows) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    tact_buffer_create(device, total * ROW, NULL, &g->buffer);
    (void)set_table(g->rows, m, limits_loops(device));
    tact_buffer_write(g->buffer, 0, g->rows, table_rows(m) * ROW);
    size_t first = table_rows(m);
    for (uint32_t i = 0; i < m->body_count; ++i) {
        write_body(g->buffer, &m->bodies[i], first);
        first += data_rows(&m->bodies[i]);
    }
    return tact_device_result(device);
}

tact_result tact_gpu_bodies_upload(tact_gpu_bodies* g, tact_device* device, const tact_particle_model* m)
{
    if (tact_device_result(device) != TACT_OK) return tact_device_result(device);
    if (!g->buffer || g->bodies_version != m->bodies_version) {
        upload_all(g, device, m);
    } else if (g->poses_version != m->poses_version) {
        (void)set_table(g->rows, m, limits_loops(device));
        tact_buffer_write(g->buffer, 0, g->rows, table_rows(m) * ROW);
    }
    // After a failure nothing of it counts.
    if (tact_device_result(device) != TACT_OK) {
        tact_gpu_bodies_free(g, tact_device_env(device));
        return tact_device_result(device);
    }
    g->bodies_version = m->bodies_version;
    g->poses_version = m->poses_version;
    return TACT_OK;
}

void tact_gpu_bodies_free(tact_gpu_bodies* g, tact_env* env)
{
    tact_buffer_destroy(g->buffer);
    tact_release(env, g->rows);
    *g = (tact_gpu_bodies){0};
}
