// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against round solids in any position and of any size: the lowest value of their quadratics in 113-bit
// arithmetic, what must hold at both ends of every hit, and invariance.

#include "tests/support/run.h"

#include "tests/geometry/ray_cases.h"
#include "tests/geometry/wide.h"

enum kind { SPHERE, GEOMETRIC, CAPSULE, CYLINDER, TUBE, CONE, LONG_CONE, ELLIPSOID, KINDS };

/// All shapes by the same numbers.
typedef struct shape {
    enum kind kind;
    tact_vec3 a, axis[3];
    float height, radius;
    tact_vec3 radii;
} shape;

static tact_ray_solid_hit shoot(const tact_ray* r, const shape* s)
{
    const tact_vec3 b = along(s->a, (double)s->height, s->axis[0]);
    const tact_sphere sphere = {s->a, s->radius};
    const tact_capsule capsule = {s->a, b, s->radius};
    const tact_cylinder cylinder = {s->a, b, s->radius};
    const tact_cone cone = {s->a, s->axis[0], s->height, s->radius};
    const tact_ellipsoid ellipsoid = {s->a, {s->axis[0], s->axis[1], s->axis[2]}, s->radii};
    switch (s->kind) {
        case SPHERE:
            return tact_ray_sphere(r, &sphere);
        case GEOMETRIC:
            return tact_ray_sphere_geometric(r, &sphere);
        case CAPSULE:
            return tact_ray_capsule(r, &capsule);
        case CYLINDER:
            return tact_ray_cylinder(r, &cylinder);
        case TUBE:
            return tact_ray_cylinder_infinite(r, &cylinder);
        case CONE:
            return tact_ray_cone(r, &cone);
        case LONG_CONE:
            return tact_ray_cone_infinite(r, &cone);
        default:
            return tact_ray_ellipsoid(r, &ellipsoid);
    }
}

static shape random_shape(test_random* r, enum kind kind, float size)
{
    shape s = {.kind = kind, .a = random_vec(r, 2.0f * size)};
    random_frame(r, s.axis);
    s.height = size * (0.05f + test_random_unit(r));
    s.radius = size * (0.05f + test_random_unit(r));
    s.radii = v3(size * (0.05f + test_random_unit(r)), size * (0.05f + test_random_unit(r)), s.radius);
    return s;
}

/// Towards a point near the surface or anywhere near.
static tact_ray random_aim(test_random* r, const shape* s, float size)
{
    const tact_vec3 o = random_vec(r, 6.0f * size);
    tact_vec3 p = along(s->a, (double)(s->height * (1.5f * test_random_unit(r) - 0.25f)), s->axis[0]);
    const tact_vec3 away = unit_of(random_vec(r, 1.0f));
    const double off = 1.0 + ldexp((double)test_random_signed(r), -(int)test_random_below(r, 30));
    p = along(p, (double)s->radius * off, away);
    tact_ray ray = make_segment(o, p);
    if (test_random_bits(r) & 1) {  // past that point across `away`: nearly a tangent of the sphere or side
        const tact_vec3 d = random_vec(r, 1.0f);
        const tact_vec3 t = along(d, -dot3(d, away), away);
        ray = make_ray(p.x, p.y, p.z, t.x, t.y, t.z);
        ray.tmin = -INFINITY;
    }
    ray.tmax = test_random_bits(r) & 1 ? INFINITY : 0.5f + test_random_unit(r);
    if (test_random_below(r, 16) == 0) {
        ray.dx = s->axis[0].x;
        ray.dy = s->axis[0].y;
        ray.dz = s->axis[0].z;
    }
    return ray;
}

typedef struct point {
    double x[3];
} point;

/// How far outside the solid, roughly: negative inside, of unit slope at the surface (but for ellipsoids).
static double level(const shape* s, point p)
{
    const tact_vec3 b = along(s->a, (double)s->height, s->axis[0]);
    const double a[3] = {(double)s->a.x, (double)s->a.y, (double)s->a.z};
    double n[3] = {(double)b.x - a[0], (double)b.y - a[1], (double)b.z - a[2]};
    if (s->kind == CONE || s->kind == LONG_CONE) {
        n[0] = (double)s->axis[0].x;
        n[1] = (double)s->axis[0].y;
        n[2] = (double)s->axis[0].z;
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double q[3], along_axis = 0.0, away = 0.0, across = 0.0;
    for (int i = 0; i < 3; ++i) {
        q[i] = p.x[i] - a[i];
        away += q[i] * q[i];
        along_axis += q[i] * n[i] / length;
    }
    for (int i = 0; i < 3; ++i) {
        const double c = q[i] - along_axis * n[i] / length;
        across += c * c;
    }
    away = sqrt(away);
    across = sqrt(across);
    const double w = (double)s->radius, h = s->kind == CONE || s->kind == LONG_CONE ? (double)s->height : length;
    const double side = (across * h - w * along_axis) / sqrt(h * h + w * w);
    const double beyond = fmax(-along_axis, along_axis - h);
    double sum = 0.0;
    switch (s->kind) {
        case SPHERE:
        case GEOMETRIC:
            return away - w;
        case CAPSULE:
            return beyond > 0.0 ? sqrt(beyond * beyond + across * across) - w : across - w;
        case CYLINDER:
            return fmax(across - w, beyond);
        case TUBE:
            return across - w;
        case CONE:
            return fmax(side, beyond);
        case LONG_CONE:
            return fmax(side, -along_axis);
        default:
            for (int i = 0; i < 3; ++i) {
                const tact_vec3 x = s->axis[i];
                const double c = q[0] * (double)x.x + q[1] * (double)x.y + q[2] * (double)x.z;
                const double k = (double)(i == 0 ? s->radii.x : i == 1 ? s->radii.y : s->radii.z);
                sum += c * c / (k * k);
            }
            return (sqrt(sum) - 1.0) * (double)fminf(s->radii.x, fminf(s->radii.y, s->radii.z));
    }
}

static point ray_point(const tact_ray* r, double t)
{
    const point p = {{ray_at(r, t, 0), ray_at(r, t, 1), ray_at(r, t, 2)}};
    return p;
}

static point moved(point p, double s, tact_vec3 v)
{
    const point q = {{p.x[0] + s * (double)v.x, p.x[1] + s * (double)v.y, p.x[2] + s * (double)v.z}};
    return q;
}

static double steepness(const shape* s, point p, double step)
{
    double g[3];
    for (int i = 0; i < 3; ++i) {
        point low = p, high = p;
        low.x[i] -= step;
        high.x[i] += step;
        g[i] = (level(s, high) - level(s, low)) / (2.0 * step);
    }
    return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

/// One end of a hit: on the surface, its normal in the direction in which the level rises fastest.
static bool end_fits(const tact_ray* r, const shape* s, float t, float interval, tact_vec3 normal, float size)
{
    const point p = ray_point(r, (double)t);
    const double reach = fabs(p.x[0]) + fabs(p.x[1]) + fabs(p.x[2]) + (double)(8.0f * size);
    const double l = level(s, p), slack = 1e-6 * reach;
    if (dot3(normal, normal) == 0.0) return t == interval && (isinf(t) || l <= slack);
    if (!(fabs(l) <= slack)) return false;
    if (reach > (double)(30.0f * size)) return true;  // too far to tell a normal
    // The level of an ellipsoid bends within its smallest radius, which may be a twentieth of the one that is `radius`.
    const float least = fminf(s->radii.x, fminf(s->radii.y, s->radii.z));
    const double step = 1e-2 * (double)(s->kind == ELLIPSOID ? least : s->radius);
    const double rise = (level(s, moved(p, step, normal)) - level(s, moved(p, -step, normal))) / (2.0 * step);
    const double most = s->kind == ELLIPSOID ? steepness(s, p, step) : 1.0;
    return rise > 0.99 * most;
}

/// Rims and tips have no single normal.
static bool near_an_edge(const tact_ray* r, const shape* s, float t)
{
    if (s->kind < CYLINDER || s->kind == TUBE || s->kind == ELLIPSOID) return false;
    shape thinner = *s, tube = *s;
    tube.kind = s->kind == CYLINDER ? TUBE : LONG_CONE;
    const point p = ray_point(r, (double)t);
    thinner.kind = CYLINDER;
    thinner.radius = 100.0f * s->radius;
    const double cap = fabs(level(&thinner, p)), side = fabs(level(&tube, p));
    const double edge = 0.1 * (double)s->radius;
    const double tip =
        sqrt(pow(p.x[0] - (double)s->a.x, 2) + pow(p.x[1] - (double)s->a.y, 2) + pow(p.x[2] - (double)s->a.z, 2));
    return (cap < edge && side < edge) || tip < edge + 0.2 * (double)s->height;
}

TEST(ends_lie_on_surfaces_with_their_normals)
{
    test_random r = test_random_seeded(5);
    size_t hits = 0;
    enum { CASES = 800000 };
    for (int i = 0; i < CASES; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        const shape s = random_shape(&r, (enum kind)(i / 3 % KINDS), size);
        const tact_ray ray = random_aim(&r, &s, size);
        const tact_ray_solid_hit h = shoot(&ray, &s);
        if (!plausible_solid_hit(&ray, &h)) fail_msg("case %d", i);
        if (!h.hit) continue;
        ++hits;
        if (!near_an_edge(&ray, &s, h.t) && !end_fits(&ray, &s, h.t, ray.tmin, h.normal, size)) {
            fail_msg("case %d: kind %d enters at %g", i, (int)s.kind, (double)h.t);
        }
        if (!near_an_edge(&ray, &s, h.exit) && !end_fits(&ray, &s, h.exit, ray.tmax, h.exit_normal, size)) {
            fail_msg("case %d: kind %d leaves at %g", i, (int)s.kind, (double)h.exit);
        }
    }
    assert_true(hits > CASES / 4);
}

TEST(powers_of_two_change_no_bit)
{
    test_random r = test_random_seeded(6);
    for (int i = 0; i < 40000; ++i) {
        const shape s = random_shape(&r, (enum kind)(i % KINDS), 1.0f);
        const tact_ray ray = random_aim(&r, &s, 1.0f);
        const tact_ray_solid_hit h = shoot(&ray, &s);
        for (int power = -60; power <= 100; power += 20) {
            shape t = s;
            t.a = scaled_vec(s.a, power);
            t.height = ldexpf(s.height, power);
            t.radius = ldexpf(s.radius, power);
            t.radii = scaled_vec(s.radii, power);
            const tact_ray scaled = scaled_ray(ray, power);
            const tact_vec3 b = along(t.a, (double)t.height, t.axis[0]), c = along(s.a, (double)s.height, s.axis[0]);
            assert_true(same_vec(b, scaled_vec(c, power)));
            if (!same_hit(shoot(&scaled, &t), h)) fail_msg("case %d: kind %d at 2^%d", i, (int)s.kind, power);
            const tact_ray longer = longer_ray(ray, power);
            const tact_ray_solid_hit l = shoot(&longer, &s);
            assert_true(l.hit == h.hit && l.t == ldexpf(h.t, -power) && l.exit == ldexpf(h.exit, -power));
        }
    }
}

TEST(grid_motions_change_nothing)
{
    test_random r = test_random_seeded(7);
    for (int i = 0; i < 200000; ++i) {
        const tact_ray ray = random_grid_ray(&r, 6, 6);
        shape s = {.kind = (enum kind)(i % KINDS), .a = random_grid(&r, 5)};
        s.axis[0] = v3(0, 0, 1);
        s.axis[1] = v3(1, 0, 0);
        s.axis[2] = v3(0, 1, 0);
        s.height = (float)(1 + test_random_below(&r, 5));
        s.radius = (float)(1 + test_random_below(&r, 5));
        s.radii = v3(s.radius, 2, 4);
        const tact_vec3 by = random_grid(&r, 1 << 22);
        shape far = s, turn = s;
        far.a = along(s.a, 1.0, by);
        const tact_ray far_ray = moved_ray(ray, by), turned = turned_ray(ray);
        const tact_ray_solid_hit h = shoot(&ray, &s);
        assert_true(same_hit(shoot(&far_ray, &far), h));
        turn.a = turned_vec(s.a);
        for (int k = 0; k < 3; ++k)
            turn.axis[k] = turned_vec(s.axis[k]);
        const tact_ray_solid_hit t = shoot(&turned, &turn);
        assert_true(t.hit == h.hit);
        if (!h.hit) continue;
        if (fabsf(t.t - h.t) > 1e-5f * (1 + fabsf(h.t)) || fabsf(t.exit - h.exit) > 1e-5f * (1 + fabsf(h.exit))) {
            fail_msg("case %d: kind %d, turned", i, (int)s.kind);
        }
    }
}

#ifdef __SIZEOF_FLOAT128__

/// a t^2 + 2 b t + c on [low, high], and the sizes of what went into it.
typedef struct wide_trial {
    wide a, b, c, c_size, low, high;
    bool unsure;
} wide_trial;

static const double band = 1e-12;
#define FAR ((wide)1e30)

static wide_trial wide_start(const tact_ray* r, wide a, wide b, wide c, wide c_size)
{
    const wide_trial q = {
        a, b, c, c_size, r->tmin == -INFINITY ? -FAR : (wide)r->tmin, r->tmax == INFINITY ? FAR : (wide)r->tmax, false};
    return q;
}

static void wide_restrict(wide_trial* q, wide slope, wide limit, wide slope_size)
{
    if (w_abs(slope) <= (wide)1e-7 * slope_size)
        q->unsure = true;
    else if (slope > 0 && limit / slope < q->high)
        q->high = limit / slope;
    else if (slope < 0 && limit / slope > q->low)
        q->low = limit / slope;
}

static wide wide_value(const wide_trial* q, wide t)
{
    return q->a * t * t + 2 * q->b * t + q->c;
}

/// 1 when the quadratic is at most 0 somewhere, -1 when not, 0 when it is too near to tell.
static int wide_reaches(const wide_trial* q)
{
    const wide gap = q->high - q->low, ends = w_abs(q->high) + w_abs(q->low);
    if (q->unsure) return 0;
    if (gap < -(wide)band * ends) return -1;
    if (gap <= (wide)band * ends) return 0;
    wide t = wide_value(q, q->low) < wide_value(q, q->high) ? q->low : q->high;
    if (q->a > 0) {
        const wide lowest = -q->b / q->a;
        t = lowest < q->low ? q->low : lowest > q->high ? q->high : lowest;
    }
    const wide value = wide_value(q, t);
    const wide size = w_abs(q->a) * t * t + 2 * w_abs(q->b * t) + q->c_size;
    return w_abs(value) <= (wide)band * size ? 0 : value < 0 ? 1 : -1;
}

/// Answers together: hit if any is, unsure if any of the others is.
static int any_of(int a, int b)
{
    return a > 0 || b > 0 ? 1 : a == 0 || b == 0 ? 0 : -1;
}

static int wide_ball(const tact_ray* r, tact_vec3 center, wide radius)
{
    const wide3 o = w_sub(w_of(v3(r->ox, r->oy, r->oz)), w_of(center)), d = w_of(direction(r));
    const wide oo = w_dot(o, o), rr = radius * radius;
    const wide_trial q = wide_start(r, w_dot(d, d), w_dot(o, d), oo - rr, oo + rr);
    return wide_reaches(&q);
}

static int wide_axial(const tact_ray* r, const shape* s, bool cut, bool cone)
{
    const tact_vec3 b = along(s->a, (double)s->height, s->axis[0]);
    const wide3 o = w_sub(w_of(v3(r->ox, r->oy, r->oz)), w_of(s->a)), d = w_of(direction(r));
    const wide3 n = cone ? w_of(s->axis[0]) : w_sub(w_of(b), w_of(s->a));
    const wide nn = w_dot(n, n), on = w_dot(o, n), dn = w_dot(d, n), w = (wide)s->radius, h = (wide)s->height;
    // |p across n|^2 = w^2, or (w / h)^2 times the square along n.
    const wide e = cone ? 1 + w * w / (h * h) : 1, f = cone ? 0 : w * w * nn;
    const wide oo = w_dot(o, o);
    wide_trial q = wide_start(r, w_dot(d, d) * nn - e * dn * dn, w_dot(o, d) * nn - e * on * dn,
                              oo * nn - e * on * on - f, oo * nn * e + f);
    const wide slope_size = w_abs(d.x * n.x) + w_abs(d.y * n.y) + w_abs(d.z * n.z);
    // Of a cone's axis the direction counts, not the length: its height is h |n|, to within rounding of the axis.
    if (cut && cone) wide_restrict(&q, dn, h * nn * (1 + (1 - nn) / 2) - on, slope_size);
    if (cut && !cone) wide_restrict(&q, dn, nn - on, slope_size);
    if (cut || cone) wide_restrict(&q, -dn, on, slope_size);
    if (cone && w_abs(q.a) < (wide)1e-7 * e * w_dot(d, d)) q.unsure = true;
    return wide_reaches(&q);
}

static int wide_ellipsoid(const tact_ray* r, const shape* s)
{
    const wide3 p = w_sub(w_of(v3(r->ox, r->oy, r->oz)), w_of(s->a)), e = w_of(direction(r));
    const wide3 x = w_of(s->axis[0]), y = w_of(s->axis[1]), z = w_of(s->axis[2]);
    const wide u = (wide)s->radii.x, v = (wide)s->radii.y, w = (wide)s->radii.z;
    const wide3 o = {w_dot(x, p) / u, w_dot(y, p) / v, w_dot(z, p) / w};
    const wide3 d = {w_dot(x, e) / u, w_dot(y, e) / v, w_dot(z, e) / w};
    const wide least = u < v ? (u < w ? u : w) : (v < w ? v : w);
    const wide_trial q = wide_start(r, w_dot(d, d), w_dot(o, d), w_dot(o, o) - 1, 1 + w_dot(p, p) / (least * least));
    return wide_reaches(&q);
}

static int ask(const tact_ray* r, const shape* s)
{
    const tact_vec3 b = along(s->a, (double)s->height, s->axis[0]);
    const wide w = (wide)s->radius;
    switch (s->kind) {
        case SPHERE:
        case GEOMETRIC:
            return wide_ball(r, s->a, w);
        case CAPSULE:
            return any_of(any_of(wide_ball(r, s->a, w), wide_ball(r, b, w)), wide_axial(r, s, true, false));
        case CYLINDER:
            return wide_axial(r, s, true, false);
        case TUBE:
            return wide_axial(r, s, false, false);
        case CONE:
            return wide_axial(r, s, true, true);
        case LONG_CONE:
            return wide_axial(r, s, false, true);
        default:
            return wide_ellipsoid(r, s);
    }
}

TEST(shapes_agree_with_wide_quadratics)
{
    test_random r = test_random_seeded(8);
    size_t decided = 0, hits = 0;
    enum { CASES = 1200000 };
    for (int i = 0; i < CASES; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        const shape s = random_shape(&r, (enum kind)(i / 3 % KINDS), size);
        const tact_ray ray = random_aim(&r, &s, size);
        const int expected = ask(&ray, &s);
        if (expected == 0) continue;
        ++decided;
        const tact_ray_solid_hit h = shoot(&ray, &s);
        hits += h.hit;
        if (h.hit != (expected > 0)) fail_msg("case %d: kind %d, expected %d", i, (int)s.kind, expected);
        const tact_sphere sphere = {s.a, s.radius};
        if (s.kind == SPHERE && tact_ray_overlaps_sphere(&ray, &sphere) != h.hit) fail_msg("case %d: boolean", i);
    }
    assert_true(decided > CASES * 4 / 5 && hits > CASES / 4);
}

/// Newton's iteration from the root in double.
static wide wide_root(wide x)
{
    wide y = (wide)sqrt((double)x);
    for (int k = 0; k < 3; ++k)
        y = (y + x / y) / 2;
    return y;
}

/// From up to a million radii away: t is right to the last bit but one.
TEST(distant_spheres_have_precise_roots)
{
    test_random r = test_random_seeded(9);
    enum { CASES = 300000 };
    for (int i = 0; i < CASES; ++i) {
        const float away = ldexpf(1.0f, (int)test_random_below(&r, 21));
        const tact_sphere s = {random_vec(&r, 1), 0.5f + test_random_unit(&r)};
        const tact_vec3 o = along(s.center, (double)(2.0f * away), unit_of(random_vec(&r, 1)));
        tact_ray ray = make_segment(o, along(s.center, 0.9 * (double)s.radius, unit_of(random_vec(&r, 1))));
        ray.tmax = INFINITY;
        const wide3 m = w_sub(w_of(o), w_of(s.center)), d = w_of(direction(&ray));
        const wide a = w_dot(d, d), b = w_dot(m, d), c = w_dot(m, m) - (wide)s.radius * (wide)s.radius;
        if (b * b - a * c < (wide)0.05 * a) continue;  // rounding turned the ray away, or the origin is inside
        const wide root = wide_root(b * b - a * c);
        const double enter = (double)((-b - root) / a);
        if (enter < 0.0) continue;
        const tact_ray_solid_hit h = tact_ray_sphere(&ray, &s);
        if (!h.hit || fabs((double)h.t - enter) > 0x1p-24 * 1.001 * enter) fail_msg("case %d: enters", i);
        const double leave = (double)((root - b) / a);
        if (fabs((double)h.exit - leave) > 0x1p-24 * 1.001 * leave) fail_msg("case %d: leaves", i);
        const tact_ray_solid_hit g = tact_ray_sphere_geometric(&ray, &s);
        if (!g.hit || fabs((double)g.t - enter) > 1e-6 * enter) fail_msg("case %d: geometric", i);
    }
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
