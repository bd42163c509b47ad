// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/contacts/casts.h"

#include "gpu/chunks.h"
#include "gpu/contacts/resident.h"

enum { CHUNK = 1 << 16 };

typedef struct casts_run {
    tact_gpu_contacts* g;
    const tact_casts_job* job;
    tact_cast_items* items;
    uint32_t steps;  // of a launch
} casts_run;

/// How many steps a launch may take. Software ends loops, silently, once they have gone round 65,535 times together: a
/// step looks at all points of both shapes in each of TACT_CONTACT_STEPS steps of the distance, and four times more.
static uint32_t steps_of(const tact_device* device, const tact_shape_tables* t)
{
    if (!tact_device_describe(device)->software) return TACT_CAST_STEPS;
    uint32_t most = 3;
    for (size_t i = 0; i < t->shape_count; i += TACT_SHAPE_ROWS)
        if (t->shapes[i].x <= TACT_KIND_HULL && t->shapes[i].z > most) most = t->shapes[i].z;
    const uint32_t rounds = 2 * (TACT_CONTACT_STEPS + 4) * (most + 1), steps = 60000 / rounds;
    return steps < 1 ? 1 : steps > TACT_CAST_STEPS ? TACT_CAST_STEPS : steps;
}

static void bring_chunk(void* user, size_t begin, size_t count)
{
    const casts_run* c = user;
    tact_buffer_write(c->g->items, 0, c->items->items + begin, count * sizeof *c->items->items);
}

static void run_chunk(void* user, size_t begin, size_t count)
{
    const casts_run* c = user;
    tact_gpu_contacts* g = c->g;
    (void)begin;
    for (uint32_t first = 0; first < TACT_CAST_STEPS; first += c->steps) {
        const tact_body_casts_args args = {.shapes = g->shapes,
                                           .points = g->points,
                                           .faces = g->faces,
                                           .corners = g->corners,
                                           .edges = g->edges,
                                           .bodies = g->bodies,
                                           .items = g->items,
                                           .found = g->found,
                                           .count = (uint32_t)count,
                                           .casts = (uint32_t)c->job->body_count,
                                           .first = first,
                                           .steps = c->steps};
        tact_device_launch_items(g->device, TACT_KERNEL_body_casts, count, &args, sizeof args);
    }
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    const casts_run* c = user;
    tact_buffer_read(c->g->found, 0, c->items->outcomes + begin, count * sizeof *c->items->outcomes);
}

static size_t chunk_size(const tact_device* device, size_t count)
{
    const size_t chunk = count < CHUNK ? count : CHUNK;
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / sizeof(tact_cast_item);
    return most > 0 && chunk > most ? (size_t)most : chunk;
}

static tact_result run_all(tact_gpu_contacts* g, const tact_casts_job* job, tact_cast_items* items,
                           tact_query_report* report)
{
    const double start = tact_device_milliseconds(g->device);
    if (tact_device_prepare(g->device, TACT_KERNEL_body_casts) != TACT_OK) return tact_device_result(g->device);
    const double built = tact_device_milliseconds(g->device);
    const size_t rows = TACT_POSED_ROWS * job->body_count + TACT_CAST_ROWS * job->cast_count;
    const size_t chunk = chunk_size(g->device, items->count);
    report->build_ms = built - start;
    tact_gpu_bring_shapes(g, job->tables);
    tact_gpu_bring(g, &g->bodies, job->rows, rows * ROW);
    tact_buffer_hold(g->device, &g->items, chunk * sizeof *items->items);
    tact_buffer_hold(g->device, &g->found, chunk * sizeof *items->outcomes);
    report->upload_ms = tact_device_milliseconds(g->device) - built;
    casts_run c = {g, job, items, steps_of(g->device, job->tables)};
    const tact_gpu_chunks chunks = {.count = items->count,
                                    .chunk = chunk,
                                    .bring = bring_chunk,
                                    .run = run_chunk,
                                    .take = take_chunk,
                                    .user = &c,
                                    .progress = job->progress,
                                    .progress_user = job->progress_user};
    const tact_result result = tact_gpu_chunks_run(g->device, &chunks, report);
    const tact_buffer* all[] = {g->shapes, g->points, g->faces, g->corners, g->edges, g->bodies, g->items, g->found};
    report->memory_bytes = tact_buffer_sizes(all, sizeof all / sizeof *all);
    return result;
}

tact_result tact_gpu_casts_run(tact_device* device, tact_gpu_contacts** resident, const tact_casts_job* job,
                               tact_cast_items* items, tact_query_report* report)
{
    tact_result result = tact_gpu_contacts_make(device, resident);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (items->count > 0) result = run_all(*resident, job, items, report);
    tact_device_leave(device);
    return result;
}
