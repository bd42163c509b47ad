// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The floating-point environment. A caller may round upwards, flush subnormal numbers to zero or trap on overflow;
/// the results must not show it. Every public function that computes, and every worker of a loop, works in the default
/// environment and puts the caller's back.

#include <fenv.h>
#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float and double are each computed in their own precision, never in a wider one");

typedef struct tact_float_env {
    fenv_t caller;
} tact_float_env;

static inline void tact_float_env_enter(tact_float_env* saved)
{
    fegetenv(&saved->caller);
    fesetenv(FE_DFL_ENV);
}

static inline void tact_float_env_leave(const tact_float_env* saved)
{
    fesetenv(&saved->caller);
}
