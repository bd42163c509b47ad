// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <math.h>
#include <string.h>

extern const unsigned char tact_shader_image_place_vert[], tact_shader_image_solid_geom[],
    tact_shader_image_depth_frag[];

enum {
    // Four floats a pixel of all tiles are the largest buffer that every device can bind.
    TARGET_SIZE = TACT_IMAGE_TARGET,
    TILES_MAX = TACT_IMAGE_TILES,
    // Of a software rasteriser a buffer must not fill up while a query runs (tact_raster_flush).
    FLUSH_TRIANGLES = 4000,
    INSTANCE_FLOATS = TACT_IMAGE_INSTANCE,
    FOUND_WORDS = TACT_IMAGE_FOUND,
    UNIFORM_TARGET = 0,
    UNIFORM_RESOLUTION,
    UNIFORM_CHANNEL = 3
};

// Depth where there is nothing.
#define NOWHERE 1e30f

struct tact_gpu_image {
    tact_device* device;
    tact_raster* raster;
    tact_raster_program* program;
    tact_image_surface depth;      // for queries
    tact_image_surface layers;     // for readback
    tact_raster_queries* queries;  // two for each tile
    tact_image_stage stages[2];
    tact_buffer* instances[2];
    tact_buffer *pixels, *found;
};

// The tests that are drawn together.
typedef struct batch {
    uint32_t resolution;
    uint32_t across;    // tiles in a row
    uint32_t capacity;  // tiles
    uint32_t tiles;
    uint32_t test[TILES_MAX];
    tact_image_fit fits[TILES_MAX];
    float instances[2][TILES_MAX][INSTANCE_FLOATS];
    uint32_t counts[2 * TILES_MAX];
    uint32_t found[TILES_MAX][FOUND_WORDS];
} batch;

tact_result tact_gpu_image_create(tact_device* device, tact_gpu_image** image)
{
    *image = NULL;
    tact_gpu_image* g = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *g);
    if (!g) return TACT_ERROR_OUT_OF_MEMORY;
    g->device = device;
    tact_result result = tact_device_enter(device);
    if (result == TACT_OK) {
        static const tact_raster_program_desc desc = {"image_depth", tact_shader_image_place_vert,
                                                      tact_shader_image_solid_geom, tact_shader_image_depth_frag};
        result = tact_raster_create(device, &g->raster);
        if (result == TACT_OK) result = tact_raster_program_create(g->raster, &desc, &g->program);
        tact_device_leave(device);
    }
    if (result != TACT_OK) {
        tact_gpu_image_destroy(g);
        return result;
    }
    *image = g;
    return TACT_OK;
}

void tact_gpu_image_destroy(tact_gpu_image* g)
{
    if (!g) return;
    const bool entered = tact_device_enter(g->device) == TACT_OK;
    for (int i = 0; i < 2; ++i) {
        tact_image_stage_release(&g->stages[i]);
        tact_buffer_destroy(g->instances[i]);
    }
    tact_buffer_destroy(g->pixels);
    tact_buffer_destroy(g->found);
    tact_raster_queries_destroy(g->queries);
    tact_raster_target_destroy(g->depth.target);
    tact_raster_target_destroy(g->layers.target);
    tact_raster_program_destroy(g->program);
    tact_raster_destroy(g->raster);
    if (entered) tact_device_leave(g->device);
    tact_release(tact_device_env(g->device), g);
}

static tact_result prepare(tact_gpu_image* g, batch* b, bool readback)
{
    const uint32_t size = b->resolution;
    const uint32_t across = b->tiles < b->across ? b->tiles : b->across;
    const uint32_t rows = (b->tiles + across - 1) / across;
    b->across = across;
    tact_raster_target_desc desc = {.width = across * size, .height = rows * size};
    if (readback) {
        desc.colours[0] = TACT_RASTER_RGBA32F;
    } else {
        desc.depth = TACT_RASTER_DEPTH_32F_STENCIL_8;
    }
    tact_image_hold_target(g->raster, readback ? &g->layers : &g->depth, &desc);
    if (!readback && !g->queries) tact_raster_queries_create(g->raster, 2 * TILES_MAX, false, &g->queries);
    const size_t bytes = (size_t)b->tiles * INSTANCE_FLOATS * 4;
    for (int i = 0; i < 2; ++i) {
        for (uint32_t t = 0; t < b->tiles; ++t) {
            b->instances[i][t][12] = (float)(t % across * size);
            b->instances[i][t][13] = (float)(t / across * size);
        }
        tact_buffer_hold(g->device, &g->instances[i], bytes);
        tact_buffer_write(g->instances[i], 0, b->instances[i], bytes);
        g->stages[i].mesh.instances = g->instances[i];
        g->stages[i].mesh.instance_vectors = 4;
    }
    return tact_device_result(g->device);
}

static void use_body(tact_gpu_image* g, const batch* b, int body, const tact_image_surface* surface)
{
    const float target[2] = {(float)surface->desc.width, (float)surface->desc.height};
    tact_raster_use(g->raster, g->program, &g->stages[body].mesh);
    tact_raster_set_float(g->program, UNIFORM_TARGET, target, 2);
    tact_raster_set_uint(g->program, UNIFORM_RESOLUTION, b->resolution);
}

// One object's least depth, the other's faces behind it counted, tile by tile. Objects have several of them in a pixel:
// the stencil lets the first one through.
static void draw_queries(tact_gpu_image* g, const batch* b, int front)
{
    static const tact_raster_pass fronts = {.depth = TACT_RASTER_LESS, .depth_write = true};
    static const tact_raster_pass backs = {.depth = TACT_RASTER_GREATER,
                                           .stencil_test = true,
                                           .stencil = TACT_RASTER_EQUAL,
                                           .stencil_read = 0xff,
                                           .stencil_write = 0xff,
                                           .front_op = TACT_RASTER_INCREMENT,
                                           .back_op = TACT_RASTER_INCREMENT};
    tact_raster_set_pass(g->raster, &fronts);
    tact_raster_clear_depth(g->raster, 1.0f, 0);
    use_body(g, b, front, &g->depth);
    tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, 0, b->tiles);
    tact_raster_set_pass(g->raster, &backs);
    use_body(g, b, 1 - front, &g->depth);
    const uint32_t fit = 3 * FLUSH_TRIANGLES / g->stages[1 - front].mesh.count;
    const uint32_t every = fit < 1 ? 1 : fit > TACT_IMAGE_FLUSH_QUERIES ? TACT_IMAGE_FLUSH_QUERIES : fit;
    tact_raster_flush(g->raster);
    for (uint32_t t = 0; t < b->tiles; ++t) {
        // Nothing of B behind A's front: apart, whatever the other way round would tell.
        if (front == 1) tact_raster_if_begin(g->queries, t);
        tact_raster_query_begin(g->queries, (uint32_t)front * TILES_MAX + t);
        tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, t, 1);
        tact_raster_query_end(g->queries);
        if (front == 1) tact_raster_if_end(g->queries);
        if (t % every == every - 1) tact_raster_flush(g->raster);
    }
}

static tact_result run_queries(tact_gpu_image* g, batch* b)
{
    tact_raster_bind(g->raster, g->depth.target);
    draw_queries(g, b, 0);
    draw_queries(g, b, 1);
    tact_raster_query_results(g->queries, 0, b->tiles, b->counts);
    return tact_raster_query_results(g->queries, TILES_MAX, b->tiles, b->counts + TILES_MAX);
}

static tact_result run_readback(tact_gpu_image* g, batch* b)
{
    static const float nothing[4] = {NOWHERE, NOWHERE, NOWHERE, NOWHERE};
    const uint32_t rectangle[4] = {0, 0, b->across * b->resolution,
                                   (b->tiles + b->across - 1) / b->across * b->resolution};
    static const tact_raster_pass pass = {.colour_mask = 15, .blend = TACT_RASTER_BLEND_MIN};
    tact_raster_bind(g->raster, g->layers.target);
    tact_raster_set_pass(g->raster, &pass);
    tact_raster_clear_float(g->raster, 0, nothing);
    for (int body = 0; body < 2; ++body) {
        use_body(g, b, body, &g->layers);
        tact_raster_set_uint(g->program, UNIFORM_CHANNEL, (uint32_t)body);
        tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, 0, b->tiles);
    }
    tact_buffer_hold(g->device, &g->pixels, (uint64_t)rectangle[2] * rectangle[3] * 16);
    tact_buffer_hold(g->device, &g->found, (uint64_t)b->tiles * FOUND_WORDS * 4);
    tact_raster_copy(g->raster, TACT_RASTER_COLOUR_0, rectangle, g->pixels, 0);
    TACT_LAUNCH(g->device, image_tiles, b->tiles, .pixels = g->pixels, .found = g->found, .tiles = b->tiles,
                .size = b->resolution, .across = b->across, .width = rectangle[2]);
    return tact_buffer_read(g->found, 0, b->found, (size_t)b->tiles * FOUND_WORDS * 4);
}

// Where one object alone is too much for a query, readback gives the same counts.
static bool too_large_for_queries(const tact_gpu_image* g)
{
    const bool large = g->stages[0].mesh.count / 3 > FLUSH_TRIANGLES || g->stages[1].mesh.count / 3 > FLUSH_TRIANGLES;
    return large && tact_device_describe(g->device)->software;
}

static tact_result run_batch(tact_gpu_image* g, batch* b, bool readback, const tact_image_job* job)
{
    if (b->tiles == 0) return TACT_OK;
    const uint32_t across = b->across;
    tact_result result = prepare(g, b, readback);
    if (result == TACT_OK) result = readback ? run_readback(g, b) : run_queries(g, b);
    for (uint32_t t = 0; t < b->tiles && result == TACT_OK; ++t) {
        const uint32_t counts[FOUND_WORDS] = {b->counts[t], b->counts[TILES_MAX + t]};
        tact_image_take(job, &b->fits[t], readback ? b->found[t] : counts, b->test[t]);
    }
    b->across = across;
    b->tiles = 0;
    return result;
}

static void add_test(batch* b, uint32_t test, const tact_image_fit* fit)
{
    const uint32_t t = b->tiles++;
    b->test[t] = test;
    b->fits[t] = *fit;
    for (int i = 0; i < 2; ++i)
        tact_image_fill_instance(fit, i, b->instances[i][t]);
}

static tact_result run_all(tact_gpu_image* g, tact_image_job* job, batch* b)
{
    const tact_result staged = tact_image_stage_both(g->device, g->stages, job);
    if (staged != TACT_OK) return staged;
    const bool readback = job->options.method == TACT_IMAGE_READBACK || job->layers || too_large_for_queries(g);
    if (tact_raster_begin(g->raster) != TACT_OK) return tact_device_result(g->device);
    for (size_t i = 0; i < job->count && tact_device_result(g->device) == TACT_OK; ++i) {
        const tact_image_fit fit = tact_image_look(job, i);
        if (fit.meets) add_test(b, (uint32_t)i, &fit);
        if (b->tiles == b->capacity) run_batch(g, b, readback, job);
    }
    if (tact_device_result(g->device) == TACT_OK) run_batch(g, b, readback, job);
    return tact_raster_end(g->raster);
}

// What the only test saw: of each pixel A's front, B's front, A's back and B's back, the backs negated.
static tact_result keep_picture(tact_gpu_image* g, const tact_image_job* job)
{
    const size_t count = (size_t)job->options.resolution * job->options.resolution;
    float* const layers[] = {job->layers->front_a, job->layers->front_b, job->layers->back_a, job->layers->back_b};
    if (!job->results[0].drawn) {
        tact_image_clear_picture(job);
        return TACT_OK;
    }
    float* pixels = tact_allocate(tact_device_env(g->device), count, 16);
    if (!pixels) return tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
    const tact_result result = tact_buffer_read(g->pixels, 0, pixels, count * 16);
    for (size_t k = 0; k < 4 && result == TACT_OK; ++k) {
        for (size_t i = 0; layers[k] && i < count; ++i) {
            const float depth = pixels[4 * i + k];
            layers[k][i] = depth == NOWHERE ? NAN : k < 2 ? depth : -depth;
        }
    }
    tact_release(tact_device_env(g->device), pixels);
    return result;
}

tact_result tact_gpu_image_convex(tact_gpu_image* g, const tact_image_job* given)
{
    tact_env* env = tact_device_env(g->device);
    tact_image_job job = *given;
    batch* work = tact_allocate(env, 1, sizeof *work);
    if (!work) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_raster_limits limits = tact_raster_get_limits(g->raster);
    const uint32_t most = limits.target_size < TARGET_SIZE ? limits.target_size : TARGET_SIZE;
    work->resolution = job.options.resolution;
    work->across = most / work->resolution;
    const uint32_t capacity = work->across * work->across;
    work->capacity = capacity < TILES_MAX ? capacity : TILES_MAX;
    work->tiles = 0;
    tact_result result = tact_device_enter(g->device);
    if (result == TACT_OK) {
        result = run_all(g, &job, work);
        if (result == TACT_OK && job.layers) result = keep_picture(g, &job);
        tact_device_leave(g->device);
    }
    tact_release(env, work);
    return result;
}
