// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Lets through the faces of one side, each with the plane that its depth is computed from. The depth is moved into the
// object by as much as the rasteriser may be mistaken about where the face is, but not past the face's own ends: faces
// seen nearly edge-on, whose depth the rasteriser could put anywhere, so never stand out of the object.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 1) uniform float side;    // 1: faces in front; -1: behind
layout(location = 2) uniform vec2 target;   // pixels

in corner {
    vec3 place;
    vec3 inside;
    vec4 tile;  // middle, in pixels of the target; how far a face may be drawn off its place; half of the tile's size
} from[3];

flat out vec4 plane;  // depth's slope along x and y, depth in the tile's middle, the face's own last depth
flat out vec3 where;  // the tile's middle and half of its size
out float gl_ClipDistance[4];

void main()
{
    // Of single floats differences and their products are nearly exact in double.
    dvec3 a = dvec3(from[0].place), d = dvec3(from[1].place) - a, e = dvec3(from[2].place) - a;
    dvec3 n = dvec3(d.y * e.z - d.z * e.y, d.z * e.x - d.x * e.z, d.x * e.y - d.y * e.x);
    dvec3 c = dvec3(from[0].inside) - a;
    double inward = n.x * c.x + n.y * c.y + n.z * c.z;
    double facing = inward > 0.0 ? n.z : -n.z;
    // Faces of an object without thickness are both in front and behind.
    bool seen = inward == 0.0 ? n.z != 0.0 : facing * double(side) > 0.0;
    if (!seen) return;

    float first = from[0].place.z, last = first;
    for (int i = 1; i < 3; ++i) {
        first = min(first, from[i].place.z);
        last = max(last, from[i].place.z);
    }
    dvec2 slope = -n.xy / n.z;
    double steep = sqrt(slope.x * slope.x + slope.y * slope.y);
    double middle = a.z - slope.x * a.x - slope.y * a.y + double(side) * steep * double(from[0].tile.z);
    float limit = side > 0.0 ? last : first;
    // Too steep to tell (also when it is infinite): all of the face is as deep inside as it can be.
    vec4 face = steep < 1e6 ? vec4(vec2(slope), float(middle), limit) : vec4(0.0, 0.0, limit, limit);
    for (int i = 0; i < 3; ++i) {
        vec4 tile = from[i].tile;
        vec2 p = from[i].place.xy;
        plane = face;
        where = vec3(tile.xy, tile.w);
        gl_Position = vec4((tile.xy + p) / target * 2.0 - 1.0, 0.0, 1.0);
        // A pixel wider than the tile: the fragments are looked at once more.
        gl_ClipDistance[0] = tile.w + 1.0 + p.x;
        gl_ClipDistance[1] = tile.w + 1.0 - p.x;
        gl_ClipDistance[2] = tile.w + 1.0 + p.y;
        gl_ClipDistance[3] = tile.w + 1.0 - p.y;
        EmitVertex();
    }
    EndPrimitive();
}
