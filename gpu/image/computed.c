// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>

#include "gpu/image/cells.h"

// What is large is listed by rows, as one item should not go through all of it. A list without room for all that a
// window's triangles have tells so, and the batch is done again in smaller windows: by how many rows a triangle was
// found to have, at last by how many it can have at most. What was found last is what the next batch goes by.
enum {
    WINDOW = 1 << 18,  // triangles of all tiles drawn in one launch
    ROWS = 1 << 18,    // that there is room for
    GROUPS_LEAST =
        64,      // of the rows' launch: no item has more than ROWS / (GROUPS_LEAST * GROUP) rows, and of all their
    GROUP = 64,  // pixels and words of cells a software device can go through without giving up
    GROUPS_MOST = ROWS / GROUP
};

struct tact_image_computer {
    tact_device* device;
    tact_buffer *rows, *counts;
    double density;  // rows of a triangle, on average over a window
};

tact_result tact_image_computer_create(tact_device* device, tact_image_computer** computer)
{
    *computer = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **computer);
    if (!*computer) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    (*computer)->device = device;
    return TACT_OK;
}

void tact_image_computer_destroy(tact_image_computer* c)
{
    if (!c) return;
    tact_buffer_destroy(c->rows);
    tact_buffer_destroy(c->counts);
    tact_release(tact_device_env(c->device), c);
}

// Some triangles of some tiles of an object.
typedef struct window {
    uint32_t first_tile, tiles, first_triangle, triangles;
} window;

typedef struct plan {
    uint32_t most;        // triangles of a window
    uint32_t windows[2];  // of each object
    uint32_t capacity;    // of the list
} plan;

static uint32_t faces_of(const tact_gpu_concave* g, int body)
{
    return g->stages[body].mesh.count / 3;
}

// Windows are of whole tiles where one has that many, or parts of a tile.
static window window_of(uint32_t most, uint32_t faces, uint32_t tiles, uint32_t number)
{
    const uint32_t whole = most / faces, parts = (faces + most - 1) / most;
    if (whole > 0) {
        const uint32_t first = number * whole;
        return (window){first, tiles - first < whole ? tiles - first : whole, 0, faces};
    }
    const uint32_t first = number % parts * most;
    return (window){number / parts, 1, first, faces - first < most ? faces - first : most};
}

static uint64_t windows_of(uint32_t most, uint32_t faces, uint32_t tiles)
{
    const uint32_t whole = most / faces;
    if (whole > 0) return (tiles + whole - 1) / whole;
    return (uint64_t)tiles * ((faces + most - 1) / most);
}

// Of each part of a triangle, its face and its edges, at most.
static uint32_t rows_most(const tact_image_batch* b)
{
    return 4 * b->resolution;
}

static tact_result make_plan(tact_gpu_concave* g, const tact_image_batch* b, plan* p)
{
    const uint32_t safe = ROWS / rows_most(b);
    const double fit = g->computer->density > 0.0 ? (double)ROWS / g->computer->density : (double)WINDOW;
    p->most = fit >= (double)WINDOW ? (uint32_t)WINDOW : fit > (double)safe ? (uint32_t)fit : safe;
    if (g->limit > 0 && g->limit < p->most) p->most = g->limit;
    uint64_t windows = 0, largest = 0;
    for (int i = 0; i < 2; ++i) {
        const uint64_t all = (uint64_t)faces_of(g, i) * b->tiles,
                       of_one = windows_of(p->most, faces_of(g, i), b->tiles);
        p->windows[i] = (uint32_t)of_one;
        windows += of_one;
        largest = all > largest ? all : largest;
    }
    largest = largest < p->most ? largest : p->most;
    const uint64_t rows = largest * rows_most(b);
    p->capacity = rows < ROWS ? (uint32_t)rows : (uint32_t)ROWS;
    tact_buffer_hold(g->device, &g->computer->rows, (uint64_t)p->capacity * 8);
    return tact_buffer_hold(g->device, &g->computer->counts, windows * 4);
}

static void compute_window(tact_gpu_concave* g, const tact_image_batch* b, const plan* p, int body, const window* w,
                           uint32_t number)
{
    const tact_image_stage* s = &g->stages[body];
    const uint32_t pairs = w->tiles * w->triangles;
    const tact_image_draw_args args = {.vertices = s->vertices,
                                       .indices = s->mesh.indices ? s->indices : s->vertices,
                                       .views = g->instances[body],
                                       .solid = g->masks[2 * body],
                                       .edges = g->masks[body == 0 ? 3 : 1],
                                       .rows = g->computer->rows,
                                       .counts = g->computer->counts,
                                       .pairs = pairs,
                                       .triangles = w->triangles,
                                       .first_tile = w->first_tile,
                                       .first_triangle = w->first_triangle,
                                       .indexed = s->mesh.indices != NULL,
                                       .once = b->once[body],
                                       .size = b->resolution,
                                       .planes = b->planes,
                                       .plane = b->width * b->height,
                                       .capacity = p->capacity,
                                       .window = number};
    const double rows = fmin((double)pairs * g->computer->density, (double)ROWS);
    const uint32_t likely = (uint32_t)rows / GROUP + 1;
    const uint32_t groups = likely > GROUPS_LEAST ? likely : GROUPS_LEAST, all = (p->capacity + GROUP - 1) / GROUP;
    tact_device_launch_items(g->device, TACT_KERNEL_image_draw, pairs, &args, sizeof args);
    tact_device_launch(g->device, TACT_KERNEL_image_draw_rows, groups < all ? groups : all, &args, sizeof args);
}

// The images, and what is found in them and how many rows there were, as far as the device is concerned.
static tact_result compute(tact_gpu_concave* g, const tact_image_batch* b, const plan* p)
{
    for (int i = 0; i < TACT_IMAGE_MASKS; ++i)
        tact_buffer_fill(g->masks[i], 0, (size_t)b->width * b->height * b->planes * 16, 0);
    tact_buffer_fill(g->computer->counts, 0, (size_t)(p->windows[0] + p->windows[1]) * 4, 0);
    uint32_t number = 0;
    for (int body = 0; body < 2; ++body) {
        for (uint32_t i = 0; i < p->windows[body] && tact_device_result(g->device) == TACT_OK; ++i, ++number) {
            const window w = window_of(p->most, faces_of(g, body), b->tiles, i);
            compute_window(g, b, p, body, &w, number);
        }
    }
    TACT_LAUNCH_ITEMS(g->device, image_fill, (uint64_t)b->width * b->height, .solid_a = g->masks[0],
                      .solid_b = g->masks[2], .plane = b->width * b->height, .planes = b->planes);
    return tact_image_reduce_batch(g, b);
}

// Whether all rows had room. Notes how many there were.
static bool had_room(tact_gpu_concave* g, const tact_image_batch* b, const plan* p, const uint32_t* counts)
{
    double density = 0.0;
    bool room = true;
    uint32_t number = 0;
    for (int body = 0; body < 2; ++body) {
        for (uint32_t i = 0; i < p->windows[body]; ++i, ++number) {
            const window w = window_of(p->most, faces_of(g, body), b->tiles, i);
            room = room && counts[number] <= p->capacity;
            density = fmax(density, (double)counts[number] / ((double)w.tiles * (double)w.triangles));
        }
    }
    tact_image_computer* c = g->computer;
    // A third more, for batches that have some more; and what takes fewer is forgotten slowly, so that of calls in turn
    // the larger ones are not always done twice.
    c->density = fmax(density * 4.0 / 3.0, room ? 0.95 * c->density : 2.0 * c->density);
    return room;
}

tact_result tact_image_compute_batch(tact_gpu_concave* g, tact_image_batch* b)
{
    tact_env* env = tact_device_env(g->device);
    b->across = 1;
    b->width = b->resolution;
    b->height = b->resolution * b->tiles;
    tact_image_hold_batch(g, b);
    for (bool done = false; !done && tact_device_result(g->device) == TACT_OK;) {
        plan p;
        if (make_plan(g, b, &p) != TACT_OK || compute(g, b, &p) != TACT_OK) break;
        const size_t windows = (size_t)p.windows[0] + p.windows[1];
        uint32_t* counts = tact_allocate(env, windows, sizeof *counts);
        if (!counts) return tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
        const tact_read reads[] = {{g->found, 0, (size_t)b->tiles * TACT_IMAGE_FOUND * 4, b->found},
                                   {g->computer->counts, 0, windows * 4, counts}};
        if (tact_device_read(g->device, reads, 2) == TACT_OK) done = had_room(g, b, &p, counts);
        tact_release(env, counts);
    }
    return tact_device_result(g->device);
}
