// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Turns a kernel's declaration into code. A kernel file reads
//
//     #define KERNEL_NAME scan_blocks
//     #define KERNEL_GROUP 256
//     #define KERNEL_PARAMS                  // buffers first (at most 8), numbered from 0; then values, from 0
//         READ(0, uint, keys)                // buffer the kernel only reads
//         WRITE(1, uint, sums)               // buffer the kernel reads and writes
//         VALUE(0, uint, count)              // a uint, int or float
//     #define KERNEL_SHARED SHARED(uint, partial, 256)     // memory of the work group; may be absent
//     #include "kernel.h"
//     #ifdef KERNEL_BODY
//     ... functions: take and return values, never touch buffers ...
//     KERNEL_BEGIN
//     ... statements; return is allowed where no BARRIER follows ...
//     KERNEL_END
//     #endif
//
// (with \ at the line ends of KERNEL_PARAMS). Between KERNEL_BEGIN and KERNEL_END, LOCAL_ID, GROUP_ID, GROUP_COUNT and
// GLOBAL_ID are uint. A launch may have a few work groups more than asked for, so every kernel checks its ids against a
// count it was given. BARRIER must be reached by every item of the group. Buffers hold uint, int, float and their 2-
// and 4-vectors.
//
// Two more modes include every kernel file for its parameter list: TACT_DESCRIBE for gpu/kernel_table.c, and TACT_ARGS
// for the structs of arguments, which cmake/GenerateArgs.cmake writes.
#ifndef CONCAT
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#endif

#if defined(TACT_DESCRIBE)

#define READ(index, type, name) {#name, TACT_PARAM_READ, index},
#define WRITE(index, type, name) {#name, TACT_PARAM_WRITE, index},
#define VALUE(index, type, name) {#name, TACT_PARAM_##type, index},
static const tact_kernel_param CONCAT(params_, KERNEL_NAME)[] = {KERNEL_PARAMS};
enum { CONCAT(group_, KERNEL_NAME) = KERNEL_GROUP };
#undef READ
#undef WRITE
#undef VALUE
#undef KERNEL_NAME
#undef KERNEL_GROUP
#undef KERNEL_PARAMS
#ifdef KERNEL_SHARED
#undef KERNEL_SHARED
#endif

#elif defined(TACT_ARGS)

#define ARGUMENT_uint uint32_t
#define ARGUMENT_int int32_t
#define ARGUMENT_float float
#define READ(index, type, name) tact_buffer* name;
#define WRITE(index, type, name) tact_buffer* name;
#define VALUE(index, type, name) ARGUMENT_##type name;
TACT_ARGS_BEGIN CONCAT(KERNEL_NAME, _args){KERNEL_PARAMS} TACT_ARGS_END
#undef READ
#undef WRITE
#undef VALUE
#undef KERNEL_NAME
#undef KERNEL_GROUP
#undef KERNEL_PARAMS
#ifdef KERNEL_SHARED
#undef KERNEL_SHARED
#endif

#else

#define KERNEL_BODY 1
#include "dialect.h"

#if defined(TACT_GLSL)

layout(local_size_x = KERNEL_GROUP, local_size_y = 1, local_size_z = 1) in;

#define READ(index, type, name)                                                    \
    layout(std430, binding = index) readonly restrict buffer CONCAT(Buffer_, name) \
    {                                                                              \
        type name[];                                                               \
    };
#define WRITE(index, type, name)                                 \
    layout(std430, binding = index) buffer CONCAT(Buffer_, name) \
    {                                                            \
        type name[];                                             \
    };
#define VALUE(index, type, name) layout(location = index) uniform type name;
KERNEL_PARAMS
#ifdef KERNEL_SHARED
#define SHARED(type, name, size) shared type name[size];
KERNEL_SHARED
#endif
#define KERNEL_BEGIN \
    void main()      \
    {
#define KERNEL_END }
#define LOCAL_ID gl_LocalInvocationID.x
#define GROUP_ID (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)
#define GROUP_COUNT (gl_NumWorkGroups.x * gl_NumWorkGroups.y)
#define GLOBAL_ID (GROUP_ID * uint(KERNEL_GROUP) + gl_LocalInvocationID.x)
#define BARRIER                \
    {                          \
        memoryBarrierShared(); \
        barrier();             \
    }
// All give the value before.
#define ATOMIC_ADD(place, value) atomicAdd(place, value)
#define ATOMIC_OR(place, value) atomicOr(place, value)
#define ATOMIC_XOR(place, value) atomicXor(place, value)
#define ATOMIC_MIN(place, value) atomicMin(place, value)
#define ATOMIC_MAX(place, value) atomicMax(place, value)
#define ATOMIC_COMPARE_SWAP(place, expected, value) atomicCompSwap(place, expected, value)
// What may be changed by an atomic of another item meanwhile; may be out of date.
#define ATOMIC_READ(place) (place)
#define SHARED_ATOMIC_ADD(place, value) atomicAdd(place, value)
#define SHARED_ATOMIC_MIN(place, value) atomicMin(place, value)
#define SHARED_ATOMIC_OR(place, value) atomicOr(place, value)

#elif defined(TACT_OPENCL)

#define READ(index, type, name) __global const type *restrict name,
#define WRITE(index, type, name) __global type *name,
#define VALUE(index, type, name) const type name,
#define SHARED(type, name, size) __local type name[size];
#ifdef KERNEL_SHARED
#define KERNEL_SHARED_DECLARATIONS KERNEL_SHARED
#else
#define KERNEL_SHARED_DECLARATIONS
#endif
// The last parameter only ends the list, whose entries all close with a comma.
#define KERNEL_BEGIN                                                                     \
    __kernel __attribute__((reqd_work_group_size(KERNEL_GROUP, 1, 1))) void KERNEL_NAME( \
        KERNEL_PARAMS const uint kernel_end)                                             \
    {                                                                                    \
        KERNEL_SHARED_DECLARATIONS
#define KERNEL_END }
#define LOCAL_ID ((uint)get_local_id(0))
#define GROUP_ID ((uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0)))
#define GROUP_COUNT ((uint)(get_num_groups(0) * get_num_groups(1)))
#define GLOBAL_ID (GROUP_ID * (uint)(KERNEL_GROUP) + LOCAL_ID)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE);
// Functions with names of their own, which a metered kernel counts (gpu/modelled.c).
#define ATOMIC_FUNCTION(name)                                     \
    uint buffer_##name(volatile __global uint* place, uint value) \
    {                                                             \
        return name(place, value);                                \
    }
ATOMIC_FUNCTION(atomic_add)
ATOMIC_FUNCTION(atomic_or)
ATOMIC_FUNCTION(atomic_xor)
ATOMIC_FUNCTION(atomic_min)
ATOMIC_FUNCTION(atomic_max)
uint buffer_atomic_swap(volatile __global uint* place, uint expected, uint value)
{
    return atomic_cmpxchg(place, expected, value);
}
#define ATOMIC_ADD(place, value) buffer_atomic_add(&(place), value)
#define ATOMIC_OR(place, value) buffer_atomic_or(&(place), value)
#define ATOMIC_XOR(place, value) buffer_atomic_xor(&(place), value)
#define ATOMIC_MIN(place, value) buffer_atomic_min(&(place), value)
#define ATOMIC_MAX(place, value) buffer_atomic_max(&(place), value)
#define ATOMIC_COMPARE_SWAP(place, expected, value) buffer_atomic_swap(&(place), expected, value)
// OpenCL 1.2 knows no other.
#define ATOMIC_READ(place) buffer_atomic_or(&(place), 0u)
#define SHARED_ATOMIC_ADD(place, value) atomic_add(&(place), value)
#define SHARED_ATOMIC_MIN(place, value) atomic_min(&(place), value)
#define SHARED_ATOMIC_OR(place, value) atomic_or(&(place), value)

#endif
#endif
