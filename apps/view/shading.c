// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is shaded of an item of a recording.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/scenes.h"
#include "apps/replay/replay.h"
#include "apps/view/recording.h"

/// More triangles than this are not drawn.
enum { MOST_TRIANGLES = 4000000, MOST_INSTANCES = 1 << 22 };

// ---- Boxes ----

tact_bounds tact_bounds_empty(void)
{
    return (tact_bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

bool tact_bounds_some(const tact_bounds* b)
{
    return b->lower[0] <= b->upper[0] && b->lower[1] <= b->upper[1] && b->lower[2] <= b->upper[2];
}

/// Whether a camera can see it. Recordings have any floats.
static bool is_near(const float at[3])
{
    return fabsf(at[0]) <= 1e12f && fabsf(at[1]) <= 1e12f && fabsf(at[2]) <= 1e12f;
}

void tact_bounds_extend(tact_bounds* b, const float at[3])
{
    if (!is_near(at)) return;
    for (int i = 0; i < 3; ++i) {
        b->lower[i] = fmin(b->lower[i], (double)at[i]);
        b->upper[i] = fmax(b->upper[i], (double)at[i]);
    }
}

void tact_bounds_extend_list(tact_bounds* b, const tact_debug_list* list)
{
    size_t counts[3] = {0, 0, 0};
    if (!list) return;
    const tact_debug_vertex* parts[3] = {tact_debug_list_points(list, &counts[0]),
                                         tact_debug_list_lines(list, &counts[1]),
                                         tact_debug_list_triangles(list, &counts[2])};
    for (int k = 0; k < 3; ++k) {
        for (size_t i = 0; i < counts[k]; ++i)
            tact_bounds_extend(b, parts[k][i].position);
    }
}

// ---- Sharing ----

tact_view_shading* tact_view_shading_new(const char* path, tact_problem* problem)
{
    tact_view_shading* s = calloc(1, sizeof *s);
    tact_model_mesh* file = calloc(1, sizeof *file);
    if (!s || !file) {
        free(s);
        free(file);
        tact_problem_out_of_memory(problem, "an item");
        return NULL;
    }
    // As of one file without names.
    s->path = path;
    s->files = (tact_text_list){&s->path, 1};
    s->input.files = &s->files;
    s->input.parts.files = file;
    s->input.parts.file_count = 1;
    s->bounds = tact_bounds_empty();
    s->users = 1;
    return s;
}

tact_view_shading* tact_view_shading_share(tact_view_shading* s)
{
    if (s) ++s->users;
    return s;
}

void tact_view_shading_leave(tact_view_shading* s)
{
    if (!s || --s->users > 0) return;
    tact_model_free(&s->input.model);
    tact_filter_input_free(&s->input.parts);
    free(s);
}

bool tact_view_shading_same(const tact_view_shading* a, const tact_view_shading* b)
{
    const tact_model *x = &a->input.model, *y = &b->input.model;
    bool same = a->each == b->each && x->mesh_count == y->mesh_count;
    // Each mesh is an object, whose triangles have corners of their own.
    for (size_t i = 0; same && i < x->mesh_count; ++i) {
        const tact_model_mesh *m = &x->meshes[i], *n = &y->meshes[i];
        same = m->vertex_count == n->vertex_count &&
               memcmp(m->positions, n->positions, 3 * m->vertex_count * sizeof *m->positions) == 0;
    }
    return same;
}

// ---- Triangles ----

/// Corners of triangles on their way to a mesh.
typedef struct corners {
    float* positions;
    size_t count, room;  ///< floats
} corners;

static bool add_corners(corners* c, const float* positions, size_t floats)
{
    if (c->count + floats > c->room) {
        const size_t room = 2 * (c->count + floats);
        float* larger = realloc(c->positions, room * sizeof *larger);
        if (!larger) return false;
        c->positions = larger;
        c->room = room;
    }
    memcpy(c->positions + c->count, positions, floats * sizeof *positions);
    c->count += floats;
    return true;
}

/// Makes an object of them, if there are any.
static bool add_object(tact_view_shading* shading, corners* c, tact_problem* problem)
{
    const size_t vertices = c->count / 3;
    if (vertices == 0) return true;
    tact_model_mesh mesh = {.positions = c->positions, .vertex_count = vertices, .triangle_count = vertices / 3};
    *c = (corners){0};
    mesh.indices = malloc(vertices * sizeof *mesh.indices);
    if (!mesh.indices) {
        free(mesh.positions);
        return tact_problem_out_of_memory(problem, "a mesh");
    }
    float last[3] = {0};
    for (size_t i = 0; i < vertices; ++i) {
        float* at = mesh.positions + 3 * i;
        mesh.indices[i] = (uint32_t)i;
        // A triangle that is out of reach is a point.
        if (i % 3 == 0 && !(is_near(at) && is_near(at + 3) && is_near(at + 6))) {
            for (int k = 0; k < 3; ++k)
                memcpy(at + 3 * k, last, sizeof last);
        }
        memcpy(last, at, sizeof last);
        tact_bounds_extend(&shading->bounds, at);
    }
    tact_model* model = &shading->input.model;
    return tact_model_add_mesh(model, &mesh, problem) &&
           tact_model_add_instance(model, (uint32_t)model->mesh_count - 1, NULL, problem);
}

static tact_result take_triangle(const tact_debug_vertex* v, size_t count, void* user)
{
    for (size_t i = 0; i < count; ++i)
        if (!add_corners(user, v[i].position, 3)) return TACT_ERROR_OUT_OF_MEMORY;
    return TACT_OK;
}

static tact_result drop_lines(const tact_debug_vertex* v, size_t count, void* user)
{
    (void)v;
    (void)count;
    (void)user;
    return TACT_OK;
}

/// The triangles of an instance in their order; one without a place as a point.
static tact_result take_instance(const tact_scene* scene, uint32_t id, size_t most, corners* c)
{
    tact_debug_draw draw = {.triangles = take_triangle, .lines = drop_lines, .user = c};
    for (uint32_t t = 0; t < most; ++t) {
        const size_t before = c->count;
        const tact_result result = tact_debug_instance_triangle(&draw, scene, id, t);
        if (result == TACT_ERROR_INVALID_ARGUMENT) return TACT_OK;  // no more, or shapes
        if (result < TACT_OK) return result;
        if (c->count > before) continue;
        float last[9] = {0};
        if (before) memcpy(last, c->positions + before - 9, sizeof last);
        if (!add_corners(c, last, 9)) return TACT_ERROR_OUT_OF_MEMORY;
    }
    return TACT_OK;
}

static bool add_instances(const tact_sketch* s, tact_view_shading* shading, tact_problem* problem)
{
    tact_scene_stats stats;
    if (tact_scene_get_stats(s->scene, &stats) != TACT_OK) return true;
    uint64_t live = 0, left = MOST_TRIANGLES;
    for (uint32_t id = 0; live < stats.instances && id < MOST_INSTANCES; ++id) {
        tact_debug_draw counts = {0};
        corners c = {0};
        if (tact_debug_instance_bounds(&counts, s->scene, id) < TACT_OK) continue;
        ++live;
        const tact_result result = take_instance(s->scene, id, (size_t)left, &c);
        left -= c.count / 9;
        if (result < TACT_OK || !add_object(shading, &c, problem)) {
            free(c.positions);
            return result >= TACT_OK || tact_problem_out_of_memory(problem, "the scene");
        }
    }
    return true;
}

bool tact_view_shading_add_spheres(tact_view_shading* shading, const tact_sphere* spheres, size_t count,
                                   tact_problem* problem)
{
    const unsigned levels = count > 20000 ? 0 : count > 1500 ? 1 : 2;
    tact_model_mesh ball = {0};
    corners c = {0};
    if (count == 0) return true;
    bool good = tact_mesh_icosphere(levels, &ball, problem);
    for (size_t i = 0; good && i < count && c.count / 9 < MOST_TRIANGLES; ++i) {
        const float* middle = &spheres[i].center.x;
        for (size_t k = 0; good && k < 3 * ball.triangle_count; ++k) {
            float at[3];
            for (int j = 0; j < 3; ++j)
                at[j] = middle[j] + spheres[i].radius * ball.positions[3 * ball.indices[k] + (size_t)j];
            good = add_corners(&c, at, 3) || tact_problem_out_of_memory(problem, "the spheres");
        }
    }
    shading->each = (uint32_t)ball.triangle_count;
    tact_model_mesh_free(&ball);
    good = good && add_object(shading, &c, problem);
    free(c.positions);
    return good;
}

static bool add_boxes(tact_view_shading* shading, const tact_aabb* boxes, size_t count, tact_problem* problem)
{
    // Corner k has the upper bound along axis i where bit i is set.
    static const unsigned char faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    corners c = {0};
    bool good = true;
    if (count == 0) return true;
    for (size_t i = 0; good && i < count && c.count / 9 < MOST_TRIANGLES; ++i) {
        const float* bounds[2] = {&boxes[i].lower.x, &boxes[i].upper.x};
        for (int k = 0; good && k < 36; ++k) {
            const unsigned corner = faces[k / 3][k % 3];
            float at[3];
            for (int j = 0; j < 3; ++j)
                at[j] = bounds[corner >> j & 1][j];
            good = add_corners(&c, at, 3) || tact_problem_out_of_memory(problem, "the boxes");
        }
    }
    shading->each = 12;
    good = good && add_object(shading, &c, problem);
    free(c.positions);
    return good;
}

bool tact_view_shading_add_sketch(tact_view_shading* shading, const tact_sketch* s, tact_problem* problem)
{
    return add_instances(s, shading, problem) && add_boxes(shading, s->boxes, s->box_count, problem) &&
           tact_view_shading_add_spheres(shading, s->spheres, s->sphere_count, problem);
}
