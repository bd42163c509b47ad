// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/choose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Boxes to look at: enough for means and quantiles, few enough not to be noticed.
enum { LOOK_AT = TACT_PAIRS_SAMPLE };

typedef struct look {
    tact_aabb boxes[LOOK_AT];
    uint32_t ids[LOOK_AT];
    uint32_t count;
} look;

/// Every so manieth box that takes part and is finite.
static void take_sample(const tact_volumes* of, uint32_t most, look* l)
{
    const uint32_t step = of->count / most + 1;
    for (uint32_t i = 0; i < of->count && l->count < LOOK_AT; i += step) {
        const tact_aabb* b = &of->boxes[i];
        const float sum = (b->upper.x - b->lower.x) + (b->upper.y - b->lower.y) + (b->upper.z - b->lower.z);
        if (!isfinite(sum)) continue;
        l->ids[l->count] = i;
        l->boxes[l->count++] = *b;
    }
}

static int by_size(const void* x, const void* y)
{
    const float a = *(const float*)x, b = *(const float*)y;
    return a < b ? -1 : a > b;
}

/// The width of the middle 80 % of the boxes along an axis, as if that were all.
static double extent(const look* l, int axis)
{
    float middles[LOOK_AT];
    for (uint32_t i = 0; i < l->count; ++i) {
        const float low[3] = {l->boxes[i].lower.x, l->boxes[i].lower.y, l->boxes[i].lower.z};
        const float high[3] = {l->boxes[i].upper.x, l->boxes[i].upper.y, l->boxes[i].upper.z};
        middles[i] = 0.5f * low[axis] + 0.5f * high[axis];
    }
    qsort(middles, l->count, sizeof middles[0], by_size);
    const uint32_t cut = l->count / 10;
    return ((double)middles[l->count - 1 - cut] - (double)middles[cut]) * 1.25;
}

/// Which share of the boxes of the last look have moved since.
static double share_moved(const tact_pairs_job* job)
{
    const tact_pairs_history* h = &job->state_a->history;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < h->sample_count; ++i) {
        const uint32_t id = h->sample_ids[i];
        if (id >= job->a->count || memcmp(&h->sample[i], &job->a->boxes[id], sizeof h->sample[i]) != 0) ++moved;
    }
    return h->sample_count > 0 ? (double)moved / (double)h->sample_count : 1.0;
}

static void keep_sample(const tact_pairs_job* job, const look* l)
{
    tact_pairs_history* h = &job->state_a->history;
    h->sample_count = 0;
    for (uint32_t i = 0; i < l->count && l->ids[i] < job->a->count; ++i) {
        h->sample_ids[i] = l->ids[i];
        h->sample[i] = job->a->boxes[l->ids[i]];
        ++h->sample_count;
    }
}

tact_pairs_features tact_pairs_look(const tact_pairs_job* job)
{
    look l = {.count = 0};
    tact_pairs_features f = {.volumes = (double)job->a->live + (job->b ? (double)job->b->live : 0.0)};
    f.moved = share_moved(job);
    take_sample(job->a, job->b ? LOOK_AT / 2 : LOOK_AT, &l);
    keep_sample(job, &l);
    if (job->b) take_sample(job->b, LOOK_AT / 2, &l);
    f.spread = f.slimness = 1.0;
    if (l.count == 0) return f;

    double sum = 0.0, greatest = 0.0, slim = 0.0, volume = 1.0, mean[3] = {0, 0, 0};
    for (uint32_t i = 0; i < l.count; ++i) {
        const tact_aabb* b = &l.boxes[i];
        const double w[3] = {(double)b->upper.x - (double)b->lower.x, (double)b->upper.y - (double)b->lower.y,
                             (double)b->upper.z - (double)b->lower.z};
        const double most = fmax(w[0], fmax(w[1], w[2])), least = fmin(w[0], fmin(w[1], w[2]));
        sum += most;
        greatest = fmax(greatest, most);
        slim += most > 0.0 ? fmin(most / fmax(least, 1e-3 * most), 1e3) : 1.0;
        for (int k = 0; k < 3; ++k)
            mean[k] += w[k];
    }
    for (int k = 0; k < 3; ++k) {
        // The chance that two boxes overlap on the axis.
        const double width = 2.0 * mean[k] / l.count, all = extent(&l, k);
        volume *= all > width ? width / all : 1.0;
    }
    f.neighbours = f.volumes * volume;
    f.spread = sum > 0.0 ? greatest * l.count / sum : 1.0;
    f.slimness = slim / l.count;
    return f;
}

double tact_pairs_expect(const tact_pairs_job* job, const tact_pairs_features* f, tact_pairs_method method)
{
    const double n = f->volumes, threads = job->threads > 1 ? 0.6 * job->threads : 1.0;
    const double pairs = fmin(f->neighbours, n) * 0.5;
    // Nanoseconds a volume on one thread.
    double each = 0.0;
    switch (method) {
        case TACT_PAIRS_BRUTE:
            each = (job->b ? fmin((double)job->a->live, (double)job->b->live) : 0.5 * n) * 0.25;
            break;
        case TACT_PAIRS_GRID:
            each = 60.0 + pairs * f->spread * f->spread * f->spread * f->slimness * f->slimness * 8.0;
            break;
        case TACT_PAIRS_HGRID:
            each = 120.0 + pairs * f->slimness * f->slimness * 8.0 + 30.0 * log2(f->spread);
            break;
        case TACT_PAIRS_SAP:
            each = 60.0 + cbrt(n) * (2.0 + pairs);
            break;
        case TACT_PAIRS_TREE:
            each = 15.0 + f->moved * 600.0 + pairs * 10.0;
            if (job->b || f->moved > 0.5) each += 600.0;
            break;
        default:
            each = 100.0 + pairs * 12.0;
            break;
    }
    return (n * each * 1e-6 + (method == TACT_PAIRS_BRUTE ? 0.001 : 0.02)) / threads;
}

tact_pairs_method tact_pairs_choose(const tact_pairs_job* job, char* reason, size_t size)
{
    const tact_pairs_features f = tact_pairs_look(job);
    const tact_pairs_history* h = &job->state_a->history;
    tact_pairs_method best = TACT_PAIRS_BRUTE;
    double least = INFINITY;
    bool from_history = false;
    for (int m = TACT_PAIRS_BRUTE; m < TACT_PAIRS_METHOD_COUNT; ++m) {
        if (!tact_pairs_way_of((tact_pairs_method)m)) continue;
        const bool known = h->each_ms[m] > 0.0 && f.volumes < 2.0 * h->volumes[m] && h->volumes[m] < 2.0 * f.volumes;
        const double expected = known ? h->each_ms[m] * f.volumes : tact_pairs_expect(job, &f, (tact_pairs_method)m);
        if (expected >= least) continue;
        least = expected;
        best = (tact_pairs_method)m;
        from_history = known;
    }
    snprintf(reason, size, "%s %.3g ms for %.0f volumes, about %.2g overlaps each, widths up to %.1f x, %.0f %% moved",
             from_history ? "took" : "expected", least, f.volumes, f.neighbours, f.spread, f.moved * 100.0);
    return best;
}

void tact_pairs_remember(const tact_pairs_job* job, tact_pairs_method method, double milliseconds)
{
    tact_pairs_history* h = &job->state_a->history;
    const double volumes = (double)job->a->live + (job->b ? (double)job->b->live : 0.0);
    if (volumes < 1.0) return;
    const double each = milliseconds / volumes;
    // What others took is slowly forgotten, so that they are tried again.
    for (int m = 0; m < TACT_PAIRS_METHOD_COUNT; ++m)
        h->each_ms[m] *= m == (int)method ? 1.0 : 0.99;
    // The first time includes building what later ones keep, so it counts for little; an average that forgets, since
    // things move.
    double* known = &h->each_ms[method];
    *known = *known > 0.0 && h->runs[method] > 1 ? 0.75 * *known + 0.25 * each : each;
    h->volumes[method] = volumes;
    ++h->runs[method];
}
