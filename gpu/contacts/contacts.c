// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/contacts/contacts.h"

#include "gpu/chunks.h"
#include "gpu/contacts/resident.h"

enum { CHUNK = 1 << 16, MANIFOLD = TACT_MANIFOLD_ROWS * ROW };

void tact_gpu_contacts_release(void* resident)
{
    tact_gpu_contacts* g = resident;
    if (!g) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(g->device) == TACT_OK;
    tact_buffer** const all[] = {&g->shapes, &g->points, &g->faces, &g->corners,
                                 &g->edges,  &g->bodies, &g->items, &g->found};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_buffer_drop(all[i]);
    if (entered) tact_device_leave(g->device);
    tact_release(tact_device_env(g->device), g->rows);
    tact_release(tact_device_env(g->device), g->pairs);
    tact_release(tact_device_env(g->device), g);
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

static tact_result upload(tact_gpu_contacts* g, const tact_contacts_job* job, size_t bodies)
{
    tact_gpu_bring_shapes(g, job->tables);
    tact_gpu_bring(g, &g->bodies, job->bodies, bodies * TACT_POSED_ROWS * ROW);
    return TACT_DEVICE_WITHIN(g->device, "room for %zu bodies: ", bodies);
}

typedef struct contacts_run {
    tact_gpu_contacts* g;
    const tact_contacts_job* job;
} contacts_run;

/// Whether a pair may take more than the 65,535 rounds of loops after which software ends them, silently: what all
/// steps of the distance, all faces and all edges take where nothing is ruled out, and the farthest points along 64
/// pairs of edges. The host works such pairs out; the device is given a body and itself, which it leaves out.
static bool is_long(const contacts_run* c, size_t i)
{
    if (!tact_device_describe(c->g->device)->software) return false;
    const TactShapes shapes = tact_shapes_of(c->job->tables);
    const tact_pair pair = c->job->pairs[i], parts = tact_contacts_parts(c->job, i);
    const TactCore a = tact_part_of(&shapes, tact_body_of(c->job->bodies, pair.a), parts.a).core,
                   b = tact_part_of(&shapes, tact_body_of(c->job->bodies, pair.b), parts.b).core;
    const uint32_t points = a.point_count + b.point_count;
    const uint32_t rounds = (TACT_CONTACT_STEPS + 1 + 64) * points +
                            a.face_count * (TACT_CONTACT_WITNESSES + b.point_count) +
                            b.face_count * (TACT_CONTACT_WITNESSES + a.point_count) +
                            TACT_CONTACT_WITNESSES * (a.edge_count + b.edge_count) + a.edge_count * b.edge_count;
    return rounds > 60000;
}

static void bring_chunk(void* user, size_t begin, size_t count)
{
    const contacts_run* c = user;
    for (size_t i = 0; i < count; ++i) {
        const tact_pair pair = c->job->pairs[begin + i], parts = tact_contacts_parts(c->job, begin + i);
        uint32_t* to = c->g->pairs[i];
        to[0] = pair.a;
        to[1] = is_long(c, begin + i) ? pair.a : pair.b;
        to[2] = parts.a;
        to[3] = parts.b;
    }
    tact_buffer_write(c->g->items, 0, c->g->pairs, count * sizeof *c->g->pairs);
}

static void run_chunk(void* user, size_t begin, size_t count)
{
    tact_gpu_contacts* g = ((const contacts_run*)user)->g;
    (void)begin;
    const tact_contacts_args args = {.shapes = g->shapes,
                                     .points = g->points,
                                     .faces = g->faces,
                                     .corners = g->corners,
                                     .edges = g->edges,
                                     .bodies = g->bodies,
                                     .items = g->items,
                                     .found = g->found,
                                     .count = (uint32_t)count};
    tact_device_launch_items(g->device, TACT_KERNEL_contacts, count, &args, sizeof args);
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    const contacts_run* c = user;
    tact_gpu_contacts* g = c->g;
    if (tact_buffer_read(g->found, 0, g->rows, count * MANIFOLD) != TACT_OK) return;
    for (size_t i = 0; i < count; ++i) {
        if (is_long(c, begin + i)) {
            tact_contacts_work_out(c->job, begin + i, begin + i + 1);
            continue;
        }
        c->job->contacts[begin + i] = tact_contact_of_rows(
            c->job->pairs[begin + i], tact_contacts_parts(c->job, begin + i), (const uint32_t(*)[4])g->rows[i]);
    }
}

static size_t chunk_size(const tact_device* device, size_t count)
{
    size_t chunk = count < CHUNK ? count : CHUNK;
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / MANIFOLD;
    return most > 0 && chunk > most ? (size_t)most : chunk;
}

static tact_result run_all(tact_gpu_contacts* g, const tact_contacts_job* job, size_t bodies, tact_query_report* report)
{
    const double start = tact_device_milliseconds(g->device);
    if (tact_device_prepare(g->device, TACT_KERNEL_contacts) != TACT_OK) return tact_device_result(g->device);
    const double built = tact_device_milliseconds(g->device);
    const size_t chunk = chunk_size(g->device, job->count);
    void* rows = g->rows;
    if (!tact_reserve(tact_device_env(g->device), &rows, &g->row_capacity, 0, chunk, MANIFOLD))
        return TACT_ERROR_OUT_OF_MEMORY;
    g->rows = rows;
    void* pairs = g->pairs;
    if (!tact_reserve(tact_device_env(g->device), &pairs, &g->pair_capacity, 0, chunk, sizeof *g->pairs))
        return TACT_ERROR_OUT_OF_MEMORY;
    g->pairs = pairs;
    report->build_ms = built - start;
    upload(g, job, bodies);
    tact_buffer_hold(g->device, &g->items, chunk * sizeof *g->pairs);
    tact_buffer_hold(g->device, &g->found, chunk * MANIFOLD);
    report->upload_ms = tact_device_milliseconds(g->device) - built;
    contacts_run c = {g, job};
    const tact_gpu_chunks chunks = {.count = job->count,
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

tact_result tact_gpu_contacts_make(tact_device* device, tact_gpu_contacts** resident)
{
    if (*resident) return TACT_OK;
    *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
    if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
    (*resident)->device = device;
    return TACT_OK;
}

tact_result tact_gpu_contacts_run(tact_device* device, tact_gpu_contacts** resident, const tact_contacts_job* job,
                                  size_t bodies, tact_query_report* report)
{
    tact_result result = tact_gpu_contacts_make(device, resident);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (job->count > 0) result = run_all(*resident, job, bodies, report);
    tact_device_leave(device);
    return result;
}
