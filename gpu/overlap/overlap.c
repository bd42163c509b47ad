// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/overlap/overlap.h"

#include <string.h>

#include "gpu/overlap/internal.h"
#include "gpu/probe.h"

enum {
    POSES = 1 << 16,  // of a batch
    MOST_ITEMS = 1 << 20
};

// ---- What is kept ----

static void drop_lists(tact_gpu_overlap_lists* s)
{
    tact_buffer_drop(&s->items);
    tact_buffer_drop(&s->leaves);
    tact_buffer_drop(&s->found);
    s->capacity = 0;
}

static void drop_poses(tact_gpu_overlap_lists* s)
{
    tact_buffer_drop(&s->poses);
    tact_buffer_drop(&s->state);
    s->pose_capacity = 0;
}

static void drop_mesh(tact_gpu_mesh* m)
{
    tact_buffer_drop(&m->nodes);
    tact_buffer_drop(&m->triangles);
    m->there = false;
}

void tact_gpu_mesh_release(void* resident)
{
    tact_gpu_mesh* m = resident;
    if (!m) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(m->device) == TACT_OK;
    drop_mesh(m);
    drop_lists(&m->scratch);
    drop_poses(&m->scratch);
    if (entered) tact_device_leave(m->device);
    tact_release(tact_device_env(m->device), m);
}

bool tact_gpu_mesh_holds(const tact_gpu_mesh* m, uint64_t version)
{
    return m && m->there && m->version == version;
}

static uint64_t bytes_of(const tact_gpu_mesh* m)
{
    const tact_gpu_overlap_lists* s = &m->scratch;
    const tact_buffer* all[] = {m->nodes, m->triangles, s->items, s->leaves, s->found, s->poses, s->state};
    return tact_buffer_sizes(all, sizeof all / sizeof all[0]);
}

static tact_result make_resident(tact_device* device, tact_gpu_mesh** resident)
{
    if (*resident) return TACT_OK;
    *resident = tact_allocate_zeroed(tact_device_env(device), 1, sizeof **resident);
    if (!*resident) return TACT_ERROR_OUT_OF_MEMORY;
    (*resident)->device = device;
    return TACT_OK;
}

static tact_result write_or_make(tact_gpu_mesh* m, tact_buffer** buffer, const void* data, size_t bytes)
{
    if (*buffer && tact_buffer_size(*buffer) == bytes) return tact_buffer_write(*buffer, 0, data, bytes);
    tact_buffer_drop(buffer);
    return tact_buffer_create(m->device, bytes, data, buffer);
}

static tact_result update_mesh(tact_gpu_mesh* m, const tact_overlap_mesh* mesh, uint64_t version)
{
    const tact_triangle_tree* tree = &mesh->tree;
    if (!m->there || m->version != version) {
        write_or_make(m, &m->nodes, tree->nodes, tree->node_count * sizeof *tree->nodes);
        write_or_make(m, &m->triangles, tree->triangles, tree->triangle_count * sizeof *tree->triangles);
        m->there = tact_device_result(m->device) == TACT_OK;
        m->version = version;
    }
    if (!m->there) drop_mesh(m);
    return TACT_DEVICE_WITHIN(m->device, "uploading a mesh of %zu triangles: ", tree->triangle_count);
}

// ---- Arithmetic ----

/// The vertices must be moved to where the definition moves them, but where numbers below 2^-126 come in: those the
/// kernels see to.
static tact_result check_arithmetic(const tact_gpu_overlap_run* r)
{
    if (tact_probe_plain_exact(&tact_device_describe(r->device)->probe)) return TACT_OK;
    return TACT_DEVICE_FAIL(r->device, TACT_ERROR_UNSUPPORTED,
                            "the device does not add or multiply as the definition does");
}

// ---- Room ----

/// Enough for the usual query to be one piece; a power of two, so that it seldom changes.
static uint32_t choose_capacity(const tact_gpu_overlap_run* r, uint32_t poses)
{
    const tact_gpu_overlap_job* j = r->job;
    uint64_t capacity = tact_gpu_overlap_least();
    if (j->capacity > capacity) capacity = j->capacity;
    if (j->capacity == 0) {
        const uint64_t triangles = j->query->a->tree.triangle_count + (uint64_t)j->query->b->tree.triangle_count;
        const uint64_t wanted = 16 * triangles + 1024 * (uint64_t)poses;
        while (capacity < wanted && capacity < MOST_ITEMS)
            capacity *= 2;
        if (capacity > MOST_ITEMS) capacity = MOST_ITEMS;
    }
    const uint64_t most = tact_device_describe(r->device)->max_buffer_bytes / 32;
    if (most > 0 && capacity > most) capacity = most;
    return (uint32_t)capacity;
}

static tact_result make_lists(tact_gpu_overlap_run* r, uint32_t capacity)
{
    tact_gpu_overlap_lists* s = r->lists;
    if (s->capacity == capacity || (s->capacity > capacity && r->job->capacity == 0)) return TACT_OK;
    drop_lists(s);
    tact_buffer_create(r->device, (size_t)capacity * 32, NULL, &s->items);
    tact_buffer_create(r->device, (size_t)capacity * 16, NULL, &s->leaves);
    if (tact_buffer_create(r->device, (size_t)capacity * 12, NULL, &s->found) == TACT_OK) {
        s->capacity = capacity;
    } else {
        drop_lists(s);
    }
    return TACT_DEVICE_WITHIN(r->device, "room for %u pairs of places: ", (unsigned)capacity);
}

static tact_result make_poses(tact_gpu_overlap_run* r, uint32_t poses)
{
    tact_gpu_overlap_lists* s = r->lists;
    if (s->pose_capacity >= poses) return TACT_OK;
    drop_poses(s);
    tact_buffer_create(r->device, (size_t)poses * 48, NULL, &s->poses);
    if (tact_buffer_create(r->device, ((size_t)poses + TACT_OVERLAP_DONE) * 4, NULL, &s->state) == TACT_OK) {
        s->pose_capacity = poses;
    } else {
        drop_poses(s);
    }
    return TACT_DEVICE_WITHIN(r->device, "room for %u poses: ", (unsigned)poses);
}

static tact_result make_room(tact_gpu_overlap_run* r, uint32_t poses)
{
    const uint32_t capacity = choose_capacity(r, poses);
    if (make_lists(r, capacity) != TACT_OK || make_poses(r, poses) != TACT_OK) return tact_device_result(r->device);
    r->findings = tact_allocate(r->env, r->lists->capacity, sizeof *r->findings);
    r->verdicts = tact_allocate(r->env, r->lists->capacity, 1);
    r->state = tact_allocate(r->env, (size_t)poses + TACT_OVERLAP_DONE, sizeof *r->state);
    if (r->state && (r->mode & TACT_OVERLAP_FIRST)) r->done = r->state + TACT_OVERLAP_DONE;
    return r->findings && r->verdicts && r->state ? TACT_OK : tact_device_fail(r->device, TACT_ERROR_OUT_OF_MEMORY);
}

static void leave_room(tact_gpu_overlap_run* r)
{
    tact_release(r->env, r->findings);
    tact_release(r->env, r->verdicts);
    tact_release(r->env, r->state);
}

// ---- Queries ----

static void run_batch(tact_gpu_overlap_run* r)
{
    const double start = tact_device_milliseconds(r->device);
    tact_buffer_write(r->lists->poses, 0, r->job->query->poses + r->first_pose, (size_t)r->pose_count * 48);
    const double brought = tact_device_milliseconds(r->device);
    r->report->upload_ms += brought - start;
    tact_gpu_overlap_walk(r);
    r->report->query_ms += tact_device_milliseconds(r->device) - brought;
    for (uint32_t p = 0; r->done && p < r->pose_count; ++p)
        r->job->overlaps[r->first_pose + p] = r->done[p] != 0;
}

static tact_result run_batches(tact_gpu_overlap_run* r)
{
    const size_t count = r->job->query->pose_count;
    // A quarter of the room for the roots, as many poses as one piece may have.
    const size_t fits = choose_capacity(r, (uint32_t)(count < POSES ? count : POSES)) / 4;
    size_t batch = count < POSES ? count : POSES;
    if (batch > fits) batch = fits;
    make_room(r, (uint32_t)batch);
    for (size_t first = 0; first < count && tact_device_result(r->device) == TACT_OK; first += batch) {
        r->first_pose = first;
        r->pose_count = (uint32_t)(count - first < batch ? count - first : batch);
        run_batch(r);
    }
    const bool listed = !r->done;
    leave_room(r);
    if (tact_device_result(r->device) != TACT_OK || !listed) return tact_device_result(r->device);
    const double start = tact_device_milliseconds(r->device);
    const tact_result result = tact_gpu_overlap_sort(r->env, r->job->query->threads, r->job->list);
    r->report->query_ms += tact_device_milliseconds(r->device) - start;
    return result;
}

static tact_result prepare(tact_gpu_overlap_run* r)
{
    const double start = tact_device_milliseconds(r->device);
    tact_device_prepare(r->device, TACT_KERNEL_overlap_plan);
    tact_device_prepare(r->device, TACT_KERNEL_overlap_expand);
    tact_device_prepare(r->device, TACT_KERNEL_overlap_leaves);
    const double built = tact_device_milliseconds(r->device);
    r->report->build_ms = built - start;
    const tact_gpu_overlap_job* j = r->job;
    if (tact_device_result(r->device) != TACT_OK) return tact_device_result(r->device);
    tact_result result = update_mesh(r->a, j->query->a, j->version_a);
    if (r->b != r->a && result == TACT_OK) result = update_mesh(r->b, j->query->b, j->version_b);
    if (result == TACT_OK) check_arithmetic(r);
    r->report->upload_ms = tact_device_milliseconds(r->device) - built;
    return tact_device_result(r->device);
}

tact_result tact_gpu_overlap(tact_device* device, tact_gpu_overlap_job* job, tact_query_report* report)
{
    const tact_overlap_job* q = job->query;
    if (job->overlaps) {
        memset(job->overlaps, 0, q->pose_count);
    } else {
        job->list->count = 0;
    }
    job->leaf_pairs = job->unsure = job->launches = 0;
    tact_result result = make_resident(device, job->resident_a);
    if (result == TACT_OK) result = make_resident(device, job->resident_b);
    if (result != TACT_OK) return result;
    if (q->pose_count == 0 || q->a->tree.triangle_count == 0 || q->b->tree.triangle_count == 0) return TACT_OK;
    tact_gpu_overlap_run run = {.device = device,
                                .env = tact_device_env(device),
                                .job = job,
                                .a = *job->resident_a,
                                .b = *job->resident_b,
                                .lists = &(*job->resident_a)->scratch,
                                .mode = (q->self ? TACT_OVERLAP_SELF : 0) | (job->overlaps ? TACT_OVERLAP_FIRST : 0),
                                .report = report};
    result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    result = prepare(&run);
    if (result == TACT_OK) result = run_batches(&run);
    report->memory_bytes = bytes_of(run.a) + (run.b != run.a ? bytes_of(run.b) : 0);
    tact_device_leave(device);
    return result;
}
