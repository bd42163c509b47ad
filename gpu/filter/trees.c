// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Trees over what is left of the objects, four children to a place, and the way down those of all candidate pairs. What
// the host writes comes before the first launch, as far as it can: a write may have to wait for what was launched.
#include <string.h>

#include "gpu/chunks.h"
#include "gpu/filter/internal.h"

enum {
    FAN = TACT_FILTER_FAN,
    LEAST = 256,             // items of a list at least; an item has FAN * FAN children at most
    USUAL = 1 << 14,         // items of a list at first
    MOST = 1 << 22,          // items of a list
    MOST_FINDINGS = 1 << 20  // at a time
};

// ---- Planting ----

static uint32_t leaves_of(const tact_gpu_filter_work* w, uint32_t object)
{
    return w->ranges[2 * (size_t)object + 1] - w->ranges[2 * (size_t)object];
}

static uint32_t parents_of(uint32_t children)
{
    return children / FAN + (children % FAN != 0);
}

/// Where each object's triangles are when all are listed.
static void place_all(tact_gpu_filter_work* w)
{
    const tact_gpu_filter_scene* s = &w->f->scene;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->taking_part_count; ++i) {
        const size_t object = s->taking_part[i];
        w->ranges[2 * object] = at;
        at += (uint32_t)w->job->shapes[w->job->objects[object].shape].triangle_count;
        w->ranges[2 * object + 1] = at;
    }
    TACT_ASSERT(w->env, at == s->triangle_count);
}

static tact_result read_ranges(tact_gpu_filter_work* w, tact_buffer* list, uint32_t count)
{
    tact_gpu_filter* f = w->f;
    const size_t bytes = w->job->object_count * 2 * sizeof *w->ranges;
    tact_buffer_hold(w->device, &f->ranges, bytes);
    tact_buffer_fill(f->ranges, 0, bytes, 0);
    TACT_LAUNCH_ITEMS(w->device, filter_ranges, count, .list = list, .ranges = f->ranges, .count = count);
    return tact_buffer_read(f->ranges, 0, w->ranges, bytes);
}

/// Boxes of the triangles.
static tact_result make_leaves(tact_gpu_filter_work* w, tact_buffer* list, uint32_t count)
{
    tact_gpu_filter* f = w->f;
    return TACT_LAUNCH_ITEMS(w->device, filter_leaves, count, .list = list, .vertices = f->scene.vertices,
                             .indices = f->scene.indices, .objects = f->scene.objects, .lower = f->lower,
                             .upper = f->upper, .count = count);
}

/// How many levels the largest tree needs; all get as many. At least one, so that leaves are children.
static uint64_t count_places(tact_gpu_filter_work* w, uint32_t count)
{
    const tact_gpu_filter_scene* s = &w->f->scene;
    uint32_t largest = 1;
    for (uint32_t i = 0; i < s->taking_part_count; ++i) {
        const uint32_t leaves = leaves_of(w, s->taking_part[i]);
        if (leaves > largest) largest = leaves;
    }
    w->levels = 1;
    for (uint64_t reach = FAN; reach < largest; reach *= FAN)
        ++w->levels;
    uint64_t places = count;
    for (uint32_t i = 0; i < s->taking_part_count; ++i) {
        uint32_t n = leaves_of(w, s->taking_part[i]);
        for (uint32_t k = 0; k < w->levels && n > 0; ++k) {
            n = parents_of(n);
            places += n;
        }
    }
    return places;
}

/// For each place above the leaves its first child and how many it has, level by level, object by object.
static void fill_table(tact_gpu_filter_work* w, uint32_t count, uint32_t (*table)[2])
{
    const tact_gpu_filter_scene* s = &w->f->scene;
    uint32_t below = 0, at = count;
    for (uint32_t level = 1; level <= w->levels; ++level) {
        uint32_t child = below;
        below = w->first[level] = at;
        for (uint32_t i = 0; i < s->taking_part_count; ++i) {
            const uint32_t object = s->taking_part[i];
            uint32_t n = leaves_of(w, object);
            for (uint32_t k = 1; k < level; ++k)
                n = parents_of(n);
            w->roots[object] = at;
            for (; n > 0; ++at) {
                table[at - count][0] = child;
                table[at - count][1] = n < FAN ? n : FAN;
                child += table[at - count][1];
                n -= table[at - count][1];
            }
        }
    }
    w->first[w->levels + 1] = at;
}

static tact_result make_table(tact_gpu_filter_work* w, uint32_t count, uint32_t places)
{
    const size_t rows = places - count;
    uint32_t(*table)[2] = tact_allocate(w->env, rows, sizeof *table);
    if (!table) return tact_device_fail(w->device, TACT_ERROR_OUT_OF_MEMORY);
    fill_table(w, count, table);
    tact_buffer_hold(w->device, &w->f->table, rows * sizeof *table);
    tact_buffer_write(w->f->table, 0, table, rows * sizeof *table);
    tact_release(w->env, table);
    return tact_device_result(w->device);
}

static tact_result make_level(tact_gpu_filter_work* w, uint32_t level)
{
    tact_gpu_filter* f = w->f;
    const uint32_t first = w->first[level], count = w->first[level + 1] - first;
    return TACT_LAUNCH_ITEMS(w->device, filter_nodes, count, .lower = f->lower, .upper = f->upper, .table = f->table,
                             .first = first, .row = first - w->first[1], .count = count);
}

static tact_result hold_places(tact_gpu_filter_work* w, uint64_t places)
{
    tact_gpu_filter* f = w->f;
    if (places > UINT32_MAX) {
        return TACT_DEVICE_FAIL(w->device, TACT_ERROR_LIMIT, "%llu boxes of triangles", (unsigned long long)places);
    }
    if (tact_device_result(w->device) != TACT_OK) return tact_device_result(w->device);
    tact_buffer_hold(w->device, &f->lower, places * 16);
    tact_buffer_hold(w->device, &f->upper, places * 16);
    return TACT_DEVICE_WITHIN(w->device, "boxes for %llu triangles and groups of them: ", (unsigned long long)places);
}

/// More than there can be.
static uint64_t most_places(const tact_gpu_filter_work* w, uint32_t count)
{
    return (uint64_t)count + count / (FAN - 1) + (uint64_t)TACT_FILTER_LEVELS * w->f->scene.taking_part_count + 1;
}

tact_result tact_gpu_filter_plan(tact_gpu_filter_work* w, tact_buffer* list, uint32_t count)
{
    hold_places(w, most_places(w, count));
    if (list) {
        read_ranges(w, list, count);
    } else {
        place_all(w);
    }
    if (tact_device_result(w->device) != TACT_OK) return tact_device_result(w->device);
    return make_table(w, count, (uint32_t)count_places(w, count));
}

static tact_result plant(tact_gpu_filter_work* w, tact_buffer* list, uint32_t count)
{
    if (tact_gpu_filter_arrange(w, count, &list) != TACT_OK) return tact_device_result(w->device);
    make_leaves(w, list, count);
    for (uint32_t level = 1; level <= w->levels; ++level)
        make_level(w, level);
    return tact_device_result(w->device);
}

// ---- Going down ----

/// Lists of items, one a level; those of level n are pairs of places of level n, which become such of level n - 1.
typedef struct walk {
    tact_gpu_filter_work* work;
    uint32_t count[TACT_FILTER_LEVELS + 1], done[TACT_FILTER_LEVELS + 1];
    uint32_t piece[TACT_FILTER_LEVELS + 1];   ///< items that are opened together at most
    uint64_t total[TACT_FILTER_STATE_WORDS];  ///< items and findings so far, of all pieces
    uint32_t most;                            ///< items of a list
    uint32_t findings_most;                   ///< pairs of triangles that are tested together
    size_t pairs_done;                        ///< candidates of the batches before this one
} walk;

static uint32_t capacity_of(const tact_buffer* list)
{
    const size_t items = list ? tact_buffer_size(list) / 8 : 0;
    return items < UINT32_MAX ? (uint32_t)items : UINT32_MAX;
}

static uint32_t capacity_at(const walk* w, uint32_t level)
{
    const uint32_t capacity = capacity_of(w->work->f->items[level]);
    return capacity < w->most ? capacity : w->most;
}

/// Room for `wanted` items, or as many as a list may have.
static tact_result hold_items(walk* w, uint32_t level, uint64_t wanted)
{
    uint64_t items = USUAL;
    while (items < wanted)
        items *= 2;
    if (items > w->most) items = w->most;
    return tact_buffer_hold(w->work->device, &w->work->f->items[level], items * 8);
}

/// Somewhat more than `count`, for what may come when there were so many.
static uint64_t with_slack(uint64_t count)
{
    return count + count / 4 + LEAST;
}

/// Room for the findings of at most `count` items, and of somewhat more the next time.
static tact_result hold_found(walk* w, uint64_t count)
{
    const uint64_t wanted = with_slack(count);
    return tact_buffer_hold(w->work->device, &w->work->f->found,
                            (wanted < w->findings_most ? wanted : w->findings_most) * 16);
}

static tact_result launch_expand(walk* w, uint32_t level, uint32_t count)
{
    tact_gpu_filter* f = w->work->f;
    ++f->told.launches;
    return TACT_LAUNCH_ITEMS(w->work->device, filter_expand, count, .items = f->items[level], .lower = f->lower,
                             .upper = f->upper, .made = f->items[level - 1], .state = f->state, .first = w->done[level],
                             .count = count, .level = level, .capacity = capacity_at(w, level - 1));
}

static tact_result launch_exact(walk* w, uint32_t count)
{
    tact_gpu_filter* f = w->work->f;
    ++f->told.launches;
    return TACT_LAUNCH_ITEMS(w->work->device, filter_exact, count, .items = f->items[0], .lower = f->lower,
                             .upper = f->upper, .vertices = f->scene.vertices, .indices = f->scene.indices,
                             .objects = f->scene.objects, .found = f->found, .state = f->state, .first = w->done[0],
                             .count = count);
}

/// Opens items of this level. When what they make has no room it is made anew: in a larger list, or of fewer items.
static tact_result expand(walk* w, uint32_t level)
{
    tact_gpu_filter* f = w->work->f;
    uint32_t count = w->count[level] - w->done[level], made = 0;
    if (count > w->piece[level]) count = w->piece[level];
    hold_items(w, level - 1, 1);
    tact_buffer_fill(f->state, (level - 1) * sizeof made, sizeof made, 0);
    launch_expand(w, level, count);
    tact_buffer_read(f->state, (level - 1) * sizeof made, &made, sizeof made);
    if (tact_device_result(w->work->device) != TACT_OK) return tact_device_result(w->work->device);
    const uint32_t capacity = capacity_at(w, level - 1);
    if (made <= capacity) {
        f->told.items += count;
        w->done[level] += count;
        w->count[level - 1] = made;
        w->done[level - 1] = 0;
        w->total[level - 1] += made;
    } else if (capacity < w->most) {
        hold_items(w, level - 1, made);
    } else {
        w->piece[level] = count / 2;
    }
    return tact_device_result(w->work->device);
}

/// Pairs of triangles whose boxes meet.
static tact_result test_triangles(walk* w)
{
    tact_gpu_filter* f = w->work->f;
    uint32_t count = w->count[0] - w->done[0], found = 0;
    if (count > w->findings_most) count = w->findings_most;
    hold_found(w, count);
    tact_buffer_fill(f->state, TACT_FILTER_FOUND * sizeof found, sizeof found, 0);
    launch_exact(w, count);
    tact_buffer_read(f->state, TACT_FILTER_FOUND * sizeof found, &found, sizeof found);
    w->done[0] += count;
    w->total[TACT_FILTER_FOUND] += found;
    f->told.candidates += count;
    return found > 0 ? tact_gpu_filter_collect(w->work, found, 0) : tact_device_result(w->work->device);
}

/// Fills the topmost list with the roots of the next candidate pairs.
static tact_result begin(walk* w, uint32_t (*items)[2], uint32_t room)
{
    tact_gpu_filter_work* r = w->work;
    const uint32_t top = r->levels;
    uint32_t count = 0, state[TACT_FILTER_STATE_WORDS] = {0};
    for (; r->pairs_begun < r->job->candidate_count && count < room; ++r->pairs_begun) {
        const tact_pair p = r->job->candidates[r->pairs_begun];
        if (leaves_of(r, p.a) == 0 || leaves_of(r, p.b) == 0) continue;
        items[count][0] = r->roots[p.a];
        items[count++][1] = r->roots[p.b];
    }
    for (uint32_t level = 0; level < top; ++level)
        w->count[level] = w->done[level] = 0;
    w->count[top] = state[top] = count;
    w->done[top] = 0;
    w->total[top] += count;
    if (count == 0) return TACT_OK;
    hold_items(w, top, count);
    tact_buffer_write(r->f->items[top], 0, items, (size_t)count * sizeof *items);
    return tact_buffer_write(r->f->state, 0, state, sizeof state);
}

/// Often enough that a run of one batch, which most are, can be stopped.
static tact_result check_progress(const walk* w)
{
    const tact_filter_job* q = w->work->job;
    return tact_gpu_goes_on(w->work->device, q->progress, q->progress_user,
                            (double)w->pairs_done / (double)q->candidate_count);
}

/// How many items of each level to launch for, and how many findings to read at once, by what the last run had. Makes
/// room for them. False where no run was before, or where a list would need more than one piece.
static bool foresee(walk* w, uint32_t* launched)
{
    const tact_gpu_filter_work* r = w->work;
    const tact_gpu_filter* f = r->f;
    const uint32_t top = r->levels;
    const bool one_batch = w->pairs_done == 0 && r->pairs_begun == r->job->candidate_count;
    if (!one_batch || w->count[top] == 0 || f->last_roots == 0 || f->last_levels != top) return false;
    const double times = (double)w->count[top] / (double)f->last_roots;
    launched[top] = w->count[top];
    for (uint32_t level = top; level-- > 0;) {
        const double expected = (double)f->last[level] * times;
        if (expected > (double)w->most) return false;
        // A list that would do keeps its size, so that it is made anew only when it is far too small.
        uint64_t count = with_slack((uint64_t)expected);
        if (capacity_at(w, level) < (uint64_t)expected) hold_items(w, level, count);
        hold_items(w, level, 1);
        if (count > capacity_at(w, level)) count = capacity_at(w, level);
        const uint64_t bound = (uint64_t)launched[level + 1] * FAN * FAN;
        launched[level] = (uint32_t)(count < bound ? count : bound);
    }
    if (launched[0] > w->findings_most) launched[0] = w->findings_most;
    tact_buffer_hold(r->device, &r->f->found, (uint64_t)launched[0] * 16);
    // Each that is read in vain takes time, and one that is missing a wait.
    const double found = (double)f->last[TACT_FILTER_FOUND] * times * (17.0 / 16.0) + 64.0;
    launched[TACT_FILTER_FOUND] = found < (double)launched[0] ? (uint32_t)found : launched[0];
    return tact_device_result(r->device) == TACT_OK;
}

/// Notes what was opened by launches of that many items a level, `state` being what came of them. What is beyond is
/// left to be opened level by level: items that were not launched for, and from the first level on whose list had no
/// room everything. Returns whether all findings count.
static bool take_stock(walk* w, const uint32_t* launched, const uint32_t* state)
{
    tact_gpu_filter_told* told = &w->work->f->told;
    for (uint32_t level = w->work->levels;; --level) {
        w->count[level] = state[level];
        w->done[level] = state[level] < launched[level] ? state[level] : launched[level];
        if (level < w->work->levels) w->total[level] += state[level];
        told->more = told->more || state[level] > launched[level];
        if (level == 0) break;
        if (state[level - 1] > capacity_at(w, level - 1)) {
            told->more = told->anew = true;
            w->done[level] = 0;
            hold_items(w, level - 1, state[level - 1]);
            return false;
        }
        told->items += w->done[level];
    }
    told->candidates += w->done[0];
    w->total[TACT_FILTER_FOUND] += state[TACT_FILTER_FOUND];
    return true;
}

/// From the roots to the findings with a single wait, where it can be foreseen how much there is to launch for. Leaves
/// what is more than that for the way level by level.
static tact_result go_at_once(walk* w)
{
    tact_gpu_filter_work* r = w->work;
    uint32_t launched[TACT_FILTER_STATE_WORDS], state[TACT_FILTER_STATE_WORDS];
    if (!foresee(w, launched)) return tact_device_result(r->device);
    const uint32_t ahead = launched[TACT_FILTER_FOUND];
    if (tact_gpu_filter_hold_findings(r, ahead, 0) != TACT_OK) return tact_device_result(r->device);
    r->f->told.at_once = true;
    for (uint32_t level = r->levels; level > 0; --level)
        if (launch_expand(w, level, launched[level]) != TACT_OK || check_progress(w) != TACT_OK) break;
    launch_exact(w, launched[0]);
    const tact_read reads[] = {{r->f->state, 0, sizeof state, state},
                               {r->f->found, 0, ahead * sizeof *r->findings, r->findings}};
    tact_device_read(r->device, reads, 2);
    if (tact_device_result(r->device) != TACT_OK) return tact_device_result(r->device);
    if (!take_stock(w, launched, state) || state[TACT_FILTER_FOUND] == 0) return tact_device_result(r->device);
    return tact_gpu_filter_collect(r, state[TACT_FILTER_FOUND], ahead);
}

/// From the items that are in the lists, which are the roots at first, all the way down.
static tact_result descend(walk* w)
{
    const uint32_t top = w->work->levels;
    uint32_t level = 0;
    for (;;) {
        if (w->done[level] == w->count[level]) {
            if (level == top) break;
            ++level;
            continue;
        }
        if (level == 0) {
            test_triangles(w);
        } else {
            const uint32_t before = w->done[level];
            expand(w, level);
            if (w->done[level] != before) --level;
        }
        if (check_progress(w) != TACT_OK) break;
    }
    return tact_device_result(w->work->device);
}

/// What the next run is to expect.
static void remember(const walk* w)
{
    tact_gpu_filter* f = w->work->f;
    const uint32_t top = w->work->levels;
    memcpy(f->last, w->total, sizeof f->last);
    f->last_levels = top;
    f->last_roots = w->total[top] < w->most ? (uint32_t)w->total[top] : 0;
}

static uint32_t most_items(const tact_gpu_filter_work* r)
{
    const uint64_t bound = tact_device_describe(r->device)->max_buffer_bytes / 8;
    uint64_t most = r->f->limit ? r->f->limit : MOST;
    if (most > bound) most = bound;
    return (uint32_t)(most > LEAST ? most : LEAST);
}

/// Batch by batch, with as many roots as `items` has room for.
static tact_result walk_all(walk* w, tact_buffer* list, uint32_t count, uint32_t (*items)[2], uint32_t room)
{
    tact_gpu_filter_work* r = w->work;
    bool planted = false;
    while (r->pairs_begun < r->job->candidate_count) {
        w->pairs_done = r->pairs_begun;
        if (check_progress(w) != TACT_OK || begin(w, items, room) != TACT_OK) break;
        if (!planted && plant(r, list, count) != TACT_OK) break;
        planted = true;
        if (go_at_once(w) != TACT_OK || descend(w) != TACT_OK) break;
    }
    if (tact_device_result(r->device) == TACT_OK) remember(w);
    return tact_device_result(r->device);
}

tact_result tact_gpu_filter_walk(tact_gpu_filter_work* r, tact_buffer* list, uint32_t count)
{
    const double start = tact_device_milliseconds(r->device);
    walk w = {.work = r, .most = most_items(r)};
    const uint64_t findings = tact_device_describe(r->device)->max_buffer_bytes / 16;
    w.findings_most = findings < MOST_FINDINGS ? (uint32_t)findings : MOST_FINDINGS;
    for (uint32_t k = 0; k <= TACT_FILTER_LEVELS; ++k)
        w.piece[k] = UINT32_MAX;
    const size_t pairs = r->job->candidate_count;
    const uint32_t room = pairs < w.most ? (uint32_t)pairs : w.most;
    uint32_t(*items)[2] = tact_allocate(r->env, room, sizeof *items);
    if (!items) return tact_device_fail(r->device, TACT_ERROR_OUT_OF_MEMORY);
    tact_buffer_hold(r->device, &r->f->state, TACT_FILTER_STATE_WORDS * sizeof(uint32_t));
    tact_gpu_filter_bring_boxes(r, count);
    walk_all(&w, list, count, items, room);
    tact_release(r->env, items);
    r->f->told.walk_ms = tact_device_milliseconds(r->device) - start - r->f->told.host_ms;
    return tact_device_result(r->device);
}
