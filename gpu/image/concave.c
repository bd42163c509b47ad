// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <math.h>
#include <string.h>

extern const unsigned char tact_shader_image_concave_vert[], tact_shader_image_solid_geom[],
    tact_shader_image_solid_frag[], tact_shader_image_edges_geom[], tact_shader_image_edges_frag[],
    tact_shader_image_hits_vert[], tact_shader_image_hits_frag[];

enum {
    MASKS = 4,                 // A's solid, edges of B, B's solid, edges of A
    PLANE_CELLS = 128,         // a colour of a target
    CELL_PIXELS = 1 << 20,     // times planes: what every device can bind of 16 bytes each
    DRAW_TRIANGLES = 1 << 21,  // in one command, so that no driver takes it for a hang
    FOUND_WORDS = 12,
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
    uint32_t resolution, planes, slots;
    uint32_t columns, capacity;  // tiles in a row, and in all
    uint32_t tiles;
    uint32_t across, width, height;  // of those that are drawn: tiles in a row, and pixels
    bool once[2];
    uint32_t test[TACT_IMAGE_TILES];
    double near_depth[TACT_IMAGE_TILES];
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
    static const tact_raster_program_desc solid = {"image_solid", tact_shader_image_concave_vert,
                                                   tact_shader_image_solid_geom, tact_shader_image_solid_frag};
    static const tact_raster_program_desc edges = {"image_edges", tact_shader_image_concave_vert,
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

static void take_found(const uint32_t* found, double near_depth, uint32_t slots, tact_image_result* r)
{
    r->samples[0] = found[0];
    r->samples[1] = found[1];
    r->inside = found[11];
    r->leaks[0] = found[9];
    r->leaks[1] = found[10];
    r->common = found[2];
    r->overlap = r->common > 0;
    if (!r->overlap) return;
    r->box[0] = found[3];
    r->box[1] = found[4];
    r->box[2] = found[5] - 1;
    r->box[3] = found[6] - 1;
    const double cell = 2.0 * (double)r->view.half_extent[2] / (double)slots;
    r->nearest = (float)(near_depth + cell * (double)found[7]);
    r->farthest = (float)(near_depth + cell * (double)found[8]);
}

static tact_result run_batch(tact_gpu_concave* g, batch* b, bool readback, tact_image_result* results)
{
    if (b->tiles == 0) return TACT_OK;
    tact_result result = prepare(g, b);
    for (int i = 0; i < MASKS && result == TACT_OK; ++i)
        result = draw_mask(g, b, i == 1 || i == 2, i % 2 == 1, g->masks[i]);
    if (result != TACT_OK) return result;
    result = readback ? run_reduction(g, b) : run_queries(g, b);
    for (uint32_t t = 0; t < b->tiles && result == TACT_OK; ++t) {
        tact_image_result* r = &results[b->test[t]];
        if (readback) {
            take_found(b->found[t], b->near_depth[t], b->slots, r);
            continue;
        }
        for (int i = 0; i < 2; ++i) {
            r->samples[i] = b->counts[i][t];
            r->leaks[i] = b->counts[QUERY_LEAK + i][t];
        }
        r->inside = b->counts[QUERY_INSIDE][t];
        r->overlap = r->samples[0] > 0 || r->samples[1] > 0 || r->inside > 0;
    }
    b->tiles = 0;
    return result;
}

// A number that single precision holds.
static float in_single(double x)
{
    return (float)fmax(fmin(x, 1e38), -1e38);
}

static void add_test(batch* b, uint32_t test, const tact_image_fit* fit, tact_image_result* r)
{
    const uint32_t t = b->tiles++;
    r->drawn = true;
    r->view = fit->view;
    r->gap = r->depth = r->tolerance = tact_image_at_least(fit->gap);
    b->test[t] = test;
    b->near_depth[t] = fit->near_depth;
    for (int i = 0; i < 2; ++i) {
        float* to = b->instances[i][t];
        for (int k = 0; k < 12; ++k)
            to[k] = in_single(fit->rows[i][k / 4][k % 4]);
        to[14] = (float)(1u << fit->bits);
        to[15] = (float)fit->bits;
    }
}

static tact_result run_all(tact_gpu_concave* g, const tact_image_body* bodies[2], bool readback,
                           tact_image_result* results, size_t count, batch* b)
{
    const tact_image_bounds *ba = &g->stages[0].bounds, *bb = &g->stages[1].bounds;
    const bool empty = ba->lower[0] > ba->upper[0] || bb->lower[0] > bb->upper[0];
    if (tact_raster_begin(g->raster) != TACT_OK) return tact_device_result(g->device);
    for (size_t i = 0; i < count && tact_device_result(g->device) == TACT_OK; ++i) {
        memset(&results[i], 0, sizeof results[i]);
        if (empty) continue;
        const tact_image_fit fit = tact_image_fit_cells(ba, tact_image_pose(bodies[0], i), bb,
                                                        tact_image_pose(bodies[1], i), b->resolution, b->slots);
        if (fit.meets) add_test(b, (uint32_t)i, &fit, &results[i]);
        if (b->tiles == b->capacity) run_batch(g, b, readback, results);
    }
    if (tact_device_result(g->device) == TACT_OK) run_batch(g, b, readback, results);
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
    b->slots = PLANE_CELLS * b->planes - 1;
    const uint32_t fit = CELL_PIXELS / (b->planes * resolution * resolution), side = most / resolution;
    b->columns = at_most(side, fit);
    if (b->columns == 0) b->columns = 1;
    const uint32_t rows = at_most(side, fit / b->columns);
    b->capacity = at_most(b->columns * (rows > 0 ? rows : 1), TACT_IMAGE_TILES);
    b->tiles = 0;
}

tact_result tact_gpu_concave_run(tact_gpu_concave* g, const tact_image_body* a, const tact_image_body* b,
                                 const bool once[2], const tact_image_options* options, tact_image_result* results,
                                 size_t count)
{
    tact_env* env = tact_device_env(g->device);
    const tact_image_body* bodies[2] = {a, b};
    batch* work = tact_allocate(env, 1, sizeof *work);
    if (!work) return TACT_ERROR_OUT_OF_MEMORY;
    lay_out(work, options->resolution, at_most(tact_raster_get_limits(g->raster).target_size, TACT_IMAGE_TARGET));
    for (int i = 0; i < 2; ++i)
        work->once[i] = once[i];
    tact_result result = tact_device_enter(g->device);
    if (result == TACT_OK) {
        for (int i = 0; i < 2 && result == TACT_OK; ++i) {
            g->stages[i].device = g->device;
            result = tact_image_stage_body(&g->stages[i], bodies[i], i == 0 ? "A" : "B");
        }
        if (result == TACT_OK)
            result = run_all(g, bodies, options->method == TACT_IMAGE_READBACK, results, count, work);
        tact_device_leave(g->device);
    }
    tact_release(env, work);
    return result;
}

tact_result tact_gpu_concave_cells(tact_gpu_concave* g, uint32_t resolution, uint32_t mask, uint32_t* cells)
{
    const size_t pixels = (size_t)resolution * resolution;
    const uint32_t planes = planes_of(resolution);
    tact_env* env = tact_device_env(g->device);
    uint32_t* words = tact_allocate(env, pixels, 16);
    if (!words) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = tact_device_enter(g->device);
    if (result == TACT_OK) {
        for (uint32_t p = 0; p < planes && result == TACT_OK; ++p) {
            result = tact_buffer_read(g->masks[mask], p * pixels * 16, words, pixels * 16);
            for (size_t i = 0; i < pixels && result == TACT_OK; ++i)
                memcpy(cells + (i * planes + p) * 4, words + 4 * i, 16);
        }
        tact_device_leave(g->device);
    }
    tact_release(env, words);
    return result;
}
