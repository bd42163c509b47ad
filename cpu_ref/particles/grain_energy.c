// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What contacts of grains store, and what they take.

#include "cpu_ref/particles/grain_energy.h"

#include <math.h>

#include "base/asserts.h"

static double dot(TactVec a, TactVec b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/// By how much the springs of Hertz are stiffer than at a depth and radius of 1.
static double root_of(const tact_grain_meeting* m, double depth)
{
    return m->rule->hertz ? sqrt((double)m->radius * depth) : 1.0;
}

/// What the springs along the surface, of rolling and twisting hold at a depth.
static double stored(const tact_grain_meeting* m, double depth, const TactGrainMemory* memory)
{
    const double slid = (double)memory->sx * (double)memory->sx + (double)memory->sy * (double)memory->sy +
                        (double)memory->sz * (double)memory->sz;
    const double turned = (double)memory->rx * (double)memory->rx + (double)memory->ry * (double)memory->ry +
                          (double)memory->rz * (double)memory->rz + (double)memory->twist * (double)memory->twist;
    return 0.5 * (double)m->rule->shear * root_of(m, depth) * (slid + (double)m->radius * (double)m->radius * turned);
}

tact_grain_energy tact_grain_energy_of(const tact_grain_meeting* m, const TactGrainPush* push,
                                       const TactGrainMemory* before, const TactGrainMemory* after, double dt)
{
    TACT_ASSERT(dt > 0.0);
    const TactVec n = tact_vec(m->touch.nx, m->touch.ny, m->touch.nz);
    const double depth = (double)m->touch.depth, held = stored(m, depth, before), along = dot(m->slip, n);
    const double later = depth - dt * along, spring = (double)m->rule->stiffness * root_of(m, depth) * depth;
    // Adhesion pulls with the same force at all depths, cohesion in proportion to them.
    const double radius = (double)m->radius, adhesion = (double)m->rule->adhesion * radius;
    const double cohesion = (double)m->rule->cohesion * radius * depth, pull = adhesion + cohesion;
    const double elastic = (m->rule->hertz ? 0.4 : 0.5) * spring * depth - (adhesion + 0.5 * cohesion) * depth + held;
    // Power that motion gives to the contact, less what its springs gain.
    const double then = stored(m, later > 0.0 ? later : 0.0, after);
    const double dissipated =
        dot(push->force, m->slip) + (spring - pull) * along + dot(push->turn, m->spin) - (then - held) / dt;
    return (tact_grain_energy){elastic, dissipated, then};
}
