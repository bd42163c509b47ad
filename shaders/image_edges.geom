// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Of each edge of a triangle a quadrilateral that holds the centres of all pixels of the tile through whose squares the
// edge runs, and of others, which the fragment shader leaves out.
layout(triangles) in;
layout(triangle_strip, max_vertices = 12) out;
layout(location = 0) uniform vec2 target;
layout(location = 1) uniform uint resolution;
layout(location = 2) uniform uint planes;
layout(location = 3) uniform uint once;  // 1: each edge comes in both directions, of which one will do

in corner {
    ivec2 place;
    float depth;
    ivec3 tile;
} from[3];

flat out ivec4 ends;
flat out vec2 depths;
flat out vec2 inverses;  // of the differences along x and y; 0 for 0
flat out ivec3 tile;

#include "image_cells.glsl"

struct edge {
    ivec4 ends;
    vec2 depths, inverses;
};

void emit(edge e, vec2 corner)
{
    ends = e.ends;
    depths = e.depths;
    inverses = e.inverses;
    tile = from[0].tile;
    gl_Position = vec4((corner + vec2(tile.xy)) / target * 2.0 - 1.0, 0.0, 1.0);
    EmitVertex();
}

// Along the edge, as far as it is near the tile, and to both sides. Rounding is far less than what is added.
void emit_along(edge e, float size)
{
    float pixels = 1.0 / float(1 << from[0].tile.z);
    vec2 p = vec2(e.ends.xy) * pixels + 0.5 * size, q = vec2(e.ends.zw) * pixels + 0.5 * size, d = q - p;
    float reach = max(max(abs(p.x), abs(p.y)), max(abs(q.x), abs(q.y)));
    float more = 1.5 + reach * 1e-6, enter = 0.0, leave = 1.0;
    for (int k = 0; k < 2; ++k) {
        if (d[k] == 0.0) continue;
        float s = (-more - p[k]) / d[k], t = (size + more - p[k]) / d[k];
        enter = max(enter, min(s, t));
        leave = min(leave, max(s, t));
    }
    if (enter > leave) return;
    vec2 along = d / max(abs(d.x), abs(d.y));
    along *= more / length(along);
    vec2 side = vec2(-along.y, along.x);
    p += enter * d - along;
    q += (leave - 1.0) * d + along;
    emit(e, p - side);
    emit(e, p + side);
    emit(e, q - side);
    emit(e, q + side);
    EndPrimitive();
}

void emit_edge(ivec2 p, float p_depth, ivec2 q, float q_depth)
{
    // Both directions of an edge must give the same cells.
    bool swapped = p.x != q.x ? p.x > q.x : p.y != q.y ? p.y > q.y : p_depth > q_depth;
    if (swapped && once != 0u) return;
    edge e;
    e.ends = swapped ? ivec4(q, p) : ivec4(p, q);
    e.depths = swapped ? vec2(q_depth, p_depth) : vec2(p_depth, q_depth);
    // Surely in front of all cells or behind them.
    float wider = (abs(p_depth) + abs(q_depth)) * 4e-6 + 1.0;
    if (max(p_depth, q_depth) + wider < 0.0 || min(p_depth, q_depth) - wider > float(128u * planes)) return;

    int bits = from[0].tile.z, size = int(resolution);
    int middle = (1 - size) << (bits - 1), reach = 1 << (bits - 1);
    ivec2 least = max((min(p, q) - reach - middle + ((1 << bits) - 1)) >> bits, ivec2(0));
    ivec2 most = min((max(p, q) + reach - middle) >> bits, ivec2(size - 1));
    if (least.x > most.x || least.y > most.y) return;
    ivec2 d = e.ends.zw - e.ends.xy;
    e.inverses = vec2(d.x == 0 ? 0.0 : reciprocal(to_float(d.x)), d.y == 0 ? 0.0 : reciprocal(to_float(d.y)));
    ivec2 box = most - least + 1;
    if (min(box.x, box.y) > 4) {
        emit_along(e, float(size));
        return;
    }
    // A few pixels are as well drawn by one triangle.
    bool few = box.x * box.y <= 8;
    vec2 far = vec2(few ? 2 * box : box);
    for (int i = 0; i < (few ? 3 : 4); ++i)
        emit(e, vec2(least) + vec2((i & 1) == 0 ? 0.0 : far.x, (i & 2) == 0 ? 0.0 : far.y));
    EndPrimitive();
}

void main()
{
    for (int i = 0; i < 3; ++i) {
        int k = i == 2 ? 0 : i + 1;
        emit_edge(from[i].place, from[i].depth, from[k].place, from[k].depth);
    }
}
