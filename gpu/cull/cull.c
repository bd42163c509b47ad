// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/cull/cull.h"

#include <string.h>

#include "gpu/blocks/blocks.h"
#include "gpu/chunks.h"
#include "kernels/cull_layout.h"

enum {
    CHUNK = 1 << 20,  // volumes of one launch: enough to fill any GPU
    // Level of the tree of which a launch takes one node: 4096 boxes. With 13 slabs each, and the nodes above them,
    // that stays below the 65,535 iterations after which llvmpipe leaves a shader's loops.
    PART_LEVEL = 4,
    TABLE_WORDS = TACT_CULL_TABLE_MIXES + TACT_CULL_PLANES_MAX * TACT_CULL_KDOP_KINDS * 2 * TACT_CULL_MIX_WORDS
};

_Static_assert(sizeof(tact_aabb) == 24 && sizeof(tact_sphere) == 16 && sizeof(tact_obb) == 60 &&
                   sizeof(tact_kdop) == 108,
               "the kernels count on these");
_Static_assert(sizeof(TactCullBox) == 24, "a node is three pairs of words");
_Static_assert(4096 * (13 + 2) + 64 < 65535, "llvmpipe would leave boxes out");

struct tact_gpu_culler {
    tact_device* device;
    tact_buffer *volumes, *classes, *ids, *kept;  // of one chunk
    tact_buffer *table, *nodes, *slabs;
    tact_compact* compact;
    uint64_t version;  // of the volumes that are there, all of them; 0: of some chunk, or none
    size_t held;       // how many
    size_t likely;     // ids that are read before it is known how many there are
    uint32_t* class_words;
    size_t class_capacity;
    uint32_t words[TABLE_WORDS];
};

static void release_buffers(tact_gpu_culler* g)
{
    tact_buffer_drop(&g->volumes);
    tact_buffer_drop(&g->classes);
    tact_buffer_drop(&g->ids);
    tact_buffer_drop(&g->kept);
    tact_buffer_drop(&g->table);
    tact_buffer_drop(&g->nodes);
    tact_buffer_drop(&g->slabs);
    tact_compact_destroy(g->compact);
    g->compact = NULL;
}

void tact_gpu_culler_release(void* resident)
{
    tact_gpu_culler* g = resident;
    if (!g) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(g->device) == TACT_OK;
    release_buffers(g);
    if (entered) tact_device_leave(g->device);
    tact_release(tact_device_env(g->device), g->class_words);
    tact_release(tact_device_env(g->device), g);
}

bool tact_gpu_culler_holds(const tact_gpu_culler* g, uint64_t version, size_t count)
{
    return g && version != 0 && g->version == version && g->held == count;
}

static uint64_t bytes_of(const tact_gpu_culler* g)
{
    const tact_buffer* all[] = {g->volumes, g->classes, g->ids, g->kept, g->table, g->nodes, g->slabs};
    return tact_buffer_sizes(all, sizeof all / sizeof all[0]);
}

static uint32_t bits_of(float x)
{
    return as_uint(x);
}

static void write_table(tact_gpu_culler* g, const tact_cull_job* job)
{
    uint32_t* w = g->words;
    memset(w, 0, sizeof g->words);
    const tact_cull_table* t = job->table;
    for (uint32_t p = 0; t && p < t->count; ++p) {
        memcpy(w + 8 * (size_t)p, &t->planes[p], sizeof t->planes[p]);
        for (uint32_t m = 0; job->work->kind == TACT_CULL_KDOPS && m < 2 * TACT_CULL_KDOP_KINDS; ++m) {
            const TactCullMix* mix = &t->mixes[p][m / 2][m % 2];
            uint32_t* to = w + TACT_CULL_TABLE_MIXES + TACT_CULL_MIX_WORDS * (2 * TACT_CULL_KDOP_KINDS * (size_t)p + m);
            to[0] = (uint32_t)mix->i;
            to[1] = (uint32_t)mix->j;
            to[2] = (uint32_t)mix->k;
            to[3] = bits_of(mix->wi);
            to[4] = bits_of(mix->wj);
            to[5] = bits_of(mix->wk);
        }
    }
    for (uint32_t n = 0; t && n < 13; ++n) {
        w[TACT_CULL_TABLE_BOUNDS + n] = bits_of(t->lower[n]);
        w[TACT_CULL_TABLE_BOUNDS + 13 + n] = bits_of(t->upper[n]);
    }
    for (uint32_t level = 0; job->tree && level < job->tree->levels; ++level)
        w[TACT_CULL_TABLE_TREE + level] = job->tree->start[level];
}

static tact_result upload_table(tact_gpu_culler* g, const tact_cull_job* job)
{
    write_table(g, job);
    const bool mixes = job->work->kind == TACT_CULL_KDOPS;
    tact_buffer_hold(g->device, &g->table, sizeof g->words);
    tact_buffer_write(g->table, 0, g->words, mixes ? sizeof g->words : TACT_CULL_TABLE_MIXES * sizeof(uint32_t));
    const tact_cull_tree* tree = job->tree;
    const uint32_t top = tree ? tree->levels - 1 : 0;
    const size_t nodes = tree ? ((size_t)tree->start[top] + tree->size[top]) * sizeof *tree->nodes : 0;
    const size_t slabs = tree && mixes ? (size_t)tree->size[0] * 26 * sizeof(float) : 0;
    tact_buffer_hold(g->device, &g->nodes, nodes);
    tact_buffer_hold(g->device, &g->slabs, slabs);
    if (nodes) tact_buffer_write(g->nodes, 0, tree->nodes, nodes);
    if (slabs) tact_buffer_write(g->slabs, 0, tree->slabs, slabs);
    return tact_device_result(g->device);
}

static tact_result reserve_chunk(tact_gpu_culler* g, size_t count, size_t volume_size)
{
    if (!g->volumes || tact_buffer_size(g->volumes) < count * volume_size) g->version = 0;  // a new one is empty
    tact_buffer_hold(g->device, &g->volumes, count * volume_size);
    tact_buffer_hold(g->device, &g->classes, count * sizeof(uint32_t));
    tact_buffer_hold(g->device, &g->ids, count * sizeof(uint32_t));
    tact_buffer_hold(g->device, &g->kept, sizeof(uint32_t));
    if (!g->compact) tact_compact_create(g->device, 0, &g->compact);
    return TACT_DEVICE_WITHIN(g->device, "room for %zu volumes: ", count);
}

static tact_kernel_id kernel_of(tact_cull_kind kind)
{
    switch (kind) {
        case TACT_CULL_SPHERES:
            return TACT_KERNEL_cull_sphere;
        case TACT_CULL_OBBS:
            return TACT_KERNEL_cull_obb;
        case TACT_CULL_KDOPS:
            return TACT_KERNEL_cull_kdop;
        default:
            return TACT_KERNEL_cull_aabb;
    }
}

static uint32_t options_of(const tact_cull_job* job)
{
    uint32_t options = 0;
    if (job->table) options |= TACT_CULL_HAS_PLANES;
    if (job->table && job->table->nothing) options |= TACT_CULL_HOLDS_NOTHING;
    if (job->table && job->table->bounded) options |= TACT_CULL_IS_BOUNDED;
    if (job->tree) options |= TACT_CULL_HAS_BOXES;
    if (job->classify) options |= TACT_CULL_CLASSIFY;
    return options;
}

static tact_result launch(tact_gpu_culler* g, const tact_cull_job* job, uint32_t count, uint32_t options,
                          uint32_t level, uint32_t from, uint32_t to)
{
    const tact_cull_aabb_args args = {
        .volumes = g->volumes,
        .table = g->table,
        .nodes = g->nodes,
        .slabs = g->slabs,
        .classes = g->classes,
        .count = count,
        .plane_count = job->table ? job->table->count : 0,
        .options = options,
        .from_level = level,
        .from_node = from,
        .to_node = to,
    };
    // The kernels of the other volumes have the same list.
    return tact_device_launch_items(g->device, kernel_of(job->work->kind), count, &args, sizeof args);
}

/// All parts of the tree, or the one launch there is without a tree.
static tact_result launch_parts(tact_gpu_culler* g, const tact_cull_job* job, uint32_t count)
{
    const tact_cull_tree* tree = job->tree;
    const uint32_t options = options_of(job);
    if (!tree || tree->levels <= PART_LEVEL) {
        const uint32_t top = tree ? tree->levels - 1 : 0;
        return launch(g, job, count, options | TACT_CULL_FIRST_PART | TACT_CULL_LAST_PART, top, 0,
                      tree ? tree->size[top] : 0);
    }
    const uint32_t parts = (tree->count + 4095) / 4096;
    for (uint32_t p = 0; p < parts; ++p) {
        const uint32_t part = (p == 0 ? TACT_CULL_FIRST_PART : 0u) | (p + 1 == parts ? TACT_CULL_LAST_PART : 0u);
        launch(g, job, count, options | part, PART_LEVEL, p, p + 1);
    }
    return tact_device_result(g->device);
}

/// What a query has in all chunks.
typedef struct culling {
    tact_gpu_culler* g;
    const tact_cull_job* job;
    tact_gpu_cull_answer* answer;
} culling;

static void bring_chunk(void* user, size_t begin, size_t count)
{
    const culling* c = user;
    tact_gpu_culler* g = c->g;
    if (tact_gpu_culler_holds(g, c->answer->version, c->job->work->count)) return;
    const size_t size = c->answer->volume_size;
    g->version = 0;
    tact_buffer_write(g->volumes, 0, (const uint8_t*)c->job->work->volumes + begin * size, count * size);
    if (count == c->job->work->count && tact_device_result(g->device) == TACT_OK) {
        g->version = c->answer->version;
        g->held = count;
    }
}

static void cull_chunk(void* user, size_t begin, size_t count)
{
    tact_gpu_culler* g = ((const culling*)user)->g;
    (void)begin;
    launch_parts(g, ((const culling*)user)->job, (uint32_t)count);
    tact_compact_indices(g->compact, g->classes, g->ids, (uint32_t)count, g->kept, 0);
}

/// Room for ids of the chunk after those that are there, and for its classes. Classes come back as words.
static bool reserve_answer(tact_gpu_culler* g, const tact_cull_job* job, tact_gpu_cull_answer* answer, size_t ids,
                           size_t classes)
{
    void *all = *answer->ids, *words = g->class_words;
    tact_env* env = tact_device_env(g->device);
    bool good = tact_reserve(env, &all, answer->capacity, answer->kept, answer->kept + ids, sizeof **answer->ids);
    *answer->ids = all;
    if (job->classify) {
        good = good && tact_reserve(env, &words, &g->class_capacity, 0, classes, sizeof *g->class_words);
        g->class_words = words;
    }
    if (!good) tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
    return good;
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    const culling* c = user;
    tact_gpu_culler* g = c->g;
    tact_gpu_cull_answer* answer = c->answer;
    // As many ids as the last time and some more come along with how many there are.
    const size_t likely = g->likely < count ? g->likely : count;
    if (!reserve_answer(g, c->job, answer, likely, count)) return;
    uint32_t kept = 0;
    const tact_read reads[] = {{g->kept, 0, sizeof kept, &kept},
                               {g->ids, 0, likely * sizeof(uint32_t), *answer->ids + answer->kept},
                               {g->classes, 0, count * sizeof(uint32_t), g->class_words}};
    if (tact_device_read(g->device, reads, c->job->classify ? 3 : 2) != TACT_OK) return;
    if (!reserve_answer(g, c->job, answer, kept, count)) return;
    uint32_t* here = *answer->ids + answer->kept;
    if (kept > likely) {
        const size_t at = likely * sizeof *here;
        if (tact_buffer_read(g->ids, at, here + likely, kept * sizeof *here - at) != TACT_OK) return;
    }
    for (uint32_t i = 0; i < kept && begin > 0; ++i)
        here[i] += (uint32_t)begin;
    answer->kept += kept;
    g->likely = kept + kept / 4 + 64;
    for (size_t i = 0; i < count && c->job->classify; ++i)
        c->job->classes[begin + i] = (uint8_t)g->class_words[i];
}

static size_t chunk_size(const tact_device* device, size_t count, size_t volume_size)
{
    size_t chunk = count < CHUNK ? count : CHUNK;
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / volume_size;
    if (most > 0 && chunk > most) chunk = (size_t)most;
    return chunk;
}

static tact_result cull_all(tact_gpu_culler* g, const tact_cull_job* job, tact_gpu_cull_answer* answer,
                            tact_query_report* report)
{
    const size_t all = job->work->count;
    const double start = tact_device_milliseconds(g->device);
    if (tact_device_prepare(g->device, kernel_of(job->work->kind)) != TACT_OK) return tact_device_result(g->device);
    const double built = tact_device_milliseconds(g->device);
    report->build_ms = built - start;
    const size_t chunk = chunk_size(g->device, all, answer->volume_size);
    if (upload_table(g, job) == TACT_OK) reserve_chunk(g, chunk, answer->volume_size);
    report->upload_ms = tact_device_milliseconds(g->device) - built;
    culling c = {g, job, answer};
    const tact_gpu_chunks chunks = {.count = all,
                                    .chunk = chunk,
                                    .bring = bring_chunk,
                                    .run = cull_chunk,
                                    .take = take_chunk,
                                    .user = &c,
                                    .progress = job->progress,
                                    .progress_user = job->progress_user};
    const tact_result result = tact_gpu_chunks_run(g->device, &chunks, report);
    report->memory_bytes = bytes_of(g);
    return result;
}

tact_result tact_gpu_cull(tact_device* device, tact_gpu_culler** resident, const tact_cull_job* job,
                          tact_gpu_cull_answer* answer, tact_query_report* report)
{
    if (!*resident) {
        *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
        if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
        (*resident)->device = device;
    }
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (job->work->count > 0) result = cull_all(*resident, job, answer, report);
    tact_device_leave(device);
    return result;
}
