// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/env.h"
#include "cpu_ref/geometry/hull_internal.h"
#include "tact/geometry/convex.h"

const char tact_hull_bad_faces[] = "a face of the hull has fewer than three corners, or one that is not there";
const char tact_hull_open[] = "the faces of the hull do not close";

uint32_t tact_hull_next_point(const tact_hull* hull, uint32_t face, uint32_t i)
{
    TACT_ASSERT(i >= hull->face_start[face] && i < hull->face_start[face + 1]);
    return hull->face_points[i + 1 < hull->face_start[face + 1] ? i + 1 : hull->face_start[face]];
}

bool tact_hull_faces_valid(const tact_hull* hull)
{
    if (hull->face_start == NULL || hull->face_points == NULL || hull->face_count == 0) return false;
    if (hull->face_start[0] != 0) return false;
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        if (hull->face_start[f + 1] < hull->face_start[f] || hull->face_start[f + 1] - hull->face_start[f] < 3) {
            return false;
        }
    }
    for (uint32_t i = 0; i < hull->face_start[hull->face_count]; ++i) {
        if (hull->face_points[i] >= hull->point_count) return false;
    }
    return true;
}

/// start[i + 1] = number of edges that leave points up to i.
static void count_edges(const tact_hull* hull, uint32_t* start)
{
    memset(start, 0, sizeof *start * ((size_t)hull->point_count + 1));
    for (uint32_t i = 0; i < hull->face_start[hull->face_count]; ++i) {
        ++start[hull->face_points[i] + 1];
    }
    for (uint32_t i = 0; i < hull->point_count; ++i) {
        start[i + 1] += start[i];
    }
}

/// Leaves every start[i] where i's neighbours end.
static void fill_edges(const tact_hull* hull, uint32_t* start, uint32_t* neighbours)
{
    TACT_ASSERT(start[hull->point_count] == hull->face_start[hull->face_count]);
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        for (uint32_t i = hull->face_start[f]; i < hull->face_start[f + 1]; ++i) {
            neighbours[start[hull->face_points[i]]++] = tact_hull_next_point(hull, f, i);
        }
    }
}

static bool links_to(const uint32_t* start, const uint32_t* neighbours, uint32_t from, uint32_t to)
{
    for (uint32_t i = start[from]; i < start[from + 1]; ++i) {
        if (neighbours[i] == to) return true;
    }
    return false;
}

/// Every edge has a face on its other side, too, and no point stands alone.
static bool is_closed(const tact_hull* hull, const uint32_t* start, const uint32_t* neighbours)
{
    for (uint32_t i = 0; i < hull->point_count; ++i) {
        if (start[i] == start[i + 1]) return false;
        for (uint32_t k = start[i]; k < start[i + 1]; ++k) {
            if (neighbours[k] == i || !links_to(start, neighbours, neighbours[k], i)) return false;
        }
    }
    return true;
}

tact_result tact_hull_link(const tact_hull* hull, uint32_t* neighbour_start, uint32_t* neighbours)
{
    tact_error_begin(NULL);
    if (!tact_hull_faces_valid(hull)) {
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%s", tact_hull_bad_faces);
    }
    count_edges(hull, neighbour_start);
    fill_edges(hull, neighbour_start, neighbours);
    memmove(neighbour_start + 1, neighbour_start, sizeof *neighbour_start * hull->point_count);
    neighbour_start[0] = 0;
    if (is_closed(hull, neighbour_start, neighbours)) return TACT_OK;
    return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%s", tact_hull_open);
}
