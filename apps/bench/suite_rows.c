// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Reading the rows of `tact bench`.

#include <stdio.h>
#include <string.h>

#include "apps/bench/suite.h"

size_t tact_suite_series(const tact_suite_results* results, size_t at)
{
    size_t end = at;
    while (end < results->count && results->rows[end].query == results->rows[at].query &&
           strcmp(results->rows[end].mesh, results->rows[at].mesh) == 0)
        ++end;
    return end - at;
}

bool tact_suite_counts(const tact_suite_row* row)
{
    return row->status == TACT_BENCH_EQUAL;
}

const char* tact_suite_who(const tact_suite_row* row)
{
    return row->peer ? row->peer : tact_backend_name(row->backend);
}

const char* tact_suite_result(const tact_suite_row* row)
{
    static const char* const names[] = {"equal", "DIFFERS", "failed", "left out: slow", "missing", "left out: stopped"};
    if (row->peer) return row->detail[0] ? "counts differ" : "as many";
    if (row->status == TACT_BENCH_EQUAL && row->query->within_tolerance && row->backend != TACT_BACKEND_CPU)
        return "within tolerance";
    return names[row->status];
}

bool tact_suite_is_left_out(const tact_suite_row* row)
{
    return row->status == TACT_BENCH_TOO_SLOW || row->status == TACT_BENCH_STOPPED;
}

const tact_suite_row* tact_suite_left_out_row(const tact_suite_row* rows, size_t count, const char* who)
{
    for (size_t i = 0; i < count; ++i)
        if (tact_suite_is_left_out(&rows[i]) && strcmp(tact_suite_who(&rows[i]), who) == 0) return &rows[i];
    return NULL;
}

bool tact_suite_left_out(const tact_suite_row* rows, size_t count, char* text, size_t size)
{
    size_t used = 0;
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_CL; ++b) {
        const char* name = tact_backend_name((tact_backend)b);
        const tact_suite_row* row = tact_suite_left_out_row(rows, count, name);
        char from[32];
        if (!row) continue;
        tact_text_grouped((double)row->size, from, sizeof from);
        const int length =
            snprintf(text + used, size - used, "%s%s from %s %s on", used ? ", " : "", name, from, row->query->unit);
        if (length > 0) used = used + (size_t)length < size ? used + (size_t)length : size - 1;
    }
    return used > 0;
}

bool tact_suite_crossover(const tact_suite_row* rows, size_t count, tact_backend backend, tact_crossover* crossover)
{
    enum { SIZES = 32 };
    double sizes[SIZES], base[SIZES], other[SIZES];
    size_t n = 0;
    for (size_t i = 0; i < count && n < SIZES; ++i) {
        if (rows[i].peer || rows[i].backend != backend || !tact_suite_counts(&rows[i])) continue;
        for (size_t k = 0; k < count; ++k) {
            const tact_suite_row* cpu = &rows[k];
            if (cpu->peer || cpu->backend != TACT_BACKEND_CPU || cpu->size != rows[i].size || !tact_suite_counts(cpu))
                continue;
            sizes[n] = (double)rows[i].size;
            base[n] = cpu->total.median;
            other[n++] = rows[i].total.median;
            break;
        }
    }
    *crossover = tact_find_crossover(sizes, base, other, n);
    return crossover->kind != TACT_CROSSOVER_UNKNOWN;
}

void tact_suite_crossover_text(const tact_crossover* crossover, const char* unit, char* text, size_t size)
{
    char number[48], largest[48];
    tact_text_grouped(crossover->size, number, sizeof number);
    tact_text_grouped(crossover->largest, largest, sizeof largest);
    switch (crossover->kind) {
        case TACT_CROSSOVER_NONE:
            snprintf(text, size, "none up to %s %s", number, unit);
            break;
        case TACT_CROSSOVER_ALWAYS:
            if (crossover->size < crossover->largest) {
                snprintf(text, size, "at every size, %s to %s %s", number, largest, unit);
            } else {
                snprintf(text, size, "at %s %s, the one size measured", number, unit);
            }
            break;
        case TACT_CROSSOVER_AT:
            snprintf(text, size, "from about %s on, up to %s %s", number, largest, unit);
            break;
        case TACT_CROSSOVER_UNKNOWN:
        default:
            snprintf(text, size, "not measured");
            break;
    }
}
