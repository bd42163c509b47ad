// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The raster layer by itself: targets, passes, queries, indirect draws, copies.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "gpu/device_gl.h"
#include "gpu/raster.h"

enum { SIZE = 16 };

typedef struct lab {
    tact_context* context;
    tact_device* device;
    tact_raster* raster;
    tact_raster_program* program;
} lab;

// Squares: the vertex within the instance's box (least x and y, greatest), at its depth, in its colour.
static const unsigned char vertex_text[] =
    "#version 430 core\n"
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec4 box;\n"
    "layout(location = 2) in vec4 look;\n"
    "flat out uint id;\n"
    "void main() {\n"
    "    gl_Position = vec4(mix(box.xy, box.zw, position.xy) / 8.0 - 1.0, look.x * 2.0 - 1.0, 1.0);\n"
    "    id = uint(look.y);\n"
    "}\n";
static const unsigned char fragment_text[] =
    "#version 430 core\n"
    "flat in uint id;\n"
    "layout(location = 0) out uvec2 colour;\n"
    "void main() { colour = uvec2(id, uint(gl_FragCoord.x)); }\n";
static const unsigned char broken_text[] = "#version 430 core\nvoid main() { gl_Position = vec5(0); }\n";

static int setup(void** state)
{
    lab* l = calloc(1, sizeof *l);
    *state = l;
    const tact_context_desc desc = {.cl = TACT_DEVICE_NONE};
    if (tact_context_create(&desc, &l->context) != TACT_OK) return -1;
    const int device = tact_context_find(l->context, TACT_BACKEND_GL);
    if (device < 0) return 0;
    l->device = l->context->devices[device];
    if (tact_device_enter(l->device) != TACT_OK) return -1;
    const tact_raster_program_desc program = {"squares", vertex_text, NULL, fragment_text};
    if (tact_raster_create(l->device, &l->raster) != TACT_OK) return -1;
    return tact_raster_program_create(l->raster, &program, &l->program) == TACT_OK ? 0 : -1;
}

static int teardown(void** state)
{
    lab* l = *state;
    if (l->device) {
        tact_raster_program_destroy(l->program);
        tact_raster_destroy(l->raster);
        tact_device_leave(l->device);
    }
    tact_context_destroy(l->context);
    free(l);
    return 0;
}

static lab* require(void** state)
{
    lab* l = *state;
    need_device(l->context, TACT_BACKEND_GL);
    return l;
}

static const float square[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0};
// Box, then depth, id and two that are not looked at.
static const float squares[4][8] = {{0, 0, 8, 8, 0.5f, 7, 0, 0},
                                    {4, 4, 12, 12, 0.25f, 9, 0, 0},
                                    {20, 20, 30, 30, 0.25f, 1, 0, 0},
                                    {4, 4, 12, 12, 0.75f, 5, 0, 0}};

typedef struct drawing {
    tact_raster_target* target;
    tact_buffer *vertices, *instances, *pixels;
    tact_raster_mesh mesh;
} drawing;

static drawing begin(lab* l, tact_raster_depth depth)
{
    drawing d = {0};
    const tact_raster_target_desc desc = {
        .width = SIZE, .height = SIZE, .depth = depth, .colours = {TACT_RASTER_RG32UI}};
    assert_int_equal(tact_raster_target_create(l->raster, &desc, &d.target), TACT_OK);
    assert_int_equal(tact_buffer_create(l->device, sizeof square, square, &d.vertices), TACT_OK);
    assert_int_equal(tact_buffer_create(l->device, sizeof squares, squares, &d.instances), TACT_OK);
    assert_int_equal(tact_buffer_create(l->device, (SIZE * SIZE + 1) * 8, NULL, &d.pixels), TACT_OK);
    d.mesh = (tact_raster_mesh){
        .vertices = d.vertices, .stride = 12, .count = 6, .instances = d.instances, .instance_vectors = 2};
    assert_int_equal(tact_raster_begin(l->raster), TACT_OK);
    tact_raster_bind(l->raster, d.target);
    tact_raster_clear_depth(l->raster, 1.0f, 3);
    tact_raster_clear_uint(l->raster, 0, (const uint32_t[4]){100, 200, 0, 0});
    tact_raster_use(l->raster, l->program, &d.mesh);
    return d;
}

static void end(lab* l, drawing* d)
{
    assert_int_equal(tact_raster_end(l->raster), TACT_OK);
    tact_raster_target_destroy(d->target);
    tact_buffer_destroy(d->vertices);
    tact_buffer_destroy(d->instances);
    tact_buffer_destroy(d->pixels);
}

static void read(lab* l, drawing* d, tact_raster_plane plane, size_t words, void* to)
{
    static const uint32_t all[4] = {0, 0, SIZE, SIZE};
    assert_int_equal(tact_raster_copy(l->raster, plane, all, d->pixels, 8), TACT_OK);
    assert_int_equal(tact_buffer_read(d->pixels, 8, to, SIZE * SIZE * 4 * words), TACT_OK);
}

TEST_AS(WITH_DEVICE, test_depth_and_queries)
{
    lab* l = require(state);
    for (int kind = 1; kind <= 2; ++kind) {
        drawing d = begin(l, (tact_raster_depth)kind);
        tact_raster_queries* q = NULL;
        assert_int_equal(tact_raster_queries_create(l->raster, 5, false, &q), TACT_OK);
        tact_raster_pass pass = {.depth = TACT_RASTER_LESS, .depth_write = true, .colour_mask = 15};
        tact_raster_set_pass(l->raster, &pass);
        for (uint32_t i = 0; i < 4; ++i) {
            tact_raster_query_begin(q, i);
            tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, i, 1);
            tact_raster_query_end(q);
        }
        uint32_t samples[5];
        assert_int_equal(tact_raster_query_results(q, 0, 5, samples), TACT_OK);
        assert_int_equal(samples[0], 64);
        assert_int_equal(samples[1], 64);
        assert_int_equal(samples[2], 0);
        assert_int_equal(samples[3], 0);  // behind the second
        assert_int_equal(samples[4], 0);  // never begun
        // What is drawn on condition of the third is not drawn; of the second it is.
        pass = (tact_raster_pass){.colour_mask = 1};
        tact_raster_set_pass(l->raster, &pass);
        for (uint32_t i = 1; i < 3; ++i) {
            tact_raster_if_begin(q, i);
            tact_raster_query_begin(q, 2 + i);
            tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, i == 1 ? 3 : 0, 1);
            tact_raster_query_end(q);
            tact_raster_if_end(q);
        }
        assert_int_equal(tact_raster_query_results(q, 3, 2, samples), TACT_OK);
        assert_int_equal(samples[0], 64);
        assert_int_equal(samples[1], 0);
        static uint32_t colours[SIZE * SIZE][2];
        static float depths[SIZE * SIZE];
        read(l, &d, TACT_RASTER_COLOUR_0, 2, colours);
        read(l, &d, TACT_RASTER_DEPTH, 1, depths);
        for (uint32_t y = 0; y < SIZE; ++y) {
            for (uint32_t x = 0; x < SIZE; ++x) {
                const bool second = x >= 4 && x < 12 && y >= 4 && y < 12, first = x < 8 && y < 8;
                const uint32_t i = y * SIZE + x;
                // Of the last draw's colour only red was written.
                assert_int_equal(colours[i][0], second ? 5 : first ? 7 : 100);
                assert_int_equal(colours[i][1], second || first ? x : 200);
                assert_float_equal(depths[i], (second ? 0.25f : first ? 0.5f : 1.0f), 1e-6);
            }
        }
        tact_raster_queries_destroy(q);
        end(l, &d);
    }
}

TEST_AS(WITH_DEVICE, test_stencil)
{
    lab* l = require(state);
    drawing d = begin(l, TACT_RASTER_DEPTH_24_STENCIL_8);
    // The square is counter-clockwise: front. Four times down from 3 wraps.
    tact_raster_pass pass = {.stencil_test = true,
                             .stencil_read = 255,
                             .stencil_write = 255,
                             .front_op = TACT_RASTER_DECREMENT,
                             .back_op = TACT_RASTER_INCREMENT};
    tact_raster_set_pass(l->raster, &pass);
    for (int i = 0; i < 4; ++i)
        tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 0, 1);
    tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 1, 1);
    static uint32_t stencil[SIZE * SIZE];
    read(l, &d, TACT_RASTER_STENCIL, 1, stencil);
    assert_int_equal(stencil[0], 255);
    assert_int_equal(stencil[5 * SIZE + 5], 254);
    assert_int_equal(stencil[10 * SIZE + 10], 2);
    assert_int_equal(stencil[15 * SIZE + 15], 3);
    // Culled, nothing changes; counted where it is not 3.
    pass.cull_front = true;
    tact_raster_set_pass(l->raster, &pass);
    tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 0, 1);
    tact_raster_queries* q = NULL;
    uint32_t samples[2];
    assert_int_equal(tact_raster_queries_create(l->raster, 1, true, &q), TACT_OK);
    pass = (tact_raster_pass){
        .stencil_test = true, .stencil = TACT_RASTER_NOTEQUAL, .stencil_reference = 2, .stencil_read = 255};
    tact_raster_set_pass(l->raster, &pass);
    tact_raster_query_begin(q, 0);
    tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 1, 1);
    tact_raster_query_end(q);
    assert_int_equal(tact_raster_query_results(q, 0, 1, samples), TACT_OK);
    assert_int_equal(samples[0], 1);
    tact_raster_queries_destroy(q);
    read(l, &d, TACT_RASTER_STENCIL, 1, stencil);
    assert_int_equal(stencil[0], 255);
    end(l, &d);
}

// A bit turned over twice is as it was.
TEST_AS(WITH_DEVICE, test_inverting)
{
    lab* l = require(state);
    drawing d = begin(l, TACT_RASTER_DEPTH_24_STENCIL_8);
    const tact_raster_pass pass = {
        .stencil_test = true, .stencil_write = 16, .front_op = TACT_RASTER_INVERT, .back_op = TACT_RASTER_KEEP};
    tact_raster_set_pass(l->raster, &pass);
    for (uint32_t i = 0; i < 3; ++i)
        tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 0, i < 2 ? 2 : 1);
    static uint32_t stencil[SIZE * SIZE];
    read(l, &d, TACT_RASTER_STENCIL, 1, stencil);
    for (uint32_t i = 0; i < SIZE * SIZE; ++i)
        assert_int_equal(stencil[i], i % SIZE < 8 && i / SIZE < 8 ? 19 : 3);
    end(l, &d);
}

static const unsigned char clipped_text[] =
    "#version 430 core\n"
    "layout(location = 0) in vec3 position;\n"
    "flat out uint id;\n"
    "out float gl_ClipDistance[2];\n"
    "void main() {\n"
    "    gl_Position = vec4(position.xy * 2.0 - 1.0, 0.0, 1.0);\n"
    "    gl_ClipDistance[0] = gl_Position.x + 0.5;\n"    // x of 4 and more
    "    gl_ClipDistance[1] = -0.25 - gl_Position.y;\n"  // y below 6
    "    id = 1u;\n"
    "}\n";

// llvmpipe (Mesa 22.3) heeds all that a shader writes; so of the others the state is looked at.
TEST_AS(WITH_DEVICE, test_clip_distances)
{
    lab* l = require(state);
    const GladGLContext* gl = tact_device_gl(l->device);
    const tact_raster_program_desc desc = {"clipped", clipped_text, NULL, fragment_text};
    tact_raster_program* program = NULL;
    drawing d = begin(l, TACT_RASTER_NO_DEPTH);
    assert_int_equal(tact_raster_program_create(l->raster, &desc, &program), TACT_OK);
    tact_raster_use(l->raster, program, &d.mesh);
    for (uint8_t clips = 0; clips <= 8; ++clips) {
        const tact_raster_pass pass = {.colour_mask = 15, .clips = clips};
        tact_raster_set_pass(l->raster, &pass);
        for (uint8_t i = 0; i < 8; ++i)
            assert_int_equal(gl->IsEnabled(GL_CLIP_DISTANCE0 + i), i < clips);
        if (clips == 2) tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 0, 1);
    }
    static uint32_t colours[SIZE * SIZE][2];
    read(l, &d, TACT_RASTER_COLOUR_0, 2, colours);
    for (uint32_t i = 0; i < SIZE * SIZE; ++i)
        assert_int_equal(colours[i][0], i % SIZE >= 4 && i / SIZE < 6 ? 1 : 100);
    tact_raster_program_destroy(program);
    end(l, &d);
}

TEST_AS(WITH_DEVICE, test_indirect_and_lines)
{
    lab* l = require(state);
    drawing d = begin(l, TACT_RASTER_DEPTH_32F);
    // Without indices: count, instances, first vertex, first instance.
    static const uint32_t commands[9] = {0, 6, 1, 0, 0, 6, 2, 0, 1};
    tact_buffer* buffer = NULL;
    assert_int_equal(tact_buffer_create(l->device, sizeof commands, commands, &buffer), TACT_OK);
    const tact_raster_pass pass = {.depth = TACT_RASTER_LESS, .depth_write = true, .colour_mask = 15};
    tact_raster_set_pass(l->raster, &pass);
    tact_raster_draw_indirect(l->raster, TACT_RASTER_TRIANGLES, buffer, 4, 2);
    static uint32_t colours[SIZE * SIZE][2];
    read(l, &d, TACT_RASTER_COLOUR_0, 2, colours);
    assert_int_equal(colours[0][0], 7);
    assert_int_equal(colours[5 * SIZE + 5][0], 9);
    assert_int_equal(colours[15 * SIZE + 15][0], 100);
    tact_buffer_destroy(buffer);
    // Edges alone, with indices, in a part of the target.
    tact_raster_clear_uint(l->raster, 0, (const uint32_t[4]){0, 0, 0, 0});
    static const uint32_t indices[4] = {99, 0, 1, 2};
    assert_int_equal(tact_buffer_create(l->device, sizeof indices, indices, &buffer), TACT_OK);
    tact_raster_mesh mesh = d.mesh;
    mesh.indices = buffer;
    mesh.index_offset = 4;
    mesh.count = 3;
    const tact_raster_pass lines = {.colour_mask = 15, .lines = true, .viewport = {8, 0, 8, 8}};
    tact_raster_set_pass(l->raster, &lines);
    tact_raster_use(l->raster, l->program, &mesh);
    tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 1, 1);
    read(l, &d, TACT_RASTER_COLOUR_0, 2, colours);
    uint32_t drawn = 0, left = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; ++i) {
        drawn += colours[i][0] != 0;
        left += colours[i][0] != 0 && (i % SIZE < 9 || i / SIZE > 7);
    }
    assert_true(drawn >= 6 && drawn < 13);  // not the inside
    assert_int_equal(left, 0);
    tact_buffer_destroy(buffer);
    end(l, &d);
}

// Writes its id's bits, and counts itself in a buffer; the product of 2^30 and 2^20 tells of 64 bits.
static const unsigned char bits_text[] =
    "#version 430 core\n"
    "flat in uint id;\n"
    "layout(std430, binding = 1) buffer counts_block { uint counts[]; };\n"
    "layout(location = 0) out uvec4 colour;\n"
    "void main() {\n"
    "    int high, low;\n"
    "    imulExtended(int(1u << 30), int(1u << (id + 13u)), high, low);\n"
    "    atomicAdd(counts[id], 1u);\n"
    "    atomicMax(counts[16], uint(high));\n"
    "    colour = uvec4(id, 1u << id, 0x80000000u | id, 0xffffffffu);\n"
    "}\n";

TEST_AS(WITH_DEVICE, test_logic_and_storage)
{
    lab* l = require(state);
    drawing d = begin(l, TACT_RASTER_DEPTH_32F);
    const tact_raster_target_desc desc = {
        .width = SIZE, .height = SIZE, .depth = TACT_RASTER_NO_DEPTH, .colours = {TACT_RASTER_RGBA32UI}};
    const tact_raster_program_desc program_desc = {"bits", vertex_text, NULL, bits_text};
    tact_raster_target* target = NULL;
    tact_raster_program* program = NULL;
    tact_buffer *counts = NULL, *pixels = NULL;
    static const uint32_t none[17] = {0};
    assert_int_equal(tact_raster_target_create(l->raster, &desc, &target), TACT_OK);
    assert_int_equal(tact_raster_program_create(l->raster, &program_desc, &program), TACT_OK);
    assert_int_equal(tact_buffer_create(l->device, sizeof none, none, &counts), TACT_OK);
    assert_int_equal(tact_buffer_create(l->device, SIZE * SIZE * 16, NULL, &pixels), TACT_OK);
    for (int logic = TACT_RASTER_LOGIC_OR; logic <= TACT_RASTER_LOGIC_XOR; ++logic) {
        tact_raster_bind(l->raster, target);
        tact_raster_clear_uint(l->raster, 0, (const uint32_t[4]){8, 0, 0, 0});
        const tact_raster_pass pass = {.colour_mask = 15, .logic = (tact_raster_logic)logic};
        tact_raster_set_pass(l->raster, &pass);
        tact_raster_bind_storage(l->raster, 1, counts);
        tact_raster_use(l->raster, program, &d.mesh);
        tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 0, 2);
        tact_raster_draw(l->raster, TACT_RASTER_TRIANGLES, 1, 1);
        tact_raster_bind_storage(l->raster, 1, NULL);
        tact_raster_settle(l->raster);
        static uint32_t colours[SIZE * SIZE][4];
        static const uint32_t all[4] = {0, 0, SIZE, SIZE};
        assert_int_equal(tact_raster_copy(l->raster, TACT_RASTER_COLOUR_0, all, pixels, 0), TACT_OK);
        assert_int_equal(tact_buffer_read(pixels, 0, colours, sizeof colours), TACT_OK);
        for (uint32_t i = 0; i < SIZE * SIZE; ++i) {
            const uint32_t x = i % SIZE, y = i / SIZE;
            const bool first = x < 8 && y < 8, second = x >= 4 && x < 12 && y >= 4 && y < 12;
            uint32_t expected[4] = {8, 0, 0, 0};
            for (int k = 0; k < 3; ++k) {
                if (k == 0 ? !first : !second) continue;
                const uint32_t id = k == 0 ? 7 : 9, bits[4] = {id, 1u << id, 0x80000000u | id, 0xffffffffu};
                for (int w = 0; w < 4; ++w) {
                    if (logic == TACT_RASTER_LOGIC_OR) expected[w] |= bits[w];
                    if (logic == TACT_RASTER_LOGIC_XOR) expected[w] ^= bits[w];
                }
            }
            assert_memory_equal(colours[i], expected, sizeof expected);
        }
    }
    uint32_t counted[17];
    assert_int_equal(tact_buffer_read(counts, 0, counted, sizeof counted), TACT_OK);
    assert_int_equal(counted[7], 2 * 64);
    assert_int_equal(counted[9], 4 * 64);
    assert_int_equal(counted[16], 1 << 20);
    tact_raster_program_destroy(program);
    tact_raster_target_destroy(target);
    tact_buffer_destroy(counts);
    tact_buffer_destroy(pixels);
    end(l, &d);
}

TEST_AS(WITH_DEVICE, test_errors)
{
    lab* l = require(state);
    tact_raster_target* target = NULL;
    tact_raster_target_desc desc = {.width = 0, .height = 4};
    assert_int_equal(tact_raster_target_create(l->raster, &desc, &target), TACT_ERROR_LIMIT);
    tact_device_forgive(l->device);
    desc.width = tact_raster_get_limits(l->raster).target_size + 1;
    assert_int_equal(tact_raster_target_create(l->raster, &desc, &target), TACT_ERROR_LIMIT);
    tact_device_forgive(l->device);
    assert_null(target);
    tact_raster_program* program = NULL;
    const tact_raster_program_desc broken = {"broken", broken_text, NULL, fragment_text};
    assert_int_equal(tact_raster_program_create(l->raster, &broken, &program), TACT_ERROR_KERNEL_BUILD);
    tact_device_forgive(l->device);
    assert_null(program);
    assert_non_null(strstr(tact_context_error(l->context), "broken"));
    // A failure leaves nothing behind that later calls stumble over.
    drawing d = begin(l, TACT_RASTER_DEPTH_32F);
    static const uint32_t all[4] = {0, 0, SIZE, SIZE};
    assert_int_equal(tact_raster_copy(l->raster, TACT_RASTER_COLOUR_0, all, d.pixels, 16), TACT_ERROR_INTERNAL);
    tact_device_forgive(l->device);
    end(l, &d);
}

#define WITH_DEVICE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#include TEST_LIST
RUN_ALL(NULL, NULL)
