// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Begun, ended and kept against a difference of frames made by brute force, while things move, come and go.
#include "tests/support/run.h"

#include "core/volumes/volumes.h"
#include "tests/support/calls.h"
#include "tests/support/counting_context.h"
#include "tests/support/objects.h"
#include "tests/support/pair_sets.h"

/// A set whose volumes have names that are never used twice: what a pair is of, whatever the ids.
typedef struct named_set {
    tact_volumes* set;
    uint32_t names[2000];  ///< by id
    uint32_t next;
} named_set;

typedef struct named_pair {
    tact_pair pair;
    uint32_t a, b;  ///< the names
} named_pair;

typedef struct frame {
    named_pair* pairs;
    size_t count;
} frame;

static void fill(named_set* s, tact_context* context, const tact_aabb* boxes, size_t count)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(tact_volumes_create(context, NULL, &s->set), TACT_OK);
    assert_int_equal(tact_volumes_add_aabbs(s->set, boxes, count, NULL, NULL, NULL), TACT_OK);
    for (uint32_t i = 0; i < count; ++i)
        s->names[i] = s->next++;
}

static void drop(named_set* s, uint32_t id)
{
    assert_int_equal(tact_volumes_remove(s->set, &id, 1), TACT_OK);
}

static void put(named_set* s, const tact_aabb* box)
{
    uint32_t id = 0;
    assert_int_equal(tact_volumes_add_aabbs(s->set, box, 1, NULL, NULL, &id), TACT_OK);
    s->names[id] = s->next++;
}

static frame by_definition(const named_set* a, const named_set* b)
{
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    size_t count = 0;
    assert_int_equal(call_pairs_find(a->set, b ? b->set : NULL, TACT_PAIRS_AUTO, NULL, 0, &count, &options, NULL),
                     TACT_OK);
    const tact_pair* pairs = tact_pairs_last(a->set, &count);
    frame f = {malloc((count + 1) * sizeof *f.pairs), count};
    for (size_t i = 0; i < count; ++i)
        f.pairs[i] = (named_pair){pairs[i], a->names[pairs[i].a], (b ? b : a)->names[pairs[i].b]};
    return f;
}

static int order(const named_pair* p, const named_pair* q)
{
    if (p->pair.a != q->pair.a) return p->pair.a < q->pair.a ? -1 : 1;
    return p->pair.b < q->pair.b ? -1 : p->pair.b > q->pair.b;
}

static bool holds(const frame* f, const named_pair* p)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (order(&f->pairs[middle], p) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < f->count && order(&f->pairs[low], p) == 0 && f->pairs[low].a == p->a && f->pairs[low].b == p->b;
}

/// Those of `of` that `in` holds, or does not.
static void check_list(const char* what, const tact_pair_tracker* t, tact_pair_change change, const frame* of,
                       const frame* in, bool held)
{
    size_t count = 0, at = 0;
    const tact_pair* got = tact_pair_tracker_pairs(t, change, &count);
    for (size_t i = 0; i < of->count; ++i) {
        if (in && holds(in, &of->pairs[i]) != held) continue;
        if (at >= count || got[at].a != of->pairs[i].pair.a || got[at].b != of->pairs[i].pair.b) {
            fail_msg("%s: list %d lacks (%u, %u) as number %zu of %zu", what, (int)change, of->pairs[i].pair.a,
                     of->pairs[i].pair.b, at, count);
        }
        ++at;
    }
    if (at != count) fail_msg("%s: list %d has %zu pairs, expected %zu", what, (int)change, count, at);
    assert_true(count > 0 || !got);
}

static void check_all(const char* what, const tact_pair_tracker* t, const frame* before, const frame* now)
{
    check_list(what, t, TACT_PAIRS_BEGUN, now, before, false);
    check_list(what, t, TACT_PAIRS_KEPT, now, before, true);
    check_list(what, t, TACT_PAIRS_ENDED, before, now, false);
    check_list(what, t, TACT_PAIRS_CURRENT, now, NULL, true);
}

enum { TRACKERS = 2 * TACT_PAIRS_METHOD_COUNT };

static void change(test_random* r, named_set* s, const tact_aabb* moved, uint32_t count, unsigned number)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (tact_volumes_contains(s->set, i)) {
            assert_int_equal(tact_volumes_move_aabbs(s->set, &i, &moved[i], 1), TACT_OK);
        }
    }
    if (number % 13 == 0) {
        tact_volumes_clear(s->set);
        for (uint32_t i = 0; i < count - 5; ++i)
            put(s, &moved[i]);
        return;
    }
    // Some go, and their ids go to others at the same place, or at another.
    for (int k = 0; k < 12 && number % 3 > 0; ++k) {
        const uint32_t id = test_random_below(r, count);
        if (tact_volumes_contains(s->set, id)) drop(s, id);
        if (k % 3 == 0) put(s, &moved[id]);
    }
}

TEST(sixty_frames)
{
    enum { N = 240, FRAMES = 60 };
    tact_context* context = KEEP(counting_context(2, NULL));
    test_random r = test_random_seeded(19);
    for (size_t s = 0; s < tact_volume_scene_count; ++s) {
        static tact_aabb boxes[N + 60], moved[N + 60];
        tact_volume_scenes[s].make(N + 60, 5, boxes);
        static named_set one, other;
        fill(&one, context, boxes, N);
        fill(&other, context, boxes + N, 60);
        tact_pair_tracker* trackers[TRACKERS] = {NULL};
        for (int k = 0; k < TRACKERS; ++k) {
            const tact_pairs_method method = (tact_pairs_method)(k / 2);
            if (method != TACT_PAIRS_AUTO && !tact_pairs_way_of(method)) continue;
            assert_int_equal(tact_pair_tracker_create(one.set, k % 2 ? other.set : NULL, &trackers[k]), TACT_OK);
            size_t count = 1;
            assert_null(tact_pair_tracker_pairs(trackers[k], TACT_PAIRS_CURRENT, &count));
            assert_int_equal(count, 0);
        }
        frame before[2] = {{NULL, 0}, {NULL, 0}};
        for (unsigned number = 1; number <= FRAMES; ++number) {
            tact_input_volumes_move(boxes, N + 60, 9, number, number % 20 > 16 ? 3.0 : 0.05, moved);
            change(&r, &one, moved, N, number);
            if (number % 4 == 0) change(&r, &other, moved + N, 60, number / 4);
            const frame now[2] = {by_definition(&one, NULL), by_definition(&one, &other)};
            char what[96];
            for (int k = 0; k < TRACKERS; ++k) {
                if (!trackers[k]) continue;
                const tact_pairs_method method = (tact_pairs_method)(k / 2);
                snprintf(what, sizeof what, "%s, %s, frame %u", tact_volume_scenes[s].name,
                         tact_pairs_method_name(method), number);
                const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 1 + (int)number % 3};
                assert_int_equal(tact_pair_tracker_update(trackers[k], method, &options, NULL), TACT_OK);
                expect_method(what, one.set, method);
                check_all(what, trackers[k], &before[k % 2], &now[k % 2]);
            }
            for (int k = 0; k < 2; ++k) {
                free(before[k].pairs);
                before[k] = now[k];
            }
        }
        for (int k = 0; k < 2; ++k)
            free(before[k].pairs);
        for (int k = 0; k < TRACKERS; ++k)
            tact_pair_tracker_destroy(trackers[k]);
        tact_volumes_destroy(one.set);
        tact_volumes_destroy(other.set);
    }
}

/// Lists long enough to be cut among threads.
TEST(long_lists)
{
    enum { N = 40000 };
    tact_context* context = KEEP(counting_context(3, NULL));
    tact_aabb *boxes = scratch(N * sizeof *boxes), *moved = scratch(N * sizeof *moved);
    tact_input_volumes_uniform(N, 1, boxes);
    tact_pair_tracker* trackers[3];
    tact_volumes* set = KEEP(new_volumes(context, NULL));
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(tact_pair_tracker_create(set, NULL, &trackers[k]), TACT_OK);
    for (unsigned number = 1; number <= 4; ++number) {
        tact_input_volumes_move(boxes, N, 9, number, number == 3 ? 5.0 : 0.05, moved);
        assert_int_equal(tact_volumes_move_aabbs(set, NULL, moved, N), TACT_OK);
        const uint32_t reborn[] = {17, 4000, N - 1};
        assert_int_equal(tact_volumes_remove(set, reborn, 3), TACT_OK);
        const tact_aabb same[] = {moved[17], moved[4000], moved[N - 1]};
        assert_int_equal(tact_volumes_add_aabbs(set, same, 3, NULL, NULL, NULL), TACT_OK);
        for (int k = 0; k < 3; ++k) {
            const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = k + 1};
            assert_int_equal(tact_pair_tracker_update(trackers[k], TACT_PAIRS_SAP, &options, NULL), TACT_OK);
        }
        for (int change = 0; change < 4; ++change) {
            size_t count[3];
            const tact_pair* lists[3];
            for (int k = 0; k < 3; ++k)
                lists[k] = tact_pair_tracker_pairs(trackers[k], (tact_pair_change)change, &count[k]);
            for (int k = 1; k < 3; ++k) {
                assert_int_equal(count[k], count[0]);
                if (count[0] > 0) assert_memory_equal(lists[k], lists[0], count[0] * sizeof *lists[0]);
            }
        }
        size_t begun, kept, current;
        tact_pair_tracker_pairs(trackers[2], TACT_PAIRS_BEGUN, &begun);
        tact_pair_tracker_pairs(trackers[2], TACT_PAIRS_KEPT, &kept);
        tact_pair_tracker_pairs(trackers[2], TACT_PAIRS_CURRENT, &current);
        assert_int_equal(begun + kept, current);
        assert_true(current > N);
    }
    for (int k = 0; k < 3; ++k)
        tact_pair_tracker_destroy(trackers[k]);
}

TEST(arguments)
{
    tact_context *context = counting_context(1, NULL), *stranger = counting_context(1, NULL);
    tact_volumes* a = new_volumes(context, NULL);
    tact_volumes* b = new_volumes(stranger, NULL);
    tact_pair_tracker* t = NULL;
    assert_int_equal(tact_pair_tracker_create(NULL, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pair_tracker_create(a, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pair_tracker_create(a, a, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pair_tracker_create(a, b, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(t);
    assert_int_equal(tact_pair_tracker_update(NULL, TACT_PAIRS_AUTO, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_pair_tracker_destroy(NULL);
    size_t count = 1;
    assert_null(tact_pair_tracker_pairs(NULL, TACT_PAIRS_BEGUN, &count));
    assert_int_equal(count, 0);
    assert_int_equal(tact_pair_tracker_create(a, NULL, &t), TACT_OK);
    assert_null(tact_pair_tracker_pairs(t, (tact_pair_change)9, &count));
    assert_int_equal(tact_pair_tracker_update(t, (tact_pairs_method)99, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_query_report report;
    assert_int_equal(tact_pair_tracker_update(t, TACT_PAIRS_BRUTE, NULL, &report), TACT_OK);
    tact_pair_tracker_destroy(t);
    tact_volumes_destroy(a);
    tact_volumes_destroy(b);
    tact_context_destroy(context);
    tact_context_destroy(stranger);
}

/// After an error the tracker tells what it told before, and goes on from there.
TEST(every_allocation_may_fail)
{
    enum { N = 300 };
    static tact_aabb boxes[N], moved[N];
    tact_input_volumes_uniform(N, 4, boxes);
    tact_input_volumes_move(boxes, N, 9, 3, 1.0, moved);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counting_allocator counter = {0};
        tact_context* context = counting_context(1, &counter);
        static named_set set;
        fill(&set, context, boxes, N);
        const frame before = by_definition(&set, NULL), nothing = {NULL, 0};
        tact_pair_tracker* t = NULL;
        assert_int_equal(tact_pair_tracker_create(set.set, NULL, &t), TACT_OK);
        assert_int_equal(tact_pair_tracker_update(t, TACT_PAIRS_SAP, NULL, NULL), TACT_OK);
        assert_int_equal(tact_volumes_move_aabbs(set.set, NULL, moved, N), TACT_OK);
        for (uint32_t i = 0; i < 9; ++i)
            drop(&set, i * 7);
        for (uint32_t i = 0; i < 9; ++i)
            put(&set, &moved[i * 7]);
        counter.requests = 0;
        counter.fail_at = n;
        const tact_result result = tact_pair_tracker_update(t, TACT_PAIRS_SAP, NULL, NULL);
        counter.fail_at = 0;
        const bool failed = counter.failed;
        if (result != TACT_OK) {
            assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            check_all("after the error", t, &nothing, &before);
            assert_int_equal(tact_pair_tracker_update(t, TACT_PAIRS_SAP, NULL, NULL), TACT_OK);
            ++failures;
        }
        const frame now = by_definition(&set, NULL);
        check_all("in the end", t, &before, &now);
        free(before.pairs);
        free(now.pairs);
        tact_pair_tracker_destroy(t);
        tact_volumes_destroy(set.set);
        tact_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (!failed) break;
    }
    print_message("%zu allocations, each failed once\n", failures);
    assert_true(failures >= 4);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
