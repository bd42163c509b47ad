// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A set's boxes by strip, each strip sorted. An update finds which boxes came to which strips, repairs the order of
// those that stayed by insertion (after David Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies", 1992, who
// saw that it hardly changes), and merges the newcomers in. A list that is made anew is one where all are newcomers.

#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "cpu_ref/pairs/sap.h"

/// Ids whose boxes are in no strip. The first strip is beyond the last.
#define NO_SPAN 0x0000ffffu

enum { BIG = 1 << 16, MOVES = 4, WAIT = 31, AHEAD = 16 };

typedef struct update {
    const tact_volume_view* of;
    const sap_frame* frame;
    sap_list* list;
    uint32_t from, end;
    size_t block, blocks;               ///< ids of one block
    uint32_t *in, *out;                 ///< counts[block][strip]: newcomers, then their places; leavers
    size_t starts[SAP_STRIPS_MAX + 1];  ///< the new ones
    uint32_t sizes[SAP_STRIPS_MAX], kept[SAP_STRIPS_MAX];
    uint8_t unsorted[SAP_STRIPS_MAX];  ///< too big for one thread
    uint8_t repaired[SAP_STRIPS_MAX];
} update;

static uint32_t span_of(const update* u, uint32_t id)
{
    if (id < u->from || id >= u->end) return NO_SPAN;
    const tact_aabb* const box = &u->of->boxes[id];
    if (!tact_volume_is_live(box)) return NO_SPAN;
    const uint32_t first = sap_strip_of(u->frame, sap_component(&box->lower, u->frame->strip));
    const float high = sap_component(&box->upper, u->frame->strip);
    uint32_t last = first;
    if (first + 1 < u->frame->strips && u->frame->bounds[first + 1] <= high) last = sap_strip_of(u->frame, high);
    TACT_ASSERT(first <= last && last < u->frame->strips);
    return first | last << 16;
}

/// The strips of `span` that are not of `without`, in at most two runs; calls for each run's ends by writing them.
static int runs_of(uint32_t span, uint32_t without, uint32_t runs[2][2])
{
    const uint32_t first = span & 0xffffu, last = span >> 16, a = without & 0xffffu, b = without >> 16;
    int count = 0;
    if (first > last) return 0;
    if (a > b || b < first || last < a) {
        runs[0][0] = first;
        runs[0][1] = last;
        return 1;
    }
    if (first < a) {
        runs[count][0] = first;
        runs[count++][1] = a - 1;
    }
    if (b < last) {
        runs[count][0] = b + 1;
        runs[count++][1] = last;
    }
    return count;
}

/// Adds to counts[strip], as differences: that costs the same however many strips a box reaches.
static void count_runs(uint32_t* counts, uint32_t span, uint32_t without)
{
    uint32_t runs[2][2];
    const int count = runs_of(span, without, runs);
    for (int i = 0; i < count; ++i) {
        ++counts[runs[i][0]];
        --counts[runs[i][1] + 1];
    }
}

/// First pass over the ids: how many come to and leave each strip.
static void count_block(size_t begin, size_t end, int worker, void* user)
{
    TACT_ASSERT(begin < end);
    (void)worker;
    update* const u = user;
    const size_t stride = u->frame->strips + 1u, block = begin / u->block;
    TACT_ASSERT(begin % u->block == 0 && block < u->blocks);
    uint32_t *in = u->in + block * stride, *out = u->out + block * stride;
    memset(in, 0, stride * sizeof *in);
    memset(out, 0, stride * sizeof *out);
    for (size_t id = begin; id < end; ++id) {
        const uint32_t now = span_of(u, (uint32_t)id), before = u->list->spans[id];
        u->list->new_spans[id] = now;
        if (now == before) continue;
        count_runs(in, now, before);
        count_runs(out, before, now);
    }
    for (uint32_t s = 1; s < u->frame->strips; ++s) {
        in[s] += in[s - 1];
        out[s] += out[s - 1];
    }
}

/// Turns counts into places. Returns how many entries there will be.
static uint64_t place(update* u)
{
    const size_t stride = u->frame->strips + 1u;
    uint64_t total = 0;
    for (uint32_t s = 0; s < u->frame->strips; ++s) {
        uint64_t in = 0, out = 0;
        for (size_t b = 0; b < u->blocks; ++b) {
            out += u->out[b * stride + s];
            const uint32_t here = u->in[b * stride + s];
            u->in[b * stride + s] = (uint32_t)in;  // from the end of those that stay
            in += here;
        }
        u->kept[s] = u->list->sizes[s] - (uint32_t)out;
        TACT_ASSERT(out <= u->list->sizes[s]);
        u->sizes[s] = u->kept[s] + (uint32_t)in;
        u->starts[s] = (size_t)total;
        total += ((uint64_t)u->sizes[s] + SAP_PAST_END) / SAP_PAST_END * SAP_PAST_END;
    }
    u->starts[u->frame->strips] = (size_t)total;
    return total;
}

/// Second pass: newcomers go behind those that stay.
static void place_block(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    update* const u = user;
    sap_list* const l = u->list;
    const int axis = u->frame->sweep;
    uint32_t* const in = u->in + begin / u->block * (u->frame->strips + 1u);
    for (size_t id = begin; id < end; ++id) {
        const uint32_t now = l->new_spans[id], before = l->spans[id];
        if (now == before) continue;
        uint32_t runs[2][2];
        const int count = runs_of(now, before, runs);
        for (int i = 0; i < count; ++i) {
            for (uint32_t s = runs[i][0]; s <= runs[i][1]; ++s) {
                const size_t to = u->starts[s] + u->kept[s] + in[s]++;
                TACT_ASSERT(to < u->starts[s] + u->sizes[s]);
                l->keys[to] = sap_key(sap_component(&u->of->boxes[id].lower, axis));
                l->ids[to] = (uint32_t)id;
            }
        }
    }
}

/// Sorts what is nearly sorted; false when that takes more than MOVES a key, and then it is some order.
static bool repair(uint32_t* keys, uint32_t* ids, size_t count)
{
    size_t left = MOVES * count + 64;
    for (size_t i = 1; i < count; ++i) {
        const uint32_t key = keys[i], id = ids[i];
        size_t k = i;
        for (; k > 0 && keys[k - 1] > key && left > 0; --k, --left) {
            keys[k] = keys[k - 1];
            ids[k] = ids[k - 1];
        }
        keys[k] = key;
        ids[k] = id;
        if (left == 0) return false;
    }
    return true;
}

/// Merges keys [0, middle) and [middle, count).
static void merge(uint32_t* keys, uint32_t* ids, uint32_t* keys_2, uint32_t* ids_2, size_t middle, size_t count)
{
    TACT_ASSERT(middle <= count);
    // The newcomers, who are few, go aside; then from the end.
    size_t a = middle, b = count - middle, to = count;
    memcpy(keys_2, keys + middle, b * sizeof *keys);
    memcpy(ids_2, ids + middle, b * sizeof *ids);
    while (b > 0) {
        --to;
        if (a > 0 && keys[a - 1] > keys_2[b - 1]) {
            --a;
            keys[to] = keys[a];
            ids[to] = ids[a];
        } else {
            --b;
            keys[to] = keys_2[b];
            ids[to] = ids_2[b];
        }
    }
}

/// Those that stay, in their old order.
static void take_kept(const update* u, uint32_t s)
{
    TACT_ASSERT(s < u->frame->strips);
    const sap_list* const l = u->list;
    const uint32_t* const old = l->arrays.ids + l->starts[s];
    size_t to = u->starts[s];
    for (size_t i = 0; i < l->sizes[s] && to < u->starts[s] + u->kept[s]; ++i) {
        const uint32_t id = old[i], span = l->new_spans[id];
        if (i + AHEAD < l->sizes[s]) {
            // Boxes are read in the order of a strip, which memory cannot foresee.
            TACT_PREFETCH(&u->of->boxes[old[i + AHEAD]]);
            TACT_PREFETCH(&l->new_spans[old[i + AHEAD]]);
        }
        if (s < (span & 0xffffu) || s > span >> 16) continue;
        l->keys[to] = sap_key(sap_component(&u->of->boxes[id].lower, u->frame->sweep));
        l->ids[to++] = id;
    }
}

static void order_strips(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    update* const u = user;
    sap_list* const l = u->list;
    for (size_t s = begin; s < end; ++s) {
        const size_t at = u->starts[s], kept = u->kept[s], count = u->sizes[s];
        take_kept(u, (uint32_t)s);
        TACT_ASSERT(kept <= count && u->starts[s] + count <= u->starts[s + 1]);
        uint32_t *keys = l->keys + at, *ids = l->ids + at, *keys_2 = l->keys_2 + at, *ids_2 = l->ids_2 + at;
        u->repaired[s] = kept > count / 2 && repair(keys, ids, kept);
        u->unsorted[s] = false;
        if (!u->repaired[s]) {
            u->unsorted[s] = count > BIG;
            if (!u->unsorted[s]) tact_sap_sort(keys, ids, keys_2, ids_2, count);
        } else if (kept < count) {
            tact_sap_sort(keys + kept, ids + kept, keys_2, ids_2, count - kept);
            merge(keys, ids, keys_2, ids_2, kept, count);
        }
    }
}

/// From one array to the next in the list's memory: whole lines of the cache.
static size_t stride_of(const sap_list* l)
{
    return l->capacity / 7 / SAP_PAST_END * SAP_PAST_END;
}

static void gather(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const update* const u = user;
    const sap_list* const l = u->list;
    const sap_frame* const f = u->frame;
    const size_t stride = stride_of(l);
    float* const a = l->memory;
    uint32_t* const ids = (uint32_t*)(void*)(a + 6 * stride);
    for (size_t t = begin; t < end; ++t) {
        const size_t start = l->starts[l->tasks[t].strip];
        TACT_ASSERT(l->tasks[t].end <= l->sizes[l->tasks[t].strip]);
        const size_t last = start + l->sizes[l->tasks[t].strip];
        for (size_t i = start + l->tasks[t].begin; i < start + l->tasks[t].end; ++i) {
            const uint32_t id = l->ids[i];
            TACT_ASSERT(id < u->of->count);
            if (i + AHEAD < last) TACT_PREFETCH(&u->of->boxes[l->ids[i + AHEAD]]);
            const tact_aabb* const box = &u->of->boxes[id];
            a[i] = sap_component(&box->lower, f->sweep);
            a[stride + i] = sap_component(&box->upper, f->sweep);
            a[2 * stride + i] = sap_component(&box->lower, f->strip);
            a[3 * stride + i] = sap_component(&box->upper, f->strip);
            a[4 * stride + i] = sap_component(&box->lower, f->other);
            a[5 * stride + i] = sap_component(&box->upper, f->other);
            ids[i] = id;
        }
    }
}

/// What is past the end of strips compares false.
static void end_strips(const update* u)
{
    const sap_list* const l = u->list;
    const size_t stride = stride_of(l);
    for (uint32_t s = 0; s < u->frame->strips; ++s) {
        for (size_t i = l->starts[s] + l->sizes[s]; i < l->starts[s + 1]; ++i) {
            for (size_t k = 0; k < 6; ++k)
                l->memory[k * stride + i] = NAN;
        }
    }
}

static tact_result sort_big(tact_env* env, int threads, const update* u)
{
    for (uint32_t s = 0; s < u->frame->strips; ++s) {
        if (!u->unsorted[s]) continue;
        uint32_t *const keys = u->list->keys + u->starts[s], *const ids = u->list->ids + u->starts[s];
        const tact_sort_cpu_job job = {keys, keys, ids, ids, u->sizes[s], 1, 32};
        const tact_result result = tact_sort_cpu(env, threads, &job);
        if (result != TACT_OK) return result;
    }
    return TACT_OK;
}

static bool make_tasks(tact_env* env, const update* u)
{
    sap_list* const l = u->list;
    size_t count = 0;
    for (uint32_t s = 0; s < u->frame->strips; ++s)
        count += (u->sizes[s] + SAP_CHUNK - 1u) / SAP_CHUNK;
    void* tasks = l->tasks;
    if (!tact_reserve(env, &tasks, &l->task_capacity, 0, count, sizeof *l->tasks)) return false;
    l->tasks = tasks;
    l->task_count = 0;
    for (uint32_t s = 0; s < u->frame->strips; ++s) {
        for (uint32_t at = 0; at < u->sizes[s]; at += SAP_CHUNK) {
            const uint32_t size = u->sizes[s] - at < SAP_CHUNK ? u->sizes[s] - at : SAP_CHUNK;
            l->tasks[l->task_count++] = (sap_task){s, at, at + size};
        }
    }
    TACT_ASSERT(l->task_count == count);
    return true;
}

/// Room for the order. What is in it need not be kept.
static bool reserve_work(tact_env* env, sap_list* l, size_t total)
{
    if (total > SIZE_MAX / 4) return false;
    void* work = l->work;
    if (!tact_reserve(env, &work, &l->work_capacity, 0, 4 * total, sizeof *l->work)) return false;
    l->work = work;
    const size_t stride = l->work_capacity / 4;
    l->keys = l->work;
    l->ids = l->work + stride;
    l->keys_2 = l->work + 2 * stride;
    l->ids_2 = l->work + 3 * stride;
    return true;
}

static bool reserve_arrays(tact_env* env, sap_list* l, size_t total)
{
    void* memory = l->memory;
    if (!tact_reserve(env, &memory, &l->capacity, 0, 7 * (total + SAP_PAST_END), sizeof *l->memory)) return false;
    l->memory = memory;
    const size_t stride = stride_of(l);
    TACT_ASSERT(stride >= total && stride % SAP_PAST_END == 0);
    const float* const a = l->memory;
    l->arrays = (tact_sap_arrays){a,
                                  a + stride,
                                  a + 2 * stride,
                                  a + 3 * stride,
                                  a + 4 * stride,
                                  a + 5 * stride,
                                  (const uint32_t*)(const void*)(a + 6 * stride)};
    return true;
}

/// A span for every id and counts for every block.
static bool prepare(tact_env* env, int threads, update* u)
{
    sap_list* const l = u->list;
    const uint32_t count = u->of->count;
    void *spans = l->spans, *counts = l->counts;
    const uint32_t have = l->filled ? l->count : 0;
    if (!tact_reserve(env, &spans, &l->span_capacity, have, count, sizeof *l->spans)) return false;
    l->spans = spans;
    void* new_spans = l->new_spans;
    if (!tact_reserve(env, &new_spans, &l->new_span_capacity, 0, count, sizeof *l->new_spans)) return false;
    l->new_spans = new_spans;
    for (uint32_t id = have; id < count; ++id)
        l->spans[id] = NO_SPAN;
    if (!l->filled) {
        memset(l->sizes, 0, sizeof l->sizes);
        memset(l->starts, 0, sizeof l->starts);
    }
    const size_t pieces = 4 * (size_t)(threads > 0 ? threads : 1), least = 2048;
    u->block = count / pieces + 1 > least ? count / pieces + 1 : least;
    u->blocks = (count + u->block - 1) / u->block;
    TACT_ASSERT(u->block >= least && u->blocks <= pieces + 1);
    const size_t numbers = u->blocks * (u->frame->strips + 1u);
    if (!tact_reserve(env, &counts, &l->count_capacity, 0, 2 * numbers, sizeof *l->counts)) return false;
    l->counts = counts;
    u->in = l->counts;
    u->out = l->counts + numbers;
    l->count = count;
    return true;
}

tact_result tact_sap_list_update(tact_env* env, int threads, const tact_volume_view* of, uint32_t from, uint32_t end,
                                 const sap_frame* frame, sap_list* l, bool* crowded)
{
    TACT_ASSERT(from <= end && frame->strips >= 1);
    *crowded = false;
    if (of->count < l->count) l->filled = false;  // cleared
    if (l->skip_repair > 0) {
        --l->skip_repair;
        l->filled = false;
    }
    update u = {.of = of, .frame = frame, .list = l, .from = from, .end = end};
    bool ok = prepare(env, threads, &u);
    l->filled = false;  // until all is done
    if (!ok) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(threads, of->count, u.block, count_block, &u);
    const uint64_t total = place(&u);
    if (frame->strips > 1 && total > 4ull * of->live + 16ull * SAP_PAST_END * frame->strips) {
        *crowded = true;
        return TACT_OK;
    }
    if (total > SIZE_MAX / 32 || !reserve_work(env, l, (size_t)total)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(threads, of->count, u.block, place_block, &u);
    tact_parallel_for(threads, frame->strips, 1, order_strips, &u);
    if (sort_big(env, threads, &u) != TACT_OK) return TACT_ERROR_OUT_OF_MEMORY;
    // The old arrays have given what they had.
    if (!make_tasks(env, &u) || !reserve_arrays(env, l, (size_t)total)) return TACT_ERROR_OUT_OF_MEMORY;
    memcpy(l->starts, u.starts, sizeof l->starts);
    memcpy(l->sizes, u.sizes, sizeof l->sizes);
    end_strips(&u);
    tact_parallel_for(threads, l->task_count, 4, gather, &u);
    uint32_t repaired = 0, kept = 0;
    for (uint32_t s = 0; s < frame->strips; ++s) {
        repaired += u.repaired[s];
        kept += u.kept[s] > u.sizes[s] / 2;
    }
    // Where it was not worth it, it will not be for a while; then all are newcomers, which is cheaper than to fail.
    if (kept > 0 && 2 * repaired < kept) l->skip_repair = WAIT;
    uint32_t* const spans = l->spans;
    const size_t span_capacity = l->span_capacity;
    l->spans = l->new_spans;
    l->span_capacity = l->new_span_capacity;
    l->new_spans = spans;
    l->new_span_capacity = span_capacity;
    l->version = of->version;
    l->from = from;
    l->end = end;
    l->filled = true;
    TACT_VALIDATE(tact_sap_list_is_valid(l, of, frame));
    return TACT_OK;
}

void tact_sap_list_release(tact_env* env, sap_list* l)
{
    tact_release(env, l->memory);
    tact_release(env, l->work);
    tact_release(env, l->spans);
    tact_release(env, l->new_spans);
    tact_release(env, l->counts);
    tact_release(env, l->tasks);
    memset(l, 0, sizeof *l);
}

size_t tact_sap_list_bytes(const sap_list* l)
{
    return l->capacity * sizeof *l->memory + l->work_capacity * sizeof *l->work +
           (l->span_capacity + l->new_span_capacity) * sizeof *l->spans + l->count_capacity * sizeof *l->counts +
           l->task_capacity * sizeof *l->tasks;
}

#if defined(TACT_ASSERTS)

static bool entry_is_valid(const sap_list* l, const tact_volume_view* of, const sap_frame* f, uint32_t strip,
                           uint32_t i)
{
    const size_t at = l->starts[strip] + i;
    const uint32_t id = l->arrays.ids[at];
    if (id >= of->count || strip < (l->spans[id] & 0xffffu) || strip > l->spans[id] >> 16) return false;
    if (i > 0 && !(l->arrays.low_x[at - 1] <= l->arrays.low_x[at])) return false;
    const tact_aabb* b = &of->boxes[id];
    return l->arrays.low_x[at] == sap_component(&b->lower, f->sweep) &&
           l->arrays.high_x[at] == sap_component(&b->upper, f->sweep) &&
           l->arrays.low_y[at] == sap_component(&b->lower, f->strip) &&
           l->arrays.high_y[at] == sap_component(&b->upper, f->strip) &&
           l->arrays.low_z[at] == sap_component(&b->lower, f->other) &&
           l->arrays.high_z[at] == sap_component(&b->upper, f->other);
}

static bool strip_is_valid(const sap_list* l, const tact_volume_view* of, const sap_frame* f, uint32_t strip)
{
    const size_t end = l->starts[strip] + l->sizes[strip];
    if (l->starts[strip] % SAP_PAST_END != 0 || end >= l->starts[strip + 1]) return false;
    for (uint32_t i = 0; i < l->sizes[strip]; ++i) {
        if (!entry_is_valid(l, of, f, strip, i)) return false;
    }
    for (size_t at = end; at < l->starts[strip + 1]; ++at) {
        if (l->arrays.low_x[at] == l->arrays.low_x[at]) return false;
    }
    return true;
}

bool tact_sap_list_is_valid(const sap_list* l, const tact_volume_view* of, const sap_frame* f)
{
    if (of->count > TACT_VALIDATE_MOST) return true;
    const update u = {.of = of, .frame = f, .from = l->from, .end = l->end};
    uint64_t wanted = 0, found = 0;
    for (uint32_t id = 0; id < of->count; ++id) {
        const uint32_t span = l->spans[id];
        if (span != span_of(&u, id)) return false;
        if ((span & 0xffffu) <= span >> 16) wanted += (span >> 16) - (span & 0xffffu) + 1;
    }
    for (uint32_t s = 0; s < f->strips; ++s) {
        if (!strip_is_valid(l, of, f, s)) return false;
        found += l->sizes[s];
    }
    return found == wanted;
}

#endif
