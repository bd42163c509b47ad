// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The end of a grain's substep, after its move. Statements, included inside a kernel that has
//     buffers sums, listed, spin, turn, counters
//     uint i, count, number, uint4 periods, float4 me, float turn_inverse_mass, float most
{
    float dt = as_float(periods.w);
    uint4 turning = spin[i];
    uint4 torque = sums[count + i];
    float inertia = tact_grain_inverse_inertia(me.w, turn_inverse_mass);
    TactVec w = tact_grain_spun(tact_vec(as_float(turning.x), as_float(turning.y), as_float(turning.z)),
                                tact_vec(as_float(torque.x), as_float(torque.y), as_float(torque.z)), inertia, dt);
    spin[i] = make_uint4(as_uint(w.x), as_uint(w.y), as_uint(w.z), turning.w);
    turn[i] = tact_grain_turned(turn[i], w, dt);
    if (tact_grain_has_left(me, listed[i], periods, most)) ATOMIC_OR(counters[TACT_COUNTER_STOP + number + 1u], 1u);
}
