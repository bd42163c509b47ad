// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Lists of neighbours: they are counted, the host works out where each list begins, and then they are found again and
// written, as many slots at a time as fit into a buffer that every device can bind.

#include <math.h>
#include <string.h>

#include "gpu/particles/lists.h"

enum {
    CHUNK = 4 * 1024 * 1024,  ///< neighbours of a launch, 16 MiB: what OpenGL 4.3 lets bind everywhere
    FOUND_WORDS = 4           ///< room for each particle: its tag and how many neighbours it has
};

// Below this, squares lose digits to underflow, and particles may count as near that are not.
#define LEAST_REACH 1e-18f

void tact_gpu_particle_lists_destroy(tact_gpu_particles* e)
{
    tact_gpu_particle_lists* l = e->lists;
    tact_env* env = e->base.env;
    if (!l) return;
    void* const arrays[] = {l->counts, l->ids, l->neighbours, l->found, l->offsets};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tact_release(env, arrays[i]);
    tact_buffer_destroy(l->chunk);
    tact_buffer_destroy(l->items);
    tact_release(env, l);
    e->lists = NULL;
}

uint64_t tact_gpu_particle_lists_bytes(const tact_gpu_particles* e)
{
    const tact_gpu_particle_lists* l = e->lists;
    if (!l) return 0;
    return tact_buffer_size(l->chunk) + tact_buffer_size(l->items);
}

tact_result tact_gpu_lists_room(tact_gpu_particles* e)
{
    tact_env* env = e->base.env;
    if (!e->lists) e->lists = tact_allocate_zeroed(env, 1, sizeof *e->lists);
    tact_gpu_particle_lists* l = e->lists;
    if (!l) return TACT_ERROR_OUT_OF_MEMORY;
    if (l->offsets && l->slots >= e->count) return TACT_OK;
    l->slots = 0;
    void** const arrays[] = {(void**)&l->counts, (void**)&l->ids, (void**)&l->found, (void**)&l->offsets};
    const size_t sizes[] = {sizeof *l->counts, sizeof *l->ids, FOUND_WORDS * sizeof *l->found, sizeof *l->offsets};
    for (size_t i = 0; i < 4; ++i) {
        tact_release(env, *arrays[i]);
        *arrays[i] = tact_allocate(env, e->count + 1, sizes[i]);
        if (!*arrays[i]) return TACT_ERROR_OUT_OF_MEMORY;
    }
    l->slots = e->count;
    return TACT_OK;
}

void tact_gpu_lists_forget(tact_gpu_particles* e)
{
    if (e->lists) tact_gpu_crowd_forget(&e->lists->crowd);
}

tact_result tact_gpu_lists_sort(tact_gpu_particles* e, const tact_particle_model* model, tact_gpu_crowd* crowd)
{
    tact_gpu_particles_update(e, model);
    return tact_gpu_particles_sort(e, e->set.position, crowd, true);
}

/// Cells for a radius: as wide as it, or, where hardly two particles would share one, as wide as the room of a
/// particle; that is guessed from the box of all, which one that is far away makes too large, so that it is no more
/// than the cells that contacts are looked for in.
static double edge_for(const tact_gpu_particles* e, const tact_particle_model* model, float radius)
{
    const double reach = (double)(radius > LEAST_REACH ? radius : LEAST_REACH) * (double)TACT_CELL_SLACK;
    double room = 1.0 / (double)e->count;
    for (int i = 0; i < 3; ++i) {
        const double width = (double)e->upper[i] - (double)e->lower[i];
        room *= width > reach ? width : reach;
    }
    double edge = cbrt(room);
    if (edge > (double)model->grid.edge) edge = (double)model->grid.edge;
    return edge > reach ? edge : reach;
}

static TactGridAxis axis_for(TactGridAxis given, double edge)
{
    TactGridAxis a = {given.origin, (float)(1.0 / edge), -TACT_CELL_LIMIT, TACT_CELL_LIMIT - 1, given.period};
    if (given.period > 0.0f) {
        double cells = floor((double)given.period / edge);
        if (cells > TACT_CELL_LIMIT) cells = TACT_CELL_LIMIT;
        if (!(cells >= 3.0)) cells = 3.0;  // a period is three radii long, and some more
        a.inverse = (float)(cells / (double)given.period);
        a.low = 0;
        a.high = (int)cells - 1;
    }
    return a;
}

static TactGrid grid_for(const tact_gpu_particles* e, const tact_particle_model* model, float radius)
{
    const double edge = edge_for(e, model, radius);
    return (TactGrid){axis_for(model->grid.x, edge), axis_for(model->grid.y, edge), axis_for(model->grid.z, edge),
                      (float)edge, 1};
}

/// Which neighbours are looked for.
typedef struct looking {
    float radius;
    tact_neighbour_kind kind;
} looking;

/// The kernel's arguments to count, or to list, the neighbours of slots [begin, end).
static tact_particles_neighbours_args arguments(const tact_gpu_particles* e, uint32_t begin, uint32_t end,
                                                const looking* how, tact_buffer* lists, bool listing)
{
    return (tact_particles_neighbours_args){
        .position = e->set.position,
        .starts = e->starts,
        .model = e->model,
        .counts = e->keys,
        .lists = lists,
        .counters = e->counters,
        .begin = begin,
        .end = end,
        .radius2 = how->radius * how->radius,
        .listing = listing,
        .once = how->kind == TACT_NEIGHBOURS_ONCE,
    };
}

static tact_gpu_walk walk_with(const tact_gpu_particles* e, tact_particles_neighbours_args* args)
{
    return (tact_gpu_walk){TACT_KERNEL_particles_neighbours,
                           args,
                           sizeof *args,
                           &args->first,
                           &args->window,
                           e->counters,
                           TACT_COUNTER_WALK};
}

/// Tags, then counts, then the longest walk, put side by side in the scratch set, so that the host waits once.
static tact_result read_found(tact_gpu_particles* e)
{
    tact_gpu_particle_lists* l = e->lists;
    const size_t n = e->count;
    tact_buffer_copy(e->other.position, 0, e->set.tag, 0, n * 8);
    tact_buffer_copy(e->other.position, n * 8, e->keys, 0, n * 4);
    tact_buffer_copy(e->other.position, n * 12, e->counters, (size_t)TACT_COUNTER_WALK * 4, 4);
    return tact_buffer_read(e->other.position, 0, l->found, n * 12 + 4);
}

/// How many neighbours each slot has, and where its list begins.
static tact_result count_all(tact_gpu_particles* e, const looking* how)
{
    tact_gpu_particle_lists* l = e->lists;
    const size_t n = e->count;
    tact_particles_neighbours_args args = arguments(e, 0, (uint32_t)n, how, e->order, false);
    const tact_gpu_walk walk = walk_with(e, &args);
    const bool longer = tact_gpu_particles_walk_begin(e, args.end, &walk);
    if (read_found(e) != TACT_OK) return tact_device_result(e->device);
    l->longest = longer ? l->found[3 * n] : 0;
    if (l->longest > args.window) {
        tact_gpu_particles_walk_part(e, args.end, &walk, args.window, l->longest);
        if (read_found(e) != TACT_OK) return tact_device_result(e->device);
    }
    for (size_t s = 0; s < n; ++s) {
        l->ids[s] = l->found[2 * s];
        l->offsets[s + 1] = l->offsets[s] + l->found[2 * n + s];
    }
    return TACT_OK;
}

/// The lists of slots [begin, end).
static tact_result write_chunk(tact_gpu_particles* e, size_t begin, size_t end, const looking* how)
{
    tact_gpu_particle_lists* l = e->lists;
    const uint64_t base = l->offsets[begin];
    const size_t total = (size_t)(l->offsets[end] - base);
    if (total == 0) return TACT_OK;
    for (size_t s = begin; s < end; ++s)
        l->counts[s] = (uint32_t)(l->offsets[s] - base);
    tact_gpu_particles_need(e, &l->chunk, (uint64_t)total * 4, "lists of neighbours");
    tact_buffer_write(e->keys, begin * 4, l->counts + begin, (end - begin) * 4);
    tact_particles_neighbours_args args = arguments(e, (uint32_t)begin, (uint32_t)end, how, l->chunk, true);
    const tact_gpu_walk walk = walk_with(e, &args);
    tact_gpu_particles_walk_part(e, args.end - args.begin, &walk, 0, l->longest);
    return tact_buffer_read(l->chunk, 0, l->neighbours + base, total * 4);
}

static tact_result write_all(tact_gpu_particles* e, const looking* how)
{
    tact_gpu_particle_lists* l = e->lists;
    tact_env* env = e->base.env;
    const uint64_t total = l->offsets[e->count];
    if (total > SIZE_MAX / 8)
        return TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT, "lists of %llu neighbours", (unsigned long long)total);
    if (!tact_reserve(env, (void**)&l->neighbours, &l->capacity, 0, (size_t)total + 1, sizeof *l->neighbours)) {
        return tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    }
    for (size_t begin = 0; begin < e->count && tact_device_result(e->device) == TACT_OK;) {
        size_t end = begin + 1;
        while (end < e->count && l->offsets[end + 1] - l->offsets[begin] <= CHUNK)
            ++end;
        write_chunk(e, begin, end, how);
        begin = end;
    }
    return tact_device_result(e->device);
}

static tact_result find(tact_gpu_particles* e, const tact_particle_model* model, const looking* how)
{
    tact_particle_model with = *model;
    tact_gpu_particles_room(e);
    if (tact_gpu_particles_look(e) != TACT_OK) return tact_device_result(e->device);
    with.grid = grid_for(e, model, how->radius);
    tact_gpu_lists_sort(e, &with, &e->lists->crowd);
    if (count_all(e, how) != TACT_OK) return tact_device_result(e->device);
    return write_all(e, how);
}

tact_result tact_gpu_particles_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                          tact_neighbour_kind kind, tact_neighbour_lists* lists)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    tact_result result = tact_gpu_lists_room(e);
    if (result != TACT_OK) return result;
    tact_gpu_particle_lists* l = e->lists;
    l->offsets[0] = 0;
    if (e->count > 0) {
        result = tact_device_enter(e->device);
        if (result != TACT_OK) return result;
        const looking how = {radius, kind};
        result = find(e, model, &how);
        tact_device_leave(e->device);
        if (result != TACT_OK) return result;
    }
    *lists = (tact_neighbour_lists){e->count, l->ids, l->offsets, l->neighbours};
    return TACT_OK;
}
