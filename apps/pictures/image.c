// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>

static const float orange[3] = {0.95f, 0.55f, 0.20f}, blue[3] = {0.25f, 0.55f, 0.95f};

static void put(unsigned char* to, const float colour[3], float light)
{
    for (int i = 0; i < 3; ++i)
        to[i] = (unsigned char)(255.0f * fminf(fmaxf(colour[i] * light, 0.0f), 1.0f));
}

// Depth as light: near is bright.
static float light_of(float depth)
{
    return 1.0f - 0.75f * fminf(fmaxf(depth, 0.0f), 1.0f);
}

static void put_surface(unsigned char* to, float a, float b, bool nearer)
{
    static const float nothing[3] = {0.12f, 0.13f, 0.15f};
    if (isnan(a) && isnan(b)) {
        put(to, nothing, 1.0f);
    } else if (isnan(b) || (!isnan(a) && (a < b) == nearer)) {
        put(to, orange, light_of(a));
    } else {
        put(to, blue, light_of(b));
    }
}

static void put_relation(unsigned char* to, const tact_image_layers* l, size_t i)
{
    static const float nothing[3] = {0.12f, 0.13f, 0.15f}, one[3] = {0.25f, 0.26f, 0.28f}, both[3] = {1, 1, 1};
    const bool a = !isnan(l->front_a[i]), b = !isnan(l->front_b[i]);
    if (!a || !b) {
        put(to, a || b ? one : nothing, 1.0f);
    } else if (!(l->back_b[i] > l->front_a[i])) {
        put(to, blue, 1.0f);
    } else if (!(l->back_a[i] > l->front_b[i])) {
        put(to, orange, 1.0f);
    } else {
        put(to, both, 1.0f);
    }
}

bool tact_picture_of_layers(const char* path, const tact_image_layers* layers, uint32_t resolution, uint32_t scale,
                            tact_problem* problem)
{
    const uint32_t side = resolution * scale, width = 3 * side + 2 * 4;
    unsigned char* rgb = calloc((size_t)width * side, 3);
    if (!rgb) return tact_problem_out_of_memory(problem, "a picture");
    for (uint32_t y = 0; y < side; ++y) {
        for (uint32_t x = 0; x < side; ++x) {
            // Rows of the layers begin at the bottom.
            const size_t i = (size_t)((side - 1 - y) / scale) * resolution + x / scale;
            unsigned char* to = rgb + 3 * ((size_t)y * width + x);
            put_surface(to, layers->front_a[i], layers->front_b[i], true);
            put_surface(to + 3 * (side + 4), layers->back_a[i], layers->back_b[i], false);
            put_relation(to + 6 * (side + 4), layers, i);
        }
    }
    const bool good = tact_picture_write(path, width, side, rgb, problem);
    free(rgb);
    return good;
}

// ---- Cells ----

static const float dark[3] = {0.12f, 0.13f, 0.15f}, magenta[3] = {1.0f, 0.0f, 0.8f};

/// What a pixel's cells say, and the most that any pixel's do.
typedef struct cell_pixel {
    uint32_t thickness[2];  ///< cells inside A, and B
    uint32_t edges[2];      ///< cells with edges of A, and of B
    uint32_t hits;
    bool leaks[2];
} cell_pixel;

static uint32_t bits_of(uint32_t word)
{
    uint32_t count = 0;
    for (; word; word &= word - 1)
        ++count;
    return count;
}

static cell_pixel pixel_of(const tact_image_cells* c, size_t pixel, size_t words)
{
    const uint32_t* solids[2] = {c->solid_a + pixel * words, c->solid_b + pixel * words};
    const uint32_t* edges[2] = {c->edges_a + pixel * words, c->edges_b + pixel * words};
    cell_pixel p = {.hits = 0};
    for (int i = 0; i < 2; ++i)
        p.leaks[i] = solids[i][words - 1] >> 31;
    for (size_t w = 0; w < words; ++w) {
        const uint32_t cells = w + 1 < words ? UINT32_MAX : UINT32_MAX >> 1;
        for (int i = 0; i < 2; ++i) {
            p.thickness[i] += bits_of(solids[i][w] & cells);
            p.edges[i] += bits_of(edges[i][w] & cells);
        }
        const uint32_t a = p.leaks[0] ? 0 : solids[0][w] & cells, b = p.leaks[1] ? 0 : solids[1][w] & cells;
        p.hits += bits_of((a & (edges[1][w] | b)) | (b & edges[0][w]));
    }
    return p;
}

static void put_thickness(unsigned char* to, const cell_pixel* p, const cell_pixel* most, int of)
{
    const float* body = of == 0 ? orange : blue;
    const float* lines = of == 0 ? blue : orange;
    float colour[3];
    const float light = 0.15f + 0.65f * sqrtf((float)p->thickness[of] / (float)most->thickness[of]);
    for (int i = 0; i < 3; ++i) {
        colour[i] = p->thickness[of] ? body[i] * light : dark[i];
        if (p->edges[1 - of]) colour[i] = 0.5f * colour[i] + 0.5f * lines[i];
    }
    put(to, p->leaks[of] ? magenta : colour, 1.0f);
}

static void put_hits(unsigned char* to, const cell_pixel* p, const cell_pixel* most)
{
    if (p->leaks[0] || p->leaks[1]) {
        put(to, magenta, 1.0f);
    } else if (p->hits) {
        const float heat = 1.0f + 2.0f * (float)(p->hits - 1) / (float)most->hits;
        const float colour[3] = {heat, heat - 1.0f, heat - 2.0f};
        put(to, colour, 1.0f);
    } else {
        put(to, dark, p->thickness[0] || p->thickness[1] ? 2.0f : 1.0f);
    }
}

static cell_pixel most_of(const tact_image_cells* cells, size_t pixels, size_t words)
{
    cell_pixel most = {.thickness = {1, 1}, .hits = 1};
    for (size_t i = 0; i < pixels; ++i) {
        const cell_pixel p = pixel_of(cells, i, words);
        for (int k = 0; k < 2; ++k)
            if (p.thickness[k] > most.thickness[k]) most.thickness[k] = p.thickness[k];
        if (p.hits > most.hits) most.hits = p.hits;
    }
    return most;
}

bool tact_picture_of_cells(const char* path, const tact_image_cells* cells, uint32_t resolution, uint32_t scale,
                           tact_problem* problem)
{
    const size_t words = (tact_image_slots(resolution) + 1) / 32;
    if (words == 0) return tact_problem_set(problem, "%s: no image has %u x %u pixels", path, resolution, resolution);
    const uint32_t side = resolution * scale, width = 3 * side + 2 * 4;
    unsigned char* rgb = calloc((size_t)width * side, 3);
    if (!rgb) return tact_problem_out_of_memory(problem, "a picture");
    const cell_pixel most = most_of(cells, (size_t)resolution * resolution, words);
    for (uint32_t y = 0; y < side; ++y) {
        for (uint32_t x = 0; x < side; ++x) {
            // Rows of the cells begin at the bottom.
            const size_t i = (size_t)((side - 1 - y) / scale) * resolution + x / scale;
            const cell_pixel p = pixel_of(cells, i, words);
            unsigned char* to = rgb + 3 * ((size_t)y * width + x);
            put_thickness(to, &p, &most, 0);
            put_thickness(to + 3 * (side + 4), &p, &most, 1);
            put_hits(to + 6 * (side + 4), &p, &most);
        }
    }
    const bool good = tact_picture_write(path, width, side, rgb, problem);
    free(rgb);
    return good;
}
