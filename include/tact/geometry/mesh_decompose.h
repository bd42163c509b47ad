// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/mesh_decompose.h
/// Convex parts that together hold a solid, for collision queries on compounds. The solid is cut by planes, exactly,
/// and each piece's convex hull is a part; so every point of the solid is in a part, and what the parts hold beyond it,
/// the excess, is what is made small. Sources: Ericson, "Real-Time Collision Detection", 2005, section 12.5.2; Mamou
/// and Ghorbel, "A simple and efficient approach for 3D mesh approximate convex decomposition", 2009; Asafi, Goren,
/// Cohen-Or, "Weak convex decomposition by lines-of-sight", 2013.

#include "tact/geometry/mesh_report.h"

/// When to stop. Start with all zeros.
typedef struct tact_decompose_settings {
    uint32_t most;       ///< parts at most; 0: 16
    float excess;        ///< the volume of all parts less that of the solid, as a share of this, that is small enough;
                         ///< 0: 0.01
    uint32_t corners;    ///< of a part at most, 8 or more, by tact_hull_around(); 0: as many as it has
    uint32_t positions;  ///< planes that are tried along each direction; 0: 7
    tact_progress_fn* progress;  ///< called after each cut and for pairs of pieces; NULL: nothing
    void* user;                  ///< for `progress`
    uint64_t reserved[4];        ///< zeros
} tact_decompose_settings;

/// The parts, until tact_decomposition_free().
typedef struct tact_decomposition {
    tact_mesh_copy* parts;     ///< closed convex meshes, the largest first
    size_t count;              ///< of `parts`
    double volume;             ///< of the solid
    double hull_volume;        ///< of the parts, added up: where they overlap it counts more than once
    uint64_t cuts;             ///< planes that the solid was cut by
    tact_allocator allocator;  ///< of the array
    uint64_t reserved[4];      ///< zeros
} tact_decomposition;

/// Finds convex parts of the solid that a mesh encloses. The piece with the largest excess is cut first, by
/// the plane that leaves the least, of planes across the axes and across
/// the piece's principal directions, through notches and anywhere, and of faces at notches: of hidden pairs of points
/// of its surface, of notches and of the excess of both sides, each as a share of what there was, the sum counts. In
/// the end two parts become one as long as there are too many or the excess allows it, the pair that adds the least
/// first. Of equal input the result is equal. `settings` and `allocator` may be NULL. Errors: INVALID_ARGUMENT as
/// tact_mesh_combine() has it, but for the parts of a surface, which may pass through each other and themselves where
/// no plane cuts both; a mesh that encloses nothing; an excess that is negative or not finite, more than 1,024 parts or
/// 1,024 positions, 1 to 7 corners; OUT_OF_MEMORY; CANCELLED, by `progress`; LIMIT. `decomposition` is then empty.
TACT_API tact_result tact_mesh_decompose(const tact_mesh_view* mesh, const tact_decompose_settings* settings,
                                         const tact_allocator* allocator, tact_decomposition* decomposition);

/// Frees the parts and clears the struct. A zeroed struct is allowed.
TACT_API void tact_decomposition_free(tact_decomposition* decomposition);
