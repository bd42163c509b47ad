// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/linear_program.h"

#include <float.h>

#include "cpu_ref/geometry/exact.h"
#include "cpu_ref/geometry/linear_program_internal.h"

static void read_half_plane(const void* user, size_t i, float row[DET_MOST])
{
    const tact_half_plane* h = (const tact_half_plane*)user + i;
    row[0] = h->normal.x;
    row[1] = h->normal.y;
    row[2] = h->distance;
}

static void read_half_space(const void* user, size_t i, float row[DET_MOST])
{
    const tact_plane* h = (const tact_plane*)user + i;
    row[0] = h->normal.x;
    row[1] = h->normal.y;
    row[2] = h->normal.z;
    row[3] = h->distance;
}

static bool finite_floats(const float* x, int count)
{
    for (int k = 0; k < count; ++k) {
        if (!isfinite(x[k])) return false;
    }
    return true;
}

static bool all_finite(const lp* p)
{
    float row[DET_MOST];
    for (size_t i = 0; i < p->count; ++i) {
        p->read(p->user, i, row);
        if (!finite_floats(row, p->variables + 1)) return false;
    }
    return finite_floats(p->objective, p->variables) && finite_floats(p->lower, p->variables) &&
           finite_floats(p->upper, p->variables);
}

/// Whether the rows allow a way without end on which the objective falls.
static bool falls_without_end(const lp* p)
{
    lp ways = *p;
    ways.directions = true;
    return tact_lp_solve(&ways) == TACT_LP_OPTIMUM && tact_lp_box_pays(&ways);
}

static tact_lp_result run(lp* p)
{
    tact_lp_result r = {.status = TACT_LP_INVALID, .point = {NAN, NAN, NAN}};
    for (int k = 0; k < 4; ++k)
        r.tight[k] = TACT_LP_SIDE + 15;
    if (!all_finite(p)) return r;
    r.status = tact_lp_solve(p);
    r.steps = p->steps;
    const int tight = p->variables + (r.status == TACT_LP_INFEASIBLE);
    for (int k = 0; k < tight; ++k) {
        const size_t i = p->basis[k];
        r.tight[k] = i < p->count ? (uint32_t)i : TACT_LP_SIDE + (uint32_t)(i - p->count);
    }
    if (r.status == TACT_LP_INFEASIBLE) return r;
    double x[LP_VARIABLES] = {0.0, 0.0, 0.0};
    tact_lp_point(p, x);
    r.point = d_round(d_make(x[0], x[1], x[2]));
    if (tact_lp_box_pays(p) && falls_without_end(p)) r.status = TACT_LP_UNBOUNDED;
    return r;
}

tact_lp_result tact_lp_2d(const tact_half_plane* constraints, size_t count, tact_vec2 objective, tact_vec2 lower,
                          tact_vec2 upper)
{
    lp p = {.variables = 2,
            .read = read_half_plane,
            .user = constraints,
            .count = count,
            .objective = {objective.x, objective.y},
            .lower = {lower.x, lower.y},
            .upper = {upper.x, upper.y}};
    return run(&p);
}

tact_lp_result tact_lp_3d(const tact_plane* constraints, size_t count, tact_vec3 objective, tact_aabb box)
{
    lp p = {.variables = 3,
            .read = read_half_space,
            .user = constraints,
            .count = count,
            .objective = {objective.x, objective.y, objective.z},
            .lower = {box.lower.x, box.lower.y, box.lower.z},
            .upper = {box.upper.x, box.upper.y, box.upper.z}};
    return run(&p);
}

// ---- The largest ball ----

/// Half-spaces and the sides of a box, the last six.
typedef struct cell {
    const tact_plane* half_spaces;
    size_t count;
    tact_aabb box;
} cell;

tact_plane tact_side_of_box(tact_aabb box, size_t side)
{
    const float sign = side % 2 ? 1.0f : -1.0f;
    const tact_vec3 at = side % 2 ? box.upper : box.lower;
    switch (side / 2) {
        case 0:
            return (tact_plane){{sign, 0, 0}, sign * at.x};
        case 1:
            return (tact_plane){{0, sign, 0}, sign * at.y};
        default:
            return (tact_plane){{0, 0, sign}, sign * at.z};
    }
}

static tact_plane plane_of(const cell* c, size_t i)
{
    return i < c->count ? c->half_spaces[i] : tact_side_of_box(c->box, i - c->count);
}

/// n . x + |n| r <= d
static void read_ball_row(const void* user, size_t i, float row[DET_MOST])
{
    const tact_plane h = plane_of(user, i);
    const double length = d_length(d_from(h.normal));
    row[0] = h.normal.x;
    row[1] = h.normal.y;
    row[2] = h.normal.z;
    row[3] = (float)length;
    if ((double)row[3] < length) row[3] = nextafterf(row[3], INFINITY);
    row[4] = h.distance;
}

/// The radius, rounded down, of the ball about a point that touches the nearest plane.
static float room_about(const cell* c, tact_vec3 center)
{
    const dvec p = d_from(center);
    double least = HUGE_VAL;
    for (size_t i = 0; i < c->count + 6; ++i) {
        const tact_plane h = plane_of(c, i);
        const dvec n = d_from(h.normal);
        if (!(d_length(n) > 0.0)) continue;
        const double distance = (double)h.distance, slack = 0x1p-50 * (d_abs_dot(n, p) + fabs(distance));
        least = fmin(least, (distance - d_dot(n, p) - slack) / d_length(n));
    }
    if (!(least > 0.0)) return 0.0f;
    const float r = (float)least;
    return (double)r > least * (1.0 - 0x1p-50) ? nextafterf(r, 0.0f) : r;
}

tact_lp_ball tact_half_spaces_ball(const tact_plane* half_spaces, size_t count, tact_aabb box)
{
    const cell c = {half_spaces, count, box};
    tact_lp_ball r = {.status = TACT_LP_INVALID, .ball = {{NAN, NAN, NAN}, NAN}};
    lp p = {.variables = 4,
            .read = read_ball_row,
            .user = &c,
            .count = count + 6,
            .objective = {0, 0, 0, -1},
            .lower = {box.lower.x, box.lower.y, box.lower.z, 0},
            .upper = {box.upper.x, box.upper.y, box.upper.z, FLT_MAX}};
    if (!all_finite(&p)) return r;
    r.status = tact_lp_solve(&p);
    if (r.status != TACT_LP_OPTIMUM) return r;
    r.inside = tact_lp_coordinate_sign(&p, 3) > 0;
    double x[LP_VARIABLES];
    tact_lp_point(&p, x);
    r.ball.center = d_round(d_make(x[0], x[1], x[2]));
    r.ball.radius = room_about(&c, r.ball.center);
    return r;
}

// ---- A plane between two sets ----

typedef struct two_sets {
    const tact_vec3 *a, *b;
    size_t a_count, b_count;
} two_sets;

/// n . a - d + t <= 0, and -n . b + d + t <= 0
static void read_point_row(const void* user, size_t i, float row[DET_MOST])
{
    const two_sets* s = user;
    const bool of_a = i < s->a_count;
    const float sign = of_a ? 1.0f : -1.0f;
    const tact_vec3 p = of_a ? s->a[i] : s->b[i - s->a_count];
    row[0] = sign * p.x;
    row[1] = sign * p.y;
    row[2] = sign * p.z;
    row[3] = -sign;
    row[4] = 1.0f;
    row[5] = 0.0f;
}

/// The greatest height of points along a normal.
static double highest(const tact_vec3* points, size_t count, dvec n)
{
    double most = -HUGE_VAL;
    for (size_t i = 0; i < count; ++i)
        most = fmax(most, d_dot(n, d_from(points[i])));
    return most;
}

/// Whether the plane, as it is, has all points of A behind and of B in front.
static bool plane_holds(const two_sets* s, tact_plane plane)
{
    const dvec n = d_from(plane.normal);
    for (size_t i = 0; i < s->a_count; ++i) {
        if (!(exact_height(n, (double)plane.distance, d_from(s->a[i])) < 0.0)) return false;
    }
    for (size_t i = 0; i < s->b_count; ++i) {
        if (!(exact_height(n, (double)plane.distance, d_from(s->b[i])) > 0.0)) return false;
    }
    return true;
}

tact_lp_gap tact_points_gap(const tact_vec3* a, size_t a_count, const tact_vec3* b, size_t b_count)
{
    const two_sets s = {a, b, a_count, b_count};
    tact_lp_gap r = {.plane = {{NAN, NAN, NAN}, NAN}};
    lp p = {.variables = 5,
            .read = read_point_row,
            .user = &s,
            .count = a_count + b_count,
            .objective = {0, 0, 0, 0, -1},
            .lower = {-1, -1, -1, -FLT_MAX, 0},
            .upper = {1, 1, 1, FLT_MAX, FLT_MAX}};
    r.valid = all_finite(&p);
    if (!r.valid) return r;
    const tact_lp_status status = tact_lp_solve(&p);
    r.apart = status == TACT_LP_OPTIMUM && tact_lp_coordinate_sign(&p, 4) > 0;
    if (!r.apart) return r;
    double x[LP_VARIABLES];
    tact_lp_point(&p, x);
    r.plane.normal = d_round(d_make(x[0], x[1], x[2]));
    const dvec n = d_from(r.plane.normal);
    double low = highest(a, a_count, n), high = -highest(b, b_count, d_scale(n, -1.0));
    if (a_count == 0) low = b_count == 0 ? -1.0 : high - (fabs(high) + 1.0);
    if (b_count == 0) high = low + (fabs(low) + 1.0);
    r.plane.distance = (float)(0.5 * low + 0.5 * high);
    r.holds = plane_holds(&s, r.plane);
    return r;
}
