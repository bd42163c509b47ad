// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/bodies/bodies.h"
#include "core/pairs/pairs.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#ifdef TACT_HAVE_GPU
#include "gpu/contacts/contacts.h"
#endif

typedef struct contacts_arguments {
    tact_bodies* set;
    const tact_pair* pairs;       // NULL: all of the set, which the backend finds
    size_t count;                 // of pairs; of all of the set as many as there were the last time
    const tact_pair* item_pairs;  // of their parts that may touch
    const tact_pair* parts;       // NULL: the pairs themselves, since no shape has parts
    size_t item_count;
} contacts_arguments;

static tact_contacts_job job_of(const contacts_arguments* a, const tact_query_options* options, tact_contact* contacts)
{
    return (tact_contacts_job){.tables = &a->set->tables,
                               .bodies = a->set->rows,
                               .pairs = a->item_pairs,
                               .parts = a->parts,
                               .count = a->item_count,
                               .contacts = contacts,
                               .threads = options->threads,
                               .progress = options->progress,
                               .progress_user = options->progress_user};
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

/// Finds the parts of the pairs that may touch, or all of them.
static tact_result find_items(contacts_arguments* a, const tact_pair* pairs, size_t count,
                              const tact_query_options* options, bool all)
{
    tact_bodies* set = a->set;
    a->item_pairs = pairs;
    a->item_count = count;
    a->parts = NULL;
    if (!set->tables.with_parts) return TACT_OK;
    const tact_result result = tact_contact_items_find(&set->context->env, options->threads, &set->tables, set->bodies,
                                                       pairs, count, all, &set->items);
    if (result != TACT_OK) return result;
    a->item_pairs = set->items.pairs;
    a->item_count = set->items.count;
    a->parts = set->items.parts;
    return TACT_OK;
}

/// The pairs that may touch: those given, or those that the report's backend finds.
static tact_result find_pairs(const contacts_arguments* a, tact_pairs_arguments* q, uint32_t device,
                              const tact_query_options* options, tact_query_report* report)
{
    if (!a->pairs) return tact_bodies_find_pairs(a->set, true, q, device, options, report);
    *q = (tact_pairs_arguments){.info.pairs = a->count};
    return TACT_OK;
}

static tact_result run_host(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    contacts_arguments* a = arguments;
    tact_bodies* set = a->set;
    const bool reference = report->backend == TACT_BACKEND_REFERENCE;
    tact_pairs_arguments q;
    const double start = tact_platform_milliseconds();
    tact_result result = find_pairs(a, &q, device, options, report);
    const double found = tact_platform_milliseconds();
    if (result == TACT_OK) {
        const tact_pair* pairs = a->pairs ? a->pairs : set->boxes->pairs;
        result = find_items(a, pairs, (size_t)q.info.pairs, options, reference);
    }
    if (result == TACT_OK) result = make_room(set, a->item_count);
    if (result != TACT_OK) return result;
    tact_contacts_job job = job_of(a, options, set->contacts);
    if (reference) job.threads = 1;
    size_t count;
    result = tact_contacts_run(&context->env, &job, reference, &count);
    if (result == TACT_OK) set->contact_count = count;
    report->threads = job.threads;
    report->build_ms = found - start;
    report->query_ms = tact_platform_milliseconds() - found;
    report->memory_bytes += a->item_count * (sizeof *a->pairs + sizeof *job.contacts);
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
    tact_pairs_arguments q;
    tact_result result = find_pairs(a, &q, index, options, report);
    if (result != TACT_OK) return result;
    report->build_ms += report->query_ms;
    report->query_ms = 0.0;
    tact_gpu_contacts* resident = set->kept[index].data;
    tact_gpu_contacts_job job = {.tables = &set->tables,
                                 .bodies = set->bodies,
                                 .rows = set->rows,
                                 .body_end = tact_volumes_id_end(set->boxes),
                                 .pairs = a->pairs  ? a->pairs
                                          : q.there ? NULL
                                                    : set->boxes->pairs,
                                 .there = q.there,
                                 .count = (size_t)q.info.pairs,
                                 .threads = options->threads,
                                 .progress = options->progress,
                                 .progress_user = options->progress_user,
                                 .contacts = &set->contacts,
                                 .capacity = &set->contact_capacity};
    result = tact_gpu_contacts_run(context->devices[index], &resident, &job, report);
    tact_resident_keep(&set->kept[index], resident, tact_gpu_contacts_release);
    if (result == TACT_OK) set->contact_count = job.found;
    return result;
}

static tact_cost cost_device(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const contacts_arguments* a = arguments;
    (void)index;
    const double up = (double)a->count * (a->pairs ? 8.0 : 0.0) + (double)tact_volumes_id_end(a->set->boxes) * 64.0;
    const double down = 0.5 * (double)a->count * (double)sizeof(tact_contact);
    if (device->software) return tact_cost_of(NULL, 2.0, (double)a->count * 8e-3, up * 2.0, down * 2.0);
    return tact_cost_of(NULL, 0.2, (double)a->count * 2e-5, up, down);
}

#endif

/// All parts of all pairs that are given, or that the CPU finds.
static tact_result compare(tact_context* context, void* arguments, const tact_query_options* options)
{
    contacts_arguments* a = arguments;
    tact_env* env = &context->env;
    tact_bodies* set = a->set;
    tact_pairs_arguments q;
    tact_query_report report = {.backend = TACT_BACKEND_CPU};
    tact_result result = find_pairs(a, &q, 0, options, &report);
    if (result != TACT_OK) return result;
    const tact_pair* pairs = a->pairs ? a->pairs : set->boxes->pairs;
    result = find_items(a, pairs, (size_t)q.info.pairs, options, true);
    if (result != TACT_OK) return result;
    tact_contact* expected = tact_allocate(env, a->item_count, sizeof *expected);
    if (!expected) return TACT_ERROR_OUT_OF_MEMORY;
    tact_contacts_job job = job_of(a, options, expected);
    job.progress = NULL;
    size_t count, k = 0;
    result = tact_contacts_run(env, &job, true, &count);
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

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    tact_bodies* set;
    const tact_result made = tact_bodies_of_request(r, &set);
    if (made != TACT_OK) return tact_request_fail(r, made);
    const tact_contacts_work work = {.pairs = r->given[3].data, .pair_count = r->given[3].count, .count = &r->count};
    const tact_result result = tact_contacts_find(set, &work, options, report);
    const tact_contact* found = tact_contacts_last(set, &r->count);
    return tact_bodies_list(r, result, found, sizeof *found);
}

enum { WHOLE_SET = 1 };  // a variant

static tact_result sample(tact_sample* s)
{
    const tact_result result = tact_bodies_sample_pairs(s, 0.9);
    if (s->of->variant == WHOLE_SET) s->request.given[3] = (tact_given){0};
    return result;
}

static const tact_query_sample samples[] = {{NULL, "pairs of bodies", 64, 1 << 16, 0, false}};
static const tact_query_sample features[] = {
    {.items = "bodies, whatever touches", .smallest = 10, .largest = 100, .variant = WHOLE_SET}};

const tact_query tact_query_bodies = {
    .name = "contacts of bodies",
    TACT_BACKENDS(backends),
    .compare = compare,
    .kind = TACT_RECORDED_BODIES,
    .word = "bodies",
    .unit = "pairs",
    .inputs = {TACT_BODIES_INPUTS, {TACT_CHUNK_ARRAY, true, "pairs", 2, TACT_RECORDED_WORDS}},
    .answer = answer,
    .ask = ask,
    .check = tact_bodies_check_request,
    TACT_SAMPLES(sample, samples),
    TACT_FEATURES(features),
};

static tact_result find(tact_bodies* set, const tact_contacts_work* work, const tact_query_options* options,
                        tact_query_report* report)
{
    contacts_arguments a = {
        .set = set, .pairs = work->pairs, .count = work->pairs ? work->pair_count : tact_bodies_expected_pairs(set)};
    tact_result result = tact_bodies_check_pairs(set, work->pairs, work->pair_count);
    if (result != TACT_OK) return result;
    const tact_call call = {.context = set->context,
                            .query = &tact_query_bodies,
                            .arguments = &a,
                            .count = a.count,
                            .given = {TACT_BODIES_GIVEN(set), {work->pairs, work->pair_count}}};
    result = tact_ask(&call, options, report);
    if (result < TACT_OK) return result;
    const tact_result followed = tact_contact_history_end(set, options, report);
    if (followed != TACT_OK) {
        set->contact_count = 0;
        return tact_ticket_settle(set->context, options, followed, NULL);
    }
    set->answered = true;
    *work->count = set->contact_count;
    if (!work->contacts) return result;
    const tact_result copied =
        tact_copy_out(set->contacts, set->contact_count, sizeof *set->contacts, work->contacts, work->capacity);
    return tact_ticket_settle(set->context, options, copied, NULL);
}

tact_result tact_bodies_find_contacts(tact_bodies* set, const tact_contacts_work* work,
                                      const tact_query_options* options, tact_query_report* report)
{
    tact_contact_history_begin(set);
    set->answered = false;
    set->contact_count = 0;
    return find(set, work, options, report);
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
    const tact_result result = tact_bodies_find_contacts(set, work, options, report);
    tact_guard_leave_both(&set->guard, NULL);
    return result;
}

const tact_contact* tact_contacts_last(const tact_bodies* set, size_t* count)
{
    const bool there = set && set->answered && set->contact_count > 0;
    if (count) *count = there ? set->contact_count : 0;
    return there ? set->contacts : NULL;
}
