// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Moving spheres against everything. The oracle knows only distances, in long double: the claimed time must be one at
// which the distance is the radius, and by the distance's convexity along the path nothing can have been earlier when a
// moment before was still free; a claimed miss is checked by minimising the distance.

#include "tests/geometry/moving.h"
#include "tests/support/random.h"
#define WIDE long double
#include "tests/geometry/wide.h"

static wide w_length(wide3 a)
{
    return sqrtl(w_dot(a, a));
}

/// Whatever a sphere can run into, by its points; `kind` says what they mean.
typedef enum shape_kind { PLANE, BALL, TRIANGLE, POLYGON, BOX, CAPSULE, SHAPES } shape_kind;

enum { CORNERS = 6 };

typedef struct shape {
    shape_kind kind;
    tact_vec3 v[CORNERS];
    float number;  // the plane's distance, a radius
    size_t count;
} shape;

typedef struct flight {
    tact_sphere sphere;
    tact_vec3 motion;
    shape target;
} flight;

static tact_moving_hit fly(const flight* f)
{
    const shape* s = &f->target;
    switch (s->kind) {
        case PLANE:
            return tact_moving_sphere_plane(f->sphere, f->motion, (tact_plane){s->v[0], s->number});
        case BALL:
            return tact_moving_sphere_sphere(f->sphere, f->motion, (tact_sphere){s->v[0], s->number}, v3(0, 0, 0));
        case TRIANGLE: {
            const tact_triangle t = {s->v[0], s->v[1], s->v[2]};
            return tact_moving_sphere_triangle(f->sphere, f->motion, &t);
        }
        case POLYGON:
            return tact_moving_sphere_polygon(f->sphere, f->motion, s->v, s->count);
        case BOX:
            return tact_moving_sphere_aabb(f->sphere, f->motion, (tact_aabb){s->v[0], s->v[1]});
        default:
            return tact_moving_sphere_capsule(f->sphere, f->motion, (tact_capsule){s->v[0], s->v[1], s->number});
    }
}

// The oracle's distances.

/// Squared.
static wide to_segment(wide3 p, wide3 a, wide3 b)
{
    const wide3 u = w_sub(b, a);
    const wide uu = w_dot(u, u);
    wide s = uu > 0 ? w_dot(w_sub(p, a), u) / uu : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    const wide3 off = w_sub(w_along(a, s, u), p);
    return w_dot(off, off);
}

static wide less(wide a, wide b)
{
    return a < b ? a : b;
}

/// Squared; by the normal equations of the foot in barycentric coordinates.
static wide to_triangle(wide3 p, wide3 a, wide3 b, wide3 c)
{
    const wide3 e = w_sub(b, a), f = w_sub(c, a), q = w_sub(p, a);
    const wide ee = w_dot(e, e), ef = w_dot(e, f), ff = w_dot(f, f), qe = w_dot(q, e), qf = w_dot(q, f);
    const wide det = ee * ff - ef * ef;
    wide best = less(to_segment(p, a, b), less(to_segment(p, b, c), to_segment(p, c, a)));
    if (det > 1e-16L * ee * ff) {
        const wide u = (ff * qe - ef * qf) / det, v = (ee * qf - ef * qe) / det;
        const wide3 off = w_sub(w_along(w_along(a, u, e), v, f), p);
        if (u >= 0 && v >= 0 && u + v <= 1) best = less(best, w_dot(off, off));
    }
    return best;
}

static wide to_box(wide3 p, wide3 low, wide3 high)
{
    const wide3 e = {fmaxl(0, fmaxl(low.x - p.x, p.x - high.x)), fmaxl(0, fmaxl(low.y - p.y, p.y - high.y)),
                     fmaxl(0, fmaxl(low.z - p.z, p.z - high.z))};
    return w_length(e);
}

typedef struct path {
    const shape* target;
    wide3 v[CORNERS];
    wide3 center, motion;
    wide reach, size;  // radii; what rounding is relative to
} path;

/// From the shape without its radius; convex along any line, also for polygons, which are convex here.
static wide distance(const path* to, wide3 p)
{
    const shape* s = to->target;
    const wide3* v = to->v;
    wide best = HUGE_VALL;
    switch (s->kind) {
        case PLANE:
            return fabsl(w_dot(p, v[0]) - (wide)s->number) / w_length(v[0]);
        case BALL:
            return w_length(w_sub(p, v[0]));
        case TRIANGLE:
            return sqrtl(to_triangle(p, v[0], v[1], v[2]));
        case POLYGON:
            if (s->count < 3) return sqrtl(to_segment(p, v[0], v[s->count - 1]));
            for (size_t i = 2; i < s->count; ++i)
                best = less(best, to_triangle(p, v[0], v[i - 1], v[i]));
            return sqrtl(best);
        case BOX:
            return to_box(p, v[0], v[1]);
        default:
            return sqrtl(to_segment(p, v[0], v[1]));
    }
}

static path path_of(const flight* f)
{
    const shape* s = &f->target;
    path p = {
        .target = s, .center = w_of(f->sphere.center), .motion = w_of(f->motion), .reach = (wide)f->sphere.radius};
    for (size_t i = 0; i < CORNERS; ++i)
        p.v[i] = w_of(s->v[i]);
    if (s->kind == BALL || s->kind == CAPSULE) p.reach += (wide)s->number;
    p.size = w_length(p.center) + w_length(p.motion) + p.reach;
    wide far = 0;
    for (size_t i = 0; i < CORNERS && s->kind != PLANE; ++i)
        far = fmaxl(far, w_dot(p.v[i], p.v[i]));
    p.size = fmaxl(p.size, sqrtl(far));
    if (s->kind == PLANE) p.size += fabsl((wide)s->number) / w_length(w_of(s->v[0]));
    return p;
}

/// Above 0: free at the time t.
static wide room(const path* p, wide t)
{
    return distance(p, w_along(p->center, t, p->motion)) - p->reach;
}

static wide least_room(const path* p)
{
    wide low = 0, high = 1;
    for (int i = 0; i < 45; ++i) {
        const wide a = low + (high - low) * 0.45L, b = low + (high - low) * 0.55L;
        if (room(p, a) <= room(p, b)) {
            high = b;
        } else {
            low = a;
        }
    }
    return fminl(room(p, 0), fminl(room(p, 1), room(p, 0.5L * (low + high))));
}

/// A miss that a few steps of advancing by the free distance prove.
static bool clearly_free(const path* p)
{
    const wide speed = w_length(p->motion);
    wide t = 0;
    for (int i = 0; i < 10; ++i) {
        const wide free = room(p, t);
        if (free <= 1e-9L * p->size) return false;
        t += free / (speed + 1e-30L);
        if (t > 1) return true;
    }
    return false;
}

typedef struct tally {
    long hits, misses, near, wrong;
} tally;

static bool fair(const flight* f, tact_moving_hit hit, tally* count)
{
    const path p = path_of(f);
    const wide slack = 1e-12L * p.size;
    if (!hit.hit) {
        ++count->misses;
        if (clearly_free(&p)) return true;
        const wide least = least_room(&p);
        if (fabsl(least) <= slack) ++count->near;
        return least > -slack;
    }
    ++count->hits;
    if (hit.t == 0.0f) {
        // Within reach at the start, or at a time that rounds to 0.
        return room(&p, 0) <= slack + 1e-40L * w_length(p.motion);
    }
    const wide t = (wide)hit.t, speed = w_length(p.motion), blur = 0x1p-24L * t * speed;
    if (!(hit.t <= 1.0f) || room(&p, 0) <= -slack) return false;
    if (fabsl(room(&p, t)) > blur + slack) return false;
    const wide before = t - 0x1p-23L * t - slack / (speed + 1e-30L);
    if (before > 0 && room(&p, before) < -slack) return false;
    // The contact: on the shape, at the sphere's distance, along the normal.
    const wide3 point = w_of(hit.point), normal = w_of(hit.normal), center = w_along(p.center, t, p.motion);
    const wide own = f->target.kind == BALL || f->target.kind == CAPSULE ? (wide)f->target.number : 0;
    const wide loose = blur + 1e-6L * p.size;
    if (fabsl(distance(&p, point) - own) > loose) return false;
    if (fabsl(w_length(normal) - 1) > 1e-6L) return false;
    const wide3 along = w_along(center, -(wide)f->sphere.radius, normal);
    // A normal amplifies errors by what the radius is smaller than the rest.
    return w_length(w_sub(along, point)) <= loose &&
           w_dot(normal, p.motion) <= 1e-6L * speed + loose * speed / (p.reach + 1e-30L);
}

// Cases.

static float number(test_random* r, int kind)
{
    return kind == 3 ? (float)test_random_below(r, 7) - 3.0f : test_random_signed(r);
}

static tact_vec3 vector(test_random* r, int kind, float size)
{
    const float x = number(r, kind), y = number(r, kind), z = number(r, kind);
    return v3(size * x, size * y, size * z);
}

static tact_vec3 mixed(tact_vec3 a, float s, tact_vec3 b)
{
    return v3(a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z));
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a < b ? b : a;
}

/// A convex polygon in a coordinate plane, or tilted by a map that floats take exactly, so that it is flat.
static void make_polygon(test_random* r, shape* s)
{
    static const float circle[8][2] = {{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}};
    s->count = 1 + test_random_below(r, CORNERS);
    const float tilt = (float)test_random_below(r, 5) - 2.0f, lift = (float)test_random_below(r, 5) - 2.0f;
    const bool backwards = test_random_below(r, 2) == 1;
    const uint32_t turn = test_random_below(r, 3);
    for (size_t i = 0; i < CORNERS; ++i) {
        const size_t k = i < s->count ? (backwards ? s->count - 1 - i : i) : 0;
        const float x = 0.25f * circle[k][0], y = 0.25f * circle[k][1], z = tilt * x + lift * y;
        s->v[i] = turn == 0 ? v3(x, y, z) : turn == 1 ? v3(y, z, x) : v3(z, x, y);
    }
}

static shape make_shape(test_random* r, shape_kind which, int kind)
{
    shape s = {.kind = which, .count = 3};
    for (int i = 0; i < CORNERS; ++i)
        s.v[i] = vector(r, kind, 1.0f);
    s.number = fabsf(number(r, kind));
    if (which == PLANE && s.v[0].x == 0 && s.v[0].y == 0 && s.v[0].z == 0) s.v[0].x = 1.0f;
    if (which == POLYGON) make_polygon(r, &s);
    if (kind == 6 && which != POLYGON) {  // flat, thin, or a point
        s.v[1] = test_random_below(r, 2) ? s.v[0] : mixed(s.v[0], 1e-4f, s.v[1]);
        if (test_random_below(r, 2)) s.v[2] = mixed(s.v[0], 2.0f, s.v[1]);
        if (which != PLANE) s.number *= 1e-3f;
    }
    if (which == BOX) {
        const tact_vec3 a = s.v[0], b = s.v[1];
        s.v[0] = v3(smaller(a.x, b.x), smaller(a.y, b.y), smaller(a.z, b.z));
        s.v[1] = v3(larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z));
    }
    return s;
}

static tact_vec3 point_of(test_random* r, const shape* s)
{
    const float u = test_random_unit(r), v = test_random_unit(r) * (1.0f - u);
    if (s->kind == PLANE) {
        const float nn = s->v[0].x * s->v[0].x + s->v[0].y * s->v[0].y + s->v[0].z * s->v[0].z;
        const float h = s->number / nn;
        return v3(h * s->v[0].x, h * s->v[0].y, h * s->v[0].z);
    }
    if (s->kind == BALL) return s->v[0];
    const tact_vec3 edge = mixed(s->v[0], test_random_below(r, 3) ? u : 0.0f, s->v[1]);
    return test_random_below(r, 2) || s->kind == BOX || s->kind == CAPSULE ? edge : mixed(edge, v, s->v[2]);
}

/// A direction across the motion, or any.
static tact_vec3 direction(test_random* r, tact_vec3 m, bool across)
{
    for (;;) {
        tact_vec3 d = vector(r, 0, 1.0f);
        if (across) {
            const tact_vec3 e = d;
            d = v3(e.y * m.z - e.z * m.y, e.z * m.x - e.x * m.z, e.x * m.y - e.y * m.x);
        }
        const float length = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
        if (length > 1e-3f) return v3(d.x / length, d.y / length, d.z / length);
    }
}

static void scale_flight(flight* f, float size, tact_vec3 shift)
{
    shape* s = &f->target;
    const size_t first = s->kind == PLANE;  // a normal stays
    f->sphere.radius *= size;
    f->motion = v3(size * f->motion.x, size * f->motion.y, size * f->motion.z);
    f->sphere.center = v3(size * (f->sphere.center.x + shift.x), size * (f->sphere.center.y + shift.y),
                          size * (f->sphere.center.z + shift.z));
    if (s->kind == PLANE) s->number += shift.x * s->v[0].x + shift.y * s->v[0].y + shift.z * s->v[0].z;
    s->number *= size;
    for (size_t i = first; i < CORNERS; ++i)
        s->v[i] = v3(size * (s->v[i].x + shift.x), size * (s->v[i].y + shift.y), size * (s->v[i].z + shift.z));
}

/// Kinds: 0 anything, 1 near a touch at some time, 2 near a graze, 3 whole numbers, 4 points that move, 5 long ways,
/// 6 degenerate shapes, 7 far away.
static flight make_flight(test_random* r, shape_kind which, int kind)
{
    flight f = {.target = make_shape(r, which, kind)};
    f.sphere.center = vector(r, kind, kind == 3 ? 1.0f : 3.0f);
    f.sphere.radius = kind == 3 ? (float)test_random_below(r, 3) : test_random_unit(r);
    f.motion = vector(r, kind, kind == 3 ? 2.0f : 6.0f);
    if (kind == 4) f.sphere.radius = 0.0f;
    if (kind == 1 || kind == 2 || kind == 5) {
        const float own = which == BALL || which == CAPSULE ? f.target.number : 0.0f;
        const tact_vec3 q = point_of(r, &f.target), n = direction(r, f.motion, kind == 2);
        const float t = test_random_unit(r), away = (f.sphere.radius + own) * (1.0f + 1e-7f * test_random_signed(r));
        f.sphere.center =
            v3(q.x + away * n.x - t * f.motion.x, q.y + away * n.y - t * f.motion.y, q.z + away * n.z - t * f.motion.z);
    }
    if (kind == 5) {
        const float longer = test_random_below(r, 2) ? 100.0f : 1e5f;
        const float back = 0.5f * longer * test_random_unit(r);
        f.sphere.center = v3(f.sphere.center.x - back * f.motion.x, f.sphere.center.y - back * f.motion.y,
                             f.sphere.center.z - back * f.motion.z);
        f.motion = v3(longer * f.motion.x, longer * f.motion.y, longer * f.motion.z);
    }
    // A polygon stays flat: powers of two, whole numbers.
    static const float sizes[2][3] = {{1.0f, 1e-6f, 1e6f}, {1.0f, 0x1p-20f, 0x1p20f}};
    tact_vec3 shift = kind == 7 ? vector(r, 0, 1000.0f) : v3(0, 0, 0);
    if (which == POLYGON) shift = v3(floorf(shift.x), floorf(shift.y), floorf(shift.z));
    scale_flight(&f, sizes[which == POLYGON][test_random_below(r, 3)], shift);
    return f;
}

static void print_flight(const flight* f, tact_moving_hit h, int kind)
{
    const shape* s = &f->target;
    printf("shape %d kind %d: c %a %a %a r %a m %a %a %a -> %d t %a point %g %g %g normal %g %g %g\n", (int)s->kind,
           kind, (double)f->sphere.center.x, (double)f->sphere.center.y, (double)f->sphere.center.z,
           (double)f->sphere.radius, (double)f->motion.x, (double)f->motion.y, (double)f->motion.z, h.hit, (double)h.t,
           (double)h.point.x, (double)h.point.y, (double)h.point.z, (double)h.normal.x, (double)h.normal.y,
           (double)h.normal.z);
    for (int i = 0; i < CORNERS; ++i)
        printf("  %a %a %a\n", (double)s->v[i].x, (double)s->v[i].y, (double)s->v[i].z);
    const path p = path_of(f);
    printf("  number %a count %zu; room at 0 %Lg, at t %Lg, least %Lg; size %Lg\n", (double)s->number, s->count,
           room(&p, 0), room(&p, (wide)h.t), least_room(&p), p.size);
}

enum { CASES = 1000000 };

static void random_flights(shape_kind which, const char* name)
{
    test_random r = test_random_seeded(11 + (uint64_t)which);
    tally count = {0, 0, 0, 0};
    for (int i = 0; i < CASES; ++i) {
        const int kind = i % 8;
        const flight f = make_flight(&r, which, kind);
        const tact_moving_hit hit = fly(&f);
        if (fair(&f, hit, &count)) continue;
        if (++count.wrong < 4) print_flight(&f, hit, kind);
    }
    printf("%s: %ld hits, %ld misses of which %ld by a hair, %ld wrong\n", name, count.hits, count.misses, count.near,
           count.wrong);
    assert_int_equal(count.wrong, 0);
    assert_true(count.hits > CASES / 10 && count.misses > CASES / 10);
}

#define AGREES_WITH_THE_ORACLE(test, which, name) \
    static void test(void** state)                \
    {                                             \
        random_flights(which, name);              \
    }
AGREES_WITH_THE_ORACLE(planes_agree_with_the_oracle, PLANE, "plane")
AGREES_WITH_THE_ORACLE(spheres_agree_with_the_oracle, BALL, "sphere")
AGREES_WITH_THE_ORACLE(triangles_agree_with_the_oracle, TRIANGLE, "triangle")
AGREES_WITH_THE_ORACLE(polygons_agree_with_the_oracle, POLYGON, "polygon")
AGREES_WITH_THE_ORACLE(boxes_agree_with_the_oracle, BOX, "box")
AGREES_WITH_THE_ORACLE(capsules_agree_with_the_oracle, CAPSULE, "capsule")

static tact_sphere ball(float x, float y, float z, float r)
{
    return (tact_sphere){{x, y, z}, r};
}

TEST(planes_are_met_at_known_times)
{
    const tact_plane floor_plane = {{0, 0, 2}, 2};  // z = 1
    expect(tact_moving_sphere_plane(ball(1, 2, 6, 1), v3(4, 0, -8), floor_plane), 0.5f, v3(3, 2, 1), v3(0, 0, 1));
    expect(tact_moving_sphere_plane(ball(1, 2, -4, 1), v3(0, 0, 4), floor_plane), 1.0f, v3(1, 2, 1), v3(0, 0, -1));
    assert_false(tact_moving_sphere_plane(ball(1, 2, -4, 1), v3(0, 0, 3.9999f), floor_plane).hit);
    assert_false(tact_moving_sphere_plane(ball(0, 0, 4, 1), v3(9, 9, 0), floor_plane).hit);
    assert_false(tact_moving_sphere_plane(ball(0, 0, 4, 1), v3(0, 0, 9), floor_plane).hit);
    // Touching at the start and moving away; cutting; centred.
    expect(tact_moving_sphere_plane(ball(0, 0, 2, 1), v3(0, 0, 9), floor_plane), 0, v3(0, 0, 1), v3(0, 0, 1));
    expect(tact_moving_sphere_plane(ball(0, 0, 0.5f, 1), v3(0, 0, 9), floor_plane), 0, v3(0, 0, 1), v3(0, 0, -1));
    expect(tact_moving_sphere_plane(ball(0, 0, 1, 1), v3(0, 0, 0), floor_plane), 0, v3(0, 0, 1), v3(0, 0, 0));
    assert_false(tact_moving_sphere_plane(ball(0, 0, 1, 1), v3(0, 0, 0), (tact_plane){{0, 0, 0}, 0}).hit);
}

TEST(spheres_are_met_at_known_times)
{
    expect(tact_moving_sphere_sphere(ball(-5, 0, 0, 1), v3(8, 0, 0), ball(1, 0, 0, 1), v3(0, 0, 0)), 0.5f, v3(0, 0, 0),
           v3(-1, 0, 0));
    // Both move; the point is where it is then.
    expect(tact_moving_sphere_sphere(ball(-5, 0, 0, 1), v3(4, 8, 0), ball(1, 0, 0, 1), v3(-4, 8, 0)), 0.5f,
           v3(-2, 4, 0), v3(-1, 0, 0));
    // Passing in touch, and by a hair not.
    expect(tact_moving_sphere_sphere(ball(-4, 2, 0, 1), v3(8, 0, 0), ball(0, 0, 0, 1), v3(0, 0, 0)), 0.5f, v3(0, 1, 0),
           v3(0, 1, 0));
    assert_false(tact_moving_sphere_sphere(ball(-4, 2.000001f, 0, 1), v3(8, 0, 0), ball(0, 0, 0, 1), v3(0, 0, 0)).hit);
    // Moving alike, apart, not at all; just not reaching.
    assert_false(tact_moving_sphere_sphere(ball(-5, 0, 0, 1), v3(8, 1, 2), ball(1, 0, 0, 1), v3(8, 1, 2)).hit);
    assert_false(tact_moving_sphere_sphere(ball(-5, 0, 0, 1), v3(-8, 0, 0), ball(1, 0, 0, 1), v3(0, 0, 0)).hit);
    assert_false(tact_moving_sphere_sphere(ball(-5, 0, 0, 1), v3(3.9999f, 0, 0), ball(1, 0, 0, 1), v3(0, 0, 0)).hit);
    expect(tact_moving_sphere_sphere(ball(-5, 0, 0, 1), v3(4, 0, 0), ball(1, 0, 0, 1), v3(0, 0, 0)), 1, v3(0, 0, 0),
           v3(-1, 0, 0));
    // Overlapping at the start: the middle of the lens; one inside the other; the same centre.
    expect(tact_moving_sphere_sphere(ball(-1, 0, 0, 2), v3(-8, 0, 0), ball(2, 0, 0, 2), v3(0, 0, 0)), 0, v3(0.5f, 0, 0),
           v3(-1, 0, 0));
    expect(tact_moving_sphere_sphere(ball(2, 0, 0, 1), v3(-8, 0, 0), ball(0, 0, 0, 4), v3(0, 0, 0)), 0, v3(2, 0, 0),
           v3(1, 0, 0));
    expect(tact_moving_sphere_sphere(ball(2, 0, 0, 1), v3(-8, 0, 0), ball(2, 0, 0, 4), v3(0, 0, 0)), 0, v3(2, 0, 0),
           v3(0, 0, 0));
    // Two points.
    expect(tact_moving_sphere_sphere(ball(-1, 0, 0, 0), v3(4, 0, 0), ball(1, 0, 0, 0), v3(0, 0, 0)), 0.5f, v3(1, 0, 0),
           v3(-1, 0, 0));
}

TEST(triangles_are_met_on_each_feature)
{
    const tact_triangle t = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const tact_triangle other_side = {{0, 0, 0}, {0, 4, 0}, {4, 0, 0}};
    expect(tact_moving_sphere_triangle(ball(1, 1, 5, 1), v3(0, 0, -8), &t), 0.5f, v3(1, 1, 0), v3(0, 0, 1));
    expect(tact_moving_sphere_triangle(ball(1, 1, 5, 1), v3(0, 0, -8), &other_side), 0.5f, v3(1, 1, 0), v3(0, 0, 1));
    expect(tact_moving_sphere_triangle(ball(1, 1, -5, 1), v3(0, 0, 8), &t), 0.5f, v3(1, 1, 0), v3(0, 0, -1));
    // An edge and a vertex, within the plane.
    expect(tact_moving_sphere_triangle(ball(2, -5, 0, 1), v3(0, 8, 0), &t), 0.5f, v3(2, 0, 0), v3(0, -1, 0));
    expect(tact_moving_sphere_triangle(ball(9, 0, 0, 1), v3(-8, 0, 0), &t), 0.5f, v3(4, 0, 0), v3(1, 0, 0));
    // Grazing an edge from above, and missing by a hair.
    expect(tact_moving_sphere_triangle(ball(-4, 1, 1, 1), v3(8, 0, 0), &t), 0.5f, v3(0, 1, 0), v3(0, 0, 1));
    assert_false(tact_moving_sphere_triangle(ball(-4, 1, 1.000001f, 1), v3(8, 0, 0), &t).hit);
    // At the start, moving away; centred in it.
    expect(tact_moving_sphere_triangle(ball(1, 1, 1, 1), v3(0, 0, 8), &t), 0, v3(1, 1, 0), v3(0, 0, 1));
    expect(tact_moving_sphere_triangle(ball(1, 1, 0, 1), v3(0, 0, 8), &t), 0, v3(1, 1, 0), v3(0, 0, 0));
    // Points against a segment and a point.
    const tact_triangle line = {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, dot = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    expect(tact_moving_sphere_triangle(ball(3, 0, 2, 0), v3(0, 0, -4), &line), 0.5f, v3(3, 0, 0), v3(0, 0, 1));
    expect(tact_moving_sphere_triangle(ball(1, 1, 3, 1), v3(0, 0, -2), &dot), 0.5f, v3(1, 1, 1), v3(0, 0, 1));
}

/// The point of a triangle nearest to one of its plane.
static wide3 nearest_of_edges(wide3 p, const wide3 v[3])
{
    wide3 best = v[0];
    for (int i = 0; i < 3; ++i) {
        const wide3 u = w_sub(v[(i + 1) % 3], v[i]);
        const wide s = fminl(1, fmaxl(0, w_dot(w_sub(p, v[i]), u) / w_dot(u, u)));
        const wide3 q = w_along(v[i], s, u);
        if (w_length(w_sub(p, q)) < w_length(w_sub(p, best))) best = q;
    }
    return best;
}

/// Ericson 5.5.6: where the sphere touches the plane outside of the triangle, a ray from the nearest point of the
/// triangle back against the motion decides. A sphere that slides in over an edge touches another point first.
TEST(a_ray_from_the_nearest_point_is_not_enough)
{
    test_random r = test_random_seeded(8);
    tally count = {0, 0, 0, 0};
    long late = 0, missed = 0, early = 0, outside = 0;
    for (int i = 0; i < 100000; ++i) {
        const flight f = make_flight(&r, TRIANGLE, 0);
        const wide3 v[3] = {w_of(f.target.v[0]), w_of(f.target.v[1]), w_of(f.target.v[2])};
        const tact_vec3 a = f.target.v[0];
        const float ux = f.target.v[1].x - a.x, uy = f.target.v[1].y - a.y, uz = f.target.v[1].z - a.z;
        const float wx = f.target.v[2].x - a.x, wy = f.target.v[2].y - a.y, wz = f.target.v[2].z - a.z;
        tact_plane plane = {v3(uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx), 0};
        plane.distance = plane.normal.x * a.x + plane.normal.y * a.y + plane.normal.z * a.z;
        const tact_moving_hit level = tact_moving_sphere_plane(f.sphere, f.motion, plane), h = fly(&f);
        assert_true(fair(&f, h, &count));
        if (!level.hit || level.t == 0.0f) continue;
        const wide3 p = w_of(level.point), q = nearest_of_edges(p, v);
        if (sqrtl(to_triangle(p, v[0], v[1], v[2])) < w_length(w_sub(p, q)) * 0.5L) continue;  // inside
        ++outside;
        const tact_sphere dot = {v3((float)q.x, (float)q.y, (float)q.z), 0};
        const tact_moving_hit ray = tact_moving_sphere_sphere(f.sphere, f.motion, dot, v3(0, 0, 0));
        missed += h.hit && !ray.hit;
        late += h.hit && ray.hit && ray.t > h.t + 1e-4f;
        early += (!h.hit && ray.hit) || (h.hit && ray.hit && ray.t < h.t - 1e-3f);
    }
    printf("ray from the nearest point: of %ld contacts outside %ld missed, %ld late, %ld early\n", outside, missed,
           late, early);
    assert_true(missed > 100 && late > 100 && early == 0);
}

TEST(polygons_need_not_be_convex)
{
    // An L: the notch is free, its corner is not.
    const tact_vec3 ell[6] = {{0, 0, 0}, {4, 0, 0}, {4, 1, 0}, {1, 1, 0}, {1, 4, 0}, {0, 4, 0}};
    expect(tact_moving_sphere_polygon(ball(0.5f, 3, 5, 1), v3(0, 0, -8), ell, 6), 0.5f, v3(0.5f, 3, 0), v3(0, 0, 1));
    expect(tact_moving_sphere_polygon(ball(3, 0.5f, -5, 1), v3(0, 0, 8), ell, 6), 0.5f, v3(3, 0.5f, 0), v3(0, 0, -1));
    assert_false(tact_moving_sphere_polygon(ball(3, 3, 5, 1.5f), v3(0, 0, -10), ell, 6).hit);
    assert_true(tact_moving_sphere_polygon(ball(3, 3, 5, 2), v3(0, 0, -10), ell, 6).hit);
    expect(tact_moving_sphere_polygon(ball(2, 5, 0, 0.5f), v3(0, -7, 0), ell, 6), 0.5f, v3(2, 1, 0), v3(0, 1, 0));
    assert_false(tact_moving_sphere_polygon(ball(0, 0, 0, 1), v3(0, 0, 0), ell, 0).hit);
    expect(tact_moving_sphere_polygon(ball(0, 0, 2, 1), v3(0, 0, -2), ell, 1), 0.5f, v3(0, 0, 0), v3(0, 0, 1));
    expect(tact_moving_sphere_polygon(ball(2, 0, 2, 1), v3(0, 0, -2), ell, 2), 0.5f, v3(2, 0, 0), v3(0, 0, 1));
}

TEST(boxes_are_met_on_each_feature)
{
    const tact_aabb box = {{0, 0, 0}, {2, 4, 6}};
    expect(tact_moving_sphere_aabb(ball(-5, 1, 1, 1), v3(8, 0, 0), box), 0.5f, v3(0, 1, 1), v3(-1, 0, 0));
    // The corner of the larger box that a ray test would use, in front of an edge and of a corner: free.
    assert_false(tact_moving_sphere_aabb(ball(-0.875f, -0.875f, 20, 1), v3(0, 0, -40), box).hit);
    assert_true(tact_moving_sphere_aabb(ball(-0.5f, -0.75f, 20, 1), v3(0, 0, -40), box).hit);
    expect(tact_moving_sphere_aabb(ball(-0.75f, -1, 7, 1.25f), v3(0, 0, -4), box), 0.25f, v3(0, 0, 6),
           v3(-0.6f, -0.8f, 0));
    expect(tact_moving_sphere_aabb(ball(-3, -4, 3, 2.5f), v3(3, 4, 0), box), 0.5f, v3(0, 0, 3), v3(-0.6f, -0.8f, 0));
    // A point through a corner; from inside, from a face.
    expect(tact_moving_sphere_aabb(ball(-1, -1, -1, 0), v3(4, 4, 4), box), 0.25f, v3(0, 0, 0),
           v3(-0.57735026f, -0.57735026f, -0.57735026f));
    expect(tact_moving_sphere_aabb(ball(1, 3.5f, 3, 1), v3(8, 0, 0), box), 0, v3(1, 3.5f, 3), v3(0, 1, 0));
    expect(tact_moving_sphere_aabb(ball(0.25f, 2, 3, 1), v3(8, 0, 0), box), 0, v3(0.25f, 2, 3), v3(-1, 0, 0));
    expect(tact_moving_sphere_aabb(ball(-1, 2, 3, 1), v3(-8, 0, 0), box), 0, v3(0, 2, 3), v3(-1, 0, 0));
    assert_false(tact_moving_sphere_aabb(ball(1, 1, 1, 9), v3(0, 0, 0), (tact_aabb){{0, 2, 0}, {2, 1, 2}}).hit);
}

TEST(capsules_are_met_on_side_and_ends)
{
    const tact_capsule c = {{0, 0, 0}, {0, 0, 4}, 1}, dot = {{0, 0, 0}, {0, 0, 0}, 1};
    expect(tact_moving_sphere_capsule(ball(-6, 0, 2, 1), v3(8, 0, 0), c), 0.5f, v3(-1, 0, 2), v3(-1, 0, 0));
    expect(tact_moving_sphere_capsule(ball(0, 0, 10, 1), v3(0, 0, -8), c), 0.5f, v3(0, 0, 5), v3(0, 0, 1));
    expect(tact_moving_sphere_capsule(ball(-6, 0, 0, 1), v3(8, 0, 0), dot), 0.5f, v3(-1, 0, 0), v3(-1, 0, 0));
    expect(tact_moving_sphere_capsule(ball(-1, 0, 2, 1), v3(8, 0, 0), c), 0, v3(-0.5f, 0, 2), v3(-1, 0, 0));
    expect(tact_moving_sphere_capsule(ball(-4, 2, 2, 1), v3(8, 0, 0), c), 0.5f, v3(0, 1, 2), v3(0, 1, 0));
    assert_false(tact_moving_sphere_capsule(ball(-4, 2.000001f, 2, 1), v3(8, 0, 0), c).hit);
    assert_false(tact_moving_sphere_capsule(ball(-4, 0, 2, 1), v3(0, 0, 8), c).hit);
}

TEST(long_ways_miss_nothing)
{
    const float far = 0x1p60f, small = 0x1p-20f;
    const tact_sphere s = ball(-far, 0, 0, small);
    const tact_vec3 m = v3(2 * far, 0, 0);
    const tact_triangle t = {{0, -small, -small}, {0, small, -small}, {0, 0, small}};
    assert_true(tact_moving_sphere_sphere(s, m, ball(0, small, 0, small), v3(0, 0, 0)).t == 0.5f);
    assert_true(tact_moving_sphere_triangle(s, m, &t).t == 0.5f);
    assert_true(tact_moving_sphere_aabb(s, m, (tact_aabb){{0, 0, 0}, {small, small, small}}).t == 0.5f);
    assert_true(tact_moving_sphere_capsule(s, m, (tact_capsule){{0, 0, 0}, {0, small, small}, 0}).t == 0.5f);
    assert_true(tact_moving_sphere_plane(s, m, (tact_plane){{1, 0, 0}, 0}).t == 0.5f);
    assert_false(tact_moving_sphere_sphere(s, m, ball(0, 3 * small, 0, small), v3(0, 0, 0)).hit);
}

static float* part(flight* f, int i)
{
    float* own[7] = {&f->sphere.center.x, &f->sphere.center.y, &f->sphere.center.z, &f->sphere.radius,
                     &f->motion.x,        &f->motion.y,        &f->motion.z};
    if (i < 7) return own[i];
    tact_vec3* v = &f->target.v[(i - 7) / 3];
    return (i - 7) % 3 == 0 ? &v->x : (i - 7) % 3 == 1 ? &v->y : &v->z;
}

TEST(nothing_that_is_no_number_hits)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    static const int points[SHAPES] = {1, 1, 3, CORNERS, 2, 2};
    test_random r = test_random_seeded(5);
    for (int round = 0; round < 2000; ++round) {
        for (int which = 0; which < SHAPES; ++which) {
            const flight f = make_flight(&r, (shape_kind)which, round % 8);
            const int parts = 7 + 3 * (which == POLYGON ? (int)f.target.count : points[which]);
            for (int i = 0; i < parts; ++i) {
                flight g = f;
                *part(&g, i) = bad[round % 3];
                assert_false(fly(&g).hit);
            }
            flight g = f;
            g.sphere.radius = -1e-3f;
            assert_false(fly(&g).hit);
            g = f;
            g.target.number = round % 4 == 3 && which != PLANE ? -1.0f : bad[round % 3];
            if (which == PLANE || which == BALL || which == CAPSULE) assert_false(fly(&g).hit);
        }
    }
    assert_false(tact_moving_sphere_sphere(ball(0, 0, 0, 1), v3(0, 0, 0), ball(0, 0, 0, 1), v3(0, NAN, 0)).hit);
}

static tact_vec3 turned(tact_vec3 v)
{
    return v3(v.y, -v.z, v.x);
}

/// Powers of two and turns of whole numbers change no rounding in what decides.
TEST(scale_and_turns_change_nothing)
{
    test_random r = test_random_seeded(6);
    for (int i = 0; i < 200000; ++i) {
        const shape_kind which = (shape_kind)(i % SHAPES);
        flight f = make_flight(&r, which, 3);
        for (int k = 0; k < 4; ++k) {
            flight g = f;
            scale_flight(&g, k % 2 ? 0x1p20f : 0x1p-20f, v3(0, 0, 0));
            const tact_moving_hit a = fly(&f), b = fly(&g);
            assert_true(a.hit == b.hit && a.t == b.t && a.normal.x == b.normal.x && a.normal.y == b.normal.y);
        }
    }
    for (int i = 0; i < 200000; ++i) {
        flight f = make_flight(&r, (shape_kind)(i % SHAPES), 0), g = f;
        if (f.target.kind == BOX) continue;  // its corners would have to be sorted again
        g.sphere.center = turned(f.sphere.center);
        g.motion = turned(f.motion);
        for (int k = 0; k < CORNERS; ++k)
            g.target.v[k] = turned(f.target.v[k]);
        const tact_moving_hit a = fly(&f), b = fly(&g);
        assert_true(a.hit == b.hit && fabsf(a.t - b.t) <= 1e-6f);
    }
}

/// Only the difference of two spheres' motions counts, and exchanging them turns the normal round.
TEST(spheres_are_symmetric)
{
    test_random r = test_random_seeded(7);
    for (int i = 0; i < 300000; ++i) {
        const tact_sphere a = {vector(&r, 0, 3.0f), test_random_unit(&r)},
                          b = {vector(&r, 0, 3.0f), test_random_unit(&r)};
        const tact_vec3 ma = vector(&r, 0, 4.0f), mb = vector(&r, 0, 4.0f);
        const tact_moving_hit p = tact_moving_sphere_sphere(a, ma, b, mb), q = tact_moving_sphere_sphere(b, mb, a, ma);
        assert_true(p.hit == q.hit && p.t == q.t);
        if (!p.hit) continue;
        assert_true(p.normal.x == -q.normal.x && p.normal.y == -q.normal.y && p.normal.z == -q.normal.z);
        assert_true(fabsf(p.point.x - q.point.x) <= 4e-6f && fabsf(p.point.y - q.point.y) <= 4e-6f);
    }
}

TEST_ELSEWHERE(cmocka_unit_test, planes_agree_with_the_oracle)
TEST_ELSEWHERE(cmocka_unit_test, spheres_agree_with_the_oracle)
TEST_ELSEWHERE(cmocka_unit_test, triangles_agree_with_the_oracle)
TEST_ELSEWHERE(cmocka_unit_test, polygons_agree_with_the_oracle)
TEST_ELSEWHERE(cmocka_unit_test, boxes_agree_with_the_oracle)
TEST_ELSEWHERE(cmocka_unit_test, capsules_agree_with_the_oracle)

#include TEST_LIST
RUN_ALL(NULL, NULL)
