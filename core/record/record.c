// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/platform.h"

enum { MOST_QUERIES = 65536, USUAL_QUERIES = 64 };
static const size_t usual_bytes = (size_t)64 << 20;

static tact_record_entry* entry_at(tact_recorder* r, size_t place)
{
    TACT_ASSERT(place < r->capacity && r->first < r->capacity);
    return &r->ring[(r->first + place) % r->capacity];
}

static tact_record_entry* find(tact_recorder* r, uint64_t number)
{
    const uint64_t first = r->count > 0 ? entry_at(r, 0)->query.number : 0;
    if (number == 0 || r->count == 0 || number < first || number - first >= r->count) return NULL;
    TACT_ASSERT(entry_at(r, (size_t)(number - first))->query.number == number);
    return entry_at(r, (size_t)(number - first));
}

static void empty_entry(tact_recorder* r, tact_record_entry* e)
{
    for (int i = 0; i < TACT_RECORD_PLACES; ++i) {
        tact_record_drop(r, e->references[i]);
        e->references[i] = NULL;
    }
}

static void forget_oldest(tact_recorder* r)
{
    TACT_ASSERT(r->count > 0);
    empty_entry(r, entry_at(r, 0));
    r->first = (r->first + 1) % r->capacity;
    --r->count;
}

static void too_large(tact_recorder* r, tact_recorded_query* q)
{
    snprintf(q->missing, sizeof q->missing, "too large, %" PRIu64 " bytes, where %zu may be kept", q->bytes, r->budget);
}

/// Keeps to the budget, the newest, of which there must be one, to the last.
static void shrink(tact_recorder* r)
{
    TACT_ASSERT(r->count > 0);
    while (r->used > r->budget && r->count > 1)
        forget_oldest(r);
    if (r->used <= r->budget) return;
    too_large(r, &entry_at(r, 0)->query);
    empty_entry(r, entry_at(r, 0));
}

// ---- Files ----

typedef struct packer {
    tact_recorder* recorder;
    uint8_t* out;  ///< NULL: counts
    size_t at;
    uint32_t chunks;
} packer;

static void put(packer* p, uint64_t value, int size)
{
    TACT_ASSERT(size >= 1 && size <= 8);
    for (int i = 0; i < size && p->out; ++i)
        p->out[p->at + (size_t)i] = (uint8_t)(value >> (8 * i));
    p->at += (size_t)size;
}

static void put_bytes(packer* p, const void* bytes, size_t size)
{
    if (p->out && size > 0) memcpy(p->out + p->at, bytes, size);
    p->at += size;
    while (p->at % 8 != 0)
        put(p, 0, 1);
}

/// Its head and references: numbers as chunks have them, 0 for none.
static void put_head(packer* p, uint32_t type, uint32_t row_words, tact_record_chunk* const* references, uint32_t count,
                     size_t size)
{
    TACT_ASSERT(p->at % 8 == 0);
    put(p, type, 4);
    put(p, row_words, 4);
    put(p, count, 4);
    put(p, 0, 4);
    put(p, size, 8);
    for (uint32_t i = 0; i < count; ++i)
        put(p, references[i] ? references[i]->number : 0, 4);
    if (count % 2 != 0) put(p, 0, 4);
    ++p->chunks;
}

static void put_chunk(packer* p, tact_record_chunk* c)
{
    if (!c || c->number != 0) return;
    for (uint32_t i = 0; i < c->reference_count; ++i)
        put_chunk(p, c->references[i]);
    put_head(p, c->type, c->row_words, c->references, c->reference_count, c->size);
    put_bytes(p, c->bytes, c->size);
    c->number = p->chunks;
}

static void describe_machine(const tact_context* context, char* text, size_t size)
{
    snprintf(text, size, "tact %s\n%s\n", tact_version(), tact_build_info());
    for (uint32_t i = 0; i < context->device_count; ++i) {
        const tact_device_info* info = tact_context_describe(context, i);
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s: %s, %s, driver %s, %s, arithmetic %s\n",
                 tact_backend_name(info->backend), info->name, info->vendor, info->driver, info->version,
                 info->probe.exact ? "exact" : "with a tolerance");
    }
}

static void put_all(packer* p)
{
    tact_recorder* r = p->recorder;
    for (size_t i = 0; i < TACT_RECORD_BUCKETS; ++i) {
        for (tact_record_chunk* c = r->buckets[i]; c; c = c->next)
            c->number = 0;
    }
    p->at = TACT_RECORD_HEADER;
    p->chunks = 0;
    char machine[4096];
    describe_machine(r->context, machine, sizeof machine);
    put_head(p, TACT_CHUNK_MACHINE, 0, NULL, 0, strlen(machine));
    put_bytes(p, machine, strlen(machine));
    for (size_t i = 0; i < r->count; ++i) {
        const tact_record_entry* e = entry_at(r, i);
        for (int k = 0; k < TACT_RECORD_PLACES; ++k)
            put_chunk(p, e->references[k]);
        uint8_t bytes[TACT_RECORD_QUERY_BYTES];
        tact_record_put_query(&e->query, bytes);
        put_head(p, TACT_CHUNK_QUERY, 0, e->references, TACT_RECORD_PLACES, sizeof bytes);
        put_bytes(p, bytes, sizeof bytes);
    }
}

tact_result tact_record_pack(tact_context* context, uint8_t** bytes, size_t* size)
{
    packer p = {.recorder = context->recorder};
    put_all(&p);
    *size = p.at;
    *bytes = p.out = tact_allocate(&context->env, p.at, 1);
    if (!p.out) return TACT_ERROR_OUT_OF_MEMORY;
    put_all(&p);
    TACT_ASSERT(p.at == *size);
    p.at = 0;
    put_bytes(&p, TACT_RECORD_MAGIC, 8);
    put(&p, TACT_RECORD_VERSION, 4);
    put(&p, p.chunks, 4);
    put(&p, *size, 8);
    put(&p, tact_xxh64_of(p.out + TACT_RECORD_HEADER, *size - TACT_RECORD_HEADER), 8);
    return TACT_OK;
}

static tact_result write_file(tact_context* context, const char* path)
{
    uint8_t* bytes = NULL;
    size_t size = 0;
    tact_result result = tact_record_pack(context, &bytes, &size);
    if (result == TACT_OK &&
        !tact_platform_write_file(path, TACT_FILE_SYNC | TACT_FILE_STREAMS, NULL, 0, bytes, size)) {
        result = tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "%s cannot be written", path);
    }
    tact_release(&context->env, bytes);
    return result;
}

tact_result tact_record_save(tact_context* context, const char* path)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!path) return tact_null(&context->env, "path");
    if (!context->recorder) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the context records nothing: its description sets no record_queries");
    }
    tact_monitor_enter(&context->recording);
    const tact_result result = write_file(context, path);
    tact_monitor_leave(&context->recording);
    return result;
}

/// Writes what is kept where nobody has asked for it, and names the file in the context's error.
static void dump(tact_recorder* r, const char* why, uint64_t number)
{
    tact_env* env = &r->context->env;
    char error[sizeof env->error], path[sizeof r->directory + 64];
    memcpy(error, tact_last_error(), sizeof error);
    snprintf(path, sizeof path, "%s/tact-%s-%016" PRIx64 ".record", r->directory, why, number);
    const tact_result result = write_file(r->context, path);
    if (result == TACT_OK) {
        tact_log(env, TACT_LOG_WARNING, "record", "the last %zu queries are in %s", r->count, path);
        tact_fail(env, result, "%.*s; the queries that led here are in %.1000s", 1000, error, path);
    } else {
        tact_log(env, TACT_LOG_WARNING, "record", "%s could not be written: %s", path, tact_last_error());
        tact_error_restore(env, error);
    }
}

static bool on_assertion(const char* condition, const char* file, int line, void* user)
{
    tact_recorder* r = user;
    tact_context* context = r->context;
    // What the dump itself breaks must not call for another.
    context->env.assertion = r->assertion;
    context->env.assertion_user = r->assertion_user;
    dump(r, "assert", r->numbers);
    context->env.assertion = on_assertion;
    context->env.assertion_user = r;
    return r->assertion(condition, file, line, r->assertion_user);
}

// ---- The recorder ----

tact_result tact_recorder_open(tact_context* context, const tact_context_desc* desc)
{
    TACT_ASSERT(!context->recorder);
    tact_env* env = &context->env;
    const char* variable = tact_platform_variable("TACT_RECORD");
    const bool asked = variable && *variable;
    if (desc->record_queries == 0 && !asked) return TACT_OK;
    if (desc->record_queries > MOST_QUERIES) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "record_queries is %u, at most %d can be kept",
                         (unsigned)desc->record_queries, MOST_QUERIES);
    }
    const char* directory = desc->record_directory ? desc->record_directory : asked ? variable : ".";
    tact_recorder* r = tact_allocate_zeroed(env, 1, sizeof *r);
    if (!r) return TACT_ERROR_OUT_OF_MEMORY;
    r->context = context;
    r->capacity = desc->record_queries > 0 ? desc->record_queries : USUAL_QUERIES;
    r->budget = desc->record_bytes > 0 ? desc->record_bytes : usual_bytes;
    if (strlen(directory) >= sizeof r->directory) {
        tact_release(env, r);
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the name of record_directory is too long");
    }
    snprintf(r->directory, sizeof r->directory, "%s", directory);
    r->ring = tact_allocate_zeroed(env, r->capacity, sizeof *r->ring);
    if (!r->ring) {
        tact_release(env, r);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    r->assertion = env->assertion;
    r->assertion_user = env->assertion_user;
    env->assertion = on_assertion;
    env->assertion_user = r;
    context->recorder = r;
    return TACT_OK;
}

void tact_recorder_close(tact_context* context)
{
    tact_recorder* r = context->recorder;
    if (!r) return;
    tact_record_clear(context);
    TACT_ASSERT(r->count == 0 && r->depth == 0);
    context->env.assertion = r->assertion;
    context->env.assertion_user = r->assertion_user;
    context->recorder = NULL;
    tact_release(&context->env, r->ring);
    tact_release(&context->env, r);
}

void tact_record_clear(tact_context* context)
{
    if (!context || !context->recorder) return;
    tact_monitor_enter(&context->recording);
    while (context->recorder->count > 0)
        forget_oldest(context->recorder);
    tact_monitor_leave(&context->recording);
}

void tact_record_size(const tact_context* context, size_t* queries, size_t* bytes)
{
    const tact_recorder* r = context ? context->recorder : NULL;
    if (queries) *queries = r ? r->count : 0;
    if (bytes) *bytes = r ? r->used : 0;
}

// ---- One call ----

void tact_record_begin(tact_record_call* call, tact_context* context, tact_recorded_kind kind,
                       const tact_query_options* options, tact_query_report* report, uint64_t count, size_t bytes)
{
    call->context = NULL;
    call->report = report;
    call->number = 0;
    call->wants = call->answered = false;
    tact_submit_begin(&call->submit, context, options);
    if (!report && call->submit.ticket) call->report = &call->spare;
    tact_recorder* r = context->recorder;
    if (!r && !context->witness) return;
    call->context = context;
    // The order of recorded calls is one, and what a recorder keeps is under no other lock.
    tact_monitor_enter(&context->recording);
    if (context->witness) ++context->witness->depth;
    if (!report) call->report = &call->spare;
    memset(call->report, 0, sizeof *call->report);
    tact_xxh64_begin(&call->answer);
    if (!r || r->depth++ > 0) return;
    if (r->count == r->capacity) forget_oldest(r);
    call->number = ++r->numbers;
    tact_record_entry* e = entry_at(r, r->count++);
    memset(e, 0, sizeof *e);
    e->query = (tact_recorded_query){.kind = kind, .number = call->number, .count = count, .bytes = bytes};
    if (options) {
        e->query.backend = options->backend;
        e->query.threads = options->threads;
        e->query.shadow = options->shadow;
        e->query.no_fallback = options->no_fallback;
    }
    call->wants = bytes <= r->budget;
    if (!call->wants) too_large(r, &e->query);
}

void tact_record_parameter(tact_record_call* call, int place, uint32_t value)
{
    if (call->number != 0) find(call->context->recorder, call->number)->query.parameters[place] = value;
}

void tact_record_missing(tact_record_call* call, const char* why)
{
    if (call->number == 0) return;
    tact_recorded_query* q = &find(call->context->recorder, call->number)->query;
    if (!q->missing[0]) snprintf(q->missing, sizeof q->missing, "%s", why);
}

void tact_record_only(tact_record_call* call, tact_backend backend, int threads)
{
    const int device = call->context ? tact_context_find(call->context, backend) : -1;
    if (device < 0) return;
    const tact_device_info* info = tact_context_describe(call->context, (uint32_t)device);
    call->report->backend = backend;
    snprintf(call->report->device, sizeof call->report->device, "%s", info->name);
    snprintf(call->report->reason, sizeof call->report->reason, "%s: the only one", tact_backend_name(backend));
    call->report->software = info->software;
    call->report->exact = info->probe.exact;
    call->report->threads = threads;
}

void tact_record_answer(tact_record_call* call, const void* bytes, size_t size)
{
    if (!call->context) return;
    call->answered = true;
    tact_xxh64_add(&call->answer, bytes, size);
    const tact_record_witness* w = call->context->witness;
    if (w && w->take && w->depth == 1) w->take(bytes, size, w->user);
}

static void finish(tact_record_call* call, tact_recorded_query* q, tact_result result)
{
    const tact_context* context = call->context;
    q->finished = true;
    q->result = result;
    q->answered = call->answered;
    q->digest = call->answered ? tact_xxh64_end(&call->answer) : 0;
    q->answer_bytes = call->answer.total;
    q->report = *call->report;
    const int device = tact_context_find(context, q->report.backend);
    if (device >= 0) {
        snprintf(q->driver, sizeof q->driver, "%s", tact_context_describe(context, (uint32_t)device)->driver);
    }
}

static void end(tact_record_call* call, tact_result result)
{
    tact_context* context = call->context;
    if (context->witness) {
        --context->witness->depth;
        context->witness->answered = call->answered;
        context->witness->digest = call->answered ? tact_xxh64_end(&call->answer) : 0;
        context->witness->bytes = call->answer.total;
    }
    tact_recorder* r = context->recorder;
    if (r) --r->depth;
    tact_record_entry* e = r ? find(r, call->number) : NULL;
    if (!e) return;
    finish(call, &e->query, result);
    shrink(r);
    if (result == TACT_ERROR_SHADOW_MISMATCH) {
        dump(r, "shadow", e->query.answered ? e->query.digest : e->query.number);
    }
}

tact_result tact_record_end(tact_record_call* call, tact_result result)
{
    if (call->context) {
        end(call, result);
        tact_monitor_leave(&call->context->recording);
    }
    return tact_submit_end(&call->submit, result, call->report);
}

void tact_record_late(tact_context* context, uint64_t number, tact_result result, const tact_query_report* report,
                      const void* answer, size_t size)
{
    if (!context->recorder) return;
    tact_monitor_enter(&context->recording);
    tact_record_entry* e = find(context->recorder, number);
    if (e) {
        e->query.result = result;
        if (report) e->query.report = *report;
        e->query.answered = answer != NULL;
    }
    if (e && answer) {
        e->query.digest = tact_xxh64_of(answer, size);
        e->query.answer_bytes = size;
    }
    tact_monitor_leave(&context->recording);
}
