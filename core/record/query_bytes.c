// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A query as the bytes of its chunk.

#include <string.h>

#include "core/record/record.h"

// One description for both ways.

typedef struct query_bytes {
    uint8_t* out;  ///< NULL: reading
    const uint8_t* in;
    size_t at;
} query_bytes;

static uint64_t field(query_bytes* b, uint64_t value, int size)
{
    uint64_t read = 0;
    for (int i = 0; i < size; ++i) {
        if (b->out) b->out[b->at + (size_t)i] = (uint8_t)(value >> (8 * i));
        if (b->in) read |= (uint64_t)b->in[b->at + (size_t)i] << (8 * i);
    }
    b->at += (size_t)size;
    return b->in ? read : value;
}

static void word(query_bytes* b, uint32_t* x)
{
    *x = (uint32_t)field(b, *x, 4);
}

static void number(query_bytes* b, int* x)
{
    uint32_t bits = (uint32_t)*x;
    word(b, &bits);
    memcpy(x, &bits, sizeof *x);
}

static void wide(query_bytes* b, uint64_t* x)
{
    *x = field(b, *x, 8);
}

static void real(query_bytes* b, double* x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    wide(b, &bits);
    memcpy(x, &bits, sizeof bits);
}

static void truth(query_bytes* b, bool* x)
{
    *x = field(b, *x, 4) != 0;
}

/// One line of text, whatever the file says.
static void text(query_bytes* b, char* x, size_t size)
{
    const size_t length = b->out ? strlen(x) : 0;
    for (size_t i = 0; i < size; ++i) {
        uint8_t c = (uint8_t)field(b, i < length ? (uint8_t)x[i] : 0, 1);
        if (!b->in) continue;
        if (c != 0 && (c < 32 || c >= 127)) c = '?';
        x[i] = (char)(i + 1 < size ? c : 0);
    }
}

static void visit(query_bytes* b, tact_recorded_query* q)
{
    int kind = (int)q->kind, backend = (int)q->backend, unused = 0, result = (int)q->result;
    int by = (int)q->report.backend;
    number(b, &kind);
    number(b, &backend);
    number(b, &q->threads);
    number(b, &unused);
    truth(b, &q->shadow);
    truth(b, &q->no_fallback);
    for (int i = 0; i < TACT_RECORDED_PARAMETERS; ++i)
        word(b, &q->parameters[i]);
    wide(b, &q->number);
    wide(b, &q->count);
    wide(b, &q->bytes);
    truth(b, &q->finished);
    truth(b, &q->answered);
    number(b, &result);
    number(b, &by);
    wide(b, &q->digest);
    wide(b, &q->answer_bytes);
    number(b, &q->report.threads);
    word(b, &q->report.failures);
    truth(b, &q->report.software);
    truth(b, &q->report.exact);
    real(b, &q->report.tolerance);
    real(b, &q->report.build_ms);
    real(b, &q->report.upload_ms);
    real(b, &q->report.query_ms);
    real(b, &q->report.download_ms);
    real(b, &q->report.total_ms);
    wide(b, &q->report.memory_bytes);
    text(b, q->report.device, sizeof q->report.device);
    text(b, q->report.reason, sizeof q->report.reason);
    text(b, q->driver, sizeof q->driver);
    text(b, q->missing, sizeof q->missing);
    q->kind = (tact_recorded_kind)kind;
    q->backend = (tact_backend)backend;

    q->result = (tact_result)result;
    q->report.backend = (tact_backend)by;
}

void tact_record_put_query(const tact_recorded_query* query, uint8_t bytes[TACT_RECORD_QUERY_BYTES])
{
    tact_recorded_query copy = *query;
    query_bytes b = {.out = bytes};
    memset(bytes, 0, TACT_RECORD_QUERY_BYTES);
    visit(&b, &copy);
}

bool tact_record_get_query(const uint8_t bytes[TACT_RECORD_QUERY_BYTES], tact_recorded_query* query)
{
    // An enumeration must not hold what it has no room for: looked at as numbers first.
    query_bytes b = {.in = bytes};
    const uint64_t kind = field(&b, 0, 4), backend = field(&b, 0, 4), threads = field(&b, 0, 4), sort = field(&b, 0, 4);
    // Files of earlier versions say here how devices were to sort rays, which changes no answer.
    if (kind == 0 || kind >= TACT_RECORDED_KINDS || backend >= TACT_BACKEND_COUNT || threads > 1024 || sort > 2) {
        return false;
    }
    memset(query, 0, sizeof *query);
    b.at = 0;
    visit(&b, query);
    return (int)query->result >= TACT_ERROR_INTERNAL && (int)query->result <= TACT_INCOMPLETE &&
           (unsigned)query->report.backend < TACT_BACKEND_COUNT;
}
