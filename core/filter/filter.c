// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/filter/filter.h"

#include "base/platform.h"
#include "core/context/callers_array.h"
#include "core/mesh/desc.h"
#include "core/pairs/pairs.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#include "cpu_ref/filter/engine.h"

// Below this many objects the CPU finds the candidates for a device too: sooner than the device's launches are done.
enum { MANY_OBJECTS = 4096 };

const char* tact_filter_stage_name(tact_filter_stage stage)
{
    static const char* const names[TACT_FILTER_STAGES] = {"scene", "boxes", "objects", "parts", "triangles", "exact"};
    return (unsigned)stage < TACT_FILTER_STAGES ? names[stage] : "?";
}

tact_result tact_filter_create(tact_context* context, tact_filter** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "filter");
    *out = NULL;
    tact_filter* f = tact_allocate_zeroed(&context->env, 1, sizeof *f);
    if (!f) return TACT_ERROR_OUT_OF_MEMORY;
    f->context = context;
    const tact_result result = tact_volumes_create(context, NULL, &f->set);
    if (result != TACT_OK) {
        tact_release(&context->env, f);
        return result;
    }
    ++context->objects;
    *out = f;
    return TACT_OK;
}

void tact_filter_destroy(tact_filter* f)
{
    if (!f) return;
    tact_env* env = &f->context->env;
    tact_residents_release(f->kept, TACT_MAX_DEVICES);
    tact_volumes_destroy(f->set);
    tact_release(env, f->shapes);
    tact_release(env, f->shape_boxes);
    tact_release(env, f->boxes);
    tact_release(env, f->read);
    --f->context->objects;
    tact_release(env, f);
}

/// One call.
typedef struct filter_arguments {
    tact_filter* filter;
    const tact_filter_object* objects;
    size_t shape_count, object_count;
    uint64_t triangles;  ///< of all objects
    tact_filter_options options;
    bool counted;  ///< somebody wants the counts
    tact_filter_list list;
    tact_filter_count counts[TACT_FILTER_STAGES];
    bool loose;  ///< the answer may lack pairs, as asked
} filter_arguments;

// ---- Before the engines ----

/// Whether an engine of this backend reads the shape's vertices where they are.
static bool stays(const tact_mesh_desc* s, tact_backend backend)
{
    return s->device_positions && s->device_positions->backend == backend;
}

/// Brings vertices to the host that lie elsewhere than where the backend works. Those of an earlier run of this call,
/// by a backend that failed, are still there.
static tact_result fetch_vertices(filter_arguments* a, tact_backend backend)
{
    tact_filter* f = a->filter;
    tact_env* env = &f->context->env;
    size_t bytes = 0;
    for (size_t i = 0; i < a->shape_count; ++i) {
        const tact_mesh_desc* s = &f->shapes[i];
        if (s->device_positions && !tact_add_sizes(bytes, tact_mesh_desc_bytes(s), &bytes)) {
            return tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "vertices of all shapes together");
        }
    }
    // All at once, so that the array never moves.
    void* read = f->read;
    if (!tact_reserve(env, &read, &f->read_capacity, f->read_capacity, bytes, 1)) return TACT_ERROR_OUT_OF_MEMORY;
    f->read = read;
    tact_result result = TACT_OK;
    size_t at = 0;
    for (size_t i = 0; i < a->shape_count && result == TACT_OK; ++i) {
        tact_mesh_desc* s = &f->shapes[i];
        const size_t size = tact_mesh_desc_bytes(s);
        if (!s->device_positions) continue;
        if (!stays(s, backend) && !s->positions && size > 0) {
            result = tact_callers_array_read(f->context, s->device_positions, f->read + at, size);
            s->positions = (const float*)(const void*)(f->read + at);
        }
        at += size;
    }
    return result;
}

static tact_filter_job job_of(const filter_arguments* a, const tact_query_options* options)
{
    return (tact_filter_job){.shapes = a->filter->shapes,
                             .shape_count = a->shape_count,
                             .objects = a->objects,
                             .object_count = a->object_count,
                             .boxes = a->filter->boxes,
                             .options = a->options,
                             .threads = options->threads,
                             .progress = options->progress,
                             .progress_user = options->progress_user};
}

/// Puts the boxes of all objects into the set.
static tact_result fill_set(filter_arguments* a)
{
    tact_volumes* set = a->filter->set;
    if (tact_volumes_id_end(set) == a->object_count) {
        return tact_volumes_move_aabbs(set, NULL, a->filter->boxes, a->object_count);
    }
    tact_volumes_clear(set);
    return tact_volumes_add_aabbs(set, a->filter->boxes, a->object_count, NULL, NULL, NULL);
}

/// Counts the objects that are in some candidate pair.
static tact_result count_boxes(filter_arguments* a, const tact_filter_job* job)
{
    tact_env* env = &a->filter->context->env;
    bool* taking = tact_allocate_zeroed(env, job->object_count, sizeof *taking);
    if (!taking) return TACT_ERROR_OUT_OF_MEMORY;
    tact_filter_count* count = &a->counts[TACT_FILTER_BOXES];
    for (size_t i = 0; i < job->candidate_count; ++i)
        taking[job->candidates[i].a] = taking[job->candidates[i].b] = true;
    for (size_t i = 0; i < job->object_count; ++i) {
        if (!taking[i]) continue;
        ++count->objects;
        count->triangles += job->shapes[job->objects[i].shape].triangle_count;
    }
    tact_release(env, taking);
    return TACT_OK;
}

static tact_result find_candidates(filter_arguments* a, tact_backend backend, const tact_query_options* options,
                                   tact_filter_job* job)
{
    const bool here = backend == TACT_BACKEND_REFERENCE || a->object_count >= MANY_OBJECTS;
    const tact_query_options how = {
        .backend = here ? backend : TACT_BACKEND_CPU, .threads = options->threads, .no_fallback = true};
    tact_result result = fill_set(a);
    if (result == TACT_OK) result = tact_pairs_run(a->filter->set, NULL, TACT_PAIRS_AUTO, NULL, &how, NULL);
    if (result < TACT_OK) return result;
    job->candidates = tact_pairs_last(a->filter->set, &job->candidate_count);
    return a->counted ? count_boxes(a, job) : TACT_OK;
}

static tact_result make_boxes(filter_arguments* a, tact_filter_job* job, bool shape_boxes)
{
    tact_filter* f = a->filter;
    tact_env* env = &f->context->env;
    void* boxes = f->boxes;
    if (!tact_reserve(env, &boxes, &f->box_capacity, 0, a->object_count, sizeof *f->boxes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    job->boxes = f->boxes = boxes;
    return tact_filter_boxes(env, job, shape_boxes ? f->shape_boxes : NULL, f->boxes);
}

/// Everything that comes before an engine.
static tact_result prepare(filter_arguments* a, tact_backend backend, bool shape_boxes,
                           const tact_query_options* options, tact_filter_job* job, tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    a->loose = false;
    a->list.count = 0;
    a->list.working_bytes = 0;
    memset(a->counts, 0, sizeof a->counts);
    tact_result result = fetch_vertices(a, backend);
    *job = job_of(a, options);
    const double fetched = tact_platform_milliseconds();
    if (result == TACT_OK) result = make_boxes(a, job, shape_boxes);
    if (result == TACT_OK) result = find_candidates(a, backend, options, job);
    const double found = tact_platform_milliseconds();
    report->upload_ms = fetched - start;
    report->build_ms = found - fetched;
    a->counts[TACT_FILTER_SCENE] = (tact_filter_count){.ran = true, .objects = a->object_count, .ms = fetched - start};
    a->counts[TACT_FILTER_SCENE].triangles = a->triangles;
    a->counts[TACT_FILTER_BOXES].ran = true;
    a->counts[TACT_FILTER_BOXES].ms = found - fetched;
    return result;
}

// ---- After them ----

/// Objects and triangles that are in some pair: of the first ones of their objects, a bit for each triangle.
static tact_result count_exact(filter_arguments* a)
{
    tact_env* env = &a->filter->context->env;
    tact_filter_count* count = &a->counts[TACT_FILTER_EXACT];
    count->ran = true;
    count->objects = count->triangles = 0;
    if (!a->counted || a->list.count == 0) return TACT_OK;
    size_t* first = tact_allocate(env, a->object_count, sizeof *first);
    uint8_t* touched = tact_allocate_zeroed(env, a->object_count, 1);
    uint8_t* bits = tact_allocate_zeroed(env, (size_t)(a->triangles / 8 + 1), 1);
    const bool enough = first && touched && bits;
    size_t sum = 0;
    for (size_t i = 0; i < a->object_count && enough; ++i) {
        first[i] = sum;
        sum += a->filter->shapes[a->objects[i].shape].triangle_count;
    }
    for (size_t i = 0; i < a->list.count && enough; ++i) {
        const tact_filter_pair* p = &a->list.pairs[i];
        const uint32_t objects[2] = {p->object_a, p->object_b}, triangles[2] = {p->triangle_a, p->triangle_b};
        for (int k = 0; k < 2; ++k) {
            const size_t at = first[objects[k]] + triangles[k];
            const uint8_t bit = (uint8_t)(1u << at % 8);
            count->objects += !touched[objects[k]];
            count->triangles += !(bits[at / 8] & bit);
            touched[objects[k]] = 1;
            bits[at / 8] |= bit;
        }
    }
    tact_release(env, first);
    tact_release(env, touched);
    tact_release(env, bits);
    return enough ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Vertices brought here, boxes, the engine's working memory, and the pairs. Not what finds candidates, which is the
/// volume set's, and not what the reference moves.
static uint64_t memory_of(const filter_arguments* a)
{
    const tact_filter* f = a->filter;
    return a->list.working_bytes + f->read_capacity + f->box_capacity * sizeof *f->boxes +
           a->list.capacity * sizeof *a->list.pairs;
}

// ---- Backends ----

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    filter_arguments* a = arguments;
    tact_env* env = &context->env;
    tact_filter_job job;
    (void)device;
    const tact_backend backend = report->backend;
    report->threads = backend == TACT_BACKEND_REFERENCE ? 1 : options->threads;
    tact_result result = prepare(a, backend, false, options, &job, report);
    const double start = tact_platform_milliseconds();
    if (result == TACT_OK) {
        result = backend == TACT_BACKEND_REFERENCE ? tact_filter_reference(env, &job, &a->list)
                                                   : tact_filter_cpu(env, &job, &a->list);
    }
    report->query_ms = tact_platform_milliseconds() - start;
    report->memory_bytes = memory_of(a);
    a->counts[TACT_FILTER_EXACT].ms = report->query_ms;
    return result == TACT_OK ? count_exact(a) : result;
}

/// Bytes of vertices that lie on a device of the caller's, and not where `backend` works: they are read from there.
static double elsewhere(const filter_arguments* a, tact_backend backend)
{
    double bytes = 0.0;
    for (size_t i = 0; i < a->shape_count; ++i) {
        const tact_mesh_desc* s = &a->filter->shapes[i];
        if (s->device_positions && !stays(s, backend)) bytes += (double)tact_mesh_desc_bytes(s);
    }
    return bytes;
}

// The ways on devices; the CPU has the first one alone.
#define PLAIN "plain"
#define IMAGES "images"

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const filter_arguments* a = arguments;
    (void)index;
    const double work = (double)a->triangles * 4e-5 + (double)a->object_count * 2e-3;
    return tact_cost_of(PLAIN, 0.02, work / tact_dispatch_threads(device), 0.0, elsewhere(a, TACT_BACKEND_CPU));
}

#ifdef TACT_HAVE_GPU

/// Boxes around the shapes whose vertices lie on the device.
static tact_result find_shape_boxes(filter_arguments* a, tact_backend backend, tact_gpu_filter* on_device)
{
    tact_filter* f = a->filter;
    void* boxes = f->shape_boxes;
    if (!tact_reserve(&f->context->env, &boxes, &f->shape_box_capacity, 0, a->shape_count, sizeof *f->shape_boxes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    f->shape_boxes = boxes;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < a->shape_count && result == TACT_OK; ++i) {
        f->shape_boxes[i] = (tact_aabb){{1, 1, 1}, {0, 0, 0}};
        if (stays(&f->shapes[i], backend) && f->shapes[i].vertex_count > 0) {
            result = tact_gpu_filter_shape_box(on_device, &f->shapes[i], &f->shape_boxes[i]);
        }
    }
    return result;
}

static void release_on_device(void* kept)
{
    tact_gpu_filter_destroy(kept);
}

static tact_result run_on(tact_context* context, uint32_t index, filter_arguments* a, bool images,
                          const tact_query_options* options, tact_query_report* report)
{
    const tact_backend backend = tact_context_describe(context, index)->backend;
    tact_gpu_filter* on_device = a->filter->kept[index].data;
    tact_result result = on_device ? TACT_OK : tact_gpu_filter_create(context->devices[index], &on_device);
    tact_resident_keep(&a->filter->kept[index], on_device, release_on_device);
    if (result == TACT_OK) result = find_shape_boxes(a, backend, on_device);
    if (result != TACT_OK) return result;
    tact_filter_job job;
    tact_query_report before = {0};
    result = prepare(a, backend, true, options, &job, &before);
    if (!images) job.options.images = TACT_FILTER_IMAGES_NEVER;
    if (result == TACT_OK) result = tact_gpu_filter_run(on_device, &job, &a->list, a->counts, report);
    report->upload_ms += before.upload_ms;
    report->build_ms += before.build_ms;
    a->loose = a->options.fast;
    return result == TACT_OK ? count_exact(a) : result;
}

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    return run_on(context, index, arguments, false, options, report);
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const filter_arguments* a = arguments;
    (void)index;
    const double n = (double)a->triangles;
    // What lies on the host is part of the work; what lies on another device comes by way of the host.
    const double down = elsewhere(a, device->backend);
    tact_cost cost = device->software ? tact_cost_of(PLAIN, 5.0, n * 5e-4, down, down)
                                      : tact_cost_of(PLAIN, 1.5, n * 2e-6, down, down);
    cost.never = a->options.fast || a->options.images == TACT_FILTER_IMAGES_ALWAYS;
    return cost;
}

/// The same with images, which leave less to be tested exactly.
static tact_result run_images(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    return run_on(context, index, arguments, true, options, report);
}

static tact_cost cost_images(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const filter_arguments* a = arguments;
    (void)index;
    const double n = (double)a->triangles, down = elsewhere(a, device->backend);
    tact_cost cost = device->software ? tact_cost_of(IMAGES, 10.0, n * 1.5e-3, down, down)
                                      : tact_cost_of(IMAGES, 3.0, n * 5e-6, down, down);
    cost.never = a->options.images == TACT_FILTER_IMAGES_NEVER;
    return cost;
}

#endif

// ---- Shadow checking ----

/// With `loose` every pair must be one of the reference's, which may have more.
static tact_result compare(tact_env* env, const tact_filter_list* got, const tact_filter_list* expected, bool loose)
{
    size_t at = 0, same = 0;
    while (same < got->count && at < expected->count) {
        if (memcmp(&got->pairs[same], &expected->pairs[at], sizeof *got->pairs) == 0)
            ++same;
        else if (!loose)
            break;
        ++at;
    }
    if (same == got->count && (loose || at == expected->count)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                     "%zu pairs, %zu by the reference; the first difference is pair %zu", got->count, expected->count,
                     same);
}

static tact_result compare_pairs(tact_context* context, void* arguments, const tact_query_options* options)
{
    filter_arguments* a = arguments;
    tact_filter_list expected = {0};
    tact_result result = fetch_vertices(a, TACT_BACKEND_REFERENCE);
    const tact_filter_job job = job_of(a, options);
    if (result == TACT_OK) result = tact_filter_reference(&context->env, &job, &expected);
    if (result == TACT_OK) result = compare(&context->env, &a->list, &expected, a->loose);
    tact_filter_list_free(&context->env, &expected);
    return result;
}

static const tact_query_backend backends[] = {
#ifdef TACT_HAVE_GPU
    {TACT_BACKEND_GL, run_images, cost_images},
    {TACT_BACKEND_CL, run_images, cost_images},
#endif
    TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const filter_arguments* a = arguments;
    tact_record_answer(record, a->list.pairs, a->list.count * sizeof *a->list.pairs);
}

static void release_filter(void* filter)
{
    tact_filter_destroy(filter);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_filter* filter = r->objects[0];
    if (!filter) {
        const tact_result made = tact_filter_create(r->context, &filter);
        if (made != TACT_OK) return tact_request_fail(r, made);
        r->objects[0] = filter;
        tact_request_own(r, filter, release_filter);
    }
    const tact_filter_options how = {
        .images = (tact_filter_images)r->parameters[0], .fast = r->parameters[1] != 0, .cells_log2 = r->parameters[2]};
    tact_filter_pair* pairs = tact_request_list(r, 0, r->most, sizeof *pairs);
    if (!pairs) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_filter_meshes(filter,
                              &(tact_filter_work){.shapes = r->given[0].data,
                                                  .shape_count = r->given[0].count,
                                                  .objects = r->given[1].data,
                                                  .object_count = r->given[1].count,
                                                  .options = &how,
                                                  .pairs = pairs,
                                                  .capacity = r->most,
                                                  .count = &r->count},
                              options, report);
}

enum { IN_IMAGES = 1 };

static tact_result sample(tact_sample* s)
{
    tact_request* r = &s->request;
    tact_filter_object* objects = tact_sample_rows(s, 1, sizeof *objects);
    if (!objects) return TACT_ERROR_OUT_OF_MEMORY;
    const float half = tact_sample_cube_root((float)s->size) * 1.1f;
    for (size_t i = 0; i < s->size; ++i)
        tact_sample_pose(s, half, objects[i].pose);
    const tact_result result = tact_sample_mesh(s, 16);
    r->given[0] = (tact_given){&r->surfaces[0], 1};
    if (s->of->variant & IN_IMAGES) r->parameters[0] = TACT_FILTER_IMAGES_ALWAYS;
    return result;
}

static const tact_query_sample samples[] = {{PLAIN, "objects", 4, 1 << 11, 0, false},
                                            {IMAGES, "objects", 4, 1 << 9, IN_IMAGES, false}};

const tact_query tact_query_filter = {
    .name = "filtering objects",
    TACT_BACKENDS(backends),
    .compare = compare_pairs,
    .kind = TACT_RECORDED_FILTER,
    .word = "filter",
    .unit = "objects",
    .inputs = {{.type = TACT_CHUNK_SHAPES}, {TACT_CHUNK_ARRAY, false, "objects", 13, TACT_RECORDED_MIXED}},
    .answer = answer,
    .ask = ask,
    TACT_SAMPLES(sample, samples),
};

// ---- The call ----

tact_result tact_filter_meshes(tact_filter* f, const tact_filter_work* work, const tact_query_options* options,
                               tact_query_report* report)
{
    if (!tact_enter_query(f ? f->context : NULL, "filter", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &f->context->env;
    if (!work) return tact_null(env, "work");
    filter_arguments a = {.filter = f,
                          .objects = work->objects,
                          .shape_count = work->shape_count,
                          .object_count = work->object_count,
                          .counted = work->stages != NULL};
    if (work->options) a.options = *work->options;
    if (!work->count || (work->capacity > 0 && !work->pairs)) return tact_null(env, work->count ? "pairs" : "count");
    *work->count = 0;
    tact_result result =
        tact_filter_check(f, work->shapes, work->shape_count, work->objects, work->object_count, &a.options);
    if (result != TACT_OK) return result;
    for (size_t i = 0; i < a.object_count; ++i)
        a.triangles += f->shapes[a.objects[i].shape].triangle_count;
    const tact_call call = {.context = f->context,
                            .query = &tact_query_filter,
                            .arguments = &a,
                            .count = a.object_count,
                            .given = {{f->shapes, a.shape_count}, {a.objects, a.object_count}},
                            .parameters = {(uint32_t)a.options.images, a.options.fast, a.options.cells_log2},
                            .missing = a.options.fast ? "the result of a fast run is not defined" : NULL};
    result = tact_ask(&call, options, report);
    if (result >= TACT_OK) {
        *work->count = a.list.count;
        result = tact_copy_out(a.list.pairs, a.list.count, sizeof *a.list.pairs, work->pairs, work->capacity);
        if (work->stages) memcpy(work->stages, a.counts, sizeof a.counts);
    }
    tact_filter_list_free(env, &a.list);
    return tact_ticket_settle(f->context, options, result, NULL);
}
