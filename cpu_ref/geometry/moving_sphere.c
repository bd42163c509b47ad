// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/moving_internal.h"

/// A centre on its way, the radius about it, and the first feature it has been found to touch.
typedef struct sweep {
    dvec center, motion;
    double radius;
    double t;  // of the first contact; above 1: none yet
    dvec point, normal;
} sweep;

static sweep sweep_begin(tact_sphere sphere, tact_vec3 motion)
{
    const dvec none = {0.0, 0.0, 0.0};
    const sweep s = {d_from(sphere.center), d_from(motion), (double)sphere.radius, HUGE_VAL, none, none};
    return s;
}

static tact_moving_hit sweep_end(const sweep* s)
{
    return s->t <= 1.0 ? moving_hit(s->t, s->point, s->normal) : moving_miss();
}

/// The first t >= 0 with |p + t m| <= r. Infinity when there is none, and when it is so at t = 0 or does not get
/// better.
static double reach(dvec p, dvec m, double r)
{
    const double b = d_dot(p, m), c = d_dot(p, p) - r * r;
    if (c <= 0.0) return 0.0;
    if (!(b < 0.0)) return HUGE_VAL;
    const dvec off = d_cross(p, m);
    const double discriminant = d_dot(m, m) * (r * r) - d_dot(off, off);
    if (!(discriminant >= 0.0)) return HUGE_VAL;
    return c / (sqrt(discriminant) - b);
}

/// From the feature to the centre at the time t; against the motion for a radius of 0.
static dvec away(dvec p, dvec m, double t, double r)
{
    return d_unit(r > 0.0 ? d_along(p, t, m) : d_scale(m, -1.0));
}

static void sweep_point(sweep* s, dvec a)
{
    const dvec p = d_sub(s->center, a);
    const double t = reach(p, s->motion, s->radius);
    if (!(t < s->t)) return;
    s->t = t;
    s->point = a;
    s->normal = away(p, s->motion, t, s->radius);
}

/// The side of a cylinder about a b. What is beyond its ends is left to their points.
static void sweep_edge(sweep* s, dvec a, dvec b)
{
    const dvec u = d_sub(b, a), p = d_sub(s->center, a);
    const dvec q = d_cross(p, u), w = d_cross(s->motion, u);
    const double uu = d_dot(u, u), ww = d_dot(w, w), rr = s->radius * s->radius;
    const double qw = d_dot(q, w), c = d_dot(q, q) - rr * uu;
    if (!(uu > 0.0)) return;
    double t = 0.0;
    if (c > 0.0) {
        const double off = d_dot(d_cross(p, s->motion), u), discriminant = ww * rr - off * off;
        if (!(qw < 0.0) || !(discriminant >= 0.0)) return;
        t = c / (sqrt(uu) * sqrt(discriminant) - qw);
    }
    if (!(t < s->t)) return;
    const double along = d_dot(d_along(p, t, s->motion), u);
    if (!(along >= 0.0 && along <= uu)) return;
    s->t = t;
    s->point = d_along(a, along / uu, u);
    const dvec across = d_along(p, -(d_dot(p, u) / uu), u);
    s->normal = away(across, d_along(s->motion, -(d_dot(s->motion, u) / uu), u), t, s->radius);
}

/// A flat polygon in double precision, with its vertices where the caller keeps them.
typedef struct face {
    const tact_vec3* vertices;
    size_t count;
    dvec origin, normal;
    double level;   // n . (x - origin) of its plane
    double length;  // of the normal; 0: no area to speak of
    double size;    // the square of the longest way from the origin to a vertex
    int drop;       // the coordinate axis nearest to the normal
} face;

static dvec corner(const face* f, size_t i)
{
    return d_from(f->vertices[i]);
}

static void face_plane(face* f)
{
    double size = 0.0, low = HUGE_VAL, high = -HUGE_VAL;
    dvec n = {0.0, 0.0, 0.0}, previous = {0.0, 0.0, 0.0};
    for (size_t i = 1; i < f->count; ++i) {
        const dvec v = d_sub(corner(f, i), f->origin);
        n = d_add(n, d_cross(previous, v));
        previous = v;
        size = fmax(size, d_dot(v, v));
    }
    const double nn = d_dot(n, n);
    f->normal = n;
    f->size = size;
    f->length = nn > 0x1p-60 * size * size ? sqrt(nn) : 0.0;
    for (size_t i = 0; i < f->count; ++i) {
        const double h = d_dot(n, d_sub(corner(f, i), f->origin));
        low = fmin(low, h);
        high = fmax(high, h);
    }
    f->level = 0.5 * (low + high);
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    f->drop = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static face face_of(const tact_vec3* vertices, size_t count)
{
    face f = {.vertices = vertices, .count = count, .origin = d_from(vertices[0])};
    face_plane(&f);
    return f;
}

/// Whether a point of the plane is inside, by counting crossings. On the edges either way: those are asked for
/// themselves.
static bool face_contains(const face* f, dvec q)
{
    const int i = (f->drop + 1) % 3, j = (f->drop + 2) % 3;
    const double x = d_at(q, i), y = d_at(q, j);
    bool inside = false;
    dvec a = corner(f, f->count - 1);
    for (size_t k = 0; k < f->count; ++k) {
        const dvec b = corner(f, k);
        const double ax = d_at(a, i) - x, ay = d_at(a, j) - y, bx = d_at(b, i) - x, by = d_at(b, j) - y;
        if ((ay > 0.0) != (by > 0.0)) {
            const double turn = ax * by - ay * bx;
            if ((turn > 0.0) == (by > ay)) inside = !inside;
        }
        a = b;
    }
    return inside;
}

typedef enum face_answer {
    FACE_NEVER,  // the sphere does not reach the plane
    FACE_FIRST,  // it touches the face before anything else
    FACE_START,  // it does so at time 0
    FACE_OPEN    // it may touch the edges
} face_answer;

static face_answer sweep_face(sweep* s, const face* f)
{
    if (!(f->length > 0.0)) return FACE_OPEN;
    const dvec p = d_sub(s->center, f->origin);
    const double h = d_dot(f->normal, p) - f->level;
    const double side = h < 0.0 ? -1.0 : 1.0;
    const double gap = fabs(h) - s->radius * f->length;
    const double speed = -side * d_dot(f->normal, s->motion);
    // Within rounding of the terms that the normal and the gap are made of, the edges decide.
    const double doubt = 0x1p-50 * f->size * (d_length(p) + s->radius + d_length(s->motion));
    if (gap > doubt && gap > speed + doubt) return FACE_NEVER;
    if (gap > 0.0 && gap > speed) return FACE_OPEN;
    const double t = gap > 0.0 ? gap / speed : 0.0;
    const dvec unit = d_scale(f->normal, side / f->length);
    const dvec foot = d_along(d_along(s->center, t, s->motion), -fmin(s->radius, fabs(h) / f->length), unit);
    if (!face_contains(f, foot)) return FACE_OPEN;
    if (!(gap > 0.0)) return FACE_START;
    s->t = t;
    s->point = foot;
    s->normal = unit;
    return FACE_FIRST;
}

static dvec nearest_on_segment(dvec p, dvec a, dvec b)
{
    const dvec u = d_sub(b, a);
    const double along = d_dot(d_sub(p, a), u), uu = d_dot(u, u);
    if (!(along > 0.0)) return a;
    return along >= uu ? b : d_along(a, along / uu, u);
}

static double distance2(dvec p, dvec q)
{
    const dvec d = d_sub(p, q);
    return d_dot(d, d);
}

static dvec nearest_on_face(dvec p, const face* f)
{
    dvec best = corner(f, 0), a = corner(f, f->count - 1);
    if (f->length > 0.0) {
        const double h = d_dot(f->normal, d_sub(p, f->origin)) - f->level;
        const dvec foot = d_along(p, -(h / f->length / f->length), f->normal);
        if (face_contains(f, foot)) return foot;
    }
    for (size_t i = 0; i < f->count; ++i) {
        const dvec b = corner(f, i), q = nearest_on_segment(p, a, b);
        if (distance2(p, q) < distance2(p, best)) best = q;
        a = b;
    }
    return best;
}

static void touch_at_start(sweep* s, dvec nearest)
{
    s->t = 0.0;
    s->point = nearest;
    s->normal = d_unit(d_sub(s->center, nearest));
}

/// Contact at time 0, when the nearest point is within reach.
static bool touches_at_start(sweep* s, dvec nearest)
{
    if (!(distance2(s->center, nearest) <= s->radius * s->radius)) return false;
    touch_at_start(s, nearest);
    return true;
}

static tact_moving_hit sweep_polygon(tact_sphere sphere, tact_vec3 motion, const tact_vec3* vertices, size_t count)
{
    const face f = face_of(vertices, count);
    sweep s = sweep_begin(sphere, motion);
    const face_answer answer = sweep_face(&s, &f);
    if (answer == FACE_NEVER || answer == FACE_FIRST) return sweep_end(&s);
    const dvec nearest = nearest_on_face(s.center, &f);
    if (answer == FACE_START) touch_at_start(&s, nearest);
    if (answer == FACE_START || touches_at_start(&s, nearest)) return sweep_end(&s);
    dvec a = corner(&f, count - 1);
    for (size_t i = 0; i < count; ++i) {
        const dvec b = corner(&f, i);
        sweep_edge(&s, a, b);
        sweep_point(&s, b);
        a = b;
    }
    return sweep_end(&s);
}

tact_moving_hit tact_moving_sphere_plane(tact_sphere sphere, tact_vec3 motion, tact_plane plane)
{
    const dvec n = d_from(plane.normal);
    const double length = d_length(n);
    if (!moving_sphere_valid(sphere) || !v_finite(motion) || !d_finite(n) || !isfinite(plane.distance) ||
        !(length > 0.0)) {
        return moving_miss();
    }
    const sweep s = sweep_begin(sphere, motion);
    const double h = d_dot(n, s.center) - (double)plane.distance;
    const double side = h < 0.0 ? -1.0 : h > 0.0 ? 1.0 : 0.0;
    const double gap = fabs(h) - s.radius * length, speed = -side * d_dot(n, s.motion);
    const dvec unit = d_scale(n, side / length);
    if (gap <= 0.0) return moving_hit(0.0, d_along(s.center, -(h / length / length), n), unit);
    if (!(gap <= speed)) return moving_miss();
    const double t = gap / speed;
    return moving_hit(t, d_along(d_along(s.center, t, s.motion), -s.radius, unit), unit);
}

tact_moving_hit tact_moving_sphere_sphere(tact_sphere a, tact_vec3 motion_a, tact_sphere b, tact_vec3 motion_b)
{
    if (!moving_sphere_valid(a) || !moving_sphere_valid(b) || !v_finite(motion_a) || !v_finite(motion_b)) {
        return moving_miss();
    }
    const double ra = (double)a.radius, rb = (double)b.radius, r = ra + rb;
    const dvec cb = d_from(b.center), mb = d_from(motion_b);
    const dvec p = d_sub(d_from(a.center), cb), m = d_sub(d_from(motion_a), mb);
    const double pp = d_dot(p, p);
    if (pp <= r * r) {
        // The middle of what they have in common on the line of the centres.
        const double apart = sqrt(pp), low = fmax(apart - ra, -rb), high = fmin(apart + ra, rb);
        const dvec n = d_unit(p);
        return moving_hit(0.0, d_along(cb, 0.5 * (low + high), n), n);
    }
    const double t = reach(p, m, r);
    if (!(t <= 1.0)) return moving_miss();
    const dvec n = away(p, m, t, r);
    return moving_hit(t, d_along(d_along(cb, t, mb), rb, n), n);
}

tact_moving_hit tact_moving_sphere_triangle(tact_sphere sphere, tact_vec3 motion, const tact_triangle* triangle)
{
    const tact_vec3 vertices[3] = {triangle->a, triangle->b, triangle->c};
    return tact_moving_sphere_polygon(sphere, motion, vertices, 3);
}

tact_moving_hit tact_moving_sphere_polygon(tact_sphere sphere, tact_vec3 motion, const tact_vec3* vertices,
                                           size_t count)
{
    bool valid = moving_sphere_valid(sphere) && v_finite(motion) && count > 0;
    for (size_t i = 0; valid && i < count; ++i)
        valid = v_finite(vertices[i]);
    return valid ? sweep_polygon(sphere, motion, vertices, count) : moving_miss();
}

tact_moving_hit tact_moving_sphere_capsule(tact_sphere sphere, tact_vec3 motion, tact_capsule capsule)
{
    const double r = (double)capsule.radius;
    if (!moving_sphere_valid(sphere) || !v_finite(motion) || !v_finite(capsule.a) || !v_finite(capsule.b) ||
        !(r >= 0.0 && isfinite(r))) {
        return moving_miss();
    }
    const dvec a = d_from(capsule.a), b = d_from(capsule.b);
    sweep s = sweep_begin(sphere, motion);
    s.radius += r;
    const dvec nearest = nearest_on_segment(s.center, a, b);
    if (touches_at_start(&s, nearest)) {
        const double apart = sqrt(distance2(s.center, nearest)), own = (double)sphere.radius;
        s.point = d_along(nearest, 0.5 * (fmax(apart - own, -r) + fmin(apart + own, r)), s.normal);
        return sweep_end(&s);
    }
    sweep_edge(&s, a, b);
    sweep_point(&s, a);
    sweep_point(&s, b);
    s.point = d_along(s.point, r, s.normal);
    return sweep_end(&s);
}

/// A box by coordinates, and a centre's offset from it.
typedef struct slabs {
    double low[3], high[3], center[3], motion[3];
} slabs;

static slabs slabs_of(const sweep* s, tact_aabb box)
{
    const dvec low = d_from(box.lower), high = d_from(box.upper);
    slabs b;
    for (int i = 0; i < 3; ++i) {
        b.low[i] = d_at(low, i);
        b.high[i] = d_at(high, i);
        b.center[i] = d_at(s->center, i);
        b.motion[i] = d_at(s->motion, i);
    }
    return b;
}

/// The times in order at which the centre passes the planes of the faces, with 0 and 1 at the ends.
static int slabs_cuts(const slabs* b, double cut[8])
{
    int count = 0;
    cut[count++] = 0.0;
    for (int k = 0; k < 6; ++k) {
        const int i = k / 2;
        const double t = ((k % 2 ? b->high[i] : b->low[i]) - b->center[i]) / b->motion[i];
        if (!(t > 0.0 && t < 1.0)) continue;
        int at = count++;
        for (; cut[at - 1] > t; --at)
            cut[at] = cut[at - 1];
        cut[at] = t;
    }
    cut[count++] = 1.0;
    return count;
}

/// The offset of the centre from the box and its motion, on the axes where it is outside at the time t.
static void slabs_outside(const slabs* b, double t, dvec* p, dvec* m)
{
    double offset[3], motion[3];
    for (int i = 0; i < 3; ++i) {
        const double x = b->center[i] + t * b->motion[i];
        const bool outside = x < b->low[i] || x > b->high[i];
        offset[i] = outside ? b->center[i] - (x < b->low[i] ? b->low[i] : b->high[i]) : 0.0;
        motion[i] = outside ? b->motion[i] : 0.0;
    }
    *p = d_make(offset[0], offset[1], offset[2]);
    *m = d_make(motion[0], motion[1], motion[2]);
}

static dvec slabs_clamp(const slabs* b, double t)
{
    double x[3];
    for (int i = 0; i < 3; ++i)
        x[i] = d_clamp(b->center[i] + t * b->motion[i], b->low[i], b->high[i]);
    return d_make(x[0], x[1], x[2]);
}

/// The normal of the face nearest to a centre inside.
static dvec slabs_least_depth(const slabs* b)
{
    double least = HUGE_VAL, n[3] = {0.0, 0.0, 0.0};
    int axis = 0;
    double sign = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double up = b->high[i] - b->center[i], down = b->center[i] - b->low[i];
        if (!(fmin(up, down) < least)) continue;
        least = fmin(up, down);
        axis = i;
        sign = up <= down ? 1.0 : -1.0;
    }
    n[axis] = sign;
    return d_make(n[0], n[1], n[2]);
}

static void slabs_sweep(sweep* s, const slabs* b)
{
    double cut[8];
    const int count = slabs_cuts(b, cut);
    dvec before = {0.0, 0.0, 0.0};
    for (int k = 0; k + 1 < count; ++k) {
        dvec p, m;
        slabs_outside(b, 0.5 * (cut[k] + cut[k + 1]), &p, &m);
        double t = reach(p, m, s->radius);
        if (t < cut[k]) {
            // Before this piece: of the other branch, unless rounding has moved it over the cut.
            const dvec d = d_along(p, cut[k], m);
            t = d_dot(d, d) <= s->radius * s->radius ? cut[k] : 2.0;  // 2: not in 0 to 1
        }
        if (t <= cut[k + 1]) {
            s->t = t;
            s->point = slabs_clamp(b, t);
            // Inside without having touched, by rounding: the way it came.
            s->normal = d_dot(p, p) > 0.0 ? away(p, m, t, s->radius) : away(p, before, t, 0.0);
            return;
        }
        before = m;
    }
}

tact_moving_hit tact_moving_sphere_aabb(tact_sphere sphere, tact_vec3 motion, tact_aabb box)
{
    if (!moving_sphere_valid(sphere) || !v_finite(motion) || !aabb_valid(box)) return moving_miss();
    sweep s = sweep_begin(sphere, motion);
    const slabs b = slabs_of(&s, box);
    const dvec nearest = slabs_clamp(&b, 0.0);
    if (touches_at_start(&s, nearest)) {
        if (distance2(s.center, nearest) == 0.0) s.normal = slabs_least_depth(&b);
        return sweep_end(&s);
    }
    slabs_sweep(&s, &b);
    return sweep_end(&s);
}
