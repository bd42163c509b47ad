// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sort and sweep (Christer Ericson, "Real-Time Collision Detection", 2005, section 7.5): boxes sorted by where they
// begin on one axis; each meets those that begin before it ends. So that this stays worth having when there are many,
// a second axis is cut into strips and each strip is swept alone. A box is in all strips that it reaches; a pair
// counts in the one where the second of the two begins.

#include <string.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "cpu_ref/pairs/sap.h"

enum { OLD = 64, ACROSS_LINES = 8 };

typedef struct sap_kept {
    sap_frame frame;
    bool framed;
    uint32_t framed_live;
    uint32_t age;                     ///< updates since the frame was last looked at
    double framed_tests, last_tests;  ///< for one box, by the first query after the choice and the last
    sap_list own;                     ///< all of the set in its frame
    sap_list guest;                   ///< some of it in the frame of what it is held against
} sap_kept;

static void choose_anew(sap_kept* k, const sap_frame* frame, uint32_t live)
{
    TACT_ASSERT(frame->strips >= 1 && frame->strips <= SAP_STRIPS_MAX);
    k->frame = *frame;
    k->framed = true;
    k->framed_live = live;
    k->age = 0;
    k->framed_tests = k->last_tests = -1.0;
    k->own.filled = false;
}

/// Keeps the frame while it serves: a new one means that everything is sorted anew.
static tact_result update_frame(tact_env* env, const tact_volume_view* of, sap_kept* k)
{
    const bool grown = of->live > 2 * k->framed_live + 64 || 2 * of->live + 64 < k->framed_live;
    const bool worse = k->last_tests > 2.0 * k->framed_tests + 32.0;
    const bool must = !k->framed || grown || worse;
    if (!must && ++k->age < OLD) return TACT_OK;
    sap_frame frame;
    const tact_result result = tact_sap_frame_choose(env, of, &frame);
    if (result != TACT_OK) return result;
    k->age = 0;
    const bool better = frame.expected_tests < 0.75 * k->last_tests || 3 * frame.strips < 2 * k->frame.strips;
    if (must || better) choose_anew(k, &frame, of->live);
    return TACT_OK;
}

static tact_result update_own(tact_pairs_job* job, const tact_volume_view* of, sap_kept* k)
{
    if (k->own.filled && k->own.version == of->version && k->own.count == of->count) return TACT_OK;
    tact_result result = update_frame(job->env, of, k);
    if (result != TACT_OK) return result;
    job->rebuilt = !k->own.filled;
    for (bool crowded = true; crowded;) {
        result = tact_sap_list_update(job->env, job->threads, of, 0, UINT32_MAX, &k->frame, &k->own, &crowded);
        if (result != TACT_OK) return result;
        if (crowded) {
            job->rebuilt = true;
            tact_sap_frame_halve(&k->frame);
        }
    }
    return TACT_OK;
}

typedef struct sap_loop {
    const tact_pairs_job* job;
    const tact_pairs_lane_table* lanes;
    const sap_frame* frame;
    const sap_list *anchors, *others;  ///< others NULL: pairs within `anchors`
    tact_sap_sides sides;
    size_t first_task;
    uint64_t* tests;  ///< of each worker, far enough apart
    double done, all;
} sap_loop;

static tact_sap_arrays strip_arrays(const sap_list* l, uint32_t strip)
{
    TACT_ASSERT(strip < SAP_STRIPS_MAX && l->filled);
    const tact_sap_arrays* const a = &l->arrays;
    const size_t at = l->starts[strip];
    return (tact_sap_arrays){a->low_x + at, a->high_x + at, a->low_y + at, a->high_y + at,
                             a->low_z + at, a->high_z + at, a->ids + at};
}

/// The first entry that begins at x or later; after x, if not `ties`.
static size_t first_from(const tact_sap_arrays* strip, size_t count, float x, bool ties)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (strip->low_x[middle] < x || (!ties && strip->low_x[middle] == x)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    TACT_ASSERT(low == count || strip->low_x[low] >= x);
    return low;
}

static void sweep_tasks(size_t begin, size_t end, int worker, void* user)
{
    const sap_loop* const l = user;
    uint64_t tests = 0;
    for (size_t t = begin; t < end; ++t) {
        const sap_task* const task = &l->anchors->tasks[l->first_task + t];
        TACT_ASSERT(task->strip < l->frame->strips && task->begin < task->end);
        TACT_ASSERT(task->end <= l->anchors->sizes[task->strip]);
        const float strip_begin = l->frame->bounds[task->strip];
        const tact_sap_arrays anchors = strip_arrays(l->anchors, task->strip);
        tact_pair_sink* const sink = &l->job->sinks[worker];
        if (!l->others) {
            tests += l->lanes->sap_within(&anchors, task->begin, task->end, strip_begin, sink);
        } else if (l->others->sizes[task->strip] > 0) {
            tact_sap_sides sides = l->sides;
            sides.strip_begin = strip_begin;
            const tact_sap_arrays others = strip_arrays(l->others, task->strip);
            const size_t from =
                first_from(&others, l->others->sizes[task->strip], anchors.low_x[task->begin], sides.ties);
            tests += l->lanes->sap_between(&anchors, task->begin, task->end, &others, from, &sides, sink);
        }
    }
    l->tests[worker * ACROSS_LINES] += tests;
}

/// All tasks, in slices between which progress is asked.
static tact_result sweep(sap_loop* l)
{
    const tact_pairs_job* const job = l->job;
    const size_t count = l->anchors->task_count;
    TACT_ASSERT(l->anchors->filled && (!l->others || l->others->filled));
    const size_t slice = job->progress ? 4 * (size_t)job->threads : count;
    for (size_t at = 0; at < count;) {
        const size_t size = count - at < slice ? count - at : slice;
        l->first_task = at;
        tact_parallel_for(job->threads, size, 1, sweep_tasks, l);
        at += size;
        l->done += (double)size;
        if (job->progress && !job->progress(l->done / l->all, job->progress_user)) {
            return tact_fail(job->env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    return TACT_OK;
}

static tact_result sweep_within(sap_loop* l, const sap_kept* k)
{
    l->anchors = &k->own;
    l->all = (double)k->own.task_count;
    return sweep(l);
}

/// `first`: the guest's ids are the first of pairs.
static tact_result sweep_between(sap_loop* l, const sap_list* host, const sap_list* guest, bool first, bool ordered)
{
    l->all = (double)host->task_count + (double)guest->task_count;
    l->anchors = guest;
    l->others = host;
    l->sides = (tact_sap_sides){.ties = true, .anchors_first = first, .ordered = ordered};
    const tact_result result = sweep(l);
    if (result != TACT_OK) return result;
    l->anchors = host;
    l->others = guest;
    l->sides = (tact_sap_sides){.ties = false, .anchors_first = !first, .ordered = ordered};
    return sweep(l);
}

static sap_kept* kept_of(tact_env* env, tact_pairs_state* state)
{
    void** const slot = &state->kept[TACT_PAIRS_SAP];
    if (!*slot) *slot = tact_allocate_zeroed(env, 1, sizeof(sap_kept));
    return *slot;
}

/// Volumes [from, end) of the guest in the host's frame, which gets fewer strips when it does not suit them.
static tact_result invite(tact_pairs_job* job, const tact_volume_view* of, uint32_t from, uint32_t end, sap_list* guest,
                          sap_kept* host, const tact_volume_view* host_of)
{
    for (;;) {
        bool crowded = false;
        guest->filled = false;
        tact_result result = tact_sap_list_update(job->env, job->threads, of, from, end, &host->frame, guest, &crowded);
        if (result != TACT_OK || !crowded) return result;
        tact_sap_frame_halve(&host->frame);
        host->own.filled = false;
        result = update_own(job, host_of, host);
        if (result != TACT_OK) return result;
    }
}

static tact_result find(tact_pairs_job* job)
{
    const double start = tact_platform_milliseconds();
    const tact_volume_view *a = job->a, *b = job->b ? job->b : job->a;
    const uint32_t end = job->end < a->count ? job->end : a->count;
    const uint32_t wanted = end > job->from ? end - job->from : 0;
    // Part of the first set is a guest in the frame of the whole; of two sets the smaller one is.
    const bool part = wanted < a->count / 2;
    const bool a_is_guest = part || (job->b && a->live <= b->live);
    sap_kept* const kept_a = kept_of(job->env, job->state_a);
    sap_kept* const kept_b = kept_a && job->b ? kept_of(job->env, job->state_b) : kept_a;
    if (!kept_b) return TACT_ERROR_OUT_OF_MEMORY;
    sap_kept* const host = job->b && !a_is_guest ? kept_a : kept_b;
    sap_list* const guest = a_is_guest ? &kept_a->guest : &kept_b->guest;
    const tact_volume_view* const host_of = job->b && !a_is_guest ? a : b;
    const bool within = !job->b && !part;

    tact_result result = update_own(job, host_of, host);
    if (result == TACT_OK && !within) {
        result = a_is_guest ? invite(job, a, job->from, end, guest, host, host_of)
                            : invite(job, b, 0, UINT32_MAX, guest, host, host_of);
    }
    if (result != TACT_OK) return result;
    TACT_ASSERT(host->framed && host->own.filled && host->own.version == host_of->version);
    TACT_ASSERT(within || guest->filled);
    job->build_ms = tact_platform_milliseconds() - start;
    const size_t workers = job->threads > 0 ? (size_t)job->threads : 1;
    sap_loop loop = {.job = job, .lanes = tact_pairs_lanes(), .frame = &host->frame};
    loop.tests = tact_allocate_zeroed(job->env, workers * ACROSS_LINES, sizeof *loop.tests);
    if (!loop.tests) return TACT_ERROR_OUT_OF_MEMORY;
    result = within ? sweep_within(&loop, host) : sweep_between(&loop, &host->own, guest, a_is_guest, !job->b);
    for (size_t i = 0; i < workers; ++i)
        job->tests += loop.tests[i * ACROSS_LINES];
    tact_release(job->env, loop.tests);
    if (within && result == TACT_OK) {
        host->last_tests = (double)job->tests / (host_of->live > 0 ? host_of->live : 1);
        if (host->framed_tests < 0.0) host->framed_tests = host->last_tests;
    }
    job->memory_bytes = 2 * sizeof(sap_kept) + tact_sap_list_bytes(&host->own) + tact_sap_list_bytes(guest);
    return result;
}

static void release(tact_env* env, void* kept)
{
    sap_kept* const k = kept;
    tact_sap_list_release(env, &k->own);
    tact_sap_list_release(env, &k->guest);
    tact_release(env, k);
}

const tact_pairs_way tact_pairs_sap = {TACT_PAIRS_SAP, find, release};
