// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/convex_internal.h"

/// Parts of the features' size: nearer points are one, and about as deep is as deep.
#define SAME 1e-6
/// Outside by less is inside.
#define INSIDE 1e-9
/// Sine of the angle up to which a face counts as seen edge-on.
#define EDGE_ON 0.05
/// Sine of the angle up to which two edges count as parallel.
#define PARALLEL 1e-3
/// Cosine of the angle to the axis within which a cylinder's end, not its side, faces a direction.
#define END_ON 0.7

enum { MAX_FEATURE = 32, MAX_CLIPPED = 2 * MAX_FEATURE };

/// A face, edge or corner of a core.
typedef struct feature {
    int count;
    dvec p[MAX_CLIPPED];
} feature;

typedef struct candidate {
    dvec a, b;
    double distance;
} candidate;

/// What both features have in common seen along the normal.
typedef struct patch {
    int count;
    candidate c[MAX_CLIPPED + 1];
} patch;

static void add_point(feature* f, dvec p)
{
    f->p[f->count++] = p;
}

/// Twice the area, along the normal.
static dvec area_vector(const feature* f)
{
    dvec n = d_make(0.0, 0.0, 0.0);
    for (int i = 2; i < f->count; ++i) {
        n = d_add(n, d_cross(d_sub(f->p[i - 1], f->p[0]), d_sub(f->p[i], f->p[0])));
    }
    return n;
}

/// The cosine of the angle between a feature's normal and n, whichever side it faces; -1 if it is no polygon.
static double facing(const feature* f, dvec n)
{
    const dvec area = area_vector(f);
    const double length = d_length(area);
    return length > 0.0 ? fabs(d_dot(area, n)) / length : -1.0;
}

/// The face of a box spanned by edges j and k, on n's side.
static feature span_face(const convex_shape* s, int i, int j, int k, dvec n)
{
    static const double signs[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    const dvec center = d_scale(s->edge[i], d_dot(s->edge[i], n) < 0.0 ? -1.0 : 1.0);
    feature f = {.count = 0};
    for (int corner = 0; corner < 4; ++corner) {
        add_point(&f, d_along(d_along(center, signs[corner][0], s->edge[j]), signs[corner][1], s->edge[k]));
    }
    return f;
}

/// Of a box, rectangle, segment or point: unused edges are zero.
static feature span_feature(const convex_shape* s, dvec n)
{
    feature best = {.count = 0};
    double best_facing = -1.0;
    for (int i = 2; i >= 0; --i) {
        const feature f = span_face(s, i, (i + 1) % 3, (i + 2) % 3, n);
        if (facing(&f, n) <= best_facing) continue;
        best = f;
        best_facing = facing(&f, n);
    }
    if (best.count > 0) return best;
    // At most one edge has a length.
    const dvec edge = d_add(d_add(s->edge[0], s->edge[1]), s->edge[2]);
    add_point(&best, d_scale(edge, -1.0));
    if (d_dot(edge, edge) > 0.0) add_point(&best, edge);
    return best;
}

static feature triangle_feature(const convex_shape* s)
{
    feature f = {.count = 3};
    for (int i = 0; i < 3; ++i) {
        f.p[i] = s->edge[i];
    }
    return f;
}

/// Eight points of a disc's rim, the first of which is farthest along n.
static feature disc_feature(const convex_shape* s, dvec center, dvec n)
{
    const dvec axis = s->edge[1];
    dvec out = d_along(n, -d_dot(n, axis), axis);
    out = d_along(out, -d_dot(out, axis), axis);
    if (!(d_length(out) > 1e-9)) {
        out = fabs(axis.x) < 0.6 ? d_cross(axis, d_make(1.0, 0.0, 0.0)) : d_cross(axis, d_make(0.0, 1.0, 0.0));
    }
    const dvec u = d_scale(out, s->disc / d_length(out)), v = d_cross(axis, u);
    const double h = sqrt(0.5);
    const double turn[8][2] = {{1, 0}, {h, h}, {0, 1}, {-h, h}, {-1, 0}, {-h, -h}, {0, -1}, {h, -h}};
    feature f = {.count = 0};
    for (int i = 0; i < 8; ++i) {
        add_point(&f, d_along(d_along(center, turn[i][0], u), turn[i][1], v));
    }
    return f;
}

static feature round_feature(convex_shape* s, dvec n)
{
    // A cone without height is its base's disc.
    const bool cone = s->core == CORE_CONE && d_length(s->edge[0]) > SAME * s->disc;
    const bool thin = s->core == CORE_CONE && !cone;
    const double along = d_dot(s->edge[1], n);
    if (along >= END_ON) return disc_feature(s, s->edge[0], n);
    if (along <= -END_ON && !cone) return disc_feature(s, d_scale(s->edge[0], thin ? 1.0 : -1.0), n);
    // A line of the side.
    feature f = {.count = 0};
    const dvec rim = disc_feature(s, d_make(0.0, 0.0, 0.0), n).p[0];
    add_point(&f, d_add(s->edge[0], rim));
    add_point(&f, cone ? d_make(0.0, 0.0, 0.0) : d_sub(rim, s->edge[0]));
    return f;
}

/// Face i, of large ones every so manieth corner.
static feature hull_face(const convex_shape* s, uint32_t i)
{
    const tact_hull* hull = s->hull;
    const uint32_t from = hull->face_start[i], to = hull->face_start[i + 1];
    const uint32_t step = to > from ? (to - from + MAX_FEATURE - 1) / MAX_FEATURE : 1;
    feature f = {.count = 0};
    for (uint32_t k = from; k < to; k += step) {
        if (hull->face_points[k] >= hull->point_count) continue;
        add_point(&f, tact_convex_hull_point(s, hull->face_points[k]));
    }
    return f;
}

static double top_of(const feature* f, dvec n)
{
    double top = -HUGE_VAL;
    for (int i = 0; i < f->count; ++i) {
        top = fmax(top, d_dot(f->p[i], n));
    }
    return top;
}

static double size_of(const feature* f)
{
    double size = 0.0;
    for (int i = 1; i < f->count; ++i) {
        size = fmax(size, d_length(d_sub(f->p[i], f->p[0])));
    }
    return size;
}

static int points_near_top(const feature* f, dvec n, double top)
{
    int count = 0;
    for (int i = 0; i < f->count; ++i) {
        count += d_dot(f->p[i], n) >= top - SAME * size_of(f);
    }
    return count;
}

/// The face with most corners in the support plane and, of those, the one that faces n best.
static feature hull_feature(convex_shape* s, dvec n)
{
    const dvec support = tact_convex_core_support(s, n);
    feature best = {.count = 1, .p = {support}};
    if (s->hull->face_start == NULL || s->hull->face_points == NULL) return best;
    int best_count = 0;
    double best_facing = -HUGE_VAL;
    for (uint32_t i = 0; i < s->hull->face_count; ++i) {
        const feature f = hull_face(s, i);
        const int count = points_near_top(&f, n, d_dot(support, n));
        const double toward = d_dot(area_vector(&f), n) < 0.0 ? -1.0 : facing(&f, n);
        if (count == 0 || count < best_count || (count == best_count && toward <= best_facing)) continue;
        best = f;
        best_count = count;
        best_facing = toward;
    }
    return best;
}

/// None for a round or custom shape: the deepest contact is all it has.
static feature core_feature(convex_shape* s, dvec n)
{
    switch (s->core) {
        case CORE_SPAN:
            return span_feature(s, n);
        case CORE_CORNERS:
            return triangle_feature(s);
        case CORE_CYLINDER:
        case CORE_CONE:
            return round_feature(s, n);
        case CORE_HULL:
            return hull_feature(s, n);
        default:
            return (feature){.count = 0};
    }
}

/// Of a polygon seen edge-on or without an area, the edge (or corner) farthest along n.
static void reduce_edge_on(feature* f, dvec n)
{
    if (f->count <= 2 || facing(f, n) > EDGE_ON) return;
    const double low = top_of(f, n) - SAME * size_of(f);
    feature top = {.count = 0};
    int far = 0;
    for (int i = 0; i < f->count; ++i) {
        if (d_dot(f->p[i], n) >= low) add_point(&top, f->p[i]);
    }
    for (int i = 1; i < top.count; ++i) {
        if (d_length(d_sub(top.p[i], top.p[0])) > d_length(d_sub(top.p[far], top.p[0]))) far = i;
    }
    top.p[1] = top.p[far];
    top.count = far > 0 ? 2 : 1;
    *f = top;
}

/// Keeps what is on the inner side of the plane of points x with inward . x >= limit.
static void clip(feature* f, dvec inward, double limit)
{
    feature kept = {.count = 0};
    for (int i = 0; i < f->count; ++i) {
        const dvec p = f->p[i], q = f->p[(i + 1) % f->count];
        const double hp = d_dot(inward, p) - limit, hq = d_dot(inward, q) - limit;
        if (kept.count + 2 > MAX_CLIPPED) break;
        if (hp >= 0.0) add_point(&kept, p);
        if ((hp >= 0.0) != (hq >= 0.0)) add_point(&kept, d_along(p, hp / (hp - hq), d_sub(q, p)));
    }
    *f = kept;
}

/// Clips to the prism along n over a polygon.
static void clip_to_face(feature* f, const feature* face, dvec n, double slack)
{
    const double turn = d_dot(area_vector(face), n) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < face->count && f->count > 0; ++i) {
        const dvec p = face->p[i], q = face->p[(i + 1) % face->count];
        const dvec inward = d_scale(d_cross(n, d_sub(q, p)), turn);
        const double length = d_length(inward);
        if (!(length > 0.0)) continue;
        clip(f, inward, d_dot(inward, p) - slack * length);
    }
}

/// Where the line through p along n meets the plane of a face.
static dvec onto_face(dvec p, const feature* face, dvec n)
{
    const dvec area = area_vector(face);
    return d_along(p, d_dot(area, d_sub(face->p[0], p)) / d_dot(area, n), n);
}

static void add_candidate(patch* t, dvec a, dvec b, dvec n, double size)
{
    for (int i = 0; i < t->count; ++i) {
        if (d_length(d_sub(t->c[i].a, a)) <= SAME * size) return;
    }
    const candidate c = {a, b, d_dot(n, d_sub(b, a))};
    t->c[t->count++] = c;
}

/// Two edges: where they run along each other, if they do.
static void match_edges(patch* t, const feature* fa, const feature* fb, dvec n, double size)
{
    const dvec da = d_sub(fa->p[1], fa->p[0]), db = d_sub(fb->p[1], fb->p[0]);
    const double bb = d_dot(db, db);
    if (!(d_length(d_cross(da, db)) <= PARALLEL * d_length(da) * sqrt(bb))) return;
    feature f = *fa;
    clip(&f, db, d_dot(db, fb->p[0]));
    if (f.count > 0) clip(&f, d_scale(db, -1.0), -d_dot(db, fb->p[1]));
    for (int i = 0; i < f.count; ++i) {
        const dvec other = d_along(fb->p[0], d_dot(db, d_sub(f.p[i], fb->p[0])) / bb, db);
        const dvec across = d_cross(n, d_sub(other, f.p[i]));
        // Parallel, but beside each other: two edges that are not both at the contact.
        if (d_length(across) <= 2.0 * PARALLEL * size) add_candidate(t, f.p[i], other, n, size);
    }
}

static void match_features(patch* t, const feature* fa, const feature* fb, dvec n, double size)
{
    if (fa->count < 2 || fb->count < 2) return;
    if (fa->count == 2 && fb->count == 2) {
        match_edges(t, fa, fb, n, size);
        return;
    }
    const bool b_clips = fb->count > 2;
    feature f = b_clips ? *fa : *fb;
    const feature* face = b_clips ? fb : fa;
    clip_to_face(&f, face, n, INSIDE * size);
    for (int i = 0; i < f.count; ++i) {
        const dvec other = onto_face(f.p[i], face, n);
        add_candidate(t, b_clips ? f.p[i] : other, b_clips ? other : f.p[i], n, size);
    }
}

/// Puts the deepest contact among the candidates unless one is as deep, and drops those beyond `limit`.
static void complete(patch* t, const convex_contact* c, dvec offset, double limit, double size)
{
    const candidate deepest = {d_add(c->a, offset), c->b, c->distance};
    bool found = false;
    int kept = 0;
    for (int i = 0; i < t->count; ++i) {
        if (!(t->c[i].distance <= limit)) continue;
        found = found || t->c[i].distance <= deepest.distance + SAME * size;
        t->c[kept++] = t->c[i];
    }
    t->count = kept;
    if (!found) t->c[t->count++] = deepest;
}

static double distance_to_chosen(const patch* t, int chosen, int i)
{
    double nearest = HUGE_VAL;
    for (int k = 0; k < chosen; ++k) {
        nearest = fmin(nearest, d_length(d_sub(t->c[k].a, t->c[i].a)));
    }
    return nearest;
}

static void swap(patch* t, int i, int k)
{
    const candidate c = t->c[i];
    t->c[i] = t->c[k];
    t->c[k] = c;
}

/// Brings the deepest candidate to the front, then ever the one farthest from those before it.
static void choose(patch* t, int wanted, double size)
{
    if (t->count <= wanted) return;
    int best = 0;
    for (int i = 1; i < t->count; ++i) {
        if (t->c[i].distance < t->c[best].distance - SAME * size) best = i;
    }
    swap(t, 0, best);
    for (int chosen = 1; chosen < wanted; ++chosen) {
        best = chosen;
        for (int i = chosen + 1; i < t->count; ++i) {
            const double gain = distance_to_chosen(t, chosen, i) - distance_to_chosen(t, chosen, best);
            if (gain > SAME * size) best = i;
        }
        swap(t, chosen, best);
    }
    t->count = wanted;
}

static tact_manifold round_patch(const convex_pair* pair, const patch* t, dvec n)
{
    tact_manifold m = {.count = (uint32_t)t->count, .normal = d_round(n)};
    for (int i = 0; i < t->count; ++i) {
        // All positions are relative to B's origin here.
        m.point[i].a = d_round(d_add(pair->b.origin, d_along(t->c[i].a, pair->a.radius, n)));
        m.point[i].b = d_round(d_add(pair->b.origin, d_along(t->c[i].b, -pair->b.radius, n)));
        m.point[i].distance = (float)(t->c[i].distance - pair->radius);
    }
    return m;
}

tact_manifold tact_convex_manifold(tact_convex a, tact_convex b, float margin, uint32_t max_points)
{
    const tact_manifold none = {.count = 0, .normal = {NAN, NAN, NAN}};
    convex_pair pair;
    convex_contact c;
    if (max_points == 0 || !tact_convex_pair_make(&pair, a, b)) return none;
    if (!tact_convex_contact_find(&pair, true, NULL, &c)) return none;
    if (!((float)(c.distance - pair.radius) <= margin)) return none;
    feature fa = core_feature(&pair.a, c.normal), fb = core_feature(&pair.b, d_scale(c.normal, -1.0));
    for (int i = 0; i < fa.count; ++i) {
        fa.p[i] = d_add(fa.p[i], pair.offset);
    }
    reduce_edge_on(&fa, c.normal);
    reduce_edge_on(&fb, d_scale(c.normal, -1.0));
    const double size =
        fmin(fa.count > 1 ? size_of(&fa) : (double)INFINITY, fb.count > 1 ? size_of(&fb) : (double)INFINITY);
    const double unit = isfinite(size) ? size : 0.0;
    patch t = {.count = 0};
    match_features(&t, &fa, &fb, c.normal, unit);
    complete(&t, &c, pair.offset, (double)margin + pair.radius + SAME * unit, unit);
    choose(&t, max_points < TACT_MANIFOLD_POINTS ? (int)max_points : TACT_MANIFOLD_POINTS, unit);
    return round_patch(&pair, &t, c.normal);
}
