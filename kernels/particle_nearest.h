// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// For kernels that include particle_way.h: the distance of a point from the nearest collider, the first of several at
// the same distance; and counting in 64 bits. Wants the buffers model and counters, and uint group.
#ifndef TACT_PARTICLE_NEAREST_H
#define TACT_PARTICLE_NEAREST_H

// What WAY_DISTANCE sets. These, the end of the way and the velocity before it are PRECISE although some are only copied:
// glslangValidator 12 finds out by trying every path of assignments what precise results are made of, and with these
// left open that takes it all memory there is.
#define WAY_SURFACE                        \
    PRECISE float surface_distance = 0.0f; \
    PRECISE float surface_nx = 0.0f;       \
    PRECISE float surface_ny = 0.0f;       \
    PRECISE float surface_nz = 0.0f;

#define WAY_DISTANCE(x, y, z, limit)                                                        \
    {                                                                                       \
        surface_distance = TACT_FARTHEST;                                                   \
        surface_nx = 0.0f;                                                                  \
        surface_ny = 1.0f;                                                                  \
        surface_nz = 0.0f;                                                                  \
        uint way_solids = MODEL_SOLIDS;                                                     \
        for (uint way_solid = 0u; way_solid < way_solids; ++way_solid) {                    \
            if (((MODEL_SOLID_MASK(way_solid) >> group) & 1u) == 0u) continue;              \
            TactSurface way_surface = tact_surface_solid(MODEL_SOLID(way_solid), x, y, z);  \
            if (way_surface.distance < surface_distance) {                                  \
                surface_distance = way_surface.distance;                                    \
                surface_nx = way_surface.nx;                                                \
                surface_ny = way_surface.ny;                                                \
                surface_nz = way_surface.nz;                                                \
            }                                                                               \
        }                                                                                   \
    }

// One more in the 64-bit counter at words at and at + 1.
#define COUNT(at)                                                                                    \
    {                                                                                                \
        if (ATOMIC_ADD(counters[at], 1u) == 0xffffffffu) ATOMIC_ADD(counters[(at) + 1u], 1u);        \
    }

#endif
