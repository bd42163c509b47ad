// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Of a triangle the box of the tile's pixel centres in it, which the fragment shader then looks at one by one: the
// rasteriser's own coverage would crack shared edges where it clips triangles that reach far beyond the tile.
layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) uniform vec2 target;      // pixels
layout(location = 1) uniform uint resolution;  // of a tile

in corner {
    ivec2 place;
    float depth;
    ivec3 tile;
} from[3];

flat out ivec4 first_two;
flat out ivec2 third;
flat out vec3 plane;  // depth of the first corner; of the others what is more, over twice the area
flat out vec2 range;
flat out ivec3 tile;

struct wide {
    int upper;
    uint lower;
};

wide cross_of(ivec2 a, ivec2 b)
{
    int ah, al, bh, bl;
    imulExtended(a.x, b.y, ah, al);
    imulExtended(a.y, b.x, bh, bl);
    return wide(ah - bh - (uint(al) < uint(bl) ? 1 : 0), uint(al) - uint(bl));
}

// In pieces that floats hold exactly, so that every device rounds alike.
float to_float(wide v)
{
    precise float r = float(v.upper >> 16) * 65536.0 + float(v.upper & 0xffff);
    r = r * 65536.0 + float(v.lower >> 16);
    r = r * 65536.0 + float(v.lower & 0xffffu);
    return r;
}

// 1 - q a, exact where q is nearly 1 / a (kernels/arithmetic.h).
float residual(float a, float q)
{
    precise float p = q * a;
    precise float cq = 4097.0 * q;
    precise float dq = cq - q;
    precise float qh = cq - dq;
    precise float ql = q - qh;
    precise float ca = 4097.0 * a;
    precise float da = ca - a;
    precise float ah = ca - da;
    precise float al = a - ah;
    precise float e = qh * ah - p;
    e = e + qh * al;
    e = e + ql * ah;
    e = e + ql * al;
    precise float r = (1.0 - p) - e;
    return r;
}

// Rounded to nearest, which a device's own division need not be.
float reciprocal(float a)
{
    float size = abs(a);
    precise float q = 1.0 / size;
    float r = residual(size, q);
    for (int i = 0; i < 4; ++i) {
        float next = uintBitsToFloat(floatBitsToUint(q) + (r > 0.0 ? 1u : 0xffffffffu));
        float rn = residual(size, next);
        if (r == 0.0 || !(abs(rn) < abs(r))) break;
        q = next;
        r = rn;
    }
    return a < 0.0 ? -q : q;
}

void main()
{
    ivec2 a = from[0].place, b = from[1].place, c = from[2].place;
    int bits = from[0].tile.z, size = int(resolution);
    ivec2 low = min(min(a, b), c), high = max(max(a, b), c);
    // Pixel i's centre is at i 2^bits + middle.
    int middle = (1 - size) << (bits - 1);
    ivec2 least = max((low - middle + ((1 << bits) - 1)) >> bits, ivec2(0));
    ivec2 most = min((high - middle) >> bits, ivec2(size - 1));
    if (least.x > most.x || least.y > most.y) return;
    wide area = cross_of(b - a, c - a);
    if (area.upper == 0 && area.lower == 0u) return;

    float inverse_area = reciprocal(to_float(area));
    vec3 depth = vec3(from[0].depth, from[1].depth, from[2].depth);
    precise float slope_b = (depth.y - depth.x) * inverse_area;
    precise float slope_c = (depth.z - depth.x) * inverse_area;
    // A few pixels are as well drawn by one triangle, which has others too, left out by the fragment shader.
    ivec2 box = most - least + 1;
    bool few = box.x * box.y <= 8;
    for (int i = 0; i < (few ? 3 : 4); ++i) {
        ivec2 p = from[0].tile.xy + least;
        if ((i & 1) != 0) p.x += few ? 2 * box.x : box.x;
        if ((i & 2) != 0) p.y += few ? 2 * box.y : box.y;
        first_two = ivec4(a, b);
        third = c;
        plane = vec3(depth.x, slope_b, slope_c);
        range = vec2(min(min(depth.x, depth.y), depth.z), max(max(depth.x, depth.y), depth.z));
        tile = from[0].tile;
        gl_Position = vec4(vec2(p) / target * 2.0 - 1.0, 0.0, 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
