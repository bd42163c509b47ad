// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/scene.h"

#include <string.h>

#include "cpu_ref/cull/cull_one.h"

static int class_of(const tact_trace_instance* instance, const tact_cull_table* table)
{
    const tact_aabb box = {{instance->lower[0], instance->lower[1], instance->lower[2]},
                           {instance->upper[0], instance->upper[1], instance->upper[2]}};
    tact_cull_one one;
    tact_cull_load(TACT_CULL_AABBS, &box, 0, &one);
    return one.live ? tact_cull_one_planes(&one, table) : TACT_CULL_OUTSIDE;
}

void tact_top_cull_reference(const tact_trace_scene* scene, const tact_cull_table* table, uint8_t* classes)
{
    memset(classes, TACT_CULL_OUTSIDE, scene->by_id_count);
    // Those that have something to hit are the ones that the tree holds.
    for (size_t i = 0; i < scene->instance_count; ++i)
        classes[scene->instances[i].id] = (uint8_t)class_of(&scene->instances[i], table);
}

// The side of a plane that every box in `b` is on, by the definition's own test; CROSSING where that is not sure. The
// ends of a box within `b` along the normal are within those of `b`, as computed, since products with a fixed factor
// and sums are monotone. The margin of a box within is at most the one of the largest terms that any point of `b`
// gives. So what clears that one clears its own.
static int side_of_all(TactCullBox b, TactCullPlane p)
{
    const float lx = tact_cull_term(p.nx, p.nx > 0.0f ? b.lx : b.hx);
    const float ly = tact_cull_term(p.ny, p.ny > 0.0f ? b.ly : b.hy);
    const float lz = tact_cull_term(p.nz, p.nz > 0.0f ? b.lz : b.hz);
    const float hx = tact_cull_term(p.nx, p.nx > 0.0f ? b.hx : b.lx);
    const float hy = tact_cull_term(p.ny, p.ny > 0.0f ? b.hy : b.ly);
    const float hz = tact_cull_term(p.nz, p.nz > 0.0f ? b.hz : b.lz);
    const float most = tact_cull_sum(tact_cull_more(fabsf(lx), fabsf(hx)), tact_cull_more(fabsf(ly), fabsf(hy)),
                                     tact_cull_more(fabsf(lz), fabsf(hz)));
    return tact_cull_side(tact_cull_sum(lx, ly, lz), most, tact_cull_sum(hx, hy, hz), most, p.d);
}

/// What every box within `b` is, or CROSSING.
static int class_of_all(TactCullBox b, const tact_cull_table* table)
{
    if (table->nothing) return TACT_CULL_OUTSIDE;
    int answer = TACT_CULL_INSIDE;
    if (table->bounded) {
        const TactCullBox bounds = tact_cull_table_box(table);
        if (!tact_cull_boxes_meet(b, bounds)) return TACT_CULL_OUTSIDE;
        if (!tact_cull_box_within(b, bounds)) answer = TACT_CULL_CROSSING;
    }
    for (uint32_t p = 0; p < table->count; ++p) {
        const int side = side_of_all(b, table->planes[p]);
        if (side == TACT_CULL_OUTSIDE) return side;
        if (side == TACT_CULL_CROSSING) answer = side;
    }
    return answer;
}

void tact_top_cull_cpu(const tact_trace_scene* scene, const tact_cull_table* table, uint8_t* classes)
{
    TACT_ASSERT(scene->wide_top_count >= 1);
    memset(classes, TACT_CULL_OUTSIDE, scene->by_id_count);
    // Nodes to be opened, and whether all that is in them is inside.
    struct aside {
        uint32_t node;
        bool all;
    } stack[TACT_BVH8_TOP_STACK];
    int top = 0;
    stack[top++] = (struct aside){0, false};
    while (top > 0) {
        const struct aside next = stack[--top];
        TACT_ASSERT(next.node < scene->wide_top_count);
        const tact_bvh8_node* node = &scene->wide_top[next.node];
        for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
            const uint32_t kind = tact_bvh8_kind(node, i), child = tact_bvh8_child(node, i);
            if (kind == 0) break;
            int all = TACT_CULL_INSIDE;
            if (!next.all) {
                const tact_bvh_box b = tact_bvh8_child_box(node, i);
                const TactCullBox box = {b.lower[0], b.lower[1], b.lower[2], b.upper[0], b.upper[1], b.upper[2]};
                all = class_of_all(box, table);
            }
            if (all == TACT_CULL_OUTSIDE) continue;
            if (kind == TACT_BVH8_INNER) {
                TACT_ASSERT(top < TACT_BVH8_TOP_STACK);
                stack[top++] = (struct aside){child, all == TACT_CULL_INSIDE};
                continue;
            }
            for (uint32_t k = child; k < child + kind; ++k) {
                const tact_trace_instance* instance = &scene->instances[k];
                TACT_ASSERT(k < scene->instance_count && instance->id < scene->by_id_count);
                classes[instance->id] =
                    (uint8_t)(all == TACT_CULL_INSIDE ? TACT_CULL_INSIDE : class_of(instance, table));
            }
        }
    }
}
