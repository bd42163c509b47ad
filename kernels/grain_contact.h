// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What a contact does to spheres that turn (GRAINS), shared by C, GLSL and OpenCL C: normal, sliding, rolling and
// twisting springs with dashpots, the last three with a memory, adhesion and cohesion. docs/grains.md states it in
// prose, with its units and sources.
//
// All of it is as seen from one of the two. Seen from the other the normal, velocities, forces and all memory but the
// twist are exact opposites.
#ifndef TACT_GRAIN_CONTACT_H
#define TACT_GRAIN_CONTACT_H

#include "particle_contact.h"

// Cosine of 30 degrees: a contact with a surface goes on as that of the substep before when its normal turned by less,
// which is as near as two contacts with one body are to each other.
#define TACT_GRAIN_SAME_NORMAL 0.8660254f

// Of a pair of materials.
STRUCT(TactGrainRule)
{
    float stiffness;           // N/m; with `hertz` N/m^2: by it, the root of radius times depth, and depth is the force
    float shear;               // likewise of sliding
    float normal_damping;      // by the root of the normal spring's slope times the mass
    float tangential_damping;  // by the root of the sliding spring's slope times the mass
    float friction;            // Coulomb's coefficient
    float rolling, twisting;   // the greatest torque, by radius and normal force
    float adhesion;            // N/m: by the radius, what holds a contact together
    float cohesion;            // N/m^2: by the radius and the depth, likewise
    int hertz;                 // 0: springs are linear
};

// What a contact remembers.
STRUCT(TactGrainMemory)
{
    float sx, sy, sz;  // how far the other has slid
    float rx, ry, rz;  // the angle it has rolled by
    float twist;       // and twisted
};

// What a contact does. The torque on this one is own arm times `arm` plus `turn`, that on the other its arm times `arm`
// less `turn`.
STRUCT(TactGrainPush)
{
    TactVec force, arm, turn;
};

FN TactGrainMemory tact_grain_forgotten(void)
{
    TactGrainMemory m;
    m.sx = 0.0f;
    m.sy = 0.0f;
    m.sz = 0.0f;
    m.rx = 0.0f;
    m.ry = 0.0f;
    m.rz = 0.0f;
    m.twist = 0.0f;
    return m;
}

// The same memory as seen from the other.
FN TactGrainMemory tact_grain_opposite(TactGrainMemory m)
{
    m.sx = -m.sx;
    m.sy = -m.sy;
    m.sz = -m.sz;
    m.rx = -m.rx;
    m.ry = -m.ry;
    m.rz = -m.rz;
    return m;
}

// How far from a centre a contact is: an eighth of the radius at least, also where one is deep inside the other.
FN float tact_grain_arm(float radius, float depth)
{
    PRECISE float arm = radius - 0.5f * depth;
    PRECISE float least = 0.125f * radius;
    return arm > least ? arm : least;
}

// The velocity of the other's surface less this one's, at the contact. (vx, vy, vz): of the centres. (sx, sy, sz): this
// one's arm times its spin plus the other's.
FN TactVec tact_grain_slip(TactTouch t, float vx, float vy, float vz, float sx, float sy, float sz)
{
    TactVec turned = tact_cross3(sx, sy, sz, t.nx, t.ny, t.nz);
    PRECISE float ux = vx - turned.x;
    PRECISE float uy = vy - turned.y;
    PRECISE float uz = vz - turned.z;
    return tact_vec(ux, uy, uz);
}

// A vector without its part along the normal.
FN TactVec tact_grain_tangent(TactTouch t, float x, float y, float z)
{
    float along = tact_dot3(x, y, z, t.nx, t.ny, t.nz);
    PRECISE float tx = x - along * t.nx;
    PRECISE float ty = y - along * t.ny;
    PRECISE float tz = z - along * t.nz;
    return tact_vec(tx, ty, tz);
}

// A spring and a dashpot along the surface, pulled by `speed`, that give way at `most`. `memory`: how far the spring
// was drawn, becomes how far it is now (Luding, "Cohesive, frictional powders: contact models for tension", 2008,
// section 3.2). Returns the force.
FN TactVec tact_grain_spring(INOUT(TactVec, memory), TactVec speed, float stiffness, float damping, float most,
                             float dt)
{
    PRECISE float mx = ITS(memory).x + dt * speed.x;
    PRECISE float my = ITS(memory).y + dt * speed.y;
    PRECISE float mz = ITS(memory).z + dt * speed.z;
    PRECISE float fx = stiffness * mx + damping * speed.x;
    PRECISE float fy = stiffness * my + damping * speed.y;
    PRECISE float fz = stiffness * mz + damping * speed.z;
    float wanted = tact_length3(fx, fy, fz);
    if (wanted > most) {
        float part = tact_div(most, wanted);
        PRECISE float gx = fx * part;
        PRECISE float gy = fy * part;
        PRECISE float gz = fz * part;
        fx = gx;
        fy = gy;
        fz = gz;
        float inverse = stiffness > 0.0f ? tact_div(1.0f, stiffness) : 0.0f;
        PRECISE float hx = (fx - damping * speed.x) * inverse;
        PRECISE float hy = (fy - damping * speed.y) * inverse;
        PRECISE float hz = (fz - damping * speed.z) * inverse;
        mx = hx;
        my = hy;
        mz = hz;
    }
    ITS(memory).x = tact_contact_number(mx);
    ITS(memory).y = tact_contact_number(my);
    ITS(memory).z = tact_contact_number(mz);
    return tact_vec(fx, fy, fz);
}

// By how much of its way a spring that grows stiffer as the contact is pressed keeps its force: the root of the depth a
// substep ago by that of now. One that grows softer keeps its way, and gives off energy.
FN float tact_grain_stiffened(float depth, float along, float dt)
{
    PRECISE float before = depth + dt * along;
    float part = 1.0f;
    if (along < 0.0f && depth > 0.0f) part = before > 0.0f ? tact_sqrt(tact_div(before, depth)) : 0.0f;
    return part;
}

FN TactVec tact_grain_scaled(float x, float y, float z, float by)
{
    PRECISE float sx = x * by;
    PRECISE float sy = y * by;
    PRECISE float sz = z * by;
    return tact_vec(sx, sy, sz);
}

// What a touching contact does. `slip`: tact_grain_slip(). `spin`: the other's less this one's. `radius`: one by the
// sum of both's reciprocals. `inverse_mass`: sum of both, above 0. `memory`: of the substep before, becomes this one's.
FN TactGrainPush tact_grain_push(TactTouch t, TactVec slip, TactVec spin, float radius, float inverse_mass,
                                 TactGrainRule rule, float dt, INOUT(TactGrainMemory, memory))
{
    TactGrainPush p;
    float normal = rule.stiffness;
    float shear = rule.shear;
    float slope = rule.stiffness;
    if (rule.hertz != 0) {
        PRECISE float area = radius * t.depth;
        float root = tact_sqrt(area);
        PRECISE float n = rule.stiffness * root;
        PRECISE float s = rule.shear * root;
        PRECISE float d = 1.5f * n;
        normal = n;
        shear = s;
        slope = d;
    }
    PRECISE float damping = rule.normal_damping * tact_sqrt(tact_div(slope, inverse_mass));
    PRECISE float drag = rule.tangential_damping * tact_sqrt(tact_div(shear, inverse_mass));
    float along = tact_dot3(slip.x, slip.y, slip.z, t.nx, t.ny, t.nz);
    PRECISE float push = normal * t.depth - damping * along;
    push = push > 0.0f ? push : 0.0f;
    PRECISE float most = rule.friction * push;
    PRECISE float hold = rule.cohesion * radius;
    PRECISE float net = (push - rule.adhesion * radius) - hold * t.depth;
    float kept = rule.hertz != 0 ? tact_grain_stiffened(t.depth, along, dt) : 1.0f;
    TactVec had = tact_grain_scaled(ITS(memory).sx, ITS(memory).sy, ITS(memory).sz, kept);
    TactVec slid = tact_grain_tangent(t, had.x, had.y, had.z);
    TactVec sliding = tact_grain_tangent(t, slip.x, slip.y, slip.z);
    TactVec force = tact_grain_spring(BY(slid), sliding, shear, drag, most, dt);
    ITS(memory).sx = slid.x;
    ITS(memory).sy = slid.y;
    ITS(memory).sz = slid.z;
    PRECISE float fx = force.x - net * t.nx;
    PRECISE float fy = force.y - net * t.ny;
    PRECISE float fz = force.z - net * t.nz;
    p.force = tact_vec(fx, fy, fz);
    p.arm = tact_cross3(t.nx, t.ny, t.nz, force.x, force.y, force.z);
    p.turn = tact_vec(0.0f, 0.0f, 0.0f);
    if (rule.rolling > 0.0f || rule.twisting > 0.0f) {
        PRECISE float square = radius * radius;
        PRECISE float turning = shear * square;
        PRECISE float turning_drag = drag * square;
        PRECISE float pushed = push * radius;
        PRECISE float most_rolling = rule.rolling * pushed;
        PRECISE float most_twisting = rule.twisting * pushed;
        had = tact_grain_scaled(ITS(memory).rx, ITS(memory).ry, ITS(memory).rz, kept);
        TactVec rolled = tact_grain_tangent(t, had.x, had.y, had.z);
        TactVec rolling = tact_grain_tangent(t, spin.x, spin.y, spin.z);
        TactVec twisted = tact_grain_scaled(ITS(memory).twist, 0.0f, 0.0f, kept);
        TactVec twisting = tact_vec(tact_dot3(spin.x, spin.y, spin.z, t.nx, t.ny, t.nz), 0.0f, 0.0f);
        TactVec roll = tact_grain_spring(BY(rolled), rolling, turning, turning_drag, most_rolling, dt);
        TactVec twist = tact_grain_spring(BY(twisted), twisting, turning, turning_drag, most_twisting, dt);
        ITS(memory).rx = rolled.x;
        ITS(memory).ry = rolled.y;
        ITS(memory).rz = rolled.z;
        ITS(memory).twist = twisted.x;
        PRECISE float tx = roll.x + twist.x * t.nx;
        PRECISE float ty = roll.y + twist.x * t.ny;
        PRECISE float tz = roll.z + twist.x * t.nz;
        p.turn = tact_vec(tx, ty, tz);
    } else {
        ITS(memory).rx = 0.0f;
        ITS(memory).ry = 0.0f;
        ITS(memory).rz = 0.0f;
        ITS(memory).twist = 0.0f;
    }
    return p;
}

// The torque on one of the two: its arm times `arm`, and `turn` with its sign.
FN TactVec tact_grain_torque(TactVec arm, float length, TactVec turn)
{
    PRECISE float x = length * arm.x + turn.x;
    PRECISE float y = length * arm.y + turn.y;
    PRECISE float z = length * arm.z + turn.z;
    return tact_vec(x, y, z);
}

// One by the moment of inertia of a solid sphere; 0 for an infinite mass.
FN float tact_grain_inverse_inertia(float radius, float inverse_mass)
{
    PRECISE float square = radius * radius;
    return tact_div(2.5f * inverse_mass, square);
}

// The spin after a substep.
FN TactVec tact_grain_spun(TactVec spin, TactVec torque, float inverse_inertia, float dt)
{
    PRECISE float push = dt * inverse_inertia;
    PRECISE float x = spin.x + push * torque.x;
    PRECISE float y = spin.y + push * torque.y;
    PRECISE float z = spin.z + push * torque.z;
    return tact_vec(tact_speed_clamp(x), tact_speed_clamp(y), tact_speed_clamp(z));
}

// An orientation after a substep with a spin: a unit quaternion x y z w.
FN float4 tact_grain_turned(float4 q, TactVec spin, float dt)
{
    PRECISE float half_dt = 0.5f * dt;
    // No more than a radian, beyond which a substep shows nothing of the turn: the quaternion stays finite.
    float speed = tact_length3(spin.x, spin.y, spin.z);
    PRECISE float angle = half_dt * speed;
    float part = half_dt;
    if (angle > 0.5f) part = tact_div(0.5f, speed);
    PRECISE float ax = part * spin.x;
    PRECISE float ay = part * spin.y;
    PRECISE float az = part * spin.z;
    PRECISE float x = q.x + ((ax * q.w + ay * q.z) - az * q.y);
    PRECISE float y = q.y + ((ay * q.w + az * q.x) - ax * q.z);
    PRECISE float z = q.z + ((az * q.w + ax * q.y) - ay * q.x);
    PRECISE float w = q.w - ((ax * q.x + ay * q.y) + az * q.z);
    PRECISE float square = ((x * x + y * y) + z * z) + w * w;
    float inverse = tact_div(1.0f, tact_sqrt(square));
    PRECISE float ux = x * inverse;
    PRECISE float uy = y * inverse;
    PRECISE float uz = z * inverse;
    PRECISE float uw = w * inverse;
    float4 result;
    result.x = ux;
    result.y = uy;
    result.z = uz;
    result.w = uw;
    return result;
}

#endif
