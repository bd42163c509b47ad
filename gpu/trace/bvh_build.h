// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Builds a mesh's eight-wide tree on a device, and fits it to vertices that have moved. Calls must lie between
/// tact_device_enter and tact_device_leave.
///
/// The triangles are sorted by Morton codes of 63 bits; a binary tree is made of them, either all its nodes at once
/// (the linear one, fast to build) or by joining, level after level, clusters that are nearest to each other (which
/// rays go down faster); its nodes are put together to wide ones from the top down; slots are dealt out; at last the
/// boxes are made from the bottom up. No launch waits for what another item of the same launch does, and none uses
/// atomics: trees are the same in every run. They hold the triangles that are in range, as the CPU's do, so any answer
/// is that of every other tree.

#include "cpu_ref/trace/scene.h"
#include "gpu/device_array.h"

typedef enum tact_tree_method { TACT_TREE_LINEAR = 0, TACT_TREE_CLUSTERED = 1 } tact_tree_method;

/// A tree on a device, with what it takes to build another.
typedef struct tact_tree_builder tact_tree_builder;

/// Errors: OUT_OF_MEMORY.
tact_result tact_tree_builder_create(tact_device* device, tact_tree_builder** build);
/// NULL is allowed.
void tact_tree_builder_destroy(tact_tree_builder* build);

/// Builds the tree of a mesh; what was there is gone. `wide`: NULL, or takes the tree, as tact_tree_builder_read(). Of
/// a mesh that has a device_tree, another builder on this device, the triangles are copied there, and the positions
/// where it has none. Waits once, unless the tree is unlike what the one before let expect: then again for what was
/// missing. Errors: OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY, LIMIT (something is larger than a kernel can bind: about 64
/// bytes a triangle), and those of tact_device_launch. There is no tree then.
tact_result tact_tree_builder_run(tact_tree_builder* build, const tact_trace_mesh* mesh, size_t vertex_count,
                                  tact_tree_method method, tact_bvh8* wide);

/// Fits the tree to other positions of the same vertices, or, NULL, to those that were moved here. *changed: other
/// triangles than before are in range, so that the tree is of no use; build it again. `sah_cost`: NULL, or takes what
/// the tree costs now, as in tact_bvh8 but for the last digits. The tree stays there. Waits once. Errors: as
/// tact_tree_builder_run, INVALID_ARGUMENT (no tree).
tact_result tact_tree_builder_refit(tact_tree_builder* build, const float* positions, double* sah_cost, bool* changed);

/// Takes other positions of the vertices from a caller's array, `stride` bytes from one to the next, on the device
/// alone, for the tree to be fitted to them. Waits for nothing. Errors: those of tact_device_array_open and of
/// tact_device_launch.
tact_result tact_tree_builder_move(tact_tree_builder* build, const tact_device_array* array, size_t stride);

/// Reads the positions of the vertices. Errors: those of tact_buffer_read.
tact_result tact_tree_builder_read_vertices(tact_tree_builder* build, float* positions);

/// What is known here of a tree on a device.
typedef struct tact_tree_facts {
    tact_bvh8 wide;  ///< its sizes, depth and cost, as of one that is read; no nodes, no order
    /// As tact_trace_measure() of its mesh, where the device keeps subnormal numbers.
    tact_trace_bounds bounds;
    bool
        bounded;  ///< false: the bounds are not known, for software that the host is faster than, where it has vertices
} tact_tree_facts;

/// Gets what the last building or fitting found out. There must be a tree.
void tact_tree_builder_facts(const tact_tree_builder* build, tact_tree_facts* facts);

/// Whether there is a tree that is that of its vertices.
bool tact_tree_builder_has_tree(const tact_tree_builder* build);

/// Reads the tree. Free it with tact_bvh8_free. `blocks`, with the triangles of wide->slot_count slots, is the caller's
/// to release; NULL: they are not wanted. Errors: OUT_OF_MEMORY, INVALID_ARGUMENT (no tree), and those of the device.
tact_result tact_tree_builder_read(tact_tree_builder* build, tact_bvh8* wide, tact_triangle_block** blocks);

/// Takes over a tree that tact_tree_builder_read() gave, of a mesh as it is or with vertices that have moved since, to
/// be fitted here. Until it is, only fitting is allowed. Memory: about 100 bytes a triangle, less than half of what
/// building takes. Errors: OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY, LIMIT, those of tact_buffer_write; UNSUPPORTED (the
/// nodes do not lie level after level, as a device makes them).
tact_result tact_tree_builder_adopt(tact_tree_builder* build, const tact_trace_mesh* mesh, size_t vertex_count,
                                    const tact_bvh8* wide);

/// Copies the tree that another one on the same device has built, with its vertices, on the device alone; it may be
/// fitted, read and put from here then. Errors: INVALID_ARGUMENT (no tree), DEVICE_OUT_OF_MEMORY, LIMIT, and those of
/// tact_buffer_copy.
tact_result tact_tree_builder_take(tact_tree_builder* build, const tact_tree_builder* from);

/// Whether it is a device's.
bool tact_tree_builder_is_on(const tact_tree_builder* build, const tact_device* device);

/// Writes a tree, built or fitted, to its place among those of a scene, on the device alone: its nodes from node
/// `first` on, and its triangles, three rows of 16 bytes each, from slot `slot` on. Errors: INVALID_ARGUMENT (no tree),
/// and those of tact_device_launch.
tact_result tact_tree_builder_put(const tact_tree_builder* build, tact_buffer* nodes, uint32_t first,
                                  tact_buffer* triangles, uint32_t slot);

/// Device memory held.
uint64_t tact_tree_builder_bytes(const tact_tree_builder* build);
