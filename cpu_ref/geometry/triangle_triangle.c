// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/triangle_triangle.h"

#include "base/simd_threes.h"
#include "cpu_ref/geometry/overlap_internal.h"

/// A triangle as the set it is: a point, a segment between its extreme vertices, or a proper triangle with an axis
/// along which its projection has an area.
typedef struct flat {
    int count;
    int axis;
    dvec p[3];
} flat;

static bool before(dvec a, dvec b)
{
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

static flat flatten(const tact_triangle* t)
{
    flat f = {3, 0, {d_from(t->a), d_from(t->b), d_from(t->c)}};
    for (f.axis = 0; f.axis < 3; ++f.axis) {
        if (exact_area(f.p[0], f.p[1], f.p[2], f.axis) != 0.0) return f;
    }
    dvec low = f.p[0], high = f.p[0];
    for (int k = 1; k < 3; ++k) {
        if (before(f.p[k], low)) low = f.p[k];
        if (before(high, f.p[k])) high = f.p[k];
    }
    f.p[0] = low;
    f.p[1] = high;
    f.count = d_same(low, high) ? 1 : 2;
    return f;
}

static int turn(dvec a, dvec b, dvec c, int axis)
{
    const double area = exact_area(a, b, c, axis);
    return (area > 0.0) - (area < 0.0);
}

static bool between(double a, double x, double b)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

/// For a point p on the line a b, seen along an axis.
static bool within(dvec a, dvec b, dvec p, int axis)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return between(d_at(a, i), d_at(p, i), d_at(b, i)) && between(d_at(a, j), d_at(p, j), d_at(b, j));
}

/// Two segments seen along an axis.
static bool segments_cross(dvec a, dvec b, dvec c, dvec d, int axis)
{
    const int ac = turn(c, d, a, axis), bc = turn(c, d, b, axis), ca = turn(a, b, c, axis), da = turn(a, b, d, axis);
    if (ac * bc < 0 && ca * da < 0) return true;
    return (ac == 0 && within(c, d, a, axis)) || (bc == 0 && within(c, d, b, axis)) ||
           (ca == 0 && within(a, b, c, axis)) || (da == 0 && within(a, b, d, axis));
}

/// A point and a triangle seen along the triangle's axis.
static bool covers(const flat* t, dvec p)
{
    const int x = turn(t->p[0], t->p[1], p, t->axis), y = turn(t->p[1], t->p[2], p, t->axis);
    const int z = turn(t->p[2], t->p[0], p, t->axis);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

/// A triangle t and something in its plane.
static bool meet_in_plane(const flat* t, const flat* other)
{
    if (covers(t, other->p[0])) return true;
    const int edges = other->count == 3 ? 3 : other->count - 1;
    for (int e = 0; e < edges; ++e) {
        for (int k = 0; k < 3; ++k) {
            if (segments_cross(other->p[e], other->p[(e + 1) % 3], t->p[k], t->p[(k + 1) % 3], t->axis)) return true;
        }
    }
    if (other->count < 3) return false;
    const flat seen = {3, t->axis, {other->p[0], other->p[1], other->p[2]}};
    return covers(&seen, t->p[0]);
}

/// The side of the plane of t on which p is.
static int side(const flat* t, dvec p)
{
    return exact_side(t->p[0], t->p[1], t->p[2], p);
}

static bool point_on_segment(dvec p, const flat* s)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (turn(s->p[0], s->p[1], p, axis) != 0) return false;
    }
    return !before(p, s->p[0]) && !before(s->p[1], p);
}

static bool segment_meets_segment(const flat* s, const flat* t)
{
    if (exact_side(s->p[0], s->p[1], t->p[0], t->p[1]) != 0) return false;
    for (int axis = 0; axis < 3; ++axis) {  // an axis along which their plane is not edge-on
        if (turn(s->p[0], s->p[1], t->p[0], axis) != 0 || turn(s->p[0], s->p[1], t->p[1], axis) != 0) {
            return segments_cross(s->p[0], s->p[1], t->p[0], t->p[1], axis);
        }
    }
    return !before(s->p[1], t->p[0]) && !before(t->p[1], s->p[0]);
}

static bool segment_meets_triangle(const flat* s, const flat* t)
{
    const dvec a = s->p[0], b = s->p[1];
    const int from = side(t, a), to = side(t, b);
    if (from * to > 0) return false;
    if (from == 0 && to == 0) return meet_in_plane(t, s);
    const int x = exact_side(a, b, t->p[0], t->p[1]), y = exact_side(a, b, t->p[1], t->p[2]);
    const int z = exact_side(a, b, t->p[2], t->p[0]);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

/// Both may be degenerate, and t has at least as many vertices as s; s is not a proper triangle.
static bool meets_degenerate(const flat* s, const flat* t)
{
    if (s->count == 2) return t->count == 2 ? segment_meets_segment(s, t) : segment_meets_triangle(s, t);
    if (t->count == 1) return d_same(s->p[0], t->p[0]);
    if (t->count == 2) return point_on_segment(s->p[0], t);
    return side(t, s->p[0]) == 0 && covers(t, s->p[0]);
}

/// One triangle as the other's plane cuts it: `p[0]` is alone on the positive side, or on the plane with both others on
/// the negative side. `height` are the volumes that told.
typedef struct cut {
    dvec p[3];
    double height[3];
} cut;

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/// The vertex that is strictly apart from both others, or weakly from two that are strictly on one side. Some vertex is
/// off the plane, and not all are on one side.
static int lone_vertex(const double* height)
{
    int above = 0, below = 0;
    for (int k = 0; k < 3; ++k) {
        above += height[k] > 0.0;
        below += height[k] < 0.0;
    }
    const int lone = above == 1 ? 1 : below == 1 ? -1 : 0;
    for (int k = 0; k < 2; ++k) {
        if (sign_of(height[k]) == lone) return k;
    }
    return 2;
}

static void rotate(cut* c, int first)
{
    const cut old = *c;
    for (int k = 0; k < 3; ++k) {
        c->p[k] = old.p[(k + first) % 3];
        c->height[k] = old.height[(k + first) % 3];
    }
}

/// Turns a triangle over.
static void flip(cut* c)
{
    const dvec p = c->p[1];
    const double h = c->height[1];
    c->p[1] = c->p[2];
    c->height[1] = c->height[2];
    c->p[2] = p;
    c->height[2] = h;
}

/// Makes the lone vertex of a the positive one by turning b over.
static void face(cut* a, cut* b)
{
    if (a->height[0] > 0.0 || (a->height[0] == 0.0 && a->height[1] < 0.0)) return;
    for (int k = 0; k < 3; ++k)
        a->height[k] = -a->height[k];
    flip(b);
}

typedef enum relation { APART, IN_PLANE, CROSSING } relation;

/// Measures the vertices of a against the plane of b.
static relation measure(cut* a, const dvec* b, double trust)
{
    int above = 0, below = 0;
    for (int k = 0; k < 3; ++k) {
        a->height[k] = exact_volume(b[0], b[1], b[2], a->p[k], trust);
        above += a->height[k] > 0.0;
        below += a->height[k] < 0.0;
    }
    if (above == 3 || below == 3) return APART;
    return above == 0 && below == 0 ? IN_PLANE : CROSSING;
}

static relation relate(cut* a, cut* b, const tact_triangle* s, const tact_triangle* t, double trust)
{
    a->p[0] = d_from(s->a);
    a->p[1] = d_from(s->b);
    a->p[2] = d_from(s->c);
    b->p[0] = d_from(t->a);
    b->p[1] = d_from(t->b);
    b->p[2] = d_from(t->c);
    const relation first = measure(a, b->p, trust);
    if (first == APART) return APART;
    const relation second = measure(b, a->p, trust);
    if (second == APART) return APART;
    if (first == IN_PLANE || second == IN_PLANE) return IN_PLANE;
    rotate(a, lone_vertex(a->height));
    rotate(b, lone_vertex(b->height));
    face(a, b);
    face(b, a);
    return CROSSING;
}

/// Where the edge 0 i of a and the edge 0 j of b cross the common line: positive when a's crossing comes first.
static int order(const cut* a, int i, const cut* b, int j)
{
    return exact_side(a->p[0], a->p[i], b->p[0], b->p[j]);
}

static bool meets_flat(const tact_triangle* a, const tact_triangle* b)
{
    const flat s = flatten(a), t = flatten(b);
    if (s.count == 3 && t.count == 3) return meet_in_plane(&t, &s);
    return s.count <= t.count ? meets_degenerate(&s, &t) : meets_degenerate(&t, &s);
}

// ---- In single precision, where that is enough ----

/// Which of some numbers are above 0 for certain, and which below, a bit for each.
typedef struct signs {
    uint32_t above, below;
} signs;

/// The signs of determinants of three factors: their values and bounds of the factors. `first` bounds the sum of the
/// coordinates of one, `both` the largest product of a coordinate of either other.
///
/// A coordinate of the cross product of two differences is off by at most 8 units of 2^-24 of `both`, its product with
/// the third difference by 16 of `first` times `both`. What numbers lose that are too small for a float's full
/// precision is below the constants, as long as `both` is taken as 2^-100 at least.
LANES_INLINE signs quick_signs(f4 value, f4 first, f4 both)
{
    const f4 product = f4_mul(f4_mul(first, f4_set(0x1p-19f)), f4_max(both, f4_set(0x1p-100f)));
    const f4 error = f4_add(product, f4_set(0x1p-120f));
    return (signs){threes_less(error, value), threes_less(value, f4_negate(error))};
}

/// The sides of the plane of t that the vertices of `other` are on.
LANES_INLINE signs quick_sides(const tact_triangle* t, const threes* other)
{
    const f4 a = f4_load(&t->a.x), b = f4_load(&t->b.x), c = f4_last_three(f4_load(&t->b.z));
    const f4 u = f4_sub(b, a), v = f4_sub(c, a), most = threes_most(f4_max(f4_abs(u), f4_abs(v)));
    // The normal's third coordinate, its first and its second.
    const f4 n = f4_sub(f4_mul(u, f4_next(v)), f4_mul(f4_next(u), v));
    const threes d = {f4_sub(other->x, f4_first_of(a)), f4_sub(other->y, f4_second_of(a)),
                      f4_sub(other->z, f4_third_of(a))};
    const f4 height = threes_dot(d, f4_second_of(n), f4_third_of(n), f4_first_of(n));
    return quick_signs(height, threes_size(d), f4_mul(most, most));
}

/// (d - a) . ((b - a) x (c - a)), as exact_volume(), of two b and two d.
LANES_INLINE signs quick_volumes(const tact_vec3* a, const tact_vec3* b[2], const tact_vec3* c, const tact_vec3* d[2])
{
    f4 r[4] = {f4_load_three(&b[0]->x), f4_load_three(&b[1]->x), f4_load_three(&d[0]->x), f4_load_three(&d[1]->x)};
    f4_turn(r);
    const threes e = {f4_sub(r[0], f4_set(a->x)), f4_sub(r[1], f4_set(a->y)), f4_sub(r[2], f4_set(a->z))};
    const threes w = {f4_set(c->x - a->x), f4_set(c->y - a->y), f4_set(c->z - a->z)};
    const threes of_d = {f4_last_two(e.x), f4_last_two(e.y), f4_last_two(e.z)};
    const f4 volume =
        threes_dot(of_d, f4_sub(f4_mul(e.y, w.z), f4_mul(e.z, w.y)), f4_sub(f4_mul(e.z, w.x), f4_mul(e.x, w.z)),
                   f4_sub(f4_mul(e.x, w.y), f4_mul(e.y, w.x)));
    return quick_signs(volume, threes_size(of_d), f4_mul(threes_size(e), threes_size(w)));
}

typedef enum quick_answer { QUICK_APART, QUICK_MEET, QUICK_UNSURE } quick_answer;

/// Of triangles that have no vertex in each other's plane and are on both sides of it, by the bits of the vertices
/// above: the order of crossings that order() finds, of vertices in the order that face() makes.
LANES_INLINE quick_answer quick_meet(const tact_triangle* a, const tact_triangle* b, uint32_t above_b, uint32_t above_a)
{
    // The vertex that is alone above or below and the next two, and the same turned over; by the bits of those above.
    static const uint8_t orders[2][8][3] = {
        {{0, 1, 2}, {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 0, 1}, {1, 2, 0}, {0, 1, 2}, {0, 1, 2}},
        {{0, 2, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {0, 2, 1}}};
    static const uint8_t several[8] = {0, 0, 0, 1, 0, 1, 1, 0};
    const uint8_t *i = orders[several[above_a]][above_b], *j = orders[several[above_b]][above_a];
    const tact_vec3 *p = &a->a, *q = &b->a;
    const tact_vec3 *of_p[2] = {&p[i[1]], &p[i[2]]}, *of_q[2] = {&q[j[1]], &q[j[2]]};
    const signs order = quick_volumes(&p[i[0]], of_p, &q[j[0]], of_q);
    if ((order.above & 1u) | (order.below & 2u)) return QUICK_APART;
    return (order.below & 1u) && (order.above & 2u) ? QUICK_MEET : QUICK_UNSURE;
}

static quick_answer quick_relate(const tact_triangle* a, const tact_triangle* b)
{
    if (TACT_LANES_ISA == 0) return QUICK_UNSURE;  // four numbers one by one take longer than double precision
    const threes p = threes_load(&a->a.x), q = threes_load(&b->a.x);
    const signs of_p = quick_sides(b, &p), of_q = quick_sides(a, &q);
    if (of_p.above == 7u || of_p.below == 7u || of_q.above == 7u || of_q.below == 7u) return QUICK_APART;
    if ((of_p.above | of_p.below) != 7u || (of_q.above | of_q.below) != 7u) return QUICK_UNSURE;
    return quick_meet(a, b, of_p.above, of_q.above);
}

bool tact_triangle_overlaps_triangle(const tact_triangle* a, const tact_triangle* b)
{
    const quick_answer quick = quick_relate(a, b);
    if (quick != QUICK_UNSURE) return quick == QUICK_MEET;
    if (!t_finite(a) || !t_finite(b)) return false;
    cut p, q;
    const relation r = relate(&p, &q, a, b, 1.0);
    if (r == APART) return false;
    if (r == IN_PLANE) return meets_flat(a, b);
    return order(&p, 1, &q, 1) <= 0 && order(&p, 2, &q, 2) >= 0;
}

/// A zero without its sign: ends are compared by value, so that zeros of both signs would be chosen by the order of the
/// triangles.
static float plain_zero(float x)
{
    return x == 0.0f ? 0.0f : x;
}

/// The point of the edge 0 i on the other triangle's plane.
static tact_vec3 crossing(const cut* c, int i)
{
    const double t = c->height[0] / (c->height[0] - c->height[i]);
    const tact_vec3 p = d_round(d_along(c->p[0], t, d_sub(c->p[i], c->p[0])));
    return (tact_vec3){plain_zero(p.x), plain_zero(p.y), plain_zero(p.z)};
}

static bool earlier(tact_vec3 a, tact_vec3 b)
{
    return before(d_from(a), d_from(b));
}

/// Chooses between two ends by the order of the exact ones; equal ones by their rounded coordinates, so that the choice
/// does not depend on which triangle came first.
static tact_vec3 choose(int first, tact_vec3 x, tact_vec3 y)
{
    if (first == 0) return earlier(x, y) ? x : y;
    return first > 0 ? x : y;
}

/// On the common line a covers [a2, a1] and b covers [b1, b2], where x1 is the crossing of an edge 0 1.
static tact_triangle_contact common(const cut* a, const cut* b, int one, int two)
{
    const int low = order(a, 2, b, 1), high = order(a, 1, b, 2);
    tact_triangle_contact c = {TACT_TRIANGLES_MEET_IN_SEGMENT, {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}};
    c.segment.a = choose(-low, crossing(a, 2), crossing(b, 1));
    c.segment.b = choose(high, crossing(a, 1), crossing(b, 2));
    if (one == 0 || two == 0 || a->height[0] == 0.0 || b->height[0] == 0.0) {
        c.meeting = TACT_TRIANGLES_MEET_IN_POINT;
        if (earlier(c.segment.b, c.segment.a)) c.segment.a = c.segment.b;
        c.segment.b = c.segment.a;
    } else if (earlier(c.segment.b, c.segment.a)) {
        const tact_vec3 swap = c.segment.a;
        c.segment.a = c.segment.b;
        c.segment.b = swap;
    }
    return c;
}

tact_triangle_contact tact_triangle_triangle_contact(const tact_triangle* a, const tact_triangle* b)
{
    tact_triangle_contact none = {TACT_TRIANGLES_APART, {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}};
    if (quick_relate(a, b) == QUICK_APART) return none;
    if (!t_finite(a) || !t_finite(b)) return none;
    cut p, q;
    const relation r = relate(&p, &q, a, b, 0x1p26);
    if (r == APART) return none;
    if (r == IN_PLANE) {
        if (meets_flat(a, b)) none.meeting = TACT_TRIANGLES_COPLANAR;
        return none;
    }
    const int one = order(&p, 1, &q, 1), two = order(&p, 2, &q, 2);
    if (one > 0 || two < 0) return none;
    return common(&p, &q, one, two);
}
