// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Casts of shapes with parts: the parts of a body and those of the shape that may touch, and when their boxes meet.

#include "cpu_ref/contacts/casts.h"

enum { TACT_CAST_MOST_STRETCHES = 32 };

/// A piece of a cast, all of whose rotations turn points by at most `about` of their distance from the position more or
/// less than `axes`.
typedef struct tact_cast_stretch {
    double axes[3][3];
    double first, last;  ///< fractions of the cast
    double about;
} tact_cast_stretch;

/// The way of a cast.
typedef struct tact_cast_way {
    double from[3], move[3];
    tact_cast_stretch stretches[TACT_CAST_MOST_STRETCHES];
    uint32_t count;  ///< of `stretches`; 1: it does not turn
} tact_cast_way;

/// `number`: of the cast in the job.
void tact_cast_way_make(const tact_casts_job* job, size_t number, tact_cast_way* way);

/// The axes of a cast's shape at a fraction of its way, by rows.
void tact_cast_axes(const tact_casts_job* job, size_t number, double fraction, double axes[3][3]);

/// Two parts whose boxes meet from `begin` to `end`, fractions of the cast.
typedef struct tact_cast_near {
    uint32_t part, cast_part;
    double begin, end;
} tact_cast_near;

/// Returns the bound from then on: parts whose boxes meet later are left out.
typedef double tact_cast_near_fn(const tact_cast_near* near, void* user);

typedef struct tact_cast_walk {
    const tact_casts_job* job;
    const tact_cast_way* way;
    uint32_t cast, body;
    double enter;  ///< nothing begins earlier
    double bound;
    tact_cast_near_fn* visit;
    void* user;
} tact_cast_walk;

/// Visits the parts of a body and of a cast's shape, which has parts, the early ones first; for the reference all of
/// them are looked at, without trees.
void tact_cast_walk_parts(tact_cast_walk* walk);

/// What fractions that are found may be off by, as they are rounded.
static inline double tact_cast_earlier(double fraction)
{
    return fraction * (1.0 - 1e-11);
}
