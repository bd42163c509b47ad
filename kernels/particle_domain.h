// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The faces of the domain, shared by C, GLSL and OpenCL C.
#ifndef TACT_PARTICLE_DOMAIN_H
#define TACT_PARTICLE_DOMAIN_H

#include "particle_contact.h"

// As tact_boundary.
#define TACT_FACES_OPEN 0
#define TACT_FACES_WALL 1
#define TACT_FACES_PERIODIC 2
// 2^60: no centre gets farther.
#define TACT_FARTHEST 1152921504606846976.0f

STRUCT(TactDomainAxis)
{
    int faces;
    float lower, upper;
};

STRUCT(TactDomain)
{
    TactDomainAxis x, y, z;
};

// Contact of a sphere with the lower or the upper wall across an axis; (ux, uy, uz) is the axis. No wall, no touch.
FN TactTouch tact_touch_wall(TactDomainAxis a, int upper, float ux, float uy, float uz, float x, float radius)
{
    PRECISE float above = x - a.lower;
    PRECISE float below = a.upper - x;
    TactTouch t;
    if (upper != 0) {
        t = tact_touch_surface(-ux, -uy, -uz, below, radius);
    } else {
        t = tact_touch_surface(ux, uy, uz, above, radius);
    }
    if (a.faces != TACT_FACES_WALL) t.touches = 0;
    return t;
}

// A coordinate after a move: held between walls, or within TACT_FARTHEST (periods: tact_grid_wrap()). A NaN counts
// as the lower end.
FN float tact_domain_hold(TactDomainAxis a, float x)
{
    float low = a.faces == TACT_FACES_WALL ? a.lower : -TACT_FARTHEST;
    float high = a.faces == TACT_FACES_WALL ? a.upper : TACT_FARTHEST;
    float result = x > low ? x : low;
    result = result < high ? result : high;
    return result;
}

// The speed along an axis of a particle that was to be at x and is held: none outwards.
FN float tact_domain_speed(TactDomainAxis a, float x, float v)
{
    float result = v;
    if (a.faces == TACT_FACES_WALL) {
        if (x < a.lower && v < 0.0f) result = 0.0f;
        if (x > a.upper && v > 0.0f) result = 0.0f;
    }
    return result;
}

#endif
