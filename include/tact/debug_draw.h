// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file debug_draw.h
/// Shapes, trees, rays and contacts as coloured points, lines and triangles, for inspection. The application fills in a
/// tact_debug_draw: with its own callbacks, or by tact_debug_list_draw(), which collects them in arrays for one draw
/// call each. Nothing here depends on a graphics API. The same input gives the same vertices in the same order.
///
/// A shape with a NaN or an infinity in it (but for what a function says), or with a negative radius or extent, draws
/// nothing, nor does a line, point or triangle that comes out infinite.

#include "tact/bodies.h"
#include "tact/geometry/convex.h"
#include "tact/geometry/frustum.h"
#include "tact/geometry/triangle_triangle.h"
#include "tact/raycast.h"
#include "tact/volumes.h"

/// Red, green, blue and opacity, 0 to 255.
typedef struct tact_debug_color {
    uint8_t r, g, b, a;  ///< 0 to 255; `a` 255 is opaque
} tact_debug_color;

/// 16 bytes: three floats and a colour, as vertex attributes take them.
typedef struct tact_debug_vertex {
    float position[3];       ///< in the world
    tact_debug_color color;  ///< of the vertex
} tact_debug_vertex;

/// The meaning of an element, which selects its colour.
typedef enum tact_debug_kind {
    TACT_DEBUG_VOLUME = 0,    ///< bounding volumes: boxes, spheres, capsules
    TACT_DEBUG_NODE = 1,      ///< an inner node of a tree
    TACT_DEBUG_LEAF = 2,      ///< a leaf of a tree
    TACT_DEBUG_INSTANCE = 3,  ///< the world bounds of an instance
    TACT_DEBUG_FRUSTUM = 4,
    TACT_DEBUG_PLANE = 5,
    TACT_DEBUG_TRIANGLE = 6,  ///< its outline
    TACT_DEBUG_FACE = 7,      ///< its area
    TACT_DEBUG_RAY = 8,       ///< the way of a ray to its hit
    TACT_DEBUG_MISS = 9,      ///< and of one that hits nothing
    TACT_DEBUG_HIT = 10,      ///< where it hits
    TACT_DEBUG_NORMAL = 11,
    TACT_DEBUG_CONTACT = 12,      ///< what two things have in common
    TACT_DEBUG_PENETRATION = 13,  ///< how deep they are in each other
    TACT_DEBUG_KINDS = 14
} tact_debug_kind;

/// Returns the default colour of a kind; white for an unknown kind. Thread-safe.
TACT_API tact_debug_color tact_debug_default_color(tact_debug_kind kind);

/// Takes `count` vertices: one for each point, two for each line, three for each triangle. They are valid during the
/// call only. A negative result ends the call that draws, which returns it.
typedef tact_result tact_debug_fn(const tact_debug_vertex* vertices, size_t count, void* user);

/// The output of all functions here. All bits zero is allowed and only counts.
typedef struct tact_debug_draw {
    tact_debug_fn* points;           ///< NULL: these are left out, and counted
    tact_debug_fn* lines;            ///< likewise
    tact_debug_fn* triangles;        ///< likewise
    void* user;                      ///< passed to all three
    const tact_debug_color* colors;  ///< TACT_DEBUG_KINDS of them; NULL: the defaults
    uint64_t limit;                  ///< points, lines and triangles together; 0: as many as there are
    uint64_t asked;  ///< grows by the elements of each call, drawn or beyond the limit: the limit that would show all
                     ///< of them
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_debug_draw;

// All functions return TACT_OK, TACT_INCOMPLETE when the limit left something out, or what a callback returned; some
// have errors of their own. They pass at most some hundred vertices at a time. NULL: INVALID_ARGUMENT.

// Shapes. `kind` selects the colour.

/// Draws a box: 12 lines.
TACT_API tact_result tact_debug_aabb(tact_debug_draw* draw, tact_debug_kind kind, tact_aabb box);
TACT_API tact_result tact_debug_obb(tact_debug_draw* draw, tact_debug_kind kind, const tact_obb* box);
/// Draws a box in another frame: `object_to_world` as of an instance, 3 x 4 in row-major order. 12 lines.
TACT_API tact_result tact_debug_moved_aabb(tact_debug_draw* draw, tact_debug_kind kind, tact_aabb box,
                                           const float object_to_world[12]);
/// Draws a sphere: three circles, 96 lines.
TACT_API tact_result tact_debug_sphere(tact_debug_draw* draw, tact_debug_kind kind, tact_sphere sphere);
/// Draws a capsule: 132 lines; a sphere when both ends coincide.
TACT_API tact_result tact_debug_capsule(tact_debug_draw* draw, tact_debug_kind kind, tact_capsule capsule);
/// Draws a plane: a square of `size` each way about the point of the plane nearest to `center`, with its diagonals and
/// the normal.
TACT_API tact_result tact_debug_plane(tact_debug_draw* draw, tact_plane plane, tact_vec3 center, float size);
/// Draws a triangle: three lines, and with `face` its area.
TACT_API tact_result tact_debug_triangle(tact_debug_draw* draw, tact_triangle triangle, bool face);
/// Draws the 12 edges of a frustum. Those that lead to infinity are drawn as long as `reach`, and those that lie there
/// are not. Nothing for a frustum without planes.
TACT_API tact_result tact_debug_frustum(tact_debug_draw* draw, const tact_frustum* frustum, float reach);

// Rays and contacts

/// Draws a ray from tmin to its hit, with a point there; or, when `hit` is NULL or a miss, to tmax. No line is longer
/// than `reach`; tmax may be infinite. `normal`, which may be NULL, is drawn from the hit, as long as it is.
TACT_API tact_result tact_debug_ray(tact_debug_draw* draw, const tact_ray* ray, const tact_hit* hit,
                                    const tact_vec3* normal, float reach);
/// Draws a point and its normal, `length` long.
TACT_API tact_result tact_debug_contact(tact_debug_draw* draw, tact_vec3 point, tact_vec3 normal, float length);
/// Draws what triangles have in common, in a frame as of an instance (NULL: the world): lines and points. Those in one
/// plane have an area, which is not drawn.
TACT_API tact_result tact_debug_triangle_contacts(tact_debug_draw* draw, const tact_triangle_contact* contacts,
                                                  size_t count, const float object_to_world[12]);
/// Draws the points on both shapes, the lines between them, and the normal, `length` long.
TACT_API tact_result tact_debug_manifold(tact_debug_draw* draw, const tact_manifold* manifold, float length);

// Bodies. Their positions have double precision; what is drawn is relative to `origin`, three numbers, NULL for zeros.

/// Draws every body of a set, in order of id: spheres and capsules as tact_debug_sphere() and tact_debug_capsule() do,
/// the edges of boxes and hulls, or with a radius the outlines of their faces, moved out by it; a half-space as a
/// square of `size` about its position, with its normal; the circles of cylinders and cones; the parts of compounds;
/// the edges of meshes and height fields, without their radius. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_debug_bodies(tact_debug_draw* draw, const tact_bodies* set, const double origin[3],
                                       float size);

/// Draws contacts of a set's bodies, `count` of them: their points, from there the normal, `length` long, and lines
/// from the surface of body a to that of body b, which are as long as the bodies are deep in each other or apart. The
/// bodies are where they were when the contacts were found. Errors: INVALID_ARGUMENT (a body that is not in the set;
/// the detail says of which contact; nothing is drawn).
TACT_API tact_result tact_debug_body_contacts(tact_debug_draw* draw, const tact_bodies* set,
                                              const tact_contact* contacts, size_t count, const double origin[3],
                                              float length);

// Contents of sets and scenes

/// Draws every volume of a set, in order of id. Reads the buffer of a bound set. Errors: the device's, OUT_OF_MEMORY.
TACT_API tact_result tact_debug_volumes(tact_debug_draw* draw, tact_volumes* set);

/// Draws the world bounds of all instances of a committed scene, in order of id; of one instance; or the box of its
/// mesh, moved by its matrix, which fits more tightly. Errors: INVALID_ARGUMENT (not committed, no such instance).
TACT_API tact_result tact_debug_scene_bounds(tact_debug_draw* draw, const tact_scene* scene);
TACT_API tact_result tact_debug_instance_bounds(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance);
TACT_API tact_result tact_debug_instance_box(tact_debug_draw* draw, tact_debug_kind kind, const tact_scene* scene,
                                             uint32_t instance);

/// The level of a tree that shows nothing but its leaves.
#define TACT_DEBUG_LEAVES 0xffffffffu

/// Draws the boxes of a tree that are `level` steps below its root, and the leaves above that level, so that together
/// they hold all: of the tree over a scene's instances, or of an instance's mesh, moved by its matrix. Errors:
/// INVALID_ARGUMENT (not committed, no such instance).
TACT_API tact_result tact_debug_scene_tree(tact_debug_draw* draw, const tact_scene* scene, uint32_t level);
TACT_API tact_result tact_debug_instance_tree(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance,
                                              uint32_t level);

/// Returns the number of levels of those trees: this less one shows the same as TACT_DEBUG_LEAVES. 0 without a tree.
TACT_API uint32_t tact_debug_scene_levels(const tact_scene* scene);
TACT_API uint32_t tact_debug_instance_levels(const tact_scene* scene, uint32_t instance);

/// Draws the triangles of an instance as outlines, their normals from their middles, `length` long, or one triangle,
/// with its area. Errors: INVALID_ARGUMENT (not committed, no such instance or triangle).
TACT_API tact_result tact_debug_instance_edges(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance);
TACT_API tact_result tact_debug_instance_normals(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance,
                                                 float length);
TACT_API tact_result tact_debug_instance_triangle(tact_debug_draw* draw, const tact_scene* scene, uint32_t instance,
                                                  uint32_t triangle);

// A collector

/// Arrays of vertices, by the context's allocator.
typedef struct tact_debug_list tact_debug_list;

/// Creates a list. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_debug_list_create(tact_context* context, tact_debug_list** list);
/// Destroys the list, before its context. NULL is allowed.
TACT_API void tact_debug_list_destroy(tact_debug_list* list);
/// Returns a tact_debug_draw that fills the list: default colours and no limit, which may be changed. Its callbacks
/// return OUT_OF_MEMORY and keep the earlier contents.
TACT_API tact_debug_draw tact_debug_list_draw(tact_debug_list* list);
/// Empties the list and keeps the memory.
TACT_API void tact_debug_list_clear(tact_debug_list* list);

/// Returns the vertices, *count of them, valid until more is drawn. NULL when there are none.
TACT_API const tact_debug_vertex* tact_debug_list_points(const tact_debug_list* list, size_t* count);
TACT_API const tact_debug_vertex* tact_debug_list_lines(const tact_debug_list* list, size_t* count);
TACT_API const tact_debug_vertex* tact_debug_list_triangles(const tact_debug_list* list, size_t* count);
