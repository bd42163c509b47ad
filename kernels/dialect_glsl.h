// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The kernel dialect in GLSL (dialect.h). Shaders that share arithmetic with kernels include it too.
#define FN
#define FROM(type, name)
#define WITH(name)
#define INOUT(type, name) inout type name
#define ITS(name) name
#define BY(name) name
#define PRECISE precise
#define STRUCT(name) struct name
#define float2 vec2
#define float4 vec4
#define uint2 uvec2
#define uint4 uvec4
#define int4 ivec4
#define make_uint2 uvec2
#define make_uint4 uvec4
#define make_float4 vec4
#define as_float(x) uintBitsToFloat(x)
#define as_uint(x) floatBitsToUint(x)
#define to_uint(x) uint(x)
#define to_int(x) int(x)
#define to_float(x) float(x)
#define SQRT_DEVICE(x) sqrt(x)
#define FLOOR(x) floor(x)
#define ABS(x) abs(x)
#define POPCOUNT(x) uint(bitCount(x))
#define AT_MOST4(a, b) uvec4(lessThanEqual(a, b))
