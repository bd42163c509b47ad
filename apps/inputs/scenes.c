// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"

static bool allocate_mesh(tact_model_mesh* mesh, size_t vertices, size_t triangles, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    mesh->positions = malloc(vertices * 12 + 1);
    mesh->indices = malloc(triangles * 12 + 1);
    if (!mesh->positions || !mesh->indices) {
        tact_model_mesh_free(mesh);
        return tact_problem_out_of_memory(problem, "a generated mesh");
    }
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    return true;
}

// ---- icosphere ----

static const double golden = 1.6180339887498949;

static const uint8_t icosahedron[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                           {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                           {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                           {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};

static void put_on_sphere(double x, double y, double z, float* out)
{
    const double length = sqrt(x * x + y * y + z * z);
    out[0] = (float)(x / length);
    out[1] = (float)(y / length);
    out[2] = (float)(z / length);
}

static void icosahedron_corners(float* out)
{
    for (int i = 0; i < 12; ++i) {
        const double a = i & 1 ? 1.0 : -1.0, b = i & 2 ? -golden : golden;
        const double corner[3] = {i < 4 ? a : 0.0, i < 4 ? b : a, i < 4 ? 0.0 : b};
        // Corners 0-3 lie in the plane z = 0, 4-7 in x = 0, 8-11 in y = 0.
        if (i < 8) {
            put_on_sphere(corner[0], corner[1], corner[2], out + 3 * i);
        } else {
            put_on_sphere(b, 0.0, a, out + 3 * i);
        }
    }
}

/// Middles of edges made so far, found by their ends: open addressing in a table of a power of two.
typedef struct edge_table {
    uint64_t* keys;  ///< lower end in the upper half; UINT64_MAX: free
    uint32_t* middles;
    size_t mask;
} edge_table;

static uint32_t middle_of(edge_table* table, tact_model_mesh* mesh, uint32_t a, uint32_t b)
{
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    tact_random hash = {key};
    size_t slot = (size_t)tact_random_next(&hash) & table->mask;
    while (table->keys[slot] != UINT64_MAX) {
        if (table->keys[slot] == key) return table->middles[slot];
        slot = (slot + 1) & table->mask;
    }
    const uint32_t index = (uint32_t)mesh->vertex_count++;
    const float *p = mesh->positions + 3 * (size_t)a, *q = mesh->positions + 3 * (size_t)b;
    put_on_sphere((double)p[0] + (double)q[0], (double)p[1] + (double)q[1], (double)p[2] + (double)q[2],
                  mesh->positions + 3 * (size_t)index);
    table->keys[slot] = key;
    table->middles[slot] = index;
    return index;
}

static void divide(tact_model_mesh* mesh, uint32_t* scratch, edge_table* table)
{
    memset(table->keys, 0xff, (table->mask + 1) * sizeof *table->keys);
    const size_t count = mesh->triangle_count;
    memcpy(scratch, mesh->indices, count * 12);
    for (size_t t = 0; t < count; ++t) {
        const uint32_t a = scratch[3 * t], b = scratch[3 * t + 1], c = scratch[3 * t + 2];
        const uint32_t ab = middle_of(table, mesh, a, b), bc = middle_of(table, mesh, b, c),
                       ca = middle_of(table, mesh, c, a);
        const uint32_t four[12] = {a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca};
        memcpy(mesh->indices + 12 * t, four, sizeof four);
    }
    mesh->triangle_count = count * 4;
}

bool tact_mesh_icosphere(unsigned levels, tact_model_mesh* mesh, tact_problem* problem)
{
    if (levels > 10) levels = 10;
    const size_t triangles = (size_t)20 << (2 * levels);
    if (!allocate_mesh(mesh, triangles / 2 + 2, triangles, problem)) return false;
    size_t slots = 64;
    while (slots < triangles)
        slots *= 2;  // the last division makes 3/8 as many middles
    edge_table table = {malloc(slots * sizeof(uint64_t)), malloc(slots * sizeof(uint32_t)), slots - 1};
    uint32_t* scratch = malloc(triangles * 3 + 1);  // a quarter of the indices
    if (!scratch || levels == 0) {
        free(scratch);
        scratch = malloc(240);
    }
    const bool good = table.keys && table.middles && scratch;
    if (good) {
        icosahedron_corners(mesh->positions);
        mesh->vertex_count = 12;
        mesh->triangle_count = 20;
        for (int i = 0; i < 60; ++i)
            mesh->indices[i] = icosahedron[i / 3][i % 3];
        for (unsigned level = 0; level < levels; ++level)
            divide(mesh, scratch, &table);
    } else {
        tact_model_mesh_free(mesh);
        tact_problem_out_of_memory(problem, "an icosphere");
    }
    free(table.keys);
    free(table.middles);
    free(scratch);
    return good;
}

// ---- terrain ----

/// A height in [0, 1] that hangs on the grid point alone.
static double grid_height(uint64_t seed, int octave, int64_t x, int64_t y)
{
    tact_random hash = {seed + (uint64_t)octave * 0x51ed2701u + (uint64_t)x * 0x8da6b343u + (uint64_t)y * 0xd8163841u};
    tact_random_next(&hash);
    return tact_random_fraction(&hash);
}

static double smooth_noise(uint64_t seed, int octave, double x, double y)
{
    const double fx = floor(x), fy = floor(y);
    const int64_t ix = (int64_t)fx, iy = (int64_t)fy;
    double u = x - fx, v = y - fy;
    u = u * u * (3.0 - 2.0 * u);
    v = v * v * (3.0 - 2.0 * v);
    const double low = grid_height(seed, octave, ix, iy) * (1.0 - u) + grid_height(seed, octave, ix + 1, iy) * u;
    const double high =
        grid_height(seed, octave, ix, iy + 1) * (1.0 - u) + grid_height(seed, octave, ix + 1, iy + 1) * u;
    return low * (1.0 - v) + high * v;
}

bool tact_mesh_terrain(unsigned side, uint64_t seed, tact_model_mesh* mesh, tact_problem* problem)
{
    if (side < 1) side = 1;
    if (side > 16384) side = 16384;
    const size_t across = (size_t)side + 1;
    if (!allocate_mesh(mesh, across * across, 2 * (size_t)side * side, problem)) return false;
    float* p = mesh->positions;
    for (size_t row = 0; row < across; ++row) {
        for (size_t column = 0; column < across; ++column) {
            const double x = (double)column / side, z = (double)row / side;
            double height = 0.0, scale = 0.25, frequency = 4.0;
            for (int octave = 0; octave < 6; ++octave) {
                height += scale * smooth_noise(seed, octave, x * frequency, z * frequency);
                scale *= 0.5;
                frequency *= 2.0;
            }
            *p++ = (float)(2.0 * x - 1.0);
            *p++ = (float)(height - 0.25);
            *p++ = (float)(2.0 * z - 1.0);
        }
    }
    uint32_t* index = mesh->indices;
    for (size_t row = 0; row < side; ++row) {
        for (size_t column = 0; column < side; ++column) {
            const uint32_t a = (uint32_t)(row * across + column), b = a + 1, c = (uint32_t)(a + across), d = c + 1;
            const uint32_t two[6] = {a, c, b, b, c, d};
            memcpy(index, two, sizeof two);
            index += 6;
        }
    }
    return true;
}

// ---- hard meshes ----

static double signed_fraction(tact_random* random)
{
    return 2.0 * tact_random_fraction(random) - 1.0;
}

static void put_vertex(tact_model_mesh* mesh, size_t vertex, double x, double y, double z)
{
    float* p = mesh->positions + 3 * vertex;
    p[0] = (float)x;
    p[1] = (float)y;
    p[2] = (float)z;
}

bool tact_mesh_needles(size_t count, uint64_t seed, tact_model_mesh* mesh, tact_problem* problem)
{
    if (!allocate_mesh(mesh, 3 * count, count, problem)) return false;
    tact_random random = {seed};
    for (size_t t = 0; t < count; ++t) {
        double a[3], b[3], width = 0.1;
        for (int i = 0; i < 3; ++i)
            a[i] = signed_fraction(&random);
        for (int i = 0; i < 3; ++i)
            b[i] = signed_fraction(&random);
        for (uint64_t digits = tact_random_below(&random, 6); digits > 0; --digits)
            width *= 0.1;
        put_vertex(mesh, 3 * t, a[0], a[1], a[2]);
        put_vertex(mesh, 3 * t + 1, b[0], b[1], b[2]);
        put_vertex(mesh, 3 * t + 2, a[0] + width * signed_fraction(&random), a[1] + width * signed_fraction(&random),
                   a[2] + width * signed_fraction(&random));
        for (uint32_t k = 0; k < 3; ++k)
            mesh->indices[3 * t + k] = (uint32_t)(3 * t) + k;
    }
    return true;
}

bool tact_mesh_degenerate(size_t count, uint64_t seed, tact_model_mesh* mesh, tact_problem* problem)
{
    if (!allocate_mesh(mesh, 3 * count, count, problem)) return false;
    tact_random random = {seed};
    for (size_t t = 0; t < count; ++t) {
        const size_t v = 3 * t;
        uint32_t* index = mesh->indices + v;
        for (uint32_t k = 0; k < 3; ++k) {
            // Sixteenths, so that corners in one line are so to the bit.
            put_vertex(mesh, v + k, floor(signed_fraction(&random) * 16.0) / 16.0,
                       floor(signed_fraction(&random) * 16.0) / 16.0, floor(signed_fraction(&random) * 16.0) / 16.0);
            index[k] = (uint32_t)v + k;
        }
        float* p = mesh->positions + 3 * v;
        const uint32_t* earlier = mesh->indices + 3 * (t ? (size_t)tact_random_below(&random, t) : 0);
        switch (t % 12) {
            case 1:  // a point
                index[1] = index[2] = index[0];
                break;
            case 2:  // two corners alike
                index[2] = index[1];
                break;
            case 3:  // in one line
                for (int i = 0; i < 3; ++i)
                    p[6 + i] = p[i] + 2.0f * (p[3 + i] - p[i]);
                break;
            case 4:  // an earlier triangle once more
                memcpy(index, earlier, 12);
                break;
            case 5:  // with its corners turned
                index[0] = earlier[1], index[1] = earlier[2], index[2] = earlier[0];
                break;
            case 6:  // with its side flipped
                index[0] = earlier[0], index[1] = earlier[2], index[2] = earlier[1];
                break;
            case 7:
                p[tact_random_below(&random, 9)] = NAN;
                break;
            case 8:
                p[tact_random_below(&random, 9)] = t % 24 == 8 ? INFINITY : -INFINITY;
                break;
            case 9:
                p[tact_random_below(&random, 9)] = 3e38f;
                break;
            case 10:  // subnormal extents
                for (int i = 0; i < 9; ++i)
                    p[i] *= 1e-40f;
                break;
            default:
                break;
        }
    }
    return true;
}

// ---- scenes ----

/// Adds what a generator made, with one instance of it.
static bool add(tact_model* model, bool made, tact_model_mesh* mesh, tact_problem* problem)
{
    return made && tact_model_add_mesh(model, mesh, problem) &&
           tact_model_add_instance(model, (uint32_t)(model->mesh_count - 1), NULL, problem);
}

static bool make_scaled(unsigned levels, float scale, float shift, tact_model* model, tact_problem* problem)
{
    tact_model_mesh mesh;
    if (!tact_mesh_icosphere(levels, &mesh, problem)) return false;
    for (size_t i = 0; i < 3 * mesh.vertex_count; ++i)
        mesh.positions[i] = mesh.positions[i] * scale + shift;
    return add(model, true, &mesh, problem);
}

static bool make_icosphere(bool quick, tact_model* model, tact_problem* problem)
{
    return make_scaled(quick ? 3 : 5, 1.0f, 0.0f, model, problem);
}

static bool make_tiny(bool quick, tact_model* model, tact_problem* problem)
{
    return make_scaled(quick ? 2 : 4, 1e-6f, 0.0f, model, problem);
}

static bool make_large(bool quick, tact_model* model, tact_problem* problem)
{
    return make_scaled(quick ? 2 : 4, 1e6f, 0.0f, model, problem);
}

static bool make_huge(bool quick, tact_model* model, tact_problem* problem)
{
    return make_scaled(quick ? 2 : 4, 1e12f, 0.0f, model, problem);
}

static bool make_far(bool quick, tact_model* model, tact_problem* problem)
{
    return make_scaled(quick ? 2 : 4, 1.0f, 10000.0f, model, problem);
}

static bool make_terrain(bool quick, tact_model* model, tact_problem* problem)
{
    tact_model_mesh mesh;
    return add(model, tact_mesh_terrain(quick ? 24 : 128, 7, &mesh, problem), &mesh, problem);
}

static bool make_million(bool quick, tact_model* model, tact_problem* problem)
{
    tact_model_mesh mesh;
    return add(model, tact_mesh_terrain(quick ? 100 : 708, 8, &mesh, problem), &mesh, problem);
}

static bool make_needles(bool quick, tact_model* model, tact_problem* problem)
{
    tact_model_mesh mesh;
    return add(model, tact_mesh_needles(quick ? 600 : 5000, 9, &mesh, problem), &mesh, problem);
}

static bool make_degenerate(bool quick, tact_model* model, tact_problem* problem)
{
    tact_model_mesh mesh;
    return add(model, tact_mesh_degenerate(quick ? 600 : 5000, 10, &mesh, problem), &mesh, problem);
}

static bool make_single(bool quick, tact_model* model, tact_problem* problem)
{
    (void)quick;
    tact_model_mesh mesh;
    if (!allocate_mesh(&mesh, 3, 1, problem)) return false;
    put_vertex(&mesh, 0, -1.0, -1.0, 0.0);
    put_vertex(&mesh, 1, 1.0, -1.0, 0.0);
    put_vertex(&mesh, 2, 0.0, 1.0, 0.0);
    for (uint32_t k = 0; k < 3; ++k)
        mesh.indices[k] = k;
    return add(model, true, &mesh, problem);
}

static bool make_empty(bool quick, tact_model* model, tact_problem* problem)
{
    (void)quick;
    tact_model_mesh mesh;
    return add(model, allocate_mesh(&mesh, 0, 0, problem), &mesh, problem);
}

static bool make_nothing(bool quick, tact_model* model, tact_problem* problem)
{
    (void)quick;
    (void)model;
    (void)problem;
    return true;
}

static bool make_instances(bool quick, tact_model* model, tact_problem* problem)
{
    // Rotations are by rational angles (3-4-5, 5-12-13), so that these numbers are all there is to them.
    static const float transforms[][12] = {
        {1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0},                   // moved
        {1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0},                   // and once more: ties between instances
        {0.6f, -0.8f, 0, -3, 0.8f, 0.6f, 0, 0, 0, 0, 1, 0.5f},  // rotated
        {5 / 13.0f, 0, 12 / 13.0f, 0, 0, 1, 0, 3, -12 / 13.0f, 0, 5 / 13.0f, 0},
        {3, 0, 0, 0, 0, 0.25f, 0, -3, 0, 0, 0.01f, 0},                 // scaled unequally, nearly flat
        {-1, 0, 0, 3, 0, 1, 0, 3, 0, 0, 1, 0},                         // mirrored
        {-0.6f, 1.6f, 0.1f, -3, 0.8f, 1.2f, 0, 3, 0.3f, 0, -0.5f, 0},  // mirrored, sheared, scaled
        {1e-3f, 0, 0, 0.5f, 0, 1e-3f, 0, -1.5f, 0, 0, 1e-3f, 1.5f},    // small
        {0, 0, 40, 0, 40, 0, 0, 0, 0, 40, 0, 0},                       // round everything, axes exchanged
        {1, 0, 0, -3, 0, 1, 0, -3, 0, 0, 1, 0},
    };
    tact_model_mesh mesh;
    if (!tact_mesh_icosphere(quick ? 1 : 3, &mesh, problem) || !tact_model_add_mesh(model, &mesh, problem))
        return false;
    if (!tact_mesh_terrain(quick ? 6 : 20, 11, &mesh, problem) || !tact_model_add_mesh(model, &mesh, problem)) {
        return false;
    }
    if (!tact_model_add_instance(model, 0, NULL, problem)) return false;
    for (size_t i = 0; i < sizeof transforms / sizeof transforms[0]; ++i) {
        if (!tact_model_add_instance(model, i % 3 == 2, transforms[i], problem)) return false;
    }
    return true;
}

const tact_test_scene tact_test_scenes[] = {
    {"nothing", make_nothing, 1000, 200},        {"empty mesh", make_empty, 1000, 200},
    {"one triangle", make_single, 50000, 2000},  {"icosphere", make_icosphere, 3000, 1500},
    {"terrain", make_terrain, 2000, 1500},       {"large terrain", make_million, 40, 200},
    {"needles", make_needles, 4000, 1500},       {"degenerate", make_degenerate, 4000, 1500},
    {"instances", make_instances, 4000, 1500},   {"icosphere x 1e-6", make_tiny, 5000, 1500},
    {"icosphere x 1e6", make_large, 5000, 1500}, {"icosphere x 1e12", make_huge, 5000, 1500},
    {"icosphere far off", make_far, 5000, 1500},
};
const size_t tact_test_scene_count = sizeof tact_test_scenes / sizeof tact_test_scenes[0];
