// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file scene.h
/// A scene: meshes, of triangles or of simple shapes, and instances of them. One frame, usually right-handed (nothing
/// depends on it), any unit.

#include "tact/context.h"
#include "tact/geometry/types.h"
#include "tact/triangle_mesh.h"

/// Created by tact_scene_create(), filled, and committed before queries.
typedef struct tact_scene tact_scene;

/// Stands for "no instance", "no primitive".
#define TACT_NONE 0xffffffffu

/// Coordinates may be as large as this in magnitude (2^60). A triangle with a vertex beyond it, or with a NaN or
/// infinite one, is kept in the numbering but never hit; tact_scene_stats counts them.
#define TACT_MAX_COORDINATE 1152921504606846976.0f

/// The effort for a mesh's tree. Results do not depend on it. docs/raycast.md has figures.
typedef enum tact_mesh_quality {
    TACT_MESH_MEDIUM = 0,  ///< binned surface area heuristic (Wald 2007)
    TACT_MESH_FAST = 1,    ///< along a Morton curve: for meshes that are new in every frame
    TACT_MESH_HIGH = 2     ///< medium, then improved by reinsertion (Meister, Bittner 2018): for meshes that stay
} tact_mesh_quality;

/// Creates an empty scene. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_scene_create(tact_context* context, tact_scene** scene);

/// Destroys a scene and what it holds on devices. NULL is allowed.
TACT_API void tact_scene_destroy(tact_scene* scene);

/// Adds a mesh, which is not hit until an instance of it is added. The arrays are copied; vertices may lie in a
/// device's array, which is read by this call. An empty mesh is allowed. Primitive ids are the triangles' numbers.
/// Takes effect with the next tact_scene_commit(). Errors: INVALID_ARGUMENT (an index past the vertices: the detail
/// says which), LIMIT (more than 2^30 triangles in the scene), OUT_OF_MEMORY, those of a device's array; the scene is
/// then as before.
TACT_API tact_result tact_scene_add_mesh(tact_scene* scene, const tact_mesh_desc* desc, uint32_t* mesh);

/// Sets the effort for the tree of a triangle mesh; at first TACT_MESH_MEDIUM. A tree of another quality is built again
/// by the next commit. Errors: INVALID_ARGUMENT (no such mesh of triangles or quality).
TACT_API tact_result tact_scene_set_quality(tact_scene* scene, uint32_t mesh, tact_mesh_quality quality);

/// Adds a mesh whose primitives are spheres, boxes or capsules, with ids 0 to count - 1; instances of it are made as of
/// any other mesh, and may scale and shear it. The array is copied. One that is no shape (a NaN or infinite number, a
/// negative radius, a box whose lower side is above its upper one) or whose box reaches beyond TACT_MAX_COORDINATE
/// keeps its number but is never hit; tact_scene_stats counts them. A capsule whose ends coincide is a sphere. Ray
/// casts hit shapes on their surface (docs/results.md); picking refuses scenes that hold instances of them. Errors:
/// INVALID_ARGUMENT (NULL), LIMIT (with the triangles more than 2^30), OUT_OF_MEMORY; the scene is then as before.
TACT_API tact_result tact_scene_add_spheres(tact_scene* scene, const tact_sphere* spheres, size_t count,
                                            uint32_t* mesh);
TACT_API tact_result tact_scene_add_boxes(tact_scene* scene, const tact_aabb* boxes, size_t count, uint32_t* mesh);
TACT_API tact_result tact_scene_add_capsules(tact_scene* scene, const tact_capsule* capsules, size_t count,
                                             uint32_t* mesh);

/// The image beyond texture coordinates of 0 to 1.
typedef enum tact_alpha_wrap {
    TACT_ALPHA_WRAP_REPEAT = 0,  ///< the image again
    TACT_ALPHA_WRAP_CLAMP = 1    ///< its outermost texels
} tact_alpha_wrap;

/// The holes of a mesh: leaves, fences. A hit at the texture coordinates (s, t), the corners' by the hit's weights, is
/// looked up in the nearest texel: column floor(s width), row floor(t height), the first row at t = 0 (docs/results.md
/// has it to the bit; coordinates that are not finite mean the first). The arrays are copied.
typedef struct tact_alpha_desc {
    const float* uvs;        ///< s t of each vertex of the mesh
    size_t uv_stride;        ///< bytes from one to the next; 0: tightly packed (8)
    const uint8_t* texels;   ///< the image, from its first texel on
    uint32_t width, height;  ///< 1 to 65536
    size_t texel_stride;   ///< bytes from one texel to the next; 0: 1. So 4, and a pointer to the first alpha, for RGBA
    size_t row_stride;     ///< bytes from one row to the next; 0: width times texel_stride
    uint8_t threshold;     ///< the mesh is there where a texel is at least this; 0: everywhere
    tact_alpha_wrap wrap;  ///< default: repeat
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_alpha_desc;

/// Gives a triangle mesh an alpha mask, another one, or with NULL none. Ray casts and picking by rays, which casts
/// them, then hit its instances only where it is there, either side; drawing and touching ignore it. Takes effect with
/// the next commit. Errors: INVALID_ARGUMENT (no such mesh, no triangles, NULL arrays, size or stride out of range),
/// OUT_OF_MEMORY; the scene is then as before.
TACT_API tact_result tact_scene_set_alpha(tact_scene* scene, uint32_t mesh, const tact_alpha_desc* alpha);

/// The next commit's treatment of a mesh whose vertices moved.
typedef enum tact_mesh_update {
    TACT_UPDATE_AUTO = 0,    ///< fits the tree's boxes, and builds it again once it has become half again as costly
    TACT_UPDATE_REFIT = 1,   ///< fits the boxes
    TACT_UPDATE_REBUILD = 2  ///< builds the tree again
} tact_mesh_update;

/// Moves the vertices of a mesh, for all its instances; its triangles stay what they are. `positions` has as many
/// vertices as the mesh was added with, `stride` bytes from one to the next (0: 12), and is copied. Takes effect with
/// the next commit, where fitting costs a small part of building; when other triangles than before have a vertex out
/// of range the tree is built whatever `update` is. Results do not depend on `update`.
/// Errors: INVALID_ARGUMENT (no such mesh of triangles or kind of update, no positions, a wrong stride); the scene is
/// then as before.
TACT_API tact_result tact_scene_update_mesh(tact_scene* scene, uint32_t mesh, const float* positions, size_t stride,
                                            tact_mesh_update update);

/// Moves the vertices of a mesh to those in an array of a device, which is read by this call. Where that device builds
/// the scene's trees (tact_scene_build_on()) and has built this mesh's, they stay there: they are copied on the device,
/// the next commit fits the tree to them or builds it there, and rays cast there see them. What else needs them reads
/// them back once: the CPU and other devices, picking, records, debug drawing. When the device is lost before that,
/// such calls fail until the vertices are set again. From an OpenGL context they can be read back in its thread alone;
/// other threads get UNSUPPORTED. On devices that flush subnormal numbers vertices are read back by this call. Errors:
/// as tact_scene_update_mesh(), those of a device's array, DEVICE_OUT_OF_MEMORY, DEVICE_LOST.
TACT_API tact_result tact_scene_update_mesh_device(tact_scene* scene, uint32_t mesh, const tact_device_array* positions,
                                                   size_t stride, tact_mesh_update update);

/// Adds an instance of a mesh. `object_to_world` is a 3 x 4 matrix in row-major order (rotation, scale and shear in the
/// first three columns, translation in the last); NULL is the identity. Instance ids count from 0 in order of adding,
/// but an id that was removed is used again, the smallest first.
/// Errors: INVALID_ARGUMENT (no such mesh; matrix not finite or not invertible), LIMIT, OUT_OF_MEMORY.
TACT_API tact_result tact_scene_add_instance(tact_scene* scene, uint32_t mesh, const float object_to_world[12],
                                             uint32_t* instance);

/// Moves an instance. Only the top level is built again by the next commit. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_scene_move_instance(tact_scene* scene, uint32_t instance, const float object_to_world[12]);

/// Moves `count` instances at once, each as tact_scene_move_instance() does: `object_to_world` has a matrix for each.
/// `instances` NULL: those of ids 0 to count - 1. Of an id that is given twice the last matrix counts. All or none are
/// moved. Errors: INVALID_ARGUMENT (the detail names the first instance or matrix that is wrong).
TACT_API tact_result tact_scene_move_instances(tact_scene* scene, const uint32_t* instances,
                                               const float (*object_to_world)[12], size_t count);

/// Removes an instance; its id is then free for the next one that is added. Takes effect with the next commit, which
/// only builds the top level again. Errors: INVALID_ARGUMENT (no such instance, or removed before).
TACT_API tact_result tact_scene_remove_instance(tact_scene* scene, uint32_t instance);

/// Sets where later commits build the trees of meshes: TACT_BACKEND_CPU, as at first, or a device, which builds a
/// linear tree for TACT_MESH_FAST (Karras 2012) and otherwise one of clusters (Meister, Bittner 2018), and fits it to
/// vertices that move. Such trees stay there, some 100 bytes a triangle; the first call that needs one elsewhere reads
/// it back. Trees of attached meshes are read back at once, for all scenes that attach these, and so are those of an
/// OpenGL context that was adopted, which other threads must not use. The CPU builds in place of a device that lacks
/// memory or is lost, with a warning in the log. Results do not depend on it. Errors: INVALID_ARGUMENT (no backend to
/// build on), NO_DEVICE, UNSUPPORTED (its arithmetic is not that of the CPU); those of a device that has vertices.
TACT_API tact_result tact_scene_build_on(tact_scene* scene, tact_backend backend);

/// Sets the rays that hit an instance: those whose mask (tact_ray_rules) shares a bit with this one. At first every
/// bit; 0 hides it from all ray casts. Takes effect with the next commit, which only builds the top level again. Other
/// queries ignore masks. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_scene_set_mask(tact_scene* scene, uint32_t instance, uint32_t mask);

/// Marks an instance as moving often (at first none is). These have a tree of their own in the top level: when only
/// such instances were moved, added, removed or masked the next commit builds that one and leaves the other alone. No
/// result depends on it. An id that is used again starts unmarked. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_scene_set_dynamic(tact_scene* scene, uint32_t instance, bool dynamic);

/// Sets what an instance, or a mesh, is in your program: an index, a pointer. At first 0, as for an id that is used
/// again. Takes effect at once: the scene stays committed, for no answer depends on it, and records leave it out.
/// Errors: INVALID_ARGUMENT (no such instance or mesh).
TACT_API tact_result tact_scene_set_user_data(tact_scene* scene, uint32_t instance, uint64_t user_data);
TACT_API tact_result tact_scene_set_mesh_user_data(tact_scene* scene, uint32_t mesh, uint64_t user_data);

/// Gets the user data of `count` instances, or of the mesh of each. `instances` points to the first id, `stride` is the
/// bytes from one to the next (0: 4): `&hits[0].instance` and `sizeof hits[0]` for hits, and likewise for closest
/// points, points against solids, sphere casts and picks. TACT_NONE gives 0. Hits of TACT_RAY_ANY and TACT_RAY_COUNT
/// name no instance. Any number of threads may ask at once. Errors: INVALID_ARGUMENT (a stride below 4, an instance
/// that does not exist: the detail names it).
TACT_API tact_result tact_scene_get_user_data(const tact_scene* scene, const uint32_t* instances, size_t stride,
                                              size_t count, uint64_t* user_data);
TACT_API tact_result tact_scene_get_mesh_user_data(const tact_scene* scene, const uint32_t* instances, size_t stride,
                                                   size_t count, uint64_t* user_data);

/// Builds what has changed: one bounding volume hierarchy for each new or moved mesh, one over the instances. Uses the
/// context's threads; the trees do not depend on how many. Errors: INVALID_ARGUMENT (an instance moves its mesh beyond
/// TACT_MAX_COORDINATE: the detail says which), OUT_OF_MEMORY; the scene stays uncommitted.
TACT_API tact_result tact_scene_commit(tact_scene* scene);

/// Facts about a committed scene.
typedef struct tact_scene_stats {
    uint64_t meshes, instances;  ///< that there are
    uint64_t triangles;          ///< of all meshes, each counted once
    uint64_t skipped_triangles;  ///< of these, never hit: a vertex is NaN, infinite or too large
    uint64_t nodes;              ///< of all trees
    uint32_t depth;              ///< of the deepest mesh tree
    double sah_cost;             ///< surface area heuristic of the largest mesh's tree: node 1, leaf 0.4, triangle 0.1
    double build_ms;             ///< of the last commit
    uint64_t memory_bytes;       ///< host memory of the trees, and of the triangles and instances in their order
    float lower[3], upper[3];    ///< world bounds of what can be hit; lower > upper when that is nothing
    uint64_t shapes;             ///< spheres, boxes and capsules of all meshes, each counted once
    uint64_t skipped_shapes;     ///< of these, never hit
    uint64_t dynamic_instances;  ///< of the instances, those in the moving ones' tree
    uint64_t static_builds;      ///< how often the tree over the others was built
    uint64_t dynamic_builds;     ///< and that over the moving ones
    double top_ms;               ///< of the last commit, for the top level
    uint64_t mesh_bytes;         ///< host memory of the copies of the meshes: vertices and indices, shapes
    uint64_t shared_bytes;  ///< the same of meshes that are attached, each counted once; tact_mesh_info has them too
    uint64_t reserved[4];   ///< zeros: room for fields to come
} tact_scene_stats;

/// Gets facts about a committed scene. Errors: INVALID_ARGUMENT (not committed).
TACT_API tact_result tact_scene_get_stats(const tact_scene* scene, tact_scene_stats* stats);
