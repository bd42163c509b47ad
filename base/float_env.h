// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The floating-point environment. A caller may round upwards, flush subnormal numbers to zero or trap on overflow;
/// the results must not show it. Every public function that computes, and every worker of a loop, works in the default
/// environment and puts the caller's back.

#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float and double are each computed in their own precision, never in a wider one");

#if defined(__x86_64__) || defined(_M_X64)

// Nothing here is computed by the x87 unit, whose state takes some 50 ns to read and write.
#include <xmmintrin.h>

typedef struct tact_float_env {
    unsigned caller;
} tact_float_env;

static inline void tact_float_env_enter(tact_float_env* saved)
{
    saved->caller = _mm_getcsr();
    _mm_setcsr(0x1f80);  // to nearest, subnormal numbers as they are, no traps
}

static inline void tact_float_env_leave(const tact_float_env* saved)
{
    _mm_setcsr(saved->caller);
}

#else

#include <fenv.h>

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

#endif
