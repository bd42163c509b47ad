// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Overlap and depth of boxes, cylinders, ellipsoids and hulls against libccd, where that is installed.

#include "tests/support/run.h"

#ifndef TACT_TEST_CCD

int main(void)
{
    return run_nothing("built without libccd");
}

#else

#include <ccd/ccd.h>

#include "tests/geometry/convex_shapes.h"

/// In double and by formulas of its own: a float support function would make libccd's answers worse.
static void support(const void* shape, const ccd_vec3_t* direction, ccd_vec3_t* out)
{
    const any_shape* s = shape;
    const xyz d = {(double)direction->v[0], (double)direction->v[1], (double)direction->v[2]};
    const tact_obb* box = &s->as.obb;
    xyz p = of_vec3(box->center);
    if (s->convex.kind == TACT_CONVEX_HULL) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < s->as.hull.point_count; ++i)
            if (dot(of_vec3(s->corner[i]), d) > dot(of_vec3(s->corner[best]), d)) best = i;
        p = of_vec3(s->corner[best]);
    } else {
        const double half[3] = {(double)box->half.x, (double)box->half.y, (double)box->half.z};
        const bool round = s->convex.kind == TACT_CONVEX_ELLIPSOID;
        const double length = reach3(box->axis, box->half, d, true);
        for (int i = 0; i < 3; ++i) {
            const double r = half[i] * dot(of_vec3(box->axis[i]), d);
            p = minus(p, times(round ? -half[i] * r / length : r < 0 ? half[i] : -half[i], of_vec3(box->axis[i])));
        }
    }
    ccdVec3Set(out, p.x, p.y, p.z);
}

static void make(test_random* r, any_shape* s, tact_convex_kind kind, tact_vec3 at)
{
    random_shape(r, s, kind, at, 1.0f);
    if (kind == TACT_CONVEX_HULL) {
        s->as.hull.points = s->corner;
        return;
    }
    // It is for solids.
    s->as.obb.half = (tact_vec3){0.2f + test_random_unit(r), 0.2f + test_random_unit(r), 0.2f + test_random_unit(r)};
}

/// Whether the answer has a proof that needs no trust in what found it, but for the rounding to floats: a common point,
/// or a direction along which the shapes are apart.
static bool proven(const pair_of_shapes* p, bool overlap)
{
    const tact_convex_contact c = tact_convex_distance(p->a.convex, p->b.convex, NULL);
    if (!overlap) return gap_along(p, of_vec3(c.normal)) > -1e-6;
    const tact_convex common = {TACT_CONVEX_POINT, &c.a, NULL};
    return tact_convex_distance(common, p->a.convex, NULL).distance <= 1e-6f &&
           tact_convex_distance(common, p->b.convex, NULL).distance <= 1e-6f;
}

TEST(libccd_agrees)
{
    static const tact_convex_kind kinds[] = {TACT_CONVEX_OBB, TACT_CONVEX_ELLIPSOID, TACT_CONVEX_HULL};
    test_random r = test_random_seeded(61);
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.max_iterations = 1000;
    size_t overlaps = 0, close = 0, depths = 0, longer = 0, shorter = 0;
    for (int i = 0; i < 1000000; ++i) {
        any_shape a, b;
        make(&r, &a, kinds[i % 3], (tact_vec3){0, 0, 0});
        make(&r, &b, kinds[i / 3 % 3], random_vec3(&r, 2.0f));
        const bool overlap = tact_convex_overlap(a.convex, b.convex, NULL);
        const bool theirs = ccdGJKIntersect(&a, &b, &ccd) != 0;
        overlaps += overlap;
        if (overlap != theirs) {
            ++close;
            const pair_of_shapes p = {.a = a, .b = b};
            if (!proven(&p, overlap)) fail_msg("case %d: %d, not %d", i, overlap, theirs);
        }
        if (i % 10 != 0 || !overlap) continue;
        // No translation that parts them is shorter than the depth. Where theirs is, it does not part them.
        ccd_real_t depth;
        ccd_vec3_t direction, position;
        if (ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0) continue;
        const double own = -(double)tact_convex_penetration(a.convex, b.convex).distance;
        ++depths;
        longer += (double)depth > own + 1e-3;
        if ((double)depth >= own - 1e-3) continue;
        ++shorter;
        const xyz n = {(double)direction.v[0], (double)direction.v[1], (double)direction.v[2]};
        const pair_of_shapes p = {.a = a, .b = b};
        const double enough = fmin(-gap_along(&p, n), -gap_along(&p, times(-1.0, n)));
        if (enough < own - 1e-6) fail_msg("case %d: depth %g, not %g", i, enough, own);
    }
    print_message("%zu overlaps, %zu decided otherwise by libccd, ours proven\n", overlaps, close);
    print_message("%zu depths, %zu of theirs longer, %zu shorter and not enough\n", depths, longer, shorter);
    assert_true(overlaps > 200000 && close < 100);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)

#endif
