// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Drawing on an OpenGL device: off-screen targets, shader programs, occlusion queries, and what was drawn as a buffer
/// that kernels reduce. Shows no type of OpenGL.
///
/// All calls lie between tact_device_enter and tact_device_leave. Those that draw, clear or query also lie between
/// tact_raster_begin and tact_raster_end, which save and restore everything that drawing changes in a context of the
/// caller's. Kernels may be launched in between. What kernels and copies have written is seen by later draws, and what
/// was drawn by later copies, without further ado.

#include "gpu/device.h"

typedef struct tact_raster tact_raster;
typedef struct tact_raster_target tact_raster_target;
typedef struct tact_raster_program tact_raster_program;
typedef struct tact_raster_queries tact_raster_queries;

/// UNSUPPORTED: the device is not OpenGL.
tact_result tact_raster_create(tact_device* device, tact_raster** raster);
/// NULL is allowed. After all that was made from it.
void tact_raster_destroy(tact_raster* raster);

typedef struct tact_raster_limits {
    uint32_t target_size;    ///< width and height of a target at most
    uint32_t subpixel_bits;  ///< vertices are put on a grid of 2^-bits pixels
    bool zero_to_one;        ///< passes may have it
} tact_raster_limits;
tact_raster_limits tact_raster_get_limits(const tact_raster* raster);

/// INVALID_ARGUMENT: the caller's context counts samples or records vertices, which drawing would disturb. A
/// conditional render of the caller's cannot be seen: there must be none.
tact_result tact_raster_begin(tact_raster* raster);
/// Also tells errors of the draws since, which are not checked one by one.
tact_result tact_raster_end(tact_raster* raster);

// Targets

typedef enum tact_raster_depth {
    TACT_RASTER_NO_DEPTH = 0,
    TACT_RASTER_DEPTH_32F = 1,
    TACT_RASTER_DEPTH_24_STENCIL_8 = 2,
    TACT_RASTER_DEPTH_32F_STENCIL_8 = 3
} tact_raster_depth;

typedef enum tact_raster_colour {
    TACT_RASTER_NO_COLOUR = 0,
    TACT_RASTER_R32UI = 1,
    TACT_RASTER_RG32UI = 2,
    TACT_RASTER_RGBA32UI = 3,
    TACT_RASTER_R32F = 4,
    TACT_RASTER_RGBA32F = 5
} tact_raster_colour;

enum { TACT_RASTER_COLOURS = 4 };

typedef struct tact_raster_target_desc {
    uint32_t width, height;
    tact_raster_depth depth;
    tact_raster_colour colours[TACT_RASTER_COLOURS];  ///< fragment output i goes to colours[i]; ends at the first NO
} tact_raster_target_desc;

/// LIMIT: larger than the device allows; DEVICE_OUT_OF_MEMORY.
tact_result tact_raster_target_create(tact_raster* raster, const tact_raster_target_desc* desc,
                                      tact_raster_target** target);
/// Stands for a framebuffer that is there already, with the sizes, depth and colours that are stated here: fragment
/// output i goes to its colour attachment i, as its draw buffers must say. Destroying it leaves the framebuffer as it
/// is.
tact_result tact_raster_target_adopt(tact_raster* raster, uint32_t framebuffer, const tact_raster_target_desc* desc,
                                     tact_raster_target** target);
/// NULL is allowed.
void tact_raster_target_destroy(tact_raster_target* target);
/// What follows is drawn there.
void tact_raster_bind(tact_raster* raster, tact_raster_target* target);
/// These fill all of the bound target, whatever the pass.
void tact_raster_clear_depth(tact_raster* raster, float depth, uint8_t stencil);
void tact_raster_clear_uint(tact_raster* raster, uint32_t colour, const uint32_t value[4]);
void tact_raster_clear_float(tact_raster* raster, uint32_t colour, const float value[4]);

/// What is read of a target: a colour's words, or the depth as floats, or the stencil as words.
typedef enum tact_raster_plane {
    TACT_RASTER_COLOUR_0 = 0,  ///< and + i
    TACT_RASTER_DEPTH = 16,
    TACT_RASTER_STENCIL = 17
} tact_raster_plane;

/// Copies a rectangle of the bound target to a buffer on the device, row after row from the lowest y on, without gaps,
/// from byte `offset` on. Does not wait; kernels may work on it, tact_buffer_read waits. The buffer is large enough.
tact_result tact_raster_copy(tact_raster* raster, tact_raster_plane plane, const uint32_t rectangle[4], tact_buffer* to,
                             size_t offset);

// Programs

/// Shader texts end with a zero. `geometry` may be NULL. Attribute 0 is the vertex, 1 and on are the instance's
/// vectors; uniforms have explicit locations. KERNEL_BUILD with the log.
typedef struct tact_raster_program_desc {
    const char* name;
    const unsigned char* vertex;
    const unsigned char* geometry;
    const unsigned char* fragment;
} tact_raster_program_desc;
tact_result tact_raster_program_create(tact_raster* raster, const tact_raster_program_desc* desc,
                                       tact_raster_program** program);
/// NULL is allowed.
void tact_raster_program_destroy(tact_raster_program* program);
void tact_raster_set_uint(tact_raster_program* program, int location, uint32_t value);
/// `components`: 1 to 4.
void tact_raster_set_float(tact_raster_program* program, int location, const float* value, int components);

/// The buffer block of this number (layout(std430, binding = slot)) in the programs' shaders, until a kernel is
/// launched. Of what is drawn from now on; NULL: none. What shaders write there is seen by later kernels, copies and
/// draws after tact_raster_settle(). Slots: 0 to 7.
void tact_raster_bind_storage(tact_raster* raster, uint32_t slot, tact_buffer* buffer);
/// Makes what shaders wrote to buffers visible to what follows.
void tact_raster_settle(tact_raster* raster);

// Passes

typedef enum tact_raster_compare {
    TACT_RASTER_ALWAYS = 0,
    TACT_RASTER_NEVER,
    TACT_RASTER_LESS,
    TACT_RASTER_LEQUAL,
    TACT_RASTER_EQUAL,
    TACT_RASTER_NOTEQUAL,
    TACT_RASTER_GEQUAL,
    TACT_RASTER_GREATER
} tact_raster_compare;

typedef enum tact_raster_stencil_op {
    TACT_RASTER_KEEP = 0,
    TACT_RASTER_REPLACE,
    TACT_RASTER_INCREMENT,  ///< wraps, as the next does
    TACT_RASTER_DECREMENT,
    TACT_RASTER_INVERT
} tact_raster_stencil_op;

typedef enum tact_raster_blend {
    TACT_RASTER_NO_BLEND = 0,
    TACT_RASTER_BLEND_MIN,
    TACT_RASTER_BLEND_MAX,
    TACT_RASTER_BLEND_ADD
} tact_raster_blend;

/// Bit by bit, of unsigned colours: what is there and what comes.
typedef enum tact_raster_logic {
    TACT_RASTER_NO_LOGIC = 0,
    TACT_RASTER_LOGIC_OR,
    TACT_RASTER_LOGIC_XOR
} tact_raster_logic;

/// How things are drawn. All bits zero: all fragments arrive, and nothing is written but what queries count.
typedef struct tact_raster_pass {
    tact_raster_compare depth;
    bool depth_write;
    bool depth_clamp;  ///< nothing is clipped by the near and far planes
    bool zero_to_one;  ///< clip z is from 0 to w and becomes the depth as it is: where the limits say so, else ignored
    bool stencil_test;
    tact_raster_compare stencil;
    uint8_t stencil_reference, stencil_read, stencil_write;  ///< masks
    tact_raster_stencil_op front_op, back_op;                ///< where both tests pass; else KEEP
    uint8_t colour_mask;                                     ///< bits 1 2 4 8: red green blue alpha, of all colours
    tact_raster_blend blend;                                 ///< of float colours
    tact_raster_logic logic;                                 ///< of unsigned colours; then no blending
    bool cull_front, cull_back;                              ///< counter-clockwise is front
    uint8_t clips;                                           ///< clip distances that the vertex shader writes, up to 8
    bool lines;                                              ///< triangles as their edges
    float line_width;                                        ///< 0: 1
    float offset_factor, offset_units;                       ///< polygon offset
    uint32_t viewport[4];                                    ///< width 0: all of the target, which is bound before
} tact_raster_pass;
void tact_raster_set_pass(tact_raster* raster, const tact_raster_pass* pass);

typedef enum tact_raster_primitive {
    TACT_RASTER_TRIANGLES = 0,
    TACT_RASTER_LINES = 1,
    TACT_RASTER_POINTS = 2
} tact_raster_primitive;

/// Vertices, of which the shader gets three floats, and what differs from instance to instance. Buffers may be the
/// caller's, adopted.
typedef struct tact_raster_mesh {
    tact_buffer* vertices;  ///< NULL: the shader makes its vertices itself
    size_t offset;
    uint32_t stride;       ///< bytes
    tact_buffer* indices;  ///< words; NULL: vertices in order
    size_t index_offset;   ///< bytes
    uint32_t count;        ///< indices, or vertices
    tact_buffer* instances;
    size_t instance_offset;
    uint32_t instance_vectors;  ///< float4 of each instance, at most 8; 0: none
} tact_raster_mesh;

/// What the next draws draw, and with what.
void tact_raster_use(tact_raster* raster, const tact_raster_program* program, const tact_raster_mesh* mesh);
void tact_raster_draw(tact_raster* raster, tact_raster_primitive primitive, uint32_t first_instance,
                      uint32_t instances);
/// `draws` draws, with numbers that kernels may have written: five words each (count, instances, first index, base
/// vertex, first instance) with indices, else four (count, instances, first vertex, first instance), without gaps.
void tact_raster_draw_indirect(tact_raster* raster, tact_raster_primitive primitive, tact_buffer* commands,
                               size_t offset, uint32_t draws);

// Queries

/// `count` counters that may all be in flight at once. `any`: 1 or 0, and the device may stop looking at the first.
tact_result tact_raster_queries_create(tact_raster* raster, uint32_t count, bool any, tact_raster_queries** queries);
/// NULL is allowed.
void tact_raster_queries_destroy(tact_raster_queries* queries);
/// Counts the samples that pass until the end. One at a time.
void tact_raster_query_begin(tact_raster_queries* queries, uint32_t index);
void tact_raster_query_end(tact_raster_queries* queries);
/// Draws until the end happen only if the query's count is not 0; the device waits for it, not the host.
void tact_raster_if_begin(tact_raster_queries* queries, uint32_t index);
void tact_raster_if_end(tact_raster_queries* queries);
/// Sends the commands so far on their way. Before queries, and now and then between them: llvmpipe (Mesa 22.3)
/// collects triangles, and when it has room for no more while a query runs, the query's count is wrong, without a word.
/// Nothing is sent where the device is hardware.
void tact_raster_flush(tact_raster* raster);
/// The counts of queries that have ended, waiting for them. Those that were never begun are 0.
tact_result tact_raster_query_results(tact_raster_queries* queries, uint32_t first, uint32_t count, uint32_t* samples);
