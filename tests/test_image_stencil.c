// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The way concave objects are tested by the book (Ericson, Real-Time Collision Detection, 10.3), drawn here as it is
/// written there: edges of one object as depth, then the faces of the other in front of them counted in the stencil
/// buffer. Shows what it does not see, and that tact_image_concave() does.

#include "tests/support/run.h"

#include "core/context/context.h"
#include "gpu/raster.h"
#include "tact/image_space.h"
#include "tests/support/image_lab.h"

enum { SIZE = 64 };

typedef struct lab {
    image_lab image;
    tact_device* device;
    tact_raster* raster;
    tact_raster_program* program;
    tact_raster_target* target;
    tact_raster_queries* queries;
    tact_buffer *vertices, *faces, *edges, *instances;
} lab;

static const unsigned char vertex_text[] =
    "#version 430 core\n"
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec4 row_x;\n"
    "layout(location = 2) in vec4 row_y;\n"
    "layout(location = 3) in vec4 row_z;\n"
    "void main() {\n"
    "    vec4 p = vec4(position, 1.0);\n"
    "    gl_Position = vec4(dot(row_x, p), dot(row_y, p), dot(row_z, p), 1.0);\n"
    "}\n";
static const unsigned char fragment_text[] = "#version 430 core\nvoid main() { }\n";

// A box of 8 vertices, the bits of whose numbers are x, y, z; counter-clockwise from outside.
static const uint32_t box_faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
static const uint32_t box_edges[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};

enum { BOXES_MAX = 2 };

// Up to two boxes as one object.
typedef struct object {
    float positions[BOXES_MAX * 8][3];
    uint32_t faces[BOXES_MAX * 36], edges[BOXES_MAX * 24];
    uint32_t boxes;
} object;

static void add_box(object* o, const float lower[3], const float upper[3])
{
    const uint32_t n = o->boxes++, first = 8 * n;
    for (uint32_t i = 0; i < 8; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            o->positions[first + i][k] = (i >> k) & 1 ? upper[k] : lower[k];
    for (uint32_t i = 0; i < 36; ++i)
        o->faces[36 * n + i] = first + box_faces[i];
    for (uint32_t i = 0; i < 24; ++i)
        o->edges[24 * n + i] = first + box_edges[i];
}

static int setup(void** state)
{
    lab* l = calloc(1, sizeof *l);
    *state = l;
    if (image_lab_open(&l->image) != 0) return -1;
    if (!l->image.tester) return 0;
    l->device = l->image.context->devices[tact_context_find(l->image.context, TACT_BACKEND_GL)];
    if (tact_device_enter(l->device) != TACT_OK) return -1;
    const tact_raster_program_desc program = {"stencil", vertex_text, NULL, fragment_text};
    const tact_raster_target_desc target = {.width = SIZE, .height = SIZE, .depth = TACT_RASTER_DEPTH_24_STENCIL_8};
    const bool made = tact_raster_create(l->device, &l->raster) == TACT_OK &&
                      tact_raster_program_create(l->raster, &program, &l->program) == TACT_OK &&
                      tact_raster_target_create(l->raster, &target, &l->target) == TACT_OK &&
                      tact_raster_queries_create(l->raster, 1, false, &l->queries) == TACT_OK &&
                      tact_buffer_create(l->device, sizeof(object), NULL, &l->vertices) == TACT_OK &&
                      tact_buffer_create(l->device, sizeof(object), NULL, &l->faces) == TACT_OK &&
                      tact_buffer_create(l->device, sizeof(object), NULL, &l->edges) == TACT_OK &&
                      tact_buffer_create(l->device, 48, NULL, &l->instances) == TACT_OK;
    tact_device_leave(l->device);
    return made ? 0 : -1;
}

static int teardown(void** state)
{
    lab* l = *state;
    if (l->device && tact_device_enter(l->device) == TACT_OK) {
        tact_buffer_destroy(l->vertices);
        tact_buffer_destroy(l->faces);
        tact_buffer_destroy(l->edges);
        tact_buffer_destroy(l->instances);
        tact_raster_queries_destroy(l->queries);
        tact_raster_target_destroy(l->target);
        tact_raster_program_destroy(l->program);
        tact_raster_destroy(l->raster);
        tact_device_leave(l->device);
    }
    image_lab_close(&l->image);
    free(l);
    return 0;
}

// Draws the object's faces or edges with the view's rows.
static void draw(lab* l, const object* o, bool faces, const float view[12])
{
    assert_int_equal(tact_buffer_write(l->vertices, 0, o->positions, sizeof o->positions), TACT_OK);
    assert_int_equal(tact_buffer_write(l->faces, 0, o->faces, sizeof o->faces), TACT_OK);
    assert_int_equal(tact_buffer_write(l->edges, 0, o->edges, sizeof o->edges), TACT_OK);
    assert_int_equal(tact_buffer_write(l->instances, 0, view, 48), TACT_OK);
    const tact_raster_mesh mesh = {.vertices = l->vertices,
                                   .stride = 12,
                                   .indices = faces ? l->faces : l->edges,
                                   .count = o->boxes * (faces ? 36 : 24),
                                   .instances = l->instances,
                                   .instance_vectors = 3};
    tact_raster_use(l->raster, l->program, &mesh);
    tact_raster_draw(l->raster, faces ? TACT_RASTER_TRIANGLES : TACT_RASTER_LINES, 0, 1);
}

// Pixels in which an edge of `edges` has more fronts than backs of `faces` before it, or fewer.
static uint32_t stencil_count(lab* l, const object* edges, const object* faces, const float view[12])
{
    static const float whole[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    object screen = {.boxes = 0};
    const float lower[3] = {-1, -1, 0}, upper[3] = {1, 1, 0.5f};
    add_box(&screen, lower, upper);
    uint32_t samples = 0;
    assert_int_equal(tact_device_enter(l->device), TACT_OK);
    assert_int_equal(tact_raster_begin(l->raster), TACT_OK);
    tact_raster_bind(l->raster, l->target);
    tact_raster_clear_depth(l->raster, 1.0f, 0);
    tact_raster_pass pass = {.depth_write = true, .depth_clamp = true};
    tact_raster_set_pass(l->raster, &pass);
    draw(l, edges, false, view);
    pass = (tact_raster_pass){.depth = TACT_RASTER_LESS,
                              .depth_clamp = true,
                              .stencil_test = true,
                              .stencil_read = 255,
                              .stencil_write = 255,
                              .front_op = TACT_RASTER_INCREMENT,
                              .back_op = TACT_RASTER_DECREMENT};
    tact_raster_set_pass(l->raster, &pass);
    draw(l, faces, true, view);
    pass = (tact_raster_pass){
        .stencil_test = true, .stencil = TACT_RASTER_NOTEQUAL, .stencil_read = 255, .cull_back = true};
    tact_raster_set_pass(l->raster, &pass);
    tact_raster_flush(l->raster);
    tact_raster_query_begin(l->queries, 0);
    draw(l, &screen, true, whole);
    tact_raster_query_end(l->queries);
    assert_int_equal(tact_raster_query_results(l->queries, 0, 1, &samples), TACT_OK);
    assert_int_equal(tact_raster_end(l->raster), TACT_OK);
    tact_device_leave(l->device);
    return samples;
}

static uint32_t both_ways(lab* l, const object* a, const object* b, const float view[12])
{
    return stencil_count(l, b, a, view) + stencil_count(l, a, b, view);
}

// What lies within 1 of the origin, seen along z from its far side; and seen askew.
static const float straight[12] = {0.9f, 0, 0, 0, 0, 0.9f, 0, 0, 0, 0, 0.5f, 0};
static const float askew[12] = {0.9f, 0, 0.23f, 0, 0.11f, 0.9f, 0.17f, 0, 0, 0, 0.5f, 0};

static bool concave_overlap(lab* l, const object* a, const object* b)
{
    const tact_image_body bodies[2] = {
        {.mesh = {.positions = a->positions[0],
                  .vertex_count = 8 * (size_t)a->boxes,
                  .indices = a->faces,
                  .triangle_count = 12 * (size_t)a->boxes}},
        {.mesh = {.positions = b->positions[0],
                  .vertex_count = 8 * (size_t)b->boxes,
                  .indices = b->faces,
                  .triangle_count = 12 * (size_t)b->boxes}},
    };
    tact_image_result results[2];
    for (int i = 0; i < 2; ++i) {
        const tact_image_options options = {.method = i == 0 ? TACT_IMAGE_QUERY : TACT_IMAGE_READBACK,
                                            .resolution = SIZE};
        assert_int_equal(call_image_concave(l->image.tester, &bodies[0], &bodies[1], &options, &results[i], 1),
                         TACT_OK);
    }
    assert_int_equal(results[0].overlap, results[1].overlap);
    return results[0].overlap;
}

static lab* require(void** state)
{
    lab* l = *state;
    if (!l->device) skip_because("the device is missing");
    return l;
}

TEST_AS(WITH_DEVICE, test_what_it_sees)
{
    lab* l = require(state);
    object slab = {.boxes = 0}, bar = {.boxes = 0}, off = {.boxes = 0}, within = {.boxes = 0};
    add_box(&slab, (const float[3]){-0.7f, -0.7f, -0.3f}, (const float[3]){0.7f, 0.7f, 0.3f});
    add_box(&bar, (const float[3]){-0.9f, -0.1f, -0.1f}, (const float[3]){0.1f, 0.1f, 0.1f});
    add_box(&off, (const float[3]){-0.9f, -0.1f, 0.4f}, (const float[3]){0.1f, 0.1f, 0.6f});
    add_box(&within, (const float[3]){-0.2f, -0.2f, -0.1f}, (const float[3]){0.2f, 0.2f, 0.1f});
    assert_true(both_ways(l, &slab, &bar, straight) > 0);
    assert_true(both_ways(l, &slab, &within, straight) > 0);
    assert_int_equal(both_ways(l, &slab, &off, straight), 0);
    assert_true(concave_overlap(l, &slab, &bar));
    assert_true(concave_overlap(l, &slab, &within));
    assert_false(concave_overlap(l, &slab, &off));
}

// A post through a slab, seen along the post: the edges that pierce the slab are seen from their ends, and no pixel is
// drawn. Seen askew they are there.
TEST_AS(WITH_DEVICE, test_edge_on)
{
    lab* l = require(state);
    object slab = {.boxes = 0}, post = {.boxes = 0};
    add_box(&slab, (const float[3]){-0.7f, -0.7f, -0.1f}, (const float[3]){0.7f, 0.7f, 0.1f});
    add_box(&post, (const float[3]){-0.2f, -0.2f, -0.8f}, (const float[3]){0.2f, 0.2f, 0.8f});
    assert_int_equal(both_ways(l, &slab, &post, straight), 0);
    assert_true(both_ways(l, &slab, &post, askew) > 0);
    // Ours looks straight along the post too, which is the shortest side of what both have in common.
    assert_true(concave_overlap(l, &slab, &post));
    assert_true(concave_overlap(l, &post, &slab));
}

// A bar in a slab, and behind both of them, in the same pixels, another part of the object of the bar: its edges are
// drawn later and take the place of those that pierce.
TEST_AS(WITH_DEVICE, test_one_depth_a_pixel)
{
    lab* l = require(state);
    object slab = {.boxes = 0}, bars = {.boxes = 0};
    add_box(&slab, (const float[3]){-0.7f, -0.7f, -0.3f}, (const float[3]){0.7f, 0.7f, 0.3f});
    add_box(&bars, (const float[3]){-0.9f, -0.1f, -0.1f}, (const float[3]){0.9f, 0.1f, 0.1f});
    add_box(&bars, (const float[3]){-0.9f, -0.1f, 0.4f}, (const float[3]){0.9f, 0.1f, 0.6f});
    assert_int_equal(both_ways(l, &slab, &bars, straight), 0);
    assert_true(both_ways(l, &slab, &bars, askew) > 0);
    assert_true(concave_overlap(l, &slab, &bars));
    assert_true(concave_overlap(l, &bars, &slab));
}

#define WITH_DEVICE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#include TEST_LIST
RUN_ALL(NULL, NULL)
