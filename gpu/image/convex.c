// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <math.h>
#include <string.h>

#include "kernels/ordered.h"

extern const unsigned char tact_shader_image_convex_vert[], tact_shader_image_convex_geom[],
    tact_shader_image_convex_frag[];

enum {
    // Four floats a pixel of all tiles are the largest buffer that every device can bind.
    TARGET_SIZE = TACT_IMAGE_TARGET,
    TILES_MAX = TACT_IMAGE_TILES,
    // Of a software rasteriser a buffer must not fill up while a query runs (tact_raster_flush).
    FLUSH_TRIANGLES = 10000,
    INSTANCE_FLOATS = TACT_IMAGE_INSTANCE,
    FOUND_WORDS = 12,
    UNIFORM_INSIDE = 0,
    UNIFORM_SIDE,
    UNIFORM_TARGET,
    UNIFORM_CHANNEL
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
    tact_image_grid grid;
    uint32_t across;    // tiles in a row
    uint32_t capacity;  // tiles
    uint32_t tiles;
    uint32_t test[TILES_MAX];
    double near_depth[TILES_MAX];
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
        static const tact_raster_program_desc desc = {"image_convex", tact_shader_image_convex_vert,
                                                      tact_shader_image_convex_geom, tact_shader_image_convex_frag};
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
    const uint32_t size = b->grid.resolution;
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
            b->instances[i][t][12] = (float)(t % across * size) + 0.5f * (float)size;
            b->instances[i][t][13] = (float)(t / across * size) + 0.5f * (float)size;
        }
        tact_buffer_hold(g->device, &g->instances[i], bytes);
        tact_buffer_write(g->instances[i], 0, b->instances[i], bytes);
        g->stages[i].mesh.instances = g->instances[i];
        g->stages[i].mesh.instance_vectors = 4;
    }
    return tact_device_result(g->device);
}

static void use_body(tact_gpu_image* g, int body)
{
    tact_raster_use(g->raster, g->program, &g->stages[body].mesh);
    tact_raster_set_float(g->program, UNIFORM_INSIDE, g->stages[body].bounds.centre, 3);
}

static void set_side(tact_gpu_image* g, float side, const tact_image_surface* surface)
{
    const float target[2] = {(float)surface->desc.width, (float)surface->desc.height};
    tact_raster_set_float(g->program, UNIFORM_SIDE, &side, 1);
    tact_raster_set_float(g->program, UNIFORM_TARGET, target, 2);
}

// One object's front faces as depth, the other's back faces behind them counted, tile by tile. Objects without
// thickness have two back faces in a pixel, those that are not convex any number: the stencil lets the first one
// through.
static void draw_queries(tact_gpu_image* g, const batch* b, int front)
{
    static const tact_raster_pass fronts = {.depth = TACT_RASTER_LESS, .depth_write = true, .clip_distances = 4};
    static const tact_raster_pass backs = {.depth = TACT_RASTER_GREATER,
                                           .stencil_test = true,
                                           .stencil = TACT_RASTER_EQUAL,
                                           .stencil_read = 0xff,
                                           .stencil_write = 0xff,
                                           .front_op = TACT_RASTER_INCREMENT,
                                           .back_op = TACT_RASTER_INCREMENT,
                                           .clip_distances = 4};
    tact_raster_set_pass(g->raster, &fronts);
    tact_raster_clear_depth(g->raster, 1.0f, 0);
    use_body(g, front);
    set_side(g, 1.0f, &g->depth);
    tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, 0, b->tiles);
    tact_raster_set_pass(g->raster, &backs);
    use_body(g, 1 - front);
    set_side(g, -1.0f, &g->depth);
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
    const uint32_t rectangle[4] = {0, 0, b->across * b->grid.resolution,
                                   (b->tiles + b->across - 1) / b->across * b->grid.resolution};
    static const tact_raster_pass pass = {.colour_mask = 15, .blend = TACT_RASTER_BLEND_MIN, .clip_distances = 4};
    tact_raster_bind(g->raster, g->layers.target);
    tact_raster_set_pass(g->raster, &pass);
    tact_raster_clear_float(g->raster, 0, nothing);
    for (int body = 0; body < 2; ++body) {
        use_body(g, body);
        set_side(g, 0.0f, &g->layers);
        tact_raster_set_uint(g->program, UNIFORM_CHANNEL, (uint32_t)body);
        tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, 0, b->tiles);
    }
    tact_buffer_hold(g->device, &g->pixels, (uint64_t)rectangle[2] * rectangle[3] * 16);
    tact_buffer_hold(g->device, &g->found, (uint64_t)b->tiles * FOUND_WORDS * 4);
    tact_raster_copy(g->raster, TACT_RASTER_COLOUR_0, rectangle, g->pixels, 0);
    TACT_LAUNCH(g->device, image_tiles, b->tiles, .pixels = g->pixels, .found = g->found, .tiles = b->tiles,
                .size = b->grid.resolution, .across = b->across, .width = rectangle[2]);
    return tact_buffer_read(g->found, 0, b->found, (size_t)b->tiles * FOUND_WORDS * 4);
}

static double unordered(uint32_t word)
{
    return (double)as_float(tact_unordered(word));
}

static void take_found(const uint32_t* found, double near_depth, tact_image_result* r)
{
    r->samples[0] = found[0];
    r->samples[1] = found[0] ? found[1] : 0;
    r->overlap = r->samples[1] > 0;
    if (!r->overlap) return;
    const double range = 2.0 * (double)r->view.half_extent[2];
    r->penetration = (float)(range * fmin(unordered(found[9]), unordered(found[10])));
    r->common = found[2];
    if (r->common == 0) return;
    r->box[0] = found[3];
    r->box[1] = found[4];
    r->box[2] = found[5] - 1;
    r->box[3] = found[6] - 1;
    r->nearest = (float)(near_depth + range * unordered(found[7]));
    r->farthest = (float)(near_depth + range * unordered(found[8]));
}

// Where one object alone is too much for a query, readback gives the same counts.
static bool too_large_for_queries(const tact_gpu_image* g)
{
    const bool large = g->stages[0].mesh.count / 3 > FLUSH_TRIANGLES || g->stages[1].mesh.count / 3 > FLUSH_TRIANGLES;
    return large && tact_device_describe(g->device)->software;
}

static void keep_counts(tact_image_result* r)
{
    r->common = 0;
    memset(r->box, 0, sizeof r->box);
    r->nearest = r->farthest = r->penetration = 0.0f;
}

static tact_result run_batch(tact_gpu_image* g, batch* b, bool readback, tact_image_result* results)
{
    if (b->tiles == 0) return TACT_OK;
    const uint32_t across = b->across;
    tact_result result = prepare(g, b, readback);
    if (result == TACT_OK) result = readback ? run_readback(g, b) : run_queries(g, b);
    for (uint32_t t = 0; t < b->tiles && result == TACT_OK; ++t) {
        tact_image_result* r = &results[b->test[t]];
        if (readback) {
            take_found(b->found[t], b->near_depth[t], r);
        } else {
            r->samples[0] = b->counts[t];
            r->samples[1] = b->counts[TILES_MAX + t];
            r->overlap = r->samples[0] > 0 && r->samples[1] > 0;
        }
    }
    b->across = across;
    b->tiles = 0;
    return result;
}

static void add_test(batch* b, uint32_t test, const tact_image_fit* fit, tact_image_result* r)
{
    const uint32_t t = b->tiles++;
    r->drawn = true;
    r->view = fit->view;
    r->gap = tact_image_at_least(fit->gap);
    r->depth = tact_image_at_least(fit->depth);
    r->tolerance = r->gap > r->depth ? r->gap : r->depth;
    b->test[t] = test;
    b->near_depth[t] = fit->near_depth;
    for (int i = 0; i < 2; ++i) {
        float* to = b->instances[i][t];
        for (int k = 0; k < 12; ++k)
            to[k] = (float)fit->rows[i][k / 4][k % 4];
        to[14] = tact_image_at_least(fit->slack[i]);
        to[15] = 0.5f * (float)b->grid.resolution;
    }
}

static tact_result run_all(tact_gpu_image* g, const tact_image_body* bodies[2], const tact_image_options* options,
                           tact_image_result* results, size_t count, batch* b)
{
    const tact_image_bounds *ba = &g->stages[0].bounds, *bb = &g->stages[1].bounds;
    const bool empty = ba->lower[0] > ba->upper[0] || bb->lower[0] > bb->upper[0];
    const bool readback = options->method == TACT_IMAGE_READBACK || too_large_for_queries(g);
    if (tact_raster_begin(g->raster) != TACT_OK) return tact_device_result(g->device);
    for (size_t i = 0; i < count && tact_device_result(g->device) == TACT_OK; ++i) {
        memset(&results[i], 0, sizeof results[i]);
        if (empty) continue;
        const tact_image_fit fit =
            tact_image_fit_view(ba, tact_image_pose(bodies[0], i), bb, tact_image_pose(bodies[1], i), &b->grid);
        if (fit.meets) add_test(b, (uint32_t)i, &fit, &results[i]);
        if (b->tiles == b->capacity) run_batch(g, b, readback, results);
    }
    if (tact_device_result(g->device) == TACT_OK) run_batch(g, b, readback, results);
    for (size_t i = 0; i < count && options->method == TACT_IMAGE_QUERY; ++i)
        keep_counts(&results[i]);
    return tact_raster_end(g->raster);
}

tact_result tact_gpu_image_convex(tact_gpu_image* g, const tact_image_body* a, const tact_image_body* b,
                                  const tact_image_options* options, tact_image_result* results, size_t count)
{
    tact_env* env = tact_device_env(g->device);
    const tact_image_body* bodies[2] = {a, b};
    batch* work = tact_allocate(env, 1, sizeof *work);
    if (!work) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_raster_limits limits = tact_raster_get_limits(g->raster);
    const uint32_t most = limits.target_size < TARGET_SIZE ? limits.target_size : TARGET_SIZE;
    work->grid = (tact_image_grid){options->resolution, most, limits.subpixel_bits};
    work->across = most / options->resolution;
    const uint32_t capacity = work->across * work->across;
    work->capacity = capacity < TILES_MAX ? capacity : TILES_MAX;
    work->tiles = 0;
    tact_result result = tact_device_enter(g->device);
    if (result == TACT_OK) {
        for (int i = 0; i < 2 && result == TACT_OK; ++i) {
            g->stages[i].device = g->device;
            result = tact_image_stage_body(&g->stages[i], bodies[i], i == 0 ? "A" : "B");
        }
        if (result == TACT_OK) result = run_all(g, bodies, options, results, count, work);
        tact_device_leave(g->device);
    }
    tact_release(env, work);
    return result;
}

tact_result tact_gpu_image_pixels(tact_gpu_image* g, uint32_t resolution, float* pixels)
{
    tact_result result = tact_device_enter(g->device);
    if (result != TACT_OK) return result;
    const size_t count = (size_t)resolution * resolution;
    result = tact_buffer_read(g->pixels, 0, pixels, count * 16);
    tact_device_leave(g->device);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        pixels[4 * i + 2] = -pixels[4 * i + 2];
        pixels[4 * i + 3] = -pixels[4 * i + 3];
    }
    return result;
}
