// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/filter_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"

/// Where an object is, and how it moves in a frame.
struct tact_filter_motion {
    double at[3];  ///< of its middle
    double step[3];
    double turn[4];  ///< quaternions
    double spin[4];
};

// ---- Shapes ----

static bool add_shape(tact_filter_input* in, const tact_model_mesh* mesh, const tact_model_part* part,
                      tact_problem* problem)
{
    // Grows at powers of two.
    const size_t count = in->shape_count;
    if ((count & (count - 1)) == 0) {
        const size_t room = count ? 2 * count : 1;
        tact_model_mesh* meshes = realloc(in->meshes, room * sizeof *meshes);
        if (meshes) in->meshes = meshes;
        tact_mesh_desc* shapes = realloc(in->shapes, room * sizeof *shapes);
        if (shapes) in->shapes = shapes;
        if (!meshes || !shapes) return tact_problem_out_of_memory(problem, "the objects");
    }
    tact_model_mesh* m = &in->meshes[in->shape_count];
    *m = (tact_model_mesh){.positions = mesh->positions + 3 * part->first_vertex,
                           .vertex_count = part->vertex_count,
                           .indices = mesh->indices + 3 * part->first_triangle,
                           .triangle_count = part->triangle_count};
    for (size_t i = 0; i < 3 * part->triangle_count; ++i)
        m->indices[i] -= (uint32_t)part->first_vertex;
    in->shapes[in->shape_count++] = (tact_mesh_desc){.positions = m->positions,
                                                     .vertex_count = m->vertex_count,
                                                     .indices = m->indices,
                                                     .triangle_count = m->triangle_count};
    return true;
}

static bool load_files(const tact_text_list* files, tact_filter_input* in, tact_problem* problem)
{
    for (size_t i = 0; i < files->count; ++i) {
        tact_model_mesh* mesh = &in->files[i];
        if (!tact_mesh_file_read_guarded(files->items[i], mesh, problem)) return false;
        for (size_t k = 0; k < mesh->part_count; ++k)
            if (!add_shape(in, mesh, &mesh->parts[k], problem)) return false;
        in->file_objects[i] = mesh->part_count;
    }
    return true;
}

static bool make_shapes(tact_filter_input* in, tact_problem* problem)
{
    if (!tact_mesh_icosphere(2, &in->files[0], problem) || !tact_mesh_torus_knot(&in->files[1], problem) ||
        !tact_mesh_cube(0.7, &in->files[2], problem)) {
        return false;
    }
    for (size_t i = 0; i < in->file_count; ++i) {
        const tact_model_part whole = {.vertex_count = in->files[i].vertex_count,
                                       .triangle_count = in->files[i].triangle_count};
        if (!add_shape(in, &in->files[i], &whole, problem)) return false;
    }
    return true;
}

// ---- Objects ----

/// How far a shape reaches, for how often two of them touch: between the greatest distance from its middle and the mean
/// of its box's half extents. That is near the truth for balls, cubes and tubes alike.
static double reach_of(const tact_model_mesh* mesh, const tact_mesh_extent* extent)
{
    double most = 0.0;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double square = 0.0;
        for (size_t k = 0; k < 3; ++k) {
            const double d = (double)mesh->positions[3 * i + k] - extent->middle[k];
            square += d * d;
        }
        if (square <= 4.0 * extent->radius * extent->radius && square > most) most = square;
    }
    return 0.5 * (sqrt(most) + (extent->half[0] + extent->half[1] + extent->half[2]) / 3.0);
}

/// The cube in which so many objects are to be: two of reach r and s touch about where the middle of one is in a ball
/// of r + s about the other's.
static void make_cube(tact_filter_input* in, const double* reaches, uint64_t copies)
{
    static const double pi = 3.14159265358979323846, share = 0.1;
    double sums[3] = {0.0, 0.0, 0.0};
    const double shapes = (double)in->shape_count;
    for (size_t i = 0; i < in->shape_count; ++i) {
        const double r = reaches[i];
        sums[0] += r / shapes;
        sums[1] += r * r / shapes;
        sums[2] += r * r * r / shapes;
    }
    const double ball = 4.0 / 3.0 * pi * (2.0 * sums[2] + 6.0 * sums[0] * sums[1]);
    const double volume = (double)copies * ball / share;
    // The cube root by Newton's steps, from above: the library's is not the same everywhere.
    double half = volume > 1.0 ? volume : 1.0;
    for (int i = 0; i < 400; ++i)
        half = (2.0 * half + volume / (half * half)) / 3.0;
    for (int k = 0; k < 3; ++k) {
        in->lower[k] = volume > 0.0 ? -0.5 * half : 0.0;
        in->upper[k] = -in->lower[k];
    }
}

/// How an object moves: a tenth of its size, a tenth of a radian a frame at most.
static void draw_motion(tact_random* random, double reach, tact_filter_motion* m)
{
    m->spin[0] = 1.0;
    double length = 1.0;
    for (int k = 0; k < 3; ++k) {
        m->step[k] = 0.2 * reach * 0.577 * (2.0 * tact_random_fraction(random) - 1.0);
        m->spin[k + 1] = 0.05 * 0.577 * (2.0 * tact_random_fraction(random) - 1.0);
        length += m->spin[k + 1] * m->spin[k + 1];
    }
    length = sqrt(length);
    for (int k = 0; k < 4; ++k)
        m->spin[k] /= length;
}

static void place_objects(tact_filter_input* in, const tact_mesh_extent* extents, const double* reaches, bool copies,
                          uint64_t seed)
{
    tact_random random = {seed};
    for (size_t i = 0; i < in->object_count; ++i) {
        const size_t shape = i % in->shape_count;
        tact_filter_motion* m = &in->motions[i];
        in->objects[i].shape = (uint32_t)shape;
        *m = (tact_filter_motion){.turn = {1.0, 0.0, 0.0, 0.0}};
        memcpy(m->at, extents[shape].middle, sizeof m->at);
        if (copies) {
            tact_random_quaternion(&random, m->turn);
            for (int k = 0; k < 3; ++k)
                m->at[k] = in->lower[k] + (in->upper[k] - in->lower[k]) * tact_random_fraction(&random);
        }
        draw_motion(&random, reaches[shape], m);
        tact_pose_about(m->turn, extents[shape].middle, m->at, in->objects[i].pose);
        if (copies) continue;
        for (int k = 0; k < 3; ++k) {
            in->lower[k] = i == 0 || m->at[k] < in->lower[k] ? m->at[k] : in->lower[k];
            in->upper[k] = i == 0 || m->at[k] > in->upper[k] ? m->at[k] : in->upper[k];
        }
    }
}

static bool make_objects(tact_filter_input* in, uint64_t copies, uint64_t seed, tact_problem* problem)
{
    const size_t count = copies ? (size_t)copies : in->shape_count;
    in->objects = malloc(count * sizeof *in->objects + 1);
    in->motions = malloc(count * sizeof *in->motions + 1);
    in->extents = malloc(in->shape_count * sizeof *in->extents + 1);
    double* reaches = malloc(in->shape_count * sizeof *reaches + 1);
    const bool good = in->objects && in->motions && in->extents && reaches;
    if (good) {
        in->object_count = count;
        for (size_t i = 0; i < in->shape_count; ++i) {
            in->extents[i] = tact_mesh_extent_of(&in->meshes[i]);
            reaches[i] = reach_of(&in->meshes[i], &in->extents[i]);
        }
        if (copies) make_cube(in, reaches, copies);
        place_objects(in, in->extents, reaches, copies != 0, seed);
    }
    free(reaches);
    return good || tact_problem_out_of_memory(problem, "the objects");
}

bool tact_filter_input_load(const tact_text_list* files, uint64_t copies, uint64_t seed, tact_filter_input* input,
                            tact_problem* problem)
{
    *input = (tact_filter_input){0};
    input->file_count = files->count ? files->count : 3;
    input->files = calloc(input->file_count, sizeof *input->files);
    input->file_objects = calloc(input->file_count, sizeof *input->file_objects);
    if (!input->files || !input->file_objects) return tact_problem_out_of_memory(problem, "the objects");
    const bool good = files->count ? load_files(files, input, problem) : make_shapes(input, problem);
    return good && make_objects(input, copies, seed, problem);
}

// ---- Motion ----

/// The product, of unit length again.
static void turn_on(double q[4], const double by[4])
{
    const double p[4] = {by[0] * q[0] - by[1] * q[1] - by[2] * q[2] - by[3] * q[3],
                         by[0] * q[1] + by[1] * q[0] + by[2] * q[3] - by[3] * q[2],
                         by[0] * q[2] - by[1] * q[3] + by[2] * q[0] + by[3] * q[1],
                         by[0] * q[3] + by[1] * q[2] - by[2] * q[1] + by[3] * q[0]};
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; ++k)
        q[k] = p[k] / length;
}

static void fly_on(double* at, double* step, double lower, double upper)
{
    double to = *at + *step;
    if (to < lower || to > upper) {
        *step = -*step;
        to = *at + *step;
    }
    // A box narrower than a step.
    *at = to < lower ? lower : to > upper ? upper : to;
}

void tact_filter_input_step(tact_filter_input* input)
{
    for (size_t i = 0; i < input->object_count; ++i) {
        tact_filter_motion* m = &input->motions[i];
        for (int k = 0; k < 3; ++k)
            fly_on(&m->at[k], &m->step[k], input->lower[k], input->upper[k]);
        turn_on(m->turn, m->spin);
        tact_filter_object* object = &input->objects[i];
        tact_pose_about(m->turn, input->extents[object->shape].middle, m->at, object->pose);
    }
}

uint64_t tact_filter_input_triangles(const tact_filter_input* input)
{
    uint64_t triangles = 0;
    for (size_t i = 0; i < input->object_count; ++i)
        triangles += input->meshes[input->objects[i].shape].triangle_count;
    return triangles;
}

void tact_filter_input_free(tact_filter_input* input)
{
    for (size_t i = 0; i < input->file_count && input->files; ++i)
        tact_model_mesh_free(&input->files[i]);
    free(input->files);
    free(input->file_objects);
    free(input->meshes);
    free(input->shapes);
    free(input->extents);
    free(input->objects);
    free(input->motions);
    *input = (tact_filter_input){0};
}
