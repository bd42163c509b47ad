// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/characters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"

// ---- Meshes that grow ----

typedef struct vec {
    double x, y, z;
} vec;

typedef struct maker {
    tact_model_mesh mesh;
    size_t vertex_room, triangle_room;
    tact_random random;
    bool failed;
} maker;

static bool more(void** items, size_t count, size_t* room, size_t size)
{
    if (count < *room) return true;
    const size_t most = *room ? 2 * *room : 1024;
    void* larger = realloc(*items, most * size);
    if (!larger) return false;
    *items = larger;
    *room = most;
    return true;
}

static uint32_t put_vertex(maker* m, vec p)
{
    void* items = m->mesh.positions;
    if (m->failed || !more(&items, m->mesh.vertex_count, &m->vertex_room, 12)) {
        m->failed = true;
        return 0;
    }
    m->mesh.positions = items;
    float* to = m->mesh.positions + 3 * m->mesh.vertex_count;
    to[0] = (float)p.x;
    to[1] = (float)p.y;
    to[2] = (float)p.z;
    return (uint32_t)m->mesh.vertex_count++;
}

static void put_triangle(maker* m, uint32_t a, uint32_t b, uint32_t c)
{
    void* items = m->mesh.indices;
    if (m->failed || !more(&items, m->mesh.triangle_count, &m->triangle_room, 12)) {
        m->failed = true;
        return;
    }
    m->mesh.indices = items;
    uint32_t* to = m->mesh.indices + 3 * m->mesh.triangle_count++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

static void put_quad(maker* m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    put_triangle(m, a, b, c);
    put_triangle(m, a, c, d);
}

static bool add(maker* m, tact_model* model, tact_problem* problem)
{
    if (!m->failed) return tact_model_add_mesh(model, &m->mesh, problem);
    tact_model_mesh_free(&m->mesh);
    return tact_problem_out_of_memory(problem, "a generated mesh");
}

/// The only mesh, as it lies.
static bool add_alone(maker* m, tact_model* model, tact_problem* problem)
{
    return add(m, model, problem) && tact_model_add_instance(model, 0, NULL, problem);
}

// ---- Numbers ----

static double between(maker* m, double low, double high)
{
    return low + (high - low) * tact_random_fraction(&m->random);
}

static vec sum(vec a, vec b, double scale)
{
    return (vec){a.x + scale * b.x, a.y + scale * b.y, a.z + scale * b.z};
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec unit(vec a)
{
    const double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    return (vec){a.x / length, a.y / length, a.z / length};
}

/// In the ball of radius 1, and not so near its middle that it has no direction.
static vec in_ball(maker* m)
{
    for (;;) {
        const vec p = {between(m, -1.0, 1.0), between(m, -1.0, 1.0), between(m, -1.0, 1.0)};
        const double square = p.x * p.x + p.y * p.y + p.z * p.z;
        if (square > 1.0e-4 && square <= 1.0) return p;
    }
}

/// Some direction across.
static vec across(maker* m, vec along)
{
    for (;;) {
        const vec side = cross(along, in_ball(m));
        if (side.x * side.x + side.y * side.y + side.z * side.z > 1.0e-4) return unit(side);
    }
}

/// Turns (*a, *b) by the 48th part of a circle.
static void turn_on(double* a, double* b)
{
    const double cosine = 0.99144486137381041, sine = 0.13052619222005157, old = *a;
    *a = cosine * old - sine * *b;
    *b = sine * old + cosine * *b;
}

// ---- Architecture: large walls, thin ledges, all along the axes ----

static void put_box(maker* m, vec low, vec high)
{
    uint32_t v[8];
    for (unsigned i = 0; i < 8; ++i)
        v[i] = put_vertex(m, (vec){i & 1u ? high.x : low.x, i & 2u ? high.y : low.y, i & 4u ? high.z : low.z});
    static const uint8_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 6; ++i)
        put_quad(m, v[sides[i][0]], v[sides[i][1]], v[sides[i][2]], v[sides[i][3]]);
}

static void put_house(maker* m, double x, double z)
{
    const double wide = between(m, 0.25, 0.45), deep = between(m, 0.25, 0.45), rare = between(m, 0.0, 1.0);
    const double high = 0.4 + 3.0 * rare * rare * rare;
    put_box(m, (vec){x - wide, 0.0, z - deep}, (vec){x + wide, high, z + deep});
    for (double floor = 0.12; floor < high; floor += 0.12) {
        put_box(m, (vec){x - wide - 0.02, floor, z - deep - 0.02},
                (vec){x + wide + 0.02, floor + 0.01, z + deep + 0.02});
        // Balconies, and what holds them.
        const double at = between(m, -wide, wide - 0.1);
        put_box(m, (vec){x + at, floor, z + deep}, (vec){x + at + 0.1, floor + 0.04, z + deep + 0.06});
    }
    put_box(m, (vec){x - 0.005, high, z - 0.005}, (vec){x + 0.005, high + between(m, 0.1, 0.8), z + 0.005});
}

static bool make_city(bool quick, uint64_t seed, tact_model* model, tact_problem* problem)
{
    const int side = quick ? 7 : 30;
    maker m = {.random = {seed}};
    const double end = side;
    put_quad(&m, put_vertex(&m, (vec){-0.5, 0.0, -0.5}), put_vertex(&m, (vec){-0.5, 0.0, end}),
             put_vertex(&m, (vec){end, 0.0, end}), put_vertex(&m, (vec){end, 0.0, -0.5}));
    for (int x = 0; x < side; ++x) {
        for (int z = 0; z < side; ++z)
            put_house(&m, x, z);
    }
    return add_alone(&m, model, problem);
}

// ---- Foliage: loose leaves, any way round ----

static void put_leaf(maker* m, vec at, double size)
{
    const vec along = unit(in_ball(m)), side = across(m, along);
    const vec stalk = sum(at, along, -size), tip = sum(at, along, size);
    put_quad(m, put_vertex(m, stalk), put_vertex(m, sum(at, side, 0.5 * size)), put_vertex(m, tip),
             put_vertex(m, sum(at, side, -0.5 * size)));
}

/// A trunk, and leaves in a crown about its end.
static void put_tree(maker* m, vec foot, double high, int leaves)
{
    double a = 0.05 * high, b = 0.0;
    const vec top = {foot.x, foot.y + high, foot.z};
    const uint32_t tip = put_vertex(m, top);
    uint32_t first = 0, last = 0;
    for (int i = 0; i < 8; ++i) {
        const uint32_t v = put_vertex(m, (vec){foot.x + a, foot.y, foot.z + b});
        if (i == 0) first = v;
        if (i > 0) put_triangle(m, last, tip, v);
        last = v;
        for (int k = 0; k < 6; ++k)
            turn_on(&a, &b);
    }
    put_triangle(m, last, tip, first);
    for (int i = 0; i < leaves; ++i) {
        const vec p = in_ball(m);
        put_leaf(m, (vec){top.x + 0.4 * high * p.x, top.y + 0.5 * high * p.y, top.z + 0.4 * high * p.z},
                 between(m, 0.01, 0.03) * high);
    }
}

static bool make_foliage(bool quick, uint64_t seed, tact_model* model, tact_problem* problem)
{
    const int side = quick ? 2 : 8;
    maker m = {.random = {seed}};
    for (int x = 0; x < side; ++x) {
        for (int z = 0; z < side; ++z) {
            const vec foot = {x + between(&m, -0.2, 0.2), 0.0, z + between(&m, -0.2, 0.2)};
            put_tree(&m, foot, between(&m, 0.8, 1.4), 1500);
        }
    }
    return add_alone(&m, model, problem);
}

// ---- Hair: strips a thousandth as wide as long, that bend and cross ----

static bool make_hair(bool quick, uint64_t seed, tact_model* model, tact_problem* problem)
{
    enum { PARTS = 24 };
    maker m = {.random = {seed}};
    for (int i = 0; i < (quick ? 200 : 4000); ++i) {
        vec way = unit(in_ball(&m)), at = way;
        const vec side = across(&m, way), bend = in_ball(&m);
        uint32_t left = put_vertex(&m, sum(at, side, -0.001)), right = put_vertex(&m, sum(at, side, 0.001));
        for (int k = 0; k < PARTS; ++k) {
            way = unit(sum((vec){way.x, way.y - 0.08, way.z}, bend, 0.1));
            at = sum(at, way, 1.2 / PARTS);
            const double wide = 0.001 * (PARTS - k) / PARTS;
            const uint32_t next_left = put_vertex(&m, sum(at, side, -wide)),
                           next_right = put_vertex(&m, sum(at, side, wide));
            put_quad(&m, left, right, next_right, next_left);
            left = next_left;
            right = next_right;
        }
    }
    return add_alone(&m, model, problem);
}

// ---- Rods: what a construction program makes of cylinders ----

/// Triangles as long as the rod and a 48th of its circumference wide, and a fan at each end.
static void put_rod(maker* m, vec from, vec along, double length, double radius)
{
    const vec x = across(m, along), y = cross(along, x), to = sum(from, along, length);
    const uint32_t middle[2] = {put_vertex(m, from), put_vertex(m, to)};
    double a = radius, b = 0.0;
    uint32_t first[2] = {0, 0}, last[2] = {0, 0};
    for (int i = 0; i <= 48; ++i) {
        uint32_t v[2] = {first[0], first[1]};
        if (i < 48) {
            v[0] = put_vertex(m, sum(sum(from, x, a), y, b));
            v[1] = put_vertex(m, sum(sum(to, x, a), y, b));
        }
        if (i == 0) memcpy(first, v, sizeof v);
        if (i > 0) {
            put_quad(m, last[0], v[0], v[1], last[1]);
            put_triangle(m, middle[0], v[0], last[0]);
            put_triangle(m, middle[1], last[1], v[1]);
        }
        memcpy(last, v, sizeof v);
        turn_on(&a, &b);
    }
}

static bool make_rods(bool quick, uint64_t seed, tact_model* model, tact_problem* problem)
{
    maker m = {.random = {seed}};
    for (int i = 0; i < (quick ? 50 : 1000); ++i) {
        const vec from = in_ball(&m), along = unit(in_ball(&m));
        put_rod(&m, from, along, between(&m, 0.2, 1.5), between(&m, 0.003, 0.03));
    }
    return add_alone(&m, model, problem);
}

// ---- A forest: instances of two trees, turned and scaled, on a landscape ----

static bool plant(maker* m, const float* ground, tact_model* model, tact_problem* problem)
{
    double cosine = 1.0, sine = 0.0;
    for (uint64_t i = tact_random_below(&m->random, 48); i > 0; --i)
        turn_on(&cosine, &sine);
    const double scale = between(m, 0.02, 0.05);
    const float transform[12] = {
        (float)(scale * cosine), 0.0f, (float)(scale * sine),   ground[0], 0.0f, (float)scale, 0.0f, ground[1],
        (float)(-scale * sine),  0.0f, (float)(scale * cosine), ground[2]};
    return tact_model_add_instance(model, 1 + (uint32_t)tact_random_below(&m->random, 2), transform, problem);
}

static bool make_forest(bool quick, uint64_t seed, tact_model* model, tact_problem* problem)
{
    tact_model_mesh ground;
    if (!tact_mesh_terrain(quick ? 32 : 128, seed, &ground, problem) || !tact_model_add_mesh(model, &ground, problem) ||
        !tact_model_add_instance(model, 0, NULL, problem))
        return false;
    maker m = {.random = {seed}};
    for (int i = 0; i < 2; ++i) {
        maker tree = {.random = {seed + 1 + (uint64_t)i}};
        put_tree(&tree, (vec){0.0, 0.0, 0.0}, 1.0, quick ? 300 : 2000);
        if (!add(&tree, model, problem)) return false;
    }
    const tact_model_mesh* land = &model->meshes[0];
    for (int i = 0; i < (quick ? 100 : 4000); ++i) {
        const uint64_t vertex = tact_random_below(&m.random, land->vertex_count);
        if (!plant(&m, land->positions + 3 * vertex, model, problem)) return false;
    }
    return true;
}

const tact_character tact_characters[TACT_CHARACTERS] = {
    {"city", "houses of boxes: large walls and thin ledges along the axes", make_city},
    {"foliage", "trees of loose leaves", make_foliage},
    {"hair", "strips of narrow triangles that bend and cross", make_hair},
    {"rods", "cylinders as construction programs make them: triangles as long as the whole", make_rods},
    {"forest", "4,000 instances of two trees on a landscape", make_forest},
};

const tact_character* tact_character_named(const char* name)
{
    for (int i = 0; i < TACT_CHARACTERS; ++i)
        if (strcmp(name, tact_characters[i].name) == 0) return &tact_characters[i];
    return NULL;
}
