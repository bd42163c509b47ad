// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/filter/view.h"

#include <math.h>
#include <string.h>

#include "kernels/dialect.h"

enum {
    // A piece of filter_mark.kernel goes along the depth in eight pixels; some devices leave loops after 65,535 rounds.
    DEPTH_MOST = 4095
};

// A rounding, of a result of 1.
#define ULP 0x1p-24
// Cells below this would bring in numbers that devices flush.
#define SIZE_LEAST 0x1p-100

// Turned about axes and by angles of no meaning, so that no two of the three have a plane in common. They need not be
// exact: any matrix is a view.
static const float frames[TACT_FILTER_FRAMES][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.6706493f, -0.5612757f, 0.4849732f, 0.6920473f, 0.7087910f, -0.1366959f, -0.2670206f, 0.4272995f, 0.8637796f},
    {0.8494990f, -0.3995251f, 0.3445739f, 0.2189239f, 0.8611628f, 0.4587711f, -0.4800248f, -0.3142901f, 0.8190225f},
};

const float* tact_filter_frame(uint32_t which)
{
    return frames[which % TACT_FILTER_FRAMES];
}

tact_filter_survey tact_filter_survey_of(const uint32_t* words, uint32_t groups)
{
    tact_filter_survey s = {.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t g = 0; g < groups; ++g) {
        const uint32_t* w = words + (size_t)g * TACT_FILTER_SURVEY_WORDS;
        for (int k = 0; k < 3; ++k) {
            s.lower[k] = fminf(s.lower[k], as_float(w[k]));
            s.upper[k] = fmaxf(s.upper[k], as_float(w[3 + k]));
        }
        s.largest = fmaxf(s.largest, as_float(w[6]));
        s.astray = fmaxf(s.astray, as_float(w[7]));
        s.area += (double)as_float(w[8]);
        s.length += (double)as_float(w[9]);
        s.triangles += w[10];
        s.objects += w[11];
        s.entries = w[12];
    }
    return s;
}

// What a point in the frame may be wrong by, in the world's unit.
static double turn_error(const float* rows, double largest, double astray)
{
    bool plain = true;
    double longest = 0;
    for (int r = 0; r < 3; ++r) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            plain = plain && rows[3 * r + k] == (r == k ? 1.0f : 0.0f);
            sum += fabs((double)rows[3 * r + k]);
        }
        longest = fmax(longest, sum);
    }
    return 0x1p-123 + longest * astray + (plain ? 0.0 : TACT_FILTER_TURN_ULPS * ULP * longest * largest);
}

// As the kernel places the farthest corner: the same operations, which are monotone.
static uint32_t cells_along(float lower, float upper, float scale)
{
    const float extent = upper - lower;
    const float place = extent * scale;
    return place < 1e9f ? (uint32_t)floorf(place) + 1 : 1000000001u;
}

static void set_scale(tact_filter_view* v, const tact_filter_survey* s, double size)
{
    v->scale = (float)(1.0 / size);
    for (int k = 0; k < 3; ++k)
        v->cells[k] = cells_along(s->lower[k], s->upper[k], v->scale);
}

tact_filter_view tact_filter_coarser(const tact_filter_view* view)
{
    // Its slack, in its own cells, would be an eighth.
    tact_filter_view v = *view;
    v.scale /= TACT_FILTER_BRICK;
    for (int k = 0; k < 3; ++k)
        v.cells[k] = (v.cells[k] + TACT_FILTER_BRICK - 1) / TACT_FILTER_BRICK;
    return v;
}

static bool affordable(const tact_filter_view* v, const tact_filter_survey* s, const tact_filter_budget* b)
{
    if (v->cells[0] > b->width_most || v->cells[1] > b->width_most || v->cells[2] > DEPTH_MOST) return false;
    const tact_filter_view image = tact_filter_coarser(v);
    if ((double)image.cells[0] * image.cells[1] * image.cells[2] > b->cells) return false;
    // A box of x by y by z cells has one side after the other in so many of them, and the borders.
    const double count = (double)s->triangles, by = (double)v->scale / b->unit;
    return s->area * by * by + 1.5 * s->length * by + 2.25 * count <= b->touched * count;
}

tact_filter_view tact_filter_fit(const float* rows, const tact_filter_survey* s, const tact_filter_budget* b)
{
    tact_filter_view v = {.scale = 1.0f, .cells = {1, 1, 1}};
    memcpy(v.rows, rows, sizeof v.rows);
    memcpy(v.corner, s->lower, sizeof v.corner);
    double extent = 0;
    for (int k = 0; k < 3; ++k)
        extent = fmax(extent, (double)s->upper[k] - (double)s->lower[k]);
    const double wrong = turn_error(rows, (double)s->largest, (double)s->astray);
    // Smaller cells than eight times the error would be lost to the slack.
    double size = fmax(fmax(extent / DEPTH_MOST, 8.0 * wrong), SIZE_LEAST);
    set_scale(&v, s, size);
    // One cell is always affordable, whatever the sums of sides came to.
    while (!affordable(&v, s, b) && size <= 2.0 * extent) {
        size *= 1.03;
        set_scale(&v, s, size);
    }
    uint32_t longest = 0;
    for (int k = 0; k < 3; ++k)
        longest = v.cells[k] > longest ? v.cells[k] : longest;
    const double placing = TACT_FILTER_PLACE_ULPS * ULP * (longest + 2.0);
    v.slack = (float)((double)v.scale * wrong * 1.001 + placing + TACT_FILTER_PLACE_MORE);
    v.wide = (float)((0.5 + (double)v.slack + placing) * TACT_FILTER_WIDE);
    v.deep = v.wide;
    return v;
}
