// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Intersections of half-spaces against all corners that there are, in whole numbers; k-DOPs by what their corners
// reach; sums of polyhedra against hulls of all sums.

#include "tests/support/run.h"

#include <float.h>

#include "tact/geometry/containment.h"
#include "tact/geometry/convex_mesh.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/linear_program.h"
#include "tact/geometry/measure.h"
#include "tact/geometry/mesh_report.h"
#include "tact/geometry/polytope.h"
#include "tests/geometry/points.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

enum { FEW = 14, CORNERS = 400 };

static void free_mesh(void* mesh)
{
    tact_convex_mesh_free(mesh);
}

static tact_convex_mesh* new_mesh(void)
{
    tact_convex_mesh* mesh = scratch_zeroed(1, sizeof *mesh);
    at_end(free_mesh, mesh);
    return mesh;
}

static double dot(tact_vec3 a, tact_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/// (b - a) x (c - b) . n
static double turn(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 n)
{
    const double u[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
    const double v[3] = {(double)c.x - (double)b.x, (double)c.y - (double)b.y, (double)c.z - (double)b.z};
    return (u[1] * v[2] - u[2] * v[1]) * (double)n.x + (u[2] * v[0] - u[0] * v[2]) * (double)n.y +
           (u[0] * v[1] - u[1] * v[0]) * (double)n.z;
}

/// Closed, of Euler's number, with every point in three faces or more.
static void is_surface(const tact_convex_mesh* mesh)
{
    const tact_hull hull = tact_convex_mesh_hull(mesh);
    const uint32_t corners = mesh->face_start[mesh->face_count];
    uint32_t* start = scratch((mesh->point_count + 1) * sizeof *start);
    uint32_t* neighbours = scratch(corners * sizeof *neighbours);
    assert_int_equal(mesh->kind, TACT_CONVEX_MESH_SOLID);
    if (tact_hull_link(&hull, start, neighbours) != TACT_OK) fail_msg("%s", tact_last_error());
    assert_int_equal(mesh->point_count + mesh->face_count, corners / 2 + 2);
    for (uint32_t i = 0; i < mesh->point_count; ++i)
        assert_true(start[i + 1] - start[i] >= 3);
}

// ---- Half-spaces in whole numbers ----

typedef struct corner {
    int64_t x[3], w;
    float at[3];
} corner;

static int64_t det3(const int* a, const int* b, const int* c)
{
    return (int64_t)a[0] * (b[1] * c[2] - b[2] * c[1]) - (int64_t)a[1] * (b[0] * c[2] - b[2] * c[0]) +
           (int64_t)a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// n . p - d, times w.
static int64_t height(const int* h, const corner* p)
{
    return h[0] * p->x[0] + h[1] * p->x[1] + h[2] * p->x[2] - h[3] * p->w;
}

static bool meet(const int* a, const int* b, const int* c, corner* p)
{
    p->w = det3(a, b, c);
    if (p->w == 0) return false;
    const int64_t sign = p->w < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) {
        int u[3], v[3], w[3];
        memcpy(u, a, sizeof u);
        memcpy(v, b, sizeof v);
        memcpy(w, c, sizeof w);
        u[k] = a[3];
        v[k] = b[3];
        w[k] = c[3];
        p->x[k] = sign * det3(u, v, w);
    }
    p->w *= sign;
    return true;
}

static bool same_corner(const corner* p, const corner* q)
{
    return p->x[0] * q->w == q->x[0] * p->w && p->x[1] * q->w == q->x[1] * p->w && p->x[2] * q->w == q->x[2] * p->w;
}

static size_t all_corners(int (*h)[4], size_t count, float unit, corner* corners)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < i; ++j) {
            for (size_t k = 0; k < j; ++k) {
                corner p;
                if (!meet(h[i], h[j], h[k], &p)) continue;
                bool good = true;
                for (size_t m = 0; m < count && good; ++m)
                    good = height(h[m], &p) <= 0;
                for (size_t m = 0; m < found && good; ++m)
                    good = !same_corner(&p, &corners[m]);
                if (!good) continue;
                for (int c = 0; c < 3; ++c)
                    p.at[c] = (float)((double)p.x[c] / (double)p.w) * unit;
                assert_true(found < CORNERS);
                corners[found++] = p;
            }
        }
    }
    return found;
}

/// Whether corners are in no line.
static bool spread(const corner* corners, const size_t* on, size_t count)
{
    for (size_t k = 2; k < count; ++k) {
        double cross = 0.0;
        for (int c = 0; c < 3; ++c) {
            const corner *p = &corners[on[0]], *q = &corners[on[1]], *r = &corners[on[k]];
            const int i = (c + 1) % 3, j = (c + 2) % 3;
            const double a = (double)p->w, b = (double)q->w, d = (double)r->w;
            const double u = (double)q->x[i] / b - (double)p->x[i] / a, v = (double)q->x[j] / b - (double)p->x[j] / a;
            const double s = (double)r->x[i] / d - (double)p->x[i] / a, t = (double)r->x[j] / d - (double)p->x[j] / a;
            cross += fabs(u * t - v * s);
        }
        if (cross > 1e-9) return true;
    }
    return false;
}

static bool same_plane(const int* a, const int* b)
{
    // Normals of whole numbers, one a positive multiple of the other.
    int64_t along = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (a[i] * b[j] != a[j] * b[i]) return false;
        }
        if (i < 3) along += a[i] * b[i];
    }
    return along > 0;
}

static void check_faces(const tact_convex_mesh* mesh, int (*h)[4], size_t count, const corner* corners, size_t found)
{
    size_t faces = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t on[CORNERS], used = 0;
        bool first = true;
        for (size_t k = 0; k < i && first; ++k)
            first = !same_plane(h[i], h[k]);
        for (size_t k = 0; k < found && first; ++k) {
            if (height(h[i], &corners[k]) == 0) on[used++] = k;
        }
        if (!first || used < 3 || (h[i][0] == 0 && h[i][1] == 0 && h[i][2] == 0) || !spread(corners, on, used))
            continue;
        ++faces;
        bool there = false;
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            const uint32_t source = mesh->face_source[f];
            const size_t number = source < TACT_LP_SIDE ? source : count - 6 + (source - TACT_LP_SIDE);
            assert_true(number < count);
            if (!same_plane(h[i], h[number])) continue;
            assert_false(there);
            there = true;
            const uint32_t begin = mesh->face_start[f], size = mesh->face_start[f + 1] - begin;
            assert_int_equal(size, used);
            const tact_vec3 n = v3((float)h[i][0], (float)h[i][1], (float)h[i][2]);
            for (uint32_t k = 0; k < size; ++k) {
                const tact_vec3 a = mesh->points[mesh->face_points[begin + k]];
                const tact_vec3 b = mesh->points[mesh->face_points[begin + (k + 1) % size]];
                const tact_vec3 c = mesh->points[mesh->face_points[begin + (k + 2) % size]];
                assert_true(turn(a, b, c, n) > 0.0);
                bool on_it = false;
                for (size_t m = 0; m < used && !on_it; ++m) {
                    const float* at = corners[on[m]].at;
                    on_it = at[0] == a.x && at[1] == a.y && at[2] == a.z;
                }
                assert_true(on_it);
            }
        }
        assert_true(there);
    }
    assert_int_equal(faces, mesh->face_count);
}

static int small(test_random* r, int size)
{
    return (int)test_random_below(r, (uint32_t)(2 * size + 1)) - size;
}

TEST(half_spaces_have_all_their_corners)
{
    test_random r = test_random_seeded(811);
    size_t kinds[3] = {0, 0, 0};
    corner* corners = scratch(CORNERS * sizeof *corners);
    for (size_t trial = 0; trial < effort(1500, 30000); ++trial) {
        int h[FEW + 6][4];
        tact_plane planes[FEW];
        const size_t count = test_random_below(&r, FEW + 1);
        const int size = 1 + (int)test_random_below(&r, 3);
        const float unit = ldexpf(1.0f, small(&r, 40));
        for (size_t i = 0; i < count; ++i) {
            const float scale = ldexpf(1.0f, small(&r, 30));
            for (int k = 0; k < 3; ++k)
                h[i][k] = small(&r, size);
            h[i][3] = small(&r, 3) + (trial % 4 ? 4 : 1);
            const tact_vec3 n = v3((float)h[i][0] * scale, (float)h[i][1] * scale, (float)h[i][2] * scale);
            planes[i] = (tact_plane){n, (float)h[i][3] * scale * unit};
        }
        tact_aabb box;
        for (int k = 0; k < 3; ++k) {
            const int low = small(&r, 2) - 3, high = low + (int)test_random_below(&r, 8) + (trial % 10 ? 1 : 0);
            memset(h[count + 2 * (size_t)k], 0, 2 * sizeof h[0]);
            h[count + 2 * (size_t)k][k] = -1;
            h[count + 2 * (size_t)k][3] = -low;
            h[count + 2 * (size_t)k + 1][k] = 1;
            h[count + 2 * (size_t)k + 1][3] = high;
            (&box.lower.x)[k] = (float)low * unit;
            (&box.upper.x)[k] = (float)high * unit;
        }
        const size_t found = all_corners(h, count + 6, unit, corners);
        tact_convex_mesh mesh;
        assert_int_equal(tact_half_spaces_mesh(planes, count, box, NULL, &mesh), TACT_OK);
        ++kinds[mesh.kind];
        if (mesh.kind == TACT_CONVEX_MESH_SOLID) {
            assert_int_equal(mesh.point_count, found);
            assert_null(mesh.point_source);
            is_surface(&mesh);
            check_faces(&mesh, h, count + 6, corners, found);
        } else {
            assert_true(mesh.kind == TACT_CONVEX_MESH_EMPTY ? found == 0 : found > 0);
            assert_true(mesh.points == NULL && mesh.face_count == 0);
        }
        tact_convex_mesh_free(&mesh);
    }
    assert_true(kinds[0] > 6 && kinds[1] > 1 && kinds[2] > 60);
}

/// Planes through one point, whose determinants are 0 and take more bits than doubles have: one corner.
TEST(planes_through_a_point_meet_in_one_corner)
{
    test_random r = test_random_seeded(819);
    for (size_t trial = 0; trial < effort(200, 3000); ++trial) {
        tact_plane planes[20];
        tact_vec2 ring[20];
        const size_t count = 4 + test_random_below(&r, 17);
        const int top = 4095, at[3] = {small(&r, 500), small(&r, 500), 400 + small(&r, 100)};
        for (size_t i = 0; i < count; ++i) {
            const int n[3] = {small(&r, 4095), small(&r, 4095), top};
            planes[i].normal = v3((float)n[0], (float)n[1], (float)n[2]);
            planes[i].distance = (float)(n[0] * at[0] + n[1] * at[1] + n[2] * at[2]);
            ring[i] = v2((float)n[0], (float)n[1]);
        }
        tact_hull_mesh outline;
        assert_int_equal(tact_hull_mesh_2d(ring, count, NULL, &outline), TACT_OK);
        tact_convex_mesh* mesh = new_mesh();
        const tact_aabb box = {v3(-2000, -2000, -2000), v3(2000, 2000, 2000)};
        assert_int_equal(tact_half_spaces_mesh(planes, count, box, NULL, mesh), TACT_OK);
        is_surface(mesh);
        uint32_t tips = 0, around = 0;
        for (uint32_t i = 0; i < mesh->point_count; ++i) {
            const tact_vec3 p = mesh->points[i];
            if (p.x != (float)at[0] || p.y != (float)at[1] || p.z != (float)at[2]) continue;
            ++tips;
            for (uint32_t k = 0; k < mesh->face_start[mesh->face_count]; ++k)
                around += mesh->face_points[k] == i;
        }
        assert_int_equal(tips, 1);
        assert_int_equal(around, outline.vertex_count);
        tact_hull_mesh_free(&outline);
    }
}

static tact_vec3 on_sphere(test_random* r)
{
    for (;;) {
        const tact_vec3 p = v3(test_random_signed(r), test_random_signed(r), test_random_signed(r));
        const double length = sqrt(dot(p, p));
        if (length > 0.1 && length <= 1.0)
            return v3((float)((double)p.x / length), (float)((double)p.y / length), (float)((double)p.z / length));
    }
}

TEST(many_half_spaces_make_a_polytope)
{
    test_random r = test_random_seeded(812);
    for (size_t trial = 0; trial < effort(40, 600); ++trial) {
        tact_plane planes[250];
        const size_t count = 10 + test_random_below(&r, 240);
        const tact_vec3 at = v3(10 * test_random_signed(&r), 0, 10 * test_random_signed(&r));
        for (size_t i = 0; i < count; ++i) {
            const tact_vec3 n = on_sphere(&r);
            planes[i] = (tact_plane){n, (float)(dot(n, at) + 1.0 + 0.3 * (double)test_random_unit(&r))};
        }
        const tact_aabb box = {v3(-20, -20, -20), v3(20, 20, 20)};
        tact_convex_mesh* mesh = new_mesh();
        assert_int_equal(tact_half_spaces_mesh(planes, count, box, NULL, mesh), TACT_OK);
        is_surface(mesh);
        const tact_hull hull = tact_convex_mesh_hull(mesh);
        double volume = 0.0;
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            const tact_vec3 a = mesh->points[mesh->face_points[mesh->face_start[f]]];
            for (uint32_t k = mesh->face_start[f] + 1; k + 1 < mesh->face_start[f + 1]; ++k) {
                const tact_vec3 b = mesh->points[mesh->face_points[k]], c = mesh->points[mesh->face_points[k + 1]];
                volume += turn(at, a, b, v3(c.x - at.x, c.y - at.y, c.z - at.z)) / 6.0;
            }
        }
        for (uint32_t i = 0; i < mesh->point_count; ++i) {
            for (size_t k = 0; k < count; ++k)
                assert_true(dot(planes[k].normal, mesh->points[i]) <= (double)planes[k].distance + 1e-5);
        }
        // Where the box cuts nothing off the volume is that of the half-spaces.
        const double expected = tact_half_spaces_volume(planes, count);
        bool cut = false;
        for (uint32_t f = 0; f < mesh->face_count; ++f)
            cut = cut || mesh->face_source[f] >= TACT_LP_SIDE;
        if (!cut) assert_true(fabs(volume - expected) < 1e-4 * expected);
        assert_true(count < 60 || !cut);
        tact_hull_side* sides = scratch(mesh->face_count * sizeof *sides);
        tact_hull_edge* edges = scratch(mesh->face_start[mesh->face_count] / 2 * sizeof *edges);
        tact_polytope polytope;
        assert_int_equal(tact_polytope_make(&hull, sides, edges, &polytope), TACT_OK);
    }
}

TEST(wrong_half_spaces_are_errors)
{
    const tact_aabb box = {v3(-1, -1, -1), v3(1, 1, 1)};
    tact_plane planes[2] = {{v3(1, 1, 1), 1}, {v3(1, 1, 1), NAN}};
    tact_convex_mesh mesh;
    assert_int_equal(tact_half_spaces_mesh(planes, 2, box, NULL, &mesh), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "a half-space or the box is not finite");
    assert_true(mesh.points == NULL);
    assert_int_equal(tact_half_spaces_mesh(NULL, 0, box, NULL, &mesh), TACT_OK);
    assert_int_equal(mesh.point_count, 8);
    assert_int_equal(mesh.face_count, 6);
    tact_convex_mesh_free(&mesh);
    assert_int_equal(tact_half_spaces_mesh(planes, (size_t)1 << 31, box, NULL, &mesh), TACT_ERROR_LIMIT);
    const tact_kdop bad = {.k = 10};
    assert_int_equal(tact_kdop_mesh(&bad, NULL, &mesh), TACT_ERROR_INVALID_ARGUMENT);
    tact_kdop open = tact_kdop_from_points(14, &planes[0].normal, 1, 0);
    open.upper[3] = INFINITY;
    assert_int_equal(tact_kdop_mesh(&open, NULL, &mesh), TACT_ERROR_INVALID_ARGUMENT);
}

// ---- k-DOPs ----

static const uint32_t all_k[] = {6, 8, 12, 14, 18, 20, 26};

TEST(corners_of_a_k_dop_reach_its_sides)
{
    test_random r = test_random_seeded(813);
    for (size_t trial = 0; trial < effort(200, 3000); ++trial) {
        const uint32_t k = all_k[trial % 7];
        tact_vec3 points[12];
        const size_t count = 4 + test_random_below(&r, 9);
        const uint32_t kind = (uint32_t)(trial / 7 % 5);
        for (size_t i = 0; i < count; ++i)
            points[i] = point(&r, kind);
        const tact_kdop kdop = tact_kdop_from_points(k, points, count, 0);
        tact_convex_mesh* mesh = new_mesh();
        assert_int_equal(tact_kdop_mesh(&kdop, NULL, mesh), TACT_OK);
        if (mesh->kind != TACT_CONVEX_MESH_SOLID) continue;
        is_surface(mesh);
        const tact_kdop again = tact_kdop_from_points(k, mesh->points, mesh->point_count, 0);
        const double slack = 4e-7 * size_of(mesh->points, (int)mesh->point_count);
        for (uint32_t i = 0; i < k / 2; ++i) {
            assert_true(fabs((double)again.lower[i] - (double)kdop.lower[i]) <= slack);
            assert_true(fabs((double)again.upper[i] - (double)kdop.upper[i]) <= slack);
        }
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            const uint32_t axis = mesh->face_source[f] / 2;
            assert_true(axis < k / 2);
            const float bound = mesh->face_source[f] % 2 ? kdop.upper[axis] : kdop.lower[axis];
            for (uint32_t i = mesh->face_start[f]; i < mesh->face_start[f + 1]; ++i) {
                const tact_vec3 p = mesh->points[mesh->face_points[i]];
                assert_true(fabs(dot(tact_kdop_axes(k)[axis], p) - (double)bound) <= slack);
            }
        }
    }
}

TEST(a_k_dop_that_turns_holds_its_object)
{
    test_random r = test_random_seeded(814);
    for (size_t trial = 0; trial < effort(200, 3000); ++trial) {
        const uint32_t k = all_k[trial % 7];
        tact_vec3 points[20];
        for (size_t i = 0; i < 20; ++i)
            points[i] = point(&r, (uint32_t)(trial / 7 % 5));
        const tact_kdop kdop = tact_kdop_from_points(k, points, 20, 0);
        tact_convex_mesh* mesh = new_mesh();
        assert_int_equal(tact_kdop_mesh(&kdop, NULL, mesh), TACT_OK);
        assert_int_equal(mesh->kind, TACT_CONVEX_MESH_SOLID);
        float axes[9];
        test_random_rotation(&r, axes);
        tact_transform turned = {.t = v3(test_random_signed(&r), test_random_signed(&r), 3)};
        for (int i = 0; i < 9; ++i)
            turned.m[i / 3][i % 3] = trial % 5 ? axes[i] : (float)(i % 4 == 0);
        const tact_kdop got = tact_kdop_realign(k, mesh, &turned);
        const tact_kdop object = tact_kdop_from_transformed_points(k, points, 20, 0, &turned);
        const tact_kdop corners = tact_kdop_from_transformed_points(k, mesh->points, mesh->point_count, 0, &turned);
        const double slack = 1e-6 * (size_of(mesh->points, (int)mesh->point_count) + 1.0);
        for (uint32_t i = 0; i < k / 2; ++i) {
            assert_true(got.lower[i] <= object.lower[i] && got.upper[i] >= object.upper[i]);
            assert_true(got.lower[i] <= corners.lower[i] && got.upper[i] >= corners.upper[i]);
            assert_true((double)corners.lower[i] - (double)got.lower[i] <= slack);
            assert_true((double)got.upper[i] - (double)corners.upper[i] <= slack);
        }
        turned.m[1][1] = NAN;
        assert_true(tact_kdop_is_empty(&(tact_kdop[]){tact_kdop_realign(k, mesh, &turned)}[0]));
    }
}

// ---- Sums ----

static void check_against_hull(const tact_convex_mesh* mesh, const tact_vec3* sums, size_t count)
{
    tact_hull_mesh hull;
    assert_int_equal(tact_hull_mesh_3d(sums, count, NULL, &hull), TACT_OK);
    if (hull.dimension < 3) {
        assert_int_equal(mesh->kind, TACT_CONVEX_MESH_FLAT);
    } else {
        is_surface(mesh);
        assert_int_equal(mesh->point_count, hull.vertex_count);
        assert_int_equal(mesh->face_count, hull.facet_count);
        assert_int_equal(mesh->face_start[mesh->face_count], hull.triangle_count + 2 * hull.facet_count);
        for (size_t i = 0; i < hull.vertex_count; ++i) {
            bool there = false;
            for (uint32_t k = 0; k < mesh->point_count && !there; ++k)
                there = same_vec(mesh->points[k], sums[hull.vertices[i]]);
            assert_true(there);
        }
    }
    tact_hull_mesh_free(&hull);
}

TEST(sums_of_whole_numbers_are_hulls_of_sums)
{
    test_random r = test_random_seeded(815);
    size_t kinds[3] = {0, 0, 0};
    for (size_t trial = 0; trial < effort(2000, 30000); ++trial) {
        tact_vec3 p[2][9], sums[81];
        const size_t count[2] = {1 + test_random_below(&r, 9), 1 + test_random_below(&r, 9)};
        const bool minus = trial % 2 != 0;
        for (int s = 0; s < 2; ++s) {
            const int flat = (int)test_random_below(&r, 3);
            for (size_t i = 0; i < count[s]; ++i)
                p[s][i] = v3((float)small(&r, 2), (float)small(&r, flat > 1 ? 0 : 2), (float)small(&r, flat ? 0 : 3));
        }
        for (size_t i = 0; i < count[0] * count[1]; ++i) {
            const tact_vec3 a = p[0][i / count[1]], b = p[1][i % count[1]];
            sums[i] = minus ? v3(a.x - b.x, a.y - b.y, a.z - b.z) : v3(a.x + b.x, a.y + b.y, a.z + b.z);
        }
        tact_convex_mesh* mesh = new_mesh();
        const tact_result result = minus ? tact_minkowski_difference(p[0], count[0], p[1], count[1], NULL, mesh)
                                         : tact_minkowski_sum(p[0], count[0], p[1], count[1], NULL, mesh);
        assert_int_equal(result, TACT_OK);
        ++kinds[mesh->kind];
        check_against_hull(mesh, sums, count[0] * count[1]);
        for (uint32_t i = 0; i < mesh->point_count; ++i) {
            const tact_vec3 a = p[0][mesh->point_source[2 * i]], b = p[1][mesh->point_source[2 * i + 1]];
            assert_true(mesh->points[i].x == (minus ? a.x - b.x : a.x + b.x));
            assert_true(mesh->points[i].z == (minus ? a.z - b.z : a.z + b.z));
        }
    }
    assert_true(kinds[0] == 0 && kinds[1] > 12 && kinds[2] > 60);
}

static double reach(const tact_vec3* p, size_t count, tact_vec3 n)
{
    double most = -HUGE_VAL;
    for (size_t i = 0; i < count; ++i)
        most = fmax(most, dot(p[i], n));
    return most;
}

TEST(sums_reach_as_far_as_both)
{
    test_random r = test_random_seeded(816);
    for (size_t trial = 0; trial < effort(60, 1000); ++trial) {
        tact_vec3 p[2][40];
        const size_t count[2] = {4 + test_random_below(&r, 36), 4 + test_random_below(&r, 36)};
        for (int s = 0; s < 2; ++s) {
            const float scale = s && trial % 3 == 0 ? 1e-5f : 1.0f;
            for (size_t i = 0; i < count[s]; ++i) {
                const tact_vec3 q = trial % 2 ? on_sphere(&r) : point(&r, 1);
                p[s][i] = v3(q.x * scale, q.y * scale, q.z * scale);
            }
        }
        tact_convex_mesh* mesh = new_mesh();
        assert_int_equal(tact_minkowski_difference(p[0], count[0], p[1], count[1], NULL, mesh), TACT_OK);
        is_surface(mesh);
        for (int k = 0; k < 50; ++k) {
            const tact_vec3 n = on_sphere(&r);
            const double whole = reach(p[0], count[0], n) + reach(p[1], count[1], v3(-n.x, -n.y, -n.z));
            const double size = size_of(p[0], (int)count[0]) + size_of(p[1], (int)count[1]);
            assert_true(fabs(reach(mesh->points, mesh->point_count, n) - whole) <= 4e-7 * size);
        }
    }
}

/// Faces that are exactly parallel become one, though no double holds the coordinates of the sums.
TEST(a_polyhedron_and_its_small_copy_have_the_same_faces)
{
    test_random r = test_random_seeded(817);
    for (size_t trial = 0; trial < effort(60, 600); ++trial) {
        tact_vec3 p[2][30];
        const size_t count = 4 + test_random_below(&r, 26);
        const int shrink = -(int)test_random_below(&r, 70);
        for (size_t i = 0; i < count; ++i) {
            p[0][i] = on_sphere(&r);
            p[1][i] = v3(ldexpf(p[0][i].x, shrink), ldexpf(p[0][i].y, shrink), ldexpf(p[0][i].z, shrink));
        }
        tact_hull_mesh hull;
        assert_int_equal(tact_hull_mesh_3d(p[0], count, NULL, &hull), TACT_OK);
        tact_convex_mesh* mesh = new_mesh();
        assert_int_equal(tact_minkowski_sum(p[0], count, p[1], count, NULL, mesh), TACT_OK);
        assert_int_equal(mesh->point_count, hull.vertex_count);
        assert_int_equal(mesh->face_count, hull.facet_count);
        tact_hull_mesh_free(&hull);
        for (uint32_t i = 0; i < mesh->point_count; ++i)
            assert_int_equal(mesh->point_source[2 * i], mesh->point_source[2 * i + 1]);
    }
}

TEST(wrong_sums_are_errors)
{
    tact_vec3 p[4] = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    tact_convex_mesh mesh;
    assert_int_equal(tact_minkowski_sum(p, 4, NULL, 0, NULL, &mesh), TACT_OK);
    assert_int_equal(mesh.kind, TACT_CONVEX_MESH_EMPTY);
    assert_int_equal(tact_minkowski_sum(p, 4, p, 1, NULL, &mesh), TACT_OK);
    assert_int_equal(mesh.point_count, 4);
    tact_convex_mesh_free(&mesh);
    p[2].y = 3e38f;
    assert_int_equal(tact_minkowski_sum(p, 4, p, 4, NULL, &mesh), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "a sum of two points is beyond the largest float");
    p[2].y = INFINITY;
    assert_int_equal(tact_minkowski_sum(p, 4, p, 1, NULL, &mesh), TACT_ERROR_INVALID_ARGUMENT);
}

// ---- Few corners around many ----

/// The hull of the corners, which holds all points exactly; its volume.
static double holds_all(const tact_convex_mesh* mesh, const tact_vec3* p, size_t count)
{
    tact_hull_mesh hull;
    assert_int_equal(tact_hull_mesh_3d(mesh->points, mesh->point_count, NULL, &hull), TACT_OK);
    assert_int_equal(hull.dimension, 3);
    for (size_t i = 0; i < count; ++i) {
        const tact_location place =
            tact_mesh_locate(mesh->points, hull.triangles, (uint32_t)hull.triangle_count, p[i], NULL);
        assert_int_not_equal(place, TACT_POINT_OUTSIDE);
    }
    const tact_mesh_view view = {mesh->points, mesh->point_count, hull.triangles, hull.triangle_count};
    tact_mesh_report report;
    assert_int_equal(tact_mesh_report_make(&view, NULL, &report), TACT_OK);
    tact_hull_mesh_free(&hull);
    return report.volume;
}

TEST(few_corners_hold_all_points)
{
    test_random r = test_random_seeded(819);
    enum { POINTS = 1000 };
    static tact_vec3 p[POINTS];
    for (int kind = 0; kind < 5; ++kind) {
        const float scale = kind == 3 ? 1e-38f : kind == 4 ? 1e30f : 1.0f;
        for (size_t i = 0; i < POINTS; ++i) {
            const tact_vec3 s = on_sphere(&r);
            p[i] = v3(scale * s.x, scale * s.y, scale * s.z);
            if (kind == 1) p[i] = v3(s.x + 1000.0f, 0.001f * s.y, s.z);
            if (kind == 2) p[i] = v3(s.x * s.x * s.x, s.y * s.y * s.y, s.z);
        }
        double last = HUGE_VAL;
        tact_convex_mesh* mesh = NULL;
        for (uint32_t most = 8; most <= 512; most *= 4) {
            mesh = new_mesh();
            assert_int_equal(tact_hull_around(p, POINTS, most, NULL, mesh), TACT_OK);
            is_surface(mesh);
            assert_true(mesh->point_count <= most && (most == 8 || kind == 2 || mesh->point_count > most / 4));
            assert_null(mesh->face_source);
            const double volume = holds_all(mesh, p, POINTS);
            assert_true(volume < last || (volume == last && kind == 2));
            last = volume;
        }
        // Of 512 corners a sphere's polyhedron has 1.5 % more than it, and the hull of the points 2 % less.
        if (kind == 0) assert_true(last < 1.02 * 4.1887902047863905);
    }
}

TEST(as_many_corners_as_a_hull_has_are_the_hull)
{
    test_random r = test_random_seeded(820);
    tact_vec3 p[60];
    for (size_t i = 0; i < 60; ++i) {
        const tact_vec3 s = on_sphere(&r);
        p[i] = i < 30 ? s : v3(0.1f * s.x, 0.1f * s.y, 0.1f * s.z);
    }
    tact_convex_mesh* mesh = new_mesh();
    assert_int_equal(tact_hull_around(p, 60, 30, NULL, mesh), TACT_OK);
    assert_int_equal(mesh->point_count, 30);
    for (size_t i = 0; i < 30; ++i)
        assert_memory_equal(&mesh->points[i], &p[i], sizeof *p);
    is_surface(mesh);
    tact_convex_mesh* fewer = new_mesh();
    assert_int_equal(tact_hull_around(p, 60, 29, NULL, fewer), TACT_OK);
    assert_true(fewer->point_count <= 29);
    holds_all(fewer, p, 60);
    // What has no inside.
    tact_convex_mesh flat;
    assert_int_equal(tact_hull_around(p, 3, 8, NULL, &flat), TACT_OK);
    assert_int_equal(flat.kind, TACT_CONVEX_MESH_FLAT);
    assert_int_equal(tact_hull_around(p, 0, 8, NULL, &flat), TACT_OK);
    assert_int_equal(flat.kind, TACT_CONVEX_MESH_EMPTY);
    assert_int_equal(tact_hull_around(p, 60, 7, NULL, &flat), TACT_ERROR_INVALID_ARGUMENT);
    p[59].z = NAN;
    assert_int_equal(tact_hull_around(p, 60, 8, NULL, &flat), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "point 59"));
    p[59].z = FLT_MAX;
    assert_int_equal(tact_hull_around(p, 60, 8, NULL, &flat), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(without_memory_nothing_is_left)
{
    test_random r = test_random_seeded(818);
    tact_vec3 p[12];
    tact_plane planes[12];
    for (size_t i = 0; i < 12; ++i) {
        p[i] = on_sphere(&r);
        planes[i] = (tact_plane){p[i], 1.0f};
    }
    const tact_aabb box = {v3(-2, -2, -2), v3(2, 2, 2)};
    for (int which = 0; which < 3; ++which) {
        size_t fail_at = 1;
        for (;; ++fail_at) {
            counting_allocator counter = {.fail_at = fail_at};
            const tact_allocator hooks = counting_hooks(&counter);
            tact_convex_mesh mesh;
            const tact_result result = which == 2 ? tact_hull_around(p, 12, 10, &hooks, &mesh)
                                       : which    ? tact_minkowski_sum(p, 12, p, 12, &hooks, &mesh)
                                                  : tact_half_spaces_mesh(planes, 12, box, &hooks, &mesh);
            if (result == TACT_OK) tact_convex_mesh_free(&mesh);
            assert_int_equal(counter.live, 0);
            if (result == TACT_OK) break;
            assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            assert_null(mesh.points);
        }
        assert_true(fail_at > 8);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
