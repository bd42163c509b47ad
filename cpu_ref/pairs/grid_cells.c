// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sorts boxes into buckets. First all threads throw them into parts, each of neighbouring buckets and about what a
// core's own cache holds; then each part is sorted by counting, into its place. So memory is written in few places at a
// time, and a box is moved twice.

#include "cpu_ref/pairs/grid_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/parallel.h"
#include "base/platform.h"

enum {
    PART_BOXES = 4096,
    MOST_PARTS_LOG = 10,
    UNITS_A_THREAD = 4,
};

#define NO_BUCKET UINT32_MAX

/// A box on its way.
typedef struct record {
    float bounds[6];
    uint32_t id, bucket;
} record;

typedef struct sorting {
    const tact_volume_view* of;
    tact_cells* cells;
    uint32_t* bucket_of;  ///< by id
    record* records;
    uint32_t* counts;  ///< [unit][part]: how many, then where the next goes
    uint32_t* begins;  ///< of the parts, and the end
    size_t units, parts;
    uint32_t shift;
} sorting;

static inline void read_box(const tact_cells* cells, const tact_aabb* box, float bounds[6])
{
    const float* lower = &box->lower.x;
    const float* upper = &box->upper.x;
    for (int k = 0; k < 3; ++k) {
        bounds[2 * k] = lower[cells->axis[k]];
        bounds[2 * k + 1] = upper[cells->axis[k]];
    }
}

static inline uint32_t find_bucket(const tact_cells* cells, const float bounds[6])
{
    for (int i = 0; i < cells->level_count; ++i) {
        const tact_grid_level* level = &cells->levels[i];
        TACT_ASSERT(level->base + level->length < cells->buckets);
        const uint32_t x = tact_grid_cell(level, 0, bounds[0]), y = tact_grid_cell(level, 1, bounds[2]),
                       z = tact_grid_cell(level, 2, bounds[4]);
        const uint32_t dx = tact_grid_cell(level, 0, bounds[1]) - x, dy = tact_grid_cell(level, 1, bounds[3]) - y,
                       dz = tact_grid_cell(level, 2, bounds[5]) - z;
        if ((dx | dy | dz) <= 1) return tact_grid_row(level, y | z << 16) + x;
    }
    return cells->buckets - 1;
}

static size_t unit_begin(const sorting* s, size_t unit)
{
    TACT_ASSERT(unit <= s->units);
    return (size_t)((uint64_t)unit * s->of->count / s->units);
}

static void count_units(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    (void)worker;
    for (size_t unit = begin; unit < end; ++unit) {
        uint32_t* counts = s->counts + unit * s->parts;
        memset(counts, 0, s->parts * sizeof *counts);
        for (size_t i = unit_begin(s, unit); i < unit_begin(s, unit + 1); ++i) {
            s->bucket_of[i] = NO_BUCKET;
            if (!tact_volume_is_live(&s->of->boxes[i])) continue;
            float bounds[6];
            read_box(s->cells, &s->of->boxes[i], bounds);
            const uint32_t bucket = find_bucket(s->cells, bounds);
            s->bucket_of[i] = bucket;
            ++counts[bucket >> s->shift];
        }
    }
}

static void scatter_units(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    (void)worker;
    for (size_t unit = begin; unit < end; ++unit) {
        uint32_t* next = s->counts + unit * s->parts;
        for (size_t i = unit_begin(s, unit); i < unit_begin(s, unit + 1); ++i) {
            const uint32_t bucket = s->bucket_of[i];
            if (bucket == NO_BUCKET) continue;
            record* r = &s->records[next[bucket >> s->shift]++];
            read_box(s->cells, &s->of->boxes[i], r->bounds);
            r->id = (uint32_t)i;
            r->bucket = bucket;
        }
    }
}

/// Turns counts into places. Returns how many boxes there are.
static uint32_t place_parts(const sorting* s)
{
    uint32_t sum = 0;
    for (size_t part = 0; part < s->parts; ++part) {
        s->begins[part] = sum;
        for (size_t unit = 0; unit < s->units; ++unit) {
            uint32_t* count = &s->counts[unit * s->parts + part];
            const uint32_t size = *count;
            *count = sum;
            sum += size;
        }
    }
    s->begins[s->parts] = sum;
    TACT_ASSERT(sum == s->of->live);
    return sum;
}

static uint32_t key_of(const tact_cells* c, const record* r)
{
    int i = 0;
    while (i < c->level_count && r->bucket - c->levels[i].base >= c->levels[i].length)
        ++i;
    if (i == c->level_count) return 0;
    return tact_grid_cell(&c->levels[i], 1, r->bounds[2]) | tact_grid_cell(&c->levels[i], 2, r->bounds[4]) << 16;
}

static void sort_parts(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    const tact_cells* c = s->cells;
    (void)worker;
    for (size_t part = begin; part < end; ++part) {
        const size_t first = part << s->shift, after = (part + 1) << s->shift;
        if (first >= c->buckets) break;
        const size_t size = (after < c->buckets ? after : c->buckets) - first;
        // Bucket b's boxes are counted at next[b]; in the end that is where b's boxes end and those of b + 1 begin.
        uint32_t* next = c->starts + 1 + first;
        memset(next, 0, size * sizeof *next);
        for (uint32_t i = s->begins[part]; i < s->begins[part + 1]; ++i)
            ++next[s->records[i].bucket - first];
        uint32_t sum = s->begins[part];
        for (size_t b = 0; b < size; ++b) {
            const uint32_t count = next[b];
            next[b] = sum;
            sum += count;
        }
        for (uint32_t i = s->begins[part]; i < s->begins[part + 1]; ++i) {
            const record* r = &s->records[i];
            const uint32_t at = next[r->bucket - first]++;
            TACT_ASSERT(r->bucket >= first && r->bucket - first < size && at < s->begins[part + 1]);
            for (int k = 0; k < 6; ++k)
                c->bounds[k][at] = r->bounds[k];
            c->ids[at] = r->id;
            c->keys[at] = key_of(c, r);
        }
    }
}

static bool reserve(tact_env* env, void** memory, size_t* capacity, size_t count, size_t size)
{
    return tact_reserve(env, memory, capacity, 0, count, size);
}

/// Memory for `boxes` boxes in their places. What lies past the end must only be readable.
static bool reserve_places(tact_env* env, tact_cells* c, size_t boxes)
{
    const size_t stride = (boxes + TACT_GRID_PAST_END + 15) / 16 * 16;
    if (!reserve(env, &c->sorted, &c->sorted_capacity, 8 * stride, sizeof(float)) ||
        !reserve(env, &c->parts, &c->parts_capacity, boxes, sizeof(record))) {
        return false;
    }
    TACT_ASSERT(stride >= boxes + TACT_GRID_PAST_END);
    for (size_t k = 0; k < 6; ++k) {
        c->bounds[k] = (float*)c->sorted + k * stride;
        memset(c->bounds[k] + boxes, 0, (stride - boxes) * sizeof(float));
    }
    c->keys = (uint32_t*)c->sorted + 6 * stride;
    c->ids = (uint32_t*)c->sorted + 7 * stride;
    memset(c->keys + boxes, 0, (stride - boxes) * sizeof(uint32_t));
    memset(c->ids + boxes, 0, (stride - boxes) * sizeof(uint32_t));
    return true;
}

static tact_result sort_boxes(tact_env* env, int threads, const tact_volume_view* of, tact_cells* c)
{
    TACT_ASSERT(c->buckets >= 2 && c->level_count >= 1);
    sorting s = {.of = of, .cells = c};
    const uint32_t bucket_bits = tact_bit_width(c->buckets - 1);
    uint32_t log = tact_bit_width(of->live / PART_BOXES);
    if (log > MOST_PARTS_LOG) log = MOST_PARTS_LOG;
    if (log > bucket_bits) log = bucket_bits;
    s.shift = bucket_bits - log;
    s.parts = (size_t)1 << log;
    s.units = threads > 1 ? (size_t)threads * UNITS_A_THREAD : 1;
    if (!reserve(env, &c->counts, &c->counts_capacity, (s.units + 1) * s.parts + 1, sizeof(uint32_t)) ||
        !reserve(env, &c->bucket_of, &c->bucket_capacity, of->count, sizeof(uint32_t)) ||
        !reserve(env, &c->starts_memory, &c->starts_capacity, (size_t)c->buckets + 1, sizeof(uint32_t))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    c->starts = c->starts_memory;
    s.counts = c->counts;
    s.begins = s.counts + s.units * s.parts;
    s.bucket_of = c->bucket_of;
    tact_parallel_for(threads, s.units, 1, count_units, &s);
    c->boxes = place_parts(&s);
    if (!reserve_places(env, c, c->boxes)) return TACT_ERROR_OUT_OF_MEMORY;
    s.records = c->parts;
    tact_parallel_for(threads, s.units, 1, scatter_units, &s);
    c->starts[0] = 0;
    tact_parallel_for(threads, s.parts, 1, sort_parts, &s);
    for (int i = 0; i < c->level_count; ++i) {
        c->levels[i].begin = c->starts[c->levels[i].base];
        c->levels[i].end = c->starts[c->levels[i].base + c->levels[i].length];
    }
    c->fitting = c->starts[c->buckets - 1];
    TACT_ASSERT(c->fitting <= c->boxes && c->starts[c->buckets] == c->boxes);
    TACT_VALIDATE(tact_cells_are_valid(c, of));
    return TACT_OK;
}

tact_result tact_cells_update(tact_pairs_job* job, const tact_volume_view* of, bool single, void** kept)
{
    TACT_ASSERT(of->live <= of->count);
    tact_env* env = job->env;
    if (!*kept) *kept = tact_allocate_zeroed(env, 1, sizeof(tact_cells));
    tact_cells* c = *kept;
    if (!c) return TACT_ERROR_OUT_OF_MEMORY;
    if (c->filled && c->version == of->version && c->count == of->count) return TACT_OK;
    const double start = tact_platform_milliseconds();
    c->filled = false;
    c->level_count = 0;
    c->boxes = c->fitting = 0;
    if (of->live > 0) {
        tact_result result = tact_cells_plan(env, of, single, c);
        if (result == TACT_OK) result = sort_boxes(env, job->threads, of, c);
        if (result != TACT_OK) return result;
    }
    c->version = of->version;
    c->count = of->count;
    c->filled = true;
    job->rebuilt = true;
    job->build_ms += tact_platform_milliseconds() - start;
    return TACT_OK;
}

uint64_t tact_cells_memory(const tact_cells* c)
{
    return sizeof *c + c->sorted_capacity * sizeof(float) + c->parts_capacity * sizeof(record) +
           (c->bucket_capacity + c->starts_capacity + c->counts_capacity) * sizeof(uint32_t);
}

void tact_cells_release(tact_env* env, void* kept)
{
    tact_cells* c = kept;
    tact_release(env, c->sorted);
    tact_release(env, c->parts);
    tact_release(env, c->bucket_of);
    tact_release(env, c->starts_memory);
    tact_release(env, c->counts);
    tact_release(env, c);
}

#if defined(TACT_ASSERTS)

static bool place_is_valid(const tact_cells* c, const tact_volume_view* of, uint32_t at, uint32_t bucket)
{
    record r = {.id = c->ids[at], .bucket = bucket};
    if (r.id >= of->count || !tact_volume_is_live(&of->boxes[r.id])) return false;
    read_box(c, &of->boxes[r.id], r.bounds);
    for (int k = 0; k < 6; ++k) {
        if (c->bounds[k][at] != r.bounds[k]) return false;
    }
    return find_bucket(c, r.bounds) == bucket && c->keys[at] == key_of(c, &r);
}

bool tact_cells_are_valid(const tact_cells* c, const tact_volume_view* of)
{
    if (of->count > TACT_VALIDATE_MOST) return true;
    if (c->boxes != of->live || c->starts[0] != 0 || c->starts[c->buckets] != c->boxes) return false;
    unsigned char* seen = calloc((size_t)of->count + 1, 1);
    if (!seen) return true;
    bool valid = true;
    for (uint32_t bucket = 0; bucket < c->buckets && valid; ++bucket) {
        const uint32_t end = c->starts[bucket + 1];
        valid = c->starts[bucket] <= end && end <= c->boxes;
        for (uint32_t at = c->starts[bucket]; at < end && valid; ++at) {
            valid = place_is_valid(c, of, at, bucket) && !seen[c->ids[at]];
            if (valid) seen[c->ids[at]] = 1;
        }
    }
    free(seen);
    return valid;
}

#endif
