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

void emit(image_edge e, vec2 corner)
{
    ends = ivec4(e.px, e.py, e.qx, e.qy);
    depths = vec2(e.p_depth, e.q_depth);
    inverses = vec2(e.inverse_x, e.inverse_y);
    tile = from[0].tile;
    gl_Position = vec4((corner + vec2(tile.xy)) / target * 2.0 - 1.0, 0.0, 1.0);
    EmitVertex();
}

// Along the edge, as far as it is near the tile, and to both sides. Rounding is far less than what is added.
void emit_along(image_edge e, float size)
{
    float pixels = 1.0 / float(1 << from[0].tile.z);
    vec2 p = vec2(e.px, e.py) * pixels + 0.5 * size, q = vec2(e.qx, e.qy) * pixels + 0.5 * size, d = q - p;
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
    image_edge e = image_edge(p.x, p.y, q.x, q.y, p_depth, q_depth, 0.0, 0.0);
    bool swapped = image_is_swapped(e);
    if (swapped && once != 0u) return;
    if (swapped) e = image_swapped(e);
    if (image_edge_is_out(e, int(128u * planes) - 1)) return;

    int bits = from[0].tile.z, size = int(resolution), reach = 1 << (bits - 1);
    ivec2 low = min(p, q) - reach, high = max(p, q) + reach;
    image_box pixels = image_box_of(low.x, low.y, high.x, high.y, size, bits);
    if (pixels.left > pixels.right || pixels.low > pixels.high) return;
    e = image_edge_inverted(e);
    ivec2 least = ivec2(pixels.left, pixels.low), box = ivec2(pixels.right, pixels.high) - least + 1;
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
