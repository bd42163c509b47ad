// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch/cost_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/platform.h"

// All numbers are whole: a host program may have set a locale that writes 1.5 as 1,5.

enum { FORMAT = 2 };
static const double MILLIONTHS = 1e6;
static const uint64_t MOST_MILLIONTHS = 1000000000000000;  // 10^9, so that sums fit into 64 bits

static uint64_t hash_of(const char* text, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

bool tact_cost_store_head(const tact_device_info* device, char head[TACT_COST_HEAD_MAX])
{
    const bool cpu = device->backend == TACT_BACKEND_CPU;
    const int written =
        snprintf(head, TACT_COST_HEAD_MAX,
                 "tact costs %d\nlibrary %s\nbackend %s\ndevice %s\nvendor %s\ndriver %s\nversion %s\nthreads %u\n",
                 FORMAT, tact_version(), tact_backend_name(device->backend), device->name, device->vendor,
                 device->driver, device->version, cpu ? (unsigned)device->compute_units : 0);
    if ((size_t)written >= TACT_COST_HEAD_MAX) return false;  // also what is negative
    // A driver may say anything; a line is a line all the same, and one NUL ends the text.
    for (char* c = head; *c; ++c)
        if ((unsigned char)*c < ' ' && *c != '\n') *c = ' ';
    return true;
}

bool tact_cost_store_path(const char* directory, const char* head, char* path, size_t size)
{
    const int written =
        snprintf(path, size, "%s/costs-%016llx.txt", directory, (unsigned long long)hash_of(head, strlen(head)));
    return (size_t)written < size;
}

static uint64_t in_millionths(double value)
{
    const double scaled = value * MILLIONTHS;
    if (!(scaled > 0.0)) return 0;
    return scaled < (double)MOST_MILLIONTHS ? (uint64_t)(scaled + 0.5) : MOST_MILLIONTHS;
}

/// Adds a line for each size that differs from the fit. Returns how long they are, or `size` where they do not fit.
static size_t write_bends(const tact_cost_entry* e, char* text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < e->bend_count && used < size; ++i) {
        const uint64_t work = in_millionths(e->bends[i].work), ratio = in_millionths(e->bends[i].ratio);
        // Sizes that are the same in millionths are one.
        if (work == (i > 0 ? in_millionths(e->bends[i - 1].work) : 0)) continue;
        const int written =
            snprintf(text + used, size - used, "bend %llu %llu\n", (unsigned long long)work, (unsigned long long)ratio);
        used = (size_t)written >= size - used ? size : used + (size_t)written;
    }
    return used;
}

size_t tact_cost_store_write(const char* head, const tact_cost_table* table, char* text, size_t size)
{
    int written = snprintf(text, size, "%sday %llu\n", head, (unsigned long long)(table->day > 0 ? table->day : 0));
    if ((size_t)written >= size) return 0;
    size_t used = (size_t)written;
    for (uint32_t i = 0; i < table->count; ++i) {
        const tact_cost_entry* e = &table->entries[i];
        if (!e->calibrated) continue;
        uint64_t c[TACT_COST_TERMS];
        for (int k = 0; k < TACT_COST_TERMS; ++k)
            c[k] = in_millionths(e->coefficients[k]);
        written = snprintf(text + used, size - used, "entry %llu %llu %llu %llu %llu %llu %llu %s\n",
                           (unsigned long long)c[0], (unsigned long long)c[1], (unsigned long long)c[2],
                           (unsigned long long)c[3], (unsigned long long)c[4], (unsigned long long)e->samples,
                           (unsigned long long)in_millionths(e->error), e->key);
        if ((size_t)written >= size - used) return 0;
        used += (size_t)written;
        used += write_bends(e, text + used, size - used);
        if (used >= size) return 0;
    }
    written = snprintf(text + used, size - used, "end %016llx\n", (unsigned long long)hash_of(text, used));
    if ((size_t)written >= size - used) return 0;
    return used + (size_t)written;
}

/// What is left to read.
typedef struct reader {
    const char *at, *end;
} reader;

static bool take_text(reader* r, const char* text)
{
    const size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0) return false;
    r->at += length;
    return true;
}

/// Decimal digits and one character after them.
static bool take_number(reader* r, char after, uint64_t most, uint64_t* number)
{
    const char* begin = r->at;
    *number = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        if (*number > most) return false;
        *number = *number * 10 + (uint64_t)(*r->at++ - '0');
    }
    if (r->at == begin || *number > most || r->at == r->end || *r->at != after) return false;
    ++r->at;
    return true;
}

static bool take_entry(reader* r, tact_cost_entry* e)
{
    uint64_t c[TACT_COST_TERMS], samples, error;
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        if (!take_number(r, ' ', MOST_MILLIONTHS, &c[k])) return false;
    if (!take_number(r, ' ', TACT_COST_SAMPLES, &samples) || !take_number(r, ' ', MOST_MILLIONTHS, &error))
        return false;
    const char* line_end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!line_end) return false;
    const size_t length = (size_t)(line_end - r->at);
    if (length == 0 || length >= TACT_COST_KEY || memchr(r->at, '\0', length)) return false;
    *e = (tact_cost_entry){.calibrated = true, .samples = (uint32_t)samples, .error = (double)error / MILLIONTHS};
    memcpy(e->key, r->at, length);
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        e->coefficients[k] = (double)c[k] / MILLIONTHS;
    r->at = line_end + 1;
    return true;
}

/// The lines after an entry.
static bool take_bends(reader* r, tact_cost_entry* e)
{
    while (take_text(r, "bend ")) {
        uint64_t work, ratio;
        if (e->bend_count == TACT_COST_BENDS || !take_number(r, ' ', MOST_MILLIONTHS, &work) ||
            !take_number(r, '\n', MOST_MILLIONTHS, &ratio))
            return false;
        e->bends[e->bend_count++] = (tact_cost_bend){(double)work / MILLIONTHS, (double)ratio / MILLIONTHS};
    }
    return tact_cost_bends_plausible(e->bends, e->bend_count);
}

/// A device that takes no time for anything would be chosen for ever, and one that takes for ever would never be asked.
static bool refuse(const tact_cost_entry* e, char* why)
{
    double least = e->coefficients[0], most = least;
    for (int k = 1; k < TACT_COST_TERMS; ++k) {
        least = fmin(least, e->coefficients[k]);
        most = fmax(most, e->coefficients[k]);
    }
    if (why) {
        snprintf(why, TACT_COST_WHY_MAX, "the coefficients of %s, from %g to %g, are no machine's", e->key, least,
                 most);
    }
    return false;
}

/// One pass over the entries: into `table`, or, where that is NULL, only to see that all is well.
static bool take_entries(reader r, tact_cost_table* table, char* why)
{
    uint32_t count = 0;
    while (take_text(&r, "entry ")) {
        tact_cost_entry read;
        if (++count > TACT_COST_ENTRIES || !take_entry(&r, &read) || !take_bends(&r, &read)) return false;
        if (!tact_cost_plausible(read.coefficients)) return refuse(&read, why);
        tact_cost_entry* e = table ? tact_cost_entry_of(table, read.key) : NULL;
        if (!e) continue;
        e->calibrated = true;
        e->samples = read.samples;
        e->error = read.error;
        memcpy(e->coefficients, read.coefficients, sizeof e->coefficients);
        e->bend_count = read.bend_count;
        memcpy(e->bends, read.bends, sizeof e->bends);
    }
    return r.at == r.end;
}

bool tact_cost_store_parse(const char* head, const char* text, size_t size, tact_cost_table* table, char* why)
{
    enum { END = 21 };  // "end ", 16 digits and the line's end
    if (why) snprintf(why, TACT_COST_WHY_MAX, "it is not a calibration of this device");
    if (size > TACT_COST_FILE_MAX || size < END) return false;
    const size_t body = size - END;
    char expected[END + 1];
    snprintf(expected, sizeof expected, "end %016llx\n", (unsigned long long)hash_of(text, body));
    if (memcmp(text + body, expected, END) != 0) return false;
    reader r = {text, text + body};
    uint64_t day;
    if (!take_text(&r, head) || !take_text(&r, "day ") || !take_number(&r, '\n', 2932896, &day)) return false;
    if (!take_entries(r, NULL, why)) return false;
    table->day = (int64_t)day;
    return take_entries(r, table, NULL);
}

// ---- Files ----

static bool path_of(tact_context* context, uint32_t device, char head[TACT_COST_HEAD_MAX], char* path, size_t size)
{
    // What a modelled device takes changes with the model, and is of no use to other contexts.
    return context->cache_directory[0] && !context->model.name[0] &&
           tact_cost_store_head(tact_context_describe(context, device), head) &&
           tact_cost_store_path(context->cache_directory, head, path, size);
}

void tact_cost_store_load(tact_context* context)
{
    const uint32_t open = (1u << context->device_count) - 1u;
    if (context->costs_loaded == open) return;
    const uint32_t loaded = context->costs_loaded;
    context->costs_loaded = open;
    ++context->costs_changed;
    if (context->uncalibrated) return;
    for (uint32_t i = 0; open >> i; ++i) {
        if (loaded >> i & 1u) continue;
        char head[TACT_COST_HEAD_MAX], path[1200], text[TACT_COST_FILE_MAX + 1];
        if (!path_of(context, i, head, path, sizeof path)) continue;
        const char* distrusted = NULL;
        FILE* file = tact_platform_open_trusted(path, &distrusted);
        if (distrusted) tact_log(&context->env, TACT_LOG_WARNING, "costs", "%s is ignored: %s", path, distrusted);
        if (!file) continue;
        const size_t size = fread(text, 1, sizeof text, file);
        fclose(file);
        char why[TACT_COST_WHY_MAX];
        if (!tact_cost_store_parse(head, text, size, &context->costs[i], why)) {
            tact_log(&context->env, TACT_LOG_WARNING, "costs", "%s is ignored: %s", path, why);
        }
    }
}

bool tact_cost_store_save(tact_context* context, uint32_t device)
{
    char head[TACT_COST_HEAD_MAX], path[1200], text[TACT_COST_FILE_MAX];
    if (!path_of(context, device, head, path, sizeof path)) return context->model.name[0] != 0;
    const size_t size = tact_cost_store_write(head, &context->costs[device], text, sizeof text);
    return size > 0 && tact_platform_write_file(path, TACT_FILE_PRIVATE | TACT_FILE_SYNC, text, size, NULL, 0);
}

bool tact_cost_store_forget(tact_context* context, uint32_t device)
{
    char head[TACT_COST_HEAD_MAX], path[1200];
    if (!path_of(context, device, head, path, sizeof path)) return true;
    return remove(path) == 0 || !tact_platform_exists(path);
}
