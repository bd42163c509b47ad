// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The model of a particle system as kernels get it: rows of four words. The constants are shared with the host
// (gpu/particles/model.c), which writes them; the rest is for kernels.
#ifndef TACT_PARTICLE_MODEL_H
#define TACT_PARTICLE_MODEL_H

#define TACT_ROW_AXES 0u     // of x, y, z: origin, inverse, period, -
#define TACT_ROW_RANGES 3u   // low and high of x and of y
#define TACT_ROW_LEVELS 4u   // low and high of z, levels, edge
#define TACT_ROW_FACES 5u    // of x, y, z: faces, lower, upper, -
#define TACT_ROW_MOTION 8u   // gravity, dt
#define TACT_ROW_LIMITS 9u   // drag, speed limit, relaxation, separation speed
#define TACT_ROW_COUNTS 10u  // sleep speed, wall material, solids, ids that have forces
// Of each level two rows about its part of the table of cells: where it begins, stride along y, stride along z, 1 if
// there are particles on the level; masks of x, y, z, cells along x.
#define TACT_ROW_TABLE 11u
#define TACT_ROW_MASKS 21u    // of 32 groups, four in a row
#define TACT_ROW_RULES 29u    // of 16 x 16 pairs of materials
#define TACT_ROW_SOLIDS 285u  // eight for each; the last word of the second is its mask

#if defined(TACT_GLSL) || defined(TACT_OPENCL)

#include "particle_contact.h"
#include "particle_domain.h"
#include "particle_grid.h"
#include "particle_layout.h"
#include "particle_surface.h"

FN TactGridAxis tact_model_axis(uint4 row, uint low, uint high)
{
    TactGridAxis a;
    a.origin = as_float(row.x);
    a.inverse = as_float(row.y);
    a.low = to_int(low);
    a.high = to_int(high);
    a.period = as_float(row.z);
    return a;
}

FN TactGrid tact_model_grid(uint4 x, uint4 y, uint4 z, uint4 ranges, uint4 levels)
{
    TactGrid g;
    g.x = tact_model_axis(x, ranges.x, ranges.y);
    g.y = tact_model_axis(y, ranges.z, ranges.w);
    g.z = tact_model_axis(z, levels.x, levels.y);
    g.levels = to_int(levels.z);
    g.edge = as_float(levels.w);
    return g;
}

FN TactDomainAxis tact_model_faces(uint4 row)
{
    TactDomainAxis a;
    a.faces = to_int(row.x);
    a.lower = as_float(row.y);
    a.upper = as_float(row.z);
    return a;
}

FN TactMotion tact_model_motion(uint4 row, uint4 limits)
{
    TactMotion m;
    m.gx = as_float(row.x);
    m.gy = as_float(row.y);
    m.gz = as_float(row.z);
    m.dt = as_float(row.w);
    m.drag = as_float(limits.x);
    m.speed_limit = as_float(limits.y);
    return m;
}

FN TactContactRule tact_model_rule(uint4 row)
{
    TactContactRule r;
    r.stiffness = as_float(row.x);
    r.normal_damping = as_float(row.y);
    r.friction = as_float(row.z);
    r.tangential_damping = as_float(row.w);
    return r;
}

FN uint tact_model_mask(uint4 row, uint group)
{
    uint at = group & 3u;
    return at == 0u ? row.x : (at == 1u ? row.y : (at == 2u ? row.z : row.w));
}

FN uint tact_model_group(uint word)
{
    return (word >> 8u) & 31u;
}

FN uint tact_model_material(uint word)
{
    return word & 255u;
}

// A particle that another rank moves.
FN bool tact_model_ghost(uint word)
{
    return (word & TACT_GHOST) != 0u;
}

FN TactSolid tact_model_solid(uint4 a, uint4 p, uint4 e, uint4 u, uint4 v, uint4 w, uint4 l, uint4 r)
{
    TactSolid s;
    s.kind = to_int(a.x);
    s.material = a.y;
    s.inside = to_int(a.z);
    s.radius = as_float(a.w);
    s.px = as_float(p.x);
    s.py = as_float(p.y);
    s.pz = as_float(p.z);
    s.ex = as_float(e.x);
    s.ey = as_float(e.y);
    s.ez = as_float(e.z);
    s.ux = as_float(u.x);
    s.uy = as_float(u.y);
    s.uz = as_float(u.z);
    s.vx = as_float(v.x);
    s.vy = as_float(v.y);
    s.vz = as_float(v.z);
    s.wx = as_float(w.x);
    s.wy = as_float(w.y);
    s.wz = as_float(w.z);
    s.lx = as_float(l.x);
    s.ly = as_float(l.y);
    s.lz = as_float(l.z);
    s.rx = as_float(r.x);
    s.ry = as_float(r.y);
    s.rz = as_float(r.z);
    return s;
}

// Functions cannot read buffers, hence macros: the solid whose rows begin at row `at` of a buffer, and, for kernels
// whose buffer `model` this is, what is in it.
#define ROWS_SOLID_MASK(rows, at) rows[(at) + 1u].w
#define ROWS_SOLID(rows, at)                                                                                        \
    tact_model_solid(rows[at], rows[(at) + 1u], rows[(at) + 2u], rows[(at) + 3u], rows[(at) + 4u], rows[(at) + 5u], \
                     rows[(at) + 6u], rows[(at) + 7u])
#define MODEL_GRID tact_model_grid(model[0], model[1], model[2], model[TACT_ROW_RANGES], model[TACT_ROW_LEVELS])
// Along an axis where only places matter, not cells.
#define MODEL_AXIS(axis) tact_model_axis(model[TACT_ROW_AXES + (axis)], 0u, 0u)
#define MODEL_MOTION tact_model_motion(model[TACT_ROW_MOTION], model[TACT_ROW_LIMITS])
#define MODEL_RULE(mine, other) tact_model_rule(model[TACT_ROW_RULES + (mine)*16u + (other)])
#define MODEL_MASK(group) tact_model_mask(model[TACT_ROW_MASKS + ((group) >> 2u)], (group))
#define MODEL_SOLIDS model[TACT_ROW_COUNTS].z
#define MODEL_SOLID_MASK(n) ROWS_SOLID_MASK(model, TACT_ROW_SOLIDS + 8u * (n))
#define MODEL_SOLID(n) ROWS_SOLID(model, TACT_ROW_SOLIDS + 8u * (n))

// So many more, or one, in the 64-bit counter at words at and at + 1.
#define COUNT_MORE(at, more)                                                                            \
    {                                                                                                   \
        if (ATOMIC_ADD(counters[at], more) > 0xffffffffu - (more)) ATOMIC_ADD(counters[(at) + 1u], 1u); \
    }
#define COUNT(at) COUNT_MORE(at, 1u)

#endif
#endif
