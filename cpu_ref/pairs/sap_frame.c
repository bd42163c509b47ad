// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Which axis to sweep and how many strips to cut, from a sample. All is measured in ranks: what share of the boxes
// begins within a box. So neither scale, nor lumps, nor a few boxes at the end of the world mislead the choice, as they
// mislead the variance, for which it stands: the axis with the smallest share is the one along which the boxes are
// spread the most, in terms of their widths.

#include <math.h>
#include <string.h>

#include "cpu_ref/pairs/sap.h"

enum { SAMPLE_MAX = 4096, RANKED = 512 };

typedef struct sample {
    uint32_t count;
    uint32_t low[3][SAMPLE_MAX];                       ///< keys, sorted
    uint32_t box_low[3][RANKED], box_high[3][RANKED];  ///< some boxes, not sorted
    uint32_t ranked;
    uint32_t scratch[2][SAMPLE_MAX], ids[SAMPLE_MAX];
} sample;

/// One live box from each of equal stretches of the ids.
static void gather(const tact_volume_view* of, sample* s)
{
    const size_t wanted = of->count / 4 < 64 ? 64 : of->count / 4 > SAMPLE_MAX ? SAMPLE_MAX : of->count / 4;
    for (size_t k = 0; k < wanted; ++k) {
        const size_t end = (k + 1) * of->count / wanted;
        size_t i = k * of->count / wanted;
        while (i < end && !tact_volume_is_live(&of->boxes[i]))
            ++i;
        if (i == end) continue;
        const bool rank = s->ranked < RANKED && k * RANKED >= s->ranked * wanted;
        for (int axis = 0; axis < 3; ++axis) {
            const float low = sap_component(&of->boxes[i].lower, axis);
            s->low[axis][s->count] = sap_key(low);
            if (!rank) continue;
            s->box_low[axis][s->ranked] = sap_key(low);
            s->box_high[axis][s->ranked] = sap_key(sap_component(&of->boxes[i].upper, axis));
        }
        ++s->count;
        TACT_ASSERT(s->count <= SAMPLE_MAX && s->ranked <= RANKED);
        if (rank) ++s->ranked;
    }
}

/// How many keys are less than `key`.
static uint32_t rank_of(const uint32_t* keys, uint32_t count, uint32_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The share of the other boxes that begin within a box, on the average.
static double share_within(const sample* s, int axis)
{
    uint64_t within = 0;
    for (uint32_t i = 0; i < s->ranked; ++i) {
        // The key of an upper bound is below UINT32_MAX: infinity has a lesser one.
        within += rank_of(s->low[axis], s->count, s->box_high[axis][i] + 1) -
                  rank_of(s->low[axis], s->count, s->box_low[axis][i]) - 1;
    }
    return s->count > 1 ? (double)within / ((double)s->ranked * (s->count - 1)) : 0.0;
}

/// Tests for one box when the strips are `strips`.
static double tests_of(double live, double sweep, double strip, double strips)
{
    TACT_ASSERT(strips >= 1.0);
    const double copies = 1.0 + (strips - 1.0) * strip;
    return copies * (live * copies / strips * sweep);
}

/// Expected time, in units of about a nanosecond.
static double cost_of(double live, double sweep, double strip, double strips)
{
    enum { ENTRY = 22, STRIP = 300 };
    const double copies = 1.0 + (strips - 1.0) * strip;
    return live * (copies * ENTRY + tests_of(live, sweep, strip, strips) * 0.15) + strips * STRIP;
}

static float number_of(uint32_t key)
{
    const union {
        uint32_t u;
        float f;
    } bits = {key & 0x80000000u ? key & 0x7fffffffu : ~key};
    return bits.f;
}

static void index_bounds(sap_frame* f)
{
    TACT_ASSERT(f->strips >= 1 && f->strips <= SAP_STRIPS_MAX);
    const uint32_t last = f->strips - 1;
    f->cell_count = 1;
    f->first = 0.0f;
    f->scale = 0.0f;
    if (last > 1) {
        const float range = f->bounds[last] - f->bounds[1], scale = SAP_CELLS / range;
        if (isfinite(range) && isfinite(scale) && isfinite(f->bounds[1])) {
            f->cell_count = SAP_CELLS;
            f->first = f->bounds[1];
            f->scale = scale;
        }
    }
    memset(f->cells, 0, sizeof f->cells);
    f->cells[f->cell_count] = (uint16_t)last;
    if (f->cell_count == 1) return;
    // Which bounds lie in cells before each one: what is computed here for a bound is what sap_strip_of computes for a
    // number, and grows with it, so that only the bounds of its own cell are left to compare with.
    for (uint32_t k = 1; k <= last; ++k) {
        const float at = (f->bounds[k] - f->first) * f->scale;
        uint32_t cell = 0;
        if (at > 0.0f) cell = at < (float)(SAP_CELLS - 1) ? (uint32_t)at : SAP_CELLS - 1;
        f->cells[cell + 1] = (uint16_t)k;
    }
    TACT_ASSERT(f->cells[SAP_CELLS] == last);
    for (uint32_t cell = 1; cell <= SAP_CELLS; ++cell) {
        if (f->cells[cell] < f->cells[cell - 1]) f->cells[cell] = f->cells[cell - 1];
    }
}

/// Cuts where as many boxes of the sample begin in each strip.
static void cut(const sample* s, uint32_t strips, sap_frame* f)
{
    TACT_ASSERT(strips >= 1 && strips <= SAP_STRIPS_MAX);
    f->bounds[0] = -INFINITY;
    f->strips = 1;
    for (uint32_t k = 1; k < strips; ++k) {
        const float bound = number_of(s->low[f->strip][(size_t)k * s->count / strips]);
        if (bound > f->bounds[f->strips - 1]) f->bounds[f->strips++] = bound;
    }
    index_bounds(f);
}

void tact_sap_frame_halve(sap_frame* f)
{
    TACT_ASSERT(f->strips >= 2);
    const uint32_t strips = f->strips / 2;
    for (uint32_t k = 1; k < strips; ++k)
        f->bounds[k] = f->bounds[2 * k];
    f->strips = strips > 0 ? strips : 1;
    index_bounds(f);
}

tact_result tact_sap_frame_choose(tact_env* env, const tact_volume_view* of, sap_frame* f)
{
    sample* s = tact_allocate_zeroed(env, 1, sizeof *s);
    if (!s) return TACT_ERROR_OUT_OF_MEMORY;
    gather(of, s);
    double share[3];
    for (int axis = 0; axis < 3; ++axis) {
        tact_sap_sort(s->low[axis], s->ids, s->scratch[0], s->scratch[1], s->count);
        share[axis] = share_within(s, axis);
    }
    const double live = of->live;
    double best = HUGE_VAL;
    uint32_t strips = 1;
    for (int sweep = 0; sweep < 3; ++sweep) {
        for (int strip = 0; strip < 3; ++strip) {
            if (strip == sweep) continue;
            const uint32_t most = s->count / 8 < SAP_STRIPS_MAX ? s->count / 8 : SAP_STRIPS_MAX;
            for (uint32_t k = 1; k == 1 || k <= most; k += 1 + k / 4) {
                const double cost = cost_of(live, share[sweep], share[strip], k);
                if (!(cost < best)) continue;
                best = cost;
                strips = k;
                f->sweep = sweep;
                f->strip = strip;
                f->expected_tests = tests_of(live, share[sweep], share[strip], k);
            }
        }
    }
    f->other = 3 - f->sweep - f->strip;
    TACT_ASSERT(best < HUGE_VAL && f->sweep != f->strip && f->other >= 0 && f->other < 3);
    cut(s, strips, f);
    tact_release(env, s);
    return TACT_OK;
}
