// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The definition of a ray's hit with a sphere, a box or a capsule: known cases, the distance of what is hit from the
// surface in long arithmetic, the geometry library's answers in double, and the properties that trees rely on.

#include "tests/support/run.h"

#include "kernels/ray_shapes.h"
#include "tact/geometry/ray.h"
#include "tests/support/random.h"

static const TactInterval open_gate = {-INFINITY, INFINITY};

static TactTriangleHit fire_at(const tact_ray* r, TactShape s, uint kind, uint faces)
{
    const TactRayFrame frame = tact_ray_frame(r->ox, r->oy, r->oz, r->dx, r->dy, r->dz);
    const TactTriangleHit miss = {0};
    if (!frame.valid || !tact_shape_in_range(s, kind)) return miss;
    return tact_ray_shape(frame, s, kind, open_gate, r->tmin, r->tmax, faces);
}

static void expect(const tact_ray* r, TactShape s, uint kind, uint faces, int side, float t)
{
    const TactTriangleHit h = fire_at(r, s, kind, faces);
    assert_int_equal(h.hit, side);
    if (side == 0) return;
    assert_true(h.t == t);
    assert_true(h.u == (side == 2 ? 1.0f : 0.0f) && h.v == 0.0f);
}

/// Two units across, from 3 to 5 along x, whatever the kind.
static TactShape known(uint kind)
{
    if (kind == TACT_KIND_SPHERES) return (TactShape){.ax = 4, .radius = 1};
    if (kind == TACT_KIND_BOXES) return (TactShape){3, -1, -1, 5, 1, 1, 0};
    return (TactShape){4, -2, 0, 4, 2, 0, 1};
}

TEST(known_hits_have_exact_parameters)
{
    for (uint kind = 1; kind <= 3; ++kind) {
        const TactShape s = known(kind);
        tact_ray r = {0, 0, 0, 0, 1, 0, 0, INFINITY};
        expect(&r, s, kind, TACT_FACE_BOTH, 1, 3.0f);
        expect(&r, s, kind, TACT_FACE_FRONT, 1, 3.0f);
        expect(&r, s, kind, TACT_FACE_BACK, 2, 5.0f);
        r.dx = 2.0f;
        expect(&r, s, kind, TACT_FACE_BOTH, 1, 1.5f);
        r.dx = -1.0f;
        expect(&r, s, kind, TACT_FACE_BOTH, 0, 0.0f);
        r.tmin = -10.0f;
        expect(&r, s, kind, TACT_FACE_BOTH, 1, -5.0f);
        // From inside it is the way out that is hit, unless backs are not wanted.
        r = (tact_ray){4, 0, 0, 0, 1, 0, 0, INFINITY};
        expect(&r, s, kind, TACT_FACE_BOTH, 2, 1.0f);
        expect(&r, s, kind, TACT_FACE_FRONT, 0, 0.0f);
        r.tmax = nextafterf(1.0f, 0.0f);
        expect(&r, s, kind, TACT_FACE_BOTH, 0, 0.0f);
        // Beside it, and touching it: closed sets.
        r = (tact_ray){0, 0, 1, 0, 1, 0, 0, INFINITY};
        assert_int_equal(fire_at(&r, s, kind, TACT_FACE_BOTH).hit, 1);
        r.oz = nextafterf(1.0f, 2.0f);
        assert_int_equal(fire_at(&r, s, kind, TACT_FACE_BOTH).hit, 0);
    }
    // Along the axis of a capsule, and one that is a sphere.
    const TactShape c = {4, -2, 0, 4, 2, 0, 1};
    const tact_ray down = {4, 10, 0, 0, 0, -1, 0, INFINITY};
    expect(&down, c, TACT_KIND_CAPSULES, TACT_FACE_BOTH, 1, 7.0f);
    expect(&down, c, TACT_KIND_CAPSULES, TACT_FACE_BACK, 2, 13.0f);
    const TactShape ball = {4, 2, 0, 4, 2, 0, 1};
    expect(&down, ball, TACT_KIND_CAPSULES, TACT_FACE_BOTH, 1, 7.0f);
    // Sliding along a box's face it goes in at one edge and out at another, also before its origin.
    const TactShape box = {3, -1, -1, 5, 1, 1, 0};
    const tact_ray slide = {3, 0, 0, -8, 0, 1, 0, INFINITY};
    expect(&slide, box, TACT_KIND_BOXES, TACT_FACE_BOTH, 1, -1.0f);
    expect(&slide, box, TACT_KIND_BOXES, TACT_FACE_BACK, 2, 1.0f);
    const tact_ray past = {3, 5, 0, -8, 0, 1, 0, INFINITY};
    expect(&past, box, TACT_KIND_BOXES, TACT_FACE_BOTH, 1, -6.0f);
}

TEST(what_is_no_shape_is_never_hit)
{
    const float bad[] = {NAN, INFINITY, -INFINITY, 0x1p61f};
    for (uint kind = 1; kind <= 3; ++kind) {
        assert_true(tact_shape_in_range(known(kind), kind));
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            TactShape s = known(kind);
            s.ay = bad[i];
            assert_false(tact_shape_in_range(s, kind));
            s = known(kind);
            s.bz = bad[i];
            assert_int_equal(tact_shape_in_range(s, kind), kind == TACT_KIND_SPHERES);
            s = known(kind);
            s.radius = bad[i];
            assert_int_equal(tact_shape_in_range(s, kind), kind == TACT_KIND_BOXES);
        }
        TactShape s = known(kind);
        s.radius = -1.0f;
        s.bx = 2.0f;
        assert_false(tact_shape_in_range(s, kind) && kind != TACT_KIND_SPHERES);
        s = known(kind);
        s.radius = -1.0f;
        assert_int_equal(tact_shape_in_range(s, kind), kind == TACT_KIND_BOXES);
    }
}

typedef long double wide;

static wide dot(const wide a[3], const wide b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/// The signed distance of a point from a shape's surface: an oracle that knows nothing of rays.
static wide distance(TactShape s, uint kind, const wide p[3])
{
    const wide a[3] = {(wide)s.ax, (wide)s.ay, (wide)s.az}, b[3] = {(wide)s.bx, (wide)s.by, (wide)s.bz};
    if (kind == TACT_KIND_BOXES) {
        wide out = 0, in = -(wide)HUGE_VAL;
        for (int k = 0; k < 3; ++k) {
            const wide d = fmaxl(a[k] - p[k], p[k] - b[k]);
            in = fmaxl(in, d);
            out += d > 0 ? d * d : 0;
        }
        return in > 0 ? sqrtl(out) : in;
    }
    wide ap[3], ab[3], rest[3];
    for (int k = 0; k < 3; ++k) {
        ap[k] = p[k] - a[k];
        ab[k] = kind == TACT_KIND_CAPSULES ? b[k] - a[k] : 0;
    }
    const wide length = dot(ab, ab);
    const wide along = length > 0 ? fminl(1, fmaxl(0, dot(ap, ab) / length)) : 0;
    for (int k = 0; k < 3; ++k)
        rest[k] = ap[k] - along * ab[k];
    return sqrtl(dot(rest, rest)) - (wide)s.radius;
}

static TactShape random_shape(test_random* random, uint kind, float size)
{
    TactShape s = {0};
    s.ax = size * test_random_signed(random);
    s.ay = size * test_random_signed(random);
    s.az = size * test_random_signed(random);
    if (kind != TACT_KIND_SPHERES) {
        const float reach = size * ldexpf(1.0f, -(int)test_random_below(random, 8));
        s.bx = s.ax + reach * (kind == TACT_KIND_BOXES ? test_random_unit(random) : test_random_signed(random));
        s.by = s.ay + reach * (kind == TACT_KIND_BOXES ? test_random_unit(random) : test_random_signed(random));
        s.bz = s.az + reach * (kind == TACT_KIND_BOXES ? test_random_unit(random) : test_random_signed(random));
        if (kind == TACT_KIND_CAPSULES && test_random_below(random, 8) == 0) s.by = s.ay, s.bz = s.az;
    }
    if (kind != TACT_KIND_BOXES) s.radius = size * ldexpf(test_random_unit(random), -(int)test_random_below(random, 8));
    return s;
}

static float extent(TactShape s, uint kind)
{
    const TactBox b = tact_shape_tight_box(s, kind);
    return fmaxf(fmaxf(b.hx - b.lx, b.hy - b.ly), b.hz - b.lz);
}

static float point_near(test_random* random, float a, float b, float reach)
{
    return a + (b - a) * test_random_unit(random) + reach * 1.2f * test_random_signed(random);
}

/// A ray at the shape from some way off: up to 2^`far` times the shape's size.
static tact_ray random_ray(test_random* random, TactShape s, uint kind, int far)
{
    const TactBox b = tact_shape_tight_box(s, kind);
    const float reach = kind == TACT_KIND_BOXES ? 0.2f * extent(s, kind) : 0.0f;
    const float px = point_near(random, b.lx, b.hx, reach), py = point_near(random, b.ly, b.hy, reach),
                pz = point_near(random, b.lz, b.hz, reach);
    const float away =
        extent(s, kind) * ldexpf(test_random_unit(random), (int)test_random_below(random, (uint32_t)far));
    float d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = test_random_signed(random);
    // Rays along an axis, in a plane of two, and along a capsule's own axis within a few units in the last place.
    const uint32_t special = test_random_below(random, 8);
    if (special < 2) d[special] = 0.0f;
    if (special == 2) d[0] = d[1] = 0.0f;
    if (special == 3 && kind == TACT_KIND_CAPSULES) {
        d[0] = (s.bx - s.ax) * (1.0f + 1e-6f * test_random_signed(random));
        d[1] = s.by - s.ay;
        d[2] = s.bz - s.az;
    }
    const float length = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(length > 0.0f)) d[0] = 1.0f;
    const float scale = length > 0.0f ? away / length : away;
    return (tact_ray){px - d[0] * scale, py - d[1] * scale, pz - d[2] * scale, 0, d[0], d[1], d[2], INFINITY};
}

static tact_ray_solid_hit by_library(const tact_ray* ray, TactShape s, uint kind)
{
    const tact_vec3 a = {s.ax, s.ay, s.az}, b = {s.bx, s.by, s.bz};
    if (kind == TACT_KIND_SPHERES) return tact_ray_sphere(ray, &(tact_sphere){a, s.radius});
    if (kind == TACT_KIND_BOXES) return tact_ray_aabb(ray, &(tact_aabb){a, b});
    return tact_ray_capsule(ray, &(tact_capsule){a, b, s.radius});
}

typedef struct tally {
    int hits, misses, grazing, behind;
    double worst;
} tally;

/// How far a ray's point may be off in space: rounding of what is as large as the way there and the shape.
static wide allowed(const tact_ray* r, TactShape s, uint kind, wide t)
{
    const wide d = fabsl(t) * sqrtl((wide)r->dx * (wide)r->dx + (wide)r->dy * (wide)r->dy + (wide)r->dz * (wide)r->dz);
    return 0x1p-24L * (16 * d + 24 * (wide)extent(s, kind));
}

static wide distance_at(const tact_ray* r, TactShape s, uint kind, wide t)
{
    const wide p[3] = {(wide)r->ox + t * (wide)r->dx, (wide)r->oy + t * (wide)r->dy, (wide)r->oz + t * (wide)r->dz};
    return distance(s, kind, p);
}

/// The least distance of the line: it is convex along the line, so ternary search finds it.
static wide nearest(const tact_ray* r, TactShape s, uint kind, wide* where)
{
    const wide dd = (wide)r->dx * (wide)r->dx + (wide)r->dy * (wide)r->dy + (wide)r->dz * (wide)r->dz;
    const TactBox b = tact_shape_tight_box(s, kind);
    const wide c[3] = {((wide)b.lx + (wide)b.hx) / 2 - (wide)r->ox, ((wide)b.ly + (wide)b.hy) / 2 - (wide)r->oy,
                       ((wide)b.lz + (wide)b.hz) / 2 - (wide)r->oz};
    const wide d[3] = {(wide)r->dx, (wide)r->dy, (wide)r->dz};
    const wide middle = dot(c, d) / dd, half = 2 * (wide)extent(s, kind) / sqrtl(dd);
    wide from = middle - half, to = middle + half;
    for (int i = 0; i < 120; ++i) {
        const wide m = from + (to - from) / 3, n = to - (to - from) / 3;
        if (distance_at(r, s, kind, m) <= distance_at(r, s, kind, n)) {
            to = n;
        } else {
            from = m;
        }
    }
    *where = from;
    return distance_at(r, s, kind, from);
}

static void check_case(const tact_ray* r, TactShape s, uint kind, int i, tally* count)
{
    const TactTriangleHit h = fire_at(r, s, kind, TACT_FACE_BOTH);
    wide where;
    const wide depth = nearest(r, s, kind, &where);
    const wide slack = allowed(r, s, kind, where);
    if (h.hit) {
        const wide off = distance_at(r, s, kind, (wide)h.t), limit = allowed(r, s, kind, (wide)h.t);
        // A grazing hit is as deep as rounding lets it be.
        if (fabsl(off) > limit && -depth > slack) {
            fail_msg("kind %u case %d: t %a is %Lg off the surface, %Lg allowed", kind, i, (double)h.t, off, limit);
        }
        if (depth > slack) fail_msg("kind %u case %d: hit, but %Lg away", kind, i, depth);
        if (-depth > slack && limit > 0 && (double)(fabsl(off) / limit) > count->worst) {
            count->worst = (double)(fabsl(off) / limit);
        }
        ++count->hits;
        count->behind += h.hit == 2;
        count->grazing += fabsl(depth) <= slack;
    } else {
        // Nothing of the line before the origin counts.
        if (-depth > slack && where > 0)
            fail_msg("kind %u case %d: missed, but %Lg deep at %Lg", kind, i, -depth, where);
        ++count->misses;
    }
    const tact_ray_solid_hit other = by_library(r, s, kind);
    if (fabsl(depth) > slack && where > 0) {
        assert_int_equal(other.hit, h.hit != 0);
        const wide same = h.hit == 2 ? (wide)other.exit : (wide)other.t;
        if (h.hit && fabsl(distance_at(r, s, kind, same)) > allowed(r, s, kind, same)) fail_msg("the library is off");
    }
}

TEST(hits_lie_on_the_surface)
{
    test_random random = test_random_seeded(31);
    for (uint kind = 1; kind <= 3; ++kind) {
        tally count = {0};
        for (int i = 0; i < 20000; ++i) {
            const TactShape s = random_shape(&random, kind, ldexpf(1.0f, (int)test_random_below(&random, 40) - 20));
            const tact_ray r = random_ray(&random, s, kind, 22);
            check_case(&r, s, kind, i, &count);
        }
        printf("kind %u: %d hits, %d of them from inside, %d grazing, %d misses; %.2f of the error allowed\n", kind,
               count.hits, count.behind, count.grazing, count.misses, count.worst);
        assert_true(count.hits > 6000 && count.misses > 1000 && count.behind > 100);
    }
}

/// The two sides are one after the other, and fronts or backs alone are those of both.
TEST(sides_agree)
{
    test_random random = test_random_seeded(32);
    for (int i = 0; i < 60000; ++i) {
        const uint kind = 1 + (uint)i % 3;
        const TactShape s = random_shape(&random, kind, 1.0f);
        tact_ray r = random_ray(&random, s, kind, 6);
        r.tmin = test_random_signed(&random);
        const TactTriangleHit both = fire_at(&r, s, kind, TACT_FACE_BOTH),
                              front = fire_at(&r, s, kind, TACT_FACE_FRONT),
                              back = fire_at(&r, s, kind, TACT_FACE_BACK);
        assert_int_equal(fire_at(&r, s, kind, 0).hit, 0);
        assert_true(both.hit == (front.hit ? front.hit : back.hit));
        if (front.hit) assert_true(front.hit == 1 && both.t == front.t && back.hit == 2 && front.t <= back.t);
        if (!front.hit && back.hit) assert_true(back.hit == 2 && both.t == back.t);
    }
}

static TactBox grown(TactBox b, float by)
{
    return (TactBox){b.lx - by, b.ly - by, b.lz - by, b.hx + by, b.hy + by, b.hz + by};
}

/// What trees rely on: a hit lies in the interval of every box around the shape's padded one.
TEST(hits_lie_in_the_interval_of_their_box)
{
    test_random random = test_random_seeded(33);
    int hits = 0;
    for (int i = 0; i < 200000; ++i) {
        const uint kind = 1 + (uint)i % 3;
        TactShape s = random_shape(&random, kind, 1.0f);
        tact_ray r = random_ray(&random, s, kind, 10);
        if (i % 5 == 0) {
            // Any numbers at all.
            float* const all[] = {&s.ax, &s.ay, &s.az, &s.bx, &s.by, &s.bz, &s.radius, &r.dx, &r.dy, &r.dz, &r.ox};
            *all[test_random_below(&random, 11)] = test_random_any(&random);
            if (i % 10 == 0) *all[test_random_below(&random, 11)] = test_random_any(&random);
        }
        if (i % 3 == 0) r.tmin = -INFINITY;
        if (!(fabsf(r.tmin) <= TACT_LARGEST)) r.tmin = -TACT_LARGEST;
        const TactTriangleHit h = fire_at(&r, s, kind, 1 + (uint)i % 3);
        if (!h.hit) continue;
        ++hits;
        assert_true(h.t >= r.tmin && h.t <= r.tmax && fabsf(h.t) <= TACT_LARGEST);
        const TactRayFrame frame = tact_ray_frame(r.ox, r.oy, r.oz, r.dx, r.dy, r.dz);
        const TactBox box = tact_shape_box(s, kind);
        const TactInterval own = tact_box_interval(frame, box, TACT_SLACK),
                           other = tact_box_interval(frame, grown(box, test_random_unit(&random)), TACT_SLACK);
        assert_true(own.enter <= h.t && h.t <= own.leave && other.enter <= h.t && h.t <= other.leave);
    }
    assert_true(hits > 50000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
