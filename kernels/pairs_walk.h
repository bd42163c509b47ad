// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the kernels that find pairs (pairs_tree, pairs_grid) share. Functions of the dialect cannot touch buffers, hence
// macros.
#ifndef TACT_PAIRS_WALK_H
#define TACT_PAIRS_WALK_H
#include "pairs_layout.h"

// items: the leaves that look for partners; tree: where they look. rows: lengths of the rows when counting; when
// emitting, where the next pair of a row goes. cache: how many partners each item has, then the first of them,
// [k][item]. state: two words an item, then a counter of items that are not done. details: spheres (4 words each), then
// categories.
#define TACT_PAIRS_WALK_PARAMS    \
    READ(0, uint, items)          \
    READ(1, uint4, tree)          \
    WRITE(2, uint, rows)          \
    WRITE(3, uint, cache)         \
    WRITE(4, uint, state)         \
    WRITE(5, uint, found_pairs)   \
    READ(6, uint, details_a)      \
    READ(7, uint, details_b)      \
    VALUE(0, uint, count)         \
    VALUE(1, uint, mode)          \
    VALUE(2, uint, resume)        \
    VALUE(3, uint, steps)         \
    VALUE(4, uint, first)         \
    VALUE(5, uint, end)           \
    VALUE(6, uint, base)          \
    VALUE(7, uint, shift)         \
    VALUE(8, uint, spheres_a)     \
    VALUE(9, uint, spheres_b)     \
    VALUE(10, uint, categories_a) \
    VALUE(11, uint, categories_b)

// A kernel may put something else in details_b's place.
#ifndef DETAILS_B
#define DETAILS_B details_b
#endif

// Writes the pair (a, b) to its row.
#define PAIRS_EMIT(a, b)                                      \
    if ((a) >= first && (a) < end) {                          \
        uint slot = ATOMIC_ADD(rows[a], 1u) - base;           \
        if ((mode & TACT_PAIRS_WIDE) != 0u) {                 \
            found_pairs[2u * slot] = (b);                     \
            found_pairs[2u * slot + 1u] = (a)-first;          \
        } else if ((mode & TACT_PAIRS_PACKED) != 0u) {        \
            found_pairs[slot] = (((a)-first) << shift) | (b); \
        } else {                                              \
            found_pairs[slot] = (b);                          \
        }                                                     \
    }

// Whether the pair counts beyond its boxes, into `counts`: categories, then the shapes.
#define PAIRS_EXACT(counts, a, b, lower_a, upper_a, lower_b, upper_b)                                      \
    if (categories_a != TACT_PAIRS_NOT_THERE || categories_b != TACT_PAIRS_NOT_THERE) {                    \
        uint category_a = 0xffffffffu;                                                                     \
        uint mask_a = 0xffffffffu;                                                                         \
        uint category_b = 0xffffffffu;                                                                     \
        uint mask_b = 0xffffffffu;                                                                         \
        if (categories_a != TACT_PAIRS_NOT_THERE) {                                                        \
            category_a = details_a[categories_a + 2u * (a)];                                               \
            mask_a = details_a[categories_a + 2u * (a) + 1u];                                              \
        }                                                                                                  \
        if (categories_b != TACT_PAIRS_NOT_THERE) {                                                        \
            category_b = DETAILS_B[categories_b + 2u * (b)];                                               \
            mask_b = DETAILS_B[categories_b + 2u * (b) + 1u];                                              \
        }                                                                                                  \
        counts = (category_a & mask_b) != 0u && (category_b & mask_a) != 0u;                               \
    }                                                                                                      \
    if (counts && (spheres_a != 0u || spheres_b != 0u)) {                                                  \
        uint4 sphere_a = make_uint4(0u, 0u, 0u, 0u);                                                       \
        uint4 sphere_b = make_uint4(0u, 0u, 0u, 0u);                                                       \
        if (spheres_a != 0u) {                                                                             \
            sphere_a = make_uint4(details_a[4u * (a)], details_a[4u * (a) + 1u], details_a[4u * (a) + 2u], \
                                  details_a[4u * (a) + 3u]);                                               \
        }                                                                                                  \
        if (spheres_b != 0u) {                                                                             \
            sphere_b = make_uint4(DETAILS_B[4u * (b)], DETAILS_B[4u * (b) + 1u], DETAILS_B[4u * (b) + 2u], \
                                  DETAILS_B[4u * (b) + 3u]);                                               \
        }                                                                                                  \
        if (spheres_a != 0u && spheres_b != 0u) {                                                          \
            counts = tact_pairs_spheres_meet(sphere_a, sphere_b);                                          \
        } else if (spheres_a != 0u) {                                                                      \
            counts = tact_pairs_sphere_meets_box(sphere_a, lower_b, upper_b);                              \
        } else {                                                                                           \
            counts = tact_pairs_sphere_meets_box(sphere_b, lower_a, upper_a);                              \
        }                                                                                                  \
    }

// What to do with a leaf whose box meets the item's (lower, upper, id): counts it in `found`, or writes it.
#define PAIRS_FOUND(other_id, other_lower, other_upper)                             \
    uint other = other_id;                                                          \
    bool within = (mode & TACT_PAIRS_WITHIN) != 0u;                                 \
    bool wanted = !within || (mode & TACT_PAIRS_HALF) != 0u || other > id;          \
    uint a = within && other < id ? other : id;                                     \
    uint b = within && other < id ? id : other;                                     \
    if (wanted) {                                                                   \
        PAIRS_EXACT(wanted, a, b, lower, upper, other_lower, other_upper)           \
    }                                                                               \
    if (wanted) {                                                                   \
        if ((mode & TACT_PAIRS_EMIT) != 0u) {                                       \
            PAIRS_EMIT(a, b)                                                        \
        } else {                                                                    \
            ATOMIC_ADD(rows[a], 1u);                                                \
            if (found < TACT_PAIRS_CACHED) cache[(1u + found) * count + p] = other; \
            ++found;                                                                \
        }                                                                           \
    }

// The beginning of a walk's first launch: items that take no part, or whose pairs are known, are done.
#define PAIRS_BEGIN(done)                                                           \
    if (resume == 0u) {                                                             \
        if (lower.x > upper.x) {                                                    \
            done = true;                                                            \
        } else if ((mode & TACT_PAIRS_EMIT) != 0u) {                                \
            if ((mode & TACT_PAIRS_HALF) == 0u && (id < first || id >= end)) {      \
                done = true;                                                        \
            } else if ((mode & TACT_PAIRS_CACHE) != 0u) {                           \
                uint cached = cache[p];                                             \
                if (cached <= TACT_PAIRS_CACHED) {                                  \
                    for (uint k = 0u; k < cached; ++k) {                            \
                        uint other = cache[(1u + k) * count + p];                   \
                        bool swap = (mode & TACT_PAIRS_WITHIN) != 0u && other < id; \
                        uint a = swap ? other : id;                                 \
                        uint b = swap ? id : other;                                 \
                        PAIRS_EMIT(a, b)                                            \
                    }                                                               \
                    done = true;                                                    \
                }                                                                   \
            }                                                                       \
        }                                                                           \
    } else if ((mode & TACT_PAIRS_EMIT) == 0u) {                                    \
        found = cache[p];                                                           \
    }

// The end of a launch.
#define PAIRS_END(going)                                  \
    if ((mode & TACT_PAIRS_EMIT) == 0u) cache[p] = found; \
    if (going) ATOMIC_ADD(state[2u * count], 1u);

#endif
