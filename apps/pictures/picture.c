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

/// A place's normal between those of the corners, where these differ little from the triangle's own, `n`: by less than
/// 40 degrees, and less and less of it up to 48, as in the corners of cubes, which stay sharp.
static void round_off(const tact_model* model, const float* normals, const tact_hit* hit, double n[3])
{
    const double all = 0.766, none = 0.667;  // cosines of these
    const tact_model_instance* placed = &model->instances[hit->instance];
    const uint32_t* at = model->meshes[placed->mesh].indices + 3 * (size_t)hit->primitive;
    const double weights[3] = {1.0 - (double)hit->u - (double)hit->v, (double)hit->u, (double)hit->v};
    double sum[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < 3; ++c) {
        double corner[3], length = 0.0, along = 0.0;
        for (int i = 0; i < 3; ++i) {
            // Normals turn by the cofactors of what moves points.
            const float *a = placed->transform + 4 * ((i + 1) % 3), *b = placed->transform + 4 * ((i + 2) % 3);
            corner[i] = 0.0;
            for (int k = 0; k < 3; ++k) {
                const int l = (k + 1) % 3, m = (k + 2) % 3;
                corner[i] += ((double)a[l] * (double)b[m] - (double)a[m] * (double)b[l]) *
                             (double)normals[3 * (size_t)at[c] + (size_t)k];
            }
            length += corner[i] * corner[i];
            along += corner[i] * n[i];
        }
        length = sqrt(length);
        const double way = along < 0.0 ? -1.0 : 1.0;
        double share = 0.0;
        if (length > 0.0 && !isinf(length)) share = fmin(fmax((way * along / length - none) / (all - none), 0.0), 1.0);
        for (int i = 0; i < 3; ++i)
            sum[i] += weights[c] * (share > 0.0 ? n[i] + share * (way * corner[i] / length - n[i]) : n[i]);
    }
    const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int i = 0; i < 3 && length > 0.0; ++i)
        n[i] = sum[i] / length;
}

static color shade(const tact_picture_look* look, const tact_ray* ray, const tact_hit* hit)
{
    const color red = {0.80, 0.05, 0.03}, grey = {0.36, 0.37, 0.39};
    const tact_model* model = look->model;
    const bool* marked = look->marked;
    const color base = !marked ? tint(hit->instance) : marked[hit->instance] ? red : grey;
    double n[3];
    if (!normal_of(model, ray, hit, n)) return base;
    const float* normals = look->normals ? look->normals[model->instances[hit->instance].mesh] : NULL;
    if (normals) round_off(model, normals, hit, n);
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

/// Adds what a ray sees in a row of the picture.
static void add_seen(const tact_picture_look* look, uint32_t row, const tact_ray* ray, const tact_hit* hit, color* sum)
{
    const color top = {0.020, 0.026, 0.040}, bottom = {0.085, 0.095, 0.115};
    const color c =
        hit->instance == TACT_NONE ? mix(top, bottom, ((double)row + 0.5) / look->height) : shade(look, ray, hit);
    // What is brighter than white does not outshine the rest of its pixel.
    sum->r += fmin(c.r, 1.0);
    sum->g += fmin(c.g, 1.0);
    sum->b += fmin(c.b, 1.0);
}

void tact_picture_shade_rows(const tact_picture_look* look, const tact_ray* rays, const tact_hit* hits,
                             unsigned char* rgb)
{
    const size_t samples = look->samples, across = look->width * samples;
    const double share = 1.0 / (double)(samples * samples);
    const ptrdiff_t rows = (ptrdiff_t)look->rows;
#if defined(_OPENMP)
#pragma omp parallel for schedule(dynamic, 4)
#endif
    for (ptrdiff_t row = 0; row < rows; ++row) {
        unsigned char* to = rgb + 3 * (size_t)row * look->width;
        for (size_t column = 0; column < look->width; ++column, to += 3) {
            color sum = {0.0, 0.0, 0.0};
            for (size_t k = 0; k < samples * samples; ++k) {
                const size_t at = ((size_t)row * samples + k / samples) * across + column * samples + k % samples;
                add_seen(look, look->first_row + (uint32_t)row, &rays[at], &hits[at], &sum);
            }
            to[0] = encoded(sum.r * share);
            to[1] = encoded(sum.g * share);
            to[2] = encoded(sum.b * share);
        }
    }
}

void tact_picture_shade(const tact_model* model, const bool* marked, const tact_ray* rays, const tact_hit* hits,
                        uint32_t width, uint32_t height, unsigned char* rgb)
{
    const tact_picture_look look = {
        .model = model, .marked = marked, .width = width, .height = height, .samples = 1, .rows = height};
    tact_picture_shade_rows(&look, rays, hits, rgb);
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

bool tact_picture_fits(const char* path, uint32_t width, uint32_t height, tact_problem* problem)
{
    // The encoder counts in int and pads each row by a byte.
    if (((uint64_t)width * 3 + 1) * height <= INT32_MAX / 2) return true;
    return tact_problem_set(problem, "%s: a picture of %u x %u is too large to encode", path, width, height);
}

bool tact_picture_write(const char* path, uint32_t width, uint32_t height, const unsigned char* rgb,
                        tact_problem* problem)
{
    if (!tact_picture_fits(path, width, height, problem)) return false;
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

bool tact_picture_of_hits(const char* path, const tact_model* model, const tact_ray* rays, const tact_hit* hits,
                          uint32_t width, uint32_t height, tact_problem* problem)
{
    unsigned char* rgb = malloc((size_t)width * height * 3);
    if (!rgb) return tact_problem_out_of_memory(problem, path);
    tact_picture_shade(model, NULL, rays, hits, width, height, rgb);
    const bool good = tact_picture_write(path, width, height, rgb, problem);
    free(rgb);
    return good;
}
