// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// For kernels of particles that turn: rules of contacts, and sums of forces and torques. Macros, since functions cannot
// read buffers.
#ifndef TACT_GRAIN_MODEL_H
#define TACT_GRAIN_MODEL_H

#include "exact_sum.h"
#include "grain_bond.h"
#include "grain_layout.h"
#include "particle_model.h"

FN TactGrainRule tact_model_grain_rule(uint4 a, uint4 b, uint4 c)
{
    TactGrainRule r;
    r.stiffness = as_float(a.x);
    r.shear = as_float(a.y);
    r.normal_damping = as_float(a.z);
    r.tangential_damping = as_float(a.w);
    r.friction = as_float(b.x);
    r.rolling = as_float(b.y);
    r.twisting = as_float(b.z);
    r.adhesion = as_float(b.w);
    r.hertz = to_int(c.x);
    r.cohesion = as_float(c.y);
    return r;
}

FN TactBondRule tact_model_bond_rule(uint4 a, uint4 b)
{
    TactBondRule r;
    r.young = as_float(a.x);
    r.shear = as_float(a.y);
    r.part = as_float(a.z);
    r.damping = as_float(a.w);
    r.tensile = as_float(b.x);
    r.slide = as_float(b.y);
    return r;
}

// An axis of which only the period counts.
FN TactGridAxis tact_period_axis(uint period)
{
    TactGridAxis a;
    a.origin = 0.0f;
    a.inverse = 0.0f;
    a.low = 0;
    a.high = 0;
    a.period = as_float(period);
    return a;
}

// Whether a grain is farther from where it was when pairs were listed than `most` radii. `periods`: as in the model.
FN bool tact_grain_has_left(float4 me, float4 was, uint4 periods, float most)
{
    PRECISE float ox = me.x - was.x;
    PRECISE float oy = me.y - was.y;
    PRECISE float oz = me.z - was.z;
    float dx = tact_grid_shorter(tact_period_axis(periods.x), ox);
    float dy = tact_grid_shorter(tact_period_axis(periods.y), oy);
    float dz = tact_grid_shorter(tact_period_axis(periods.z), oz);
    PRECISE float limit = most * me.w;
    PRECISE float limit2 = limit * limit;
    return !(tact_dot3(dx, dy, dz, dx, dy, dz) <= limit2);
}

FN TactExact tact_exact_of(uint high, uint low)
{
    TactExact s;
    s.high = to_int(high);
    s.low = to_int(low);
    return s;
}

// grain_row: where these rows of the model begin.
#define GRAIN_RULE_AT(mine, other) (grain_row + TACT_GRAIN_RULE_FIRST + TACT_GRAIN_RULE_ROWS * ((mine)*16u + (other)))
#define MODEL_GRAIN(mine, other)                                                                     \
    tact_model_grain_rule(model[GRAIN_RULE_AT(mine, other)], model[GRAIN_RULE_AT(mine, other) + 1u], \
                          model[GRAIN_RULE_AT(mine, other) + 2u])

// kind: from 1 on.
#define BOND_RULE_AT(kind) (grain_row + TACT_GRAIN_BOND_FIRST + TACT_GRAIN_BOND_ROWS * ((kind)-1u))
#define MODEL_BOND(kind) tact_model_bond_rule(model[BOND_RULE_AT(kind)], model[BOND_RULE_AT(kind) + 1u])

// Sums of forces and of torques, and the reciprocals of their units.
#define GRAIN_SUMS                             \
    TactExact force_x = tact_exact_of(0u, 0u); \
    TactExact force_y = force_x;               \
    TactExact force_z = force_x;               \
    TactExact torque_x = force_x;              \
    TactExact torque_y = force_x;              \
    TactExact torque_z = force_x;              \
    uint4 unit_row = model[grain_row];         \
    float force_scale = as_float(unit_row.y);  \
    float torque_scale = as_float(unit_row.w); \
    uint capped = 0u;
// From and to three rows of the buffer `sums`, `stride` apart.
#define GRAIN_LOAD(i, stride)                         \
    {                                                 \
        uint4 sums_a = sums[i];                       \
        uint4 sums_b = sums[(stride) + (i)];          \
        uint4 sums_c = sums[2u * (stride) + (i)];     \
        force_x = tact_exact_of(sums_a.x, sums_a.y);  \
        force_y = tact_exact_of(sums_a.z, sums_a.w);  \
        force_z = tact_exact_of(sums_b.x, sums_b.y);  \
        torque_x = tact_exact_of(sums_b.z, sums_b.w); \
        torque_y = tact_exact_of(sums_c.x, sums_c.y); \
        torque_z = tact_exact_of(sums_c.z, sums_c.w); \
    }
#define GRAIN_STORE(i, stride)                                                                                        \
    {                                                                                                                 \
        sums[i] =                                                                                                     \
            make_uint4(to_uint(force_x.high), to_uint(force_x.low), to_uint(force_y.high), to_uint(force_y.low));     \
        sums[(stride) + (i)] =                                                                                        \
            make_uint4(to_uint(force_z.high), to_uint(force_z.low), to_uint(torque_x.high), to_uint(torque_x.low));   \
        sums[2u * (stride) + (i)] =                                                                                   \
            make_uint4(to_uint(torque_y.high), to_uint(torque_y.low), to_uint(torque_z.high), to_uint(torque_z.low)); \
    }
// Counts the contact of TactGrainPush grain_push if its force is cut.
#define GRAIN_COUNT_CAPPED                                        \
    {                                                             \
        if (tact_exact_capped(grain_push.force.x, force_scale) || \
            tact_exact_capped(grain_push.force.y, force_scale) || \
            tact_exact_capped(grain_push.force.z, force_scale)) { \
            capped = capped + 1u;                                 \
        }                                                         \
    }
// Adds what a contact does: TactGrainPush grain_push, float grain_arm.
#define GRAIN_ADD                                                                             \
    {                                                                                         \
        TactVec grain_torque = tact_grain_torque(grain_push.arm, grain_arm, grain_push.turn); \
        force_x = tact_exact_add(force_x, grain_push.force.x, force_scale);                   \
        force_y = tact_exact_add(force_y, grain_push.force.y, force_scale);                   \
        force_z = tact_exact_add(force_z, grain_push.force.z, force_scale);                   \
        torque_x = tact_exact_add(torque_x, grain_torque.x, torque_scale);                    \
        torque_y = tact_exact_add(torque_y, grain_torque.y, torque_scale);                    \
        torque_z = tact_exact_add(torque_z, grain_torque.z, torque_scale);                    \
    }

#endif
