// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Particles that fall onto what is viewed: those of `tact particles --random N --mesh FILE ...
/// --response position`, in the place and the
/// scale of the files. Walls and a floor hold them; nothing picks them.

#include "apps/digest.h"
#include "apps/session.h"
#include "apps/view/camera.h"

typedef struct tact_view_particles tact_view_particles;

typedef struct tact_view_particles_info {
    size_t count;
    uint64_t steps;
    tact_backend backend;
    tact_digest digest;  ///< that of `tact particles` after as many steps
} tact_view_particles_info;

/// `common` says what steps them, and the seed. In the OpenGL context that is current; the session and the files must
/// outlive them.
bool tact_view_particles_create(const tact_session* session, const tact_common_options* common,
                                const tact_text_list* files, uint64_t count, tact_gl_get_proc_address get_proc_address,
                                tact_view_particles** particles, tact_problem* problem);
/// NULL is allowed. Before the context.
void tact_view_particles_destroy(tact_view_particles* particles);

/// What holds them, in the world of the files.
tact_aabb tact_view_particles_walls(const tact_view_particles* particles);
bool tact_view_particles_step(tact_view_particles* particles, tact_problem* problem);
/// Into the frame buffer that is bound, with its depth.
bool tact_view_particles_draw(tact_view_particles* particles, const tact_view_look* look, tact_problem* problem);
bool tact_view_particles_finish(tact_view_particles* particles, tact_view_particles_info* info, tact_problem* problem);
