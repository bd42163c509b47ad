// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/image/cells.h"

extern const unsigned char tact_shader_image_parity_vert[], tact_shader_image_parity_frag[],
    tact_shader_image_odd_vert[], tact_shader_image_odd_frag[];

enum {
    COUNTED = 2,  // of a batch's counts[], one for each solid
    UNIFORM_TARGET = 0,
    UNIFORM_RESOLUTION,
    UNIFORM_SLOTS,
    UNIFORM_FIRST = UNIFORM_SLOTS
};

struct tact_image_parity {
    tact_device* device;
    tact_raster* raster;
    tact_raster_program *shapes, *odd;
    tact_image_surface surface;
    tact_buffer* counts;
};

static tact_result make_programs(tact_image_parity* p)
{
    static const tact_raster_program_desc shapes = {"image_parity", tact_shader_image_parity_vert, NULL,
                                                    tact_shader_image_parity_frag};
    static const tact_raster_program_desc odd = {"image_odd", tact_shader_image_odd_vert, NULL,
                                                 tact_shader_image_odd_frag};
    if (tact_raster_create(p->device, &p->raster) != TACT_OK) return tact_device_result(p->device);
    tact_raster_program_create(p->raster, &shapes, &p->shapes);
    return tact_raster_program_create(p->raster, &odd, &p->odd);
}

tact_result tact_image_parity_create(tact_device* device, tact_image_parity** parity)
{
    *parity = NULL;
    tact_image_parity* p = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *p);
    if (!p) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    p->device = device;
    const tact_result result = make_programs(p);
    if (result != TACT_OK) {
        tact_image_parity_destroy(p);
        return result;
    }
    *parity = p;
    return TACT_OK;
}

void tact_image_parity_destroy(tact_image_parity* p)
{
    if (!p) return;
    tact_buffer_destroy(p->counts);
    tact_raster_target_destroy(p->surface.target);
    tact_raster_program_destroy(p->shapes);
    tact_raster_program_destroy(p->odd);
    tact_raster_destroy(p->raster);
    tact_release(tact_device_env(p->device), p);
}

tact_raster* tact_image_parity_raster(const tact_image_parity* p)
{
    return p->raster;
}

// The target is as large for a call's last batch as for the others, so that it is not made anew each time.
static tact_result prepare(tact_gpu_concave* g, tact_image_batch* b)
{
    tact_image_parity* p = g->parity;
    tact_image_place_tiles(b, b->columns);
    const tact_raster_target_desc desc = {.width = b->width,
                                          .height = (b->capacity + b->columns - 1) / b->columns * b->resolution,
                                          .depth = TACT_RASTER_DEPTH_24_STENCIL_8};
    tact_image_hold_target(p->raster, &p->surface, &desc);
    tact_image_hold_views(g, b);
    tact_buffer_hold(g->device, &p->counts, COUNTED * sizeof b->counts[0]);
    return tact_buffer_fill(p->counts, 0, COUNTED * sizeof b->counts[0], 0);
}

static void draw_body(tact_gpu_concave* g, const tact_image_batch* b, int body, const tact_raster_pass* pass)
{
    const tact_image_parity* p = g->parity;
    const float target[2] = {(float)p->surface.desc.width, (float)p->surface.desc.height};
    const float slots = (float)tact_image_slots(b->resolution);
    tact_raster_set_pass(p->raster, pass);
    tact_raster_use(p->raster, p->shapes, &g->stages[body].mesh);
    tact_raster_set_float(p->shapes, UNIFORM_TARGET, target, 2);
    tact_raster_set_uint(p->shapes, UNIFORM_RESOLUTION, b->resolution);
    tact_raster_set_float(p->shapes, UNIFORM_SLOTS, &slots, 1);
    tact_image_draw_tiles(p->raster, &g->stages[body], b->tiles);
}

static void count_odd(tact_gpu_concave* g, const tact_image_batch* b, uint32_t first)
{
    static const tact_raster_pass pass = {.stencil_test = true, .stencil = TACT_RASTER_NOTEQUAL, .stencil_read = 1};
    static const tact_raster_mesh whole = {.count = 3};
    const tact_image_parity* p = g->parity;
    const float target[2] = {(float)p->surface.desc.width, (float)p->surface.desc.height};
    tact_raster_set_pass(p->raster, &pass);
    tact_raster_use(p->raster, p->odd, &whole);
    tact_raster_bind_storage(p->raster, 0, p->counts);
    tact_raster_set_float(p->odd, UNIFORM_TARGET, target, 2);
    tact_raster_set_uint(p->odd, UNIFORM_RESOLUTION, b->resolution);
    tact_raster_set_uint(p->odd, UNIFORM_FIRST, first);
    tact_raster_draw(p->raster, TACT_RASTER_TRIANGLES, 0, 1);
    tact_raster_bind_storage(p->raster, 0, NULL);
    tact_raster_settle(p->raster);
}

// The other's edges as depth, of those in a pixel the last one's; the faces of `solid` before them turn over a bit.
// Where there is no edge nothing is before it. Edges beyond the near and far side are left out, being in neither
// object; faces are not, since each counts: they are moved to that side.
static void count_inside(tact_gpu_concave* g, const tact_image_batch* b, int solid)
{
    static const tact_raster_pass edges = {.depth_write = true, .lines = true, .clips = 4};
    static const tact_raster_pass faces = {.depth = TACT_RASTER_LESS,
                                           .depth_clamp = true,
                                           .stencil_test = true,
                                           .stencil_write = 1,
                                           .front_op = TACT_RASTER_INVERT,
                                           .back_op = TACT_RASTER_INVERT,
                                           .clips = 4};
    tact_raster_clear_depth(g->parity->raster, 0.0f, 0);
    draw_body(g, b, 1 - solid, &edges);
    draw_body(g, b, solid, &faces);
    count_odd(g, b, (uint32_t)solid * TACT_IMAGE_TILES);
}

tact_result tact_image_parity_batch(tact_gpu_concave* g, tact_image_batch* b)
{
    if (prepare(g, b) != TACT_OK) return tact_device_result(g->device);
    tact_raster_bind(g->parity->raster, g->parity->surface.target);
    for (int solid = 0; solid < 2; ++solid)
        count_inside(g, b, solid);
    memset(b->counts, 0, sizeof b->counts);
    return tact_buffer_read(g->parity->counts, 0, b->counts, COUNTED * sizeof b->counts[0]);
}
