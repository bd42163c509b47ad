// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Boxes of shapes with parts, and of one body as another sees it: in single precision, and so much larger that nothing
// which touches is lost. cpu_ref/contacts/parts.c has the same in double precision.
#ifndef TACT_CONTACT_SEEN_H
#define TACT_CONTACT_SEEN_H

#include "contact_frame.h"

#define TACT_TREE_LEAF 0x80000000u

STRUCT(TactPartBox)
{
    TactVec low, high;
    float radius;  // around that
};

STRUCT(TactTreeHead)
{
    TactVec low, high;
    float radius;
    bool parts;
    uint tree, part;  // rows
};

// One body as another sees it, in units of the other's shape.
STRUCT(TactSeen)
{
    TactPlaced placed;
    float scale;
    float unit;  // of lengths of the world
    float slack;
};

FN TactTreeHead tact_tree_head(FROM(float4, trees) uint shape)
{
    uint row = to_uint(TACT_TREE_ROWS) * shape;
    float4 low = trees[row];
    float4 high = trees[row + 1u];
    float4 rows = trees[row + 2u];
    TactTreeHead r;
    r.low = tact_vec(low.x, low.y, low.z);
    r.high = tact_vec(high.x, high.y, high.z);
    r.radius = low.w;
    r.parts = as_uint(high.w) != 0u;
    r.tree = as_uint(rows.x);
    r.part = as_uint(rows.y);
    return r;
}

FN TactPartBox tact_box_of_all(void)
{
    TactPartBox r;
    r.low = tact_vec(-3.40282347e38f, -3.40282347e38f, -3.40282347e38f);
    r.high = tact_times(r.low, -1.0f);
    r.radius = 0.0f;
    return r;
}

FN TactPartBox tact_box_of_head(TactTreeHead h)
{
    TactPartBox r;
    r.low = h.low;
    r.high = h.high;
    r.radius = h.radius;
    return r;
}

FN TactPartBox tact_box_between(float4 low, float4 high)
{
    TactPartBox r;
    r.low = tact_vec(low.x, low.y, low.z);
    r.high = tact_vec(high.x, high.y, high.z);
    r.radius = 0.0f;
    return r;
}

// B as A sees it.
FN TactSeen tact_seen(TactBodyRow a, TactBodyRow b)
{
    TactSeen r;
    TactVec between = tact_between_bodies(a, b);
    r.unit = tact_div(1.0f, a.scale);
    r.placed = tact_placed(tact_axes_of(a.qx, a.qy, a.qz, a.qw), tact_axes_of(b.qx, b.qy, b.qz, b.qw), between);
    r.placed.t = tact_times(r.placed.t, r.unit);
    PRECISE float scale = b.scale * r.unit;
    // More than places are rounded by.
    PRECISE float slack = 2e-6f * ((ABS(between.x) + ABS(between.y)) + ABS(between.z)) * r.unit;
    r.scale = scale;
    r.slack = slack;
    return r;
}

FN float tact_larger(float a, float b)
{
    return a > b ? a : b;
}

// What a box of the body that is seen covers, with room for a margin of the world.
FN TactPartBox tact_box_seen(TactPartBox box, TactSeen s, float margin)
{
    TactPartBox r;
    float x = tact_larger(ABS(box.low.x), ABS(box.high.x));
    float y = tact_larger(ABS(box.low.y), ABS(box.high.y));
    float z = tact_larger(ABS(box.low.z), ABS(box.high.z));
    float size = tact_larger(tact_larger(x, y), tact_larger(z, box.radius));
    PRECISE float around = (box.radius + 6e-5f * size) * s.scale + s.slack + margin * s.unit * 1.00001f;
    PRECISE float half_scale = 0.5f * s.scale;
    TactVec middle = tact_times(tact_more(box.low, box.high, 1.0f), half_scale);
    TactVec reach = tact_times(tact_less(box.high, box.low), half_scale);
    TactVec at = tact_more(s.placed.t, tact_placed_way(s.placed, middle), 1.0f);
    PRECISE float rx =
        ((ABS(s.placed.x.x) * reach.x + ABS(s.placed.y.x) * reach.y) + ABS(s.placed.z.x) * reach.z) + around;
    PRECISE float ry =
        ((ABS(s.placed.x.y) * reach.x + ABS(s.placed.y.y) * reach.y) + ABS(s.placed.z.y) * reach.z) + around;
    PRECISE float rz =
        ((ABS(s.placed.x.z) * reach.x + ABS(s.placed.y.z) * reach.y) + ABS(s.placed.z.z) * reach.z) + around;
    r.low = tact_less(at, tact_vec(rx, ry, rz));
    r.high = tact_more(at, tact_vec(rx, ry, rz), 1.0f);
    r.radius = 0.0f;
    return r;
}

// Whether a span of a tree meets that of a box. What is no number, where both are beyond all, meets everything.
FN bool tact_span_meets(float low, float high, float from, float to)
{
    PRECISE float slack = 5e-5f * (high - low) + 2e-6f * (ABS(low) + ABS(high));
    PRECISE float least = low - slack;
    PRECISE float most = high + slack;
    return !(least > to) && !(most < from);
}

FN bool tact_box_meets(float4 low, float4 high, TactPartBox box)
{
    return tact_span_meets(low.x, high.x, box.low.x, box.high.x) &&
           tact_span_meets(low.y, high.y, box.low.y, box.high.y) &&
           tact_span_meets(low.z, high.z, box.low.z, box.high.z);
}

#endif
