// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sorting particles by cell and id. A counting sort: the cells of all particles are counted, the counts scanned, each
// particle put into its cell in whatever order the device comes to them, and then to its rank by id among those there
// (after S. Green, "Particle Simulation using CUDA", 2010, but for the rank). Ranking looks at all pairs within a cell;
// when cells are crowded, a radix sort by id and then by cell takes its place.

#include <math.h>

#include "gpu/particles/lists.h"

enum {
    CROWDED = 256,            // particles in a place of the table from which on ranking is not worth while
    ID_BITS = 30,             // there are no more particles than that
    LOOK_INTERVAL = 256,      // substeps between looks at where the particles are
    LOOK_AHEAD = 128,         // substeps for what is looked at to come to the host
    RANKED_AT_ONCE = 1 << 18  // however these lie, ranking them does not take long on a device of its own
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
    return result == TACT_OK && e->turning ? e->turning->gather(e) : result;
}

bool tact_gpu_particles_time_to_look(const tact_gpu_particles* e)
{
    return e->software || e->since_looked % LOOK_AHEAD == 0 || e->count > RANKED_AT_ONCE;
}

void tact_gpu_crowd_forget(tact_gpu_crowd* crowd)
{
    tact_fence_destroy(crowd->note);
    *crowd = (tact_gpu_crowd){0};
}

/// Takes what has come.
static void take_crowd(tact_gpu_crowd* crowd)
{
    bool done = false;
    if (!crowd->note || tact_fence_poll(crowd->note, &done) != TACT_OK || !done) return;
    tact_fence_note(crowd->note, &crowd->most);
    tact_fence_destroy(crowd->note);
    crowd->note = NULL;
}

/// After count_cells().
static tact_result look_at_crowd(tact_gpu_particles* e, tact_gpu_crowd* crowd, bool look)
{
    const size_t at = (size_t)TACT_COUNTER_CROWD * 4;
    take_crowd(crowd);
    // With cells about as large there are about as many in them.
    const bool alike = crowd->edge >= 0.8f * e->grid.edge && crowd->edge <= 1.25f * e->grid.edge;
    if (crowd->known && !alike) tact_gpu_crowd_forget(crowd);
    if (crowd->known && (!look || crowd->note)) return tact_device_result(e->device);
    tact_reduce_run(e->reduce, TACT_REDUCE_MAX_UINT, e->starts, e->cells, e->counters, TACT_COUNTER_CROWD);
    if (crowd->known) return tact_fence_create_note(e->counters, at, sizeof crowd->most, &crowd->note);
    const tact_result result = tact_buffer_read(e->counters, at, &crowd->most, sizeof crowd->most);
    crowd->edge = e->grid.edge;
    crowd->known = result == TACT_OK;
    return result;
}

tact_result tact_gpu_particles_sort(tact_gpu_particles* e, tact_buffer* places, tact_gpu_crowd* crowd, bool look)
{
    count_cells(e, places);
    look_at_crowd(e, crowd, look);
    tact_scan_run(e->scan, e->starts, e->starts, e->cells + 1, NULL, 0);
    if (crowd->most > CROWDED) {
        radix(e);
    } else {
        rank(e);
    }
    e->ranked_rows.placed = false;
    return gather(e);
}

void tact_gpu_particles_forget(tact_gpu_particles* e)
{
    tact_gpu_crowd_forget(&e->crowd);
    tact_gpu_lists_forget(e);
    tact_fence_destroy(e->bounds);
    e->bounds = NULL;
    e->since_looked = 0;
}

static void widen(float lower[3], float upper[3], const float by_lower[3], const float by_upper[3])
{
    for (int k = 0; k < 3; ++k) {
        if (by_lower[k] < lower[k]) lower[k] = by_lower[k];
        if (by_upper[k] > upper[k]) upper[k] = by_upper[k];
    }
}

static void set_empty(float lower[3], float upper[3])
{
    for (int k = 0; k < 3; ++k) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
    }
}

void tact_gpu_particles_widen(tact_gpu_particles* e, const float lower[3], const float upper[3])
{
    if (e->count == 0) set_empty(e->lower, e->upper);
    widen(e->lower, e->upper, lower, upper);
    widen(e->came_lower, e->came_upper, lower, upper);
    e->has_tables = false;
}

static void ask_for_bounds(tact_gpu_particles* e)
{
    tact_reduce_bounds(e->reduce, TACT_POINTS, e->set.position, (uint32_t)e->count, e->other.position);
    tact_fence_create_note(e->other.position, 0, TACT_NOTE_BYTES, &e->bounds);
    set_empty(e->came_lower, e->came_upper);
}

static void take_bounds(tact_gpu_particles* e)
{
    float bounds[8];
    bool done = false;
    _Static_assert(sizeof bounds == TACT_NOTE_BYTES, "a note holds them");
    if (tact_fence_poll(e->bounds, &done) == TACT_OK && !done) tact_fence_wait(e->bounds);
    if (tact_device_result(e->device) != TACT_OK) return;
    tact_fence_note(e->bounds, bounds);
    tact_fence_destroy(e->bounds);
    e->bounds = NULL;
    for (int i = 0; i < 3; ++i) {
        e->lower[i] = bounds[i];
        e->upper[i] = bounds[4 + i];
    }
    widen(e->lower, e->upper, e->came_lower, e->came_upper);
    e->since_looked = 0;
    e->has_tables = false;
}

tact_result tact_gpu_particles_look(tact_gpu_particles* e)
{
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    if (e->since_looked >= LOOK_INTERVAL - LOOK_AHEAD && !e->bounds) ask_for_bounds(e);
    if (e->since_looked >= LOOK_INTERVAL && e->bounds) take_bounds(e);
    return tact_device_result(e->device);
}
