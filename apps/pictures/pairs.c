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

// ---- Few volumes ----

/// Up to so many are drawn one by one, with a line for each pair; more pairs than these would be a tangle.
enum { FEW = 100, FEW_PAIRS = 200 };

/// Three numbers a fine pixel, in linear light.
typedef struct paper {
    float* rgb;
    const view* v;
} paper;

static void blend(const paper* p, int x, int y, const float tint[3], float opaque)
{
    float* to = p->rgb + 3 * ((size_t)y * FINE + (size_t)x);
    for (int i = 0; i < 3; ++i)
        to[i] += (tint[i] - to[i]) * opaque;
}

/// Where a box lies on the fine pixels, from left, top to right, bottom; false: it has no inside.
static bool place(const view* v, const tact_aabb* box, double at[4])
{
    if (!(box->lower.x <= box->upper.x && box->lower.y <= box->upper.y && box->lower.z <= box->upper.z)) return false;
    at[0] = ((double)box->lower.x - v->low[0]) * v->scale;
    at[1] = FINE - ((double)box->upper.y - v->low[1]) * v->scale;
    at[2] = ((double)box->upper.x - v->low[0]) * v->scale;
    at[3] = FINE - ((double)box->lower.y - v->low[1]) * v->scale;
    return true;
}

static void fill(const paper* p, const double at[4], const float tint[3], float opaque)
{
    const int x1 = within(pixel(at[2]) + 1, FINE), y1 = within(pixel(at[3]) + 1, FINE);
    for (int y = within(pixel(at[1]), FINE); y < y1; ++y)
        for (int x = within(pixel(at[0]), FINE); x < x1; ++x)
            blend(p, x, y, tint, opaque);
}

static void frame(const paper* p, const double at[4], const float tint[3], double wide)
{
    const double sides[4][4] = {{at[0], at[1], at[2], at[1] + wide},
                                {at[0], at[3] - wide, at[2], at[3]},
                                {at[0], at[1] + wide, at[0] + wide, at[3] - wide},
                                {at[2] - wide, at[1] + wide, at[2], at[3] - wide}};
    for (int i = 0; i < 4; ++i)
        fill(p, sides[i], tint, 1.0f);
}

/// Of round ends, `wide` to each side; a dot where both ends are one. Its edge fades over a fine pixel.
static void stroke(const paper* p, const double from[2], const double to[2], double wide, const float tint[3])
{
    const double way[2] = {to[0] - from[0], to[1] - from[1]}, length = way[0] * way[0] + way[1] * way[1];
    const int y1 = within(pixel(fmax(from[1], to[1]) + wide) + 2, FINE);
    const int x1 = within(pixel(fmax(from[0], to[0]) + wide) + 2, FINE);
    for (int y = within(pixel(fmin(from[1], to[1]) - wide) - 1, FINE); y < y1; ++y) {
        for (int x = within(pixel(fmin(from[0], to[0]) - wide) - 1, FINE); x < x1; ++x) {
            const double q[2] = {x + 0.5 - from[0], y + 0.5 - from[1]};
            const double along = length > 0.0 ? fmin(fmax((q[0] * way[0] + q[1] * way[1]) / length, 0.0), 1.0) : 0.0;
            const double inside = wide + 0.5 - hypot(q[0] - along * way[0], q[1] - along * way[1]);
            if (inside > 0.0) blend(p, x, y, tint, (float)fmin(inside, 1.0));
        }
    }
}

static void draw_volumes(const paper* p, const tact_volume_input* input, const uint32_t* degrees, bool paired)
{
    static const float grey[3] = {0.62f, 0.64f, 0.68f}, orange[3] = {0.95f, 0.50f, 0.12f};
    static const float grey_edge[3] = {0.36f, 0.39f, 0.45f}, orange_edge[3] = {0.52f, 0.16f, 0.01f};
    for (size_t i = 0; i < input->count; ++i) {
        const tact_aabb box = box_of(input, i);
        double at[4];
        if ((degrees[i] > 0) != paired || !place(p->v, &box, at)) continue;
        fill(p, at, paired ? orange : grey, 0.32f);
        frame(p, at, paired ? orange_edge : grey_edge, 3.0);
    }
}

static void middle_of(const double at[4], double middle[2])
{
    // What reaches without end has its middle within the picture.
    for (int i = 0; i < 2; ++i)
        middle[i] = 0.5 * fmin(fmax(at[i], 0.0), FINE) + 0.5 * fmin(fmax(at[2 + i], 0.0), FINE);
}

static void draw_pairs(const paper* p, const tact_pairs_picture* picture, bool lines)
{
    static const float shared[3] = {0.62f, 0.03f, 0.05f}, ink[3] = {0.03f, 0.04f, 0.07f};
    const tact_volume_input* second = picture->b ? picture->b : picture->a;
    for (size_t i = 0; i < picture->pair_count; ++i) {
        const tact_aabb a = box_of(picture->a, picture->pairs[i].a), b = box_of(second, picture->pairs[i].b);
        double of_a[4], of_b[4], from[2], to[2];
        if (!place(p->v, &a, of_a) || !place(p->v, &b, of_b)) continue;
        if (!lines) {
            const double both[4] = {fmax(of_a[0], of_b[0]), fmax(of_a[1], of_b[1]), fmin(of_a[2], of_b[2]),
                                    fmin(of_a[3], of_b[3])};
            fill(p, both, shared, 0.45f);
            continue;
        }
        middle_of(of_a, from);
        middle_of(of_b, to);
        stroke(p, from, to, 3.5, ink);
        stroke(p, from, from, 10.0, ink);
        stroke(p, to, to, 10.0, ink);
    }
}

/// Those of a pair orange, the others grey; what a pair shares is red, and a line leads from middle to middle.
static bool draw_few(const tact_pairs_picture* picture, const view* v, const uint32_t* of_a, const uint32_t* of_b,
                     unsigned char* rgb)
{
    const paper p = {malloc((size_t)3 * FINE * FINE * sizeof(float)), v};
    if (!p.rgb) return false;
    static const float blank[3] = {0.90f, 0.91f, 0.93f};
    for (size_t i = 0; i < (size_t)3 * FINE * FINE; ++i)
        p.rgb[i] = blank[i % 3];
    for (int paired = 0; paired < 2; ++paired) {
        draw_volumes(&p, picture->a, of_a, paired);
        if (picture->b) draw_volumes(&p, picture->b, of_b, paired);
    }
    draw_pairs(&p, picture, false);
    draw_pairs(&p, picture, true);
    for (size_t y = 0; y < SIDE; ++y) {
        for (size_t x = 0; x < 3 * (size_t)SIDE; ++x) {
            const float* from = p.rgb + 3 * (2 * y * FINE + 2 * (x / 3)) + x % 3;
            const float sum = from[0] + from[3] + from[3 * FINE] + from[3 * FINE + 3];
            rgb[3 * SIDE * y + x] = encoded(0.25 * (double)sum);
        }
    }
    free(p.rgb);
    return true;
}

static bool draw_many(const tact_pairs_picture* picture, const view* v, const uint32_t* of_a, const uint32_t* of_b,
                      uint32_t most, unsigned char* rgb)
{
    const size_t cells = (size_t)STRIDE * STRIDE;
    float* memory = calloc(3 * cells, sizeof *memory);
    if (!memory) return false;
    const layers l = {memory, memory + cells, memory + 2 * cells};
    add_volumes(&l, v, picture->a, of_a, most);
    if (picture->b) add_volumes(&l, v, picture->b, of_b, most);
    for (int i = 0; i < 3; ++i)
        sum_up(memory + (size_t)i * cells);
    develop(&l, rgb);
    free(memory);
    return true;
}

bool tact_pairs_picture_write(const char* path, const tact_pairs_picture* picture, tact_problem* problem)
{
    const size_t second = picture->b ? picture->b->count : 0;
    uint32_t* of_a = calloc(picture->a->count + second + 1, sizeof *of_a);
    unsigned char* rgb = malloc((size_t)3 * SIDE * SIDE);
    view v;
    bool good = of_a && rgb && find_view(picture, &v);
    if (good) {
        uint32_t* const of_b = picture->b ? of_a + picture->a->count : of_a;
        uint32_t most = 0;
        count_degrees(picture, of_a, of_b, &most);
        const bool few = picture->a->count + second <= FEW && picture->pair_count <= FEW_PAIRS;
        good = few ? draw_few(picture, &v, of_a, of_b, rgb) : draw_many(picture, &v, of_a, of_b, most, rgb);
    }
    good = good ? tact_picture_write(path, SIDE, SIDE, rgb, problem) : tact_problem_out_of_memory(problem, path);
    free(of_a);
    free(rgb);
    return good;
}
