// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/cull/cull.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#include "tact/geometry/bounding_sphere.h"
#ifdef TACT_HAVE_GPU
#include "gpu/cull/cull.h"
#endif

typedef struct cull_arguments {
    tact_culler* culler;
    const tact_cull_work* work;
    uint8_t* classes;  ///< the caller's, or NULL
    double prepare_ms;
} cull_arguments;

static size_t size_of(tact_cull_kind kind)
{
    switch (kind) {
        case TACT_CULL_SPHERES:
            return sizeof(tact_sphere);
        case TACT_CULL_OBBS:
            return sizeof(tact_obb);
        case TACT_CULL_KDOPS:
            return sizeof(tact_kdop);
        default:
            return sizeof(tact_aabb);
    }
}

tact_result tact_culler_create(tact_context* context, tact_culler** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "culler");
    *out = tact_allocate_zeroed(&context->env, 1, sizeof **out);
    if (!*out) return TACT_ERROR_OUT_OF_MEMORY;
    (*out)->context = context;
    ++context->objects;
    return TACT_OK;
}

void tact_culler_destroy(tact_culler* culler)
{
    if (!culler) return;
    tact_env* env = &culler->context->env;
    tact_residents_release(culler->resident, TACT_MAX_DEVICES);
    tact_cull_tree_release(env, &culler->tree);
    tact_release(env, culler->classes);
    tact_release(env, culler->counts);
    tact_release(env, culler->ids);
    --culler->context->objects;
    tact_release(env, culler);
}

static tact_cull_job job_of(const cull_arguments* a, const tact_query_options* options, uint8_t* classes)
{
    tact_culler* c = a->culler;
    return (tact_cull_job){.work = a->work,
                           .table = a->work->plane_count ? &c->table : NULL,
                           .tree = a->work->boxes ? &c->tree : NULL,
                           .classify = a->classes != NULL,
                           .classes = classes,
                           .threads = options->threads,
                           .progress = options->progress,
                           .progress_user = options->progress_user};
}

static uint64_t memory_of(const tact_culler* c)
{
    return c->class_capacity + c->count_capacity * sizeof *c->counts + c->id_capacity * sizeof *c->ids +
           c->tree.node_capacity * sizeof *c->tree.nodes + c->tree.group_capacity * sizeof *c->tree.groups +
           c->tree.slab_capacity * sizeof *c->tree.slabs;
}

/// The ids from the classes.
static tact_result collect(const cull_arguments* a, const tact_query_options* options)
{
    tact_culler* c = a->culler;
    tact_env* env = &c->context->env;
    const size_t count = a->work->count;
    void* counts = c->counts;
    if (!tact_reserve(env, &counts, &c->count_capacity, 0, count / TACT_CULL_PIECE + 1, sizeof *c->counts)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    c->counts = counts;
    const size_t kept = tact_cull_collect(c->classes, count, options->threads, c->counts);
    void* ids = c->ids;
    if (!tact_reserve(env, &ids, &c->id_capacity, 0, kept, sizeof *c->ids)) return TACT_ERROR_OUT_OF_MEMORY;
    c->ids = ids;
    tact_cull_write_ids(c->classes, count, options->threads, c->counts, c->ids);
    c->kept = kept;
    return TACT_OK;
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const cull_arguments* a = arguments;
    (void)device;
    const tact_cull_job job = job_of(a, options, a->culler->classes);
    tact_result result = report->backend == TACT_BACKEND_REFERENCE ? tact_cull_reference(&context->env, &job)
                                                                   : tact_cull_cpu(&context->env, &job);
    if (result == TACT_OK) result = collect(a, options);
    report->build_ms = a->prepare_ms;
    report->threads = options->threads;
    report->memory_bytes = memory_of(a->culler) + (uint64_t)a->work->count * size_of(a->work->kind);
    return result;
}

/// Expected tests, in millions: of planes, and of nodes of the tree.
static double work_of(const tact_cull_work* w)
{
    static const double dearer[TACT_CULL_KIND_COUNT] = {1.0, 1.0, 3.0, 12.0};
    const double boxes = w->boxes ? 10.0 + 20.0 * log2((double)w->box_count + 1.0) : 0.0;
    return (double)w->count * ((2.0 + (double)w->plane_count) * dearer[w->kind] + boxes) * 1e-6;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const cull_arguments* a = arguments;
    (void)index;
    return tact_cost_of(NULL, 0.01, work_of(a->work) / tact_dispatch_threads(device), 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    const cull_arguments* a = arguments;
    tact_culler* c = a->culler;
    const tact_cull_job job = job_of(a, options, c->classes);
    tact_gpu_culler* resident = c->resident[index].data;
    tact_gpu_cull_answer answer = {&c->ids, &c->id_capacity, 0, size_of(a->work->kind), 0};
    const tact_result result = tact_gpu_cull(context->devices[index], &resident, &job, &answer, report);
    tact_resident_keep(&c->resident[index], resident, tact_gpu_culler_release);
    c->kept = answer.kept;
    report->build_ms += a->prepare_ms;
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const cull_arguments* a = arguments;
    (void)index;
    // A GPU's work costs nothing beside moving the volumes in.
    const double up = (double)a->work->count * (double)size_of(a->work->kind), down = (double)a->work->count * 4.0;
    const double work = work_of(a->work);
    if (device->software) return tact_cost_of(NULL, 2.0, work * 4.0, up * 2.0, down * 2.0);
    return tact_cost_of(NULL, 0.15, work * 0.01, up, down);
}

#endif

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const cull_arguments* a = arguments;
    tact_env* env = &context->env;
    const tact_culler* c = a->culler;
    const size_t count = a->work->count;
    uint8_t* expected = tact_allocate(env, count, 1);
    if (!expected) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_cull_job job = job_of(a, options, expected);
    tact_result result = tact_cull_reference(env, &job);
    size_t differing = 0, first = 0, next = 0;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const bool kept = next < c->kept && c->ids[next] == i;
        next += kept;
        bool equal = kept == (expected[i] != TACT_CULL_OUTSIDE);
        if (a->classes) equal = equal && c->classes[i] == expected[i];
        if (!equal && differing++ == 0) first = i;
    }
    if (differing || (result == TACT_OK && next != c->kept)) {
        result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                           "%zu of %zu volumes are not classed as by the reference; first %zu, there %d", differing,
                           count, first, differing ? (int)expected[first] : -1);
    }
    tact_release(env, expected);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const cull_arguments* a = arguments;
    const tact_culler* c = a->culler;
    tact_record_answer(record, c->ids, c->kept * sizeof *c->ids);
    if (a->classes) tact_record_answer(record, c->classes, a->work->count);
}

static void adapt(const uint32_t* parameters, tact_query_input* inputs)
{
    const uint32_t kind = parameters[0];
    inputs[0].row_words = kind < TACT_CULL_KIND_COUNT ? (uint32_t)(size_of((tact_cull_kind)kind) / 4) : 0;
    if (kind == TACT_CULL_KDOPS) inputs[0].data_type = TACT_RECORDED_MIXED;
}

static void release_culler(void* culler)
{
    tact_culler_destroy(culler);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    const size_t count = r->given[0].count;
    tact_culler* culler = r->objects[0];
    if (!culler) {
        const tact_result made = tact_culler_create(r->context, &culler);
        if (made != TACT_OK) return tact_request_fail(r, made);
        r->objects[0] = culler;
        tact_request_own(r, culler, release_culler);
    }
    uint32_t* ids = tact_request_list(r, 0, count, sizeof *ids);
    uint8_t* classes = tact_request_room(r, 1, r->parameters[1] ? count : 0, 1);
    if (!ids || !classes) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    const tact_cull_work work = {.kind = (tact_cull_kind)r->parameters[0],
                                 .volumes = r->given[0].data,
                                 .count = count,
                                 .planes = r->given[1].data,
                                 .plane_count = (uint32_t)r->given[1].count,
                                 .boxes = r->given[2].data,
                                 .box_count = r->given[2].count};
    return tact_cull_volumes(
        culler, &work,
        &(tact_cull_room){
            .ids = ids, .capacity = count, .count = &r->count, .classes = r->parameters[1] ? classes : NULL},
        options, report);
}

/// A variant is 0, or a kind of volumes and these.
enum { KINDS = 7, A_FEATURE = 8, WITH_CLASSES = 16 };

const char* tact_cull_check_request(const tact_request* r)
{
    return r->given[1].count > TACT_CULL_PLANES_MAX ? "too many planes" : NULL;
}

/// Volumes of any kind about those boxes, some of which three planes and some boxes leave.
static tact_result sample_kind(tact_sample* s, const tact_aabb* boxes)
{
    static const tact_plane planes[3] = {{{1, 0, 0}, 0.5f}, {{0, -1, 0.2f}, 0.4f}, {{0, 0, 1}, 0.8f}};
    tact_request* r = &s->request;
    const tact_cull_kind kind = (tact_cull_kind)(s->of->variant & KINDS);
    tact_kdop* volumes = kind == TACT_CULL_AABBS ? NULL : tact_request_array(r, s->size, sizeof *volumes);
    if (kind != TACT_CULL_AABBS && !volumes) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size && volumes; ++i) {
        const tact_sphere ball = tact_sphere_from_aabb(boxes[i]);
        if (kind == TACT_CULL_SPHERES) ((tact_sphere*)volumes)[i] = ball;
        if (kind == TACT_CULL_OBBS) {
            const tact_obb box = {ball.center, {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {0.3f, 0.1f, 0.2f}};
            ((tact_obb*)volumes)[i] = box;
        }
        if (kind == TACT_CULL_KDOPS) volumes[i] = tact_kdop_from_sphere(i % 2 ? 14 : 26, ball);
    }
    r->parameters[0] = kind;
    r->parameters[1] = (s->of->variant & WITH_CLASSES) != 0;
    r->given[0] = (tact_given){volumes ? (const void*)volumes : boxes, s->size};
    r->given[1] = (tact_given){planes, 3};
    r->given[2] = (tact_given){boxes + s->size / 8, s->size / 4};
    return TACT_OK;
}

static tact_result sample(tact_sample* s)
{
    tact_aabb* boxes = tact_sample_boxes(s);
    if (!boxes) return TACT_ERROR_OUT_OF_MEMORY;
    if (s->of->variant & A_FEATURE) return sample_kind(s, boxes);
    s->request.parameters[0] = TACT_CULL_AABBS;
    s->request.given[0] = (tact_given){boxes, s->size};
    tact_sample_planes(s);
    return TACT_OK;
}

static const tact_query_sample samples[] = {{NULL, "boxes", 256, 1 << 20, 0, false}};
#define FEATURE(name, bits)                                                            \
    {                                                                                  \
        .items = (name), .smallest = 40, .largest = 400, .variant = A_FEATURE | (bits) \
    }
static const tact_query_sample features[] = {
    FEATURE("boxes by planes", TACT_CULL_AABBS),
    FEATURE("classes of boxes", TACT_CULL_AABBS | WITH_CLASSES),
    FEATURE("classes of spheres", TACT_CULL_SPHERES | WITH_CLASSES),
    FEATURE("classes of turned boxes", TACT_CULL_OBBS | WITH_CLASSES),
    FEATURE("classes of k-DOPs", TACT_CULL_KDOPS | WITH_CLASSES),
};

const tact_query tact_query_cull = {
    .name = "culling",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_CULL,
    .word = "cull",
    .unit = "volumes",
    .inputs = {{TACT_CHUNK_ARRAY, false, "volumes", 0, TACT_RECORDED_FLOATS},
               {TACT_CHUNK_ARRAY, false, "planes", 4, TACT_RECORDED_FLOATS},
               {TACT_CHUNK_ARRAY, true, "boxes", 6, TACT_RECORDED_FLOATS}},
    .adapt = adapt,
    .answer = answer,
    .ask = ask,
    .check = tact_cull_check_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static tact_result check_work(tact_env* env, const tact_cull_work* w, const tact_cull_room* room)
{
    if ((unsigned)w->kind >= TACT_CULL_KIND_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no kind of volumes %d", (int)w->kind);
    }
    if (w->count > 0 && !w->volumes) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu volumes, but the array is NULL", w->count);
    }
    if (w->plane_count > TACT_CULL_PLANES_MAX || (w->plane_count > 0 && !w->planes)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u planes: at most %d, in an array",
                         (unsigned)w->plane_count, (int)TACT_CULL_PLANES_MAX);
    }
    if (w->box_count > 0 && !w->boxes) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu boxes, but the array is NULL", w->box_count);
    }
    if (room->capacity > 0 && !room->ids) return tact_null(env, "ids");
    // No array of boxes is larger where sizes have 32 bits.
    const size_t most = SIZE_MAX / sizeof(tact_aabb) < TACT_CULL_MAX ? SIZE_MAX / sizeof(tact_aabb) : TACT_CULL_MAX;
    if (w->count > most || w->box_count > most) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu volumes, %zu boxes: at most %zu", w->count, w->box_count, most);
    }
    return TACT_OK;
}

static tact_result prepare(cull_arguments* a)
{
    tact_culler* c = a->culler;
    const tact_cull_work* w = a->work;
    const bool kdops = w->kind == TACT_CULL_KDOPS;
    const double start = tact_platform_milliseconds();
    void* classes = c->classes;
    if (!tact_reserve(&c->context->env, &classes, &c->class_capacity, 0, w->count, 1)) return TACT_ERROR_OUT_OF_MEMORY;
    c->classes = classes;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    if (w->plane_count > 0) tact_cull_table_make(&c->table, w->planes, w->plane_count, kdops);
    tact_result result = TACT_OK;
    if (w->boxes) result = tact_cull_tree_make(&c->context->env, &c->tree, w->boxes, w->box_count, kdops);
    tact_float_env_leave(&float_env);
    a->prepare_ms = tact_platform_milliseconds() - start;
    return result;
}

tact_result tact_cull_volumes(tact_culler* culler, const tact_cull_work* work, const tact_cull_room* room,
                              const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(culler ? culler->context : NULL, "culler", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &culler->context->env;
    if (!work || !room) return tact_null(env, work ? "room" : "work");
    if (!room->count) return tact_null(env, "count");
    *room->count = 0;
    culler->has_answer = false;
    cull_arguments arguments = {culler, work, room->classes, 0.0};
    tact_result result = check_work(env, work, room);
    if (result == TACT_OK) result = prepare(&arguments);
    if (result != TACT_OK) return result;
    const tact_call call = {.context = culler->context,
                            .query = &tact_query_cull,
                            .arguments = &arguments,
                            .count = work->count,
                            .given = {{work->volumes, work->count},
                                      {work->planes, work->plane_count},
                                      {work->boxes, work->boxes ? work->box_count : 0}},
                            .parameters = {(uint32_t)work->kind, room->classes != NULL}};
    result = tact_ask(&call, options, report);
    if (result < TACT_OK) return result;
    culler->has_answer = true;
    *room->count = culler->kept;
    if (room->classes && work->count > 0) memcpy(room->classes, culler->classes, work->count);
    result = tact_copy_out(culler->ids, culler->kept, sizeof *culler->ids, room->ids, room->capacity);
    return tact_ticket_settle(culler->context, options, result, NULL);
}

const uint32_t* tact_cull_last(const tact_culler* culler, size_t* count)
{
    const bool there = culler && culler->has_answer;
    *count = there ? culler->kept : 0;
    return there ? culler->ids : NULL;
}
