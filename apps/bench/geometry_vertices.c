// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/geometry.h"
#include "apps/inputs/random.h"
#include "tact/geometry.h"

// Triangles whose corners are floats, or numbers of 16 bits within the box of all, which are made floats of before they
// are tested: what is read is half as much, and the corners have moved.

enum {
    N = TACT_GEOMETRY_COUNT,
    MANY = N * 256,  // 38 MB of floats
    SOME = 256,      // are made floats at a time
    STEPS = 65535
};

typedef struct vertices {
    float* floats;    ///< nine arrays of MANY each
    uint16_t* words;  ///< likewise
    size_t next;      ///< where the next pass begins, of MANY
} vertices;

static void release(void* own)
{
    vertices* v = own;
    if (!v) return;
    free(v->floats);
    free(v->words);
    free(v);
}

/// A hundredth as large as their box, which is from -1 to 1, near its diagonal, which the ray goes along.
static void* make(const tact_geometry_data* data)
{
    tact_random r = {23};
    vertices* v = calloc(1, sizeof *v);
    (void)data;
    if (!v) return NULL;
    v->floats = malloc(sizeof *v->floats * 9 * MANY);
    v->words = malloc(sizeof *v->words * 9 * MANY);
    if (!v->floats || !v->words) {
        release(v);
        return NULL;
    }
    for (size_t i = 0; i < MANY; ++i) {
        const double at = tact_random_between(&r, -0.98, 0.98);
        for (size_t k = 0; k < 9; ++k) {
            const double x = at + tact_random_between(&r, -0.01, 0.01);
            v->floats[k * MANY + i] = (float)x;
            v->words[k * MANY + i] = (uint16_t)floor((x + 1.0) * (0.5 * STEPS) + 0.5);
        }
    }
    return v;
}

static size_t test(const float* const at[9])
{
    static const tact_ray ray = {-2.0f, -2.0f, -2.0f, 0.0f, 1.0f, 1.0f, 1.0f, 10.0f};
    const tact_batch_triangles triangles = {{at[0], at[1], at[2]}, {at[3], at[4], at[5]}, {at[6], at[7], at[8]}};
    uint32_t bits[SOME / 32];
    float t[SOME];
    return tact_batch_ray_triangles(&ray, &triangles, SOME, bits, t, NULL, NULL);
}

static size_t test_floats(const vertices* v, size_t begin)
{
    size_t hits = 0;
    for (size_t i = begin; i < begin + N; i += SOME) {
        const float* at[9];
        for (size_t k = 0; k < 9; ++k)
            at[k] = v->floats + k * MANY + i;
        hits += test(at);
    }
    return hits;
}

static size_t test_words(const vertices* v, size_t begin)
{
    size_t hits = 0;
    for (size_t i = begin; i < begin + N; i += SOME) {
        float made[9][SOME];
        const float* at[9];
        for (size_t k = 0; k < 9; ++k) {
            const uint16_t* words = v->words + k * MANY + i;
            for (size_t n = 0; n < SOME; ++n)
                made[k][n] = (float)(int)words[n] * (2.0f / STEPS) - 1.0f;
            at[k] = made[k];
        }
        hits += test(at);
    }
    return hits;
}

/// The same triangles in each pass, which stay in the cache.
static size_t near_floats(const tact_geometry_data* data, void* own)
{
    (void)data;
    return test_floats(own, 0);
}

static size_t near_words(const tact_geometry_data* data, void* own)
{
    (void)data;
    return test_words(own, 0);
}

static size_t step(vertices* v)
{
    const size_t begin = v->next;
    v->next = (begin + N) % MANY;
    return begin;
}

static size_t far_floats(const tact_geometry_data* data, void* own)
{
    (void)data;
    return test_floats(own, step(own));
}

static size_t far_words(const tact_geometry_data* data, void* own)
{
    (void)data;
    return test_words(own, step(own));
}

/// A test each, since they need not have the same answers.
size_t tact_geometry_ways_vertices(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {{"vertices: floats", "batch", false, make, near_floats, release},
                                            {"vertices: 16 bits", "batch", false, make, near_words, release},
                                            {"vertices: floats, of 1M", "batch", false, make, far_floats, release},
                                            {"vertices: 16 bits, of 1M", "batch", false, make, far_words, release}};
    *ways = all;
    return sizeof all / sizeof all[0];
}
