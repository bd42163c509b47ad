// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// All from pairs to contacts stays on the device. It is waited for once where shapes have parts, when these are
// counted, and once for the contacts, of which as many are read as the last time made likely.

#include "gpu/contacts/contacts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/contacts/resident.h"

enum {
    PAIRS = 1 << 20,  // of a chunk
    SOFT_PAIRS = 1 << 16,
    ITEMS = 1 << 20,
    CONTACT = 4 * TACT_CONTACT_WORDS,
    SOFT_ROUNDS = 60000,  // software ends loops, silently, after 65,535 rounds
    SOFT_STEPS = 4096     // down trees, each of which looks at TACT_BVH_MAX_LEAF parts at most
};

_Static_assert(sizeof(tact_contact) == CONTACT && offsetof(tact_contact, origin) == 16 &&
                   offsetof(tact_contact, normal) == 20 &&
                   offsetof(tact_contact, count) == 4 * TACT_CONTACT_COUNT_WORD &&
                   offsetof(tact_contact, point) == 4 * (TACT_CONTACT_COUNT_WORD + 1) &&
                   sizeof(tact_contact_point) == 4 * TACT_CONTACT_POINT_WORDS,
               "devices write contacts");
_Static_assert(TACT_BVH_MAX_DEPTH + 2 <= TACT_TREE_STACK, "all that waits fits");
_Static_assert((uint64_t)PAIRS* TACT_TREE_ITEMS <= 1ull << 32, "a pair has fewer items: their sum has 32 bits");

typedef struct contacts_run {
    tact_gpu_contacts* g;
    tact_gpu_contacts_job* job;
    bool software;
    bool bins;
    size_t most;  // items at a time
} contacts_run;

/// Makes room for contacts behind those that were found and `kept` ones.
static tact_result make_room(const contacts_run* c, size_t kept, size_t more)
{
    tact_gpu_contacts_job* job = c->job;
    void* contacts = *job->contacts;
    const bool good = tact_reserve(tact_device_env(c->g->device), &contacts, job->capacity, job->found + kept,
                                   job->found + kept + more, sizeof(tact_contact));
    *job->contacts = contacts;
    return good ? TACT_OK : tact_device_fail(c->g->device, TACT_ERROR_OUT_OF_MEMORY);
}

static void launch_items(const contacts_run* c, tact_buffer* pairs, size_t first, size_t count, uint32_t fill)
{
    tact_gpu_contacts* g = c->g;
    TACT_LAUNCH_ITEMS(g->device, contact_items, count, .pairs = pairs, .bodies = g->bodies, .shapes = g->shapes,
                      .trees = g->trees, .counts = g->counts, .items = g->items, .first = (uint32_t)first,
                      .count = (uint32_t)count, .fill = fill, .steps = c->software ? SOFT_STEPS : TACT_TREE_STEPS);
}

/// Leaves items of the pairs from `first` on, of at most *count, in g->items. Returns how many there are; *count
/// becomes the pairs they are of.
static size_t expand(const contacts_run* c, tact_buffer* pairs, size_t first, size_t* count)
{
    tact_gpu_contacts* g = c->g;
    size_t items = *count;
    tact_buffer_hold(g->device, &g->counts, (*count + 1) * sizeof(uint32_t));
    tact_buffer_hold(g->device, &g->items, ROW);
    while (c->job->tables->with_parts) {
        uint32_t total = 0;
        launch_items(c, pairs, first, *count, 0);
        tact_scan_run(g->scan, g->counts, g->counts, (uint32_t)*count + 1, NULL, 0);
        tact_buffer_read(g->counts, *count * sizeof total, &total, sizeof total);
        if (tact_device_result(g->device) != TACT_OK) return 0;
        items = total;
        if (items <= c->most || *count == 1) break;
        *count = (*count + 1) / 2;
    }
    if (items == 0) return 0;
    tact_buffer_hold(g->device, &g->items, items * ROW);
    launch_items(c, pairs, first, *count, c->job->tables->with_parts ? 1 : 2);
    return items;
}

/// Brings items whose parts are given.
static size_t bring_items(const contacts_run* c, size_t first, size_t count)
{
    const tact_gpu_contacts_job* job = c->job;
    uint32_t(*rows)[4] = tact_allocate(tact_device_env(c->g->device), count, sizeof *rows);
    if (!rows) {
        tact_device_fail(c->g->device, TACT_ERROR_OUT_OF_MEMORY);
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        const tact_pair pair = job->pairs[first + i], parts = job->parts[first + i];
        const uint32_t row[4] = {pair.a, pair.b, parts.a, parts.b};
        memcpy(rows[i], row, sizeof row);
    }
    tact_gpu_bring(c->g, &c->g->items, rows, count * sizeof *rows);
    tact_release(tact_device_env(c->g->device), rows);
    return count;
}

static void bin(const contacts_run* c, size_t items)
{
    tact_gpu_contacts* g = c->g;
    const uint32_t n = (uint32_t)items;
    tact_buffer_hold(g->device, &g->bins, items * sizeof n);
    tact_buffer_hold(g->device, &g->order, items * sizeof n);
    tact_buffer_hold(g->device, &g->binned, 2 * items * ROW);
    for (uint32_t ordered = 0; ordered < 2; ++ordered) {
        TACT_LAUNCH_ITEMS(g->device, contact_bins, items, .items = g->items, .bodies = g->bodies, .shapes = g->shapes,
                          .points = g->points, .bins = g->bins, .order = g->order, .binned = g->binned, .count = n,
                          .ordered = ordered);
        const tact_sort_job sort = {
            .keys_in = g->bins, .keys_out = g->bins, .values_out = g->order, .count = n, .key_words = 1, .key_bits = 8};
        if (!ordered) tact_radix_sort_run(g->sort, &sort);
    }
}

/// Leaves the contacts of the items that have points, or are left to the host, in g->kept.
static void find(const contacts_run* c, size_t items)
{
    tact_gpu_contacts* g = c->g;
    const uint32_t n = (uint32_t)items;
    tact_buffer_hold(g->device, &g->found, items * CONTACT);
    tact_buffer_hold(g->device, &g->kept, items * CONTACT);
    tact_buffer_hold(g->device, &g->flags, items * sizeof n);
    tact_buffer_hold(g->device, &g->total, ROW);
    if (c->bins) bin(c, items);
    TACT_LAUNCH_ITEMS(g->device, contacts, items, .shapes = g->shapes, .points = g->points, .faces = g->faces,
                      .corners = g->corners, .edges = g->edges, .bodies = g->bodies,
                      .items = c->bins ? g->binned : g->items, .found = g->found, .count = n, .binned = c->bins,
                      .most = c->software ? SOFT_ROUNDS : 0);
    TACT_LAUNCH_ITEMS(g->device, contact_flags, items, .found = g->found, .flags = g->flags, .count = n);
    tact_compact_values(g->compact, g->flags, g->found, TACT_CONTACT_WORDS, g->kept, n, g->total, 0);
}

/// Reads the contacts behind those that were found, and returns how many there are.
static size_t take(const contacts_run* c, size_t items)
{
    tact_gpu_contacts* g = c->g;
    const size_t likely = (size_t)((double)items * g->share * 1.125) + 64, guess = likely < items ? likely : items;
    uint32_t kept = 0;
    if (make_room(c, 0, guess) != TACT_OK) return 0;
    const tact_read reads[] = {{g->total, 0, sizeof kept, &kept},
                               {g->kept, 0, guess * CONTACT, *c->job->contacts + c->job->found}};
    if (tact_device_read(g->device, reads, 2) != TACT_OK) return 0;
    TACT_ASSERT(kept <= items);
    g->share = (double)kept / (double)items;
    if (kept <= guess) return kept;
    if (make_room(c, guess, kept - guess) != TACT_OK) return 0;
    tact_buffer_read(g->kept, guess * CONTACT, *c->job->contacts + c->job->found + guess, (kept - guess) * CONTACT);
    return kept;
}

static int compare_words(uint32_t x, uint32_t y)
{
    return (x > y) - (x < y);
}

static int compare_contacts(const void* p, const void* q)
{
    const tact_contact *x = p, *y = q;
    int order = compare_words(x->a, y->a);
    if (order == 0) order = compare_words(x->b, y->b);
    if (order == 0) order = compare_words(x->part_a, y->part_a);
    return order == 0 ? compare_words(x->part_b, y->part_b) : order;
}

/// Puts the parts of each pair in order.
static void order_parts(tact_contact* contacts, size_t count)
{
    for (size_t first = 0, i = 1; i <= count; ++i) {
        if (i < count && contacts[i].a == contacts[first].a && contacts[i].b == contacts[first].b) continue;
        if (i - first > 1) qsort(contacts + first, i - first, sizeof *contacts, compare_contacts);
        first = i;
    }
}

/// Works out what a row of the device's leaves to the host, behind what was found.
static tact_result work_out(const contacts_run* c, tact_pair pair, tact_pair parts)
{
    tact_gpu_contacts_job* job = c->job;
    tact_env* env = tact_device_env(c->g->device);
    tact_contact_items items = {.pairs = &pair, .parts = &parts, .count = 1};
    const bool all = parts.a == TACT_CONTACT_NONE;
    tact_result result = TACT_OK;
    if (all) {
        items = (tact_contact_items){0};
        result = tact_contact_items_find(env, job->threads, job->tables, job->bodies, &pair, 1, false, &items);
    }
    if (result == TACT_OK) result = make_room(c, 0, items.count);
    if (result == TACT_OK) {
        tact_contact* to = *job->contacts + job->found;
        const tact_contacts_job host = {.tables = job->tables,
                                        .bodies = job->rows,
                                        .pairs = items.pairs,
                                        .parts = items.parts,
                                        .count = items.count,
                                        .contacts = to,
                                        .threads = job->threads};
        size_t found;
        result = tact_contacts_run(env, &host, false, &found);
        job->found += found;
    }
    if (all) tact_contact_items_release(env, &items);
    return tact_device_fail(c->g->device, result);
}

/// Adds `count` rows of the device's, of which some may be left to the host.
static void settle(const contacts_run* c, size_t count)
{
    tact_gpu_contacts_job* job = c->job;
    const size_t first = job->found;
    tact_contact* rows = *job->contacts + first;
    size_t kept = 0;
    while (kept < count && rows[kept].count != TACT_CONTACT_LEFT)
        ++kept;
    job->found += count;
    if (kept == count) {
        if (job->tables->with_parts) order_parts(rows, count);
        return;
    }
    for (size_t i = kept; i < count && tact_device_result(c->g->device) == TACT_OK; ++i) {
        const tact_contact row = (*job->contacts)[first + i];
        if (row.count == TACT_CONTACT_LEFT) work_out(c, (tact_pair){row.a, row.b}, (tact_pair){row.part_a, row.part_b});
    }
    rows = *job->contacts + first;
    const size_t all = job->found - first;
    for (size_t i = kept; i < all; ++i)
        if (rows[i].count != TACT_CONTACT_LEFT) rows[kept++] = rows[i];
    job->found = first + kept;
    qsort(rows, kept, sizeof *rows, compare_contacts);
}

/// Whether shapes are of more than one kind.
static bool are_mixed(const tact_shape_tables* t)
{
    for (size_t i = TACT_SHAPE_ROWS; i < t->shape_count; i += TACT_SHAPE_ROWS)
        if (t->shapes[i].x != t->shapes[0].x) return true;
    return false;
}

/// Builds what is needed.
static tact_result prepare(tact_gpu_contacts* g, bool bins)
{
    if (!g->scan) tact_scan_create(g->device, 0, &g->scan);
    if (!g->compact) tact_compact_create(g->device, 0, &g->compact);
    if (bins && !g->sort) tact_radix_sort_create(g->device, 0, &g->sort);
    static const tact_kernel_id kernels[] = {TACT_KERNEL_contact_items, TACT_KERNEL_contacts, TACT_KERNEL_contact_flags,
                                             TACT_KERNEL_compact_write, TACT_KERNEL_contact_bins};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels - !bins; ++i)
        tact_device_prepare(g->device, kernels[i]);
    return tact_device_result(g->device);
}

/// How many items a device takes at a time.
static size_t most_items(const tact_device* device)
{
    const uint64_t bytes = tact_device_describe(device)->max_buffer_bytes, most = bytes / CONTACT;
    return most > 0 && most < ITEMS ? (size_t)most : ITEMS;
}

static void run_chunks(const contacts_run* c, tact_query_report* report)
{
    tact_gpu_contacts* g = c->g;
    tact_gpu_contacts_job* job = c->job;
    const size_t chunk = c->software ? SOFT_PAIRS : PAIRS, most = chunk < c->most ? chunk : c->most;
    const double start = tact_device_milliseconds(g->device), read = tact_device_read_ms(g->device);
    double upload = 0.0;
    size_t done = 0;
    while (done < job->count && tact_device_result(g->device) == TACT_OK) {
        size_t pairs = job->count - done < most ? job->count - done : most;
        const double before = tact_device_milliseconds(g->device);
        size_t items = job->parts ? bring_items(c, done, pairs) : 0;
        if (job->pairs && !job->parts) tact_gpu_bring(g, &g->pairs, job->pairs + done, pairs * sizeof *job->pairs);
        upload += tact_device_milliseconds(g->device) - before;
        if (!job->parts) items = expand(c, job->pairs ? g->pairs : job->there, job->pairs ? 0 : done, &pairs);
        if (items > 0) {
            find(c, items);
            settle(c, take(c, items));
        }
        done += pairs;
        tact_gpu_goes_on(g->device, job->progress, job->progress_user, (double)done / (double)job->count);
    }
    const double moved = tact_device_read_ms(g->device) - read;
    report->upload_ms += upload;
    report->download_ms += moved;
    report->query_ms += tact_device_milliseconds(g->device) - start - upload - moved;
}

static tact_result run_all(tact_gpu_contacts* g, tact_gpu_contacts_job* job, tact_query_report* report)
{
    const contacts_run c = {.g = g,
                            .job = job,
                            .software = tact_device_describe(g->device)->software,
                            .bins = are_mixed(job->tables),
                            .most = most_items(g->device)};
    const double start = tact_device_milliseconds(g->device);
    if (prepare(g, c.bins) != TACT_OK) return tact_device_result(g->device);
    const double built = tact_device_milliseconds(g->device);
    tact_gpu_bring_shapes(g, job->tables);
    if (!job->parts) tact_gpu_bring_trees(g, job->tables);
    tact_gpu_bring(g, &g->bodies, job->rows, job->body_end * TACT_POSED_ROWS * ROW);
    TACT_DEVICE_WITHIN(g->device, "room for %zu bodies: ", job->body_end);
    report->build_ms += built - start;
    report->upload_ms += tact_device_milliseconds(g->device) - built;
    run_chunks(&c, report);
    report->memory_bytes += tact_gpu_contacts_bytes(g);
    return tact_device_result(g->device);
}

tact_result tact_gpu_contacts_run(tact_device* device, tact_gpu_contacts** resident, tact_gpu_contacts_job* job,
                                  tact_query_report* report)
{
    job->found = 0;
    tact_result result = tact_gpu_contacts_make(device, resident);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (job->count > 0) result = run_all(*resident, job, report);
    tact_device_leave(device);
    return result;
}
