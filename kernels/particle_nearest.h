// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// For kernels that include particle_way.h: the distance of a point from the nearest collider, the first of several at
// the same distance; and counting in 64 bits. Wants the buffers model and counters, and uint group.
#ifndef TACT_PARTICLE_NEAREST_H
#define TACT_PARTICLE_NEAREST_H

#ifdef WAY_BODIES
#include "particle_bodies.h"
#define WAY_SEARCH SEARCH_VARIABLES
// After particle_way.h: says so when some search ended before it was done.
#define WAY_DONE \
    if (SEARCH_FAILED) ATOMIC_MAX(counters[TACT_COUNTER_SEARCH], 1u);
#else
#define WAY_SEARCH
#define WAY_DONE
#endif

// What particle_way.h asks for.
#define WAY_SURFACE                                              \
    WAY_SEARCH                                                   \
    PRECISE float surface_distance = 0.0f;                       \
    PRECISE float surface_nx = 0.0f;                             \
    PRECISE float surface_ny = 0.0f;                             \
    PRECISE float surface_nz = 0.0f;                             \
    TactDomain way_domain;                                       \
    way_domain.x = tact_model_faces(model[TACT_ROW_FACES]);      \
    way_domain.y = tact_model_faces(model[TACT_ROW_FACES + 1u]); \
    way_domain.z = tact_model_faces(model[TACT_ROW_FACES + 2u]);

#define WAY_DISTANCE(x, y, z, limit)                                                       \
    {                                                                                      \
        surface_distance = TACT_FARTHEST;                                                  \
        surface_nx = 0.0f;                                                                 \
        surface_ny = 1.0f;                                                                 \
        surface_nz = 0.0f;                                                                 \
        uint way_solids = MODEL_SOLIDS;                                                    \
        for (uint way_solid = 0u; way_solid < way_solids; ++way_solid) {                   \
            if (((MODEL_SOLID_MASK(way_solid) >> group) & 1u) == 0u) continue;             \
            TactSurface way_surface = tact_surface_solid(MODEL_SOLID(way_solid), x, y, z); \
            if (way_surface.distance < surface_distance) {                                 \
                surface_distance = way_surface.distance;                                   \
                surface_nx = way_surface.nx;                                               \
                surface_ny = way_surface.ny;                                               \
                surface_nz = way_surface.nz;                                               \
            }                                                                              \
        }                                                                                  \
    }

#endif
