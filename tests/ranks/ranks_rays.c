// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays and points over ranks: the same bytes as one process gives, with scenes that all ranks hold and with scenes that
// are cut, however rays and instances are dealt out.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"
#include "tests/ranks/ranks_world.h"

enum { RAYS = 1200, SEED = 11 };

/// A cast to be tried.
typedef struct cast {
    tact_ray_mode mode;
    bool occluded, own_masks, ruled;
} cast;

static const cast casts[] = {{.mode = TACT_RAY_CLOSEST},
                             {.mode = TACT_RAY_ANY},
                             {.mode = TACT_RAY_COUNT},
                             {.mode = TACT_RAY_ANY, .occluded = true},
                             {.mode = TACT_RAY_CLOSEST, .own_masks = true},
                             {.mode = TACT_RAY_COUNT, .own_masks = true, .ruled = true},
                             {.mode = TACT_RAY_CLOSEST, .ruled = true}};
enum { CASTS = sizeof casts / sizeof casts[0] };

/// What all ranks make alike: a scene and what is asked of it.
typedef struct world {
    ranks_world of;
    tact_ray* rays;
    uint32_t* masks;
    tact_closest_query* points;
    tact_hit* expected[CASTS];  ///< what one process answers
    size_t hits[CASTS];         ///< rays that hit something
} world;

static tact_raycast_work work_of(const world* w, const cast* c, size_t begin, size_t count, tact_ray_rules* rules,
                                 void* answers)
{
    *rules = (tact_ray_rules){.mask = c->ruled ? 5 : 0, .masks = c->own_masks ? w->masks + begin : NULL};
    if (c->ruled) rules->cull = TACT_RAY_CULL_BACK;
    tact_raycast_work work = {.mode = c->mode, .count = count, .rays = w->rays + begin};
    if (c->ruled || c->own_masks) work.rules = rules;
    if (c->occluded) {
        work.occluded = answers;
    } else {
        work.hits = answers;
    }
    return work;
}

/// What one process answers.
static void cast_alone(const ranks_run* run, world* w, size_t number)
{
    const cast* c = &casts[number];
    tact_hit* answers = ranks_room(run, RAYS, sizeof *answers);
    tact_ray_rules rules;
    const tact_raycast_work work = work_of(w, c, 0, RAYS, &rules, answers);
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    REQUIRE_RESULT(run, tact_raycast_with(w->of.scene, &work, &reference, NULL), TACT_OK);
    for (size_t i = 0; i < RAYS; ++i) {
        w->hits[number] += c->occluded                 ? ((const uint8_t*)answers)[i]
                           : c->mode == TACT_RAY_COUNT ? answers[i].primitive > 0
                                                       : answers[i].instance != TACT_NONE;
    }
    w->expected[number] = answers;
}

/// What is asked of the scene that all ranks make.
static void make_world(ranks_run* run, world* w, ranks_shapes shapes, uint64_t seed)
{
    *w = (world){.rays = NULL};
    ranks_world_make(run, &w->of, shapes);
    w->rays = ranks_room(run, RAYS, sizeof *w->rays);
    w->masks = ranks_room(run, RAYS, sizeof *w->masks);
    w->points = ranks_room(run, RAYS, sizeof *w->points);
    tact_rays_hard(&w->of.model, &w->of.bounds, seed, RAYS / 2, w->rays);
    tact_rays_random(&w->of.bounds, seed, RAYS / 4, w->rays + RAYS / 2);
    tact_rays_segments(&w->of.bounds, seed, RAYS / 4, w->rays + RAYS / 2 + RAYS / 4);
    tact_points_hard(&w->of.model, &w->of.bounds, seed, RAYS / 2, w->points);
    tact_points_random(&w->of.bounds, seed, RAYS / 2, INFINITY, w->points + RAYS / 2);
    tact_random random = {seed};
    for (size_t i = 0; i < RAYS; ++i)
        w->masks[i] = (uint32_t)tact_random_below(&random, 16);
}

static void free_world(world* w)
{
    ranks_world_free(&w->of);
    free(w->rays);
    free(w->masks);
    free(w->points);
    for (size_t i = 0; i < CASTS; ++i)
        free(w->expected[i]);
}

static void check_answers(const ranks_run* run, const world* w, size_t number, size_t begin, size_t own,
                          const void* answers)
{
    const size_t size = casts[number].occluded ? sizeof(uint8_t) : sizeof(tact_hit);
    REQUIRE(run, memcmp(answers, (const char*)w->expected[number] + begin * size, own * size) == 0);
}

static void test_whole_scene(ranks_run* run, const world* w)
{
    for (size_t i = 0; i < CASTS; ++i) {
        REQUIRE(run, w->hits[i] > RAYS / 20 && w->hits[i] < RAYS);
        for (int deal = 0; deal < DEAL_COUNT; ++deal) {
            size_t begin = 0, own = 0;
            tact_ray_rules rules;
            tact_query_report report = {.backend = TACT_BACKEND_AUTO};
            ranks_part(run, (ranks_deal)deal, RAYS, &begin, &own);
            tact_hit* answers = ranks_room(run, own, sizeof *answers);
            const tact_raycast_work work = work_of(w, &casts[i], begin, own, &rules, answers);
            REQUIRE_RESULT(run, tact_ranks_raycast(run->ranks, w->of.scene, &work, NULL, &report), TACT_OK);
            REQUIRE(run, report.backend == TACT_BACKEND_CPU);
            check_answers(run, w, i, begin, own, answers);
            free(answers);
        }
    }
}

/// Work is evened out: with all rays on one rank each sees the same number, but for one.
static void test_balance(ranks_run* run, const world* w)
{
    size_t begin = 0, own = 0;
    tact_ray_rules rules;
    tact_ranks_info before, after;
    ranks_part(run, DEAL_FIRST, RAYS, &begin, &own);
    tact_hit* answers = ranks_room(run, own, sizeof *answers);
    const tact_raycast_work work = work_of(w, &casts[0], begin, own, &rules, answers);
    REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &before), TACT_OK);
    REQUIRE_RESULT(run, tact_ranks_raycast(run->ranks, w->of.scene, &work, NULL, NULL), TACT_OK);
    REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &after), TACT_OK);
    free(answers);
    // Rank 0 hands over all but its share; each other sends back the hits of its own. Beside that goes a count.
    const uint64_t least = RAYS / run->count, sent = after.bytes - before.bytes;
    const uint64_t moved = run->rank == 0 ? (RAYS - least) * sizeof(tact_ray) : least * sizeof(tact_hit);
    REQUIRE(run, run->count == 1 || (sent <= moved + sizeof(tact_hit) + 64 && sent + 2 * sizeof(tact_ray) >= moved));
}

static void test_points(ranks_run* run, const world* w)
{
    tact_closest_hit* hits = ranks_room(run, 2 * RAYS, sizeof *hits);
    tact_point_location* places = ranks_room(run, 2 * RAYS, sizeof *places);
    REQUIRE_RESULT(run, tact_closest_points(w->of.scene, w->points, RAYS, hits, NULL, NULL), TACT_OK);
    REQUIRE_RESULT(run, tact_locate_points(w->of.scene, w->points, RAYS, places, NULL, NULL), TACT_OK);
    for (int deal = 0; deal < DEAL_COUNT; ++deal) {
        size_t begin = 0, own = 0;
        ranks_part(run, (ranks_deal)deal, RAYS, &begin, &own);
        const tact_closest_query* points = w->points + begin;
        REQUIRE_RESULT(run, tact_ranks_closest_points(run->ranks, w->of.scene, points, own, hits + RAYS, NULL, NULL),
                       TACT_OK);
        REQUIRE(run, memcmp(hits + RAYS, hits + begin, own * sizeof *hits) == 0);
        REQUIRE_RESULT(run, tact_ranks_locate_points(run->ranks, w->of.scene, points, own, places + RAYS, NULL, NULL),
                       TACT_OK);
        REQUIRE(run, memcmp(places + RAYS, places + begin, own * sizeof *places) == 0);
    }
    free(hits);
    free(places);
    tact_sphere_cast* casts_of = ranks_room(run, RAYS, sizeof *casts_of);
    tact_sphere_hit* touched = ranks_room(run, 2 * RAYS, sizeof *touched);
    for (size_t i = 0; i < RAYS; ++i)
        casts_of[i] = (tact_sphere_cast){w->rays[i], 0.03125f * (float)(i % 9)};
    REQUIRE_RESULT(run, tact_spherecast(w->of.scene, casts_of, RAYS, touched, NULL, NULL), TACT_OK);
    for (int deal = 0; deal < DEAL_COUNT; ++deal) {
        size_t begin = 0, own = 0;
        ranks_part(run, (ranks_deal)deal, RAYS, &begin, &own);
        REQUIRE_RESULT(
            run, tact_ranks_spherecast(run->ranks, w->of.scene, casts_of + begin, own, touched + RAYS, NULL, NULL),
            TACT_OK);
        REQUIRE(run, memcmp(touched + RAYS, touched + begin, own * sizeof *touched) == 0);
    }
    free(casts_of);
    free(touched);
}

static void test_cut_scene(ranks_run* run, const world* w)
{
    uint32_t* ids = ranks_room(run, w->of.model.instance_count, sizeof *ids);
    for (int deal = 0; deal <= DEAL_COUNT; ++deal) {
        tact_ranks_part part = ranks_world_part(run, &w->of, deal, ids);
        for (size_t i = 0; i < CASTS; ++i) {
            size_t begin = 0, own = 0;
            tact_ray_rules rules;
            tact_query_report report = {.backend = TACT_BACKEND_AUTO};
            ranks_part(run, (ranks_deal)((deal + (int)i) % DEAL_COUNT), RAYS, &begin, &own);
            tact_hit* answers = ranks_room(run, own, sizeof *answers);
            const tact_raycast_work work = work_of(w, &casts[i], begin, own, &rules, answers);
            REQUIRE_RESULT(run, tact_ranks_raycast_cut(run->ranks, &part, &work, NULL, &report), TACT_OK);
            REQUIRE(run, report.backend == TACT_BACKEND_CPU);
            check_answers(run, w, i, begin, own, answers);
            free(answers);
        }
        tact_scene_destroy(part.scene);
    }
    free(ids);
}

/// Rays go only where they can still find something: along a row of instances each visits one rank.
static void test_visits(ranks_run* run)
{
    tact_scene* scene = NULL;
    uint32_t mesh = 0, instance = 0;
    const tact_sphere sphere = {{0, 0, 0}, 1.0f};
    const float there[12] = {1, 0, 0, 4.0f * (float)run->rank, 0, 1, 0, 0, 0, 0, 1, 0};
    REQUIRE_RESULT(run, tact_scene_create(run->context, &scene), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_spheres(scene, &sphere, 1, &mesh), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_add_instance(scene, mesh, there, &instance), TACT_OK);
    REQUIRE_RESULT(run, tact_scene_commit(scene), TACT_OK);
    // From the far end of the row through all of it, on rank 0 alone.
    const size_t count = run->rank == 0 ? 100 : 0;
    tact_ray rays[100];
    tact_hit hits[100];
    for (size_t i = 0; i < 100; ++i) {
        const float height = 0.005f * (float)i;
        rays[i] = (tact_ray){.ox = 1e3f, .oy = height, .dx = -1.0f, .tmax = INFINITY};
    }
    const tact_raycast_work work = {.count = count, .rays = rays, .hits = hits};
    const tact_ranks_part part = {.scene = scene};
    tact_ranks_info before, after;
    REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &before), TACT_OK);
    REQUIRE_RESULT(run, tact_ranks_raycast_cut(run->ranks, &part, &work, NULL, NULL), TACT_OK);
    REQUIRE_RESULT(run, tact_ranks_get_info(run->ranks, &after), TACT_OK);
    for (size_t i = 0; i < count; ++i)
        REQUIRE(run, hits[i].instance == run->count - 1);
    // All go to the last rank, and nowhere else.
    if (run->rank == 0 && run->count > 1) REQUIRE(run, after.messages - before.messages == 1);
    tact_scene_destroy(scene);
}

static bool accept_all(size_t ray, const tact_ray* r, const tact_hit* hit, void* user)
{
    (void)ray, (void)r, (void)hit, (void)user;
    return true;
}

/// Each rank gets a piece of space with about as much weight as others, however boxes are dealt out.
static void test_owners(ranks_run* run)
{
    enum { BOXES = 3000 };
    tact_aabb* boxes = ranks_room(run, BOXES, sizeof *boxes);
    uint64_t* weights = ranks_room(run, BOXES, sizeof *weights);
    uint32_t* owners = ranks_room(run, 2 * BOXES, sizeof *owners);
    tact_random random = {SEED};
    for (size_t i = 0; i < BOXES; ++i) {
        const float x = (float)tact_random_fraction(&random), y = (float)tact_random_fraction(&random);
        boxes[i] = (tact_aabb){{x * x, y, x * y}, {x * x + 0.1f, y + 0.1f, x * y + 0.1f}};
        weights[i] = tact_random_below(&random, 100);
    }
    boxes[7].lower.x = NAN;
    for (int deal = 0; deal < DEAL_COUNT; ++deal) {
        size_t begin = 0, own = 0;
        ranks_part(run, (ranks_deal)deal, BOXES, &begin, &own);
        REQUIRE_RESULT(run, tact_ranks_cut_space(run->ranks, boxes + begin, weights + begin, own, owners), TACT_OK);
        uint64_t held[64] = {0}, all = 0;
        REQUIRE(run, run->count <= 64);
        for (size_t i = 0; i < own; ++i)
            held[owners[i]] += begin + i == 7 ? 0 : weights[begin + i];
        MPI_Allreduce(MPI_IN_PLACE, held, (int)run->count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        for (uint32_t i = 0; i < run->count; ++i)
            all += held[i];
        for (uint32_t i = 0; i < run->count; ++i)
            REQUIRE(run, held[i] * run->count > all * 9 / 10 && held[i] * run->count < all * 11 / 10);
        REQUIRE(run, begin > 7 || begin + own <= 7 || owners[7 - begin] == 0);
    }
    // All from all: then all see the same owners.
    REQUIRE_RESULT(run, tact_ranks_cut_space(run->ranks, boxes, NULL, BOXES, owners), TACT_OK);
    memcpy(owners + BOXES, owners, BOXES * sizeof *owners);
    MPI_Bcast(owners, BOXES, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    REQUIRE(run, memcmp(owners, owners + BOXES, BOXES * sizeof *owners) == 0);
    weights[3] = UINT64_MAX;
    REQUIRE_RESULT(run, tact_ranks_cut_space(run->ranks, boxes, weights, BOXES, owners), TACT_ERROR_INVALID_ARGUMENT);
    free(boxes);
    free(weights);
    free(owners);
}

static void test_errors(ranks_run* run, const world* w)
{
    const bool last = run->rank == run->count - 1;
    tact_hit hits[4];
    tact_raycast_work work = {.count = 4, .rays = w->rays, .hits = last ? NULL : hits};
    uint32_t ids[100];
    for (uint32_t i = 0; i < 100; ++i)
        ids[i] = i;
    tact_ranks_part part = {.scene = w->of.scene, .instances = ids, .count = w->of.model.instance_count};
    REQUIRE_RESULT(run, tact_ranks_raycast(run->ranks, w->of.scene, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    REQUIRE_RESULT(run, tact_ranks_raycast_cut(run->ranks, &part, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.hits = hits;
    REQUIRE_RESULT(run, tact_ranks_raycast(run->ranks, last ? NULL : w->of.scene, &work, NULL, NULL),
                   TACT_ERROR_INVALID_ARGUMENT);
    const tact_ray_rules rules = {.accept = accept_all};
    work.rules = last ? &rules : NULL;
    REQUIRE_RESULT(run, tact_ranks_raycast(run->ranks, w->of.scene, &work, NULL, NULL), TACT_ERROR_UNSUPPORTED);
    REQUIRE_RESULT(run, tact_ranks_raycast_cut(run->ranks, &part, &work, NULL, NULL), TACT_ERROR_UNSUPPORTED);
    work.rules = NULL;
    if (last) ids[2] = ids[1];
    REQUIRE_RESULT(run, tact_ranks_raycast_cut(run->ranks, &part, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    ids[2] = 2;
    if (last) --part.count;
    REQUIRE_RESULT(run, tact_ranks_raycast_cut(run->ranks, &part, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    if (run->count == 1) return;
    part.count = w->of.model.instance_count;
    if (last) part.instances = NULL;
    REQUIRE_RESULT(run, tact_ranks_raycast_cut(run->ranks, &part, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.mode = last ? TACT_RAY_ANY : TACT_RAY_COUNT;
    REQUIRE_RESULT(run, tact_ranks_raycast(run->ranks, w->of.scene, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    // Another scene on one rank.
    work.mode = TACT_RAY_CLOSEST;
    tact_scene* other = ranks_world_scene(run, &w->of, ids, 3);
    REQUIRE_RESULT(run, tact_ranks_raycast(run->ranks, last ? other : w->of.scene, &work, NULL, NULL),
                   TACT_ERROR_INVALID_ARGUMENT);
    tact_scene_destroy(other);
}

typedef struct hungry {
    const world* w;
    tact_ranks_part part;
    size_t begin, own;
    tact_hit* answers;
} hungry;

static tact_result cast_hungry(ranks_run* run, void* user)
{
    const hungry* h = user;
    tact_ray_rules rules;
    const tact_raycast_work work = work_of(h->w, &casts[4], h->begin, h->own, &rules, h->answers);
    return tact_ranks_raycast(run->ranks, h->w->of.scene, &work, NULL, NULL);
}

static tact_result cast_cut_hungry(ranks_run* run, void* user)
{
    const hungry* h = user;
    tact_ray_rules rules;
    const tact_raycast_work work = work_of(h->w, &casts[4], h->begin, h->own, &rules, h->answers);
    return tact_ranks_raycast_cut(run->ranks, &h->part, &work, NULL, NULL);
}

static void test_out_of_memory(ranks_run* run, const world* w)
{
    uint32_t* ids = ranks_room(run, w->of.model.instance_count, sizeof *ids);
    hungry h = {.w = w, .part = ranks_world_part(run, &w->of, DEAL_EVEN, ids)};
    ranks_part(run, DEAL_UNEVEN, RAYS / 20, &h.begin, &h.own);
    h.answers = ranks_room(run, h.own, sizeof *h.answers);
    // The last answers are those of a call that had all it needed.
    const unsigned whole = ranks_starve(run, run->count - 1, cast_hungry, &h);
    check_answers(run, w, 4, h.begin, h.own, h.answers);
    const unsigned cut = ranks_starve(run, run->count - 1, cast_cut_hungry, &h);
    check_answers(run, w, 4, h.begin, h.own, h.answers);
    REQUIRE(run, run->count == 1 || (whole > 4 && cut > 8));
    tact_scene_destroy(h.part.scene);
    free(h.answers);
    free(ids);
}

/// Other rays have other hits: what is compared above is not always the same.
static void test_another_seed(ranks_run* run, const world* w)
{
    world other;
    make_world(run, &other, w->of.shapes, SEED + 1);
    cast_alone(run, &other, 0);
    REQUIRE(run, memcmp(w->expected[0], other.expected[0], RAYS * sizeof **w->expected) != 0);
    free_world(&other);
}

int main(int argc, char** argv)
{
    ranks_run run;
    world w;
    ranks_begin(&run, &argc, &argv);
    make_world(&run, &w, SHAPES_SOME, SEED);
    for (size_t i = 0; i < CASTS; ++i)
        cast_alone(&run, &w, i);
    test_whole_scene(&run, &w);
    test_balance(&run, &w);
    test_cut_scene(&run, &w);
    test_visits(&run);
    test_owners(&run);
    test_errors(&run, &w);
    test_out_of_memory(&run, &w);
    test_another_seed(&run, &w);
    free_world(&w);
    // Points are not located among shapes.
    make_world(&run, &w, SHAPES_NONE, SEED);
    test_points(&run, &w);
    free_world(&w);
    return ranks_end(&run, "rays and points over ranks");
}
