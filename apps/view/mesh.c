// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// More triangles about one place are not smoothed: it would take too long.
enum { MOST_NEIGHBOURS = 64 };

typedef struct smoothing {
    const tact_model_mesh* mesh;
    float* normals;    ///< of each triangle, as long as its area
    uint32_t* place;   ///< of each vertex: the first vertex at the same place
    uint32_t* start;   ///< of each place in `around`
    uint32_t* around;  ///< triangles
} smoothing;

static bool finite_corner(const float* p)
{
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static void normal_of(const tact_model_mesh* m, size_t t, float n[3])
{
    const float* p[3];
    float a[3], b[3];
    for (int c = 0; c < 3; ++c)
        p[c] = m->positions + 3 * (size_t)m->indices[3 * t + (size_t)c];
    for (int i = 0; i < 3; ++i) {
        a[i] = p[1][i] - p[0][i];
        b[i] = p[2][i] - p[0][i];
    }
    n[0] = a[1] * b[2] - a[2] * b[1];
    n[1] = a[2] * b[0] - a[0] * b[2];
    n[2] = a[0] * b[1] - a[1] * b[0];
    if (!finite_corner(p[0]) || !finite_corner(p[1]) || !finite_corner(p[2]) || !finite_corner(n)) {
        n[0] = n[1] = n[2] = 0.0f;
    }
}

static size_t hash(const float* p)
{
    uint64_t h = 0;
    for (int i = 0; i < 3; ++i) {
        uint32_t bits;
        const float f = p[i] + 0.0f;  // -0 becomes 0
        memcpy(&bits, &f, sizeof bits);
        h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (size_t)h;
}

static bool find_places(smoothing* s, tact_problem* problem)
{
    const size_t n = s->mesh->vertex_count;
    size_t room = 16;
    while (room < 2 * n)
        room *= 2;
    uint32_t* table = malloc(room * sizeof *table);
    if (!table) return tact_problem_out_of_memory(problem, "the normals");
    memset(table, 0xff, room * sizeof *table);
    for (size_t v = 0; v < n; ++v) {
        const float* p = s->mesh->positions + 3 * v;
        size_t slot = hash(p) & (room - 1);
        // NaNs are never equal: each is a place of its own, and they lie all along the table.
        if (!finite_corner(p)) {
            s->place[v] = (uint32_t)v;
            continue;
        }
        while (table[slot] != UINT32_MAX) {
            const float* q = s->mesh->positions + 3 * (size_t)table[slot];
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) break;
            slot = (slot + 1) & (room - 1);
        }
        if (table[slot] == UINT32_MAX) table[slot] = (uint32_t)v;
        s->place[v] = table[slot];
    }
    free(table);
    return true;
}

static void find_neighbours(smoothing* s)
{
    const tact_model_mesh* m = s->mesh;
    memset(s->start, 0, (m->vertex_count + 1) * sizeof *s->start);
    for (size_t i = 0; i < 3 * m->triangle_count; ++i)
        ++s->start[s->place[m->indices[i]] + 1];
    for (size_t v = 0; v < m->vertex_count; ++v)
        s->start[v + 1] += s->start[v];
    // Filled from the ends; the starts are then those of the next, and are put back.
    for (size_t i = 0; i < 3 * m->triangle_count; ++i)
        s->around[s->start[s->place[m->indices[i]]]++] = (uint32_t)(i / 3);
    for (size_t v = m->vertex_count; v > 0; --v)
        s->start[v] = s->start[v - 1];
    s->start[0] = 0;
}

static float dot(const float* a, const float* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static uint32_t packed(const float n[3])
{
    const float length = sqrtf(dot(n, n));
    uint32_t bits = 0;
    if (!(length > 0.0f) || !isfinite(length)) return 0;
    for (int i = 0; i < 3; ++i)
        bits |= ((uint32_t)(int32_t)lrintf(511.0f * (n[i] / length)) & 0x3ffu) << (10 * i);
    return bits;
}

static uint32_t smooth_normal(const smoothing* s, size_t t, uint32_t vertex)
{
    const float alike = 0.64f;
    const float* own = s->normals + 3 * t;
    const uint32_t place = s->place[vertex], count = s->start[place + 1] - s->start[place];
    if (count > MOST_NEIGHBOURS) return packed(own);
    float sum[3] = {0, 0, 0};
    const float length = sqrtf(dot(own, own));
    for (uint32_t k = s->start[place]; k < s->start[place + 1]; ++k) {
        const float* other = s->normals + 3 * (size_t)s->around[k];
        if (dot(own, other) < alike * length * sqrtf(dot(other, other))) continue;
        for (int i = 0; i < 3; ++i)
            sum[i] += other[i];
    }
    return packed(sum);
}

static void fill(const smoothing* s, tact_view_vertex* vertices)
{
    const tact_model_mesh* m = s->mesh;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        bool good = true;
        for (size_t c = 0; c < 3; ++c)
            good = good && finite_corner(m->positions + 3 * (size_t)m->indices[3 * t + c]);
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t v = m->indices[3 * t + c];
            tact_view_vertex* to = &vertices[3 * t + c];
            *to = (tact_view_vertex){.normal = smooth_normal(s, t, v)};
            if (good) memcpy(to->position, m->positions + 3 * (size_t)v, sizeof to->position);
        }
    }
}

bool tact_view_mesh_vertices(const tact_model_mesh* mesh, tact_view_vertex* vertices, tact_problem* problem)
{
    smoothing s = {.mesh = mesh};
    s.normals = malloc((mesh->triangle_count + 1) * 3 * sizeof *s.normals);
    s.place = malloc((mesh->vertex_count + 1) * sizeof *s.place);
    s.start = malloc((mesh->vertex_count + 2) * sizeof *s.start);
    s.around = malloc((mesh->triangle_count + 1) * 3 * sizeof *s.around);
    bool good = s.normals && s.place && s.start && s.around;
    if (!good) tact_problem_out_of_memory(problem, "the normals");
    good = good && find_places(&s, problem);
    if (good) {
        for (size_t t = 0; t < mesh->triangle_count; ++t)
            normal_of(mesh, t, s.normals + 3 * t);
        find_neighbours(&s);
        fill(&s, vertices);
    }
    free(s.normals);
    free(s.place);
    free(s.start);
    free(s.around);
    return good;
}
