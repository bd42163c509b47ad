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

// `tact bench NAME`

int tact_command_bench_geometry(int argc, char** argv, tact_problem* problem);
int tact_command_bench_overlap(int argc, char** argv, tact_problem* problem);
int tact_command_bench_contacts(int argc, char** argv, tact_problem* problem);
int tact_command_bench_image(int argc, char** argv, tact_problem* problem);
int tact_command_bench_pick(int argc, char** argv, tact_problem* problem);
int tact_command_bench_memory(int argc, char** argv, tact_problem* problem);
int tact_command_bench_near(int argc, char** argv, tact_problem* problem);
int tact_command_bench_cloud(int argc, char** argv, tact_problem* problem);
int tact_command_bench_regret(int argc, char** argv, tact_problem* problem);
int tact_command_bench_rays(int argc, char** argv, tact_problem* problem);
int tact_command_bench_filter(int argc, char** argv, tact_problem* problem);
int tact_command_bench_solids(int argc, char** argv, tact_problem* problem);
int tact_command_bench_separation(int argc, char** argv, tact_problem* problem);
int tact_command_bench_compare(int argc, char** argv, tact_problem* problem);
int tact_command_bench_pairs(int argc, char** argv, tact_problem* problem);
int tact_command_bench_particles(int argc, char** argv, tact_problem* problem);
