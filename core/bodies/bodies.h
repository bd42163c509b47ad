// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a set of bodies.

#include "core/context/context.h"
#include "core/context/guard.h"
#include "core/context/residents.h"
#include "cpu_ref/contacts/contacts.h"

struct tact_bodies {
    tact_context* context;
    tact_guard guard;  ///< its own lock is held over each query, whose contacts the set keeps

    tact_shape_tables tables;
    float* shapes;      ///< as they were given, TACT_GIVEN_SHAPE numbers each
    tact_vec3* points;  ///< of their hulls
    size_t shape_count, shape_capacity, point_count, point_capacity;

    tact_volumes* boxes;  ///< what each body may touch within; has the same ids
    tact_body* bodies;    ///< by id
    float4* rows;         ///< TACT_POSED_ROWS of each, by id
    size_t body_capacity, row_capacity;

    tact_contact* contacts;  ///< of the last query
    size_t contact_count, contact_capacity;
    bool answered;

    tact_resident kept[TACT_MAX_DEVICES];
};

/// A shape as it is recorded: kind, radius, half lengths, first point, points, 0.
enum { TACT_GIVEN_SHAPE = 8 };
