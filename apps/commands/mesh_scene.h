// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The scene of commands that take meshes, as FILE or --mesh FILE: the files are instances 0, 1, ... in that order.

#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"
#include "apps/query_command.h"
#include "tact/ranks_queries.h"

typedef struct tact_mesh_scene {
    tact_text_list files;
    tact_model model;
    uint64_t dropped_faces;
    tact_scene* scene;
    tact_scene_stats stats;
    tact_bounds bounds;
    bool cut;       ///< each rank builds a part of the scene
    uint32_t* ids;  ///< of such a part, in the whole, ascending; from malloc
    size_t id_count;
} tact_mesh_scene;

/// Row of --cut, for commands that take it.
#define TACT_CUT_OPTION(scene) \
    TACT_FLAG("cut", "with --mpi: each rank has some of the meshes only, and queries go where these are", &(scene)->cut)

/// Whether any file is given, and --cut only with --mpi.
bool tact_mesh_scene_check(const tact_mesh_scene* scene, const tact_query_run* run, tact_problem* problem);
bool tact_mesh_scene_load(tact_mesh_scene* scene, tact_problem* problem);
/// Makes the scene, or with --cut this rank's part of it, in the run's context, and adds what that took to what was
/// built.
bool tact_mesh_scene_build(tact_mesh_scene* scene, tact_query_run* run, tact_problem* problem);
/// This rank's part of a scene that is cut.
tact_ranks_part tact_mesh_scene_part(const tact_mesh_scene* scene);
void tact_mesh_scene_json(const tact_mesh_scene* scene, cJSON* root);
void tact_mesh_scene_print(const tact_mesh_scene* scene);
/// Frees all of it, the list of files too.
void tact_mesh_scene_free(tact_mesh_scene* scene);
