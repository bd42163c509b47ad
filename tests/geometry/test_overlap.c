// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Static overlap tests. A table lists each with the layout of its numbers; invariance, bad numbers and the comparison
// with oracles go through the table. The oracles minimise in extended precision.

#include <float.h>

#include "tests/support/run.h"

#include "tact/geometry/overlap.h"
#include "tests/geometry/overlap_numbers.h"

// The functions under test and their distances ("radius" not counted), from an array of numbers.

OF_NUMBERS(bool, sphere_obb, tact_sphere_overlaps_obb(sphere(f), POINTED(obb, f + 4)))

static real sphere_obb_gap(const float* f)
{
    const rvec h = at(f + 16);
    return to_box(local(at(f), f + 4), (rvec){-h.x, -h.y, -h.z}, h);
}

OF_NUMBERS(real, sphere_triangle_gap, to_triangle(at(f), at(f + 4), at(f + 7), at(f + 10)))

/// A triangle is a polygon too.
static bool sphere_polygon(const float* f)
{
    const tact_triangle t = triangle(f + 4);
    const tact_vec3 v[3] = {t.a, t.b, t.c};
    return tact_sphere_overlaps_polygon(sphere(f), v, 3);
}

typedef real distance_from(rvec p, const float* f);

/// The least distance on a segment of something convex, by ternary search.
static real least_on_segment(rvec a, rvec b, distance_from* from, const float* f)
{
    real low = 0, high = 1, best = fminl(from(a, f), from(b, f));
    const rvec u = minus(b, a);
    for (int i = 0; i < 90; ++i) {
        const real s = low + (high - low) * 0.45L, t = low + (high - low) * 0.55L;
        const real x = from(along(a, s, u), f), y = from(along(a, t, u), f);
        best = fminl(best, fminl(x, y));
        if (x < y)
            high = t;
        else
            low = s;
    }
    return best;
}

static real box_from(rvec p, const float* f)
{
    return to_box(p, at(f), at(f + 3));
}

static real obb_from(rvec p, const float* f)
{
    const rvec h = at(f + 12);
    return to_box(local(p, f), (rvec){-h.x, -h.y, -h.z}, h);
}

static real triangle_from(rvec p, const float* f)
{
    return to_triangle(p, at(f), at(f + 3), at(f + 6));
}

OF_NUMBERS(real, capsule_aabb_gap, least_on_segment(at(f), at(f + 3), box_from, f + 7))
OF_NUMBERS(bool, capsule_obb, tact_capsule_overlaps_obb(POINTED(capsule, f), POINTED(obb, f + 7)))
OF_NUMBERS(real, capsule_obb_gap, least_on_segment(at(f), at(f + 3), obb_from, f + 7))
OF_NUMBERS(real, capsule_triangle_gap, least_on_segment(at(f), at(f + 3), triangle_from, f + 7))

/// Distance of a point and the solid cylinder.
static real cylinder_from(rvec p, const float* f)
{
    const rvec axis = minus(at(f + 3), at(f)), d = minus(p, at(f));
    const real height = length(axis), up = dot(d, axis) / height;
    const real out = fmaxl(length(along(d, -up / height, axis)) - (real)f[6], 0);
    const real over = fmaxl(fmaxl(-up, up - height), 0);
    return sqrtl(out * out + over * over);
}

OF_NUMBERS(bool, cylinder_sphere, tact_cylinder_overlaps_sphere(POINTED(cylinder, f), sphere(f + 7)))
OF_NUMBERS(real, cylinder_sphere_gap, cylinder_from(at(f + 7), f))
OF_NUMBERS(bool, cylinder_triangle, tact_cylinder_overlaps_triangle(POINTED(cylinder, f), POINTED(triangle, f + 7)))

/// The least over the triangle by ternary search within ternary search.
static real cylinder_triangle_gap(const float* f)
{
    const rvec a = at(f + 7), u = minus(at(f + 10), a), v = minus(at(f + 13), a);
    real low = 0, high = 1, best = HUGE_VALL;
    for (int i = 0; i < 40; ++i) {
        real value[2];
        for (int k = 0; k < 2; ++k) {  // along u, then across to v: a + s u + [0, 1 - s] v
            const real s = low + (high - low) * (k == 0 ? 0.4L : 0.6L);
            const rvec p = along(a, s, u), q = along(p, 1 - s, v);
            value[k] = HUGE_VALL;
            real from = 0, to = 1;
            for (int j = 0; j < 40; ++j) {
                const real x0 = from + (to - from) * 0.4L, x1 = from + (to - from) * 0.6L;
                const real y0 = cylinder_from(along(p, x0, minus(q, p)), f);
                const real y1 = cylinder_from(along(p, x1, minus(q, p)), f);
                value[k] = fminl(value[k], fminl(y0, y1));
                if (y0 < y1)
                    to = x1;
                else
                    from = x0;
            }
        }
        best = fminl(best, fminl(value[0], value[1]));
        if (value[0] < value[1])
            high = low + (high - low) * 0.6L;
        else
            low = low + (high - low) * 0.4L;
    }
    return best;
}

OF_NUMBERS(bool, cylinder_aabb, tact_cylinder_overlaps_aabb(POINTED(cylinder, f), aabb(f + 7)))
OF_NUMBERS(bool, cylinder_obb, tact_cylinder_overlaps_obb(POINTED(cylinder, f), POINTED(obb, f + 7)))

static rvec into_cylinder(rvec p, const float* f)
{
    const rvec a = at(f), axis = minus(at(f + 3), a), d = minus(p, a);
    const real t = dot(d, axis) / dot(axis, axis);
    const rvec off = along(d, -t, axis);
    const real out = length(off), r = (real)f[6];
    return along(along(a, clamp(t, 0, 1), axis), out > r ? r / out : 1, off);
}

static rvec into_obb(rvec p, const float* f)
{
    const rvec q = local(p, f), h = at(f + 12);
    rvec r = along(at(f), clamp(q.x, -h.x, h.x), at(f + 3));
    r = along(r, clamp(q.y, -h.y, h.y), at(f + 6));
    return along(r, clamp(q.z, -h.z, h.z), at(f + 9));
}

static rvec into_aabb(rvec p, const float* f)
{
    const rvec low = at(f), high = at(f + 3);
    return (rvec){clamp(p.x, low.x, high.x), clamp(p.y, low.y, high.y), clamp(p.z, low.z, high.z)};
}

/// The least n . x over the box.
static real obb_low(rvec n, const float* f)
{
    real low = dot(n, at(f));
    for (int i = 0; i < 3; ++i)
        low -= (real)f[12 + i] * fabsl(dot(n, at(f + 3 + 3 * i)));
    return low;
}

static real aabb_low(rvec n, const float* f)
{
    return fminl(n.x * (real)f[0], n.x * (real)f[3]) + fminl(n.y * (real)f[1], n.y * (real)f[4]) +
           fminl(n.z * (real)f[2], n.z * (real)f[5]);
}

static real cylinder_high(rvec n, const float* f)
{
    const rvec a = at(f), axis = minus(at(f + 3), a);
    const rvec disc = along(n, -dot(n, axis) / dot(axis, axis), axis);
    return fmaxl(dot(n, a), dot(n, at(f + 3))) + (real)f[6] * length(disc);
}

/// A common point, found by projecting to and fro, is distance 0; else the line between the last two points must
/// separate the shapes, and by how much is the distance. NaN when neither is certain yet.
static real projected_gap(const float* f, rvec (*into)(rvec p, const float* f), real (*low)(rvec n, const float* f))
{
    rvec p = at(f + 7), q = into_cylinder(p, f);
    for (int i = 0; i < 400; ++i) {
        p = into(q, f + 7);
        q = into_cylinder(p, f);
    }
    const rvec n = minus(p, q);
    const real apart = length(n);
    if (apart <= 1e-15L * (length(minus(p, at(f))) + length(minus(at(f), at(f + 3))))) return 0;
    const real gap = (low(n, f + 7) - cylinder_high(n, f)) / apart;
    return gap > 0 ? gap : (long double)NAN;
}

OF_NUMBERS(real, cylinder_obb_gap, projected_gap(f, into_obb, obb_low))
OF_NUMBERS(real, cylinder_aabb_gap, projected_gap(f, into_aabb, aabb_low))
OF_NUMBERS(bool, cylinder_cylinder, tact_cylinder_overlaps_cylinder(POINTED(cylinder, f), POINTED(cylinder, f + 7)))

static real cylinder_low(rvec n, const float* f)
{
    const rvec back = {-n.x, -n.y, -n.z};
    return -cylinder_high(back, f);
}

OF_NUMBERS(real, cylinder_cylinder_gap, projected_gap(f, into_cylinder, cylinder_low))
OF_NUMBERS(bool, ellipsoid_triangle, tact_ellipsoid_overlaps_triangle(POINTED(ellipsoid, f), POINTED(triangle, f + 15)))

/// How far the ellipsoid would have to be scaled, less 1.
static real ellipsoid_triangle_gap(const float* f)
{
    rvec v[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = local(at(f + 15 + 3 * k), f);
        v[k] = (rvec){v[k].x / (real)f[12], v[k].y / (real)f[13], v[k].z / (real)f[14]};
    }
    const rvec centre = {0, 0, 0};
    return to_triangle(centre, v[0], v[1], v[2]) - 1;
}

OF_NUMBERS(bool, ellipsoid_sphere, tact_ellipsoid_overlaps_sphere(POINTED(ellipsoid, f), sphere(f + 15)))

/// The distance by bisection, certified by what it must satisfy: the nearest point is in the ellipsoid, and no plane
/// that has the ellipsoid on one side is farther from the centre than the one there.
static real ellipsoid_sphere_gap(const float* f)
{
    const rvec p = local(at(f + 15), f), e = at(f + 12);
    const rvec y = {fabsl(p.x), fabsl(p.y), fabsl(p.z)}, q = {y.x / e.x, y.y / e.y, y.z / e.z};
    if (dot(q, q) <= 1) return 0;
    real low = 0, high = length((rvec){e.x * y.x, e.y * y.y, e.z * y.z});
    for (int i = 0; i < 160; ++i) {
        const real t = 0.5L * (low + high);
        const rvec g = {e.x * y.x / (t + e.x * e.x), e.y * y.y / (t + e.y * e.y), e.z * y.z / (t + e.z * e.z)};
        if (dot(g, g) > 1)
            low = t;
        else
            high = t;
    }
    const rvec n = {y.x / (high + e.x * e.x), y.y / (high + e.y * e.y), y.z / (high + e.z * e.z)};
    const rvec x = {e.x * e.x * n.x, e.y * e.y * n.y, e.z * e.z * n.z};
    const rvec s = {e.x * n.x, e.y * n.y, e.z * n.z};
    const real upper = length(minus(y, x)), lower = (dot(n, y) - length(s)) / length(n);
    assert_true(fabsl(upper - lower) <= 1e-15L * (length(y) + length(e)));
    return upper;
}

/// Layout: p a point, l a length, b a box of two points, a nine numbers of axes, h three lengths along axes.
typedef struct entry {
    const char* name;
    const char* layout;
    bool (*test)(const float* f);
    real (*gap)(const float* f);
    int radius;  // the number that the gap is compared with, or -1 for 0
    real doubt;  // relative to the size
    int cases;   // compared with the oracle
} entry;

static const real tiny = 0x1p-44L;

#define AXES 0, 1, 0, -1, 0, 0, 0, 0, 1

static const entry entries[] = {
    {"sphere_aabb", "plb", sphere_aabb, sphere_aabb_gap, 3, 4e-7L, 500000},
    {"sphere_aabb_early", "plb", sphere_aabb_early, sphere_aabb_gap, 3, 4e-7L, 100000},
    {"sphere_obb", "plpah", sphere_obb, sphere_obb_gap, 3, 0x1p-44L, 500000},
    {"sphere_triangle", "plppp", sphere_triangle, sphere_triangle_gap, 3, 0x1p-44L, 500000},
    {"sphere_polygon", "plppp", sphere_polygon, sphere_triangle_gap, 3, 0x1p-44L, 500000},
    {"aabb_triangle", "bppp", aabb_triangle, NULL, -1, 0, 0},
    {"obb_triangle", "pahppp", obb_triangle, NULL, -1, 0, 0},
    {"capsule_aabb", "pplb", capsule_aabb, capsule_aabb_gap, 6, 0x1p-44L, 120000},
    {"capsule_obb", "pplpah", capsule_obb, capsule_obb_gap, 6, 0x1p-44L, 60000},
    {"capsule_triangle", "pplppp", capsule_triangle, capsule_triangle_gap, 6, 0x1p-44L, 40000},
    {"cylinder_sphere", "pplpl", cylinder_sphere, cylinder_sphere_gap, 10, 0x1p-40L, 500000},
    {"cylinder_triangle", "pplppp", cylinder_triangle, cylinder_triangle_gap, -1, 1e-4L, 2000},
    {"cylinder_aabb", "pplb", cylinder_aabb, cylinder_aabb_gap, -1, 0x1p-40L, 4000},
    {"cylinder_obb", "pplpah", cylinder_obb, cylinder_obb_gap, -1, 0x1p-40L, 4000},
    {"cylinder_cylinder", "pplppl", cylinder_cylinder, cylinder_cylinder_gap, -1, 0x1p-40L, 4000},
    {"ellipsoid_triangle", "pahppp", ellipsoid_triangle, ellipsoid_triangle_gap, -1, 1e-9L, 300000},
    {"ellipsoid_sphere", "pahpl", ellipsoid_sphere, ellipsoid_sphere_gap, 18, 0x1p-43L, 60000},
};

/// Pairs that overlap, in the same order.
static const float good[][MOST] = {
    {4, 1, 1, 3, 0, 0, 0, 2, 2, 2},
    {4, 1, 1, 3, 0, 0, 0, 2, 2, 2},
    {4, 1, 1, 3, 0, 0, 0, AXES, 2, 2, 2},
    {1, 1, 1, 2, 0, 0, 0, 4, 0, 0, 0, 4, 0},
    {1, 1, 1, 2, 0, 0, 0, 4, 0, 0, 0, 4, 0},
    {0, 0, 0, 2, 2, 2, 1, 1, 1, 4, 1, 1, 1, 4, 1},
    {1, 1, 1, AXES, 1, 2, 1, 1, 1, 1, 4, 1, 1, 1, 4, 1},
    {3, 1, 1, 9, 1, 1, 2, 0, 0, 0, 2, 2, 2},
    {3, 1, 1, 9, 1, 1, 2, 1, 1, 1, AXES, 1, 1, 1},
    {1, 1, -1, 1, 1, 1, 1, 0, 0, 0, 4, 0, 0, 0, 4, 0},
    {0, 0, 0, 2, 0, 0, 1, 3, 0, 0, 2},
    {0, 0, 0, 2, 0, 0, 1, 1, 0, 0, 4, 0, 0, 0, 4, 0},
    {0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 1, 1, 1},
    {0, 0, 0, 2, 0, 0, 1, 0, 0, 0, AXES, 1, 1, 1},
    {0, 0, 0, 2, 0, 0, 1, 1, 0, 0, 1, 3, 0, 2},
    {0, 0, 0, AXES, 1, 2, 3, 0, 0, 0, 4, 0, 0, 0, 4, 0},
    {0, 0, 0, AXES, 1, 2, 3, 2, 0, 0, 2},
};

enum { ENTRIES = sizeof entries / sizeof *entries };

static int count(const entry* e)
{
    int n = 0;
    for (const char* c = e->layout; *c; ++c)
        n += width(*c);
    return n;
}

/// Unbounded boxes are boxes where they are only compared.
static bool may_be_infinite(const entry* e, int number)
{
    const char* c = e->layout;
    for (; number >= width(*c); ++c)
        number -= width(*c);
    return *c == 'b' && strncmp(e->name, "sphere_aabb", 11) == 0;
}

TEST(one_bad_number_is_no)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < ENTRIES; ++i) {
        const entry* e = &entries[i];
        if (!e->test(good[i])) fail_msg("%s: the good pair", e->name);
        for (int k = 0; k < count(e); ++k) {
            for (int b = 0; b < 3; ++b) {
                float f[MOST];
                memcpy(f, good[i], sizeof f);
                f[k] = bad[b];
                if (e->test(f) && !(b > 0 && may_be_infinite(e, k))) fail_msg("%s: number %d", e->name, k);
            }
        }
    }
}

TEST(negative_sizes_and_empty_boxes_are_no)
{
    for (int i = 0; i < ENTRIES; ++i) {
        int k = 0;
        for (const char* c = entries[i].layout; *c; k += width(*c++)) {
            for (int j = 0; j < 3; ++j) {
                float f[MOST];
                memcpy(f, good[i], sizeof f);
                if (*c == 'b') f[k + j] = f[k + j + 3] + 1.0f;
                if (*c == 'l') f[k] = -f[k];
                if (*c == 'h') f[k + j] = -f[k + j];
                if (*c != 'p' && *c != 'a' && entries[i].test(f)) fail_msg("%s: number %d", entries[i].name, k);
            }
        }
    }
    const tact_cylinder none = {{0, 0, 0}, {0, 0, 0}, 1};
    const tact_sphere ball = {{0, 0, 0}, 1};
    const tact_triangle floor = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_false(tact_cylinder_overlaps_sphere(&none, ball));
    assert_false(tact_cylinder_overlaps_triangle(&none, &floor));
    assert_false(tact_cylinder_overlaps_aabb(&none, (tact_aabb){{-1, -1, -1}, {1, 1, 1}}));
}

static bool proper(const entry* e, const float* f)
{
    const bool round = strncmp(e->name, "cylinder", 8) == 0, egg = strncmp(e->name, "ellipsoid", 9) == 0;
    if (round && memcmp(f, f + 3, 3 * sizeof *f) == 0) return false;
    if (strcmp(e->name, "cylinder_cylinder") == 0 && memcmp(f + 7, f + 10, 3 * sizeof *f) == 0) return false;
    return !egg || (f[12] > 0.0f && f[13] > 0.0f && f[14] > 0.0f);
}

/// The two cylinders are asked by iteration, which may go either way where they just touch.
static bool just_touch(const entry* e, const float* f)
{
    float less[MOST], more[MOST];
    if (e->test != cylinder_cylinder) return false;
    memcpy(less, f, sizeof less);
    memcpy(more, f, sizeof more);
    for (int k = 6; k < 14; k += 7) {
        less[k] *= 1.0f - 1e-6f;
        more[k] *= 1.0f + 1e-6f;
    }
    for (int k = 0; k < 3; ++k) {
        less[k] += 1e-6f * (f[3 + k] - f[k]);
        more[k] -= 1e-6f * (f[3 + k] - f[k]);
        less[3 + k] -= 1e-6f * (f[3 + k] - f[k]);
        more[3 + k] += 1e-6f * (f[3 + k] - f[k]);
    }
    return !e->test(less) && e->test(more);
}

static void compare(const entry* e, test_random* r, int* yes, int* no, int* doubtful)
{
    for (int i = 0; i < e->cases; ++i) {
        float f[MOST] = {0};
        const int way = i % WAYS;
        draw(r, e->layout, way, f);
        if (!proper(e, f)) continue;
        real gap = e->gap(f);
        if (e->radius >= 0) {
            if (i / WAYS % 4 == 1)
                f[e->radius] = (float)gap * (1.0f + 0x1p-23f * (float)((int)test_random_below(r, 5) - 2));
            gap -= (real)f[e->radius];
        }
        const bool got = e->test(f);
        // Scaled to the unit sphere, sizes are those of the radii.
        const real unit = strcmp(e->name, "ellipsoid_triangle") == 0
                              ? extent(e->layout, f) / (real)fminf(fminf(f[12], f[13]), f[14])
                              : extent(e->layout, f);
        // Whole numbers touch exactly. Where a cylinder and something have a common point, one is found.
        const bool touch = way == LATTICE && gap == 0 && e->doubt == tiny;
        const bool common = e->radius < 0 && strncmp(e->name, "cylinder", 8) == 0 && gap <= 1e-15L * unit;
        const bool doubtful_common = common && just_touch(e, f);
        if (isnan(gap) || doubtful_common || (fabsl(gap) <= e->doubt * unit && !touch && !common)) {
            ++*doubtful;
            *yes += got;
            *no += !got;
            continue;
        }
        if (got != (gap <= (common ? 1e-15L * unit : 0)))
            fail_msg("%s, case %d: %d, gap %g", e->name, i, got, (double)gap);
        *yes += got;
        *no += !got;
    }
}

TEST(answers_agree_with_the_least_distance)
{
    test_random r = test_random_seeded(77);
    for (int i = 0; i < ENTRIES; ++i) {
        int yes = 0, no = 0, doubtful = 0;
        if (!entries[i].gap) continue;
        compare(&entries[i], &r, &yes, &no, &doubtful);
        print_message("%s: %d yes, %d no, %d within doubt\n", entries[i].name, yes, no, doubtful);
        assert_true(yes > entries[i].cases / 20 && no > entries[i].cases / 20);
    }
}

/// Scaling by powers of two, turning by 90 degrees and moving by whole numbers change no bit that counts.
static void change(const entry* e, const float* f, float scale, int turn, const float* move, float* g)
{
    for (const char* c = e->layout; *c; f += width(*c), g += width(*c++)) {
        for (int i = 0; i < width(*c); ++i) {
            const int from = i / 3 * 3 + (i + turn) % 3;
            g[i] = *c == 'a' ? f[from] : *c == 'l' || *c == 'h' ? scale * f[i] : scale * (f[from] + move[i % 3]);
        }
    }
}

TEST(answers_do_not_depend_on_place_scale_or_turn)
{
    test_random r = test_random_seeded(3);
    for (int i = 0; i < ENTRIES; ++i) {
        const entry* e = &entries[i];
        for (int n = 0; n < 20000; ++n) {
            float f[MOST] = {0}, g[MOST] = {0};
            draw(&r, e->layout, LATTICE, f);
            const bool expected = e->test(f);
            const float move[3] = {(float)((int)test_random_below(&r, 4000000) - 2000000), 100000.0f, -7.0f};
            const float none[3] = {0, 0, 0};
            change(e, f, 1.0f, 0, move, g);
            if (e->test(g) != expected && !just_touch(e, f)) fail_msg("%s, case %d: moved", e->name, n);
            change(e, f, 1.0f, 1 + n % 2, none, g);
            if (e->test(g) != expected && !just_touch(e, f)) fail_msg("%s, case %d: turned", e->name, n);
            const float scales[] = {0x1p-20f, 0x1p20f, 0x1p-50f, 0x1p50f};
            change(e, f, scales[n % 4], 0, none, g);
            if (e->test(g) != expected && !just_touch(e, f)) fail_msg("%s, case %d: scaled", e->name, n);
        }
    }
}

TEST(any_numbers_do_no_harm)
{
    test_random r = test_random_seeded(8);
    for (int i = 0; i < ENTRIES; ++i) {
        for (int n = 0; n < 20000; ++n) {
            float f[MOST];
            for (int k = 0; k < MOST; ++k)
                f[k] = test_random_any(&r);
            (void)entries[i].test(f);
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
