// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A committed scene as a tracer sees it: flat arrays, the same on the CPU and, copied byte for byte, on a GPU.

#include "cpu_ref/bvh.h"
#include "cpu_ref/cull/cull.h"
#include "cpu_ref/trace/build.h"
#include "kernels/ray_alpha.h"
#include "kernels/ray_shapes.h"

/// A triangle by itself; three 16-byte rows.
typedef struct tact_trace_triangle {
    float a[3];
    uint32_t primitive;
    float b[3];
    uint32_t unused0;
    float c[3];
    uint32_t unused1;
} tact_trace_triangle;

/// An instance; six 16-byte rows. A ray is taken into the mesh's frame by
///     origin'    = world_to_object (origin - translation)
///     direction' = world_to_object direction
/// each component (m0 x + m1 y) + m2 z in that order.
typedef struct tact_trace_instance {
    float rows[3][4];  ///< world_to_object, and in the last column the translation of object_to_world
    float lower[3];    ///< world box, padded
    uint32_t bent;     ///< 1: of shapes, and the matrix does not keep their form (core/scene/top.c)
    float upper[3];
    uint32_t id;  ///< instance id
    uint32_t mesh;
    uint32_t wide_root;  ///< index of the root of the mesh's tree in `wide`
    uint32_t kind;       ///< of the mesh's primitives: TACT_KIND_. Slots are those of `blocks` or those of `shapes`
    uint32_t mask;       ///< hit by rays that share a bit
} tact_trace_instance;

/// A sphere, box or capsule: what TactShape is, in two 16-byte rows.
typedef struct tact_trace_shape {
    float a[3];
    float radius;
    float b[3];
    uint32_t primitive;  ///< TACT_NONE for a place that no leaf refers to
} tact_trace_shape;

_Static_assert(sizeof(tact_trace_triangle) == 48, "the kernels read triangles of 48 bytes");
_Static_assert(sizeof(tact_trace_instance) == 96, "the kernels read instances of 96 bytes");
_Static_assert(sizeof(tact_trace_shape) == 32, "the kernels read shapes of 32 bytes");

/// Where a mesh is not there though its triangles are: one byte for each texel of an image.
typedef struct tact_trace_alpha {
    const float* uvs;  ///< two for each vertex
    const uint8_t* texels;
    uint32_t width, height;
    uint32_t wrap;       ///< TACT_ALPHA_
    uint32_t threshold;  ///< texels below it are holes
} tact_trace_alpha;

/// Bounds of the triangles of a mesh that are in range; lower > upper when there is none.
typedef struct tact_trace_bounds {
    float lower[3], upper[3];              ///< of their padded boxes
    float tight_lower[3], tight_upper[3];  ///< of their vertices
    size_t kept;                           ///< how many there are
} tact_trace_bounds;

/// A mesh as it was given, for the brute force, and where its tree is.
typedef struct tact_trace_mesh {
    const float* positions;   ///< x y z of each vertex
    const uint32_t* indices;  ///< three per triangle
    size_t vertex_count;      ///< 0 for shapes
    size_t triangle_count;    ///< 0 for shapes
    uint32_t kind;            ///< TACT_KIND_
    const tact_trace_shape* shapes;
    size_t shape_count;
    const tact_trace_alpha* alpha;              ///< NULL: none
    uint32_t wide_root;                         ///< index of the root of its tree in the scene's `wide`
    size_t wide_count, first_slot, slot_count;  ///< nodes of its tree, and its slots; of shapes no slots
    uint64_t fitted;    ///< the scene's mesh_version when its tree was fitted last, where it lies
    void* device_tree;  ///< what a device keeps of that tree, a tact_tree_builder; NULL: none does
    tact_trace_bounds bounds;
} tact_trace_mesh;

typedef struct tact_trace_scene {
    const tact_bvh8_node* wide_top;  ///< tree over `instances`, one to a leaf
    size_t wide_top_count;
    const tact_bvh8_node* wide;  ///< trees of all meshes, child and slot indices absolute
    size_t wide_count;
    const tact_triangle_block* blocks;  ///< slot s is place s % TACT_BVH8_BLOCK of block s / TACT_BVH8_BLOCK
    size_t slot_count;
    const tact_trace_shape* shapes;  ///< by slot, of the meshes that are shapes
    size_t shape_slot_count;
    bool has_shapes;                       ///< some instance is of shapes
    bool has_bent;                         ///< and its matrix does not keep their form
    bool has_hidden;                       ///< the mask of some instance is 0
    float stretch;                         ///< the most by which a direction gets longer in an instance; at least 1
    bool has_alpha;                        ///< some mesh has an alpha mask
    const tact_trace_instance* instances;  ///< in the order of that tree's leaves; empty meshes are left out
    size_t instance_count;
    const tact_trace_mesh* meshes;
    size_t mesh_count;
    const tact_trace_instance* by_id;  ///< all instances, in order of id; removed ones have the mesh TACT_NONE
    size_t by_id_count;
    const float (*matrices)[12];         ///< object_to_world, in order of id
    uint64_t serial;                     ///< no other scene of the context has, or had, this one
    uint64_t mesh_version, top_version;  ///< change when the arrays do
    uint64_t layout_version;             ///< the mesh_version since which trees were fitted and nothing else
} tact_trace_scene;

/// Bytes of what rays and other queries read of it.
static inline uint64_t tact_trace_scene_bytes(const tact_trace_scene* s)
{
    return (s->wide_count + s->wide_top_count) * sizeof(tact_bvh8_node) +
           s->slot_count / TACT_BVH8_BLOCK * sizeof(tact_triangle_block) +
           s->shape_slot_count * sizeof(tact_trace_shape) +
           s->instance_count * (sizeof(tact_trace_instance) + sizeof *s->matrices);
}

/// The triangle in a slot; returns its primitive id.
static inline uint32_t tact_trace_slot(const tact_trace_scene* scene, uint32_t slot, float a[3], float b[3], float c[3])
{
    const tact_triangle_block* block = &scene->blocks[slot / TACT_BVH8_BLOCK];
    const uint32_t i = slot % TACT_BVH8_BLOCK;
    for (int k = 0; k < 3; ++k) {
        a[k] = block->corner[0][k][i];
        b[k] = block->corner[1][k][i];
        c[k] = block->corner[2][k][i];
    }
    return block->primitive[i];
}

static inline TactShape tact_trace_shape_of(const tact_trace_shape* s)
{
    return (TactShape){s->a[0], s->a[1], s->a[2], s->b[0], s->b[1], s->b[2], s->radius};
}

/// The same boxes for the builder of trees, and their bounds. OUT_OF_MEMORY.
tact_result tact_trace_references(tact_env* env, const tact_trace_mesh* mesh, int threads,
                                  tact_build_reference* references, tact_trace_bounds* bounds);

/// The bounds alone. OUT_OF_MEMORY.
tact_result tact_trace_measure(tact_env* env, const tact_trace_mesh* mesh, int threads, tact_trace_bounds* bounds);

/// Fills in an instance's transform and world box. `lower` and `upper` bound the padded triangle boxes of its mesh.
/// False when the matrix (3 x 4, row-major) is not finite or cannot be inverted.
bool tact_trace_place(tact_trace_instance* instance, const float object_to_world[12], const float lower[3],
                      const float upper[3]);

/// Grows a world box by a mesh's box, moved by a matrix (its eight corners; no padding).
void tact_trace_grow(float lower[3], float upper[3], const float object_to_world[12], const float mesh_lower[3],
                     const float mesh_upper[3]);

/// The ray in an instance's frame.
static inline TactRayFrame tact_trace_enter(const tact_trace_instance* i, float ox, float oy, float oz, float dx,
                                            float dy, float dz)
{
    const float x = ox - i->rows[0][3], y = oy - i->rows[1][3], z = oz - i->rows[2][3];
    const float px = (i->rows[0][0] * x + i->rows[0][1] * y) + i->rows[0][2] * z;
    const float py = (i->rows[1][0] * x + i->rows[1][1] * y) + i->rows[1][2] * z;
    const float pz = (i->rows[2][0] * x + i->rows[2][1] * y) + i->rows[2][2] * z;
    const float qx = (i->rows[0][0] * dx + i->rows[0][1] * dy) + i->rows[0][2] * dz;
    const float qy = (i->rows[1][0] * dx + i->rows[1][1] * dy) + i->rows[1][2] * dz;
    const float qz = (i->rows[2][0] * dx + i->rows[2][1] * dy) + i->rows[2][2] * dz;
    return tact_ray_frame(px, py, pz, qx, qy, qz);
}

// Walks over whole trees, for TACT_VALIDATE (base/asserts.h).

/// Whether a tree is what its builder was asked for: every reference in one leaf and no other primitive in any, leaves
/// within blocks, links in range, no node reached twice or never, the depth that it states, within the limit, and every
/// child's box around all references under it.
bool tact_bvh8_is_valid(const tact_bvh8* wide, const tact_build_desc* desc, const tact_build_reference* references,
                        size_t count);

/// The same of a mesh's tree in the arrays of a scene: every triangle or shape in range in one leaf, with the numbers
/// that the mesh has, and within the boxes above it, padded as the definition of a ray cast asks.
bool tact_trace_mesh_is_valid(const tact_trace_scene* scene, const tact_trace_mesh* mesh);

/// The same of the tree over instances: each with a mesh that is not empty in one leaf, as it is by id.
bool tact_trace_top_is_valid(const tact_trace_scene* scene);

// Which instances of a scene are behind planes, on the CPU.

/// Writes a tact_containment for each instance, by id: that of its world box as tact_cull_volumes() defines it, OUTSIDE
/// for those removed or without triangles. The definition: one instance after the other. `classes` has by_id_count
/// places.
void tact_top_cull_reference(const tact_trace_scene* scene, const tact_cull_table* table, uint8_t* classes);

/// The same bytes by the tree over instances.
void tact_top_cull_cpu(const tact_trace_scene* scene, const tact_cull_table* table, int threads, uint8_t* classes);
