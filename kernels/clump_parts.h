// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// For kernels of clumps: what clump `k` is made of, and how it moves. Macros, since functions cannot read buffers.
// Layout: see grain_layout.h.
#ifndef TACT_CLUMP_PARTS_H
#define TACT_CLUMP_PARTS_H

#include "grain_clump.h"

FN TactClumpBody tact_clump_body_of(uint4 a, uint4 b, uint4 c)
{
    TactClumpBody r;
    r.inverse_mass = as_float(a.z);
    r.reach = as_float(a.w);
    r.xx = as_float(b.x);
    r.yy = as_float(b.y);
    r.zz = as_float(b.z);
    r.xy = as_float(c.x);
    r.xz = as_float(c.y);
    r.yz = as_float(c.z);
    return r;
}

FN TactClump tact_clump_of(float4 place, float4 drift, float4 momentum, float4 pose)
{
    TactClump c;
    c.place = tact_vec(place.x, place.y, place.z);
    c.drift = tact_vec(drift.x, drift.y, drift.z);
    c.momentum = tact_vec(momentum.x, momentum.y, momentum.z);
    c.pose = pose;
    c.slowed = 0;
    return c;
}

#define CLUMP_BODY                     \
    uint4 clump_head = parts[3u * k];  \
    uint clump_first = clump_head.x;   \
    uint clump_members = clump_head.y; \
    TactClumpBody clump_body = tact_clump_body_of(clump_head, parts[3u * k + 1u], parts[3u * k + 2u]);
// Whether another rank moves it: its members are ghosts here, or not there.
#define CLUMP_ELSEWHERE (parts[clump_first].x == TACT_GRAIN_NONE || parts[clump_first + 1u].y != 0u)
#define CLUMP_NOW \
    TactClump clump = tact_clump_of(clumps[4u * k], clumps[4u * k + 1u], clumps[4u * k + 2u], clumps[4u * k + 3u]);
// From the centre of mass to a member.
#define CLUMP_ARM(member) \
    tact_clump_out(clump.pose, tact_vec(as_float((member).y), as_float((member).z), as_float((member).w)))

#endif
