// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What tests of bodies that move as grains share. Include after run.h.

#include "tact/body_grains.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

static inline void expect_good(tact_result result)
{
    if (result != TACT_OK) fail_msg("%s: %s", tact_result_name(result), tact_context_error(context));
}

/// An empty set, until the test ends.
static inline tact_bodies* new_body_set(void)
{
    tact_bodies* set = NULL;
    expect_good(tact_bodies_create(context, &set));
    return KEEP(set);
}
