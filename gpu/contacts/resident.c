// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/contacts/resident.h"

#include <string.h>

enum { BUFFERS = 17, CHUNK = 1 << 16 };

static void all_buffers(tact_gpu_contacts* g, tact_buffer** all[BUFFERS])
{
    tact_buffer** const list[BUFFERS] = {&g->shapes, &g->points, &g->faces,  &g->corners, &g->edges, &g->trees,
                                         &g->bodies, &g->pairs,  &g->counts, &g->items,   &g->bins,  &g->order,
                                         &g->binned, &g->found,  &g->flags,  &g->kept,    &g->total};
    memcpy(all, list, sizeof list);
}

void tact_gpu_contacts_release(void* resident)
{
    tact_gpu_contacts* g = resident;
    if (!g) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(g->device) == TACT_OK;
    tact_buffer** all[BUFFERS];
    all_buffers(g, all);
    for (int i = 0; i < BUFFERS; ++i)
        tact_buffer_drop(all[i]);
    tact_scan_destroy(g->scan);
    tact_radix_sort_destroy(g->sort);
    tact_compact_destroy(g->compact);
    if (entered) tact_device_leave(g->device);
    tact_release(tact_device_env(g->device), g);
}

uint64_t tact_gpu_contacts_bytes(const tact_gpu_contacts* g)
{
    tact_gpu_contacts copy = *g;
    tact_buffer** all[BUFFERS];
    all_buffers(&copy, all);
    uint64_t sum = g->sort ? tact_radix_sort_bytes(g->sort) : 0;
    for (int i = 0; i < BUFFERS; ++i)
        sum += tact_buffer_size(*all[i]);
    return sum;
}

tact_result tact_gpu_contacts_make(tact_device* device, tact_gpu_contacts** resident)
{
    if (*resident) return TACT_OK;
    *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
    if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
    (*resident)->device = device;
    (*resident)->share = 0.5;
    return TACT_OK;
}

void tact_gpu_bring(tact_gpu_contacts* g, tact_buffer** buffer, const void* data, size_t bytes)
{
    tact_buffer_hold(g->device, buffer, bytes > 0 ? bytes : ROW);
    if (bytes > 0) tact_buffer_write(*buffer, 0, data, bytes);
}

void tact_gpu_bring_shapes(tact_gpu_contacts* g, const tact_shape_tables* t)
{
    if (g->version == t->version) return;
    g->version = 0;
    tact_gpu_bring(g, &g->shapes, t->shapes, t->shape_count * sizeof *t->shapes);
    tact_gpu_bring(g, &g->points, t->points, t->point_count * sizeof *t->points);
    tact_gpu_bring(g, &g->faces, t->faces, t->face_count * sizeof *t->faces);
    tact_gpu_bring(g, &g->corners, t->corners, t->corner_count * sizeof *t->corners);
    tact_gpu_bring(g, &g->edges, t->edges, t->edge_count * sizeof *t->edges);
    if (tact_device_result(g->device) == TACT_OK) g->version = t->version;
}

/// Numbers of double precision as floats that are no larger, or no smaller.
static float4 corner(const double at[3], float side, float w)
{
    float4 r = {(float)at[0], (float)at[1], (float)at[2], w};
    r.x += side * 1e-7f * fabsf(r.x);
    r.y += side * 1e-7f * fabsf(r.y);
    r.z += side * 1e-7f * fabsf(r.z);
    return r;
}

static float4* put_box(float4* to, const float low[3], const float high[3], uint32_t low_word, uint32_t high_word)
{
    to[0] = (float4){low[0], low[1], low[2], as_float(low_word)};
    to[1] = (float4){high[0], high[1], high[2], as_float(high_word)};
    return to + 2;
}

static void fill_trees(const tact_shape_tables* t, size_t shapes, float4* rows)
{
    float4* to = rows + TACT_TREE_ROWS * shapes;
    for (size_t i = 0; i < shapes; ++i) {
        const tact_shape_bounds* b = &t->bounds[i];
        float4* head = rows + TACT_TREE_ROWS * i;
        head[0] = corner(b->lower, -1.0f, (float)b->radius * 1.0000001f);
        head[1] = corner(b->upper, 1.0f, as_float(b->tree.nodes != NULL));
        const uint32_t tree = (uint32_t)(to - rows), part = tree + 4 * (uint32_t)b->tree.node_count;
        head[2] = (float4){as_float(tree), as_float(part), 0.0f, 0.0f};
        if (!b->tree.nodes) continue;
        for (size_t n = 0; n < b->tree.node_count; ++n) {
            for (int c = 0; c < 2; ++c) {
                const tact_bvh_child* child = &b->tree.nodes[n].children[c];
                to = put_box(to, child->lower, child->upper, child->child, child->count);
            }
        }
        for (size_t k = 0; k < b->tree.count; ++k) {
            const tact_bvh_box* box = &b->boxes[b->tree.order[k]];
            to = put_box(to, box->lower, box->upper, b->tree.order[k], 0);
        }
    }
}

void tact_gpu_bring_trees(tact_gpu_contacts* g, const tact_shape_tables* t)
{
    if (g->tree_version == t->version) return;
    g->tree_version = 0;
    const size_t shapes = t->shape_count / TACT_SHAPE_ROWS;
    size_t count = TACT_TREE_ROWS * shapes;
    for (size_t i = 0; i < shapes; ++i) {
        const tact_bvh* tree = &t->bounds[i].tree;
        TACT_ASSERT(!tree->nodes || tree->depth + 2 <= TACT_TREE_STACK);
        if (tree->nodes) count += 4 * tree->node_count + 2 * tree->count;
    }
    float4* rows = tact_allocate(tact_device_env(g->device), count, sizeof *rows);
    if (!rows) {
        tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
        return;
    }
    fill_trees(t, shapes, rows);
    tact_gpu_bring(g, &g->trees, rows, count * sizeof *rows);
    tact_release(tact_device_env(g->device), rows);
    if (tact_device_result(g->device) == TACT_OK) g->tree_version = t->version;
}

typedef struct items_run {
    tact_gpu_contacts* g;
    const tact_gpu_items* of;
} items_run;

static void bring_chunk(void* user, size_t begin, size_t count)
{
    const items_run* r = user;
    const size_t bytes = r->of->item_bytes;
    tact_buffer_write(r->g->items, 0, (const char*)r->of->items + begin * bytes, count * bytes);
}

static void run_chunk(void* user, size_t begin, size_t count)
{
    const items_run* r = user;
    (void)begin;
    r->of->launch(r->g, count, r->of->user);
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    const items_run* r = user;
    const size_t bytes = r->of->found_bytes;
    tact_buffer_read(r->g->found, 0, (char*)r->of->found + begin * bytes, count * bytes);
}

static size_t chunk_size(const tact_device* device, const tact_gpu_items* items)
{
    const size_t bytes = items->item_bytes > items->found_bytes ? items->item_bytes : items->found_bytes;
    const size_t chunk = items->count < CHUNK ? items->count : CHUNK;
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / bytes;
    return most > 0 && chunk > most ? (size_t)most : chunk;
}

tact_result tact_gpu_items_run(tact_gpu_contacts* g, const tact_gpu_items* items, tact_query_report* report)
{
    const double start = tact_device_milliseconds(g->device);
    if (tact_device_prepare(g->device, items->kernel) != TACT_OK) return tact_device_result(g->device);
    const double built = tact_device_milliseconds(g->device);
    const size_t chunk = chunk_size(g->device, items);
    report->build_ms = built - start;
    tact_gpu_bring_shapes(g, items->tables);
    tact_gpu_bring(g, &g->bodies, items->rows, items->row_count * ROW);
    tact_buffer_hold(g->device, &g->items, chunk * items->item_bytes);
    tact_buffer_hold(g->device, &g->found, chunk * items->found_bytes);
    report->upload_ms = tact_device_milliseconds(g->device) - built;
    items_run r = {g, items};
    const tact_gpu_chunks chunks = {.count = items->count,
                                    .chunk = chunk,
                                    .bring = bring_chunk,
                                    .run = run_chunk,
                                    .take = take_chunk,
                                    .user = &r,
                                    .progress = items->progress,
                                    .progress_user = items->progress_user};
    const tact_result result = tact_gpu_chunks_run(g->device, &chunks, report);
    report->memory_bytes = tact_gpu_contacts_bytes(g);
    return result;
}
