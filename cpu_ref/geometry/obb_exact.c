// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The smallest box: two of its faces that meet each hold an edge of the hull, so for each pair of edges there is a
// range of boxes with one parameter, and in that the least is at an end, where the points change that the other faces
// touch, or where a polynomial of degree six is zero.

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/geometry/fit_internal.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/mesh_report.h"

/// A box that is out of a range by no more than this, of the parameter or of a cosine, is in it. All boxes are measured
/// by all points, so that costs nothing but a box that is not of the range.
static const double slack = 1e-9;

/// Where two facets meet. A plane that touches the hull there has a normal between theirs. A sharp edge is two, of
/// which each has normals at no more than a right angle.
typedef struct hull_edge {
    uint32_t from;
    dvec along;              ///< of length 1
    dvec left, right;        ///< the normals, of length 1
    dvec to_right, to_left;  ///< directions from each to the other, at right angles to it
} hull_edge;

typedef struct fitting {
    tact_env* env;
    dvec* place;  ///< of each corner of the hull, from the first point on
    uint32_t corner_count;
    uint32_t *first, *neighbour;  ///< of each corner: those at the other ends of its edges
    hull_edge* edges;
    uint32_t edge_count;
    double least;
    dvec axis[3];
} fitting;

/// A polynomial, from the constant on.
typedef struct polynomial {
    int degree;
    double c[9];
} polynomial;

// ---- Polynomials ----

static double value_at(const polynomial* p, double t)
{
    double sum = p->c[p->degree];
    for (int i = p->degree; i-- > 0;)
        sum = sum * t + p->c[i];
    return sum;
}

static polynomial product(const polynomial* a, const polynomial* b)
{
    polynomial p = {a->degree + b->degree, {0.0}};
    for (int i = 0; i <= a->degree; ++i) {
        for (int k = 0; k <= b->degree; ++k)
            p.c[i + k] += a->c[i] * b->c[k];
    }
    return p;
}

static polynomial derivative(const polynomial* p)
{
    polynomial d = {p->degree > 0 ? p->degree - 1 : 0, {0.0}};
    for (int i = 1; i <= p->degree; ++i)
        d.c[i - 1] = (double)i * p->c[i];
    return d;
}

/// Where a polynomial that is of one slope between two places changes its sign.
static double zero_between(const polynomial* p, double low, double high)
{
    const bool up = value_at(p, high) > 0.0;
    if (p->degree == 1) return d_clamp(-p->c[0] / p->c[1], low, high);
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        if ((value_at(p, middle) > 0.0) == up) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return 0.5 * (low + high);
}

/// Places in a range, ascending, at which the polynomial changes its sign: those of each derivative part the range for
/// the one before it.
static int find_zeros(const polynomial* p, double low, double high, double zero[8])
{
    polynomial all[9];
    int count = 0;
    all[p->degree] = *p;
    for (int d = p->degree; d-- > 1;)
        all[d] = derivative(&all[d + 1]);
    for (int d = 1; d <= p->degree; ++d) {
        double next[8], from = low;
        int found = 0;
        for (int i = 0; i <= count; ++i) {
            const double to = i < count ? zero[i] : high;
            if ((value_at(&all[d], from) > 0.0) != (value_at(&all[d], to) > 0.0)) {
                next[found++] = zero_between(&all[d], from, to);
            }
            from = to;
        }
        count = found;
        memcpy(zero, next, (size_t)found * sizeof *zero);
    }
    return count;
}

// ---- Boxes of two edges ----

/// The boxes that hold an edge in each of two faces: at t the normals of these are n + t dn and m + t dm.
typedef struct range {
    dvec n, dn, m, dm;
    uint32_t on[2];  ///< corners in these faces
    double low, high;
} range;

static void frame_at(const range* r, double t, dvec axis[3])
{
    axis[0] = d_unit(d_along(r->n, t, r->dn));
    axis[1] = d_unit(d_along(r->m, t, r->dm));
    axis[2] = d_cross(axis[0], axis[1]);
}

/// Leaves of a range that is linear what is not negative: a + t b.
static void clip(double a, double b, double* low, double* high)
{
    a += slack;
    if (b > 0.0 && -a / b > *low) *low = -a / b;
    if (b < 0.0 && -a / b < *high) *high = -a / b;
    if (b == 0.0 && a < 0.0) *high = -1.0;
}

/// False if no such box has the other faces at right angles.
static bool make_range(const hull_edge* e, const hull_edge* f, double sign, range* r)
{
    const dvec along = d_scale(f->along, sign);
    r->n = e->left;
    r->dn = d_sub(e->right, e->left);
    r->m = d_cross(along, r->n);
    r->dm = d_cross(along, r->dn);
    r->on[0] = e->from;
    r->on[1] = f->from;
    r->low = 0.0;
    r->high = 1.0;
    clip(d_dot(r->m, f->to_right), d_dot(r->dm, f->to_right), &r->low, &r->high);
    clip(d_dot(r->m, f->to_left), d_dot(r->dm, f->to_left), &r->low, &r->high);
    return r->low <= r->high;
}

static uint32_t climb(const fitting* f, dvec direction, uint32_t at)
{
    double best = d_dot(f->place[at], direction);
    for (bool better = true; better;) {
        better = false;
        for (uint32_t i = f->first[at]; i < f->first[at + 1]; ++i) {
            const double height = d_dot(f->place[f->neighbour[i]], direction);
            if (!(height > best)) continue;
            best = height;
            at = f->neighbour[i];
            better = true;
            break;
        }
    }
    return at;
}

/// The volume that a polynomial gives is checked by all corners before it counts.
static void consider(fitting* f, const range* r, double t, double volume)
{
    // Next to a box whose second face has no direction, it has few digits; that box is one of other edges too.
    if (!(volume < f->least) || d_length(d_along(r->m, t, r->dm)) < 1e-6) return;
    dvec axis[3];
    extents e = d_no_extents();
    frame_at(r, t, axis);
    for (uint32_t i = 0; i < f->corner_count; ++i)
        d_extend(&e, axis, f->place[i]);
    volume = d_box_measure(TACT_OBB_VOLUME, &e);
    if (!(volume < f->least)) return;
    f->least = volume;
    memcpy(f->axis, axis, sizeof axis);
}

/// a . (n + t dn), and a . ((n + t dn) x (m + t dm)).
static polynomial linear(dvec a, dvec n, dvec dn)
{
    const polynomial p = {1, {d_dot(a, n), d_dot(a, dn)}};
    return p;
}

static polynomial across(dvec a, const range* r)
{
    const dvec middle = d_add(d_cross(r->n, r->dm), d_cross(r->dn, r->m));
    const polynomial p = {2, {d_dot(a, d_cross(r->n, r->m)), d_dot(a, middle), d_dot(a, d_cross(r->dn, r->dm))}};
    return p;
}

static polynomial square(dvec n, dvec dn)
{
    const polynomial p = {2, {d_dot(n, n), 2.0 * d_dot(n, dn), d_dot(dn, dn)}};
    return p;
}

/// The corners that the faces touch: of each direction that farthest along it and that against it.
typedef struct touched {
    uint32_t corner[6];
} touched;

static touched touched_at(const fitting* f, const range* r, double t, const touched* from)
{
    dvec axis[3];
    touched at;
    frame_at(r, t, axis);
    for (int k = 0; k < 6; ++k) {
        const uint32_t start = k == 0 || k == 2 ? r->on[k / 2] : from->corner[k];
        at.corner[k] = climb(f, k % 2 ? d_scale(axis[k / 2], -1.0) : axis[k / 2], start);
    }
    return at;
}

/// A vector's part along one of the directions, not divided by its length.
static polynomial part_along(const range* r, int direction, dvec a)
{
    return direction == 0 ? linear(a, r->n, r->dn) : direction == 1 ? linear(a, r->m, r->dm) : across(a, r);
}

/// The first place after t at which a neighbour is as far as a corner, or the end: `height` is how much farther it is.
static double next_change(const polynomial* height, double t, double end)
{
    double zero[8];
    const int count = find_zeros(height, t, end, zero);
    return count > 0 ? zero[0] : end;
}

/// The end of the part of a range, from t on, in which the same corners are touched.
static double find_change(const fitting* f, const range* r, const touched* at, double t)
{
    double end = r->high;
    for (int k = 0; k < 6; ++k) {
        const uint32_t v = at->corner[k];
        for (uint32_t i = f->first[v]; i < f->first[v + 1]; ++i) {
            const dvec edge = d_sub(f->place[f->neighbour[i]], f->place[v]);
            polynomial height = part_along(r, k / 2, k % 2 ? d_scale(edge, -1.0) : edge);
            // By more than rounding: corners of a face that is touched stay as far as each other.
            height.c[0] -= 0x1p-40 * d_length(edge);
            end = next_change(&height, t, end);
        }
    }
    return end;
}

/// The least volume between two places at which the same corners are touched: products of widths over lengths of
/// normals. Of 20,000 random sets of 4 to 9 points none had its least box between such places, but nothing is known
/// that excludes it.
static void measure_part(fitting* f, const range* r, const touched* at, double from, double to)
{
    polynomial width[3];
    for (int k = 0; k < 3; ++k)
        width[k] = part_along(r, k, d_sub(f->place[at->corner[2 * k]], f->place[at->corner[2 * k + 1]]));
    const polynomial ab = product(&width[0], &width[1]), up = product(&ab, &width[2]);
    const polynomial n2 = square(r->n, r->dn), m2 = square(r->m, r->dm), down = product(&n2, &m2);
    const polynomial du = derivative(&up), dd = derivative(&down);
    polynomial slope = product(&du, &down);
    const polynomial other = product(&up, &dd);
    for (int i = 0; i <= slope.degree; ++i)
        slope.c[i] -= other.c[i];
    // The highest terms are the same.
    slope.degree = 6;
    double zero[8];
    const int count = find_zeros(&slope, from, to, zero);
    consider(f, r, from, value_at(&up, from) / value_at(&down, from));
    consider(f, r, to, value_at(&up, to) / value_at(&down, to));
    for (int i = 0; i < count; ++i)
        consider(f, r, zero[i], value_at(&up, zero[i]) / value_at(&down, zero[i]));
}

static void measure_range(fitting* f, const range* r, touched* at)
{
    double t = r->low;
    // As many parts as there can be, should rounding go on for ever.
    for (uint32_t part = 0; part < 6 * f->corner_count; ++part) {
        // Corners that are touched at once at the beginning are parted a little further.
        const double ahead = fmin(t + slack, 0.5 * (t + r->high));
        *at = touched_at(f, r, ahead, at);
        const double end = find_change(f, r, at, ahead);
        measure_part(f, r, at, t, end);
        if (!(end < r->high)) return;
        t = fmax(end, ahead);
    }
}

// ---- The hull ----

static dvec facet_normal(const tact_vec3* points, const tact_hull_mesh* hull, size_t facet)
{
    dvec sum = d_make(0.0, 0.0, 0.0);
    for (uint32_t t = hull->facet_start[facet]; t < hull->facet_start[facet + 1]; ++t) {
        const uint32_t* c = hull->triangles + 3 * (size_t)t;
        const dvec a = d_from(points[c[0]]);
        sum = d_add(sum, d_cross(d_sub(d_from(points[c[1]]), a), d_sub(d_from(points[c[2]]), a)));
    }
    return d_unit(sum);
}

static void add_edge(fitting* f, uint32_t from, dvec along, dvec left, dvec right)
{
    f->edges[f->edge_count++] = (hull_edge){from, along, left, right, d_cross(along, left), d_cross(right, along)};
}

static tact_result take_edges(fitting* f, const tact_vec3* points, const tact_hull_mesh* hull,
                              const uint32_t* across_side, const uint32_t* number, dvec* normal, uint32_t* facet)
{
    for (size_t i = 0; i < hull->facet_count; ++i) {
        normal[i] = facet_normal(points, hull, i);
        for (uint32_t t = hull->facet_start[i]; t < hull->facet_start[i + 1]; ++t)
            facet[t] = (uint32_t)i;
    }
    uint32_t edges = 0;
    for (uint32_t side = 0; side < 3 * hull->triangle_count; ++side) {
        const uint32_t other = across_side[side];
        if (other < side || facet[side / 3] == facet[other / 3]) continue;
        if (edges == TACT_OBB_EXACT_EDGES) {
            return tact_fail(NULL, TACT_ERROR_LIMIT, "the hull has more than %u edges", TACT_OBB_EXACT_EDGES);
        }
        const uint32_t from = hull->triangles[side], to = hull->triangles[other];
        const dvec along = d_unit(d_sub(d_from(points[to]), d_from(points[from])));
        const dvec left = normal[facet[side / 3]], right = normal[facet[other / 3]], out = d_cross(along, left);
        ++edges;
        if (d_dot(left, right) >= 0.0) {
            add_edge(f, number[from], along, left, right);
        } else {
            add_edge(f, number[from], along, left, out);
            add_edge(f, number[from], along, out, right);
        }
    }
    return TACT_OK;
}

/// The sides of triangles as neighbours of their first corner: those across facets are as good as edges.
static void take_neighbours(fitting* f, const tact_hull_mesh* hull, const uint32_t* number)
{
    memset(f->first, 0, (f->corner_count + 1) * sizeof *f->first);
    const size_t sides = 3 * hull->triangle_count;
    for (size_t i = 0; i < sides; ++i)
        ++f->first[number[hull->triangles[i]]];
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= f->corner_count; ++i) {
        sum += f->first[i];
        f->first[i] = sum;
    }
    for (size_t i = sides; i-- > 0;) {
        const uint32_t next = hull->triangles[i % 3 == 2 ? i - 2 : i + 1];
        f->neighbour[--f->first[number[hull->triangles[i]]]] = number[next];
    }
}

static tact_result take_hull(fitting* f, const tact_vec3* points, size_t count, const tact_hull_mesh* hull)
{
    tact_env* env = f->env;
    const size_t triangles = hull->triangle_count;
    f->corner_count = (uint32_t)hull->vertex_count;
    f->place = tact_allocate(env, f->corner_count, sizeof *f->place);
    f->first = tact_allocate(env, (size_t)f->corner_count + 1, sizeof *f->first);
    f->neighbour = tact_allocate(env, triangles, 3 * sizeof *f->neighbour);
    f->edges = tact_allocate(env, (size_t)2 * TACT_OBB_EXACT_EDGES, sizeof *f->edges);
    uint32_t* number = tact_allocate(env, count, sizeof *number);
    uint32_t* across_side = tact_allocate(env, triangles, 3 * sizeof *across_side);
    uint32_t* facet = tact_allocate(env, triangles, sizeof *facet);
    dvec* normal = tact_allocate(env, hull->facet_count, sizeof *normal);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (f->place && f->first && f->neighbour && f->edges && number && across_side && facet && normal) {
        for (uint32_t i = 0; i < f->corner_count; ++i) {
            f->place[i] = d_sub(d_from(points[hull->vertices[i]]), d_from(points[0]));
            number[hull->vertices[i]] = i;
        }
        take_neighbours(f, hull, number);
        result = tact_mesh_adjacency(hull->triangles, triangles, count, &env->allocator, across_side);
        if (result >= 0) result = take_edges(f, points, hull, across_side, number, normal, facet);
    }
    tact_release(env, number);
    tact_release(env, across_side);
    tact_release(env, facet);
    tact_release(env, normal);
    return result;
}

static void try_edges(fitting* f)
{
    touched at = {{0}};
    f->least = HUGE_VAL;
    for (uint32_t i = 0; i < f->edge_count; ++i) {
        // The same edge may be in both faces.
        for (uint32_t k = i; k < f->edge_count; ++k) {
            for (int sign = -1; sign <= 1; sign += 2) {
                range r;
                if (make_range(&f->edges[i], &f->edges[k], (double)sign, &r)) measure_range(f, &r, &at);
            }
        }
    }
}

tact_result tact_obb_fit_exact(const tact_allocator* allocator, const tact_vec3* points, size_t count, tact_obb* box)
{
    tact_env env;
    tact_hull_mesh hull;
    tact_result result = obb_check_points(points, count);
    if (result < 0) return result;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    result = tact_hull_mesh_3d(points, count, allocator, &hull);
    if (result < 0) return result;
    if (hull.dimension < 3) {
        tact_hull_mesh_free(&hull);
        return tact_obb_fit_principal(allocator, points, count, TACT_OBB_LEAST_AXIS, box);
    }
    fitting f = {.env = &env};
    result = take_hull(&f, points, count, &hull);
    if (result >= 0) {
        try_edges(&f);
        result = d_fit_along(points, count, f.axis, box);
    }
    void* const arrays[] = {f.place, f.first, f.neighbour, f.edges};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(&env, arrays[i]);
    tact_hull_mesh_free(&hull);
    return result;
}
