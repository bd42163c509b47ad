// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a scene: the meshes and instances as given, and the flat arrays that tracers read.

#include "core/context.h"
#include "cpu_ref/trace_scene.h"
#include "cpu_ref/triangle_tree.h"
#include "tact/scene.h"

typedef struct tact_scene_mesh {
    float* positions;  ///< tightly packed copies
    uint32_t* indices;
    size_t vertex_count, triangle_count;
    bool built;
    uint32_t root;                         ///< of its tree in the scene's nodes
    float lower[3], upper[3];              ///< of the padded boxes of its triangles; lower > upper when none can be hit
    float tight_lower[3], tight_upper[3];  ///< of their vertices
    size_t skipped;
    uint32_t depth;
    double sah_cost;
} tact_scene_mesh;

struct tact_scene {
    tact_context* context;
    tact_scene_mesh* meshes;
    size_t mesh_count, mesh_capacity;
    uint64_t serial;                 ///< no other scene of the context has, or had, this one
    tact_trace_instance* instances;  ///< by id; world box and root are filled in by commit. Removed: mesh TACT_NONE
    float (*matrices)[12];           ///< object_to_world, by id
    size_t instance_count, instance_capacity, matrix_capacity;
    size_t removed_count, removed_from;  ///< ids that are free; no id below `removed_from` is
    uint64_t triangle_total;

    bool committed;
    bool top_changed;
    tact_bvh_node* nodes;
    size_t node_count, node_capacity;
    tact_trace_triangle* triangles;
    size_t triangle_count, triangle_capacity;
    tact_trace_mesh* trace_meshes;
    size_t trace_mesh_count, trace_mesh_capacity;
    tact_bvh top;
    tact_trace_instance* placed;  ///< instances in the order of the top tree's leaves
    size_t placed_count;
    tact_trace_scene trace;  ///< views of the above
    double build_ms;

    void* resident[TACT_MAX_DEVICES];  ///< what each device keeps for this scene
    void (*release_resident[TACT_MAX_DEVICES])(void* resident);
    void* drawn;  ///< what the OpenGL device keeps besides, to draw the scene
    void (*release_drawn)(void* drawn);
};

/// What every copy of a mesh asks of its description: arrays, stride, indices. Errors: INVALID_ARGUMENT, LIMIT.
tact_result tact_mesh_desc_check(tact_env* env, const tact_mesh_desc* desc);
