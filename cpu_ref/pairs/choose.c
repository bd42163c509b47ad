// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/choose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cpu_ref/pairs/select_rank.h"

/// Boxes to look at: enough for means and quantiles, few enough not to be noticed.
enum { LOOK_AT = TACT_PAIRS_SAMPLE, LOOK_AT_LEAST = 16, ONE_IN = 64 };

typedef struct look {
    tact_aabb boxes[LOOK_AT];
    uint32_t ids[LOOK_AT];
    uint32_t count;
} look;

/// Every so manieth box that takes part and is finite.
static void take_sample(const tact_volume_view* of, uint32_t most, look* l)
{
    TACT_ASSERT(most <= LOOK_AT);
    uint32_t wanted = of->count / ONE_IN;
    wanted = wanted < LOOK_AT_LEAST ? LOOK_AT_LEAST : wanted > most ? most : wanted;
    const uint32_t step = of->count / wanted + 1;
    for (uint32_t i = 0; i < of->count && l->count < LOOK_AT; i += step) {
        const tact_aabb* b = &of->boxes[i];
        const float sum = (b->upper.x - b->lower.x) + (b->upper.y - b->lower.y) + (b->upper.z - b->lower.z);
        if (!isfinite(sum)) continue;
        l->ids[l->count] = i;
        l->boxes[l->count++] = *b;
    }
}

/// The width of the middle 80 % of the boxes along an axis, as if that were all.
static double extent(const look* l, int axis)
{
    TACT_ASSERT(l->count >= 1 && l->count <= LOOK_AT && axis >= 0 && axis < 3);
    float middles[LOOK_AT];
    for (uint32_t i = 0; i < l->count; ++i) {
        const float low[3] = {l->boxes[i].lower.x, l->boxes[i].lower.y, l->boxes[i].lower.z};
        const float high[3] = {l->boxes[i].upper.x, l->boxes[i].upper.y, l->boxes[i].upper.z};
        middles[i] = 0.5f * low[axis] + 0.5f * high[axis];
    }
    const uint32_t cut = l->count / 10;
    const double last = (double)tact_select_rank(middles, l->count, l->count - 1 - cut);
    return (last - (double)tact_select_rank(middles, l->count, cut)) * 1.25;
}

/// From the first middle to the last.
static double range(const look* l, int axis)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (uint32_t i = 0; i < l->count; ++i) {
        const tact_aabb* b = &l->boxes[i];
        const double low = (double)(axis == 0 ? b->lower.x : axis == 1 ? b->lower.y : b->lower.z);
        least = fmin(least, low);
        most = fmax(most, low);
    }
    return most - least;
}

/// Which share of the boxes of the last look have moved since.
static double share_moved(const tact_pairs_job* job)
{
    const tact_pairs_history* h = &job->state_a->history;
    TACT_ASSERT(h->sample_count <= TACT_PAIRS_SAMPLE);
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

/// Looks at a few hundred boxes. Remembers them in job->state_a to see what moves.
static tact_pairs_features look_at(const tact_pairs_job* job)
{
    TACT_ASSERT(job->state_a && job->a->live <= job->a->count);
    look l = {.count = 0};
    tact_pairs_features f = {.volumes = (double)job->a->live + (job->b ? (double)job->b->live : 0.0)};
    f.moved = share_moved(job);
    f.kept = job->state_a->history.queries > 0;
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
        if (greatest > 0.0) f.cells = fmax(f.cells, range(&l, k) / greatest);
    }
    f.neighbours = f.volumes * volume;
    f.spread = sum > 0.0 ? greatest * l.count / sum : 1.0;
    f.slimness = slim / l.count;
    return f;
}

/// What a method takes, as measured with two threads on uniform sets from 300 to a million boxes (docs/pairs.md):
/// microseconds a query, and nanoseconds a box while the set fits the caches, and beyond.
typedef struct rate {
    double query_us, box_ns, far_box_ns;
} rate;

static const rate fresh_rates[TACT_PAIRS_METHOD_COUNT] = {
    [TACT_PAIRS_SAP] = {10, 62, 80}, [TACT_PAIRS_GRID] = {50, 40, 55},  [TACT_PAIRS_HGRID] = {55, 40, 55},
    [TACT_PAIRS_BVH] = {4, 15, 45},  [TACT_PAIRS_TREE] = {20, 50, 130},
};
/// When the set was there before and has moved.
static const rate frame_rates[TACT_PAIRS_METHOD_COUNT] = {
    [TACT_PAIRS_SAP] = {10, 55, 80},  [TACT_PAIRS_GRID] = {50, 42, 55},  [TACT_PAIRS_HGRID] = {55, 42, 55},
    [TACT_PAIRS_BVH] = {0.5, 14, 35}, [TACT_PAIRS_TREE] = {10, 80, 200},
};

enum { FAR = 400000 };  // boxes: about what the caches of a desktop hold

/// By how much boxes that are not alike make a method dearer.
static double surcharge(const tact_pairs_features* f, tact_pairs_method method)
{
    const double slim = f->slimness > 2.0 ? 0.25 * f->slimness * f->slimness : 1.0;
    // Cells as wide as the widest box hold that many more of the others.
    const double crowd = f->spread > 2.0 ? 1.0 + 0.05 * f->spread * f->spread * f->spread : 1.0;
    // Where cells run out, boxes far from the middle share the last ones.
    const bool too_wide = f->cells > 60000.0 && f->cells > 3.0 * f->volumes;
    if (method == TACT_PAIRS_GRID) return fmin(slim * crowd, 1e6) * (too_wide ? 100.0 : 1.0);
    if (method == TACT_PAIRS_HGRID) return fmin(slim, 1e6) * (too_wide ? 100.0 : 1.0) * (f->spread > 2.0 ? 1.4 : 1.0);
    return 1.0;
}

/// Expected milliseconds.
static double expect_time(const tact_pairs_job* job, const tact_pairs_features* f, tact_pairs_method method)
{
    TACT_ASSERT(method > TACT_PAIRS_AUTO && method < TACT_PAIRS_METHOD_COUNT);
    const double n = f->volumes, two_threads = 2.0 / (job->threads > 1 ? job->threads : 1.25);
    // Every method hands its pairs to the same sort.
    const double pairs_ms = n * 7.0 * 0.5 * fmin(f->neighbours, n) * 1e-6 * two_threads;
    if (method == TACT_PAIRS_BRUTE) {
        const double tests = job->b ? (double)job->a->live * job->b->live : 0.5 * n * n;
        return 0.004 + tests * 2.4e-7 * two_threads + pairs_ms;
    }
    const rate* r = f->kept ? &frame_rates[method] : &fresh_rates[method];
    double each = n > FAR ? r->far_box_ns : r->box_ns;
    // Only what moves is asked for.
    if (method == TACT_PAIRS_BVH && f->kept && !job->b && f->moved < 1.0 / 32.0) each *= 0.3;
    return 1e-3 * r->query_us + n * each * surcharge(f, method) * 1e-6 * two_threads + pairs_ms;
}

static const double SLOW = 1.3;  // times as long as it took before
enum { SLOW_RUNS = 2 };
enum { FEW = 128 };  // volumes that are not worth a look

static bool is_known(const tact_pairs_history* h, const tact_pairs_features* f, tact_pairs_method method)
{
    return h->each_ms[method] > 0.0 && f->volumes < 2.0 * h->volumes[method] && h->volumes[method] < 2.0 * f->volumes;
}

/// By how much longer than expected the last method took: others will, too, for whatever reason.
static double surprise(const tact_pairs_job* job, const tact_pairs_features* f)
{
    const tact_pairs_history* h = &job->state_a->history;
    if (h->queries == 0 || !is_known(h, f, h->last)) return 1.0;
    return fmax(1.0, h->each_ms[h->last] * f->volumes / expect_time(job, f, h->last));
}

/// What the method is to be judged by: what it took before, where that still applies.
static double judge(const tact_pairs_job* job, const tact_pairs_features* f, tact_pairs_method method, double scale,
                    bool* known)
{
    const tact_pairs_history* h = &job->state_a->history;
    *known = is_known(h, f, method);
    const double expected = *known ? h->each_ms[method] * f->volumes : scale * expect_time(job, f, method);
    // To change for a little would cost more than it gives.
    return method == h->last && h->queries > 0 ? 0.9 * expected : expected;
}

tact_pairs_method tact_pairs_choose(const tact_pairs_job* job, char* reason, size_t size)
{
    const uint32_t live = job->a->live + (job->b ? job->b->live : 0);
    if (live <= FEW && job->state_a->history.queries == 0) {
        snprintf(reason, size, "%u volumes, not seen before", live);
        return TACT_PAIRS_BRUTE;
    }
    const tact_pairs_features f = look_at(job);
    tact_pairs_method best = TACT_PAIRS_BRUTE;
    double least = HUGE_VAL;
    bool from_history = false;
    const double scale = surprise(job, &f);
    for (int m = TACT_PAIRS_BRUTE; m < TACT_PAIRS_METHOD_COUNT; ++m) {
        bool known = false;
        const double expected = judge(job, &f, (tact_pairs_method)m, scale, &known);
        if (expected >= least) continue;
        least = expected;
        best = (tact_pairs_method)m;
        from_history = known;
    }
    TACT_ASSERT(least < HUGE_VAL && tact_pairs_way_of(best));
    snprintf(reason, size, "%s %.2g ms for %.0f volumes, widths up to %.1f of the mean, %.1f long for 1 wide, %s",
             from_history ? "took about" : "expected", least, f.volumes, f.spread, f.slimness,
             !f.kept          ? "not seen before"
             : f.moved > 0.01 ? "in motion"
                              : "hardly moving");
    return best;
}

void tact_pairs_remember(const tact_pairs_job* job, tact_pairs_method method, double milliseconds)
{
    TACT_ASSERT(method > TACT_PAIRS_AUTO && method < TACT_PAIRS_METHOD_COUNT);
    TACT_ASSERT(milliseconds >= 0.0);
    tact_pairs_history* h = &job->state_a->history;
    const double volumes = (double)job->a->live + (job->b ? (double)job->b->live : 0.0);
    ++h->queries;
    h->last = method;
    if (volumes < 1.0) return;
    // What others took is slowly forgotten, so that they are tried again.
    for (int m = 0; m < TACT_PAIRS_METHOD_COUNT; ++m)
        h->each_ms[m] *= m == (int)method ? 1.0 : 0.998;
    const double each = milliseconds / volumes;
    double* known = &h->each_ms[method];
    const bool first = h->runs[method] == 0 || volumes > 2.0 * h->volumes[method] || h->volumes[method] > 2.0 * volumes;
    // The first time starts threads and builds what later ones keep; it says nothing. Then an average that forgets,
    // since things move. What takes much longer all at once has mostly been interrupted; when it goes on it counts.
    const bool slow = *known > 0.0 && each > SLOW * *known;
    if (first) h->runs[method] = 0;
    if (!slow || first) h->slow[method] = 0;
    if (slow && !first && h->slow[method] < SLOW_RUNS) {
        ++h->slow[method];
    } else {
        *known = first ? 0.0 : *known > 0.0 ? 0.75 * *known + 0.25 * each : each;
    }
    h->volumes[method] = volumes;
    ++h->runs[method];
}
