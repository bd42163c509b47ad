// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "gpu/chunks.h"
#include "gpu/overlap/internal.h"

// The device keeps the stack of items itself (kernels/overlap_expand.kernel): steps follow each other without the host,
// which only looks once in a while, whether all is done. How many steps that takes, and how many items each, the last
// walk tells; of a first one little is launched ahead.
enum {
    LAYERS = 2 * (TACT_BVH_MAX_DEPTH + 1),
    RESERVE = LAYERS * TACT_OVERLAP_CHILDREN * TACT_OVERLAP_PIECE,
    // When only the first pair of a pose is asked for, small pieces get to leaves soon; a GPU has small ones too soon
    // done.
    EARLY_SOFTWARE = 4096,
    EARLY_HARDWARE = 65536,
    FIRST_STEPS = 4,    // of a walk that nothing is known of
    STEPS_MOST = 1024,  // without looking
    STEPS_ASKING = 64,  // likewise, where the caller may stop the walk
    LEAST_WINDOW = 64,  // items
    LEAST_FOUND = 64    // that are read before it is known how many there are
};

_Static_assert(TACT_OVERLAP_ENDS + LAYERS + 1 <= TACT_OVERLAP_DONE, "the state must hold all layers");
_Static_assert(TACT_OVERLAP_MADE + TACT_OVERLAP_NOTED <= TACT_OVERLAP_ENDS, "layers must not lie in what is noted");

typedef struct walk {
    tact_gpu_overlap_run* run;
    const tact_gpu_overlap_past* likely;  ///< NULL: nothing is known
    uint32_t steps;                       ///< that were launched
    uint32_t items, leaves;               ///< that are waiting
    uint32_t top;                         ///< items that the next step may take
    uint32_t tested;                      ///< leaf pairs at most, since the last step was planned
    uint32_t gone;                        ///< of those, how many there were
} walk;

static bool is_early(const walk* w)
{
    return (w->run->mode & TACT_OVERLAP_FIRST) != 0;
}

/// Some more than the last time.
static uint32_t and_some(uint32_t count, uint32_t most)
{
    const uint64_t wanted = (uint64_t)count + count / 4 + 64;
    return wanted < most ? (uint32_t)wanted : most;
}

// ---- Launches ----

/// Items of a step at most.
static uint32_t most_items(const walk* w)
{
    const tact_gpu_overlap_run* r = w->run;
    uint32_t most = r->lists->capacity / (2 * TACT_OVERLAP_CHILDREN);
    if (!is_early(w)) return most;
    uint32_t early = tact_device_describe(r->device)->software ? EARLY_SOFTWARE : EARLY_HARDWARE;
    if (early < r->pose_count) early = r->pose_count;
    return most < early ? most : early;
}

/// What steps about this one had: what one does not take comes in the way of the next.
static uint32_t near_step(const uint32_t counts[TACT_OVERLAP_NOTED], uint32_t step)
{
    uint32_t most = 0;
    for (uint32_t k = step < 2 ? 0 : step - 2; k <= step + 2 && k < TACT_OVERLAP_NOTED; ++k)
        most = counts[k] > most ? counts[k] : most;
    return most;
}

/// Items of a step at most, as far as they can be foreseen; `ahead` is how many steps before it were not looked at.
static uint32_t window_of(const walk* w, uint32_t ahead)
{
    const uint32_t most = most_items(w);
    uint64_t known = ahead == 0 ? w->top : (uint64_t)w->items << (ahead < 8 ? ahead : 8);
    if (w->likely) known = and_some(w->likely->most_items, most);
    if (known < LEAST_WINDOW) known = LEAST_WINDOW;
    return known < most ? (uint32_t)known : most;
}

static void launch_plan(walk* w, uint32_t step, uint32_t window)
{
    tact_gpu_overlap_run* r = w->run;
    ++r->job->launches;
    TACT_LAUNCH(r->device, overlap_plan, 1, .state = r->lists->state, .step = step, .window = window,
                .tested = w->tested, .capacity = r->lists->capacity, .reserve = RESERVE);
    w->tested = 0;
}

static void launch_step(walk* w, uint32_t step, uint32_t window)
{
    tact_gpu_overlap_run* r = w->run;
    const tact_gpu_overlap_lists* s = r->lists;
    launch_plan(w, step, window);
    ++r->job->launches;
    TACT_LAUNCH_ITEMS(r->device, overlap_expand, window, .items = s->items, .nodes_a = r->a->nodes,
                      .nodes_b = r->b->nodes, .poses = s->poses, .leaves = s->leaves, .state = s->state,
                      .mode = r->mode);
}

/// Tests `window` of the leaf pairs that wait before a step.
static void launch_leaves(walk* w, uint32_t step, uint32_t window)
{
    tact_gpu_overlap_run* r = w->run;
    const tact_gpu_overlap_lists* s = r->lists;
    if (w->tested > 0) launch_plan(w, step, 0);  // those are no longer waiting
    ++r->job->launches;
    TACT_LAUNCH_ITEMS(r->device, overlap_leaves, (uint64_t)window * TACT_OVERLAP_LANES, .leaves = s->leaves,
                      .triangles_a = r->a->triangles, .triangles_b = r->b->triangles, .poses = s->poses,
                      .found = s->found, .state = s->state, .window = window, .mode = r->mode, .capacity = s->capacity);
    w->tested = window;
}

/// Leaf pairs that a step is likely to make.
static uint32_t leaves_of(const walk* w, uint32_t step)
{
    const tact_gpu_overlap_past* t = w->likely;
    if (!t) return is_early(w) ? most_items(w) : 0;
    const uint32_t usual = (uint32_t)(2 * t->tested / (t->steps + 1)), near = near_step(t->made, step);
    return usual > near ? usual : near;
}

/// Whether leaf pairs that wait must be tested before a step: that its own may not have room beside them, or that they
/// may end the search of a pose.
static bool leaves_are_due(const walk* w, uint32_t waiting, uint32_t window)
{
    const uint32_t capacity = w->run->lists->capacity;
    if (waiting == 0) return false;
    return is_early(w) || waiting >= capacity || (capacity - waiting) / TACT_OVERLAP_CHILDREN < window;
}

static uint32_t count_steps(const walk* w)
{
    const uint32_t most = w->run->job->query->progress ? STEPS_ASKING : STEPS_MOST;
    if (w->items == 0) return 0;
    uint32_t count = FIRST_STEPS + (is_early(w) ? w->steps / 4 : 0);
    if (tact_device_describe(w->run->device)->software) count = 1;
    // Which pairs are tested before which differs from time to time.
    if (w->likely) count = w->likely->steps - w->steps + w->likely->steps / 8 + 1;
    return count < most ? count : most;
}

static void launch_round(walk* w)
{
    const uint32_t capacity = w->run->lists->capacity;
    if (w->likely && w->steps >= w->likely->steps) w->likely = NULL;
    const uint32_t last = w->steps + count_steps(w);
    uint32_t waiting = w->leaves;
    for (uint32_t step = w->steps; step < last; ++step) {
        const uint32_t window = window_of(w, step - w->steps);
        if (leaves_are_due(w, waiting, window)) {
            launch_leaves(w, step, waiting);
            waiting = 0;
        }
        launch_step(w, step, window);
        waiting = and_some(waiting + (step + 1 < last || w->likely ? leaves_of(w, step) : 0), capacity);
    }
    // All that is left, if it is known, or likely.
    if (waiting > 0 && (w->items == 0 || (w->likely && last >= w->likely->steps))) launch_leaves(w, last, waiting);
    w->steps = last;
}

// ---- What came of it ----

/// Brings the state, and of the findings as many as there are likely to be.
static tact_result look(walk* w)
{
    tact_gpu_overlap_run* r = w->run;
    const tact_gpu_overlap_lists* s = r->lists;
    uint32_t some = LEAST_FOUND;
    if (w->likely && w->likely->found > some) some = w->likely->found;
    some = and_some(some, s->capacity);
    const size_t words = TACT_OVERLAP_DONE + (r->done ? (size_t)r->pose_count : 0);
    const tact_read reads[] = {{s->state, 0, words * 4, r->state},
                               {s->found, 0, some * sizeof *r->findings, r->findings}};
    r->findings_there = some;
    return tact_device_read(r->device, reads, 2);
}

/// What is waiting now.
static void take_stock(walk* w)
{
    const uint32_t* state = w->run->state;
    const uint32_t* ends = state + TACT_OVERLAP_ENDS;
    w->items = w->top = state[TACT_OVERLAP_ITEMS];
    for (uint32_t n = state[TACT_OVERLAP_LAYER]; n-- > 0;) {
        const uint32_t count = ends[n] - (n >= 2 ? ends[n - 2] : 0);
        if (w->items == 0) w->top = count;
        w->items += count;
    }
    w->leaves = state[TACT_OVERLAP_WAITING] + state[TACT_OVERLAP_LEAVES];
    w->gone = w->tested < w->leaves ? w->tested : w->leaves;
    w->leaves -= w->gone;
}

static tact_result collect(walk* w, uint32_t count)
{
    tact_gpu_overlap_run* r = w->run;
    tact_device_fail(r->device, tact_gpu_overlap_collect(r, count));
    r->findings_there = 0;
    r->state[TACT_OVERLAP_FOUND] = 0;
    // The last ones need not be forgotten: the next walk does not wait for that.
    if (w->items == 0 && w->leaves == 0) return tact_device_result(r->device);
    return tact_buffer_fill(r->lists->state, TACT_OVERLAP_FOUND * 4, 4, 0);
}

/// Sets the leaf pairs that wait, and lets the walk go on.
static void write_leaves(walk* w, uint32_t count)
{
    tact_buffer* state = w->run->lists->state;
    tact_buffer_fill(state, TACT_OVERLAP_WAITING * 4, 4, count);
    tact_buffer_fill(state, TACT_OVERLAP_LEAVES * 4, 4, 0);
    tact_buffer_fill(state, TACT_OVERLAP_STOPPED * 4, 4, 0);
    w->tested = 0;
}

/// Findings had no room, which ended the walk for now: the leaf pairs of that launch are tested again. Those found
/// before are collected, then fewer are tested at a time; 1 / TACT_OVERLAP_MOST of the room always suffices.
static tact_result test_again(walk* w)
{
    tact_gpu_overlap_run* r = w->run;
    const uint32_t capacity = r->lists->capacity;
    uint32_t waiting = r->state[TACT_OVERLAP_WAITING] + r->state[TACT_OVERLAP_LEAVES];
    const uint32_t stopped = r->state[TACT_OVERLAP_STOPPED], tested = stopped ? stopped : w->tested;
    uint32_t piece = tested < waiting ? tested : waiting, before = r->state[TACT_OVERLAP_BEFORE];
    const uint32_t left = waiting - piece;
    w->tested = 0;
    r->job->leaf_pairs += piece;
    collect(w, before);
    before = 0;
    while (waiting > left && tact_device_result(r->device) == TACT_OK) {
        const uint32_t count = waiting - left < piece ? waiting - left : piece;
        write_leaves(w, waiting);
        launch_leaves(w, w->steps, count);
        uint32_t found = 0;
        if (tact_buffer_read(r->lists->state, TACT_OVERLAP_FOUND * 4, &found, 4) != TACT_OK) break;
        if (found <= capacity) {
            before = found;
            waiting -= count;
            continue;
        }
        if (before == 0) {
            piece = piece / 2 > capacity / TACT_OVERLAP_MOST ? piece / 2 : capacity / TACT_OVERLAP_MOST;
        }
        collect(w, before);
        before = 0;
    }
    write_leaves(w, left);
    return tact_device_result(r->device);
}

/// Writes the roots of all poses as layer 0.
static tact_result begin(walk* w)
{
    tact_gpu_overlap_run* r = w->run;
    const tact_gpu_overlap_lists* s = r->lists;
    uint32_t(*items)[4] = tact_allocate(r->env, r->pose_count, sizeof *items);
    if (!items) return tact_device_fail(r->device, TACT_ERROR_OUT_OF_MEMORY);
    for (uint32_t p = 0; p < r->pose_count; ++p) {
        items[p][0] = p;
        items[p][1] = items[p][2] = TACT_OVERLAP_ROOT;
        items[p][3] = 0;
    }
    tact_buffer_write(s->items, 0, items, (size_t)r->pose_count * sizeof *items);
    tact_release(r->env, items);
    tact_buffer_fill(s->state, 0, ((size_t)r->pose_count + TACT_OVERLAP_DONE) * 4, 0);
    tact_buffer_fill(s->state, TACT_OVERLAP_ITEMS * 4, 4, r->pose_count);
    w->items = w->top = r->pose_count;
    return tact_device_result(r->device);
}

/// What the next walk of this kind may count on.
static void note_walk(const walk* w, uint32_t found, tact_gpu_overlap_past* past)
{
    const uint32_t* state = w->run->state;
    past->pose_count = w->run->pose_count;
    past->steps = state[TACT_OVERLAP_LAST];
    past->most_items = state[TACT_OVERLAP_MOST_ITEMS];
    past->tested = state[TACT_OVERLAP_TESTED];
    past->found = found;
    memcpy(past->made, state + TACT_OVERLAP_MADE, sizeof past->made);
    if (w->steps > 0 && w->steps <= TACT_OVERLAP_NOTED) past->made[w->steps - 1] += state[TACT_OVERLAP_LEAVES];
}

uint32_t tact_gpu_overlap_least(void)
{
    return 2 * RESERVE;
}

tact_result tact_gpu_overlap_walk(tact_gpu_overlap_run* run)
{
    const tact_overlap_job* q = run->job->query;
    const double done = (double)run->first_pose / (double)q->pose_count;
    tact_gpu_overlap_past* past = &run->lists->past[(run->mode & TACT_OVERLAP_FIRST) != 0];
    walk w = {.run = run, .likely = past};
    // Looking is cheap there, groups that have nothing to do are not.
    if (past->pose_count != run->pose_count || tact_device_describe(run->device)->software) w.likely = NULL;
    uint32_t found = 0;
    begin(&w);
    while (w.items > 0 || w.leaves > 0) {
        if (tact_gpu_goes_on(run->device, q->progress, q->progress_user, done) != TACT_OK) break;
        launch_round(&w);
        if (look(&w) != TACT_OK) break;
        if (run->state[TACT_OVERLAP_FOUND] > run->lists->capacity) {
            if (test_again(&w) != TACT_OK || look(&w) != TACT_OK) break;
        }
        take_stock(&w);
        found = run->state[TACT_OVERLAP_FOUND];
        // What is unsure may end the search of a pose as well.
        if (found > 0 && (is_early(&w) || (w.items == 0 && w.leaves == 0))) collect(&w, found);
    }
    if (tact_device_result(run->device) != TACT_OK) return tact_device_result(run->device);
    run->job->leaf_pairs += run->state[TACT_OVERLAP_TESTED] + w.gone;
    note_walk(&w, found, past);
    return TACT_OK;
}
