// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "cpu_ref/image/raster.h"

static float at_least(double x)
{
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

tact_image_fit tact_image_look(const tact_image_job* job, size_t test)
{
    tact_image_result* r = &job->results[test];
    memset(r, 0, sizeof *r);
    tact_image_fit fit = {.meets = false};
    const tact_image_bounds *a = &job->bounds[0], *b = &job->bounds[1];
    if (a->lower[0] > a->upper[0] || b->lower[0] > b->upper[0]) return fit;
    const float *pose_a = tact_image_pose(job->bodies[0], test), *pose_b = tact_image_pose(job->bodies[1], test);
    const uint32_t resolution = job->options.resolution;
    fit = job->concave ? tact_image_fit_cells(a, pose_a, b, pose_b, resolution, tact_image_slots(resolution))
                       : tact_image_fit_depths(a, pose_a, b, pose_b, resolution);
    if (!fit.meets) return fit;
    r->drawn = true;
    r->view = fit.view;
    r->gap = at_least(fit.gap);
    r->depth = at_least(fit.depth);
    // What a rasteriser shows has no bound.
    if (job->options.method == TACT_IMAGE_STENCIL) r->gap = r->depth = INFINITY;
    r->tolerance = r->gap > r->depth ? r->gap : r->depth;
    return fit;
}

static double unordered(uint32_t word)
{
    return (double)as_float(tact_unordered(word));
}

static void take_box(const uint32_t* found, tact_image_result* r)
{
    r->common = found[2];
    if (r->common == 0) return;
    r->box[0] = found[3];
    r->box[1] = found[4];
    r->box[2] = found[5] - 1;
    r->box[3] = found[6] - 1;
}

static void take_depths(const uint32_t* found, double near_depth, bool where, tact_image_result* r)
{
    r->samples[0] = found[0];
    r->samples[1] = found[0] ? found[1] : 0;
    r->overlap = r->samples[1] > 0;
    if (!r->overlap || !where) return;
    const double range = 2.0 * (double)r->view.half_extent[2];
    r->penetration = (float)(range * fmin(unordered(found[9]), unordered(found[10])));
    take_box(found, r);
    if (r->common == 0) return;
    r->nearest = (float)(near_depth + range * unordered(found[7]));
    r->farthest = (float)(near_depth + range * unordered(found[8]));
}

static void take_cells(const uint32_t* found, double near_depth, uint32_t slots, bool where, tact_image_result* r)
{
    r->samples[0] = found[0];
    r->samples[1] = found[1];
    r->inside = found[11];
    r->leaks[0] = found[9];
    r->leaks[1] = found[10];
    r->overlap = r->samples[0] > 0 || r->samples[1] > 0 || r->inside > 0;
    if (!r->overlap || !where) return;
    take_box(found, r);
    const double cell = 2.0 * (double)r->view.half_extent[2] / (double)slots;
    r->nearest = (float)(near_depth + cell * (double)found[7]);
    r->farthest = (float)(near_depth + cell * (double)found[8]);
}

void tact_image_take(const tact_image_job* job, const tact_image_fit* fit, const uint32_t* found, size_t test)
{
    tact_image_result* r = &job->results[test];
    const bool where = job->options.method == TACT_IMAGE_READBACK;
    if (job->concave) {
        take_cells(found, fit->near_depth, tact_image_slots(job->options.resolution), where, r);
    } else {
        take_depths(found, fit->near_depth, where, r);
    }
}

void tact_image_clear_picture(const tact_image_job* job)
{
    const size_t pixels = (size_t)job->options.resolution * job->options.resolution;
    if (job->layers) {
        float* const layers[] = {job->layers->front_a, job->layers->back_a, job->layers->front_b, job->layers->back_b};
        for (int k = 0; k < 4; ++k)
            for (size_t i = 0; layers[k] && i < pixels; ++i)
                layers[k][i] = NAN;
    }
    if (job->cells) {
        uint32_t* const cells[] = {job->cells->solid_a, job->cells->solid_b, job->cells->edges_a, job->cells->edges_b};
        for (int k = 0; k < 4; ++k)
            if (cells[k]) memset(cells[k], 0, pixels * (tact_image_slots(job->options.resolution) + 1) / 8);
    }
}

// ---- What is found in images on the host ----

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void tact_image_find_begin(uint32_t* found)
{
    memset(found, 0, TACT_IMAGE_FOUND * sizeof *found);
    found[3] = found[4] = found[7] = UINT32_MAX;
}

static void find_place(uint32_t x, uint32_t y, uint32_t* found)
{
    ++found[2];
    found[3] = lesser(found[3], x);
    found[4] = lesser(found[4], y);
    found[5] = greater(found[5], x + 1);
    found[6] = greater(found[6], y + 1);
}

static float within(float a)
{
    const float b = a > 0.0f ? a : 0.0f;
    return b < 1.0f ? b : 1.0f;
}

void tact_image_find_depths(const tact_image_band* band, uint32_t* found)
{
    const size_t pixels = (size_t)band->rows * band->resolution;
    const float *front_a = band->depths[0], *back_a = band->depths[1], *front_b = band->depths[2],
                *back_b = band->depths[3];
    for (size_t i = 0; i < pixels; ++i) {
        const bool a_first = within(back_b[i]) > within(front_a[i]), b_first = within(back_a[i]) > within(front_b[i]);
        if (a_first) {
            ++found[0];
            found[9] = greater(found[9], tact_ordered(as_uint(back_b[i] - front_a[i])));
        }
        if (b_first) {
            ++found[1];
            found[10] = greater(found[10], tact_ordered(as_uint(back_a[i] - front_b[i])));
        }
        if (!a_first || !b_first) continue;
        find_place((uint32_t)(i % band->resolution), band->first + (uint32_t)(i / band->resolution), found);
        const float from = within(front_a[i] > front_b[i] ? front_a[i] : front_b[i]);
        const float to = within(back_a[i] < back_b[i] ? back_a[i] : back_b[i]);
        found[7] = lesser(found[7], tact_ordered(as_uint(from < to ? from : to)));
        found[8] = greater(found[8], tact_ordered(as_uint(from > to ? from : to)));
    }
}

static uint32_t lowest_bit(uint32_t v)
{
    uint32_t n = 0;
    for (; !(v & 1u); v >>= 1)
        ++n;
    return n;
}

static uint32_t highest_bit(uint32_t v)
{
    uint32_t n = 0;
    for (; v >>= 1;)
        ++n;
    return n;
}

void tact_image_find_cells(const tact_image_band* band, uint32_t* found)
{
    const size_t pixels = (size_t)band->rows * band->resolution;
    const uint32_t words = band->words;
    for (size_t i = 0; i < pixels; ++i) {
        const uint32_t *solid_a = band->cells[0] + i * words, *solid_b = band->cells[1] + i * words;
        const uint32_t *edges_a = band->cells[2] + i * words, *edges_b = band->cells[3] + i * words;
        const bool a_whole = !(solid_a[words - 1] >> 31), b_whole = !(solid_b[words - 1] >> 31);
        uint32_t b_found = 0, a_found = 0, inside = 0;
        for (uint32_t k = 0; k < words; ++k) {
            const uint32_t a = a_whole ? solid_a[k] : 0, b = b_whole ? solid_b[k] : 0;
            const uint32_t b_in = a & edges_b[k], a_in = b & edges_a[k], both = a & b, any = b_in | a_in | both;
            b_found |= b_in;
            a_found |= a_in;
            inside |= both;
            if (!any) continue;
            found[7] = lesser(found[7], 32 * k + lowest_bit(any));
            found[8] = greater(found[8], 32 * k + highest_bit(any) + 1);
        }
        found[0] += b_found != 0;
        found[1] += a_found != 0;
        found[9] += !a_whole;
        found[10] += !b_whole;
        found[11] += inside != 0;
        if (b_found | a_found | inside) {
            find_place((uint32_t)(i % band->resolution), band->first + (uint32_t)(i / band->resolution), found);
        }
    }
}

void tact_image_keep_picture(const tact_image_job* job, const tact_image_band* band)
{
    const size_t pixels = (size_t)band->rows * band->resolution, first = (size_t)band->first * band->resolution;
    if (job->layers) {
        float* const layers[] = {job->layers->front_a, job->layers->back_a, job->layers->front_b, job->layers->back_b};
        for (int k = 0; k < 4; ++k)
            for (size_t i = 0; layers[k] && i < pixels; ++i)
                layers[k][first + i] = fabsf(band->depths[k][i]) < TACT_IMAGE_NOWHERE ? band->depths[k][i] : NAN;
    }
    if (job->cells) {
        uint32_t* const cells[] = {job->cells->solid_a, job->cells->solid_b, job->cells->edges_a, job->cells->edges_b};
        for (int k = 0; k < 4; ++k)
            if (cells[k]) memcpy(cells[k] + first * band->words, band->cells[k], pixels * band->words * 4);
    }
}
