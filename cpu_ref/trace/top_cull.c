// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/scene.h"

#include <string.h>

#include "base/parallel.h"
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

/// A node to be opened, and whether all that is in it is inside.
typedef struct cull_node {
    uint32_t node;
    bool all;
} cull_node;

enum {
    SHARES = 256,                     // subtrees that threads share out, so that none is long at the last of them
    ROOM = SHARES + TACT_BVH8_WIDTH,  // places for those
    FEW = 1024                        // instances that one thread classifies sooner than others wake
};

typedef struct cull_loop {
    const tact_trace_scene* scene;
    const tact_cull_table* table;
    uint8_t* classes;
    const cull_node* shares;
} cull_loop;

/// Classifies the instances of a node's leaves, and puts those of its children that are nodes and not all outside to
/// `to`. Returns how many.
static int open_node(const cull_loop* l, cull_node at, cull_node* to)
{
    const tact_trace_scene* scene = l->scene;
    TACT_ASSERT(at.node < scene->wide_top_count);
    const tact_bvh8_node* node = &scene->wide_top[at.node];
    int count = 0;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        const uint32_t kind = tact_bvh8_kind(node, i), child = tact_bvh8_child(node, i);
        if (kind == 0) break;
        int all = TACT_CULL_INSIDE;
        if (!at.all) {
            const tact_bvh_box b = tact_bvh8_child_box(node, i);
            const TactCullBox box = {b.lower[0], b.lower[1], b.lower[2], b.upper[0], b.upper[1], b.upper[2]};
            all = class_of_all(box, l->table);
        }
        if (all == TACT_CULL_OUTSIDE) continue;
        if (kind == TACT_BVH8_INNER) {
            to[count++] = (cull_node){child, all == TACT_CULL_INSIDE};
            continue;
        }
        for (uint32_t k = child; k < child + kind; ++k) {
            const tact_trace_instance* instance = &scene->instances[k];
            TACT_ASSERT(k < scene->instance_count && instance->id < scene->by_id_count);
            l->classes[instance->id] =
                (uint8_t)(all == TACT_CULL_INSIDE ? TACT_CULL_INSIDE : class_of(instance, l->table));
        }
    }
    return count;
}

static void cull_shares(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const cull_loop* l = user;
    for (size_t share = begin; share < end; ++share) {
        cull_node stack[TACT_BVH8_TOP_STACK + TACT_BVH8_WIDTH];
        int top = 0;
        stack[top++] = l->shares[share];
        while (top > 0) {
            const cull_node next = stack[--top];
            top += open_node(l, next, stack + top);
            TACT_ASSERT(top <= TACT_BVH8_TOP_STACK);
        }
    }
}

void tact_top_cull_cpu(const tact_trace_scene* scene, const tact_cull_table* table, int threads, uint8_t* classes)
{
    TACT_ASSERT(scene->wide_top_count >= 1);
    memset(classes, TACT_CULL_OUTSIDE, scene->by_id_count);
    // From the root down, a level after the other, until there are enough.
    cull_node shares[ROOM] = {{0, false}}, next[ROOM];
    const cull_loop loop = {scene, table, classes, shares};
    size_t count = 1;
    const size_t enough = threads > 1 && scene->instance_count >= FEW ? SHARES / TACT_BVH8_WIDTH : 1;
    while (count > 0 && count < enough) {
        size_t below = 0;
        for (size_t i = 0; i < count; ++i)
            below += (size_t)open_node(&loop, shares[i], next + below);
        memcpy(shares, next, below * sizeof *next);
        count = below;
    }
    tact_parallel_for(threads, count, 1, cull_shares, (void*)&loop);
}
