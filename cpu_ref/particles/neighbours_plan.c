// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How wide the cells of the neighbour search are. Nothing here can make an answer wrong, as long as a neighbour is at
// most `reach` cells away; it decides what the answer costs.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/neighbours_internal.h"

enum { SAMPLE = 1024, MOST_FINE = 8, MOST_PARTS = 64 };

// Below this, squares lose digits to underflow, and points may count as near that are not.
#define LEAST_REACH 1e-18f

// Points that a cell of the finest kind should hold.
static const double WANTED = 1.0;
// Radii along x by which points that look together may be apart: farther, they look at more that is near others only;
// less, and too few of them share what was gathered.
static const double SPAN = 5.0;
// Neighbours from which rows half a radius wide are better than such of one.
static const double MANY = 150.0;

static int compare_floats(const void* a, const void* b)
{
    const float p = *(const float*)a, q = *(const float*)b;
    return p < q ? -1 : p > q;
}

/// Where most of the points are on an axis.
typedef struct spread {
    double middle, width;
} spread;

/// The least and the greatest coordinates.
typedef struct bounds {
    const tact_neighbour_job* job;
    size_t part_size;
    float low[MOST_PARTS][3], high[MOST_PARTS][3];
} bounds;

static void bounds_range(size_t begin, size_t end, int worker, void* user)
{
    bounds* b = user;
    (void)worker;
    const float* const from[3] = {b->job->x, b->job->y, b->job->z};
    const size_t stride = b->job->stride;
    TACT_ASSERT(begin % b->part_size == 0 && begin / b->part_size < MOST_PARTS);
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = begin * stride; i < end * stride; i += stride) {
        for (int k = 0; k < 3; ++k) {
            const float x = from[k][i];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    memcpy(b->low[begin / b->part_size], low, sizeof low);
    memcpy(b->high[begin / b->part_size], high, sizeof high);
}

static void find_bounds(bounds* b, int threads)
{
    const size_t count = b->job->count;
    b->part_size = count / MOST_PARTS + 1;
    tact_parallel_for(threads, count, b->part_size, bounds_range, b);
    for (size_t part = 1; part * b->part_size < count; ++part) {
        for (int k = 0; k < 3; ++k) {
            if (b->low[part][k] < b->low[0][k]) b->low[0][k] = b->low[part][k];
            if (b->high[part][k] > b->high[0][k]) b->high[0][k] = b->high[part][k];
        }
    }
}

/// Where most of the points are: where all are, unless a few are far away, which a sample tells. The sample depends on
/// the order of the points, and what is made of it should not, as a rule: then points that come in the order of slots
/// stay in it.
static spread spread_of(const float* from, size_t stride, size_t count, float low, float high)
{
    TACT_ASSERT(count >= 1 && low <= high);
    float sample[SAMPLE];
    const size_t taken = count < SAMPLE ? count : SAMPLE;
    for (size_t i = 0; i < taken; ++i)
        sample[i] = from[i * count / taken * stride];
    qsort(sample, taken, sizeof *sample, compare_floats);
    const size_t cut = taken / 20;
    const double width = ((double)sample[taken - 1 - cut] - (double)sample[cut]) / 0.9;
    const double all = (double)high - (double)low;
    if (all <= 2.0 * width) return (spread){((double)low + (double)high) / 2.0, all};
    return (spread){(double)sample[taken / 2], width};
}

/// A power of two that is greater than x, at most twice as much.
static double power_above(double x)
{
    TACT_ASSERT(x > 0.0);
    int exponent = 0;
    (void)frexp(x, &exponent);
    return ldexp(1.0, exponent);
}

/// Cells at least `width` wide, that take `reach` of them to cover the radius. Coordinates of cells are off by less
/// than 2^-6 of a cell, by which the caller has widened them: see TACT_CELL_SLACK.
static tact_neighbour_axis cut(const TactGridAxis* given, spread s, double width, uint32_t reach, bool single)
{
    TACT_ASSERT(width > 0.0 && reach >= 1);
    tact_neighbour_axis a = {.reach = reach};
    if (given->period > 0.0f) {
        double cells = single ? 1.0 : floor((double)given->period / width);
        if (cells > 0x8000) cells = 0x8000;
        if (!(cells >= 1.0)) cells = 1.0;
        a.origin = given->origin;
        a.period = given->period;
        a.cells = (uint32_t)cells;
        a.inverse = (float)(cells / (double)given->period);
        a.high = (float)(cells - 1.0);
        return a;
    }
    const double step = power_above(s.width > width ? s.width : width);
    a.origin = (float)(round(s.middle / step) * step);
    a.inverse = (float)(1.0 / width);
    a.low = -(float)TACT_CELL_LIMIT;
    a.high = (float)(TACT_CELL_LIMIT - 1);
    return a;
}

void tact_neighbours_plan(tact_neighbour_finder* finder, const tact_neighbour_job* job, unsigned single)
{
    TACT_ASSERT(job->count >= 1 && single < 8);
    const float* const from[3] = {job->x, job->y, job->z};
    const double least = (double)(job->radius > LEAST_REACH ? job->radius : LEAST_REACH) * (double)TACT_CELL_SLACK;
    spread s[3];
    double volume = 1.0, width[3];
    bounds b = {.job = job};
    find_bounds(&b, finder->threads);
    for (int i = 0; i < 3; ++i) {
        s[i] = spread_of(from[i], job->stride, job->count, b.low[0][i], b.high[0][i]);
        if (job->axes[i]->period > 0.0f) s[i].width = (double)job->axes[i]->period;
        volume *= s[i].width > least ? s[i].width : least;
    }
    // Room of one point; where points are lonely, cells of about that keep their number down.
    const double room = volume / (double)job->count;
    const double cube = least * least * least;
    const double wide = room > cube ? least * power_above(cbrt(room / cube)) : least;
    const bool fine = 4.0 / 3.0 * 3.14159265 * cube > MANY * room;
    uint32_t steps = 1;
    if (wide <= least) {
        while (steps < MOST_FINE && room * WANTED < least * (fine ? 0.25 : 1.0) * least * least / (steps + 1.0))
            ++steps;
    }
    const uint32_t reach[3] = {steps, fine ? 2 : 1, fine ? 2 : 1};
    for (int i = 0; i < 3; ++i) {
        width[i] = wide / reach[i];
        uint32_t r = reach[i];
        // Most of the points are not to be in the outermost cells.
        const double most = s[i].width / (double)TACT_CELL_LIMIT;
        if (width[i] < most) {
            width[i] = most;
            r = (uint32_t)ceil(least / most);
            if (r > reach[i]) r = reach[i];
        }
        finder->axes[i] = cut(job->axes[i], s[i], width[i], r, single >> i & 1u);
    }
    finder->span = width[0] < SPAN * least ? (uint32_t)(SPAN * least / width[0]) - 1 : 0;
}
