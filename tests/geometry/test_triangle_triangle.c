// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Two triangles, against analytic cases and an oracle that looks for a separating axis among all that can be needed, in
// arithmetic that is exact for the coordinates drawn.

#include "tests/support/run.h"

#include "tact/geometry/triangle_triangle.h"
#include "tests/support/random.h"

static tact_triangle tri(float ax, float ay, float az, float bx, float by, float bz, float cx, float cy, float cz)
{
    return (tact_triangle){{ax, ay, az}, {bx, by, bz}, {cx, cy, cz}};
}

static tact_triangle permuted(const tact_triangle* t, int which)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const tact_vec3 v[3] = {t->a, t->b, t->c};
    const int* o = order[which];
    return (tact_triangle){v[o[0]], v[o[1]], v[o[2]]};
}

/// The answer, after checking that no order of the arguments or their vertices changes it.
static tact_triangle_meeting meeting(tact_triangle a, tact_triangle b)
{
    const tact_triangle_meeting m = tact_triangle_triangle_contact(&a, &b).meeting;
    for (int i = 0; i < 36; ++i) {
        const tact_triangle p = permuted(&a, i / 6), q = permuted(&b, i % 6);
        assert_int_equal(tact_triangle_overlaps_triangle(&p, &q), m != TACT_TRIANGLES_APART);
        assert_int_equal(tact_triangle_overlaps_triangle(&q, &p), m != TACT_TRIANGLES_APART);
        assert_int_equal(tact_triangle_triangle_contact(&p, &q).meeting, m);
        assert_int_equal(tact_triangle_triangle_contact(&q, &p).meeting, m);
    }
    return m;
}

/// Without turning triangles over, the printed method gets some windings wrong (D1).
TEST(crossing_triangles_meet_in_every_winding)
{
    const tact_triangle floor = tri(0, 0, 0, 4, 0, 0, 0, 4, 0);
    assert_int_equal(meeting(floor, tri(1, 1, -1, 1, 1, 1, 1, 5, 1)), TACT_TRIANGLES_MEET_IN_SEGMENT);
    assert_int_equal(meeting(floor, tri(1, 1, -1, 1, 1, 1, 1.25f, 1, 1)), TACT_TRIANGLES_MEET_IN_SEGMENT);
    assert_int_equal(meeting(floor, tri(5, 5, -1, 5, 5, 1, 6, 5, 1)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(floor, tri(1, 1, 1, 2, 1, 1, 1, 2, 1)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(floor, tri(1, 1, 1e-30f, 2, 1, 1, 1, 2, 1)), TACT_TRIANGLES_APART);
}

TEST(touching_counts)
{
    const tact_triangle floor = tri(0, 0, 0, 4, 0, 0, 0, 4, 0);
    assert_int_equal(meeting(floor, tri(1, 1, 0, 1, 2, 1, 2, 1, 1)), TACT_TRIANGLES_MEET_IN_POINT);    // vertex, inside
    assert_int_equal(meeting(floor, tri(2, 2, 0, 1, 2, 1, 2, 1, 1)), TACT_TRIANGLES_MEET_IN_POINT);    // vertex on edge
    assert_int_equal(meeting(floor, tri(4, 0, 0, 5, 2, 1, 5, 1, 1)), TACT_TRIANGLES_MEET_IN_POINT);    // common vertex
    assert_int_equal(meeting(floor, tri(0, 0, 0, 4, 0, 0, 0, 0, 1)), TACT_TRIANGLES_MEET_IN_SEGMENT);  // common edge
    assert_int_equal(meeting(floor, tri(1, 0, 0, 2, 0, 0, 0, 0, 1)),
                     TACT_TRIANGLES_MEET_IN_SEGMENT);  // part of an edge
    assert_int_equal(meeting(floor, tri(2, 0, -1, 2, 0, 1, 2, -1, 0)), TACT_TRIANGLES_MEET_IN_POINT);  // edge on edge
    assert_int_equal(meeting(floor, tri(2, -0x1p-20f, -1, 2, -0x1p-20f, 1, 2, -1, 0)), TACT_TRIANGLES_APART);
}

/// All eleven axes of the common list leave coplanar triangles unseparated.
TEST(coplanar_triangles_are_decided_in_their_plane)
{
    const tact_triangle floor = tri(0, 0, 0, 4, 0, 0, 0, 4, 0);
    assert_int_equal(meeting(floor, tri(5, 5, 0, 6, 5, 0, 5, 6, 0)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(floor, tri(3, 3, 0, 4, 3, 0, 3, 4, 0)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(floor, tri(2, 2, 0, 4, 3, 0, 3, 4, 0)), TACT_TRIANGLES_COPLANAR);  // touches an edge
    assert_int_equal(meeting(floor, tri(4, 0, 0, 5, 0, 0, 5, 1, 0)), TACT_TRIANGLES_COPLANAR);  // a common vertex
    assert_int_equal(meeting(floor, tri(4, 0, 0, 0, 4, 0, 4, 4, 0)), TACT_TRIANGLES_COPLANAR);  // a common edge
    assert_int_equal(meeting(floor, tri(1, 1, 0, 1.5f, 1, 0, 1, 1.5f, 0)),
                     TACT_TRIANGLES_COPLANAR);                                                      // one in the other
    assert_int_equal(meeting(floor, tri(-1, 1, 0, 5, 1, 0, 5, 1.5f, 0)), TACT_TRIANGLES_COPLANAR);  // only edges cross
    assert_int_equal(meeting(floor, floor), TACT_TRIANGLES_COPLANAR);
}

TEST(degenerate_triangles_are_segments_and_points)
{
    const tact_triangle floor = tri(0, 0, 0, 4, 0, 0, 0, 4, 0), stick = tri(1, 1, -1, 1, 1, 0.5f, 1, 1, 2);
    const tact_triangle dot = tri(1, 1, 0, 1, 1, 0, 1, 1, 0);
    assert_int_equal(meeting(floor, stick), TACT_TRIANGLES_COPLANAR);
    assert_int_equal(meeting(floor, tri(1, 1, 1, 1, 1, 1, 1, 1, 2)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(floor, tri(3, 3, -1, 3, 3, 1, 3, 3, 2)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(floor, tri(-1, 1, 0, 5, 1, 0, 6, 1, 0)), TACT_TRIANGLES_COPLANAR);
    assert_int_equal(meeting(floor, tri(-1, 5, 0, 5, 5, 0, 6, 5, 0)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(floor, dot), TACT_TRIANGLES_COPLANAR);
    assert_int_equal(meeting(floor, tri(3, 3, 0, 3, 3, 0, 3, 3, 0)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(stick, tri(0, 0, 0, 2, 2, 0, 3, 3, 0)), TACT_TRIANGLES_COPLANAR);
    assert_int_equal(meeting(stick, tri(0, 0.5f, 0, 2, 2, 0, 2, 2, 0)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(stick, tri(1, 1, 2, 1, 1, 3, 1, 1, 4)), TACT_TRIANGLES_COPLANAR);
    assert_int_equal(meeting(stick, tri(1, 1, 2.5f, 1, 1, 3, 1, 1, 4)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(stick, tri(2, 1, -1, 2, 1, 0, 2, 1, 2)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(stick, dot), TACT_TRIANGLES_COPLANAR);
    assert_int_equal(meeting(stick, tri(1, 1, 3, 1, 1, 3, 1, 1, 3)), TACT_TRIANGLES_APART);
    assert_int_equal(meeting(dot, dot), TACT_TRIANGLES_COPLANAR);
    assert_int_equal(meeting(dot, tri(1, 0, 0, 1, 0, 0, 1, 0, 0)), TACT_TRIANGLES_APART);
}

TEST(a_bad_number_is_no)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 27; ++i) {
        float f[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
        f[i % 9] = bad[i / 9];
        tact_triangle a;
        memcpy(&a, f, sizeof a);
        assert_int_equal(meeting(a, tri(1, 1, -1, 1, 1, 1, 1, 2, 1)), TACT_TRIANGLES_APART);
    }
    test_random r = test_random_seeded(5);
    for (int i = 0; i < 300000; ++i) {
        float f[18];
        for (int k = 0; k < 18; ++k)
            f[k] = test_random_any(&r);
        tact_triangle a, b;
        memcpy(&a, f, sizeof a);
        memcpy(&b, f + 9, sizeof b);
        const bool hit = tact_triangle_overlaps_triangle(&a, &b);
        assert_int_equal(hit, tact_triangle_triangle_contact(&b, &a).meeting != TACT_TRIANGLES_APART);
    }
}

TEST(huge_and_tiny_coordinates_are_decided)
{
    const float sizes[] = {0x1p-145f, 1e-30f, 1e-6f, 1.0f, 1e6f, 1e30f, 0x1p125f};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        const float s = sizes[i];
        const tact_triangle floor = tri(0, 0, 0, 4 * s, 0, 0, 0, 4 * s, 0);
        assert_int_equal(meeting(floor, tri(s, s, -s, s, s, s, s, 3 * s, s)), TACT_TRIANGLES_MEET_IN_SEGMENT);
        assert_int_equal(meeting(floor, tri(2 * s, 2 * s, 0, s, 2 * s, s, 2 * s, s, s)), TACT_TRIANGLES_MEET_IN_POINT);
        assert_int_equal(meeting(floor, tri(3 * s, 3 * s, -s, 3 * s, 3 * s, s, 3 * s, 4 * s, s)), TACT_TRIANGLES_APART);
    }
    // A vertex a hundred orders below the rest, above the plane or below it.
    assert_int_equal(meeting(tri(0, 0, 0, 1e20f, 0, 0, 0, 1e20f, 0), tri(1, 1, 1e-40f, 1, 2, 1e20f, 2, 1, 1e20f)),
                     TACT_TRIANGLES_APART);
    assert_int_equal(meeting(tri(0, 0, 0, 1e20f, 0, 0, 0, 1e20f, 0), tri(1, 1, -1e-40f, 1, 2, 1e20f, 2, 1, 1e20f)),
                     TACT_TRIANGLES_MEET_IN_SEGMENT);
}

/// A number on a lattice of 2^-bits, at most 1 in size: the oracle's products of five stay below 2^100.
static float lattice(test_random* r, int bits)
{
    const float steps = ldexpf(1.0f, bits);
    return floorf(steps * test_random_signed(r)) / steps;
}

static void random_pair(test_random* r, int kind, tact_triangle* a, tact_triangle* b)
{
    float f[18];
    const int bits = kind == 0 ? 20 : kind == 1 ? 2 : kind == 2 ? 1 : kind == 3 ? 3 : 18;
    for (int k = 0; k < 18; ++k)
        f[k] = lattice(r, bits);
    if (kind == 4) {  // a vertex of b near or on a's plane, and at times b's others near its first
        const float u = 0.25f * (float)test_random_below(r, 5), v = 0.25f * (float)test_random_below(r, 5);
        for (int k = 0; k < 3; ++k) {
            const float x = f[k] + u * (f[3 + k] - f[k]) + v * (f[6 + k] - f[k]);
            f[9 + k] = floorf(x * 0x1p20f) * 0x1p-20f;
        }
    }
    if (kind == 5) {  // an edge in common, a vertex off the plane by little
        memcpy(f + 9, f, 6 * sizeof *f);
        if (test_random_bits(r) & 1) f[9] += 0x1p-18f;
    }
    if (kind == 6) {  // coplanar in a tilted plane: z = x + y
        for (int k = 0; k < 6; ++k) {
            f[3 * k] = lattice(r, 3);
            f[3 * k + 1] = lattice(r, 3);
            f[3 * k + 2] = f[3 * k] + f[3 * k + 1];
        }
    }
    if (kind == 7) {  // degenerate: collinear or equal vertices
        for (int k = 0; k < 18; ++k)
            f[k] = lattice(r, 1);
        const float t = (float)test_random_below(r, 4) - 1.0f;
        for (int k = 0; k < 3; ++k) {
            f[6 + k] = f[k] + t * (f[3 + k] - f[k]);
            if (test_random_below(r, 3) == 0) f[15 + k] = f[12 + k];
        }
    }
    memcpy(a, f, sizeof *a);
    memcpy(b, f + 9, sizeof *b);
}

/// Scales a triangle by a power of two and gives its zeros signs by chance.
static tact_triangle scaled(test_random* r, const tact_triangle* t, float scale)
{
    float f[9];
    memcpy(f, t, sizeof f);
    for (int k = 0; k < 9; ++k) {
        f[k] *= scale;
        if (f[k] == 0.0f && test_random_below(r, 2)) f[k] = -f[k];
    }
    tact_triangle s;
    memcpy(&s, f, sizeof s);
    return s;
}

/// Random, lattice, touching, coplanar and degenerate pairs, down to steps of the smallest float: an end there rounds
/// to zero from either side.
TEST(exchanging_the_triangles_changes_no_bit)
{
    static const float scales[] = {1.0f, 0x1p-129f, 0x1p-140f, 0x1p-146f, 0x1p-148f, 0x1p120f};
    enum { SCALES = sizeof scales / sizeof *scales };
    test_random r = test_random_seeded(77);
    size_t met[SCALES] = {0}, zeros = 0;
    for (int i = 0; i < 8 * SCALES * 8000; ++i) {
        const int which = i / 8 % SCALES;
        tact_triangle a, b;
        random_pair(&r, i % 8, &a, &b);
        a = scaled(&r, &a, scales[which]);
        b = scaled(&r, &b, scales[which]);
        const tact_triangle_contact c = tact_triangle_triangle_contact(&a, &b);
        const tact_triangle_contact d = tact_triangle_triangle_contact(&b, &a);
        if (memcmp(&c, &d, sizeof c) != 0) fail_msg("case %d: scale %g: not symmetric", i, (double)scales[which]);
        float end[6];
        memcpy(end, &c.segment, sizeof end);
        for (int k = 0; k < 6; ++k) {
            assert_false(end[k] == 0.0f && signbit(end[k]));
            zeros += end[k] == 0.0f;
        }
        met[which] += c.meeting == TACT_TRIANGLES_MEET_IN_SEGMENT || c.meeting == TACT_TRIANGLES_MEET_IN_POINT;
    }
    for (int k = 0; k < SCALES; ++k)
        assert_true(met[k] > 3000);
    assert_true(zeros > 10000);
}

#if defined(__SIZEOF_FLOAT128__) && defined(__SIZEOF_INT128__)

__extension__ typedef __float128 wide;

__extension__ typedef __int128 whole;

/// Vectors of such numbers.
#define VECTORS(number, vec, prefix)                                                        \
    typedef struct vec {                                                                    \
        number v[3];                                                                        \
    } vec;                                                                                  \
    static vec prefix##_sub(vec a, vec b)                                                   \
    {                                                                                       \
        return (vec){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};                  \
    }                                                                                       \
    static number prefix##_dot(vec a, vec b)                                                \
    {                                                                                       \
        return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];                         \
    }                                                                                       \
    static vec prefix##_cross(vec a, vec b)                                                 \
    {                                                                                       \
        return (vec){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], \
                      a.v[0] * b.v[1] - a.v[1] * b.v[0]}};                                  \
    }                                                                                       \
    static bool prefix##_zero(vec a)                                                        \
    {                                                                                       \
        return a.v[0] == 0 && a.v[1] == 0 && a.v[2] == 0;                                   \
    }
VECTORS(wide, wvec, w)
VECTORS(whole, ivec, i)

static wvec w_from(tact_vec3 a)
{
    return (wvec){{(wide)a.x, (wide)a.y, (wide)a.z}};
}

/// Coordinates are multiples of 2^-20.
static ivec i_from(tact_vec3 a)
{
    return (ivec){{(whole)(0x1p20f * a.x), (whole)(0x1p20f * a.y), (whole)(0x1p20f * a.z)}};
}

typedef struct whole_pair {
    ivec p[6];  // three of a, three of b
} whole_pair;

static bool separates(const whole_pair* s, ivec axis)
{
    whole low[2], high[2];
    for (int k = 0; k < 6; ++k) {
        const whole x = i_dot(axis, i_sub(s->p[k], s->p[0]));
        const int i = k / 3;
        low[i] = k % 3 == 0 || x < low[i] ? x : low[i];
        high[i] = k % 3 == 0 || x > high[i] ? x : high[i];
    }
    return low[0] > high[1] || low[1] > high[0];
}

/// The facets of the difference of two triangles have normals among these, whatever its dimension; an axis too many
/// does no harm.
static bool apart(const whole_pair* s)
{
    ivec edge[6], normal = {{0, 0, 0}};
    const ivec between = i_sub(s->p[3], s->p[0]);
    for (int k = 0; k < 6; ++k)
        edge[k] = i_sub(s->p[k / 3 * 3 + (k + 1) % 3], s->p[k]);
    if (separates(s, between)) return true;
    for (int i = 0; i < 6; ++i) {
        if (separates(s, edge[i]) || separates(s, i_cross(edge[i], i_cross(edge[i], between)))) return true;
        for (int j = 0; j < i; ++j) {
            const ivec n = i_cross(edge[i], edge[j]);
            if (i_zero(n)) continue;
            normal = n;
            if (separates(s, n)) return true;
        }
    }
    for (int i = 0; i < 6; ++i) {
        if (separates(s, i_cross(normal, edge[i]))) return true;
    }
    return false;
}

static whole_pair enlarge(const tact_triangle* a, const tact_triangle* b)
{
    return (whole_pair){{i_from(a->a), i_from(a->b), i_from(a->c), i_from(b->a), i_from(b->b), i_from(b->c)}};
}

typedef struct pair {
    wvec p[6];
} pair;

static pair widen(const tact_triangle* a, const tact_triangle* b)
{
    return (pair){{w_from(a->a), w_from(a->b), w_from(a->c), w_from(b->a), w_from(b->b), w_from(b->c)}};
}

TEST(the_answer_is_exact)
{
    test_random r = test_random_seeded(42);
    size_t hits[8] = {0}, tried[8] = {0};
    for (int i = 0; i < 1100000; ++i) {
        tact_triangle a, b;
        const int kind = i % 8;
        random_pair(&r, kind, &a, &b);
        const whole_pair s = enlarge(&a, &b);
        const bool expected = !apart(&s), hit = tact_triangle_overlaps_triangle(&a, &b);
        ++tried[kind];
        hits[kind] += hit;
        if (hit != expected) fail_msg("case %d: %d, the oracle says %d", i, hit, expected);
        const tact_triangle_contact c = tact_triangle_triangle_contact(&a, &b);
        const tact_triangle_contact d = tact_triangle_triangle_contact(&b, &a);
        if (memcmp(&c, &d, sizeof c) != 0) fail_msg("case %d: not symmetric", i);
        if ((c.meeting != TACT_TRIANGLES_APART) != hit) fail_msg("case %d: contact %d", i, (int)c.meeting);
    }
    for (int k = 0; k < 8; ++k) {
        assert_true(hits[k] > 5000 && hits[k] <= tried[k]);
        assert_true(k == 5 || tried[k] - hits[k] > 5000);
    }
}

/// The part t0..t1 of p + t d on the inner side of every edge of a triangle with normal n.
static void clip(wvec p, wvec d, const wvec* q, wvec n, wide* t0, wide* t1)
{
    for (int k = 0; k < 3; ++k) {
        const wvec inward = w_cross(n, w_sub(q[(k + 1) % 3], q[k]));
        const wide at = w_dot(inward, w_sub(p, q[k])), rate = w_dot(inward, d);
        if (rate > 0 && -at / rate > *t0) *t0 = -at / rate;
        if (rate < 0 && -at / rate < *t1) *t1 = -at / rate;
        if (rate == 0 && at < (wide)-1e-20) *t1 = *t0 - 1;
    }
}

static double gap(wvec p, wvec d, wide t, tact_vec3 x)
{
    wide sum = 0;
    const wvec at = w_from(x);
    for (int k = 0; k < 3; ++k) {
        const wide e = p.v[k] + t * d.v[k] - at.v[k];
        sum += e * e;
    }
    return sqrt((double)sum);
}

/// The common line by its own equation, clipped by the edges of both.
TEST(segments_agree_with_a_clipped_line)
{
    test_random r = test_random_seeded(9);
    int segments = 0, points = 0;
    for (int i = 0; i < 120000; ++i) {
        tact_triangle a, b;
        random_pair(&r, i % 4, &a, &b);
        const tact_triangle_contact c = tact_triangle_triangle_contact(&a, &b);
        const pair s = widen(&a, &b);
        const wvec n = w_cross(w_sub(s.p[1], s.p[0]), w_sub(s.p[2], s.p[0]));
        const wvec m = w_cross(w_sub(s.p[4], s.p[3]), w_sub(s.p[5], s.p[3]));
        const wvec d = w_cross(n, m);
        if (w_zero(d)) {
            assert_true(c.meeting == TACT_TRIANGLES_COPLANAR || c.meeting == TACT_TRIANGLES_APART);
            continue;
        }
        if (c.meeting == TACT_TRIANGLES_APART) continue;
        // A point on both planes: a's first vertex moved within a's plane, along m made tangent.
        const wvec along = w_cross(d, n);
        const wide step = w_dot(m, w_sub(s.p[3], s.p[0])) / w_dot(m, along);
        wvec p = s.p[0];
        for (int k = 0; k < 3; ++k)
            p.v[k] += step * along.v[k];
        wide t0 = -(wide)1e30, t1 = (wide)1e30;
        clip(p, d, s.p, n, &t0, &t1);
        clip(p, d, s.p + 3, m, &t0, &t1);
        const double length = sqrt((double)w_dot(d, d)), span = (double)(t1 - t0) * length;
        if (c.meeting == TACT_TRIANGLES_MEET_IN_POINT ? fabs(span) > 1e-20 : !(span > 1e-26)) {
            fail_msg("case %d: kind %d, length %g", i, (int)c.meeting, span);
        }
        const bool forward = gap(p, d, t0, c.segment.a) < gap(p, d, t1, c.segment.a);
        const double e0 = gap(p, d, t0, forward ? c.segment.a : c.segment.b);
        const double e1 = gap(p, d, t1, forward ? c.segment.b : c.segment.a);
        // Rounded once: half a unit in the last place of numbers up to 1 in three coordinates.
        if (e0 > 2e-7 || e1 > 2e-7) fail_msg("case %d: ends are off by %g and %g", i, e0, e1);
        segments += c.meeting == TACT_TRIANGLES_MEET_IN_SEGMENT;
        points += c.meeting == TACT_TRIANGLES_MEET_IN_POINT;
    }
    assert_true(segments > 15000 && points > 3000);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
