// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the benchmark of the filter is measured against: the potentially colliding set as it was published
/// (Govindaraju, Redon, Lin and Manocha, CULLIDE: Interactive Collision Detection between Complex Models in Large
/// Environments using Graphics Hardware, 2003), with the queries of a pass all in flight. On OpenGL.
///
/// In each of three views along the axes objects are gone through in order: each is asked by an occlusion query whether
/// any of it is at or behind what has been drawn so far, then drawn. The same in reverse order. Those of which nothing
/// was, in both passes, collide with nothing and are left out. Repeated until three views leave out nothing more.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"
#include "tact/mesh_filter.h"

typedef struct tact_plain_cullide tact_plain_cullide;

/// False when the program was built without it: without OpenGL, or with a shared library.
bool tact_plain_cullide_is_there(void);

/// Shapes on the host, uploaded. The context outlives it.
bool tact_plain_cullide_create(tact_context* context, const tact_mesh_desc* shapes, size_t shape_count,
                               uint32_t resolution, tact_plain_cullide** plain, tact_problem* problem);
/// NULL is allowed.
void tact_plain_cullide_destroy(tact_plain_cullide* plain);

typedef struct tact_plain_cullide_count {
    uint64_t left;    ///< objects
    uint32_t rounds;  ///< of three views
    uint64_t draws, queries;
} tact_plain_cullide_count;

/// `left[i]` becomes whether object i is in the potentially colliding set. Of at most `rounds` rounds.
bool tact_plain_cullide_run(tact_plain_cullide* plain, const tact_filter_object* objects, size_t count, uint32_t rounds,
                            bool* left, tact_plain_cullide_count* counted, tact_problem* problem);

// What the benchmark of particles is measured against: a plain particle code in C as one would write it to be fast,
// without vector instructions by hand. Counting sort into cells as wide as the radius of interaction, particles copied
// into the order of cells, 27 cells looked at, threads over particles (OpenMP). The forces are those of
// TACT_RESPONSE_SPRING for one material; equal radii; a box of walls.

typedef struct tact_plain_particles tact_plain_particles;

typedef struct tact_plain_rules {
    float lower[3], upper[3];  ///< walls
    float radius, mass;
    float stiffness, normal_damping, friction, tangential_damping;  ///< as TactContactRule
    float gravity[3];
    float dt;
} tact_plain_rules;

/// Copies `count` particles (x y z each). NULL without memory.
tact_plain_particles* tact_plain_create(const tact_plain_rules* rules, const float* positions, const float* velocities,
                                        size_t count, int threads);
void tact_plain_destroy(tact_plain_particles* plain);

/// One step.
void tact_plain_step(tact_plain_particles* plain);

/// How many pairs touch: sorts, and looks at each pair once.
uint64_t tact_plain_pairs(tact_plain_particles* plain);

/// Lists the neighbours of all points within `radius` in rows (both ways), as tact_particles_neighbours() does. Returns
/// how many there are; 0 without memory. The lists are the plain code's own.
uint64_t tact_plain_neighbours(tact_plain_particles* plain, float radius);

/// False when the program was built without OpenMP: then it runs on one thread.
bool tact_plain_has_threads(void);

// What the benchmark of picking is measured against: reading the whole plane of ids back to the host, and waiting for
// it, as many programs do.

typedef struct tact_plain_pick tact_plain_pick;

/// False when the program was built without it: without OpenGL, or with a shared library.
bool tact_plain_pick_is_there(void);

/// Of the target's first plane, whose size this is. The target and the context outlive it.
bool tact_plain_pick_create(tact_context* context, const tact_pick_target* target, uint32_t width, uint32_t height,
                            tact_plain_pick** plain, tact_problem* problem);
/// NULL is allowed.
void tact_plain_pick_destroy(tact_plain_pick* plain);

/// glReadPixels of all of it: four words for each pixel (object, instance, primitive, normal), from the bottom row on;
/// valid until the next. A pixel that shows nothing has whatever the clearing left there.
bool tact_plain_pick_read(tact_plain_pick* plain, const uint32_t (**ids)[4], tact_problem* problem);
