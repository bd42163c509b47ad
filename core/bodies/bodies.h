// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a set of bodies.

#include "core/context/context.h"
#include "core/context/guard.h"
#include "core/context/residents.h"
#include "core/query/ask.h"
#include "cpu_ref/contacts/contacts.h"

struct tact_bodies {
    tact_context* context;
    tact_guard guard;  ///< its own lock is held over each query, whose contacts the set keeps

    tact_shape_tables tables;
    float* shapes;    ///< as they were given, TACT_GIVEN_SHAPE numbers each
    uint32_t* words;  ///< of their points, triangles, heights and parts
    size_t shape_count, shape_capacity, word_count, word_capacity;

    tact_volumes* boxes;  ///< what each body may touch within; has the same ids
    tact_body* bodies;    ///< by id
    float4* rows;         ///< TACT_POSED_ROWS of each, by id
    size_t body_capacity, row_capacity;

    tact_contact_items items;  ///< of the last query, where shapes have parts
    tact_contact* contacts;    ///< of the last query
    size_t contact_count, contact_capacity;
    bool answered;

    tact_resident kept[TACT_MAX_DEVICES];
};

/// A shape as it is recorded: kind, radius, half lengths; first word of its points, points; first word of its
/// triangles, heights or parts, and how many triangles, columns or parts; rows; whether it has one side. A part: shape,
/// scale, position, rotation.
enum { TACT_GIVEN_SHAPE = 11, TACT_GIVEN_PART = 9 };

/// Places are at most so far from the origin along each axis.
#define TACT_MOST_PLACE 0x1p40

/// Whether 0 <= x <= TACT_MOST_PLACE.
bool tact_is_length(float x);

/// Brings a rotation or a scale to the form in which it is kept. False: it is none.
bool tact_take_rotation(tact_quat* q, double* length);
bool tact_take_scale(float* scale);

/// The shape of a record's row. NULL, or what is wrong with it.
const char* tact_given_shape(const float* row, const tact_given* words, tact_body_shape* shape);
