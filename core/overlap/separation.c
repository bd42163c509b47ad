// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "core/mesh/mesh.h"
#include "core/overlap/surfaces.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#include "cpu_ref/overlap/separation.h"

struct tact_mesh_front {
    tact_mesh *a, *b;
    uint64_t version_a, version_b;  ///< that the front was made of
    tact_separation_front front;
};

tact_result tact_mesh_front_create(tact_mesh* a, tact_mesh* b, tact_mesh_front** out)
{
    if (!tact_enter(a ? a->context : NULL, "a")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!b) return tact_null(&a->context->env, "b");
    if (!out) return tact_null(&a->context->env, "front");
    *out = NULL;
    tact_env* env = &a->context->env;
    if (a->context != b->context) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the two meshes belong to different contexts");
    }
    tact_mesh_front* front = tact_allocate_zeroed(env, 1, sizeof *front);
    if (!front) return TACT_ERROR_OUT_OF_MEMORY;
    front->a = a;
    front->b = b;
    ++a->context->objects;
    *out = front;
    return TACT_OK;
}

void tact_mesh_front_destroy(tact_mesh_front* front)
{
    if (!front) return;
    tact_context* context = front->a->context;
    tact_separation_front_free(&context->env, &front->front);
    --context->objects;
    tact_release(&context->env, front);
}

static tact_result check(tact_env* env, const tact_mesh* a, const tact_mesh* b, const float pose[12], float limit,
                         const tact_mesh_front* front)
{
    if (a->context != b->context) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the two meshes belong to different contexts");
    }
    for (int k = 0; k < 12; ++k) {
        if (isfinite(pose[k])) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the pose is not finite: its number %d is %g", k,
                         (double)pose[k]);
    }
    if (!(limit >= 0.0f)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a limit of %g; it must be at least 0", (double)limit);
    }
    if (front && (front->a != a || front->b != b)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the front is of other meshes");
    }
    return TACT_OK;
}

/// Builds a mesh's tree for distances when it is first needed after its vertices were moved.
static tact_result bring_tree(tact_mesh* mesh)
{
    tact_env* env = &mesh->context->env;
    tact_result result = TACT_OK;
    tact_monitor_enter(&mesh->guard.own);
    if (!mesh->apart.nodes || mesh->apart_version != mesh->version) {
        const tact_overlap_mesh* m = &mesh->shape;
        const tact_mesh_desc desc = {.positions = m->positions,
                                     .vertex_count = m->vertex_count,
                                     .indices = m->indices,
                                     .triangle_count = m->triangle_count};
        tact_separation_tree_free(env, &mesh->apart);
        mesh->apart_version = mesh->version;
        result = tact_separation_tree_build(env, &desc, &mesh->apart);
    }
    tact_monitor_leave(&mesh->guard.own);
    return result;
}

typedef struct separation_arguments {
    tact_mesh *a, *b;
    tact_separation_job job;
    tact_mesh_front* front;
    tact_mesh_distance* answer;
} separation_arguments;

static tact_result run(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                       tact_query_report* report)
{
    const separation_arguments* q = arguments;
    tact_env* env = &context->env;
    tact_mesh *a = q->a, *b = q->b;
    tact_mesh_front* front = q->front;
    (void)device;
    report->threads = options->threads;
    tact_result result = bring_tree(a);
    if (result == TACT_OK) result = bring_tree(b);
    if (result != TACT_OK) return result;
    if (front && (front->version_a != a->version || front->version_b != b->version)) {
        tact_separation_front_free(env, &front->front);
        front->version_a = a->version;
        front->version_b = b->version;
    }
    tact_separation_nearest nearest;
    result = tact_separation_cpu(env, &q->job, &a->apart, &b->apart, front ? &front->front : NULL, &nearest, NULL);
    if (result == TACT_OK) tact_separation_result(&q->job, &nearest, q->answer);
    return result;
}

static const tact_query_backend backends[] = {{TACT_BACKEND_CPU, run, NULL}};

static void answer(const void* arguments, tact_record_call* record)
{
    const separation_arguments* q = arguments;
    tact_record_answer(record, q->answer, sizeof *q->answer);
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    (void)options;
    (void)report;
    float limit;
    const tact_result made = tact_request_meshes(r);
    if (made != TACT_OK) return made;
    tact_mesh_distance* distance = tact_request_room(r, 0, 1, sizeof *distance);
    if (!distance) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    memcpy(&limit, &r->parameters[0], sizeof limit);
    return tact_mesh_separation(r->objects[0], r->objects[1], r->given[2].data, limit, NULL, distance);
}

static const char* check_request(const tact_request* r)
{
    return r->given[2].count != 1 ? "not one pose" : NULL;
}

/// Two balls, apart.
static tact_result sample(tact_sample* s)
{
    static const float pose[12] = {1, 0, 0, 3, 0.125f, 1, 0, 0.25f, 0, 0, 1, 0.5f}, limit = 100.0f;
    tact_request* r = &s->request;
    r->given[0] = r->given[1] = (tact_given){&r->surfaces[0], 1};
    r->given[2] = (tact_given){pose, 1};
    memcpy(&r->parameters[0], &limit, sizeof limit);
    return tact_sample_mesh(s, 8);
}

static const tact_query_sample features[] = {{.items = "meshes apart", .smallest = 2, .largest = 2}};

/// The CPU alone has it.
const tact_query tact_query_separation = {
    .name = "separation of meshes",
    TACT_BACKENDS(backends),
    .kind = TACT_RECORDED_SEPARATION,
    .word = "separation",
    .unit = "poses",
    .only = TACT_BACKEND_CPU,
    .inputs = {{.type = TACT_CHUNK_MESH},
               {.type = TACT_CHUNK_MESH},
               {TACT_CHUNK_ARRAY, false, "poses", 12, TACT_RECORDED_FLOATS}},
    .answer = answer,
    .ask = ask,
    .check = check_request,
    .sample = sample,
    TACT_FEATURES(features),
};

tact_result tact_mesh_separation(tact_mesh* a, tact_mesh* b, const float pose[12], float limit, tact_mesh_front* front,
                                 tact_mesh_distance* distance)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (!tact_enter(a ? a->context : NULL, "a")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!b) return tact_null(&a->context->env, "b");
    if (!distance) return tact_null(&a->context->env, "result");
    separation_arguments arguments = {a, b, {&a->shape, &b->shape, pose ? pose : identity, limit}, front, distance};
    const tact_result result = check(&a->context->env, a, b, arguments.job.pose, limit, front);
    if (result != TACT_OK) return result;
    tact_call call = {.context = a->context,
                      .query = &tact_query_separation,
                      .arguments = &arguments,
                      .count = 1,
                      .given = {{a, 1}, {b, 1}, {arguments.job.pose, 1}}};
    memcpy(&call.parameters[0], &limit, sizeof limit);
    return tact_ask(&call, NULL, NULL);
}
