// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/picture_image.h"

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
