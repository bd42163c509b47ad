// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Casts through the bodies of body_scene.h, and how far they are from these by double precision.

#include "tact/body_casts.h"
#include "tests/support/body_scene.h"

enum { MOST = 1 << 12 };

static size_t run(scene* s, const tact_body_cast* casts, size_t count, tact_body_casts_mode mode,
                  tact_body_cast_hit* hits, uint64_t* offsets)
{
    tact_body_cast_hit* others = scratch(MOST * sizeof *others);
    size_t rows[4] = {0};
    for (int k = 0; k < 4; ++k) {
        const tact_query_options options = {.backend = k == 3 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU,
                                            .threads = k};
        const tact_body_casts_work work = {.casts = casts,
                                           .cast_count = count,
                                           .mode = mode,
                                           .hits = k ? others : hits,
                                           .capacity = MOST,
                                           .offsets = offsets,
                                           .count = &rows[k]};
        assert_int_equal(tact_body_casts_find(s->set, &work, &options, NULL), TACT_OK);
        assert_int_equal(rows[k], rows[0]);
        if (k) assert_memory_equal(others, hits, rows[0] * sizeof *hits);
    }
    return rows[0];
}

static tact_body_cast_hit one_cast(scene* s, tact_body_cast cast)
{
    tact_body_cast_hit hit;
    assert_int_equal(run(s, &cast, 1, TACT_BODY_CASTS_FIRST, &hit, NULL), 1);
    return hit;
}

/// Shape `shape` of a cast at a time, seen from the origin that is given.
static solid mover(const scene* s, const tact_body_cast* c, double time, const double origin[3])
{
    double p[4], q[4], cosine = 0.0, length = 0.0;
    unit(&c->from.rotation, p);
    unit(&c->to.rotation, q);
    for (int k = 0; k < 4; ++k)
        cosine += p[k] * q[k];
    for (int k = 0; k < 4; ++k) {
        p[k] = (1.0 - time) * p[k] + time * (cosine < 0.0 ? -q[k] : q[k]);
        length += p[k] * p[k];
    }
    for (int k = 0; k < 4; ++k)
        p[k] /= sqrt(length);
    const double from[3] = {c->from.x, c->from.y, c->from.z}, to[3] = {c->to.x, c->to.y, c->to.z};
    double at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = (from[k] - origin[k]) + time * (to[k] - from[k]);
    return placed(&s->models[c->shape].part[0], p, c->from.scale > 0.0f ? (double)c->from.scale : 1.0, at);
}

/// How far a cast is from a part at a time, its margin taken off; `outer` becomes both sizes.
static double gap_at(const scene* s, const tact_body_cast* c, uint32_t body, uint32_t part, double time, double* outer)
{
    const tact_body* b = &s->bodies[body];
    const double origin[3] = {b->pose.x, b->pose.y, b->pose.z}, zero[3] = {0, 0, 0};
    double q[4];
    unit(&b->pose.rotation, q);
    const solid moved = mover(s, c, time, origin);
    const solid own = placed(&s->models[b->shape].part[part], q, (double)b->pose.scale, zero);
    const double scale = c->from.scale > 0.0f ? (double)c->from.scale : 1.0;
    *outer = extent_of(&s->models[c->shape].part[0]) * scale + 2.0 * extent_of(&own) + (double)c->margin;
    return between(&own, &moved) - (double)c->margin;
}
