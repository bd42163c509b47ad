// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Culling: one item, one volume, against the planes and then the tree of the boxes. All of cull_aabb.kernel,
// cull_sphere.kernel, cull_obb.kernel and cull_kdop.kernel, which define CULL_KIND as 0 to 3. The CPU's twin is
// cpu_ref/cull/cull_one.h; the arithmetic of both is that of cull_volume.h.
//
// Drivers end long loops, llvmpipe after 65,535 iterations and without a word. So a launch looks at one part of the
// tree, of at most 4096 boxes, and leaves in classes[] the answers so far, 4 times the planes' plus the boxes'; the
// last launch puts the less of the two there.
#define KERNEL_GROUP 64
#define KERNEL_PARAMS           \
    READ(0, uint, volumes)      \
    READ(1, uint, table)        \
    READ(2, uint2, nodes)       \
    READ(3, uint, slabs)        \
    WRITE(4, uint, classes)     \
    VALUE(0, uint, count)       \
    VALUE(1, uint, plane_count) \
    VALUE(2, uint, options)     \
    VALUE(3, uint, from_level)  \
    VALUE(4, uint, from_node)   \
    VALUE(5, uint, to_node)
#include "kernel.h"
#ifdef KERNEL_BODY
#include "cull_layout.h"
#include "cull_volume.h"

#define FAN 8u

FN TactCullBox as_box(uint2 a, uint2 b, uint2 c)
{
    TactCullBox box;
    box.lx = as_float(a.x);
    box.ly = as_float(a.y);
    box.lz = as_float(b.x);
    box.hx = as_float(b.y);
    box.hy = as_float(c.x);
    box.hz = as_float(c.y);
    return box;
}

// KERNEL_BEGIN opens a block that the formatter cannot see.
// clang-format off
KERNEL_BEGIN
    uint item = GLOBAL_ID;
    if (item >= count) return;

#if CULL_KIND == 0
    uint at = 6u * item;
    TactCullBox outer;
    outer.lx = as_float(volumes[at]);
    outer.ly = as_float(volumes[at + 1u]);
    outer.lz = as_float(volumes[at + 2u]);
    outer.hx = as_float(volumes[at + 3u]);
    outer.hy = as_float(volumes[at + 4u]);
    outer.hz = as_float(volumes[at + 5u]);
    bool live = tact_cull_box_live(outer);
#elif CULL_KIND == 1
    uint at = 4u * item;
    float sx = as_float(volumes[at]);
    float sy = as_float(volumes[at + 1u]);
    float sz = as_float(volumes[at + 2u]);
    float sr = as_float(volumes[at + 3u]);
    bool live = tact_cull_sphere_live(sx, sy, sz, sr);
    TactCullSphere sphere = tact_cull_sphere(sx, sy, sz, sr);
    TactCullBox outer = tact_cull_sphere_outer(sphere);
#elif CULL_KIND == 2
    uint at = 15u * item;
    TactCullObb obb;
    obb.cx = as_float(volumes[at]);
    obb.cy = as_float(volumes[at + 1u]);
    obb.cz = as_float(volumes[at + 2u]);
    obb.ax = as_float(volumes[at + 3u]);
    obb.ay = as_float(volumes[at + 4u]);
    obb.az = as_float(volumes[at + 5u]);
    obb.bx = as_float(volumes[at + 6u]);
    obb.by = as_float(volumes[at + 7u]);
    obb.bz = as_float(volumes[at + 8u]);
    obb.gx = as_float(volumes[at + 9u]);
    obb.gy = as_float(volumes[at + 10u]);
    obb.gz = as_float(volumes[at + 11u]);
    obb.ha = as_float(volumes[at + 12u]);
    obb.hb = as_float(volumes[at + 13u]);
    obb.hg = as_float(volumes[at + 14u]);
    obb.spread = 0.0f;
    obb.spread = tact_cull_obb_spread(obb);
    bool live = tact_cull_obb_live(obb);
    TactCullBox outer = tact_cull_obb_outer(obb);
#else
    uint at = 27u * item;
    TactCullKdop dop;
    bool live = volumes[at] <= 26u;
    dop.k = to_int(live ? volumes[at] : 0u);
    live = live && tact_cull_kdop_known(dop.k);
    if (!live) dop.k = 0;
    dop.size = 0.0f;
    for (int i = 0; i < 13; ++i) {
        dop.lower[i] = 0.0f;
        dop.upper[i] = 0.0f;
        if (2 * i < dop.k) {
            float low = as_float(volumes[at + 1u + to_uint(i)]);
            float high = as_float(volumes[at + 14u + to_uint(i)]);
            live = live && low <= high && tact_cull_is_finite(low) && tact_cull_is_finite(high);
            dop.lower[i] = low;
            dop.upper[i] = high;
            dop.size = tact_cull_more(dop.size, tact_cull_more(ABS(low), ABS(high)));
        }
    }
    TactCullBox outer = tact_cull_kdop_outer(dop);
#endif

    int by_planes = TACT_CULL_INSIDE;
    int by_boxes = TACT_CULL_OUTSIDE;
    if ((options & TACT_CULL_FIRST_PART) == 0u) {
        by_planes = to_int(classes[item] >> 2u);
        by_boxes = to_int(classes[item] & 3u);
    } else if (!live || (options & TACT_CULL_HOLDS_NOTHING) != 0u) {
        by_planes = TACT_CULL_OUTSIDE;
    } else if ((options & TACT_CULL_HAS_PLANES) != 0u) {
        TactCullBox bounds;
        bounds.lx = as_float(table[TACT_CULL_TABLE_BOUNDS]);
        bounds.ly = as_float(table[TACT_CULL_TABLE_BOUNDS + 1u]);
        bounds.lz = as_float(table[TACT_CULL_TABLE_BOUNDS + 2u]);
        bounds.hx = as_float(table[TACT_CULL_TABLE_BOUNDS + 13u]);
        bounds.hy = as_float(table[TACT_CULL_TABLE_BOUNDS + 14u]);
        bounds.hz = as_float(table[TACT_CULL_TABLE_BOUNDS + 15u]);
        if ((options & TACT_CULL_IS_BOUNDED) != 0u && !tact_cull_boxes_meet(outer, bounds)) {
            by_planes = TACT_CULL_OUTSIDE;
        }
        for (uint p = 0u; p < plane_count; ++p) {
            if (by_planes == TACT_CULL_OUTSIDE) break;
            TactCullPlane plane;
            plane.nx = as_float(table[8u * p]);
            plane.ny = as_float(table[8u * p + 1u]);
            plane.nz = as_float(table[8u * p + 2u]);
            plane.d = as_float(table[8u * p + 3u]);
            plane.norm = as_float(table[8u * p + 4u]);
#if CULL_KIND == 0
            int side = tact_cull_box_plane(outer, plane);
#elif CULL_KIND == 1
            int side = tact_cull_sphere_plane(sphere, plane);
#elif CULL_KIND == 2
            int side = tact_cull_obb_plane(obb, plane);
#else
            uint m = TACT_CULL_TABLE_MIXES + 16u * (7u * p + to_uint(tact_cull_kdop_row(dop.k)));
            TactCullMix first_mix;
            first_mix.i = to_int(table[m]);
            first_mix.j = to_int(table[m + 1u]);
            first_mix.k = to_int(table[m + 2u]);
            first_mix.wi = as_float(table[m + 3u]);
            first_mix.wj = as_float(table[m + 4u]);
            first_mix.wk = as_float(table[m + 5u]);
            TactCullMix second_mix;
            second_mix.i = to_int(table[m + 8u]);
            second_mix.j = to_int(table[m + 9u]);
            second_mix.k = to_int(table[m + 10u]);
            second_mix.wi = as_float(table[m + 11u]);
            second_mix.wj = as_float(table[m + 12u]);
            second_mix.wk = as_float(table[m + 13u]);
            int side = tact_cull_kdop_plane(dop, first_mix, second_mix, plane.d);
#endif
            if (side < by_planes) by_planes = side;
        }
        if (by_planes == TACT_CULL_CROSSING && (options & TACT_CULL_IS_BOUNDED) != 0u) {
            bool meet = true;
#if CULL_KIND == 1
            meet = tact_cull_sphere_box(sphere, bounds);
#elif CULL_KIND == 2
            meet = tact_cull_obb_box(obb, bounds);
#elif CULL_KIND == 3
            for (int i = 0; 2 * i < dop.k; ++i) {
                uint n = TACT_CULL_TABLE_BOUNDS + to_uint(tact_cull_kdop_axis(dop.k, i));
                meet = meet && as_float(table[n]) <= dop.upper[i] && dop.lower[i] <= as_float(table[n + 13u]);
            }
#endif
            if (!meet) by_planes = TACT_CULL_OUTSIDE;
        }
    }

    if ((options & TACT_CULL_HAS_BOXES) != 0u && by_planes != TACT_CULL_OUTSIDE) {
        // One node of level `from_level` with all below it, or the whole top level when there is one part only.
        uint level = from_level;
        uint node = from_node;
        uint end_node = to_node;
        while (node < end_node || level < from_level) {
            // Enough is known: INSIDE is the most there is, and without TACT_CULL_CLASSIFY any box will do.
            bool any_will_do = (options & TACT_CULL_CLASSIFY) == 0u;
            if (by_boxes == TACT_CULL_INSIDE || (by_boxes != TACT_CULL_OUTSIDE && any_will_do)) break;
            uint place = 3u * (table[TACT_CULL_TABLE_TREE + level] + node);
            TactCullBox box = as_box(nodes[place], nodes[place + 1u], nodes[place + 2u]);
            bool meet = tact_cull_boxes_meet(outer, box);
            if (meet && level > 0u) {
                level -= 1u;
                node *= FAN;
            } else {
                if (meet) {
#if CULL_KIND == 1
                    meet = tact_cull_sphere_box(sphere, box);
#elif CULL_KIND == 2
                    meet = tact_cull_obb_box(obb, box);
#elif CULL_KIND == 3
                    for (int i = 0; 2 * i < dop.k; ++i) {
                        uint n = 26u * node + to_uint(tact_cull_kdop_axis(dop.k, i));
                        meet = meet && as_float(slabs[n]) <= dop.upper[i] && dop.lower[i] <= as_float(slabs[n + 13u]);
                    }
#endif
                    if (meet) by_boxes = tact_cull_box_within(outer, box) ? TACT_CULL_INSIDE : TACT_CULL_CROSSING;
                }
                node += 1u;
                while (level < from_level && (node & (FAN - 1u)) == 0u) {
                    level += 1u;
                    node /= FAN;
                }
            }
        }
    }
    if ((options & TACT_CULL_HAS_BOXES) == 0u) by_boxes = TACT_CULL_INSIDE;

    if ((options & TACT_CULL_LAST_PART) != 0u) {
        classes[item] = to_uint(by_planes < by_boxes ? by_planes : by_boxes);
    } else {
        classes[item] = 4u * to_uint(by_planes) + to_uint(by_boxes);
    }
KERNEL_END
#endif
#undef CULL_KIND
