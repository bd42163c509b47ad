// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/meeting.h"

#include "base/asserts.h"
#include "cpu_ref/geometry/predicates_internal.h"

static void add(tact_meeting* m, unsigned a, unsigned b)
{
    if (a == MEETING_NONE || b == MEETING_NONE) return;
    for (int i = 0; i < m->count; ++i) {
        if (m->point[i].a == a && m->point[i].b == b) return;
    }
    TACT_ASSERT(m->count < MEETING_MOST);
    m->point[m->count++] = (tact_meeting_point){(uint8_t)a, (uint8_t)b};
}

/// The part of a triangle that a point is in, by the sides of the triangle that it is on: by signs, 1 inside of each.
static unsigned part_of(const int sign[3])
{
    unsigned on = 0;
    for (unsigned k = 0; k < 3; ++k) {
        if (sign[k] < 0) return MEETING_NONE;
        on |= (sign[k] == 0) << k;
    }
    static const uint8_t part[8] = {MEETING_FACE, 3, 4, 1, 5, 0, 2, MEETING_NONE};
    return part[on];
}

int tact_best_axis(const tact_vec3 t[3], int* facing)
{
    const dvec n = d_cross(d_sub(d_from(t[1]), d_from(t[0])), d_sub(d_from(t[2]), d_from(t[0])));
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const int first = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    for (int i = 0; i < 3; ++i) {
        const int axis = (first + i) % 3;
        *facing = tact_orient2d(tact_drop_axis(t[0], axis), tact_drop_axis(t[1], axis), tact_drop_axis(t[2], axis));
        if (*facing) return axis;
    }
    TACT_ASSERT(false);
    return 0;
}

/// The part that a point in the triangle's plane is in.
static unsigned place_in_plane(const tact_vec3 t[3], tact_vec3 p)
{
    int facing, sign[3];
    const int axis = tact_best_axis(t, &facing);
    for (int k = 0; k < 3; ++k) {
        sign[k] = facing * tact_orient2d(tact_drop_axis(t[k], axis), tact_drop_axis(t[(k + 1) % 3], axis),
                                         tact_drop_axis(p, axis));
    }
    return part_of(sign);
}

/// The part that a segment passes through whose ends are on either side of the triangle's plane; `behind`: it goes from
/// behind to the front.
static unsigned place_of_crossing(const tact_vec3 t[3], tact_vec3 p, tact_vec3 q, bool behind)
{
    int sign[3];
    for (int k = 0; k < 3; ++k) {
        const int turn = tact_orient3d(t[k], t[(k + 1) % 3], p, q);
        sign[k] = behind ? -turn : turn;
    }
    return part_of(sign);
}

/// Sides of both, in one plane, that cross between their ends.
static void cross_sides(const tact_vec3 a[3], const tact_vec3 b[3], tact_meeting* m)
{
    int facing, above_b[3][3], above_a[3][3];  // of corner i above side k
    const int axis = tact_best_axis(a, &facing);
    tact_vec2 p[3], q[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = tact_drop_axis(a[k], axis);
        q[k] = tact_drop_axis(b[k], axis);
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            above_b[i][k] = tact_orient2d(q[k], q[(k + 1) % 3], p[i]);
            above_a[i][k] = tact_orient2d(p[k], p[(k + 1) % 3], q[i]);
        }
    }
    for (unsigned i = 0; i < 3; ++i) {
        for (unsigned k = 0; k < 3; ++k) {
            if (above_b[i][k] * above_b[(i + 1) % 3][k] < 0 && above_a[k][i] * above_a[(k + 1) % 3][i] < 0) {
                add(m, MEETING_SIDE + i, MEETING_SIDE + k);
            }
        }
    }
}

/// The sides of a triangle's corners above another's plane: false if all are on one side of it.
static bool find_sides(const tact_vec3 of[3], const tact_vec3 corner[3], int side[3])
{
    bool above = false, below = false;
    for (int k = 0; k < 3; ++k) {
        side[k] = -tact_orient3d(of[0], of[1], of[2], corner[k]);
        above = above || side[k] >= 0;
        below = below || side[k] <= 0;
    }
    return above && below;
}

tact_meeting tact_triangles_meet(const tact_vec3 a[3], const tact_vec3 b[3])
{
    tact_meeting m = {.count = 0};
    int at_a[3], at_b[3];  // of corners of a above b, of b above a
    if (!find_sides(b, a, at_a) || !find_sides(a, b, at_b)) return m;
    m.coplanar = !at_a[0] && !at_a[1] && !at_a[2];
    for (unsigned k = 0; k < 3; ++k) {
        if (!at_a[k]) add(&m, k, place_in_plane(b, a[k]));
        if (!at_b[k]) add(&m, place_in_plane(a, b[k]), k);
    }
    if (m.coplanar) {
        cross_sides(a, b, &m);
        return m;
    }
    for (unsigned k = 0; k < 3; ++k) {
        const unsigned l = (k + 1) % 3;
        if (at_a[k] * at_a[l] < 0) add(&m, MEETING_SIDE + k, place_of_crossing(b, a[k], a[l], at_a[k] < 0));
        if (at_b[k] * at_b[l] < 0) add(&m, place_of_crossing(a, b[k], b[l], at_b[k] < 0), MEETING_SIDE + k);
    }
    TACT_ASSERT(m.count <= 2);
    return m;
}
