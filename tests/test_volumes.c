// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sets of volumes against their contract: ids, what is stored, what errors leave behind, and long random sequences
// against a model that does everything the plain way.
#include <fenv.h>
#include "tests/support/run.h"

#include "core/volumes/volumes.h"
#include "tact/pairs.h"
#include "tests/support/calls.h"
#include "tests/support/counting_context.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

static const tact_aabb unit = {{0, 0, 0}, {1, 1, 1}};

static tact_volumes* set_of(tact_context* context, tact_volume_kind kind)
{
    const tact_volumes_desc desc = {.kind = kind};
    return new_volumes(context, &desc);
}

static tact_aabb box_at(float x)
{
    return (tact_aabb){{x, 0, 0}, {x + 1, 1, 1}};
}

TEST(making_sets)
{
    tact_context* context = KEEP(counting_context(1, NULL));
    tact_volumes* set = (tact_volumes*)(void*)context;
    assert_int_equal(tact_volumes_create(NULL, NULL, &set), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_volumes_create(context, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_volumes_desc desc = {.kind = (tact_volume_kind)7};
    assert_int_equal(tact_volumes_create(context, &desc, &set), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(set);
    desc = (tact_volumes_desc){.reserve = (size_t)TACT_MAX_VOLUMES + 1};
    assert_int_equal(tact_volumes_create(context, &desc, &set), TACT_ERROR_LIMIT);
    assert_null(set);
    desc = (tact_volumes_desc){.reserve = 100, .kind = TACT_VOLUME_SPHERE};
    assert_int_equal(tact_volumes_create(context, &desc, &set), TACT_OK);
    assert_int_equal(tact_volumes_count(set), 0);
    assert_int_equal(tact_volumes_id_end(set), 0);
    assert_false(tact_volumes_contains(set, 0));
    tact_volumes_destroy(set);
    tact_volumes_destroy(NULL);
    tact_volumes_clear(NULL);
    assert_int_equal(tact_volumes_count(NULL), 0);
    assert_int_equal(tact_volumes_id_end(NULL), 0);
    assert_false(tact_volumes_contains(NULL, 0));
}

TEST(ids_are_given_out_the_smallest_first)
{
    tact_context* context = KEEP(counting_context(1, NULL));
    tact_volumes* set = KEEP(set_of(context, TACT_VOLUME_AABB));
    tact_aabb boxes[200];
    uint32_t ids[200];
    for (int i = 0; i < 200; ++i)
        boxes[i] = box_at((float)i);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 150, NULL, NULL, ids), TACT_OK);
    for (uint32_t i = 0; i < 150; ++i)
        assert_int_equal(ids[i], i);
    static const uint32_t gone[] = {149, 3, 64, 65, 0};
    assert_int_equal(tact_volumes_remove(set, gone, 5), TACT_OK);
    assert_int_equal(tact_volumes_count(set), 145);
    assert_int_equal(tact_volumes_id_end(set), 150);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes + 150, 8, NULL, NULL, ids), TACT_OK);
    static const uint32_t expected[] = {0, 3, 64, 65, 149, 150, 151, 152};
    assert_memory_equal(ids, expected, sizeof expected);
    for (int i = 0; i < 8; ++i) {
        tact_aabb box;
        assert_int_equal(tact_volumes_get_aabb(set, ids[i], &box), TACT_OK);
        assert_memory_equal(&box, &boxes[150 + i], sizeof box);
    }
    assert_int_equal(tact_volumes_count(set), 153);
    tact_volumes_clear(set);
    assert_int_equal(tact_volumes_count(set), 0);
    assert_int_equal(tact_volumes_id_end(set), 0);
    assert_false(tact_volumes_contains(set, 0));
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 2, NULL, NULL, ids), TACT_OK);
    assert_int_equal(ids[0], 0);
    assert_int_equal(ids[1], 1);
}

TEST(volumes_without_points_take_no_part)
{
    tact_context* context = KEEP(counting_context(1, NULL));
    tact_volumes* set = set_of(context, TACT_VOLUME_AABB);
    tact_aabb boxes[9];
    for (int i = 0; i < 9; ++i)
        boxes[i] = unit;
    boxes[0].lower.x = NAN;
    boxes[1].upper.z = NAN;
    boxes[2].lower.y = 2;
    boxes[3] = (tact_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    boxes[4] = (tact_aabb){{1, 1, 1}, {1, 1, 1}};
    boxes[5] = (tact_aabb){{1e-45f, 0, 0}, {0, 1, 1}};
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 9, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_count(set), 9);
    assert_int_equal(tact_volumes_view(set)->live, 5);
    for (uint32_t i = 0; i < 9; ++i) {
        tact_aabb box;
        assert_int_equal(tact_volumes_get_aabb(set, i, &box), TACT_OK);
        if (i < 3 || i == 5) {
            for (int k = 0; k < 6; ++k)
                assert_true(isnan(((const float*)&box)[k]));
        } else {
            assert_memory_equal(&box, &boxes[i], sizeof box);
        }
    }
    size_t count = 0;
    assert_int_equal(call_pairs_find(set, NULL, TACT_PAIRS_BRUTE, NULL, 0, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 10);
    // They come to life, and go.
    const uint32_t id[] = {2, 3, 2};
    const tact_aabb now[] = {unit, boxes[0], unit};
    assert_int_equal(tact_volumes_move_aabbs(set, id, now, 3), TACT_OK);
    assert_int_equal(tact_volumes_view(set)->live, 5);
    tact_volumes_destroy(set);

    set = set_of(context, TACT_VOLUME_SPHERE);
    const tact_sphere spheres[] = {{{0, 0, 0}, 1},        {{0, 0, 0}, 0},   {{0, 0, 0}, -1},       {{0, 0, 0}, NAN},
                                   {{0, 0, 0}, INFINITY}, {{0, NAN, 0}, 1}, {{-INFINITY, 0, 0}, 1}};
    assert_int_equal(tact_volumes_add_spheres(set, spheres, 7, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_view(set)->live, 2);
    for (uint32_t i = 0; i < 7; ++i) {
        tact_sphere sphere;
        assert_int_equal(tact_volumes_get_sphere(set, i, &sphere), TACT_OK);
        assert_memory_equal(&sphere, &spheres[i], sizeof sphere);
    }
    tact_volumes_destroy(set);
}

/// Everything that can be asked of a set, for comparison before and after an error.
typedef struct picture {
    size_t count, end, pairs;
    uint64_t version, categories_version, clock;
    uint32_t live;
    tact_aabb boxes[64];
    tact_categories categories[64];
    uint64_t user[64];
    bool used[64];
} picture;

static picture look(tact_volumes* set)
{
    picture p;
    memset(&p, 0, sizeof p);
    const tact_volume_view* view = tact_volumes_view(set);
    p.count = tact_volumes_count(set);
    p.end = tact_volumes_id_end(set);
    p.version = view->version;
    p.categories_version = view->categories_version;
    p.clock = set->clock;
    p.live = view->live;
    for (uint32_t i = 0; i < p.end; ++i) {
        p.used[i] = tact_volumes_contains(set, i);
        p.categories[i] = view->categories ? view->categories[i] : TACT_CATEGORIES_ALL;
        if (!p.used[i]) continue;
        p.boxes[i] = view->boxes[i];
        assert_int_equal(tact_volumes_get_user_data(set, i, &p.user[i]), TACT_OK);
    }
    return p;
}

TEST(errors_change_nothing)
{
    tact_context* context = KEEP(counting_context(1, NULL));
    tact_volumes* set = KEEP(set_of(context, TACT_VOLUME_AABB));
    tact_aabb boxes[20], box;
    tact_sphere spheres[20], sphere;
    for (int i = 0; i < 20; ++i) {
        boxes[i] = box_at((float)i);
        spheres[i] = (tact_sphere){{(float)i, 0, 0}, 1};
    }
    const tact_categories one = {1, 2}, categories[20] = {{1, 2}};
    uint64_t user = 5;
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 10, NULL, NULL, NULL), TACT_OK);
    const uint32_t seven = 7;
    assert_int_equal(tact_volumes_remove(set, &seven, 1), TACT_OK);
    const picture before = look(set);
    const uint32_t gone[] = {1, 7}, far[] = {1, 10}, huge[] = {0xffffffffu}, twice[] = {1, 2, 3, 2};
    const tact_result invalid = TACT_ERROR_INVALID_ARGUMENT;

    assert_int_equal(tact_volumes_add_aabbs(NULL, boxes, 1, NULL, NULL, NULL), invalid);
    assert_int_equal(tact_volumes_add_aabbs(set, NULL, 1, NULL, NULL, NULL), invalid);
    assert_int_equal(tact_volumes_add_spheres(set, spheres, 1, NULL, NULL, NULL), invalid);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, TACT_MAX_VOLUMES, NULL, NULL, NULL), TACT_ERROR_LIMIT);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, SIZE_MAX, NULL, NULL, NULL), TACT_ERROR_LIMIT);
    assert_int_equal(tact_volumes_add_aabbs(set, NULL, 0, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_remove(NULL, gone, 1), invalid);
    assert_int_equal(tact_volumes_remove(set, NULL, 1), invalid);
    assert_int_equal(tact_volumes_remove(set, NULL, 0), TACT_OK);
    assert_int_equal(tact_volumes_remove(set, gone, 2), invalid);
    assert_non_null(strstr(tact_context_error(context), "id 7"));
    assert_int_equal(tact_volumes_remove(set, far, 2), invalid);
    assert_int_equal(tact_volumes_remove(set, huge, 1), invalid);
    assert_int_equal(tact_volumes_remove(set, twice, 4), invalid);
    assert_non_null(strstr(tact_context_error(context), "id 2"));
    assert_int_equal(tact_volumes_move_aabbs(NULL, gone, boxes, 1), invalid);
    assert_int_equal(tact_volumes_move_aabbs(set, gone, NULL, 1), invalid);
    assert_int_equal(tact_volumes_move_aabbs(set, gone, boxes, 2), invalid);
    assert_int_equal(tact_volumes_move_aabbs(set, far, boxes, 2), invalid);
    assert_int_equal(tact_volumes_move_aabbs(set, NULL, boxes, 8), invalid);
    assert_int_equal(tact_volumes_move_aabbs(set, NULL, boxes, 11), invalid);
    assert_int_equal(tact_volumes_move_spheres(set, NULL, spheres, 1), invalid);
    assert_int_equal(tact_volumes_move_aabbs(set, NULL, NULL, 0), TACT_OK);
    assert_int_equal(tact_volumes_set_categories(NULL, gone, categories, 1), invalid);
    assert_int_equal(tact_volumes_set_categories(set, gone, NULL, 1), invalid);
    assert_int_equal(tact_volumes_set_categories(set, gone, categories, 2), invalid);
    assert_int_equal(tact_volumes_set_categories(set, NULL, categories, 8), invalid);
    assert_int_equal(tact_volumes_set_user_data(set, 7, 1), invalid);
    assert_int_equal(tact_volumes_set_user_data(NULL, 1, 1), invalid);
    assert_int_equal(tact_volumes_get_user_data(set, 10, &user), invalid);
    assert_int_equal(tact_volumes_get_user_data(set, 1, NULL), invalid);
    assert_int_equal(tact_volumes_get_user_data(NULL, 1, &user), invalid);
    assert_int_equal(user, 5);
    assert_int_equal(tact_volumes_get_aabb(set, 7, &box), invalid);
    assert_int_equal(tact_volumes_get_aabb(set, 1, NULL), invalid);
    assert_int_equal(tact_volumes_get_sphere(set, 1, &sphere), invalid);
    const picture after = look(set);
    assert_memory_equal(&after, &before, sizeof before);

    tact_volumes* balls = KEEP(set_of(context, TACT_VOLUME_SPHERE));
    assert_int_equal(tact_volumes_add_aabbs(balls, boxes, 1, NULL, NULL, NULL), invalid);
    assert_int_equal(tact_volumes_add_spheres(balls, spheres, 3, &categories[0], NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_move_aabbs(balls, NULL, boxes, 1), invalid);
    assert_int_equal(tact_volumes_get_aabb(balls, 0, &box), invalid);
    assert_int_equal(tact_volumes_set_categories(balls, NULL, &one, 1), TACT_OK);
}

TEST(the_callers_rounding_does_not_show)
{
    tact_context* context = KEEP(counting_context(1, NULL));
    test_random r = test_random_seeded(3);
    enum { N = 300 };
    tact_sphere spheres[N];
    for (int i = 0; i < N; ++i) {
        spheres[i] = (tact_sphere){{test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)},
                                   test_random_unit(&r)};
    }
    tact_volumes *one = set_of(context, TACT_VOLUME_SPHERE), *two = set_of(context, TACT_VOLUME_SPHERE);
    assert_int_equal(tact_volumes_add_spheres(one, spheres, N, NULL, NULL, NULL), TACT_OK);
    fesetround(FE_UPWARD);
    const tact_result added = tact_volumes_add_spheres(two, spheres, N, NULL, NULL, NULL);
    const tact_result moved = tact_volumes_move_spheres(two, NULL, spheres, N / 2);
    const int rounding = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(added, TACT_OK);
    assert_int_equal(moved, TACT_OK);
    assert_int_equal(rounding, FE_UPWARD);
    assert_memory_equal(tact_volumes_view(one)->boxes, tact_volumes_view(two)->boxes, N * sizeof(tact_aabb));
    tact_volumes_destroy(one);
    tact_volumes_destroy(two);
}

enum { IDS = 400 };

typedef struct model {
    bool used[IDS];
    tact_aabb boxes[IDS];
    tact_categories categories[IDS];
    uint64_t user[IDS];
    uint64_t born[IDS];
    size_t end, count;
} model;

static void model_add(model* m, const tact_aabb* boxes, size_t count, const tact_categories* categories,
                      const uint64_t* user, uint32_t* ids)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t id = 0;
        while (m->used[id])
            ++id;
        m->used[id] = true;
        m->boxes[id] = boxes[i];
        m->categories[id] = categories ? categories[i] : TACT_CATEGORIES_ALL;
        m->user[id] = user ? user[i] : 0;
        ids[i] = id;
        if (id >= m->end) m->end = id + 1;
        ++m->count;
    }
}

static void same_as_model(tact_volumes* set, const model* m)
{
    const tact_volume_view* view = tact_volumes_view(set);
    uint32_t live = 0;
    assert_int_equal(tact_volumes_count(set), m->count);
    assert_int_equal(tact_volumes_id_end(set), m->end);
    assert_int_equal(view->count, m->end);
    for (uint32_t id = 0; id < IDS; ++id) {
        assert_int_equal(tact_volumes_contains(set, id), m->used[id]);
        if (!m->used[id]) {
            if (id < m->end) assert_false(tact_volume_is_live(&view->boxes[id]));
            continue;
        }
        tact_aabb box;
        uint64_t user = 99;
        assert_int_equal(tact_volumes_get_aabb(set, id, &box), TACT_OK);
        const tact_aabb b = m->boxes[id];
        const bool some = b.lower.x <= b.upper.x && b.lower.y <= b.upper.y && b.lower.z <= b.upper.z;
        live += some;
        if (some) {
            assert_memory_equal(&box, &b, sizeof box);
        } else {
            for (int k = 0; k < 6; ++k)
                assert_true(isnan(((const float*)&box)[k]));
        }
        assert_int_equal(tact_volumes_get_user_data(set, id, &user), TACT_OK);
        assert_int_equal(user, m->user[id]);
        const tact_categories f = view->categories ? view->categories[id] : TACT_CATEGORIES_ALL;
        assert_memory_equal(&f, &m->categories[id], sizeof f);
        assert_true(tact_volumes_born(set, id) == m->born[id] || m->born[id] == 0);
    }
    assert_int_equal(view->live, live);
}

static tact_aabb any_box(test_random* r)
{
    tact_aabb box;
    float* const part = (float*)&box;
    for (int k = 0; k < 6; ++k)
        part[k] = test_random_below(r, 5) == 0 ? test_random_any(r) : test_random_signed(r) + (k < 3 ? 0.0f : 1.0f);
    return box;
}

static size_t choose_used(test_random* r, const model* m, uint32_t* ids, size_t most)
{
    size_t count = 0;
    for (uint32_t id = 0; id < IDS && count < most; ++id) {
        if (m->used[id] && test_random_below(r, 6) == 0) ids[count++] = id;
    }
    for (size_t i = count; i > 1; --i) {
        const uint32_t k = test_random_below(r, (uint32_t)i), id = ids[i - 1];
        ids[i - 1] = ids[k];
        ids[k] = id;
    }
    return count;
}

static void one_step(test_random* r, tact_volumes* set, model* m)
{
    uint32_t ids[IDS], expected[IDS];
    tact_aabb boxes[IDS];
    tact_categories categories[IDS];
    uint64_t user[IDS];
    for (int i = 0; i < IDS; ++i) {
        boxes[i] = any_box(r);
        categories[i] = test_random_below(r, 3) ? TACT_CATEGORIES_ALL : (tact_categories){1, test_random_below(r, 9)};
        user[i] = test_random_bits(r);
    }
    size_t count = 0;
    switch (test_random_below(r, 12)) {
        case 0:
        case 1:
        case 2: {
            count = test_random_below(r, 30);
            if (m->count + count > IDS) return;
            const tact_categories* f = test_random_below(r, 4) ? NULL : categories;
            const uint64_t* u = test_random_below(r, 4) ? NULL : user;
            assert_int_equal(tact_volumes_add_aabbs(set, boxes, count, f, u, ids), TACT_OK);
            model_add(m, boxes, count, f, u, expected);
            assert_memory_equal(ids, expected, count * sizeof *ids);
            // Known only once something was removed.
            for (size_t i = 0; i < count; ++i)
                m->born[ids[i]] = set->born ? set->clock : 0;
            break;
        }
        case 3:
        case 4:
            count = choose_used(r, m, ids, 40);
            assert_int_equal(tact_volumes_remove(set, ids, count), TACT_OK);
            for (size_t i = 0; i < count; ++i)
                m->used[ids[i]] = false;
            m->count -= count;
            break;
        case 5:
            for (count = 0; count < m->end && m->used[count];)
                ++count;
            assert_int_equal(tact_volumes_move_aabbs(set, NULL, boxes, count), TACT_OK);
            memcpy(m->boxes, boxes, count * sizeof *boxes);
            break;
        case 6:
        case 7:
            count = choose_used(r, m, ids, IDS / 2);
            // The last of two counts.
            if (count > 1) ids[count - 1] = ids[0];
            assert_int_equal(tact_volumes_move_aabbs(set, ids, boxes, count), TACT_OK);
            for (size_t i = 0; i < count; ++i)
                m->boxes[ids[i]] = boxes[i];
            break;
        case 8:
            count = choose_used(r, m, ids, IDS);
            assert_int_equal(tact_volumes_set_categories(set, ids, categories, count), TACT_OK);
            for (size_t i = 0; i < count; ++i)
                m->categories[ids[i]] = categories[i];
            break;
        case 9:
            count = choose_used(r, m, ids, 1);
            if (count == 0) return;
            assert_int_equal(tact_volumes_set_user_data(set, ids[0], user[0]), TACT_OK);
            m->user[ids[0]] = user[0];
            break;
        case 10:
            count = choose_used(r, m, ids, 20);
            ids[count] = (uint32_t)m->end;
            assert_int_equal(tact_volumes_remove(set, ids, count + 1), TACT_ERROR_INVALID_ARGUMENT);
            break;
        default:
            if (test_random_below(r, 20) > 0) return;
            tact_volumes_clear(set);
            memset(m, 0, sizeof *m);
            break;
    }
}

TEST(random_sequences_follow_the_model)
{
    tact_context* context = KEEP(counting_context(2, NULL));
    test_random r = test_random_seeded(41);
    for (int run = 0; run < 20; ++run) {
        static model m;
        memset(&m, 0, sizeof m);
        tact_volumes* set = set_of(context, TACT_VOLUME_AABB);
        for (int step = 0; step < 300; ++step) {
            const uint64_t version = tact_volumes_view(set)->version;
            one_step(&r, set, &m);
            assert_true(tact_volumes_view(set)->version >= version);
            same_as_model(set, &m);
        }
        tact_volumes_destroy(set);
    }
}

/// Many at once, on several threads: the last of an uneven count too.
TEST(many_on_all_threads)
{
    enum { N = 100003 };
    tact_context* context = KEEP(counting_context(3, NULL));
    tact_volumes *set = set_of(context, TACT_VOLUME_AABB), *balls = set_of(context, TACT_VOLUME_SPHERE);
    tact_aabb* boxes = scratch(N * sizeof *boxes);
    tact_sphere* spheres = scratch(N * sizeof *spheres);
    test_random r = test_random_seeded(5);
    for (int frame = 0; frame < 3; ++frame) {
        uint32_t live = 0, live_balls = 0;
        for (int i = 0; i < N; ++i) {
            boxes[i] = any_box(&r);
            spheres[i] = (tact_sphere){boxes[i].lower, boxes[i].upper.x};
            live += tact_aabb_pruning_box(boxes[i]).lower.x == tact_aabb_pruning_box(boxes[i]).lower.x;
            live_balls += tact_sphere_pruning_box(spheres[i]).lower.x == tact_sphere_pruning_box(spheres[i]).lower.x;
        }
        if (frame == 0) {
            assert_int_equal(tact_volumes_add_aabbs(set, boxes, N, NULL, NULL, NULL), TACT_OK);
            assert_int_equal(tact_volumes_add_spheres(balls, spheres, N, NULL, NULL, NULL), TACT_OK);
        } else {
            assert_int_equal(tact_volumes_move_aabbs(set, NULL, boxes, N), TACT_OK);
            assert_int_equal(tact_volumes_move_spheres(balls, NULL, spheres, N), TACT_OK);
        }
        const tact_volume_view* view = tact_volumes_view(set);
        assert_int_equal(view->live, live);
        assert_int_equal(tact_volumes_view(balls)->live, live_balls);
        for (uint32_t i = 0; i < N; ++i) {
            const tact_aabb box = tact_aabb_pruning_box(boxes[i]), ball = tact_sphere_pruning_box(spheres[i]);
            if (tact_volume_is_live(&box)) assert_memory_equal(&view->boxes[i], &box, sizeof box);
            assert_int_equal(tact_volume_is_live(&view->boxes[i]), tact_volume_is_live(&box));
            const tact_aabb* got = &tact_volumes_view(balls)->boxes[i];
            if (tact_volume_is_live(&ball)) assert_memory_equal(got, &ball, sizeof ball);
            assert_int_equal(tact_volume_is_live(got), tact_volume_is_live(&ball));
        }
    }
    tact_volumes_destroy(balls);
    tact_volumes_destroy(set);
}

/// A program of calls; each either succeeds or says that memory is out and leaves the set as it was.
static bool work(counting_allocator* counter, tact_context* context)
{
    tact_volumes* set = NULL;
    const tact_volumes_desc desc = {.reserve = 3};
    if (tact_volumes_create(context, &desc, &set) != TACT_OK) {
        assert_null(set);
        return false;
    }
    tact_aabb boxes[40];
    tact_categories categories[40];
    uint64_t user[40];
    for (int i = 0; i < 40; ++i) {
        boxes[i] = box_at((float)i);
        categories[i] = (tact_categories){1u << i % 8, 255};
        user[i] = (uint64_t)i;
    }
    static const uint32_t some[] = {2, 0};
    bool all = true;
    for (int step = 0; step < 7; ++step) {
        const picture before = look(set);
        tact_result result = TACT_OK;
        switch (step) {
            case 0:
                result = tact_volumes_add_aabbs(set, boxes, 3, NULL, NULL, NULL);
                break;
            case 1:
                result = tact_volumes_set_user_data(set, 0, 8);
                break;
            case 2:
                result = tact_volumes_remove(set, some, 2);
                break;
            case 3:
                result = tact_volumes_add_aabbs(set, boxes, 20, categories, user, NULL);
                break;
            case 4:
                result = tact_volumes_set_categories(set, some, categories, 1);
                break;
            case 5:
                result = tact_volumes_add_aabbs(set, boxes, 40, categories, user, NULL);
                break;
            default:
                result = tact_volumes_move_aabbs(set, NULL, boxes, 1);
                break;
        }
        if (result == TACT_OK) continue;
        all = false;
        if (result == TACT_ERROR_INVALID_ARGUMENT) continue;  // for what an earlier step did not do
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_true(counter->failed);
        const picture after = look(set);
        assert_memory_equal(&after, &before, sizeof before);
    }
    tact_volumes_destroy(set);
    return all;
}

TEST(every_allocation_may_fail)
{
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counting_allocator counter = {0};
        tact_context* context = counting_context(1, &counter);
        counter.requests = 0;
        counter.fail_at = n;
        const bool all = work(&counter, context);
        const bool failed = counter.failed;
        tact_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (!failed) {
            assert_true(all);
            break;
        }
        ++failures;
    }
    print_message("%zu allocations, each failed once\n", failures);
    assert_true(failures >= 8);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
