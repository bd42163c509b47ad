// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// kernels/pick_layout.h tells how the things are found. All buffers follow the size of the image, since any number of
// its pixels may show something of their own; what comes back follows the number of things.
#include "gpu/pick/reduce.h"

#include <string.h>

#include "gpu/chunks.h"
#include "kernels/pick_layout.h"

enum {
    GROUP = 256,
    HEAD_BYTES = 64,
    ROW_BYTES = 32,
    GROUPS_OF_ROWS = 4096,
    SMALL = 1024,      // pixels that are read at once sooner than five launches are under way
    PIECE = 64 * 1024  // pixels that are read at a time, so that they stay in a cache
};

_Static_assert(HEAD_BYTES == PICK_ROWS * 4 && ROW_BYTES == sizeof(tact_pick_found), "the head as kernels write it");

struct tact_pick_reducer {
    tact_device* device;
    tact_env* env;
    tact_buffer *table, *things, *sums, *head, *bits;
    tact_buffer* gathered;  ///< ids, when there are many things
    tact_fence* fence;      ///< behind the kernels of the answer on its way
    bool started;
    tact_pick_place place;
    bool here;  ///< found by the host
    uint64_t bytes;
    // What was asked.
    tact_pick_mask mask;
    tact_pick_rule rule;
    tact_buffer *ids, *surfaces;
    bool up;
    uint32_t count, slots;
};

tact_result tact_pick_reducer_create(tact_device* device, tact_pick_reducer** reducer)
{
    *reducer = NULL;
    tact_env* env = tact_device_env(device);
    tact_pick_reducer* r = tact_allocate_zeroed(env, 1, sizeof *r);
    if (!r) return TACT_ERROR_OUT_OF_MEMORY;
    r->device = device;
    r->env = env;
    *reducer = r;
    return TACT_OK;
}

static void forget(tact_pick_reducer* r)
{
    if (r->fence) tact_fence_destroy(r->fence);
    r->fence = NULL;
    r->started = false;
    r->bytes = 0;
}

void tact_pick_reducer_destroy(tact_pick_reducer* reducer)
{
    if (!reducer) return;
    forget(reducer);
    tact_buffer* const buffers[] = {reducer->table, reducer->things, reducer->sums,
                                    reducer->head,  reducer->bits,   reducer->gathered};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i)
        tact_buffer_destroy(buffers[i]);
    tact_release(reducer->env, reducer);
}

uint64_t tact_pick_reducer_bytes(const tact_pick_reducer* reducer)
{
    return reducer->bytes;
}

void tact_pick_reducer_set_place(tact_pick_reducer* reducer, tact_pick_place place)
{
    reducer->place = place;
}

// ---- Start ----

static tact_result check_image(const tact_pick_reducer* r, uint64_t count)
{
    if (count >= 0x80000000u) {
        return TACT_DEVICE_FAIL(r->device, TACT_ERROR_LIMIT, "picks: %llu pixels, fewer than 2^31 are possible",
                                (unsigned long long)count);
    }
    tact_check_words(r->device, "picks", "ids", r->ids, count * 4);
    return tact_check_words(r->device, "picks", "surfaces", r->surfaces, count * 2);
}

static void hold_buffers(tact_pick_reducer* r)
{
    // At most two thirds of the slots are taken; at least a third when each pixel shows something of its own. With the
    // ids of a pixel, 16 bytes, the table's 12 at most fit a buffer, too.
    uint64_t slots = 64;
    while (slots < (uint64_t)r->count + r->count / 2)
        slots *= 2;
    r->slots = (uint32_t)slots;
    const struct {
        tact_buffer** buffer;
        uint64_t bytes;
    } wanted[] = {{&r->table, slots * 4},
                  {&r->things, (uint64_t)r->count * 4},
                  {&r->sums, (uint64_t)r->count * 16},
                  {&r->head, HEAD_BYTES + (uint64_t)PICK_ROWS_MAX * ROW_BYTES},
                  {&r->bits, r->mask.bits ? (uint64_t)r->mask.row_words * r->mask.height * 4 : 4}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i)
        tact_buffer_hold(r->device, wanted[i].buffer, wanted[i].bytes);
}

static void fill_buffers(tact_pick_reducer* r)
{
    tact_buffer_fill(r->table, 0, (size_t)r->slots * 4, 0);
    tact_buffer_fill(r->head, 0, HEAD_BYTES, 0);
    if (r->mask.bits) tact_buffer_write(r->bits, 0, r->mask.bits, (size_t)r->mask.row_words * r->mask.height * 4);
}

/// Items that walk over several pixels each.
static uint32_t groups_of_pixels(const tact_pick_reducer* r)
{
    const uint32_t each = GROUP * PICK_ITEMS;
    return r->count / each + (r->count % each != 0);
}

static tact_result claim(tact_pick_reducer* r)
{
    return TACT_LAUNCH(r->device, pick_claim, groups_of_pixels(r), .ids = r->ids, .surfaces = r->surfaces,
                       .bits = r->bits, .table = r->table, .things = r->things, .sums = r->sums, .head = r->head,
                       .count = r->count, .width = r->mask.width, .height = r->mask.height, .up = r->up,
                       .row_words = r->mask.bits ? r->mask.row_words : 0, .group = (uint32_t)r->rule.group,
                       .slots = r->slots);
}

static tact_result find_nearest(tact_pick_reducer* r, uint32_t word, bool counts)
{
    return TACT_LAUNCH(r->device, pick_nearest, groups_of_pixels(r), .surfaces = r->surfaces, .things = r->things,
                       .sums = r->sums, .count = r->count, .width = r->mask.width, .height = r->mask.height,
                       .up = r->up, .reversed = r->rule.reversed, .point = r->mask.point, .point_x = r->mask.point_x,
                       .point_y = r->mask.point_y, .word = word, .counts = counts);
}

static tact_result write_rows(tact_pick_reducer* r)
{
    const uint32_t groups = r->count / GROUP + (r->count % GROUP != 0);
    return TACT_LAUNCH(r->device, pick_rows, groups < GROUPS_OF_ROWS ? groups : GROUPS_OF_ROWS, .ids = r->ids,
                       .surfaces = r->surfaces, .sums = r->sums, .head = r->head, .width = r->mask.width,
                       .height = r->mask.height, .up = r->up);
}

static bool is_for_host(const tact_pick_reducer* r)
{
    if (r->place != TACT_PICK_PLACE_AUTO) return r->place == TACT_PICK_PLACE_HOST;
    // To read from such a device is to copy memory, which takes a fifth of the time of the kernels.
    return r->count <= SMALL || tact_device_describe(r->device)->software;
}

static tact_result start(tact_pick_reducer* r)
{
    r->here = is_for_host(r);
    if (r->here) return tact_fence_create(r->device, &r->fence);
    hold_buffers(r);
    fill_buffers(r);
    claim(r);
    const uint32_t first = r->mask.point ? PICK_SUM_DISTANCE : PICK_SUM_DEPTH;
    for (uint32_t word = first; word <= PICK_SUM_PIXEL; ++word)
        find_nearest(r, word, word == first);
    write_rows(r);
    return tact_fence_create(r->device, &r->fence);
}

tact_result tact_pick_reducer_start(tact_pick_reducer* reducer, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                    tact_buffer* ids, tact_buffer* surfaces, bool up)
{
    tact_pick_reducer* r = reducer;
    forget(r);
    r->mask = *mask;
    r->rule = *rule;
    r->ids = ids;
    r->surfaces = surfaces;
    r->up = up;
    const uint64_t count = (uint64_t)mask->width * mask->height;
    tact_result result = check_image(r, count);
    r->count = (uint32_t)count;
    if (result == TACT_OK && count) result = start(r);
    r->started = result == TACT_OK;
    return result == TACT_OK ? TACT_OK : tact_fail_within(r->env, result, "reducing picks: ");
}

// ---- Collect ----

static tact_result check_started(const tact_pick_reducer* r)
{
    if (r->started) return TACT_OK;
    return TACT_DEVICE_FAIL(r->device, TACT_ERROR_INVALID_ARGUMENT, "no reduction of picks is on its way");
}

tact_result tact_pick_reducer_poll(tact_pick_reducer* reducer, bool* done)
{
    *done = false;
    const tact_result result = check_started(reducer);
    if (result != TACT_OK || reducer->fence) return result ? result : tact_fence_poll(reducer->fence, done);
    *done = true;
    return TACT_OK;
}

static tact_result read_counted(tact_pick_reducer* r, tact_buffer* from, size_t offset, void* to, size_t bytes)
{
    r->bytes += bytes;
    return tact_buffer_read(from, offset, to, bytes);
}

/// A piece of the image, read into memory of its own.
typedef struct piece {
    tact_pick_reducer* r;
    tact_pick_ids* ids;
    tact_pick_surface* surfaces;
} piece;

static tact_result fetch_piece(uint32_t first, uint32_t count, const tact_pick_ids** ids,
                               const tact_pick_surface** surfaces, void* user)
{
    piece* p = user;
    const size_t begin = (size_t)first * p->r->mask.width, pixels = (size_t)count * p->r->mask.width;
    *ids = p->ids;
    *surfaces = p->surfaces;
    const tact_result result = read_counted(p->r, p->r->ids, begin * sizeof *p->ids, p->ids, pixels * sizeof *p->ids);
    if (result != TACT_OK) return result;
    return read_counted(p->r, p->r->surfaces, begin * sizeof *p->surfaces, p->surfaces, pixels * sizeof *p->surfaces);
}

static tact_result reduce_here(tact_pick_reducer* r, tact_pick_list* list)
{
    const uint32_t rows = r->mask.width < PIECE ? PIECE / r->mask.width : 1;
    const uint32_t most = rows < r->mask.height ? rows : r->mask.height;
    piece p = {.r = r};
    p.ids = tact_allocate(r->env, (size_t)most * r->mask.width, sizeof *p.ids);
    p.surfaces = tact_allocate(r->env, (size_t)most * r->mask.width, sizeof *p.surfaces);
    tact_result result = p.ids && p.surfaces ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        result = tact_pick_reduce_pieces(r->env, &r->mask, &r->rule, fetch_piece, &p, most, r->up, list);
    }
    tact_release(r->env, p.ids);
    tact_release(r->env, p.surfaces);
    return result;
}

static tact_result gather_ids(tact_pick_reducer* r, uint32_t things)
{
    tact_buffer_hold(r->device, &r->gathered, (uint64_t)things * sizeof(tact_pick_ids));
    return TACT_LAUNCH_ITEMS(r->device, pick_ids, things, .ids = r->ids, .sums = r->sums, .gathered = r->gathered,
                             .things = things, .width = r->mask.width, .height = r->mask.height, .up = r->up);
}

/// More things than the head has rows for.
static tact_result read_many(tact_pick_reducer* r, uint32_t things, tact_pick_list* list)
{
    tact_pick_ids* ids = tact_allocate(r->env, things, sizeof *ids);
    uint32_t(*rest)[4] = tact_allocate(r->env, things, sizeof *rest);
    tact_result result = ids && rest ? gather_ids(r, things) : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = read_counted(r, r->gathered, 0, ids, things * sizeof *ids);
    if (result == TACT_OK) result = read_counted(r, r->sums, 0, rest, things * sizeof *rest);
    for (uint32_t i = 0; i < things && result == TACT_OK; ++i)
        list->items[i] = (tact_pick_found){ids[i], {rest[i][0], rest[i][1]}, rest[i][2], rest[i][3]};
    tact_release(r->env, ids);
    tact_release(r->env, rest);
    return result;
}

static tact_result read_things(tact_pick_reducer* r, uint32_t things, tact_pick_list* list)
{
    list->items = tact_allocate(r->env, things, sizeof *list->items);
    if (!list->items) return TACT_ERROR_OUT_OF_MEMORY;
    list->capacity = things;
    const tact_result result = things > PICK_ROWS_MAX
                                   ? read_many(r, things, list)
                                   : read_counted(r, r->head, HEAD_BYTES, list->items, (size_t)things * ROW_BYTES);
    if (result != TACT_OK) return result;
    list->count = things;
    return tact_pick_list_sort(r->env, &r->mask, &r->rule, list);
}

static tact_result collect(tact_pick_reducer* r, tact_pick_list* list)
{
    if (!r->count) return TACT_OK;
    uint32_t head[2];
    tact_result result = tact_fence_wait(r->fence);
    if (result == TACT_OK && r->here) return reduce_here(r, list);
    if (result == TACT_OK) result = read_counted(r, r->head, 0, head, sizeof head);
    if (result != TACT_OK) return result;
    // So many ids that belong at one place of the table have been made on purpose.
    if (head[PICK_GAVE_UP]) return reduce_here(r, list);
    return head[PICK_COUNT] ? read_things(r, head[PICK_COUNT], list) : TACT_OK;
}

tact_result tact_pick_reducer_collect(tact_pick_reducer* reducer, tact_pick_list* list)
{
    *list = (tact_pick_list){0};
    tact_result result = check_started(reducer);
    if (result != TACT_OK) return result;
    reducer->bytes = 0;
    result = collect(reducer, list);
    if (result == TACT_OK) return TACT_OK;
    tact_pick_list_free(reducer->env, list);
    return tact_fail_within(reducer->env, result, "reducing picks: ");
}
