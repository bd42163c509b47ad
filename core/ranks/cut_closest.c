// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Closest points on a scene of which each rank has some instances. A box's key is the square of its gap, which no
// triangle or shape within is nearer than, as computed (docs/results.md). Squared distances decide between hits. A hit
// has but the root, which several squares share; so the square comes back with it.

#include <string.h>

#include "core/ranks/cut.h"
#include "cpu_ref/trace/closest_found.h"

enum {
    POINT_WORDS = sizeof(tact_closest_query) / sizeof(uint32_t),
    HIT_WORDS = sizeof(tact_closest_hit) / sizeof(uint32_t)
};

typedef struct cut_closest {
    tact_cut cut;  // first, since that is what the functions of a kind are given
    const tact_closest_query* queries;
    tact_closest_hit* hits;
    float* squares;  ///< of the hits' distances; before there is a hit the square of the greatest one
} cut_closest;

static bool start(tact_cut* cut)
{
    cut_closest* c = (cut_closest*)cut;
    c->squares = tact_allocate(cut->env, cut->count, sizeof *c->squares);
    for (size_t i = 0; i < cut->count && c->squares; ++i) {
        const tact_closest_query* q = &c->queries[i];
        tact_closest_write_none(q, &c->hits[i]);
        c->squares[i] = tact_closest_limit2(q->x, q->y, q->z, q->max_distance);
    }
    return c->squares != NULL;
}

static void end(tact_cut* cut, bool ok)
{
    (void)ok;
    tact_release(cut->env, ((cut_closest*)cut)->squares);
}

static float gap_of(const void* item, const tact_cut_box* b)
{
    const tact_closest_query* q = item;
    return tact_box_gap2(q->x, q->y, q->z, b->lower[0], b->lower[1], b->lower[2], b->upper[0], b->upper[1],
                         b->upper[2]);
}

static bool go_on(const tact_cut* cut, size_t i, tact_cut_way* way)
{
    const cut_closest* c = (const cut_closest*)cut;
    // A point that finds nothing has a limit below zero, and so below all gaps.
    return tact_cut_go_on(cut, way, &c->queries[i], c->squares[i], gap_of);
}

/// A distance whose square, as rounded, is at least a given one. It may let farther hits through, which are not taken.
static float distance_for(float square)
{
    float distance = tact_sqrt(square);
    while (distance * distance < square)
        distance = nextafterf(distance, INFINITY);
    return distance;
}

/// A point goes out with the distance within which something may still be found.
static void send(const tact_cut* cut, size_t i, uint32_t* to)
{
    const cut_closest* c = (const cut_closest*)cut;
    tact_closest_query q = c->queries[i];
    q.max_distance = distance_for(c->squares[i]);
    memcpy(to, &q, sizeof q);
}

static tact_result ask(tact_cut* cut, uint32_t* in, size_t count, void* hits, tact_query_report* report)
{
    tact_scene* scene = cut->part->scene;
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    tact_result result =
        tact_closest_points(scene, (const tact_closest_query*)(const void*)in, count, hits, &cut->options, &own);
    // Squares are worked out of vertices.
    if (result == TACT_OK) result = tact_scene_need_vertices(scene);
    if (result == TACT_OK) tact_cut_report(cut, report, &own);
    return result;
}

/// An answer is a hit and its square.
static bool answer(const tact_cut* cut, const uint32_t* in, const void* hits, size_t k, uint32_t* to)
{
    tact_closest_hit hit = ((const tact_closest_hit*)hits)[k];
    if (hit.instance == TACT_NONE) return false;
    tact_closest_query q;
    memcpy(&q, in + k * POINT_WORDS, sizeof q);
    const float square = tact_closest_square(&cut->part->scene->trace, &q, hit.instance, hit.primitive);
    hit.instance = tact_cut_id_in_whole(cut, hit.instance);
    memcpy(to, &hit, sizeof hit);
    memcpy(to + HIT_WORDS, &square, sizeof square);
    return true;
}

static void take(tact_cut* cut, size_t item, const uint32_t* from)
{
    const cut_closest* c = (const cut_closest*)cut;
    tact_closest_hit *best = &c->hits[item], hit;
    float square;
    memcpy(&hit, from, sizeof hit);
    memcpy(&square, from + HIT_WORDS, sizeof square);
    // Of equals the smallest instance, each of which is on one rank alone; TACT_NONE is greater than all.
    const bool first = hit.instance < best->instance;
    if (!(square < c->squares[item] || (square == c->squares[item] && first))) return;
    *best = hit;
    c->squares[item] = square;
}

static tact_result alone(tact_cut* cut, const tact_query_options* options, tact_query_report* report)
{
    const cut_closest* c = (const cut_closest*)cut;
    const tact_result result = tact_closest_points(cut->part->scene, c->queries, cut->count, c->hits, options, report);
    if (result == TACT_OK) tact_cut_name_hits(cut, c->hits);
    return result;
}

static const tact_cut_kind points = {.items = "points",
                                     .hit_bytes = sizeof(tact_closest_hit),
                                     .start = start,
                                     .end = end,
                                     .go_on = go_on,
                                     .send = send,
                                     .ask = ask,
                                     .answer = answer,
                                     .take = take,
                                     .alone = alone};

tact_result tact_ranks_closest_points_cut(tact_ranks* ranks, const tact_ranks_part* part,
                                          const tact_closest_query* queries, size_t count, tact_closest_hit* hits,
                                          const tact_query_options* options, tact_query_report* report)
{
    if (!tact_cut_enter(ranks, part, options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result checked = tact_cut_check(ranks, part, options);
    if (checked == TACT_OK && count > 0 && (!queries || !hits))
        checked = tact_null(&part->scene->context->env, queries ? "hits" : "queries");
    cut_closest c = {.cut = {.kind = &points,
                             .ranks = ranks,
                             .part = part,
                             .count = count,
                             .item_words = POINT_WORDS,
                             .answer_words = HIT_WORDS + 1},
                     .queries = queries,
                     .hits = hits};
    return tact_cut_ask(&c.cut, checked, NULL, 0, options, report);
}
