// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Meeting all pairs, in chunks of slots that threads take. A chunk's sums are its own: what its particles get from
// those in lower slots of other chunks is worked out again, first, and what others get from it is dropped. So each sum
// is made by one thread, in order.

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

enum {
    LEAST_CHUNK = 512,    ///< slots
    CHUNKS_A_THREAD = 6,  //
    SEAM_CHUNK = 128,     ///< particles at seams
    LEAST_LAYERS = 4,     ///< in a chunk, since one more is looked through for each, if that leaves all threads work
    SPARE_ROWS = 16,      ///< of each worker, so that no two write to one cache line
};

static uint32_t key_of(const tact_particle_cpu* e, uint32_t slot)
{
    TACT_ASSERT(slot < e->count);
    const TactGrid g = e->table.grid;
    const int l = tact_grid_level(g, e->now.radius[slot]);
    const TactCell c = tact_grid_cell(g, e->now.x[slot], e->now.y[slot], e->now.z[slot]);
    const tact_cell_level* level = &e->table.levels[l];
    return tact_cell_key(level, tact_cell_place(level, tact_grid_on_level(g, c.x, l), tact_grid_on_level(g, c.y, l),
                                                tact_grid_on_level(g, c.z, l)));
}

static bool add_chunk(tact_particle_cpu* e, tact_walk_chunk chunk)
{
    TACT_ASSERT(chunk.low <= chunk.high && chunk.high <= e->count && chunk.key_low <= chunk.key_high);
    tact_env* env = e->base.env;
    if (!tact_reserve(env, &e->chunks, &e->chunk_capacity, e->chunk_count, e->chunk_count + 1, sizeof chunk))
        return false;
    ((tact_walk_chunk*)e->chunks)[e->chunk_count++] = chunk;
    return true;
}

static bool cut_seams(tact_particle_cpu* e)
{
    const size_t count = (e->seam_count + SEAM_CHUNK - 1) / SEAM_CHUNK;
    if (!tact_reserve(e->base.env, &e->seam_chunks, &e->seam_chunk_capacity, 0, count, sizeof(tact_walk_chunk)))
        return false;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t low = k * SEAM_CHUNK, left = e->seam_count - low;
        ((tact_walk_chunk*)e->seam_chunks)[k] =
            (tact_walk_chunk){.low = low, .high = low + (left < SEAM_CHUNK ? left : SEAM_CHUNK), .level = -1};
    }
    e->seam_chunk_count = count;
    return true;
}

/// Cuts one level. Chunks begin where a cell does.
static bool cut_level(tact_particle_cpu* e, int l, size_t slots)
{
    TACT_ASSERT(slots >= 1 && e->table.levels[l].count > 0);
    const tact_cell_table* t = &e->table;
    const tact_cell_level* level = &t->levels[l];
    const uint32_t end = t->starts[level->end];
    uint32_t low = t->starts[level->base], key_low = level->base;
    while (low < end) {
        uint32_t high = end, key_high = level->end;
        if (end - low > slots + slots / 2) {
            // The cell of the slot at the end goes to this chunk.
            key_high = key_of(e, low + (uint32_t)slots - 1) + 1;
            high = t->starts[key_high];
            TACT_ASSERT(key_high > key_low && key_high <= level->end && high > low);
        }
        if (!add_chunk(e, (tact_walk_chunk){low, high, key_low, key_high, l, 0, {0}})) return false;
        low = high;
        key_low = key_high;
    }
    return true;
}

/// As many chunks for each thread: no less than `part` slots each, where that makes enough chunks.
static size_t even(size_t count, size_t part, size_t threads)
{
    TACT_ASSERT(part >= 1 && threads >= 1);
    const size_t rounds = count / part / threads;
    return rounds > 0 ? (count - 1) / (rounds * threads) + 1 : part;
}

tact_result tact_cpu_cut(tact_particle_cpu* e, const tact_particle_model* model)
{
    TACT_ASSERT(e->count > 0);
    const tact_cell_table* t = &e->table;
    const size_t threads = model->threads > 1 ? (size_t)model->threads : 1;
    e->chunk_count = 0;
    if (!cut_seams(e)) return TACT_ERROR_OUT_OF_MEMORY;
    if (threads == 1) {
        const tact_walk_chunk all = {0, (uint32_t)e->count, 0, t->cells, -1, 0, {0}};
        return add_chunk(e, all) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    }
    const size_t slots = e->count / (threads * CHUNKS_A_THREAD) + 1;
    for (int l = 0; l < t->grid.levels; ++l) {
        // A particle looks over all finer cells about it, and there are four times as many rows of them a level.
        const int finer = t->grid.levels - 1 - l;
        const size_t count = t->levels[l].count;
        if (count == 0) continue;
        const size_t layers = count / t->levels[l].size[2] * LEAST_LAYERS;
        const size_t most = count / threads + 1;
        size_t part = slots > layers ? slots : layers;
        part = even(count, part < most ? part : most, threads) >> (2 * finer);
        const size_t least = (size_t)LEAST_CHUNK >> (2 * finer);
        if (part < least) part = least;
        if (part == 0) part = 1;
        if (!cut_level(e, l, part)) return TACT_ERROR_OUT_OF_MEMORY;
    }
    return TACT_OK;
}

/// Cells of a level that a particle of another looks at: the first along each axis, less the level's own low, and how
/// many follow. Where the level wraps they may run over its end.
typedef struct seen_cells {
    int low[3], count[3];
} seen_cells;

static seen_cells cells_seen_by(const tact_walk_worker* w, uint32_t i, int own, int l)
{
    const tact_cell_table* t = w->walk->table;
    const tact_cell_level* level = &t->levels[l];
    tact_seen_range range[3];
    tact_cpu_seen(w->walk, i, own, l, range);
    seen_cells f;
    for (int k = 0; k < 3; ++k) {
        int first = range[k].first - level->low[k], last = range[k].last - level->low[k];
        const int size = (int)level->size[k];
        if (level->wraps[k]) {
            // All round, each once.
            if (last - first + 1 > size) last = first + size - 1;
        } else {
            first = first > 0 ? first : 0;
            last = last < size - 1 ? last : size - 1;
        }
        f.low[k] = first;
        f.count[k] = last - first + 1;
        TACT_ASSERT(f.count[k] <= size);
    }
    return f;
}

/// Scans those of a row's cells that have slots in [low, high). `first`: the place of the first.
static void scan_cells(tact_walk_worker* w, uint32_t i, const tact_cell_level* level, uint64_t first, uint32_t count,
                       uint32_t low, uint32_t high)
{
    TACT_ASSERT(count >= 1);
    const tact_slot_range r = tact_cell_slots(w->walk->engine, level, first, first + count);
    const uint32_t begin = r.begin > low ? r.begin : low;
    const uint32_t end = r.end < high ? r.end : high;
    if (begin < end) w->lanes->scan(w, i, begin, end);
}

/// Whether none of the places [first, first + count) has slots in [low, high), as far as entries show.
static bool lacks_slots(const tact_cell_table* t, const tact_cell_level* level, uint64_t first, uint64_t count,
                        uint32_t low, uint32_t high)
{
    TACT_ASSERT(count >= 1);
    const uint32_t begin = t->starts[tact_cell_key(level, first)];
    const uint32_t end = t->starts[tact_cell_key(level, first + count - 1) + 1];
    return begin == end || begin >= high || end <= low;
}

/// Looks for partners of particle i, of level `own`, in the rows of another level, `l`, that have slots in [low, high).
static void scan_level(tact_walk_worker* w, uint32_t i, int own, int l, uint32_t low, uint32_t high)
{
    const tact_cell_table* t = w->walk->table;
    const tact_cell_level* level = &t->levels[l];
    const seen_cells f = cells_seen_by(w, i, own, l);
    if (f.count[0] <= 0 || f.count[1] <= 0) return;
    const uint64_t row_size = level->size[0], plane = row_size * level->size[1];
    const uint32_t x = (uint32_t)f.low[0] & level->mask[0];
    TACT_ASSERT(own != l && x < level->size[0]);
    // What runs over the end of the table goes on at its beginning.
    const uint32_t count = (uint32_t)f.count[0];
    const uint32_t straight = count < level->size[0] - x ? count : level->size[0] - x;
    for (int z = 0; z < f.count[2]; ++z) {
        const uint64_t layer = ((uint32_t)(f.low[2] + z) & level->mask[2]) * plane;
        if (lacks_slots(t, level, layer, plane, low, high)) continue;
        for (int y = 0; y < f.count[1]; ++y) {
            const uint64_t row = layer + ((uint32_t)(f.low[1] + y) & level->mask[1]) * row_size;
            scan_cells(w, i, level, row + x, straight, low, high);
            if (straight < count) scan_cells(w, i, level, row, count - straight, low, high);
        }
    }
}

/// Particles in slots [begin, end) of level `own` look at those of level `l` in slots [low, high).
static void look_at(tact_walk_worker* w, int own, tact_slot_range at, int l, uint32_t low, uint32_t high)
{
    for (uint32_t i = at.begin; i < at.end; ++i)
        scan_level(w, i, own, l, low, high);
}

/// Whether pairs of two levels are found faster from the finer one. A particle looks over a few rows of coarser cells,
/// but of finer ones over as many as its diameter is long, both ways.
static bool finer_looks(const tact_particle_walk* walk, int coarse, int fine)
{
    TACT_ASSERT(coarse < fine);
    const tact_cell_level* levels = walk->table->levels;
    const bool pruned = walk->prune > 0.0f;
    const uint64_t finer = UINT64_C(1) << (fine - coarse);
    const uint64_t across = pruned ? finer + 2 : 3 * finer, coarser_rows = pruned ? 6 : 9;
    return (uint64_t)levels[fine].count * coarser_rows < (uint64_t)levels[coarse].count * across * across;
}

/// The slots of level `l` that may see, or be seen from, a chunk of another level.
static tact_slot_range slots_near(const tact_walk_worker* w, const tact_walk_chunk* chunk, int l)
{
    const tact_cell_table* t = w->walk->table;
    TACT_ASSERT(chunk->level >= 0 && l != chunk->level);
    const tact_cell_level *other = &t->levels[l], *own = &t->levels[chunk->level];
    const tact_slot_range all = {t->starts[other->base], t->starts[other->end]}, none = {0, 0};
    if (other->count == 0) return none;
    if (other->wraps[2] || own->wraps[2]) return all;
    const uint64_t plane = (uint64_t)own->size[0] * own->size[1], places = plane * own->size[2];
    const uint64_t end = (uint64_t)(chunk->key_high - own->base) << own->fold;
    int low = (int)(((uint64_t)(chunk->key_low - own->base) << own->fold) / plane) + own->low[2];
    int high = (int)(((end < places ? end : places) - 1) / plane) + own->low[2];
    // In cells of the coarser of the two, a cell more on each side, and then in the other's.
    const int coarse = l < chunk->level ? l : chunk->level;
    low = ((low >> (chunk->level - coarse)) - 1) * (1 << (l - coarse)) - other->low[2];
    high = ((high >> (chunk->level - coarse)) + 2) * (1 << (l - coarse)) - other->low[2];
    low = low > 0 ? low : 0;
    high = high < (int)other->size[2] ? high : (int)other->size[2];
    if (low >= high) return none;
    const uint64_t other_plane = (uint64_t)other->size[0] * other->size[1];
    return tact_cell_slots(w->walk->engine, other, (uint64_t)low * other_plane, (uint64_t)high * other_plane);
}

/// What a chunk's particles get from those of their own level in lower slots of other chunks: of the cells before it
/// those that are a row or a layer back, or less.
static void look_back(tact_walk_worker* w, const tact_walk_chunk* chunk)
{
    const tact_cell_level* level = &w->walk->table->levels[chunk->level];
    TACT_ASSERT(chunk->key_low >= level->base && chunk->key_high <= level->end);
    const uint64_t row = level->size[0], plane = row * level->size[1];
    const uint64_t low = (uint64_t)(chunk->key_low - level->base) << level->fold;
    const uint64_t high = (uint64_t)(chunk->key_high - level->base) << level->fold;
    const uint64_t far = plane + row + 1, near = row + 1;
    const uint64_t layer_begin = low > far ? low - far : 0;
    // The last cell that is nearly a layer back from the last of the chunk.
    const uint64_t least = plane > row + 1 ? plane - row - 1 : 0;
    uint64_t layer_end = high > least ? high - least : 0;
    uint64_t row_begin = low > near ? low - near : 0;
    layer_end = layer_end < low ? layer_end : low;
    uint32_t next = tact_cell_key(level, layer_begin);
    if (layer_begin < layer_end) {
        const uint32_t end = tact_cell_key(level, layer_end - 1) + 1;
        w->lanes->forward(w, chunk->level, next, end, chunk->low, chunk->high);
        next = end;
    }
    const uint32_t row_key = tact_cell_key(level, row_begin);
    w->lanes->forward(w, chunk->level, row_key > next ? row_key : next, chunk->key_low, chunk->low, chunk->high);
}

void tact_walk_list(tact_walk_worker* w)
{
    tact_pair_list* list = &w->list;
    const tact_touch_block* b = &w->block;
    TACT_ASSERT(list->i && list->j);
    if (list->count + b->count <= list->room) {
        memcpy(list->i + list->count, b->i, b->count * sizeof *b->i);
        memcpy(list->j + list->count, b->j, b->count * sizeof *b->j);
    }
    list->count += b->count;
}

/// Works out a chunk's pairs from its list.
static void walk_listed(tact_walk_worker* w, const tact_walk_chunk* chunk)
{
    const tact_pair_list* list = &chunk->list;
    TACT_ASSERT(list->count <= list->room);
    w->low = chunk->low;
    w->high = chunk->high;
    memset(w->walk->sums + chunk->low, 0, (chunk->high - chunk->low) * sizeof *w->walk->sums);
    for (size_t at = 0; at < list->count; at += TACT_TOUCH_BLOCK) {
        const size_t left = list->count - at;
        w->lanes->listed(w, list->i + at, list->j + at, left < TACT_TOUCH_BLOCK ? (uint32_t)left : TACT_TOUCH_BLOCK);
    }
}

/// The same for particles at seams: what a pair does goes to the first of the two only.
static void walk_listed_seam(tact_walk_worker* w, const tact_walk_chunk* chunk)
{
    const tact_pair_list* list = &chunk->list;
    size_t at = 0;
    for (uint32_t k = chunk->low; k < chunk->high; ++k) {
        const uint32_t slot = w->walk->engine->seam_list[k];
        TACT_ASSERT(slot < w->walk->engine->count);
        size_t end = at;
        w->low = slot;
        w->high = slot + 1;
        memset(w->walk->sums + slot, 0, sizeof *w->walk->sums);
        while (end < list->count && list->i[end] == slot)
            ++end;
        for (; at < end; at += end - at < TACT_TOUCH_BLOCK ? end - at : TACT_TOUCH_BLOCK) {
            const size_t left = end - at;
            w->lanes->listed(w, list->i + at, list->j + at,
                             left < TACT_TOUCH_BLOCK ? (uint32_t)left : TACT_TOUCH_BLOCK);
        }
    }
}

/// The last lanes that read a list work on something that is there.
static void end_list(tact_walk_worker* w, tact_walk_chunk* chunk)
{
    TACT_ASSERT(w->block.count == 0);
    tact_pair_list* list = &w->list;
    if (list->count <= list->room) {
        memset(list->i + list->count, 0, TACT_SLOT_PAD * sizeof *list->i);
        memset(list->j + list->count, 0, TACT_SLOT_PAD * sizeof *list->j);
    }
    chunk->list = *list;
    w->list = (tact_pair_list){0};
}

static void begin_list(tact_walk_worker* w, const tact_walk_chunk* chunk)
{
    w->list = w->walk->listing ? chunk->list : (tact_pair_list){0};
    w->list.count = 0;
    w->stretch = w->list.i ? w->walk->stretch : 1.0f;
}

/// Whether the pairs of a chunk are all in its list, which is to be used.
static bool is_listed(const tact_particle_walk* walk, const tact_walk_chunk* chunk)
{
    return walk->listed && chunk->list.i && chunk->list.count <= chunk->list.room;
}

void tact_cpu_walk_chunk(tact_walk_worker* w, tact_walk_chunk* chunk)
{
    const tact_cell_table* t = w->walk->table;
    const int levels = t->grid.levels;
    TACT_ASSERT(chunk->level < levels && chunk->high <= w->walk->engine->count && w->block.count == 0);
    w->low = chunk->low;
    w->high = chunk->high;
    w->level = -1;
    begin_list(w, chunk);
    if (!w->walk->contacts) {
        memset(w->walk->sums + chunk->low, 0, (chunk->high - chunk->low) * sizeof *w->walk->sums);
        for (int coarse = 0; coarse < chunk->level; ++coarse) {
            if (t->levels[coarse].count == 0) continue;
            if (finer_looks(w->walk, coarse, chunk->level)) {
                look_at(w, chunk->level, (tact_slot_range){chunk->low, chunk->high}, coarse, 0, UINT32_MAX);
            } else {
                look_at(w, coarse, slots_near(w, chunk, coarse), chunk->level, chunk->low, chunk->high);
            }
        }
        if (chunk->level >= 0) look_back(w, chunk);
    }
    for (int own = chunk->level < 0 ? 0 : chunk->level; own < levels; ++own) {
        const tact_cell_level* level = &t->levels[own];
        if (level->count == 0) continue;
        const uint32_t begin = chunk->level < 0 ? level->base : chunk->key_low;
        const uint32_t end = chunk->level < 0 ? level->end : chunk->key_high;
        w->lanes->forward(w, own, begin, end, 0, UINT32_MAX);
        const tact_slot_range slots = {t->starts[begin], t->starts[end]};
        for (int l = own + 1; l < levels; ++l) {
            const tact_cell_level* finer = &t->levels[l];
            if (finer->count == 0) continue;
            if (!finer_looks(w->walk, own, l)) {
                look_at(w, own, slots, l, 0, UINT32_MAX);
            } else if (chunk->level < 0) {
                look_at(w, l, (tact_slot_range){t->starts[finer->base], t->starts[finer->end]}, own, 0, UINT32_MAX);
            } else {
                look_at(w, l, slots_near(w, chunk, l), own, slots.begin, slots.end);
            }
        }
        if (chunk->level >= 0) break;
    }
    w->lanes->flush(w);
    if (w->list.i) end_list(w, chunk);
    w->stretch = 1.0f;
}

static void chunk_range(size_t begin, size_t end, int worker, void* user)
{
    tact_particle_cpu* e = user;
    tact_walk_worker* w = (tact_walk_worker*)e->workers + worker;
    tact_walk_chunk* chunks = e->chunks;
    TACT_ASSERT(end <= e->chunk_count);
    for (size_t i = begin; i < end; ++i) {
        if (is_listed(w->walk, &chunks[i])) {
            walk_listed(w, &chunks[i]);
        } else {
            tact_cpu_walk_chunk(w, &chunks[i]);
        }
    }
}

static void seam_range(size_t begin, size_t end, int worker, void* user)
{
    tact_particle_cpu* e = user;
    tact_walk_worker* w = (tact_walk_worker*)e->workers + worker;
    tact_walk_chunk* chunks = e->seam_chunks;
    TACT_ASSERT(end <= e->seam_chunk_count);
    for (size_t i = begin; i < end; ++i) {
        if (is_listed(w->walk, &chunks[i])) {
            walk_listed_seam(w, &chunks[i]);
            continue;
        }
        begin_list(w, &chunks[i]);
        for (uint32_t k = chunks[i].low; k < chunks[i].high; ++k)
            tact_cpu_walk_seam(w, e->seam_list[k]);
        if (w->list.i) end_list(w, &chunks[i]);
        w->stretch = 1.0f;
    }
}

static void find_share(const tact_particle_cpu* e, tact_particle_walk* walk)
{
    const float w = e->equal_masses && e->count > 0 ? e->now.velocity[0][3] : 0.0f;
    walk->same_share = w + w > 0.0f;
    walk->share = walk->same_share ? tact_div(w, w + w) : 0.0f;
}

/// What holds for all contacts alike.
static void find_rule(const tact_particle_cpu* e, tact_particle_walk* walk)
{
    uint32_t only = 0;
    while (only < TACT_PARTICLE_MATERIALS && e->materials != UINT32_C(1) << only)
        ++only;
    walk->one_rule = only < TACT_PARTICLE_MATERIALS;
    if (!walk->one_rule) return;
    TACT_ASSERT(walk->model->wall_material < TACT_PARTICLE_MATERIALS);
    walk->rule = walk->model->rules[only * TACT_PARTICLE_MATERIALS + only];
    walk->wall_friction = walk->model->rules[only * TACT_PARTICLE_MATERIALS + walk->model->wall_material].friction;
    walk->same_dashpot = e->equal_masses;
    if (!e->equal_masses || e->count == 0) return;
    const float w = e->now.velocity[0][3];
    walk->dashpot = tact_sqrt(tact_div(walk->rule.stiffness, w + w));
}

static bool all_groups_meet(const tact_particle_cpu* e, const tact_particle_model* model)
{
    for (uint32_t a = 0; a < TACT_PARTICLE_GROUPS; ++a) {
        if ((e->groups >> a & 1u) && (model->masks[a] & e->groups) != e->groups) return false;
    }
    return true;
}

tact_result tact_cpu_walk_begin(tact_particle_cpu* e, tact_particle_walk* walk)
{
    tact_env* env = e->base.env;
    const tact_particle_model* model = walk->model;
    const size_t threads = model->threads > 1 ? (size_t)model->threads : 1;
    if (!tact_reserve(env, &e->workers, &e->worker_capacity, 0, threads, sizeof(tact_walk_worker)) ||
        !tact_reserve(env, (void**)&e->sums, &e->sums_capacity, 0, e->count + SPARE_ROWS * (threads + 2),
                      sizeof *e->sums)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    walk->engine = e;
    walk->table = &e->table;
    walk->slots = e->now;
    walk->places = (const float(*)[4])e->places;
    walk->sums = e->sums;
    walk->spare = e->count + SPARE_ROWS;
    walk->equal_radii = e->equal_radii;
    walk->keeps_clear = e->keeps_clear;
    walk->reach = e->count > 0 ? e->now.radius[0] + e->now.radius[0] : 0.0f;
    if (model->response == TACT_RESPONSE_GRAINS && walk->listing)
        walk->prune = walk->stretch;
    else if (model->response != TACT_RESPONSE_POSITION || walk->contacts)
        walk->prune = 1.0f;
    walk->periodic = model->grid.x.period > 0.0f || model->grid.y.period > 0.0f || model->grid.z.period > 0.0f;
    walk->filtered = !all_groups_meet(e, model) || e->table.wraps || (walk->contacts && e->table.seams);
    find_rule(e, walk);
    find_share(e, walk);
    tact_walk_worker* workers = e->workers;
    TACT_ASSERT(walk->spare + SPARE_ROWS * threads <= e->sums_capacity);
    for (size_t k = 0; k < threads; ++k) {
        tact_walk_worker* w = &workers[k];
        memset(w, 0, sizeof *w);
        w->walk = walk;
        w->lanes = tact_particle_lanes_best();
        w->spare = walk->spare + SPARE_ROWS * k;
        w->level = -1;
        w->stretch = 1.0f;
        memset(walk->sums + w->spare, 0, SPARE_ROWS * sizeof *walk->sums);
    }
    return TACT_OK;
}

tact_result tact_cpu_walk(tact_particle_cpu* e, tact_particle_walk* walk)
{
    const tact_result result = tact_cpu_walk_begin(e, walk);
    if (result != TACT_OK) return result;
    tact_parallel_for(walk->model->threads, e->chunk_count, 1, chunk_range, e);
    tact_parallel_for(walk->model->threads, e->seam_chunk_count, 1, seam_range, e);
    return TACT_OK;
}
