// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "cpu_ref/geometry/mesh_internal.h"

typedef struct repair {
    tact_mesh_parts parts;
    uint32_t* across;
    uint32_t* queue;  // triangles of a part, in the order in which they were reached
    uint8_t* turned;  // of each triangle: 0 as it was, 1 turned round, 2 not reached yet
    bool closed;      // all parts so far
    double volume;
    uint64_t flipped;
} repair;

/// Removes the triangles that repeat an earlier one.
static tact_result drop_repeated(tact_mesh_parts* parts)
{
    uint32_t* first = tact_allocate(parts->env, parts->count, sizeof *first);
    if (!first) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = tact_mesh_find_repeated(parts->env, parts->corners, parts->count, first);
    size_t kept = 0;
    for (size_t i = 0; result >= 0 && i < parts->count; ++i) {
        if (first[i] == i) memmove(parts->corners + 3 * kept++, parts->corners + 3 * i, 12);
    }
    if (result >= 0) parts->count = kept;
    tact_release(parts->env, first);
    return result;
}

static tact_result link_sides(repair* r)
{
    tact_mesh_parts* parts = &r->parts;
    tact_mesh_sides sides;
    const tact_result result =
        tact_mesh_sides_begin(&sides, parts->env, parts->corners, parts->count, parts->mesh->vertex_count);
    if (result >= 0) tact_mesh_link(&sides, r->across);
    tact_mesh_sides_end(&sides, parts->env);
    return result;
}

/// What was found of the part that is in the queue.
typedef struct part {
    size_t count;
    size_t turned;
    bool closed;
    bool consistent;  // not one-sided as a Moebius strip is
} part;

/// Walks through the triangles that edges of two connect with `first`, and turns those that pass such an edge in the
/// direction of the one before.
static part walk_part(repair* r, uint32_t first)
{
    TACT_ASSERT(first < r->parts.count && r->turned[first] == 2);
    const uint32_t* corners = r->parts.corners;
    part p = {.closed = true, .consistent = true};
    r->queue[p.count++] = first;
    r->turned[first] = 0;
    for (size_t i = 0; i < p.count; ++i) {
        const uint32_t triangle = r->queue[i];
        p.turned += r->turned[triangle];
        for (uint32_t side = 3 * triangle; side < 3 * triangle + 3; ++side) {
            const uint32_t other = r->across[side];
            if (other >= TACT_MESH_MANY) {
                p.closed = false;
                continue;
            }
            TACT_ASSERT(other < 3 * r->parts.count && r->across[other] == side);
            const uint8_t turn = r->turned[triangle] ^ (uint8_t)(corners[side] == corners[other]);
            if (r->turned[other / 3] == 2) {
                r->turned[other / 3] = turn;
                r->queue[p.count++] = other / 3;
                TACT_ASSERT(p.count <= r->parts.count);
            } else if (r->turned[other / 3] != turn) {
                p.consistent = false;
            }
        }
    }
    return p;
}

/// Six times what the part encloses, as it is turned.
static double part_volume(const repair* r, const part* p)
{
    TACT_ASSERT(p->count >= 1);
    const uint32_t from = r->parts.corners[(size_t)3 * r->queue[0]];
    double volume = 0.0;
    for (size_t i = 0; i < p->count; ++i) {
        const double wedge = tact_mesh_wedge(&r->parts, r->parts.corners + (size_t)3 * r->queue[i], from);
        volume += r->turned[r->queue[i]] ? -wedge : wedge;
    }
    return volume;
}

static void turn_part(repair* r, const part* p)
{
    TACT_ASSERT(p->count >= 1 && p->count <= r->parts.count);
    for (size_t i = 0; i < p->count; ++i)
        r->turned[r->queue[i]] ^= 1;
}

static void orient(repair* r)
{
    r->closed = true;
    memset(r->turned, 2, r->parts.count);
    for (uint32_t i = 0; i < r->parts.count; ++i) {
        if (r->turned[i] != 2) continue;
        const part p = walk_part(r, i);
        const bool closed = p.closed && p.consistent;
        double volume = closed ? part_volume(r, &p) : 0.0;
        if (p.turned > 0 && (closed ? volume < 0.0 : 2 * p.turned > p.count)) {
            turn_part(r, &p);
            volume = -volume;
        }
        r->closed = r->closed && closed;
        r->volume += volume;
    }
    const uint8_t all = r->closed && r->volume < 0.0;
    for (size_t i = 0; i < r->parts.count; ++i) {
        r->turned[i] ^= all;
        r->flipped += r->turned[i];
    }
}

/// The arrays of the copy. `number` has one for each vertex.
static tact_result write_copy(const repair* r, uint32_t* number, tact_mesh_copy* copy)
{
    const tact_mesh_parts* parts = &r->parts;
    const size_t vertices = parts->mesh->vertex_count;
    memset(number, 0, vertices * sizeof *number);
    for (size_t i = 0; i < 3 * parts->count; ++i)
        number[parts->corners[i]] = 1;
    for (size_t i = 0; i < vertices; ++i)
        copy->vertex_count += number[i];
    copy->positions = tact_allocate(parts->env, copy->vertex_count, sizeof *copy->positions);
    copy->indices = tact_allocate(parts->env, parts->count, 3 * sizeof *copy->indices);
    if (!copy->positions || !copy->indices) return TACT_ERROR_OUT_OF_MEMORY;
    uint32_t next = 0;
    for (size_t i = 0; i < vertices; ++i) {
        if (!number[i]) continue;
        copy->positions[next] = parts->mesh->positions[i];
        number[i] = next++;
    }
    for (size_t i = 0; i < parts->count; ++i) {
        const uint32_t* c = parts->corners + 3 * i;
        const int second = r->turned[i] ? 2 : 1;
        copy->indices[3 * i] = number[c[0]];
        copy->indices[3 * i + 1] = number[c[second]];
        copy->indices[3 * i + 2] = number[c[3 - second]];
    }
    copy->triangle_count = parts->count;
    TACT_ASSERT(next == copy->vertex_count);
    copy->flipped = r->flipped;
    return TACT_OK;
}

void tact_mesh_trim(tact_mesh_copy* copy, uint32_t* number)
{
    uint32_t used = 0;
    if (copy->vertex_count) memset(number, 0xff, copy->vertex_count * sizeof *number);
    for (size_t i = 0; i < 3 * copy->triangle_count; ++i)
        number[copy->indices[i]] = 0;
    for (size_t v = 0; v < copy->vertex_count; ++v) {
        if (number[v] == UINT32_MAX) continue;
        number[v] = used;
        copy->positions[used++] = copy->positions[v];
    }
    for (size_t i = 0; i < 3 * copy->triangle_count; ++i)
        copy->indices[i] = number[copy->indices[i]];
    copy->vertex_count = used;
}

static tact_result run(repair* r, tact_mesh_copy* copy)
{
    tact_env* env = r->parts.env;
    tact_result result = drop_repeated(&r->parts);
    if (result < 0) return result;
    const size_t count = r->parts.count;
    r->across = tact_allocate(env, count, 3 * sizeof *r->across);
    r->queue = tact_allocate(env, count, sizeof *r->queue);
    r->turned = tact_allocate(env, count, 1);
    if (!r->across || !r->queue || !r->turned) return TACT_ERROR_OUT_OF_MEMORY;
    result = link_sides(r);
    if (result < 0) return result;
    orient(r);
    return write_copy(r, r->parts.first, copy);  // the places are in the corners by now
}

void tact_mesh_copy_free(tact_mesh_copy* copy)
{
    if (copy->positions) copy->allocator.release(copy->positions, copy->allocator.user);
    if (copy->indices) copy->allocator.release(copy->indices, copy->allocator.user);
    memset(copy, 0, sizeof *copy);
}

tact_result tact_mesh_repair(const tact_mesh_view* mesh, const tact_allocator* allocator, tact_mesh_copy* copy)
{
    tact_error_begin(NULL);
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    memset(copy, 0, sizeof *copy);
    copy->allocator = env.allocator;
    repair r = {.closed = true};
    tact_mesh_report counts = {0};
    tact_result result = tact_mesh_parts_begin(&r.parts, &env, mesh, &counts);
    if (result >= 0) result = run(&r, copy);
    tact_release(&env, r.across);
    tact_release(&env, r.queue);
    tact_release(&env, r.turned);
    tact_mesh_parts_end(&r.parts);
    if (result < 0) tact_mesh_copy_free(copy);
    return result;
}
