// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Linear programmes against all corners of small ones, in whole numbers, and large ones by certificates, also in whole
// numbers: the optimum breaks nothing and is held by its constraints; an infeasible one has a sum that is impossible.

#include "tests/support/run.h"

#include <float.h>

#include "tact/geometry/convex.h"
#include "tact/geometry/linear_program.h"
#include "tests/geometry/points.h"
#include "tests/support/effort.h"

__extension__ typedef __int128 whole;

enum { MOST = 400 };

/// n . x <= d in whole numbers; the sides of the box stand behind the constraints.
typedef struct half {
    whole n[3], d;
} half;

/// A point X / W, W > 0.
typedef struct ratio {
    whole x[3], w;
} ratio;

static whole det3(const whole* a, const whole* b, const whole* c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// The point that three planes have in common. False where they have none or many.
static bool meet(const half* a, const half* b, const half* c, ratio* p)
{
    p->w = det3(a->n, b->n, c->n);
    if (p->w == 0) return false;
    for (int k = 0; k < 3; ++k) {
        half u = *a, v = *b, w = *c;
        u.n[k] = a->d;
        v.n[k] = b->d;
        w.n[k] = c->d;
        p->x[k] = det3(u.n, v.n, w.n);
        if (p->w < 0) p->x[k] = -p->x[k];
    }
    if (p->w < 0) p->w = -p->w;
    return true;
}

static whole dot(const whole* n, const ratio* p)
{
    return n[0] * p->x[0] + n[1] * p->x[1] + n[2] * p->x[2];
}

static bool holds(const half* h, const ratio* p)
{
    return dot(h->n, p) <= h->d * p->w;
}

static int compare(whole a, whole b)
{
    return a < b ? -1 : a > b;
}

/// By the objective, then x, y, z.
static int order(const whole* objective, const ratio* p, const ratio* q)
{
    int c = compare(dot(objective, p) * q->w, dot(objective, q) * p->w);
    for (int k = 0; k < 3 && c == 0; ++k)
        c = compare(p->x[k] * q->w, q->x[k] * p->w);
    return c;
}

/// The best of all corners.
static bool best_corner(const half* h, size_t count, const whole* objective, ratio* best)
{
    bool found = false;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < i; ++j) {
            for (size_t k = 0; k < j; ++k) {
                ratio p;
                if (!meet(&h[i], &h[j], &h[k], &p) || (found && order(objective, &p, best) >= 0)) continue;
                bool good = true;
                for (size_t m = 0; m < count && good; ++m)
                    good = holds(&h[m], &p);
                if (!good) continue;
                *best = p;
                found = true;
            }
        }
    }
    return found;
}

static void add_box(half* h, size_t count, const int* lower, const int* upper)
{
    for (int k = 0; k < 3; ++k) {
        h[count + 2 * (size_t)k] = (half){.d = -lower[k]};
        h[count + 2 * (size_t)k].n[k] = -1;
        h[count + 2 * (size_t)k + 1] = (half){.d = upper[k]};
        h[count + 2 * (size_t)k + 1].n[k] = 1;
    }
}

static size_t row_of(uint32_t tight, size_t count)
{
    assert_true(tight < count || (tight >= TACT_LP_SIDE && tight < TACT_LP_SIDE + 6));
    return tight < count ? tight : count + (tight - TACT_LP_SIDE);
}

/// The rows of an infeasible programme add up to 0 . x <= less than 0, with factors that are not negative.
static void is_impossible(const half* h, size_t count, const tact_lp_result* r, int variables)
{
    const half* rows[4];
    half flat = {.n = {0, 0, 1}, .d = 0};
    for (int k = 0; k <= variables; ++k)
        rows[k] = &h[row_of(r->tight[k], count)];
    if (variables == 2) rows[3] = &flat;
    whole factor[4], sum = 0;
    for (int k = 0; k < 4; ++k) {
        const half *a = rows[(k + 1) % 4], *b = rows[(k + 2) % 4], *c = rows[(k + 3) % 4];
        factor[k] = (k % 2 ? -1 : 1) * det3(a->n, b->n, c->n);
    }
    bool up = true, down = true;
    for (int k = 0; k <= variables; ++k) {
        up = up && factor[k] >= 0;
        down = down && factor[k] <= 0;
        sum += factor[k] * rows[k]->d;
    }
    assert_true(up != down);
    assert_true(up ? sum < 0 : sum > 0);
}

/// The optimum is where its rows meet, breaks none, and the objective points from it into their cone.
static void is_optimal(const half* h, size_t count, const whole* objective, const tact_lp_result* r, float unit,
                       ratio* p)
{
    const half* t[3];
    for (int k = 0; k < 3; ++k)
        t[k] = &h[row_of(r->tight[k], count)];
    assert_true(meet(t[0], t[1], t[2], p));
    for (size_t i = 0; i < count + 6; ++i)
        assert_true(holds(&h[i], p));
    const whole turn = det3(t[0]->n, t[1]->n, t[2]->n);
    for (int k = 0; k < 3; ++k) {
        const whole* rows[3] = {t[0]->n, t[1]->n, t[2]->n};
        rows[k] = objective;
        const whole factor = det3(rows[0], rows[1], rows[2]);
        assert_true(turn > 0 ? factor <= 0 : factor >= 0);
        const double exact = (double)p->x[k] / (double)p->w * (double)unit, got = (double)(&r->point.x)[k];
        if (fabs(got - exact) > 0x1.00001p-24 * fabs(exact)) fail_msg("%a for %a", got, exact);
    }
}

static int small(test_random* r, int size)
{
    return (int)test_random_below(r, (uint32_t)(2 * size + 1)) - size;
}

static float power(test_random* r, int most)
{
    return ldexpf(1.0f, small(r, most));
}

TEST(small_programmes_in_space_have_the_best_corner)
{
    test_random r = test_random_seeded(801);
    size_t kinds[4] = {0, 0, 0, 0};
    for (size_t trial = 0; trial < effort(3000, 60000); ++trial) {
        half h[20];
        tact_plane planes[14];
        const size_t count = test_random_below(&r, 14);
        const int size = 1 + (int)test_random_below(&r, 4);
        // Rows and space in units of their own.
        const float unit = power(&r, 40);
        for (size_t i = 0; i < count; ++i) {
            const float scale = power(&r, 30);
            for (int k = 0; k < 3; ++k)
                h[i].n[k] = small(&r, size);
            h[i].d = small(&r, 4) + (trial % 3 ? 3 : 0);
            const tact_vec3 n = v3((float)h[i].n[0] * scale, (float)h[i].n[1] * scale, (float)h[i].n[2] * scale);
            planes[i] = (tact_plane){n, (float)h[i].d * scale * unit};
        }
        int lower[3], upper[3];
        whole objective[3];
        for (int k = 0; k < 3; ++k) {
            lower[k] = small(&r, 5) - 3;
            upper[k] = trial % 50 ? lower[k] + (int)test_random_below(&r, 9) : small(&r, 5);
            objective[k] = trial % 4 ? small(&r, 3) : 0;
        }
        add_box(h, count, lower, upper);
        const tact_aabb box = {v3((float)lower[0] * unit, (float)lower[1] * unit, (float)lower[2] * unit),
                               v3((float)upper[0] * unit, (float)upper[1] * unit, (float)upper[2] * unit)};
        const tact_vec3 down = v3((float)objective[0], (float)objective[1], (float)objective[2]);
        const tact_lp_result got = tact_lp_3d(planes, count, down, box);
        ++kinds[got.status];
        ratio best, p;
        if (!best_corner(h, count + 6, objective, &best)) {
            assert_int_equal(got.status, TACT_LP_INFEASIBLE);
            is_impossible(h, count, &got, 3);
            continue;
        }
        is_optimal(h, count, objective, &got, unit, &p);
        assert_int_equal(order(objective, &p, &best), 0);
        // Where a way leads to a better point for ever.
        half ways[20];
        memcpy(ways, h, sizeof h);
        for (size_t i = 0; i < count; ++i)
            ways[i].d = 0;
        add_box(ways, count, (const int[]){-1, -1, -1}, (const int[]){1, 1, 1});
        assert_true(best_corner(ways, count + 6, objective, &best));
        assert_int_equal(got.status, dot(objective, &best) < 0 ? TACT_LP_UNBOUNDED : TACT_LP_OPTIMUM);
    }
    assert_int_equal(kinds[TACT_LP_INVALID], 0);
    assert_true(kinds[1] > 12 && kinds[2] > 12 && kinds[3] > 12);
}

TEST(small_programmes_in_the_plane_have_the_best_corner)
{
    test_random r = test_random_seeded(802);
    size_t kinds[4] = {0, 0, 0, 0};
    for (size_t trial = 0; trial < effort(3000, 60000); ++trial) {
        half h[26];
        tact_half_plane lines[20];
        const size_t count = test_random_below(&r, 20);
        const float unit = power(&r, 40);
        for (size_t i = 0; i < count; ++i) {
            const float scale = power(&r, 30);
            h[i] = (half){{small(&r, 3), small(&r, 3), 0}, small(&r, 4) + (trial % 3 ? 3 : 0)};
            const tact_vec2 n = v2((float)h[i].n[0] * scale, (float)h[i].n[1] * scale);
            lines[i] = (tact_half_plane){n, (float)h[i].d * scale * unit};
        }
        int lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
        whole objective[3] = {0, 0, 0};
        for (int k = 0; k < 2; ++k) {
            lower[k] = small(&r, 5) - 3;
            upper[k] = lower[k] + (int)test_random_below(&r, 9);
            objective[k] = trial % 4 ? small(&r, 3) : 0;
        }
        add_box(h, count, lower, upper);
        const tact_lp_result got = tact_lp_2d(lines, count, v2((float)objective[0], (float)objective[1]),
                                              v2((float)lower[0] * unit, (float)lower[1] * unit),
                                              v2((float)upper[0] * unit, (float)upper[1] * unit));
        ++kinds[got.status];
        ratio best;
        if (!best_corner(h, count + 6, objective, &best)) {
            assert_int_equal(got.status, TACT_LP_INFEASIBLE);
            is_impossible(h, count, &got, 2);
            continue;
        }
        for (int k = 0; k < 2; ++k) {
            const double exact = (double)best.x[k] / (double)best.w * (double)unit;
            assert_true(fabs((double)(&got.point.x)[k] - exact) <= 0x1.00001p-24 * fabs(exact));
            const half* t = &h[row_of(got.tight[k], count)];
            assert_true(dot(t->n, &best) == t->d * best.w);
        }
        assert_true(got.point.z == 0.0f && got.tight[2] == TACT_LP_SIDE + 15);
        half ways[26];
        memcpy(ways, h, sizeof h);
        for (size_t i = 0; i < count; ++i)
            ways[i].d = 0;
        add_box(ways, count, (const int[]){-1, -1, 0}, (const int[]){1, 1, 0});
        assert_true(best_corner(ways, count + 6, objective, &best));
        assert_int_equal(got.status, dot(objective, &best) < 0 ? TACT_LP_UNBOUNDED : TACT_LP_OPTIMUM);
    }
    assert_true(kinds[0] == 0 && kinds[1] > 12 && kinds[2] > 12 && kinds[3] > 12);
}

/// Planes about a ball of whole numbers, so that most are on the border, and a pair in the way of some.
TEST(large_programmes_have_certificates)
{
    test_random r = test_random_seeded(803);
    const int large = 1 << 20;
    size_t infeasible = 0;
    half* h = scratch((MOST + 6) * sizeof *h);
    tact_plane* planes = scratch(MOST * sizeof *planes);
    for (size_t trial = 0; trial < effort(400, 8000); ++trial) {
        const size_t count = 1 + test_random_below(&r, MOST - 1);
        for (size_t i = 0; i < count; ++i) {
            int n[3];
            for (int k = 0; k < 3; ++k)
                n[k] = small(&r, large);
            const double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
            const int d = trial % 2 ? (int)length : small(&r, 1 << 23);
            h[i] = (half){{n[0], n[1], n[2]}, trial % 2 || d > -(1 << 20) ? abs(d) : d};
            // The same plane again, or one in space from it.
            if (i > 0 && trial % 5 == 0) {
                const half* twin = &h[test_random_below(&r, (uint32_t)i)];
                h[i] = *twin;
                h[i].d += small(&r, 1);
            }
            planes[i] = (tact_plane){v3((float)h[i].n[0], (float)h[i].n[1], (float)h[i].n[2]), (float)h[i].d};
        }
        const int reach = 1 << 12;
        const whole objective[3] = {small(&r, large), small(&r, large), trial % 7 ? small(&r, large) : 0};
        add_box(h, count, (const int[]){-reach, -reach, -reach}, (const int[]){reach, reach, reach});
        const tact_aabb box = {v3((float)-reach, (float)-reach, (float)-reach),
                               v3((float)reach, (float)reach, (float)reach)};
        const tact_vec3 down = v3((float)objective[0], (float)objective[1], (float)objective[2]);
        const tact_lp_result got = tact_lp_3d(planes, count, down, box);
        ratio p;
        if (got.status == TACT_LP_INFEASIBLE) {
            ++infeasible;
            is_impossible(h, count, &got, 3);
        } else {
            is_optimal(h, count, objective, &got, 1.0f, &p);
        }
        assert_true(got.steps < 60 + count / 4);
    }
    assert_true(infeasible > 0);
}

TEST(many_constraints_take_few_steps)
{
    test_random r = test_random_seeded(804);
    const size_t count = 20000;
    tact_plane* planes = scratch(count * sizeof *planes);
    tact_half_plane* lines = scratch(count * sizeof *lines);
    for (size_t i = 0; i < count; ++i) {
        // Tangents of a ball, and of a parabola one beside the other, each less steep.
        const float z = test_random_signed(&r), turn = 6.2831853f * test_random_unit(&r), s = sqrtf(1.0f - z * z);
        planes[i] = (tact_plane){v3(s * cosf(turn), s * sinf(turn), z), 1.0f};
        const float slope = (float)(count - i) / (float)count;
        lines[i] = (tact_half_plane){v2(slope, -1.0f), 0.25f * slope * slope};
    }
    const tact_lp_result in_space =
        tact_lp_3d(planes, count, v3(0.3f, -0.2f, 0.9f), (tact_aabb){v3(-9, -9, -9), v3(9, 9, 9)});
    assert_int_equal(in_space.status, TACT_LP_OPTIMUM);
    assert_true(in_space.steps < 60);
    const tact_lp_result flat = tact_lp_2d(lines, count, v2(0, 1), v2(-9, -9), v2(9, 9));
    assert_int_equal(flat.status, TACT_LP_UNBOUNDED);
    assert_true(flat.steps < 40);
}

TEST(wrong_arguments_are_invalid)
{
    const tact_aabb box = {v3(-1, -1, -1), v3(1, 1, 1)};
    tact_plane planes[2] = {{v3(1, 0, 0), 0.5f}, {v3(0, NAN, 0), 1}};
    assert_int_equal(tact_lp_3d(planes, 2, v3(1, 0, 0), box).status, TACT_LP_INVALID);
    assert_int_equal(tact_half_spaces_ball(planes, 2, box).status, TACT_LP_INVALID);
    planes[1] = (tact_plane){v3(0, 1, 0), INFINITY};
    assert_int_equal(tact_lp_3d(planes, 2, v3(1, 0, 0), box).status, TACT_LP_INVALID);
    assert_int_equal(tact_lp_3d(planes, 1, v3(1, 0, -INFINITY), box).status, TACT_LP_INVALID);
    const tact_lp_result open = tact_lp_3d(planes, 1, v3(1, 0, 0), (tact_aabb){v3(-1, -1, -1), v3(1, INFINITY, 1)});
    assert_true(open.status == TACT_LP_INVALID && isnan(open.point.x) && open.tight[0] == TACT_LP_SIDE + 15);
    // The largest numbers there are.
    planes[0] = (tact_plane){v3(-FLT_MAX, -FLT_MAX, -FLT_MAX), -FLT_MAX};
    const tact_aabb all = {v3(-FLT_MAX, -FLT_MAX, -FLT_MAX), v3(FLT_MAX, FLT_MAX, FLT_MAX)};
    tact_lp_result far = tact_lp_3d(planes, 1, v3(FLT_MAX, FLT_MAX, 0), all);
    assert_int_equal(far.status, TACT_LP_UNBOUNDED);
    assert_true(far.point.x == -FLT_MAX && far.point.y == 1.0f && far.point.z == FLT_MAX);
    far = tact_lp_3d(planes, 1, v3(FLT_MAX, FLT_MAX, FLT_MAX), all);
    assert_int_equal(far.status, TACT_LP_OPTIMUM);
    assert_int_equal(tact_half_spaces_ball(planes, 1, all).status, TACT_LP_INVALID);
    // No constraint, the smallest numbers, and a normal of 0 that no point fulfils.
    assert_true(tact_lp_3d(NULL, 0, v3(0, 0, 0), box).point.z == -1.0f);
    planes[0] = (tact_plane){v3(-FLT_TRUE_MIN, 0, 0), -FLT_TRUE_MIN};
    assert_true(tact_lp_3d(planes, 1, v3(FLT_TRUE_MIN, 0, 0), box).point.x == 1.0f);
    planes[0] = (tact_plane){v3(0, 0, 0), -FLT_TRUE_MIN};
    const tact_lp_result never = tact_lp_3d(planes, 1, v3(0, 0, 0), box);
    assert_int_equal(never.status, TACT_LP_INFEASIBLE);
    assert_int_equal(tact_lp_2d(NULL, 0, v2(0, 0), v2(0, 1), v2(0, 0)).status, TACT_LP_INFEASIBLE);
}

/// The ball touches planes in all directions: it can grow nowhere.
static void is_largest(const tact_plane* planes, size_t count, tact_aabb box, tact_lp_ball got)
{
    // Planes it touches to rounding; the centre moved away from any of them meets another.
    const double slack = 1e-5 * (double)got.ball.radius + 4e-7 * (double)fabsf(got.ball.center.x) +
                         4e-7 * (double)fabsf(got.ball.center.y) + 4e-7 * (double)fabsf(got.ball.center.z);
    tact_vec3 normals[MOST + 6];
    size_t touched = 0;
    for (size_t i = 0; i < count + 6; ++i) {
        tact_vec3 n = v3(0, 0, 0);
        float d;
        if (i < count) {
            n = planes[i].normal;
            d = planes[i].distance;
        } else {
            const size_t k = (i - count) / 2;
            (&n.x)[k] = i % 2 == count % 2 ? -1.0f : 1.0f;
            d = (&n.x)[k] < 0 ? -(&box.lower.x)[k] : (&box.upper.x)[k];
        }
        const double x = (double)n.x, y = (double)n.y, z = (double)n.z, length = sqrt(x * x + y * y + z * z);
        const double room = ((double)d - (x * (double)got.ball.center.x + y * (double)got.ball.center.y +
                                          z * (double)got.ball.center.z)) /
                            length;
        assert_true(room >= (double)got.ball.radius * (1.0 - 1e-12));
        if (room <= (double)got.ball.radius + slack)
            normals[touched++] = v3((float)(x / length), (float)(y / length), (float)(z / length));
    }
    // No way leads off all of them: the hull of their normals holds the origin.
    const tact_vec3 origin = {0, 0, 0};
    const tact_hull hull = {.points = normals, .point_count = (uint32_t)touched};
    const tact_convex_contact c = tact_convex_distance(tact_convex_hull(&hull), tact_convex_point(&origin), NULL);
    if (!(c.distance < 2e-4f)) fail_msg("it could grow: %g of %zu", (double)c.distance, touched);
}

TEST(the_largest_ball_is_held_on_all_sides)
{
    test_random r = test_random_seeded(805);
    tact_plane* planes = scratch(MOST * sizeof *planes);
    size_t empty = 0;
    for (size_t trial = 0; trial < effort(300, 6000); ++trial) {
        const size_t count = test_random_below(&r, 30);
        const float unit = power(&r, 20);
        for (size_t i = 0; i < count; ++i) {
            const float scale = power(&r, 10);
            const tact_vec3 n = point(&r, 1);
            const float length = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z);
            planes[i] = (tact_plane){v3(n.x / length * scale, n.y / length * scale, n.z / length * scale),
                                     (test_random_unit(&r) - (trial % 3 ? 0.0f : 0.2f)) * unit * scale};
        }
        const tact_aabb box = {v3(-unit, -2 * unit, -unit), v3(unit, unit, 3 * unit)};
        const tact_lp_ball got = tact_half_spaces_ball(planes, count, box);
        const tact_lp_result any = tact_lp_3d(planes, count, v3(0, 0, 0), box);
        assert_int_equal(got.status == TACT_LP_INFEASIBLE, any.status == TACT_LP_INFEASIBLE);
        if (got.status == TACT_LP_INFEASIBLE) {
            ++empty;
            assert_false(got.inside);
            continue;
        }
        assert_true(got.inside && got.ball.radius > 0.0f);
        is_largest(planes, count, box, got);
    }
    assert_true(empty > 0);
}

TEST(flat_sets_have_no_inside)
{
    const tact_aabb box = {v3(-1, -1, -1), v3(1, 1, 1)};
    tact_plane planes[3] = {{v3(1, 1, 0.1f), 0.5f}, {v3(-1, -1, -0.1f), -0.5f}, {v3(0, 0, 3), 0}};
    tact_lp_ball got = tact_half_spaces_ball(planes, 3, box);
    assert_true(got.status == TACT_LP_OPTIMUM && !got.inside && got.ball.radius == 0.0f);
    planes[0].distance = nextafterf(0.5f, 1);
    got = tact_half_spaces_ball(planes, 3, box);
    assert_true(got.status == TACT_LP_OPTIMUM && got.inside);
    planes[0].distance = nextafterf(0.5f, 0);
    assert_int_equal(tact_half_spaces_ball(planes, 3, box).status, TACT_LP_INFEASIBLE);
}

// ---- Two sets of points ----

/// Hulls of small whole numbers that are apart are so by more than GJK's rounding.
TEST(points_are_apart_as_their_hulls_are)
{
    test_random r = test_random_seeded(806);
    size_t kinds[2] = {0, 0};
    for (size_t trial = 0; trial < effort(2000, 40000); ++trial) {
        tact_vec3 p[2][9];
        const size_t count[2] = {1 + test_random_below(&r, 9), 1 + test_random_below(&r, 9)};
        const int size = 1 + (int)test_random_below(&r, 3);
        const float unit = power(&r, 30);
        const int gap = (int)test_random_below(&r, (uint32_t)(2 * size + 2));
        for (int s = 0; s < 2; ++s) {
            for (size_t i = 0; i < count[s]; ++i) {
                p[s][i] = v3((float)(small(&r, size) + (s ? gap : 0)) * unit, (float)small(&r, size) * unit,
                             (float)small(&r, trial % 3 ? size : 0) * unit);
            }
        }
        const tact_lp_gap got = tact_points_gap(p[0], count[0], p[1], count[1]);
        const tact_hull a = {.points = p[0], .point_count = (uint32_t)count[0]};
        const tact_hull b = {.points = p[1], .point_count = (uint32_t)count[1]};
        const tact_convex_contact c = tact_convex_distance(tact_convex_hull(&a), tact_convex_hull(&b), NULL);
        assert_true(got.valid);
        assert_int_equal(got.apart, c.distance > 1e-9f * unit);
        assert_int_equal(got.holds, got.apart);
        ++kinds[got.apart];
    }
    assert_true(kinds[0] > 25 && kinds[1] > 25);
}

TEST(a_gap_of_one_unit_in_the_last_place_is_one)
{
    const tact_vec3 a[3] = {v3(0, 0, 1), v3(1, 0, 1), v3(0, 1, 1)};
    tact_vec3 b = v3(0.25f, 0.25f, 1);
    assert_false(tact_points_gap(a, 3, &b, 1).apart);
    b.z = nextafterf(1, 2);
    tact_lp_gap got = tact_points_gap(a, 3, &b, 1);
    assert_true(got.apart && !got.holds);  // no float lies between
    b.z = nextafterf(b.z, 2);
    got = tact_points_gap(a, 3, &b, 1);
    assert_true(got.apart && got.holds && got.plane.normal.z == 1.0f);
    got = tact_points_gap(&b, 1, a, 3);
    assert_true(got.holds && got.plane.normal.z == -1.0f);
    assert_true(tact_points_gap(a, 3, NULL, 0).holds && tact_points_gap(NULL, 0, a, 3).holds);
    assert_true(tact_points_gap(NULL, 0, NULL, 0).apart);
    b.x = NAN;
    got = tact_points_gap(a, 3, &b, 1);
    assert_true(!got.valid && !got.apart && isnan(got.plane.distance));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
