// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Distances of the bodies of body_scene.h, and what double precision says of each row: the normal shows that no points
/// of both are closer, and the points that they are as close.

#include "tact/body_distances.h"
#include "tests/support/body_scene.h"

enum { MOST_PAIRS = 64 * 63 / 2 };

/// Finds distances by every way of the CPU, which are the same.
static void find_distances(scene* s, const tact_body_distances_work* work, tact_body_distance_row* rows)
{
    size_t counts[3] = {0};
    static tact_body_distance_row others[MOST_PAIRS];
    assert_true(work->pair_count <= MOST_PAIRS);
    for (int k = 0; k < 3; ++k) {
        const tact_query_options options = {.backend = k == 2 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU,
                                            .threads = k + 1};
        tact_body_distances_work own = *work;
        own.distances = k ? others : rows;
        own.capacity = work->pair_count;
        own.count = &counts[k];
        assert_int_equal(tact_body_distances_find(s->set, &own, &options, NULL), TACT_OK);
        assert_int_equal(counts[k], work->pair_count);
        for (size_t i = 0; k && i < counts[k]; ++i) {
            if (memcmp(&rows[i], &others[i], sizeof *rows) != 0)
                fail_msg("pair %u %u: parts %u %u at %.9g, and %u %u at %.9g by way %d", rows[i].a, rows[i].b,
                         rows[i].part_a, rows[i].part_b, (double)rows[i].distance, others[i].part_a, others[i].part_b,
                         (double)others[i].distance, k);
        }
    }
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// How far the points of a core reach along a direction.
static double reach_of(const solid* s, const double way[3])
{
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < s->count; ++i)
        most = fmax(most, dot3(s->point[i], way));
    return most;
}

/// Weights of up to four places whose sum is closest to the origin on the flat through them. False: it is not within.
static bool closest_weights(double (*const q)[3], int count, double* weight)
{
    double m[5][6] = {{0.0}};
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k)
            m[i][k] = dot3(q[i], q[k]);
        m[i][count] = m[count][i] = 1.0;
    }
    m[count][count + 1] = 1.0;
    for (int c = 0; c <= count; ++c) {
        int best = c;
        for (int i = c + 1; i <= count; ++i)
            if (fabs(m[i][c]) > fabs(m[best][c])) best = i;
        for (int k = 0; k <= count + 1; ++k) {
            const double x = m[c][k];
            m[c][k] = m[best][k];
            m[best][k] = x;
        }
        if (fabs(m[c][c]) < 1e-300) return false;
        for (int i = 0; i <= count; ++i) {
            const double times = m[i][c] / m[c][c];
            for (int k = c; i != c && k <= count + 1; ++k)
                m[i][k] -= times * m[c][k];
        }
    }
    for (int i = 0; i < count; ++i) {
        weight[i] = m[i][count + 1] / m[i][i];
        if (!(weight[i] >= 0.0)) return false;
    }
    return true;
}

/// How far a point is from a core at most: the closest place of some of its points, to which those are added that lead
/// on, until it is no closer.
static double outside(const solid* s, const double p[3])
{
    double q[4][3], at[3] = {0.0}, best2 = HUGE_VAL;
    int count = 0;
    for (int round = 0; round < 200; ++round) {
        uint32_t next = 0;
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < s->count; ++i) {
            const double v[3] = {s->point[i][0] - p[0], s->point[i][1] - p[1], s->point[i][2] - p[2]};
            const double along = count ? dot3(v, at) : dot3(v, v);
            if (along < least) {
                least = along;
                next = i;
            }
        }
        if (count == 4) break;
        for (int k = 0; k < 3; ++k)
            q[count][k] = s->point[next][k] - p[k];
        ++count;
        double kept[4][3], nearest[3];
        int kept_count = 0;
        double most2 = best2;
        for (int which = 1; which < 1 << count; ++which) {
            double some[4][3], weight[4], sum[3] = {0.0};
            int n = 0;
            for (int i = 0; i < count; ++i)
                if (which >> i & 1) memcpy(some[n++], q[i], sizeof *q);
            if (!closest_weights(some, n, weight)) continue;
            for (int i = 0; i < n; ++i) {
                for (int k = 0; k < 3; ++k)
                    sum[k] += weight[i] * some[i][k];
            }
            if (dot3(sum, sum) >= most2) continue;
            most2 = dot3(sum, sum);
            memcpy(nearest, sum, sizeof sum);
            memcpy(kept, some, sizeof some);
            kept_count = n;
        }
        if (kept_count == 0) break;
        best2 = most2;
        memcpy(at, nearest, sizeof at);
        memcpy(q, kept, sizeof q);
        count = kept_count;
    }
    return sqrt(best2);
}

static bool is_surface(const scene* s, uint32_t body)
{
    tact_body b;
    assert_int_equal(tact_bodies_get(s->set, body, &b), TACT_OK);
    const solid* first = &s->models[b.shape].part[0];
    return first->count == 3;
}

typedef struct proof {
    size_t apart, deep;
    double low;         // by how much the distance is more than the separation along the normal
    double high;        // by how much the points are farther apart than the distance
    double on_surface;  // how far the points are from the surfaces
    double depth;       // as low, of what overlaps
    double unit;        // of the normal's length
} proof;

/// The part of a body as a solid, from the position of `origin`.
static solid part_at(const scene* s, uint32_t body, uint32_t part, uint32_t origin)
{
    const tact_pose *pose = &s->bodies[body].pose, *from = &s->bodies[origin].pose;
    const double at[3] = {pose->x - from->x, pose->y - from->y, pose->z - from->z};
    double q[4];
    unit(&pose->rotation, q);
    return placed(&s->models[s->bodies[body].shape].part[part], q, (double)pose->scale, at);
}

/// Compares a row with the parts that it names, in units of both extents and the distance.
static void check_row(const scene* s, const tact_body_distance_row* row, proof* p)
{
    const solid a = part_at(s, row->a, row->part_a, row->a), b = part_at(s, row->b, row->part_b, row->a);
    const solid own = part_at(s, row->b, row->part_b, row->b);
    const double n[3] = {(double)row->normal.x, (double)row->normal.y, (double)row->normal.z},
                 back[3] = {-n[0], -n[1], -n[2]};
    const double length = sqrt(dot3(n, n)), distance = (double)row->distance;
    const double size = extent_of(&a) + extent_of(&own) + fabs(distance);
    const double shown = (-reach_of(&b, back) - reach_of(&a, n)) / length - a.radius - b.radius;
    const double on_a[3] = {(double)row->on_a.x, (double)row->on_a.y, (double)row->on_a.z};
    const double on_b[3] = {(double)row->on_b.x, (double)row->on_b.y, (double)row->on_b.z};
    // Both points lie as far below the surface as the radius, along the normal, on the cores.
    double core_a[3], core_b[3], between2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double t[3] = {s->bodies[row->b].pose.x - s->bodies[row->a].pose.x,
                             s->bodies[row->b].pose.y - s->bodies[row->a].pose.y,
                             s->bodies[row->b].pose.z - s->bodies[row->a].pose.z};
        core_a[k] = on_a[k] - a.radius * n[k];
        core_b[k] = on_b[k] + b.radius * n[k];
        const double d = on_b[k] + t[k] - on_a[k];
        between2 += d * d;
    }
    p->unit = fmax(p->unit, fabs(length - 1.0));
    // Of surfaces that cross the points are some of both.
    const bool crosses =
        is_surface(s, row->a) && is_surface(s, row->b) && distance <= 1e-6 * size - (a.radius + b.radius);
    if (!crosses) p->high = fmax(p->high, fabs(sqrt(between2) - fabs(distance)) / size);
    if (distance <= 1e-6 * size - (a.radius + b.radius)) {
        ++p->deep;
        // The contact's side of a triangle may be deeper beyond it.
        if (!is_surface(s, row->a) && !is_surface(s, row->b)) p->depth = fmax(p->depth, fabs(distance - shown) / size);
        return;
    }
    ++p->apart;
    p->low = fmax(p->low, fabs(distance - shown) / size);
    p->on_surface = fmax(p->on_surface, outside(&a, core_a) / size);
    p->on_surface = fmax(p->on_surface, outside(&own, core_b) / size);
}
