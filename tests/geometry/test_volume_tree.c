// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Trees of volumes against looking at all boxes, while boxes come, go and move.

#include "tests/support/run.h"

#include "tact/geometry/aabb.h"
#include "tact/geometry/ray.h"
#include "tact/geometry/volume_tree.h"
#include "tests/geometry/boxes.h"
#include "tests/geometry/vectors.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

enum { MOST = 3000 };

/// What a tree should hold.
typedef struct model {
    tact_volume_tree* tree;
    tact_aabb boxes[MOST];
    bool there[MOST];
    uint32_t end, count;
} model;

static void destroy(void* m)
{
    tact_volume_tree_destroy(((model*)m)->tree);
}

/// Sizes over several orders, some boxes flat or points, some alike.
static tact_aabb random_box(test_random* r, float world)
{
    const uint32_t kind = test_random_below(r, 16);
    const tact_vec3 at = test_vec3(r, world);
    const float size = kind == 0 ? world : kind < 3 ? 0.0f : 0.05f * world * test_random_unit(r);
    tact_aabb b = {at, at};
    b.upper.x += size * test_random_unit(r);
    b.upper.y += kind == 3 ? 0.0f : size * test_random_unit(r);
    b.upper.z += size * test_random_unit(r);
    if (kind == 4) {
        b.lower = v3(floorf(at.x), floorf(at.y), floorf(at.z));
        b.upper = v3(b.lower.x + 1.0f, b.lower.y + 1.0f, b.lower.z + 1.0f);
    }
    return b;
}

static model* model_of(test_random* r, uint32_t count, float world, tact_volume_tree_quality quality)
{
    model* m = scratch_zeroed(1, sizeof *m);
    for (uint32_t i = 0; i < count; ++i) {
        m->boxes[i] = random_box(r, world);
        m->there[i] = true;
    }
    m->end = m->count = count;
    assert_int_equal(tact_volume_tree_create(m->boxes, count, quality, NULL, &m->tree), TACT_OK);
    at_end(destroy, m);
    return m;
}

// What a search reports.

typedef struct seen {
    uint8_t times[MOST];
    uint32_t count, stop_after;
} seen;

static bool see(uint32_t id, void* user)
{
    seen* s = user;
    assert_true(id < MOST);
    ++s->times[id];
    return ++s->count != s->stop_after;
}

static void compare_searches(const model* m, test_random* r, float world)
{
    seen* s = scratch(sizeof *s);
    const tact_aabb box = random_box(r, world);
    const tact_sphere sphere = {test_vec3(r, world), 0.3f * world * test_random_unit(r)};
    memset(s, 0, sizeof *s);
    assert_true(tact_volume_tree_each_in_box(m->tree, box, see, s));
    for (uint32_t i = 0; i < m->end; ++i)
        assert_int_equal(s->times[i], m->there[i] && tact_aabb_overlaps_aabb(box, m->boxes[i]));
    memset(s, 0, sizeof *s);
    assert_true(tact_volume_tree_each_in_sphere(m->tree, sphere, see, s));
    for (uint32_t i = 0; i < m->end; ++i)
        assert_int_equal(s->times[i], m->there[i] && tact_sphere_overlaps_aabb(sphere, m->boxes[i]));
}

static tact_frustum random_frustum(test_random* r, float world)
{
    tact_vec3 axis[3];
    test_frame(r, axis);
    const tact_vec3 eye = test_vec3(r, world);
    const float wide = 0.2f + test_random_unit(r), far = world * (0.2f + test_random_unit(r));
    tact_plane planes[6];
    for (int i = 0; i < 4; ++i) {
        const float side = i % 2 ? 1.0f : -1.0f;
        const tact_vec3 out = axis[i / 2];
        const tact_vec3 n =
            v3(side * out.x - wide * axis[2].x, side * out.y - wide * axis[2].y, side * out.z - wide * axis[2].z);
        planes[i] = (tact_plane){n, n.x * eye.x + n.y * eye.y + n.z * eye.z};
    }
    const float along = axis[2].x * eye.x + axis[2].y * eye.y + axis[2].z * eye.z;
    planes[4] = (tact_plane){v3(-axis[2].x, -axis[2].y, -axis[2].z), -(along + 0.01f * far)};
    planes[5] = (tact_plane){axis[2], along + far};
    tact_frustum f;
    assert_true(tact_frustum_from_planes(planes, &f));
    return f;
}

static void compare_frusta(const model* m, test_random* r, float world)
{
    seen* s = scratch_zeroed(1, sizeof *s);
    const tact_frustum f = random_frustum(r, world);
    assert_true(tact_volume_tree_each_in_frustum(m->tree, &f, see, s));
    for (uint32_t i = 0; i < m->end; ++i)
        assert_int_equal(s->times[i], m->there[i] && tact_frustum_aabb(&f, m->boxes[i]) != TACT_OUTSIDE);
}

// Rays.

typedef struct shot {
    const model* m;
    seen seen;
    bool closest;
} shot;

static float meet(uint32_t id, const tact_ray* ray, float end, void* user)
{
    shot* s = user;
    see(id, &s->seen);
    if (!s->closest) return end;
    const tact_ray_solid_hit hit = tact_ray_aabb(ray, &s->m->boxes[id]);
    return hit.hit ? hit.t : NAN;
}

static tact_ray random_ray(test_random* r, float world)
{
    const tact_vec3 o = test_vec3(r, 1.2f * world), to = test_vec3(r, world);
    tact_ray ray = {o.x, o.y, o.z, 0.0f, to.x - o.x, to.y - o.y, to.z - o.z, 3.0f * test_random_unit(r)};
    const uint32_t kind = test_random_below(r, 6);
    if (kind == 0) ray.dx = 0.0f;
    if (kind == 1) ray.dx = ray.dz = 0.0f;
    if (kind == 2) ray.tmin = -INFINITY;
    if (kind < 4) ray.tmax = INFINITY;
    return ray;
}

static void compare_rays(const model* m, test_random* r, float world)
{
    shot* s = scratch_zeroed(1, sizeof *s);
    const tact_ray ray = random_ray(r, world);
    float first = ray.tmax;
    s->m = m;
    assert_true(tact_volume_tree_ray(m->tree, &ray, meet, s) == ray.tmax);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < m->end; ++i) {
        const tact_ray_solid_hit hit = tact_ray_aabb(&ray, &m->boxes[i]);
        assert_int_equal(s->seen.times[i], m->there[i] && hit.hit);
        if (!m->there[i] || !hit.hit) continue;
        first = hit.t < first ? hit.t : first;
        ++hits;
    }
    memset(&s->seen, 0, sizeof s->seen);
    s->closest = true;
    assert_true(tact_volume_tree_ray(m->tree, &ray, meet, s) == first);
    assert_true(s->seen.count <= hits);
}

// The nearest.

typedef struct target {
    const model* m;
    uint32_t asked;
} target;

/// What is in a box: its upper corner.
static float corner_distance(uint32_t id, tact_vec3 p, float limit2, void* user)
{
    target* t = user;
    const tact_vec3 c = t->m->boxes[id].upper;
    const double x = (double)c.x - (double)p.x, y = (double)c.y - (double)p.y, z = (double)c.z - (double)p.z;
    const float d = (float)(x * x + y * y + z * z);
    ++t->asked;
    if (id % 17 == 16) return NAN;
    return d <= limit2 ? d : INFINITY;
}

static float no_box_distance(const tact_aabb* b, tact_vec3 p)
{
    double sum = 0.0;
    const float* l = &b->lower.x;
    const float* u = &b->upper.x;
    const float at[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
        const double d = fmax(0.0, fmax((double)l[k] - (double)at[k], (double)at[k] - (double)u[k]));
        sum += d * d;
    }
    return (float)sum;
}

static int by_distance(const void* a, const void* b)
{
    const tact_volume_neighbour *x = a, *y = b;
    if (x->distance2 != y->distance2) return x->distance2 < y->distance2 ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void compare_nearest(const model* m, test_random* r, float world)
{
    tact_volume_neighbour *all = scratch(MOST * sizeof *all), *found = scratch(MOST * sizeof *found);
    const tact_vec3 p = test_vec3(r, world);
    const bool corners = test_random_below(r, 2) == 0;
    const uint32_t most = 1 + test_random_below(r, test_random_below(r, 8) ? 9 : MOST);
    const float limit2 = test_random_below(r, 3) ? INFINITY : 0.1f * world * world * test_random_unit(r);
    target t = {.m = m};
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->end; ++i) {
        if (!m->there[i]) continue;
        const float d = corners ? corner_distance(i, p, limit2, &t) : no_box_distance(&m->boxes[i], p);
        if (d <= limit2 && d < INFINITY) all[count++] = (tact_volume_neighbour){i, d};
    }
    qsort(all, count, sizeof *all, by_distance);
    const size_t got = tact_volume_tree_nearest(m->tree, p, limit2, corners ? corner_distance : NULL, &t, found, most);
    assert_int_equal(got, count < most ? count : most);
    for (size_t i = 0; i < got; ++i) {
        assert_int_equal(found[i].id, all[i].id);
        assert_true(found[i].distance2 == all[i].distance2);
    }
}

// Pairs.

typedef struct pair_seen {
    uint8_t* times;  ///< by a and b
    size_t count, stop_after;
} pair_seen;

static bool see_pair(uint32_t a, uint32_t b, void* user)
{
    pair_seen* s = user;
    assert_true(a < MOST && b < MOST);
    ++s->times[(size_t)a * MOST + b];
    return ++s->count != s->stop_after;
}

static size_t expect_pairs(const model* a, const model* b, const pair_seen* s)
{
    size_t count = 0;
    for (uint32_t i = 0; i < a->end; ++i) {
        for (uint32_t k = 0; k < b->end; ++k) {
            const bool pair =
                a->there[i] && b->there[k] && (a != b || i < k) && tact_aabb_overlaps_aabb(a->boxes[i], b->boxes[k]);
            if (s->times[(size_t)i * MOST + k] != pair) fail_msg("%u and %u: %d", i, k, pair);
            count += pair;
        }
    }
    return count;
}

static uint8_t* pair_table(void)
{
    return scratch_zeroed((size_t)MOST * MOST, 1);
}

static bool pass_pair(uint32_t a, uint32_t b, void* user)
{
    (void)a, (void)b, (void)user;
    return true;
}

/// What is compared is opened, or is where a search of the front ends.
static void compare_counts(const model* a, const model* b, size_t found)
{
    for (int rule = 0; rule < 4; ++rule) {
        const tact_volume_pair_counts n = tact_volume_tree_count_pairs(a->tree, b->tree, (tact_descent)rule);
        tact_volume_front* front;
        assert_int_equal(tact_volume_front_create(a->tree, b->tree, (tact_descent)rule, SIZE_MAX, NULL, &front),
                         TACT_OK);
        assert_true(tact_volume_front_each_pair(front, pass_pair, NULL));
        assert_int_equal(n.found, found);
        assert_int_equal(n.tested, n.opened + tact_volume_front_size(front));
        if (a != b && rule != TACT_DESCEND_BOTH) assert_int_equal(n.tested, 1 + 2 * n.opened);
        if (a != b) assert_true(n.tested >= 1 + 2 * n.opened && n.tested <= 1 + 4 * n.opened);
        for (int i = 0; i < 4; ++i)
            assert_int_equal(n.reserved[i], 0);
        tact_volume_front_destroy(front);
    }
}

static void compare_pairs(const model* a, const model* b)
{
    pair_seen s = {.times = pair_table()};
    size_t counts[4];
    for (int rule = 0; rule < 4; ++rule) {
        memset(s.times, 0, (size_t)MOST * MOST);
        s.count = 0;
        assert_true(tact_volume_tree_each_pair(a->tree, b->tree, (tact_descent)rule, see_pair, &s));
        counts[rule] = s.count;
        assert_int_equal(expect_pairs(a, b, &s), counts[rule]);
        assert_int_equal(counts[rule], counts[0]);
    }
    compare_counts(a, b, counts[0]);
    size_t count = 0;
    uint32_t* pairs = scratch(2 * counts[0] * sizeof *pairs + 1);
    const tact_result result = tact_volume_tree_pairs(a->tree, b->tree, TACT_DESCEND_BOTH, NULL, 0, &count);
    assert_int_equal(result, counts[0] ? TACT_INCOMPLETE : TACT_OK);
    assert_int_equal(count, counts[0]);
    assert_int_equal(tact_volume_tree_pairs(a->tree, b->tree, TACT_DESCEND_LARGER, pairs, count, &count), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(s.times[(size_t)pairs[2 * i] * MOST + pairs[2 * i + 1]], 1);
        if (i == 0) continue;
        assert_true(pairs[2 * i - 2] < pairs[2 * i] ||
                    (pairs[2 * i - 2] == pairs[2 * i] && pairs[2 * i - 1] < pairs[2 * i + 1]));
    }
}

static void compare_all(const model* m, test_random* r, float world, int rounds)
{
    const tact_volume_tree_info info = tact_volume_tree_get_info(m->tree);
    assert_int_equal(info.count, m->count);
    assert_int_equal(info.id_end, m->end);
    assert_true(info.height <= TACT_VOLUME_TREE_HEIGHT);
    for (int i = 0; i < rounds; ++i) {
        compare_searches(m, r, world);
        compare_frusta(m, r, world);
        compare_rays(m, r, world);
        compare_nearest(m, r, world);
    }
    for (uint32_t i = 0; i < m->end + 2 && i < MOST; ++i) {
        const tact_aabb b = tact_volume_tree_box(m->tree, i);
        assert_true(m->there[i] ? same_vec(b.lower, m->boxes[i].lower) && same_vec(b.upper, m->boxes[i].upper)
                                : tact_aabb_is_empty(b));
    }
}

static const uint32_t sizes[] = {0, 1, 2, 3, 4, 7, 33, 400, 1500};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

TEST(searches_find_what_all_boxes_say)
{
    test_random r = test_random_seeded(901);
    for (int quality = 0; quality < 3; ++quality) {
        for (int i = 0; i < SIZES; ++i) {
            const model* m = model_of(&r, sizes[i], 10.0f, (tact_volume_tree_quality)quality);
            compare_all(m, &r, 10.0f, (int)effort(20, 200));
        }
    }
}

TEST(pairs_are_those_of_all_boxes_by_every_rule)
{
    test_random r = test_random_seeded(902);
    for (int i = 0; i < SIZES; ++i) {
        const model* a = model_of(&r, sizes[i], 10.0f, TACT_VOLUME_TREE_MEDIUM);
        const model* b = model_of(&r, sizes[(i + 3) % SIZES], 8.0f, TACT_VOLUME_TREE_FAST);
        compare_pairs(a, b);
        compare_pairs(b, a);
        compare_pairs(a, a);
    }
}

/// Puts in, takes out and moves boxes at random.
static void change(model* m, test_random* r, float world)
{
    const uint32_t kind = test_random_below(r, 8);
    uint32_t id = m->end ? test_random_below(r, m->end) : 0;
    if ((kind < 3 && m->count < MOST - 1) || m->count == 0) {
        const tact_aabb box = random_box(r, world);
        const uint32_t most = m->count == m->end ? m->end : m->end - 1;
        assert_int_equal(tact_volume_tree_insert(m->tree, box, &id), TACT_OK);
        assert_true(id <= most && !m->there[id]);
        m->end += id == m->end;
        m->boxes[id] = box;
        m->there[id] = true;
        ++m->count;
    } else if (!m->there[id]) {
        assert_int_equal(tact_volume_tree_remove(m->tree, id), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_volume_tree_move(m->tree, id, random_box(r, world)), TACT_ERROR_INVALID_ARGUMENT);
    } else if (kind < 6) {
        assert_int_equal(tact_volume_tree_remove(m->tree, id), TACT_OK);
        m->there[id] = false;
        --m->count;
    } else {
        tact_aabb box = random_box(r, world);
        const tact_vec3 d = test_vec3(r, 0.02f * world);
        if (kind == 6) box = tact_aabb_translate(m->boxes[id], d);
        assert_int_equal(tact_volume_tree_move(m->tree, id, box), TACT_OK);
        m->boxes[id] = box;
    }
}

TEST(changes_keep_every_search_right)
{
    test_random r = test_random_seeded(903);
    for (int start = 0; start < 3; ++start) {
        model* m = model_of(&r, start == 0 ? 0 : start == 1 ? 1 : 600, 10.0f, TACT_VOLUME_TREE_MEDIUM);
        for (size_t step = 0; step < effort(60, 600); ++step) {
            for (int i = 0; i < (start == 2 ? 40 : 3); ++i)
                change(m, &r, 10.0f);
            compare_all(m, &r, 10.0f, 2);
            if (step % 16 == 15) tact_volume_tree_optimise(m->tree, 1);
            if (step % 16 == 7)
                assert_int_equal(tact_volume_tree_rebuild(m->tree, (tact_volume_tree_quality)(step % 3)), TACT_OK);
        }
        compare_pairs(m, m);
        while (m->count > 0) {
            uint32_t id = 0;
            while (!m->there[id])
                ++id;
            assert_int_equal(tact_volume_tree_remove(m->tree, id), TACT_OK);
            m->there[id] = false;
            --m->count;
            if (m->count < 5) compare_all(m, &r, 10.0f, 1);
        }
        assert_true(tact_volume_tree_get_info(m->tree).cost == 0.0);
    }
}

TEST(refits_keep_every_search_right)
{
    test_random r = test_random_seeded(904);
    model* m = model_of(&r, 800, 10.0f, TACT_VOLUME_TREE_HIGH);
    for (int i = 0; i < 200; ++i)
        change(m, &r, 10.0f);
    for (int round = 0; round < 12; ++round) {
        for (uint32_t i = 0; i < m->end; ++i) {
            const tact_vec3 d = test_vec3(&r, round % 3 ? 0.5f : 20.0f);
            m->boxes[i] = m->there[i] ? tact_aabb_translate(m->boxes[i], d) : (tact_aabb){{NAN, 0, 0}, {0, 0, 0}};
        }
        assert_int_equal(tact_volume_tree_refit(m->tree, m->boxes, m->end), TACT_OK);
        compare_all(m, &r, 20.0f, 5);
    }
    compare_pairs(m, m);
    assert_int_equal(tact_volume_tree_refit(m->tree, m->boxes, m->end - 1), TACT_ERROR_INVALID_ARGUMENT);
    uint32_t id = 0;
    while (!m->there[id])
        ++id;
    const tact_aabb was = m->boxes[id];
    m->boxes[id].lower.y = INFINITY;
    assert_int_equal(tact_volume_tree_refit(m->tree, m->boxes, m->end), TACT_ERROR_INVALID_ARGUMENT);
    m->boxes[id] = was;
    compare_all(m, &r, 20.0f, 5);
}

/// Boxes that come in an order which makes plain insertion a list: each beside all that came before, and far larger.
TEST(no_order_makes_a_tree_too_high)
{
    test_random r = test_random_seeded(905);
    for (int kind = 0; kind < 3; ++kind) {
        model* m = model_of(&r, 0, 1.0f, TACT_VOLUME_TREE_MEDIUM);
        float at = 1e-18f;
        for (uint32_t i = 0; i < 600; ++i) {
            tact_aabb box = {{at, 0, 0}, {1.01f * at, 0, 0}};
            if (kind == 1) box = (tact_aabb){{0, 0, 0}, {at, at, at}};
            if (kind == 2) box = (tact_aabb){{at, at, at}, {at, at, at}};
            at *= 1.2f;
            uint32_t id;
            assert_int_equal(tact_volume_tree_insert(m->tree, box, &id), TACT_OK);
            assert_int_equal(id, i);
            m->boxes[id] = box;
            m->there[id] = true;
            m->end = m->count = i + 1;
            assert_true(tact_volume_tree_get_info(m->tree).height <= TACT_VOLUME_TREE_HEIGHT);
        }
        compare_all(m, &r, 1e6f, 20);
        tact_volume_tree_optimise(m->tree, 4);
        compare_all(m, &r, 1e6f, 20);
        compare_pairs(m, m);
    }
}

TEST(better_trees_cost_less)
{
    test_random r = test_random_seeded(906);
    const model* fast = model_of(&r, 2000, 10.0f, TACT_VOLUME_TREE_FAST);
    tact_volume_tree *medium, *high, *grown;
    uint32_t id;
    assert_int_equal(tact_volume_tree_create(fast->boxes, 2000, TACT_VOLUME_TREE_MEDIUM, NULL, &medium), TACT_OK);
    assert_int_equal(tact_volume_tree_create(fast->boxes, 2000, TACT_VOLUME_TREE_HIGH, NULL, &high), TACT_OK);
    assert_int_equal(tact_volume_tree_create(NULL, 0, TACT_VOLUME_TREE_FAST, NULL, &grown), TACT_OK);
    for (uint32_t i = 0; i < 2000; ++i)
        assert_int_equal(tact_volume_tree_insert(grown, fast->boxes[i], &id), TACT_OK);
    const double costs[4] = {tact_volume_tree_get_info(fast->tree).cost, tact_volume_tree_get_info(medium).cost,
                             tact_volume_tree_get_info(high).cost, tact_volume_tree_get_info(grown).cost};
    assert_true(costs[1] < costs[0] && costs[2] < costs[1] && costs[3] < 1.2 * costs[1]);
    const double better = tact_volume_tree_optimise(fast->tree, 8);
    assert_true(better < 1.1 * costs[1] && better == tact_volume_tree_get_info(fast->tree).cost);
    tact_volume_tree_destroy(medium);
    tact_volume_tree_destroy(high);
    tact_volume_tree_destroy(grown);
}

// ---- Searches in numbers ----

TEST(lists_are_in_order_and_never_cut_short_unseen)
{
    enum { SEARCHES = 60 };
    test_random r = test_random_seeded(907);
    const model* m = model_of(&r, 900, 10.0f, TACT_VOLUME_TREE_MEDIUM);
    tact_aabb boxes[SEARCHES];
    tact_sphere spheres[SEARCHES];
    tact_frustum frusta[SEARCHES];
    uint64_t offsets[SEARCHES + 1];
    uint32_t* ids = scratch(SEARCHES * MOST * sizeof *ids);
    for (int i = 0; i < SEARCHES; ++i) {
        boxes[i] = random_box(&r, 10.0f);
        spheres[i] = (tact_sphere){test_vec3(&r, 10.0f), 4.0f * test_random_unit(&r)};
        frusta[i] = random_frustum(&r, 10.0f);
    }
    for (int kind = 0; kind < 3; ++kind) {
        tact_volume_tree_work work = {.boxes = kind == 0 ? boxes : NULL,
                                      .spheres = kind == 1 ? spheres : NULL,
                                      .frusta = kind == 2 ? frusta : NULL,
                                      .count = SEARCHES,
                                      .offsets = offsets};
        assert_int_equal(tact_volume_tree_find(m->tree, &work), TACT_INCOMPLETE);
        const size_t all = (size_t)offsets[SEARCHES];
        for (int part = 0; part < 2; ++part) {
            work.ids = ids;
            work.capacity = part ? all : all / 2;
            memset(ids, 0xff, SEARCHES * MOST * sizeof *ids);
            assert_int_equal(tact_volume_tree_find(m->tree, &work), part ? TACT_OK : TACT_INCOMPLETE);
            assert_int_equal(offsets[SEARCHES], all);
            for (size_t i = work.capacity; i < all; ++i)
                assert_int_equal(ids[i], UINT32_MAX);
            for (int i = 0; i < SEARCHES && offsets[i + 1] <= work.capacity; ++i) {
                uint64_t next = offsets[i];
                for (uint32_t k = 0; k < m->end; ++k) {
                    const bool in = kind == 0   ? tact_aabb_overlaps_aabb(boxes[i], m->boxes[k])
                                    : kind == 1 ? tact_sphere_overlaps_aabb(spheres[i], m->boxes[k])
                                                : tact_frustum_aabb(&frusta[i], m->boxes[k]) != TACT_OUTSIDE;
                    if (in) assert_int_equal(ids[next++], k);
                }
                assert_int_equal(next, offsets[i + 1]);
            }
        }
    }
    const tact_volume_tree_work none = {.offsets = offsets},
                                two = {.boxes = boxes, .spheres = spheres, .offsets = offsets};
    assert_int_equal(tact_volume_tree_find(m->tree, &none), TACT_OK);
    assert_int_equal(tact_volume_tree_find(m->tree, &two), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(a_caller_ends_a_search)
{
    test_random r = test_random_seeded(908);
    const model* m = model_of(&r, 900, 1.0f, TACT_VOLUME_TREE_MEDIUM);
    const tact_aabb all = {{-9, -9, -9}, {9, 9, 9}};
    seen* s = scratch_zeroed(1, sizeof *s);
    s->stop_after = 5;
    assert_false(tact_volume_tree_each_in_box(m->tree, all, see, s));
    assert_int_equal(s->count, 5);
    s->count = 0;
    assert_false(tact_volume_tree_each_in_sphere(m->tree, (tact_sphere){{0, 0, 0}, 9}, see, s));
    assert_int_equal(s->count, 5);
    pair_seen p = {.times = pair_table(), .stop_after = 7};
    assert_false(tact_volume_tree_each_pair(m->tree, m->tree, TACT_DESCEND_BOTH, see_pair, &p));
    assert_int_equal(p.count, 7);
}

/// Most boxes are as near as each other, so that the queue has no room for them.
TEST(ties_and_full_queues_do_no_harm)
{
    test_random r = test_random_seeded(909);
    model* m = model_of(&r, 0, 1.0f, TACT_VOLUME_TREE_MEDIUM);
    for (uint32_t i = 0; i < 2500; ++i) {
        tact_vec3 axis[3];
        test_frame(&r, axis);
        m->boxes[i] = (tact_aabb){axis[0], axis[0]};
        if (i % 2) m->boxes[i] = (tact_aabb){{1, 0, 0}, {1, 0, 0}};
        m->there[i] = true;
    }
    m->end = m->count = 2500;
    tact_volume_tree_destroy(m->tree);
    assert_int_equal(tact_volume_tree_create(m->boxes, m->end, TACT_VOLUME_TREE_FAST, NULL, &m->tree), TACT_OK);
    tact_volume_neighbour* found = scratch(MOST * sizeof *found);
    const size_t got = tact_volume_tree_nearest(m->tree, v3(0, 0, 0), INFINITY, NULL, NULL, found, 2500);
    assert_int_equal(got, 2500);
    for (size_t i = 1; i < got; ++i)
        assert_true(by_distance(&found[i - 1], &found[i]) < 0);
    assert_int_equal(tact_volume_tree_nearest(m->tree, v3(5, 0, 0), 16.0f, NULL, NULL, found, 3), 3);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(found[i].id, 2 * i + 1);
    for (int i = 0; i < 40; ++i)
        compare_nearest(m, &r, 1.0f);
}

// ---- Fronts and witnesses ----

static void jiggle(model* m, test_random* r, float by)
{
    for (uint32_t i = 0; i < m->end; ++i)
        m->boxes[i] = tact_aabb_translate(m->boxes[i], test_vec3(r, by));
    assert_int_equal(tact_volume_tree_refit(m->tree, m->boxes, m->end), TACT_OK);
}

static void follow(model* a, model* b, size_t limit, test_random* r)
{
    tact_volume_front* front = NULL;
    pair_seen s = {.times = pair_table()};
    uint32_t id;
    size_t kept = 0;
    assert_int_equal(tact_volume_front_create(a->tree, b->tree, TACT_DESCEND_LARGER, limit, NULL, &front), TACT_OK);
    assert_int_equal(tact_volume_front_size(front), 0);
    for (int step = 0; step < 30; ++step) {
        memset(s.times, 0, (size_t)MOST * MOST);
        s.count = s.stop_after = 0;
        assert_true(tact_volume_front_each_pair(front, see_pair, &s));
        assert_int_equal(expect_pairs(a, b, &s), s.count);
        const size_t size = tact_volume_front_size(front);
        assert_true(limit == 0 || size <= limit);
        kept += size > 0;
        if (step % 8 == 3) {
            s.stop_after = s.count / 2 + 1;
            s.count = 0;
            assert_false(tact_volume_front_each_pair(front, see_pair, &s));
            assert_int_equal(tact_volume_front_size(front), size);
        }
        jiggle(a, r, step == 20 ? 6.0f : 0.05f);
        if (step % 10 == 9) {
            const tact_aabb box = a->boxes[5];
            assert_int_equal(tact_volume_tree_remove(a->tree, 5), TACT_OK);
            assert_int_equal(tact_volume_tree_insert(a->tree, box, &id), TACT_OK);
            assert_int_equal(id, 5);
            assert_int_equal(tact_volume_front_size(front), 0);
        }
    }
    assert_true(limit == 1 ? kept == 0 : kept > 20);
    tact_volume_front_destroy(front);
}

TEST(fronts_find_the_same_pairs_after_any_change)
{
    test_random r = test_random_seeded(910);
    model* a = model_of(&r, 500, 10.0f, TACT_VOLUME_TREE_MEDIUM);
    model* b = model_of(&r, 300, 10.0f, TACT_VOLUME_TREE_MEDIUM);
    follow(a, b, 0, &r);
    follow(a, a, 0, &r);
    follow(a, b, 1, &r);
}

typedef struct some_pair {
    uint32_t a, b, asked;
} some_pair;

static bool is_some_pair(uint32_t a, uint32_t b, void* user)
{
    some_pair* p = user;
    ++p->asked;
    return a == p->a && b == p->b;
}

TEST(a_witness_is_tried_first)
{
    test_random r = test_random_seeded(911);
    model* a = model_of(&r, 400, 4.0f, TACT_VOLUME_TREE_MEDIUM);
    const model* b = model_of(&r, 400, 4.0f, TACT_VOLUME_TREE_MEDIUM);
    size_t count;
    uint32_t* pairs = scratch(2 * MOST * 40 * sizeof *pairs);
    assert_int_equal(tact_volume_tree_pairs(a->tree, b->tree, TACT_DESCEND_FIRST, pairs, MOST * 40, &count), TACT_OK);
    assert_true(count > 100);
    some_pair p = {.a = pairs[100], .b = pairs[101]};
    tact_volume_witness w = {TACT_VOLUME_TREE_NONE, TACT_VOLUME_TREE_NONE};
    assert_true(tact_volume_tree_touch(a->tree, b->tree, TACT_DESCEND_BOTH, is_some_pair, &p, &w));
    assert_true(w.a == p.a && w.b == p.b && p.asked > 1);
    p.asked = 0;
    assert_true(tact_volume_tree_touch(a->tree, b->tree, TACT_DESCEND_BOTH, is_some_pair, &p, &w));
    assert_int_equal(p.asked, 1);
    assert_int_equal(tact_volume_tree_remove(a->tree, w.a), TACT_OK);
    assert_false(tact_volume_tree_touch(a->tree, b->tree, TACT_DESCEND_BOTH, is_some_pair, &p, &w));
    assert_true(w.a == p.a && w.b == p.b);
    assert_true(!tact_volume_tree_touch(a->tree, b->tree, TACT_DESCEND_BOTH, is_some_pair, &p, NULL));
}

// ---- What is refused ----

TEST(what_is_no_box_is_refused)
{
    const tact_aabb good = {{0, 0, 0}, {1, 1, 1}};
    const tact_aabb bad[] = {{{NAN, 0, 0}, {1, 1, 1}},
                             {{0, 0, 0}, {1, NAN, 1}},
                             {{0, 2, 0}, {1, 1, 1}},
                             {{0, 0, -INFINITY}, {1, 1, 1}},
                             {{0, 0, 0}, {1, 1, INFINITY}}};
    tact_volume_tree* tree = NULL;
    uint32_t id;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const tact_aabb two[2] = {good, bad[i]};
        assert_int_equal(tact_volume_tree_create(two, 2, TACT_VOLUME_TREE_MEDIUM, NULL, &tree),
                         TACT_ERROR_INVALID_ARGUMENT);
        assert_null(tree);
        assert_string_equal(tact_last_error(), "boxes[1] is empty, infinite or has a NaN");
    }
    assert_int_equal(tact_volume_tree_create(&good, 1, (tact_volume_tree_quality)3, NULL, &tree),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        tact_volume_tree_create(&good, (size_t)TACT_VOLUME_TREE_LIMIT + 1, TACT_VOLUME_TREE_FAST, NULL, &tree),
        TACT_ERROR_LIMIT);
    assert_int_equal(tact_volume_tree_create(&good, 1, TACT_VOLUME_TREE_MEDIUM, NULL, &tree), TACT_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(tact_volume_tree_insert(tree, bad[i], &id), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(id, TACT_VOLUME_TREE_NONE);
        assert_int_equal(tact_volume_tree_move(tree, 0, bad[i]), TACT_ERROR_INVALID_ARGUMENT);
    }
    seen* s = scratch_zeroed(1, sizeof *s);
    assert_true(tact_volume_tree_each_in_box(tree, bad[0], see, s));
    assert_true(tact_volume_tree_each_in_sphere(tree, (tact_sphere){{0, NAN, 0}, 1}, see, s));
    assert_true(tact_volume_tree_each_in_sphere(tree, (tact_sphere){{0, 0, 0}, -1}, see, s));
    assert_int_equal(s->count, 0);
    assert_true(tact_volume_tree_each_in_box(tree, (tact_aabb){{-INFINITY, 0, 0}, {INFINITY, 1, 1}}, see, s));
    assert_int_equal(s->count, 1);
    tact_volume_neighbour n;
    assert_int_equal(tact_volume_tree_nearest(tree, v3(NAN, 0, 0), 1, NULL, NULL, &n, 1), 0);
    assert_int_equal(tact_volume_tree_nearest(tree, v3(0, 0, 0), NAN, NULL, NULL, &n, 1), 0);
    assert_int_equal(tact_volume_tree_nearest(tree, v3(0, 0, 0), 0, NULL, NULL, &n, 1), 1);
    // The largest numbers there are.
    const float most = 3.4e38f;
    assert_int_equal(tact_volume_tree_insert(tree, (tact_aabb){{-most, -most, -most}, {most, most, most}}, &id),
                     TACT_OK);
    assert_int_equal(tact_volume_tree_insert(tree, (tact_aabb){{most, most, most}, {most, most, most}}, &id), TACT_OK);
    assert_int_equal(tact_volume_tree_nearest(tree, v3(-most, 0, 0), INFINITY, NULL, NULL, &n, 1), 1);
    assert_int_equal(n.id, 1);
    assert_int_equal(tact_volume_tree_rebuild(tree, TACT_VOLUME_TREE_HIGH), TACT_OK);
    assert_int_equal(tact_volume_tree_rebuild(tree, TACT_VOLUME_TREE_FAST), TACT_OK);
    tact_volume_tree_destroy(tree);
    tact_volume_tree_destroy(NULL);
    tact_volume_front_destroy(NULL);
    assert_int_equal(tact_volume_tree_get_info(NULL).count, 0);
    assert_int_equal(tact_volume_front_size(NULL), 0);
    assert_true(tact_volume_tree_optimise(NULL, 1) == 0.0);
}

TEST(without_memory_a_tree_stays_as_it_was)
{
    test_random r = test_random_seeded(912);
    tact_aabb boxes[60];
    for (int i = 0; i < 60; ++i)
        boxes[i] = random_box(&r, 1.0f);
    for (int quality = 0; quality < 3; ++quality) {
        for (size_t fail_at = 1, made = 0; made < 4; ++fail_at) {
            counting_allocator counter = {.fail_at = fail_at};
            const tact_allocator hooks = counting_hooks(&counter);
            tact_volume_tree* tree = NULL;
            tact_volume_front* front = NULL;
            tact_result result = tact_volume_tree_create(boxes, 50, (tact_volume_tree_quality)quality, &hooks, &tree);
            made = tree != NULL;
            size_t expected = 50;
            for (uint32_t i = 50, id; i < 60 && result == TACT_OK; ++i) {
                result = tact_volume_tree_insert(tree, boxes[i], &id);
                if (result == TACT_OK) assert_int_equal(id, expected++);
            }
            made += result == TACT_OK;
            if (tree) {
                const tact_result again = tact_volume_tree_rebuild(tree, (tact_volume_tree_quality)(2 - quality));
                assert_true(again == TACT_OK || again == TACT_ERROR_OUT_OF_MEMORY);
                made += again == TACT_OK;
                seen* s = scratch_zeroed(1, sizeof *s);
                assert_true(tact_volume_tree_each_in_box(tree, (tact_aabb){{-9, -9, -9}, {9, 9, 9}}, see, s));
                assert_int_equal(s->count, expected);
                if (tact_volume_front_create(tree, tree, TACT_DESCEND_LARGER, 0, &hooks, &front) == TACT_OK) {
                    pair_seen p = {.times = pair_table()}, q = {.times = pair_table()};
                    assert_true(tact_volume_tree_each_pair(tree, tree, TACT_DESCEND_LARGER, see_pair, &p));
                    assert_true(tact_volume_front_each_pair(front, see_pair, &q));
                    assert_int_equal(p.count, q.count);
                    made += tact_volume_front_size(front) > 0;
                }
            }
            tact_volume_front_destroy(front);
            tact_volume_tree_destroy(tree);
            assert_int_equal(counter.live, 0);
            if (result != TACT_OK) assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
