// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Closest points and moving spheres over ranks, in scenes that are cut: the same bytes as one process gives, however
// items and instances are dealt out.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"
#include "tests/ranks/ranks_world.h"

enum { ITEMS = 800, EXACT = 3, SEED = 12 };

/// What is asked of a scene, and what one process answers.
typedef struct questions {
    tact_closest_query points[ITEMS];
    tact_closest_hit hits[ITEMS];
    tact_sphere_cast casts[ITEMS];
    tact_sphere_hit touched[ITEMS];
} questions;

/// Points that are none, and such as are so far off that all is equally near.
static void make_odd_points(tact_closest_query* points)
{
    const tact_closest_query odd[] = {{NAN, 0, 0, INFINITY},
                                      {0, INFINITY, 0, INFINITY},
                                      {0, 0, -INFINITY, 1},
                                      {1e30f, 0, 0, INFINITY},
                                      {0, 0, 0, NAN},
                                      {0, 0, 0, -1},
                                      {0, 0, 0, -0.0f},
                                      {0, 0, 0, 0},
                                      {0x1p60f, -0x1p60f, 0x1p60f, INFINITY},
                                      {0x1p60f, 0, 0, 0x1p61f},
                                      {0x1p60f, 0, 0, 0x1p59f},
                                      {0, 0x1p40f, 0, 0x1p63f},
                                      {0, 0, -0x1p30f, 0x1p30f},
                                      {3e7f, 1, 2, INFINITY},
                                      {-3e7f, 1, 2, 3e7f}};
    memcpy(points, odd, sizeof odd);
}

static void make_odd_casts(tact_sphere_cast* casts)
{
    const tact_ray ray = {.ox = 0.25f, .oz = 50, .dz = -1, .tmax = INFINITY};
    const float radii[] = {NAN, -1, -0.0f, INFINITY, 0x1p60f, 0x1p61f, 1e-30f, 3};
    enum { RADII = sizeof radii / sizeof *radii };
    for (size_t i = 0; i < RADII; ++i)
        casts[i] = (tact_sphere_cast){ray, radii[i]};
    for (size_t i = 0; i < 7; ++i)
        casts[RADII + i] = (tact_sphere_cast){ray, 0.25f};
    casts[RADII].ray.ox = NAN;
    casts[RADII + 1].ray.dz = 0;
    casts[RADII + 2].ray.tmax = -1;
    casts[RADII + 3].ray.tmax = NAN;
    casts[RADII + 4].ray.tmin = NAN;
    casts[RADII + 5].ray.oz = 0x1p60f;
    casts[RADII + 6].ray.tmin = 49.5f;
}

static void make_questions(const ranks_run* run, const ranks_world* w, uint64_t seed, questions* q)
{
    tact_ray* rays = ranks_room(run, ITEMS, sizeof *rays);
    tact_points_hard(&w->model, &w->bounds, seed, ITEMS / 2, q->points);
    tact_points_random(&w->bounds, seed, ITEMS / 2, INFINITY, q->points + ITEMS / 2);
    tact_rays_hard(&w->model, &w->bounds, seed, ITEMS / 2, rays);
    tact_rays_random(&w->bounds, seed, ITEMS / 4, rays + ITEMS / 2);
    tact_rays_segments(&w->bounds, seed, ITEMS / 4, rays + ITEMS / 2 + ITEMS / 4);
    for (size_t i = 0; i < ITEMS; ++i)
        q->casts[i] = (tact_sphere_cast){rays[i], 0.03125f * (float)(i % 9)};
    free(rays);
    make_odd_points(q->points);
    make_odd_casts(q->casts);
    REQUIRE_RESULT(run, tact_closest_points(w->scene, q->points, ITEMS, q->hits, NULL, NULL), TACT_OK);
    // How far may be as far as the answer is, exactly, or the next number on either side.
    for (size_t i = ITEMS / 2; i < ITEMS; ++i) {
        const float far = q->hits[i].distance;
        q->points[i].max_distance = i % EXACT == 0 ? far : nextafterf(far, i % EXACT == 1 ? 0 : INFINITY);
    }
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    REQUIRE_RESULT(run, tact_closest_points(w->scene, q->points, ITEMS, q->hits, &reference, NULL), TACT_OK);
    if (w->shapes != SHAPES_SOME)
        REQUIRE_RESULT(run, tact_spherecast(w->scene, q->casts, ITEMS, q->touched, &reference, NULL), TACT_OK);
}

/// Both have hits and misses, and many hits of an instance that another one lies on.
static void check_questions(const ranks_run* run, const ranks_world* w, const questions* q)
{
    size_t near = 0, touched = 0;
    for (size_t i = 0; i < ITEMS; ++i) {
        near += q->hits[i].instance != TACT_NONE;
        touched += q->touched[i].instance != TACT_NONE;
    }
    REQUIRE(run, near > ITEMS / 2 && near < ITEMS - 8);
    REQUIRE(run, w->shapes == SHAPES_SOME || (touched > ITEMS / 10 && touched < ITEMS - 8));
}

static void test_closest(ranks_run* run, const ranks_world* w, const questions* q)
{
    uint32_t* ids = ranks_room(run, w->model.instance_count, sizeof *ids);
    tact_closest_hit* hits = ranks_room(run, ITEMS, sizeof *hits);
    for (int deal = 0; deal <= DEAL_COUNT; ++deal) {
        const tact_ranks_part part = ranks_world_part(run, w, deal, ids);
        for (int items = 0; items < DEAL_COUNT; ++items) {
            size_t begin = 0, own = 0;
            tact_query_report report = {.backend = TACT_BACKEND_AUTO};
            ranks_part(run, (ranks_deal)items, ITEMS, &begin, &own);
            REQUIRE_RESULT(
                run, tact_ranks_closest_points_cut(run->ranks, &part, q->points + begin, own, hits, NULL, &report),
                TACT_OK);
            REQUIRE(run, report.backend == TACT_BACKEND_CPU);
            REQUIRE(run, memcmp(hits, q->hits + begin, own * sizeof *hits) == 0);
        }
        tact_scene_destroy(part.scene);
    }
    free(hits);
    free(ids);
}

static void test_spheres(ranks_run* run, const ranks_world* w, const questions* q)
{
    uint32_t* ids = ranks_room(run, w->model.instance_count, sizeof *ids);
    tact_sphere_hit* hits = ranks_room(run, ITEMS, sizeof *hits);
    // Shapes that are stretched are refused, also where no sphere comes.
    const tact_result expected = w->shapes == SHAPES_SOME ? TACT_ERROR_UNSUPPORTED : TACT_OK;
    for (int deal = 0; deal <= DEAL_COUNT; ++deal) {
        const tact_ranks_part part = ranks_world_part(run, w, deal, ids);
        for (int items = 0; items < DEAL_COUNT; ++items) {
            size_t begin = 0, own = 0;
            tact_query_report report = {.backend = TACT_BACKEND_AUTO};
            ranks_part(run, (ranks_deal)items, ITEMS, &begin, &own);
            REQUIRE_RESULT(run,
                           tact_ranks_spherecast_cut(run->ranks, &part, q->casts + begin, own, hits, NULL, &report),
                           expected);
            if (expected != TACT_OK) continue;
            REQUIRE(run, report.backend == TACT_BACKEND_CPU);
            REQUIRE(run, memcmp(hits, q->touched + begin, own * sizeof *hits) == 0);
        }
        REQUIRE_RESULT(run, tact_ranks_spherecast_cut(run->ranks, &part, NULL, 0, NULL, NULL, NULL), expected);
        tact_scene_destroy(part.scene);
    }
    free(hits);
    free(ids);
}

/// Adds a triangle whose tip is at x; the rest lies to the left of that, where `to` is -1, or to the right.
static void add_triangle(const ranks_run* run, tact_scene* scene, float x, float to)
{
    const float corners[9] = {0, 0, 0, to, 1, 0, to, 0, 1}, moved[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_mesh_desc desc = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    uint32_t mesh = 0, instance = 0;
    REQUIRE_RESULT(run, tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_instance(scene, mesh, moved, &instance), TACT_OK);
}

/// A scene of the triangles with tips at -1, 1 or both.
static tact_scene* make_tips(const ranks_run* run, bool left, bool right)
{
    tact_scene* scene = NULL;
    REQUIRE_RESULT(run, tact_scene_create(run->context, &scene), TACT_OK);
    if (left) add_triangle(run, scene, -1, -1);
    if (right) add_triangle(run, scene, 1, 1);
    REQUIRE_RESULT(run, tact_scene_commit(scene), TACT_OK);
    return scene;
}

/// Two triangles on the first and on the last rank, whose squared distances from some points differ and have the same
/// root: the nearer one is the answer, though its id is the greater one.
static void test_roots(ranks_run* run)
{
    tact_closest_query* points = ranks_room(run, ITEMS, sizeof *points);
    tact_closest_hit* hits = ranks_room(run, 4 * ITEMS, sizeof *hits);
    tact_closest_hit *left = hits + ITEMS, *right = hits + 2 * ITEMS, *both = hits + 3 * ITEMS;
    tact_random random = {SEED};
    for (size_t i = 0; i < ITEMS; ++i) {
        // A little to the right of the middle between the triangles' tips, which are the closest points.
        const float x = 0x1p-24f * (float)tact_random_below(&random, 16);
        const float y = 0.5f * (float)tact_random_fraction(&random);
        points[i] = (tact_closest_query){x, -y, -y, INFINITY};
    }
    tact_scene *one = make_tips(run, true, false), *other = make_tips(run, false, true);
    REQUIRE_RESULT(run, tact_closest_points(one, points, ITEMS, left, NULL, NULL), TACT_OK);
    REQUIRE_RESULT(run, tact_closest_points(other, points, ITEMS, right, NULL, NULL), TACT_OK);
    tact_scene* whole = make_tips(run, true, true);
    REQUIRE_RESULT(run, tact_closest_points(whole, points, ITEMS, both, NULL, NULL), TACT_OK);
    size_t same_roots = 0;
    for (size_t i = 0; i < ITEMS; ++i)
        same_roots += left[i].distance == right[i].distance && both[i].instance == 1;
    REQUIRE(run, same_roots > 10);
    const tact_ranks_part part = {.scene = make_tips(run, run->rank == 0, run->rank == run->count - 1)};
    size_t begin = 0, own = 0;
    ranks_part(run, DEAL_EVEN, ITEMS, &begin, &own);
    REQUIRE_RESULT(run, tact_ranks_closest_points_cut(run->ranks, &part, points + begin, own, hits, NULL, NULL),
                   TACT_OK);
    REQUIRE(run, memcmp(hits, both + begin, own * sizeof *hits) == 0);
    tact_scene_destroy(one);
    tact_scene_destroy(other);
    tact_scene_destroy(whole);
    tact_scene_destroy(part.scene);
    free(points);
    free(hits);
}

/// From far away all boxes have the same gap, and all triangles the same distance: the last rank has the smallest id,
/// and must be asked though others have been.
static void test_equal_gaps(ranks_run* run)
{
    tact_scene* scene = NULL;
    REQUIRE_RESULT(run, tact_scene_create(run->context, &scene), TACT_OK);
    add_triangle(run, scene, (float)run->rank, 1);
    REQUIRE_RESULT(run, tact_scene_commit(scene), TACT_OK);
    const uint32_t id = run->count - 1 - run->rank;
    const tact_ranks_part part = {.scene = scene, .instances = &id, .count = 1};
    const tact_closest_query far[] = {{0, 0x1p40f, 0, INFINITY}, {0, 0, -0x1p59f, 0x1p59f}, {-0x1p35f, 1, 1, 0x1p35f}};
    enum { FAR = sizeof far / sizeof *far };
    tact_closest_hit hits[FAR];
    REQUIRE_RESULT(run, tact_ranks_closest_points_cut(run->ranks, &part, far, FAR, hits, NULL, NULL), TACT_OK);
    for (size_t i = 0; i < FAR; ++i)
        REQUIRE(run, hits[i].instance == 0);
    tact_scene_destroy(scene);
}

/// A sphere that has begun to touch just before tmin touches at tmin since its centre's own way leads through the
/// triangle later on. Cut off at that touch it would be none, so that the rank with the smallest id, which is asked
/// last, must get the whole way.
static void test_whole_way(ranks_run* run)
{
    const float corners[9] = {0x1.321dccp-5f, -0x1.7b68f2p-5f, 0x1.5753e2p-6f,  0x1.2cb9eep-5f, -0x1.7b6884p-5f,
                              0x1.4d408p-6f,  0x1.2dd946p-5f,  -0x1.777522p-5f, 0x1.53f08p-6f};
    const tact_mesh_desc desc = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    tact_scene* scene = NULL;
    uint32_t mesh = 0, instance = 0;
    REQUIRE_RESULT(run, tact_scene_create(run->context, &scene), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_instance(scene, mesh, NULL, &instance), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_commit(scene), TACT_OK);
    const tact_sphere_cast whole = {.ray = {.ox = 0x1.2dba7ap-5f,
                                            .oy = -0x1.7a79fep-5f,
                                            .oz = 0x1.50695cp-6f,
                                            .tmin = 0x1.000104p-14f,
                                            .dx = 0x1.22e076p-1f,
                                            .dy = 0x1.0d521cp-1f,
                                            .dz = 0x1.4409e4p-1f,
                                            .tmax = INFINITY}};
    tact_sphere_cast shorter = whole;
    shorter.ray.tmax = whole.ray.tmin;
    tact_sphere_hit hit;
    REQUIRE_RESULT(run, tact_spherecast(scene, &shorter, 1, &hit, NULL, NULL), TACT_OK);
    REQUIRE(run, hit.instance == TACT_NONE);
    const uint32_t id = run->count - 1 - run->rank;
    const tact_ranks_part part = {.scene = scene, .instances = &id, .count = 1};
    REQUIRE_RESULT(run, tact_ranks_spherecast_cut(run->ranks, &part, &whole, 1, &hit, NULL, NULL), TACT_OK);
    REQUIRE(run, hit.instance == 0 && hit.t == whole.ray.tmin);
    tact_scene_destroy(scene);
}

/// Items go only where they can still find something: in a row of instances each visits one rank.
static void test_visits(ranks_run* run)
{
    enum { COUNT = 100 };
    tact_scene* scene = NULL;
    uint32_t mesh = 0, instance = 0;
    const tact_sphere sphere = {{0, 0, 0}, 1.0f};
    const float there[12] = {1, 0, 0, 4.0f * (float)run->rank, 0, 1, 0, 0, 0, 0, 1, 0};
    REQUIRE_RESULT(run, tact_scene_create(run->context, &scene), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_spheres(scene, &sphere, 1, &mesh), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_instance(scene, mesh, there, &instance), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_commit(scene), TACT_OK);
    // By the far end of the row, and from there through all of it; on rank 0 alone.
    const size_t count = run->rank == 0 ? COUNT : 0;
    const float last = 4.0f * (float)(run->count - 1);
    tact_closest_query points[COUNT];
    tact_closest_hit hits[COUNT];
    tact_sphere_cast casts[COUNT];
    tact_sphere_hit touched[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        const float height = 0.005f * (float)i;
        points[i] = (tact_closest_query){last + 1.0f, height, 0.25f, INFINITY};
        casts[i] = (tact_sphere_cast){{.ox = 1e3f, .oy = height, .dx = -1.0f, .tmax = INFINITY}, 0.5f};
    }
    points[COUNT - 1].max_distance = -1.0f;
    casts[COUNT - 1].radius = -0.25f;
    const tact_ranks_part part = {.scene = scene};
    tact_ranks_info at[3];
    uint64_t bytes = 0;
    for (int odd = 0; odd < 2; ++odd) {
        // The last one finds nothing, and stays where it is.
        const size_t asked = count > 0 ? count - 1 + (size_t)odd : 0;
        REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &at[0]), TACT_OK);
        REQUIRE_RESULT(run, tact_ranks_closest_points_cut(run->ranks, &part, points, asked, hits, NULL, NULL), TACT_OK);
        REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &at[1]), TACT_OK);
        REQUIRE_RESULT(run, tact_ranks_spherecast_cut(run->ranks, &part, casts, asked, touched, NULL, NULL), TACT_OK);
        REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &at[2]), TACT_OK);
        for (size_t i = 0; i < asked; ++i) {
            const uint32_t expected = i == COUNT - 1 ? TACT_NONE : run->count - 1;
            REQUIRE(run, hits[i].instance == expected && touched[i].instance == expected);
        }
        // All others go to the last rank, and nowhere else.
        const bool sent = run->rank == 0 && run->count > 1;
        REQUIRE(run, !sent || (at[1].messages - at[0].messages == 1 && at[2].messages - at[1].messages == 1));
        REQUIRE(run, odd == 0 || at[2].bytes - at[0].bytes == bytes);
        bytes = at[2].bytes - at[0].bytes;
    }
    tact_scene_destroy(scene);
}

static void test_errors(ranks_run* run, const ranks_world* w, const questions* q)
{
    const bool last = run->rank == run->count - 1;
    uint32_t ids[100];
    for (uint32_t i = 0; i < 100; ++i)
        ids[i] = i;
    tact_closest_hit hits[4];
    tact_sphere_hit touched[4];
    tact_scene* raw = NULL;
    REQUIRE_RESULT(run, tact_scene_create(run->context, &raw), TACT_OK);
    const size_t count = w->model.instance_count;
    uint64_t ticket = 0;
    const tact_query_options later = {.ticket = &ticket};
    // What is wrong on the last rank.
    const struct {
        tact_ranks_part part;
        bool no_part, no_items, no_answers, later;
        tact_result expected;
    } wrong[] = {
        {.no_part = true, .expected = TACT_ERROR_INVALID_ARGUMENT},
        {.part = {.scene = NULL}, .expected = TACT_ERROR_INVALID_ARGUMENT},
        {.part = {.scene = raw, .instances = ids, .count = count}, .expected = TACT_ERROR_INVALID_ARGUMENT},
        {.part = {.scene = w->scene, .instances = ids, .count = count - 1}, .expected = TACT_ERROR_INVALID_ARGUMENT},
        {.part = {.scene = w->scene, .instances = ids, .count = count},
         .no_items = true,
         .expected = TACT_ERROR_INVALID_ARGUMENT},
        {.part = {.scene = w->scene, .instances = ids, .count = count},
         .no_answers = true,
         .expected = TACT_ERROR_INVALID_ARGUMENT},
        {.part = {.scene = w->scene, .instances = ids, .count = count},
         .later = true,
         .expected = TACT_ERROR_UNSUPPORTED}};
    tact_ranks_info before, after;
    REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &before), TACT_OK);
    const tact_ranks_part good = {.scene = w->scene, .instances = ids, .count = count};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const tact_ranks_part* part = !last ? &good : wrong[i].no_part ? NULL : &wrong[i].part;
        const bool items = !last || !wrong[i].no_items, answers = !last || !wrong[i].no_answers;
        const tact_query_options* options = last && wrong[i].later ? &later : NULL;
        REQUIRE_RESULT(run,
                       tact_ranks_closest_points_cut(run->ranks, part, items ? q->points + ITEMS / 2 : NULL, 4,
                                                     answers ? hits : NULL, options, NULL),
                       wrong[i].expected);
        REQUIRE_RESULT(run,
                       tact_ranks_spherecast_cut(run->ranks, part, items ? q->casts + ITEMS / 2 : NULL, 4,
                                                 answers ? touched : NULL, options, NULL),
                       wrong[i].expected);
    }
    // It is said before anything goes anywhere.
    REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &after), TACT_OK);
    REQUIRE(run, before.messages == after.messages);
    tact_scene_destroy(raw);
}

typedef struct hungry {
    const questions* q;
    tact_ranks_part part;
    size_t begin, own;
    tact_closest_hit* hits;
    tact_sphere_hit* touched;
} hungry;

static tact_result ask_hungry(ranks_run* run, void* user)
{
    const hungry* h = user;
    const tact_result result =
        tact_ranks_closest_points_cut(run->ranks, &h->part, h->q->points + h->begin, h->own, h->hits, NULL, NULL);
    if (result != TACT_OK) return result;
    return tact_ranks_spherecast_cut(run->ranks, &h->part, h->q->casts + h->begin, h->own, h->touched, NULL, NULL);
}

static void test_out_of_memory(ranks_run* run, const ranks_world* w, const questions* q)
{
    uint32_t* ids = ranks_room(run, w->model.instance_count, sizeof *ids);
    hungry h = {.q = q, .part = ranks_world_part(run, w, DEAL_EVEN, ids)};
    ranks_part(run, DEAL_UNEVEN, ITEMS / 20, &h.begin, &h.own);
    h.hits = ranks_room(run, h.own, sizeof *h.hits);
    h.touched = ranks_room(run, h.own, sizeof *h.touched);
    const unsigned times = ranks_starve(run, run->count - 1, ask_hungry, &h);
    REQUIRE(run, run->count == 1 || times > 16);
    // The last answers are those of a call that had all it needed.
    REQUIRE(run, memcmp(h.hits, q->hits + h.begin, h.own * sizeof *h.hits) == 0);
    REQUIRE(run, memcmp(h.touched, q->touched + h.begin, h.own * sizeof *h.touched) == 0);
    tact_scene_destroy(h.part.scene);
    free(h.hits);
    free(h.touched);
    free(ids);
}

/// Other questions have other answers, so that the comparisons can fail.
static void test_another_seed(ranks_run* run, const ranks_world* w, const questions* q)
{
    questions* other = ranks_room(run, 1, sizeof *other);
    make_questions(run, w, SEED + 1, other);
    REQUIRE(run, memcmp(q->hits, other->hits, sizeof q->hits) != 0);
    REQUIRE(run, memcmp(q->touched, other->touched, sizeof q->touched) != 0);
    free(other);
}

int main(int argc, char** argv)
{
    ranks_run run;
    ranks_begin(&run, &argc, &argv);
    questions* q = ranks_room(&run, 1, sizeof *q);
    for (int shapes = SHAPES_NONE; shapes <= SHAPES_KEPT; ++shapes) {
        ranks_world w;
        ranks_world_make(&run, &w, (ranks_shapes)shapes);
        make_questions(&run, &w, SEED, q);
        check_questions(&run, &w, q);
        test_closest(&run, &w, q);
        test_spheres(&run, &w, q);
        if (shapes == SHAPES_KEPT) {
            test_errors(&run, &w, q);
            test_out_of_memory(&run, &w, q);
            test_another_seed(&run, &w, q);
        }
        ranks_world_free(&w);
    }
    free(q);
    test_roots(&run);
    test_equal_gaps(&run);
    test_whole_way(&run);
    test_visits(&run);
    return ranks_end(&run, "closest points and spheres over ranks");
}
