// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/asserts.h"
#include "cpu_ref/geometry/convex_internal.h"
#include "cpu_ref/geometry/obb_internal.h"

/// Rounding errors of a support point, relative to the numbers it is made of: closer to the origin than this is on it.
#define TOUCHING 0x1p-48

/// Part of the same up to which a distance must be known to count as converged.
#define PROVEN 1e-9

enum { MAX_STEPS = 128 };

typedef struct nearest {
    double vv;
    dvec v;
    int count;
    int index[3];
    double weight[3];
} nearest;

static void consider_corner(nearest* best, const convex_simplex* s, int i)
{
    const double vv = d_dot(s->p[i].y, s->p[i].y);
    if (!(vv < best->vv)) return;
    const nearest found = {vv, s->p[i].y, 1, {i}, {1.0}};
    *best = found;
}

static void consider_edge(nearest* best, const convex_simplex* s, int i, int j)
{
    const dvec p = s->p[i].y, e = d_sub(s->p[j].y, p);
    const double along = -d_dot(p, e), length = d_dot(e, e);
    if (!(along > 0.0 && along < length)) return;
    const double t = along / length;
    const dvec v = d_along(p, t, e);
    if (!(d_dot(v, v) < best->vv)) return;
    const nearest found = {d_dot(v, v), v, 2, {i, j}, {1.0 - t, t}};
    *best = found;
}

static void consider_face(nearest* best, const convex_simplex* s, int i, int j, int k)
{
    const dvec a = s->p[i].y, b = s->p[j].y, c = s->p[k].y;
    const dvec ab = d_sub(b, a), ac = d_sub(c, a);
    const dvec n = d_cross(ab, ac);
    const double nn = d_dot(n, n);
    // A needle's plane is not known well enough; its edges are as near.
    if (!(nn > 1e-26 * d_dot(ab, ab) * d_dot(ac, ac))) return;
    const dvec foot = d_scale(n, d_dot(n, a) / nn);
    const dvec p = d_sub(a, foot), q = d_sub(b, foot), r = d_sub(c, foot);
    const double u = d_dot(n, d_cross(q, r)), v = d_dot(n, d_cross(r, p)), w = d_dot(n, d_cross(p, q));
    if (!(u > 0.0 && v > 0.0 && w > 0.0)) return;
    const double sum = u + v + w;
    // Not the foot: that of a thin triangle can be off by more than its width, but this is a point of the triangle.
    const dvec point = d_along(d_along(d_scale(a, u / sum), v / sum, b), w / sum, c);
    if (!(d_dot(point, point) < best->vv)) return;
    const nearest found = {d_dot(point, point), point, 3, {i, j, k}, {u / sum, v / sum, w / sum}};
    *best = found;
}

/// A face of a tetrahedron: its normal, and how far along it the corner across and the origin are.
typedef struct opposite_face {
    dvec normal;
    double corner, origin;
} opposite_face;

static opposite_face face_across(const convex_simplex* s, int i, int j, int k, int l)
{
    const dvec a = s->p[i].y;
    opposite_face f;
    f.normal = d_cross(d_sub(s->p[j].y, a), d_sub(s->p[k].y, a));
    f.corner = d_dot(f.normal, d_sub(s->p[l].y, a));
    f.origin = -d_dot(f.normal, a);
    return f;
}

/// `boundary` is the squared distance from the tetrahedron's faces, w the weights of its corners.
static bool tetrahedron_holds_origin(const convex_simplex* s, double boundary, double w[4])
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    opposite_face f[4];
    for (int i = 0; i < 4; ++i) {
        f[i] = face_across(s, faces[i][0], faces[i][1], faces[i][2], i);
        const bool same_side = (f[i].corner > 0.0 && f[i].origin >= 0.0) || (f[i].corner < 0.0 && f[i].origin <= 0.0);
        if (!same_side) return false;
    }
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        // A point inside is no farther from the faces than any corner from the one across. If this one is, the
        // tetrahedron is so thin that the signs are rounding.
        if (!(boundary * d_dot(f[i].normal, f[i].normal) <= f[i].corner * f[i].corner)) return false;
        w[i] = f[i].origin / f[i].corner;
        sum += w[i];
    }
    for (int i = 0; i < 4; ++i) {
        w[i] /= sum;
    }
    return true;
}

/// The squared length of the corners' weighted sum.
static double sum_squared(const convex_simplex* s, const double w[4])
{
    dvec v = d_make(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; ++i) {
        v = d_along(v, w[i], s->p[i].y);
    }
    return d_dot(v, v);
}

/// Tries all parts of the simplex that have corner `last` and, of the others, only earlier ones.
static void consider_parts(nearest* best, const convex_simplex* s, int last)
{
    TACT_ASSERT(last >= 0 && last < s->count);
    consider_corner(best, s, last);
    for (int j = 0; j < last; ++j) {
        consider_edge(best, s, j, last);
        for (int i = 0; i < j; ++i) {
            consider_face(best, s, i, j, last);
        }
    }
}

/// Leaves no corner if none is a number: a caller's shape gave NaN, and its pair is no longer valid.
static void keep_nearest(convex_simplex* s, const nearest* best)
{
    TACT_ASSERT(best->count >= 0 && best->count <= 3);
    s->count = best->count;
    for (int i = 0; i < best->count; ++i) {
        s->p[i] = s->p[best->index[i]];  // the indices ascend
        s->weight[i] = best->weight[i];
    }
    s->v = best->v;
    s->vv = best->vv;
}

/// Takes the inside of a tetrahedron that holds the origin, with the weights w; false if they are so inexact that the
/// nearest part of the surface, at the squared distance `boundary`, leads as near.
static bool take_inside(convex_simplex* s, const double w[4], double boundary)
{
    s->inside = true;
    if (!(sum_squared(s, w) <= boundary)) return false;
    memcpy(s->weight, w, sizeof s->weight);
    s->v = d_make(0.0, 0.0, 0.0);
    s->vv = 0.0;
    return true;
}

/// The simplex' corners, edges, faces and inside are all tried: a closed answer by regions takes fewer operations, but
/// trusts signs that rounding can turn.
void tact_convex_simplex_solve(convex_simplex* s)
{
    TACT_ASSERT(s->count >= 1 && s->count <= 4);
    nearest best = {.vv = HUGE_VAL};
    for (int last = 0; last < s->count; ++last) {
        consider_parts(&best, s, last);
    }
    double w[4] = {0.0, 0.0, 0.0, 0.0};
    s->inside = false;
    if (s->count == 4 && tetrahedron_holds_origin(s, best.vv, w) && take_inside(s, w, best.vv)) return;
    keep_nearest(s, &best);
    if (!s->inside) return;
    s->v = d_make(0.0, 0.0, 0.0);
    s->vv = 0.0;
}

/// Adds a corner to a solved simplex. Only parts with that corner can be nearer than before. False if none is; nothing
/// then changes.
static bool simplex_add(convex_simplex* s, const convex_vertex* p)
{
    TACT_ASSERT(s->count >= 0 && s->count <= 3);
    nearest best = {.vv = s->vv};
    s->p[s->count++] = *p;
    consider_parts(&best, s, s->count - 1);
    double w[4];
    if (s->count == 4 && tetrahedron_holds_origin(s, best.vv, w)) {
        if (!take_inside(s, w, best.vv)) tact_convex_simplex_solve(s);
        return true;
    }
    if (best.count == 0) {
        --s->count;
        return false;
    }
    keep_nearest(s, &best);
    return true;
}

static bool has_corner(const convex_simplex* s, dvec y)
{
    for (int i = 0; i < s->count; ++i) {
        if (d_same(s->p[i].y, y)) return true;
    }
    return false;
}

static double largest(dvec a)
{
    return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
}

/// How large the numbers are that make up a point of K: its rounding error is a few units in their last place.
static double vertex_scale(const convex_pair* pair, const convex_vertex* p)
{
    return largest(pair->offset) + largest(p->a) + largest(p->b);
}

static double simplex_scale(const convex_pair* pair, const convex_simplex* s)
{
    double scale = 0.0;
    for (int i = 0; i < s->count; ++i) {
        scale = fmax(scale, vertex_scale(pair, &s->p[i]));
    }
    return scale;
}

void tact_convex_simplex_start(convex_pair* pair, convex_simplex* s, const tact_convex_cache* cache)
{
    s->count = 0;
    const uint32_t known = cache != NULL && cache->count <= 4 ? cache->count : 0;
    for (uint32_t i = 0; i < known; ++i) {
        const dvec d = d_from(cache->direction[i]);
        if (!d_finite(d) || !(d_dot(d, d) > 0.0)) continue;
        const convex_vertex p = tact_convex_pair_support(pair, d);
        if (!has_corner(s, p.y)) s->p[s->count++] = p;
    }
    if (s->count == 0) {
        const bool apart = d_dot(pair->offset, pair->offset) > 0.0;
        s->p[s->count++] = tact_convex_pair_support(pair, apart ? d_scale(pair->offset, -1.0) : d_make(1.0, 0.0, 0.0));
    }
    TACT_ASSERT(s->count >= 1 && s->count <= 4);
    tact_convex_simplex_solve(s);
}

/// The simplex whose support plane proves its distance best, which need not be the last: one of thin triangles can have
/// a good distance and a bad direction.
typedef struct gjk_best {
    convex_simplex simplex;
    double error;
} gjk_best;

static gjk_verdict settle(convex_simplex* s, const gjk_best* best, double extent)
{
    const bool proven = best->error <= PROVEN * extent;
    if (!proven && sqrt(s->vv) <= PROVEN * extent) return GJK_NEAR;
    if (best->simplex.count > 0) *s = best->simplex;
    return proven ? GJK_APART : GJK_UNPROVEN;
}

gjk_verdict tact_convex_gjk(convex_pair* pair, convex_simplex* s, bool radii_matter)
{
    double extent = simplex_scale(pair, s);
    gjk_best best;
    best.simplex.count = 0;
    best.error = HUGE_VAL;
    for (int step = 0; step < MAX_STEPS; ++step) {
        const double length = sqrt(s->vv);
        if (s->inside || length <= TOUCHING * extent) return GJK_TOUCHING;
        if (radii_matter && pair->radius > 0.0 && length <= pair->radius) return GJK_APART;
        const convex_vertex p = tact_convex_pair_support(pair, d_scale(s->v, -1.0 / length));
        const double height = d_dot(s->v, p.y);
        // The plane through p across v has all of K behind it.
        if (radii_matter && height > pair->radius * length && height > TOUCHING * extent * length) return GJK_APART;
        extent = fmax(extent, vertex_scale(pair, &p));
        if (s->vv - height <= 1e-14 * s->vv) return GJK_APART;
        const double error = length - height / length;
        if (error < best.error) {
            if (!radii_matter) best.simplex = *s;  // else only the verdict is wanted
            best.error = error;
        }
        // As near as rounding lets it come.
        if (has_corner(s, p.y)) break;
        if (!simplex_add(s, &p)) break;
    }
    return settle(s, &best, extent);
}

void tact_convex_witnesses(const convex_simplex* s, dvec* a, dvec* b)
{
    TACT_ASSERT(s->count >= 0 && s->count <= 4);
    *a = *b = d_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->count; ++i) {
        *a = d_along(*a, s->weight[i], s->p[i].a);
        *b = d_along(*b, s->weight[i], s->p[i].b);
    }
}

static void remember(const convex_simplex* s, tact_convex_cache* cache)
{
    TACT_ASSERT(s->count >= 1 && s->count <= 4);
    if (cache == NULL) return;
    cache->count = (uint32_t)s->count;
    for (int i = 0; i < s->count; ++i) {
        const dvec d = s->p[i].direction;
        cache->direction[i] = d_round(d_scale(d, 1.0 / d_length(d)));
    }
}

bool tact_convex_overlap(tact_convex a, tact_convex b, tact_convex_cache* cache)
{
    if (a.kind == TACT_CONVEX_OBB && b.kind == TACT_CONVEX_OBB) {  // fifteen axes take less time than GJK
        const obb_quick boxes = tact_obb_quick(a.shape, b.shape, false);
        if (boxes != OBB_UNSURE) return boxes == OBB_OVERLAP;
    }
    convex_pair pair;
    if (!tact_convex_pair_make(&pair, a, b)) return false;
    const convex_quick quick = tact_convex_quick(&pair, cache);
    if (quick != QUICK_UNSURE) return quick == QUICK_TOUCHING;
    convex_simplex s;
    tact_convex_simplex_start(&pair, &s, cache);
    const gjk_verdict verdict = tact_convex_gjk(&pair, &s, true);
    if (!pair.a.valid || !pair.b.valid) return false;
    remember(&s, cache);
    if (verdict == GJK_TOUCHING || (pair.radius > 0.0 && sqrt(s.vv) <= pair.radius)) return true;
    if (verdict == GJK_APART) return false;
    return tact_convex_contact_deep(&pair, &s).distance <= pair.radius + TOUCHING * simplex_scale(&pair, &s);
}

static convex_contact contact_apart(const convex_simplex* s, bool converged)
{
    convex_contact c;
    c.distance = sqrt(s->vv);
    c.normal = d_scale(s->v, -1.0 / c.distance);
    c.converged = converged;
    tact_convex_witnesses(s, &c.a, &c.b);
    return c;
}

static convex_contact common_point(const convex_simplex* s)
{
    convex_contact c = {.distance = 0.0, .converged = true};
    tact_convex_witnesses(s, &c.a, &c.b);
    return c;
}

bool tact_convex_contact_find(convex_pair* pair, bool deep, tact_convex_cache* cache, convex_contact* c)
{
    convex_simplex s;
    tact_convex_simplex_start(pair, &s, cache);
    const gjk_verdict verdict = tact_convex_gjk(pair, &s, false);
    if (!pair->a.valid || !pair->b.valid) return false;
    remember(&s, cache);
    const bool near = verdict == GJK_NEAR || verdict == GJK_UNPROVEN, inner = deep || pair->radius > 0.0;
    if (near || (verdict == GJK_TOUCHING && inner)) {
        *c = tact_convex_contact_deep(pair, &s);
        const bool touching = !near || c->distance <= TOUCHING * simplex_scale(pair, &s);
        // Not nearer than found, then: the simplex has the better points.
        if (!touching && verdict == GJK_UNPROVEN) *c = contact_apart(&s, false);
        if (touching) c->distance = fmin(c->distance, 0.0);
        if (touching && !inner) *c = common_point(&s);
    } else {
        *c = verdict == GJK_TOUCHING ? common_point(&s) : contact_apart(&s, verdict == GJK_APART);
    }
    return pair->a.valid && pair->b.valid;
}

tact_convex_contact tact_convex_contact_round(const convex_pair* pair, const convex_contact* c)
{
    tact_convex_contact r;
    r.distance = (float)(c->distance - pair->radius);
    r.a = d_round(d_add(pair->a.origin, d_along(c->a, pair->a.radius, c->normal)));
    r.b = d_round(d_add(pair->b.origin, d_along(c->b, -pair->b.radius, c->normal)));
    r.normal = d_round(c->normal);
    r.converged = c->converged;
    return r;
}

static tact_convex_contact contact(tact_convex a, tact_convex b, bool deep, tact_convex_cache* cache)
{
    const tact_vec3 nowhere = {NAN, NAN, NAN};
    const tact_convex_contact none = {INFINITY, nowhere, nowhere, nowhere, true};
    convex_pair pair;
    convex_contact c;
    if (!tact_convex_pair_make(&pair, a, b) || !tact_convex_contact_find(&pair, deep, cache, &c)) return none;
    return tact_convex_contact_round(&pair, &c);
}

tact_convex_contact tact_convex_distance(tact_convex a, tact_convex b, tact_convex_cache* cache)
{
    return contact(a, b, false, cache);
}

tact_convex_contact tact_convex_penetration(tact_convex a, tact_convex b)
{
    return contact(a, b, true, NULL);
}
