// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The single precision test of two triangles (kernels/triangle_overlap.h) against the exact one, in every rounding mode
// and with subnormal numbers flushed: what it is sure of must be so.
#include <fenv.h>
#include "tests/support/run.h"

#include "kernels/triangle_overlap.h"
#include "tact/geometry/triangle_triangle.h"
#include "tests/support/random.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

typedef struct couple {
    tact_triangle a, b;
} couple;

typedef void generator(test_random* r, couple* c);

static TactPoint point_of(tact_vec3 p)
{
    return tact_point(p.x, p.y, p.z);
}

static int run_filter(const couple* c)
{
    return tact_triangles_surely(point_of(c->a.a), point_of(c->a.b), point_of(c->a.c), point_of(c->b.a),
                                 point_of(c->b.b), point_of(c->b.c));
}

/// Called through this, so that no operation leaves its rounding mode.
static int (*volatile filter)(const couple* c) = run_filter;

static int with_rounding(const couple* c, int mode)
{
    fesetround(mode);
    const int answer = filter(c);
    fesetround(FE_TONEAREST);
    return answer;
}

static int with_flushing(const couple* c)
{
#if defined(__SSE2__)
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040u);
    const int answer = filter(c);
    _mm_setcsr(before);
    return answer;
#else
    return filter(c);
#endif
}

static void refuse(const char* what, const couple* c, bool truth, const char* how, int answer)
{
    const float* p = &c->a.a.x;
    char text[1024];
    int used = 0;
    for (int i = 0; i < 18; ++i)
        used += snprintf(text + used, sizeof text - (size_t)used, "%a ", (double)p[i]);
    fail_msg("%s, %s: %d where the exact test says %d: %s", what, how, answer, truth, text);
}

static void expect(const char* what, const couple* c, bool truth, const char* how, int answer)
{
    if (answer != TACT_UNSURE && (answer == TACT_SURELY_MEET) != truth) refuse(what, c, truth, how, answer);
}

static float share_of(uint64_t part, uint64_t whole)
{
    return whole ? 100.0f * (float)part / (float)whole : 0.0f;
}

/// Returns how many of 100 answers were unsure.
static float check(const char* what, generator* make, uint64_t count)
{
    test_random r = test_random_seeded(77);
    uint64_t unsure = 0, meet = 0;
    for (uint64_t i = 0; i < count; ++i) {
        couple c;
        make(&r, &c);
        const bool truth = tact_triangle_overlaps_triangle(&c.a, &c.b);
        const int answer = filter(&c);
        expect(what, &c, truth, "to nearest", answer);
        expect(what, &c, truth, "upward", with_rounding(&c, FE_UPWARD));
        expect(what, &c, truth, "downward", with_rounding(&c, FE_DOWNWARD));
        expect(what, &c, truth, "toward zero", with_rounding(&c, FE_TOWARDZERO));
        expect(what, &c, truth, "flushing", with_flushing(&c));
        unsure += answer == TACT_UNSURE;
        meet += truth;
    }
    const float percent = share_of(unsure, count);
    printf("%-16s %10llu pairs, %6.2f %% meet, %8.4f %% unsure\n", what, (unsigned long long)count,
           (double)share_of(meet, count), (double)percent);
    return percent;
}

static tact_vec3 random_point(test_random* r, float size)
{
    const float x = test_random_signed(r), y = test_random_signed(r), z = test_random_signed(r);
    return (tact_vec3){size * x, size * y, size * z};
}

static tact_vec3 sum(tact_vec3 p, tact_vec3 q)
{
    return (tact_vec3){p.x + q.x, p.y + q.y, p.z + q.z};
}

static tact_vec3 blend(tact_vec3 p, tact_vec3 q, float t)
{
    return (tact_vec3){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z)};
}

static tact_triangle random_triangle(test_random* r, float size)
{
    tact_triangle t;
    t.a = random_point(r, size);
    t.b = random_point(r, size);
    t.c = random_point(r, size);
    return t;
}

static float power(test_random* r, int least, int most)
{
    return ldexpf(1.0f, least + (int)test_random_below(r, (uint32_t)(most - least + 1)));
}

static void scale_triangle(tact_triangle* t, float by)
{
    float* p = &t->a.x;
    for (int i = 0; i < 9; ++i)
        p[i] *= by;
}

static void any_two(test_random* r, couple* c)
{
    c->a = random_triangle(r, 1.0f);
    c->b = random_triangle(r, 1.0f);
}

/// Far from the origin, as small as their coordinates allow or larger.
static void far_off(test_random* r, couple* c)
{
    const tact_vec3 at = random_point(r, power(r, 0, 22));
    c->a = random_triangle(r, power(r, -2, 2));
    c->b = random_triangle(r, power(r, -2, 2));
    tact_vec3* p = &c->a.a;
    for (int i = 0; i < 6; ++i)
        p[i] = sum(p[i], at);
}

/// On a small lattice: coplanar, with common vertices and edges, degenerate.
static void lattice(test_random* r, couple* c)
{
    const uint32_t n = 2 + test_random_below(r, 5);
    const float step = power(r, -20, 20);
    float* p = &c->a.a.x;
    for (int i = 0; i < 18; ++i)
        p[i] = step * (float)test_random_below(r, n);
}

/// An ulp or a few up or down, or not.
static float nudge(test_random* r, float x)
{
    uint32_t bits = as_uint(x);
    if ((bits & 0x7fffffffu) < 16) return x;
    return as_float(bits + test_random_below(r, 5) - 2);
}

static tact_vec3 nudge_point(test_random* r, tact_vec3 p)
{
    return (tact_vec3){nudge(r, p.x), nudge(r, p.y), nudge(r, p.z)};
}

/// A vertex of one in the face, on the border or at a corner of the other, but for rounding.
static void vertex_touches(test_random* r, couple* c)
{
    c->a = random_triangle(r, 1.0f);
    c->b = random_triangle(r, power(r, -12, 2));
    const uint32_t kind = test_random_below(r, 3);
    const float s = kind == 2 ? 0.0f : test_random_unit(r);
    const float t = kind == 0 ? test_random_unit(r) : 0.0f;
    const tact_vec3 on = nudge_point(r, blend(blend(c->a.a, c->a.b, s), c->a.c, t));
    const tact_vec3 shift = {on.x - c->b.a.x, on.y - c->b.a.y, on.z - c->b.a.z};
    c->b.a = on;
    c->b.b = sum(c->b.b, shift);
    c->b.c = sum(c->b.c, shift);
}

/// An edge of one through an edge of the other, but for rounding.
static void edges_touch(test_random* r, couple* c)
{
    c->a = random_triangle(r, 1.0f);
    const tact_vec3 on = blend(c->a.a, c->a.b, test_random_unit(r)), from = random_point(r, power(r, -6, 1));
    const float back = -test_random_unit(r);
    c->b.a = nudge_point(r, sum(on, from));
    c->b.b = nudge_point(r, sum(on, (tact_vec3){back * from.x, back * from.y, back * from.z}));
    c->b.c = random_point(r, 2.0f);
}

/// Both in one plane, but for rounding, which an axis-parallel plane has none of.
static void coplanar(test_random* r, couple* c)
{
    const tact_vec3 o = random_point(r, 1.0f), u = random_point(r, 1.0f), v = random_point(r, 1.0f);
    const bool flat = test_random_below(r, 2) == 0;
    tact_vec3* p = &c->a.a;
    for (int i = 0; i < 6; ++i) {
        const float s = test_random_signed(r), t = test_random_signed(r);
        p[i] =
            (tact_vec3){o.x + (s * u.x + t * v.x), o.y + (s * u.y + t * v.y), flat ? o.z : o.z + (s * u.z + t * v.z)};
    }
}

/// Needles, segments and points.
static void degenerate(test_random* r, couple* c)
{
    any_two(r, c);
    const uint32_t kind = test_random_below(r, 6);
    c->b.b = kind == 0 ? c->b.a : c->b.b;
    c->b.c = kind == 1 ? blend(c->b.a, c->b.b, 0.5f) : kind == 2 ? nudge_point(r, c->b.b) : c->b.c;
    if (kind == 3) c->b.a = c->b.b = c->b.c = blend(blend(c->a.a, c->a.b, 0.25f), c->a.c, 0.5f);
    if (kind == 4) c->b.a = c->a.a;
    if (kind == 5) c->b = (tact_triangle){c->a.b, c->a.a, c->b.c};
}

/// Any of the others' kinds at sizes where products over- and underflow.
static void any_size(test_random* r, couple* c)
{
    static generator* const kinds[] = {any_two, lattice, vertex_touches, edges_touch, coplanar, degenerate};
    kinds[test_random_below(r, 6)](r, c);
    const float by = power(r, -148, 55);
    scale_triangle(&c->a, by);
    scale_triangle(&c->b, test_random_below(r, 4) ? by : by * power(r, -40, 4));
}

/// Every coordinate of a size of its own.
static void any_numbers(test_random* r, couple* c)
{
    float* p = &c->a.a.x;
    const int least = test_random_below(r, 2) ? -149 : -20, most = least == -20 ? 20 : 60;
    for (int i = 0; i < 18; ++i)
        p[i] = test_random_signed(r) * power(r, least, most);
    if (test_random_below(r, 2)) c->b.a = c->a.b;
}

static uint64_t pairs = 20000;

TEST(what_is_sure_is_so)
{
    // These are told apart or not by single precision nearly always, or the devices would be of no use.
    assert_true(check("random", any_two, 10 * pairs) < 0.01f);
    check("far off", far_off, 5 * pairs);
    check("lattice", lattice, pairs);
    check("vertex touches", vertex_touches, 5 * pairs);
    check("edges touch", edges_touch, 5 * pairs);
    check("coplanar", coplanar, pairs);
    check("degenerate", degenerate, 2 * pairs);
    check("any size", any_size, 2 * pairs);
    check("any numbers", any_numbers, 2 * pairs);
}

TEST(large_and_small_are_sure_too)
{
    static const float sizes[] = {0x1p-55f, 0x1p-30f, 1.0f, 0x1p30f, 0x1p59f};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        couple meet = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0.25f, 0.25f, -1}, {0.3f, 0.25f, 1}, {0.25f, 0.3f, 1}}};
        couple apart = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0.75f, 0.75f, -1}, {0.8f, 0.75f, 1}, {0.75f, 0.8f, 1}}};
        scale_triangle(&meet.a, sizes[i]);
        scale_triangle(&meet.b, sizes[i]);
        scale_triangle(&apart.a, sizes[i]);
        scale_triangle(&apart.b, sizes[i]);
        assert_int_equal(filter(&meet), TACT_SURELY_MEET);
        assert_int_equal(filter(&apart), TACT_SURELY_APART);
    }
}

#include TEST_LIST

int main(int argc, char** argv)
{
    // test_triangle_filter 50: that many times as many pairs.
    if (argc > 1) pairs *= strtoull(argv[1], NULL, 10);
    return run_all(all_tests, NULL, NULL);
}
