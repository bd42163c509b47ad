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

#include "image_cells.glsl"

void main()
{
    ivec2 a = from[0].place, b = from[1].place, c = from[2].place;
    int bits = from[0].tile.z, size = int(resolution);
    ivec2 low = min(min(a, b), c), high = max(max(a, b), c);
    image_box pixels = image_box_of(low.x, low.y, high.x, high.y, size, bits);
    if (pixels.left > pixels.right || pixels.low > pixels.high) return;
    image_face face = image_face(a.x, a.y, b.x, b.y, c.x, c.y, 0.0, 0.0, 0.0, 0.0, 0.0);
    image_wide area = image_area(face);
    if (image_is_zero(area)) return;
    face = image_face_planed(face, area, from[0].depth, from[1].depth, from[2].depth);
    ivec2 least = ivec2(pixels.left, pixels.low), box = ivec2(pixels.right, pixels.high) - least + 1;
    // A few pixels are as well drawn by one triangle, which has others too, left out by the fragment shader.
    bool few = box.x * box.y <= 8;
    for (int i = 0; i < (few ? 3 : 4); ++i) {
        ivec2 p = from[0].tile.xy + least;
        if ((i & 1) != 0) p.x += few ? 2 * box.x : box.x;
        if ((i & 2) != 0) p.y += few ? 2 * box.y : box.y;
        first_two = ivec4(a, b);
        third = c;
        plane = vec3(face.depth, face.slope_b, face.slope_c);
        range = vec2(face.least, face.most);
        tile = from[0].tile;
        gl_Position = vec4(vec2(p) / target * 2.0 - 1.0, 0.0, 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
