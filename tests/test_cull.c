// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Culling on the CPU: nothing that has a point in the region is lost, shown by points known in quadruple precision to
// be in both; what is far enough away is culled, what is called inside is; and lanes, threads and the tree give what
// the definition gives.
#include <float.h>
#include "tests/support/run.h"

#include "cpu_ref/cull/cull_lanes.h"
#include "cpu_ref/cull/cull_one.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/cull_scenes.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

enum { CASES = 100000 };  // of each kind against planes, and as many against boxes

static quad dot_of(tact_vec3 a, tact_vec3 b)
{
    return (quad)a.x * (quad)b.x + (quad)a.y * (quad)b.y + (quad)a.z * (quad)b.z;
}

static quad absolute(quad x)
{
    return x < 0 ? -x : x;
}

static float up(quad x)
{
    float f = (float)x;
    while ((quad)f < x)
        f = nextafterf(f, INFINITY);
    return f;
}

static tact_vec3 random_point(cull_random* r, float scale)
{
    return (tact_vec3){test_random_signed(r) * scale, test_random_signed(r) * scale, test_random_signed(r) * scale};
}

/// A plane that the point is just behind, or on.
static tact_plane plane_at(cull_random* r, tact_vec3 p)
{
    const float length = ldexpf(1.0f, (int)(cull_next(r) % 41u) - 20);
    tact_plane plane = {random_point(r, length), 0};
    if (cull_next(r) % 8u == 0) plane.normal.x = 0;
    if (cull_next(r) % 8u == 0) plane.normal.z = 0;
    if (cull_next(r) % 32u == 0) plane.normal.y *= 0x1p-30f;
    // Two components as large, and one that is nothing beside them: their sum and difference round.
    if (cull_next(r) % 32u == 0) plane.normal = (tact_vec3){plane.normal.x, -plane.normal.x, 0x1p-66f * length};
    plane.distance = up(dot_of(plane.normal, p));
    return plane;
}

static tact_aabb box_at(cull_random* r, tact_vec3 p, float size)
{
    tact_aabb b = {p, p};
    const uint32_t on = cull_next(r);
    if (on & 1) b.lower.x -= test_random_unit(r) * size;
    if (on & 2) b.upper.x += test_random_unit(r) * size;
    if (on & 4) b.lower.y -= test_random_unit(r) * size;
    if (on & 8) b.upper.y += test_random_unit(r) * size;
    if (on & 16) b.lower.z -= test_random_unit(r) * size;
    if (on & 32) b.upper.z += test_random_unit(r) * size;
    return b;
}

static tact_sphere sphere_at(cull_random* r, tact_vec3 p, float size)
{
    const tact_vec3 by = random_point(r, size);
    tact_sphere s = {{p.x + by.x, p.y + by.y, p.z + by.z}, 0};
    const quad x = (quad)s.center.x - (quad)p.x, y = (quad)s.center.y - (quad)p.y, z = (quad)s.center.z - (quad)p.z;
    const quad square = x * x + y * y + z * z;
    s.radius = (float)sqrt((double)square);
    while ((quad)s.radius * (quad)s.radius < square)
        s.radius = nextafterf(s.radius, INFINITY);
    return s;
}

/// An oriented box of which the point is a corner, on an edge, or on a face, to the last bit.
static tact_obb obb_at(cull_random* r, tact_vec3 p, float size)
{
    tact_obb b = cull_random_obb(r, p, size);
    float* half[3] = {&b.half.x, &b.half.y, &b.half.z};
    for (int i = 0; i < 3; ++i) {
        const float at = (cull_next(r) % 2u ? 1.0f : test_random_unit(r)) * (cull_next(r) % 2u ? *half[i] : -*half[i]);
        b.center.x -= at * b.axis[i].x;
        b.center.y -= at * b.axis[i].y;
        b.center.z -= at * b.axis[i].z;
    }
    // Where the point truly is, by Cramer's rule in the axes as they are.
    const quad d[3] = {(quad)p.x - (quad)b.center.x, (quad)p.y - (quad)b.center.y, (quad)p.z - (quad)b.center.z};
    quad n[3][3], det = 0;
    for (int i = 0; i < 3; ++i) {
        const tact_vec3 u = b.axis[(i + 1) % 3], v = b.axis[(i + 2) % 3];
        n[i][0] = (quad)u.y * (quad)v.z - (quad)u.z * (quad)v.y;
        n[i][1] = (quad)u.z * (quad)v.x - (quad)u.x * (quad)v.z;
        n[i][2] = (quad)u.x * (quad)v.y - (quad)u.y * (quad)v.x;
    }
    det = n[0][0] * (quad)b.axis[0].x + n[0][1] * (quad)b.axis[0].y + n[0][2] * (quad)b.axis[0].z;
    for (int i = 0; i < 3; ++i) {
        const quad at = absolute((n[i][0] * d[0] + n[i][1] * d[1] + n[i][2] * d[2]) / det);
        if (at > (quad)*half[i]) *half[i] = up(at);
    }
    return b;
}

static tact_kdop kdop_at(cull_random* r, tact_vec3 p, float size)
{
    static const uint32_t ks[] = {6, 8, 12, 14, 18, 20, 26};
    tact_vec3 points[4] = {p, p, p, p};
    const uint32_t count = 1 + cull_next(r) % 4u;
    for (uint32_t i = 1; i < count; ++i) {
        const tact_vec3 by = random_point(r, size);
        points[i] = (tact_vec3){p.x + by.x, p.y + by.y, p.z + by.z};
    }
    return tact_kdop_from_points(ks[cull_next(r) % 7u], points, count, 0);
}

typedef union any_volume {
    tact_aabb box;
    tact_sphere sphere;
    tact_obb obb;
    tact_kdop kdop;
} any_volume;

static any_volume volume_at(cull_random* r, tact_cull_kind kind, tact_vec3 p, float size)
{
    any_volume v;
    memset(&v, 0, sizeof v);
    switch (kind) {
        case TACT_CULL_SPHERES:
            v.sphere = sphere_at(r, p, size);
            break;
        case TACT_CULL_OBBS:
            v.obb = obb_at(r, p, size);
            break;
        case TACT_CULL_KDOPS:
            v.kdop = kdop_at(r, p, size);
            break;
        default:
            v.box = box_at(r, p, size);
            break;
    }
    return v;
}

static float any_scale(cull_random* r)
{
    return ldexpf(1.0f, (int)(cull_next(r) % 121u) - 60);
}

TEST(volumes_that_touch_the_planes_are_kept)
{
    static tact_cull_table table;
    cull_random r = test_random_seeded(11);
    size_t bounded = 0;
    const int cases = (int)effort(CASES / 3, CASES);
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        for (int n = 0; n < cases; ++n) {
            const float scale = any_scale(&r), size = scale * ldexpf(1.0f, (int)(cull_next(&r) % 30u) - 15);
            const tact_vec3 p = random_point(&r, scale);
            tact_plane planes[8];
            const uint32_t count = 1 + cull_next(&r) % 8u;
            for (uint32_t i = 0; i < count; ++i)
                planes[i] = plane_at(&r, p);
            const any_volume v = volume_at(&r, (tact_cull_kind)kind, p, size);
            tact_cull_table_make(&table, planes, count, kind == TACT_CULL_KDOPS);
            bounded += table.bounded;
            tact_cull_one one;
            tact_cull_load((tact_cull_kind)kind, &v, 0, &one);
            if (!one.live) fail_msg("kind %d case %d: not live", kind, n);
            if (tact_cull_one_planes(&one, &table) == TACT_CULL_OUTSIDE) {
                fail_msg("kind %d case %d: culled, though %a %a %a is in it and behind all %u planes", kind, n,
                         (double)p.x, (double)p.y, (double)p.z, count);
            }
        }
    }
    assert_true(bounded > (size_t)cases / 10);
}

TEST(volumes_that_touch_a_box_are_kept)
{
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    tact_cull_tree tree;
    memset(&tree, 0, sizeof tree);
    cull_random r = test_random_seeded(12);
    const int cases = (int)effort_of(CASES);
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        for (int n = 0; n < cases; ++n) {
            const float scale = any_scale(&r), size = scale * ldexpf(1.0f, (int)(cull_next(&r) % 30u) - 15);
            const tact_vec3 p = random_point(&r, scale);
            tact_aabb boxes[1] = {box_at(&r, p, size * ldexpf(1.0f, (int)(cull_next(&r) % 8u) - 4))};
            if (cull_next(&r) % 8u == 0) boxes[0].lower.x = -INFINITY;
            if (cull_next(&r) % 8u == 0) boxes[0].upper.y = INFINITY;
            const any_volume v = volume_at(&r, (tact_cull_kind)kind, p, size);
            assert_int_equal(tact_cull_tree_make(&env, &tree, boxes, 1, kind == TACT_CULL_KDOPS), TACT_OK);
            tact_cull_one one;
            tact_cull_load((tact_cull_kind)kind, &v, 0, &one);
            const TactCullBox b = tree.nodes[0];
            if (!tact_cull_boxes_meet(one.outer, b) ||
                !tact_cull_one_box(&one, b, tree.slabs, tree.slabs ? tree.slabs + 13 : NULL)) {
                fail_msg("kind %d case %d: culled, though %a %a %a is in it and in the box", kind, n, (double)p.x,
                         (double)p.y, (double)p.z);
            }
        }
    }
    tact_cull_tree_release(&env, &tree);
}

/// How far the volume reaches along a direction, in double, and the size of the numbers that go into it.
static void extent_along(tact_cull_kind kind, const any_volume* v, const double n[3], double* low, double* high,
                         double* size)
{
    double c[3], reach = 0;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (kind == TACT_CULL_SPHERES) {
        c[0] = (double)v->sphere.center.x;
        c[1] = (double)v->sphere.center.y;
        c[2] = (double)v->sphere.center.z;
        reach = length * (double)v->sphere.radius;
    } else if (kind == TACT_CULL_OBBS) {
        const double h[3] = {(double)v->obb.half.x, (double)v->obb.half.y, (double)v->obb.half.z};
        c[0] = (double)v->obb.center.x;
        c[1] = (double)v->obb.center.y;
        c[2] = (double)v->obb.center.z;
        for (int i = 0; i < 3; ++i) {
            const tact_vec3 a = v->obb.axis[i];
            reach += h[i] * fabs(n[0] * (double)a.x + n[1] * (double)a.y + n[2] * (double)a.z);
        }
    } else {
        const double l[3] = {(double)v->box.lower.x, (double)v->box.lower.y, (double)v->box.lower.z};
        const double u[3] = {(double)v->box.upper.x, (double)v->box.upper.y, (double)v->box.upper.z};
        for (int i = 0; i < 3; ++i) {
            c[i] = (l[i] + u[i]) / 2;
            reach += fabs(n[i]) * (u[i] - l[i]) / 2;
        }
    }
    const double at = n[0] * c[0] + n[1] * c[1] + n[2] * c[2];
    *low = at - reach;
    *high = at + reach;
    *size = length * (fabs(c[0]) + fabs(c[1]) + fabs(c[2])) + 4 * reach;
}

TEST(far_volumes_are_culled_and_inside_is_inside)
{
    static tact_cull_table table;
    cull_random r = test_random_seeded(13);
    const int cases = (int)effort_of(CASES);
    size_t outside = 0, inside = 0;
    for (int kind = 0; kind < TACT_CULL_KDOPS; ++kind) {
        for (int n = 0; n < cases; ++n) {
            const float scale = any_scale(&r);
            tact_plane planes[4];
            for (int i = 0; i < 4; ++i) {
                planes[i].normal = random_point(&r, 1);
                planes[i].distance = (test_random_unit(&r) + 0.1f) * scale;
            }
            const any_volume v = volume_at(&r, (tact_cull_kind)kind, random_point(&r, scale), scale * 0.3f);
            tact_cull_table_make(&table, planes, 4, false);
            tact_cull_one one;
            tact_cull_load((tact_cull_kind)kind, &v, 0, &one);
            const int answer = tact_cull_one_planes(&one, &table);
            bool must_go = false, all_in = true;
            for (int i = 0; i < 4; ++i) {
                const double m[3] = {(double)planes[i].normal.x, (double)planes[i].normal.y,
                                     (double)planes[i].normal.z};
                double low, high, size;
                extent_along((tact_cull_kind)kind, &v, m, &low, &high, &size);
                const double d = (double)planes[i].distance;
                must_go = must_go || low - d > 0x1p-18 * (size + fabs(d));
                all_in = all_in && high <= d + 0x1p-48 * (size + fabs(d));
            }
            if (must_go) assert_int_equal(answer, TACT_CULL_OUTSIDE);
            if (answer == TACT_CULL_INSIDE) assert_true(all_in);
            outside += answer == TACT_CULL_OUTSIDE;
            inside += answer == TACT_CULL_INSIDE;
        }
    }
    assert_true(outside > (size_t)cases / 4 && inside > (size_t)cases / 8);
}

static void quiet(tact_log_level level, const char* source, const char* message, void* user)
{
}

static tact_context* make_context(int threads)
{
    const tact_context_desc desc = {.threads = threads, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    return new_context(&desc);
}

TEST(every_way_gives_the_same)
{
    static const size_t counts[] = {0, 1, 33, 3000};
    tact_context* context = KEEP(make_context(2));
    tact_culler* culler = KEEP(new_culler(context));
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        for (int condition = 0; condition < CULL_CONDITIONS; ++condition) {
            for (size_t n = 0; n < sizeof counts / sizeof counts[0]; ++n) {
                cull_case c = cull_case_make((tact_cull_kind)kind, condition, counts[n]);
                const cull_answer expected = cull_answer_of(culler, &c.work, TACT_BACKEND_REFERENCE, 1, true);
                for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
                    if (!tact_lanes_limit(level)) continue;
                    for (int threads = 1; threads <= 3; threads += 2) {
                        cull_answer got = cull_answer_of(culler, &c.work, TACT_BACKEND_CPU, threads, true);
                        cull_answers_equal(&expected, &got);
                        got = cull_answer_of(culler, &c.work, TACT_BACKEND_CPU, threads, false);
                        cull_answers_equal(&expected, &got);
                    }
                }
            }
        }
    }
    (void)tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

TEST(large_sets_and_lists_are_right)
{
    tact_context* context = KEEP(make_context(2));
    tact_culler* culler = KEEP(new_culler(context));
    const size_t count = effort(30000, 100000);
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        for (int condition = 0; condition < 3; ++condition) {
            cull_case c = cull_case_make((tact_cull_kind)kind, condition == 0 ? 0 : condition == 1 ? 3 : 5, count);
            const cull_answer expected = cull_answer_of(culler, &c.work, TACT_BACKEND_REFERENCE, 1, true);
            const cull_answer got = cull_answer_of(culler, &c.work, TACT_BACKEND_CPU, 2, true);
            cull_answers_equal(&expected, &got);
            assert_true(expected.kept > 100 && expected.kept < count / 10 * 9);
        }
    }
}

TEST(the_answer_does_not_depend_on_the_unit)
{
    tact_context* context = KEEP(make_context(1));
    tact_culler* culler = KEEP(new_culler(context));
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        cull_case c = cull_case_make((tact_cull_kind)kind, 6, 3000);
        const cull_answer expected = cull_answer_of(culler, &c.work, TACT_BACKEND_CPU, 1, true);
        for (int e = -60; e <= 60; e += 20) {
            cull_case s = cull_case_make((tact_cull_kind)kind, 6, 3000);
            cull_case_scale(&s, ldexpf(1.0f, e));
            cull_answer got = cull_answer_of(culler, &s.work, TACT_BACKEND_CPU, 1, true);
            cull_answers_equal(&expected, &got);
        }
    }
}

static size_t cull_simply(tact_context* context, tact_culler* culler, const tact_cull_work* work)
{
    size_t kept = 99;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .shadow = true};
    const tact_result result = call_cull_volumes(culler, work, NULL, 0, &kept, NULL, &options, NULL);
    if (result < 0) fail_msg("%s", tact_context_error(context));
    assert_int_equal(result, kept > 0 ? TACT_INCOMPLETE : TACT_OK);
    return kept;
}

TEST(odd_numbers_have_an_answer)
{
    tact_context* context = KEEP(make_context(1));
    tact_culler* culler = KEEP(new_culler(context));
    const float inf = INFINITY;
    const tact_aabb boxes[] = {{{0, 0, 0}, {1, 1, 1}},
                               {{NAN, 0, 0}, {1, 1, 1}},
                               {{0, 0, 0}, {1, NAN, 1}},
                               {{1, 0, 0}, {0, 1, 1}},
                               {{-inf, 0, 0}, {inf, 1, 1}},
                               {{5, 5, 5}, {inf, 6, 6}},
                               {{-inf, -inf, -inf}, {inf, inf, inf}},
                               {{-1e38f, -1e38f, -1e38f}, {3e38f, 3e38f, 3e38f}}};
    tact_cull_work w = {.volumes = boxes, .count = 8};
    assert_int_equal(cull_simply(context, culler, &w), 5);
    const tact_plane x_to_2 = {{1, 0, 0}, 2}, huge = {{3e38f, 3e38f, 0}, 3e38f}, never = {{0, 0, 0}, -1};
    const tact_plane always = {{0, 0, 0}, 0}, bad = {{NAN, 0, 0}, 1}, bad_distance = {{1, 0, 0}, NAN};
    const tact_plane none = {{1, 0, 0}, -inf}, all = {{1, 0, 0}, inf}, infinite = {{inf, 0, 0}, 1};
    w.planes = &x_to_2;
    w.plane_count = 1;
    assert_int_equal(cull_simply(context, culler, &w), 4);
    w.planes = &huge;
    assert_true(cull_simply(context, culler, &w) >= 4);
    w.planes = &never;
    assert_int_equal(cull_simply(context, culler, &w), 0);
    w.planes = &bad;
    assert_int_equal(cull_simply(context, culler, &w), 0);
    w.planes = &bad_distance;
    assert_int_equal(cull_simply(context, culler, &w), 0);
    w.planes = &infinite;
    assert_int_equal(cull_simply(context, culler, &w), 0);
    w.planes = &none;
    assert_int_equal(cull_simply(context, culler, &w), 0);
    w.planes = &always;
    assert_int_equal(cull_simply(context, culler, &w), 5);
    w.planes = &all;
    assert_int_equal(cull_simply(context, culler, &w), 5);
    w.plane_count = 0;
    w.boxes = boxes + 1;  // three without a point
    w.box_count = 3;
    assert_int_equal(cull_simply(context, culler, &w), 0);
    w.box_count = 0;
    assert_int_equal(cull_simply(context, culler, &w), 0);
    w.box_count = 5;
    assert_int_equal(cull_simply(context, culler, &w), 5);
    const tact_sphere spheres[] = {{{0, 0, 0}, 1},
                                   {{0, 0, 0}, -1},
                                   {{0, 0, 0}, inf},
                                   {{0, inf, 0}, 1},
                                   {{0, 0, NAN}, 1},
                                   {{0, 0, 0}, 0},
                                   {{3e38f, 3e38f, 3e38f}, 3e38f}};
    w = (tact_cull_work){.kind = TACT_CULL_SPHERES, .volumes = spheres, .count = 7};
    assert_int_equal(cull_simply(context, culler, &w), 3);
    w.boxes = boxes + 6;
    w.box_count = 1;
    assert_int_equal(cull_simply(context, culler, &w), 3);
}

/// A wide OBB around the origin that ends just before the plane may have got there by rounding, and is kept; one that
/// ends far before it is not.
TEST(what_rounding_may_have_moved_is_kept)
{
    tact_context* context = KEEP(make_context(1));
    tact_culler* culler = KEEP(new_culler(context));
    const tact_obb box = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1000, 1, 1}};
    tact_plane plane = {{1, 0, 0}, -1000};
    const tact_cull_work w = {.kind = TACT_CULL_OBBS, .volumes = &box, .count = 1, .planes = &plane, .plane_count = 1};
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        if (!tact_lanes_limit(level)) continue;
        // Each is compared with the reference.
        size_t kept = 0;
        plane.distance = -1000;
        for (int ulps = 0; ulps < 100; ++ulps) {
            plane.distance = nextafterf(plane.distance, -2000);
            kept += cull_simply(context, culler, &w);
        }
        assert_in_range(kept, 1, 50);
    }
}

/// How many are kept of `count` spheres or OBBs, `floats` numbers each, of which one number after the other is `x`.
static size_t kept_with(tact_context* context, tact_culler* culler, tact_cull_kind kind, const float* volume,
                        uint32_t floats, float x)
{
    static const tact_plane everywhere = {{0, 0, 0}, 0};
    float volumes[15 * 15];
    for (uint32_t i = 0; i < floats; ++i) {
        memcpy(volumes + i * floats, volume, floats * sizeof *volume);
        volumes[i * floats + i] = x;
    }
    const tact_cull_work w = {
        .kind = kind, .volumes = volumes, .count = floats, .planes = &everywhere, .plane_count = 1};
    return cull_simply(context, culler, &w);
}

TEST(each_number_has_its_range)
{
    tact_context* context = KEEP(make_context(1));
    tact_culler* culler = KEEP(new_culler(context));
    const tact_obb box = {{1, 2, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};
    const tact_sphere sphere = {{1, 2, 3}, 1};
    const float lost[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(kept_with(context, culler, TACT_CULL_OBBS, (const float*)&box, 15, lost[i]), 0);
        assert_int_equal(kept_with(context, culler, TACT_CULL_SPHERES, (const float*)&sphere, 4, lost[i]), 0);
    }
    // The largest float is a number, 0 is a half length and a radius; only those must not be negative.
    const float fine[] = {FLT_MAX, 0.0f, -0.0f};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(kept_with(context, culler, TACT_CULL_OBBS, (const float*)&box, 15, fine[i]), 15);
        assert_int_equal(kept_with(context, culler, TACT_CULL_SPHERES, (const float*)&sphere, 4, fine[i]), 4);
    }
    assert_int_equal(kept_with(context, culler, TACT_CULL_OBBS, (const float*)&box, 15, -FLT_MAX), 12);
    assert_int_equal(kept_with(context, culler, TACT_CULL_SPHERES, (const float*)&sphere, 4, -FLT_TRUE_MIN), 3);
}

TEST(small_buffers_and_wrong_arguments)
{
    tact_context* context = KEEP(make_context(1));
    tact_culler* culler = KEEP(new_culler(context));
    size_t kept = 0, last = 0;
    assert_null(tact_cull_last(culler, &last));
    cull_case c = cull_case_make(TACT_CULL_AABBS, 0, 3000);
    const cull_answer all = cull_answer_of(culler, &c.work, TACT_BACKEND_CPU, 1, false);
    assert_true(all.kept > 10);
    uint32_t* ids = scratch((all.kept + 1) * sizeof *ids);
    for (size_t room = all.kept - 1; room <= all.kept + 1; ++room) {
        ids[all.kept - 1] = 12345;
        const tact_result result = call_cull_volumes(culler, &c.work, ids, room, &kept, NULL, NULL, NULL);
        assert_int_equal(result, room < all.kept ? TACT_INCOMPLETE : TACT_OK);
        assert_int_equal(kept, all.kept);
        assert_memory_equal(ids, all.ids, (room < kept ? room : kept) * sizeof *ids);
        if (room < kept) assert_int_equal(ids[kept - 1], 12345);
        assert_memory_equal(tact_cull_last(culler, &last), all.ids, kept * sizeof *ids);
        assert_int_equal(last, kept);
    }
    tact_cull_work w = c.work;
    w.kind = (tact_cull_kind)4;
    assert_int_equal(call_cull_volumes(culler, &w, ids, 1, &kept, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(tact_cull_last(culler, &last));
    w = c.work;
    w.plane_count = 33;
    assert_int_equal(call_cull_volumes(culler, &w, ids, 1, &kept, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    w = c.work;
    w.volumes = NULL;
    assert_int_equal(call_cull_volumes(culler, &w, ids, 1, &kept, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_cull_volumes(culler, &c.work, NULL, 1, &kept, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_cull_volumes(culler, NULL, ids, 1, &kept, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_cull_volumes(NULL, &w, ids, 1, &kept, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    w = c.work;
    w.count = (size_t)TACT_CULL_MAX + 1;
    assert_int_equal(call_cull_volumes(culler, &w, ids, 1, &kept, NULL, NULL, NULL), TACT_ERROR_LIMIT);
    tact_plane planes[6];
    const tact_frustum empty = {.planes = 0};
    assert_int_equal(tact_cull_frustum(&empty, planes), 1);
    w = c.work;
    w.planes = planes;
    w.plane_count = 1;
    assert_int_equal(cull_simply(context, culler, &w), 0);
}

/// One allocation after the other fails: an error, or the right answer; and nothing is left over.
TEST(memory_may_run_out)
{
    cull_case c = cull_case_make(TACT_CULL_KDOPS, 6, 3000);
    size_t right = 0;
    for (size_t n = 0; n < 100; ++n) {
        counting_allocator counter = {.fail_at = n};
        const tact_context_desc desc = {
            .allocator = counting_hooks(&counter), .log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
        tact_context* context = NULL;
        tact_culler* culler = NULL;
        size_t kept = 0;
        const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 2, .shadow = true};
        tact_result result = tact_context_create(&desc, &context);
        if (result == TACT_OK) result = tact_culler_create(context, &culler);
        if (result == TACT_OK) result = call_cull_volumes(culler, &c.work, NULL, 0, &kept, NULL, &options, NULL);
        tact_culler_destroy(culler);
        if (context) tact_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (result < 0) assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        if (n == 0) right = kept;
        if (result >= 0) assert_int_equal(kept, right);
        if (n > 0 && !counter.failed) break;
        assert_true(n < 99);
    }
    assert_true(right > 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
