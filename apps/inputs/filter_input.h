// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What `tact filter` filters: objects from files, or copies of shapes at random, and their motion. All numbers are
/// made with + - * / and sqrt in double precision, so that every machine has the same scene.

#include "apps/inputs/model.h"
#include "apps/inputs/poses.h"
#include "apps/options.h"
#include "tact/mesh_filter.h"

typedef struct tact_filter_motion tact_filter_motion;

typedef struct tact_filter_input {
    tact_model_mesh* files;  ///< the meshes that shapes are parts of
    size_t file_count;
    size_t* file_objects;       ///< shapes that each file gave
    tact_model_mesh* meshes;    ///< of each shape: arrays within those of `files`
    tact_mesh_desc* shapes;     ///< the same as the library takes them
    tact_mesh_extent* extents;  ///< of each shape
    size_t shape_count;
    tact_filter_object* objects;
    size_t object_count;
    tact_filter_motion* motions;  ///< of each object
    double lower[3], upper[3];    ///< the box that the middles of objects stay in
} tact_filter_input;

/// Each part of the files is an object where the file has it. With `copies` there are so many objects instead, of the
/// parts in turn (without files: a sphere, a torus knot, a cube), each turned at random, its middle uniform in a cube
/// so large that about a twelfth of them touch another, fewer of slender ones.
bool tact_filter_input_load(const tact_text_list* files, uint64_t copies, uint64_t seed, tact_filter_input* input,
                            tact_problem* problem);

/// Moves everything on by a frame: each object turns about its middle, by up to a tenth of a radian, and flies on, by
/// up to a tenth of its size, at a speed and about an axis of its own, turning back at the faces of the box.
void tact_filter_input_step(tact_filter_input* input);

/// Triangles of all objects.
uint64_t tact_filter_input_triangles(const tact_filter_input* input);

void tact_filter_input_free(tact_filter_input* input);

/// A torus knot (2, 3) within the unit ball: a tube of 64 x 8 squares, each of two triangles. Closed, counter-clockwise
/// from outside, corners shared.
bool tact_mesh_torus_knot(tact_model_mesh* mesh, tact_problem* problem);

/// The cube from -half to half.
bool tact_mesh_cube(double half, tact_model_mesh* mesh, tact_problem* problem);
