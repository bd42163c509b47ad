// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The kernel dialect: one text that the C preprocessor turns into a GLSL 4.30 compute shader (TACT_GLSL), an OpenCL C
// 1.2 kernel (TACT_OPENCL), or, for headers that hold arithmetic only, plain C (neither). docs/kernels.md is the guide.
//
// Results must have the same bits everywhere, so anything a result depends on uses + - * tact_div tact_sqrt floor,
// comparisons, (a < b ? a : b) and integer operations only; every float that such an expression is stored to is
// declared PRECISE. No fma, no dot, cross, length, normalize, mix, min or max of floats, no transcendental functions.
#ifndef TACT_DIALECT_H
#define TACT_DIALECT_H

// Functions that read a kernel's buffers name each before their other parameters, FROM(type, name), and are called
// WITH(name): of GLSL the buffer is known everywhere, elsewhere it is a parameter. A structure that a function changes
// is a parameter INOUT(type, name), ITS(name) in the function, and BY(name) in its calls.
#if defined(TACT_GLSL)

#include "dialect_glsl.h"

#elif defined(TACT_OPENCL)

#define FN
#define FROM(type, name) __global const type *restrict name,
#define WITH(name) name,
#define INOUT(type, name) type* name
#define ITS(name) (*(name))
#define BY(name) (&(name))
#define PRECISE
#define STRUCT(name)          \
    typedef struct name name; \
    struct name
#define make_uint2 (uint2)
#define make_uint4 (uint4)
#define make_float4 (float4)
#define to_uint(x) ((uint)(x))
#define to_int(x) ((int)(x))
#define to_float(x) ((float)(x))
#define SQRT_DEVICE(x) sqrt(x)
#define FLOOR(x) floor(x)
#define ABS(x) fabs(x)
#define POPCOUNT(x) popcount(x)
#define AT_MOST4(a, b) select((uint4)(0u), (uint4)(1u), (a) <= (b))

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef FN
#define FN static inline
#endif
#define FROM(type, name) const type *name,
#define WITH(name) name,
#define INOUT(type, name) type* name
#define ITS(name) (*(name))
#define BY(name) (&(name))
#define PRECISE
#define STRUCT(name)          \
    typedef struct name name; \
    struct name
#define SQRT_DEVICE(x) sqrtf(x)
#define FLOOR(x) floorf(x)
#define ABS(x) fabsf(x)
#define to_uint(x) ((uint32_t)(x))
#define to_int(x) ((int32_t)(x))
#define to_float(x) ((float)(x))
typedef uint32_t uint;
typedef struct float4 {
    float x, y, z, w;
} float4;
typedef struct uint4 {
    uint32_t x, y, z, w;
} uint4;
static inline uint32_t as_uint(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float as_float(uint32_t x)
{
    float value;
    memcpy(&value, &x, sizeof value);
    return value;
}
static inline uint32_t tact_popcount(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
#define POPCOUNT(x) tact_popcount(x)
#ifndef TACT_CORRECT_DIV
#define TACT_CORRECT_DIV 0
#define TACT_CORRECT_SQRT 0
#define TACT_FLUSHES 0
#endif

#endif

#include "arithmetic.h"

#endif
