// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/tree_costs.h"

#include <stdlib.h>

#include "apps/bench/geometry_trees.h"
#include "apps/system.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT };

typedef struct tree_pair {
    tact_tree_boxes data;  ///< of which the first tree has `asked`
    tact_aabb moved[N];    ///< those of the second
    tact_triangle first[N], second[N];
    tact_volume_tree *a, *b;
    uint32_t* pairs;
    size_t pair_count;
    uint64_t overlaps;
} tree_pair;

static void release(tree_pair* t)
{
    tact_volume_tree_destroy(t->a);
    tact_volume_tree_destroy(t->b);
    free(t->pairs);
    free(t);
}

/// From corner to corner of a box.
static tact_triangle triangle_in(tact_aabb box)
{
    const tact_vec3 c = {box.lower.x, box.upper.y, 0.5f * (box.lower.z + box.upper.z)};
    return (tact_triangle){box.lower, box.upper, c};
}

static bool list_pairs(tree_pair* t)
{
    tact_volume_tree_pairs(t->a, t->b, TACT_DESCEND_BOTH, NULL, 0, &t->pair_count);
    t->pairs = malloc(2 * (t->pair_count + 1) * sizeof *t->pairs);
    return t->pairs &&
           tact_volume_tree_pairs(t->a, t->b, TACT_DESCEND_BOTH, t->pairs, t->pair_count, &t->pair_count) == TACT_OK;
}

static tree_pair* make(void)
{
    tree_pair* t = calloc(1, sizeof *t);
    if (!t) return NULL;
    tact_tree_boxes_make(&t->data);
    for (size_t i = 0; i < N; ++i) {
        const tact_aabb box = t->data.asked[i];
        t->moved[i] = (tact_aabb){{box.lower.x + 1.0f, box.lower.y + 1.0f, box.lower.z - 1.0f},
                                  {box.upper.x + 1.0f, box.upper.y + 1.0f, box.upper.z - 1.0f}};
        t->first[i] = triangle_in(box);
        t->second[i] = triangle_in(t->moved[i]);
    }
    if (tact_volume_tree_create(t->data.asked, N, TACT_VOLUME_TREE_MEDIUM, NULL, &t->a) == TACT_OK &&
        tact_volume_tree_create(t->moved, N, TACT_VOLUME_TREE_MEDIUM, NULL, &t->b) == TACT_OK && list_pairs(t)) {
        return t;
    }
    release(t);
    return NULL;
}

static bool pass(uint32_t a, uint32_t b, void* user)
{
    (void)a, (void)b, (void)user;
    return true;
}

static bool test_pair(uint32_t a, uint32_t b, void* user)
{
    tree_pair* t = user;
    t->overlaps += tact_triangle_overlaps_triangle(&t->first[a], &t->second[b]);
    return true;
}

// The parts, and the whole. The boxes stay where they are: fitting the tree to them takes as long as to others.

static void test_volumes(tree_pair* t, tact_descent rule)
{
    tact_volume_tree_each_pair(t->a, t->b, rule, pass, NULL);
}

static void test_triangles(tree_pair* t, tact_descent rule)
{
    (void)rule;
    for (size_t i = 0; i < t->pair_count; ++i)
        test_pair(t->pairs[2 * i], t->pairs[2 * i + 1], t);
}

static void update(tree_pair* t, tact_descent rule)
{
    (void)rule;
    tact_volume_tree_refit(t->b, t->moved, N);
}

static void test_all(tree_pair* t, tact_descent rule)
{
    update(t, rule);
    tact_volume_tree_each_pair(t->a, t->b, rule, test_pair, t);
}

static tact_spread time_of(void (*part)(tree_pair*, tact_descent), tree_pair* t, tact_descent rule, uint64_t repeat,
                           double* samples)
{
    for (uint64_t i = 0; i < repeat; ++i) {
        const double start = tact_system_milliseconds();
        part(t, rule);
        samples[i] = tact_system_milliseconds() - start;
    }
    return tact_spread_of(samples, (size_t)repeat);
}

static void measure(tree_pair* t, uint64_t repeat, double* samples, tact_tree_cost costs[TACT_TREE_RULES])
{
    static const char* const names[TACT_TREE_RULES] = {[TACT_DESCEND_LARGER] = "larger",
                                                       [TACT_DESCEND_FIRST] = "first",
                                                       [TACT_DESCEND_BOTH] = "both",
                                                       [TACT_DESCEND_ALTERNATE] = "alternate"};
    const double updated_ms = time_of(update, t, 0, repeat, samples).low;
    const double found_ms = time_of(test_triangles, t, 0, repeat, samples).low;
    for (int i = 0; i < TACT_TREE_RULES; ++i) {
        const tact_descent rule = (tact_descent)i;
        const tact_volume_pair_counts counts = tact_volume_tree_count_pairs(t->a, t->b, rule);
        const double tested_ms = time_of(test_volumes, t, rule, repeat, samples).low;
        tact_tree_cost* cost = &costs[i];
        *cost =
            (tact_tree_cost){.rule = names[i], .tested = counts.tested, .found = counts.found, .updated = 2 * N - 1};
        cost->tested_ns = 1e6 * tested_ms / (double)cost->tested;
        cost->found_ns = 1e6 * found_ms / (double)cost->found;
        cost->updated_ns = 1e6 * updated_ms / (double)cost->updated;
        cost->expected_ms = tested_ms + found_ms + updated_ms;
        cost->ms = time_of(test_all, t, rule, repeat, samples);
        t->overlaps = 0;
        test_all(t, rule);
        cost->overlaps = t->overlaps;
    }
}

bool tact_tree_costs_measure(uint64_t repeat, tact_tree_cost costs[TACT_TREE_RULES])
{
    tree_pair* t = make();
    double* samples = malloc((size_t)repeat * sizeof *samples);
    const bool good = t && samples;
    if (good) measure(t, repeat, samples, costs);
    if (t) release(t);
    free(samples);
    return good;
}
