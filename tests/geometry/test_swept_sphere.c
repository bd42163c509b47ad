// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Capsules and lozenges: overlap against a minimisation with proven bounds, fits, boxes around them, measures.

#include "tact/geometry/swept_sphere.h"

#include "tests/support/run.h"

#include "tests/geometry/boxes.h"

#define REAL double
#define NAME_BOUNDS double_bounds
#define NAME_ROOT sqrt
#include "tests/geometry/swept_oracle.inl"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;

static wide wide_root(wide x)
{
    if (!(x > 0)) return 0;
    int e = 0;
    while (x > (wide)1e200)
        x *= (wide)0x1p-200, e += 100;
    while (x < (wide)1e-200)
        x *= (wide)0x1p200, e -= 100;
    wide root = (wide)sqrt((double)x);
    for (int i = 0; i < 3; ++i)
        root = (root + x / root) / 2;
    return root * (wide)ldexp(1.0, e);
}

#define REAL wide
#define NAME_BOUNDS wide_bounds
#define NAME_ROOT wide_root
#include "tests/geometry/swept_oracle.inl"
#endif

enum { SPHERE, CAPSULE, LOZENGE };

/// Any of the three, for the oracle.
typedef struct swept {
    int kind;
    float at[3];
    double edge[2][3];
    int edges;
    double radius;
    tact_sphere sphere;
    tact_capsule capsule;
    tact_lozenge lozenge;
} swept;

static void describe(swept* s)
{
    const tact_vec3 at = s->kind == SPHERE ? s->sphere.center : s->kind == CAPSULE ? s->capsule.a : s->lozenge.corner;
    s->at[0] = at.x;
    s->at[1] = at.y;
    s->at[2] = at.z;
    s->edges = s->kind;
    s->radius = (double)(s->kind == SPHERE    ? s->sphere.radius
                         : s->kind == CAPSULE ? s->capsule.radius
                                              : s->lozenge.radius);
    const tact_vec3 b = s->capsule.b;
    for (int i = 0; i < s->kind; ++i) {
        const tact_vec3 e = s->lozenge.edge[i];
        s->edge[i][0] = s->kind == CAPSULE ? (double)b.x - (double)at.x : (double)e.x;
        s->edge[i][1] = s->kind == CAPSULE ? (double)b.y - (double)at.y : (double)e.y;
        s->edge[i][2] = s->kind == CAPSULE ? (double)b.z - (double)at.z : (double)e.z;
    }
}

static void set_radius(swept* s, float radius)
{
    s->sphere.radius = s->capsule.radius = s->lozenge.radius = radius;
    s->radius = (double)radius;
}

static void place(swept* s, tact_vec3 at, tact_vec3 u, tact_vec3 v, float radius)
{
    s->sphere.center = s->capsule.a = s->lozenge.corner = at;
    s->capsule.b = (tact_vec3){at.x + u.x, at.y + u.y, at.z + u.z};
    s->lozenge.edge[0] = u;
    s->lozenge.edge[1] = v;
    set_radius(s, radius);
    describe(s);
}

static int join(const swept* a, const swept* b, double d[4][3], double* size)
{
    int n = 0;
    *size = a->radius + b->radius;
    for (int k = 0; k < 3; ++k)
        *size += fabs((double)a->at[k] - (double)b->at[k]);
    for (int side = 0; side < 2; ++side) {
        const swept* s = side ? b : a;
        for (int i = 0; i < s->edges; ++i, ++n) {
            for (int k = 0; k < 3; ++k) {
                d[n][k] = side ? s->edge[i][k] : -s->edge[i][k];
                *size += fabs(d[n][k]);
            }
        }
    }
    return n;
}

/// Whether the line between the centres already shows the pair apart.
static bool clearly_apart(const swept* a, const swept* b, double d[4][3], int n, double reach)
{
    double r[3], c[3], length = 0.0, least = 0.0;
    for (int k = 0; k < 3; ++k) {
        r[k] = c[k] = (double)b->at[k] - (double)a->at[k];
        for (int i = 0; i < n; ++i)
            c[k] += 0.5 * d[i][k];
        length += c[k] * c[k];
        least += c[k] * r[k];
    }
    for (int i = 0; i < n; ++i)
        least += fmin(c[0] * d[i][0] + c[1] * d[i][1] + c[2] * d[i][2], 0.0);
    return least > reach * sqrt(length);
}

/// 1 overlap, 0 none, -1 within 1e-14 of touching relative to the sizes and the distance. `between`, which may be
/// NULL, is the distance of the inner shapes.
static int ask(const swept* a, const swept* b, double* between)
{
    double d[4][3], size, upper, lower;
    const int n = join(a, b, d, &size);
    const double reach = a->radius + b->radius, band = 1e-12 * size;
    if (!between && clearly_apart(a, b, d, n, reach + band)) return 0;
    double_bounds(a->at, b->at, d, n, &upper, &lower);
    if (between) *between = upper;
    if (upper <= reach - band) return 1;
    if (lower > reach + band) return 0;
#ifdef __SIZEOF_FLOAT128__
    wide up, low;
    wide_bounds(a->at, b->at, d, n, &up, &low);
    if (up - (low > 0 ? low : 0) > (wide)(1e-15 * size)) fail_msg("the oracle is not sure");
    if (up <= (wide)reach - (wide)(1e-14 * size)) return 1;
    if (low > (wide)reach + (wide)(1e-14 * size)) return 0;
#endif
    return -1;
}

static bool overlap(const swept* a, const swept* b)
{
    if (a->kind == CAPSULE && b->kind == SPHERE) return tact_capsule_overlaps_sphere(&a->capsule, b->sphere);
    if (a->kind == CAPSULE) return tact_capsule_overlaps_capsule(&a->capsule, &b->capsule);
    if (b->kind == SPHERE) return tact_lozenge_overlaps_sphere(&a->lozenge, b->sphere);
    if (b->kind == CAPSULE) return tact_lozenge_overlaps_capsule(&a->lozenge, &b->capsule);
    return tact_lozenge_overlaps_lozenge(&a->lozenge, &b->lozenge);
}

static tact_vec3 lattice(test_random* r, int size)
{
    const uint32_t n = (uint32_t)(2 * size + 1);
    const int x = (int)test_random_below(r, n), y = (int)test_random_below(r, n), z = (int)test_random_below(r, n);
    return (tact_vec3){(float)(x - size), (float)(y - size), (float)(z - size)};
}

static void random_pair(test_random* r, int variant, swept* a, swept* b)
{
    tact_vec3 f[3], g[3];
    test_frame(r, f);
    test_frame(r, g);
    if (variant == 1 || variant == 2) {  // parallel, and but for last bits
        for (int i = 0; i < 3; ++i) {
            g[i] = f[(i + variant) % 3];
            if (variant == 2) g[i].y = nextafterf(g[i].y, test_random_signed(r));
        }
    }
    float length[4], radius[2] = {0.5f * test_random_unit(r), 0.5f * test_random_unit(r)};
    for (int i = 0; i < 4; ++i)
        length[i] = 2.0f * test_random_unit(r);
    tact_vec3 at = test_vec3(r, 1.0f), to = test_vec3(r, 2.0f);
    if (variant == 3) length[test_random_below(r, 4)] = length[test_random_below(r, 4)] = 0.0f;
    if (variant == 4) length[test_random_below(r, 4)] = 1e4f;
    if (variant == 5) {  // integers
        at = lattice(r, 2);
        to = lattice(r, 5);
        const int i = (int)test_random_below(r, 3), j = (int)test_random_below(r, 3);
        for (int k = 0; k < 3; ++k) {
            f[k] = (tact_vec3){(k + i) % 3 == 0, (k + i) % 3 == 1, (k + i) % 3 == 2};
            g[k] = (tact_vec3){(k + j) % 3 == 0, (k + j) % 3 == 1, (k + j) % 3 == 2};
        }
        for (int k = 0; k < 4; ++k)
            length[k] = (float)test_random_below(r, 4);
        radius[0] = (float)test_random_below(r, 2);
        radius[1] = (float)test_random_below(r, 3);
    }
    if (variant == 6) {  // in one plane, crossing or not
        to = (tact_vec3){to.x, to.y, at.z};
        f[0].z = f[1].z = g[0].z = g[1].z = 0.0f;
        radius[0] = radius[1] = test_random_bits(r) & 1 ? 0.0f : 0.1f;
    }
    place(a, at, test_times(f[0], length[0]), test_times(f[1], length[1]), radius[0]);
    place(b, to, test_times(g[0], length[2]), test_times(g[1], length[3]), radius[1]);
}

static void touch(test_random* r, swept* a, swept* b)
{
    double between;
    ask(a, b, &between);
    const double gaps[] = {0.0, 1e-7, -1e-7, 1e-5, -1e-5, 1e-3};
    const float all = (float)(between * (1.0 + gaps[test_random_below(r, 6)]));
    const float first = all * test_random_unit(r);
    set_radius(a, first);
    set_radius(b, fmaxf(all - first, 0.0f));
}

static void scale_shape(swept* s, float k)
{
    place(s, test_times(s->lozenge.corner, k), test_times(s->lozenge.edge[0], k), test_times(s->lozenge.edge[1], k),
          (float)s->radius * k);
}

static void compare(int first, int second, int count, uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    int decided = 0, hits = 0;
    for (int i = 0; i < count; ++i) {
        swept a = {.kind = first}, b = {.kind = second};
        random_pair(&r, i % 8, &a, &b);
        if (i % 3 == 1) {  // far away
            a.lozenge.corner.x += 1000.0f;
            b.lozenge.corner.x += 1000.0f;
        }
        const float k = i % 5 == 0 ? 0x1p-20f : i % 5 == 1 ? 0x1p20f : 1.0f;
        scale_shape(&a, k);
        scale_shape(&b, k);
        if (i % 8 != 5 && i % 16 < 3) touch(&r, &a, &b);
        const bool found = overlap(&a, &b);
        if (first == second && found != overlap(&b, &a)) fail_msg("case %d is not symmetric", i);
        const int expected = ask(&a, &b, NULL);
        if (expected < 0 && i % 8 == 5 && !found) fail_msg("case %d: a lattice contact is missed", i);
        if (expected < 0) continue;
        ++decided;
        hits += expected;
        if (found != (expected == 1)) fail_msg("case %d: %d, the oracle says %d", i, found, expected);
    }
    print_message("%d of %d decided, %d overlap\n", decided, count, hits);
    assert_true(decided > count - count / 8 && hits > count / 9 && hits < count - count / 5);
}

#define AGREES_WITH_MINIMISATION(test, first, second, seed) \
    static void test(void** state)                          \
    {                                                       \
        compare(first, second, 1030000, seed);              \
    }
AGREES_WITH_MINIMISATION(capsule_sphere_agrees_with_minimisation, CAPSULE, SPHERE, 1)
AGREES_WITH_MINIMISATION(capsule_capsule_agrees_with_minimisation, CAPSULE, CAPSULE, 2)
AGREES_WITH_MINIMISATION(lozenge_sphere_agrees_with_minimisation, LOZENGE, SPHERE, 3)
AGREES_WITH_MINIMISATION(lozenge_capsule_agrees_with_minimisation, LOZENGE, CAPSULE, 4)
AGREES_WITH_MINIMISATION(lozenge_lozenge_agrees_with_minimisation, LOZENGE, LOZENGE, 5)

/// The printed regions compare a squared distance with the radius itself.
TEST(radii_are_compared_squared)
{
    const tact_capsule thick = {{0, 0, 0}, {4, 0, 0}, 2.0f}, thin = {{0, 0, 0}, {4, 0, 0}, 0.5f};
    assert_true(tact_capsule_overlaps_sphere(&thick, (tact_sphere){{2, 1.75f, 0}, 0}));
    assert_false(tact_capsule_overlaps_sphere(&thin, (tact_sphere){{2, 0.625f, 0}, 0}));
    const tact_lozenge wide_one = {{0, 0, 0}, {{4, 0, 0}, {0, 4, 0}}, 2.0f};
    const tact_lozenge flat = {{0, 0, 0}, {{4, 0, 0}, {0, 4, 0}}, 0.5f};
    assert_true(tact_lozenge_overlaps_sphere(&wide_one, (tact_sphere){{2, 1, 1.75f}, 0}));
    assert_false(tact_lozenge_overlaps_sphere(&flat, (tact_sphere){{2, 1, 0.625f}, 0}));
}

TEST(contacts_are_exact_at_any_scale)
{
    for (int e = -30; e <= 30; e += 10) {
        const float k = ldexpf(1.0f, e);
        const tact_capsule a = {{0, 0, 0}, {6 * k, 0, 0}, k}, b = {{3 * k, 3 * k, -k}, {3 * k, 3 * k, 4 * k}, 2 * k};
        assert_true(tact_capsule_overlaps_capsule(&a, &b));
        tact_capsule c = b;
        c.a.y = c.b.y = nextafterf(b.a.y, INFINITY);
        assert_false(tact_capsule_overlaps_capsule(&a, &c));
        // 3-4-5 from the corner, and above the middle.
        const tact_lozenge l = {{0, 0, 0}, {{2 * k, 0, 0}, {0, 2 * k, 0}}, 2 * k};
        const tact_sphere s = {{5 * k, 6 * k, 0}, 3 * k};
        assert_true(tact_lozenge_overlaps_sphere(&l, s));
        assert_false(tact_lozenge_overlaps_sphere(&l, (tact_sphere){s.center, nextafterf(s.radius, 0)}));
        assert_true(tact_lozenge_overlaps_sphere(&l, (tact_sphere){{k, k, -5 * k}, 3 * k}));
        assert_false(tact_lozenge_overlaps_sphere(&l, (tact_sphere){{k, k, nextafterf(-5 * k, -INFINITY)}, 3 * k}));
        const tact_lozenge m = {{k, k, 5 * k}, {{2 * k, 0, 2 * k}, {0, 2 * k, 0}}, 3 * k};
        assert_true(tact_lozenge_overlaps_lozenge(&l, &m));
        assert_true(tact_lozenge_distance(&l, &m) == 0.0);
        tact_lozenge up = m;
        up.corner.z += k;
        assert_true(tact_lozenge_distance(&l, &up) == (double)k);
        assert_true(tact_lozenge_distance(&up, &l) == (double)k);
    }
}

TEST(long_and_nearly_parallel_axes_are_decided)
{
    // They cross at an angle of 2e-8; the radii are a thousandth of the distance of the ends.
    const tact_capsule a = {{-1e4f, -1e-4f, 0}, {1e4f, 1e-4f, 0}, 0}, b = {{-1e4f, 1e-4f, 0}, {1e4f, -1e-4f, 0}, 1e-7f};
    assert_true(tact_capsule_overlaps_capsule(&a, &b));
    tact_capsule c = b;
    c.a.z = c.b.z = 1.1e-7f;
    assert_false(tact_capsule_overlaps_capsule(&a, &c));
    // Cross inside of a rectangle, no edge near.
    const tact_lozenge l = {{-5, -5, 0}, {{10, 0, 0}, {0, 10, 0}}, 0};
    const tact_capsule through = {{1, 1, -2}, {2, 1, 2}, 0};
    assert_true(tact_lozenge_overlaps_capsule(&l, &through));
    const tact_lozenge same = tact_lozenge_from_capsule(&through);
    assert_true(tact_lozenge_overlaps_lozenge(&same, &l) && tact_lozenge_distance(&same, &l) == 0.0);
}

TEST(collinear_edges_leave_a_segment)
{
    const tact_lozenge l = {{0, 0, 0}, {{2, 0, 0}, {3, 0, 0}}, 1};
    assert_true(tact_lozenge_overlaps_sphere(&l, (tact_sphere){{6, 0, 0}, 0}));
    assert_false(tact_lozenge_overlaps_sphere(&l, (tact_sphere){{6.001f, 0, 0}, 0}));
    assert_true(tact_lozenge_overlaps_sphere(&l, (tact_sphere){{2.5f, 1, 0}, 0}));
    const tact_capsule c = {{4, 2, -1}, {4, 2, 1}, 1};
    assert_true(tact_lozenge_overlaps_capsule(&l, &c));
}

TEST(broken_shapes_overlap_nothing)
{
    const float bad[4] = {NAN, INFINITY, -INFINITY, -1.0f};
    const tact_capsule capsule = {{0, 0, 0}, {1, 0, 0}, 1};
    const tact_lozenge lozenge = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}}, 1};
    const tact_sphere sphere = {{0, 0, 0}, 1};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 10; ++k) {
            if (i == 3 && k != 9) continue;
            tact_lozenge l = lozenge;
            float* at[10] = {&l.corner.x,  &l.corner.y,  &l.corner.z,  &l.edge[0].x, &l.edge[0].y,
                             &l.edge[0].z, &l.edge[1].x, &l.edge[1].y, &l.edge[1].z, &l.radius};
            *at[k] = bad[i];
            assert_false(tact_lozenge_overlaps_lozenge(&l, &lozenge) || tact_lozenge_overlaps_lozenge(&lozenge, &l));
            assert_false(tact_lozenge_overlaps_capsule(&l, &capsule) || tact_lozenge_overlaps_sphere(&l, sphere));
            assert_true(isinf(tact_lozenge_distance(&l, &lozenge)) && isinf(tact_lozenge_distance(&lozenge, &l)));
            assert_true(isnan(tact_lozenge_volume(&l)) && isnan(tact_lozenge_area(&l)));
            assert_true(tact_lozenge_to_aabb(&l).lower.x > tact_lozenge_to_aabb(&l).upper.x);
        }
        for (int k = 0; k < 7; ++k) {
            if (i == 3 && k != 6) continue;
            tact_capsule c = capsule;
            float* at[7] = {&c.a.x, &c.a.y, &c.a.z, &c.b.x, &c.b.y, &c.b.z, &c.radius};
            *at[k] = bad[i];
            assert_false(tact_capsule_overlaps_capsule(&c, &capsule) || tact_capsule_overlaps_capsule(&capsule, &c));
            assert_false(tact_lozenge_overlaps_capsule(&lozenge, &c) || tact_capsule_overlaps_sphere(&c, sphere));
            assert_true(isnan(tact_capsule_volume(&c)) && isnan(tact_capsule_area(&c)));
            assert_true(tact_capsule_to_aabb(&c).lower.x > tact_capsule_to_aabb(&c).upper.x);
        }
        for (int k = 0; k < 4; ++k) {
            if (i == 3 && k != 3) continue;
            tact_sphere s = sphere;
            float* at[4] = {&s.center.x, &s.center.y, &s.center.z, &s.radius};
            *at[k] = bad[i];
            assert_false(tact_capsule_overlaps_sphere(&capsule, s) || tact_lozenge_overlaps_sphere(&lozenge, s));
        }
    }
    const tact_capsule huge = {{-3e38f, 0, 0}, {3e38f, 3e38f, 0}, 3e38f};
    assert_true(tact_capsule_overlaps_capsule(&huge, &huge));
    const tact_lozenge large = {{-3e38f, 0, 0}, {{3e38f, 0, 0}, {0, 3e38f, 3e38f}}, 3e38f};
    assert_true(tact_lozenge_overlaps_lozenge(&large, &large) && tact_lozenge_overlaps_capsule(&large, &huge));
}

TEST(boxes_around_are_tight)
{
    test_random r = test_random_seeded(7);
    for (int i = 0; i < 100000; ++i) {
        swept a = {.kind = LOZENGE}, b = {.kind = CAPSULE};
        random_pair(&r, i % 8, &a, &b);
        if (i % 4 == 0) a.lozenge.radius = 1e-30f;
        const tact_aabb box[2] = {tact_lozenge_to_aabb(&a.lozenge), tact_capsule_to_aabb(&b.capsule)};
        for (int k = 0; k < 2; ++k) {
            const swept* s = k ? &b : &a;
            describe(k ? &b : &a);
            const float low[3] = {box[k].lower.x, box[k].lower.y, box[k].lower.z};
            const float high[3] = {box[k].upper.x, box[k].upper.y, box[k].upper.z};
            for (int axis = 0; axis < 3; ++axis) {
                long double least = (long double)s->at[axis] - (long double)s->radius, most = least;
                most += 2 * (long double)s->radius;
                for (int e = 0; e < s->edges; ++e) {
                    const double x = s->edge[e][axis];
                    if (x < 0) least += (long double)x;
                    if (x > 0) most += (long double)x;
                }
                const long double slack = 1e-17L;  // of this sum; the bounds themselves are not below
                if (!((long double)low[axis] <= least + slack)) fail_msg("case %d: %g", i, (double)low[axis]);
                if (!((long double)high[axis] >= most - slack)) fail_msg("case %d: %g", i, (double)high[axis]);
                assert_true((long double)nextafterf(low[axis], INFINITY) >= least - slack);
                assert_true((long double)nextafterf(high[axis], -INFINITY) <= most + slack);
            }
        }
    }
    const tact_lozenge far_off = {{1, 1, 1}, {{1e-30f, 0, 0}, {0, -1e-30f, 0}}, 1e-35f};
    const tact_aabb box = tact_lozenge_to_aabb(&far_off);
    assert_true(box.lower.x < 1 && box.upper.x > 1 && box.lower.y < 1 && box.upper.y > 1 && box.upper.z > 1);
}

TEST(measures_agree_with_counting)
{
    const tact_lozenge l = {{0.25f, 0, 0}, {{1, 0.5f, 0}, {-0.5f, 1, 0}}, 0.375f};
    const tact_capsule c = {{0, 0, 0}, {1, 1, 0.5f}, 0.5f};
    test_random r = test_random_seeded(8);
    int in_lozenge = 0, in_capsule = 0;
    const int tries = 1000000;
    for (int i = 0; i < tries; ++i) {
        const tact_sphere p = {test_vec3(&r, 2.0f), 0};
        in_lozenge += tact_lozenge_overlaps_sphere(&l, p);
        in_capsule += tact_capsule_overlaps_sphere(&c, p);
    }
    assert_true(fabs(64.0 * in_lozenge / tries - tact_lozenge_volume(&l)) < 0.05);
    assert_true(fabs(64.0 * in_capsule / tries - tact_capsule_volume(&c)) < 0.05);
    // The area is how fast the volume grows with the radius.
    const float step = 0x1p-11f;
    tact_lozenge more = l;
    more.radius += step;
    assert_true(fabs((tact_lozenge_volume(&more) - tact_lozenge_volume(&l)) / (double)step - tact_lozenge_area(&l)) <
                0.01);
    tact_capsule thicker = c;
    thicker.radius += step;
    assert_true(fabs((tact_capsule_volume(&thicker) - tact_capsule_volume(&c)) / (double)step - tact_capsule_area(&c)) <
                0.01);
    const tact_lozenge ball = tact_lozenge_from_sphere((tact_sphere){{1, 2, 3}, 2});
    assert_true(fabs(tact_lozenge_volume(&ball) - 33.510321638) < 1e-8);
    assert_true(fabs(tact_lozenge_area(&ball) - 50.265482457) < 1e-8);
}

TEST(fits_contain_all_points)
{
    test_random r = test_random_seeded(9);
    double capsules = 0, lozenges = 0, boxes = 0;
    for (int i = 0; i < 30000; ++i) {
        tact_vec3 points[64];
        const size_t count = test_cloud(&r, i % 9, points);
        tact_capsule c;
        tact_lozenge l;
        assert_true(tact_capsule_fit(points, count, &c));
        assert_true(tact_lozenge_fit(points, count, &l));
        tact_vec3 low = points[0], high = points[0];
        for (size_t k = 0; k < count; ++k) {
            assert_true(tact_capsule_overlaps_sphere(&c, (tact_sphere){points[k], 0}));
            assert_true(tact_lozenge_overlaps_sphere(&l, (tact_sphere){points[k], 0}));
            low = (tact_vec3){fminf(low.x, points[k].x), fminf(low.y, points[k].y), fminf(low.z, points[k].z)};
            high = (tact_vec3){fmaxf(high.x, points[k].x), fmaxf(high.y, points[k].y), fmaxf(high.z, points[k].z)};
        }
        // Never larger than the sphere around the box around the points allows.
        const double diagonal = sqrt(pow((double)high.x - (double)low.x, 2) + pow((double)high.y - (double)low.y, 2) +
                                     pow((double)high.z - (double)low.z, 2));
        const double slack = 1e-6 * (fabs((double)low.x) + fabs((double)high.x) + fabs((double)low.y));
        assert_true((double)c.radius <= diagonal + slack && (double)l.radius <= diagonal + slack);
        if (i % 9 == 3 || i % 9 == 6) assert_true((double)c.radius <= slack && (double)l.radius <= slack);
        if (i % 9 == 2 && count > 1) assert_true((double)c.radius <= 4e-7 * 16 && (double)l.radius <= 4e-7 * 16);
        if (i % 9 != 0 || count < 20) continue;
        capsules += tact_capsule_volume(&c);
        lozenges += tact_lozenge_volume(&l);
        boxes += diagonal * diagonal * diagonal;
    }
    assert_true(lozenges < capsules && capsules < boxes);
}

TEST(fits_find_the_shape_they_are_given)
{
    test_random r = test_random_seeded(10);
    tact_vec3 points[3000];
    const float k[3] = {1e-6f, 1.0f, 1e6f};
    for (int i = 0; i < 30; ++i) {
        tact_vec3 f[3];
        test_frame(&r, f);
        const float s = k[i % 3];
        const tact_capsule c = {test_times(f[0], -4 * s), test_times(f[0], 4 * s), s};
        const tact_lozenge l = {test_times(f[2], 5 * s), {test_times(f[0], 8 * s), test_times(f[1], 4 * s)}, s};
        for (int j = 0; j < 3000; ++j) {
            tact_vec3 d[3];
            test_frame(&r, d);
            const float t = 8 * test_random_unit(&r) - 4;
            points[j] = (tact_vec3){s * (f[0].x * t + d[0].x), s * (f[0].y * t + d[0].y), s * (f[0].z * t + d[0].z)};
        }
        tact_capsule fit;
        assert_true(tact_capsule_fit(points, 3000, &fit));
        assert_true(tact_capsule_volume(&fit) < 1.2 * tact_capsule_volume(&c));
        for (int j = 0; j < 3000; ++j) {
            tact_vec3 d[3];
            test_frame(&r, d);
            const float u = test_random_unit(&r), v = test_random_unit(&r);
            points[j] = (tact_vec3){l.corner.x + u * l.edge[0].x + v * l.edge[1].x + s * d[0].x,
                                    l.corner.y + u * l.edge[0].y + v * l.edge[1].y + s * d[0].y,
                                    l.corner.z + u * l.edge[0].z + v * l.edge[1].z + s * d[0].z};
        }
        tact_lozenge found;
        assert_true(tact_lozenge_fit(points, 3000, &found));
        assert_true(tact_lozenge_volume(&found) < 1.15 * tact_lozenge_volume(&l));
        assert_true(tact_lozenge_fit(points, 3000, &found) && found.radius >= 0.9f * s);
    }
}

TEST(lozenge_corners_move_out_to_their_points)
{
    const tact_vec3 points[6] = {{4, 2, 0}, {-4, 2, 0}, {4, -2, 0}, {-4, -2, 0}, {0, 0, 0.5f}, {0, 0, -0.5f}};
    tact_lozenge l;
    assert_true(tact_lozenge_fit(points, 6, &l));
    assert_true(fabsf(l.radius - 0.5f) < 1e-6f);
    assert_true(tact_lozenge_volume(&l) < 34.0);
}

TEST(fits_refuse_what_is_no_set_of_points)
{
    tact_capsule c;
    tact_lozenge l;
    assert_false(tact_capsule_fit(NULL, 0, &c) || tact_lozenge_fit(NULL, 0, &l));
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 18; ++i) {
        float p[6] = {0, 1, 2, 3, 4, 5};
        p[i / 3] = bad[i % 3];
        const tact_vec3 points[2] = {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
        assert_false(tact_capsule_fit(points, 2, &c) || tact_lozenge_fit(points, 2, &l));
    }
    const tact_vec3 apart[2] = {{-3e38f, -3e38f, -3e38f}, {3e38f, 3e38f, 3e38f}};
    assert_false(tact_lozenge_fit(apart, 2, &l));  // the edge does not fit into a float
    assert_true(tact_capsule_fit(apart, 2, &c));
}

TEST_ELSEWHERE(cmocka_unit_test, capsule_sphere_agrees_with_minimisation)
TEST_ELSEWHERE(cmocka_unit_test, capsule_capsule_agrees_with_minimisation)
TEST_ELSEWHERE(cmocka_unit_test, lozenge_sphere_agrees_with_minimisation)
TEST_ELSEWHERE(cmocka_unit_test, lozenge_capsule_agrees_with_minimisation)
TEST_ELSEWHERE(cmocka_unit_test, lozenge_lozenge_agrees_with_minimisation)

#include TEST_LIST
RUN_ALL(NULL, NULL)
