// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The parts of a substep that concern one particle alone, for kernels: the same operations in the same order as
// cpu_ref/particles/step.c.
#ifndef TACT_PARTICLE_MOVE_H
#define TACT_PARTICLE_MOVE_H

#include "particle_domain.h"
#include "particle_grid.h"

// The velocity after all forces but gravity, within the speed limit. `slowed`: 1 if that held it back.
STRUCT(TactPace)
{
    TactVec v;
    int slowed;
};

FN TactPace tact_move_accelerate(TactMotion m, float vx, float vy, float vz, float fx, float fy, float fz, float w)
{
    TactPace pace;
    TactVec v = tact_motion_velocity(m, vx, vy, vz, fx, fy, fz, w);
    pace.v = tact_motion_limit(m.speed_limit, v.x, v.y, v.z);
    pace.slowed = pace.v.x != v.x || pace.v.y != v.y || pace.v.z != v.z ? 1 : 0;
    return pace;
}

// A coordinate that a particle is put down at, inside the domain.
FN float tact_move_place(TactGridAxis a, TactDomainAxis faces, float x)
{
    return tact_grid_wrap(a, tact_domain_hold(faces, x));
}

// Where a particle is along an axis after a move with nothing on its way, and its speed then.
STRUCT(TactAxisMove)
{
    float place, speed;
};

FN TactAxisMove tact_move_axis(TactGridAxis axis, TactDomainAxis faces, float x, float speed, float dt)
{
    TactAxisMove m;
    PRECISE float far = x + dt * speed;
    PRECISE float held = tact_domain_hold(faces, far);
    m.speed = tact_domain_speed(faces, held, tact_domain_speed(faces, far, speed));
    m.place = tact_move_place(axis, faces, held);
    return m;
}

#endif
