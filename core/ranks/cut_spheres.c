// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Spheres that move through a scene of which each rank has some instances. A box's key is where the centre enters it,
// grown by the radius: the grown interval of a box contains those of all boxes within, as computed (docs/results.md).
// A sphere goes out with its whole way, not cut off at its best touch: the centre's own way through a triangle may
// decide over a touch at tmin, however much later it gets there.

#include <string.h>

#include "core/ranks/cut.h"
#include "cpu_ref/trace/closest_found.h"
#include "kernels/sphere_cast.h"

enum {
    CAST_WORDS = sizeof(tact_sphere_cast) / sizeof(uint32_t),
    HIT_WORDS = sizeof(tact_sphere_hit) / sizeof(uint32_t)
};

typedef struct cut_spheres {
    tact_cut cut;  // first, since that is what the functions of a kind are given
    const tact_sphere_cast* casts;
    tact_sphere_hit* hits;
} cut_spheres;

static bool start(tact_cut* cut)
{
    const cut_spheres* c = (const cut_spheres*)cut;
    for (size_t i = 0; i < cut->count; ++i)
        tact_sphere_write_none(&c->casts[i], &c->hits[i]);
    return true;
}

static float enter_of(const void* item, const tact_cut_box* b)
{
    const TactSphereCast* cast = item;
    const TactInterval in =
        tact_sphere_interval(*cast, b->lower[0], b->lower[1], b->lower[2], b->upper[0], b->upper[1], b->upper[2]);
    return in.enter <= in.leave && in.leave >= cast->tmin ? in.enter : INFINITY;
}

static bool go_on(const tact_cut* cut, size_t i, tact_cut_way* way)
{
    const cut_spheres* c = (const cut_spheres*)cut;
    const tact_ray* r = &c->casts[i].ray;
    const TactSphereCast cast =
        tact_sphere_cast_of(r->ox, r->oy, r->oz, r->tmin, r->dx, r->dy, r->dz, r->tmax, c->casts[i].radius);
    // Where nothing is found t is the end of the way.
    return cast.valid && tact_cut_go_on(cut, way, &cast, c->hits[i].t, enter_of);
}

static void send(const tact_cut* cut, size_t i, uint32_t* to)
{
    memcpy(to, &((const cut_spheres*)cut)->casts[i], sizeof(tact_sphere_cast));
}

static tact_result ask(tact_cut* cut, uint32_t* in, size_t count, void* hits, tact_query_report* report)
{
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    const tact_result result =
        tact_spherecast(cut->part->scene, (const tact_sphere_cast*)(const void*)in, count, hits, &cut->options, &own);
    if (result == TACT_OK) tact_cut_report(cut, report, &own);
    return result;
}

static bool answer(const tact_cut* cut, const uint32_t* in, const void* hits, size_t k, uint32_t* to)
{
    (void)in;
    tact_sphere_hit hit = ((const tact_sphere_hit*)hits)[k];
    if (hit.instance == TACT_NONE) return false;
    hit.instance = tact_cut_id_in_whole(cut, hit.instance);
    memcpy(to, &hit, sizeof hit);
    return true;
}

static void take(tact_cut* cut, size_t item, const uint32_t* from)
{
    tact_sphere_hit *best = &((const cut_spheres*)cut)->hits[item], hit;
    memcpy(&hit, from, sizeof hit);
    // Of equals the smallest instance, each of which is on one rank alone; TACT_NONE is greater than all.
    if (hit.t < best->t || (hit.t == best->t && hit.instance < best->instance)) *best = hit;
}

static tact_result alone(tact_cut* cut, const tact_query_options* options, tact_query_report* report)
{
    const cut_spheres* c = (const cut_spheres*)cut;
    const tact_result result = tact_spherecast(cut->part->scene, c->casts, cut->count, c->hits, options, report);
    if (result == TACT_OK) tact_cut_name_hits(cut, c->hits);
    return result;
}

static const tact_cut_kind spheres = {.items = "spheres",
                                      .hit_bytes = sizeof(tact_sphere_hit),
                                      .start = start,
                                      .go_on = go_on,
                                      .send = send,
                                      .ask = ask,
                                      .answer = answer,
                                      .take = take,
                                      .alone = alone};

tact_result tact_ranks_spherecast_cut(tact_ranks* ranks, const tact_ranks_part* part, const tact_sphere_cast* casts,
                                      size_t count, tact_sphere_hit* hits, const tact_query_options* options,
                                      tact_query_report* report)
{
    if (!tact_cut_enter(ranks, part, options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result checked = tact_cut_check(ranks, part, options);
    if (checked == TACT_OK && count > 0 && (!casts || !hits))
        checked = tact_null(&part->scene->context->env, casts ? "hits" : "casts");
    cut_spheres c = {.cut = {.kind = &spheres,
                             .ranks = ranks,
                             .part = part,
                             .count = count,
                             .item_words = CAST_WORDS,
                             .answer_words = HIT_WORDS},
                     .casts = casts,
                     .hits = hits};
    return tact_cut_ask(&c.cut, checked, NULL, 0, options, report);
}
