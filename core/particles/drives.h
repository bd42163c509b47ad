// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a system keeps of surfaces that move without the caller, have a servo or wear.

#include <string.h>

#include "core/particles/particles.h"
#include "tact/particle_surfaces.h"

/// Colliders first, then bodies.
enum { TACT_SURFACES = TACT_MAX_COLLIDERS + TACT_MAX_BODIES };

/// What steps change of a surface.
typedef struct tact_surface_progress {
    double moved[3];            ///< from where it was put
    double turned[4];           ///< by what rotation from how it was put, a unit quaternion x y z w
    double speed, force, wear;  ///< as in tact_surface_state
} tact_surface_progress;

/// What the caller asked for.
typedef struct tact_surface_setting {
    bool moves, worn, has_servo;
    tact_servo servo;
} tact_surface_setting;

/// Made when first used.
struct tact_surface_drives {
    tact_surface_setting settings[TACT_SURFACES];
    tact_surface_progress now[TACT_SURFACES];
    tact_surface_progress before[TACT_SURFACES];  ///< at the start of the step that is taken
    tact_surface_progress mirror[TACT_SURFACES];  ///< beside the host's copy of the state
    tact_body_pose given[TACT_MAX_BODIES];        ///< where bodies were put
    tact_surface_load loads[TACT_SURFACES];       ///< scratch
};

/// Notes where they are, beside the host's copy of the state.
static inline void tact_surfaces_keep(tact_particles* particles)
{
    tact_surface_drives* d = particles->drives;
    if (d) memcpy(d->mirror, d->now, sizeof d->now);
}
