// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/trace/near.h"

#include <string.h>

#include "gpu/chunks.h"
#include "gpu/trace/internal.h"
#include "kernels/near_layout.h"

enum {
    CHUNK = 1 << 20,  // queries of one launch
    // Steps of one query in one launch. All inner iterations together must stay below the 65,535 after which llvmpipe
    // leaves a shader's loops: a step opens a node, whose eight children are sorted, or, in another lane of the same
    // vector, tries the triangles of a leaf.
    STEPS = 1400,
    STEP_ITERATIONS = 1 + 2 * TACT_BVH8_WIDTH + 28,
    // Each of a leaf's boxes takes up to seven more when spheres are cast at them.
    STEPS_OF_SHAPES = 880,
    STEP_ITERATIONS_OF_SHAPES = STEP_ITERATIONS + 7 * TACT_BVH8_MAX_LEAF,
    // Each of a leaf's bent shapes takes four rounds to turn its axes, and up to six roots of twenty steps; in another
    // lane twelve triangles.
    STEPS_OF_BENT = 100,
    STEP_ITERATIONS_OF_BENT = STEP_ITERATIONS + (4 + 6 * 21 + 12) * TACT_BVH8_MAX_LEAF,
    EDGES = 1 << 14,  // of the boundary, in one launch
    SLOTS = 4096      // unfinished queries that are carried from launch to launch at a time
};

_Static_assert(STEPS* STEP_ITERATIONS + 2 * TACT_NEAR_LEVELS < 65535, "llvmpipe would cut queries short");
_Static_assert(STEPS_OF_SHAPES* STEP_ITERATIONS_OF_SHAPES + 2 * TACT_NEAR_LEVELS < 65535, "nor casts at shapes");
_Static_assert(STEPS_OF_BENT* STEP_ITERATIONS_OF_BENT + 2 * TACT_NEAR_LEVELS + 142 < 65535,
               "nor points near bent ones");
_Static_assert((int)TACT_BVH8_MAX_DEPTH + (int)TACT_BVH8_MAX_TOP_DEPTH + 2 <= TACT_NEAR_LEVELS,
               "no tree may be deeper");
_Static_assert(TACT_NEAR_SLOT_LEVELS + 2 * TACT_NEAR_LEVELS <= TACT_NEAR_SLOT, "a slot must hold all open nodes");

/// An instance as the kernels read it; five rows, as many as a node.
typedef struct near_instance {
    float matrix[12];
    float lower[3];
    uint32_t root;  ///< and in the upper three bits the kind, and whether it is bent
    float upper[3];
    uint32_t id;
} near_instance;

_Static_assert(sizeof(near_instance) == 80, "the kernels read instances of 80 bytes");

/// Of one chunk.
typedef struct near_set {
    tact_buffer *queries, *hits, *pending;
    tact_buffer* windings;  // NULL until winding numbers are asked for
} near_set;

struct tact_gpu_near {
    tact_device* device;
    uint64_t top_version;
    tact_buffer* world;  // top nodes, then instances; changes with top_version
    tact_buffer* states;
    near_set sets[2];               // the second one for chunks that overlap
    tact_buffer *mirrored, *edges;  // NULL until winding numbers are asked for
    uint32_t instance_row;
    const tact_gpu_scene* scene;  // during a run: what ray casts keep too, nodes and triangles
};

static uint64_t bytes_of(const tact_gpu_near* s)
{
    const tact_buffer* all[] = {s->world, s->states, s->mirrored, s->edges};
    uint64_t sum = tact_buffer_sizes(all, sizeof all / sizeof all[0]);
    for (size_t i = 0; i < 2; ++i) {
        const near_set* n = &s->sets[i];
        const tact_buffer* of_set[] = {n->queries, n->hits, n->pending, n->windings};
        sum += tact_buffer_sizes(of_set, sizeof of_set / sizeof of_set[0]);
    }
    return sum;
}

void tact_gpu_near_release(void* resident)
{
    tact_gpu_near* s = resident;
    if (!s) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(s->device) == TACT_OK;
    tact_buffer_drop(&s->world);
    for (size_t i = 0; i < 2; ++i) {
        tact_buffer_drop(&s->sets[i].queries);
        tact_buffer_drop(&s->sets[i].hits);
        tact_buffer_drop(&s->sets[i].pending);
        tact_buffer_drop(&s->sets[i].windings);
    }
    tact_buffer_drop(&s->states);
    tact_buffer_drop(&s->mirrored);
    tact_buffer_drop(&s->edges);
    if (entered) tact_device_leave(s->device);
    tact_release(tact_device_env(s->device), s);
}

static tact_result update_world(tact_gpu_near* s, const tact_trace_scene* scene)
{
    s->top_version = UINT64_MAX;
    tact_env* env = tact_device_env(s->device);
    near_instance* placed = tact_allocate(env, scene->instance_count, sizeof *placed);
    if (!placed) return tact_device_fail(s->device, TACT_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < scene->instance_count; ++i) {
        const tact_trace_instance* from = &scene->instances[i];
        memcpy(placed[i].matrix, scene->matrices[from->id], sizeof placed[i].matrix);
        memcpy(placed[i].lower, from->lower, sizeof placed[i].lower);
        memcpy(placed[i].upper, from->upper, sizeof placed[i].upper);
        const uint32_t kind = from->kind | (from->bent ? TACT_NEAR_BENT : 0u);
        placed[i].root = from->wide_root | kind << TACT_NEAR_KIND_SHIFT;
        placed[i].id = from->id;
    }
    const size_t top = scene->wide_top_count * sizeof *scene->wide_top;
    const size_t instances = scene->instance_count * sizeof *placed;
    tact_buffer_hold(s->device, &s->world, top + instances);
    tact_buffer_write(s->world, 0, scene->wide_top, top);
    tact_buffer_write(s->world, top, placed, instances);
    tact_release(env, placed);
    s->instance_row = (uint32_t)(top / 16);
    if (tact_device_result(s->device) == TACT_OK) s->top_version = scene->top_version;
    return TACT_DEVICE_WITHIN(s->device, "uploading %zu instances: ", scene->instance_count);
}

static tact_result reserve(tact_gpu_near* s, const tact_gpu_near_job* job, size_t count, size_t sets)
{
    for (size_t i = 0; i < sets; ++i) {
        near_set* n = &s->sets[i];
        tact_buffer_hold(s->device, &n->queries, count * job->query_bytes);
        tact_buffer_hold(s->device, &n->hits, count * job->hit_bytes);
        tact_buffer_hold(s->device, &n->pending, (count + 1) * sizeof(uint32_t));
        if (job->windings) tact_buffer_hold(s->device, &n->windings, count * sizeof *job->windings->sums);
    }
    if (!s->states) tact_buffer_create(s->device, 0, NULL, &s->states);
    return TACT_DEVICE_WITHIN(s->device, "room for %zu %s: ", count, job->what);
}

static uint32_t steps_of(tact_kernel_id kernel)
{
    if (kernel == TACT_KERNEL_closest_points_bent) return STEPS_OF_BENT;
    return kernel == TACT_KERNEL_sphere_casts_shapes ? STEPS_OF_SHAPES : STEPS;
}

/// One launch over `items`, after which `pending` says how many queries are unfinished.
static void launch(tact_gpu_near* s, const near_set* set, const tact_gpu_near_job* job, uint32_t phase, uint32_t first,
                   uint32_t items)
{
    const tact_closest_points_args args = {
        .world = s->world,
        .nodes = s->scene->nodes,
        .triangles = s->scene->triangles,
        .queries = set->queries,
        .hits = set->hits,
        .pending = set->pending,
        .states = s->states,
        .item_count = items,
        .instances = s->instance_row,
        .phase = phase,
        .first = first,
        .step_limit = steps_of(job->kernel),
        .shapes = s->scene->shape_row,
    };
    tact_buffer_fill(set->pending, 0, sizeof(uint32_t), 0);
    // The other kernels have the same list.
    tact_device_launch_items(s->device, job->kernel, items, &args, sizeof args);
}

/// The same, and waits. Returns how many are unfinished.
static uint32_t launch_long(tact_gpu_near* s, const near_set* set, const tact_gpu_near_job* job, uint32_t phase,
                            uint32_t first, uint32_t items)
{
    uint32_t unfinished = 0;
    launch(s, set, job, phase, first, items);
    tact_buffer_read(set->pending, 0, &unfinished, sizeof unfinished);
    return unfinished;
}

/// The queries that the first launch left unfinished.
static void finish_long(tact_gpu_near* s, const near_set* set, const tact_gpu_near_job* job, uint32_t count)
{
    tact_buffer_hold(s->device, &s->states, (uint64_t)SLOTS * TACT_NEAR_SLOT * sizeof(uint32_t));
    TACT_DEVICE_WITHIN(s->device, "room for long searches: ");
    for (uint32_t first = 0; first < count; first += SLOTS) {
        const uint32_t items = count - first < SLOTS ? count - first : SLOTS;
        uint32_t unfinished = launch_long(s, set, job, TACT_NEAR_PHASE_LONG, first, items);
        while (unfinished > 0)
            unfinished = launch_long(s, set, job, TACT_NEAR_PHASE_RESUME, 0, items);
    }
}

// ---- Winding numbers ----

/// Whole blocks.
static size_t edge_bytes(const tact_gpu_windings* w)
{
    return (w->edge_count + TACT_WINDING_BLOCK - 1) / TACT_WINDING_BLOCK * TACT_WINDING_BLOCK * 6 * sizeof(float);
}

static void bring_boundary(tact_gpu_near* s, const tact_gpu_windings* w)
{
    tact_buffer_hold(s->device, &s->mirrored, w->mirrored_words * sizeof *w->mirrored);
    tact_buffer_hold(s->device, &s->edges, edge_bytes(w));
    tact_buffer_write(s->mirrored, 0, w->mirrored, w->mirrored_words * sizeof *w->mirrored);
    tact_buffer_write(s->edges, 0, w->edges, edge_bytes(w));
    TACT_DEVICE_WITHIN(s->device, "room for %zu edges: ", w->edge_count);
}

static void launch_winding(tact_gpu_near* s, const near_set* set, uint32_t phase, size_t first, size_t last,
                           uint32_t items)
{
    const tact_winding_args args = {
        .world = s->world,
        .nodes = s->scene->nodes,
        .triangles = s->scene->triangles,
        .queries = set->queries,
        .mirrored = s->mirrored,
        .edges = s->edges,
        .windings = set->windings,
        .item_count = items,
        .instances = s->instance_row,
        .phase = phase,
        .first = (uint32_t)first,
        .last = (uint32_t)last,
        .step_limit = STEPS,
    };
    tact_device_launch_items(s->device, TACT_KERNEL_winding, items, &args, sizeof args);
}

static void find_windings(tact_gpu_near* s, const near_set* set, const tact_gpu_windings* w, uint32_t items)
{
    launch_winding(s, set, TACT_WINDING_CROSSINGS, 0, 0, items);
    for (size_t first = 0; first < w->edge_count; first += EDGES) {
        const size_t left = w->edge_count - first;
        launch_winding(s, set, TACT_WINDING_STRIPS, first, first + (left < EDGES ? left : EDGES), items);
    }
}

// ---- Chunks ----

static size_t chunk_size(tact_device* device, const tact_gpu_near_job* job)
{
    const size_t down = job->hit_bytes + (job->windings ? sizeof *job->windings->sums : 0);
    const size_t widest = job->query_bytes > job->hit_bytes ? job->query_bytes : job->hit_bytes;
    const uint64_t most = tact_device_describe(device)->max_buffer_bytes / widest;
    return tact_gpu_chunk_rows(device, job->batch.count, most > 0 && most < CHUNK ? (size_t)most : CHUNK,
                               job->query_bytes, down);
}

typedef struct searching {
    tact_gpu_near* s;
    const tact_gpu_near_job* job;
    size_t chunk;
    bool two;  // sets of buffers
    tact_reading reading;
    uint32_t unfinished;
} searching;

static const near_set* set_of(const searching* w, size_t begin)
{
    return &w->s->sets[w->two ? tact_gpu_chunk_set(begin, w->chunk) : 0];
}

static void bring_chunk(void* user, size_t begin, size_t count)
{
    const searching* w = user;
    const size_t bytes = w->job->query_bytes;
    tact_buffer_write(set_of(w, begin)->queries, 0, (const char*)w->job->queries + begin * bytes, count * bytes);
}

static void search_chunk(void* user, size_t begin, size_t count)
{
    const searching* w = user;
    const near_set* set = set_of(w, begin);
    launch(w->s, set, w->job, TACT_NEAR_PHASE_FIRST, 0, (uint32_t)count);
    if (w->job->windings) find_windings(w->s, set, w->job->windings, (uint32_t)count);
}

static tact_read hits_of(const searching* w, size_t begin, size_t count)
{
    const size_t bytes = w->job->hit_bytes;
    return (tact_read){set_of(w, begin)->hits, 0, count * bytes, (char*)w->job->hits + begin * bytes};
}

static void send_chunk(void* user, size_t begin, size_t count)
{
    searching* w = user;
    const near_set* set = set_of(w, begin);
    const tact_gpu_windings* windings = w->job->windings;
    tact_read reads[3] = {{set->pending, 0, sizeof w->unfinished, &w->unfinished}, hits_of(w, begin, count)};
    if (windings) reads[2] = (tact_read){set->windings, 0, count * sizeof *windings->sums, windings->sums + begin};
    tact_device_read_begin(w->s->device, reads, windings ? 3 : 2, &w->reading);
}

static void take_chunk(void* user, size_t begin, size_t count)
{
    searching* w = user;
    // Few searches are left unfinished: the hits come along, and again where some are.
    tact_device_read_end(&w->reading);
    if (w->unfinished == 0) return;
    const tact_read hits = hits_of(w, begin, count);
    finish_long(w->s, set_of(w, begin), w->job, w->unfinished);
    tact_device_read(w->s->device, &hits, 1);
}

static tact_result run_all(tact_gpu_near* s, tact_gpu_scene* scene, const tact_gpu_near_job* job,
                           tact_query_report* report)
{
    const double start = tact_device_milliseconds(s->device);
    if (tact_device_prepare(s->device, job->kernel) != TACT_OK) return tact_device_result(s->device);
    if (job->windings && tact_device_prepare(s->device, TACT_KERNEL_winding) != TACT_OK)
        return tact_device_result(s->device);
    const double built = tact_device_milliseconds(s->device);
    report->build_ms = built - start;
    const size_t chunk = chunk_size(s->device, job);
    s->scene = scene;
    if (tact_gpu_scene_update(scene, job->scene) != TACT_OK) return tact_device_result(s->device);
    if ((!s->world || s->top_version != job->scene->top_version) && update_world(s, job->scene) != TACT_OK)
        return tact_device_result(s->device);
    const bool two = chunk < job->batch.count && tact_device_ring_bytes(s->device) > 0;
    reserve(s, job, chunk, two ? 2 : 1);
    if (job->windings) bring_boundary(s, job->windings);
    report->upload_ms = tact_device_milliseconds(s->device) - built;
    searching w = {.s = s, .job = job, .chunk = chunk, .two = two};
    const tact_gpu_chunks chunks = {.count = job->batch.count,
                                    .chunk = chunk,
                                    .bring = bring_chunk,
                                    .run = search_chunk,
                                    .send = send_chunk,
                                    .take = take_chunk,
                                    .user = &w,
                                    .overlap = two,
                                    .progress = job->batch.progress,
                                    .progress_user = job->batch.progress_user};
    const tact_result result = tact_gpu_chunks_run(s->device, &chunks, report);
    report->memory_bytes = bytes_of(s) + tact_gpu_scene_bytes(scene);
    return result;
}

tact_result tact_gpu_near_run(tact_device* device, tact_gpu_near** resident, tact_gpu_scene** scene,
                              const tact_gpu_near_job* job, tact_query_report* report)
{
    if (!*resident) {
        *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
        if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
        (*resident)->device = device;
    }
    tact_result result = tact_gpu_scene_open(device, scene);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (job->batch.count > 0) result = run_all(*resident, *scene, job, report);
    tact_device_leave(device);
    return result;
}
