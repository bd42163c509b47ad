// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/bsp_internal.h"

enum {
    WAITING = 64,  ///< nodes put aside; more are left to a call of their own
    FOUND_EMPTY = 1,
    FOUND_SOLID = 2
};

/// The kinds of leaves that hold the point, on their boundary too.
static int leaves_at(const tact_bsp_mesh* mesh, int32_t from, tact_vec3 point)
{
    int32_t waiting[WAITING];
    int count = 0, found = 0;
    waiting[count++] = from;
    while (count > 0 && found != (FOUND_EMPTY | FOUND_SOLID)) {
        int32_t at = waiting[--count];
        while (at >= 0) {
            const tact_bsp_node* node = &mesh->nodes[at];
            const int side = bsp_point_side(mesh, node, point);
            at = node->child[side < 0];
            if (side != 0) continue;
            if (count == WAITING) {
                found |= leaves_at(mesh, node->child[1], point);
            } else {
                waiting[count++] = node->child[1];
            }
        }
        found |= at == TACT_BSP_SOLID ? FOUND_SOLID : FOUND_EMPTY;
    }
    return found;
}

tact_bsp_place tact_bsp_locate(const tact_bsp* tree, tact_vec3 point)
{
    const tact_bsp_mesh mesh = {tree->positions, tree->indices, tree->nodes, 0, NULL};
    if (tree->node_count == 0 || !v_finite(point)) return TACT_BSP_OUTSIDE;
    const int found = leaves_at(&mesh, 0, point);
    return found == FOUND_SOLID ? TACT_BSP_INSIDE : found == FOUND_EMPTY ? TACT_BSP_OUTSIDE : TACT_BSP_SURFACE;
}

void tact_bsp_locate_many(const tact_bsp* tree, const tact_vec3* points, size_t count, uint8_t* places)
{
    for (size_t i = 0; i < count; ++i)
        places[i] = (uint8_t)tact_bsp_locate(tree, points[i]);
}
