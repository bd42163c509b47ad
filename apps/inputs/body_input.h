// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sets of bodies with shapes and motion, from JSON files or generated, the same on every machine: for `contacts`,
/// `verify`, `bench` and the tests.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/inputs/random.h"
#include "apps/problem.h"
#include "tact/bodies.h"
#include "tact/body_casts.h"

/// How a body goes on: on a fixed path by steps, or as a grain by seconds.
typedef struct tact_body_motion {
    double velocity[3];  ///< in a step; as a grain m/s
    tact_quat turn;      ///< in a step; of any length above 0; about its position, along the world's axes
    double spin[3];      ///< as a grain, radians/s
    float density;       ///< as a grain, kg/m^3; 0: nothing pushes it
} tact_body_motion;

/// Arrays from malloc, points of hulls among them. All zero: empty.
typedef struct tact_body_input {
    tact_body_shape* shapes;
    size_t shape_count;
    tact_body* bodies;
    tact_body_motion* motions;  ///< of each body
    size_t count;
    bool swings;  ///< motion turns back after two steps, to either side, so that a heap stays one; grains have no
                  ///< velocity
} tact_body_input;

/// A generated set.
typedef struct tact_body_scene {
    const char* name;
    const char* summary;
    /// Adds the shapes but the first, a half-space.
    bool (*shapes)(tact_body_input* input, uint64_t seed, tact_problem* problem);
    /// Places bodies 1 to count - 1, of the shapes from 1 on. Body 0 is of shape 0, unless it says otherwise.
    bool (*place)(tact_body_input* input, uint64_t seed, tact_problem* problem);
} tact_body_scene;

extern const tact_body_scene tact_body_scenes[];
extern const size_t tact_body_scene_count;

/// The scene of this name, or NULL.
const tact_body_scene* tact_body_scene_named(const char* name);

/// Most bodies that are generated.
#define TACT_BODY_INPUT_MOST UINT64_C(0x4000000)

/// Makes a generated set, in which body 0 is the ground, a half-space or a height field.
bool tact_body_input_make(const tact_body_scene* scene, size_t count, uint64_t seed, tact_body_input* input,
                          tact_problem* problem);

/// A set as the command line names it.
typedef struct tact_body_choice {
    const char *file, *scene;  ///< one of them; NULL: the other
    uint64_t count;            ///< of the scene; 0: `usual`
    uint64_t usual;
    char source[256];  ///< what messages and JSON call it, when it is loaded
} tact_body_choice;

/// Whether exactly one is named, and the scene is there.
bool tact_body_choice_check(const tact_body_choice* choice, tact_problem* problem);

/// Reads the file, or makes the scene.
bool tact_body_input_load(tact_body_choice* choice, uint64_t seed, tact_body_input* input, tact_problem* problem);

/// Reads a file of JSON, as docs/cli.md describes it.
bool tact_body_input_read(const char* path, tact_body_input* input, tact_problem* problem);

/// The same of a file's bytes. `name` is what messages call it.
bool tact_body_input_parse(const void* bytes, size_t size, const char* name, tact_body_input* input,
                           tact_problem* problem);

void tact_body_input_free(tact_body_input* input);

/// Adds a shape, whose points are copied.
bool tact_body_input_add_shape(tact_body_input* input, const tact_body_shape* shape, tact_problem* problem);

/// Makes room for bodies, all zeros, that stay where they are, of TACT_BODY_DENSITY.
bool tact_body_input_reserve(tact_body_input* input, size_t count, tact_problem* problem);

/// kg/m^3, where nothing else is said.
#define TACT_BODY_DENSITY 1000.0f

/// Whether a shape has an inside: all but half-spaces, meshes and height fields.
bool tact_body_is_solid(const tact_body_input* input, uint32_t shape);

/// Points of a core that are made for it.
enum { TACT_BODY_CORE_POINTS = 8 };

/// The points whose convex hull, with the shape's radius, is the shape: of spheres, capsules, boxes and hulls, and
/// those of meshes; none of the rest. `own` has room for those that the shape does not have itself.
size_t tact_body_core(const tact_body_shape* shape, tact_vec3 own[TACT_BODY_CORE_POINTS], const tact_vec3** points);

/// How far a shape reaches from its position along a unit vector; minus infinity where it has no points or no end.
double tact_body_support(const tact_body_input* input, uint32_t shape, const double along[3]);

/// Where the bodies are after `step` steps; 0: as given.
void tact_body_input_poses(const tact_body_input* input, uint64_t step, tact_pose* poses);

// Pairs of two kinds that lie to each other as is asked for, for measurements.

/// Shapes about 1 wide, but for the mesh.
typedef enum tact_measured_shape {
    TACT_MEASURED_SPHERE,
    TACT_MEASURED_CAPSULE,
    TACT_MEASURED_BOX,
    TACT_MEASURED_HULL_8,  ///< of 8 corners
    TACT_MEASURED_HULL_32,
    TACT_MEASURED_HULL_256,
    TACT_MEASURED_MESH  ///< a lumpy ball 8 wide of 5,120 triangles
} tact_measured_shape;

/// How the two lie.
typedef enum tact_body_state {
    TACT_PAIR_APART,     ///< 0.02 to 0.1, with boxes that overlap; turned at random, as the next two
    TACT_PAIR_TOUCHING,  ///< 0.005 deep
    TACT_PAIR_DEEP,      ///< 0.2 deep
    TACT_PAIR_RESTING    ///< 0.005 deep, face on face where there are faces
} tact_body_state;

typedef struct tact_body_pair_kind {
    tact_measured_shape a, b;
    tact_body_state state;
} tact_body_pair_kind;

/// Makes bodies of which 2 i and 2 i + 1 are a pair. Where they touch is found by the library, on the CPU.
bool tact_body_input_pairs(const tact_body_pair_kind* kind, size_t pairs, uint64_t seed, tact_context* context,
                           tact_body_input* input, tact_problem* problem);

/// Adds a hull of so many corners, spread over an ellipsoid whose radii are about 0.5.
bool tact_body_input_add_hull(tact_body_input* input, tact_random* random, size_t corners, tact_problem* problem);

/// Makes a set of all shapes and bodies. `name` is what messages call the input.
bool tact_body_input_make_set(const tact_body_input* input, const char* name, tact_context* context, tact_bodies** set,
                              tact_problem* problem);

/// A point of a contact as arrays hold it: position in the world, depth positive where the bodies overlap.
typedef struct tact_contact_row {
    uint32_t a, b;
    uint32_t at[6];  ///< x, y, z, binary64
    float normal[3], depth;
    uint32_t feature;
} tact_contact_row;

extern const char tact_contact_row_descr[];  ///< its type as NumPy writes it

/// Writes the points of contacts as rows, of which there is room for TACT_CONTACT_MOST_POINTS a contact, sorted by a,
/// b, feature. Returns how many there are. `poses` are those of all bodies.
size_t tact_contact_rows(const tact_contact* contacts, size_t count, const tact_pose* poses, tact_contact_row* rows);

// Casts of shapes through a set.

/// Makes casts that go from outside of all bodies, from above, to one of them and 2 farther; `of`: with its shape and
/// scale, NULL: each with those of one of the bodies. False: there is no body whose shape has an end.
bool tact_body_input_casts(const tact_body_input* input, const tact_body* of, bool turns, uint64_t seed, size_t count,
                           tact_body_cast* casts);

/// Where a cast's shape is at a fraction of its way.
tact_pose tact_body_cast_pose(const tact_body_cast* cast, double fraction);

/// A hit as arrays hold it: position in the world, zeros for nothing.
typedef struct tact_cast_row {
    uint32_t cast, body, part, cast_part;
    double fraction, x, y, z;
    float normal[3], unused;
} tact_cast_row;

extern const char tact_body_cast_row_descr[];  ///< its type as NumPy writes it

/// Writes a row for each hit. `poses` are those of all bodies.
void tact_body_cast_rows(const tact_body_cast_hit* hits, size_t count, const tact_pose* poses, tact_cast_row* rows);
