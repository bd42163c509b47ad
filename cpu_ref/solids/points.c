// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/points.h"

#include "base/asserts.h"
#include "cpu_ref/geometry/determinant_internal.h"
#include "cpu_ref/geometry/exact.h"
#include "cpu_ref/geometry/predicates_internal.h"

static float coordinate(tact_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

// ---- Whole numbers ----

/// The height of a point above a plane, times what is the same for all points.
static void big_height(const tact_meet_point* of, tact_vec3 x, int32_t scale, tact_big* height)
{
    tact_big u[3], v[3], w[3];
    big_difference(of->s, of->r, scale, u);
    big_difference(x, of->r, scale, w);
    if (of->axis < 3) {
        const int i = (of->axis + 1) % 3, j = (of->axis + 2) % 3;
        big_minor(&u[i], &w[j], &u[j], &w[i], height);
        return;
    }
    big_difference(of->t, of->r, scale, v);
    big_determinant(w, u, v, height);
}

/// A point as X / W, for two of the axes or one.
typedef struct big_point {
    tact_big x[2], w;
} big_point;

static void big_coordinate(const tact_meet_point* p, const tact_big* up, const tact_big* down, int axis, int32_t scale,
                           tact_big* x)
{
    tact_big a, b;
    big_set(&a, coordinate(p->p, axis), scale);
    if (p->kind == POINT_GIVEN) {
        *x = a;
        return;
    }
    big_set(&b, coordinate(p->q, axis), scale);
    if (p->kind == POINT_MIDDLE) {
        big_add(&a, &b, false, x);
        return;
    }
    big_minor(&b, up, &a, down, x);
}

/// p is where the heights at its ends weigh these: (q h(p) - p h(q)) / (h(p) - h(q)).
static void big_place(const tact_meet_point* p, const int* axis, int count, int32_t scale, big_point* place)
{
    tact_big up = {.count = 0}, down = {.count = 0};
    if (p->kind != POINT_ON_PLANE) {
        place->w.count = 1;
        place->w.negative = false;
        place->w.word[0] = p->kind == POINT_GIVEN ? 1 : 2;
    } else {
        big_height(p, p->p, scale, &up);
        big_height(p, p->q, scale, &down);
        big_add(&up, &down, true, &place->w);
    }
    for (int k = 0; k < count; ++k)
        big_coordinate(p, &up, &down, axis[k], scale, &place->x[k]);
}

/// h(p) / (h(p) - h(q)), good to 2^-50.
static double exact_share(const tact_meet_point* p, int32_t scale)
{
    tact_big up, down, both;
    big_height(p, p->p, scale, &up);
    big_height(p, p->q, scale, &down);
    big_add(&up, &down, true, &both);
    return tact_big_ratio(&up, &both);
}

// ---- Places ----

tact_meet_point tact_point_given(tact_vec3 p)
{
    return (tact_meet_point){.p = p, .axis = 3, .at = {(double)p.x, (double)p.y, (double)p.z}};
}

tact_meet_point tact_point_middle(tact_vec3 p, tact_vec3 q)
{
    tact_meet_point point = {.p = p, .q = q, .kind = POINT_MIDDLE, .axis = 3};
    for (int k = 0; k < 3; ++k) {
        point.at[k] = 0.5 * ((double)coordinate(p, k) + (double)coordinate(q, k));
        point.error = largest(point.error, 0x1p-53 * fabs(point.at[k]));
    }
    return point;
}

/// The height and what rounding may have done to it.
static double quick_height(const tact_meet_point* of, tact_vec3 x, double* bound)
{
    const dvec r = d_from(of->r), u = d_sub(d_from(of->s), r), w = d_sub(d_from(x), r);
    if (of->axis < 3) {
        const int i = (of->axis + 1) % 3, j = (of->axis + 2) % 3;
        const double up = d_at(u, i) * d_at(w, j), down = d_at(u, j) * d_at(w, i);
        *bound = 0x1p-50 * (fabs(up) + fabs(down));
        return up - down;
    }
    const dvec v = d_sub(d_from(of->t), r);
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double up = d_at(u, i) * d_at(v, j), down = d_at(u, j) * d_at(v, i);
        sum += d_at(w, k) * (up - down);
        size += fabs(d_at(w, k)) * (fabs(up) + fabs(down));
    }
    *bound = 0x1p-49 * size;
    return sum;
}

static void find_place(tact_meet_point* p, int32_t scale)
{
    double up_bound, down_bound;
    const double up = quick_height(p, p->p, &up_bound), down = quick_height(p, p->q, &down_bound);
    const double both = up - down;
    double share = up / both, share_error = (up_bound + down_bound) / fabs(both) + 0x1p-51;
    // A bad one would make whole numbers of each sign that it is part of.
    if (!(share_error < 0x1p-40)) {
        share = exact_share(p, scale);
        share_error = 0x1p-50;
    }
    p->error = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double from = (double)coordinate(p->p, k), to = (double)coordinate(p->q, k);
        p->at[k] = from + share * (to - from);
        const double error = share_error * fabs(to - from) + 0x1p-51 * largest(fabs(from), fabs(to));
        p->error = largest(p->error, error);
    }
}

tact_meet_point tact_point_on_plane(tact_vec3 p, tact_vec3 q, const tact_vec3 triangle[3], int32_t scale)
{
    tact_meet_point point = {
        .p = p, .q = q, .r = triangle[0], .s = triangle[1], .t = triangle[2], .kind = POINT_ON_PLANE, .axis = 3};
    find_place(&point, scale);
    return point;
}

tact_meet_point tact_point_of_segments(tact_vec3 p, tact_vec3 q, tact_vec3 r, tact_vec3 s, int32_t scale)
{
    tact_meet_point point = {.p = p, .q = q, .r = r, .s = s, .kind = POINT_ON_PLANE};
    // Seen along some axis they cross.
    for (int axis = 0; axis < 3; ++axis) {
        const tact_vec2 from = tact_drop_axis(r, axis), to = tact_drop_axis(s, axis);
        if (tact_orient2d(from, to, tact_drop_axis(p, axis)) * tact_orient2d(from, to, tact_drop_axis(q, axis)) < 0) {
            point.axis = axis;
            break;
        }
        TACT_ASSERT(axis < 2);
    }
    find_place(&point, scale);
    return point;
}

// ---- Signs ----

static int exact_turn(const tact_meet_point* const point[3], int axis, int32_t scale)
{
    const int axes[2] = {(axis + 1) % 3, (axis + 2) % 3};
    tact_big row[3][3], sum;
    int sign = 1;
    for (int i = 0; i < 3; ++i) {
        big_point place;
        big_place(point[i], axes, 2, scale, &place);
        row[i][0] = place.x[0];
        row[i][1] = place.x[1];
        row[i][2] = place.w;
        sign *= big_sign(&place.w);
    }
    // Coordinates of given points count in units of the scale, and their weight is one.
    big_determinant(row[0], row[1], row[2], &sum);
    return sign * big_sign(&sum);
}

int tact_points_turn(const tact_meet_point* a, const tact_meet_point* b, const tact_meet_point* c, int axis,
                     int32_t scale, uint64_t* exact)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double ux = b->at[i] - a->at[i], uy = b->at[j] - a->at[j];
    const double vx = c->at[i] - a->at[i], vy = c->at[j] - a->at[j];
    const double up = ux * vy, down = uy * vx, turn = up - down;
    const double error = largest(a->error, largest(b->error, c->error));
    const double size = (fabs(ux) + fabs(uy)) + (fabs(vx) + fabs(vy));
    const double bound = 0x1p-50 * (fabs(up) + fabs(down)) + error * (2.5 * size + 9.0 * error);
    if (fabs(turn) > bound) return sign_of(turn);
    if (a->kind == POINT_GIVEN && b->kind == POINT_GIVEN && c->kind == POINT_GIVEN) {
        return tact_orient2d(tact_drop_axis(a->p, axis), tact_drop_axis(b->p, axis), tact_drop_axis(c->p, axis));
    }
    if (exact) ++*exact;
    const tact_meet_point* const point[3] = {a, b, c};
    return exact_turn(point, axis, scale);
}

int tact_points_side(const tact_vec3 triangle[3], const tact_meet_point* point, int32_t scale, uint64_t* exact)
{
    if (point->kind == POINT_GIVEN) return tact_orient3d(triangle[0], triangle[1], triangle[2], point->p);
    const dvec r = d_from(triangle[0]), u = d_sub(d_from(triangle[1]), r), v = d_sub(d_from(triangle[2]), r);
    const dvec w = d_sub(d_make(point->at[0], point->at[1], point->at[2]), r);
    double sum = 0.0, bound = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double up = d_at(u, i) * d_at(v, j), down = d_at(u, j) * d_at(v, i);
        sum += d_at(w, k) * (up - down);
        bound += (0x1p-49 * fabs(d_at(w, k)) + 1.5 * point->error) * (fabs(up) + fabs(down));
    }
    if (fabs(sum) > bound) return -sign_of(sum);
    if (exact) ++*exact;
    // The plane's heights at the ends of the point's segment, weighed as the ends are.
    const tact_meet_point plane = {.r = triangle[0], .s = triangle[1], .t = triangle[2], .axis = 3};
    tact_big up, down, at_p, at_q, weight, height;
    big_height(&plane, point->p, scale, &at_p);
    big_height(&plane, point->q, scale, &at_q);
    if (point->kind == POINT_MIDDLE) {
        big_add(&at_p, &at_q, false, &height);
        return -big_sign(&height);
    }
    big_height(point, point->p, scale, &up);
    big_height(point, point->q, scale, &down);
    big_add(&up, &down, true, &weight);
    big_minor(&at_q, &up, &at_p, &down, &height);
    return -big_sign(&height) * big_sign(&weight);
}

int tact_points_compare(const tact_meet_point* a, const tact_meet_point* b, int axis, int32_t scale, uint64_t* exact)
{
    const double difference = a->at[axis] - b->at[axis];
    if (fabs(difference) > 1.5 * (a->error + b->error)) return sign_of(difference);
    if (a->kind == POINT_GIVEN && b->kind == POINT_GIVEN) return sign_of(difference);
    if (exact) ++*exact;
    big_point p, q;
    big_place(a, &axis, 1, scale, &p);
    big_place(b, &axis, 1, scale, &q);
    tact_big sum;
    big_minor(&p.x[0], &q.w, &q.x[0], &p.w, &sum);
    return big_sign(&sum) * big_sign(&p.w) * big_sign(&q.w);
}
