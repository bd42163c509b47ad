// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Bonds: short beams between the centres of two grains, that break (Potyondy, Cundall, "A bonded-particle model for
// rock", 2004, in place of the contact, not beside it). Shared by C, GLSL and OpenCL C; docs/grains.md has the
// formulas.
#ifndef TACT_GRAIN_BOND_H
#define TACT_GRAIN_BOND_H

#include "grain_contact.h"

#define TACT_BOND_KINDS 16
// A bond longer than this times the sum of the radii is broken, so that lists of pairs need reach no farther.
#define TACT_BOND_LONGEST 1.125f
// A force that no spring gives way at.
#define TACT_BOND_MOST 1.0e38f

// Of a kind of bonds.
STRUCT(TactBondRule)
{
    float young, shear;    // moduli, N/m^2
    float part;            // of the smaller radius: the beam's
    float damping;         // twice the ratio of the dashpots
    float tensile, slide;  // stresses at which it breaks, N/m^2
};

// Of a bond: how long it is without load; its kind, from 1 on, or 0: it is none.
STRUCT(TactBond)
{
    float rest;
    float kind;
};

// What a beam is: stiffness along and across, of bending and of twisting, and the reciprocals by which forces and
// torques are stresses.
STRUCT(TactBeam)
{
    float along, across, bend, twist;
    float area, section;
};

FN TactBeam tact_bond_beam(TactBondRule rule, float rest, float r1, float r2)
{
    TactBeam b;
    float smaller = r1 < r2 ? r1 : r2;
    PRECISE float radius = rule.part * smaller;
    PRECISE float square = radius * radius;
    PRECISE float area = 3.14159265f * square;
    PRECISE float quartered = 0.25f * square;
    PRECISE float halved = 0.5f * square;
    PRECISE float normal = rule.young * area;
    PRECISE float tangent = rule.shear * area;
    b.along = tact_div(normal, rest);
    b.across = tact_div(tangent, rest);
    PRECISE float bend = b.along * quartered;
    PRECISE float twist = b.across * halved;
    // |M| radius / I, with I = area radius^2 / 4; of twisting half of that.
    PRECISE float section = 0.25f * (area * radius);
    b.bend = bend;
    b.twist = twist;
    b.area = tact_div(1.0f, area);
    b.section = tact_div(1.0f, section);
    return b;
}

// Of the springs' forces and torques: of pull and bending, of shearing and twisting.
STRUCT(TactStress)
{
    float tension, shear;
};

// `stretched`: by how much it is too long.
FN TactStress tact_bond_stress(TactBeam b, float stretched, TactGrainMemory m)
{
    TactStress s;
    PRECISE float pull = b.along * stretched;
    PRECISE float slid = b.across * tact_length3(m.sx, m.sy, m.sz);
    PRECISE float bent = b.bend * tact_length3(m.rx, m.ry, m.rz);
    PRECISE float twisted = b.twist * ABS(m.twist);
    PRECISE float tension = pull * b.area + bent * b.section;
    PRECISE float shear = slid * b.area + twisted * (0.5f * b.section);
    s.tension = tension;
    s.shear = shear;
    return s;
}

FN bool tact_bond_breaks(TactBondRule rule, TactStress s)
{
    return !(s.tension <= rule.tensile) || !(s.shear <= rule.slide);
}

// The touch of two bonded grains, as tact_touch_spheres(), but with a depth below 0 where they are apart.
FN TactTouch tact_bond_touch(float dx, float dy, float dz, float reach, uint id, uint other)
{
    TactTouch t = tact_touch_spheres(dx, dy, dz, reach, id, other);
    PRECISE float depth = reach - tact_length3(dx, dy, dz);
    t.depth = depth;
    return t;
}

// What a bond does, as tact_grain_push(). `stretched`: by how much it is too long.
FN TactGrainPush tact_bond_push(TactTouch t, TactVec slip, TactVec spin, float inverse_mass, TactBeam b,
                                TactBondRule rule, float stretched, float dt, INOUT(TactGrainMemory, memory))
{
    TactGrainPush p;
    PRECISE float along_drag = rule.damping * tact_sqrt(tact_div(b.along, inverse_mass));
    PRECISE float across_drag = rule.damping * tact_sqrt(tact_div(b.across, inverse_mass));
    // Dashpots lie over the section as springs do.
    PRECISE float bend_drag = across_drag * tact_div(b.bend, b.across > 0.0f ? b.across : 1.0f);
    PRECISE float twist_drag = across_drag * tact_div(b.twist, b.across > 0.0f ? b.across : 1.0f);
    float along = tact_dot3(slip.x, slip.y, slip.z, t.nx, t.ny, t.nz);
    PRECISE float pull = b.along * stretched + along_drag * along;
    TactVec slid = tact_grain_tangent(t, ITS(memory).sx, ITS(memory).sy, ITS(memory).sz);
    TactVec sliding = tact_grain_tangent(t, slip.x, slip.y, slip.z);
    TactVec across = tact_grain_spring(BY(slid), sliding, b.across, across_drag, TACT_BOND_MOST, dt);
    TactVec bent = tact_grain_tangent(t, ITS(memory).rx, ITS(memory).ry, ITS(memory).rz);
    TactVec bending = tact_grain_tangent(t, spin.x, spin.y, spin.z);
    TactVec bend = tact_grain_spring(BY(bent), bending, b.bend, bend_drag, TACT_BOND_MOST, dt);
    TactVec twisted = tact_vec(ITS(memory).twist, 0.0f, 0.0f);
    TactVec twisting = tact_vec(tact_dot3(spin.x, spin.y, spin.z, t.nx, t.ny, t.nz), 0.0f, 0.0f);
    TactVec twist = tact_grain_spring(BY(twisted), twisting, b.twist, twist_drag, TACT_BOND_MOST, dt);
    ITS(memory).sx = slid.x;
    ITS(memory).sy = slid.y;
    ITS(memory).sz = slid.z;
    ITS(memory).rx = bent.x;
    ITS(memory).ry = bent.y;
    ITS(memory).rz = bent.z;
    ITS(memory).twist = twisted.x;
    PRECISE float fx = across.x + pull * t.nx;
    PRECISE float fy = across.y + pull * t.ny;
    PRECISE float fz = across.z + pull * t.nz;
    p.force = tact_vec(fx, fy, fz);
    p.arm = tact_cross3(t.nx, t.ny, t.nz, across.x, across.y, across.z);
    PRECISE float tx = bend.x + twist.x * t.nx;
    PRECISE float ty = bend.y + twist.x * t.ny;
    PRECISE float tz = bend.z + twist.x * t.nz;
    p.turn = tact_vec(tx, ty, tz);
    return p;
}

// Whether two grains, of which d2 is the square of the distance, may be bonded still.
FN bool tact_bond_lasts(float d2, float reach, TactBond bond)
{
    PRECISE float longest = TACT_BOND_LONGEST * reach;
    PRECISE float longest2 = longest * longest;
    return bond.kind > 0.0f && d2 <= longest2;
}

// tact_bond_push() of grains of these radii at a distance. Where the bond breaks `bond` is none, the memory empty, and
// what it would do is of no use.
FN TactGrainPush tact_bond_act(TactTouch t, TactVec slip, TactVec spin, float r1, float r2, float inverse_mass,
                               TactBondRule rule, float distance, float dt, INOUT(TactGrainMemory, memory),
                               INOUT(TactBond, bond))
{
    TactBeam beam = tact_bond_beam(rule, ITS(bond).rest, r1, r2);
    PRECISE float stretched = distance - ITS(bond).rest;
    TactGrainMemory m = ITS(memory);
    TactGrainPush p = tact_bond_push(t, slip, spin, inverse_mass, beam, rule, stretched, dt, BY(m));
    if (tact_bond_breaks(rule, tact_bond_stress(beam, stretched, m))) {
        m = tact_grain_forgotten();
        ITS(bond).rest = 0.0f;
        ITS(bond).kind = 0.0f;
    }
    ITS(memory) = m;
    return p;
}

#endif
