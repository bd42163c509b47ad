// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <math.h>
#include <stb_image_write.h>
#include <stdlib.h>
#include <string.h>

#include "apps/picture_format.h"
#include "apps/system.h"

typedef struct color {
    double r, g, b;
} color;

static color mix(color a, color b, double t)
{
    return (color){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

/// From linear light to the display's curve.
static unsigned char encoded(double linear)
{
    const double c = linear <= 0.0 ? 0.0 : linear >= 1.0 ? 1.0 : linear;
    const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
    return (unsigned char)(s * 255.0 + 0.5);
}

/// The first instance is warm clay; the others follow round the colour wheel by the golden angle.
static color tint(uint32_t instance)
{
    const double hue = fmod(0.07 + 0.61803398875 * instance, 1.0) * 6.0;
    const color wheel = {fabs(hue - 3.0) - 1.0, 2.0 - fabs(hue - 2.0), 2.0 - fabs(hue - 4.0)};
    const color pure = {fmin(fmax(wheel.r, 0.0), 1.0), fmin(fmax(wheel.g, 0.0), 1.0), fmin(fmax(wheel.b, 0.0), 1.0)};
    return mix((color){0.66, 0.63, 0.60}, pure, 0.30);
}

/// The unit normal, turned towards where the ray comes from; false for a triangle without one.
static bool normal_of(const tact_model* model, const tact_ray* ray, const tact_hit* hit, double normal[3])
{
    double p[3][3], a[3], b[3];
    tact_model_corners(model, hit->instance, hit->primitive, p);
    for (int i = 0; i < 3; ++i) {
        a[i] = p[1][i] - p[0][i];
        b[i] = p[2][i] - p[0][i];
    }
    normal[0] = a[1] * b[2] - a[2] * b[1];
    normal[1] = a[2] * b[0] - a[0] * b[2];
    normal[2] = a[0] * b[1] - a[1] * b[0];
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(length > 0.0) || isinf(length)) return false;
    const double facing = normal[0] * (double)ray->dx + normal[1] * (double)ray->dy + normal[2] * (double)ray->dz;
    for (int i = 0; i < 3; ++i)
        normal[i] *= (facing > 0.0 ? -1.0 : 1.0) / length;
    return true;
}

static color shade(const tact_model* model, const bool* marked, const tact_ray* ray, const tact_hit* hit)
{
    const color red = {0.80, 0.05, 0.03}, grey = {0.36, 0.37, 0.39};
    const color base = !marked ? tint(hit->instance) : marked[hit->instance] ? red : grey;
    double n[3];
    if (!normal_of(model, ray, hit, n)) return base;
    const double d[3] = {(double)ray->dx, (double)ray->dy, (double)ray->dz};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double head = -(n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / length;
    // The normal itself as a colour, so that shape shows where the light is even.
    const color from_normal = {0.5 + 0.5 * n[0], 0.5 + 0.5 * n[1], 0.5 + 0.5 * n[2]};
    const color surface = mix(base, from_normal, marked ? 0.05 : 0.20);
    const double key = fmax(0.0, 0.48 * n[0] + 0.74 * n[1] + 0.47 * n[2]);
    const double light = 0.03 + 0.26 * head * head + 0.78 * key;
    const double rim = pow(1.0 - fmin(fmax(head, 0.0), 1.0), 3.0) * 0.07;
    return (color){surface.r * light + rim * 0.8, surface.g * light + rim * 0.9, surface.b * light + rim * 1.2};
}

void tact_picture_shade(const tact_model* model, const bool* marked, const tact_ray* rays, const tact_hit* hits,
                        uint32_t width, uint32_t height, unsigned char* rgb)
{
    const color top = {0.020, 0.026, 0.040}, bottom = {0.085, 0.095, 0.115};
    for (uint32_t row = 0; row < height; ++row) {
        const color background = mix(top, bottom, ((double)row + 0.5) / height);
        for (uint32_t column = 0; column < width; ++column, ++rays, ++hits, rgb += 3) {
            const color c = hits->instance == TACT_NONE ? background : shade(model, marked, rays, hits);
            rgb[0] = encoded(c.r);
            rgb[1] = encoded(c.g);
            rgb[2] = encoded(c.b);
        }
    }
}

/// What the encoder hands over, gathered, so that the file is replaced at once.
typedef struct gathered {
    unsigned char* bytes;
    size_t size, capacity;
    bool failed;
} gathered;

static void gather(void* user, void* data, int size)
{
    gathered* all = user;
    if ((size_t)size > all->capacity - all->size) {
        // Some encoders come with a few bytes at a time.
        const size_t capacity = 2 * all->capacity + (size_t)size;
        unsigned char* larger = realloc(all->bytes, capacity);
        if (!larger) {
            all->failed = true;
            return;
        }
        all->bytes = larger;
        all->capacity = capacity;
    }
    memcpy(all->bytes + all->size, data, (size_t)size);
    all->size += (size_t)size;
}

enum { JPEG_QUALITY = 95 };

static bool encode(tact_picture_format format, gathered* all, int width, int height, const unsigned char* rgb)
{
    switch (format) {
        case TACT_PICTURE_BMP:
            return stbi_write_bmp_to_func(gather, all, width, height, 3, rgb) != 0;
        case TACT_PICTURE_TGA:
            return stbi_write_tga_to_func(gather, all, width, height, 3, rgb) != 0;
        case TACT_PICTURE_JPEG:
            return stbi_write_jpg_to_func(gather, all, width, height, 3, rgb, JPEG_QUALITY) != 0;
        case TACT_PICTURE_PNG:
        case TACT_PICTURE_NONE:
        default:
            return stbi_write_png_to_func(gather, all, width, height, 3, rgb, width * 3) != 0;
    }
}

bool tact_picture_write(const char* path, uint32_t width, uint32_t height, const unsigned char* rgb,
                        tact_problem* problem)
{
    // The encoder counts in int and pads each row by a byte.
    if (((uint64_t)width * 3 + 1) * height > INT32_MAX / 2) {
        return tact_problem_set(problem, "%s: a picture of %u x %u is too large to encode", path, width, height);
    }
    gathered all = {0};
    const bool good = encode(tact_picture_format_of(path), &all, (int)width, (int)height, rgb);
    bool written = false;
    if (!good || all.failed || !all.bytes) {
        tact_problem_out_of_memory(problem, path);
    } else {
        written = tact_file_replace(path, NULL, 0, all.bytes, all.size, problem);
    }
    free(all.bytes);
    return written;
}

bool tact_picture_of_marked(const char* path, const tact_model* model, const bool* marked, const tact_ray* rays,
                            const tact_hit* hits, uint32_t width, uint32_t height, tact_problem* problem)
{
    unsigned char* rgb = malloc((size_t)width * height * 3);
    if (!rgb) return tact_problem_out_of_memory(problem, path);
    tact_picture_shade(model, marked, rays, hits, width, height, rgb);
    const bool good = tact_picture_write(path, width, height, rgb, problem);
    free(rgb);
    return good;
}

bool tact_picture_of_hits(const char* path, const tact_model* model, const tact_ray* rays, const tact_hit* hits,
                          uint32_t width, uint32_t height, tact_problem* problem)
{
    return tact_picture_of_marked(path, model, NULL, rays, hits, width, height, problem);
}
