// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#version 430 core

// Lets through the faces of one side, each with the plane that its depth is computed from. The depth is moved into the
// object by as much as the rasteriser may be mistaken about where the face is, but not past the face's own ends: faces
// seen nearly edge-on, whose depth the rasteriser could put anywhere, so never stand out of the object.
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 1) uniform float side;    // 1: faces in front; -1: behind; 0: both
layout(location = 2) uniform vec2 target;   // pixels

in corner {
    vec3 place;
    vec3 inside;
    vec4 tile;  // middle, in pixels of the target; how far a face may be drawn off its place; half of the tile's size
} from[3];

flat out vec4 plane;  // depth's slope along x and y, depth in the tile's middle, the face's own last depth
flat out vec4 where;  // the tile's middle and half of its size; 1: in front, -1: behind
out float gl_ClipDistance[4];

void emit_face(vec2 slope, float middle, float depth_first, float depth_last, float which)
{
    float steep = length(slope) * 1.00001;
    float limit = which > 0.0 ? depth_last : depth_first;
    // Too steep to tell (also when it is infinite): all of the face is as deep inside as it can be.
    vec4 face = steep < 1e6 ? vec4(slope, middle + which * steep * from[0].tile.z, limit) : vec4(0.0, 0.0, limit, limit);
    for (int i = 0; i < 3; ++i) {
        vec4 tile = from[i].tile;
        vec2 p = from[i].place.xy;
        plane = face;
        where = vec4(tile.xy, tile.w, which);
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

void main()
{
    // Of single floats differences and their products are nearly exact in double.
    dvec3 a = dvec3(from[0].place), d = dvec3(from[1].place) - a, e = dvec3(from[2].place) - a;
    dvec3 n = dvec3(d.y * e.z - d.z * e.y, d.z * e.x - d.x * e.z, d.x * e.y - d.y * e.x);
    dvec3 c = dvec3(from[0].inside) - a;
    double inward = n.x * c.x + n.y * c.y + n.z * c.z;
    if (n.z == 0.0) return;  // on edge
    bool front = (inward > 0.0) == (n.z > 0.0);
    // Faces of an object without thickness, as far as single floats tell, are both in front and behind. Of others this
    // would do no harm: faces in front lie before those behind.
    double size = 0.0;
    for (int i = 0; i < 3; ++i) {
        vec3 far = max(abs(from[i].place), abs(from[i].inside));
        size = max(size, double(max(max(far.x, far.y), far.z)));
    }
    bool flat_one = inward * inward <= 1e-12 * size * size * (n.x * n.x + n.y * n.y + n.z * n.z);
    bool as_front = side >= 0.0 && (front || flat_one), as_back = side <= 0.0 && (!front || flat_one);
    if (!as_front && !as_back) return;

    double scale = -1.0 / n.z;
    dvec2 slope = n.xy * scale;
    float middle = float(a.z - slope.x * a.x - slope.y * a.y);
    float depth_first = min(min(from[0].place.z, from[1].place.z), from[2].place.z);
    float depth_last = max(max(from[0].place.z, from[1].place.z), from[2].place.z);
    if (as_front) emit_face(vec2(slope), middle, depth_first, depth_last, 1.0);
    if (as_back) emit_face(vec2(slope), middle, depth_first, depth_last, -1.0);
}
