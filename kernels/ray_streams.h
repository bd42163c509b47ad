// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Many rays down a tree together, and their order, for OpenCL on a CPU: what cpu_ref/trace/stream_lanes.h and reorder.c
// are. A node is decoded once for all rays of a list, and the rays that reach a child make up its list.
#ifndef TACT_RAY_STREAMS_H
#define TACT_RAY_STREAMS_H

#include "ray_packets.h"

#if defined(TACT_OPENCL)

#define STREAM_RAYS 8192u
#define STREAM_LISTS 327680u  // words for lists of rays that wait: 40 for each ray
#define STREAM_ALONE 8u       // the longest list whose rays go on by themselves
#define STREAM_POOL 64u
#define STREAM_GROUP 8u      // rays that go on by themselves in turn
#define STREAM_PIECE 65536u  // rays that are put in order together
#define STREAM_SORTED 512u   // fewer are not worth it

// What a worker has in `scratch`, in words. The pairs of keys and rays that are sorted lie where the stream will.
#define SCRATCH_RAYS STREAM_PIECE
#define SCRATCH_RESTS (SCRATCH_RAYS + 16u * STREAM_RAYS)
#define SCRATCH_LISTS (SCRATCH_RESTS + 16u * STREAM_RAYS)
#define SCRATCH_MASKS (SCRATCH_LISTS + STREAM_LISTS + 64u)
#define SCRATCH_WORDS 657472u

// A ray in the frame of the mesh, as box and edge tests read it: 16 words.
#define RAY_ORIGIN 0
#define RAY_TMIN 3
#define RAY_NEAR 4   // slab reciprocals, with slack for the side that is entered
#define RAY_LIMIT 7  // hits beyond it do not matter; negative when none does
#define RAY_FAR 8    // with slack for the side that is left
#define RAY_SX 11
#define RAY_SY 12
#define RAY_SZ 13
#define RAY_AXIS 14
#define RAY_OCTANT 15  // 8: misses the mesh

// What only hits need: 16 words.
#define REST_INVERSE 0
#define REST_ENTER 3
#define REST_LEAVE 4
#define REST_INSTANCE 6
#define REST_PRIMITIVE 7
#define REST_U 8
#define REST_V 9
#define REST_COUNT 10

STRUCT(TactStream)
{
    const TactCast* cast;
    __global float* rays;
    __global float* rests;
    __global uint* lists;
    __global uchar* masks;
    uint id;  // of the instance
};

FN float4 four_divide(float4 a, float4 b)
{
    float4 q = a / b;
    if (TACT_CORRECT_DIV != 0) {
        q.x = tact_correct_quotient(a.x, b.x, q.x);
        q.y = tact_correct_quotient(a.y, b.y, q.y);
        q.z = tact_correct_quotient(a.z, b.z, q.z);
        q.w = tact_correct_quotient(a.w, b.w, q.w);
    }
    return q;
}

FN uint stream_spread(uint x)
{
    x = (x | (x << 8)) & 0x0000f00fu;
    x = (x | (x << 4)) & 0x000c30c3u;
    return (x | (x << 2)) & 0x00249249u;
}

// The octant of a ray's direction above the Morton code of where it enters the scene's box, of 32 cells along each
// axis.
FN uint stream_key(const TactCast* c, __global const float* ray)
{
    float4 o = vload4(0, ray);
    float4 d = vload4(1, ray);
    int4 negative = d < (float4)(0.0f);
    float4 at = ((negative ? c->upper : c->lower) - o) / d;
    float enter = tact_max(o.w, 0.0f);
    // A direction without a component divides by zero; an infinite or undefined quotient is passed over.
    if (at.x > enter && at.x <= TACT_LARGEST) enter = at.x;
    if (at.y > enter && at.y <= TACT_LARGEST) enter = at.y;
    if (at.z > enter && at.z <= TACT_LARGEST) enter = at.z;
    float4 width = c->upper - c->lower;
    float4 cell = ((o + d * enter) - c->lower) * (32.0f / width);
    // In this order a NaN becomes 0.
    cell = cell > (float4)(0.0f) ? cell : (float4)(0.0f);
    cell = cell < (float4)(31.0f) ? cell : (float4)(31.0f);
    uint4 n = convert_uint4(cell);
    uint octant = (uint)((negative.x & 1) | (negative.y & 2) | (negative.z & 4));
    return stream_spread(n.x) | (stream_spread(n.y) << 1) | (stream_spread(n.z) << 2) | (octant << 15);
}

FN void stream_scatter(__global const uint* from, __global uint* to, uint count, uint shift, uint* places)
{
    uint sum = 0u;
    for (uint d = 0u; d < 512u; ++d) {
        uint n = places[d];
        places[d] = sum;
        sum += n;
    }
    for (uint i = 0u; i < count; ++i) {
        uint place = places[(from[2u * i] >> shift) & 511u]++;
        to[2u * place] = from[2u * i];
        to[2u * place + 1u] = from[2u * i + 1u];
    }
}

// Puts rays that enter the scene side by side next to each other. `pairs`: four words a ray.
FN void stream_order(const TactCast* c, __global uint* order, uint count, __global uint* pairs)
{
    uint low[512], high[512];
    for (uint d = 0u; d < 512u; ++d)
        low[d] = high[d] = 0u;
    for (uint i = 0u; i < count; ++i) {
        uint key = stream_key(c, c->rays + 8u * (size_t)order[i]);
        pairs[2u * i] = key;
        pairs[2u * i + 1u] = order[i];
        low[key & 511u] += 1u;
        high[key >> 9] += 1u;
    }
    stream_scatter(pairs, pairs + 2u * count, count, 0u, low);
    stream_scatter(pairs + 2u * count, pairs, count, 9u, high);
    for (uint i = 0u; i < count; ++i)
        order[i] = pairs[2u * i + 1u];
}

FN float4 stream_frame(float4 d, float4 o, float* sx, float* sy, float* sz, uint* axis, bool* valid)
{
    float4 size = ABS(d);
    float4 e = size < (float4)(TACT_TINY) ? (float4)(0.0f) : d;
    size = ABS(e);
    float largest = size.x;
    *axis = 0u;
    if (size.y > largest) {
        *axis = 1u;
        largest = size.y;
    }
    if (size.z > largest) {
        *axis = 2u;
        largest = size.z;
    }
    int4 good = (size <= (float4)(TACT_LARGEST)) & (ABS(o) <= (float4)(TACT_RANGE));
    *valid = (good.x & good.y & good.z) != 0 && largest > 0.0f;
    float along = tact_component(e.x, e.y, e.z, (int)*axis);
    float4 shear =
        (float4)(tact_component(e.y, e.z, e.x, (int)*axis), tact_component(e.z, e.x, e.y, (int)*axis), 1.0f, 1.0f);
    shear = four_divide(shear, (float4)(along));
    *sx = shear.x;
    *sy = shear.y;
    *sz = shear.z;
    return e == (float4)(0.0f) ? (float4)(TACT_HUGE) : four_divide((float4)(1.0f), e);
}

// A ray of the caller's, which lies where it goes, into the frame of the only instance.
FN void stream_prepare(const TactStream* s, uint i, uint number)
{
    const TactCast* c = s->cast;
    __global const float* rows = (__global const float*)(c->world + c->instances);
    __global float* r = s->rays + 16u * i;
    __global float* rest = s->rests + 16u * i;
    float4 o = vload4(0, r);
    float4 d = vload4(1, r);
    float tmin = o.w + 0.0f;
    float tmax = d.w;
    o.w = d.w = 0.0f;
    float sx, sy, sz;
    uint axis;
    bool far_valid, valid;
    float4 inverse = stream_frame(d, o, &sx, &sy, &sz, &axis, &far_valid);
    float4 a = (vload4(3, rows) - o) * inverse;
    float4 b = (vload4(4, rows) - o) * inverse;
    float4 low = a < b ? a : b;
    float4 high = a > b ? a : b;
    TactInterval gate = tact_widened(tact_max(tact_max(low.x, low.y), low.z),
                                     tact_min(tact_min(high.x, high.y), high.z), TACT_INSTANCE_SLACK);
    float4 m0 = vload4(0, rows);
    float4 m1 = vload4(1, rows);
    float4 m2 = vload4(2, rows);
    float4 from = o - (float4)(m0.w, m1.w, m2.w, 0.0f);
    float4 x = (float4)(m0.x, m1.x, m2.x, 0.0f);
    float4 y = (float4)(m0.y, m1.y, m2.y, 0.0f);
    float4 z = (float4)(m0.z, m1.z, m2.z, 0.0f);
    float4 here = (x * from.x + y * from.y) + z * from.z;
    float4 way = (x * d.x + y * d.y) + z * d.z;
    inverse = stream_frame(way, here, &sx, &sy, &sz, &axis, &valid);
    uint mask = c->masks != 0 ? c->masks[number] : c->mask;
    __global const uint* words = (__global const uint*)rows;
    valid = valid && far_valid && gate.enter <= gate.leave && gate.enter <= tmax && gate.leave >= tmin &&
            (mask & words[23]) != 0u;
    uint octant = (inverse.x < 0.0f ? 1u : 0u) | (inverse.y < 0.0f ? 2u : 0u) | (inverse.z < 0.0f ? 4u : 0u);
    float4 near = inverse * (1.0f - TACT_TREE_SLACK);
    float4 far = inverse * (1.0f + TACT_TREE_SLACK);
    here.w = tmin;
    near.w = tmax;
    far.w = sx;
    vstore4(here, 0, r);
    vstore4(near, 1, r);
    vstore4(far, 2, r);
    vstore4((float4)(sy, sz, as_float(axis), as_float(valid ? octant : 8u)), 3, r);
    inverse.w = gate.enter;
    vstore4(inverse, 0, rest);
    vstore4((float4)(gate.leave, as_float(number), as_float(CAST_NONE), as_float(CAST_NONE)), 1, rest);
    vstore4((float4)(0.0f), 2, rest);
}

FN float8 ray_boxes(__global const float* r, const float8* enter, const float8* leave, uint* reached)
{
    float8 near = (float8)(r[RAY_TMIN]);
    float8 far = (float8)(r[RAY_LIMIT]);
    for (int k = 0; k < 3; ++k) {
        near = tact_lanes_max(near, (enter[k] - r[RAY_ORIGIN + k]) * r[RAY_NEAR + k]);
        far = tact_lanes_min(far, (leave[k] - r[RAY_ORIGIN + k]) * r[RAY_FAR + k]);
    }
    *reached = tact_lanes_at_most(near, far + TACT_TREE_TINY);
    return near;
}

// A leaf against a ray. True when the ray is done.
FN bool stream_leaf(const TactStream* s, uint i, uint kind, uint slot)
{
    const TactCast* c = s->cast;
    __global float* r = s->rays + 16u * i;
    __global float* rest = s->rests + 16u * i;
    __global const float* block = c->triangles + 80u * (slot >> 3);
    TactRayFrame f;
    f.ox = r[0];
    f.oy = r[1];
    f.oz = r[2];
    f.sx = r[RAY_SX];
    f.sy = r[RAY_SY];
    f.axis = (int)as_uint(r[RAY_AXIS]);
    uint left = tact_lanes_triangles(f, (__global const float4*)block) & (((1u << kind) - 1u) << (slot & 7u));
    if (left == 0u) return false;
    f.sz = r[RAY_SZ];
    f.ix = rest[REST_INVERSE];
    f.iy = rest[REST_INVERSE + 1];
    f.iz = rest[REST_INVERSE + 2];
    f.valid = 1;
    TactInterval gate;
    gate.enter = rest[REST_ENTER];
    gate.leave = rest[REST_LEAVE];
    while (left != 0u) {
        uint k = FIRST_BIT(left);
        left = left & (left - 1u);
        __global const float* at = block + k;
        TactTriangleHit h = tact_ray_triangle(f, at[0], at[8], at[16], at[24], at[32], at[40], at[48], at[56], at[64],
                                              gate, r[RAY_TMIN], r[RAY_LIMIT]);
        if ((to_uint(h.hit) & c->faces) == 0u) continue;
        if (c->mode != CAST_CLOSEST) {
            rest[REST_COUNT] = as_float(as_uint(rest[REST_COUNT]) + 1u);
            if (c->mode == CAST_COUNT) continue;
            r[RAY_LIMIT] = -1.0f;
            return true;
        }
        uint primitive = as_uint(at[72]);
        if (h.t == r[RAY_LIMIT] && as_uint(rest[REST_INSTANCE]) == s->id && primitive > as_uint(rest[REST_PRIMITIVE])) {
            continue;
        }
        r[RAY_LIMIT] = h.t;
        rest[REST_INSTANCE] = as_float(s->id);
        rest[REST_PRIMITIVE] = as_float(primitive);
        rest[REST_U] = h.u;
        rest[REST_V] = h.v;
    }
    return false;
}

FN void stream_sides(__global const uint4* node, uint octant, float8* enter, float8* leave)
{
    for (int k = 0; k < 3; ++k) {
        bool upper = ((octant >> k) & 1u) != 0u;
        enter[k] = node_sides(node, k, upper);
        leave[k] = node_sides(node, k, !upper);
    }
}

// A ray that goes down by itself.
STRUCT(TactAlone)
{
    uint i, next, size;
    uint child[MESH_STACK];
    float enter[MESH_STACK];
};

// Rays that wait to go on by themselves, and from where.
STRUCT(TactPool)
{
    uint count;
    uint rays[STREAM_POOL], from[STREAM_POOL];
    TactAlone group[STREAM_GROUP];
};

// One node or one leaf. False when the ray is done.
FN bool alone_step(const TactStream* s, TactAlone* a)
{
    __global float* r = s->rays + 16u * a->i;
    uint kind = a->next >> TACT_KIND_SHIFT;
    uint at = a->next & TACT_CHILD_BITS;
    if (kind == TACT_KIND_NODE) {
        __global const uint4* row = s->cast->nodes + 5u * at;
        float8 first[3], last[3];
        stream_sides(row, as_uint(r[RAY_OCTANT]), first, last);
        uint reached;
        float8 distance = ray_boxes(r, first, last, &reached);
        if (reached != 0u) a->size = children_put(row, reached, distance, a->size, a->child, a->enter);
    } else if (stream_leaf(s, a->i, kind, at)) {
        return false;
    }
    float limit = r[RAY_LIMIT] + TACT_TREE_TINY;
    do {
        if (a->size == 0u) return false;
        a->size = a->size - 1u;
    } while (a->enter[a->size] > limit);
    a->next = a->child[a->size];
    return true;
}

// Rays from nodes on down, each by itself, a step of each in turn: while one waits for memory the others work.
FN void stream_alone(TactStream* s, TactPool* pool)
{
    uint going[STREAM_GROUP];
    for (uint k = 0u; k < STREAM_GROUP; ++k)
        going[k] = k;
    uint n = 0u;
    uint next = 0u;
    for (;;) {
        for (; n < STREAM_GROUP && next < pool->count; ++next) {
            if (s->rays[16u * pool->rays[next] + RAY_LIMIT] < 0.0f) continue;
            TactAlone* a = &pool->group[going[n++]];
            a->i = pool->rays[next];
            a->next = pool->from[next];
            a->size = 0u;
        }
        if (n == 0u) break;
        for (uint k = 0u; k < n;) {
            TactAlone* a = &pool->group[going[k]];
            if (alone_step(s, a)) {
                child_prefetch(s->cast, a->next);
                k = k + 1u;
                continue;
            }
            uint done = going[k];
            n = n - 1u;
            going[k] = going[n];
            going[n] = done;
        }
    }
    pool->count = 0u;
}

// The rays of a list that reach a child, one after the other; returns how many.
FN uint stream_pick(const TactStream* s, uint begin, uint count, uint i, uint to)
{
    __global const uint* ids = s->lists + begin;
    __global uint* out = s->lists + to;
    uint n = 0u;
    for (uint j = 0u; j < count; ++j) {
        out[n] = ids[j];
        n += ((uint)s->masks[j] >> i) & 1u;
    }
    return n;
}

// Puts a node's children that rays of a list reach on the stack, as seen along a direction the farthest first, each
// with its list, all of which lie behind that list.
FN uint stream_open(const TactStream* s, uint at, uint octant, float4 along, uint begin, uint count, uint size,
                    uint* stack)
{
    __global const uint4* node = s->cast->nodes + 5u * at;
    float8 enter[3], leave[3];
    stream_sides(node, octant, enter, leave);
    uint some = 0u;
    for (uint j = 0u; j < count; ++j) {
        uint reached;
        ray_boxes(s->rays + 16u * s->lists[begin + j], enter, leave, &reached);
        s->masks[j] = (uchar)reached;
        some |= reached;
    }
    float keys[8];
    vstore8((enter[0] * along.x + enter[1] * along.y) + enter[2] * along.z, 0, keys);
    uint order[8];
    uint n = 0u;
    uint4 meta = node[1];
    for (; some != 0u; some = some & (some - 1u)) {
        uint i = FIRST_BIT(some);
        uint place = n++;
        for (; place > 0u && keys[order[place - 1u]] < keys[i]; --place)
            order[place] = order[place - 1u];
        order[place] = i;
    }
    uint to = begin + count;
    for (uint k = 0u; k < n; ++k) {
        uint i = order[k];
        uint what = ((i < 4u ? meta.z : meta.w) >> (8u * (i & 3u))) & 255u;
        uint kind = what >> 5;
        if (kind == 0u) continue;
        uint found = stream_pick(s, begin, count, i, to);
        stack[3u * size] = (kind << TACT_KIND_SHIFT) | ((kind == TACT_KIND_NODE ? meta.x : meta.y) + (what & 31u));
        child_prefetch(s->cast, stack[3u * size]);
        stack[3u * size + 1u] = to;
        stack[3u * size + 2u] = found;
        size = size + 1u;
        to += found;
    }
    return size;
}

// Takes a list of rays of one octant, which lies at `begin` of the lists, down the mesh's tree.
FN void stream_mesh(TactStream* s, TactPool* pool, uint root, uint octant, float4 along, uint begin, uint count)
{
    uint stack[3 * MESH_STACK];
    stack[0] = (TACT_KIND_NODE << TACT_KIND_SHIFT) | root;
    stack[1] = begin;
    stack[2] = count;
    uint size = 1u;
    while (size > 0u) {
        size = size - 1u;
        uint kind = stack[3u * size] >> TACT_KIND_SHIFT;
        uint at = stack[3u * size] & TACT_CHILD_BITS;
        uint from = stack[3u * size + 1u];
        uint n = stack[3u * size + 2u];
        // All its children's lists together are at most eight times as long.
        bool full = from + 9u * n > STREAM_LISTS;
        if (kind == TACT_KIND_NODE && (n <= STREAM_ALONE || full)) {
            for (uint j = 0u; j < n; ++j) {
                if (pool->count == STREAM_POOL) stream_alone(s, pool);
                pool->rays[pool->count] = s->lists[from + j];
                pool->from[pool->count] = stack[3u * size];
                pool->count = pool->count + 1u;
            }
            continue;
        }
        // What they hit may shorten rays that wait in longer lists.
        if (pool->count > 0u) stream_alone(s, pool);
        if (kind == TACT_KIND_NODE) {
            size = stream_open(s, at, octant, along, from, n, size, stack);
            continue;
        }
        for (uint j = 0u; j < n; ++j) {
            uint i = s->lists[from + j];
            if (s->rays[16u * i + RAY_LIMIT] >= 0.0f) stream_leaf(s, i, kind, at);
        }
    }
    if (pool->count > 0u) stream_alone(s, pool);
}

// At most STREAM_RAYS rays, all of them for lanes, against the only instance.
FN void stream_cast(TactStream* s, TactPool* pool, __global const uint* order, uint count)
{
    const TactCast* c = s->cast;
    __global const uint* words = (__global const uint*)(c->world + c->instances);
    uint counts[9];
    for (uint o = 0u; o < 9u; ++o)
        counts[o] = 0u;
    // First all of them are copied, so that none waits for the memory that another one is in.
    for (uint i = 0u; i < count; ++i) {
        if (i + 32u < count) TACT_PREFETCH(c->rays + 8u * (size_t)order[i + 32u]);
        vstore8(vload8(order[i], c->rays), 2u * i, s->rays);
    }
    for (uint i = 0u; i < count; ++i) {
        stream_prepare(s, i, order[i]);
        counts[as_uint(s->rays[16u * i + RAY_OCTANT])] += 1u;
    }
    for (uint o = 0u; o < 8u; ++o) {
        if (counts[o] == 0u) continue;
        // The sum of their signs is the rays' mean direction, roughly; steeper ones count for more.
        float4 along = (float4)(0.0f);
        uint stride = counts[o] / 16u + 1u;
        uint n = 0u;
        for (uint i = 0u; i < count; ++i) {
            __global const float* r = s->rays + 16u * i;
            if (as_uint(r[RAY_OCTANT]) != o) continue;
            s->lists[n] = i;
            if (n % stride == 0u) {
                along +=
                    ABS(r[RAY_FAR + as_uint(r[RAY_AXIS])]) / (float4)(r[RAY_FAR], r[RAY_FAR + 1], r[RAY_FAR + 2], 1.0f);
            }
            n = n + 1u;
        }
        stream_mesh(s, pool, words[21], o, along, 0u, n);
    }
    for (uint i = 0u; i < count; ++i) {
        __global const float* r = s->rays + 16u * i;
        __global const float* rest = s->rests + 16u * i;
        cast_store(c, order[i], as_uint(rest[REST_INSTANCE]), as_uint(rest[REST_PRIMITIVE]), r[RAY_LIMIT], rest[REST_U],
                   rest[REST_V], as_uint(rest[REST_COUNT]));
    }
}

#endif
#endif
