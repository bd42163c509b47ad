// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/image/cells.h"

extern const unsigned char tact_shader_image_place_vert[], tact_shader_image_solid_geom[],
    tact_shader_image_solid_frag[], tact_shader_image_edges_geom[], tact_shader_image_edges_frag[],
    tact_shader_image_hits_vert[], tact_shader_image_hits_frag[];

enum {
    UNIFORM_TARGET = 0,
    UNIFORM_RESOLUTION,
    UNIFORM_PLANES,
    UNIFORM_ONCE,
    UNIFORM_WHAT = UNIFORM_ONCE,
    UNIFORM_PLANE,
    // Queries: those of the batch's counts for each tile; then whether A leaks anywhere, or B.
    QUERY_INSIDE = 2,
    QUERY_LEAK = 3,
    QUERY_LEAKS = TACT_IMAGE_QUERIES * TACT_IMAGE_TILES,
    QUERIES = QUERY_LEAKS + 2
};

struct tact_image_drawer {
    tact_device* device;
    tact_raster* raster;
    tact_raster_program *solid, *edges, *hits;
    tact_image_surface surface;
    tact_raster_queries* queries;
    tact_buffer* square;
};

static tact_result make_programs(tact_image_drawer* g)
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

tact_result tact_image_drawer_create(tact_device* device, tact_image_drawer** drawer)
{
    *drawer = NULL;
    tact_image_drawer* d = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *d);
    if (!d) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    d->device = device;
    const tact_result result = make_programs(d);
    if (result != TACT_OK) {
        tact_image_drawer_destroy(d);
        return result;
    }
    *drawer = d;
    return TACT_OK;
}

void tact_image_drawer_destroy(tact_image_drawer* d)
{
    if (!d) return;
    tact_buffer_destroy(d->square);
    tact_raster_queries_destroy(d->queries);
    tact_raster_target_destroy(d->surface.target);
    tact_raster_program_destroy(d->solid);
    tact_raster_program_destroy(d->edges);
    tact_raster_program_destroy(d->hits);
    tact_raster_destroy(d->raster);
    tact_release(tact_device_env(d->device), d);
}

tact_raster* tact_image_drawer_raster(const tact_image_drawer* d)
{
    return d->raster;
}

static tact_result prepare(tact_gpu_concave* g, tact_image_batch* b)
{
    tact_image_place_tiles(b, b->tiles < b->columns ? b->tiles : b->columns);
    tact_raster_target_desc desc = {.width = b->width, .height = b->height};
    for (uint32_t i = 0; i < b->planes; ++i)
        desc.colours[i] = TACT_RASTER_RGBA32UI;
    tact_image_hold_target(g->drawer->raster, &g->drawer->surface, &desc);
    return tact_image_hold_batch(g, b);
}

static void set_uniforms(const tact_image_drawer* g, const tact_image_batch* b, tact_raster_program* program)
{
    const float target[2] = {(float)g->surface.desc.width, (float)g->surface.desc.height};
    tact_raster_set_float(program, UNIFORM_TARGET, target, 2);
    tact_raster_set_uint(program, UNIFORM_RESOLUTION, b->resolution);
    tact_raster_set_uint(program, UNIFORM_PLANES, b->planes);
}

// The faces of an object, or its edges, in all tiles.
static tact_result draw_mask(tact_gpu_concave* g, const tact_image_batch* b, int body, bool edges, tact_buffer* mask)
{
    static const uint32_t nothing[4] = {0, 0, 0, 0};
    static const tact_raster_pass solid_pass = {.colour_mask = 15, .logic = TACT_RASTER_LOGIC_XOR};
    static const tact_raster_pass edges_pass = {.colour_mask = 15, .logic = TACT_RASTER_LOGIC_OR};
    tact_raster_program* program = edges ? g->drawer->edges : g->drawer->solid;
    const uint32_t rectangle[4] = {0, 0, b->width, b->height};
    tact_raster_bind(g->drawer->raster, g->drawer->surface.target);
    tact_raster_set_pass(g->drawer->raster, edges ? &edges_pass : &solid_pass);
    for (uint32_t i = 0; i < b->planes; ++i)
        tact_raster_clear_uint(g->drawer->raster, i, nothing);
    tact_raster_use(g->drawer->raster, program, &g->stages[body].mesh);
    set_uniforms(g->drawer, b, program);
    if (edges) tact_raster_set_uint(program, UNIFORM_ONCE, b->once[body]);
    tact_image_draw_tiles(g->drawer->raster, &g->stages[body], b->tiles);
    for (uint32_t i = 0; i < b->planes; ++i) {
        tact_raster_copy(g->drawer->raster, (tact_raster_plane)(TACT_RASTER_COLOUR_0 + i), rectangle, mask,
                         (size_t)i * b->width * b->height * 16);
    }
    return tact_device_result(g->device);
}

// Counts pixels tile by tile, into the queries from `first` on.
static void count_tiles(tact_gpu_concave* g, const tact_image_batch* b, uint32_t first)
{
    for (uint32_t t = 0; t < b->tiles; ++t) {
        tact_raster_query_begin(g->drawer->queries, first + t);
        tact_raster_draw(g->drawer->raster, TACT_RASTER_TRIANGLES, t, 1);
        tact_raster_query_end(g->drawer->queries);
        if (t % TACT_IMAGE_FLUSH_QUERIES == TACT_IMAGE_FLUSH_QUERIES - 1) tact_raster_flush(g->drawer->raster);
    }
}

enum { COUNT_EDGES, COUNT_LEAKS, COUNT_INSIDE };

// What of the other is inside `body`, and where that leaks, which is looked for tile by tile only if it does anywhere.
static void draw_queries(tact_gpu_concave* g, const tact_image_batch* b, uint32_t body)
{
    tact_raster_bind_storage(g->drawer->raster, 0, g->masks[2 * body]);
    tact_raster_bind_storage(g->drawer->raster, 1, g->masks[2 * body + 1]);
    tact_raster_bind_storage(g->drawer->raster, 2, g->masks[2 * (1 - body)]);
    tact_raster_set_uint(g->drawer->hits, UNIFORM_WHAT, COUNT_EDGES);
    tact_raster_flush(g->drawer->raster);
    count_tiles(g, b, body * TACT_IMAGE_TILES);
    if (body == 0) {
        tact_raster_set_uint(g->drawer->hits, UNIFORM_WHAT, COUNT_INSIDE);
        count_tiles(g, b, QUERY_INSIDE * TACT_IMAGE_TILES);
    }
    tact_raster_set_uint(g->drawer->hits, UNIFORM_WHAT, COUNT_LEAKS);
    tact_raster_flush(g->drawer->raster);
    tact_raster_query_begin(g->drawer->queries, QUERY_LEAKS + body);
    tact_raster_draw(g->drawer->raster, TACT_RASTER_TRIANGLES, 0, b->tiles);
    tact_raster_query_end(g->drawer->queries);
    tact_raster_flush(g->drawer->raster);
}

static tact_result run_queries(tact_gpu_concave* g, tact_image_batch* b)
{
    static const tact_raster_pass pass = {.colour_mask = 0};
    const tact_raster_mesh mesh = {
        .vertices = g->drawer->square, .stride = 12, .count = 6, .instances = g->instances[0], .instance_vectors = 4};
    if (!g->drawer->queries &&
        tact_raster_queries_create(g->drawer->raster, QUERIES, false, &g->drawer->queries) != TACT_OK) {
        return tact_device_result(g->device);
    }
    tact_raster_set_pass(g->drawer->raster, &pass);
    tact_raster_use(g->drawer->raster, g->drawer->hits, &mesh);
    set_uniforms(g->drawer, b, g->drawer->hits);
    tact_raster_set_uint(g->drawer->hits, UNIFORM_PLANE, b->width * b->height);
    uint32_t leaks[2] = {0, 0};
    for (uint32_t body = 0; body < 2; ++body)
        draw_queries(g, b, body);
    tact_raster_query_results(g->drawer->queries, QUERY_LEAKS, 2, leaks);
    for (uint32_t kind = 0; kind < TACT_IMAGE_QUERIES && tact_device_result(g->device) == TACT_OK; ++kind) {
        memset(b->counts[kind], 0, sizeof b->counts[kind]);
        if (kind >= QUERY_LEAK && leaks[kind - QUERY_LEAK] == 0) continue;
        if (kind >= QUERY_LEAK) {
            tact_raster_bind_storage(g->drawer->raster, 0, g->masks[2 * (kind - QUERY_LEAK)]);
            count_tiles(g, b, kind * TACT_IMAGE_TILES);
        }
        tact_raster_query_results(g->drawer->queries, kind * TACT_IMAGE_TILES, b->tiles, b->counts[kind]);
    }
    tact_raster_bind_storage(g->drawer->raster, 0, NULL);
    tact_raster_bind_storage(g->drawer->raster, 1, NULL);
    tact_raster_bind_storage(g->drawer->raster, 2, NULL);
    return tact_device_result(g->device);
}

tact_result tact_image_draw_batch(tact_gpu_concave* g, tact_image_batch* b, bool readback)
{
    tact_result result = prepare(g, b);
    for (int i = 0; i < TACT_IMAGE_MASKS && result == TACT_OK; ++i)
        result = draw_mask(g, b, i == 1 || i == 2, i % 2 == 1, g->masks[i]);
    if (result != TACT_OK) return result;
    if (!readback) return run_queries(g, b);
    tact_image_reduce_batch(g, b);
    return tact_buffer_read(g->found, 0, b->found, (size_t)b->tiles * TACT_IMAGE_FOUND * 4);
}
