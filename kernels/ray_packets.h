// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Rays that go side by side, 64 down the tree together, for OpenCL on a CPU: what cpu_ref/trace/packet_lanes.h is, with
// sixteen lanes. Why no hit is lost is told there, and in cpu_ref/trace/box_lanes.h.
#ifndef TACT_RAY_PACKETS_H
#define TACT_RAY_PACKETS_H

#include "ray_lanes.h"
#include "ray_shapes.h"

#if defined(TACT_OPENCL)

#define CAST_CLOSEST 0u
#define CAST_ANY 1u
#define CAST_COUNT 2u
#define CAST_NONE 0xffffffffu

#define PACKET_RAYS 64u
#define PACKET_PARTS 4u  // of sixteen rays
// Directions whose reciprocals differ by more than this share, or that go both ways, are not side by side.
#define PACKET_SPREAD 0.25f
// Origins of a packet's rays are at most this share of the scene apart.
#define PACKET_APART 0.05f
// Seven children of a node are put aside at most, and one is gone down, 48 deep; over instances 32.
#define MESH_STACK 337
#define TOP_STACK 225

// A batch of rays and the scene that they are cast against; a kernel's buffers as raycast.kernel tells.
STRUCT(TactCast)
{
    __global const uint4* world;
    __global const uint4* nodes;
    __global const float* triangles;
    __global const float* rays;
    __global const uint* masks;  // of rays; 0: `mask` is that of all
    __global uint* hits;
    uint mode, instances, instance_count, faces, mask;
    float most;           // components of directions that lanes are for
    float4 lower, upper;  // of the scene
};

// In one frame.
STRUCT(TactPacketRays)
{
    float16 o[3][4];
    float16 d[3][4];
    float16 i[3][4];  // slab reciprocals
    float16 sx[4], sy[4], sz[4];
    int16 y[4], z[4], valid[4];  // the dominant axis; whether the ray can hit
};

// Bounds of a packet in one frame.
STRUCT(TactPacketView)
{
    uint octant, mixed;  // `mixed`: axes along which the rays go both ways, and which tell nothing
    float enter_origin[3], leave_origin[3];
    float enter_least[3], enter_most[3], leave_least[3], leave_most[3];
};

STRUCT(TactPacket)
{
    TactPacketRays far, here;  // in the world, and in the frame of a mesh
    TactPacketView far_view, here_view;
    float16 tmin[4], limit[4];   // `limit`: hits beyond it do not matter; negative when none does
    float16 enter[4], leave[4];  // the gate
    float16 u[4], v[4];
    uint16 instance[4], primitive[4], count[4], mask[4];
    float least, most;  // of all, tmin and limit
    uint id, axis;      // of the instance, and which axis is dominant
    int16 lanes[4];     // rays that have that axis and may hit
};

FN float16 wide_min(float16 a, float16 b)
{
    return a < b ? a : b;
}

FN float16 wide_max(float16 a, float16 b)
{
    return a > b ? a : b;
}

FN float16 wide_divide(float16 a, float16 b)
{
    float16 q = a / b;
    if (TACT_CORRECT_DIV != 0) {
        const float* as = (const float*)&a;
        const float* bs = (const float*)&b;
        float* qs = (float*)&q;
        for (uint i = 0u; i < 16u; ++i)
            qs[i] = tact_correct_quotient(as[i], bs[i], qs[i]);
    }
    return q;
}

FN float wide_least_of(float16 a)
{
    float8 b = a.lo < a.hi ? a.lo : a.hi;
    float4 c = b.lo < b.hi ? b.lo : b.hi;
    float2 d = c.lo < c.hi ? c.lo : c.hi;
    return tact_min(d.x, d.y);
}

FN float wide_most_of(float16 a)
{
    float8 b = a.lo > a.hi ? a.lo : a.hi;
    float4 c = b.lo > b.hi ? b.lo : b.hi;
    float2 d = c.lo > c.hi ? c.lo : c.hi;
    return tact_max(d.x, d.y);
}

FN int wide_any(int16 mask)
{
    int8 b = mask.lo | mask.hi;
    int4 c = b.lo | b.hi;
    int2 d = c.lo | c.hi;
    return d.x | d.y;
}

FN void packet_range(const float16* values, float* least, float* most)
{
    *least = wide_least_of(wide_min(wide_min(values[0], values[1]), wide_min(values[2], values[3])));
    *most = wide_most_of(wide_max(wide_max(values[0], values[1]), wide_max(values[2], values[3])));
}

FN float packet_limit(const TactPacket* p)
{
    return wide_most_of(wide_max(wide_max(p->limit[0], p->limit[1]), wide_max(p->limit[2], p->limit[3])));
}

// tact_ray_frame(), operation for operation.
FN void packet_frames(TactPacketRays* r)
{
    for (uint n = 0u; n < PACKET_PARTS; ++n) {
        int16 good = (int16)(-1);
        float16 e[3];
        for (int k = 0; k < 3; ++k) {
            float16 d = r->d[k][n];
            e[k] = ABS(d) < (float16)(TACT_TINY) ? (float16)(0.0f) : d;
            good = good & (ABS(r->o[k][n]) <= (float16)(TACT_RANGE)) & (ABS(e[k]) <= (float16)(TACT_LARGEST));
            r->i[k][n] = e[k] == (float16)(0.0f) ? (float16)(TACT_HUGE) : wide_divide((float16)(1.0f), e[k]);
        }
        int16 y = ABS(e[1]) > ABS(e[0]);
        float16 largest = y ? ABS(e[1]) : ABS(e[0]);
        int16 z = ABS(e[2]) > largest;
        largest = z ? ABS(e[2]) : largest;
        float16 along = z ? e[2] : (y ? e[1] : e[0]);
        r->sx[n] = wide_divide(z ? e[0] : (y ? e[2] : e[1]), along);
        r->sy[n] = wide_divide(z ? e[1] : (y ? e[0] : e[2]), along);
        r->sz[n] = wide_divide((float16)(1.0f), along);
        r->y[n] = y & (z == (int16)(0));
        r->z[n] = z;
        r->valid[n] = good & (largest > (float16)(0.0f));
    }
}

FN void packet_bounds(TactPacketView* view, const TactPacketRays* r, float slack)
{
    view->octant = 0u;
    view->mixed = 0u;
    for (int k = 0; k < 3; ++k) {
        float low, high, least, most;
        packet_range(r->o[k], &low, &high);
        packet_range(r->i[k], &least, &most);
        bool upper = least < 0.0f;
        if (upper && most > 0.0f) view->mixed |= 1u << k;
        if (upper) view->octant |= 1u << k;
        view->enter_origin[k] = upper ? low : high;
        view->leave_origin[k] = upper ? high : low;
        view->enter_least[k] = least * (1.0f - slack);
        view->enter_most[k] = most * (1.0f - slack);
        view->leave_least[k] = least * (1.0f + slack);
        view->leave_most[k] = most * (1.0f + slack);
    }
}

// The sides of a node's children on an axis.
FN float8 node_sides(__global const uint4* node, int axis, bool upper)
{
    uint4 head = node[0];
    uint4 bytes = node[2 + axis];
    float scale = as_float(((head.w >> (8 * axis)) & 255u) << 23);
    float origin = as_float(axis == 0 ? head.x : (axis == 1 ? head.y : head.z));
    return tact_lanes_of(upper ? bytes.z : bytes.x, upper ? bytes.w : bytes.y) * scale + origin;
}

// Which children some ray may reach, absent ones perhaps among them, and where the first enters them.
FN uint packet_boxes(const TactPacketView* v, float tmin, float limit, __global const uint4* node, float8* distance)
{
    float8 near = (float8)(tmin);
    float8 far = (float8)(limit);
    for (int k = 0; k < 3; ++k) {
        if (((v->mixed >> k) & 1u) != 0u) continue;
        bool upper = ((v->octant >> k) & 1u) != 0u;
        float8 a = node_sides(node, k, upper) - v->enter_origin[k];
        float8 b = node_sides(node, k, !upper) - v->leave_origin[k];
        near = tact_lanes_max(near, tact_lanes_min(a * v->enter_least[k], a * v->enter_most[k]));
        far = tact_lanes_min(far, tact_lanes_max(b * v->leave_least[k], b * v->leave_most[k]));
    }
    *distance = near;
    return tact_lanes_at_most(near, far + TACT_TREE_TINY);
}

// Puts the children that are reached on a stack, the farthest lowest. Returns its size.
FN uint children_put(__global const uint4* node, uint reached, float8 distance, uint size, uint* child, float* enter)
{
    float distances[8];
    vstore8(distance, 0, distances);
    uint4 meta = node[1];
    uint from = size;
    while (reached != 0u) {
        uint i = FIRST_BIT(reached);
        reached = reached & (reached - 1u);
        uint what = ((i < 4u ? meta.z : meta.w) >> (8u * (i & 3u))) & 255u;
        uint kind = what >> 5;
        if (kind == 0u) continue;
        uint to = (kind == TACT_KIND_NODE ? meta.x : meta.y) + (what & 31u);
        float e = distances[i];
        uint place = size;
        while (place > from && enter[place - 1u] < e) {
            child[place] = child[place - 1u];
            enter[place] = enter[place - 1u];
            place = place - 1u;
        }
        child[place] = (kind << TACT_KIND_SHIFT) | to;
        enter[place] = e;
        size = size + 1u;
    }
    return size;
}

// A triangle of a block against the rays of some parts. True when one hit.
FN bool packet_triangle(const TactCast* c, TactPacket* p, __global const float* block, uint slot, uint parts)
{
    TactPacketRays* r = &p->here;
    int kz = (int)p->axis;
    int kx = kz == 2 ? 0 : kz + 1;
    int ky = kx == 2 ? 0 : kx + 1;
    float corner[3][3];
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 3; ++a)
            corner[k][a] = block[24 * k + 8 * a + (int)slot];
    }
    TactBox box;
    bool has_box = false;
    bool hit = false;
    uint primitive = as_uint(block[72 + (int)slot]);
    float16 zero = (float16)(0.0f);
    for (uint n = 0u; n < PACKET_PARTS; ++n) {
        if (((parts >> n) & 1u) == 0u) continue;
        float16 limit = p->limit[n];
        int16 left = p->lanes[n] & (limit >= zero);
        float16 az = corner[0][kz] - r->o[kz][n];
        float16 bz = corner[1][kz] - r->o[kz][n];
        float16 cz = corner[2][kz] - r->o[kz][n];
        float16 ax = (corner[0][kx] - r->o[kx][n]) - r->sx[n] * az;
        float16 ay = (corner[0][ky] - r->o[ky][n]) - r->sy[n] * az;
        float16 bx = (corner[1][kx] - r->o[kx][n]) - r->sx[n] * bz;
        float16 by = (corner[1][ky] - r->o[ky][n]) - r->sy[n] * bz;
        float16 cx = (corner[2][kx] - r->o[kx][n]) - r->sx[n] * cz;
        float16 cy = (corner[2][ky] - r->o[ky][n]) - r->sy[n] * cz;
        float16 u = cx * by - cy * bx;
        float16 v = ax * cy - ay * cx;
        float16 w = bx * ay - by * ax;
        int16 both = (wide_min(wide_min(u, v), w) < zero) & (wide_max(wide_max(u, v), w) > zero);
        left = left & (both == (int16)(0));
        if (wide_any(left) == 0) continue;
        if (!has_box) {
            has_box = true;
            box = tact_triangle_box(corner[0][0], corner[0][1], corner[0][2], corner[1][0], corner[1][1], corner[1][2],
                                    corner[2][0], corner[2][1], corner[2][2]);
        }
        // Lanes in which an edge value rounds to zero: the definition computes them exactly.
        int16 exact = left & ((u == zero) | (v == zero) | (w == zero));
        float16 sz = r->sz[n];
        if (wide_any(exact) != 0) {
            for (uint i = 0u; i < 16u; ++i) {
                if (((const int*)&exact)[i] == 0) continue;
                // With these values for the lane's own everything below goes on as it would for others.
                float pax = ((const float*)&ax)[i], pay = ((const float*)&ay)[i];
                float pbx = ((const float*)&bx)[i], pby = ((const float*)&by)[i];
                float pcx = ((const float*)&cx)[i], pcy = ((const float*)&cy)[i];
                float eu = tact_edge(pcx, pby, pcy, pbx);
                float ev = tact_edge(pax, pcy, pay, pcx);
                float ew = tact_edge(pbx, pay, pby, pax);
                ((float*)&u)[i] = eu;
                ((float*)&v)[i] = ev;
                ((float*)&w)[i] = ew;
                bool below = eu < 0.0f || ev < 0.0f || ew < 0.0f;
                bool above = eu > 0.0f || ev > 0.0f || ew > 0.0f;
                if (below && above) ((int*)&left)[i] = 0;
            }
        }
        float16 sum = (u + v) + w;
        float16 x0 = (box.lx - r->o[0][n]) * r->i[0][n];
        float16 x1 = (box.hx - r->o[0][n]) * r->i[0][n];
        float16 y0 = (box.ly - r->o[1][n]) * r->i[1][n];
        float16 y1 = (box.hy - r->o[1][n]) * r->i[1][n];
        float16 z0 = (box.lz - r->o[2][n]) * r->i[2][n];
        float16 z1 = (box.hz - r->o[2][n]) * r->i[2][n];
        float16 enter = wide_max(wide_max(wide_min(x0, x1), wide_min(y0, y1)), wide_min(z0, z1));
        float16 leave = wide_min(wide_min(wide_max(x0, x1), wide_max(y0, y1)), wide_max(z0, z1));
        enter = enter * (enter < zero ? (float16)(1.0f + TACT_SLACK) : (float16)(1.0f - TACT_SLACK));
        leave = leave * (leave < zero ? (float16)(1.0f - TACT_SLACK) : (float16)(1.0f + TACT_SLACK));
        enter = wide_max(enter, p->enter[n]);
        leave = wide_min(leave, p->leave[n]);
        float16 scaled = (u * (sz * az) + v * (sz * bz)) + w * (sz * cz);
        float16 t = wide_divide(scaled, sum);
        t = wide_max(t, enter);
        t = wide_min(t, leave);
        left = left & ((sum > zero) | (sum < zero)) & (enter <= leave);
        left = left & (t >= p->tmin[n]) & (t <= limit) & (ABS(t) <= (float16)(TACT_LARGEST));
        if (c->faces != TACT_FACE_BOTH) {
            int16 front = (sum > zero) == (sz > zero);
            left = left & (c->faces == TACT_FACE_FRONT ? front : (front == (int16)(0)));
        }
        if (wide_any(left) == 0) continue;
        hit = true;
        if (c->mode != CAST_CLOSEST) {
            p->count[n] = p->count[n] + (left ? (uint16)(1u) : (uint16)(0u));
            if (c->mode == CAST_ANY) p->limit[n] = left ? (float16)(-1.0f) : limit;
            continue;
        }
        int16 before = (p->instance[n] > (uint16)(p->id)) |
                       ((p->instance[n] == (uint16)(p->id)) & (p->primitive[n] > (uint16)(primitive)));
        left = left & ((t < limit) | ((t == limit) & before));
        p->limit[n] = left ? t : limit;
        p->u[n] = left ? wide_divide(v, sum) : p->u[n];
        p->v[n] = left ? wide_divide(w, sum) : p->v[n];
        p->instance[n] = left ? (uint16)(p->id) : p->instance[n];
        p->primitive[n] = left ? (uint16)(primitive) : p->primitive[n];
    }
    return hit;
}

// Asks for the memory that a child is in.
FN void child_prefetch(const TactCast* c, uint child)
{
    uint at = child & TACT_CHILD_BITS;
    if (child >> TACT_KIND_SHIFT == TACT_KIND_NODE) {
        TACT_PREFETCH(c->nodes + 5u * at);
        TACT_PREFETCH(c->nodes + 5u * at + 4u);
        return;
    }
    __global const float* block = c->triangles + 80u * (at >> 3);
    for (int i = 0; i < 5; ++i)
        TACT_PREFETCH(block + 16 * i);
}

// A child that waits: where the first ray enters it, which child of which node it is, and the parts that reach that
// node.
STRUCT(TactPacketAside)
{
    float enter;
    uint child, source, parts;
};

// children_put() for those.
FN uint packet_put(const TactCast* c, __global const uint4* node, uint at, uint reached, float8 distance, uint parts,
                   uint size, TactPacketAside* stack)
{
    float distances[8];
    vstore8(distance, 0, distances);
    uint4 meta = node[1];
    uint from = size;
    while (reached != 0u) {
        uint i = FIRST_BIT(reached);
        reached = reached & (reached - 1u);
        uint what = ((i < 4u ? meta.z : meta.w) >> (8u * (i & 3u))) & 255u;
        uint kind = what >> 5;
        if (kind == 0u) continue;
        TactPacketAside aside;
        aside.enter = distances[i];
        aside.child = (kind << TACT_KIND_SHIFT) | ((kind == TACT_KIND_NODE ? meta.x : meta.y) + (what & 31u));
        aside.source = 8u * at + i;
        aside.parts = parts;
        child_prefetch(c, aside.child);
        uint place = size;
        while (place > from && stack[place - 1u].enter < aside.enter) {
            stack[place] = stack[place - 1u];
            place = place - 1u;
        }
        stack[place] = aside;
        size = size + 1u;
    }
    return size;
}

// The side of a child on an axis, the upper one or the lower one.
FN float packet_side(__global const uint4* node, uint i, int axis, bool upper)
{
    uint4 head = node[0];
    uint4 bytes = node[2 + axis];
    uint word = upper ? (i < 4u ? bytes.z : bytes.w) : (i < 4u ? bytes.x : bytes.y);
    float scale = as_float(((head.w >> (8 * axis)) & 255u) << 23);
    float origin = as_float(axis == 0 ? head.x : (axis == 1 ? head.y : head.z));
    return (float)((word >> (8u * (i & 3u))) & 255u) * scale + origin;
}

// The parts, among some, with a ray that reaches a child: each ray for itself and up to its own limit, since the
// packet's bounds say little about one box when its rays have gone apart. Without `all` the first that does stands for
// those after it.
FN uint packet_reach(const TactPacket* p, __global const uint4* node, uint i, uint among, bool all)
{
    const TactPacketView* v = &p->here_view;
    float sides[2][3];
    for (int k = 0; k < 3; ++k) {
        bool upper = ((v->octant >> k) & 1u) != 0u;
        sides[0][k] = packet_side(node, i, k, upper);
        sides[1][k] = packet_side(node, i, k, !upper);
    }
    uint parts = 0u;
    for (uint n = 0u; n < PACKET_PARTS; ++n) {
        if (((among >> n) & 1u) == 0u) continue;
        float16 near = p->tmin[n];
        float16 far = p->limit[n];
        for (int k = 0; k < 3; ++k) {
            if (((v->mixed >> k) & 1u) != 0u) continue;
            float16 inverse = p->here.i[k][n];
            near = wide_max(near, (sides[0][k] - p->here.o[k][n]) * (inverse * (1.0f - TACT_TREE_SLACK)));
            far = wide_min(far, (sides[1][k] - p->here.o[k][n]) * (inverse * (1.0f + TACT_TREE_SLACK)));
        }
        if (wide_any((near <= far + TACT_TREE_TINY) & p->lanes[n]) == 0) continue;
        if (!all) return among & ~((1u << n) - 1u);
        parts = parts | (1u << n);
    }
    return parts;
}

// Takes the packet down the tree of a mesh, in whose frame it is.
FN void packet_mesh(const TactCast* c, TactPacket* p, uint root)
{
    TactPacketAside stack[MESH_STACK];
    uint size = 0u;
    uint kind = TACT_KIND_NODE;
    uint at = root;
    uint parts = (1u << PACKET_PARTS) - 1u;
    while (true) {
        if (kind == TACT_KIND_NODE) {
            __global const uint4* node = c->nodes + 5u * at;
            float8 distance;
            uint reached = packet_boxes(&p->here_view, p->least, p->most, node, &distance);
            size = packet_put(c, node, at, reached, distance, parts, size, stack);
        } else {
            __global const float* block = c->triangles + 80u * (at >> 3);
            bool hit = false;
            for (uint i = 0u; i < kind; ++i)
                hit = packet_triangle(c, p, block, (at & 7u) + i, parts) || hit;
            if (hit && c->mode != CAST_COUNT) p->most = packet_limit(p);
        }
        parts = 0u;
        while (parts == 0u) {
            if (size == 0u) return;
            size = size - 1u;
            if (stack[size].enter > p->most + TACT_TREE_TINY) continue;
            kind = stack[size].child >> TACT_KIND_SHIFT;
            uint source = stack[size].source;
            parts =
                packet_reach(p, c->nodes + 5u * (source >> 3), source & 7u, stack[size].parts, kind != TACT_KIND_NODE);
        }
        at = stack[size].child & TACT_CHILD_BITS;
    }
}

FN void packet_instance(const TactCast* c, TactPacket* p, uint index)
{
    __global const float* rows = (__global const float*)(c->world + c->instances + 6u * index);
    __global const uint* words = (__global const uint*)rows;
    TactPacketRays* f = &p->far;
    TactPacketRays* h = &p->here;
    int16 reach[4];
    int16 some = (int16)(0);
    for (uint n = 0u; n < PACKET_PARTS; ++n) {
        float16 enter = (float16)(0.0f), leave = enter;
        float16 moved[3];
        for (int k = 0; k < 3; ++k) {
            float16 a = (rows[12 + k] - f->o[k][n]) * f->i[k][n];
            float16 b = (rows[16 + k] - f->o[k][n]) * f->i[k][n];
            enter = k == 0 ? wide_min(a, b) : wide_max(enter, wide_min(a, b));
            leave = k == 0 ? wide_max(a, b) : wide_min(leave, wide_max(a, b));
            moved[k] = f->o[k][n] - rows[4 * k + 3];
        }
        float16 less = (float16)(1.0f - TACT_INSTANCE_SLACK), more = (float16)(1.0f + TACT_INSTANCE_SLACK);
        enter = enter * (enter < (float16)(0.0f) ? more : less);
        leave = leave * (leave < (float16)(0.0f) ? less : more);
        p->enter[n] = enter;
        p->leave[n] = leave;
        reach[n] = (enter <= leave) & (enter <= p->limit[n]) & (p->tmin[n] <= leave) &
                   ((p->mask[n] & (uint16)(words[23])) != (uint16)(0u));
        for (int k = 0; k < 3; ++k) {
            __global const float* m = rows + 4 * k;
            h->o[k][n] = (m[0] * moved[0] + m[1] * moved[1]) + m[2] * moved[2];
            h->d[k][n] = (m[0] * f->d[0][n] + m[1] * f->d[1][n]) + m[2] * f->d[2][n];
        }
        some = some | reach[n];
    }
    if (wide_any(some) == 0) return;
    packet_frames(h);
    // Places whose rays cannot hit get what one that can has, so that the packet's bounds are of those alone.
    uint from = PACKET_RAYS;
    for (uint i = 0u; i < PACKET_RAYS && from == PACKET_RAYS; ++i) {
        if ((((const int*)reach)[i] & ((const int*)h->valid)[i]) != 0) from = i;
    }
    if (from == PACKET_RAYS) return;
    for (int k = 0; k < 3; ++k) {
        float16 o = (float16)(((const float*)h->o[k])[from]);
        float16 i = (float16)(((const float*)h->i[k])[from]);
        for (uint n = 0u; n < PACKET_PARTS; ++n) {
            int16 lanes = reach[n] & h->valid[n];
            h->o[k][n] = lanes ? h->o[k][n] : o;
            h->i[k][n] = lanes ? h->i[k][n] : i;
        }
    }
    packet_bounds(&p->here_view, h, TACT_TREE_SLACK);
    p->id = words[19];
    for (uint axis = 0u; axis < 3u; ++axis) {
        some = (int16)(0);
        for (uint n = 0u; n < PACKET_PARTS; ++n) {
            int16 lanes = reach[n] & h->valid[n];
            int16 x = (h->y[n] | h->z[n]) == (int16)(0);
            p->lanes[n] = lanes & (axis == 0u ? x : (axis == 1u ? h->y[n] : h->z[n]));
            some = some | p->lanes[n];
        }
        p->axis = axis;
        if (wide_any(some) != 0) packet_mesh(c, p, words[21]);
    }
}

FN void packet_top(const TactCast* c, TactPacket* p)
{
    uint child[TOP_STACK];
    float enter[TOP_STACK];
    child[0] = TACT_KIND_NODE << TACT_KIND_SHIFT;
    enter[0] = p->least;
    uint size = 1u;
    while (size > 0u) {
        size = size - 1u;
        if (enter[size] > p->most + TACT_TREE_TINY) continue;
        uint at = child[size] & TACT_CHILD_BITS;
        if (child[size] >> TACT_KIND_SHIFT != TACT_KIND_NODE) {
            packet_instance(c, p, at);
            continue;
        }
        __global const uint4* node = c->world + 5u * at;
        float8 distance;
        uint reached = packet_boxes(&p->far_view, p->least, p->most, node, &distance);
        size = children_put(node, reached, distance, size, child, enter);
    }
}

// Whether the arithmetic of lanes is for a ray, as on the CPU (cpu_ref/trace/lanes.h): tmin 0 or more, a direction that
// is not too large, and no NaN.
FN bool cast_is_fast(const TactCast* c, __global const float* ray)
{
    return ray[3] >= 0.0f && ray[3] <= ray[7] && ray[3] <= TACT_LARGEST && ABS(ray[4]) <= c->most &&
           ABS(ray[5]) <= c->most && ABS(ray[6]) <= c->most;
}

// Whether the rays are so much alike that going together pays.
FN bool packet_alike(const TactCast* c, const TactPacket* p)
{
    const TactPacketView* v = &p->far_view;
    const TactPacketRays* r = &p->far;
    int16 y = r->y[0] & r->y[1] & r->y[2] & r->y[3], z = r->z[0] & r->z[1] & r->z[2] & r->z[3];
    int16 x = (r->y[0] | r->y[1] | r->y[2] | r->y[3] | r->z[0] | r->z[1] | r->z[2] | r->z[3]) == (int16)(0);
    uint axis = 0u;
    if (wide_any(z == (int16)(0)) == 0) {
        axis = 2u;
    } else if (wide_any(y == (int16)(0)) == 0) {
        axis = 1u;
    } else if (wide_any(x == (int16)(0)) != 0) {
        return false;
    }
    // Reciprocals along the dominant axis, and the shears, tell how far apart the rays are at a unit's distance.
    if (v->mixed != 0u || tact_max(-v->enter_least[axis], v->enter_most[axis]) * (1.0f - PACKET_SPREAD) >
                              tact_max(v->enter_least[axis], -v->enter_most[axis])) {
        return false;
    }
    float low, high;
    packet_range(r->sx, &low, &high);
    if (high - low > PACKET_SPREAD) return false;
    packet_range(r->sy, &low, &high);
    if (high - low > PACKET_SPREAD) return false;
    float4 size = (c->upper - c->lower) * PACKET_APART;
    return ABS(v->enter_origin[0] - v->leave_origin[0]) <= size.x &&
           ABS(v->enter_origin[1] - v->leave_origin[1]) <= size.y &&
           ABS(v->enter_origin[2] - v->leave_origin[2]) <= size.z;
}

// What a miss is, and a hit that is not the closest.
FN void cast_store(const TactCast* c, uint ray, uint instance, uint primitive, float t, float u, float v, uint count)
{
    __global uint* hit = c->hits + 5u * (size_t)ray;
    uint t_bits = instance != CAST_NONE ? as_uint(t) : as_uint(c->rays[8u * (size_t)ray + 7u]);
    if (c->mode == CAST_COUNT || (c->mode == CAST_ANY && count != 0u)) {
        instance = 0u;
        primitive = c->mode == CAST_COUNT ? count : 0u;
        t_bits = 0u;
    }
    hit[0] = instance;
    hit[1] = primitive;
    hit[2] = t_bits;
    hit[3] = as_uint(u);
    hit[4] = as_uint(v);
}

// Casts at most PACKET_RAYS rays, if they are enough alike: else false.
FN bool packet_cast(const TactCast* c, TactPacket* p, const uint* order, uint count)
{
    bool fast = true;
    for (uint i = 0u; i < PACKET_RAYS; ++i) {
        // Places without a ray have the first, whose end they have passed already.
        uint id = order[i < count ? i : 0u];
        __global const float* ray = c->rays + 8u * (size_t)id;
        fast = fast && cast_is_fast(c, ray);
        for (int k = 0; k < 3; ++k) {
            ((float*)p->far.o[k])[i] = ray[k];
            ((float*)p->far.d[k])[i] = ray[4 + k];
        }
        // Without the sign of a negative zero.
        ((float*)p->tmin)[i] = ray[3] + 0.0f;
        ((float*)p->limit)[i] = i < count ? ray[7] : -1.0f;
        ((uint*)p->mask)[i] = c->masks != 0 ? c->masks[id] : c->mask;
    }
    if (!fast) return false;
    packet_frames(&p->far);
    int16 valid = p->far.valid[0] & p->far.valid[1] & p->far.valid[2] & p->far.valid[3];
    if (wide_any(valid == (int16)(0)) != 0) return false;
    packet_bounds(&p->far_view, &p->far, TACT_TREE_INSTANCE_SLACK);
    if (!packet_alike(c, p)) return false;
    for (uint n = 0u; n < PACKET_PARTS; ++n) {
        p->u[n] = p->v[n] = (float16)(0.0f);
        p->instance[n] = p->primitive[n] = (uint16)(CAST_NONE);
        p->count[n] = (uint16)(0u);
    }
    float unused;
    packet_range(p->tmin, &p->least, &unused);
    p->most = packet_limit(p);
    if (c->instance_count == 1u) {
        packet_instance(c, p, 0u);
    } else {
        packet_top(c, p);
    }
    for (uint i = 0u; i < count; ++i) {
        cast_store(c, order[i], ((const uint*)p->instance)[i], ((const uint*)p->primitive)[i],
                   ((const float*)p->limit)[i], ((const float*)p->u)[i], ((const float*)p->v)[i],
                   ((const uint*)p->count)[i]);
    }
    return true;
}

#endif
#endif
