// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays through a scene of which each rank has some instances. A box's key is where a ray enters it: the interval of a
// box contains those of all boxes within, as computed (docs/results.md). A ray takes along how far its best hit is.

#include <string.h>

#include "core/ranks/cut.h"
#include "cpu_ref/trace/walk.h"

enum { RAY_WORDS = sizeof(tact_ray) / sizeof(uint32_t), HIT_WORDS = sizeof(tact_hit) / sizeof(uint32_t) };

typedef struct cut_cast {
    tact_cut cut;  // first, since that is what the functions of a kind are given
    const tact_raycast_work* work;
    const uint32_t* masks;  ///< of the rays; NULL: none of their own
    tact_hit* hits;         ///< of this rank's rays
} cut_cast;

static bool start(tact_cut* cut)
{
    cut_cast* c = (cut_cast*)cut;
    c->hits = c->work->occluded ? tact_allocate(cut->env, cut->count, sizeof *c->hits) : c->work->hits;
    for (size_t i = 0; i < cut->count && c->hits; ++i) {
        c->hits[i] = (tact_hit){0};
        if (c->work->mode != TACT_RAY_COUNT) tact_trace_miss(&c->work->rays[i], &c->hits[i]);
    }
    return c->hits || cut->count == 0;
}

static void end(tact_cut* cut, bool ok)
{
    cut_cast* c = (cut_cast*)cut;
    if (!c->work->occluded) return;
    for (size_t i = 0; i < cut->count && ok; ++i)
        c->work->occluded[i] = c->hits[i].instance != TACT_NONE;
    tact_release(cut->env, c->hits);
}

/// How far a ray may still find something.
static float limit_of(const cut_cast* c, size_t ray)
{
    const bool nearer = c->work->mode == TACT_RAY_CLOSEST && c->hits[ray].instance != TACT_NONE;
    return nearer ? c->hits[ray].t : c->work->rays[ray].tmax;
}

typedef struct framed_ray {
    TactRayFrame frame;
    float tmin;
} framed_ray;

static float enter_of(const void* item, const tact_cut_box* b)
{
    const framed_ray* ray = item;
    const TactBox box = {b->lower[0], b->lower[1], b->lower[2], b->upper[0], b->upper[1], b->upper[2]};
    const TactInterval in = tact_box_interval(ray->frame, box, TACT_INSTANCE_SLACK);
    return in.enter <= in.leave && in.leave >= ray->tmin ? in.enter : INFINITY;
}

static bool go_on(const tact_cut* cut, size_t i, tact_cut_way* way)
{
    const cut_cast* c = (const cut_cast*)cut;
    const tact_ray* ray = &c->work->rays[i];
    if (c->work->mode == TACT_RAY_ANY && c->hits[i].instance != TACT_NONE) return false;
    const framed_ray framed = {tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz), ray->tmin};
    if (!framed.frame.valid || !tact_trace_interval_valid(ray)) return false;
    return tact_cut_go_on(cut, way, &framed, limit_of(c, i), enter_of);
}

/// A ray goes out cut off at its best hit.
static void send(const tact_cut* cut, size_t i, uint32_t* to)
{
    const cut_cast* c = (const cut_cast*)cut;
    tact_ray ray = c->work->rays[i];
    ray.tmax = limit_of(c, i);
    memcpy(to, &ray, sizeof ray);
    if (c->masks) to[RAY_WORDS] = c->masks[i];
}

/// Parts rays from their masks, in place. `masks` has room for `count`.
static void part_masks(uint32_t* in, size_t count, uint32_t* masks)
{
    for (size_t k = 0; k < count; ++k) {
        masks[k] = in[k * (RAY_WORDS + 1) + RAY_WORDS];
        memmove(in + k * RAY_WORDS, in + k * (RAY_WORDS + 1), sizeof(tact_ray));
    }
}

static tact_result ask(tact_cut* cut, uint32_t* in, size_t count, void* hits, tact_query_report* report)
{
    cut_cast* c = (cut_cast*)cut;
    tact_raycast_work work = *c->work;
    tact_ray_rules rules;
    uint32_t* masks = NULL;
    work.rays = (const tact_ray*)(const void*)in;
    work.count = count;
    work.hits = hits;
    work.occluded = NULL;
    if (work.rules) {
        rules = *work.rules;
        work.rules = &rules;
    }
    if (c->masks) {
        masks = tact_allocate(cut->env, count, sizeof *masks);
        if (!masks) return TACT_ERROR_OUT_OF_MEMORY;
        part_masks(in, count, masks);
        rules.masks = masks;
    }
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    const tact_result result = tact_raycast_with(cut->part->scene, &work, &cut->options, &own);
    tact_release(cut->env, masks);
    if (result == TACT_OK) tact_cut_report(cut, report, &own);
    return result;
}

/// An answer is what the mode gives: the hit, how many hits, or that there is one.
static bool answer(const tact_cut* cut, const uint32_t* in, const void* hits, size_t k, uint32_t* to)
{
    (void)in;
    const tact_ray_mode mode = ((const cut_cast*)cut)->work->mode;
    tact_hit hit = ((const tact_hit*)hits)[k];
    if (mode == TACT_RAY_COUNT) {
        to[0] = hit.primitive;
        return hit.primitive > 0;
    }
    if (hit.instance == TACT_NONE) return false;
    if (mode == TACT_RAY_CLOSEST) {
        hit.instance = tact_cut_id_in_whole(cut, hit.instance);
        memcpy(to, &hit, sizeof hit);
    }
    return true;
}

static void take(tact_cut* cut, size_t item, const uint32_t* from)
{
    const cut_cast* c = (const cut_cast*)cut;
    tact_hit *best = &c->hits[item], hit = {0};
    if (c->work->mode == TACT_RAY_COUNT) {
        best->primitive += from[0];
    } else if (c->work->mode == TACT_RAY_ANY) {
        *best = hit;
    } else {
        memcpy(&hit, from, sizeof hit);
        // A miss has no instance that comes before another, but its t is the ray's end, where a hit may be.
        if (best->instance == TACT_NONE || tact_trace_closer(hit.t, hit.instance, hit.primitive, best)) *best = hit;
    }
}

static tact_result alone(tact_cut* cut, const tact_query_options* options, tact_query_report* report)
{
    const tact_raycast_work* work = ((const cut_cast*)cut)->work;
    const tact_result result = tact_raycast_with(cut->part->scene, work, options, report);
    if (result == TACT_OK && work->mode == TACT_RAY_CLOSEST) tact_cut_name_hits(cut, work->hits);
    return result;
}

static const tact_cut_kind rays = {.items = "rays",
                                   .hit_bytes = sizeof(tact_hit),
                                   .start = start,
                                   .end = end,
                                   .go_on = go_on,
                                   .send = send,
                                   .ask = ask,
                                   .answer = answer,
                                   .take = take,
                                   .alone = alone};

tact_result tact_ranks_raycast_cut(tact_ranks* ranks, const tact_ranks_part* part, const tact_raycast_work* work,
                                   const tact_query_options* options, tact_query_report* report)
{
    if (!tact_cut_enter(ranks, part, options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result checked = tact_cut_check(ranks, part, options);
    if (checked == TACT_OK) checked = tact_ranks_check_cast(part->scene, work, ranks);
    if (checked == TACT_OK && work->count > 0 && (!work->rays || (!work->hits && !work->occluded)))
        checked = tact_null(&part->scene->context->env, work->rays ? "hits" : "rays");
    cut_cast c = {.cut = {.kind = &rays, .ranks = ranks, .part = part}};
    uint64_t facts[TACT_RANKS_CAST_FACTS] = {0};
    if (checked == TACT_OK) {
        c.work = work;
        c.masks = work->rules ? work->rules->masks : NULL;
        c.cut.count = work->count;
        c.cut.item_words = RAY_WORDS + (c.masks != NULL);
        c.cut.answer_words = work->mode == TACT_RAY_CLOSEST ? HIT_WORDS : work->mode == TACT_RAY_COUNT ? 1 : 0;
        tact_ranks_cast_facts(work, facts);
    }
    return tact_cut_ask(&c.cut, checked, facts, TACT_RANKS_CAST_FACTS, options, report);
}
