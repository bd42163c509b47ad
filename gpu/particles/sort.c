// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sorting particles by cell and id. A counting sort: the cells of all particles are counted, the counts scanned, each
// particle put into its cell in whatever order the device comes to them, and then to its rank by id among those there
// (after S. Green, "Particle Simulation using CUDA", 2010, but for the rank). Ranking looks at all pairs within a cell;
// when cells are crowded, a radix sort by id and then by cell takes its place.

#include "gpu/particles/internal.h"

enum {
    CROWDED = 256,       // particles in a place of the table from which on ranking is not worth while
    ID_BITS = 30,        // there are no more particles than that
    LOOK_INTERVAL = 256  // substeps between looks at the particles on a device of its own: looking waits for it
};

static tact_result count_cells(tact_gpu_particles* e, tact_buffer* places)
{
    tact_buffer_fill(e->starts, 0, ((size_t)e->cells + 1) * 4, 0);
    return TACT_LAUNCH_ITEMS(e->device, particles_cells, e->count, .position = places, .model = e->model,
                             .counts = e->starts, .keys = e->keys, .numbers = e->ranked, .count = (uint32_t)e->count);
}

static tact_result rank(tact_gpu_particles* e)
{
    TACT_LAUNCH_ITEMS(e->device, particles_scatter, e->count, .keys = e->keys, .starts = e->starts,
                      .numbers = e->ranked, .order = e->order, .count = (uint32_t)e->count);
    return TACT_LAUNCH_ITEMS(e->device, particles_rank, e->count, .keys = e->keys, .starts = e->starts,
                             .order = e->order, .tag = e->set.tag, .ranked = e->ranked, .count = (uint32_t)e->count);
}

tact_result tact_gpu_particles_pick(tact_gpu_particles* e, tact_buffer* source, uint32_t stride, bool ordered,
                                    tact_buffer* picked)
{
    return TACT_LAUNCH_ITEMS(e->device, particles_pick, e->count, .source = source, .order = e->order, .picked = picked,
                             .count = (uint32_t)e->count, .stride = stride, .ordered = ordered);
}

tact_result tact_gpu_particles_order_ids(tact_gpu_particles* e)
{
    const tact_sort_job job = {.keys_in = e->other.position,
                               .keys_out = e->other.velocity,
                               .values_out = e->order,
                               .count = (uint32_t)e->count,
                               .key_words = 1,
                               .key_bits = ID_BITS};
    if (!e->radix) tact_radix_sort_create(e->device, 0, &e->radix);
    tact_gpu_particles_pick(e, e->set.tag, 2, false, job.keys_in);
    return tact_radix_sort_run(e->radix, &job);
}

/// By id, then, keeping that order, by cell. The scratch set serves as room for keys.
static tact_result radix(tact_gpu_particles* e)
{
    uint32_t bits = 1;
    while (bits < 32 && (e->cells >> bits) != 0)
        ++bits;
    const tact_sort_job job = {.keys_in = e->other.position,
                               .keys_out = e->other.velocity,
                               .values_in = e->order,
                               .values_out = e->ranked,
                               .count = (uint32_t)e->count,
                               .key_words = 1,
                               .key_bits = bits};
    tact_gpu_particles_order_ids(e);
    tact_gpu_particles_pick(e, e->keys, 1, true, job.keys_in);
    return tact_radix_sort_run(e->radix, &job);
}

static tact_result gather(tact_gpu_particles* e)
{
    const tact_result result = TACT_LAUNCH_ITEMS(
        e->device, particles_gather, e->count, .ranked = e->ranked, .position = e->set.position,
        .velocity = e->set.velocity, .tag = e->set.tag, .sorted_position = e->other.position,
        .sorted_velocity = e->other.velocity, .sorted_tag = e->other.tag, .count = (uint32_t)e->count);
    if (result == TACT_OK) tact_gpu_particles_swap(e);
    return result;
}

static bool time_to_look(const tact_gpu_particles* e)
{
    return e->software || e->since_looked == 0 || e->since_looked >= LOOK_INTERVAL;
}

tact_result tact_gpu_particles_sort(tact_gpu_particles* e, tact_buffer* places)
{
    count_cells(e, places);
    if (time_to_look(e)) {
        tact_reduce_run(e->reduce, TACT_REDUCE_MAX_UINT, e->starts, e->cells, e->counters, TACT_COUNTER_CROWD);
        tact_buffer_read(e->counters, (size_t)TACT_COUNTER_CROWD * 4, &e->crowd, sizeof e->crowd);
    }
    tact_scan_run(e->scan, e->starts, e->starts, e->cells + 1, NULL, 0);
    if (e->crowd > CROWDED) {
        radix(e);
    } else {
        rank(e);
    }
    return gather(e);
}

tact_result tact_gpu_particles_look(tact_gpu_particles* e)
{
    if (e->since_looked < LOOK_INTERVAL) return TACT_OK;
    float bounds[8];
    tact_reduce_bounds(e->reduce, TACT_POINTS, e->set.position, (uint32_t)e->count, e->other.position);
    if (tact_buffer_read(e->other.position, 0, bounds, sizeof bounds) != TACT_OK) return tact_device_result(e->device);
    for (int i = 0; i < 3; ++i) {
        e->lower[i] = bounds[i];
        e->upper[i] = bounds[4 + i];
    }
    e->since_looked = 0;
    e->has_tables = false;
    return TACT_OK;
}
