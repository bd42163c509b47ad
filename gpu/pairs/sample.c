// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "gpu/pairs/internal.h"

void tact_box_sample_fill(tact_box_sample* sample, const tact_volume_view* volumes)
{
    const uint32_t wanted = volumes->count < TACT_SAMPLE ? volumes->count : TACT_SAMPLE;
    sample->count = 0;
    for (uint32_t i = 0; i < wanted; ++i) {
        const uint32_t id = (uint32_t)((uint64_t)i * volumes->count / wanted);
        if (tact_volume_is_live(&volumes->boxes[id])) sample->boxes[sample->count++] = volumes->boxes[id];
    }
}

static float finite(float x)
{
    return x > 1e37f ? 1e37f : x > -1e37f ? x : -1e37f;
}

static float part_of(const tact_aabb* box, int number)
{
    const float parts[6] = {box->lower.x, box->lower.y, box->lower.z, box->upper.x, box->upper.y, box->upper.z};
    return finite(parts[number]);
}

static float middle_of(const tact_aabb* box, int axis)
{
    return 0.5f * part_of(box, axis) + 0.5f * part_of(box, axis + 3);
}

static float width_of(const tact_aabb* box)
{
    float width = 0.0f;
    for (int axis = 0; axis < 3; ++axis) {
        const float w = part_of(box, axis + 3) - part_of(box, axis);
        width = w > width ? w : width;
    }
    return width;
}

static int by_value(const void* x, const void* y)
{
    const float a = *(const float*)x, b = *(const float*)y;
    return (a > b) - (a < b);
}

enum { INTERVALS = TACT_PAIRS_KNOTS - 1, CELLS = 1023 };

/// Of an axis: where the knots are, and which share of the boxes lies between each two.
typedef struct axis_knots {
    float at[TACT_PAIRS_KNOTS];
    double share[INTERVALS];
} axis_knots;

static void find_knots(const tact_box_sample* sample, int axis, float* sorted, axis_knots* knots)
{
    for (uint32_t i = 0; i < sample->count; ++i)
        sorted[i] = middle_of(&sample->boxes[i], axis);
    qsort(sorted, sample->count, sizeof *sorted, by_value);
    double before = 0.0;
    for (int k = 0; k < TACT_PAIRS_KNOTS; ++k) {
        // Closer at both ends, where few boxes may be far away.
        const double u = (double)k / INTERVALS, part = u * u * (3.0 - 2.0 * u);
        knots->at[k] = sorted[(size_t)(part * (sample->count - 1))];
        if (k > 0) knots->share[k - 1] = part - before;
        before = part;
    }
}

/// The width of cells at which an axis is as dense as in its densest tenth.
static double dense_cell(const axis_knots* knots)
{
    float cells[INTERVALS];
    for (int k = 0; k < INTERVALS; ++k)
        cells[k] = (float)(((double)knots->at[k + 1] - (double)knots->at[k]) / (knots->share[k] * CELLS) * 1e-3);
    qsort(cells, INTERVALS, sizeof *cells, by_value);
    return (double)cells[INTERVALS / 10] * 1e3;
}

static void fill_axis(const axis_knots* knots, double least_cell, float table[TACT_PAIRS_KNOTS][4])
{
    double cell = 0.0;
    for (int k = 0; k < TACT_PAIRS_KNOTS; ++k) {
        double cells = 0.0, scale = 0.0;
        if (k < INTERVALS) {
            const double length = (double)knots->at[k + 1] - (double)knots->at[k];
            cells = knots->share[k] * CELLS;
            if (least_cell > 0.0 && length / least_cell < cells) cells = length / least_cell;
            if (length > 0.0) scale = cells / length;
            if (!(scale < 1e37)) scale = 0.0;
        }
        table[k][0] = knots->at[k];
        table[k][1] = (float)cell;
        table[k][2] = (float)scale;
        table[k][3] = 0.0f;
        cell += cells;
    }
}

void tact_box_sample_table(const tact_box_sample* sample, float table[3][TACT_PAIRS_KNOTS][4], float widths[3])
{
    static const float none[4] = {0};
    float sorted[TACT_SAMPLE];
    widths[0] = widths[1] = widths[2] = FLT_MAX;
    if (sample->count == 0) {
        for (int i = 0; i < 3 * TACT_PAIRS_KNOTS; ++i)
            for (int k = 0; k < 4; ++k)
                table[i / TACT_PAIRS_KNOTS][i % TACT_PAIRS_KNOTS][k] = none[k];
        return;
    }
    axis_knots knots[3];
    double least_cell = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        find_knots(sample, axis, sorted, &knots[axis]);
        least_cell = fmax(least_cell, dense_cell(&knots[axis]));
    }
    for (int axis = 0; axis < 3; ++axis)
        fill_axis(&knots[axis], 0.5 * least_cell, table[axis]);
    for (uint32_t i = 0; i < sample->count; ++i)
        sorted[i] = width_of(&sample->boxes[i]);
    qsort(sorted, sample->count, sizeof *sorted, by_value);
    const float half = sorted[sample->count / 2];
    if (half > 0.0f && half < 1e30f) {
        widths[0] = 4.0f * half;
        widths[1] = 32.0f * half;
        widths[2] = 256.0f * half;
    }
}

void tact_box_sample_places(const tact_box_sample* sample, tact_vec3* places)
{
    for (uint32_t i = 0; i < sample->count; ++i) {
        const tact_aabb* box = &sample->boxes[i];
        places[i] = (tact_vec3){middle_of(box, 0), middle_of(box, 1), middle_of(box, 2)};
    }
}

double tact_box_sample_motion(const tact_box_sample* sample, const tact_vec3* from, uint32_t count)
{
    if (count != sample->count) return (double)INFINITY;  // other volumes take part
    double moved = 0.0, width = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        const tact_aabb* box = &sample->boxes[i];
        const double x = fabs((double)middle_of(box, 0) - (double)from[i].x);
        const double y = fabs((double)middle_of(box, 1) - (double)from[i].y);
        const double z = fabs((double)middle_of(box, 2) - (double)from[i].z);
        moved += fmax(x, fmax(y, z));
        width += (double)width_of(box);
    }
    return moved == 0.0 ? 0.0 : width > 0.0 ? moved / width : (double)INFINITY;
}

typedef struct span {
    double lower, upper;
} span;

/// Where nearly all of the sample's lower corners are along an axis.
static span span_of(const tact_box_sample* sample, int axis, float* sorted)
{
    for (uint32_t i = 0; i < sample->count; ++i)
        sorted[i] = part_of(&sample->boxes[i], axis);
    qsort(sorted, sample->count, sizeof *sorted, by_value);
    const uint32_t last = sample->count - 1, hundredth = sample->count / 100;
    const double lower = (double)sorted[hundredth], upper = (double)sorted[last - hundredth],
                 more = 0.05 * (upper - lower);
    // What lies further out is counted among the cells at the border.
    return (span){fmax((double)sorted[0], lower - more), fmin((double)sorted[last], upper + more)};
}

/// The width that nearly all boxes have at most, and the share of those that are wider.
static float choose_width(const tact_box_sample* sample, float* sorted, double* wide_part)
{
    for (uint32_t i = 0; i < sample->count; ++i)
        sorted[i] = width_of(&sample->boxes[i]);
    qsort(sorted, sample->count, sizeof *sorted, by_value);
    const double most = 4.0 * (double)sorted[sample->count / 2];
    uint32_t within = sample->count;
    while ((double)sorted[within - 1] > most)
        --within;
    *wide_part = 1.0 - (double)within / (double)sample->count;
    return sorted[within - 1] * 1.0625f;
}

static uint32_t cell_along(float x, float origin, float scale, uint32_t cells)
{
    const float place = (x - origin) * scale;
    if (!(place > 0.0f)) return 0;
    return place < (float)cells ? (uint32_t)place : cells - 1;
}

static int by_number(const void* x, const void* y)
{
    const uint32_t a = *(const uint32_t*)x, b = *(const uint32_t*)y;
    return (a > b) - (a < b);
}

/// How many boxes share the cell of a box, on average, guessed from those of the sample that do.
static double crowd_of(const tact_box_sample* sample, uint32_t count, const tact_grid_plan* plan)
{
    uint32_t cells[TACT_SAMPLE];
    for (uint32_t i = 0; i < sample->count; ++i) {
        uint32_t at[3];
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = cell_along(part_of(&sample->boxes[i], axis), plan->origin[axis], plan->scale, plan->cells[axis]);
        cells[i] = (at[2] * plan->cells[1] + at[1]) * plan->cells[0] + at[0];
    }
    qsort(cells, sample->count, sizeof *cells, by_number);
    double same = 0.0;
    for (uint32_t i = 0, begin = 0; i < sample->count; ++i) {
        if (cells[i] != cells[begin]) begin = i;
        same += 2.0 * (i - begin);
    }
    return 1.0 + same / sample->count * ((double)count / sample->count);
}

void tact_box_sample_grid(const tact_box_sample* sample, uint32_t count, tact_grid_plan* plan)
{
    enum { MOST_ALONG = 1024 };
    float sorted[TACT_SAMPLE];
    // One cell. Infinite boxes are kept apart from it, so that no corner in it is infinite.
    *plan = (tact_grid_plan){.cells = {1, 1, 1}, .widest = FLT_MAX, .crowd = count};
    if (sample->count == 0) return;
    span spans[3];
    double longest = 0.0;
    double wide_part = 0.0;
    const float widest = choose_width(sample, sorted, &wide_part);
    for (int axis = 0; axis < 3; ++axis) {
        spans[axis] = span_of(sample, axis, sorted);
        longest = fmax(longest, spans[axis].upper - spans[axis].lower);
    }
    // A hair wider than the widest box, so that no rounding parts overlapping boxes by two cells.
    double cell = fmax((double)widest * (1.0 + 0x1p-8), longest / (MOST_ALONG - 1));
    if (!(cell > 1e-30 && cell < 1e30 && longest < 1e30)) return;
    for (;; cell *= 1.25) {
        double all = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            const double along = floor((spans[axis].upper - spans[axis].lower) / cell) + 1.0;
            plan->cells[axis] = (uint32_t)(along < MOST_ALONG ? along : MOST_ALONG);
            plan->origin[axis] = (float)spans[axis].lower;
            all *= plan->cells[axis];
        }
        if (all <= 2.0 * count + 64.0) break;
    }
    plan->scale = (float)(1.0 / cell);
    plan->widest = widest;
    plan->wide_part = wide_part;
    plan->crowd = crowd_of(sample, count, plan);
}
