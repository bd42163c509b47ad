// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is seen through portals against lines that go from cell to cell: cubes of a grid with holes in their walls.

#include "tests/support/run.h"

#include "tact/geometry/portals.h"
#include "tests/geometry/boxes.h"
#include "tests/geometry/vectors.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

enum { SIDE = 5, CELLS = SIDE * SIDE * SIDE, MOST = 3 * CELLS, PARTS = 16 };

/// A house of cubes of length 1. Walls have holes with four or five corners, some as large as the wall.
typedef struct house {
    tact_portal portals[MOST];
    tact_vec3 points[5 * MOST];
    uint32_t through[CELLS][3];  ///< the portal to the next cell along an axis; UINT32_MAX for none
    size_t portal_count, point_count;
    tact_portals* graph;
} house;

static void destroy(void* h)
{
    tact_portals_destroy(((house*)h)->graph);
}

static tact_vec3 in_wall(const int at[3], int axis, float u, float v)
{
    float p[3] = {(float)at[0], (float)at[1], (float)at[2]};
    p[axis] += 1.0f;
    p[(axis + 1) % 3] += u;
    p[(axis + 2) % 3] += v;
    return v3(p[0], p[1], p[2]);
}

static void add_hole(house* h, test_random* r, const int at[3], int axis, uint32_t cell, uint32_t other)
{
    const bool whole = test_random_below(r, 3) == 0, five = test_random_below(r, 3) == 0;
    const float low = whole ? 0.0f : 0.45f * test_random_unit(r),
                high = whole ? 1.0f : 0.55f + 0.45f * test_random_unit(r);
    const float left = whole ? 0.0f : 0.45f * test_random_unit(r),
                right = whole ? 1.0f : 0.55f + 0.45f * test_random_unit(r);
    tact_portal* p = &h->portals[h->portal_count];
    *p = (tact_portal){{cell, other}, (uint32_t)h->point_count, five ? 5 : 4};
    if (test_random_below(r, 2)) *p = (tact_portal){{other, cell}, p->first, p->count};
    tact_vec3* to = h->points + h->point_count;
    to[0] = in_wall(at, axis, left, low);
    to[1] = in_wall(at, axis, right, low);
    to[2] = in_wall(at, axis, right, high);
    to[3] = in_wall(at, axis, left, high);
    if (five) {
        to[3] = in_wall(at, axis, 0.5f * (left + right), high);
        to[2] = in_wall(at, axis, right, 0.5f * (low + high));
        to[4] = in_wall(at, axis, left, 0.5f * (low + high));
    }
    h->point_count += p->count;
    h->through[cell][axis] = (uint32_t)h->portal_count++;
}

static house* house_of(test_random* r, uint32_t of_three)
{
    house* h = scratch_zeroed(1, sizeof *h);
    memset(h->through, 0xff, sizeof h->through);
    for (uint32_t c = 0; c < CELLS; ++c) {
        const int at[3] = {(int)c % SIDE, (int)c / SIDE % SIDE, (int)c / SIDE / SIDE};
        static const uint32_t next[3] = {1, SIDE, SIDE * SIDE};
        for (int axis = 0; axis < 3; ++axis)
            if (at[axis] + 1 < SIDE && test_random_below(r, 3) < of_three) add_hole(h, r, at, axis, c, c + next[axis]);
    }
    assert_int_equal(
        tact_portals_create(h->portals, h->portal_count, h->points, h->point_count, CELLS, NULL, &h->graph), TACT_OK);
    at_end(destroy, h);
    return h;
}

/// Whether a line passes a hole, by more than `margin`.
static bool passes(const house* h, uint32_t portal, int axis, const double p[3], double margin)
{
    const tact_portal* hole = &h->portals[portal];
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (uint32_t i = 0; i < hole->count; ++i) {
        const float* a = &h->points[hole->first + i].x;
        const float* b = &h->points[hole->first + (i + 1) % hole->count].x;
        const double x = (double)b[u] - (double)a[u], y = (double)b[v] - (double)a[v];
        const double side = x * (p[v] - (double)a[v]) - y * (p[u] - (double)a[u]);
        if (side < margin * hypot(x, y)) return false;
    }
    return true;
}

/// Follows a line from cell to cell; `reach` is called with each and the place where the line comes in.
static void follow(const house* h, tact_vec3 eye, uint32_t cell, tact_vec3 d, void (*reach)(uint32_t, tact_vec3, void*),
                   void* user)
{
    const double o[3] = {(double)eye.x, (double)eye.y, (double)eye.z}, way[3] = {(double)d.x, (double)d.y, (double)d.z};
    int at[3] = {(int)cell % SIDE, (int)cell / SIDE % SIDE, (int)cell / SIDE / SIDE};
    reach(cell, eye, user);
    for (;;) {
        double first = HUGE_VAL, p[3];
        int axis = 0;
        for (int k = 0; k < 3; ++k) {
            const double t = way[k] > 0.0   ? (at[k] + 1 - o[k]) / way[k]
                             : way[k] < 0.0 ? (at[k] - o[k]) / way[k]
                                            : HUGE_VAL;
            if (t < first) {
                first = t;
                axis = k;
            }
        }
        for (int k = 0; k < 3; ++k)
            p[k] = o[k] + first * way[k];
        static const uint32_t next[3] = {1, SIDE, SIDE * SIDE};
        const bool up = way[axis] > 0.0;
        if (up ? at[axis] + 1 >= SIDE : at[axis] == 0) return;
        const uint32_t other = up ? cell + next[axis] : cell - next[axis], portal = h->through[up ? cell : other][axis];
        if (portal == UINT32_MAX || !passes(h, portal, axis, p, 1e-9)) return;
        at[axis] += up ? 1 : -1;
        cell = other;
        reach(cell, v3((float)p[0], (float)p[1], (float)p[2]), user);
    }
}

typedef struct sight {
    const tact_frustum* frustum;
    bool seen[CELLS], reached[CELLS];
    tact_plane planes[CELLS][PARTS][TACT_PORTAL_PLANES + 1];  ///< the first parts in which each is seen
    uint32_t plane_counts[CELLS][PARTS], parts[CELLS];
    size_t steps;
} sight;

static bool see(uint32_t cell, uint32_t portal, const tact_plane* planes, uint32_t count, void* user)
{
    sight* s = user;
    assert_true(cell < CELLS && count <= TACT_PORTAL_PLANES + 1);
    assert_int_equal(portal == UINT32_MAX, s->steps == 0);
    ++s->steps;
    const uint32_t part = s->parts[cell]++;
    if (part >= PARTS) return true;
    memcpy(s->planes[cell][part], planes, count * sizeof *planes);
    s->plane_counts[cell][part] = count;
    return true;
}

static void is_seen(uint32_t cell, tact_vec3 at, void* user)
{
    sight* s = user;
    if (s->frustum && !tact_frustum_contains_point(s->frustum, at)) return;
    s->reached[cell] = true;
    if (!s->seen[cell]) fail_msg("cell %u is reached and not seen", cell);
    for (uint32_t part = 0; part < s->parts[cell] && part < PARTS; ++part) {
        bool in = true;
        for (uint32_t k = 0; k < s->plane_counts[cell][part]; ++k) {
            const tact_plane p = s->planes[cell][part][k];
            in = in && p.normal.x * at.x + p.normal.y * at.y + p.normal.z * at.z <= p.distance + 1e-5f;
        }
        if (in) return;
    }
    assert_true(s->parts[cell] > PARTS);
}

static tact_frustum frustum_at(test_random* r, tact_vec3 eye, float wide, float far)
{
    tact_vec3 axis[3];
    tact_plane planes[6];
    tact_frustum f;
    test_frame(r, axis);
    for (int i = 0; i < 4; ++i) {
        const float side = i % 2 ? 1.0f : -1.0f;
        const tact_vec3 a = axis[i / 2], n = v3(side * a.x - wide * axis[2].x, side * a.y - wide * axis[2].y,
                                                side * a.z - wide * axis[2].z);
        planes[i] = (tact_plane){n, n.x * eye.x + n.y * eye.y + n.z * eye.z};
    }
    const float along = axis[2].x * eye.x + axis[2].y * eye.y + axis[2].z * eye.z;
    planes[4] = (tact_plane){v3(-axis[2].x, -axis[2].y, -axis[2].z), -(along + 0.05f)};
    planes[5] = (tact_plane){axis[2], along + far};
    assert_true(tact_frustum_from_planes(planes, &f));
    return f;
}

static void look_around(const house* h, test_random* r, tact_vec3 eye, uint32_t cell, const tact_frustum* f,
                        size_t rays, size_t counts[2])
{
    sight* s = scratch_zeroed(1, sizeof *s);
    uint32_t cells[CELLS];
    tact_portal_view view = {.eye = eye,
                             .cell = cell,
                             .frustum = f,
                             .limit = 1000000,
                             .seen = see,
                             .user = s,
                             .cells = cells,
                             .capacity = CELLS};
    s->frustum = f;
    assert_int_equal(tact_portals_see(h->graph, &view), TACT_OK);
    assert_false(view.limited);
    for (size_t i = 0; i < view.count; ++i) {
        assert_true(i == 0 || cells[i] > cells[i - 1]);
        assert_true(s->parts[cells[i]] > 0);
        s->seen[cells[i]] = true;
    }
    for (size_t i = 0; i < rays; ++i) {
        tact_vec3 d = test_vec3(r, 1.0f);
        // Towards corners of holes too.
        if (i % 3 == 0) {
            const tact_vec3 p = h->points[test_random_below(r, (uint32_t)h->point_count)], off = test_vec3(r, 1e-4f);
            d = v3(p.x - eye.x + off.x, p.y - eye.y + off.y, p.z - eye.z + off.z);
        }
        if (f && i % 3 != 0) {
            // Into the frustum: from the eye to between its far corners.
            const tact_vec3 far = f->corner[4 + test_random_below(r, 4)],
                            other = f->corner[4 + test_random_below(r, 4)];
            const float part = test_random_unit(r);
            d = v3(far.x + part * (other.x - far.x) - eye.x, far.y + part * (other.y - far.y) - eye.y,
                   far.z + part * (other.z - far.z) - eye.z);
        }
        if (d.x != 0.0f || d.y != 0.0f || d.z != 0.0f) follow(h, eye, cell, d, is_seen, s);
    }
    for (uint32_t c = 0; c < CELLS; ++c) {
        if (c == cell) continue;
        counts[0] += s->seen[c];
        counts[1] += s->reached[c];
    }
}

TEST(what_a_line_reaches_is_seen)
{
    test_random r = test_random_seeded(961);
    size_t counts[2] = {0, 0}, in_view[2] = {0, 0};
    const size_t trials = effort(40, 400);
    for (size_t trial = 0; trial < trials; ++trial) {
        const house* h = house_of(&r, 1 + (uint32_t)(trial % 2));
        for (int k = 0; k < 4; ++k) {
            const uint32_t cell = test_random_below(&r, CELLS);
            const float corner[3] = {(float)(cell % SIDE), (float)(cell / SIDE % SIDE), (float)(cell / SIDE / SIDE)};
            float in[3] = {test_random_unit(&r), test_random_unit(&r), test_random_unit(&r)};
            // On a wall, or next to one.
            if (k == 1) in[trial % 3] = 0.0f;
            if (k == 2) in[trial % 3] = 1e-6f;
            const tact_vec3 eye = v3(corner[0] + in[0], corner[1] + in[1], corner[2] + in[2]);
            look_around(h, &r, eye, cell, NULL, 4000, counts);
            const tact_frustum f = frustum_at(&r, eye, 0.7f, 1.0f + 4.0f * test_random_unit(&r));
            look_around(h, &r, eye, cell, &f, 4000, in_view);
        }
    }
    print_message("%zu cells seen, %zu reached; in frusta %zu and %zu\n", counts[0], counts[1], in_view[0], in_view[1]);
    // Few are seen through parts that no line of thousands finds.
    assert_true(counts[1] > 10 * trials && 10 * counts[1] > 8 * counts[0] && in_view[1] > 4 * trials &&
                10 * in_view[1] > 7 * in_view[0]);
}

TEST(limits_end_a_search_and_lose_nothing)
{
    test_random r = test_random_seeded(962);
    const house* h = house_of(&r, 3);
    uint32_t cells[CELLS];
    sight* s = scratch_zeroed(1, sizeof *s);
    tact_portal_view view = {
        .eye = {2.5f, 2.5f, 2.5f}, .cell = 62, .limit = 20, .seen = see, .user = s, .cells = cells, .capacity = CELLS};
    assert_int_equal(tact_portals_see(h->graph, &view), TACT_OK);
    assert_true(view.limited && view.count == CELLS && s->steps >= CELLS);
    view.limit = 0;
    view.seen = NULL;
    view.capacity = 3;
    assert_int_equal(tact_portals_see(h->graph, &view), TACT_INCOMPLETE);
    assert_true(view.count > 3 && !view.limited && cells[0] < cells[1] && cells[1] < cells[2]);
    view.capacity = 0;
    view.cells = NULL;
    assert_int_equal(tact_portals_see(h->graph, &view), TACT_INCOMPLETE);
}

static bool stop(uint32_t cell, uint32_t portal, const tact_plane* planes, uint32_t count, void* user)
{
    (void)cell;
    (void)portal;
    (void)planes;
    (void)count;
    return ++*(uint32_t*)user < 4;
}

TEST(a_caller_ends_a_search)
{
    test_random r = test_random_seeded(963);
    const house* h = house_of(&r, 3);
    uint32_t calls = 0;
    tact_portal_view view = {.eye = {2.5f, 2.5f, 2.5f}, .cell = 62, .seen = stop, .user = &calls};
    assert_int_equal(tact_portals_see(h->graph, &view), TACT_INCOMPLETE);
    assert_int_equal(calls, 4);
}

/// Two rooms and a corridor round a corner: what is around it is not seen.
TEST(walls_hide)
{
    const tact_vec3 points[8] = {{1, 0, 0},     {1, 1, 0}, {1, 1, 1}, {1, 0, 1},
                                 {1.25f, 1, 0}, {2, 1, 0}, {2, 1, 1}, {1.25f, 1, 1}};
    const tact_portal portals[2] = {{{0, 1}, 0, 4}, {{2, 1}, 4, 4}};
    tact_portals* g = NULL;
    uint32_t cells[3];
    assert_int_equal(tact_portals_create(portals, 2, points, 8, 3, NULL, &g), TACT_OK);
    tact_portal_view view = {.eye = {0.5f, 0.5f, 0.5f}, .cell = 0, .cells = cells, .capacity = 3};
    assert_int_equal(tact_portals_see(g, &view), TACT_OK);
    assert_int_equal(view.count, 3);
    // From beyond the level of the second portal it is seen through the first one from behind only.
    view.eye = v3(0.5f, 1.5f, 0.5f);
    assert_int_equal(tact_portals_see(g, &view), TACT_OK);
    assert_int_equal(view.count, 2);
    view.cell = 3;
    assert_int_equal(tact_portals_see(g, &view), TACT_ERROR_INVALID_ARGUMENT);
    view.cell = 0;
    view.eye.x = NAN;
    assert_int_equal(tact_portals_see(g, &view), TACT_ERROR_INVALID_ARGUMENT);
    tact_portals_destroy(g);
    tact_portals_destroy(NULL);
}

TEST(a_search_that_is_ended_takes_in_what_is_connected_alone)
{
    const tact_vec3 points[8] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1},
                                 {3, 0, 0}, {3, 1, 0}, {3, 1, 1}, {3, 0, 1}};
    const tact_portal portals[2] = {{{0, 1}, 0, 4}, {{2, 3}, 4, 4}};
    tact_portals* g = NULL;
    uint32_t cells[4];
    assert_int_equal(tact_portals_create(portals, 2, points, 8, 4, NULL, &g), TACT_OK);
    tact_portal_view view = {.eye = {0.5f, 0.5f, 0.5f}, .cell = 0, .limit = 1, .cells = cells, .capacity = 4};
    assert_int_equal(tact_portals_see(g, &view), TACT_OK);
    assert_true(view.limited && view.count == 2 && cells[0] == 0 && cells[1] == 1);
    tact_portals_destroy(g);
}

static void refused(const tact_portal* portal, const tact_vec3* points, size_t count, const char* why)
{
    tact_portals* g = NULL;
    assert_int_equal(tact_portals_create(portal, 1, points, count, 2, NULL, &g), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(g);
    assert_string_equal(tact_last_error(), why);
}

TEST(bad_portals_are_refused)
{
    tact_vec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0.5f, 0}};
    refused(&(tact_portal){{0, 2}, 0, 4}, p, 5, "portal 0 connects cells 0 and 2 of 2");
    refused(&(tact_portal){{1, 1}, 0, 4}, p, 5, "portal 0 connects cells 1 and 1 of 2");
    refused(&(tact_portal){{0, 1}, 2, 4}, p, 5, "portal 0 has 4 corners from point 2 on of 5");
    refused(&(tact_portal){{0, 1}, 0, 2}, p, 5, "portal 0 has 2 corners from point 0 on of 5");
    p[4].x = 0.5f;
    refused(&(tact_portal){{0, 1}, 0, 5}, p, 5, "portal 0 is not convex");
    p[2].z = 0.01f;
    refused(&(tact_portal){{0, 1}, 0, 4}, p, 5, "portal 0 is not flat");
    p[2] = v3(0.5f, 0, 0);
    refused(&(tact_portal){{0, 1}, 0, 3}, p, 5, "portal 0 has no area");
    p[1].y = INFINITY;
    refused(&(tact_portal){{0, 1}, 0, 3}, p, 5, "portal 0 has a corner that is not finite");
    // A star of five points turns twice, and left at each corner.
    tact_vec3 star[5];
    for (int i = 0; i < 5; ++i)
        star[i] = v3(cosf(2.51327412f * (float)i), sinf(2.51327412f * (float)i), 0);
    refused(&(tact_portal){{0, 1}, 0, 5}, star, 5, "portal 0 turns around more than once");
    const tact_portal one = {{0, 1}, 0, 4};
    tact_portals* g = NULL;
    assert_int_equal(tact_portals_create(&one, 0x4000000, p, 4, 2, NULL, &g), TACT_ERROR_LIMIT);
    assert_int_equal(tact_portals_create(&one, 1, p, 4, 0x80000000u, NULL, &g), TACT_ERROR_LIMIT);
    assert_null(g);
}

TEST(without_memory_nothing_is_left)
{
    test_random r = test_random_seeded(964);
    const house* h = house_of(&r, 2);
    for (size_t fail_at = 1, done = 0; !done; ++fail_at) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        tact_portals* g = NULL;
        uint32_t cells[CELLS];
        tact_portal_view view = {.eye = {2.5f, 2.5f, 2.5f}, .cell = 62, .cells = cells, .capacity = CELLS};
        tact_result result =
            tact_portals_create(h->portals, h->portal_count, h->points, h->point_count, CELLS, &hooks, &g);
        if (result == TACT_OK) result = tact_portals_see(g, &view);
        tact_portals_destroy(g);
        assert_int_equal(counter.live, 0);
        done = result == TACT_OK;
        assert_true(done || result == TACT_ERROR_OUT_OF_MEMORY);
        assert_true(!done || fail_at > 7);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
