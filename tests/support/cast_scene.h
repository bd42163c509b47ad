// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Casts through the bodies of body_scene.h, and how far they are from these by double precision.

#include "tact/body_casts.h"
#include "tests/support/body_scene.h"

enum { MOST = 1 << 12 };

/// A scene with a body of every kind, about a place that is `far` from the origin.
static scene* scene_of_kinds(test_random* r, double far, double half)
{
    scene* s = scratch(sizeof *s);
    open_scene(s);
    add_kinds(s, r);
    for (uint32_t i = 0; i < KINDS; ++i)
        add_body(s, i, somewhere(r, far, half));
    return s;
}

static size_t run(scene* s, const tact_body_cast* casts, size_t count, tact_body_casts_mode mode,
                  tact_body_cast_hit* hits, uint64_t* offsets)
{
    tact_body_cast_hit* others = scratch(MOST * sizeof *others);
    size_t rows[5] = {0};
    for (int k = 0; k < 5; ++k) {
        const tact_query_options options = {.backend = k == 4 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU,
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

/// The rotation of a cast's shape at a time, and its position from the origin that is given.
static void pose_of(const tact_body_cast* c, double time, const double origin[3], double p[4], double at[3])
{
    double q[4], cosine = 0.0, length = 0.0;
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
    for (int k = 0; k < 3; ++k)
        at[k] = (from[k] - origin[k]) + time * (to[k] - from[k]);
}

static double scale_of(const tact_body_cast* c)
{
    return c->from.scale > 0.0f ? (double)c->from.scale : 1.0;
}

/// How far a part of a cast's shape is from a part at a time, its margin taken off; `outer` becomes both sizes.
static double gap_at(const scene* s, const tact_body_cast* c, uint32_t body, uint32_t part, uint32_t cast_part,
                     double time, double* outer)
{
    const tact_body* b = &s->bodies[body];
    const double origin[3] = {b->pose.x, b->pose.y, b->pose.z}, zero[3] = {0, 0, 0};
    double q[4], p[4], at[3];
    unit(&b->pose.rotation, q);
    pose_of(c, time, origin, p, at);
    const solid* shape = &s->models[c->shape].part[cast_part];
    const solid moved = placed(shape, p, scale_of(c), at);
    const solid own = placed(&s->models[b->shape].part[part], q, (double)b->pose.scale, zero);
    *outer = extent_of(shape) * scale_of(c) + 2.0 * extent_of(&own) + (double)c->margin;
    return between(&own, &moved) - (double)c->margin;
}

typedef struct tally {
    size_t hits, misses, slow;
    double latest, earliest;  // in parts of the sizes
} tally;

/// Whether a hit of a part is where the part begins to be touched. 1.0 and nothing: the part is never touched.
static void check_part(const scene* s, const tact_body_cast* c, uint32_t body, uint32_t part, uint32_t cast_part,
                       double fraction, bool hit, int samples, tally* t)
{
    double outer;
    for (int i = 0; i <= samples; ++i) {
        const double time = fraction * i / samples;
        const double gap = gap_at(s, c, body, part, cast_part, time, &outer);
        // What a float of a fraction is off by is less than what is asked for.
        if (gap < -2e-6 * outer && fraction > 0.0)
            fail_msg("body %u part %u, part %u of shape %u: %g deep at %.9g of %.9g", body, part, cast_part, c->shape,
                     -gap, time, fraction);
        t->latest = fmax(t->latest, fraction == 0.0 ? 0.0 : -gap / outer);
    }
    if (!hit) {
        ++t->misses;
        return;
    }
    ++t->hits;
    const double gap = gap_at(s, c, body, part, cast_part, fraction, &outer);
    t->earliest = fmax(t->earliest, gap / outer);
    if (gap > 1.1e-5 * outer) {
        print_message("cast of shape %u on body %u part %u: earlier by %g of the sizes\n", c->shape, body, part,
                      gap / outer);
        ++t->slow;
    }
}

static void check_cast(const scene* s, const tact_body_cast* c, const tact_body_cast_hit* hit, int samples, tally* t)
{
    const bool there = hit->body != 0xffffffffu;
    for (uint32_t b = 0; b < s->count; ++b) {
        for (uint32_t p = 0; p < s->models[s->bodies[b].shape].count; ++p) {
            for (uint32_t q = 0; q < s->models[c->shape].count; ++q) {
                const bool own = there && hit->body == b && hit->part == p && hit->cast_part == q;
                check_part(s, c, b, p, q, hit->fraction, own, samples, t);
            }
        }
    }
    if (!there) {
        assert_true(hit->fraction == 1.0 && hit->normal.x == 0.0f);
        return;
    }
    const double x = (double)hit->normal.x, y = (double)hit->normal.y, z = (double)hit->normal.z;
    assert_float_equal((float)sqrt(x * x + y * y + z * z), 1.0f, 1e-5f);
}
