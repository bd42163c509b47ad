// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Clumps, rigid bodies of spheres (GRAINS), shared by C, GLSL and OpenCL C. What their spheres' contacts do moves the
// whole; each sphere is then where the whole has it. docs/grains.md states it in prose.
#ifndef TACT_GRAIN_CLUMP_H
#define TACT_GRAIN_CLUMP_H

#include "grain_contact.h"
#include "particle_domain.h"
#include "particle_grid.h"

// What a clump is made of.
STRUCT(TactClumpBody)
{
    float inverse_mass;            // above 0
    float reach;                   // of the farthest of its spheres' centres from the centre of mass
    float xx, yy, zz, xy, xz, yz;  // inverse of the tensor of inertia, in the clump's own frame
};

// How a clump moves.
STRUCT(TactClump)
{
    TactVec place, drift;  // of the centre of mass, and its velocity
    TactVec momentum;      // angular momentum about it
    float4 pose;           // orientation, a unit quaternion
    int slowed;            // 1: the speed limit held it back
};

// No angular momentum is greater along an axis; one that is not a number is none.
FN float tact_clump_held(float x)
{
    float low = x >= -1e30f ? x : (x < -1e30f ? -1e30f : 0.0f);
    return low < 1e30f ? low : 1e30f;
}

// A vector turned by a unit quaternion.
FN TactVec tact_clump_out(float4 q, TactVec v)
{
    TactVec c = tact_cross3(q.x, q.y, q.z, v.x, v.y, v.z);
    PRECISE float tx = 2.0f * c.x;
    PRECISE float ty = 2.0f * c.y;
    PRECISE float tz = 2.0f * c.z;
    TactVec d = tact_cross3(q.x, q.y, q.z, tx, ty, tz);
    PRECISE float x = (v.x + q.w * tx) + d.x;
    PRECISE float y = (v.y + q.w * ty) + d.y;
    PRECISE float z = (v.z + q.w * tz) + d.z;
    return tact_vec(x, y, z);
}

// And back.
FN TactVec tact_clump_into(float4 q, TactVec v)
{
    float4 back = q;
    back.x = -q.x;
    back.y = -q.y;
    back.z = -q.z;
    return tact_clump_out(back, v);
}

// The angular velocity that goes with an orientation and an angular momentum.
FN TactVec tact_clump_spin(TactClumpBody b, float4 turn, TactVec momentum)
{
    TactVec l = tact_clump_into(turn, momentum);
    PRECISE float x = (b.xx * l.x + b.xy * l.y) + b.xz * l.z;
    PRECISE float y = (b.xy * l.x + b.yy * l.y) + b.yz * l.z;
    PRECISE float z = (b.xz * l.x + b.yz * l.y) + b.zz * l.z;
    TactVec w = tact_clump_out(turn, tact_vec(x, y, z));
    return tact_vec(tact_speed_clamp(w.x), tact_speed_clamp(w.y), tact_speed_clamp(w.z));
}

// The torque about the centre of mass of a force on a sphere at `arm`, and of the torque about its own centre, on top
// of those before.
FN TactVec tact_clump_torque(TactVec sum, TactVec arm, TactVec force, TactVec torque)
{
    TactVec turned = tact_cross3(arm.x, arm.y, arm.z, force.x, force.y, force.z);
    PRECISE float x = sum.x + (torque.x + turned.x);
    PRECISE float y = sum.y + (torque.y + turned.y);
    PRECISE float z = sum.z + (torque.z + turned.z);
    return tact_vec(x, y, z);
}

// A substep of the whole, but for its place. The angular momentum is that of the middle of it, as the velocity is, and
// the orientation goes on by the angular velocity halfway (the midpoint rule; Johnson, Williams, Cook,
// "Quaternion-based rigid body rotation integration algorithms for use in particle methods", 2008, compare it with
// others).
FN TactClump tact_clump_moved(TactClump c, TactClumpBody b, TactVec force, TactVec torque, TactMotion m)
{
    TactClump r = c;
    TactVec v = tact_motion_velocity(m, c.drift.x, c.drift.y, c.drift.z, force.x, force.y, force.z, b.inverse_mass);
    PRECISE float lx = c.momentum.x + m.dt * torque.x;
    PRECISE float ly = c.momentum.y + m.dt * torque.y;
    PRECISE float lz = c.momentum.z + m.dt * torque.z;
    TactVec l = tact_vec(tact_clump_held(lx), tact_clump_held(ly), tact_clump_held(lz));
    TactVec w = tact_clump_spin(b, c.pose, l);
    // No sphere is faster than the limit.
    PRECISE float speed = tact_length3(v.x, v.y, v.z) + b.reach * tact_length3(w.x, w.y, w.z);
    r.slowed = 0;
    if (speed > m.speed_limit) {
        float part = tact_div(m.speed_limit, speed);
        v = tact_grain_scaled(v.x, v.y, v.z, part);
        l = tact_grain_scaled(l.x, l.y, l.z, part);
        w = tact_grain_scaled(w.x, w.y, w.z, part);
        r.slowed = 1;
    }
    PRECISE float half_dt = 0.5f * m.dt;
    float4 halfway = tact_grain_turned(c.pose, w, half_dt);
    r.pose = tact_grain_turned(c.pose, tact_clump_spin(b, halfway, l), m.dt);
    r.drift = v;
    r.momentum = l;
    return r;
}

// The speed that leads a coordinate to another in a substep, the shorter way round a period.
FN float tact_clump_aim(TactGridAxis axis, float from, float place, float arm, float dt)
{
    PRECISE float to = place + arm;
    PRECISE float way = to - from;
    return tact_speed_clamp(tact_div(tact_grid_shorter(axis, way), dt));
}

// The velocity of a sphere at `arm`.
FN TactVec tact_clump_velocity(TactVec velocity, TactVec spin, TactVec arm)
{
    TactVec turned = tact_cross3(spin.x, spin.y, spin.z, arm.x, arm.y, arm.z);
    PRECISE float x = velocity.x + turned.x;
    PRECISE float y = velocity.y + turned.y;
    PRECISE float z = velocity.z + turned.z;
    return tact_vec(tact_speed_clamp(x), tact_speed_clamp(y), tact_speed_clamp(z));
}

#endif
