// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Making the tables of shapes: shapes.c those without parts, shape_parts.c the others.

#include "cpu_ref/contacts/contacts.h"

/// A shape while it is added: where it begins in the tables.
typedef struct tact_adding {
    tact_env* env;
    tact_shape_tables* t;
    size_t point, face, corner, edge;
    float extent;              ///< of shapes with parts, as they find it
    tact_shape_bounds bounds;  ///< the same
} tact_adding;

/// Room for so many more rows. False: out of memory.
bool tact_room_for_shape(tact_adding* a, size_t more);
bool tact_room_for_point(tact_adding* a, size_t more);
bool tact_room_for_face(tact_adding* a, size_t more);
bool tact_room_for_corner(tact_adding* a, size_t more);
bool tact_room_for_edge(tact_adding* a, size_t more);

/// Appends a row, for which there is room.
void tact_add_point(tact_adding* a, float x, float y, float z);
void tact_add_edge(tact_adding* a, uint32_t p, uint32_t q, uint32_t left, uint32_t right);

/// Appends a face of the points from a->point on.
void tact_add_face(tact_adding* a, const double normal[3], const uint32_t* corners, uint32_t count);

tact_result tact_add_compound(tact_adding* a, const tact_body_shape* shape);
tact_result tact_add_mesh(tact_adding* a, const tact_body_shape* shape);
tact_result tact_add_height_field(tact_adding* a, const tact_body_shape* shape);
