// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a scene: the meshes and instances as given, and the flat arrays that tracers read.

#include "core/context/context.h"
#include "core/context/guard.h"
#include "core/context/residents.h"
#include "core/mesh/desc.h"
#include "core/mesh/mesh.h"
#include "cpu_ref/trace/scene.h"
#include "cpu_ref/triangle_tree.h"
#include "tact/scene.h"

typedef struct tact_scene_mesh {
    float* positions;                     ///< tightly packed copies, which an attached mesh holds too (base/shared.h)
    uint32_t* indices;                    ///< likewise
    tact_mesh* source;                    ///< the mesh that is attached; NULL: none
    uint64_t version;                     ///< of the source, when the vertices were taken
    size_t vertex_count, triangle_count;  ///< 0 for shapes
    tact_mesh_quality quality;
    uint32_t kind;  ///< TACT_KIND_
    tact_trace_shape* shapes;
    size_t shape_count, skipped_shapes;
    tact_trace_alpha* alpha;  ///< NULL: none. What it points to follows in the same block of memory
    bool built;
    bool moved;  ///< its vertices, since its tree was built or fitted
    // What the scene's device alone has, in its `fitter`; tact_scene_fetch() and tact_scene_catch_up() bring it.
    bool behind;  ///< the tree is fitted to the vertices there; boxes and corners in the scene's arrays are as before
    bool absent;  ///< the tree; in the scene's arrays there is room for it
    bool away;    ///< the vertices; the array here has older ones
    tact_mesh_update update;  ///< what is to be done about that
    uint32_t wide_root;       ///< of its wide tree
    size_t wide_count;        ///< nodes of it
    size_t first_block, block_count;
    tact_trace_bounds bounds;
    size_t skipped;
    uint32_t depth;
    double sah_cost;    ///< of the tree as it is
    double built_cost;  ///< when it was built
    tact_mesh_quality built_quality;
    uint32_t built_on;     ///< the device that built it; 0: the CPU
    tact_resident fitter;  ///< what that device keeps of it, to fit it and to cast rays
    uint64_t fitted;       ///< as in tact_trace_mesh
    uint64_t user_data;
} tact_scene_mesh;

/// A part of the top level: the instances that stay, or those that move.
typedef struct tact_scene_part {
    bool changed;
    tact_bvh8 wide;  ///< its order is that of the instances' ids
    size_t count;
    tact_bvh_box box;  ///< of them all
    bool has_shapes;   ///< some of them are of shapes
    bool has_bent;     ///< some of these by a matrix that does not keep their form
    bool has_hidden;   ///< the mask of some is 0
    float stretch;     ///< by how much, at most, going into an instance makes a direction longer; at least 1
    uint64_t builds;
} tact_scene_part;

/// Whether a mesh is behind; whether of one something is absent or away. Bits.
enum { TACT_SCENE_BEHIND = 1, TACT_SCENE_ELSEWHERE = 2 };

enum { TACT_SCENE_STATIC = 0, TACT_SCENE_DYNAMIC = 1, TACT_SCENE_PARTS = 2 };

/// What is kept for a scene besides its arrays, in the order in which it is released.
typedef enum tact_scene_resident {
    TACT_SCENE_TREES,     ///< what a device keeps of the scene for rays
    TACT_SCENE_NEAR,      ///< for queries in the world's frame
    TACT_CULL_SCENE,      ///< of the instances' boxes
    TACT_SCENE_BUILDER,   ///< to build trees
    TACT_SCENE_DRAWN,     ///< to draw
    TACT_SCENE_BOUNDARY,  ///< edges that no two triangles share, with device 0
    TACT_SCENE_RESIDENTS
} tact_scene_resident;

/// Whether numbers are neither very small nor very large (core/trace/flushed.c), and of which state of the scene.
typedef struct tact_scene_range {
    uint64_t mesh_version, top_version;  ///< one more than the scene's; 0: nothing is known
    bool meshes, matrices;
} tact_scene_range;

struct tact_scene {
    tact_context* context;
    tact_guard guard;
    tact_scene_mesh* meshes;
    size_t mesh_count, mesh_capacity;
    tact_trace_instance* instances;  ///< by id; world box and root are filled in by commit. Removed: mesh TACT_NONE
    float (*matrices)[12];           ///< object_to_world, by id
    size_t instance_count, instance_capacity, matrix_capacity;
    size_t removed_count, removed_from;  ///< ids that are free; no id below `removed_from` is
    uint8_t* dynamic;                    ///< by id: in which part
    size_t dynamic_capacity;
    uint64_t* user_data;  ///< by id
    size_t user_data_capacity;
    uint64_t primitive_total, triangle_total;
    double ray_visits;  ///< of nodes and triangles, expected of a ray: set by commit, since each cast looks at it

    bool committed;
    bool alpha_changed;
    TACT_ATOMIC(uint32_t) behind;  ///< TACT_SCENE_BEHIND, TACT_SCENE_ELSEWHERE
    size_t alpha_count;            ///< meshes that have a mask
    tact_scene_part parts[TACT_SCENE_PARTS];
    tact_trace_mesh* trace_meshes;
    size_t trace_mesh_count, trace_mesh_capacity;
    tact_bvh8_node* wide;
    size_t wide_count, wide_capacity;
    tact_triangle_block* blocks;
    size_t block_count, block_capacity;
    tact_trace_shape* shapes;  ///< by slot
    size_t shape_slot_count, shape_capacity;
    // The parts' trees under one root.
    tact_bvh8_node* wide_top;
    size_t wide_top_count, wide_top_capacity;
    tact_trace_instance* placed;  ///< instances in the order of the top tree's leaves
    size_t placed_count, placed_capacity;
    tact_trace_scene trace;  ///< views of the above
    tact_scene_range range;
    double build_ms, top_ms;

    tact_resident kept[TACT_SCENE_RESIDENTS][TACT_MAX_DEVICES];  ///< by what it is for, and the device
    uint32_t build_device;                                       ///< that builds trees; 0: the CPU
};

/// Builds, fits or builds again a mesh's tree in the scene's arrays. OUT_OF_MEMORY; the mesh is then as before.
tact_result tact_scene_make_mesh(tact_scene* scene, tact_scene_mesh* mesh);

/// Brings what a device alone has: vertices, and trees as they are there. A tree that a device lost is built anew, full
/// and plain, in the room that there is for it. Call it before vertices, or which triangles lie where, are read of a
/// committed scene; threads may at once. Errors: OUT_OF_MEMORY; those of the device that has the vertices.
tact_result tact_scene_fetch(tact_scene* scene);

/// The same where vertices are away, for what reads no trees.
tact_result tact_scene_need_vertices(tact_scene* scene);

/// Notes in scene->behind what its meshes say.
void tact_scene_note_elsewhere(tact_scene* scene);

/// The same, and fits the trees in the scene's arrays that a device has fitted alone; nothing of that where device `on`
/// has all of these; 0: the CPU, which has none. Call it before trees are read there; threads may at once. Errors: as
/// tact_scene_fetch().
tact_result tact_scene_catch_up(tact_scene* scene, uint32_t on);

// ---- Trees on a device (device.c) ----

/// Whether the scene's device built a mesh's tree, so that it can fit it.
bool tact_scene_fits_there(const tact_scene* scene, const tact_scene_mesh* mesh);

/// Fits a mesh's tree, which the scene's device built, to its vertices, there alone: mesh->behind, then. *fitted is
/// false, and a word in the log, when the device cannot; *good is false when other triangles than before are in range.
/// When both are true *cost is what the tree costs and *bounds are those of the mesh. Errors: OUT_OF_MEMORY, those of a
/// device that has the vertices.
tact_result tact_scene_fit_on_device(tact_scene* scene, tact_scene_mesh* mesh, double* cost, tact_trace_bounds* bounds,
                                     bool* fitted, bool* good);

/// Whether a device has all trees as they are: then nothing of the scene's arrays is needed there.
bool tact_scene_fitted_on(const tact_scene* scene, uint32_t device);

/// Builds the tree of a mesh on the scene's device. *tree gets it as bytes for the host or, where the tree may `stay`,
/// its sizes alone. *built is false, and a word in the log, when the device cannot. OUT_OF_MEMORY.
tact_result tact_scene_build_on_device(tact_scene* scene, const tact_scene_mesh* mesh, bool stay,
                                       tact_mesh_scene_tree* tree, bool* built);

/// Keeps the tree of a mesh, which the scene's device has just built, on that device, and in *wide its sizes alone.
/// Where there is no room it is read, and brought there when it is needed. Errors: OUT_OF_MEMORY, the device's; the
/// tree is lost then.
tact_result tact_scene_keep_on_device(tact_scene* scene, tact_scene_mesh* mesh, tact_bvh8* wide);

/// Reads a mesh's tree from the device that has it. Errors: as tact_tree_builder_read().
tact_result tact_scene_read_tree(tact_scene* scene, const tact_scene_mesh* mesh, tact_bvh8* wide);

/// Moves a mesh's vertices on the device that fits its tree, from an array there, whose vertices lie `stride` bytes
/// apart. *there is false when another device has the tree, or none; nothing is done then. Errors: the device's; the
/// vertices are as before then.
tact_result tact_scene_move_there(tact_scene* scene, tact_scene_mesh* mesh, const tact_device_array* positions,
                                  size_t stride, bool* there);

/// Reads a mesh's vertices where they are on a device. Errors: that device's.
tact_result tact_scene_read_vertices(tact_scene* scene, tact_scene_mesh* mesh);

/// Releases what a device keeps of a mesh, which must be in the scene's arrays too.
void tact_scene_leave_device(tact_scene_mesh* mesh);

/// The tree that a mesh's device keeps of it, as it is: a tact_tree_builder. NULL: there is none.
void* tact_scene_device_tree(const tact_scene_mesh* mesh);

/// A mesh for those who know no scene.
tact_trace_mesh tact_scene_mesh_view(const tact_scene_mesh* mesh);

// ---- The top level (top.c) ----

/// Marks the part that an instance is in, for the next commit.
void tact_scene_touch(tact_scene* scene, uint32_t instance);

/// Builds the parts that have changed and puts them under one root. Errors: INVALID_ARGUMENT (an instance moves its
/// mesh out of range), OUT_OF_MEMORY.
tact_result tact_scene_build_top(tact_scene* scene);

void tact_scene_free_top(tact_scene* scene);

/// Fails unless the scene is committed. Errors: INVALID_ARGUMENT.
tact_result tact_scene_require_committed(const tact_scene* scene);

/// Fails unless all instances can be told by triangles. `what` is in the message: "picking". Errors: UNSUPPORTED.
tact_result tact_scene_refuse_shapes(const tact_scene* scene, const char* what);

// ---- Shapes (shapes.c) ----

/// Makes a shape mesh's tree and appends it to the scene's. OUT_OF_MEMORY.
tact_result tact_scene_build_shapes(tact_scene* scene, tact_scene_mesh* mesh);

// ---- What they share (scene.c) ----

/// Room for one more mesh in the list, and for `primitives` more. Errors: LIMIT, OUT_OF_MEMORY.
tact_result tact_scene_reserve_mesh(tact_scene* scene, size_t primitives);

/// Errors: INVALID_ARGUMENT (no such mesh).
tact_result tact_scene_check_mesh(const tact_scene* scene, uint32_t mesh);

/// Errors: INVALID_ARGUMENT (no such instance, or removed).
tact_result tact_scene_check_instance(const tact_scene* scene, uint32_t instance);
