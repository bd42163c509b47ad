// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Separating axes of polyhedra: against all axes there are, in whole numbers and without rounding, and with poses
// against the expanding polytope.

#include "tact/geometry/polytope.h"

#include "tests/support/run.h"

#include "tact/geometry/hull.h"
#include "tests/geometry/convex_shapes.h"
#include "tests/geometry/vectors.h"

enum { MOST_POINTS = 200, MOST_CORNERS = 6 * MOST_POINTS, MOST_FACES = 2 * MOST_POINTS };

/// A polyhedron with whole numbers for coordinates.
typedef struct solid {
    tact_vec3 points[MOST_POINTS];
    int64_t at[MOST_POINTS][3];
    uint32_t face_start[MOST_FACES + 1], face_points[MOST_CORNERS];
    uint32_t neighbour_start[MOST_POINTS + 1], neighbours[MOST_CORNERS];
    tact_hull_side sides[MOST_FACES];
    tact_hull_edge edges[MOST_CORNERS / 2];
    tact_hull hull;
    tact_polytope polytope;
} solid;

/// The hull of points, with its whole faces. False when they span no volume.
static bool make_solid(const tact_vec3* points, uint32_t count, solid* s)
{
    tact_hull_mesh mesh;
    assert_int_equal(tact_hull_mesh_3d(points, count, NULL, &mesh), TACT_OK);
    const bool good = mesh.dimension == 3;
    uint32_t number[MOST_POINTS] = {0}, corners = 0;
    for (uint32_t i = 0; good && i < mesh.vertex_count; ++i) {
        const tact_vec3 p = points[mesh.vertices[i]];
        number[mesh.vertices[i]] = i;
        s->points[i] = p;
        s->at[i][0] = (int64_t)p.x;
        s->at[i][1] = (int64_t)p.y;
        s->at[i][2] = (int64_t)p.z;
    }
    for (size_t f = 0; good && f < mesh.facet_count; ++f) {
        s->face_start[f] = corners;
        const uint32_t* t = &mesh.triangles[3 * mesh.facet_start[f]];
        for (int k = 0; k < 3; ++k)
            s->face_points[corners++] = number[t[k]];
        for (uint32_t k = mesh.facet_start[f] + 1; k < mesh.facet_start[f + 1]; ++k)
            s->face_points[corners++] = number[mesh.triangles[3 * k + 2]];
    }
    s->face_start[good ? mesh.facet_count : 0] = corners;
    s->hull = (tact_hull){.points = s->points,
                          .point_count = (uint32_t)mesh.vertex_count,
                          .face_start = s->face_start,
                          .face_points = s->face_points,
                          .face_count = (uint32_t)mesh.facet_count};
    tact_hull_mesh_free(&mesh);
    if (!good) return false;
    assert_int_equal(tact_polytope_make(&s->hull, s->sides, s->edges, &s->polytope), TACT_OK);
    assert_int_equal(2 * s->polytope.edge_count, corners);
    return true;
}

/// What all axes say, without rounding.
typedef struct verdict {
    bool overlap;
    double depth;
} verdict;

static void whole_cross(const int64_t a[3], const int64_t b[3], int64_t n[3])
{
    for (int i = 0; i < 3; ++i)
        n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void edge_between(const solid* s, uint32_t from, uint32_t to, int64_t e[3])
{
    for (int i = 0; i < 3; ++i)
        e[i] = s->at[to][i] - s->at[from][i];
}

static void shadow(const solid* s, const int64_t n[3], int64_t* low, int64_t* high)
{
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (uint32_t i = 0; i < s->hull.point_count; ++i) {
        const int64_t x = n[0] * s->at[i][0] + n[1] * s->at[i][1] + n[2] * s->at[i][2];
        if (x < *low) *low = x;
        if (x > *high) *high = x;
    }
}

/// False when the axis separates.
static bool try_axis(const solid* a, const solid* b, const int64_t n[3], verdict* v)
{
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) return true;
    int64_t low_a, high_a, low_b, high_b;
    shadow(a, n, &low_a, &high_a);
    shadow(b, n, &low_b, &high_b);
    const int64_t front = high_a - low_b, back = high_b - low_a, less = front < back ? front : back;
    v->overlap = less >= 0;
    const double length = sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] + (double)n[2] * (double)n[2]);
    v->depth = fmin(v->depth, (double)less / length);
    return v->overlap;
}

static bool try_faces(const solid* a, const solid* b, const solid* of, verdict* v)
{
    for (uint32_t f = 0; f < of->hull.face_count; ++f) {
        const uint32_t* p = &of->face_points[of->face_start[f]];
        int64_t u[3], w[3], n[3];
        edge_between(of, p[0], p[1], u);
        edge_between(of, p[0], p[2], w);
        whole_cross(u, w, n);
        if (!try_axis(a, b, n, v)) return false;
    }
    return true;
}

static verdict all_axes(const solid* a, const solid* b)
{
    verdict v = {true, HUGE_VAL};
    if (!try_faces(a, b, a, &v) || !try_faces(a, b, b, &v)) return v;
    for (uint32_t i = 0; i < a->polytope.edge_count; ++i) {
        for (uint32_t j = 0; j < b->polytope.edge_count; ++j) {
            int64_t u[3], w[3], n[3];
            edge_between(a, a->edges[i].from, a->edges[i].to, u);
            edge_between(b, b->edges[j].from, b->edges[j].to, w);
            whole_cross(u, w, n);
            if (!try_axis(a, b, n, &v)) return v;
        }
    }
    return v;
}

static float whole(test_random* r, int size)
{
    return (float)((int)test_random_below(r, (uint32_t)(2 * size + 1)) - size);
}

enum { KINDS = 8 };

/// Pairs that tend to touch, with parallel edges, in each other, thin and long.
static bool random_solids(test_random* r, int kind, solid* a, solid* b)
{
    tact_vec3 p[MOST_POINTS];
    const int size = kind == 0 ? 4 : kind == 1 ? 300 : kind == 4 ? 1 : 12;
    uint32_t count = 4 + test_random_below(r, 8);
    for (uint32_t i = 0; i < count; ++i)
        p[i] = v3(whole(r, size), whole(r, size), whole(r, kind == 4 ? 1000 : size));
    if (kind == 2) {  // boxes
        count = 8;
        const tact_vec3 low = p[0], high = v3(low.x + 1 + (float)test_random_below(r, 9), low.y + 7, low.z + 5);
        for (uint32_t i = 0; i < 8; ++i)
            p[i] = v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    }
    if (!make_solid(p, count, a)) return false;
    const int spread = kind == 1 ? 400 : kind == 3 ? 0 : kind == 4 ? 3 : size;
    const tact_vec3 shift = v3(whole(r, spread), whole(r, spread), whole(r, kind == 4 ? 1000 : spread));
    if (kind != 5) {  // 5: the same again, elsewhere
        for (uint32_t i = 0; i < count; ++i) {
            const float x = whole(r, size), y = whole(r, size), z = whole(r, size);
            if (kind == 4) p[i] = i % 2 ? v3(x, whole(r, 900), z) : v3(whole(r, 1000), y, z);
            if (kind != 2 && kind != 4) p[i] = v3(x, y, z);
            if (kind == 3) p[i] = v3(floorf(0.25f * x), floorf(0.25f * y), floorf(0.25f * z));  // within, often
            if (kind == 6) p[i] = v3(-p[i].x, -p[i].y, -p[i].z);
        }
    }
    for (uint32_t i = 0; i < count; ++i)
        p[i] = shifted(p[i], shift);
    if (kind >= 6) {  // a corner on a corner
        const tact_vec3 to = a->points[test_random_below(r, a->hull.point_count)],
                        from = p[test_random_below(r, count)];
        for (uint32_t i = 0; i < count; ++i)
            p[i] = v3(p[i].x + to.x - from.x, p[i].y + to.y - from.y, p[i].z + to.z - from.z);
    }
    return make_solid(p, count, b);
}

static double gap_of(const solid* a, const solid* b, tact_vec3 axis)
{
    const xyz n = of_vec3(axis), zero = {0, 0, 0};
    return -corners_reach(b->points, b->hull.point_count, times(-1.0, n), zero) -
           corners_reach(a->points, a->hull.point_count, n, zero);
}

/// The same to the bit, or another axis of the same gap but for rounding, which happens once in a million pairs of
/// polyhedra with parallel edges.
static bool same_gap(const tact_polytope_gap* x, const tact_polytope_gap* y)
{
    const bool same_axis = x->kind == y->kind && x->a == y->a && x->b == y->b;
    if (same_axis) return x->overlap == y->overlap && x->distance == y->distance && same_vec(x->axis, y->axis);
    return x->overlap == y->overlap && fabsf(x->distance - y->distance) <= 1e-6f * fabsf(x->distance) + 1e-11f;
}

/// Polyhedra that touch, moved apart by a little along the axis, so that it must separate them.
static bool apart_after(const solid* a, const solid* b, tact_vec3 axis, double step)
{
    const tact_pose moved = {.x = step * (double)axis.x, .y = step * (double)axis.y, .z = step * (double)axis.z};
    const tact_posed_convex posed = {tact_convex_hull(&b->hull), &moved, {0}};
    return !tact_polytope_separation(&a->polytope, NULL, &b->polytope, &moved, NULL).overlap &&
           !tact_convex_overlap(tact_convex_hull(&a->hull), tact_convex_posed(&posed), NULL);
}

TEST(answers_are_those_of_all_axes_in_whole_numbers)
{
    test_random r = test_random_seeded(81);
    static solid a, b;
    size_t overlaps[KINDS] = {0}, apart[KINDS] = {0}, touching = 0, others = 0, kinds[4] = {0};
    double worst = 0.0;
    for (int i = 0; i < 130000; ++i) {
        const int kind = i % KINDS;
        if (!random_solids(&r, kind, &a, &b)) continue;
        const verdict v = all_axes(&a, &b);
        tact_axis_cache cache = {0};
        const tact_polytope_gap g = tact_polytope_separation(&a.polytope, NULL, &b.polytope, NULL, &cache);
        if (g.overlap != v.overlap) fail_msg("case %d: overlap %d, depth %g", i, g.overlap, v.depth);
        overlaps[kind] += v.overlap;
        apart[kind] += !v.overlap;
        touching += v.depth == 0.0;
        kinds[g.kind] += 1;
        // What is found is so along the axis.
        const double along = gap_of(&a, &b, g.axis);
        if (fabs(along - (double)g.distance) > 2e-4) fail_msg("case %d: %g, not %g", i, along, (double)g.distance);
        if (v.overlap) {
            const double off = fabs(-(double)g.distance - v.depth);
            if (v.depth > 1e-3) worst = fmax(worst, off / v.depth);
            if (off > 1e-7 * v.depth + 1e-12) fail_msg("case %d: depth %g, not %.9g", i, -(double)g.distance, v.depth);
        } else if (!(g.distance > 0.0f)) {
            fail_msg("case %d: apart by %g", i, (double)g.distance);
        }
        // A cache and an order of its own change nothing of that.
        const tact_polytope_gap again = tact_polytope_separation(&a.polytope, NULL, &b.polytope, NULL, &cache);
        if (!same_gap(&g, &again)) fail_msg("case %d: another gap with the cache", i);
        others += again.kind != g.kind || again.a != g.a || again.b != g.b;
        const tact_polytope_gap back = tact_polytope_separation(&b.polytope, NULL, &a.polytope, NULL, NULL);
        if (back.overlap != g.overlap ||
            (g.overlap && fabsf(back.distance - g.distance) > 1e-6f * fabsf(g.distance) + 1e-11f))
            fail_msg("case %d: not symmetric", i);
        // The general functions agree.
        const tact_convex x = tact_convex_hull(&a.hull), y = tact_convex_hull(&b.hull);
        if (tact_convex_overlap(x, y, NULL) != v.overlap) fail_msg("case %d: GJK, %g", i, v.depth);
        if (v.depth == 0.0 && !apart_after(&a, &b, g.axis, 1e-10)) fail_msg("case %d: nearly touching", i);
    }
    print_message("faces of A %zu, of B %zu, edges %zu; %zu touch; worst depth %g of itself\n", kinds[1], kinds[2],
                  kinds[3], touching, worst);
    size_t pairs = 0;
    for (int k = 0; k < KINDS; ++k) {
        assert_true(k == 3 || k >= 6 || apart[k] > 500);
        assert_true(overlaps[k] > 1000);
        pairs += apart[k] + overlaps[k];
    }
    assert_true(pairs > 100000 && touching > 5000 && kinds[3] > 5000 && others < 5);
}

static tact_quat random_turn(test_random* r)
{
    const xyz u = random_unit(r);
    const double half = 3.2 * (double)test_random_unit(r), s = sin(half);
    return (tact_quat){(float)(s * u.x), (float)(s * u.y), (float)(s * u.z), (float)cos(half)};
}

static void link(solid* s)
{
    assert_int_equal(tact_hull_link(&s->hull, s->neighbour_start, s->neighbours), TACT_OK);
    s->hull.neighbour_start = s->neighbour_start;
    s->hull.neighbours = s->neighbours;
}

static bool random_hull(test_random* r, solid* s, bool large)
{
    tact_vec3 p[MOST_POINTS];
    const uint32_t count = large ? MOST_POINTS : 4 + test_random_below(r, 37);
    for (uint32_t i = 0; i < count; ++i)
        p[i] = to_vec3(large || test_random_below(r, 2) ? random_unit(r) : of_vec3(random_vec3(r, 1.0f)));
    if (!make_solid(p, count, s)) return false;
    if (test_random_below(r, 2)) link(s);
    return true;
}

/// Moves B until the two all but touch along the axis, and compares the answers there.
static bool agree_near_touch(const solid* a, const tact_pose* of_a, const solid* b, tact_pose of_b,
                             const tact_polytope_gap* g)
{
    of_b.x -= (double)g->distance * (double)g->axis.x;
    of_b.y -= (double)g->distance * (double)g->axis.y;
    of_b.z -= (double)g->distance * (double)g->axis.z;
    const tact_polytope_gap h = tact_polytope_separation(&a->polytope, of_a, &b->polytope, &of_b, NULL);
    const tact_posed_convex x = {tact_convex_hull(&a->hull), of_a, {0}}, y = {tact_convex_hull(&b->hull), &of_b, {0}};
    const bool yes = tact_convex_overlap(tact_convex_posed(&x), tact_convex_posed(&y), NULL);
    return yes == h.overlap || fabsf(h.distance) < 1e-9f;
}

/// Moving step by step, far from the origin too: the depth of another method, with a cache and without.
TEST(posed_polyhedra_are_as_deep_as_the_expanding_polytope_says)
{
    test_random r = test_random_seeded(82);
    static solid a, b;
    size_t deep = 0, apart = 0, parallel = 0;
    for (int i = 0; i < 4000; ++i) {
        // More faces and edges than are kept, now and then.
        if (!random_hull(&r, &a, i % 40 == 0) || !random_hull(&r, &b, i % 40 < 2)) continue;
        const xyz base = i % 2 ? (xyz){3e8, -1e9, 2e9} : (xyz){0, 0, 0};
        const xyz u = random_unit(&r);
        tact_pose of_a = {base.x, base.y, base.z, random_turn(&r), i % 3 ? 1.0f : 0.75f, 0}, of_b = of_a;
        if (i % 5) of_b.rotation = random_turn(&r);
        parallel += i % 5 == 0;
        tact_axis_cache cache = {0};
        tact_convex_cache simplex = {0};
        for (int step = 0; step < 6; ++step) {
            const double far = 2.1 - 0.4 * step;
            of_b.x = base.x + far * u.x;
            of_b.y = base.y + far * u.y;
            of_b.z = base.z + far * u.z;
            of_b.rotation.x += 0.01f;
            const tact_polytope_gap cold = tact_polytope_separation(&a.polytope, &of_a, &b.polytope, &of_b, NULL);
            const tact_polytope_gap warm = tact_polytope_separation(&a.polytope, &of_a, &b.polytope, &of_b, &cache);
            if (warm.overlap != cold.overlap) fail_msg("case %d: overlap %d warm", i, warm.overlap);
            if (cold.overlap && !same_gap(&cold, &warm)) fail_msg("case %d: another axis warm", i);
            const tact_posed_convex x = {tact_convex_hull(&a.hull), &of_a, {0}};
            const tact_posed_convex y = {tact_convex_hull(&b.hull), &of_b, {0}};
            const tact_convex_contact c = tact_convex_penetration(tact_convex_posed(&x), tact_convex_posed(&y));
            if (fabsf(c.distance) > 1e-9f && cold.overlap != (c.distance <= 0.0f)) fail_msg("case %d: overlap", i);
            const bool warm_yes = tact_convex_overlap(tact_convex_posed(&x), tact_convex_posed(&y), &simplex);
            const bool yes = tact_convex_overlap(tact_convex_posed(&x), tact_convex_posed(&y), NULL);
            if (fabsf(c.distance) > 1e-9f && (yes != cold.overlap || warm_yes != yes)) fail_msg("case %d: GJK", i);
            if (cold.overlap && c.converged && fabsf(cold.distance - c.distance) > 1e-6f) {
                fail_msg("case %d: depth %g, not %g", i, (double)cold.distance, (double)c.distance);
            }
            if (!cold.overlap && cold.distance > c.distance + 1e-6f) fail_msg("case %d: more than the distance", i);
            if (cold.overlap && !agree_near_touch(&a, &of_a, &b, of_b, &cold)) fail_msg("case %d: nearly touching", i);
            deep += cold.overlap;
            apart += !cold.overlap;
        }
    }
    assert_true(deep > 5000 && apart > 3000 && parallel > 500);
}

/// An edge across an edge, by hand: the axis is the product, and the numbers name the edges.
TEST(crossed_edges_give_their_axis)
{
    const tact_vec3 roof[] = {v3(-4, 0, 0), v3(4, 0, 0), v3(-4, -2, -3), v3(4, -2, -3), v3(-4, 2, -3), v3(4, 2, -3)};
    tact_vec3 turned_over[6];
    static solid a, b;
    for (int i = 0; i < 6; ++i)
        turned_over[i] = v3(roof[i].y, roof[i].x, -roof[i].z - 0.5f);
    assert_true(make_solid(roof, 6, &a) && make_solid(turned_over, 6, &b));
    tact_axis_cache cache = {0};
    const tact_polytope_gap g = tact_polytope_separation(&a.polytope, NULL, &b.polytope, NULL, &cache);
    assert_true(g.overlap && g.distance == -0.5f && g.axis.z == 1.0f);
    assert_int_equal(g.kind, TACT_AXIS_EDGES);
    const tact_hull_edge *e = &a.edges[g.a], *f = &b.edges[g.b];
    assert_true(a.points[e->from].z == 0.0f && a.points[e->to].z == 0.0f);
    assert_true(b.points[f->from].z == -0.5f && b.points[f->to].z == -0.5f);
    assert_true(cache.kind == TACT_AXIS_EDGES && cache.a == g.a && cache.b == g.b);
    // Nonsense in a cache does no harm.
    tact_axis_cache bad[] = {{1, 99, 0}, {2, 0, 1000}, {3, 0, 77}, {3, 1u << 31, 0}, {4, 0, 0}, {UINT32_MAX, 5, 5}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const tact_polytope_gap h = tact_polytope_separation(&a.polytope, NULL, &b.polytope, NULL, &bad[i]);
        assert_true(same_gap(&g, &h));
    }
}

static void expect_refused(const tact_hull* hull, const char* why)
{
    tact_hull_side sides[MOST_FACES];
    tact_hull_edge edges[MOST_CORNERS / 2];
    tact_polytope p;
    assert_int_equal(tact_polytope_make(hull, sides, edges, &p), TACT_ERROR_INVALID_ARGUMENT);
    const char* text = tact_last_error();
    if (!strstr(text, why)) fail_msg("\"%s\" does not say \"%s\"", text, why);
    assert_null(p.hull);
    const tact_polytope_gap g = tact_polytope_separation(&p, NULL, &p, NULL, NULL);
    assert_true(!g.overlap && g.distance == INFINITY && isnan(g.axis.x) && g.kind == TACT_AXIS_NONE);
}

TEST(hulls_that_are_no_polyhedra_are_refused)
{
    const tact_vec3 box[] = {v3(0, 0, 0), v3(2, 0, 0), v3(0, 3, 0), v3(2, 3, 0),
                             v3(0, 0, 4), v3(2, 0, 4), v3(0, 3, 4), v3(2, 3, 4)};
    static solid s;
    assert_true(make_solid(box, 8, &s));
    tact_hull h = s.hull;
    h.face_start = NULL;
    expect_refused(&h, "a face of the hull");
    h = s.hull;
    h.face_count = 5;
    expect_refused(&h, "do not close");
    h = s.hull;
    h.point_count = 7;
    expect_refused(&h, "not there");
    const float bad[] = {NAN, INFINITY};
    for (int i = 0; i < 2; ++i) {
        s.points[3].y = bad[i];
        expect_refused(&s.hull, "not finite");
    }
    s.points[3] = box[3];
    const tact_vec3 kept = s.points[7];
    s.points[7] = v3(1, 1.5f, 2);  // into the box
    expect_refused(&s.hull, "in front of face");
    s.points[7] = kept;
    for (int i = 0; i < 8; ++i)
        s.points[i].z *= 1e-14f;
    expect_refused(&s.hull, "face");
    for (int i = 0; i < 8; ++i)
        s.points[i] = v3(1, 1, 1);
    expect_refused(&s.hull, "no area");
    assert_true(make_solid(box, 8, &s));
    // An edge that three faces have, or one face twice in the same order.
    s.face_points[0] = s.face_points[1];
    expect_refused(&s.hull, "do not close");
}

// ---- Closest features ----

/// What no function leaves in a cache.
static const tact_polytope_cache untouched = {9, 0, 9, 0};

typedef struct closest_counts {
    size_t apart, walked, kinds[3][3];
} closest_counts;

/// The distance is that of GJK and the points are as far from each other; a cache is left by features alone.
static void expect_closest(const solid* a, const tact_pose* of_a, const solid* b, const tact_pose* of_b,
                           tact_polytope_cache* cache, closest_counts* n)
{
    const tact_posed_convex x = {tact_convex_hull(&a->hull), of_a, {0}}, y = {tact_convex_hull(&b->hull), of_b, {0}};
    const tact_convex p = of_a ? tact_convex_posed(&x) : x.shape, q = of_b ? tact_convex_posed(&y) : y.shape;
    const tact_convex_contact expected = tact_convex_distance(p, q, NULL);
    *cache = cache->kind_a == 9 ? untouched : *cache;
    const tact_polytope_cache before = *cache;
    const tact_convex_contact c = tact_polytope_closest(&a->polytope, of_a, &b->polytope, of_b, cache);
    const float size = 1e-6f * (float)(a->polytope.extent + b->polytope.extent);
    if (fabsf(c.distance - expected.distance) > size) {
        fail_msg("%g, not %g", (double)c.distance, (double)expected.distance);
    }
    if (expected.distance <= size) return;
    ++n->apart;
    const bool left = cache->kind_a != 9;
    n->walked += left;
    if (cache->kind_a < 3 && cache->kind_b < 3) ++n->kinds[cache->kind_a][cache->kind_b];
    if (!left) assert_memory_equal(cache, &before, sizeof before);
    const tact_vec3 way = v3(c.b.x - c.a.x, c.b.y - c.a.y, c.b.z - c.a.z);
    const double off = 1e-6 * (double)size + 2e-7 * sqrt(dot(of_vec3(c.a), of_vec3(c.a)));
    assert_true(fabs(sqrt(dot(of_vec3(way), of_vec3(way))) - (double)c.distance) <= (double)size + 4.0 * off);
    assert_true(fabs(dot(of_vec3(c.normal), of_vec3(c.normal)) - 1.0) < 1e-6);
    assert_true(dot(of_vec3(c.normal), of_vec3(expected.normal)) > 0.999 || c.distance < 100.0f * size);
}

TEST(closest_features_are_as_far_as_gjk_says)
{
    test_random r = test_random_seeded(84);
    static solid a, b;
    closest_counts n = {0};
    for (int i = 0; i < 3000; ++i) {
        if (!random_hull(&r, &a, i % 40 == 0) || !random_hull(&r, &b, i % 40 < 2)) continue;
        link(&a);
        link(&b);
        const xyz u = random_unit(&r);
        tact_pose of_a = {0, 0, 0, random_turn(&r), i % 3 ? 1.0f : 0.75f, 0}, of_b = of_a;
        if (i % 5) of_b.rotation = random_turn(&r);
        tact_polytope_cache cache = untouched;
        for (int k = 0; k < 6; ++k) {
            const double far = 3.1 - 0.4 * k;
            of_b.x = far * u.x;
            of_b.y = far * u.y;
            of_b.z = far * u.z;
            of_b.rotation.x += 0.01f;
            expect_closest(&a, &of_a, &b, &of_b, &cache, &n);
            tact_polytope_cache fresh = untouched;
            expect_closest(&a, &of_a, &b, &of_b, &fresh, &n);
        }
    }
    print_message("%zu of %zu pairs apart without GJK\n", n.walked, n.apart);
    assert_true(n.apart > 10000 && n.walked >= n.apart - n.apart / 1000);
    for (int k = 0; k < 4; ++k)
        assert_true(n.kinds[k / 2][k % 2] > 100);
    assert_true(n.kinds[2][0] > 100 && n.kinds[0][2] > 100);
}

/// Boxes side by side, edges in line, corners over corners, slabs and needles.
TEST(closest_features_of_what_is_parallel)
{
    test_random r = test_random_seeded(85);
    static solid a, b;
    closest_counts n = {0}, any = {0};
    for (int i = 0; i < 40000; ++i) {
        if (!random_solids(&r, i % KINDS, &a, &b)) continue;
        link(&a);
        link(&b);
        tact_polytope_cache cache = untouched;
        expect_closest(&a, NULL, &b, NULL, &cache, &n);
        // Features that there are, and some that there are not.
        cache = (tact_polytope_cache){test_random_below(&r, 4), test_random_below(&r, 9), test_random_below(&r, 4),
                                      test_random_below(&r, 9)};
        expect_closest(&a, NULL, &b, NULL, &cache, &any);
    }
    print_message("%zu of %zu pairs apart without GJK\n", n.walked, n.apart);
    assert_true(n.apart > 10000 && n.walked >= n.apart - n.apart / 1000);
}

TEST(poses_that_are_none_give_no_gap)
{
    const tact_vec3 box[] = {v3(0, 0, 0), v3(2, 0, 0), v3(0, 3, 0), v3(2, 3, 0),
                             v3(0, 0, 4), v3(2, 0, 4), v3(0, 3, 4), v3(2, 3, 4)};
    static solid s;
    assert_true(make_solid(box, 8, &s));
    const tact_pose bad[] = {{.x = (double)NAN}, {.scale = -1.0f}, {.rotation = {9, 0, 0, 0}}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) {
            const tact_polytope_gap g =
                tact_polytope_separation(&s.polytope, k ? &bad[i] : NULL, &s.polytope, k ? NULL : &bad[i], NULL);
            assert_true(!g.overlap && g.distance == INFINITY && isnan(g.axis.y));
        }
    }
    for (int i = 0; i < 3; ++i)
        assert_true(tact_polytope_closest(&s.polytope, &bad[i], &s.polytope, NULL, NULL).distance == INFINITY);
    const tact_polytope_gap same = tact_polytope_separation(&s.polytope, NULL, &s.polytope, NULL, NULL);
    assert_true(same.overlap && same.distance == -2.0f);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
