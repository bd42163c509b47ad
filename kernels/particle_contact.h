// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What a contact does to a particle: the arithmetic of both responses, shared by C, GLSL and OpenCL C.
// docs/particles.md states it in prose, with its sources and units.
#ifndef TACT_PARTICLE_CONTACT_H
#define TACT_PARTICLE_CONTACT_H

#include "dialect.h"

// A move is shorter than this share of the distances from the surface at its ends together: see particle_way.h.
#define TACT_WAY_SHARE 0.9375f

// The longest way of a substep, in radii, where there are surfaces: contacts then add less than what is left to the
// 16,384 that are proved.
#define TACT_WAY_LONGEST 16000.0f

// Distances below this have no direction: the contact's normal is then an axis.
#define TACT_COINCIDENT 1.0e-18f
// Velocities are kept within this, 2^60, whatever happens; NaN becomes 0.
#define TACT_SPEED_RANGE 1152921504606846976.0f

STRUCT(TactVec)
{
    float x, y, z;
};

// As seen from a particle: the unit normal points from it to the other.
STRUCT(TactTouch)
{
    float nx, ny, nz;
    float depth;  // 0 or more
    int touches;
};

// Of a pair of materials.
STRUCT(TactContactRule)
{
    float stiffness;           // force per depth
    float normal_damping;      // twice the damping ratio of the normal dashpot
    float friction;            // Coulomb's coefficient
    float tangential_damping;  // twice the ratio of the tangential dashpot
};

FN TactVec tact_vec(float x, float y, float z)
{
    TactVec v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

FN float tact_dot3(float ax, float ay, float az, float bx, float by, float bz)
{
    PRECISE float dot = (ax * bx + ay * by) + az * bz;
    return dot;
}

FN float tact_length3(float x, float y, float z)
{
    return tact_sqrt(tact_dot3(x, y, z, x, y, z));
}

FN TactVec tact_cross3(float ax, float ay, float az, float bx, float by, float bz)
{
    PRECISE float x = ay * bz - az * by;
    PRECISE float y = az * bx - ax * bz;
    PRECISE float z = ax * by - ay * bx;
    return tact_vec(x, y, z);
}

// Of two spheres: d leads from this particle to the other, `reach` is the sum of their radii. Touching counts. Where
// the centres coincide the normal is along y, up for the one with the smaller id, so that it is opposite for the two.
FN TactTouch tact_touch_spheres(float dx, float dy, float dz, float reach, uint id, uint other)
{
    TactTouch t;
    PRECISE float reach2 = reach * reach;
    float d2 = tact_dot3(dx, dy, dz, dx, dy, dz);
    t.touches = d2 <= reach2 ? 1 : 0;
    t.nx = 0.0f;
    t.ny = id < other ? 1.0f : -1.0f;
    t.nz = 0.0f;
    float distance = tact_sqrt(d2);
    PRECISE float depth = reach - distance;
    if (distance > TACT_COINCIDENT) {
        float inverse = tact_div(1.0f, distance);
        PRECISE float nx = dx * inverse;
        PRECISE float ny = dy * inverse;
        PRECISE float nz = dz * inverse;
        t.nx = nx;
        t.ny = ny;
        t.nz = nz;
    }
    t.depth = depth > 0.0f ? depth : 0.0f;
    return t;
}

// Of a sphere and a surface at `distance` from its centre (negative: the centre is inside), whose outward unit normal
// at the closest point is given.
FN TactTouch tact_touch_surface(float nx, float ny, float nz, float distance, float radius)
{
    TactTouch t;
    PRECISE float depth = radius - distance;
    t.touches = depth >= 0.0f ? 1 : 0;
    t.depth = depth > 0.0f ? depth : 0.0f;
    t.nx = -nx;
    t.ny = -ny;
    t.nz = -nz;
    return t;
}

// x, and 0 for -0 and for a number below 2^-126, of which devices make a zero or do not.
FN float tact_contact_number(float x)
{
    return (as_uint(x) & 0x7f800000u) != 0u ? x : 0.0f;
}

// A touch as a contact tells it.
FN TactTouch tact_contact_touch(TactTouch t)
{
    t.nx = tact_contact_number(t.nx);
    t.ny = tact_contact_number(t.ny);
    t.nz = tact_contact_number(t.nz);
    t.depth = tact_contact_number(t.depth);
    return t;
}

// tact_touch_spheres() as a contact tells it, whatever the device makes of differences below 2^-126.
FN TactTouch tact_contact_spheres(float dx, float dy, float dz, float reach, uint id, uint other)
{
    return tact_contact_touch(tact_touch_spheres(tact_contact_number(dx), tact_contact_number(dy),
                                                 tact_contact_number(dz), reach, id, other));
}

// Where a particle at (x, y, z) has a contact, as that tells it: on its surface, half the depth inside.
FN TactVec tact_touching_point(TactTouch t, float x, float y, float z, float radius)
{
    PRECISE float inward = radius - 0.5f * t.depth;
    PRECISE float px = x + t.nx * inward;
    PRECISE float py = y + t.ny * inward;
    PRECISE float pz = z + t.nz * inward;
    return tact_vec(tact_contact_number(px), tact_contact_number(py), tact_contact_number(pz));
}

// The force of a touching contact on this particle. (vx, vy, vz): velocity of the other less this one's, at the
// contact. `inverse_mass`: sum of both. A linear spring with a dashpot that never pulls, and a tangential dashpot
// limited by Coulomb friction (Cundall, Strack, "A discrete numerical model for granular assemblies", 1979, without its
// tangential spring). Exactly opposite for the two of a pair.
FN TactVec tact_spring_force(TactTouch t, float vx, float vy, float vz, float inverse_mass, TactContactRule rule)
{
    TactVec force = tact_vec(0.0f, 0.0f, 0.0f);
    if (t.touches != 0 && inverse_mass > 0.0f) {
        float dashpot = tact_sqrt(tact_div(rule.stiffness, inverse_mass));
        PRECISE float damping = rule.normal_damping * dashpot;
        float along = tact_dot3(vx, vy, vz, t.nx, t.ny, t.nz);
        PRECISE float push = rule.stiffness * t.depth - damping * along;
        push = push > 0.0f ? push : 0.0f;
        PRECISE float tx = vx - along * t.nx;
        PRECISE float ty = vy - along * t.ny;
        PRECISE float tz = vz - along * t.nz;
        float slip = tact_length3(tx, ty, tz);
        PRECISE float drag = rule.tangential_damping * dashpot;
        PRECISE float wanted = drag * slip;
        PRECISE float most = rule.friction * push;
        if (wanted > most) drag = tact_div(most, slip);
        PRECISE float fx = drag * tx - push * t.nx;
        PRECISE float fy = drag * ty - push * t.ny;
        PRECISE float fz = drag * tz - push * t.nz;
        force = tact_vec(fx, fy, fz);
    }
    return force;
}

// How far a touching contact moves this particle, to end the overlap and hold back sliding. (sx, sy, sz): how far the
// other has moved since the step began, less how far this one has. `share`: this one's inverse mass by the sum of both.
// Position-based (Macklin, Mueller, Chentanez, Kim, "Unified particle physics for real-time applications", 2014,
// sections 4 and 6.1): friction takes back sliding of up to `friction` times the depth.
FN TactVec tact_position_shift(TactTouch t, float sx, float sy, float sz, float share, float friction)
{
    PRECISE float back = share * t.depth;
    float along = tact_dot3(sx, sy, sz, t.nx, t.ny, t.nz);
    PRECISE float tx = sx - along * t.nx;
    PRECISE float ty = sy - along * t.ny;
    PRECISE float tz = sz - along * t.nz;
    float slip = tact_length3(tx, ty, tz);
    PRECISE float most = friction * t.depth;
    float part = share;
    if (slip > most) {
        PRECISE float limited = share * tact_div(most, slip);
        part = limited;
    }
    PRECISE float mx = part * tx - back * t.nx;
    PRECISE float my = part * ty - back * t.ny;
    PRECISE float mz = part * tz - back * t.nz;
    return tact_vec(mx, my, mz);
}

// What the sum of `count` shifts is multiplied by. More than the mean, since contacts that act together ask for less
// each than all of them need; but never more than the sum itself: a single contact would be pushed beyond touching, and
// leave.
FN float tact_position_factor(float relaxation, uint count)
{
    float factor = tact_div(relaxation, to_float(count));
    return factor < 1.0f ? factor : 1.0f;
}

// Within +-TACT_SPEED_RANGE; NaN becomes 0.
FN float tact_speed_clamp(float v)
{
    float result = 0.0f;
    if (v >= -TACT_SPEED_RANGE) result = v <= TACT_SPEED_RANGE ? v : TACT_SPEED_RANGE;
    if (v < -TACT_SPEED_RANGE) result = -TACT_SPEED_RANGE;
    return result;
}

// What moves a particle but contacts, the same for all.
STRUCT(TactMotion)
{
    float gx, gy, gz;   // gravity
    float dt;           // of a substep
    float drag;         // 1 / (1 + drag rate * dt)
    float speed_limit;  // greatest speed
};

// The velocity after a substep. f: sum of all forces but gravity. w: inverse mass; 0 holds the velocity.
FN TactVec tact_motion_velocity(TactMotion m, float vx, float vy, float vz, float fx, float fy, float fz, float w)
{
    PRECISE float ax = fx * w + m.gx;
    PRECISE float ay = fy * w + m.gy;
    PRECISE float az = fz * w + m.gz;
    PRECISE float ux = (vx + m.dt * ax) * m.drag;
    PRECISE float uy = (vy + m.dt * ay) * m.drag;
    PRECISE float uz = (vz + m.dt * az) * m.drag;
    float nx = tact_speed_clamp(w > 0.0f ? ux : vx);
    float ny = tact_speed_clamp(w > 0.0f ? uy : vy);
    float nz = tact_speed_clamp(w > 0.0f ? uz : vz);
    return tact_vec(nx, ny, nz);
}

// A velocity within a limit, scaled down where it is faster.
FN TactVec tact_motion_limit(float limit, float vx, float vy, float vz)
{
    TactVec v = tact_vec(vx, vy, vz);
    float speed = tact_length3(vx, vy, vz);
    if (speed > limit) {
        float factor = tact_div(limit, speed);
        PRECISE float nx = vx * factor;
        PRECISE float ny = vy * factor;
        PRECISE float nz = vz * factor;
        v = tact_vec(nx, ny, nz);
    }
    return v;
}

#endif
