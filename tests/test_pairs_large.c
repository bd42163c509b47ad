// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every method of the broad phase on 100,000 boxes, on the CPU and on devices. The pairs are not compared with another
// method's: of sets that are made for it they are known by arithmetic, of random ones a plain sweep counts them.

#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/pair_sets.h"

enum { COUNT = 100000, LUMP = 5000 };

/// What a list of pairs in ascending order must be: as many, with these hashes in sum.
typedef struct pair_sum {
    uint64_t count, hashes;
} pair_sum;

static uint64_t hash_of(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void add_pair(pair_sum* sum, uint32_t a, uint32_t b)
{
    ++sum->count;
    sum->hashes += a < b ? hash_of(a, b) : hash_of(b, a);
}

// Sets in places of a lattice: boxes overlap when they are at most `reach` places apart on each axis.

typedef struct lattice {
    const char* name;
    uint32_t sides[3], reach[3];
    float step[3];   ///< from one place to the next; boxes have a width of 1
    uint32_t lump;   ///< boxes more in the place `at`
    uint32_t at[3];  ///< at least `reach` away from the sides
} lattice;

static const lattice lattices[] = {
    {"cubes that touch", {50, 50, 40}, {1, 1, 1}, {1, 1, 1}, 0, {0, 0, 0}},
    {"5,000 in one place", {50, 50, 38}, {1, 1, 1}, {1, 1, 1}, LUMP, {20, 30, 10}},
    // Of one strip, since no other axis parts the boxes.
    {"a line", {COUNT, 1, 1}, {2, 0, 0}, {0.5f, 1, 1}, 0, {0, 0, 0}},
};
enum { LATTICES = sizeof lattices / sizeof lattices[0] };

/// Ids go through the places in leaps, those of the lump come last.
static void place_of(const lattice* l, uint32_t id, uint32_t place[3])
{
    const uint32_t all = l->sides[0] * l->sides[1] * l->sides[2];
    const uint32_t k = (uint32_t)((uint64_t)id * 7919 % all);
    for (int axis = 0; axis < 3; ++axis)
        place[axis] = l->at[axis];
    if (id >= all) return;
    place[0] = k % l->sides[0];
    place[1] = k / l->sides[0] % l->sides[1];
    place[2] = k / l->sides[0] / l->sides[1];
}

static void make_lattice(const lattice* l, tact_aabb* boxes)
{
    for (uint32_t id = 0; id < COUNT; ++id) {
        uint32_t place[3];
        place_of(l, id, place);
        const float x = (float)place[0] * l->step[0], y = (float)place[1] * l->step[1],
                    z = (float)place[2] * l->step[2];
        boxes[id] = (tact_aabb){{x, y, z}, {x + 1.0f, y + 1.0f, z + 1.0f}};
    }
}

/// On each axis n places have n + 2 (n - 1) + ... + 2 (n - reach) ordered pairs within reach, themselves included.
static uint64_t pairs_of_lattice(const lattice* l)
{
    uint64_t ordered = 1, all = 1, around = 1;
    for (int axis = 0; axis < 3; ++axis) {
        uint64_t along = l->sides[axis];
        for (uint32_t d = 1; d <= l->reach[axis]; ++d)
            along += 2 * (l->sides[axis] - d);
        ordered *= along;
        all *= l->sides[axis];
        around *= 2 * l->reach[axis] + 1;
    }
    assert_int_equal(all + l->lump, COUNT);
    const uint64_t lump = l->lump;
    return (ordered - all) / 2 + lump * around + (lump > 0 ? lump * (lump - 1) / 2 : 0);
}

/// In ascending order without repeats, the smaller id first.
static bool in_order(const tact_pair* pairs, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; ++i) {
        const tact_pair p = pairs[i], before = i > 0 ? pairs[i - 1] : (tact_pair){0, 0};
        good = good && p.a < p.b && p.b < COUNT && (before.a < p.a || (before.a == p.a && before.b < p.b));
    }
    return good;
}

static void check_lattice(const lattice* l, const char* who, const tact_pair* pairs, size_t count)
{
    static uint32_t places[COUNT][3];
    for (uint32_t id = 0; id < COUNT; ++id)
        place_of(l, id, places[id]);
    if (!in_order(pairs, count)) fail_msg("%s, %s: not in order", l->name, who);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *a = places[pairs[i].a], *b = places[pairs[i].b];
        for (int axis = 0; axis < 3; ++axis) {
            if ((a[axis] > b[axis] ? a[axis] - b[axis] : b[axis] - a[axis]) <= l->reach[axis]) continue;
            fail_msg("%s, %s: (%u, %u) do not overlap", l->name, who, pairs[i].a, pairs[i].b);
        }
    }
    const uint64_t expected = pairs_of_lattice(l);
    if (count != expected) fail_msg("%s, %s: %zu pairs of %zu", l->name, who, count, (size_t)expected);
}

// Random sets.

typedef struct sorted_box {
    tact_aabb box;
    uint32_t id;
} sorted_box;

static int by_x(const void* x, const void* y)
{
    const sorted_box *a = x, *b = y;
    return (a->box.lower.x > b->box.lower.x) - (a->box.lower.x < b->box.lower.x);
}

/// Each box with those that begin before it ends on the x axis.
static pair_sum sweep(const tact_aabb* boxes)
{
    pair_sum sum = {0, 0};
    sorted_box* sorted = scratch(COUNT * sizeof *sorted);
    for (uint32_t i = 0; i < COUNT; ++i)
        sorted[i] = (sorted_box){boxes[i], i};
    qsort(sorted, COUNT, sizeof *sorted, by_x);
    for (uint32_t i = 0; i < COUNT; ++i) {
        const tact_aabb p = sorted[i].box;
        for (uint32_t k = i + 1; k < COUNT && sorted[k].box.lower.x <= p.upper.x; ++k) {
            const tact_aabb* q = &sorted[k].box;
            if (p.lower.y <= q->upper.y && q->lower.y <= p.upper.y && p.lower.z <= q->upper.z &&
                q->lower.z <= p.upper.z) {
                add_pair(&sum, sorted[i].id, sorted[k].id);
            }
        }
    }
    return sum;
}

static void check_sum(const char* name, const char* who, const pair_sum* expected, const tact_pair* pairs, size_t count)
{
    pair_sum sum = {0, 0};
    if (!in_order(pairs, count)) fail_msg("%s, %s: not in order", name, who);
    for (size_t i = 0; i < count; ++i)
        add_pair(&sum, pairs[i].a, pairs[i].b);
    if (sum.count == expected->count && sum.hashes == expected->hashes) return;
    fail_msg("%s, %s: %zu pairs, expected %zu", name, who, count, (size_t)expected->count);
}

// Who finds them.

typedef struct finder {
    tact_backend backend;
    tact_pairs_method method;
} finder;

static const tact_pair* find(tact_context* context, const finder* f, const char* name, tact_volumes* set, size_t* count)
{
    const tact_query_options options = {.backend = f->backend, .threads = 2, .no_fallback = true};
    const tact_result result = call_pairs_find(set, NULL, f->method, NULL, 0, count, &options, NULL);
    if (result != TACT_OK) {
        fail_msg("%s, %s: %s: %s", name, tact_pairs_method_name(f->method), tact_result_name(result),
                 tact_context_error(context));
    }
    expect_method(name, set, f->method);
    return tact_pairs_last(set, count);
}

/// Each on a set of its own, so that no method uses what another has kept.
static void find_all(tact_context* context, const finder* finders, size_t finder_count)
{
    static const char* const random[] = {"uniform", "sizes"};
    tact_aabb* boxes = scratch(COUNT * sizeof *boxes);
    for (size_t s = 0; s < LATTICES + 2; ++s) {
        const lattice* l = s < LATTICES ? &lattices[s] : NULL;
        const char* name = l ? l->name : random[s - LATTICES];
        if (l) make_lattice(l, boxes);
        if (!l) tact_volume_scene_named(name)->make(COUNT, 3, boxes);
        const pair_sum expected = l ? (pair_sum){0, 0} : sweep(boxes);
        for (size_t i = 0; i < finder_count; ++i) {
            char who[64];
            snprintf(who, sizeof who, "%s %s", tact_backend_name(finders[i].backend),
                     tact_pairs_method_name(finders[i].method));
            tact_volumes* set = make_boxes(context, boxes, COUNT);
            size_t count = 0;
            const tact_pair* pairs = find(context, &finders[i], name, set, &count);
            if (l) check_lattice(l, who, pairs, count);
            if (!l) check_sum(name, who, &expected, pairs, count);
            tact_volumes_destroy(set);
        }
    }
}

TEST(every_method_of_the_cpu)
{
    const tact_context_desc desc = {.threads = 2, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = KEEP(new_context(&desc));
    finder finders[TACT_PAIRS_METHOD_COUNT];
    for (int method = 0; method < TACT_PAIRS_METHOD_COUNT; ++method)
        finders[method] = (finder){TACT_BACKEND_CPU, (tact_pairs_method)method};
    find_all(context, finders, TACT_PAIRS_METHOD_COUNT);
}

TEST_AS(ONE_DEVICE_TEST, every_method_of_a_device)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    const finder finders[] = {{backend, TACT_PAIRS_GRID}, {backend, TACT_PAIRS_BVH}};
    find_all(context, finders, 2);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
