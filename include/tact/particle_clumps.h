// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_clumps.h
/// Clumps: rigid bodies of grains (TACT_RESPONSE_GRAINS), for shapes that are not spheres. A clump's spheres are
/// particles of the system, with ids of their own; they may overlap, do not meet each other, and their contacts with
/// all else move the whole. docs/grains.md has the model and its limits.
///
/// A clump is named by the id of its first sphere. What is given and got of it is about its centre of mass and its own
/// frame, that of the shape.

#include "tact/geometry/mesh_report.h"
#include "tact/particles.h"

/// Spheres of a clump at most.
enum { TACT_CLUMP_SPHERES = 1024 };

/// A shape of clumps, in its own frame.
typedef struct tact_clump_shape {
    const float* positions;  ///< x y z of each sphere's centre
    const float* radii;      ///< of each
    uint32_t count;          ///< of spheres, 1 to TACT_CLUMP_SPHERES
    float density;           ///< kg/m^3 of what the spheres fill, once where they overlap; 0: 1000
    float mass;              ///< kg; 0: by the density
    const float* center;     ///< centre of mass, x y z; NULL: of what the spheres fill
    const float* inertia;    ///< tensor about it: xx yy zz xy xz yz, of these three the elements, minus the products
                             ///< of inertia; NULL: of what the spheres fill, at the mass
    uint8_t material;        ///< of all spheres, index into the system's materials
    uint8_t group;           ///< of all spheres, 0 to 31
    uint64_t reserved[4];    ///< zeros: room for fields to come
} tact_clump_shape;

/// What a shape amounts to.
typedef struct tact_clump_measures {
    double volume;         ///< of what the spheres fill; within 0.02 %, of more than 64 spheres 0.1 %
    double mass;           ///< kg
    double center[3];      ///< centre of mass
    double inertia[6];     ///< xx yy zz xy xz yz about it
    double reach;          ///< of the farthest centre of a sphere from it
    uint64_t reserved[4];  ///< zeros
} tact_clump_measures;

/// Measures a shape: along 128 x 128 lines through each sphere, 64 x 64 of more than 64. Errors: INVALID_ARGUMENT (no
/// spheres, or too many; a number that is not finite, a radius, mass or density that is not positive; an inertia that
/// no body has).
TACT_API tact_result tact_clump_measure(tact_context* context, const tact_clump_shape* shape,
                                        tact_clump_measures* measures);

/// Spheres in a mesh, and what the mesh encloses.
typedef struct tact_clump_packing {
    uint32_t count;     ///< of spheres
    double filled;      ///< volume of what they fill by that of the mesh
    double gap;         ///< the farthest that the centre of a cell inside is from the nearest sphere; 0: all are filled
    double volume;      ///< of the mesh
    double center[3];   ///< its centre of mass
    double inertia[6];  ///< its tensor of inertia about that, at a mass of 1: xx yy zz xy xz yz
    uint64_t reserved[4];  ///< zeros
} tact_clump_packing;

/// Packs spheres into a closed mesh, for a clump of its shape: each touches the mesh from inside, and is that which
/// fills the most cells not yet filled (greedy covering; Nemhauser, Wolsey, Fisher, 1978) of a grid with `cells` along
/// the mesh's longest side (4 to 256; 0: 32). Stops at `most` spheres (1 to TACT_CLUMP_SPHERES), which `positions` (x y
/// z) and `radii` have room for, and where all cells are filled. No radius is below a sixteenth of the largest. The
/// same on every machine. Takes some milliseconds a sphere with 32 cells, 8 times that with 64. Errors:
/// INVALID_ARGUMENT (NULL, numbers out of range, a mesh that is not closed or encloses no whole cell: more cells may
/// do), OUT_OF_MEMORY.
TACT_API tact_result tact_clump_pack(tact_context* context, const tact_mesh_view* mesh, uint32_t most, uint32_t cells,
                                     float* positions, float* radii, tact_clump_packing* packing);

/// How clumps move.
typedef struct tact_clump_arrays {
    const float* positions;     ///< of the centres of mass, x y z each
    const float* velocities;    ///< x y z each; NULL: at rest
    const float* spins;         ///< angular velocities, x y z each, radians/s, in the world; NULL: none
    const float* orientations;  ///< unit quaternions x y z w, from the shape's frame to the world; NULL: 0 0 0 1
    uint64_t reserved[4];       ///< zeros: room for fields to come
} tact_clump_arrays;

/// Adds `count` clumps of one shape, which is copied. The ids of their first spheres are written to `ids` unless that
/// is NULL; the ids of a clump's spheres ascend in the order of the shape. Errors: INVALID_ARGUMENT (a shape as for
/// tact_clump_measure(), a sphere as for tact_particles_add(), an orientation whose length is not 1 within 2^-10, a
/// clump longer than a period, a system of another response), LIMIT, OUT_OF_MEMORY, the device's; the system is then as
/// before.
TACT_API tact_result tact_particles_add_clumps(tact_particles* particles, const tact_clump_shape* shape,
                                               const tact_clump_arrays* arrays, size_t count, uint32_t* ids);

/// Removes clumps with their spheres. tact_particles_remove() does not take a clump's spheres; sinks take a clump when
/// its centre of mass is in one. Errors: INVALID_ARGUMENT (an id that is no clump's, or twice in the list; nothing is
/// removed), OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_remove_clumps(tact_particles* particles, const uint32_t* ids, size_t count);

/// Returns the number of clumps.
TACT_API size_t tact_particles_clump_count(const tact_particles* particles);

/// The output of tact_particles_read_clumps(): arrays of tact_particles_clump_count() entries, or NULL.
typedef struct tact_clump_output {
    uint32_t* ids;         ///< of the first spheres, ascending
    uint32_t* counts;      ///< of spheres
    float* positions;      ///< x y z
    float* velocities;     ///< x y z
    float* spins;          ///< x y z
    float* orientations;   ///< x y z w
    float* masses;         ///< kg
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_clump_output;

/// Copies how clumps are and move, in ascending order of id. Errors: INVALID_ARGUMENT (a system of another response),
/// the device's.
TACT_API tact_result tact_particles_read_clumps(tact_particles* particles, const tact_clump_output* output);

/// Gives clumps another place and motion; arrays that are NULL leave those as they are. `ids` NULL stands for all, in
/// ascending order of id. tact_particles_write() and tact_particles_write_turning() do not take a clump's spheres.
/// Errors: INVALID_ARGUMENT (as tact_particles_add_clumps(); nothing is changed), the device's.
TACT_API tact_result tact_particles_write_clumps(tact_particles* particles, const uint32_t* ids, size_t count,
                                                 const tact_clump_arrays* arrays);

/// Lists the ids of a clump's spheres, ascending. `*count` is how many there are; `spheres` receives at most `capacity`
/// of them, and when there are more the result is TACT_INCOMPLETE. Errors: INVALID_ARGUMENT (an id that is no clump's),
/// the device's.
TACT_API tact_result tact_particles_clump_spheres(tact_particles* particles, uint32_t id, uint32_t* spheres,
                                                  size_t capacity, size_t* count);
