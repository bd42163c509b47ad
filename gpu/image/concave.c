// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/image/cells.h"

enum { CELL_PIXELS = 1 << 20 };  // times planes: what every device can bind of 16 bytes each

tact_result tact_gpu_concave_create(tact_device* device, tact_gpu_concave** concave)
{
    *concave = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **concave);
    if (!*concave) return TACT_ERROR_OUT_OF_MEMORY;
    (*concave)->device = device;
    return TACT_OK;
}

void tact_gpu_concave_destroy(tact_gpu_concave* g)
{
    if (!g) return;
    const bool entered = tact_device_enter(g->device) == TACT_OK;
    for (int i = 0; i < 2; ++i) {
        tact_image_stage_release(&g->stages[i]);
        tact_buffer_destroy(g->instances[i]);
    }
    for (int i = 0; i < TACT_IMAGE_MASKS; ++i)
        tact_buffer_destroy(g->masks[i]);
    tact_buffer_destroy(g->found);
    tact_image_computer_destroy(g->computer);
#ifdef TACT_HAVE_GL
    tact_image_drawer_destroy(g->drawer);
    tact_image_parity_destroy(g->parity);
#endif
    if (entered) tact_device_leave(g->device);
    tact_release(tact_device_env(g->device), g);
}

void tact_gpu_concave_limit(tact_gpu_concave* g, uint32_t triangles)
{
    g->limit = triangles;
}

// ---- Batches ----

tact_result tact_image_hold_views(tact_gpu_concave* g, const tact_image_batch* b)
{
    const size_t bytes = (size_t)b->tiles * TACT_IMAGE_INSTANCE * 4;
    for (int i = 0; i < 2; ++i) {
        tact_buffer_hold(g->device, &g->instances[i], bytes);
        tact_buffer_write(g->instances[i], 0, b->instances[i], bytes);
        g->stages[i].mesh.instances = g->instances[i];
        g->stages[i].mesh.instance_vectors = TACT_IMAGE_INSTANCE / 4;
    }
    return tact_device_result(g->device);
}

tact_result tact_image_hold_batch(tact_gpu_concave* g, const tact_image_batch* b)
{
    tact_image_hold_views(g, b);
    for (int i = 0; i < TACT_IMAGE_MASKS; ++i)
        tact_buffer_hold(g->device, &g->masks[i], (uint64_t)b->width * b->height * b->planes * 16);
    return tact_buffer_hold(g->device, &g->found, (uint64_t)b->tiles * TACT_IMAGE_FOUND * 4);
}

void tact_image_place_tiles(tact_image_batch* b, uint32_t across)
{
    const uint32_t size = b->resolution;
    b->across = across;
    b->width = across * size;
    b->height = (b->tiles + across - 1) / across * size;
    for (int i = 0; i < 2; ++i) {
        for (uint32_t t = 0; t < b->tiles; ++t) {
            b->instances[i][t][12] = (float)(t % across * size);
            b->instances[i][t][13] = (float)(t / across * size);
        }
    }
}

tact_result tact_image_reduce_batch(tact_gpu_concave* g, const tact_image_batch* b)
{
    return TACT_LAUNCH(g->device, image_cells, b->tiles, .solid_a = g->masks[0], .edges_b = g->masks[1],
                       .solid_b = g->masks[2], .edges_a = g->masks[3], .found = g->found, .tiles = b->tiles,
                       .size = b->resolution, .across = b->across, .width = b->width, .plane = b->width * b->height,
                       .planes = b->planes);
}

typedef enum image_way { COMPUTED, DRAWN, STENCIL } image_way;

// How the tests of a job are to be looked at.
typedef struct work {
    image_way way;
    bool readback;
    tact_image_batch batch;
} work;

static tact_result make_batch(tact_gpu_concave* g, work* w)
{
#ifdef TACT_HAVE_GL
    if (w->way == DRAWN) return tact_image_draw_batch(g, &w->batch, w->readback);
    if (w->way == STENCIL) return tact_image_parity_batch(g, &w->batch);
#endif
    return tact_image_compute_batch(g, &w->batch);
}

static tact_result run_batch(tact_gpu_concave* g, work* w, const tact_image_job* job)
{
    tact_image_batch* b = &w->batch;
    if (b->tiles == 0) return TACT_OK;
    const tact_result result = make_batch(g, w);
    for (uint32_t t = 0; t < b->tiles && result == TACT_OK; ++t) {
        uint32_t counts[TACT_IMAGE_FOUND] = {b->counts[0][t], b->counts[1][t]};
        counts[9] = b->counts[3][t];
        counts[10] = b->counts[4][t];
        counts[11] = b->counts[2][t];
        tact_image_take(job, &b->fits[t], w->readback ? b->found[t] : counts, b->test[t]);
    }
    b->tiles = 0;
    return result;
}

static void add_test(tact_image_batch* b, uint32_t test, const tact_image_fit* fit)
{
    const uint32_t t = b->tiles++;
    b->test[t] = test;
    b->fits[t] = *fit;
    for (int i = 0; i < 2; ++i)
        tact_image_fill_instance(fit, i, b->instances[i][t]);
}

static tact_result run_tests(tact_gpu_concave* g, const tact_image_job* job, work* w)
{
    tact_image_batch* b = &w->batch;
    for (size_t i = 0; i < job->count && tact_device_result(g->device) == TACT_OK; ++i) {
        const tact_image_fit fit = tact_image_look(job, i);
        if (fit.meets) add_test(b, (uint32_t)i, &fit);
        if (b->tiles == b->capacity) run_batch(g, w, job);
    }
    if (tact_device_result(g->device) == TACT_OK) run_batch(g, w, job);
    return tact_device_result(g->device);
}

static uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// As many tiles as fit into images of which all planes are one buffer; one at least. `most`: pixels along a drawn
// target's side. A stencil buffer is one plane, of pixels that are smaller.
static void lay_out(work* w, const tact_image_job* job, uint32_t most)
{
    tact_image_batch* b = &w->batch;
    const uint32_t resolution = job->options.resolution, count = (uint32_t)job->count;
    b->resolution = resolution;
    b->planes = w->way == STENCIL ? 1 : (tact_image_slots(resolution) + 1) / 128;
    const uint32_t fit = CELL_PIXELS / (b->planes * resolution * resolution), side = most / resolution;
    b->columns = at_most(at_most(side, fit), count);
    if (b->columns == 0) b->columns = 1;
    const uint32_t rows = at_most(side, fit / b->columns);
    b->capacity = at_most(at_most(b->columns * (rows > 0 ? rows : 1), TACT_IMAGE_TILES), count);
    b->tiles = 0;
}

#ifdef TACT_HAVE_GL
// By the rasteriser, into colours or into the stencil buffer.
static tact_result run_drawn(tact_gpu_concave* g, const tact_image_job* job, work* w)
{
    const bool stencil = w->way == STENCIL;
    if (stencil && !g->parity) tact_image_parity_create(g->device, &g->parity);
    if (!stencil && !g->drawer) tact_image_drawer_create(g->device, &g->drawer);
    if (tact_device_result(g->device) != TACT_OK) return tact_device_result(g->device);
    tact_raster* raster = stencil ? tact_image_parity_raster(g->parity) : tact_image_drawer_raster(g->drawer);
    lay_out(w, job, at_most(tact_raster_get_limits(raster).target_size, TACT_IMAGE_TARGET));
    if (tact_raster_begin(raster) != TACT_OK) return tact_device_result(g->device);
    run_tests(g, job, w);
    return tact_raster_end(raster);
}
#endif

static tact_result run_computed(tact_gpu_concave* g, const tact_image_job* job, work* w)
{
    if (!g->computer) tact_image_computer_create(g->device, &g->computer);
    if (tact_device_result(g->device) != TACT_OK) return tact_device_result(g->device);
    lay_out(w, job, TACT_IMAGE_TARGET);
    return run_tests(g, job, w);
}

static tact_result run_all(tact_gpu_concave* g, tact_image_job* job, work* w)
{
    const tact_result staged = tact_image_stage_both(g->device, g->stages, job);
    if (staged != TACT_OK) return staged;
#ifdef TACT_HAVE_GL
    if (w->way != COMPUTED) return run_drawn(g, job, w);
#endif
    return run_computed(g, job, w);
}

// ---- Pictures ----

// What the only test saw of an object.
static tact_result read_cells(tact_gpu_concave* g, uint32_t planes, tact_buffer* mask, size_t pixels, uint32_t* cells)
{
    tact_env* env = tact_device_env(g->device);
    uint32_t* words = tact_allocate(env, pixels, 16);
    if (!words) return tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
    tact_result result = TACT_OK;
    for (uint32_t p = 0; p < planes && result == TACT_OK; ++p) {
        result = tact_buffer_read(mask, p * pixels * 16, words, pixels * 16);
        for (size_t i = 0; i < pixels && result == TACT_OK; ++i)
            memcpy(cells + (i * planes + p) * 4, words + 4 * i, 16);
    }
    tact_release(env, words);
    return result;
}

static tact_result keep_picture(tact_gpu_concave* g, const tact_image_job* job, uint32_t planes)
{
    const tact_image_cells* cells = job->cells;
    uint32_t* const masks[TACT_IMAGE_MASKS] = {cells->solid_a, cells->edges_b, cells->solid_b, cells->edges_a};
    const uint32_t size = job->options.resolution;
    tact_result result = TACT_OK;
    if (!job->results[0].drawn) tact_image_clear_picture(job);
    for (int i = 0; i < TACT_IMAGE_MASKS && job->results[0].drawn && result == TACT_OK; ++i)
        if (masks[i]) result = read_cells(g, planes, g->masks[i], (size_t)size * size, masks[i]);
    return result;
}

tact_result tact_gpu_concave_run(tact_gpu_concave* g, const tact_image_job* given, bool drawn)
{
    tact_env* env = tact_device_env(g->device);
    tact_image_job job = *given;
    work* w = tact_allocate(env, 1, sizeof *w);
    if (!w) return TACT_ERROR_OUT_OF_MEMORY;
    w->way = job.options.method == TACT_IMAGE_STENCIL ? STENCIL : drawn ? DRAWN : COMPUTED;
    w->readback = !drawn || job.options.method == TACT_IMAGE_READBACK;
    memcpy(w->batch.once, job.once, sizeof w->batch.once);
    tact_result result = tact_device_enter(g->device);
    if (result == TACT_OK) {
        result = run_all(g, &job, w);
        if (result == TACT_OK && job.cells) result = keep_picture(g, &job, w->batch.planes);
        tact_device_leave(g->device);
    }
    tact_release(env, w);
    return result;
}
