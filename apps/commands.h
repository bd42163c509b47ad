// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The commands. Each parses what follows its name, does its work and returns the exit code; what went wrong is in
/// `problem`, which the caller prints.

#include "apps/problem.h"

// clang-format off

/// `tact NAME`, and what --help says of it.
#define TACT_COMMANDS(X)                                                        \
    X(info, "the devices found here, their limits and arithmetic")              \
    X(raycast, "cast batches of rays against meshes")                           \
    X(closest, "closest points of meshes to batches of points")                 \
    X(spherecast, "move spheres against meshes")                                \
    X(points, "points against solids: inside, signed distance, winding number") \
    X(contacts, "posed shapes to contact manifolds")                            \
    X(cull, "keep the volumes that are in view or near a box")                  \
    X(verify, "compare every device with the reference")                        \
    X(bench, "time every device over a range of sizes")                         \
    X(mesh, "report on a mesh: closed, manifold, oriented, convex; repair it")  \
    X(pairs, "overlapping boxes and spheres")                                   \
    X(particles, "mass particle collisions")                                    \
    X(overlap, "mesh against mesh")                                             \
    X(filter, "many objects to exactly colliding pairs")                        \
    X(pick, "what lies under a pixel, a rectangle, a lasso")                    \
    X(view, "a window to look at a scene and pick in it")                       \
    X(calibrate, "measure the dispatcher's cost model")                         \
    X(replay, "run recorded queries again")
// clang-format on

#define TACT_DECLARE_COMMAND(name, help) int tact_command_##name(int argc, char** argv, tact_problem* problem);
TACT_COMMANDS(TACT_DECLARE_COMMAND)

// clang-format off

/// `tact bench NAME`, each with a file of its own.
#define TACT_BENCH_COMMANDS(X)                                                  \
    X(compare, "set two results of tact bench beside each other")               \
    X(rays, "time ray casts beside every form that Embree has")                 \
    X(memory, "measure the bytes of a triangle, a box, a particle")             \
    X(near, "time closest points and moving spheres")                           \
    X(geometry, "time the geometry library's tests of single shapes")           \
    X(overlap, "time the overlap of two meshes in many poses")                  \
    X(separation, "time how far apart two meshes are")                          \
    X(image, "time overlap in images at several resolutions")                   \
    X(filter, "time the colliding triangles of many objects")                   \
    X(pick, "time picks of a pixel and of a view")                              \
    X(pairs, "time every method of finding pairs")                              \
    X(particles, "time steps of particles and neighbour lists")                 \
    X(regret, "measure how much longer auto takes than the best device")        \
    X(contacts, "time contacts of bodies, kind by kind")                        \
    X(solids, "time what is asked about a solid that a mesh encloses")          \
    X(cloud, "time queries against clouds of points")
// clang-format on

#define TACT_DECLARE_BENCH_COMMAND(name, help) \
    int tact_command_bench_##name(int argc, char** argv, tact_problem* problem);
TACT_BENCH_COMMANDS(TACT_DECLARE_BENCH_COMMAND)
