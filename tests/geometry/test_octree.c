// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Locational codes by their cells; linear octrees of points; loose octrees against looking at all boxes.

#include "tests/support/run.h"

#include "tact/geometry/aabb.h"
#include "tact/geometry/octree.h"
#include "tact/geometry/ray.h"
#include "tests/geometry/boxes.h"
#include "tests/geometry/vectors.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

static bool same_cell(tact_voxel a, tact_voxel b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

TEST(codes_are_their_cells)
{
    test_random r = test_random_seeded(941);
    for (int i = 0; i < 20000; ++i) {
        const uint32_t level = test_random_below(&r, TACT_OCTREE_LEVELS + 1), side = 1u << level;
        const tact_voxel c = {test_random_below(&r, side), test_random_below(&r, side), test_random_below(&r, side)};
        const uint64_t code = tact_octree_code(level, c);
        assert_int_equal(tact_octree_code_level(code), level);
        assert_true(same_cell(tact_octree_code_cell(code), c));
        const uint64_t parent = tact_octree_code_parent(code);
        if (level == 0) {
            assert_true(code == 1 && parent == 0);
        } else {
            assert_true(parent == tact_octree_code(level - 1, (tact_voxel){c.x / 2, c.y / 2, c.z / 2}));
            const uint32_t which = c.x % 2 * 4 + c.y % 2 * 2 + c.z % 2;
            assert_true(tact_octree_code_child(parent, which) == code);
            assert_true(tact_octree_code_holds(parent, code) && !tact_octree_code_holds(code, parent));
            assert_false(tact_octree_code_holds(tact_octree_code_child(parent, which ^ 3), code));
        }
        const int32_t by[3] = {(int32_t)test_random_below(&r, 9) - 4, (int32_t)test_random_below(&r, 9) - 4,
                               (int32_t)test_random_below(&r, 9) - 4};
        const int64_t x = (int64_t)c.x + by[0], y = (int64_t)c.y + by[1], z = (int64_t)c.z + by[2];
        const bool in = x >= 0 && y >= 0 && z >= 0 && x < side && y < side && z < side;
        const uint64_t beside = tact_octree_code_neighbour(code, by[0], by[1], by[2]);
        assert_true(beside == (in ? tact_octree_code(level, (tact_voxel){(uint32_t)x, (uint32_t)y, (uint32_t)z}) : 0));
    }
    assert_true(tact_octree_code(3, (tact_voxel){8, 0, 0}) == 0 && tact_octree_code(22, (tact_voxel){0, 0, 0}) == 0);
    for (uint64_t bad = 2; bad < 8; ++bad) {
        assert_int_equal(tact_octree_code_level(bad), UINT32_MAX);
        assert_true(tact_octree_code_parent(bad) == 0 && tact_octree_code_child(bad, 0) == 0);
        assert_true(tact_octree_code_neighbour(bad, 0, 0, 0) == 0 && !tact_octree_code_holds(1, bad));
    }
    assert_int_equal(tact_octree_code_level(0), UINT32_MAX);
    const uint64_t last = tact_octree_code(TACT_OCTREE_LEVELS, (tact_voxel){0, 0, 0});
    assert_true(tact_octree_code_child(last, 0) == 0 && tact_octree_code_child(1, 8) == 0);
}

// ---- Linear octrees ----

static void free_octree(void* t)
{
    tact_octree_free(t);
}

static tact_octree* octree_of(const tact_vec3* points, size_t count, const tact_octree_settings* settings)
{
    tact_octree* t = scratch_zeroed(1, sizeof *t);
    assert_int_equal(tact_octree_make(points, count, settings, NULL, t), TACT_OK);
    at_end(free_octree, t);
    return t;
}

typedef struct leaves_seen {
    uint32_t count, last;
    uint8_t* seen;
} leaves_seen;

static bool see_leaf(uint32_t leaf, void* user)
{
    leaves_seen* s = user;
    assert_true(s->count == 0 || leaf > s->last);
    s->last = leaf;
    s->seen[leaf] = 1;
    return ++s->count != 3000000;
}

static uint32_t points_below(const tact_octree* t, uint64_t code)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->leaf_count; ++i)
        if (tact_octree_code_holds(code, t->codes[i])) count += t->first[i + 1] - t->first[i];
    return count;
}

static void check_octree(const tact_octree* t, const tact_vec3* points, uint32_t count, uint32_t most, test_random* r)
{
    uint8_t* seen = scratch_zeroed(count + 1, 1);
    assert_int_equal(t->point_count, count);
    for (uint32_t i = 0; i < t->leaf_count; ++i) {
        const uint32_t level = tact_octree_code_level(t->codes[i]), some = t->first[i + 1] - t->first[i];
        const tact_aabb box = tact_octree_box(t, t->codes[i]);
        assert_true(level <= t->levels && some > 0 && (some <= most || level == t->levels));
        if (i > 0) assert_false(tact_octree_code_holds(t->codes[i - 1], t->codes[i]));
        if (level > 0 && i % 16 == 0) assert_true(points_below(t, tact_octree_code_parent(t->codes[i])) > most);
        for (uint32_t k = t->first[i]; k < t->first[i + 1]; ++k) {
            const tact_vec3 p = points[t->points[k]];
            assert_false(seen[t->points[k]]);
            seen[t->points[k]] = 1;
            assert_true(tact_aabb_contains_point(box, p) && p.x < box.upper.x && p.y < box.upper.y &&
                        p.z < box.upper.z);
            assert_int_equal(tact_octree_find(t, p), i);
        }
    }
    for (int k = 0; k < 40; ++k) {
        const tact_vec3 a = test_vec3(r, 2.0f);
        const tact_aabb box = {a, {a.x + test_random_unit(r), a.y + test_random_unit(r), a.z}};
        leaves_seen s = {.seen = scratch_zeroed(t->leaf_count + 1, 1)};
        assert_true(tact_octree_each_in_box(t, box, see_leaf, &s));
        uint32_t in = TACT_OCTREE_NONE;
        for (uint32_t i = 0; i < t->leaf_count; ++i) {
            const tact_aabb b = tact_octree_box(t, t->codes[i]);
            assert_int_equal(s.seen[i], tact_aabb_overlaps_aabb(box, b));
            if (a.x >= b.lower.x && a.x < b.upper.x && a.y >= b.lower.y && a.y < b.upper.y && a.z >= b.lower.z &&
                a.z < b.upper.z)
                in = i;
        }
        assert_int_equal(tact_octree_find(t, a), in);
    }
}

TEST(points_are_in_their_leaves)
{
    test_random r = test_random_seeded(942);
    static const uint32_t counts[] = {0, 1, 2, 17, 300, 4000};
    for (size_t trial = 0; trial < effort(24, 240); ++trial) {
        const uint32_t count = counts[trial % 6];
        tact_vec3* points = scratch((count + 1) * sizeof *points);
        const tact_octree_settings settings = {.leaf_points = trial % 5 ? (uint32_t)(trial % 5) * 4 : 0,
                                               .levels = trial % 4 ? 1 + test_random_below(&r, 12) : 0};
        for (uint32_t i = 0; i < count; ++i) {
            points[i] = test_vec3(&r, i % 3 ? 2.0f : 0.1f);
            if (trial % 3 == 0) points[i].z = 0.25f;
            if (trial % 7 == 0) points[i] = points[0];
        }
        const tact_octree* t = octree_of(points, count, trial ? &settings : NULL);
        check_octree(t, points, count, trial && settings.leaf_points ? settings.leaf_points : 16, &r);
    }
}

TEST(leaves_beside_a_leaf_are_found_by_codes)
{
    test_random r = test_random_seeded(943);
    tact_vec3 points[2000];
    for (int i = 0; i < 2000; ++i)
        points[i] = test_vec3(&r, i % 2 ? 1.0f : 0.2f);
    const tact_octree* t = octree_of(points, 2000, NULL);
    size_t beside = 0;
    for (uint32_t i = 0; i < t->leaf_count; ++i) {
        const uint64_t code = tact_octree_code_neighbour(t->codes[i], 1, 0, 0);
        const uint32_t leaf = code ? tact_octree_leaf_of(t, code) : TACT_OCTREE_NONE;
        if (leaf == TACT_OCTREE_NONE) continue;
        ++beside;
        const tact_aabb a = tact_octree_box(t, t->codes[i]), b = tact_octree_box(t, t->codes[leaf]);
        assert_true(a.upper.x == b.lower.x && tact_aabb_overlaps_aabb(a, b));
    }
    assert_true(beside > 20);
    assert_int_equal(tact_octree_leaf_of(t, 2), TACT_OCTREE_NONE);
    assert_int_equal(tact_octree_leaf_of(t, 1), TACT_OCTREE_NONE);
}

TEST(bad_points_are_refused)
{
    const tact_vec3 bad[2] = {{0, 0, 0}, {0, INFINITY, 0}}, far[2] = {{1e9f, 0, 0}, {1e9f, 1, 1}};
    const tact_octree_settings deep = {.levels = 21};
    tact_octree t;
    assert_int_equal(tact_octree_make(bad, 2, NULL, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "point 1 is not finite");
    assert_int_equal(tact_octree_make(far, 2, NULL, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_octree_make(bad, 1, &deep, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_octree_make(bad, (size_t)1 << 31, NULL, NULL, &t), TACT_ERROR_LIMIT);
    assert_true(t.leaf_count == 0 && tact_octree_find(&t, bad[0]) == TACT_OCTREE_NONE);
    tact_octree_free(&t);
}

// ---- Loose octrees ----

enum { MOST = 2000 };

typedef struct model {
    tact_loose_octree* tree;
    tact_aabb boxes[MOST];
    bool there[MOST];
    uint32_t end, count;
    uint8_t times[MOST];
    bool closest;
} model;

static void destroy(void* m)
{
    tact_loose_octree_destroy(((model*)m)->tree);
}

static tact_aabb random_box(test_random* r)
{
    const uint32_t kind = test_random_below(r, 12);
    const tact_vec3 at = test_vec3(r, kind == 0 ? 30.0f : 10.0f);
    const float size = kind == 1 ? 40.0f : kind == 2 ? 0.0f : kind < 5 ? 4.0f : 0.3f;
    return (tact_aabb){at, {at.x + size * test_random_unit(r), at.y + size * test_random_unit(r), at.z + size}};
}

static bool see(uint32_t id, void* user)
{
    model* m = user;
    assert_true(id < m->end);
    ++m->times[id];
    return true;
}

static float meet(uint32_t id, const tact_ray* ray, float end, void* user)
{
    model* m = user;
    see(id, m);
    return m->closest ? tact_ray_aabb(ray, &m->boxes[id]).t : end;
}

static void compare(model* m, test_random* r)
{
    const tact_aabb box = random_box(r);
    const tact_vec3 o = test_vec3(r, 14.0f), to = test_vec3(r, 10.0f);
    const tact_ray ray = {o.x,        o.y, o.z, 0.0f, to.x - o.x, test_random_below(r, 3) ? to.y - o.y : 0.0f,
                          to.z - o.z, 2.0f};
    float first = ray.tmax;
    memset(m->times, 0, sizeof m->times);
    assert_true(tact_loose_octree_each_in_box(m->tree, box, see, m));
    for (uint32_t i = 0; i < m->end; ++i)
        assert_int_equal(m->times[i], m->there[i] && tact_aabb_overlaps_aabb(box, m->boxes[i]));
    memset(m->times, 0, sizeof m->times);
    m->closest = false;
    assert_true(tact_loose_octree_ray(m->tree, &ray, meet, m) == ray.tmax);
    for (uint32_t i = 0; i < m->end; ++i) {
        const tact_ray_solid_hit hit = tact_ray_aabb(&ray, &m->boxes[i]);
        assert_int_equal(m->times[i], m->there[i] && hit.hit);
        if (m->there[i] && hit.hit) first = fminf(first, hit.t);
    }
    m->closest = true;
    assert_true(tact_loose_octree_ray(m->tree, &ray, meet, m) == first);
    tact_plane planes[6] = {{{-1, 0, 0.5f}, 0}, {{1, 0, 0.5f}, 0}, {{0, -1, 0.5f}, 0},
                            {{0, 1, 0.5f}, 0},  {{0, 0, 1}, 0},    {{0, 0, -1}, 9}};
    for (int k = 0; k < 6; ++k)
        planes[k].distance += planes[k].normal.x * o.x + planes[k].normal.y * o.y + planes[k].normal.z * o.z;
    tact_frustum f;
    assert_true(tact_frustum_from_planes(planes, &f));
    memset(m->times, 0, sizeof m->times);
    assert_true(tact_loose_octree_each_in_frustum(m->tree, &f, see, m));
    for (uint32_t i = 0; i < m->end; ++i)
        assert_int_equal(m->times[i], m->there[i] && tact_frustum_aabb(&f, m->boxes[i]) != TACT_OUTSIDE);
}

static void change(model* m, test_random* r)
{
    const uint32_t kind = test_random_below(r, 8);
    uint32_t id = m->end ? test_random_below(r, m->end) : 0;
    tact_aabb box = random_box(r);
    if ((kind < 3 && m->end < MOST) || m->count == 0) {
        assert_int_equal(tact_loose_octree_insert(m->tree, box, &id), TACT_OK);
        assert_true(id <= m->end && !m->there[id]);
        m->end += id == m->end;
        m->boxes[id] = box;
        m->there[id] = true;
        ++m->count;
    } else if (!m->there[id]) {
        assert_int_equal(tact_loose_octree_remove(m->tree, id), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_loose_octree_move(m->tree, id, box), TACT_ERROR_INVALID_ARGUMENT);
    } else if (kind < 5) {
        assert_int_equal(tact_loose_octree_remove(m->tree, id), TACT_OK);
        m->there[id] = false;
        --m->count;
    } else {
        if (kind < 7) box = tact_aabb_translate(m->boxes[id], test_vec3(r, 0.2f));
        assert_int_equal(tact_loose_octree_move(m->tree, id, box), TACT_OK);
        m->boxes[id] = box;
    }
}

TEST(changing_boxes_are_found_as_among_all)
{
    test_random r = test_random_seeded(944);
    for (uint32_t levels = 1; levels <= 20; levels += levels < 6 ? 1 : 14) {
        model* m = scratch_zeroed(1, sizeof *m);
        const tact_aabb world = {{-10, -10, -10}, {10, 10, 10}};
        assert_int_equal(tact_loose_octree_create(world, levels, NULL, &m->tree), TACT_OK);
        at_end(destroy, m);
        for (size_t step = 0; step < effort(60, 1000); ++step) {
            for (int i = 0; i < 20; ++i)
                change(m, &r);
            compare(m, &r);
            assert_int_equal(tact_loose_octree_get_info(m->tree).count, m->count);
        }
        for (uint32_t id = 0; id < m->end; ++id)
            if (m->there[id]) assert_int_equal(tact_loose_octree_remove(m->tree, id), TACT_OK);
        // Nothing is left of the cells.
        const tact_loose_octree_info info = tact_loose_octree_get_info(m->tree);
        assert_true(info.count == 0 && info.cells == 1);
    }
}

static bool stop(uint32_t id, void* user)
{
    (void)id;
    return ++*(uint32_t*)user < 3;
}

/// Alone in the tree, a box that grows and shrinks moves between a cell and those around it.
TEST(a_box_moves_to_a_cell_around_its_own)
{
    tact_loose_octree* t = NULL;
    uint32_t id, other;
    assert_int_equal(tact_loose_octree_create((tact_aabb){{0, 0, 0}, {64, 64, 64}}, 6, NULL, &t), TACT_OK);
    assert_int_equal(tact_loose_octree_insert(t, (tact_aabb){{9, 9, 9}, {9, 9, 9}}, &id), TACT_OK);
    for (int i = 0; i < 40; ++i) {
        const float size = (float)(1 << i * 5 % 7) * 0.5f;
        const tact_aabb box = {{9, 9, 9}, {9 + size, 9 + size, 9 + size}};
        assert_int_equal(tact_loose_octree_move(t, id, box), TACT_OK);
        uint32_t levels = 0;
        while (levels < 6 && (float)(64 >> (levels + 1)) >= size)
            ++levels;
        assert_int_equal(tact_loose_octree_get_info(t).cells, levels + 1);
        // What is made next takes no cell that is in use.
        assert_int_equal(tact_loose_octree_insert(t, (tact_aabb){{50, 50, 50}, {50, 50, 50}}, &other), TACT_OK);
        assert_int_equal(tact_loose_octree_remove(t, other), TACT_OK);
        assert_int_equal(tact_loose_octree_get_info(t).cells, levels + 1);
    }
    tact_loose_octree_destroy(t);
}

TEST(worlds_and_boxes_that_are_none_are_refused)
{
    const tact_aabb world = {{0, 0, 0}, {1, 1, 1}}, point = {{1, 1, 1}, {1, 1, 1}}, bad = {{0, NAN, 0}, {1, 1, 1}};
    tact_loose_octree* t = NULL;
    uint32_t id, seen = 0;
    assert_int_equal(tact_loose_octree_create(point, 3, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_loose_octree_create(bad, 3, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_loose_octree_create(world, 0, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_loose_octree_create(world, 21, NULL, &t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_loose_octree_create(world, 4, NULL, &t), TACT_OK);
    assert_int_equal(tact_loose_octree_insert(t, bad, &id), TACT_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 9; ++i)
        assert_int_equal(tact_loose_octree_insert(t, point, &id), TACT_OK);
    assert_int_equal(tact_loose_octree_move(t, 3, bad), TACT_ERROR_INVALID_ARGUMENT);
    assert_false(tact_loose_octree_each_in_box(t, world, stop, &seen));
    assert_int_equal(seen, 3);
    tact_loose_octree_destroy(t);
    tact_loose_octree_destroy(NULL);
    const float most = 3.4e38f;
    assert_int_equal(tact_loose_octree_create((tact_aabb){{-most, 0, 0}, {most, 1, 1}}, 20, NULL, &t), TACT_OK);
    assert_int_equal(tact_loose_octree_insert(t, (tact_aabb){{most, 0, 0}, {most, 1, 1}}, &id), TACT_OK);
    seen = 0;
    assert_true(tact_loose_octree_each_in_box(t, (tact_aabb){{most, 0, 0}, {most, 0, 0}}, stop, &seen) && seen == 1);
    tact_loose_octree_destroy(t);
    assert_int_equal(tact_loose_octree_get_info(NULL).cells, 0);
}

TEST(without_memory_octrees_stay_as_they_were)
{
    test_random r = test_random_seeded(945);
    tact_vec3 points[200];
    for (int i = 0; i < 200; ++i)
        points[i] = test_vec3(&r, 1.0f);
    for (size_t fail_at = 1, done = 0; !done; ++fail_at) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        tact_octree linear;
        tact_loose_octree* loose = NULL;
        const tact_result made = tact_octree_make(points, 200, NULL, &hooks, &linear);
        assert_true(made == TACT_OK || (made == TACT_ERROR_OUT_OF_MEMORY && linear.leaf_count == 0));
        tact_octree_free(&linear);
        tact_result result = tact_loose_octree_create((tact_aabb){{-1, -1, -1}, {1, 1, 1}}, 8, &hooks, &loose);
        uint32_t count = 0, seen = 0, id;
        for (; count < 200 && result == TACT_OK; count += result == TACT_OK)
            result = tact_loose_octree_insert(loose, (tact_aabb){points[count], points[count]}, &id);
        for (uint32_t i = 0; i < count && result == TACT_OK; ++i)
            result = tact_loose_octree_move(loose, i, (tact_aabb){points[199 - i], points[199 - i]});
        if (loose) {
            assert_int_equal(tact_loose_octree_get_info(loose).count, count);
            tact_loose_octree_each_in_box(loose, (tact_aabb){{-1, -1, -1}, {1, 1, 1}}, stop, &seen);
            assert_int_equal(seen, count < 3 ? count : 3);
        }
        tact_loose_octree_destroy(loose);
        assert_int_equal(counter.live, 0);
        done = made == TACT_OK && result == TACT_OK;
        assert_true(result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
