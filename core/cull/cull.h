// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a culler.

#include "core/context/context.h"
#include "core/context/residents.h"
#include "cpu_ref/cull/cull.h"

struct tact_culler {
    tact_context* context;
    uint8_t* classes;
    size_t class_capacity;
    size_t* counts;  ///< ids before each piece
    size_t count_capacity;
    uint32_t* ids;
    size_t id_capacity;
    size_t kept;
    bool has_answer;
    tact_cull_table table;
    tact_cull_tree tree;
    tact_resident resident[TACT_MAX_DEVICES];  ///< what a device keeps
};

struct tact_request;

/// For rows: whether there are not too many planes.
const char* tact_cull_check_request(const struct tact_request* request);
