// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/contacts/casts.h"

#include "gpu/contacts/resident.h"

typedef struct casts_run {
    const tact_casts_job* job;
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

static void launch(const tact_gpu_contacts* g, size_t count, void* user)
{
    const casts_run* c = user;
    for (uint32_t first = 0; first < TACT_CAST_STEPS; first += c->steps) {
        TACT_LAUNCH_ITEMS(g->device, body_casts, count, .shapes = g->shapes, .points = g->points, .faces = g->faces,
                          .corners = g->corners, .edges = g->edges, .bodies = g->bodies, .items = g->items,
                          .found = g->found, .count = (uint32_t)count, .casts = (uint32_t)c->job->body_count,
                          .first = first, .steps = c->steps);
    }
}

static tact_result run_all(tact_gpu_contacts* g, const tact_casts_job* job, tact_cast_items* items,
                           tact_query_report* report)
{
    casts_run c = {job, steps_of(g->device, job->tables)};
    const tact_gpu_items all = {.kernel = TACT_KERNEL_body_casts,
                                .tables = job->tables,
                                .rows = job->rows,
                                .row_count = TACT_POSED_ROWS * job->body_count + TACT_CAST_ROWS * job->cast_count,
                                .items = items->items,
                                .found = items->outcomes,
                                .item_bytes = sizeof *items->items,
                                .found_bytes = sizeof *items->outcomes,
                                .count = items->count,
                                .launch = launch,
                                .user = &c,
                                .progress = job->progress,
                                .progress_user = job->progress_user};
    return tact_gpu_items_run(g, &all, report);
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
