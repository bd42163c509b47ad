// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/body_input.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"

// ---- Shapes ----

/// Points on a ball, each the farthest of some candidates from those before it, so that they are spread.
static void spread(tact_random* random, size_t count, double (*points)[3])
{
    enum { CANDIDATES = 8 };
    for (size_t i = 0; i < count; ++i) {
        double farthest = -1.0;
        for (int c = 0; c < CANDIDATES; ++c) {
            double v[3], nearest = 8.0;
            const double length = tact_random_direction(random, 3, v);
            for (int k = 0; k < 3; ++k)
                v[k] /= length;
            for (size_t j = 0; j < i; ++j) {
                const double *p = points[j], x = v[0] - p[0], y = v[1] - p[1], z = v[2] - p[2];
                nearest = fmin(nearest, x * x + y * y + z * z);
            }
            if (nearest <= farthest) continue;
            farthest = nearest;
            memcpy(points[i], v, sizeof v);
        }
    }
}

bool tact_body_input_add_hull(tact_body_input* input, tact_random* random, size_t corners, tact_problem* problem)
{
    double at[TACT_HULL_MOST_POINTS][3];
    tact_vec3 points[TACT_HULL_MOST_POINTS];
    const double x = tact_random_between(random, 0.4, 0.6), y = tact_random_between(random, 0.4, 0.6),
                 z = tact_random_between(random, 0.4, 0.6);
    spread(random, corners, at);
    for (size_t i = 0; i < corners; ++i)
        points[i] = (tact_vec3){(float)(x * at[i][0]), (float)(y * at[i][1]), (float)(z * at[i][2])};
    return tact_body_input_add_shape(
        input, &(tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = corners}, problem);
}

/// Of 8 to 64 corners.
static bool hull_shapes(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    static const size_t corners[] = {8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64};
    tact_random random = {seed};
    bool good = true;
    for (size_t i = 0; good && i < 24; ++i)
        good = tact_body_input_add_hull(input, &random, corners[i % 12], problem);
    return good;
}

/// Bricks of one size, so that they lie in layers.
static bool brick_shapes(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    (void)seed;
    return tact_body_input_add_shape(input, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.5f, 0.25f, 0.3f}},
                                     problem);
}

/// Every convex kind: spheres, capsules, boxes with and without a radius, cylinders, cones, hulls.
static bool mixed_shapes(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    tact_random random = {seed};
    bool good = true;
    for (int i = 0; good && i < 6; ++i) {
        const float a = (float)tact_random_between(&random, 0.3, 0.5),
                    b = (float)tact_random_between(&random, 0.3, 0.5),
                    c = (float)tact_random_between(&random, 0.3, 0.5);
        const tact_body_shape all[] = {
            {.kind = TACT_BODY_SPHERE, .radius = a},
            {.kind = TACT_BODY_CAPSULE, .radius = b, .half = {0.0f, c, 0.0f}},
            {.kind = TACT_BODY_BOX, .half = {a, b, c}},
            {.kind = TACT_BODY_BOX, .half = {c, a, b}, .radius = 0.1f},
            {.kind = TACT_BODY_CYLINDER, .radius = a, .half = {0.0f, b, 0.0f}},
            {.kind = TACT_BODY_CONE, .radius = b, .half = {0.0f, c, 0.0f}},
        };
        for (size_t k = 0; good && k < sizeof all / sizeof *all; ++k)
            good = tact_body_input_add_shape(input, &all[k], problem);
        good = good && tact_body_input_add_hull(input, &random, (size_t)8 << (i % 4), problem);
    }
    return good;
}

static void add_part(tact_body_part* parts, size_t* count, uint32_t shape, float x, float y, float z)
{
    parts[(*count)++] = (tact_body_part){.shape = shape, .position = {x, y, z}};
}

/// Furniture of boxes and cylinders: tables, chairs, shelves, lamps. The parts' own shapes come behind.
static bool furniture(tact_body_input* input, tact_random* random, tact_problem* problem)
{
    const float w = (float)tact_random_between(random, 0.35, 0.5), d = (float)tact_random_between(random, 0.35, 0.5),
                h = (float)tact_random_between(random, 0.3, 0.5), t = 0.04f;
    const uint32_t first = (uint32_t)input->shape_count;
    const tact_body_shape pieces[] = {{.kind = TACT_BODY_BOX, .half = {w, t, d}},
                                      {.kind = TACT_BODY_BOX, .half = {t, h, t}},
                                      {.kind = TACT_BODY_BOX, .half = {w, h, t}},
                                      {.kind = TACT_BODY_CYLINDER, .radius = t, .half = {0.0f, h, 0.0f}},
                                      {.kind = TACT_BODY_CONE, .radius = w, .half = {0.0f, 0.5f * h, 0.0f}}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i)
        if (!tact_body_input_add_shape(input, &pieces[i], problem)) return false;
    for (uint32_t kind = 0; kind < 4; ++kind) {
        tact_body_part parts[8];
        size_t count = 0;
        const uint32_t leg = first + (kind == 0 ? 3 : 1);
        for (int i = 0; kind < 2 && i < 4; ++i)
            add_part(parts, &count, leg, i & 1 ? w - t : t - w, -h, i & 2 ? d - t : t - d);
        if (kind < 2) add_part(parts, &count, first, 0.0f, 0.0f, 0.0f);     // table, chair
        if (kind == 1) add_part(parts, &count, first + 2, 0.0f, h, t - d);  // its back
        for (int i = 0; kind == 2 && i < 3; ++i)
            add_part(parts, &count, first, 0.0f, (float)(i - 1) * (h - t), 0.0f);  // shelves
        if (kind == 2) add_part(parts, &count, first + 2, 0.0f, 0.0f, t - d);
        if (kind == 3) add_part(parts, &count, first + 3, 0.0f, -0.5f * h, 0.0f);  // lamp
        if (kind == 3) add_part(parts, &count, first + 4, 0.0f, 0.5f * h, 0.0f);
        const tact_body_shape whole = {.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = count};
        if (!tact_body_input_add_shape(input, &whole, problem)) return false;
    }
    return true;
}

static bool compound_shapes(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    tact_random random = {seed};
    bool good = true;
    for (int i = 0; good && i < 4; ++i)
        good = furniture(input, &random, problem);
    return good;
}

// ---- Places ----

/// The order in which places are taken: neighbours in a settled heap have no neighbouring numbers.
static uint32_t* shuffled(tact_random* random, size_t count, tact_problem* problem)
{
    uint32_t* order = malloc((count + 1) * sizeof *order);
    if (!order) {
        tact_problem_out_of_memory(problem, "the bodies");
        return NULL;
    }
    for (size_t i = 0; i < count; ++i)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; --i) {
        const size_t k = (size_t)tact_random_below(random, i);
        const uint32_t keep = order[i - 1];
        order[i - 1] = order[k];
        order[k] = keep;
    }
    return order;
}

static size_t side_of(size_t count)
{
    size_t side = 1;
    while (side * side * side < count)
        ++side;
    return side;
}

/// Up to `most` of a length about each axis, and as little of a turn.
static void set_motion(tact_random* random, double length, double most, tact_body_motion* motion)
{
    for (int k = 0; k < 3; ++k)
        motion->velocity[k] = tact_random_between(random, -most, most) * length;
    motion->turn =
        (tact_quat){(float)tact_random_between(random, -most, most), (float)tact_random_between(random, -most, most),
                    (float)tact_random_between(random, -most, most), 1.0f};
}

/// A wall of bricks as thick as it is wide: each lies on two and carries two, and touches about two of those beside it.
static bool stack(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    const size_t count = input->count - 1, side = side_of(count);
    tact_random random = {seed};
    uint32_t* order = shuffled(&random, count, problem);
    if (!order) return false;
    for (size_t i = 0; i < count; ++i) {
        tact_body* b = &input->bodies[i + 1];
        const size_t at = order[i], column = at % side, row = at / side % side, layer = at / side / side;
        const double off = layer % 2 ? 0.25 : -0.25;
        b->shape = 1;
        b->pose.x = 1.004 * ((double)column - 0.5 * (double)side) + off + tact_random_between(&random, -0.006, 0.006);
        b->pose.y = 0.25 - 0.001 + 0.497 * (double)layer + tact_random_between(&random, -0.001, 0.001);
        b->pose.z = 0.604 * ((double)row - 0.5 * (double)side) + tact_random_between(&random, -0.006, 0.006);
        b->pose.rotation = (tact_quat){(float)tact_random_between(&random, -0.001, 0.001),
                                       (float)tact_random_between(&random, -0.002, 0.002),
                                       (float)tact_random_between(&random, -0.001, 0.001), 1.0f};
        b->pose.scale = 1.0f;
        set_motion(&random, 0.5, 0.002, &input->motions[i + 1]);
    }
    free(order);
    return true;
}

/// How far a shape reaches from its position, the mean over directions, and the most in any of them.
static double mean_reach(const tact_body_input* input, uint32_t shape, tact_random random, double* most)
{
    enum { DIRECTIONS = 200 };
    double sum = 0.0;
    *most = 0.0;
    for (int d = 0; d < DIRECTIONS; ++d) {
        double v[3];
        const double length = tact_random_direction(&random, 3, v);
        for (int k = 0; k < 3; ++k)
            v[k] /= length;
        const double reach = tact_body_support(input, shape, v);
        *most = fmax(*most, reach);
        sum += reach;
    }
    return sum / DIRECTIONS;
}

/// What a heap lies on: a height field, whose corner is as far below zero as its middle; without heights the plane.
typedef struct ground {
    const float* heights;
    size_t across;  ///< columns, and rows
} ground;

/// Cells are half as wide as bodies.
#define CELL 0.5

static double height_at(const ground* g, double x, double z)
{
    if (!g->heights) return 0.0;
    const double half = 0.5 * CELL * (double)(g->across - 1), most = (double)(g->across - 1);
    const double column = fmin(fmax((x + half) / CELL, 0.0), most), row = fmin(fmax((z + half) / CELL, 0.0), most);
    return (double)g->heights[(size_t)row * g->across + (size_t)column];
}

/// The shapes that are placed: compounds where there are any, not their parts.
static size_t choose_shapes(const tact_body_input* input, uint32_t* chosen)
{
    size_t count = 0, compounds = 0;
    for (size_t s = 1; s < input->shape_count; ++s)
        compounds += input->shapes[s].kind == TACT_BODY_COMPOUND;
    for (size_t s = 1; s < input->shape_count; ++s) {
        const tact_body_kind kind = input->shapes[s].kind;
        if (kind != TACT_BODY_HEIGHT_FIELD && (compounds == 0 || kind == TACT_BODY_COMPOUND))
            chosen[count++] = (uint32_t)s;
    }
    return count;
}

/// Bodies about 1 wide that lie as balls do when they are packed, turned at random, with sizes and places so uneven
/// that each touches some six others. `side` of them in a row, as many rows in a layer; `size` times as
/// large as that.
static bool lay(tact_body_input* input, uint64_t seed, size_t side, double size, const ground* g, tact_problem* problem)
{
    const size_t count = input->count - 1;
    tact_random random = {seed + 1};
    double* reach = malloc(input->shape_count * sizeof *reach);
    uint32_t* chosen = malloc(input->shape_count * sizeof *chosen);
    uint32_t* order = reach && chosen ? shuffled(&random, count, problem) : NULL;
    if (!order) {
        free(reach);
        free(chosen);
        return tact_problem_out_of_memory(problem, "the bodies");
    }
    const size_t shapes = choose_shapes(input, chosen);
    for (size_t s = 0; s < shapes; ++s) {
        double most;
        reach[s] = mean_reach(input, chosen[s], random, &most);
    }
    for (size_t i = 0; i < count; ++i) {
        tact_body* b = &input->bodies[i + 1];
        const size_t at = order[i], x = at % side, z = at / side % side, y = at / side / side;
        const size_t s = (size_t)tact_random_below(&random, shapes);
        double q[4];
        tact_random_quaternion(&random, q);
        b->shape = chosen[s];
        b->pose.x =
            (double)x + 0.5 * (double)((y + z) % 2) - 0.5 * (double)side + tact_random_between(&random, -0.02, 0.02);
        b->pose.z = 0.866025403784439 * ((double)z + (double)(y % 2) / 3.0 - 0.5 * (double)side) +
                    tact_random_between(&random, -0.02, 0.02);
        b->pose.y = height_at(g, b->pose.x, b->pose.z) + 0.48 + 0.816496580927726 * (double)y +
                    tact_random_between(&random, -0.02, 0.02);
        b->pose.rotation = (tact_quat){(float)q[1], (float)q[2], (float)q[3], (float)q[0]};
        b->pose.scale = (float)(size * tact_random_between(&random, 0.505, 0.545) / reach[s]);
        set_motion(&random, 0.5, 0.02, &input->motions[i + 1]);
    }
    free(order);
    free(reach);
    free(chosen);
    return true;
}

static bool heap(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    return lay(input, seed, side_of(input->count - 1), 1.0, &(ground){NULL, 0}, problem);
}

/// Furniture reaches into each other.
static bool jumble(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    return lay(input, seed, side_of(input->count - 1), 1.22, &(ground){NULL, 0}, problem);
}

/// The heights of a generated terrain, in place of its vertices.
static bool add_terrain(tact_body_input* input, uint64_t seed, size_t cells, tact_problem* problem)
{
    tact_model_mesh mesh;
    if (!tact_mesh_terrain((unsigned)cells, seed, &mesh, problem)) return false;
    const float high = (float)(0.15 * 0.5 * CELL * (double)cells);
    for (size_t i = 0; i < mesh.vertex_count; ++i)
        mesh.positions[i] = high * mesh.positions[3 * i + 1];
    const tact_body_shape field = {.kind = TACT_BODY_HEIGHT_FIELD,
                                   .half = {(float)CELL, 0.0f, (float)CELL},
                                   .heights = mesh.positions,
                                   .columns = (uint32_t)cells + 1,
                                   .rows = (uint32_t)cells + 1,
                                   .one_sided = true};
    const bool good = tact_body_input_add_shape(input, &field, problem);
    tact_model_mesh_free(&mesh);
    return good;
}

/// Two layers on hills, which are body 0.
static bool on_terrain(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    size_t side = 1;
    while (2 * side * side < input->count - 1)
        ++side;
    const size_t cells = side < 8000 ? 2 * side + 8 : 16000;
    if (!add_terrain(input, seed, cells, problem)) return false;
    const tact_body_shape* field = &input->shapes[input->shape_count - 1];
    tact_body* hills = &input->bodies[0];
    hills->shape = (uint32_t)input->shape_count - 1;
    hills->pose.x = hills->pose.z = -0.5 * CELL * (double)cells;
    return lay(input, seed, side, 1.02, &(ground){field->heights, cells + 1}, problem);
}

// ---- Bodies that fall ----

static tact_body_part part_of(uint32_t shape, float x, float y, float z, tact_quat turn, float scale)
{
    return (tact_body_part){.shape = shape, .scale = scale, .position = {x, y, z}, .rotation = turn};
}

/// Compounds of the first seven of the mixed shapes: a dumbbell, an angle and a jack.
static bool add_compounds(tact_body_input* input, tact_problem* problem)
{
    const float half = 0.70710678f, long_way = input->shapes[2].half.y;
    const tact_vec3 box = input->shapes[3].half;
    const tact_quat none = {0.0f, 0.0f, 0.0f, 1.0f}, about_x = {half, 0.0f, 0.0f, half},
                    about_z = {0.0f, 0.0f, half, half};
    const tact_body_part dumbbell[] = {part_of(1, 0.0f, 0.6f, 0.0f, none, 1.0f),
                                       part_of(1, 0.0f, -0.6f, 0.0f, none, 0.8f),
                                       part_of(2, 0.0f, 0.0f, 0.0f, none, 0.6f)};
    const tact_body_part angle[] = {part_of(3, 0.0f, -box.x, 0.0f, none, 1.0f),
                                    part_of(3, box.x - box.y, box.y, 0.0f, about_z, 1.0f)};
    const float thin = 0.45f / long_way;
    const tact_body_part jack[] = {part_of(2, 0.0f, 0.0f, 0.0f, none, thin),
                                   part_of(2, 0.0f, 0.0f, 0.0f, about_x, thin),
                                   part_of(2, 0.0f, 0.0f, 0.0f, about_z, thin)};
    const tact_body_shape all[] = {{.kind = TACT_BODY_COMPOUND, .parts = dumbbell, .part_count = 3},
                                   {.kind = TACT_BODY_COMPOUND, .parts = angle, .part_count = 2},
                                   {.kind = TACT_BODY_COMPOUND, .parts = jack, .part_count = 3}};
    bool good = true;
    // Two of each beside 42 convex ones.
    for (size_t i = 0; good && i < 6; ++i)
        good = tact_body_input_add_shape(input, &all[i % 3], problem);
    return good;
}

static bool falling_shapes(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    return mixed_shapes(input, seed, problem) && add_compounds(input, problem);
}

/// Where bodies may be before they fall: within `radius` of the z axis, or else a square `radius` to each side, above
/// `bottom`.
typedef struct room {
    double radius, bottom, top, half_length;
    bool round;
} room;

static bool is_within(const room* r, const double at[3], double reach)
{
    const double far = r->radius - reach;
    if (!r->round) return true;
    return far > 0.0 && at[0] * at[0] + at[1] * at[1] <= far * far;
}

/// Balls that hold the bodies, in cells as wide as the largest of them.
typedef struct balls {
    double (*at)[3];
    double *radii, cell, corner[3];
    uint32_t *next, *heads;  ///< of each cell a list
    size_t across[3];
} balls;

static size_t cell_of(const balls* b, const double at[3], const int off[3])
{
    size_t cell = 0;
    for (int k = 2; k >= 0; --k) {
        const double place = floor((at[k] - b->corner[k]) / b->cell) + (double)off[k];
        if (!(place >= 0.0 && place < (double)b->across[k])) return SIZE_MAX;
        cell = cell * b->across[k] + (size_t)place;
    }
    return cell;
}

static bool is_free(const balls* b, const double at[3], double radius)
{
    for (int i = 0; i < 27; ++i) {
        const size_t cell = cell_of(b, at, (int[3]){i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1});
        for (uint32_t j = cell == SIZE_MAX ? UINT32_MAX : b->heads[cell]; j != UINT32_MAX; j = b->next[j]) {
            const double x = at[0] - b->at[j][0], y = at[1] - b->at[j][1], z = at[2] - b->at[j][2];
            const double apart = radius + b->radii[j];
            if (x * x + y * y + z * z < apart * apart) return false;
        }
    }
    return true;
}

/// Puts each ball at random where none is yet.
static bool scatter(balls* b, size_t count, const room* r, tact_random* random, tact_problem* problem)
{
    enum { MOST_TRIES = 1000000 };
    for (size_t i = 0; i < count; ++i) {
        const double reach = b->radii[i], side = r->radius - reach;
        int tries = 0;
        bool found = false;
        while (!found && tries++ < MOST_TRIES) {
            b->at[i][0] = tact_random_between(random, -side, side);
            b->at[i][1] = tact_random_between(random, r->bottom + reach, r->top - reach);
            const double deep = r->half_length - reach;
            b->at[i][2] = tact_random_between(random, -deep, deep);
            found = is_within(r, b->at[i], reach) && is_free(b, b->at[i], reach);
        }
        if (!found) return tact_problem_set(problem, "no room for body %zu of the scene", i);
        const size_t cell = cell_of(b, b->at[i], (int[3]){0, 0, 0});
        b->next[i] = b->heads[cell];
        b->heads[cell] = (uint32_t)i;
    }
    return true;
}

static bool make_cells(balls* b, size_t count, const room* r, tact_problem* problem)
{
    const double size[3] = {2.0 * r->radius, r->top - r->bottom, 2.0 * r->half_length};
    size_t cells = 1;
    b->corner[0] = -r->radius;
    b->corner[1] = r->bottom;
    b->corner[2] = -r->half_length;
    for (int k = 0; k < 3; ++k) {
        b->across[k] = (size_t)(size[k] / b->cell) + 1;
        cells *= b->across[k];
    }
    b->at = malloc((count + 1) * sizeof *b->at);
    b->next = malloc((count + 1) * sizeof *b->next);
    b->heads = malloc(cells * sizeof *b->heads);
    if (!b->at || !b->next || !b->heads) return tact_problem_out_of_memory(problem, "the bodies");
    memset(b->heads, 0xff, cells * sizeof *b->heads);
    return true;
}

static void free_balls(balls* b)
{
    free(b->at);
    free(b->radii);
    free(b->next);
    free(b->heads);
}

/// Gives the bodies from `first` on a shape of those up to `shapes`, a size, 0.1 to 0.2 wide, and a turn. `*volume` is
/// that of the balls.
static bool choose_bodies(tact_body_input* input, size_t first, size_t shapes, tact_random* random, balls* b,
                          double* volume, tact_problem* problem)
{
    const size_t count = input->count - first;
    double(*reach)[2] = malloc(shapes * sizeof *reach);
    b->radii = malloc((count + 1) * sizeof *b->radii);
    if (!reach || !b->radii) {
        free(reach);
        return tact_problem_out_of_memory(problem, "the bodies");
    }
    for (size_t s = 1; s < shapes; ++s)
        reach[s][0] = mean_reach(input, (uint32_t)s, *random, &reach[s][1]);
    for (size_t i = 0; i < count; ++i) {
        tact_body* body = &input->bodies[first + i];
        double q[4];
        body->shape = (uint32_t)(1 + tact_random_below(random, shapes - 1));
        tact_random_quaternion(random, q);
        body->pose.rotation = (tact_quat){(float)q[1], (float)q[2], (float)q[3], (float)q[0]};
        body->pose.scale = (float)(tact_random_between(random, 0.05, 0.1) / reach[body->shape][0]);
        // A few hundred directions may miss a corner by a little.
        b->radii[i] = 1.05 * (double)body->pose.scale * reach[body->shape][1];
        b->cell = fmax(b->cell, 2.0 * b->radii[i]);
        *volume += 4.18879020478639 * b->radii[i] * b->radii[i] * b->radii[i];
    }
    free(reach);
    return true;
}

/// Part of the room that the balls take.
#define FILL 0.2

/// Places the bodies that follow the walls, of which there are up to `walls`, in a room that `room_for` makes for them.
static bool let_fall(tact_body_input* input, uint64_t seed, size_t walls, size_t shapes,
                     room (*room_for)(double volume, double ball), room* r, tact_problem* problem)
{
    const size_t first = walls < input->count ? walls : input->count, count = input->count - first;
    tact_random random = {seed + 1};
    balls b = {.cell = 0.1};
    double volume = 0.0;
    bool good = choose_bodies(input, first, shapes, &random, &b, &volume, problem);
    *r = room_for(volume / FILL, b.cell);
    good = good && make_cells(&b, count, r, problem) && scatter(&b, count, r, &random, problem);
    for (size_t i = 0; good && i < count; ++i) {
        tact_pose* pose = &input->bodies[first + i].pose;
        pose->x = b.at[i][0];
        pose->y = b.at[i][1];
        pose->z = b.at[i][2];
    }
    free_balls(&b);
    return good;
}

/// A column half as high again as it is wide.
static room column_for(double volume, double ball)
{
    double width = 2.0 * ball;
    while (1.5 * width * width * width < volume)
        width += 0.25 * ball;
    return (room){.radius = 0.5 * width, .half_length = 0.5 * width, .top = 1.5 * width};
}

/// A wall of the first bodies, where there is one: a half-space at a place, turned from y.
static void put_wall(tact_body_input* input, size_t number, double x, double z, tact_quat turn)
{
    if (number >= input->count) return;
    input->bodies[number].pose = (tact_pose){.x = x, .z = z, .rotation = turn, .scale = 1.0f};
}

/// A column of loose bodies over the ground, which is body 0, within walls twice as far apart.
static bool fall_on_ground(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    const float half = 0.70710678f;
    room r;
    if (!let_fall(input, seed, 5, input->shape_count, column_for, &r, problem)) return false;
    const double wide = 2.0 * r.radius;
    put_wall(input, 1, -wide, 0.0, (tact_quat){0.0f, 0.0f, -half, half});
    put_wall(input, 2, wide, 0.0, (tact_quat){0.0f, 0.0f, half, half});
    put_wall(input, 3, 0.0, -wide, (tact_quat){half, 0.0f, 0.0f, half});
    put_wall(input, 4, 0.0, wide, (tact_quat){-half, 0.0f, 0.0f, half});
    return true;
}

/// A drum as long as its radius.
static room drum_for(double volume, double ball)
{
    double radius = 2.0 * ball;
    while (3.14159265358979 * radius * radius * radius < volume)
        radius += 0.125 * ball;
    return (room){.radius = radius, .half_length = 0.5 * radius, .bottom = -radius, .top = radius, .round = true};
}

enum { DRUM_SIDES = 64 };

/// The drum's wall, which touches what is inside, about the z axis, a little longer than the drum.
static bool add_drum(tact_body_input* input, const room* r, tact_problem* problem)
{
    // A step of a 64th of a turn: the C libraries' sines differ.
    const double c = 0.99518472667219688624, s = 0.098017140329560601994, deep = 1.0625 * r->half_length;
    tact_vec3 points[2 * DRUM_SIDES];
    uint32_t triangles[2 * DRUM_SIDES][3];
    double x = r->radius, y = 0.0;
    for (uint32_t i = 0; i < DRUM_SIDES; ++i) {
        const uint32_t a = 2 * i, b = 2 * ((i + 1) % DRUM_SIDES);
        points[a] = (tact_vec3){(float)x, (float)y, (float)-deep};
        points[a + 1] = (tact_vec3){(float)x, (float)y, (float)deep};
        const uint32_t own[2][3] = {{a, a + 1, b}, {b, a + 1, b + 1}};
        memcpy(triangles[2 * i], own, sizeof own);
        const double turned = c * x - s * y;
        y = s * x + c * y;
        x = turned;
    }
    const tact_body_shape wall = {.kind = TACT_BODY_MESH,
                                  .points = points,
                                  .point_count = 2 * DRUM_SIDES,
                                  .triangles = triangles[0],
                                  .triangle_count = 2 * DRUM_SIDES,
                                  .one_sided = true};
    return tact_body_input_add_shape(input, &wall, problem);
}

/// Loose bodies in a horizontal drum, which is body 0, between two ends, and turns at 0.3 of the speed at which they
/// would stay at its wall.
static bool fall_in_drum(tact_body_input* input, uint64_t seed, tact_problem* problem)
{
    const float half = 0.70710678f;
    room r;
    if (!let_fall(input, seed, 3, input->shape_count, drum_for, &r, problem) || !add_drum(input, &r, problem))
        return false;
    input->bodies[0].shape = (uint32_t)input->shape_count - 1;
    input->motions[0].spin[2] = 0.3 * sqrt(9.81 / r.radius);
    put_wall(input, 1, 0.0, -r.half_length, (tact_quat){half, 0.0f, 0.0f, half});
    put_wall(input, 2, 0.0, r.half_length, (tact_quat){-half, 0.0f, 0.0f, half});
    // The wall goes through the ends: they do not touch.
    for (size_t i = 0; i < 3 && i < input->count; ++i)
        input->bodies[i].categories = (tact_categories){1u, ~1u};
    return true;
}

// ---- The table ----

const tact_body_scene tact_body_scenes[] = {
    {"boxes", "bricks in a wall, face on face", brick_shapes, stack},
    {"hulls", "a heap of convex hulls of 8 to 64 corners", hull_shapes, heap},
    {"mixed", "a heap of all convex kinds", mixed_shapes, heap},
    {"terrain", "convex bodies on hills", mixed_shapes, on_terrain},
    {"compound", "a heap of furniture", compound_shapes, jumble},
    {"pile", "a loose column of all kinds of bodies with an inside, that falls", falling_shapes, fall_on_ground},
    {"drum", "the same in a drum that turns", falling_shapes, fall_in_drum},
};
const size_t tact_body_scene_count = sizeof tact_body_scenes / sizeof tact_body_scenes[0];

const tact_body_scene* tact_body_scene_named(const char* name)
{
    for (size_t i = 0; i < tact_body_scene_count; ++i) {
        if (strcmp(tact_body_scenes[i].name, name) == 0) return &tact_body_scenes[i];
    }
    return NULL;
}

bool tact_body_input_make(const tact_body_scene* scene, size_t count, uint64_t seed, tact_body_input* input,
                          tact_problem* problem)
{
    input->swings = true;
    bool good = tact_body_input_add_shape(input, &(tact_body_shape){.kind = TACT_BODY_HALF_SPACE}, problem) &&
                scene->shapes(input, seed, problem) && tact_body_input_reserve(input, count, problem);
    if (good && count > 0) good = scene->place(input, seed, problem);
    if (!good) tact_body_input_free(input);
    return good;
}

bool tact_body_choice_check(const tact_body_choice* c, tact_problem* problem)
{
    if (!c->file == !c->scene) return tact_problem_set(problem, "one of --scene NAME, --bodies FILE is needed");
    if (c->count && c->file) return tact_problem_set(problem, "--count %" PRIu64 ": needs --scene NAME", c->count);
    if (!c->scene || tact_body_scene_named(c->scene)) return true;
    char names[512] = "";
    for (size_t i = 0; i < tact_body_scene_count; ++i) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", tact_body_scenes[i].name);
    }
    return tact_problem_set(problem, "--scene %s: must be one of %s", c->scene, names);
}

bool tact_body_input_load(tact_body_choice* c, uint64_t seed, tact_body_input* input, tact_problem* problem)
{
    if (c->file) {
        snprintf(c->source, sizeof c->source, "%s", c->file);
        return tact_body_input_read(c->file, input, problem);
    }
    const uint64_t count = c->count ? c->count : c->usual;
    snprintf(c->source, sizeof c->source, "%s:%" PRIu64, c->scene, count);
    return tact_body_input_make(tact_body_scene_named(c->scene), (size_t)count, seed, input, problem);
}
