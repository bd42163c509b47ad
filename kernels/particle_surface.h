// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The solids that particles collide with and that a formula describes: planes, spheres, capsules, boxes. Shared by C,
// GLSL and OpenCL C. Meshes and height fields are in particle_mesh.h.
#ifndef TACT_PARTICLE_SURFACE_H
#define TACT_PARTICLE_SURFACE_H

#include "particle_contact.h"

// As tact_collider_kind.
#define TACT_SOLID_PLANE 0
#define TACT_SOLID_SPHERE 1
#define TACT_SOLID_CAPSULE 2
#define TACT_SOLID_BOX 3

// The closest point of a surface: its distance, negative inside the solid, and the outward unit normal there.
STRUCT(TactSurface)
{
    float distance;
    float nx, ny, nz;
};

// Eight rows of four words, as TACT_SOLID_ROWS in buffers: (kind, material, inside, radius), position, extent, three
// axes, velocity, spin.
STRUCT(TactSolid)
{
    int kind;
    uint material;
    int inside;        // 1: particles are kept in, not out
    float radius;      // sphere, capsule; of a plane: its distance along the normal
    float px, py, pz;  // centre; of a capsule: its first end; of a plane: a point that it turns about
    float ex, ey, ez;  // half widths of a box; of a capsule: from its first end to the second; of a plane: unit normal
    float ux, uy, uz;  // unit axes of a box
    float vx, vy, vz;  //
    float wx, wy, wz;  //
    float lx, ly, lz;  // velocity of the point p
    float rx, ry, rz;  // angular velocity about it, radians per unit of time
};

#define TACT_SOLID_ROWS 8

// Of a point outside or inside a ball: where it is from the centre, and the ball's radius.
FN TactSurface tact_surface_ball(float dx, float dy, float dz, float radius)
{
    TactSurface s;
    float distance = tact_length3(dx, dy, dz);
    PRECISE float beyond = distance - radius;
    s.distance = beyond;
    s.nx = 0.0f;
    s.ny = 1.0f;
    s.nz = 0.0f;
    if (distance > TACT_COINCIDENT) {
        float inverse = tact_div(1.0f, distance);
        PRECISE float nx = dx * inverse;
        PRECISE float ny = dy * inverse;
        PRECISE float nz = dz * inverse;
        s.nx = nx;
        s.ny = ny;
        s.nz = nz;
    }
    return s;
}

FN TactSurface tact_surface_capsule(TactSolid c, float dx, float dy, float dz)
{
    float along = tact_dot3(dx, dy, dz, c.ex, c.ey, c.ez);
    float length2 = tact_dot3(c.ex, c.ey, c.ez, c.ex, c.ey, c.ez);
    float t = 0.0f;
    if (along > 0.0f) t = along < length2 ? tact_div(along, length2) : 1.0f;
    PRECISE float x = dx - t * c.ex;
    PRECISE float y = dy - t * c.ey;
    PRECISE float z = dz - t * c.ez;
    return tact_surface_ball(x, y, z, c.radius);
}

FN float tact_surface_excess(float x, float half_width)
{
    PRECISE float above = x - half_width;
    PRECISE float below = x + half_width;
    float result = 0.0f;
    if (x > half_width) result = above;
    if (x < -half_width) result = below;
    return result;
}

// From the nearest face, in the box's frame: outside by the excess over the half widths, inside by the nearest face, of
// which there is always one (the first of several).
FN TactSurface tact_surface_box(TactSolid b, float dx, float dy, float dz)
{
    TactSurface s;
    float x = tact_dot3(dx, dy, dz, b.ux, b.uy, b.uz);
    float y = tact_dot3(dx, dy, dz, b.vx, b.vy, b.vz);
    float z = tact_dot3(dx, dy, dz, b.wx, b.wy, b.wz);
    float nx = tact_surface_excess(x, b.ex);
    float ny = tact_surface_excess(y, b.ey);
    float nz = tact_surface_excess(z, b.ez);
    float distance = tact_length3(nx, ny, nz);
    if (distance > TACT_COINCIDENT) {
        float inverse = tact_div(1.0f, distance);
        PRECISE float mx = nx * inverse;
        PRECISE float my = ny * inverse;
        PRECISE float mz = nz * inverse;
        nx = mx;
        ny = my;
        nz = mz;
    } else {
        PRECISE float inx = ABS(x) - b.ex;
        PRECISE float iny = ABS(y) - b.ey;
        PRECISE float inz = ABS(z) - b.ez;
        distance = inx;
        nx = x < 0.0f ? -1.0f : 1.0f;
        ny = 0.0f;
        nz = 0.0f;
        if (iny > distance) {
            distance = iny;
            nx = 0.0f;
            ny = y < 0.0f ? -1.0f : 1.0f;
        }
        if (inz > distance) {
            distance = inz;
            nx = 0.0f;
            ny = 0.0f;
            nz = z < 0.0f ? -1.0f : 1.0f;
        }
    }
    PRECISE float wx = (nx * b.ux + ny * b.vx) + nz * b.wx;
    PRECISE float wy = (nx * b.uy + ny * b.vy) + nz * b.wy;
    PRECISE float wz = (nx * b.uz + ny * b.vz) + nz * b.wz;
    s.distance = distance;
    s.nx = wx;
    s.ny = wy;
    s.nz = wz;
    return s;
}

FN TactSurface tact_surface_solid(TactSolid c, float x, float y, float z)
{
    TactSurface s;
    PRECISE float dx = x - c.px;
    PRECISE float dy = y - c.py;
    PRECISE float dz = z - c.pz;
    if (c.kind == TACT_SOLID_SPHERE) {
        s = tact_surface_ball(dx, dy, dz, c.radius);
    } else if (c.kind == TACT_SOLID_CAPSULE) {
        s = tact_surface_capsule(c, dx, dy, dz);
    } else if (c.kind == TACT_SOLID_BOX) {
        s = tact_surface_box(c, dx, dy, dz);
    } else {
        PRECISE float above = tact_dot3(x, y, z, c.ex, c.ey, c.ez) - c.radius;
        s.distance = above;
        s.nx = c.ex;
        s.ny = c.ey;
        s.nz = c.ez;
    }
    if (c.inside != 0) {
        s.distance = -s.distance;
        s.nx = -s.nx;
        s.ny = -s.ny;
        s.nz = -s.nz;
    }
    return s;
}

// The velocity of a solid's surface at a point: l + r x (x - p).
FN TactVec tact_surface_velocity(float lx, float ly, float lz, float rx, float ry, float rz, float dx, float dy,
                                 float dz)
{
    PRECISE float vx = lx + (ry * dz - rz * dy);
    PRECISE float vy = ly + (rz * dx - rx * dz);
    PRECISE float vz = lz + (rx * dy - ry * dx);
    return tact_vec(vx, vy, vz);
}

#endif
