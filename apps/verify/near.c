// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/points.h"
#include "apps/inputs/scenes.h"
#include "apps/verify/verify.h"
#include "tact/sphere_cast.h"

enum { SETS = 2 };

/// One scene and set of queries of either kind.
typedef struct near_case {
    tact_verify_row row;
    tact_scene* scene;
    const void* queries;
    size_t query_bytes, hit_bytes;
    char *expected, *got;
} near_case;

static tact_result ask(const near_case* c, const tact_query_options* options, void* hits)
{
    if (c->query_bytes == sizeof(tact_closest_query)) {
        return tact_closest_points(c->scene, c->queries, c->row.count, hits, options, NULL);
    }
    return tact_cast_spheres(c->scene, c->queries, c->row.count, hits, options, NULL);
}

/// The words of a query or a hit.
static void describe(char* text, size_t size, const void* item, size_t bytes)
{
    text[0] = '\0';
    for (size_t i = 0; i < bytes / 4; ++i) {
        uint32_t word;
        memcpy(&word, (const char*)item + 4 * i, 4);
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%08x", i ? " " : "", word);
    }
}

static void check_one(tact_verify_run* run, const near_case* c, tact_contestant* who)
{
    if (who->missing[0]) {
        tact_verify_skip(run, &c->row, who, who->missing);
        return;
    }
    const size_t size = c->hit_bytes;
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    memset(c->got, 0xa5, c->row.count * size);
    const tact_result result = ask(c, &options, c->got);
    if (result < 0) {
        const char* detail = tact_context_error(run->session.context);
        tact_verify_fail(run, &c->row, who, *detail ? detail : tact_result_string(result));
        return;
    }
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < c->row.count; ++i) {
        if (memcmp(c->expected + i * size, c->got + i * size, size) != 0 && differing++ == 0) first = i;
    }
    tact_verify_answer(run, &c->row, who, tact_digest_of(c->got, c->row.count * size).text, differing);
    if (differing == 0) return;
    char query[160], expected[160], got[160];
    describe(query, sizeof query, (const char*)c->queries + first * c->query_bytes, c->query_bytes);
    describe(expected, sizeof expected, c->expected + first * size, size);
    describe(got, sizeof got, c->got + first * size, size);
    tact_verify_difference(run, &c->row, who, first, differing, query, expected, got);
}

static bool check_case(tact_verify_run* run, const near_case* c, tact_problem* problem)
{
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    const tact_result result = ask(c, &options, c->expected);
    if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the reference");
    for (int i = 0; i < TACT_CONTESTANTS; ++i) {
        if (tact_verify_wants(run, &run->contestants[i])) check_one(run, c, &run->contestants[i]);
    }
    ++run->progress.part;
    return true;
}

/// Queries for a scene, and the answers; all from malloc.
typedef struct near_room {
    tact_closest_query* points;
    tact_ray* rays;
    tact_sphere_cast* casts;
    char *expected, *got;
} near_room;

static void free_room(near_room* room)
{
    free(room->points);
    free(room->rays);
    free(room->casts);
    free(room->expected);
    free(room->got);
}

static bool verify_model(tact_verify_run* run, const char* name, const tact_model* model, uint64_t rays,
                         tact_problem* problem)
{
    // Brute force costs more here than for rays.
    const size_t count = 1 + (size_t)rays / 4;
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_model_build(model, run->session.context, &scene, &stats, problem)) return false;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    near_room room = {malloc(count * sizeof *room.points), malloc(count * sizeof *room.rays),
                      malloc(count * sizeof *room.casts), malloc(count * sizeof(tact_sphere_hit)),
                      malloc(count * sizeof(tact_sphere_hit))};
    bool good = room.points && room.rays && room.casts && room.expected && room.got;
    if (!good) tact_problem_out_of_memory(problem, "queries and answers");
    static const char* const sets[SETS] = {"random", "hard"};
    for (int set = 0; good && set < SETS; ++set) {
        if (set == 0) {
            tact_points_random(&bounds, run->common.seed, count, INFINITY, room.points);
            tact_rays_random(&bounds, run->common.seed, count, room.rays);
        } else {
            tact_points_hard(model, &bounds, run->common.seed, count, room.points);
            tact_rays_hard(model, &bounds, run->common.seed, count, room.rays);
        }
        const float size = (float)(bounds.upper[0] - bounds.lower[0]);
        for (size_t i = 0; i < count; ++i)
            room.casts[i] = (tact_sphere_cast){room.rays[i], size * 0.02f * (float)(i % 5)};
        const near_case closest = {{"near", name, sets[set], "closest", count},
                                   scene,
                                   room.points,
                                   sizeof *room.points,
                                   sizeof(tact_closest_hit),
                                   room.expected,
                                   room.got};
        const near_case spheres = {{"near", name, sets[set], "spheres", count},
                                   scene,
                                   room.casts,
                                   sizeof *room.casts,
                                   sizeof(tact_sphere_hit),
                                   room.expected,
                                   room.got};
        good = check_case(run, &closest, problem) && check_case(run, &spheres, problem);
    }
    free_room(&room);
    tact_scene_destroy(scene);
    return good;
}

uint64_t tact_verify_near_parts(const tact_verify_run* run)
{
    return tact_verify_scene_count(run) * SETS * 2;
}

bool tact_verify_near(tact_verify_run* run, tact_problem* problem)
{
    return tact_verify_scenes(run, verify_model, problem);
}
