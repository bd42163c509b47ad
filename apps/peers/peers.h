// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Other libraries that test meshes for overlap, for `tact bench overlap`. Which there are is decided when building.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/bodies.h"
#include "tact/body_casts.h"
#include "tact/closest.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/types.h"
#include "tact/spherecast.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Tightly packed arrays that outlive the call only.
typedef struct tact_overlap_peer_mesh {
    const float* positions;
    size_t vertex_count;
    const uint32_t* indices;
    size_t triangle_count;
} tact_overlap_peer_mesh;

typedef struct tact_overlap_peer {
    const char* name;
    /// Its trees of both meshes; NULL: no memory, or it does not take the mesh.
    void* (*make)(const tact_overlap_peer_mesh* a, const tact_overlap_peer_mesh* b);
    /// B in each pose against A, poses handed out to threads. `all`: the pairs of each pose are counted, else 1 or 0.
    /// False: something went wrong.
    bool (*run)(void* own, const float (*poses)[12], size_t count, int threads, bool all, uint64_t* found);
    void (*release)(void* own);
} tact_overlap_peer;

extern const tact_overlap_peer tact_overlap_peer_fcl;

/// NULL past the last one, as in those below.
const tact_overlap_peer* tact_overlap_peer_at(size_t index);

// Other libraries that tell how far apart meshes are, for `tact bench separation`. Which there are is decided when
// building.

typedef struct tact_separation_peer {
    const char* name;
    /// Its trees of both meshes; NULL: no memory, or it does not take the mesh.
    void* (*make)(const tact_overlap_peer_mesh* a, const tact_overlap_peer_mesh* b);
    /// The distance of B in each pose to A, on one thread; 0 or less where they overlap. False: something went wrong.
    bool (*run)(void* own, const float (*poses)[12], size_t count, double* distances);
    void (*release)(void* own);
} tact_separation_peer;

extern const tact_separation_peer tact_separation_peer_rss, tact_separation_peer_obbrss;

/// NULL past the last one.
const tact_separation_peer* tact_separation_peer_at(size_t index);

// Other libraries that find closest points and move spheres, for `tact bench near`. Which there are is decided when
// building. Their arithmetic is their own: distances and times of touch differ from ours in the last digits.

typedef struct tact_near_peer {
    const char* name;
    /// Its tree of the mesh, for queries on so many threads; NULL: no memory, or it does not take the mesh.
    void* (*make)(const tact_overlap_peer_mesh* mesh, int threads);
    /// The distance from each point to the mesh, infinite where it is too far. NULL: it does not do this.
    bool (*closest)(void* own, const tact_closest_query* queries, size_t count, float* distances);
    /// When each sphere touches the mesh, infinite where it does not. NULL: it does not do this.
    bool (*spheres)(void* own, const tact_sphere_cast* casts, size_t count, float* times);
    void (*release)(void* own);
} tact_near_peer;

extern const tact_near_peer tact_near_peer_embree, tact_near_peer_bullet;

// Other libraries that search in clouds of points, for `tact bench cloud`. Which there are is decided when building.

typedef struct tact_cloud_peer {
    const char* name;
    /// Its tree of points, x y z each, which last, for queries on so many threads; NULL: no memory.
    void* (*make)(const float* points, size_t count, int threads);
    /// The squared distances of so many nearest points of each query, ascending, infinite for none; of at most 64.
    bool (*nearest)(void* own, const tact_closest_query* queries, size_t count, uint32_t nearest, float* squares);
    /// Lists the points within each query's distance; `found`: how many in all.
    bool (*within)(void* own, const tact_closest_query* queries, size_t count, uint64_t* found);
    /// Of how many queries there is a point within the distance.
    bool (*touched)(void* own, const tact_closest_query* queries, size_t count, uint64_t* found);
    void (*release)(void* own);
} tact_cloud_peer;

extern const tact_cloud_peer tact_cloud_peer_nanoflann, tact_cloud_peer_cgal;

/// NULL past the last one.
const tact_cloud_peer* tact_cloud_peer_at(size_t index);

/// NULL past the last one.
const tact_near_peer* tact_near_peer_at(size_t index);

// Other libraries that triangulate polygons, for `tact bench solids`. Which there are is decided when building.

typedef struct tact_polygon_peer {
    const char* name;
    /// Triangulates what is in a ring of vertices whose edges do not cross, and says how many triangles that takes.
    /// False: something went wrong.
    bool (*triangulate)(const tact_vec2* ring, size_t count, uint64_t* triangles);
} tact_polygon_peer;

extern const tact_polygon_peer tact_polygon_peer_cgal;

/// NULL past the last one.
const tact_polygon_peer* tact_polygon_peer_at(size_t index);

// Other libraries that find overlapping pairs of boxes, for `tact bench pairs --peers`. Which there are is decided
// when building. They collect the pairs in lists, as who uses them would, and sort nothing.

typedef struct tact_pair_peer {
    const char* name;
    bool threaded;  ///< uses the threads it is given; else one
    /// Gets ready for `count` boxes; not timed. NULL when it cannot.
    void* (*open)(size_t count, int threads);
    /// Makes its structure of boxes that are finite; `width` is their mean width.
    bool (*build)(void* own, const tact_aabb* boxes, double width);
    /// Gives the boxes new places, by the library's own way of following motion.
    void (*move)(void* own, const tact_aabb* boxes);
    /// Collects the pairs and returns how many there are.
    uint64_t (*find)(void* own);
    /// Lets the structure go, for the next build; not timed.
    void (*clear)(void* own);
    void (*close)(void* own);
} tact_pair_peer;

/// Lists of neighbours.
typedef struct tact_neighbour_peer {
    const char* name;
    /// Gets ready to list the neighbours within `radius` of points (x y z each, copied). `sorted`: in the order that it
    /// likes best, and with the memory of an earlier search. NULL when it cannot.
    void* (*open)(const float* positions, size_t count, float radius, int threads, bool sorted);
    /// Lists them. False when it cannot.
    bool (*run)(void* own);
    /// How many there are in all lists.
    uint64_t (*count)(const void* own);
    void (*close)(void* own);
} tact_neighbour_peer;

/// Peer number `index`, or NULL beyond the last.
const tact_neighbour_peer* tact_neighbour_peer_at(size_t index);

extern const tact_neighbour_peer tact_neighbour_peer_treensearch;

/// Peer number `index`, or NULL beyond the last.
const tact_pair_peer* tact_pair_peer_at(size_t index);

extern const tact_pair_peer tact_pair_peer_embree_low, tact_pair_peer_embree_medium, tact_pair_peer_fcl,
    tact_pair_peer_bullet, tact_pair_peer_dbvt;

// Other libraries that find contacts of bodies, for `tact bench contacts` and, of all bodies, for `tact bench --peers`.
// Which there are is decided when building.

/// Arrays that outlive the call only, but for the pairs.
typedef struct tact_contact_peer_input {
    const tact_body_shape* shapes;
    const tact_hull_mesh* hulls;  ///< of each shape; empty of what is no hull
    size_t shape_count;
    const tact_body* bodies;
    size_t body_count;
    const tact_pair* pairs;
    size_t pair_count;
    int threads;
} tact_contact_peer_input;

/// Contacts of pairs. Poses are taken once.
typedef struct tact_contact_peer {
    const char* name;
    /// NULL: no memory, or it does not take a shape.
    void* (*make)(const tact_contact_peer_input* input);
    /// Finds contacts, pairs handed out to threads; `points` receives how many points each pair has, 0 where the two do
    /// not touch. False: something went wrong.
    bool (*run)(void* own, uint8_t* points);
    void (*release)(void* own);
    int mesh_threads;  ///< with meshes at most so many; 0: it takes no mesh
} tact_contact_peer;

/// NULL past the last one.
const tact_contact_peer* tact_contact_peer_at(size_t index);

extern const tact_contact_peer tact_contact_peer_bullet_cold, tact_contact_peer_bullet_warm, tact_contact_peer_fcl,
    tact_contact_peer_gjk, tact_contact_peer_mpr;

/// Likewise of peers that find distances: `points` receives 1 where the two are not apart.
const tact_contact_peer* tact_distance_peer_at(size_t index);

extern const tact_contact_peer tact_distance_peer_fcl;

/// Contacts of all bodies of a set in motion, on one thread.
typedef struct tact_world_peer {
    const char* name;
    /// No pairs.
    void* (*make)(const tact_contact_peer_input* input);
    /// Gives all bodies their poses and finds all contacts; `*touching` receives how many pairs touch.
    bool (*run)(void* own, const tact_pose* poses, size_t* touching);
    void (*release)(void* own);
} tact_world_peer;

/// NULL past the last one.
const tact_world_peer* tact_world_peer_at(size_t index);

extern const tact_world_peer tact_world_peer_bullet;

/// First hits of casts through a set that rests, on one thread.
typedef struct tact_cast_peer {
    const char* name;
    /// No pairs; the casts are copied. NULL: no memory, or it does not take a shape, or one that turns.
    void* (*make)(const tact_contact_peer_input* input, const tact_body_cast* casts, size_t count);
    /// `fractions` receives one of each cast, infinite where it touches nothing. False: something went wrong.
    bool (*run)(void* own, double* fractions);
    void (*release)(void* own);
} tact_cast_peer;

/// NULL past the last one.
const tact_cast_peer* tact_cast_peer_at(size_t index);

extern const tact_cast_peer tact_cast_peer_bullet;

#ifdef __cplusplus
}
#endif
