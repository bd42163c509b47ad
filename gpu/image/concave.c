// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <math.h>
#include <string.h>

extern const unsigned char tact_shader_image_place_vert[], tact_shader_image_solid_geom[],
    tact_shader_image_solid_frag[], tact_shader_image_edges_geom[], tact_shader_image_edges_frag[],
    tact_shader_image_hits_vert[], tact_shader_image_hits_frag[];

enum {
    MASKS = 4,                 // A's solid, edges of B, B's solid, edges of A
    CELL_PIXELS = 1 << 20,     // times planes: what every device can bind of 16 bytes each
    DRAW_TRIANGLES = 1 << 21,  // in one command, so that no driver takes it for a hang
    FOUND_WORDS = TACT_IMAGE_FOUND,
    UNIFORM_TARGET = 0,
    UNIFORM_RESOLUTION,
    UNIFORM_PLANES,
    UNIFORM_ONCE,
    UNIFORM_WHAT = UNIFORM_ONCE,
    UNIFORM_PLANE,
    // Queries: of each tile edges of B inside A, of A inside B, cells inside both, leaks of A, of B; then whether A
    // leaks anywhere, or B.
    QUERY_INSIDE = 2,
    QUERY_LEAK = 3,
    QUERY_KINDS = 5,
    QUERY_LEAKS = QUERY_KINDS * TACT_IMAGE_TILES,
    QUERIES = QUERY_LEAKS + 2
};

struct tact_gpu_concave {
    tact_device* device;
    tact_raster* raster;
    tact_raster_program *solid, *edges, *hits;
    tact_image_surface surface;
    tact_raster_queries* queries;
    tact_image_stage stages[2];
    tact_buffer* instances[2];
    tact_buffer* masks[MASKS];
    tact_buffer *square, *found;
};

// The tests that are drawn together.
typedef struct batch {
    uint32_t resolution, planes;
    uint32_t columns, capacity;  // tiles in a row, and in all
    uint32_t tiles;
    uint32_t across, width, height;  // of those that are drawn: tiles in a row, and pixels
    bool once[2];
    uint32_t test[TACT_IMAGE_TILES];
    tact_image_fit fits[TACT_IMAGE_TILES];
    float instances[2][TACT_IMAGE_TILES][TACT_IMAGE_INSTANCE];
    uint32_t counts[QUERY_KINDS][TACT_IMAGE_TILES];
    uint32_t found[TACT_IMAGE_TILES][FOUND_WORDS];
} batch;

static uint32_t planes_of(uint32_t resolution)
{
    return (tact_image_slots(resolution) + 1) / 128;
}

static tact_result make_programs(tact_gpu_concave* g)
{
    static const tact_raster_program_desc solid = {"image_solid", tact_shader_image_place_vert,
                                                   tact_shader_image_solid_geom, tact_shader_image_solid_frag};
    static const tact_raster_program_desc edges = {"image_edges", tact_shader_image_place_vert,
                                                   tact_shader_image_edges_geom, tact_shader_image_edges_frag};
    static const tact_raster_program_desc hits = {"image_hits", tact_shader_image_hits_vert, NULL,
                                                  tact_shader_image_hits_frag};
    static const float square[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    if (tact_raster_create(g->device, &g->raster) != TACT_OK) return tact_device_result(g->device);
    tact_raster_program_create(g->raster, &solid, &g->solid);
    tact_raster_program_create(g->raster, &edges, &g->edges);
    tact_raster_program_create(g->raster, &hits, &g->hits);
    return tact_buffer_create(g->device, sizeof square, square, &g->square);
}

tact_result tact_gpu_concave_create(tact_device* device, tact_gpu_concave** concave)
{
    *concave = NULL;
    tact_gpu_concave* g = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *g);
    if (!g) return TACT_ERROR_OUT_OF_MEMORY;
    g->device = device;
    tact_result result = tact_device_enter(device);
    if (result == TACT_OK) {
        result = make_programs(g);
        tact_device_leave(device);
    }
    if (result != TACT_OK) {
        tact_gpu_concave_destroy(g);
        return result;
    }
    *concave = g;
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
    for (int i = 0; i < MASKS; ++i)
        tact_buffer_destroy(g->masks[i]);
    tact_buffer_destroy(g->square);
    tact_buffer_destroy(g->found);
    tact_raster_queries_destroy(g->queries);
    tact_raster_target_destroy(g->surface.target);
    tact_raster_program_destroy(g->solid);
    tact_raster_program_destroy(g->edges);
    tact_raster_program_destroy(g->hits);
    tact_raster_destroy(g->raster);
    if (entered) tact_device_leave(g->device);
    tact_release(tact_device_env(g->device), g);
}

static tact_result prepare(tact_gpu_concave* g, batch* b)
{
    const uint32_t size = b->resolution;
    b->across = b->tiles < b->columns ? b->tiles : b->columns;
    b->width = b->across * size;
    b->height = (b->tiles + b->across - 1) / b->across * size;
    tact_raster_target_desc desc = {.width = b->width, .height = b->height};
    for (uint32_t i = 0; i < b->planes; ++i)
        desc.colours[i] = TACT_RASTER_RGBA32UI;
    tact_result result = tact_image_hold_target(g->raster, &g->surface, &desc);
    const size_t bytes = (size_t)b->tiles * TACT_IMAGE_INSTANCE * 4;
    for (int i = 0; i < 2 && result == TACT_OK; ++i) {
        for (uint32_t t = 0; t < b->tiles; ++t) {
            b->instances[i][t][12] = (float)(t % b->across * size);
            b->instances[i][t][13] = (float)(t / b->across * size);
        }
        result = tact_buffer_hold(g->device, &g->instances[i], bytes);
        if (result == TACT_OK) result = tact_buffer_write(g->instances[i], 0, b->instances[i], bytes);
        g->stages[i].mesh.instances = g->instances[i];
        g->stages[i].mesh.instance_vectors = 4;
    }
    for (int i = 0; i < MASKS && result == TACT_OK; ++i)
        result = tact_buffer_hold(g->device, &g->masks[i], (uint64_t)b->width * b->height * b->planes * 16);
    return result;
}

static void set_uniforms(tact_gpu_concave* g, const batch* b, tact_raster_program* program)
{
    const float target[2] = {(float)g->surface.desc.width, (float)g->surface.desc.height};
    tact_raster_set_float(program, UNIFORM_TARGET, target, 2);
    tact_raster_set_uint(program, UNIFORM_RESOLUTION, b->resolution);
    tact_raster_set_uint(program, UNIFORM_PLANES, b->planes);
}

// The faces of an object, or its edges, in all tiles.
static tact_result draw_mask(tact_gpu_concave* g, const batch* b, int body, bool edges, tact_buffer* mask)
{
    static const uint32_t nothing[4] = {0, 0, 0, 0};
    static const tact_raster_pass solid_pass = {.colour_mask = 15, .logic = TACT_RASTER_LOGIC_XOR};
    static const tact_raster_pass edges_pass = {.colour_mask = 15, .logic = TACT_RASTER_LOGIC_OR};
    tact_raster_program* program = edges ? g->edges : g->solid;
    const uint32_t rectangle[4] = {0, 0, b->width, b->height};
    tact_raster_bind(g->raster, g->surface.target);
    tact_raster_set_pass(g->raster, edges ? &edges_pass : &solid_pass);
    for (uint32_t i = 0; i < b->planes; ++i)
        tact_raster_clear_uint(g->raster, i, nothing);
    tact_raster_use(g->raster, program, &g->stages[body].mesh);
    set_uniforms(g, b, program);
    if (edges) tact_raster_set_uint(program, UNIFORM_ONCE, b->once[body]);
    const uint32_t fit = DRAW_TRIANGLES / (g->stages[body].mesh.count / 3);
    const uint32_t at_once = fit > 0 ? fit : 1;
    for (uint32_t t = 0; t < b->tiles; t += at_once) {
        tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, t, b->tiles - t < at_once ? b->tiles - t : at_once);
        tact_raster_flush(g->raster);
    }
    for (uint32_t i = 0; i < b->planes; ++i) {
        tact_raster_copy(g->raster, (tact_raster_plane)(TACT_RASTER_COLOUR_0 + i), rectangle, mask,
                         (size_t)i * b->width * b->height * 16);
    }
    return tact_device_result(g->device);
}

// Counts pixels tile by tile, into the queries from `first` on.
static void count_tiles(tact_gpu_concave* g, const batch* b, uint32_t first)
{
    for (uint32_t t = 0; t < b->tiles; ++t) {
        tact_raster_query_begin(g->queries, first + t);
        tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, t, 1);
        tact_raster_query_end(g->queries);
        if (t % TACT_IMAGE_FLUSH_QUERIES == TACT_IMAGE_FLUSH_QUERIES - 1) tact_raster_flush(g->raster);
    }
}

enum { COUNT_EDGES, COUNT_LEAKS, COUNT_INSIDE };

// What of the other is inside `body`, and where that leaks, which is looked for tile by tile only if it does anywhere.
static void draw_queries(tact_gpu_concave* g, const batch* b, uint32_t body)
{
    tact_raster_bind_storage(g->raster, 0, g->masks[2 * body]);
    tact_raster_bind_storage(g->raster, 1, g->masks[2 * body + 1]);
    tact_raster_bind_storage(g->raster, 2, g->masks[2 * (1 - body)]);
    tact_raster_set_uint(g->hits, UNIFORM_WHAT, COUNT_EDGES);
    tact_raster_flush(g->raster);
    count_tiles(g, b, body * TACT_IMAGE_TILES);
    if (body == 0) {
        tact_raster_set_uint(g->hits, UNIFORM_WHAT, COUNT_INSIDE);
        count_tiles(g, b, QUERY_INSIDE * TACT_IMAGE_TILES);
    }
    tact_raster_set_uint(g->hits, UNIFORM_WHAT, COUNT_LEAKS);
    tact_raster_flush(g->raster);
    tact_raster_query_begin(g->queries, QUERY_LEAKS + body);
    tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, 0, b->tiles);
    tact_raster_query_end(g->queries);
    tact_raster_flush(g->raster);
}

static tact_result run_queries(tact_gpu_concave* g, batch* b)
{
    static const tact_raster_pass pass = {.colour_mask = 0};
    const tact_raster_mesh mesh = {
        .vertices = g->square, .stride = 12, .count = 6, .instances = g->instances[0], .instance_vectors = 4};
    if (!g->queries && tact_raster_queries_create(g->raster, QUERIES, false, &g->queries) != TACT_OK) {
        return tact_device_result(g->device);
    }
    tact_raster_set_pass(g->raster, &pass);
    tact_raster_use(g->raster, g->hits, &mesh);
    set_uniforms(g, b, g->hits);
    tact_raster_set_uint(g->hits, UNIFORM_PLANE, b->width * b->height);
    uint32_t leaks[2] = {0, 0};
    for (uint32_t body = 0; body < 2; ++body)
        draw_queries(g, b, body);
    tact_raster_query_results(g->queries, QUERY_LEAKS, 2, leaks);
    for (uint32_t kind = 0; kind < QUERY_KINDS && tact_device_result(g->device) == TACT_OK; ++kind) {
        memset(b->counts[kind], 0, sizeof b->counts[kind]);
        if (kind >= QUERY_LEAK && leaks[kind - QUERY_LEAK] == 0) continue;
        if (kind >= QUERY_LEAK) {
            tact_raster_bind_storage(g->raster, 0, g->masks[2 * (kind - QUERY_LEAK)]);
            count_tiles(g, b, kind * TACT_IMAGE_TILES);
        }
        tact_raster_query_results(g->queries, kind * TACT_IMAGE_TILES, b->tiles, b->counts[kind]);
    }
    tact_raster_bind_storage(g->raster, 0, NULL);
    tact_raster_bind_storage(g->raster, 1, NULL);
    tact_raster_bind_storage(g->raster, 2, NULL);
    return tact_device_result(g->device);
}

static tact_result run_reduction(tact_gpu_concave* g, batch* b)
{
    const size_t bytes = (size_t)b->tiles * FOUND_WORDS * 4;
    tact_buffer_hold(g->device, &g->found, bytes);
    TACT_LAUNCH(g->device, image_cells, b->tiles, .solid_a = g->masks[0], .edges_b = g->masks[1],
                .solid_b = g->masks[2], .edges_a = g->masks[3], .found = g->found, .tiles = b->tiles,
                .size = b->resolution, .across = b->across, .width = b->width, .plane = b->width * b->height,
                .planes = b->planes);
    return tact_buffer_read(g->found, 0, b->found, bytes);
}

static tact_result run_batch(tact_gpu_concave* g, batch* b, bool readback, const tact_image_job* job)
{
    if (b->tiles == 0) return TACT_OK;
    tact_result result = prepare(g, b);
    for (int i = 0; i < MASKS && result == TACT_OK; ++i)
        result = draw_mask(g, b, i == 1 || i == 2, i % 2 == 1, g->masks[i]);
    if (result != TACT_OK) return result;
    result = readback ? run_reduction(g, b) : run_queries(g, b);
    for (uint32_t t = 0; t < b->tiles && result == TACT_OK; ++t) {
        uint32_t counts[FOUND_WORDS] = {b->counts[0][t], b->counts[1][t]};
        counts[9] = b->counts[QUERY_LEAK][t];
        counts[10] = b->counts[QUERY_LEAK + 1][t];
        counts[11] = b->counts[QUERY_INSIDE][t];
        tact_image_take(job, &b->fits[t], readback ? b->found[t] : counts, b->test[t]);
    }
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

static tact_result run_all(tact_gpu_concave* g, tact_image_job* job, batch* b)
{
    const tact_result staged = tact_image_stage_both(g->device, g->stages, job);
    if (staged != TACT_OK) return staged;
    const bool readback = job->options.method == TACT_IMAGE_READBACK;
    if (tact_raster_begin(g->raster) != TACT_OK) return tact_device_result(g->device);
    for (size_t i = 0; i < job->count && tact_device_result(g->device) == TACT_OK; ++i) {
        const tact_image_fit fit = tact_image_look(job, i);
        if (fit.meets) add_test(b, (uint32_t)i, &fit);
        if (b->tiles == b->capacity) run_batch(g, b, readback, job);
    }
    if (tact_device_result(g->device) == TACT_OK) run_batch(g, b, readback, job);
    return tact_raster_end(g->raster);
}

static uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// As many tiles as fit into a target of which all planes are one buffer; one at least.
static void lay_out(batch* b, uint32_t resolution, uint32_t most)
{
    b->resolution = resolution;
    b->planes = planes_of(resolution);
    const uint32_t fit = CELL_PIXELS / (b->planes * resolution * resolution), side = most / resolution;
    b->columns = at_most(side, fit);
    if (b->columns == 0) b->columns = 1;
    const uint32_t rows = at_most(side, fit / b->columns);
    b->capacity = at_most(b->columns * (rows > 0 ? rows : 1), TACT_IMAGE_TILES);
    b->tiles = 0;
}

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

static tact_result keep_picture(tact_gpu_concave* g, const tact_image_job* job)
{
    const tact_image_cells* cells = job->cells;
    uint32_t* const masks[MASKS] = {cells->solid_a, cells->edges_b, cells->solid_b, cells->edges_a};
    const uint32_t size = job->options.resolution;
    tact_result result = TACT_OK;
    if (!job->results[0].drawn) tact_image_clear_picture(job);
    for (int i = 0; i < MASKS && job->results[0].drawn && result == TACT_OK; ++i)
        if (masks[i]) result = read_cells(g, planes_of(size), g->masks[i], (size_t)size * size, masks[i]);
    return result;
}

tact_result tact_gpu_concave_run(tact_gpu_concave* g, const tact_image_job* given)
{
    tact_env* env = tact_device_env(g->device);
    tact_image_job job = *given;
    batch* work = tact_allocate(env, 1, sizeof *work);
    if (!work) return TACT_ERROR_OUT_OF_MEMORY;
    lay_out(work, job.options.resolution, at_most(tact_raster_get_limits(g->raster).target_size, TACT_IMAGE_TARGET));
    memcpy(work->once, job.once, sizeof work->once);
    tact_result result = tact_device_enter(g->device);
    if (result == TACT_OK) {
        result = run_all(g, &job, work);
        if (result == TACT_OK && job.cells) result = keep_picture(g, &job);
        tact_device_leave(g->device);
    }
    tact_release(env, work);
    return result;
}
