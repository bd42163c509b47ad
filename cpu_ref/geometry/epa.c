// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/asserts.h"
#include "cpu_ref/geometry/convex_internal.h"

/// Distances are told apart down to this part of the extent of K.
#define RESOLUTION 1e-9

enum { MAX_CORNERS = 384, MAX_FACES = 2 * MAX_CORNERS, MAX_RIM = 128 };

typedef struct epa_face {
    int corner[3];
    dvec normal;      ///< unit, outward
    double distance;  ///< of its plane from the origin; negative with the origin outside
    bool closed;      ///< nothing of K is beyond it
} epa_face;

typedef struct epa_bound {
    double height;  ///< of K's support plane
    epa_face face;  ///< whose normal it has
} epa_bound;

typedef struct epa_polytope {
    convex_pair* pair;
    int corners, faces;
    double extent;
    epa_bound best;
    bool exact;
    convex_vertex corner[MAX_CORNERS];
    epa_face face[MAX_FACES];
} epa_polytope;

/// Sets the plane of a face whose corners go counter-clockwise seen from outside.
static bool face_make(const epa_polytope* k, epa_face* f, int i, int j, int l)
{
    TACT_ASSERT(i != j && j != l && l != i && i <= k->corners && j <= k->corners && l <= k->corners);
    const dvec a = k->corner[i].y, b = k->corner[j].y, c = k->corner[l].y;
    const dvec n = d_cross(d_sub(b, a), d_sub(c, a));
    const double length = d_length(n);
    if (!(length > 0.0)) return false;
    f->corner[0] = i;
    f->corner[1] = j;
    f->corner[2] = l;
    f->normal = d_scale(n, 1.0 / length);
    f->distance = (d_dot(f->normal, a) + d_dot(f->normal, b) + d_dot(f->normal, c)) / 3.0;
    f->closed = false;
    return true;
}

/// Any unit vector across a unit vector.
static dvec across(dvec u)
{
    const dvec axis = fabs(u.x) <= fabs(u.y) && fabs(u.x) <= fabs(u.z) ? d_make(1.0, 0.0, 0.0)
                      : fabs(u.y) <= fabs(u.z)                         ? d_make(0.0, 1.0, 0.0)
                                                                       : d_make(0.0, 0.0, 1.0);
    const dvec v = d_cross(u, axis);
    return d_scale(v, 1.0 / d_length(v));
}

/// The two support points of K along the axes that are farthest apart.
static void start_with_pair(epa_polytope* k)
{
    double best = -1.0;
    for (int axis = 0; axis < 3; ++axis) {
        const dvec d = d_make(axis == 0, axis == 1, axis == 2);
        const convex_vertex p = tact_convex_pair_support(k->pair, d);
        const convex_vertex q = tact_convex_pair_support(k->pair, d_scale(d, -1.0));
        k->extent = fmax(k->extent, fmax(d_length(p.y), d_length(q.y)));
        const double length = d_length(d_sub(p.y, q.y));
        if (!(length > best)) continue;
        best = length;
        k->corner[0] = p;
        k->corner[1] = q;
    }
    k->corners = best > RESOLUTION * k->extent ? 2 : 1;
}

/// Adds the support point along one of `count` directions, or against them, that is farthest from the plane or line
/// that they are perpendicular to.
static bool add_farthest(epa_polytope* k, const dvec* direction, int count)
{
    TACT_ASSERT(count >= 1 && k->corners >= 2 && k->corners < 4);
    double best = RESOLUTION * k->extent;
    bool found = false;
    for (int i = 0; i < 2 * count; ++i) {
        const dvec d = d_scale(direction[i / 2], i % 2 == 0 ? 1.0 : -1.0);
        const convex_vertex p = tact_convex_pair_support(k->pair, d);
        const double height = d_dot(d, d_sub(p.y, k->corner[0].y));
        if (!(height > best)) continue;
        best = height;
        found = true;
        k->corner[k->corners] = p;
    }
    if (found) ++k->corners;
    return found;
}

/// Builds the tetrahedron to start with. False if K is flat; then `normal` is a direction across it.
static bool start(epa_polytope* k, dvec* normal)
{
    start_with_pair(k);
    *normal = d_make(1.0, 0.0, 0.0);
    if (k->corners < 2) return false;
    const dvec along = d_sub(k->corner[1].y, k->corner[0].y);
    dvec side[2];
    side[0] = across(d_scale(along, 1.0 / d_length(along)));
    side[1] = d_cross(d_scale(along, 1.0 / d_length(along)), side[0]);
    *normal = side[0];
    if (!add_farthest(k, side, 2)) return false;
    const dvec n = d_cross(along, d_sub(k->corner[2].y, k->corner[0].y));
    *normal = d_scale(n, 1.0 / d_length(n));
    if (!add_farthest(k, normal, 1)) return false;
    // The fourth corner is above or below the other three.
    const bool above = d_dot(*normal, d_sub(k->corner[3].y, k->corner[0].y)) > 0.0;
    const int i = above ? 1 : 0, j = above ? 0 : 1;
    k->faces = 4;
    TACT_ASSERT(k->corners == 4);
    return face_make(k, &k->face[0], i, j, 2) && face_make(k, &k->face[1], j, i, 3) &&
           face_make(k, &k->face[2], 2, j, 3) && face_make(k, &k->face[3], i, 2, 3);
}

static epa_face* lowest_open_face(epa_polytope* k)
{
    epa_face* lowest = NULL;
    for (int i = 0; i < k->faces; ++i) {
        epa_face* f = &k->face[i];
        if (!f->closed && (lowest == NULL || f->distance < lowest->distance)) lowest = f;
    }
    return lowest;
}

typedef struct epa_rim {
    int count;
    int from[MAX_RIM], to[MAX_RIM];
} epa_rim;

/// Adds an edge, or removes it if its other face was removed, too.
static bool rim_toggle(epa_rim* rim, int from, int to)
{
    for (int i = 0; i < rim->count; ++i) {
        if (rim->from[i] != to || rim->to[i] != from) continue;
        --rim->count;
        rim->from[i] = rim->from[rim->count];
        rim->to[i] = rim->to[rim->count];
        return true;
    }
    if (rim->count == MAX_RIM) return false;
    rim->from[rim->count] = from;
    rim->to[rim->count++] = to;
    return true;
}

static bool sees(const epa_polytope* k, dvec y, const epa_face* f)
{
    return d_dot(f->normal, d_sub(y, k->corner[f->corner[0]].y)) > 0.25 * RESOLUTION * k->extent;
}

/// Finds the rim of the faces that the point sees.
static bool find_rim(const epa_polytope* k, dvec y, epa_rim* rim)
{
    TACT_ASSERT(k->faces >= 4 && k->faces <= MAX_FACES);
    rim->count = 0;
    for (int i = 0; i < k->faces; ++i) {
        const epa_face* f = &k->face[i];
        if (!sees(k, y, f)) continue;
        for (int e = 0; e < 3; ++e) {
            if (!rim_toggle(rim, f->corner[e], f->corner[(e + 1) % 3])) return false;
        }
    }
    return rim->count >= 3;
}

/// Whether the rim is one loop. Rounding can tear it in two.
static bool is_loop(const epa_rim* rim)
{
    TACT_ASSERT(rim->count >= 3 && rim->count <= MAX_RIM);
    int at = rim->to[0];
    for (int n = 1; n < rim->count; ++n) {
        int next = -1;
        for (int i = 0; i < rim->count; ++i) {
            if (rim->from[i] == at) next = i;
        }
        if (next <= 0) return false;
        at = rim->to[next];
    }
    return at == rim->from[0];
}

/// Replaces what the new point sees by faces to it. If that fails, which rounding can bring about, nothing changes.
static bool grow(epa_polytope* k, const convex_vertex* p)
{
    epa_rim rim;
    epa_face fresh[MAX_RIM];
    k->corner[k->corners] = *p;
    if (!find_rim(k, p->y, &rim) || !is_loop(&rim) || k->faces + rim.count > MAX_FACES) return false;
    for (int i = 0; i < rim.count; ++i) {
        if (!face_make(k, &fresh[i], rim.from[i], rim.to[i], k->corners)) return false;
    }
    int kept = 0;
    for (int i = 0; i < k->faces; ++i) {
        if (!sees(k, p->y, &k->face[i])) k->face[kept++] = k->face[i];
    }
    memcpy(k->face + kept, fresh, sizeof fresh[0] * (size_t)rim.count);
    k->faces = kept + rim.count;
    ++k->corners;
    TACT_ASSERT(k->corners <= MAX_CORNERS && k->faces <= MAX_FACES);
    return true;
}

/// Finds the support plane of K nearest to the origin.
static void expand(epa_polytope* k)
{
    TACT_ASSERT(k->corners == 4 && k->faces == 4);
    double unknown = HUGE_VAL;  // nothing that could not be looked behind is lower
    k->best.height = HUGE_VAL;
    while (k->corners < MAX_CORNERS) {
        epa_face* f = lowest_open_face(k);
        const double slack = RESOLUTION * k->extent;
        // Without slack: of two faces that are equally near but for it, one can tell that the cores are apart.
        if (f == NULL || f->distance >= k->best.height) break;
        const convex_vertex p = tact_convex_pair_support(k->pair, f->normal);
        const double height = d_dot(f->normal, p.y);
        k->extent = fmax(k->extent, d_length(p.y));
        if (height < k->best.height) {
            k->best.height = height;
            k->best.face = *f;
        }
        if (height - f->distance <= slack) {
            f->closed = true;
        } else if (!grow(k, &p)) {
            f->closed = true;
            unknown = fmin(unknown, f->distance);
        }
    }
    k->exact = k->corners < MAX_CORNERS && unknown >= k->best.height - RESOLUTION * k->extent;
}

/// The point of a face nearest to `foot`, if it is nearer than `best`.
static void nearer_on_face(const epa_polytope* k, const epa_face* f, dvec foot, convex_simplex* best)
{
    const double off = d_dot(f->normal, foot) - f->distance;
    if (!(off * off < best->vv)) return;
    convex_simplex s;
    s.count = 3;
    for (int i = 0; i < 3; ++i) {
        s.p[i] = k->corner[f->corner[i]];
        s.p[i].y = d_sub(s.p[i].y, foot);
    }
    tact_convex_simplex_solve(&s);
    if (s.vv < best->vv) *best = s;
}

/// The points of the cores that are deepest. The support plane may hold several faces of the polytope, of which one has
/// the origin's foot.
static void deepest_points(const epa_polytope* k, dvec* a, dvec* b)
{
    const dvec foot = d_scale(k->best.face.normal, k->best.height);
    convex_simplex s;
    s.count = 0;  // and stays so if a caller's shape gave NaN
    s.vv = HUGE_VAL;
    nearer_on_face(k, &k->best.face, foot, &s);
    for (int i = 0; i < k->faces; ++i) {
        nearer_on_face(k, &k->face[i], foot, &s);
    }
    tact_convex_witnesses(&s, a, b);
}

/// K has no inside, so any shift across it parts the cores.
static convex_contact flat_contact(convex_pair* pair, const convex_simplex* s, dvec normal)
{
    convex_contact c;
    tact_convex_witnesses(s, &c.a, &c.b);
    const dvec down = d_scale(normal, -1.0);
    const double up = d_dot(normal, tact_convex_pair_support(pair, normal).y);
    const double below = d_dot(down, tact_convex_pair_support(pair, down).y);
    c.distance = -fmin(up, below);
    c.normal = below < up ? down : normal;
    c.converged = true;
    return c;
}

convex_contact tact_convex_contact_deep(convex_pair* pair, const convex_simplex* s)
{
    epa_polytope k;
    k.pair = pair;
    k.corners = k.faces = 0;
    k.extent = 0.0;
    dvec normal;
    if (!start(&k, &normal)) return flat_contact(pair, s, normal);
    expand(&k);
    convex_contact c;
    deepest_points(&k, &c.a, &c.b);
    c.distance = -k.best.height;
    c.normal = k.best.face.normal;
    c.converged = k.exact;
    return c;
}
