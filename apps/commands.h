// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The commands. Each parses what follows its name, does its work and returns the exit code; what went wrong is in
/// `problem`, which the caller prints.

#include "apps/problem.h"

int tact_command_info(int argc, char** argv, tact_problem* problem);
int tact_command_raycast(int argc, char** argv, tact_problem* problem);
int tact_command_calibrate(int argc, char** argv, tact_problem* problem);
int tact_command_closest(int argc, char** argv, tact_problem* problem);
int tact_command_spherecast(int argc, char** argv, tact_problem* problem);
int tact_command_cull(int argc, char** argv, tact_problem* problem);
int tact_command_replay(int argc, char** argv, tact_problem* problem);
int tact_command_verify(int argc, char** argv, tact_problem* problem);
int tact_command_bench(int argc, char** argv, tact_problem* problem);
int tact_command_bench_geometry(int argc, char** argv, tact_problem* problem);
int tact_command_filter(int argc, char** argv, tact_problem* problem);
int tact_command_mesh(int argc, char** argv, tact_problem* problem);
int tact_command_pick(int argc, char** argv, tact_problem* problem);
int tact_command_overlap(int argc, char** argv, tact_problem* problem);
int tact_command_pairs(int argc, char** argv, tact_problem* problem);
int tact_command_bench_overlap(int argc, char** argv, tact_problem* problem);
int tact_command_bench_image(int argc, char** argv, tact_problem* problem);
int tact_command_bench_pick(int argc, char** argv, tact_problem* problem);
int tact_command_bench_near(int argc, char** argv, tact_problem* problem);
int tact_command_bench_regret(int argc, char** argv, tact_problem* problem);
int tact_command_bench_rays(int argc, char** argv, tact_problem* problem);
int tact_command_bench_filter(int argc, char** argv, tact_problem* problem);
int tact_command_bench_separation(int argc, char** argv, tact_problem* problem);
int tact_command_bench_compare(int argc, char** argv, tact_problem* problem);
int tact_command_bench_pairs(int argc, char** argv, tact_problem* problem);
int tact_command_particles(int argc, char** argv, tact_problem* problem);
int tact_command_bench_particles(int argc, char** argv, tact_problem* problem);
int tact_command_view(int argc, char** argv, tact_problem* problem);
