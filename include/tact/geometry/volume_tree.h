// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/volume_tree.h
/// A bounding volume hierarchy over boxes of the caller's own: what is in the boxes only the caller's functions see.
/// Boxes are put in, taken out and moved at any time. Sources: Ericson, "Real-Time Collision Detection", 2005, chapter
/// 6; Bittner, Hapala and Havran, "Fast insertion-based optimization of bounding volume hierarchies", 2013.
///
/// No two threads may use a tree while one changes it; any number of threads may search it at once, since a search
/// writes nothing to it. A function of the caller's must not change the tree that calls it. A tree is at most
/// TACT_VOLUME_TREE_HEIGHT nodes high, whatever was done to it.
///
/// Boxes are finite, with lower <= upper on each axis; all else is refused. What does not fit a tree because it has no
/// end, such as a half-space, stays in a list beside it.

#include "tact/geometry/frustum.h"

/// A tree. Made by tact_volume_tree_create().
typedef struct tact_volume_tree tact_volume_tree;

enum {
    TACT_VOLUME_TREE_HEIGHT = 64,         ///< nodes on a way down, at most
    TACT_VOLUME_TREE_LIMIT = 0x40000000,  ///< boxes in a tree, at most
};

/// In place of an id.
#define TACT_VOLUME_TREE_NONE 0xffffffffu

/// How much work is put into a tree.
typedef enum tact_volume_tree_quality {
    TACT_VOLUME_TREE_MEDIUM = 0,  ///< surface area heuristic, in bins
    TACT_VOLUME_TREE_FAST = 1,    ///< halves along a Morton curve: a tenth of the time, searches take twice as long
    TACT_VOLUME_TREE_HIGH = 2     ///< as MEDIUM, then tact_volume_tree_optimise(): five to ten times the time
} tact_volume_tree_quality;

/// Makes a tree of `count` boxes, which are copied; a box's id is its place in the array. 104 bytes a box. Equal input
/// gives an equal tree. `allocator` may be NULL: the C library's. The caller destroys the tree. Errors:
/// INVALID_ARGUMENT (the detail says which box is none, or that an argument is NULL; `boxes` may be NULL for a count of
/// 0), LIMIT, OUT_OF_MEMORY; *tree is NULL then.
TACT_API tact_result tact_volume_tree_create(const tact_aabb* boxes, size_t count, tact_volume_tree_quality quality,
                                             const tact_allocator* allocator, tact_volume_tree** tree);

/// Frees a tree. NULL is allowed.
TACT_API void tact_volume_tree_destroy(tact_volume_tree* tree);

/// What a tree is like.
typedef struct tact_volume_tree_info {
    size_t count;          ///< boxes in it
    uint32_t id_end;       ///< ids in use are less
    uint32_t height;       ///< nodes on the longest way down, of two children each
    double cost;           ///< nodes and boxes that a random line through the root's box meets, on average
    size_t bytes;          ///< of memory
    uint64_t reserved[4];  ///< zeros
} tact_volume_tree_info;

/// Returns what a tree is like, in O(n); zeros for NULL.
TACT_API tact_volume_tree_info tact_volume_tree_get_info(const tact_volume_tree* tree);

/// Returns the box with this id; tact_aabb_empty() where there is none.
TACT_API tact_aabb tact_volume_tree_box(const tact_volume_tree* tree, uint32_t id);

/// Puts a box in where it adds least to the surfaces above it, in about the time of the height. `id` receives the last
/// id that was freed, or else the next one. Errors: INVALID_ARGUMENT (no box; NULL), LIMIT, OUT_OF_MEMORY; the tree is
/// then as before.
TACT_API tact_result tact_volume_tree_insert(tact_volume_tree* tree, tact_aabb box, uint32_t* id);

/// Takes a box out and frees its id. Errors: INVALID_ARGUMENT where there is none.
TACT_API tact_result tact_volume_tree_remove(tact_volume_tree* tree, uint32_t id);

/// Gives a box a new place. A box that meets its old place stays where it is in the tree, and the boxes above are
/// fitted; one that does not is taken out and put in again, under the same id. Errors: INVALID_ARGUMENT (no box with
/// this id; `box` is none); the tree is then as before.
TACT_API tact_result tact_volume_tree_move(tact_volume_tree* tree, uint32_t id, tact_aabb box);

/// Gives all boxes new places and fits the boxes above them, without any other change: O(n), a tenth of the time of a
/// new tree, and the better the less has moved. `boxes`: by id, `count` as many as there are ids; those of free ids are
/// not read. Errors: INVALID_ARGUMENT (another count, no box, NULL); the tree is then as before.
TACT_API tact_result tact_volume_tree_refit(tact_volume_tree* tree, const tact_aabb* boxes, size_t count);

/// Makes a new tree of the boxes as they are; ids stay. Errors: OUT_OF_MEMORY; the tree is then as before.
TACT_API tact_result tact_volume_tree_rebuild(tact_volume_tree* tree, tact_volume_tree_quality quality);

/// Improves the tree: takes each subtree out and puts it in where it costs least, `passes` times over all or until a
/// pass gains less than 1 %. Needs no memory. Returns the cost as tact_volume_tree_info has it; 0 for NULL.
TACT_API double tact_volume_tree_optimise(tact_volume_tree* tree, uint32_t passes);

// ---- searches ----

/// Receives a box that a search has found. Returns false to end the search.
typedef bool tact_volume_fn(uint32_t id, void* user);

/// Calls `found` for each box that shares a point with `box`, by tact_aabb_overlaps_aabb(), in an order that equal
/// trees have in common. Returns false where `found` has ended the search.
TACT_API bool tact_volume_tree_each_in_box(const tact_volume_tree* tree, tact_aabb box, tact_volume_fn* found,
                                           void* user);

/// Calls `found` likewise for each box that shares a point with a sphere, by tact_sphere_overlaps_aabb().
TACT_API bool tact_volume_tree_each_in_sphere(const tact_volume_tree* tree, tact_sphere sphere, tact_volume_fn* found,
                                              void* user);

/// Calls `found` likewise for each box that tact_frustum_aabb() does not say is outside a frustum. A plane that all of
/// a subtree is behind is not tested for it again.
TACT_API bool tact_volume_tree_each_in_frustum(const tact_volume_tree* tree, const tact_frustum* frustum,
                                               tact_volume_fn* found, void* user);

/// Searches in numbers: one of `boxes`, `spheres` and `frusta`, the others being NULL.
typedef struct tact_volume_tree_work {
    const tact_aabb* boxes;      ///< `count` of them
    const tact_sphere* spheres;  ///< likewise
    const tact_frustum* frusta;  ///< likewise
    size_t count;                ///< of searches
    uint64_t* offsets;  ///< receives count + 1 numbers: search i has the ids from offsets[i] to before offsets[i + 1]
    uint32_t* ids;      ///< receives at most `capacity` ids, ascending within a search
    size_t capacity;    ///< of `ids`
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_volume_tree_work;

/// Does searches as the functions above do, and lists what each finds in order of id. Where there are more ids than
/// `capacity` it returns INCOMPLETE: the offsets are right, the last one is the capacity needed, and the lists that fit
/// whole are written. Threads may do parts of the work each, with rooms of their own. Errors: INVALID_ARGUMENT (NULL,
/// `ids` only where the capacity is 0; none or more than one kind of search).
TACT_API tact_result tact_volume_tree_find(const tact_volume_tree* tree, const tact_volume_tree_work* work);

/// Receives a box that a ray meets before `end`. Returns where the ray ends from now on: `end`, or the t of a hit with
/// what is in the box, and less than the ray's tmin to end the search. A NaN or more than `end` changes nothing.
typedef float tact_volume_ray_fn(uint32_t id, const tact_ray* ray, float end, void* user);

/// Calls `met` for boxes that a ray meets, by tact_ray_aabb() with the ray's end as it then is, nearer subtrees first.
/// Where `met` returns `end` always, that is for all boxes which tact_ray_aabb() says are hit. Returns the last end:
/// the t of the closest hit, or the ray's tmax. Rays that tact_ray_aabb() calls invalid meet nothing.
TACT_API float tact_volume_tree_ray(const tact_volume_tree* tree, const tact_ray* ray, tact_volume_ray_fn* met,
                                    void* user);

/// A box that is near.
typedef struct tact_volume_neighbour {
    uint32_t id;      ///< of the box
    float distance2;  ///< square of the distance
} tact_volume_neighbour;

/// Returns the square of the distance of a point from what is in a box. More than `limit2`, infinity too, means that it
/// is too far away, NaN that there is nothing. It must not be less than that of the box by more than 2^-20 of itself.
typedef float tact_volume_distance_fn(uint32_t id, tact_vec3 point, float limit2, void* user);

/// Finds the `most` boxes nearest to a point, by the caller's distance, or by that of the boxes where `distance` is
/// NULL, no further than `limit2`; ties by id. Best first: as long as the queue of 256 places on the stack suffices, no
/// box is asked for that is further away than the last one found; subtrees for which it has no room are searched at
/// once. Writes to `found`, nearest first, and returns how many. 0 for a NaN or an infinity in the point, or a limit
/// that is negative or NaN; it may be infinite.
TACT_API size_t tact_volume_tree_nearest(const tact_volume_tree* tree, tact_vec3 point, float limit2,
                                         tact_volume_distance_fn* distance, void* user, tact_volume_neighbour* found,
                                         size_t most);

// ---- pairs of two trees ----

/// Which of two nodes is opened where their boxes meet (Ericson 6.3.1). All rules find the same pairs.
typedef enum tact_descent {
    TACT_DESCEND_LARGER = 0,    ///< that with the larger surface
    TACT_DESCEND_FIRST = 1,     ///< the first tree's down to its boxes, then the second's
    TACT_DESCEND_BOTH = 2,      ///< both at once: four pairs, fewer steps
    TACT_DESCEND_ALTERNATE = 3  ///< in turn
} tact_descent;

/// Receives a pair of boxes that share a point, of the first tree and of the second. Returns false to end the search.
typedef bool tact_volume_pair_fn(uint32_t a, uint32_t b, void* user);

/// Calls `found` for each pair of a box of `a` and one of `b` that share a point; where `a` and `b` are the same tree
/// for each two of its boxes once, the lesser id first. The order depends on the trees and the rule. Returns false
/// where `found` has ended the search. A rule that is none is TACT_DESCEND_LARGER.
TACT_API bool tact_volume_tree_each_pair(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                                         tact_volume_pair_fn* found, void* user);

/// What a search for the pairs of two trees does.
typedef struct tact_volume_pair_counts {
    uint64_t tested;       ///< pairs of two nodes or boxes that were compared
    uint64_t opened;       ///< of these those that share a point and are not two boxes
    uint64_t found;        ///< pairs of boxes that share a point
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_volume_pair_counts;

/// Counts what tact_volume_tree_each_pair() does, and finds nothing: the numbers by which a cost is worked out, as
/// n_v c_v + n_p c_p of `tested` and `found` and what each takes (Gottschalk, Lin, Manocha: OBBTree, 1996). Searches do
/// not count.
TACT_API tact_volume_pair_counts tact_volume_tree_count_pairs(const tact_volume_tree* a, const tact_volume_tree* b,
                                                              tact_descent rule);

/// Lists the same pairs, two ids each, in order of the first id, then of the second. `count` receives how many there
/// are; where they are more than `capacity` it returns INCOMPLETE and `pairs`, which may be NULL if that is 0, is
/// unspecified. Errors: INVALID_ARGUMENT (NULL).
TACT_API tact_result tact_volume_tree_pairs(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                                            uint32_t* pairs, size_t capacity, size_t* count);

/// The two boxes in which something touched when asked last. Begin with TACT_VOLUME_TREE_NONE twice.
typedef struct tact_volume_witness {
    uint32_t a, b;  ///< ids
} tact_volume_witness;

/// Tests whether `touches` returns true for any pair of boxes that share a point: for whether what is in the boxes
/// touches at all. The witness, which may be NULL, is tried first and receives the pair that was found (surface
/// caching, Ericson 6.7.1): of coherent motion most calls that say yes then take one pair. It is left as it is where
/// the answer is no. Ids that are no longer in the trees are not tried.
TACT_API bool tact_volume_tree_touch(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                                     tact_volume_pair_fn* touches, void* user, tact_volume_witness* witness);

/// Where the last search for pairs of two trees ended (front tracking, Ericson 6.7.2).
typedef struct tact_volume_front tact_volume_front;

/// Makes a front for searches of the same two trees, which may be one, by a rule. It is destroyed before they are. It
/// keeps at most `limit` pairs of nodes, 8 bytes each; 0: 16 for each box of the trees. `allocator` may be NULL.
/// Errors: INVALID_ARGUMENT (NULL), OUT_OF_MEMORY; *front is NULL then.
TACT_API tact_result tact_volume_front_create(const tact_volume_tree* a, const tact_volume_tree* b, tact_descent rule,
                                              size_t limit, const tact_allocator* allocator, tact_volume_front** front);

/// Frees a front. NULL is allowed.
TACT_API void tact_volume_front_destroy(tact_volume_front* front);

/// Finds the pairs that tact_volume_tree_each_pair() finds, in another order, beginning where the last call with this
/// front ended: right after moves and refits, which leave the nodes where they are. After any other change, where the
/// front would be larger than its limit, where there was no memory for it and where it has grown to twice the size it
/// began with, the next call begins at the roots. So nothing can fail and no pair is lost. A call that `found` ends
/// leaves the front as it was. One thread at a time may use a front; others may search the trees meanwhile.
TACT_API bool tact_volume_front_each_pair(tact_volume_front* front, tact_volume_pair_fn* found, void* user);

/// Returns how many pairs of nodes the next call begins with; 0: with the roots. 0 for NULL.
TACT_API size_t tact_volume_front_size(const tact_volume_front* front);
