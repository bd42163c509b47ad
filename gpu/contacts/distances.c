// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/contacts/distances.h"

#include "gpu/contacts/resident.h"

enum { CHUNK = 1 << 16 };

static void launch(const tact_gpu_contacts* g, size_t count, void* user)
{
    const tact_gaps_job* job = user;
    TACT_LAUNCH_ITEMS(g->device, body_distances, count, .shapes = g->shapes, .points = g->points, .faces = g->faces,
                      .corners = g->corners, .edges = g->edges, .bodies = g->bodies, .items = g->items,
                      .found = g->found, .count = (uint32_t)count, .most = job->overlap ? 0.0f : job->farthest);
}

static tact_result run_all(tact_gpu_contacts* g, const tact_gaps_job* job, size_t rows, tact_gap_items* items,
                           tact_query_report* report)
{
    const tact_gpu_items all = {.kernel = TACT_KERNEL_body_distances,
                                .tables = job->tables,
                                .rows = job->rows,
                                .row_count = TACT_POSED_ROWS * rows,
                                .items = items->items,
                                .found = items->found,
                                .item_bytes = sizeof *items->items,
                                .found_bytes = sizeof *items->found,
                                .count = items->count,
                                .launch = launch,
                                .user = (void*)(uintptr_t)job,
                                .progress = job->progress,
                                .progress_user = job->progress_user};
    return tact_gpu_items_run(g, &all, report);
}

// ---- Contacts of what overlaps ----

/// Items of which the contacts are worked out together.
typedef struct deep_items {
    size_t* number;
    float4* rows;  // of two bodies each
    tact_pair *pairs, *parts;
    tact_contact* contacts;  // that have points
    size_t count, capacity;
} deep_items;

static bool make_deep(tact_env* env, deep_items* d, size_t most)
{
    d->number = tact_allocate(env, most, sizeof *d->number);
    d->rows = tact_allocate(env, most, 2 * TACT_POSED_ROWS * sizeof *d->rows);
    d->pairs = tact_allocate(env, most, sizeof *d->pairs);
    d->parts = tact_allocate(env, most, sizeof *d->parts);
    return d->number && d->rows && d->pairs && d->parts;
}

static void release_deep(tact_env* env, deep_items* d)
{
    tact_release(env, d->number);
    tact_release(env, d->rows);
    tact_release(env, d->pairs);
    tact_release(env, d->parts);
    tact_release(env, d->contacts);
}

static void add_deep(deep_items* d, const tact_gaps_job* job, const tact_gap_items* items, size_t number)
{
    const size_t k = d->count++;
    const tact_near_item item = items->items[number];
    d->number[k] = number;
    tact_gap_contact_rows(job, item, &items->found[number], d->rows + 2 * TACT_POSED_ROWS * k);
    d->pairs[k] = (tact_pair){(uint32_t)(2 * k), (uint32_t)(2 * k + 1)};
    d->parts[k] = (tact_pair){item.part_a, item.part_b};
}

static tact_result settle_deep(tact_device* device, tact_gpu_contacts** resident, const tact_gaps_job* job,
                               tact_gap_items* items, deep_items* d, tact_query_report* report)
{
    tact_gpu_contacts_job contacts = {.tables = job->tables,
                                      .rows = d->rows,
                                      .body_end = 2 * d->count,
                                      .pairs = d->pairs,
                                      .parts = d->parts,
                                      .count = d->count,
                                      .threads = job->threads,
                                      .contacts = &d->contacts,
                                      .capacity = &d->capacity};
    tact_query_report own = {0};
    const tact_result result = tact_gpu_contacts_run(device, resident, &contacts, &own);
    if (result != TACT_OK) return result;
    // What has no points is left out.
    for (size_t k = 0, c = 0; k < d->count; ++k) {
        static const tact_contact none;
        const bool there = c < contacts.found && d->contacts[c].a == 2 * k;
        tact_gap_settle(job, items->items[d->number[k]], there ? &d->contacts[c] : &none, &items->found[d->number[k]]);
        c += there;
    }
    d->count = 0;
    report->build_ms += own.build_ms;
    report->upload_ms += own.upload_ms;
    report->query_ms += own.query_ms;
    report->download_ms += own.download_ms;
    if (own.memory_bytes > report->memory_bytes) report->memory_bytes = own.memory_bytes;
    return TACT_OK;
}

static tact_result settle_all(tact_device* device, tact_gpu_contacts** resident, const tact_gaps_job* job,
                              tact_gap_items* items, tact_query_report* report)
{
    size_t count = 0;
    for (size_t i = 0; i < items->count; ++i)
        count += tact_gap_needs_contact(job, items->items[i], &items->found[i]);
    if (count == 0) return TACT_OK;
    const size_t most = count < CHUNK ? count : CHUNK;
    deep_items d = {0};
    tact_result result = make_deep(tact_device_env(device), &d, most) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < items->count && result == TACT_OK; ++i) {
        if (!tact_gap_needs_contact(job, items->items[i], &items->found[i])) continue;
        add_deep(&d, job, items, i);
        if (d.count == most) result = settle_deep(device, resident, job, items, &d, report);
    }
    if (result == TACT_OK && d.count > 0) result = settle_deep(device, resident, job, items, &d, report);
    release_deep(tact_device_env(device), &d);
    return result;
}

tact_result tact_gpu_gaps_run(tact_device* device, tact_gpu_contacts** resident, const tact_gaps_job* job, size_t rows,
                              tact_gap_items* items, tact_query_report* report)
{
    tact_result result = tact_gpu_contacts_make(device, resident);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (items->count > 0) result = run_all(*resident, job, rows, items, report);
    tact_device_leave(device);
    return result == TACT_OK ? settle_all(device, resident, job, items, report) : result;
}
