// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs over ranks: the same bytes as one process finds, however volumes are dealt out.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/inputs/volume_input.h"
#include "tests/ranks/ranks_run.h"

enum { COUNT = 1500, MANY = 60000, SEED = 7 };

/// A set, or two, whole.
typedef struct whole {
    size_t counts[2];  ///< the second is 0 within one set
    tact_volume_kind kinds[2];
    tact_aabb* boxes[2];
    tact_sphere* spheres[2];
    tact_categories* categories;  ///< of the first; NULL: all
    tact_pairs_method method;
} whole;

static void* make_room(const ranks_run* run, size_t count, size_t size)
{
    void* room = calloc(count + 1, size);
    REQUIRE(run, room != NULL);
    return room;
}

static void fill(const ranks_run* run, whole* w, int k, const char* scene, size_t count, uint64_t seed)
{
    w->counts[k] = count;
    w->boxes[k] = make_room(run, count, sizeof **w->boxes);
    w->spheres[k] = make_room(run, count, sizeof **w->spheres);
    tact_volume_scene_named(scene)->make(count, seed, w->boxes[k]);
    tact_input_volumes_to_spheres(w->boxes[k], count, w->spheres[k]);
}

static void release(whole* w)
{
    for (int k = 0; k < 2; ++k) {
        free(w->boxes[k]);
        free(w->spheres[k]);
    }
    free(w->categories);
}

static tact_volumes* make_set(const ranks_run* run, const whole* w, int k, size_t begin, size_t count)
{
    tact_volumes* set = NULL;
    const tact_volumes_desc desc = {.kind = w->kinds[k]};
    const tact_categories* categories = k == 0 && w->categories ? w->categories + begin : NULL;
    REQUIRE_RESULT(run, tact_volumes_create(run->context, &desc, &set), TACT_OK);
    const tact_result result = w->kinds[k] == TACT_VOLUME_SPHERE
                                   ? tact_volumes_add_spheres(set, w->spheres[k] + begin, count, categories, NULL, NULL)
                                   : tact_volumes_add_aabbs(set, w->boxes[k] + begin, count, categories, NULL, NULL);
    REQUIRE_RESULT(run, result, TACT_OK);
    return set;
}

/// What one process finds.
static tact_pair* find_alone(const ranks_run* run, const whole* w, size_t* count)
{
    tact_volumes* a = make_set(run, w, 0, 0, w->counts[0]);
    tact_volumes* b = w->counts[1] > 0 ? make_set(run, w, 1, 0, w->counts[1]) : NULL;
    const tact_pairs_method method = w->counts[0] > COUNT ? TACT_PAIRS_GRID : TACT_PAIRS_BRUTE;
    const tact_pairs_work work = {.b = b, .method = method, .count = count};
    REQUIRE_RESULT(run, tact_pairs_find(a, &work, NULL, NULL), TACT_OK);
    tact_pair* pairs = make_room(run, *count, sizeof *pairs);
    if (*count > 0) memcpy(pairs, tact_pairs_last(a, NULL), *count * sizeof *pairs);
    tact_volumes_destroy(a);
    tact_volumes_destroy(b);
    return pairs;
}

/// What all ranks find, whose runs must be the expected list in order; rank 0 collects it too.
static void find_over(ranks_run* run, const whole* w, ranks_deal deal, const tact_pair* expected, size_t expected_count)
{
    size_t begin = 0, own = 0, length = 0;
    ranks_part(run, deal, w->counts[0], &begin, &own);
    tact_volumes* a = make_set(run, w, 0, begin, own);
    // The other set is dealt out in another way.
    ranks_part(run, (ranks_deal)((deal + 1) % DEAL_COUNT), w->counts[1], &begin, &own);
    tact_volumes* b = w->counts[1] > 0 ? make_set(run, w, 1, begin, own) : NULL;
    uint64_t count = 0, before = 0, bytes = 0;
    tact_query_report report = {.backend = TACT_BACKEND_AUTO};
    const tact_ranks_pairs_work work = {.b = b, .method = w->method, .count = &count, .before = &before};
    REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, a, &work, NULL, &report), TACT_OK);
    REQUIRE(run, report.backend == TACT_BACKEND_CPU && count == expected_count);
    const tact_pair* pairs = tact_pairs_last(a, &length);
    REQUIRE(run, before + length <= expected_count);
    REQUIRE(run, length == 0 || memcmp(pairs, expected + before, length * sizeof *pairs) == 0);
    // Runs are about as long as each other.
    REQUIRE(run, length <= expected_count / run->count * 5 / 4 + 16);
    tact_pair* all = run->rank == 0 ? make_room(run, expected_count, sizeof *all) : NULL;
    REQUIRE_RESULT(
        run, tact_ranks_collect(run->ranks, pairs, length * sizeof *pairs, all, expected_count * sizeof *pairs, &bytes),
        TACT_OK);
    REQUIRE(run, bytes == expected_count * sizeof *pairs);
    REQUIRE(run, !all || memcmp(all, expected, bytes) == 0);
    free(all);
    tact_volumes_destroy(a);
    tact_volumes_destroy(b);
}

static void compare(ranks_run* run, const whole* w)
{
    size_t count = 0;
    tact_pair* expected = find_alone(run, w, &count);
    for (int deal = 0; deal < DEAL_COUNT; ++deal)
        find_over(run, w, (ranks_deal)deal, expected, count);
    free(expected);
}

/// The same dealt out in one way, another one each time.
static void compare_once(ranks_run* run, const whole* w)
{
    static unsigned times;
    size_t count = 0;
    tact_pair* expected = find_alone(run, w, &count);
    find_over(run, w, (ranks_deal)(times++ % DEAL_COUNT), expected, count);
    free(expected);
}

static void test_scenes(ranks_run* run)
{
    for (size_t i = 0; i < tact_volume_scene_count; ++i) {
        const char* name = tact_volume_scenes[i].name;
        const size_t count = strcmp(name, "coincident") == 0 ? 100 : COUNT;
        whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
        fill(run, &w, 0, name, count, SEED);
        compare(run, &w);
        w.kinds[0] = TACT_VOLUME_SPHERE;
        w.method = TACT_PAIRS_BVH;
        compare_once(run, &w);
        // The other set of another kind.
        fill(run, &w, 1, name, count / 2, SEED + 1);
        compare_once(run, &w);
        w.categories = make_room(run, count, sizeof *w.categories);
        for (size_t k = 0; k < count; ++k)
            w.categories[k] = (tact_categories){1u << k % 3, k % 5 == 0 ? 0 : 5};
        compare_once(run, &w);
        release(&w);
    }
}

/// Fewer volumes than ranks, none at all, one that covers everything.
static void test_few(ranks_run* run)
{
    for (size_t count = 0; count < 4; ++count) {
        whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
        fill(run, &w, 0, "lattice", count, SEED);
        compare(run, &w);
        release(&w);
    }
    whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
    fill(run, &w, 0, "clustered", COUNT, SEED);
    w.boxes[0][COUNT / 2] = (tact_aabb){{-1e30f, -1e30f, -1e30f}, {1e30f, 1e30f, 1e30f}};
    w.boxes[0][COUNT / 3] = (tact_aabb){{0.25f, -1.0f, 0.5f}, {0.75f, 2.0f, 0.5f}};
    compare(run, &w);
    release(&w);
}

/// More than are sampled.
static void test_many(ranks_run* run)
{
    whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
    fill(run, &w, 0, "clustered", MANY, SEED);
    compare(run, &w);
    release(&w);
}

/// Sets with ids that are not in use.
static void test_holes(ranks_run* run)
{
    whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
    fill(run, &w, 0, "uniform", COUNT, SEED);
    tact_volumes* alone = make_set(run, &w, 0, 0, COUNT);
    size_t begin = 0, own = 0, count = 0, length = 0;
    ranks_part(run, DEAL_EVEN, COUNT, &begin, &own);
    tact_volumes* part = make_set(run, &w, 0, begin, own);
    for (uint32_t id = 3; id + 1 < COUNT; id += 7) {
        const uint32_t here = id - (uint32_t)begin;
        REQUIRE_RESULT(run, tact_volumes_remove(alone, &id, 1), TACT_OK);
        if (id >= begin && id < begin + own) REQUIRE_RESULT(run, tact_volumes_remove(part, &here, 1), TACT_OK);
    }
    REQUIRE_RESULT(run, tact_pairs_find(alone, &(tact_pairs_work){.count = &count}, NULL, NULL), TACT_OK);
    uint64_t all = 0, before = 0;
    const tact_ranks_pairs_work work = {.count = &all, .before = &before};
    REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, part, &work, NULL, NULL), TACT_OK);
    const tact_pair *pairs = tact_pairs_last(part, &length), *expected = tact_pairs_last(alone, NULL);
    REQUIRE(run, all == count && count > 0 && before + length <= count);
    REQUIRE(run, length == 0 || memcmp(pairs, expected + before, length * sizeof *pairs) == 0);
    tact_volumes_destroy(alone);
    tact_volumes_destroy(part);
    release(&w);
}

/// Other volumes give other pairs: what is compared above is not always the same.
static void test_another_seed(ranks_run* run)
{
    size_t counts[2];
    tact_pair* pairs[2];
    for (int i = 0; i < 2; ++i) {
        whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
        fill(run, &w, 0, "uniform", COUNT, SEED + (uint64_t)i);
        pairs[i] = find_alone(run, &w, &counts[i]);
        release(&w);
    }
    REQUIRE(run, counts[0] > COUNT && counts[1] > COUNT);
    REQUIRE(run, counts[0] != counts[1] || memcmp(pairs[0], pairs[1], counts[0] * sizeof *pairs[0]) != 0);
    free(pairs[0]);
    free(pairs[1]);
}

/// What is wrong on one rank is wrong on all.
static void test_errors(ranks_run* run)
{
    const bool last = run->rank == run->count - 1;
    whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
    fill(run, &w, 0, "uniform", 20, SEED);
    tact_volumes* boxes = make_set(run, &w, 0, 0, 20);
    w.kinds[0] = TACT_VOLUME_SPHERE;
    tact_volumes* spheres = make_set(run, &w, 0, 0, 20);
    uint64_t count = 0;
    tact_ranks_pairs_work work = {.count = &count};
    REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, last ? NULL : boxes, &work, NULL, NULL),
                   TACT_ERROR_INVALID_ARGUMENT);
    REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, boxes, last ? NULL : &work, NULL, NULL),
                   TACT_ERROR_INVALID_ARGUMENT);
    tact_ticket ticket = 0;
    const tact_query_options asked = {.ticket = last ? &ticket : NULL};
    REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, boxes, &work, &asked, NULL), TACT_ERROR_UNSUPPORTED);
    if (run->count > 1) {
        REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, last ? spheres : boxes, &work, NULL, NULL),
                       TACT_ERROR_INVALID_ARGUMENT);
        work.b = last ? spheres : NULL;
        REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, boxes, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
        work.b = NULL;
    }
    REQUIRE_RESULT(run, tact_ranks_collect(run->ranks, &count, sizeof count, &count, sizeof count - 1, NULL),
                   TACT_ERROR_INVALID_ARGUMENT);
    // And all goes on.
    REQUIRE_RESULT(run, tact_ranks_find_pairs(run->ranks, boxes, &work, NULL, NULL), TACT_OK);
    tact_volumes_destroy(boxes);
    tact_volumes_destroy(spheres);
    release(&w);
}

static tact_result find_hungry(ranks_run* run, void* user)
{
    uint64_t count = 0;
    (void)run;
    return tact_ranks_find_pairs(run->ranks, user, &(tact_ranks_pairs_work){.count = &count}, NULL, NULL);
}

static void test_out_of_memory(ranks_run* run)
{
    whole w = {.kinds = {TACT_VOLUME_AABB, TACT_VOLUME_AABB}};
    fill(run, &w, 0, "uniform", 60, SEED);
    size_t begin = 0, own = 0, expected_count = 0;
    tact_pair* expected = find_alone(run, &w, &expected_count);
    ranks_part(run, DEAL_EVEN, 60, &begin, &own);
    tact_volumes* set = make_set(run, &w, 0, begin, own);
    const unsigned hungry = ranks_starve(run, run->count - 1, find_hungry, set);
    REQUIRE(run, run->count == 1 || hungry > 20);
    tact_volumes_destroy(set);
    find_over(run, &w, DEAL_EVEN, expected, expected_count);
    free(expected);
    release(&w);
}

int main(int argc, char** argv)
{
    ranks_run run;
    ranks_begin(&run, &argc, &argv);
    test_scenes(&run);
    test_few(&run);
    test_many(&run);
    test_holes(&run);
    test_another_seed(&run);
    test_errors(&run);
    test_out_of_memory(&run);
    return ranks_end(&run, "pairs over ranks");
}
