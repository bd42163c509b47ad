// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Lists of contacts. Particles are sorted by cell, and their contacts counted; then ranked by id, which is the order in
// which contacts are wanted, so that the host can work out where those of each particle belong. Then they are found
// again and written, those of as many ranks at a time as fit into a buffer that every device can bind.
//
// Walking in the order of ids costs more than in that of cells, but contacts then leave the device as the caller wants
// them, and each particle's few need only be put in order among themselves.

#include "gpu/particles/lists.h"

enum {
    CHUNK = 256 * 1024,  // contacts at a time, 12 MiB: OpenGL 4.3 lets 16 be bound everywhere
    CONTACT_BYTES = 48,
    ITEM_BYTES = 16
};

_Static_assert(sizeof(tact_particle_contact) == CONTACT_BYTES, "kernels/particle_listing.h writes them");

/// The kernel's arguments to count the pairs of slots [begin, end), or to list those of ranks [begin, end).
static tact_particles_pairs_args arguments(const tact_gpu_particles* e, uint32_t begin, uint32_t end,
                                           tact_buffer* items, bool listing)
{
    return (tact_particles_pairs_args){
        .position = e->set.position,
        .tag = e->set.tag,
        .starts = e->starts,
        .model = e->model,
        .order = e->order,
        .counts = e->keys,
        .items = items,
        .counters = e->counters,
        .begin = begin,
        .end = end,
        .listing = listing,
        .checked = e->checked,
    };
}

static tact_gpu_walk walk_with(const tact_gpu_particles* e, tact_particles_pairs_args* args)
{
    return (tact_gpu_walk){TACT_KERNEL_particles_pairs, args,        sizeof *args,     &args->walk_first,
                           &args->walk_window,          e->counters, TACT_COUNTER_WALK};
}

/// Counts or lists contacts with walls and colliders.
static tact_result held(tact_gpu_particles* e, uint32_t begin, uint32_t end, tact_buffer* contacts, bool listing)
{
    return TACT_LAUNCH_ITEMS(e->device, particles_held, end - begin, .position = e->set.position, .tag = e->set.tag,
                             .model = e->model, .order = e->order, .counts = e->keys, .contacts = contacts,
                             .begin = begin, .end = end, .listing = listing);
}

/// Counts or lists contacts with meshes and height fields.
static tact_result struck(tact_gpu_particles* e, uint32_t begin, uint32_t end, tact_buffer* contacts, bool listing)
{
    return TACT_LAUNCH_ITEMS(e->device, particles_struck, end - begin, .position = e->set.position, .tag = e->set.tag,
                             .bodies = e->bodies.buffer, .order = e->order, .counts = e->keys, .contacts = contacts,
                             .counters = e->counters, .begin = begin, .end = end, .listing = listing);
}

/// Counts or lists contacts with what does not feel them.
static void find_static(tact_gpu_particles* e, size_t begin, size_t end, tact_buffer* contacts, bool listing)
{
    held(e, (uint32_t)begin, (uint32_t)end, contacts, listing);
    if (e->lists->bodies) struck(e, (uint32_t)begin, (uint32_t)end, contacts, listing);
}

/// What is read together with the counts.
enum { LONGEST, CROWD, SEARCH, BESIDE };
_Static_assert(TACT_COUNTER_CROWD == TACT_COUNTER_WALK + CROWD && TACT_COUNTER_SEARCH == TACT_COUNTER_WALK + SEARCH,
               "words of the counters that lie side by side");

/// How many contacts each particle has, by rank of id or by slot, to the host.
static tact_result read_counts(tact_gpu_particles* e, bool ranked, uint32_t beside[BESIDE])
{
    tact_gpu_particle_lists* l = e->lists;
    if (ranked) tact_gpu_particles_pick(e, e->keys, 1, true, e->ranked);
    const tact_read reads[2] = {
        {ranked ? e->ranked : e->keys, 0, e->count * sizeof *l->counts, l->counts},
        {e->counters, (size_t)TACT_COUNTER_WALK * 4, BESIDE * sizeof *beside, beside},
    };
    return tact_device_read(e->device, reads, 2);
}

/// How many contacts each slot has, in e->keys, and how many there are. `ranked`: slots in the order of their ids as
/// well, to e->order, and where the contacts of each rank begin, to the host's offsets.
static tact_result count_all(tact_gpu_particles* e, bool ranked, uint64_t* total, bool* cut_short)
{
    tact_gpu_particle_lists* l = e->lists;
    const size_t n = e->count;
    uint32_t beside[BESIDE];
    tact_particles_pairs_args args = arguments(e, 0, (uint32_t)n, e->other.tag, false);
    const tact_gpu_walk walk = walk_with(e, &args);
    const bool longer = tact_gpu_particles_walk_begin(e, args.end, &walk);
    find_static(e, 0, n, e->other.position, false);
    if (ranked) tact_gpu_particles_order_ids(e);
    if (read_counts(e, ranked, beside) != TACT_OK) return tact_device_result(e->device);
    l->longest = longer ? beside[LONGEST] : 0;
    *cut_short = l->bodies && beside[SEARCH] != 0;
    if (l->longest > args.walk_window) {
        // They are counted on top of those with walls and colliders, which come to the same.
        tact_gpu_particles_walk_part(e, args.end, &walk, args.walk_window, l->longest);
        if (read_counts(e, ranked, beside) != TACT_OK) return tact_device_result(e->device);
    }
    l->offsets[0] = 0;
    for (size_t r = 0; r < n; ++r)
        l->offsets[r + 1] = l->offsets[r] + l->counts[r];
    *total = l->offsets[n];
    return TACT_OK;
}

/// The same by rank, where they were counted by slot.
static tact_result rank_all(tact_gpu_particles* e)
{
    tact_gpu_particle_lists* l = e->lists;
    uint32_t beside[BESIDE];
    tact_gpu_particles_order_ids(e);
    if (read_counts(e, true, beside) != TACT_OK) return tact_device_result(e->device);
    for (size_t r = 0; r < e->count; ++r)
        l->offsets[r + 1] = l->offsets[r] + l->counts[r];
    return TACT_OK;
}

/// Makes contacts of the noted pairs, each at its place. `longest`: of the rows that they are in.
static void make_pairs(tact_gpu_particles* e, uint32_t count, uint32_t longest)
{
    tact_gpu_particle_lists* l = e->lists;
    const uint32_t window = tact_gpu_walk_window(e, count);
    for (uint64_t first = 0; first < longest; first += window) {
        TACT_LAUNCH_ITEMS(e->device, particles_listed, count, .position = e->set.position, .tag = e->set.tag,
                          .model = e->model, .order = e->order, .begins = e->ranked, .ends = e->keys, .items = l->items,
                          .contacts = l->chunk, .count = count, .first = (uint32_t)first, .window = window);
    }
}

/// Where the contacts of ranks [begin, end) begin in the chunk, to e->ranked and, to count on from there, to e->keys.
static tact_result place_ranks(tact_gpu_particles* e, size_t begin, size_t end, uint32_t* longest)
{
    tact_gpu_particle_lists* l = e->lists;
    *longest = 0;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t count = (uint32_t)(l->offsets[r + 1] - l->offsets[r]);
        if (count > *longest) *longest = count;
        l->counts[r] = (uint32_t)(l->offsets[r] - l->offsets[begin]);
    }
    const size_t bytes = (end - begin) * 4;
    tact_buffer_write(e->ranked, begin * 4, l->counts + begin, bytes);
    return tact_buffer_copy(e->keys, begin * 4, e->ranked, begin * 4, bytes);
}

/// The contacts of ranks [begin, end), of which the first `wanted` go to `contacts`.
static tact_result write_chunk(tact_gpu_particles* e, size_t begin, size_t end, tact_particle_contact* contacts,
                               size_t wanted)
{
    tact_gpu_particle_lists* l = e->lists;
    const uint64_t total = l->offsets[end] - l->offsets[begin];
    uint32_t longest;
    if (total == 0) return TACT_OK;
    tact_gpu_particles_need(e, &l->chunk, total * CONTACT_BYTES, "contacts");
    tact_gpu_particles_need(e, &l->items, total * ITEM_BYTES, "contacts");
    place_ranks(e, begin, end, &longest);
    // No pair where contacts with what is no particle will be.
    tact_buffer_fill(l->items, 0, (size_t)total * ITEM_BYTES, UINT32_MAX);
    tact_particles_pairs_args args = arguments(e, (uint32_t)begin, (uint32_t)end, l->items, true);
    const tact_gpu_walk walk = walk_with(e, &args);
    tact_gpu_particles_walk_part(e, args.end - args.begin, &walk, 0, l->longest);
    make_pairs(e, (uint32_t)total, longest);
    find_static(e, begin, end, l->chunk, true);
    if (wanted > total) wanted = (size_t)total;
    return tact_buffer_read(l->chunk, 0, contacts, wanted * CONTACT_BYTES);
}

static tact_result write_all(tact_gpu_particles* e, tact_particle_contact* contacts, size_t capacity)
{
    const uint64_t* offsets = e->lists->offsets;
    for (size_t begin = 0; begin < e->count && offsets[begin] < capacity && tact_device_result(e->device) == TACT_OK;) {
        size_t end = begin + 1;
        while (end < e->count && offsets[end] < capacity && offsets[end + 1] - offsets[begin] <= CHUNK)
            ++end;
        const size_t place = (size_t)offsets[begin];
        write_chunk(e, begin, end, contacts + place, capacity - place);
        begin = end;
    }
    return tact_device_result(e->device);
}

static tact_result find(tact_gpu_particles* e, const tact_particle_model* model, tact_particle_contact* contacts,
                        size_t capacity, size_t* count, bool* cut_short)
{
    uint64_t total = 0;
    tact_gpu_particle_lists* l = e->lists;
    tact_gpu_particles_room(e);
    tact_gpu_particles_look(e);
    tact_gpu_lists_sort(e, model, &e->crowd);
    l->bodies = model->body_count > 0;
    if (l->bodies) tact_gpu_bodies_upload(&e->bodies, e->device, model);
    // Ranking is not worth while where there are none, as, likely, when there were none before.
    const bool ranked = capacity > 0 && !l->none;
    if (count_all(e, ranked, &total, cut_short) != TACT_OK) return tact_device_result(e->device);
    if (*cut_short) return tact_buffer_fill(e->counters, (size_t)TACT_COUNTER_SEARCH * 4, 4, 0);
    l->none = total == 0;
    if (total > SIZE_MAX / CONTACT_BYTES)
        return TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT, "%llu contacts", (unsigned long long)total);
    *count = (size_t)total;
    if (total == 0 || capacity == 0) return TACT_OK;
    if (!ranked && rank_all(e) != TACT_OK) return tact_device_result(e->device);
    return write_all(e, contacts, capacity);
}

/// Through the host: where llvmpipe's loops do not go round as often as a search among triangles asks for.
static tact_result find_on_cpu(tact_gpu_particles* e, const tact_particle_model* model, tact_particle_contact* contacts,
                               size_t capacity, size_t* count)
{
    tact_env* env = e->base.env;
    tact_particle_state state = {.turns = e->grains != NULL};
    tact_particle_engine* cpu = NULL;
    tact_result result = tact_particle_cpu_create(env, false, &cpu);
    if (result != TACT_OK) return result;
    if (!tact_particle_state_reserve(env, &state, e->count)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = e->base.type->store(&e->base, &state);
    if (result == TACT_OK) result = cpu->type->load(cpu, &state, model->threads);
    if (result == TACT_OK) result = cpu->type->contacts(cpu, model, contacts, capacity, count);
    tact_particle_state_free(env, &state);
    cpu->type->destroy(cpu);
    return result;
}

tact_result tact_gpu_particles_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                                        tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    tact_gpu_particles* e = (tact_gpu_particles*)engine;
    bool cut_short = false;
    *count = 0;
    if (e->count == 0) return TACT_OK;
    tact_result result = tact_gpu_lists_room(e);
    if (result == TACT_OK) result = tact_device_enter(e->device);
    if (result != TACT_OK) return result;
    result = find(e, model, contacts, capacity, count, &cut_short);
    tact_device_leave(e->device);
    return result == TACT_OK && cut_short ? find_on_cpu(e, model, contacts, capacity, count) : result;
}
