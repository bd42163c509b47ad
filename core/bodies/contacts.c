// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/bodies/bodies.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#ifdef TACT_HAVE_GPU
#include "gpu/contacts/contacts.h"
#endif

typedef struct contacts_arguments {
    tact_bodies* set;
    const tact_pair* pairs;
    size_t count;
} contacts_arguments;

static tact_contacts_job job_of(const contacts_arguments* a, const tact_query_options* options, tact_contact* contacts)
{
    return (tact_contacts_job){.tables = &a->set->tables,
                               .bodies = a->set->rows,
                               .pairs = a->pairs,
                               .count = a->count,
                               .contacts = contacts,
                               .threads = options->threads,
                               .progress = options->progress,
                               .progress_user = options->progress_user};
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    const contacts_arguments* a = arguments;
    (void)device;
    tact_contacts_job job = job_of(a, options, a->set->contacts);
    const bool reference = report->backend == TACT_BACKEND_REFERENCE;
    if (reference) job.threads = 1;
    const tact_result result = tact_contacts_run(&context->env, &job, reference);
    if (result == TACT_OK) a->set->contact_count = tact_contacts_compact(job.contacts, job.count);
    report->threads = job.threads;
    report->memory_bytes = a->count * (sizeof *a->pairs + sizeof *job.contacts);
    return result;
}

static tact_cost cost_cpu(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const contacts_arguments* a = arguments;
    (void)index;
    return tact_cost_of(NULL, 0.01, (double)a->count * 2e-3 / tact_dispatch_threads(device), 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

static tact_result run_device(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    const contacts_arguments* a = arguments;
    tact_bodies* set = a->set;
    tact_gpu_contacts* resident = set->kept[index].data;
    const tact_contacts_job job = job_of(a, options, set->contacts);
    const tact_result result =
        tact_gpu_contacts_run(context->devices[index], &resident, &job, tact_volumes_id_end(set->boxes), report);
    tact_resident_keep(&set->kept[index], resident, tact_gpu_contacts_release);
    if (result == TACT_OK) set->contact_count = tact_contacts_compact(job.contacts, job.count);
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const contacts_arguments* a = arguments;
    (void)index;
    const double up = (double)a->count * 8.0 + (double)tact_volumes_id_end(a->set->boxes) * 64.0;
    const double down = (double)a->count * 16.0 * TACT_MANIFOLD_ROWS;
    if (device->software) return tact_cost_of(NULL, 2.0, (double)a->count * 8e-3, up * 2.0, down * 2.0);
    return tact_cost_of(NULL, 0.2, (double)a->count * 2e-5, up, down);
}

#endif

static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    const contacts_arguments* a = arguments;
    tact_env* env = &context->env;
    const tact_bodies* set = a->set;
    tact_contact* expected = tact_allocate(env, a->count, sizeof *expected);
    if (!expected) return TACT_ERROR_OUT_OF_MEMORY;
    tact_contacts_job job = job_of(a, options, expected);
    job.progress = NULL;
    tact_result result = tact_contacts_run(env, &job, true);
    const size_t count = tact_contacts_compact(expected, a->count);
    size_t k = 0;
    while (k < count && k < set->contact_count && memcmp(&expected[k], &set->contacts[k], sizeof *expected) == 0)
        ++k;
    if (result == TACT_OK && (k < count || k < set->contact_count)) {
        result = tact_fail(env, TACT_ERROR_SHADOW_MISMATCH,
                           "%zu contacts, the reference has %zu; number %zu is the first to differ", set->contact_count,
                           count, k);
    }
    tact_release(env, expected);
    return result;
}

static const tact_query_backend backends[] = {TACT_ALL_BACKENDS(run_host, cost_cpu, run_device, cost_device, run_host)};

static void answer(const void* arguments, tact_record_call* record)
{
    const tact_bodies* set = ((const contacts_arguments*)arguments)->set;
    tact_record_answer(record, set->contacts, set->contact_count * sizeof *set->contacts);
}

static void release_bodies(void* set)
{
    tact_bodies_destroy(set);
}

/// Makes the set that a request is about.
static tact_result make_set(tact_request* r, tact_bodies** out)
{
    tact_bodies* set = NULL;
    tact_result result = tact_bodies_create(r->context, &set);
    if (result != TACT_OK) return result;
    const float* shapes = r->given[0].data;
    const tact_vec3* points = r->given[1].data;
    for (size_t i = 0; i < r->given[0].count && result == TACT_OK; ++i) {
        const float* row = shapes + i * TACT_GIVEN_SHAPE;
        const tact_body_shape shape = {.kind = (tact_body_kind)as_uint(row[0]),
                                       .radius = row[1],
                                       .half = {row[2], row[3], row[4]},
                                       .points = points ? points + as_uint(row[5]) : NULL,
                                       .point_count = as_uint(row[6])};
        uint32_t number;
        result = tact_bodies_add_shape(set, &shape, &number);
    }
    if (result == TACT_OK) result = tact_bodies_add(set, r->given[2].data, r->given[2].count, NULL);
    if (result != TACT_OK) {
        tact_bodies_destroy(set);
        return result;
    }
    r->objects[0] = *out = set;
    tact_request_own(r, set, release_bodies);
    return TACT_OK;
}

static const char* check_request(const tact_request* r)
{
    const float* shapes = r->given[0].data;
    for (size_t i = 0; i < r->given[0].count; ++i) {
        const uint64_t first = as_uint(shapes[i * TACT_GIVEN_SHAPE + 5]),
                       count = as_uint(shapes[i * TACT_GIVEN_SHAPE + 6]);
        if (first + count > r->given[1].count) return "a hull of points that are not there";
    }
    return NULL;
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_bodies* set = r->objects[0];
    if (!set) {
        const tact_result made = make_set(r, &set);
        if (made != TACT_OK) return tact_request_fail(r, made);
    }
    tact_contact* contacts = tact_request_list(r, 0, r->given[3].count, sizeof *contacts);
    if (!contacts) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_contacts_find(set,
                              &(tact_contacts_work){.pairs = r->given[3].data,
                                                    .pair_count = r->given[3].count,
                                                    .contacts = r->given[3].count > 0 ? contacts : NULL,
                                                    .capacity = r->given[3].count,
                                                    .count = &r->count},
                              options, report);
}

enum { SAMPLE_SHAPES = 6, HULL_POINTS = 14 };

/// Shapes of every kind but half-spaces; the sixth is a rounded box.
static void sample_shapes(tact_sample* s, float* shapes, tact_vec3* points)
{
    for (uint32_t i = 0; i < HULL_POINTS; ++i) {
        points[i] =
            (tact_vec3){tact_sample_uniform(s) - 0.5f, tact_sample_uniform(s) - 0.5f, tact_sample_uniform(s) - 0.5f};
    }
    static const tact_body_kind kinds[SAMPLE_SHAPES] = {TACT_BODY_SPHERE, TACT_BODY_CAPSULE, TACT_BODY_BOX,
                                                        TACT_BODY_HULL,   TACT_BODY_BOX,     TACT_BODY_BOX};
    for (uint32_t i = 0; i < SAMPLE_SHAPES; ++i) {
        float* row = shapes + (size_t)i * TACT_GIVEN_SHAPE;
        const bool hull = kinds[i] == TACT_BODY_HULL, box = kinds[i] == TACT_BODY_BOX;
        row[0] = as_float((uint32_t)kinds[i]);
        row[1] = hull || (box && i < 5) ? 0.0f : 0.2f;
        row[2] = 0.3f;
        row[3] = 0.4f;
        row[4] = 0.1f + 0.1f * (float)i;
        row[5] = 0.0f;
        row[6] = as_float(hull ? HULL_POINTS : 0u);
        row[7] = 0.0f;
    }
}

static tact_result sample(tact_sample* s)
{
    tact_request* r = &s->request;
    const size_t pairs = s->size, bodies = 2 * s->size;
    float* shapes = tact_request_array(r, SAMPLE_SHAPES * TACT_GIVEN_SHAPE, sizeof *shapes);
    tact_vec3* points = tact_request_array(r, HULL_POINTS, sizeof *points);
    tact_body* all = tact_request_array(r, bodies, sizeof *all);
    tact_pair* list = tact_request_array(r, pairs, sizeof *list);
    if (!shapes || !points || !all || !list) return TACT_ERROR_OUT_OF_MEMORY;
    sample_shapes(s, shapes, points);
    for (size_t i = 0; i < bodies; ++i) {
        tact_body* b = &all[i];
        b->shape = (uint32_t)(tact_sample_uniform(s) * (SAMPLE_SHAPES - 0.01f));
        b->margin = 0.01f;
        const double about = i % 2 ? 0.9 : 0.0;
        b->pose.x = 1e6 * (double)(i / 2 % 7) + about * ((double)tact_sample_uniform(s) - 0.5);
        b->pose.y = about * ((double)tact_sample_uniform(s) - 0.5);
        b->pose.z = about * ((double)tact_sample_uniform(s) - 0.5);
        b->pose.rotation = (tact_quat){tact_sample_uniform(s) - 0.5f, tact_sample_uniform(s) - 0.5f,
                                       tact_sample_uniform(s) - 0.5f, 0.8f};
        b->pose.scale = i % 3 ? 1.0f : 1.25f;
    }
    for (size_t i = 0; i < pairs; ++i)
        list[i] = (tact_pair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    r->given[0] = (tact_given){shapes, SAMPLE_SHAPES};
    r->given[1] = (tact_given){points, HULL_POINTS};
    r->given[2] = (tact_given){all, bodies};
    r->given[3] = (tact_given){list, pairs};
    return TACT_OK;
}

static const tact_query_sample samples[] = {{NULL, "pairs of bodies", 64, 1 << 16, 0, false}};

const tact_query tact_query_bodies = {
    .name = "contacts of bodies",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_BODIES,
    .word = "bodies",
    .unit = "pairs",
    .inputs = {{TACT_CHUNK_ARRAY, false, "shapes", TACT_GIVEN_SHAPE, TACT_RECORDED_MIXED},
               {TACT_CHUNK_ARRAY, true, "points", 3, TACT_RECORDED_FLOATS},
               {TACT_CHUNK_ARRAY, false, "bodies", sizeof(tact_body) / 4, TACT_RECORDED_MIXED},
               {TACT_CHUNK_ARRAY, false, "pairs", 2, TACT_RECORDED_WORDS}},
    .answer = answer,
    .ask = ask,
    .check = check_request,
    TACT_SAMPLES(sample, samples),
};

static tact_result check_pairs(const tact_bodies* set, const tact_pair* pairs, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_pair p = pairs[i];
        const bool sorted = i == 0 || pairs[i - 1].a < p.a || (pairs[i - 1].a == p.a && pairs[i - 1].b < p.b);
        if (p.a < p.b && sorted && tact_volumes_contains(set->boxes, p.a) && tact_volumes_contains(set->boxes, p.b))
            continue;
        return tact_fail(&set->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "pair %zu (%u, %u) is no pair of the set, or out of order", i, p.a, p.b);
    }
    return TACT_OK;
}

static tact_result make_room(tact_bodies* set, size_t count)
{
    void* contacts = set->contacts;
    if (count > TACT_MAX_PAIRS)
        return tact_fail(&set->context->env, TACT_ERROR_LIMIT, "%zu pairs: at most 2^30", count);
    const bool good =
        tact_reserve(&set->context->env, &contacts, &set->contact_capacity, 0, count, sizeof *set->contacts);
    set->contacts = contacts;
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// The pairs that may touch: the work's, or those whose boxes overlap.
static tact_result find_pairs(contacts_arguments* a, const tact_contacts_work* work, const tact_query_options* options)
{
    if (work->pairs) {
        a->pairs = work->pairs;
        a->count = work->pair_count;
        return check_pairs(a->set, a->pairs, a->count);
    }
    tact_query_options mine = options ? *options : (tact_query_options){0};
    mine.ticket = NULL;
    mine.shadow = false;
    const tact_result result = tact_pairs_find(a->set->boxes, &(tact_pairs_work){.count = &a->count}, &mine, NULL);
    a->pairs = tact_pairs_last(a->set->boxes, &a->count);
    return result;
}

static tact_result find(tact_bodies* set, const tact_contacts_work* work, const tact_query_options* options,
                        tact_query_report* report)
{
    contacts_arguments a = {.set = set};
    const double start = tact_platform_milliseconds();
    tact_result result = find_pairs(&a, work, options);
    const double passed = tact_platform_milliseconds() - start;
    if (result == TACT_OK) result = make_room(set, a.count);
    if (result != TACT_OK) return result;
    const tact_call call = {.context = set->context,
                            .query = &tact_query_bodies,
                            .arguments = &a,
                            .count = a.count,
                            .given = {{set->shapes, set->shape_count},
                                      {set->points, set->point_count},
                                      {set->bodies, tact_volumes_id_end(set->boxes)},
                                      {a.pairs, a.count}}};
    result = tact_ask(&call, options, report);
    if (report) report->build_ms += passed;
    if (result < TACT_OK) return result;
    set->answered = true;
    *work->count = set->contact_count;
    if (!work->contacts) return result;
    const tact_result copied =
        tact_copy_out(set->contacts, set->contact_count, sizeof *set->contacts, work->contacts, work->capacity);
    return tact_ticket_settle(set->context, options, copied, NULL);
}

tact_result tact_contacts_find(tact_bodies* set, const tact_contacts_work* work, const tact_query_options* options,
                               tact_query_report* report)
{
    if (!tact_enter_query(set ? set->context : NULL, "set", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!work) return tact_null(env, "work");
    if (!work->count) return tact_null(env, "count");
    *work->count = 0;
    if (!work->contacts && work->capacity > 0) return tact_null(env, "contacts");
    if (!work->pairs && work->pair_count > 0) return tact_null(env, "pairs");
    tact_guard_enter_both(&set->guard, NULL);
    set->answered = false;
    set->contact_count = 0;
    const tact_result result = find(set, work, options, report);
    tact_guard_leave_both(&set->guard, NULL);
    return result;
}

const tact_contact* tact_contacts_last(const tact_bodies* set, size_t* count)
{
    const bool there = set && set->answered && set->contact_count > 0;
    if (count) *count = there ? set->contact_count : 0;
    return there ? set->contacts : NULL;
}
