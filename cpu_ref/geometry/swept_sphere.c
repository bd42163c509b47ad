// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/swept_sphere.h"

#include "cpu_ref/geometry/fit_internal.h"

static const double pi = 3.14159265358979323846;

/// The inner shape: a parallelogram with its four edges, or the one edge that is left of it.
typedef struct medial {
    dvec corner, edge[2], normal;
    dvec start[4], along[4];  // start is relative to the corner
    int edges;
    double normal2, radius, size;
} medial;

/// a b without rounding is p + this, by splitting into halves of the digits (Veltkamp, Dekker).
static double product_error(double a, double b, double p)
{
    const double split = 134217729.0;
    const double ca = split * a, cb = split * b;
    const double ah = ca - (ca - a), bh = cb - (cb - b);
    const double al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/// a b - c d, right to its last bits even where it cancels.
static double cross_term(double a, double b, double c, double d)
{
    const double p = a * b, q = c * d;
    return (p - q) + (product_error(a, b, p) - product_error(c, d, q));
}

/// The direction is right for nearly parallel vectors too: an error in it would be divided by their angle.
static dvec precise_cross(dvec a, dvec b)
{
    return d_make(cross_term(a.y, b.z, a.z, b.y), cross_term(a.z, b.x, a.x, b.z), cross_term(a.x, b.y, a.y, b.x));
}

static double taxi(dvec v)
{
    return (fabs(v.x) + fabs(v.y)) + fabs(v.z);
}

static bool valid_radius(float radius)
{
    return radius >= 0.0f && isfinite(radius);
}

static bool from_capsule(const tact_capsule* c, medial* m)
{
    m->corner = d_from(c->a);
    m->edge[0] = m->along[0] = d_sub(d_from(c->b), m->corner);
    m->edge[1] = m->normal = m->start[0] = d_make(0.0, 0.0, 0.0);
    m->normal2 = 0.0;
    m->edges = 1;
    m->radius = (double)c->radius;
    m->size = taxi(m->edge[0]) + m->radius;
    return v_finite(c->a) && v_finite(c->b) && valid_radius(c->radius);
}

static bool from_lozenge(const tact_lozenge* l, medial* m)
{
    const dvec zero = d_make(0.0, 0.0, 0.0);
    m->corner = d_from(l->corner);
    for (int i = 0; i < 2; ++i)
        m->edge[i] = m->along[i] = d_from(l->edge[i]);
    m->normal = precise_cross(m->edge[0], m->edge[1]);
    m->normal2 = d_dot(m->normal, m->normal);
    m->start[0] = m->start[1] = zero;
    m->along[2] = m->edge[0];
    m->start[2] = m->edge[1];
    m->along[3] = m->edge[1];
    m->start[3] = m->edge[0];
    m->edges = 4;
    if (m->normal2 == 0.0 && (taxi(m->edge[0]) == 0.0 || taxi(m->edge[1]) == 0.0)) {
        m->along[0] = d_add(m->edge[0], m->edge[1]);
        m->edges = 1;
    }
    m->radius = (double)l->radius;
    m->size = taxi(m->edge[0]) + taxi(m->edge[1]) + m->radius;
    return v_finite(l->corner) && v_finite(l->edge[0]) && v_finite(l->edge[1]) && valid_radius(l->radius);
}

/// From the segment 0 + s u to r + t v. Wrong s or t move points along the other line only, as far as the error over
/// the angle, which costs a distance of the error alone.
static double segment_segment(dvec r, dvec u, dvec v)
{
    const dvec back = d_scale(r, -1.0);
    double best = fmin(fmin(d_to_segment(r, u), d_to_segment(d_add(r, v), u)),
                       fmin(d_to_segment(back, v), d_to_segment(d_add(back, u), v)));
    const dvec n = precise_cross(u, v);
    const double nn = d_dot(n, n);
    if (!(nn > 0.0)) return best;
    const double s = d_dot(d_cross(r, v), n) / nn, t = d_dot(d_cross(r, u), n) / nn;
    if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) best = fmin(best, fabs(d_dot(r, n)) / sqrt(nn));
    return best;
}

/// Distance to the plane of a parallelogram for points above its inside, else infinity. p is relative to its corner.
static double point_above(const medial* m, dvec p)
{
    if (!(m->normal2 > 0.0)) return HUGE_VAL;
    const double s = d_dot(d_cross(p, m->edge[1]), m->normal) / m->normal2;
    const double t = d_dot(d_cross(m->edge[0], p), m->normal) / m->normal2;
    if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)) return HUGE_VAL;
    return fabs(d_dot(p, m->normal)) / sqrt(m->normal2);
}

static bool segment_crosses(const medial* m, dvec p, dvec d)
{
    const double slope = d_dot(d, m->normal);
    if (slope == 0.0) return false;  // a segment in the plane crosses an edge or ends above the inside
    const double t = -d_dot(p, m->normal) / slope;
    return t >= 0.0 && t <= 1.0 && point_above(m, d_along(p, t, d)) < HUGE_VAL;
}

static double point_medial(const medial* m, dvec point)
{
    const dvec p = d_sub(point, m->corner);
    double best = point_above(m, p);
    for (int i = 0; i < m->edges; ++i)
        best = fmin(best, d_to_segment(d_sub(p, m->start[i]), m->along[i]));
    return best;
}

/// r is from a's corner to b's. Edges of b against the inside of a.
static double edges_above(const medial* a, const medial* b, dvec r)
{
    double best = HUGE_VAL;
    for (int i = 0; i < b->edges; ++i) {
        const dvec p = d_add(r, b->start[i]);
        if (segment_crosses(a, p, b->along[i])) return 0.0;
        best = fmin(best, fmin(point_above(a, p), point_above(a, d_add(p, b->along[i]))));
    }
    return best;
}

/// Bit for bit the same when a and b change places: every difference is the exact negative of its counterpart.
static double medial_distance(const medial* a, const medial* b)
{
    const dvec r = d_sub(b->corner, a->corner);
    double best = fmin(edges_above(a, b, r), edges_above(b, a, d_scale(r, -1.0)));
    for (int i = 0; i < a->edges && best > 0.0; ++i) {
        for (int j = 0; j < b->edges; ++j) {
            const dvec between = d_add(r, d_sub(b->start[j], a->start[i]));
            best = fmin(best, segment_segment(between, a->along[i], b->along[j]));
        }
    }
    return best;
}

static bool within_reach(double distance, double reach, double size)
{
    return distance <= reach + 0x1p-48 * size;
}

static double size_of_pair(const medial* a, const medial* b)
{
    return taxi(d_sub(b->corner, a->corner)) + (a->size + b->size);
}

static bool medials_overlap(const medial* a, const medial* b)
{
    const double size = size_of_pair(a, b), reach = a->radius + b->radius;
    const dvec between = d_sub(b->corner, a->corner);
    // Whole shapes lie within the taxi length of their edges from the corner.
    if (d_length(between) > a->size + b->size + 0x1p-48 * size) return false;
    return within_reach(medial_distance(a, b), reach, size);
}

static bool sphere_overlaps(const medial* m, tact_sphere s)
{
    if (!v_finite(s.center) || !valid_radius(s.radius)) return false;
    const dvec p = d_from(s.center);
    const double radius = (double)s.radius, size = taxi(d_sub(p, m->corner)) + (m->size + radius);
    return within_reach(point_medial(m, p), m->radius + radius, size);
}

bool tact_capsule_overlaps_sphere(const tact_capsule* capsule, tact_sphere sphere)
{
    medial m;
    return from_capsule(capsule, &m) && sphere_overlaps(&m, sphere);
}

bool tact_capsule_overlaps_capsule(const tact_capsule* a, const tact_capsule* b)
{
    medial p, q;
    return from_capsule(a, &p) && from_capsule(b, &q) && medials_overlap(&p, &q);
}

bool tact_lozenge_overlaps_sphere(const tact_lozenge* lozenge, tact_sphere sphere)
{
    medial m;
    return from_lozenge(lozenge, &m) && sphere_overlaps(&m, sphere);
}

bool tact_lozenge_overlaps_capsule(const tact_lozenge* lozenge, const tact_capsule* capsule)
{
    medial p, q;
    return from_lozenge(lozenge, &p) && from_capsule(capsule, &q) && medials_overlap(&p, &q);
}

bool tact_lozenge_overlaps_lozenge(const tact_lozenge* a, const tact_lozenge* b)
{
    medial p, q;
    return from_lozenge(a, &p) && from_lozenge(b, &q) && medials_overlap(&p, &q);
}

double tact_lozenge_distance(const tact_lozenge* a, const tact_lozenge* b)
{
    medial p, q;
    if (!from_lozenge(a, &p) || !from_lozenge(b, &q)) return HUGE_VAL;
    return fmax(medial_distance(&p, &q) - (p.radius + q.radius), 0.0);
}

tact_lozenge tact_lozenge_from_sphere(tact_sphere sphere)
{
    const tact_lozenge l = {sphere.center, {{0, 0, 0}, {0, 0, 0}}, sphere.radius};
    return l;
}

tact_lozenge tact_lozenge_from_capsule(const tact_capsule* capsule)
{
    const tact_vec3 along = d_round(d_sub(d_from(capsule->b), d_from(capsule->a)));
    const tact_lozenge l = {capsule->a, {along, {0, 0, 0}}, capsule->radius};
    return l;
}

/// a + b, rounded down.
static double sum_down(double a, double b)
{
    const double sum = a + b, b2 = sum - a;
    const double error = (a - (sum - b2)) + (b - b2);
    return error < 0.0 ? nextafter(sum, -HUGE_VAL) : sum;
}

/// The greatest float that no part of the shape is below, along one coordinate. sign -1: above.
static float bound(const medial* m, int axis, double sign)
{
    double low = sign * d_at(m->corner, axis);
    for (int i = 0; i < 2; ++i)
        low = sum_down(low, fmin(0.0, sign * d_at(m->edge[i], axis)));
    return (float)sign * d_round_down(sum_down(low, -m->radius));
}

static tact_aabb to_aabb(const medial* m)
{
    const tact_aabb box = {{bound(m, 0, 1.0), bound(m, 1, 1.0), bound(m, 2, 1.0)},
                           {bound(m, 0, -1.0), bound(m, 1, -1.0), bound(m, 2, -1.0)}};
    return box;
}

static const tact_aabb empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

tact_aabb tact_capsule_to_aabb(const tact_capsule* capsule)
{
    tact_lozenge ends[2];
    tact_aabb box[2];
    for (int i = 0; i < 2; ++i) {
        const tact_sphere end = {i == 0 ? capsule->a : capsule->b, capsule->radius};
        ends[i] = tact_lozenge_from_sphere(end);
        box[i] = tact_lozenge_to_aabb(&ends[i]);
        if (box[i].lower.x > box[i].upper.x) return empty;
    }
    const tact_vec3 p = box[0].lower, q = box[1].lower, r = box[0].upper, s = box[1].upper;
    const tact_aabb both = {{fminf(p.x, q.x), fminf(p.y, q.y), fminf(p.z, q.z)},
                            {fmaxf(r.x, s.x), fmaxf(r.y, s.y), fmaxf(r.z, s.z)}};
    return both;
}

tact_aabb tact_lozenge_to_aabb(const tact_lozenge* lozenge)
{
    medial m;
    return from_lozenge(lozenge, &m) ? to_aabb(&m) : empty;
}

/// Steiner: of the points within r of a flat convex shape with this area and perimeter.
static double volume(double flat, double perimeter, double r)
{
    return 2.0 * r * flat + pi * r * r * (0.5 * perimeter + 4.0 / 3.0 * r);
}

static double area(double flat, double perimeter, double r)
{
    return 2.0 * flat + pi * r * (perimeter + 4.0 * r);
}

static double perimeter_of(const medial* m)
{
    return 2.0 * (d_length(m->edge[0]) + d_length(m->edge[1]));
}

double tact_capsule_volume(const tact_capsule* capsule)
{
    medial m;
    return from_capsule(capsule, &m) ? volume(0.0, perimeter_of(&m), m.radius) : (double)NAN;
}

double tact_capsule_area(const tact_capsule* capsule)
{
    medial m;
    return from_capsule(capsule, &m) ? area(0.0, perimeter_of(&m), m.radius) : (double)NAN;
}

double tact_lozenge_volume(const tact_lozenge* lozenge)
{
    medial m;
    return from_lozenge(lozenge, &m) ? volume(sqrt(m.normal2), perimeter_of(&m), m.radius) : (double)NAN;
}

double tact_lozenge_area(const tact_lozenge* lozenge)
{
    medial m;
    return from_lozenge(lozenge, &m) ? area(sqrt(m.normal2), perimeter_of(&m), m.radius) : (double)NAN;
}

/// The points in the frame of their principal axes, whose origin is the first point.
typedef struct frame_points {
    const tact_vec3* points;
    size_t count;
    dvec origin, axis[3];
    double low[3], high[3];
} frame_points;

static dvec in_frame(const frame_points* f, size_t i)
{
    const dvec d = d_sub(d_from(f->points[i]), f->origin);
    return d_make(d_dot(d, f->axis[0]), d_dot(d, f->axis[1]), d_dot(d, f->axis[2]));
}

static frame_points principal(const tact_vec3* points, size_t count)
{
    frame_points f = {.points = points, .count = count, .origin = d_from(points[0])};
    d_principal_frame(points, count, f.axis);
    for (int k = 0; k < 3; ++k) {
        f.low[k] = HUGE_VAL;
        f.high[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < count; ++i) {
        const dvec p = in_frame(&f, i);
        for (int k = 0; k < 3; ++k) {
            f.low[k] = fmin(f.low[k], d_at(p, k));
            f.high[k] = fmax(f.high[k], d_at(p, k));
        }
    }
    return f;
}

static double middle(const frame_points* f, int axis)
{
    return 0.5 * (f->low[axis] + f->high[axis]);
}

/// The interval that reaches all points, each from as far as its `reach`: from the least of p + reach to the greatest
/// of p - reach, or one point that does when they pass each other.
typedef struct reached {
    double low, high;
} reached;

static void reach_point(reached* r, double p, double reach)
{
    r->low = fmin(r->low, p + reach);
    r->high = fmax(r->high, p - reach);
}

static void reach_end(reached* r)
{
    if (r->low > r->high) r->low = r->high = 0.5 * (r->low + r->high);
}

static dvec from_frame(const frame_points* f, double x, double y, double z)
{
    return d_along(d_along(d_along(f->origin, x, f->axis[0]), y, f->axis[1]), z, f->axis[2]);
}

/// The radius that reaches all points from the inner shape as rounded.
static float least_radius(const medial* m, const tact_vec3* points, size_t count)
{
    double radius = 0.0;
    for (size_t i = 0; i < count; ++i)
        radius = fmax(radius, point_medial(m, d_from(points[i])));
    return d_round_up(radius);
}

bool tact_capsule_fit(const tact_vec3* points, size_t count, tact_capsule* capsule)
{
    if (!v_all_finite(points, count)) return false;
    const frame_points f = principal(points, count);
    const double y = middle(&f, 1), z = middle(&f, 2);
    double radius2 = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const dvec p = in_frame(&f, i);
        radius2 = fmax(radius2, (p.y - y) * (p.y - y) + (p.z - z) * (p.z - z));
    }
    reached x = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < count; ++i) {
        const dvec p = in_frame(&f, i);
        reach_point(&x, p.x, sqrt(fmax(radius2 - (p.y - y) * (p.y - y) - (p.z - z) * (p.z - z), 0.0)));
    }
    reach_end(&x);
    capsule->a = d_round(from_frame(&f, x.low, y, z));
    capsule->b = d_round(from_frame(&f, x.high, y, z));
    capsule->radius = 0.0f;
    medial m;
    if (!from_capsule(capsule, &m)) return false;
    capsule->radius = least_radius(&m, points, count);
    return isfinite(capsule->radius);
}

static double cap_reach(double radius, double height)
{
    return sqrt(fmax(radius * radius - height * height, 0.0));
}

/// Moves a corner out along the line to the point until the rest is `reach`.
static void reach_corner(reached* x, reached* y, dvec p, double reach)
{
    const double dx = fmax(fmax(x->low - p.x, p.x - x->high), 0.0);
    const double dy = fmax(fmax(y->low - p.y, p.y - y->high), 0.0);
    const double rest = sqrt(dx * dx + dy * dy);
    if (!(rest > reach)) return;
    const double more = 1.0 - reach / rest;
    if (p.x < x->low)
        x->low -= more * dx;
    else
        x->high += more * dx;
    if (p.y < y->low)
        y->low -= more * dy;
    else
        y->high += more * dy;
}

bool tact_lozenge_fit(const tact_vec3* points, size_t count, tact_lozenge* lozenge)
{
    if (!v_all_finite(points, count)) return false;
    const frame_points f = principal(points, count);
    const double z = middle(&f, 2), radius = 0.5 * (f.high[2] - f.low[2]);
    reached x = {HUGE_VAL, -HUGE_VAL}, y = x;
    for (size_t i = 0; i < count; ++i) {
        const dvec p = in_frame(&f, i);
        reach_point(&x, p.x, cap_reach(radius, p.z - z));
        reach_point(&y, p.y, cap_reach(radius, p.z - z));
    }
    reach_end(&x);
    reach_end(&y);
    for (size_t i = 0; i < count; ++i) {
        const dvec p = in_frame(&f, i);
        reach_corner(&x, &y, p, cap_reach(radius, p.z - z));
    }
    lozenge->corner = d_round(from_frame(&f, x.low, y.low, z));
    lozenge->edge[0] = d_round(d_scale(f.axis[0], x.high - x.low));
    lozenge->edge[1] = d_round(d_scale(f.axis[1], y.high - y.low));
    lozenge->radius = 0.0f;
    medial m;
    if (!from_lozenge(lozenge, &m)) return false;
    lozenge->radius = least_radius(&m, points, count);
    return isfinite(lozenge->radius);
}

// ---- Unions ----

enum { MOST_BALLS = 8 };

/// The balls at the corners of shapes, whose hull these are.
typedef struct balls {
    dvec center[MOST_BALLS];
    double radius[MOST_BALLS];
    int count;
} balls;

static void add_ball(balls* all, dvec center, double radius)
{
    TACT_ASSERT(all->count < MOST_BALLS);
    all->center[all->count] = center;
    all->radius[all->count++] = radius;
}

static void add_balls(balls* all, const medial* m)
{
    const dvec far = d_add(m->corner, m->edge[0]);
    add_ball(all, m->corner, m->radius);
    add_ball(all, far, m->radius);
    if (m->edges == 1 && m->normal2 == 0.0 && taxi(m->edge[1]) == 0.0) return;
    add_ball(all, d_add(m->corner, m->edge[1]), m->radius);
    add_ball(all, d_add(far, m->edge[1]), m->radius);
}

/// The radius that reaches all balls from an inner shape, as a float. Those from `begin` to `end` are its own.
static float radius_around(const medial* m, const balls* all, int begin, int end)
{
    double most = begin < end ? all->radius[begin] : 0.0;
    for (int i = 0; i < all->count; ++i) {
        if (i >= begin && i < end) continue;
        const double off = point_medial(m, all->center[i]), slack = 0x1p-46 * (off + m->size);
        most = fmax(most, d_same(all->center[i], m->corner) ? all->radius[i] : off + all->radius[i] + slack);
    }
    return d_round_up(most);
}

static double middle_along(const balls* all, dvec axis)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < all->count; ++i) {
        const double at = d_dot(d_sub(all->center[i], all->center[0]), axis);
        low = fmin(low, at - all->radius[i]);
        high = fmax(high, at + all->radius[i]);
    }
    return 0.5 * (low + high);
}

/// The better one of two capsules around the balls, the first of which has some of them as its ends. Returns
/// the radius it takes.
static float try_capsule(const balls* all, tact_capsule c, int begin, int end, tact_capsule* best)
{
    medial m;
    c.radius = 0.0f;
    if (!from_capsule(&c, &m)) return INFINITY;
    c.radius = radius_around(&m, all, begin, end);
    const double volume = tact_capsule_volume(&c);
    if (isfinite(volume) && !(tact_capsule_volume(best) <= volume)) *best = c;
    return c.radius;
}

static void try_line(const balls* all, dvec direction, tact_capsule* best)
{
    const dvec x = d_unit(direction);
    if (!(d_dot(x, x) > 0.0)) return;
    const dvec y = d_unit(d_perpendicular(x)), z = d_cross(x, y);
    const double at_y = middle_along(all, y), at_z = middle_along(all, z);
    double off2[MOST_BALLS], radius = 0.0;
    for (int i = 0; i < all->count; ++i) {
        const dvec p = d_sub(all->center[i], all->center[0]);
        const double dy = d_dot(p, y) - at_y, dz = d_dot(p, z) - at_z;
        off2[i] = dy * dy + dz * dz;
        radius = fmax(radius, sqrt(off2[i]) + all->radius[i]);
    }
    reached along = {HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < all->count; ++i) {
        const double rest = radius - all->radius[i];
        reach_point(&along, d_dot(d_sub(all->center[i], all->center[0]), x), sqrt(fmax(rest * rest - off2[i], 0.0)));
    }
    reach_end(&along);
    const dvec line = d_along(d_along(all->center[0], at_y, y), at_z, z);
    try_capsule(all, (tact_capsule){d_round(d_along(line, along.low, x)), d_round(d_along(line, along.high, x)), 0.0f},
                0, 0, best);
}

tact_capsule tact_capsule_union(const tact_capsule* a, const tact_capsule* b)
{
    static const tact_capsule none = {{0, 0, 0}, {0, 0, 0}, -1.0f};
    medial m, n;
    const bool is_a = from_capsule(a, &m), is_b = from_capsule(b, &n);
    if (!is_a || !is_b) return is_a ? *a : is_b ? *b : none;
    balls all = {.count = 0};
    tact_capsule best = none;
    add_balls(&all, &m);
    const int of_a = all.count;
    add_balls(&all, &n);
    if (try_capsule(&all, *a, 0, of_a, &best) == a->radius) return *a;
    if (try_capsule(&all, *b, of_a, all.count, &best) == b->radius) return *b;
    try_line(&all, m.edge[0], &best);
    try_line(&all, n.edge[0], &best);
    const dvec end = d_add(m.corner, m.edge[0]), other = d_add(n.corner, n.edge[0]);
    try_line(&all, d_sub(d_add(n.corner, other), d_add(m.corner, end)), &best);
    // The balls that reach farthest apart, and the lines from end to end.
    double far = -HUGE_VAL;
    dvec across = d_make(0.0, 0.0, 0.0);
    for (int i = 0; i < all.count; ++i) {
        for (int k = i + 1; k < all.count; ++k) {
            const dvec way = d_sub(all.center[k], all.center[i]);
            const double reach = d_length(way) + all.radius[i] + all.radius[k];
            if (reach > far) across = way;
            far = fmax(far, reach);
        }
    }
    try_line(&all, across, &best);
    const dvec near = d_dot(m.edge[0], n.edge[0]) < 0.0 ? d_scale(n.edge[0], -1.0) : n.edge[0];
    try_line(&all, d_add(m.edge[0], near), &best);
    return best;
}

static float try_lozenge(const balls* all, tact_lozenge l, int begin, int end, tact_lozenge* best)
{
    medial m;
    l.radius = 0.0f;
    if (!from_lozenge(&l, &m)) return INFINITY;
    l.radius = radius_around(&m, all, begin, end);
    const double volume = tact_lozenge_volume(&l);
    if (isfinite(volume) && !(tact_lozenge_volume(best) <= volume)) *best = l;
    return l.radius;
}

/// The lozenge whose flat sides are across z.
static void try_frame(const balls* all, dvec x, dvec z, tact_lozenge* best)
{
    const dvec axis[3] = {x, d_cross(z, x), z};
    const double at_z = middle_along(all, z);
    double radius = 0.0;
    for (int i = 0; i < all->count; ++i) {
        const dvec p = d_sub(all->center[i], all->center[0]);
        radius = fmax(radius, fabs(d_dot(p, z) - at_z) + all->radius[i]);
    }
    double rest2[MOST_BALLS];
    reached side[2];
    for (int k = 0; k < 2; ++k) {
        side[k] = (reached){HUGE_VAL, -HUGE_VAL};
        for (int i = 0; i < all->count; ++i) {
            const dvec p = d_sub(all->center[i], all->center[0]);
            const double room = radius - all->radius[i], off = d_dot(p, z) - at_z;
            const double at = k == 0 ? 0.0 : d_dot(p, axis[0]);
            const double out = k == 0 ? 0.0 : fmax(fmax(side[0].low - at, at - side[0].high), 0.0);
            rest2[i] = fmax((room * room - off * off) - out * out, 0.0);
            reach_point(&side[k], d_dot(p, axis[k]), sqrt(rest2[i]));
        }
        reach_end(&side[k]);
    }
    dvec corner = d_along(all->center[0], at_z, z);
    corner = d_along(d_along(corner, side[0].low, axis[0]), side[1].low, axis[1]);
    const dvec u = d_scale(axis[0], side[0].high - side[0].low), v = d_scale(axis[1], side[1].high - side[1].low);
    try_lozenge(all, (tact_lozenge){d_round(corner), {d_round(u), d_round(v)}, 0.0f}, 0, 0, best);
}

/// Along both edges of a frame, whatever their order.
static void try_frames(const balls* all, dvec x, dvec z, tact_lozenge* best)
{
    x = d_unit(x);
    z = d_unit(d_sub(z, d_scale(x, d_dot(x, z))));
    if (!(d_dot(x, x) > 0.0)) return;
    if (!(d_dot(z, z) > 0.5)) z = d_unit(d_perpendicular(x));
    try_frame(all, x, z, best);
    try_frame(all, d_cross(z, x), z, best);
}

tact_lozenge tact_lozenge_union(const tact_lozenge* a, const tact_lozenge* b)
{
    static const tact_lozenge none = {{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}}, -1.0f};
    medial m, n;
    const bool is_a = from_lozenge(a, &m), is_b = from_lozenge(b, &n);
    if (!is_a || !is_b) return is_a ? *a : is_b ? *b : none;
    balls all = {.count = 0};
    tact_lozenge best = none;
    add_balls(&all, &m);
    const int of_a = all.count;
    add_balls(&all, &n);
    if (try_lozenge(&all, *a, 0, of_a, &best) == a->radius) return *a;
    if (try_lozenge(&all, *b, of_a, all.count, &best) == b->radius) return *b;
    const medial* of[2] = {&m, &n};
    for (int i = 0; i < 2; ++i) {
        const bool first = taxi(of[i]->edge[0]) > 0.0;
        try_frames(&all, of[i]->edge[first ? 0 : 1], of[i]->normal, &best);
    }
    tact_vec3 corners[MOST_BALLS];
    dvec axis[3];
    for (int i = 0; i < all.count; ++i)
        corners[i] = d_round(all.center[i]);
    if (v_all_finite(corners, (size_t)all.count)) {
        d_principal_frame(corners, (size_t)all.count, axis);
        try_frames(&all, axis[0], axis[2], &best);
        try_frames(&all, axis[0], axis[1], &best);
    }
    return best;
}
