// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sorting particles into cells: a counting sort in two passes, the first into parts whose cells fit a cache. Particles
// move little from step to step, so that both passes read and write memory nearly in order.

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

enum {
    MOST_BLOCKS = 256,   ///< that the first pass works in
    LEAST_BLOCK = 8192,  ///< slots in a block at least, if that leaves all threads work
    MOST_PARTS = 2048,   //
    LEAST_SHIFT = 10,    ///< cells in a part at least, a power of two
    FEW = 24,            ///< particles of a cell that are put in order one by one
};

/// Where a block's particles are, of each level.
typedef struct level_boxes {
    float box[TACT_PARTICLE_LEVELS][6];
    uint32_t count[TACT_PARTICLE_LEVELS];
} level_boxes;

typedef struct sorting {
    tact_particle_cpu* engine;
    const tact_particle_model* model;
    level_boxes* boxes;
    size_t block;
    uint32_t shift, parts;
    bool has_from;
} sorting;

static void empty_boxes(level_boxes* b)
{
    for (int l = 0; l < TACT_PARTICLE_LEVELS; ++l) {
        b->count[l] = 0;
        for (int k = 0; k < 3; ++k) {
            b->box[l][k] = TACT_FARTHEST;
            b->box[l][3 + k] = -TACT_FARTHEST;
        }
    }
}

static void span(const float* values, size_t begin, size_t end, float* low, float* high)
{
    TACT_ASSERT(begin <= end);
    // Four at a time, which a compiler turns into lanes.
    float lows[4] = {*low, *low, *low, *low}, highs[4] = {*high, *high, *high, *high};
    size_t i = begin;
    for (; i + 4 <= end; i += 4) {
        for (size_t k = 0; k < 4; ++k) {
            const float v = values[i + k];
            lows[k] = v < lows[k] ? v : lows[k];
            highs[k] = v > highs[k] ? v : highs[k];
        }
    }
    for (; i < end; ++i) {
        lows[0] = values[i] < lows[0] ? values[i] : lows[0];
        highs[0] = values[i] > highs[0] ? values[i] : highs[0];
    }
    for (int k = 0; k < 4; ++k) {
        *low = lows[k] < *low ? lows[k] : *low;
        *high = highs[k] > *high ? highs[k] : *high;
    }
}

static void box_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    const tact_particle_slots* p = &s->engine->now;
    const TactGrid grid = s->model->grid;
    level_boxes* b = &s->boxes[begin / s->block];
    TACT_ASSERT(begin % s->block == 0 && end - begin <= s->block);
    (void)worker;
    empty_boxes(b);
    const float* const axes[3] = {p->x, p->y, p->z};
    if (grid.levels == 1) {
        b->count[0] = (uint32_t)(end - begin);
        for (int k = 0; k < 3; ++k)
            span(axes[k], begin, end, &b->box[0][k], &b->box[0][3 + k]);
        return;
    }
    for (size_t i = begin; i < end; ++i) {
        const int l = tact_grid_level(grid, p->radius[i]);
        TACT_ASSERT(l >= 0 && l < grid.levels);
        ++b->count[l];
        for (int k = 0; k < 3; ++k)
            span(axes[k], i, i + 1, &b->box[l][k], &b->box[l][3 + k]);
    }
}

static void lay_out(sorting* s)
{
    tact_particle_cpu* e = s->engine;
    level_boxes all;
    empty_boxes(&all);
    const size_t blocks = (e->count + s->block - 1) / s->block;
    for (size_t b = 0; b < blocks; ++b) {
        for (int l = 0; l < TACT_PARTICLE_LEVELS; ++l) {
            all.count[l] += s->boxes[b].count[l];
            for (int k = 0; k < 3; ++k) {
                const float low = s->boxes[b].box[l][k], high = s->boxes[b].box[l][3 + k];
                all.box[l][k] = low < all.box[l][k] ? low : all.box[l][k];
                all.box[l][3 + k] = high > all.box[l][3 + k] ? high : all.box[l][3 + k];
            }
        }
    }
    tact_cpu_layout(&e->table, &s->model->grid, all.box, all.count);
    e->table.span = 0.0f;
    for (int l = 0; l < TACT_PARTICLE_LEVELS; ++l) {
        for (int k = 0; k < 3; ++k) {
            const float side = all.box[l][3 + k] - all.box[l][k];
            e->table.span = side > e->table.span ? side : e->table.span;
        }
    }
    s->shift = LEAST_SHIFT;
    while ((e->table.cells >> s->shift) + 1 > MOST_PARTS)
        ++s->shift;
    s->parts = (e->table.cells >> s->shift) + 1;
    TACT_ASSERT(s->parts <= MOST_PARTS);
}

static void key_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    tact_particle_cpu* e = s->engine;
    const tact_particle_slots p = e->now;
    const TactGrid grid = s->model->grid;
    const tact_cell_level first = e->table.levels[0];
    uint32_t* keys = e->keys;
    const uint32_t shift = s->shift;
    uint32_t* counts = e->counts + begin / s->block * s->parts;
    (void)worker;
    memset(counts, 0, s->parts * sizeof *counts);
    for (size_t i = begin; i < end; ++i) {
        const int x = tact_cell_coordinate(&grid.x, p.x[i]), y = tact_cell_coordinate(&grid.y, p.y[i]);
        const int z = tact_cell_coordinate(&grid.z, p.z[i]);
        uint32_t key;
        if (grid.levels == 1) {
            key = tact_cell_key(&first, tact_cell_place(&first, x, y, z));
        } else {
            const int l = tact_grid_level(grid, p.radius[i]);
            const tact_cell_level* level = &e->table.levels[l];
            const uint64_t place = tact_cell_place(level, tact_grid_on_level(grid, x, l),
                                                   tact_grid_on_level(grid, y, l), tact_grid_on_level(grid, z, l));
            key = tact_cell_key(level, place);
            if (e->table.folds) e->within_was[i] = (uint32_t)(place & ((UINT64_C(1) << level->fold) - 1));
        }
        keys[i] = key;
        TACT_ASSERT(key < e->table.cells && key >> shift < s->parts);
        ++counts[key >> shift];
    }
}

/// Counts become places: by part, within it by block. Where each part begins follows the blocks' counts.
static void place_parts(sorting* s, size_t blocks)
{
    uint32_t* counts = s->engine->counts;
    uint32_t* begins = counts + blocks * s->parts;
    uint32_t place = 0;
    for (uint32_t p = 0; p < s->parts; ++p) {
        begins[p] = place;
        for (size_t b = 0; b < blocks; ++b) {
            const uint32_t count = counts[b * s->parts + p];
            counts[b * s->parts + p] = place;
            place += count;
        }
    }
    begins[s->parts] = place;
    TACT_ASSERT(place == s->engine->count);
}

static void part_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    tact_particle_cpu* e = s->engine;
    uint32_t* places = e->counts + begin / s->block * s->parts;
    const uint32_t* keys = e->keys;
    uint32_t(*parts)[2] = e->parts;
    const uint32_t shift = s->shift;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t key = keys[i];
        uint32_t* pair = parts[places[key >> shift]++];
        TACT_ASSERT(places[key >> shift] <= e->count);
        pair[0] = key;
        pair[1] = (uint32_t)i;
    }
}

/// By what the particles of an entry are sorted: their places in it, then their ranks.
static uint64_t rank_of(const tact_particle_cpu* e, uint32_t slot)
{
    const uint64_t place = e->table.folds ? e->within_was[slot] : 0;
    return place << 32 | e->now.tag[slot][0];
}

static void sift(const tact_particle_cpu* e, uint32_t* slots, size_t root, size_t count)
{
    TACT_ASSERT(root < count);
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count) return;
        if (child + 1 < count && rank_of(e, slots[child + 1]) > rank_of(e, slots[child])) ++child;
        if (rank_of(e, slots[root]) >= rank_of(e, slots[child])) return;
        const uint32_t swapped = slots[root];
        slots[root] = slots[child];
        slots[child] = swapped;
        root = child;
    }
}

/// A heap sort by rank: no worse for any order.
static void sort_many(const tact_particle_cpu* e, uint32_t* slots, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(e, slots, i, count);
    for (size_t left = count; left-- > 1;) {
        const uint32_t swapped = slots[0];
        slots[0] = slots[left];
        slots[left] = swapped;
        sift(e, slots, 0, left);
    }
}

/// Puts the particles of an entry in order of their cells and ids. Most are in order already.
static void sort_cell(const tact_particle_cpu* e, uint32_t* slots, size_t count)
{
    TACT_ASSERT(count >= 2);
    for (size_t i = 1; i < count; ++i) {
        const uint32_t slot = slots[i];
        const uint64_t rank = rank_of(e, slot);
        if (rank > rank_of(e, slots[i - 1])) continue;
        if (count > FEW) {
            sort_many(e, slots, count);
            return;
        }
        size_t k = i;
        for (; k > 0 && rank_of(e, slots[k - 1]) > rank; --k)
            slots[k] = slots[k - 1];
        slots[k] = slot;
    }
}

/// Copies slots to their new places [begin, end).
static void move_particles(const sorting* s, uint32_t begin, uint32_t end)
{
    const tact_particle_cpu* e = s->engine;
    // Copies of the pointers, which what is written may else have changed.
    const tact_particle_slots from = e->now, to = e->next;
    const uint32_t* slots = e->keys;
    float(*places)[4] = e->places;
    for (uint32_t k = begin; k < end; ++k) {
        const uint32_t i = slots[k];
        TACT_ASSERT(i < e->count && k < e->capacity);
        to.x[k] = from.x[i];
        to.y[k] = from.y[i];
        to.z[k] = from.z[i];
        to.radius[k] = from.radius[i];
        const float place[4] = {from.x[i], from.y[i], from.z[i], from.radius[i]};
        memcpy(places[k], place, sizeof place);
        memcpy(to.velocity[k], from.velocity[i], sizeof *to.velocity);
        memcpy(to.tag[k], from.tag[i], sizeof *to.tag);
    }
    for (uint32_t k = begin; e->keeps_clear && k < end; ++k)
        memcpy(to.clear[k], from.clear[slots[k]], sizeof *to.clear);
    for (uint32_t k = begin; e->table.folds && k < end; ++k)
        e->within[k] = e->within_was[slots[k]];
    if (!s->has_from) return;
    // Where they are predicted to get, less where they come from.
    float(*motion)[4] = e->motion;
    for (uint32_t k = begin; k < end; ++k) {
        const uint32_t i = slots[k];
        const float* at = from.from[i];
        const float moved[4] = {from.x[i] - at[0], from.y[i] - at[1], from.z[i] - at[2], from.velocity[i][3]};
        memcpy(motion[k], moved, sizeof moved);
        memcpy(to.from[k], at, sizeof *to.from);
    }
}

/// Sorts the particles of parts by their cells.
static void finish_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    tact_particle_cpu* e = s->engine;
    const size_t blocks = (e->count + s->block - 1) / s->block;
    const uint32_t* begins = e->counts + blocks * s->parts;
    uint32_t *starts = e->table.starts, *slots = e->keys;
    uint32_t(*parts)[2] = e->parts;
    (void)worker;
    for (size_t p = begin; p < end; ++p) {
        const uint32_t first = (uint32_t)p << s->shift;
        const uint64_t past = ((uint64_t)p + 1) << s->shift;
        const uint32_t last = past < e->table.cells ? (uint32_t)past : e->table.cells;
        TACT_ASSERT(begins[p] <= begins[p + 1] && begins[p + 1] <= e->count);
        for (uint32_t c = first; c < last; ++c)
            starts[c] = 0;
        for (uint32_t k = begins[p]; k < begins[p + 1]; ++k)
            ++starts[parts[k][0]];
        uint32_t place = begins[p];
        for (uint32_t c = first; c < last; ++c) {
            const uint32_t count = starts[c];
            starts[c] = place;
            place += count;
        }
        for (uint32_t k = begins[p]; k < begins[p + 1]; ++k)
            slots[starts[parts[k][0]]++] = parts[k][1];
        // Each start is now where the next cell begins.
        uint32_t start = begins[p];
        for (uint32_t c = first; c < last; ++c) {
            const uint32_t next = starts[c];
            starts[c] = start;
            // What looks for places within an entry needs them in order.
            if (next - start > 1 && (TACT_ORDERED || e->table.folds)) sort_cell(e, slots + start, next - start);
            start = next;
        }
        TACT_ASSERT(start == begins[p + 1]);
        move_particles(s, begins[p], begins[p + 1]);
    }
}

tact_result tact_cpu_sort(tact_particle_cpu* e, const tact_particle_model* model)
{
    TACT_ASSERT(e->count > 0 && e->count <= e->capacity);
    tact_env* env = e->base.env;
    sorting s = {.engine = e, .model = model};
    // There is none before the first step: contacts may be asked for until then.
    s.has_from = model->response == TACT_RESPONSE_POSITION && e->now.from && e->next.from && e->motion;
    s.block = e->count / MOST_BLOCKS + 1;
    if (s.block < LEAST_BLOCK) s.block = tact_cpu_grain(e->count, model->threads, LEAST_BLOCK);
    const size_t blocks = (e->count + s.block - 1) / s.block;
    if (!tact_reserve(env, &e->boxes, &e->boxes_capacity, 0, blocks, sizeof(level_boxes)))
        return TACT_ERROR_OUT_OF_MEMORY;
    s.boxes = e->boxes;
    tact_parallel_for(model->threads, e->count, s.block, box_range, &s);
    lay_out(&s);
    if (!tact_reserve(env, (void**)&e->table.starts, &e->starts_capacity, 0, (size_t)e->table.cells + 1,
                      sizeof *e->table.starts) ||
        !tact_reserve(env, (void**)&e->counts, &e->counts_capacity, 0, (blocks + 1) * s.parts + 1, sizeof *e->counts)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (e->table.folds &&
        (!tact_reserve(env, (void**)&e->within, &e->within_capacity, 0, e->count, sizeof *e->within) ||
         !tact_reserve(env, (void**)&e->within_was, &e->within_was_capacity, 0, e->count, sizeof *e->within_was))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_parallel_for(model->threads, e->count, s.block, key_range, &s);
    place_parts(&s, blocks);
    tact_parallel_for(model->threads, e->count, s.block, part_range, &s);
    tact_parallel_for(model->threads, s.parts, 1, finish_range, &s);
    e->table.starts[e->table.cells] = (uint32_t)e->count;
    const tact_particle_slots sorted = e->next;
    e->next = e->now;
    e->now = sorted;
    e->slots_known = false;
    TACT_VALIDATE(tact_cpu_is_sorted(e));
    return tact_cpu_find_seams(e, s.has_from, model->threads);
}

#if defined(TACT_ASSERTS)

bool tact_cpu_is_valid(const tact_particle_cpu* e)
{
    if (e->count > TACT_VALIDATE_MOST) return true;
    unsigned char* seen = calloc(e->count + 1, 1);
    if (!seen) return true;
    bool valid = e->count <= e->capacity;
    for (size_t i = 0; i < e->count && valid; ++i) {
        const uint32_t rank = e->now.tag[i][0];
        valid = rank < e->count && !seen[rank] && (i == 0 || e->ids[i - 1] < e->ids[i]);
        if (valid) seen[rank] = 1;
    }
    free(seen);
    return valid;
}

/// The entry of the particle in a slot; by what the entry's particles are sorted goes to `order`.
static uint32_t entry_of(const tact_particle_cpu* e, uint32_t slot, uint64_t* order)
{
    const TactGrid* g = &e->table.grid;
    const int l = tact_grid_level(*g, e->now.radius[slot]);
    const tact_cell_level* level = &e->table.levels[l];
    const uint64_t place =
        tact_cell_place(level, tact_grid_on_level(*g, tact_cell_coordinate(&g->x, e->now.x[slot]), l),
                        tact_grid_on_level(*g, tact_cell_coordinate(&g->y, e->now.y[slot]), l),
                        tact_grid_on_level(*g, tact_cell_coordinate(&g->z, e->now.z[slot]), l));
    *order = (place & ((UINT64_C(1) << level->fold) - 1)) << 32 | e->now.tag[slot][0];
    return tact_cell_key(level, place);
}

bool tact_cpu_is_sorted(const tact_particle_cpu* e)
{
    if (e->count > TACT_VALIDATE_MOST) return true;
    const uint32_t* starts = e->table.starts;
    if (!tact_cpu_is_valid(e) || starts[0] != 0 || starts[e->table.cells] != e->count) return false;
    for (uint32_t entry = 0; entry < e->table.cells; ++entry) {
        uint64_t before = 0;
        if (starts[entry] > starts[entry + 1] || starts[entry + 1] > e->count) return false;
        for (uint32_t slot = starts[entry]; slot < starts[entry + 1]; ++slot) {
            uint64_t order;
            if (entry_of(e, slot, &order) != entry || (slot > starts[entry] && order <= before)) return false;
            if (e->table.folds && e->within[slot] != order >> 32) return false;
            before = order;
        }
    }
    return true;
}

#endif
