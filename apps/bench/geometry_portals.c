// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/geometry.h"
#include "apps/inputs/random.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT, SIDE = 32, ROOMS = SIDE * SIDE };

/// Rooms in a square, each with doors to those beside it, and eyes in them that look along the floor.
typedef struct portal_bench {
    tact_portals* graph;
    tact_vec3 eyes[N];
    uint32_t rooms[N];
    tact_frustum frusta[N];
} portal_bench;

static void release(void* own)
{
    portal_bench* b = own;
    if (!b) return;
    tact_portals_destroy(b->graph);
    free(b);
}

static tact_frustum frustum_at(tact_vec3 eye, double turn)
{
    const float x = (float)cos(turn), y = (float)sin(turn);
    const tact_vec3 normals[6] = {{-y - x, x - y, 0}, {y - x, -x - y, 0}, {-x, -y, -1},
                                  {-x, -y, 1},        {-x, -y, 0},        {0, 0, 0}};
    tact_plane planes[6];
    tact_frustum f;
    for (int k = 0; k < 6; ++k)
        planes[k] = (tact_plane){normals[k], normals[k].x * eye.x + normals[k].y * eye.y + normals[k].z * eye.z};
    (void)tact_frustum_from_planes(planes, &f);
    return f;
}

static void* make(const tact_geometry_data* d)
{
    tact_random r = {5};
    portal_bench* b = calloc(1, sizeof *b);
    tact_portal* portals = malloc(2 * ROOMS * sizeof *portals);
    tact_vec3* points = malloc(8 * ROOMS * sizeof *points);
    size_t count = 0;
    (void)d;
    for (uint32_t room = 0; b && portals && points && room < ROOMS; ++room) {
        const uint32_t at[2] = {room % SIDE, room / SIDE};
        for (int axis = 0; axis < 2; ++axis) {
            if (at[axis] + 1 == SIDE) continue;
            float low[3] = {(float)at[0], (float)at[1], 0}, high[3] = {(float)at[0], (float)at[1], 0.9f};
            low[axis] = high[axis] = low[axis] + 1.0f;
            low[!axis] += (float)tact_random_between(&r, 0.0, 0.4);
            high[!axis] += (float)tact_random_between(&r, 0.6, 1.0);
            tact_vec3* p = points + 4 * count;
            p[0] = (tact_vec3){low[0], low[1], low[2]};
            p[1] = (tact_vec3){high[0], high[1], low[2]};
            p[2] = (tact_vec3){high[0], high[1], high[2]};
            p[3] = (tact_vec3){low[0], low[1], high[2]};
            portals[count] = (tact_portal){{room, axis ? room + SIDE : room + 1}, (uint32_t)(4 * count), 4};
            ++count;
        }
    }
    bool good = count > 0 && tact_portals_create(portals, count, points, 4 * count, ROOMS, NULL, &b->graph) == TACT_OK;
    free(portals);
    free(points);
    for (int i = 0; i < N && good; ++i) {
        b->rooms[i] = (uint32_t)tact_random_below(&r, ROOMS);
        b->eyes[i] = (tact_vec3){(float)(b->rooms[i] % SIDE) + (float)tact_random_between(&r, 0.05, 0.95),
                                 (float)(b->rooms[i] / SIDE) + (float)tact_random_between(&r, 0.05, 0.95), 0.5f};
        b->frusta[i] = frustum_at(b->eyes[i], tact_random_between(&r, 0.0, 6.28));
    }
    if (good) return b;
    release(b);
    return NULL;
}

static size_t see(const tact_geometry_data* d, void* own)
{
    const portal_bench* b = own;
    uint32_t cells[ROOMS];
    size_t count = 0;
    (void)d;
    for (int i = 0; i < N; ++i) {
        tact_portal_view view = {
            .eye = b->eyes[i], .cell = b->rooms[i], .frustum = &b->frusta[i], .cells = cells, .capacity = ROOMS};
        if (tact_portals_see(b->graph, &view) == TACT_OK) count += view.count;
    }
    return count;
}

/// Whether rooms are in the frustum, as all that knows no walls.
static size_t by_frustum(const tact_geometry_data* d, void* own)
{
    const portal_bench* b = own;
    size_t count = 0;
    (void)d;
    for (int i = 0; i < N; ++i) {
        for (uint32_t room = 0; room < ROOMS; ++room) {
            const float x = (float)(room % SIDE), y = (float)(room / SIDE);
            const tact_aabb box = {{x, y, 0}, {x + 1, y + 1, 1}};
            count += tact_frustum_aabb(&b->frusta[i], box) != TACT_OUTSIDE;
        }
    }
    return count;
}

size_t tact_geometry_ways_portals(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {{"portals: rooms seen", "portals", false, make, see, release},
                                            {"portals: rooms seen", "frustum alone", true, make, by_frustum, release}};
    *ways = all;
    return sizeof all / sizeof all[0];
}
