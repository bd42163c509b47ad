// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Triangles and convex parts of polygons on grids, against whole numbers: simple ones, rings that cross, touch and lie
// on each other; the least number of parts against all sets of diagonals; planes of polygons in space.

#include "tests/support/run.h"

#include <float.h>
#include <math.h>

#include "tact/geometry/containment.h"
#include "tact/geometry/mesh_report.h"
#include "tact/geometry/predicates.h"
#include "tests/geometry/grid_polygons.h"
#include "tests/support/effort.h"

static grid_polygon shape;

// ---- What all results have in common ----

/// Twice the area of a part.
static double area_of(const tact_polygon_parts* parts, size_t part)
{
    double sum = 0.0;
    for (uint32_t i = parts->start[part]; i < parts->start[part + 1]; ++i) {
        const uint32_t k = i + 1 < parts->start[part + 1] ? i + 1 : parts->start[part];
        const tact_vec2 a = parts->points[parts->corners[i]], b = parts->points[parts->corners[k]];
        sum += (double)a.x * (double)b.y - (double)b.x * (double)a.y;
    }
    return sum;
}

static double check_parts(const tact_polygon_parts* parts, const tact_polygon_view* view)
{
    double area = 0.0;
    assert_true(parts->point_count >= view->vertex_count);
    assert_int_equal(parts->start[0], 0);
    if (view->vertex_count) {
        assert_memory_equal(parts->points, view->vertices, view->vertex_count * sizeof *view->vertices);
    }
    for (size_t i = 0; i < parts->part_count; ++i) {
        tact_vec2 corner[MOST_CORNERS];
        const uint32_t begin = parts->start[i], count = parts->start[i + 1] - begin;
        assert_true(count >= 3);
        for (uint32_t k = 0; k < count; ++k) {
            assert_true(parts->corners[begin + k] < parts->point_count);
            corner[k] = parts->points[parts->corners[begin + k]];
        }
        const double part = area_of(parts, i);
        area += part;
        if (parts->point_count > view->vertex_count) continue;
        assert_true(part > 0.0);
        assert_true(tact_polygon_is_convex_2d(corner, count));
    }
    return area;
}

/// How many parts contain the point strictly; -1 if it is next to an edge of one.
static int times_in(const tact_polygon_parts* parts, double x, double y)
{
    int times = 0;
    for (size_t i = 0; i < parts->part_count; ++i) {
        int inside = 1;
        for (uint32_t c = parts->start[i]; c < parts->start[i + 1]; ++c) {
            const uint32_t d = c + 1 < parts->start[i + 1] ? c + 1 : parts->start[i];
            const tact_vec2 a = parts->points[parts->corners[c]], b = parts->points[parts->corners[d]];
            const double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y;
            const double height = (ux * (y - (double)a.y) - uy * (x - (double)a.x)) / (fabs(ux) + fabs(uy) + 1e-30);
            if (fabs(height) < 1e-5) return -1;
            if (height < 0.0) inside = 0;
        }
        times += inside;
    }
    return times;
}

/// The edges of a polygon that are sides of its triangles, each of one, and the other sides are each of two.
static void check_sides(const tact_polygon_parts* t, size_t vertices)
{
    uint32_t across[3 * MOST_CORNERS];
    assert_int_equal(tact_mesh_adjacency(t->corners, t->part_count, t->point_count, NULL, across), TACT_OK);
    size_t border = 0;
    for (uint32_t side = 0; side < 3 * t->part_count; ++side) {
        assert_true(across[side] != TACT_MESH_MANY);
        if (across[side] != TACT_MESH_BOUNDARY) continue;
        ++border;
        const uint32_t a = t->corners[side], b = t->corners[side % 3 == 2 ? side - 2 : side + 1];
        assert_true((a + 1) % vertices == b || (b + 1) % vertices == a);
    }
    assert_int_equal(border, vertices);
}

/// How often a side is one of the parts, in that direction.
static size_t count_side(const tact_polygon_parts* parts, uint32_t from, uint32_t to)
{
    size_t count = 0;
    for (size_t i = 0; i < parts->part_count; ++i) {
        for (uint32_t c = parts->start[i]; c < parts->start[i + 1]; ++c) {
            const uint32_t d = c + 1 < parts->start[i + 1] ? c + 1 : parts->start[i];
            count += parts->corners[c] == from && parts->corners[d] == to;
        }
    }
    return count;
}

/// Each side of a part of a simple polygon is an edge, or that of one other part.
static void check_neighbours(const tact_polygon_parts* parts, uint32_t vertices)
{
    for (size_t i = 0; i < parts->part_count; ++i) {
        for (uint32_t c = parts->start[i]; c < parts->start[i + 1]; ++c) {
            const uint32_t from = parts->corners[c],
                           to = parts->corners[c + 1 < parts->start[i + 1] ? c + 1 : parts->start[i]];
            const bool edge = (from + 1) % vertices == to || (to + 1) % vertices == from;
            assert_int_equal(count_side(parts, from, to), 1);
            assert_int_equal(count_side(parts, to, from), edge ? 0 : 1);
        }
    }
}

// ---- Simple polygons ----

TEST(simple_polygons_have_two_triangles_fewer_than_vertices)
{
    test_random r = test_random_seeded(1);
    for (size_t i = 0; i < effort(300, 5000); ++i) {
        const uint32_t side = 4 + test_random_below(&r, 60);
        grid_grow(&shape, &r, 3 + test_random_below(&r, side), side);
        if (i % 2) grid_turn_round(&shape);
        const tact_polygon_view view = polygon_view(&shape);
        tact_polygon_parts t, parts;
        assert_int_equal(tact_polygon_triangulate(&view, (tact_polygon_rule)(i / 2 % 2), NULL, &t), TACT_OK);
        assert_int_equal(t.part_count, shape.count - 2);
        assert_int_equal(t.point_count, shape.count);
        assert_true(t.crossing[0] == UINT32_MAX && t.crossing[1] == UINT32_MAX);
        assert_true(check_parts(&t, &view) == fabs((double)grid_area(&shape)));
        check_sides(&t, shape.count);
        assert_int_equal(tact_polygon_convex_parts(&view, TACT_POLYGON_EVEN_ODD, NULL, &parts), TACT_OK);
        assert_true(check_parts(&parts, &view) == fabs((double)grid_area(&shape)));
        assert_true(parts.part_count <= t.part_count);
        tact_polygon_parts_free(&t);
        tact_polygon_parts_free(&parts);
    }
}

/// A comb of holes in a square: those of `touching` have a corner on the next one, or in its place.
static size_t make_holes(tact_vec2* v, uint32_t* start, size_t holes, bool touching)
{
    const float size = 4.0f * (float)holes + 4.0f;
    const tact_vec2 square[4] = {{0, 0}, {size, 0}, {size, size}, {0, size}};
    memcpy(v, square, sizeof square);
    start[0] = 0;
    start[1] = 4;
    for (size_t i = 0; i < holes; ++i) {
        const float x = 4.0f * (float)i + 2.0f, far = touching ? 4.0f : 3.0f;
        const tact_vec2 hole[4] = {{x, 2}, {x + 2, 1}, {x + far, 2}, {x + 2, 3}};
        memcpy(v + 4 + 4 * i, hole, sizeof hole);
        start[i + 2] = (uint32_t)(8 + 4 * i);
    }
    return 4 + 4 * holes;
}

TEST(holes_cost_two_triangles_each)
{
    tact_vec2 v[84];
    uint32_t start[22];
    for (size_t holes = 1; holes < 20; ++holes) {
        for (int touching = 0; touching < 2; ++touching) {
            const size_t n = make_holes(v, start, holes, touching);
            const tact_polygon_view view = {v, n, start, holes + 1};
            tact_polygon_parts t, parts;
            assert_int_equal(tact_polygon_triangulate(&view, TACT_POLYGON_EVEN_ODD, NULL, &t), TACT_OK);
            assert_int_equal(tact_polygon_convex_parts(&view, TACT_POLYGON_EVEN_ODD, NULL, &parts), TACT_OK);
            // Holes that touch each other at a vertex are one hole with a vertex fewer each time.
            const size_t rings = touching ? 1 : holes, places = touching ? n - (holes - 1) : n;
            assert_int_equal(t.part_count, places + 2 * rings - 2 + (touching ? holes - 1 : 0));
            assert_int_equal(t.point_count, n);
            const double size = 4.0 * (double)holes + 4.0;
            const double area = 2.0 * size * size - (double)holes * (touching ? 8.0 : 6.0);
            assert_true(check_parts(&t, &view) == area);
            assert_true(check_parts(&parts, &view) == area);
            assert_true(parts.part_count < t.part_count);
            tact_polygon_parts_free(&t);
            tact_polygon_parts_free(&parts);
        }
    }
}

// ---- Any rings ----

/// A place where edges cross, as fractions of one positive denominator.
typedef struct fraction_point {
    int64_t x, y, down;
} fraction_point;

static bool same_fractions(const fraction_point* a, const fraction_point* b)
{
    return a->x * b->down == b->x * a->down && a->y * b->down == b->y * a->down;
}

enum { SOME = 16, MOST_CROSSINGS = SOME * SOME };

/// The places where edges cross that are no vertex, each once.
static size_t find_crossings(const grid_polygon* p, const uint32_t* next, fraction_point* list)
{
    size_t count = 0;
    for (size_t a = 0; a < p->count; ++a) {
        for (size_t c = a + 1; c < p->count; ++c) {
            const size_t b = next[a], d = next[c];
            const int64_t at_c = grid_turn(p, a, b, c), at_d = grid_turn(p, a, b, d);
            if (grid_sign(at_c) * grid_sign(at_d) >= 0) continue;
            if (grid_sign(grid_turn(p, c, d, a)) * grid_sign(grid_turn(p, c, d, b)) >= 0) continue;
            const int64_t sign = at_c > 0 ? 1 : -1, down = sign * (at_c - at_d);
            const fraction_point at = {sign * (p->x[d] * at_c - p->x[c] * at_d),
                                       sign * (p->y[d] * at_c - p->y[c] * at_d), down};
            bool is_new = true;
            for (size_t i = 0; i < count && is_new; ++i)
                is_new = !same_fractions(&at, &list[i]);
            for (size_t i = 0; i < p->count && is_new; ++i)
                is_new = !same_fractions(&at, &(fraction_point){p->x[i], p->y[i], 1});
            if (is_new) list[count++] = at;
        }
    }
    return count;
}

/// The winding number of all rings about a point; 1000 if it is on one.
static int winding_of(const tact_polygon_view* view, tact_vec2 point)
{
    int sum = 0;
    for (size_t ring = 0; ring < view->ring_count; ++ring) {
        int32_t winding;
        const uint32_t begin = view->ring_start[ring], count = view->ring_start[ring + 1] - begin;
        if (tact_polygon_winding_2d(view->vertices + begin, count, point, &winding) == TACT_POINT_ON_BOUNDARY)
            return 1000;
        sum += winding;
    }
    return sum;
}

static size_t check_points(const tact_polygon_parts* parts, const tact_polygon_view* view, tact_polygon_rule rule,
                           test_random* r, float side)
{
    size_t looked = 0;
    for (int i = 0; i < 40; ++i) {
        const tact_vec2 p = {side * test_random_unit(r), side * test_random_unit(r)};
        const int times = times_in(parts, (double)p.x, (double)p.y), winding = winding_of(view, p);
        if (times < 0 || winding == 1000) continue;
        ++looked;
        assert_int_equal(times, rule == TACT_POLYGON_EVEN_ODD ? winding % 2 != 0 : winding != 0);
    }
    return looked;
}

TEST(any_rings_on_a_grid)
{
    test_random r = test_random_seeded(2);
    size_t crossings = 0, looked = 0;
    for (size_t i = 0; i < effort(1500, 30000); ++i) {
        const uint32_t side = 2 + test_random_below(&r, 8);
        uint32_t start[4], next[SOME];
        fraction_point list[MOST_CROSSINGS];
        shape.count = test_random_below(&r, SOME + 1);
        for (size_t k = 0; k < shape.count; ++k) {
            shape.x[k] = test_random_below(&r, side);
            shape.y[k] = test_random_below(&r, side);
        }
        tact_polygon_view view = polygon_view(&shape);
        start[0] = 0;
        start[1] = test_random_below(&r, (uint32_t)shape.count + 1);
        start[2] = start[1] + test_random_below(&r, (uint32_t)shape.count - start[1] + 1);
        start[3] = (uint32_t)shape.count;
        view.ring_start = start;
        view.ring_count = 3;
        for (size_t ring = 0; ring < 3; ++ring) {
            for (uint32_t k = start[ring]; k < start[ring + 1]; ++k)
                next[k] = k + 1 < start[ring + 1] ? k + 1 : start[ring];
        }
        const tact_polygon_rule rule = (tact_polygon_rule)(i % 2);
        tact_polygon_parts t, parts;
        assert_int_equal(tact_polygon_triangulate(&view, rule, NULL, &t), TACT_OK);
        assert_int_equal(tact_polygon_convex_parts(&view, rule, NULL, &parts), TACT_OK);
        const size_t due = find_crossings(&shape, next, list);
        assert_int_equal(t.point_count, shape.count + due);
        for (size_t k = shape.count; k < t.point_count; ++k) {
            bool found = false;
            for (size_t j = 0; j < due && !found; ++j) {
                found = t.points[k].x == (float)((double)list[j].x / (double)list[j].down) &&
                        t.points[k].y == (float)((double)list[j].y / (double)list[j].down);
            }
            assert_true(found);
        }
        assert_true((due > 0) == (t.crossing[0] != UINT32_MAX));
        if (due) {
            assert_true(grid_meet(&shape, t.crossing[0], next[t.crossing[0]], t.crossing[1], next[t.crossing[1]]));
        }
        crossings += due;
        const double whole = check_parts(&t, &view), divided = check_parts(&parts, &view);
        assert_true(fabs(whole - divided) <= 1e-4);
        looked += check_points(&t, &view, rule, &r, (float)side);
        looked += check_points(&parts, &view, rule, &r, (float)side);
        tact_polygon_parts_free(&t);
        tact_polygon_parts_free(&parts);
    }
    assert_true(crossings > 1000 && looked > 1000);
}

TEST(scales_change_nothing)
{
    test_random r = test_random_seeded(3);
    static const float scales[] = {0x1p55f, 0x1p-100f, 0x1p-149f};
    for (size_t i = 0; i < effort(60, 1000); ++i) {
        shape.count = 3 + test_random_below(&r, 20);
        for (size_t k = 0; k < shape.count; ++k) {
            shape.x[k] = test_random_below(&r, 16);
            shape.y[k] = test_random_below(&r, 16);
        }
        const tact_polygon_view view = polygon_view(&shape);
        tact_polygon_parts t, other;
        assert_int_equal(tact_polygon_convex_parts(&view, TACT_POLYGON_NONZERO, NULL, &t), TACT_OK);
        tact_vec2 scaled[SOME + 8];
        const float scale = scales[i % 3];
        for (size_t k = 0; k < shape.count; ++k)
            scaled[k] = (tact_vec2){scale * shape.vertices[k].x, scale * shape.vertices[k].y};
        const tact_polygon_view small = {.vertices = scaled, .vertex_count = shape.count};
        assert_int_equal(tact_polygon_convex_parts(&small, TACT_POLYGON_NONZERO, NULL, &other), TACT_OK);
        assert_int_equal(other.point_count, t.point_count);
        assert_int_equal(other.part_count, t.part_count);
        assert_memory_equal(other.start, t.start, (t.part_count + 1) * sizeof *t.start);
        assert_memory_equal(other.corners, t.corners, t.start[t.part_count] * sizeof *t.corners);
        tact_polygon_parts_free(&t);
        tact_polygon_parts_free(&other);
    }
}

// ---- The least number of parts ----

enum { FEW = 9, MOST_DIAGONALS = FEW * FEW };

/// All diagonals of a simple polygon counter-clockwise, and those that are in a set.
typedef struct diagonals {
    size_t from[MOST_DIAGONALS], to[MOST_DIAGONALS];
    size_t count;
    size_t in[FEW], in_count;
} diagonals;

static void find_diagonals(const grid_polygon* p, diagonals* d)
{
    d->count = d->in_count = 0;
    for (size_t a = 0; a < p->count; ++a) {
        for (size_t b = a + 2; b < p->count; ++b) {
            if (a == 0 && b + 1 == p->count) continue;
            bool clear = true;
            for (size_t e = 0; e < p->count && clear; ++e) {
                const size_t f = (e + 1) % p->count;
                const bool at_e = e == a || e == b, at_f = f == a || f == b;
                if (!at_e && !at_f) clear = !grid_meet(p, a, b, e, f);
                if (!at_e) clear = clear && !(grid_turn(p, a, b, e) == 0 && grid_between(p, a, b, e));
            }
            const tact_vec2 middle = {0.5f * (float)(p->x[a] + p->x[b]), 0.5f * (float)(p->y[a] + p->y[b])};
            if (!clear || tact_polygon_locate_2d(p->vertices, (uint32_t)p->count, middle) != TACT_POINT_INSIDE)
                continue;
            d->from[d->count] = a;
            d->to[d->count++] = b;
        }
    }
}

/// The set divides the angle at a vertex into such of at most two right angles.
static bool divides(const grid_polygon* p, const diagonals* d, size_t v)
{
    const size_t before = (v + p->count - 1) % p->count, after = (v + 1) % p->count;
    size_t end[FEW], count = 0;
    if (grid_turn(p, before, v, after) >= 0) return true;
    for (size_t i = 0; i < d->in_count; ++i) {
        const size_t a = d->from[d->in[i]], b = d->to[d->in[i]];
        if (a == v || b == v) end[count++] = a == v ? b : a;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < count; ++k) {
            if (grid_turn(p, v, after, end[i]) >= 0 && (i == k || grid_turn(p, v, end[i], end[k]) >= 0) &&
                grid_turn(p, v, end[k], before) >= 0) {
                return true;
            }
        }
    }
    return false;
}

/// Some `more` diagonals from number `begin` on make all parts convex, with those in the set, which they do not cross.
static bool can_divide(const grid_polygon* p, diagonals* d, size_t begin, size_t more)
{
    if (more == 0) {
        for (size_t v = 0; v < p->count; ++v) {
            if (!divides(p, d, v)) return false;
        }
        return true;
    }
    for (size_t i = begin; i < d->count; ++i) {
        bool crosses = false;
        for (size_t k = 0; k < d->in_count && !crosses; ++k) {
            const size_t a = d->from[i], b = d->to[i], c = d->from[d->in[k]], e = d->to[d->in[k]];
            crosses = a != c && a != e && b != c && b != e && grid_meet(p, a, b, c, e);
        }
        if (crosses) continue;
        d->in[d->in_count++] = i;
        const bool found = can_divide(p, d, i + 1, more - 1);
        --d->in_count;
        if (found) return true;
    }
    return false;
}

static size_t count_reflex(const grid_polygon* p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; ++i)
        count += grid_turn(p, (i + p->count - 1) % p->count, i, (i + 1) % p->count) < 0;
    return count;
}

TEST(the_least_number_of_parts_of_all_divisions)
{
    test_random r = test_random_seeded(4);
    size_t by_parts[FEW] = {0}, better = 0;
    for (size_t i = 0; i < effort(2500, 60000); ++i) {
        grid_grow(&shape, &r, 3 + test_random_below(&r, FEW - 2), 3 + test_random_below(&r, 6));
        if (grid_area(&shape) < 0) grid_turn_round(&shape);
        tact_polygon_view view = polygon_view(&shape);
        diagonals d;
        find_diagonals(&shape, &d);
        size_t least = 0;
        while (!can_divide(&shape, &d, 0, least))
            ++least;
        if (i % 2) {
            grid_turn_round(&shape);
            view = polygon_view(&shape);
        }
        tact_polygon_parts parts, merged;
        if (tact_polygon_least_parts(view.vertices, shape.count, NULL, &parts) != TACT_OK)
            fail_msg("%s", tact_last_error());
        assert_int_equal(parts.part_count, least + 1);
        assert_true(check_parts(&parts, &view) == fabs((double)grid_area(&shape)));
        assert_int_equal(tact_polygon_convex_parts(&view, TACT_POLYGON_NONZERO, NULL, &merged), TACT_OK);
        assert_true(merged.part_count >= parts.part_count && merged.part_count <= 4 * parts.part_count);
        check_neighbours(&parts, (uint32_t)shape.count);
        check_neighbours(&merged, (uint32_t)shape.count);
        better += merged.part_count > parts.part_count;
        ++by_parts[least];
        tact_polygon_parts_free(&parts);
        tact_polygon_parts_free(&merged);
    }
    assert_true(by_parts[0] && by_parts[1] && by_parts[2] && by_parts[3] && better > 10);
}

TEST(parts_of_large_polygons)
{
    test_random r = test_random_seeded(5);
    for (size_t i = 0; i < effort(6, 60); ++i) {
        assert_true(grid_grow(&shape, &r, 40 + 40 * i % 240, 300));
        if (grid_area(&shape) < 0) grid_turn_round(&shape);
        const tact_polygon_view view = polygon_view(&shape);
        const size_t reflex = count_reflex(&shape);
        tact_polygon_parts parts, merged;
        assert_int_equal(tact_polygon_least_parts(view.vertices, shape.count, NULL, &parts), TACT_OK);
        assert_int_equal(tact_polygon_convex_parts(&view, TACT_POLYGON_NONZERO, NULL, &merged), TACT_OK);
        assert_true(check_parts(&parts, &view) == (double)grid_area(&shape));
        assert_true(check_parts(&merged, &view) == (double)grid_area(&shape));
        assert_true(parts.part_count >= (reflex + 1) / 2 + 1 && parts.part_count <= merged.part_count);
        assert_true(merged.part_count <= 2 * reflex + 1 && merged.part_count <= 4 * parts.part_count);
        tact_polygon_parts_free(&parts);
        tact_polygon_parts_free(&merged);
    }
}

// ---- What is refused ----

static void check_refused(tact_result due, tact_result result, const char* text, tact_polygon_parts* parts)
{
    assert_int_equal(result, due);
    if (!strstr(tact_last_error(), text)) fail_msg("\"%s\" has no \"%s\"", tact_last_error(), text);
    const tact_polygon_parts empty = {0};
    assert_memory_equal(parts, &empty, sizeof empty);
}

TEST(what_is_no_polygon_is_refused)
{
    tact_vec2 v[4] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}};
    const uint32_t back[3] = {0, 3, 2}, late[2] = {1, 4}, early[2] = {0, 3}, far[2] = {0, 5};
    tact_polygon_parts parts;
    const tact_result wrong = TACT_ERROR_INVALID_ARGUMENT;
    const tact_polygon_rule none = (tact_polygon_rule)2;
    tact_polygon_view view = {.vertices = v, .vertex_count = 4};
    check_refused(wrong, tact_polygon_triangulate(&view, none, NULL, &parts), "2 is no rule", &parts);
    const struct {
        const uint32_t* start;
        size_t count;
        const char* text;
    } rings[] = {{back, 2, "ring_start[2] is 2"},
                 {late, 1, "ring_start[0] is 1"},
                 {early, 1, "ends at 3 of 4"},
                 {far, 1, "ring_start[1] is 5"}};
    for (size_t i = 0; i < 4; ++i) {
        view.ring_start = rings[i].start;
        view.ring_count = rings[i].count;
        check_refused(wrong, tact_polygon_triangulate(&view, 0, NULL, &parts), rings[i].text, &parts);
    }
    view.ring_start = NULL;
    static const float bad[] = {NAN, INFINITY, -INFINITY, 0x1p61f};
    for (size_t i = 0; i < 4; ++i) {
        v[2].y = bad[i];
        check_refused(wrong, tact_polygon_convex_parts(&view, 0, NULL, &parts), "vertex 2", &parts);
        check_refused(wrong, tact_polygon_least_parts(v, 4, NULL, &parts), "vertex 2", &parts);
    }
    v[2].y = 4;
    view.vertex_count = (size_t)1 << 28;
    check_refused(TACT_ERROR_LIMIT, tact_polygon_triangulate(&view, 0, NULL, &parts), "2^27", &parts);
    check_refused(TACT_ERROR_LIMIT, tact_polygon_least_parts(v, 513, NULL, &parts), "513", &parts);
}

TEST(what_is_not_simple_has_no_least_parts)
{
    const tact_vec2 crossing[4] = {{0, 0}, {4, 4}, {4, 0}, {0, 4}},
                    touching[5] = {{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}};
    const tact_vec2 twice[6] = {{0, 0}, {4, 0}, {2, 2}, {4, 4}, {0, 4}, {2, 2}},
                    spike[4] = {{0, 0}, {4, 0}, {4, 4}, {4, 2}};
    tact_polygon_parts parts;
    const tact_result wrong = TACT_ERROR_INVALID_ARGUMENT;
    check_refused(wrong, tact_polygon_least_parts(crossing, 4, NULL, &parts), "vertices 0 and 2 of the ring cross",
                  &parts);
    check_refused(wrong, tact_polygon_least_parts(touching, 5, NULL, &parts),
                  "vertex 3 of the ring is on the edge at vertex 0", &parts);
    check_refused(wrong, tact_polygon_least_parts(twice, 6, NULL, &parts), "vertices 2 and 5", &parts);
    check_refused(wrong, tact_polygon_least_parts(spike, 4, NULL, &parts),
                  "vertex 3 of the ring is on the edge at vertex 1", &parts);
    static const char* const few[] = {"0 vertices", "1 vertices", "2 vertices"};
    for (size_t n = 0; n < 3; ++n)
        check_refused(wrong, tact_polygon_least_parts(crossing, n, NULL, &parts), few[n], &parts);
}

// ---- In space ----

TEST(planes_of_polygons)
{
    test_random r = test_random_seeded(6);
    for (size_t i = 0; i < effort(500, 10000); ++i) {
        // A star in the plane of two axes, with one vertex off it by a little.
        tact_vec3 v[24];
        float axes[9];
        test_random_rotation(&r, axes);
        const size_t count = 3 + test_random_below(&r, 20);
        const double off = i % 2 ? (double)test_random_unit(&r) : 0.0;
        double x[24], y[24];
        for (size_t k = 0; k < count; ++k) {
            const double angle = 6.283185307179586 * (double)k / (double)count,
                         far = 1.0 + (double)test_random_unit(&r);
            x[k] = far * cos(angle);
            y[k] = far * sin(angle);
            const double z = k == 0 ? off : 0.0;
            v[k] = (tact_vec3){(float)(x[k] * (double)axes[0] + y[k] * (double)axes[3] + z * (double)axes[6]) + 3.0f,
                               (float)(x[k] * (double)axes[1] + y[k] * (double)axes[4] + z * (double)axes[7]),
                               (float)(x[k] * (double)axes[2] + y[k] * (double)axes[5] + z * (double)axes[8])};
        }
        tact_plane plane;
        const double distance = tact_polygon_plane(v, count, &plane);
        assert_true(distance >= 0.0);
        double farthest = 0.0, mean = 0.0;
        for (size_t k = 0; k < count; ++k) {
            const double height = (double)plane.normal.x * (double)v[k].x + (double)plane.normal.y * (double)v[k].y +
                                  (double)plane.normal.z * (double)v[k].z - (double)plane.distance;
            farthest = fmax(farthest, fabs(height));
            mean += height / (double)count;
        }
        assert_true(fabs(distance - farthest) < 2e-6 && fabs(mean) < 2e-6);
        // Newell's normal leans towards the vertex that is off, which then is less than that above it.
        assert_true(count == 3 || off == 0.0 ? distance < 1e-6 : distance <= off);
        const double along = (double)plane.normal.x * (double)axes[6] + (double)plane.normal.y * (double)axes[7] +
                             (double)plane.normal.z * (double)axes[8];
        assert_true(off > 0.0 ? along > 0.3 : along > 0.99999);
    }
    tact_plane plane;
    const tact_vec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, bad[3] = {{0, 0, 0}, {1, NAN, 0}, {0, 0, 1}};
    assert_true(tact_polygon_plane(line, 3, &plane) == -1.0 && plane.normal.x == 0.0f);
    assert_true(tact_polygon_plane(bad, 3, &plane) == -1.0 && plane.distance == 0.0f);
    assert_true(tact_polygon_plane(line, 2, &plane) == -1.0);
    assert_true(tact_polygon_plane(NULL, 0, &plane) == -1.0);
    const tact_vec3 far[3] = {{FLT_MAX, FLT_MAX, 0}, {FLT_MAX, 0, FLT_MAX}, {0, FLT_MAX, FLT_MAX}};
    assert_true(tact_polygon_plane(far, 3, &plane) == -1.0);
}

TEST(convex_polygons_in_space)
{
    test_random r = test_random_seeded(7);
    size_t convex = 0;
    for (size_t i = 0; i < effort(2000, 40000); ++i) {
        grid_grow(&shape, &r, 3 + test_random_below(&r, 4), 4);
        const tact_polygon_view view = polygon_view(&shape);
        const int32_t a = (int32_t)test_random_below(&r, 9) - 4, b = (int32_t)test_random_below(&r, 9) - 4;
        tact_vec3 v[8];
        for (size_t k = 0; k < shape.count; ++k) {
            // A plane over any two axes.
            const float x = view.vertices[k].x, y = view.vertices[k].y, z = (float)a * x + (float)b * y;
            v[k] = i % 3 == 0 ? (tact_vec3){x, y, z} : i % 3 == 1 ? (tact_vec3){z, x, y} : (tact_vec3){y, z, x};
        }
        const uint32_t count = (uint32_t)shape.count;
        const bool due = tact_polygon_is_convex_2d(view.vertices, count);
        assert_int_equal(tact_polygon_is_convex(v, count), due);
        convex += due;
        if (count < 4) continue;
        // A vertex off the plane by the last bit of a coordinate.
        v[count - 1].x = nextafterf(v[count - 1].x, 100.0f);
        v[count - 1].y = nextafterf(v[count - 1].y, 100.0f);
        if (tact_orient3d(v[0], v[1], v[2], v[count - 1]) != 0) assert_false(tact_polygon_is_convex(v, count));
    }
    assert_true(convex > 100);
    const tact_vec3 same[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    assert_false(tact_polygon_is_convex(same, 3));
    assert_false(tact_polygon_is_convex(NULL, 0));
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
