// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 1024, FINE = 2 * SIDE, STRIDE = FINE + 1 };

/// What is gathered for each fine pixel: every rectangle adds at its four corners, and sums along rows and columns give
/// what covers a pixel (summed-area tables the other way round).
typedef struct layers {
    float* cover;  ///< rectangles over the pixel
    float* heat;   ///< sum of their colours' places on the scale
    float* edge;   ///< outlines
} layers;

typedef struct view {
    double low[2], scale;
} view;

static tact_aabb box_of(const tact_volume_input* input, size_t i)
{
    if (input->kind == TACT_VOLUME_AABB) return input->boxes[i];
    const tact_sphere s = input->spheres[i];
    return (tact_aabb){{s.center.x - s.radius, s.center.y - s.radius, s.center.z - s.radius},
                       {s.center.x + s.radius, s.center.y + s.radius, s.center.z + s.radius}};
}

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/// From where to where most bounds along an axis lie, with those beyond as long as they are near.
static void extent_of(double* bounds, size_t count, double* low, double* high)
{
    *low = 0.0;
    *high = 1.0;
    if (count == 0) return;
    qsort(bounds, count, sizeof *bounds, compare);
    const size_t skip = count / 50;
    const double from = bounds[skip], to = bounds[count - 1 - skip], reach = 0.5 * (to - from);
    *low = fmax(bounds[0], from - reach);
    *high = fmin(bounds[count - 1], to + reach);
}

static size_t add_bounds(const tact_volume_input* input, int axis, double* bounds, size_t count)
{
    for (size_t i = 0; input && i < input->count; ++i) {
        const tact_aabb b = box_of(input, i);
        const double from = (double)(axis ? b.lower.y : b.lower.x), to = (double)(axis ? b.upper.y : b.upper.x);
        if (isfinite(from)) bounds[count++] = from;
        if (isfinite(to)) bounds[count++] = to;
    }
    return count;
}

static bool find_view(const tact_pairs_picture* picture, view* v)
{
    const size_t volumes = picture->a->count + (picture->b ? picture->b->count : 0);
    double* bounds = malloc((2 * volumes + 1) * sizeof *bounds);
    if (!bounds) return false;
    double middle[2], side = 0.0;
    for (int axis = 0; axis < 2; ++axis) {
        size_t count = add_bounds(picture->a, axis, bounds, 0);
        count = add_bounds(picture->b, axis, bounds, count);
        double low, high;
        extent_of(bounds, count, &low, &high);
        middle[axis] = 0.5 * low + 0.5 * high;
        side = fmax(side, high - low);
    }
    free(bounds);
    if (!(side > 0.0)) side = 1.0;
    side *= 1.04;
    for (int axis = 0; axis < 2; ++axis)
        v->low[axis] = middle[axis] - 0.5 * side;
    v->scale = FINE / side;
    return true;
}

/// The fine pixel, held within the picture and one beyond.
static int pixel(double place)
{
    return !(place > -1.0) ? -1 : place > FINE ? FINE : (int)floor(place);
}

static int within(int p, int high)
{
    return p < 0 ? 0 : p > high ? high : p;
}

/// Pixels [x0, x1) of rows [y0, y1).
static void add_rectangle(float* layer, int x0, int y0, int x1, int y1, float amount)
{
    x0 = within(x0, FINE), x1 = within(x1, FINE), y0 = within(y0, FINE), y1 = within(y1, FINE);
    if (x0 >= x1 || y0 >= y1) return;
    layer[(size_t)y0 * STRIDE + (size_t)x0] += amount;
    layer[(size_t)y0 * STRIDE + (size_t)x1] -= amount;
    layer[(size_t)y1 * STRIDE + (size_t)x0] -= amount;
    layer[(size_t)y1 * STRIDE + (size_t)x1] += amount;
}

static void add_box(const layers* l, const view* v, const tact_aabb* box, float heat)
{
    if (!(box->lower.x <= box->upper.x && box->lower.y <= box->upper.y && box->lower.z <= box->upper.z)) return;
    const int x0 = pixel(((double)box->lower.x - v->low[0]) * v->scale);
    const int x1 = pixel(((double)box->upper.x - v->low[0]) * v->scale) + 1;
    // Rows count downwards.
    const int y0 = pixel(FINE - ((double)box->upper.y - v->low[1]) * v->scale);
    const int y1 = pixel(FINE - ((double)box->lower.y - v->low[1]) * v->scale) + 1;
    add_rectangle(l->cover, x0, y0, x1, y1, 1.0f);
    add_rectangle(l->heat, x0, y0, x1, y1, heat);
    if (x1 - x0 < 6 || y1 - y0 < 6) return;
    add_rectangle(l->edge, x0, y0, x1, y0 + 2, 1.0f);
    add_rectangle(l->edge, x0, y1 - 2, x1, y1, 1.0f);
    add_rectangle(l->edge, x0, y0 + 2, x0 + 2, y1 - 2, 1.0f);
    add_rectangle(l->edge, x1 - 2, y0 + 2, x1, y1 - 2, 1.0f);
}

static void sum_up(float* layer)
{
    for (size_t y = 0; y < STRIDE; ++y) {
        double row = 0.0;  // in double: rectangles end where they should
        for (size_t x = 0; x < STRIDE; ++x) {
            row += (double)layer[y * STRIDE + x];
            layer[y * STRIDE + x] = (float)row;
        }
    }
    for (size_t y = 1; y < STRIDE; ++y) {
        for (size_t x = 0; x < STRIDE; ++x)
            layer[y * STRIDE + x] += layer[(y - 1) * STRIDE + x];
    }
}

static void add_volumes(const layers* l, const view* v, const tact_volume_input* input, const uint32_t* degrees,
                        uint32_t most)
{
    const double top = log2(1.0 + (double)most);
    for (size_t i = 0; i < input->count; ++i) {
        const tact_aabb box = box_of(input, i);
        const double heat = most > 0 ? log2(1.0 + (double)degrees[i]) / top : 0.0;
        // In steps of 1/256, which add up without rounding.
        add_box(l, v, &box, (float)(floor(heat * 256.0 + 0.5) / 256.0));
    }
}

/// Blue, teal, green, yellow, red, in linear light.
static void color_of(double t, double rgb[3])
{
    static const double stops[5][3] = {
        {0.045, 0.13, 0.42}, {0.02, 0.34, 0.42}, {0.10, 0.46, 0.10}, {0.80, 0.52, 0.04}, {0.78, 0.06, 0.03}};
    const double place = 4.0 * fmin(fmax(t, 0.0), 1.0);
    const int from = place < 4.0 ? (int)place : 3;
    for (int i = 0; i < 3; ++i)
        rgb[i] = stops[from][i] + (stops[from + 1][i] - stops[from][i]) * (place - from);
}

static void shade(const layers* l, size_t at, double rgb[3])
{
    const double paper[3] = {0.90, 0.91, 0.93};
    const double cover = floor((double)l->cover[at] + 0.5);
    if (!(cover > 0.0)) {
        for (int i = 0; i < 3; ++i)
            rgb[i] += paper[i];
        return;
    }
    double tint[3];
    color_of((double)l->heat[at] / cover, tint);
    const double opaque = 1.0 - 0.62 * pow(0.75, cover);
    const double dark = 1.0 - 0.45 * (1.0 - pow(0.55, fmax(0.0, (double)l->edge[at])));
    for (int i = 0; i < 3; ++i)
        rgb[i] += (paper[i] + (tint[i] - paper[i]) * opaque) * dark;
}

static unsigned char encoded(double linear)
{
    const double c = fmin(fmax(linear, 0.0), 1.0);
    const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
    return (unsigned char)(s * 255.0 + 0.5);
}

static void develop(const layers* l, unsigned char* rgb)
{
    for (size_t y = 0; y < SIDE; ++y) {
        for (size_t x = 0; x < SIDE; ++x, rgb += 3) {
            double sum[3] = {0.0, 0.0, 0.0};
            for (size_t k = 0; k < 4; ++k)
                shade(l, (2 * y + k / 2) * STRIDE + 2 * x + k % 2, sum);
            for (int i = 0; i < 3; ++i)
                rgb[i] = encoded(0.25 * sum[i]);
        }
    }
}

static void count_degrees(const tact_pairs_picture* p, uint32_t* of_a, uint32_t* of_b, uint32_t* most)
{
    for (size_t i = 0; i < p->pair_count; ++i) {
        ++of_a[p->pairs[i].a];
        ++of_b[p->pairs[i].b];
    }
    *most = 0;
    for (size_t i = 0; i < p->a->count; ++i)
        *most = of_a[i] > *most ? of_a[i] : *most;
    for (size_t i = 0; p->b && i < p->b->count; ++i)
        *most = of_b[i] > *most ? of_b[i] : *most;
}

bool tact_pairs_picture_write(const char* path, const tact_pairs_picture* picture, tact_problem* problem)
{
    const size_t second = picture->b ? picture->b->count : 0, cells = (size_t)STRIDE * STRIDE;
    uint32_t* degrees = calloc(picture->a->count + second + 1, sizeof *degrees);
    float* memory = calloc(3 * cells, sizeof *memory);
    unsigned char* rgb = malloc((size_t)3 * SIDE * SIDE);
    view v;
    bool good = degrees && memory && rgb && find_view(picture, &v);
    if (!good) tact_problem_out_of_memory(problem, path);
    if (good) {
        const layers l = {memory, memory + cells, memory + 2 * cells};
        uint32_t* const of_b = picture->b ? degrees + picture->a->count : degrees;
        uint32_t most = 0;
        count_degrees(picture, degrees, of_b, &most);
        add_volumes(&l, &v, picture->a, degrees, most);
        if (picture->b) add_volumes(&l, &v, picture->b, of_b, most);
        for (int i = 0; i < 3; ++i)
            sum_up(memory + (size_t)i * cells);
        develop(&l, rgb);
        good = tact_picture_write(path, SIDE, SIDE, rgb, problem);
    }
    free(degrees);
    free(memory);
    free(rgb);
    return good;
}
