// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A committed scene as a tracer sees it: flat arrays, the same on the CPU and, copied byte for byte, on a GPU.

#include "cpu_ref/bvh.h"
#include "kernels/ray_triangle.h"

/// A triangle in the order of its tree's leaves; three 16-byte rows.
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
    uint32_t root;     ///< index of the root of the mesh's tree in `nodes`
    float upper[3];
    uint32_t id;  ///< instance id
    uint32_t mesh;
    uint32_t unused[3];
} tact_trace_instance;

_Static_assert(sizeof(tact_trace_triangle) == 48, "the kernels read triangles of 48 bytes");
_Static_assert(sizeof(tact_trace_instance) == 96, "the kernels read instances of 96 bytes");

/// A mesh as it was given, for the brute force.
typedef struct tact_trace_mesh {
    const float* positions;   ///< x y z of each vertex
    const uint32_t* indices;  ///< three per triangle
    size_t triangle_count;
} tact_trace_mesh;

typedef struct tact_trace_scene {
    const tact_bvh_node* top;  ///< tree over `instances`
    size_t top_count;
    const tact_trace_instance* instances;  ///< in the order of that tree's leaves; empty meshes are left out
    size_t instance_count;
    const tact_bvh_node* nodes;  ///< trees of all meshes, child indices absolute
    size_t node_count;
    const tact_trace_triangle* triangles;
    size_t triangle_count;
    const tact_trace_mesh* meshes;
    const tact_trace_instance* by_id;  ///< all instances, in order of id; removed ones have the mesh TACT_NONE
    size_t by_id_count;
    uint64_t mesh_version, top_version;  ///< change when the arrays do
} tact_trace_scene;

/// The padded boxes of a mesh's triangles, in order of id, of those that are in range: writes at most `count` boxes and
/// ids and returns how many.
size_t tact_trace_boxes(const tact_trace_mesh* mesh, int threads, tact_bvh_box* boxes, uint32_t* ids);

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
