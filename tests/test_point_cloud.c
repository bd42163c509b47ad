// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Clouds of points: the reference against all points sorted, every backend against the reference.
#include "tests/support/run.h"

#include "base/lane_levels.h"
#include "core/cloud/cloud.h"
#include "cpu_ref/cloud/lanes.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

enum { KINDS = 9, QUERIES = 70 };

typedef struct lab {
    tact_vec3* points;
    size_t count;
    tact_closest_query* queries;
    size_t query_count;
    tact_point_cloud* cloud;
} lab;

static void destroy_cloud(void* cloud)
{
    tact_point_cloud_destroy(cloud);
}

static void ok(tact_result result)
{
    if (result != TACT_OK) fail_msg("%s: %s", tact_result_name(result), tact_context_error(context));
}

/// A point of one kind of cloud: spread, on few places of a grid, all in one place, on a line, in clusters, far out,
/// tiny, on a sphere, of any bits.
static tact_vec3 place(int kind, size_t i, test_random* r)
{
    const float x = test_random_signed(r), y = test_random_signed(r), z = test_random_signed(r);
    const float size = sqrtf(x * x + y * y + z * z) + 1e-6f;
    const float cluster = 0.02f;
    switch (kind) {
        case 1:
            return (tact_vec3){floorf(3.0f * x), floorf(3.0f * y), floorf(3.0f * z)};
        case 2:
            return (tact_vec3){0.25f, -0.5f, 0.75f};
        case 3:
            return (tact_vec3){(float)(i * 7 % 5000) * 0.001f, 0.0f, 0.0f};
        case 4:
            return (tact_vec3){(float)(i % 5) + cluster * x, cluster * y, (float)(i % 3) + cluster * z};
        case 5:
            return (tact_vec3){x * 1.1e18f, y * 1.1e18f, i % 2 ? z : 1.1e18f};
        case 6:
            return (tact_vec3){x * 1e-30f, y * 1e-15f, i % 2 ? z * 1e-39f : z * 1e-20f};
        case 7:
            return (tact_vec3){x / size, y / size, z / size};
        case 8: {
            const float any = test_random_any(r);
            return (tact_vec3){fabsf(any) <= TACT_MAX_COORDINATE ? any : x, y, -0.0f};
        }
        default:
            return (tact_vec3){x, y, z};
    }
}

static float reach(size_t i, float size, test_random* r)
{
    static const float special[] = {INFINITY, 0.0f, -0.0f, -1.0f, NAN, 1e-16f, 1e30f};
    if (i % 3 == 0) return INFINITY;
    return i % 4 == 1 ? special[test_random_below(r, 7)] : size * test_random_unit(r);
}

static lab* make(int kind, size_t count, size_t queries, uint64_t seed)
{
    static const float sizes[KINDS] = {1, 3, 1, 5, 5, 1e18f, 1e-15f, 1, 1};
    test_random r = test_random_seeded(seed);
    lab* l = scratch_zeroed(1, sizeof *l);
    l->points = scratch(count * sizeof *l->points + 1);
    l->queries = scratch(queries * sizeof *l->queries + 1);
    l->count = count;
    l->query_count = queries;
    for (size_t i = 0; i < count; ++i)
        l->points[i] = place(kind, i, &r);
    for (size_t i = 0; i < queries; ++i) {
        const tact_vec3 at = i % 3 == 1 && count > 0 ? l->points[i % count] : place(kind, i, &r);
        l->queries[i] = (tact_closest_query){at.x, at.y, at.z, reach(i, sizes[kind], &r)};
        if (i % 29 == 28) l->queries[i].x = i % 2 ? NAN : 1e19f;
    }
    ok(tact_point_cloud_create(context, l->points, count, &l->cloud));
    at_end(destroy_cloud, l->cloud);
    return l;
}

static tact_query_options by(tact_backend backend, int threads)
{
    return (tact_query_options){.backend = backend, .threads = threads, .no_fallback = true};
}

// ---- The definition, anew ----

typedef struct ranked {
    float d2;
    uint32_t id;
} ranked;

static int compare_ranked(const void* a, const void* b)
{
    const ranked *x = a, *y = b;
    if (x->d2 != y->d2) return x->d2 < y->d2 ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

static float rounded(double x)
{
    volatile float r = (float)x;
    return r;
}

/// The square, a rounding at a time.
static float square_between(const tact_closest_query* q, const tact_vec3* p)
{
    const float x = rounded((double)p->x - (double)q->x), y = rounded((double)p->y - (double)q->y),
                z = rounded((double)p->z - (double)q->z);
    const float xx = rounded((double)x * (double)x), yy = rounded((double)y * (double)y),
                zz = rounded((double)z * (double)z);
    const float sum = rounded((double)rounded((double)xx + (double)yy) + (double)zz);
    return sum < 0x1p-100f ? 0.0f : sum;
}

/// All points within a query's distance, sorted. Returns how many.
static size_t rank_all(const lab* l, const tact_closest_query* q, ranked* all)
{
    const float most = q->max_distance;
    if (!(fabsf(q->x) <= TACT_MAX_COORDINATE && fabsf(q->y) <= TACT_MAX_COORDINATE &&
          fabsf(q->z) <= TACT_MAX_COORDINATE && most >= 0.0f))
        return 0;
    float limit = most > 0x1p62f ? INFINITY : rounded((double)most * (double)most);
    if (limit < 0x1p-100f) limit = 0.0f;
    size_t count = 0;
    for (size_t i = 0; i < l->count; ++i) {
        const float d2 = square_between(q, &l->points[i]);
        if (d2 <= limit) all[count++] = (ranked){d2, (uint32_t)i};
    }
    qsort(all, count, sizeof *all, compare_ranked);
    return count;
}

static int compare_ids(const void* a, const void* b)
{
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

static void find_nearest(const lab* l, uint32_t nearest, tact_backend backend, int threads, tact_cloud_neighbour* rows,
                         uint32_t* counts)
{
    const tact_query_options options = by(backend, threads);
    tact_query_report report;
    memset(rows, 0xcd, l->query_count * nearest * sizeof *rows);
    ok(tact_cloud_nearest(
        l->cloud,
        &(tact_cloud_nearest_work){
            .queries = l->queries, .count = l->query_count, .nearest = nearest, .neighbours = rows, .counts = counts},
        &options, &report));
    assert_int_equal(report.backend, backend);
}

/// Of lists with room for `capacity` ids. Returns what they need.
static size_t find_lists(const lab* l, tact_backend backend, int threads, uint64_t* offsets, uint32_t* ids,
                         size_t capacity)
{
    const tact_query_options options = by(backend, threads);
    const tact_cloud_within_work work = {
        .queries = l->queries, .count = l->query_count, .offsets = offsets, .ids = ids, .capacity = capacity};
    memset(offsets, 0xcd, (l->query_count + 1) * sizeof *offsets);
    const tact_result result = tact_cloud_within(l->cloud, &work, &options, NULL);
    if (result != TACT_INCOMPLETE) ok(result);
    const size_t needed = (size_t)offsets[l->query_count];
    assert_int_equal(result, needed > capacity ? TACT_INCOMPLETE : TACT_OK);
    return needed;
}

static void find_touched(const lab* l, tact_backend backend, int threads, uint8_t* touched)
{
    const tact_query_options options = by(backend, threads);
    memset(touched, 0xcd, l->query_count);
    ok(tact_cloud_within(l->cloud,
                         &(tact_cloud_within_work){.queries = l->queries, .count = l->query_count, .touched = touched},
                         &options, NULL));
}

static void check_reference(const lab* l, uint32_t nearest)
{
    ranked* all = scratch((l->count + 1) * sizeof *all);
    uint32_t* ids = scratch((l->count + 1) * sizeof *ids);
    uint64_t* offsets = scratch((l->query_count + 1) * sizeof *offsets);
    uint32_t* counts = scratch((l->query_count + 1) * sizeof *counts);
    uint8_t* touched = scratch(l->query_count + 1);
    tact_cloud_neighbour* rows = scratch((l->query_count * nearest + 1) * sizeof *rows);
    find_nearest(l, nearest, TACT_BACKEND_REFERENCE, 0, rows, counts);
    find_touched(l, TACT_BACKEND_REFERENCE, 0, touched);
    const size_t needed = find_lists(l, TACT_BACKEND_REFERENCE, 0, offsets, NULL, 0);
    uint32_t* listed = scratch((needed + 1) * sizeof *listed);
    assert_int_equal(find_lists(l, TACT_BACKEND_REFERENCE, 0, offsets, listed, needed), needed);
    for (size_t i = 0; i < l->query_count; ++i) {
        const size_t found = rank_all(l, &l->queries[i], all);
        assert_int_equal(counts[i], found < nearest ? found : nearest);
        for (size_t k = 0; k < nearest; ++k) {
            const tact_cloud_neighbour* row = &rows[i * nearest + k];
            const ranked right = k < found ? all[k] : (ranked){INFINITY, TACT_NONE};
            if (row->id != right.id || row->distance2 != right.d2)
                fail_msg("query %zu, neighbour %zu: %u at %a, should be %u at %a", i, k, row->id,
                         (double)row->distance2, right.id, (double)right.d2);
        }
        assert_int_equal(touched[i], found > 0);
        assert_int_equal(offsets[i + 1] - offsets[i], found);
        for (size_t k = 0; k < found; ++k)
            ids[k] = all[k].id;
        qsort(ids, found, sizeof *ids, compare_ids);
        if (found > 0) assert_memory_equal(ids, listed + offsets[i], found * sizeof *ids);
    }
}

/// One backend's answers are the reference's.
static void conform(const lab* l, uint32_t nearest, tact_backend backend, int threads)
{
    const size_t count = l->query_count;
    tact_cloud_neighbour *rows = scratch((count * nearest + 1) * sizeof *rows),
                         *got_rows = scratch((count * nearest + 1) * sizeof *rows);
    uint64_t *offsets = scratch((count + 1) * sizeof *offsets), *got_offsets = scratch((count + 1) * sizeof *offsets);
    uint8_t *touched = scratch(count + 1), *got_touched = scratch(count + 1);
    find_nearest(l, nearest, TACT_BACKEND_REFERENCE, 0, rows, NULL);
    find_nearest(l, nearest, backend, threads, got_rows, NULL);
    for (size_t i = 0; i < count * nearest; ++i)
        if (memcmp(&rows[i], &got_rows[i], sizeof *rows) != 0)
            fail_msg("%s: neighbour %zu of %zu: %u at %a, should be %u at %a", tact_backend_name(backend), i % nearest,
                     i / nearest, got_rows[i].id, (double)got_rows[i].distance2, rows[i].id, (double)rows[i].distance2);
    find_touched(l, TACT_BACKEND_REFERENCE, 0, touched);
    find_touched(l, backend, threads, got_touched);
    assert_memory_equal(touched, got_touched, count);
    const size_t needed = find_lists(l, TACT_BACKEND_REFERENCE, 0, offsets, NULL, 0);
    uint32_t *ids = scratch((needed + 1) * sizeof *ids), *got = scratch((needed + 1) * sizeof *ids);
    find_lists(l, TACT_BACKEND_REFERENCE, 0, offsets, ids, needed);
    for (int round = 0; round < 3; ++round) {
        const size_t room = round == 0 ? needed : round == 1 ? needed / 2 : 0;
        memset(got, 0xcd, (needed + 1) * sizeof *got);
        assert_int_equal(find_lists(l, backend, threads, got_offsets, room ? got : NULL, room), needed);
        assert_memory_equal(offsets, got_offsets, (count + 1) * sizeof *offsets);
        if (room > 0) assert_memory_equal(ids, got, room * sizeof *ids);
        assert_true(got[room] == 0xcdcdcdcd);
    }
}

TEST(the_reference_ranks_all_points)
{
    static const size_t counts[] = {0, 1, 5, 16, 17, 300};
    for (int kind = 0; kind < KINDS; ++kind)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
            check_reference(make(kind, counts[c], QUERIES, 100 * (uint64_t)kind + c), kind % 2 ? 5 : 64);
}

TEST(the_cpu_gives_the_same_at_every_level_of_lanes)
{
    static const size_t counts[] = {0, 1, 15, 16, 17, 128, 129, 1025, 2500};
    for (int level = TACT_LANE_LEVELS - 1; level >= 0; --level) {
        if (!tact_lanes_limit(level)) continue;
        for (int kind = 0; kind < KINDS; ++kind) {
            for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
                const lab* l = make(kind, counts[c], c % 2 ? 7 : QUERIES, 1000 * (uint64_t)kind + c);
                static const uint32_t nearest[] = {1, 2, 8, 33, 64};
                conform(l, nearest[(c + (size_t)kind) % 5], TACT_BACKEND_CPU, 1);
                conform(l, nearest[c % 5], TACT_BACKEND_CPU, 3);
            }
        }
    }
    assert_true(tact_lanes_limit(TACT_LANES_16) || tact_lanes_limit(TACT_LANES_8) || tact_lanes_limit(TACT_LANES_4) ||
                tact_lanes_limit(TACT_LANES_PORTABLE));
}

/// As far as the nearest point is from a query, or a hair less.
static float about(const lab* l, const tact_closest_query* q, test_random* r)
{
    float least = INFINITY;
    for (size_t i = 0; i < l->count; ++i)
        least = fminf(least, square_between(q, &l->points[i]));
    return test_random_below(r, 2) ? sqrtf(least) : nextafterf(sqrtf(least), 0.0f);
}

static tact_vec3 shifted(tact_vec3 at, float by)
{
    return (tact_vec3){at.x + by, at.y + by, at.z + by};
}

/// Queries among the points and anywhere: in the cells, where they meet and beyond them.
static void ask_about(const lab* l, tact_closest_query* queries, size_t count, int kind, float shift, test_random* r)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 at = shifted(place(kind, i, r), shift),
                        near = l->points[test_random_below(r, (uint32_t)l->count)];
        const float by = i % 4 < 2 ? 1.0f : 0.01f;
        tact_closest_query* q = &queries[i];
        *q = (tact_closest_query){near.x + by * (at.x - near.x), near.y + by * (at.y - near.y),
                                  near.z + by * (at.z - near.z), 0.0f};
        if (i % 17 == 16) q->y = at.y * 100.0f;
        q->max_distance = about(l, q, r);
        if (i % 61 == 60) *q = l->queries[i % l->query_count];
    }
}

/// Of a field's cells and of the whole, at each level of lanes.
static void check_cells(const tact_cloud_job* job, size_t* open, size_t* settled)
{
    const size_t count = job->batch.count;
    uint8_t *right = scratch(count), *got = scratch(count);
    ok(tact_cloud_any_reference(&context->env, job, right));
    for (int level = TACT_LANE_LEVELS - 1; level >= 0; --level) {
        if (!tact_lanes_limit(level)) continue;
        tact_cloud_lanes()->settle(job, 0, (uint32_t)count, got);
        for (size_t i = 0; i < count; ++i) {
            const bool left = got[i] == TACT_CLOUD_OPEN;
            if (!left && got[i] != right[i]) fail_msg("query %zu: %d", i, got[i]);
            ++*(left ? open : settled);
        }
        ok(tact_cloud_any_cpu(&context->env, job, got));
        assert_memory_equal(got, right, count);
    }
    (void)tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

TEST(cells_leave_open_what_they_do_not_have)
{
    enum { MANY = 3000 };
    static const size_t counts[] = {1, 2, 17, 300};
    static tact_closest_query queries[MANY];
    size_t open = 0, settled = 0;
    for (int kind = 0; kind < KINDS + 2; ++kind) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            test_random r = test_random_seeded(20 + (uint64_t)kind);
            const lab* l = make(kind % KINDS, counts[c], QUERIES, 10 * (uint64_t)kind + c);
            // Far from the origin numbers are coarser than cells; farther out, cells have middles where no point may
            // be.
            const float shift = kind == KINDS ? 1e6f : 0.0f;
            for (size_t i = 0; i < l->count; ++i)
                l->points[i] = shifted(l->points[i], shift);
            if (kind == KINDS + 1)
                l->points[0] = (tact_vec3){TACT_MAX_COORDINATE, -TACT_MAX_COORDINATE, TACT_MAX_COORDINATE};
            tact_cloud_tree tree = {0};
            tact_cloud_field field;
            ok(tact_cloud_tree_build(&context->env, 1, l->points, l->count, &tree));
            ok(tact_cloud_field_make(&context->env, 2, &tree, l->points, &field));
            ask_about(l, queries, MANY, kind % KINDS, shift, &r);
            check_cells(&(tact_cloud_job){.tree = &tree,
                                          .points = l->points,
                                          .field = &field,
                                          .queries = queries,
                                          .batch = {.count = MANY, .threads = 2}},
                        &open, &settled);
            tact_release(&context->env, field.cells);
            tact_cloud_tree_release(&context->env, &tree);
        }
    }
    assert_true(open > 0 && 2 * settled > open);
}

TEST(cells_are_made_once_many_queries_have_been_asked)
{
    enum { MANY = 70000 };
    lab* l = make(0, 40, MANY, 5);
    const tact_query_options options = by(TACT_BACKEND_CPU, 2);
    uint8_t *touched = scratch(MANY), *right = scratch(MANY);
    find_touched(l, TACT_BACKEND_REFERENCE, 0, right);
    uint64_t first = 0;
    for (int round = 0; round < 4; ++round) {
        // Other points have none.
        if (round == 3) ok(tact_point_cloud_replace(l->cloud, l->points, l->count));
        tact_query_report report;
        ok(tact_cloud_within(l->cloud,
                             &(tact_cloud_within_work){.queries = l->queries, .count = MANY, .touched = touched},
                             &options, &report));
        assert_memory_equal(touched, right, MANY);
        if (round == 0) first = report.memory_bytes;
        assert_true((l->cloud->field.cells != NULL) == (round == 2));
        assert_int_equal(report.memory_bytes, first + tact_cloud_field_bytes(&l->cloud->field));
    }
}

TEST(devices_give_the_same)
{
    static const size_t counts[] = {0, 1, 17, 200, 2500};
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        for (int kind = 0; kind < KINDS; ++kind) {
            for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
                static const uint32_t nearest[] = {1, 8, 64};
                conform(make(kind, counts[c], QUERIES, 50 * (uint64_t)kind + c), nearest[(c + (size_t)kind) % 3],
                        (tact_backend)backend, 2);
            }
        }
    }
}

TEST(long_searches_are_finished_by_the_host)
{
    // Every point is as near as any other: no box can be left out.
    lab* l = make(2, effort(45000, 200000), 20, 7);
    lab* around = make(7, 20000, 20, 8);
    for (size_t i = 0; i < 20; ++i) {
        l->queries[i].max_distance = INFINITY;
        around->queries[i] = (tact_closest_query){0, 0, 0, i % 2 ? INFINITY : 2.0f};
    }
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        conform(l, 3, (tact_backend)backend, 2);
        conform(around, 64, (tact_backend)backend, 2);
    }
    conform(l, 3, TACT_BACKEND_CPU, 2);
    conform(around, 64, TACT_BACKEND_CPU, 2);
}

TEST(many_queries_are_found_in_pieces)
{
    const lab* l = make(0, 3000, effort(20000, 300000), 9);
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend)
        if (!device_missing(context, (tact_backend)backend)) conform(l, 4, (tact_backend)backend, 3);
}

TEST(points_are_replaced)
{
    lab* l = make(0, 500, QUERIES, 10);
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend)
        if (!device_missing(context, (tact_backend)backend)) conform(l, 3, (tact_backend)backend, 2);
    static const size_t counts[] = {700, 0, 20};
    for (size_t c = 0; c < 3; ++c) {
        const lab* other = make(4, counts[c], QUERIES, 11 + c);
        ok(tact_point_cloud_replace(l->cloud, other->points, other->count));
        assert_int_equal(tact_point_cloud_count(l->cloud), counts[c]);
        l->count = counts[c];
        l->points = other->points;
        check_reference(l, 3);
        for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend)
            if (!device_missing(context, (tact_backend)backend)) conform(l, 3, (tact_backend)backend, 2);
    }
    // The cloud is as before where points are refused.
    const tact_vec3 bad[2] = {{0, 0, 0}, {0, NAN, 0}};
    assert_int_equal(tact_point_cloud_replace(l->cloud, bad, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "point 1"));
    assert_int_equal(tact_point_cloud_count(l->cloud), 20);
    check_reference(l, 3);
}

TEST(shadows_agree)
{
    const lab* l = make(1, 400, QUERIES, 12);
    uint64_t offsets[QUERIES + 1];
    uint32_t ids[16];
    uint8_t touched[QUERIES];
    tact_cloud_neighbour rows[3 * QUERIES];
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .shadow = true};
    tact_cloud_within_work work = {
        .queries = l->queries, .count = QUERIES, .offsets = offsets, .ids = ids, .capacity = 16};
    assert_int_equal(tact_cloud_within(l->cloud, &work, &options, NULL), TACT_INCOMPLETE);
    work = (tact_cloud_within_work){.queries = l->queries, .count = QUERIES, .touched = touched};
    ok(tact_cloud_within(l->cloud, &work, &options, NULL));
    ok(tact_cloud_nearest(
        l->cloud, &(tact_cloud_nearest_work){.queries = l->queries, .count = QUERIES, .nearest = 3, .neighbours = rows},
        &options, NULL));
}

TEST(what_is_wrong_is_said)
{
    tact_point_cloud* cloud = (tact_point_cloud*)&cloud;
    const tact_vec3 bad[4] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}, {2e18f, 0, 0}};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(tact_point_cloud_create(context, &bad[i], 1, &cloud), TACT_ERROR_INVALID_ARGUMENT);
        assert_null(cloud);
        assert_non_null(strstr(tact_context_error(context), "point 0"));
    }
    assert_int_equal(tact_point_cloud_create(context, NULL, 1, &cloud), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_point_cloud_create(context, bad, (size_t)TACT_CLOUD_MAX_POINTS + 1, &cloud),
                     TACT_ERROR_LIMIT);
    tact_point_cloud_destroy(NULL);
    assert_int_equal(tact_point_cloud_count(NULL), 0);

    const lab* l = make(0, 10, 2, 13);
    tact_cloud_neighbour rows[2 * TACT_CLOUD_MAX_NEAREST];
    const tact_cloud_nearest_work near = {.queries = l->queries, .count = 2, .nearest = 1, .neighbours = rows};
    tact_cloud_nearest_work bad_near[4] = {near, near, near, near};
    bad_near[0].queries = NULL;
    bad_near[1].neighbours = NULL;
    bad_near[2].nearest = 0;
    bad_near[3].nearest = TACT_CLOUD_MAX_NEAREST + 1;
    for (int i = 0; i < 4; ++i)
        assert_int_equal(tact_cloud_nearest(l->cloud, &bad_near[i], NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    ok(tact_cloud_nearest(l->cloud, &near, NULL, NULL));

    uint64_t offsets[3];
    uint32_t ids[20];
    uint8_t touched[2];
    const tact_cloud_within_work within = {
        .queries = l->queries, .count = 2, .offsets = offsets, .ids = ids, .capacity = 20};
    tact_cloud_within_work bad_within[5] = {within, within, within, within, within};
    bad_within[0].queries = NULL;
    bad_within[1].offsets = NULL;
    bad_within[2].ids = NULL;
    bad_within[3].touched = touched;
    bad_within[4] = (tact_cloud_within_work){.queries = l->queries, .count = 2, .ids = ids, .touched = touched};
    for (int i = 0; i < 5; ++i)
        assert_int_equal(tact_cloud_within(l->cloud, &bad_within[i], NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    ok(tact_cloud_within(l->cloud, &within, NULL, NULL));
    // Of no queries there is nothing but an offset.
    offsets[0] = 7;
    ok(tact_cloud_within(l->cloud, &(tact_cloud_within_work){.offsets = offsets}, NULL, NULL));
    assert_int_equal(offsets[0], 0);
    ok(tact_cloud_nearest(l->cloud, &(tact_cloud_nearest_work){.nearest = 1}, NULL, NULL));
}

static bool stop(double done, void* user)
{
    *(double*)user = done;
    return false;
}

TEST(progress_may_cancel)
{
    const lab* l = make(0, 1000, 3000, 14);
    uint8_t* touched = scratch(3000);
    tact_cloud_neighbour* rows = scratch(3000 * sizeof *rows);
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_REFERENCE; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        double done = -1.0;
        tact_query_options options = by((tact_backend)backend, 2);
        options.progress = stop;
        options.progress_user = &done;
        const tact_cloud_within_work work = {.queries = l->queries, .count = 3000, .touched = touched};
        assert_int_equal(tact_cloud_within(l->cloud, &work, &options, NULL), TACT_ERROR_CANCELLED);
        assert_true(done > 0.0 && done <= 1.0);
        const tact_cloud_nearest_work near = {.queries = l->queries, .count = 3000, .nearest = 1, .neighbours = rows};
        assert_int_equal(tact_cloud_nearest(l->cloud, &near, &options, NULL), TACT_ERROR_CANCELLED);
    }
}

#include TEST_LIST

RUN_ALL(open_context, close_context)
