// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// States of particle systems, taken and compared to the byte. Include after run.h.

#include "tact/particle_bodies.h"

/// A system saved: all that a run depends on, so that equal bytes mean equal systems.
typedef struct particle_snapshot {
    uint8_t* bytes;
    size_t size;
} particle_snapshot;

/// In memory of just that size, until the test ends.
static inline particle_snapshot particle_snapshot_of(tact_particles* p)
{
    particle_snapshot s = {0};
    const tact_result counted = tact_particles_save(p, NULL, 0, &s.size);
    assert_int_equal(counted, TACT_INCOMPLETE);
    s.bytes = scratch(s.size);
    size_t size = 0;
    const tact_result saved = tact_particles_save(p, s.bytes, s.size, &size);
    assert_int_equal(saved, TACT_OK);
    assert_int_equal(size, s.size);
    return s;
}

static inline void particle_snapshot_expect(tact_particles* p, const particle_snapshot* expected, const char* what)
{
    particle_snapshot now = particle_snapshot_of(p);
    if (now.size != expected->size) fail_msg("%s: %zu bytes, expected %zu", what, now.size, expected->size);
    for (size_t i = 32; i < now.size; ++i) {
        if (now.bytes[i] != expected->bytes[i]) fail_msg("%s: byte %zu of %zu differs", what, i, now.size);
    }
}
