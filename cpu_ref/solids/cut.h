// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The faces of a solid, cut along their seams with another.

#include "cpu_ref/solids/arrange.h"

/// Triangles, corners by the number among all points. They cover the surface, and where they meet they share points.
typedef struct tact_pieces {
    uint32_t* corners;  ///< three for each
    uint32_t* face;     ///< that each is of
    size_t count, corner_room, face_room;
    size_t cut_faces;
} tact_pieces;

/// Errors: OUT_OF_MEMORY; LIMIT. What it allocated is released by tact_pieces_free(), after a failure too.
tact_result tact_cut_faces(tact_arrangement* arrangement, int solid, tact_pieces* pieces);
void tact_pieces_free(tact_env* env, tact_pieces* pieces);
