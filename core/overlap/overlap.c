// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/mesh_overlap.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "core/mesh/mesh.h"
#include "core/overlap/device.h"
#include "core/overlap/surfaces.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#include "cpu_ref/overlap/overlap.h"

static const float identity[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

typedef enum overlap_kind { RELATIONS, SOLID_RELATIONS, PAIRS } overlap_kind;

/// One call, of any of the three kinds. The answer goes to `relations` or `list`.
typedef struct overlap_arguments {
    tact_mesh *a, *b;
    overlap_kind kind;
    tact_overlap_job job;
    uint8_t* relations;
    tact_overlap_list list;
} overlap_arguments;

static tact_overlap_job job_of(const overlap_arguments* a, const tact_query_options* options)
{
    tact_overlap_job job = a->job;
    job.threads = options->threads;
    job.progress = options->progress;
    job.progress_user = options->progress_user;
    return job;
}

static uint64_t memory_of(const overlap_arguments* a)
{
    const uint64_t meshes = tact_overlap_mesh_bytes(a->job.a) + (a->job.self ? 0 : tact_overlap_mesh_bytes(a->job.b));
    return meshes + (uint64_t)a->list.capacity * sizeof *a->list.pairs;
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    overlap_arguments* a = arguments;
    tact_env* env = &context->env;
    const tact_overlap_job job = job_of(a, options);
    const bool reference = report->backend == TACT_BACKEND_REFERENCE, solid = a->kind == SOLID_RELATIONS;
    (void)device;
    tact_result result;
    if (a->kind == PAIRS) {
        result =
            reference ? tact_overlap_pairs_reference(env, &job, &a->list) : tact_overlap_pairs_cpu(env, &job, &a->list);
    } else {
        result = reference ? tact_overlap_relations_reference(env, &job, solid, a->relations)
                           : tact_overlap_relations_cpu(env, &job, solid, a->relations);
    }
    report->threads = reference ? 1 : options->threads;
    report->memory_bytes = memory_of(a);
    return result;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static double triangles_of(const overlap_arguments* a)
{
    return (double)a->job.a->tree.triangle_count + (double)a->job.b->tree.triangle_count;
}

/// Kinds, as the cost model names them.
static const char* const kind_names[] = {"relations", "solid", "pairs"};

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const overlap_arguments* a = arguments;
    (void)index;
    const double pose = a->kind == PAIRS ? 0.01 + 1.5e-3 * sqrt(triangles_of(a)) : 0.003;
    const double work = (double)a->job.pose_count * pose / tact_dispatch_threads(device);
    return tact_cost_of(kind_names[a->kind], 0.005, work, 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    overlap_arguments* a = arguments;
    const tact_overlap_job job = job_of(a, options);
    (void)context;
    if (a->kind == PAIRS) return tact_overlap_pairs_device(index, a->a, a->b, &job, &a->list, report);
    return tact_overlap_relations_device(index, a->a, a->b, &job, a->kind == SOLID_RELATIONS, a->relations, report);
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const overlap_arguments* a = arguments;
    // Some 35 steps for all pairs and some 200 to find first ones, each waited for. A software device is a CPU with
    // more overhead.
    const double start = (a->kind == PAIRS ? 35.0 : 200.0) * (device->software ? 0.2 : 0.04);
    const double pose = a->kind == PAIRS ? 0.01 + 1.5e-3 * sqrt(triangles_of(a)) : 0.03;
    const double work = (double)a->job.pose_count * pose * (device->software ? 12.0 : 0.02);
    const double up = tact_overlap_device_missing(index, a->a, a->b);
    tact_cost cost = tact_cost_of(kind_names[a->kind], start, work, up, 0.0);
    tact_cost_stays(&cost, up, &a->a->kept[index], a->a->version + a->b->version);
    return cost;
}

#endif

// ---- Shadow checking ----

static tact_result check_relations(tact_env* env, const overlap_arguments* a, const tact_overlap_job* job)
{
    uint8_t* expected = tact_allocate(env, job->pose_count, 1);
    if (!expected) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = tact_overlap_relations_reference(env, job, a->kind == SOLID_RELATIONS, expected);
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < job->pose_count && result == TACT_OK; ++i) {
        if (a->relations[i] != expected[i] && differing++ == 0) first = i;
    }
    if (differing) {
        result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                           "%zu of %zu poses are not related as by the reference; first %zu: %d, there %d", differing,
                           job->pose_count, first, (int)a->relations[first], (int)expected[first]);
    }
    tact_release(env, expected);
    return result;
}

static tact_result check_pairs(tact_env* env, const overlap_arguments* a, const tact_overlap_job* job)
{
    tact_overlap_list expected = {0};
    tact_result result = tact_overlap_pairs_reference(env, job, &expected);
    const size_t both = expected.count < a->list.count ? expected.count : a->list.count;
    size_t same = 0;
    while (result == TACT_OK && same < both &&
           memcmp(&expected.pairs[same], &a->list.pairs[same], sizeof *expected.pairs) == 0)
        ++same;
    if (result == TACT_OK && (same < both || expected.count != a->list.count)) {
        result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                           "%zu pairs, %zu by the reference; the first difference is pair %zu", a->list.count,
                           expected.count, same);
    }
    tact_overlap_list_free(env, &expected);
    return result;
}

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const overlap_arguments* a = arguments;
    const tact_overlap_job job = job_of(a, options);
    return a->kind == PAIRS ? check_pairs(&context->env, a, &job) : check_relations(&context->env, a, &job);
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const overlap_arguments* a = arguments;
    if (a->kind == PAIRS) {
        tact_record_answer(record, a->list.pairs, a->list.count * sizeof *a->list.pairs);
    } else {
        tact_record_answer(record, a->relations, a->job.pose_count);
    }
}

static tact_result ask_request(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    const float(*poses)[12] = tact_request_poses(r);
    const size_t count = r->given[2].count;
    const tact_result made = tact_request_meshes(r);
    if (made != TACT_OK) return made;
    tact_mesh *a = r->objects[0], *b = r->objects[1];
    if (!b || r->parameters[0] >= PAIRS) {
        tact_mesh_pair* pairs = tact_request_list(r, 0, r->most, sizeof *pairs);
        if (!pairs) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
        if (!b) return tact_mesh_self_overlap_pairs(a, pairs, r->most, &r->count, options, report);
        const tact_overlap_work work = {
            .poses = poses, .pose_count = count, .pairs = pairs, .capacity = r->most, .count = &r->count};
        return tact_mesh_overlap_pairs(a, b, &work, options, report);
    }
    uint8_t* relations = tact_request_room(r, 0, count, 1);
    if (!relations) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_mesh_overlap(
        a, b,
        &(tact_overlap_work){
            .poses = poses, .pose_count = count, .solid = r->parameters[0] == SOLID_RELATIONS, .relations = relations},
        options, report);
}

enum { SELF = PAIRS + 1 };  // a variant, after the kinds

static tact_result sample(tact_sample* s)
{
    tact_request* r = &s->request;
    r->given[0] = (tact_given){&r->surfaces[0], 1};
    if (s->of->variant == SELF) return tact_sample_soup(s);
    float(*poses)[12] = tact_sample_rows(s, 2, sizeof *poses);
    if (!poses) return TACT_ERROR_OUT_OF_MEMORY;
    // Some two out of three poses meet.
    for (size_t i = 0; i < s->size; ++i)
        tact_sample_pose(s, 1.6f, poses[i]);
    r->parameters[0] = s->of->variant;
    const tact_result result = tact_sample_mesh(s, 32);
    r->surfaces[1] = r->surfaces[0];
    r->given[1] = (tact_given){&r->surfaces[1], 1};
    return result == TACT_OK ? tact_request_meshes(r) : result;
}

static const tact_query_sample samples[] = {
    {"relations", "poses", 4, 1 << 13, RELATIONS, false},
    {"solid", "poses", 4, 1 << 13, SOLID_RELATIONS, false},
    {"pairs", "poses", 4, 1 << 11, PAIRS, false},
};
static const tact_query_sample features[] = {
    {.items = "triangles of one mesh", .smallest = 40, .largest = 400, .variant = SELF}};

const tact_query tact_query_overlap = {
    .name = "overlap of meshes",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_OVERLAP,
    .word = "overlap",
    .unit = "poses",
    .inputs = {{.type = TACT_CHUNK_MESH},
               {.type = TACT_CHUNK_MESH, .optional = true},
               {TACT_CHUNK_ARRAY, false, "poses", 12, TACT_RECORDED_FLOATS}},
    .answer = answer,
    .ask = ask_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

// ---- Calls ----

static tact_result check_poses(tact_env* env, const float (*poses)[12], size_t count)
{
    if (count > UINT32_MAX) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu poses; they are numbered in 32 bits", count);
    }
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 12; ++k) {
            if (isfinite(poses[i][k])) continue;
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "pose %zu is not finite: its number %d is %g", i, k,
                             (double)poses[i][k]);
        }
    }
    return TACT_OK;
}

/// Checks what all calls have in common, and fills in the job.
static tact_result prepare_poses(tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t pose_count,
                                 overlap_arguments* arguments)
{
    if (!tact_enter(a ? a->context : NULL, "a")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &a->context->env;
    if (!b) return tact_null(env, "b");
    if (a->context != b->context) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the two meshes belong to different contexts");
    }
    arguments->a = a;
    arguments->b = b;
    arguments->job.a = &a->shape;
    arguments->job.b = &b->shape;
    arguments->job.poses = poses ? poses : identity;
    arguments->job.pose_count = poses ? pose_count : 1;
    tact_result result = check_poses(env, arguments->job.poses, arguments->job.pose_count);
    if (result == TACT_OK) result = tact_mesh_need_trees(a);
    return result == TACT_OK ? tact_mesh_need_trees(b) : result;
}

static tact_result prepare(tact_mesh* a, tact_mesh* b, const tact_overlap_work* work, const tact_query_options* options,
                           overlap_arguments* arguments)
{
    if (!tact_enter_query(a ? a->context : NULL, "a", options)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!work) return tact_null(&a->context->env, b ? "work" : "b");
    return prepare_poses(a, b, work->poses, work->pose_count, arguments);
}

static tact_result ask(overlap_arguments* a, const tact_query_options* options, tact_query_report* report)
{
    const tact_call call = {.context = a->a->context,
                            .query = &tact_query_overlap,
                            .arguments = a,
                            .count = a->job.pose_count,
                            // A mesh with itself is one.
                            .given = {{a->a, 1}, {a->job.self ? NULL : a->b, 1}, {a->job.poses, a->job.pose_count}},
                            .parameters = {(uint32_t)a->kind}};
    return tact_ask(&call, options, report);
}

tact_result tact_mesh_overlap(tact_mesh* a, tact_mesh* b, const tact_overlap_work* work,
                              const tact_query_options* options, tact_query_report* report)
{
    overlap_arguments arguments = {0};
    tact_result result = prepare(a, b, work, options, &arguments);
    if (result != TACT_OK) return result;
    tact_env* env = &a->context->env;
    const bool solid = work->solid;
    const size_t count = arguments.job.pose_count;
    arguments.kind = solid ? SOLID_RELATIONS : RELATIONS;
    if (count > 0 && !work->relations) return tact_null(env, "relations");
    // The caller's array is written only when all is well.
    if (solid) result = tact_mesh_need_neighbours(a);
    if (solid && result == TACT_OK) result = tact_mesh_need_neighbours(b);
    if (result != TACT_OK) return result;
    arguments.relations = tact_allocate(env, count, 1);
    if (!arguments.relations) return TACT_ERROR_OUT_OF_MEMORY;
    result = ask(&arguments, options, report);
    if (result >= TACT_OK && count > 0) memcpy(work->relations, arguments.relations, count);
    tact_release(env, arguments.relations);
    return result;
}

static tact_result find_pairs(overlap_arguments* arguments, tact_mesh_pair* pairs, size_t capacity, size_t* count,
                              const tact_query_options* options, tact_query_report* report)
{
    tact_context* context = arguments->a->context;
    if (!count || (capacity > 0 && !pairs)) return tact_null(&context->env, count ? "pairs" : "count");
    *count = 0;
    tact_result result = ask(arguments, options, report);
    if (result >= TACT_OK) {
        *count = arguments->list.count;
        result = tact_copy_out(arguments->list.pairs, *count, sizeof *pairs, pairs, capacity);
    }
    tact_overlap_list_free(&context->env, &arguments->list);
    return tact_ticket_settle(context, options, result, NULL);
}

tact_result tact_mesh_overlap_pairs(tact_mesh* a, tact_mesh* b, const tact_overlap_work* work,
                                    const tact_query_options* options, tact_query_report* report)
{
    overlap_arguments arguments = {.kind = PAIRS};
    const tact_result result = prepare(a, b, work, options, &arguments);
    if (result != TACT_OK) return result;
    return find_pairs(&arguments, work->pairs, work->capacity, work->count, options, report);
}

tact_result tact_mesh_self_overlap_pairs(tact_mesh* mesh, tact_mesh_pair* pairs, size_t capacity, size_t* count,
                                         const tact_query_options* options, tact_query_report* report)
{
    overlap_arguments arguments = {.kind = PAIRS};
    if (!tact_enter_query(mesh ? mesh->context : NULL, "mesh", options)) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result result = prepare(mesh, mesh, &(tact_overlap_work){.pose_count = 1}, options, &arguments);
    if (result != TACT_OK) return result;
    arguments.job.self = true;
    return find_pairs(&arguments, pairs, capacity, count, options, report);
}

// ---- Segments ----

typedef struct segment_arguments {
    const tact_overlap_job* job;
    const tact_mesh_pair* pairs;
    size_t count;
    tact_triangle_contact* contacts;
} segment_arguments;

static void segment_piece(size_t begin, size_t end, int worker, void* user)
{
    const segment_arguments* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const tact_mesh_pair p = l->pairs[i];
        const tact_triangle a = tact_overlap_triangle(l->job->a, p.a), still = tact_overlap_triangle(l->job->b, p.b);
        const tact_triangle b = tact_overlap_move(l->job->poses[p.pose], &still);
        l->contacts[i] = (tact_triangle_contact){0};
        if (tact_overlap_triangle_there(&a) && tact_overlap_triangle_there(&still) && tact_overlap_triangle_there(&b)) {
            l->contacts[i] = tact_triangle_triangle_contact(&a, &b);
        }
    }
}

static tact_result run_segments(tact_context* context, uint32_t device, void* arguments,
                                const tact_query_options* options, tact_query_report* report)
{
    enum { GRAIN = 256 };
    segment_arguments* a = arguments;
    (void)context;
    (void)device;
    report->threads = options->threads;
    tact_parallel_for(options->threads, a->count, GRAIN, segment_piece, a);
    return TACT_OK;
}

static const tact_query_backend segment_backends[] = {{TACT_BACKEND_CPU, run_segments, NULL}};

static void answer_segments(const void* arguments, tact_record_call* record)
{
    const segment_arguments* a = arguments;
    tact_record_answer(record, a->contacts, a->count * sizeof *a->contacts);
}

static tact_result ask_segments(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    const size_t count = r->given[3].count;
    const tact_result made = tact_request_meshes(r);
    if (made != TACT_OK) return made;
    tact_triangle_contact* contacts = tact_request_room(r, 0, count, sizeof *contacts);
    if (!contacts) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_mesh_overlap_segments(r->objects[0], r->objects[1],
                                      &(tact_segments_work){.poses = tact_request_poses(r),
                                                            .pose_count = r->given[2].count,
                                                            .pairs = r->given[3].data,
                                                            .pair_count = count,
                                                            .contacts = contacts},
                                      options, report);
}

static tact_result sample_segments(tact_sample* s)
{
    static const float poses[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {0, -1, 0, 0.25f, 1, 0, 0, 0, 0, 0, 1, 0}};
    tact_request* r = &s->request;
    tact_mesh_pair* pairs = tact_sample_rows(s, 3, sizeof *pairs);
    if (!pairs) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < s->size; ++i)
        pairs[i] = (tact_mesh_pair){i % 2, i, (uint32_t)((7 * (size_t)i + 3) % s->size)};
    r->given[0] = r->given[1] = (tact_given){&r->surfaces[0], 1};
    r->given[2] = (tact_given){poses, 2};
    return tact_sample_soup(s);
}

static const tact_query_sample segment_features[] = {{.items = "pairs of triangles", .smallest = 40, .largest = 400}};

/// The CPU alone has it.
const tact_query tact_query_segments = {
    .name = "segments of overlapping triangles",
    TACT_BACKENDS(segment_backends),
    .kind = TACT_RECORDED_SEGMENTS,
    .word = "segments",
    .unit = "pairs",
    .only = TACT_BACKEND_CPU,
    .inputs = {{.type = TACT_CHUNK_MESH},
               {.type = TACT_CHUNK_MESH},
               {TACT_CHUNK_ARRAY, false, "poses", 12, TACT_RECORDED_FLOATS},
               {TACT_CHUNK_ARRAY, false, "pairs", 3, TACT_RECORDED_WORDS}},
    .answer = answer_segments,
    .ask = ask_segments,
    .sample = sample_segments,
    TACT_FEATURES(segment_features),
};

tact_result tact_mesh_overlap_segments(tact_mesh* a, tact_mesh* b, const tact_segments_work* work,
                                       const tact_query_options* options, tact_query_report* report)
{
    overlap_arguments arguments = {0};
    if (!tact_enter_query(a ? a->context : NULL, "a", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &a->context->env;
    if (!work) return tact_null(env, "work");
    const tact_result result = prepare_poses(a, b, work->poses, work->pose_count, &arguments);
    if (result != TACT_OK) return result;
    const tact_overlap_job* job = &arguments.job;
    const tact_mesh_pair* pairs = work->pairs;
    const size_t count = work->pair_count;
    if (count > 0 && (!pairs || !work->contacts)) return tact_null(env, pairs ? "contacts" : "pairs");
    for (size_t i = 0; i < count; ++i) {
        const tact_mesh_pair p = pairs[i];
        if (p.pose < job->pose_count && p.a < job->a->triangle_count && p.b < job->b->triangle_count) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "pair %zu: there is no pose %u, triangle %u of A or triangle %u of B", i, p.pose, p.a, p.b);
    }
    segment_arguments segments = {job, pairs, count, work->contacts};
    const tact_call call = {.context = a->context,
                            .query = &tact_query_segments,
                            .arguments = &segments,
                            .count = count,
                            .given = {{a, 1}, {b, 1}, {job->poses, job->pose_count}, {pairs, count}}};
    return tact_ask(&call, options, report);
}
