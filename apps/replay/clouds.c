// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is drawn of recorded queries against clouds of points: the points as small balls, lines from queries to what
// they find, spheres that touch.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/replay/replay.h"
#include "tact/point_cloud.h"

enum { MOST_POINTS = 20000 };

/// Balls for the points, or for some that are spread over all, of a two hundredth of their box's longest side.
static tact_result add_points(tact_sketch* s, const tact_recorded_array* points)
{
    const float* at = points->data;
    const size_t step = points->rows / MOST_POINTS + 1, count = (points->rows + step - 1) / step;
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0.0f;
    if (count == 0) return TACT_OK;
    tact_sphere* balls = malloc(count * sizeof *balls);
    if (!balls) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        const float* p = at + 3 * step * i;
        for (int k = 0; k < 3; ++k) {
            lower[k] = fminf(lower[k], p[k]);
            upper[k] = fmaxf(upper[k], p[k]);
        }
        balls[i].center = (tact_vec3){p[0], p[1], p[2]};
    }
    for (int k = 0; k < 3; ++k)
        longest = fmaxf(longest, upper[k] - lower[k]);
    for (size_t i = 0; i < count; ++i)
        balls[i].radius = longest > 0.0f ? longest / 200.0f : 1.0f;
    const tact_result result = tact_sketch_add_spheres(s, balls, count);
    free(balls);
    return result;
}

static tact_result draw_to(tact_sketch* s, const tact_closest_query* q, const tact_recorded_array* points, uint32_t id)
{
    const float from[3] = {q->x, q->y, q->z};
    if (id >= points->rows) return TACT_OK;
    return tact_sketch_line(&s->found, TACT_DEBUG_RAY, from, (const float*)points->data + 3 * (size_t)id);
}

static tact_result draw_touched(tact_sketch* s, const tact_closest_query* q, size_t row)
{
    const bool touched = ((const uint8_t*)s->answer)[row] != 0;
    // A larger one would hide the rest.
    if (!(q->max_distance <= s->reach)) return TACT_OK;
    return tact_debug_sphere(touched ? &s->found : &s->faint, TACT_DEBUG_VOLUME,
                             (tact_sphere){{q->x, q->y, q->z}, q->max_distance});
}

/// The ids that a query has among the answer's, as far as there was room.
static tact_result draw_listed(tact_sketch* s, const tact_recorded_array* points, const tact_recorded_array* queries,
                               size_t row)
{
    const uint64_t* offsets = s->answer;
    const uint32_t* ids = (const uint32_t*)(offsets + queries->rows + 1);
    const size_t room = (s->answer_bytes - (queries->rows + 1) * sizeof *offsets) / sizeof *ids;
    const tact_closest_query* q = (const tact_closest_query*)queries->data + row;
    tact_result result = TACT_OK;
    for (uint64_t k = offsets[row]; k < offsets[row + 1] && k < room && result >= TACT_OK; ++k)
        result = draw_to(s, q, points, ids[k]);
    return result;
}

static tact_result draw_nearest(tact_sketch* s, const tact_recorded_array* points, const tact_closest_query* q,
                                size_t row)
{
    const uint32_t nearest = s->query->parameters[0];
    const tact_cloud_neighbour* neighbours = (const tact_cloud_neighbour*)s->answer + row * nearest;
    tact_result result = TACT_OK;
    for (uint32_t k = 0; k < nearest && result >= TACT_OK; ++k)
        result = draw_to(s, q, points, neighbours[k].id);
    return result;
}

tact_result tact_sketch_cloud(tact_sketch* s)
{
    tact_recorded_array points, queries;
    tact_sketch_array(s, "points", &points);
    tact_sketch_array(s, "queries", &queries);
    tact_result result = tact_sketch_ask(s);
    if (result == TACT_OK) result = add_points(s, &points);
    if (result == TACT_OK) result = tact_sketch_see(s);
    for (size_t i = 0; i < queries.rows && i < TACT_SKETCH_MOST && s->answer_bytes > 0 && result >= TACT_OK; ++i) {
        const size_t row = tact_sketch_row(&queries, i);
        const tact_closest_query* q = (const tact_closest_query*)queries.data + row;
        if (s->query->kind == TACT_RECORDED_CLOUD_NEAREST) {
            result = draw_nearest(s, &points, q, row);
        } else if (s->query->parameters[0]) {
            result = draw_touched(s, q, row);
        } else {
            result = draw_listed(s, &points, &queries, row);
        }
    }
    return result;
}
