// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pick/touched.h"

#include <math.h>
#include <string.h>

// Edges are found by bands of rows: one that a polygon or a point can meet is in a band with it, since the band of a y
// grows with y, rounding included. An edge in several is tried in the first that polygon and edge have in common.

static uint32_t band_of(const tact_touch_area* area, double y)
{
    TACT_ASSERT(area->bands >= 1);
    const double band = (y - area->band_origin) * area->band_scale;
    const uint32_t last = area->bands - 1;
    return !(band > 0.0) ? 0 : band >= (double)last ? last : (uint32_t)band;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double greatest(double a, double b)
{
    return a > b ? a : b;
}

/// How many places the edges take in all bands, and with `write` what goes there.
static size_t list_bands(tact_touch_area* area, bool write)
{
    size_t total = 0;
    for (size_t i = 0; i < area->edge_count; ++i) {
        tact_touch_edge* e = &area->edges[i];
        const uint32_t first = band_of(area, least(e->ay, e->by)), last = band_of(area, greatest(e->ay, e->by));
        TACT_ASSERT(first <= last && last < area->bands);
        e->band = first;
        total += last - first + 1;
        for (uint32_t b = first; b <= last && write; ++b)
            area->band_edges[area->band_first[b]++] = (uint32_t)i;
    }
    return total;
}

static tact_result make_bands(tact_env* env, tact_touch_area* area, double low, double high, bool brute)
{
    TACT_ASSERT(low < high && area->edge_count >= 3);
    area->band_origin = low;
    // Long edges are in many bands; fewer bands then keep the lists short.
    for (area->bands = brute ? 1 : 1024;; area->bands /= 2) {
        area->band_scale = (double)area->bands / (high - low);
        if (area->bands == 1 || list_bands(area, false) <= 8 * area->edge_count + 1024) break;
    }
    const size_t total = list_bands(area, false);
    area->band_first = tact_allocate_zeroed(env, area->bands + (size_t)1, sizeof *area->band_first);
    area->band_edges = tact_allocate(env, total, sizeof *area->band_edges);
    if (!area->band_first || !area->band_edges) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < area->edge_count; ++i) {
        const tact_touch_edge* e = &area->edges[i];
        for (uint32_t b = e->band; b <= band_of(area, greatest(e->ay, e->by)); ++b)
            ++area->band_first[b];
    }
    uint32_t place = 0;
    for (uint32_t b = 0; b <= area->bands; ++b) {
        const uint32_t here = area->band_first[b];
        area->band_first[b] = place;
        place += here;
    }
    TACT_ASSERT(place == total);
    list_bands(area, true);
    // Each now stands at its end, which is where the next one begins.
    memmove(area->band_first + 1, area->band_first, area->bands * sizeof *area->band_first);
    area->band_first[0] = 0;
    TACT_ASSERT(area->band_first[area->bands] == total);
    return TACT_OK;
}

tact_result tact_touch_lasso_make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region, bool brute,
                                  tact_touch_area* area, double box[4])
{
    const size_t count = region->lasso_count;
    memset(box, 0, 4 * sizeof *box);
    if (count < 3 || !region->lasso) return TACT_OK;
    if (count > TACT_PICK_LASSO_MAX) return tact_fail(env, TACT_ERROR_LIMIT, "a lasso of %zu corners", count);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(region->lasso[i][0]) || !isfinite(region->lasso[i][1])) return TACT_OK;
    }
    area->edges = tact_allocate(env, count, sizeof *area->edges);
    if (!area->edges) return TACT_ERROR_OUT_OF_MEMORY;
    area->edge_count = count;
    const double left = (double)view->left, top = (double)view->top;
    box[0] = box[1] = HUGE_VAL;
    box[2] = box[3] = -HUGE_VAL;
    for (size_t i = 0; i < count; ++i) {
        const float *a = region->lasso[i], *b = region->lasso[i + 1 < count ? i + 1 : 0];
        tact_touch_edge* e = &area->edges[i];
        *e = (tact_touch_edge){(double)a[0] - left, (double)a[1] - top, (double)b[0] - left, (double)b[1] - top, 0};
        box[0] = least(box[0], e->ax);
        box[1] = least(box[1], e->ay);
        box[2] = greatest(box[2], e->ax);
        box[3] = greatest(box[3], e->ay);
    }
    if (!(box[0] < box[2] && box[1] < box[3])) return TACT_OK;
    return make_bands(env, area, box[1], box[3], brute);
}

bool tact_touch_in_lasso(const tact_touch_area* area, double x, double y)
{
    const uint32_t band = band_of(area, y);
    bool inside = false;
    for (uint32_t k = area->band_first[band]; k < area->band_first[band + 1]; ++k) {
        const tact_touch_edge* e = &area->edges[area->band_edges[k]];
        TACT_ASSERT(area->band_edges[k] < area->edge_count);
        if ((e->ay > y) == (e->by > y)) continue;
        if (x < e->ax + (y - e->ay) / (e->by - e->ay) * (e->bx - e->ax)) inside = !inside;
    }
    return inside;
}

/// Twice the area of a, b and (x, y).
static double turn(double ax, double ay, double bx, double by, double x, double y)
{
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}

/// Whether neither is on the other's side of a line.
static bool opposite(double a, double b)
{
    return (a <= 0.0 && b >= 0.0) || (a >= 0.0 && b <= 0.0);
}

static bool in_box_of(const tact_touch_edge* e, const double p[2])
{
    return p[0] >= least(e->ax, e->bx) && p[0] <= greatest(e->ax, e->bx) && p[1] >= least(e->ay, e->by) &&
           p[1] <= greatest(e->ay, e->by);
}

/// Where the side a b of the polygon meets the edge.
static void try_sides(const tact_touch_area* area, const tact_touch_edge* e, const tact_touch_vertex* a,
                      const tact_touch_vertex* b, tact_touch_best* best)
{
    const double from = turn(e->ax, e->ay, e->bx, e->by, a->p[0], a->p[1]);
    const double to = turn(e->ax, e->ay, e->bx, e->by, b->p[0], b->p[1]);
    if (from == 0.0 && in_box_of(e, a->p)) tact_touch_consider(area, a, best);
    if (from == to || !opposite(from, to)) return;
    if (!opposite(turn(a->p[0], a->p[1], b->p[0], b->p[1], e->ax, e->ay),
                  turn(a->p[0], a->p[1], b->p[0], b->p[1], e->bx, e->by))) {
        return;
    }
    const double t = from / (from - to);
    tact_touch_vertex meeting;
    for (int k = 0; k < TACT_TOUCH_NUMBERS; ++k)
        meeting.p[k] = a->p[k] + t * (b->p[k] - a->p[k]);
    tact_touch_consider(area, &meeting, best);
}

/// A corner of the lasso that is in the polygon: its depth from the largest of the triangles that fan out from corner
/// 0.
static void try_corner(const tact_touch_area* area, const tact_touch_vertex* polygon, int count, double x, double y,
                       tact_touch_best* best)
{
    TACT_ASSERT(count >= 1 && count <= TACT_TOUCH_CORNERS);
    bool left = false, right = false;
    int widest = 0;
    double area_of_it = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *a = polygon[i].p, *b = polygon[i + 1 < count ? i + 1 : 0].p;
        const double side = turn(a[0], a[1], b[0], b[1], x, y);
        left = left || side > 0.0;
        right = right || side < 0.0;
        if (i == 0 || i + 1 == count) continue;
        const double size = turn(polygon[0].p[0], polygon[0].p[1], a[0], a[1], b[0], b[1]);
        if (fabs(size) > fabs(area_of_it)) {
            area_of_it = size;
            widest = i;
        }
    }
    // Seen edge-on it has no one depth there; the meetings of edges tell then.
    if ((left && right) || widest == 0) return;
    const double *o = polygon[0].p, *a = polygon[widest].p, *b = polygon[widest + 1].p;
    const double wa = turn(b[0], b[1], o[0], o[1], x, y) / area_of_it;
    const double wb = turn(o[0], o[1], a[0], a[1], x, y) / area_of_it;
    tact_touch_vertex here;
    double low = polygon[0].p[2], high = low;
    for (int i = 1; i < count; ++i) {
        low = least(low, polygon[i].p[2]);
        high = greatest(high, polygon[i].p[2]);
    }
    for (int k = 0; k < TACT_TOUCH_NUMBERS; ++k)
        here.p[k] = (o[k] + wa * (a[k] - o[k])) + wb * (b[k] - o[k]);
    here.p[0] = x;
    here.p[1] = y;
    here.p[2] = least(greatest(here.p[2], low), high);
    tact_touch_consider(area, &here, best);
}

void tact_touch_lasso_try(const tact_touch_area* area, const tact_touch_vertex* polygon, int count,
                          tact_touch_best* best)
{
    TACT_ASSERT(count >= 1 && count <= TACT_TOUCH_CORNERS && area->band_first);
    double x0 = polygon[0].p[0], x1 = x0, y0 = polygon[0].p[1], y1 = y0;
    for (int i = 1; i < count; ++i) {
        const double *p = polygon[i].p, x = p[0], y = p[1];
        x0 = least(x0, x);
        x1 = greatest(x1, x);
        y0 = least(y0, y);
        y1 = greatest(y1, y);
    }
    const tact_touch_cover cover = tact_touch_grid_look(area, x0, y0, x1, y1);
    if (cover == TACT_TOUCH_NONE) return;
    for (int i = 0; i < count; ++i) {
        if (cover == TACT_TOUCH_ALL || tact_touch_in_lasso(area, polygon[i].p[0], polygon[i].p[1])) {
            tact_touch_consider(area, &polygon[i], best);
        }
    }
    if (cover == TACT_TOUCH_ALL) return;
    const uint32_t first = band_of(area, y0), last = band_of(area, y1);
    for (uint32_t band = first; band <= last; ++band) {
        for (uint32_t k = area->band_first[band]; k < area->band_first[band + 1]; ++k) {
            const tact_touch_edge* e = &area->edges[area->band_edges[k]];
            if (band != (e->band > first ? e->band : first)) continue;
            if (greatest(e->ax, e->bx) < x0 || least(e->ax, e->bx) > x1) continue;
            if (greatest(e->ay, e->by) < y0 || least(e->ay, e->by) > y1) continue;
            for (int i = 0; i < count; ++i)
                try_sides(area, e, &polygon[i], &polygon[i + 1 < count ? i + 1 : 0], best);
            if (e->ax < x0 || e->ax > x1 || e->ay < y0 || e->ay > y1) continue;
            try_corner(area, polygon, count, e->ax, e->ay, best);
        }
    }
}
