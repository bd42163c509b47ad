// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Neighbour lists of the CPU against a brute force, with every set of instructions and several numbers of threads:
// where cells are hardest to get right, and where there are too many or too few points in them.
#include "tests/support/run.h"

#include "cpu_ref/particles/neighbours.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"

enum { MOST = 40000 };

/// Points and how they repeat.
typedef struct cloud {
    size_t count;
    float radius;
    float at[3][MOST];
    TactGridAxis axes[3];
} cloud;

/// Which lists are asked for.
static tact_neighbour_kind kind;

static cloud points;
static tact_env env;

static void clear(size_t count, float radius)
{
    memset(&points, 0, sizeof points);
    points.count = count;
    points.radius = radius;
}

static tact_neighbour_job job_of(int threads)
{
    return (tact_neighbour_job){.x = points.at[0],
                                .y = points.at[1],
                                .z = points.at[2],
                                .stride = 1,
                                .count = points.count,
                                .axes = {&points.axes[0], &points.axes[1], &points.axes[2]},
                                .radius = points.radius,
                                .kind = kind,
                                .threads = threads};
}

static bool near(size_t a, size_t b)
{
    float d[3];
    for (int i = 0; i < 3; ++i)
        d[i] = tact_grid_shorter(points.axes[i], points.at[i][b] - points.at[i][a]);
    const float square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    return square <= points.radius * points.radius;
}

/// That the slots are an order of the points, and the lists ascend and hold as many as they should.
static void check_shape(const tact_neighbour_finder* finder, const tact_neighbour_lists* lists)
{
    static bool seen[MOST];
    const bool sorted = tact_neighbours_stats(finder).sorted;
    memset(seen, 0, sizeof seen);
    assert_int_equal(lists->slots, points.count);
    assert_non_null(lists->offsets);
    assert_int_equal(lists->offsets[0], 0);
    for (size_t s = 0; s < lists->slots; ++s) {
        assert_true(lists->ids[s] < points.count && !seen[lists->ids[s]]);
        assert_int_equal(lists->ids[s], sorted ? s : tact_neighbours_order(finder)[s]);
        seen[lists->ids[s]] = true;
        assert_true(lists->offsets[s + 1] >= lists->offsets[s]);
        for (uint64_t k = lists->offsets[s]; k < lists->offsets[s + 1]; ++k) {
            assert_true(lists->neighbours[k] < lists->slots && lists->neighbours[k] != s);
            if (kind == TACT_NEIGHBOURS_ONCE) assert_true(lists->neighbours[k] > s);
            if (k > lists->offsets[s]) assert_true(lists->neighbours[k] > lists->neighbours[k - 1]);
        }
    }
}

/// Each list against the definition; of many points only some are asked.
static void check_lists(const char* what, const tact_neighbour_lists* lists)
{
    const size_t step = points.count > 3000 ? points.count / 300 : 1;
    for (size_t s = 0; s < lists->slots; s += step) {
        uint64_t k = lists->offsets[s];
        for (size_t t = 0; t < lists->slots; ++t) {
            const bool expected = (kind == TACT_NEIGHBOURS_ONCE ? t > s : t != s) && near(lists->ids[s], lists->ids[t]);
            const bool found = k < lists->offsets[s + 1] && lists->neighbours[k] == t;
            if (found) ++k;
            if (found != expected) fail_msg("%s: slots %zu and %zu: found %d", what, s, t, (int)found);
        }
        assert_int_equal(k, lists->offsets[s + 1]);
    }
}

static uint64_t check_kind(const char* what)
{
    uint64_t total = 0;
    uint32_t *first_ids = NULL, *first_neighbours = NULL;
    uint64_t* first_offsets = NULL;
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        tact_neighbour_finder* finder = NULL;
        assert_int_equal(tact_neighbour_finder_create(&env, &finder), TACT_OK);
        if (tact_neighbour_finder_use(finder, level)) {
            for (int threads = 1; threads <= 4; ++threads) {
                tact_neighbour_lists lists;
                const tact_neighbour_job job = job_of(threads);
                assert_int_equal(tact_neighbours_find(finder, &job, &lists), TACT_OK);
                total = lists.offsets[lists.slots];
                assert_int_equal(tact_neighbours_stats(finder).neighbours, total);
                if (!first_ids) {
                    check_shape(finder, &lists);
                    check_lists(what, &lists);
                    first_ids = scratch((lists.slots + 1) * sizeof *first_ids);
                    first_neighbours = scratch(((size_t)total + 1) * sizeof *first_neighbours);
                    first_offsets = scratch((lists.slots + 1) * sizeof *first_offsets);
                    memcpy(first_offsets, lists.offsets, (lists.slots + 1) * sizeof *first_offsets);
                    if (lists.slots > 0) memcpy(first_ids, lists.ids, lists.slots * sizeof *first_ids);
                    if (total > 0) memcpy(first_neighbours, lists.neighbours, (size_t)total * sizeof *first_neighbours);
                }
                // The same bytes, however they were found.
                assert_memory_equal(lists.ids, first_ids, lists.slots * sizeof *first_ids);
                assert_memory_equal(lists.neighbours, first_neighbours, (size_t)total * sizeof *first_neighbours);
                assert_memory_equal(lists.offsets, first_offsets, (lists.slots + 1) * sizeof *first_offsets);
            }
        }
        tact_neighbour_finder_destroy(finder);
    }
    return total;
}

/// Both kinds of lists. Returns how many neighbours there are in all.
static uint64_t check(const char* what)
{
    kind = TACT_NEIGHBOURS_ONCE;
    const uint64_t pairs = check_kind(what);
    kind = TACT_NEIGHBOURS_ALL;
    const uint64_t all = check_kind(what);
    assert_int_equal(all, 2 * pairs);
    return all;
}

TEST(test_few)
{
    for (size_t n = 0; n < 40; ++n) {
        test_random r = test_random_seeded(n);
        clear(n, 0.5f);
        for (size_t i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k)
                points.at[k][i] = test_random_signed(&r);
        check("few");
    }
}

/// A lattice of cubes with points at corners and centres, whose neighbours can be counted by hand: 8 at half a
/// diagonal, 6 at an edge, 12 at the diagonal of a face.
static void fill_lattice(int side, float edge, float radius)
{
    clear(2u * (size_t)(side * side * side), radius);
    size_t n = 0;
    for (int i = 0; i < side * side * side; ++i) {
        const float corner[3] = {(float)(i % side), (float)(i / side % side), (float)(i / side / side)};
        for (int half = 0; half < 2; ++half, ++n)
            for (int k = 0; k < 3; ++k)
                points.at[k][n] = edge * (corner[k] + 0.5f * (float)half);
    }
}

TEST(test_lattice)
{
    const float radii[] = {0.5f, 0.9f, 1.0f, 1.42f};
    const uint64_t each[] = {0, 8, 14, 26};
    for (int k = 0; k < 4; ++k) {
        // Periodic: every point has all of its neighbours.
        fill_lattice(8, 1.0f, radii[k]);
        for (int i = 0; i < 3; ++i)
            points.axes[i].period = 8.0f;
        assert_int_equal(check("lattice"), each[k] * points.count);
    }
    // Open: along an axis of n cells, 2 n - 1 pairs of a corner and a centre are half a step apart.
    fill_lattice(9, 0.25f, 0.25f);
    assert_int_equal(check("open lattice"), 2 * (17 * 17 * 17 + 2 * 3 * 9 * 9 * 8));
}

/// Points on borders of cells, and just beside them, near the limit of the radius.
TEST(test_borders)
{
    test_random r = test_random_seeded(3);
    for (int round = 0; round < 4; ++round) {
        const float radius = round == 1 ? 0.3f : 1.0f;
        clear(1500, radius);
        const float edge = radius * (round == 2 ? TACT_CELL_SLACK : 1.0f) / (round == 3 ? 4.0f : 1.0f);
        for (size_t i = 0; i < points.count; ++i) {
            for (int k = 0; k < 3; ++k) {
                float x = edge * (float)test_random_below(&r, 9);
                const uint32_t side = test_random_below(&r, 3);
                if (side == 1) x = nextafterf(x, -1.0f);
                if (side == 2) x = nextafterf(x, 100.0f);
                points.at[k][i] = x;
            }
        }
        check("borders");
    }
}

TEST(test_periodic)
{
    test_random r = test_random_seeded(4);
    for (int round = 0; round < (int)effort(10, 24); ++round) {
        const float period = 1.0f + 9.0f * test_random_unit(&r);
        // From as short a period as there may be to many cells.
        const float radius = period / (3.0625f + (round % 3 == 0 ? 0.0f : 12.0f * test_random_unit(&r)));
        clear(800, radius);
        for (int k = 0; k < 3; ++k) {
            points.axes[k].origin = round % 4 == 3 ? 1000.0f : -0.3f * period;
            points.axes[k].period = (round >> k & 1) ? 0.0f : period;
            for (size_t i = 0; i < points.count; ++i) {
                float x = points.axes[k].origin + period * test_random_unit(&r);
                if (test_random_below(&r, 8) == 0) x = points.axes[k].origin;
                if (test_random_below(&r, 8) == 0) x = nextafterf(points.axes[k].origin + period, 0.0f);
                // Some not brought into the domain yet; in some rounds not even near it.
                if (round % 5 == 4 && i % 7 == 0) x += period * (i % 2 ? 0.9f : -0.9f);
                if (round % 10 == 9 && i % 11 == 0) x += period * (i % 2 ? 2.7f : -1.6f);
                points.at[k][i] = x;
            }
        }
        char what[64];
        snprintf(what, sizeof what, "periodic, round %d", round);
        check(what);
    }
}

/// Points several periods away from the domain, in clusters a period apart: those are near each other, and the cells
/// that one period brings them to say nothing of it.
TEST(test_periods_away)
{
    test_random r = test_random_seeded(14);
    for (int way = 0; way < 6; ++way) {
        const int axis = way / 2;
        clear(600, 0.02f);
        points.axes[axis] = (TactGridAxis){.origin = -0.5f, .period = 1.0f};
        for (size_t i = 0; i < points.count; ++i) {
            for (int k = 0; k < 3; ++k)
                points.at[k][i] = 0.1f * test_random_unit(&r);
            points.at[axis][i] += (float)(i % 4) * (way % 2 ? 1.0f : -1.0f);
        }
        char what[64];
        snprintf(what, sizeof what, "periods away, way %d", way);
        assert_true(check(what) > 0);
    }
}

/// All points in one cell: as long as there is room for what is found, there must be enough for finding it.
TEST(test_crowd)
{
    test_random r = test_random_seeded(5);
    clear(3000, 1.0f);
    for (size_t i = 0; i < points.count; ++i)
        for (int k = 0; k < 3; ++k)
            points.at[k][i] = 0.01f * test_random_unit(&r);
    assert_int_equal(check("everything is near everything"), points.count * (points.count - 1));
    // Two clusters far apart hide in one cell each, with coincident points.
    clear(8000, 1e-4f);
    for (size_t i = 0; i < points.count; ++i)
        for (int k = 0; k < 3; ++k)
            points.at[k][i] = (i % 2 ? 1e12f : 0.0f) + 0.05f * floorf(20.0f * test_random_unit(&r));
    check("coincident");
}

TEST(test_far)
{
    test_random r = test_random_seeded(6);
    clear(4000, 0.1f);
    for (size_t i = 0; i < points.count; ++i)
        for (int k = 0; k < 3; ++k)
            points.at[k][i] = test_random_unit(&r);
    points.at[0][17] = 1e12f;
    points.at[2][18] = -1e12f;
    check("one far");
    points.at[1][17] = points.at[1][19] = 1e15f;
    points.at[0][19] = points.at[0][17];
    points.at[2][19] = points.at[2][17];
    check("two far, together");
    // In a row of the others.
    points.at[1][20] = points.at[1][21];
    points.at[2][20] = points.at[2][21];
    points.at[0][20] = 3e6f;
    check("far along a row");
}

TEST(test_radii)
{
    test_random r = test_random_seeded(7);
    const float radii[] = {1e-30f, 1e-24f, 1e-19f, 1e-7f, 1e-3f, 0.03f, 0.2f, 5.0f, 1e15f};
    for (size_t round = 0; round < 2 * sizeof radii / sizeof *radii; ++round) {
        clear(1200, radii[round / 2]);
        for (size_t i = 0; i < points.count; ++i)
            for (int k = 0; k < 3; ++k)
                points.at[k][i] = test_random_unit(&r) * (round % 2 ? 1.0f : 3.0f * points.radius);
        char what[64];
        snprintf(what, sizeof what, "radius %g", (double)points.radius);
        check(what);
    }
}

/// Points of all magnitudes, in planes, on lines.
TEST(test_uneven)
{
    test_random r = test_random_seeded(8);
    for (int round = 0; round < 12; ++round) {
        clear(1500, round % 3 == 0 ? 1.0f : 0.01f);
        for (size_t i = 0; i < points.count; ++i) {
            const float scale = ldexpf(1.0f, (int)test_random_below(&r, 40) - 20);
            for (int k = 0; k < 3; ++k) {
                points.at[k][i] = test_random_signed(&r) * (round < 6 ? scale : 3.0f);
                if (round % 6 == 4 && k == 2) points.at[k][i] = 0.25f;
                if (round % 6 == 5 && k != round % 3) points.at[k][i] = -7.0f;
            }
        }
        check("uneven");
    }
}

/// Enough points for several waves; and again in the order of slots, which is then kept.
TEST(test_many)
{
    test_random r = test_random_seeded(9);
    clear(MOST, 0.05f);
    for (size_t i = 0; i < points.count; ++i)
        for (int k = 0; k < 3; ++k)
            points.at[k][i] = test_random_unit(&r);
    const uint64_t total = check("many");
    tact_neighbour_finder* finder = NULL;
    assert_int_equal(tact_neighbour_finder_create(&env, &finder), TACT_OK);
    tact_neighbour_job job = job_of(2);
    tact_neighbour_lists lists;
    assert_int_equal(tact_neighbours_find(finder, &job, &lists), TACT_OK);
    float(*sorted)[4] = malloc(MOST * sizeof *sorted);
    uint32_t* ids = malloc(2 * MOST * sizeof *ids);
    for (size_t s = 0; s < MOST; ++s) {
        for (int k = 0; k < 3; ++k)
            sorted[s][k] = points.at[k][lists.ids[s]];
        ids[2 * s] = 7 * lists.ids[s];
    }
    job.x = &sorted[0][0];
    job.y = &sorted[0][1];
    job.z = &sorted[0][2];
    job.stride = 4;
    job.ids = ids;
    job.id_stride = 2;
    assert_int_equal(tact_neighbours_find(finder, &job, &lists), TACT_OK);
    assert_int_equal(lists.offsets[MOST], total);
    assert_true(tact_neighbours_stats(finder).sorted);
    for (size_t s = 0; s < MOST; ++s)
        assert_int_equal(lists.ids[s], ids[2 * s]);
    free(sorted);
    free(ids);
    tact_neighbour_finder_destroy(finder);
}

/// Without memory it says so, and works again when there is some.
TEST(test_no_memory)
{
    test_random r = test_random_seeded(10);
    clear(9000, 0.1f);
    for (size_t i = 0; i < points.count; ++i)
        for (int k = 0; k < 3; ++k)
            points.at[k][i] = test_random_unit(&r);
    counting_allocator counter = {0};
    const tact_allocator hooks = counting_hooks(&counter);
    tact_env limited;
    tact_env_init(&limited, &hooks, NULL, NULL, NULL, NULL);
    const tact_neighbour_job job = job_of(2);
    tact_neighbour_lists lists;
    for (size_t fail_at = 1;; ++fail_at) {
        tact_neighbour_finder* finder = NULL;
        counter = (counting_allocator){.fail_at = fail_at};
        tact_result result = tact_neighbour_finder_create(&limited, &finder);
        if (result == TACT_OK) result = tact_neighbours_find(finder, &job, &lists);
        const bool failed = counter.failed;
        counter.fail_at = 0;
        // Room for a guess too many is not needed.
        if (result != TACT_OK) assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        if (finder) {
            assert_int_equal(tact_neighbours_find(finder, &job, &lists), TACT_OK);
            check_lists("after a failure", &lists);
            const size_t requests = counter.requests;
            assert_int_equal(tact_neighbours_find(finder, &job, &lists), TACT_OK);
            assert_int_equal(counter.requests, requests);
        }
        tact_neighbour_finder_destroy(finder);
        assert_int_equal(counter.live, 0);
        if (!failed) break;
    }
}

#include TEST_LIST

int main(void)
{
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    return run_all(all_tests, NULL, NULL);
}
