// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A scene of objects for tests of the filter, and its pairs as the definition has them.

#include "tact/geometry/triangle_triangle.h"
#include "tact/mesh_filter.h"
#include "tact/scene.h"
#include "tests/support/mesh_soup.h"

enum { MOST_SHAPES = 8, MOST_OBJECTS = 64 };

static const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

typedef struct scene {
    soup soups[MOST_SHAPES];
    tact_mesh_desc shapes[MOST_SHAPES];
    tact_filter_object objects[MOST_OBJECTS];
    size_t shape_count, object_count;
} scene;

static scene made;

static inline void begin(void)
{
    made.shape_count = made.object_count = 0;
}

static inline void add_shape(const float* positions, size_t vertices, const uint32_t* indices, size_t triangles)
{
    made.shapes[made.shape_count++] = (tact_mesh_desc){
        .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles};
}

static inline void add_soup(test_random* r, soup_kind kind, size_t triangles)
{
    soup* s = &made.soups[made.shape_count];
    fill_soup(r, kind, triangles, s);
    add_shape(s->positions, s->vertices, s->indices, s->triangles);
}

static inline tact_filter_object* add_object(size_t shape, const float pose[12])
{
    tact_filter_object* o = &made.objects[made.object_count++];
    o->shape = (uint32_t)shape;
    memcpy(o->pose, pose, sizeof o->pose);
    return o;
}

static inline void add_at(size_t shape, float x, float y, float z)
{
    float* m = add_object(shape, still)->pose;
    m[3] = x;
    m[7] = y;
    m[11] = z;
}

/// What the definition says, as plainly as it can be said: pairs come out in order.
static inline size_t expect_by_hand(tact_filter_pair** out)
{
    size_t count = 0, capacity = 64;
    tact_filter_pair* pairs = malloc(capacity * sizeof *pairs);
    tact_triangle t[2];
    for (uint32_t a = 0; a < made.object_count; ++a) {
        for (uint32_t b = a + 1; b < made.object_count; ++b) {
            const uint32_t of[2] = {a, b};
            const tact_mesh_desc* s[2] = {&made.shapes[made.objects[a].shape], &made.shapes[made.objects[b].shape]};
            for (size_t i = 0; i < s[0]->triangle_count * s[1]->triangle_count; ++i) {
                const size_t id[2] = {i / s[1]->triangle_count, i % s[1]->triangle_count};
                bool there = true;
                for (int n = 0; n < 2; ++n) {
                    float p[9];
                    for (size_t k = 0; k < 9; ++k) {
                        const size_t corner = 3 * id[n] + k / 3, stride = s[n]->position_stride;
                        const float *m = made.objects[of[n]].pose + 4 * (k % 3),
                                    *v = s[n]->positions +
                                         (stride ? stride / 4 : 3) * (s[n]->indices ? s[n]->indices[corner] : corner);
                        p[k] = ((m[0] * v[0] + m[1] * v[1]) + m[2] * v[2]) + m[3];
                        there = there && fabsf(p[k]) <= TACT_MAX_COORDINATE;
                    }
                    memcpy(&t[n], p, sizeof p);
                }
                if (!there || !tact_triangle_overlaps_triangle(&t[0], &t[1])) continue;
                if (count == capacity) pairs = realloc(pairs, (capacity *= 2) * sizeof *pairs);
                pairs[count++] = (tact_filter_pair){a, b, (uint32_t)id[0], (uint32_t)id[1]};
            }
        }
    }
    at_end(free, pairs);
    *out = pairs;
    return count;
}
