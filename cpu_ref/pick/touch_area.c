// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pick/touched.h"

#include <math.h>
#include <string.h>

#include "kernels/ray_triangle.h"

static double at_most(double a, double b)
{
    return a < b ? a : b;
}

static double at_least(double a, double b)
{
    return a > b ? a : b;
}

static int64_t distance_outside(int64_t at, int64_t size)
{
    return at < 0 ? -at : at >= size ? at - (size - 1) : 0;
}

static void set_screen(const tact_pick_view* view, const tact_pick_lens* lens, tact_touch_area* area)
{
    const double half_width = 0.5 * (double)view->width, half_height = 0.5 * (double)view->height;
    for (int k = 0; k < 4; ++k) {
        const double x = lens->row[0][k], y = lens->row[1][k], z = lens->row[2][k], w = lens->row[3][k];
        area->screen[0][k] = (x + w) * half_width;
        area->screen[1][k] = (w - y) * half_height;
        area->screen[2][k] = view->depth == TACT_CLIP_ZERO_TO_ONE ? z : (z + w) * 0.5;
        area->screen[3][k] = w;
    }
}

static void bound(tact_touch_area* area, double x0, double y0, double x1, double y1)
{
    area->x0 = at_least(x0, 0.0);
    area->y0 = at_least(y0, 0.0);
    area->x1 = at_most(x1, (double)area->width);
    area->y1 = at_most(y1, (double)area->height);
}

static void bound_rectangle(tact_touch_area* area, const tact_pick_view* view, const int32_t r[4])
{
    const double left = (double)view->left, top = (double)view->top;
    bound(area, (double)(r[0] < r[2] ? r[0] : r[2]) - left, (double)(r[1] < r[3] ? r[1] : r[3]) - top,
          (double)(r[0] < r[2] ? r[2] : r[0]) - left, (double)(r[1] < r[3] ? r[3] : r[1]) - top);
}

static void bound_point(tact_touch_area* area, const tact_pick_view* view, const tact_pick_region* region)
{
    area->point_x = (int64_t)region->x - view->left;
    area->point_y = (int64_t)region->y - view->top;
    area->radius = region->radius;
    const int64_t dx = distance_outside(area->point_x, area->width), r = area->radius;
    const int64_t dy = distance_outside(area->point_y, area->height);
    bound(area, (double)(area->point_x - r), (double)(area->point_y - r), (double)(area->point_x + r + 1),
          (double)(area->point_y + r + 1));
    area->least = dx > r || dy > r ? r * r + 1 : dx * dx + dy * dy;
    if (region->radius > 1024u || area->least > r * r) area->x1 = area->x0;
}

tact_result tact_touch_area_make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region, bool brute,
                                 tact_touch_area* area, bool* empty)
{
    memset(area, 0, sizeof *area);
    *empty = true;
    tact_pick_lens lens;
    if (!tact_pick_lens_make(view, &lens)) return TACT_OK;
    set_screen(view, &lens, area);
    area->reversed = view->reversed;
    area->endless = lens.endless;
    area->shape = region->shape;
    area->width = (int64_t)view->width;
    area->height = (int64_t)view->height;
    tact_result result = TACT_OK;
    switch (region->shape) {
        case TACT_PICK_FRAME:
            bound(area, 0.0, 0.0, (double)view->width, (double)view->height);
            break;
        case TACT_PICK_RECTANGLE:
            bound_rectangle(area, view, region->rectangle);
            break;
        case TACT_PICK_POINT:
            bound_point(area, view, region);
            break;
        case TACT_PICK_LASSO: {
            double box[4];
            result = tact_touch_lasso_make(env, view, region, brute, area, box);
            bound(area, box[0], box[1], box[2], box[3]);
            if (result == TACT_OK) result = tact_touch_grid_make(env, area);
            break;
        }
    }
    // A lasso may be flat and yet have edges, but it has no area then.
    *empty = !(area->x0 < area->x1 && area->y0 < area->y1);
    return result;
}

void tact_touch_area_free(tact_env* env, tact_touch_area* area)
{
    tact_release(env, area->edges);
    tact_release(env, area->band_first);
    tact_release(env, area->band_edges);
    tact_release(env, area->grid);
    memset(area, 0, sizeof *area);
}

void tact_touch_enter(const tact_touch_area* area, const float m[12], tact_touch_frame* frame)
{
    for (int i = 0; i < 4; ++i) {
        const double* s = area->screen[i];
        for (int k = 0; k < 4; ++k)
            frame->m[i][k] = (s[0] * (double)m[k] + s[1] * (double)m[4 + k]) + s[2] * (double)m[8 + k];
        frame->m[i][3] = frame->m[i][3] + s[3];
    }
}

enum { NEAR_PLANE, FAR_PLANE, LEFT, RIGHT, TOP, BOTTOM, PLANES };

/// A plane's value at X Y Z W.
static double plane_value(const tact_touch_area* area, int plane, const double p[4])
{
    switch (plane) {
        case NEAR_PLANE:
            return area->reversed ? p[3] - p[2] : p[2];
        case FAR_PLANE:
            return area->reversed ? p[2] : p[3] - p[2];
        case LEFT:
            return p[0] - area->x0 * p[3];
        case RIGHT:
            return area->x1 * p[3] - p[0];
        case TOP:
            return p[1] - area->y0 * p[3];
        default:
            return area->y1 * p[3] - p[1];
    }
}

/// The part of `in` where value >= 0, value[i] being that of corner i.
static int clip(const tact_touch_vertex* in, const double* value, int count, tact_touch_vertex* out)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const int next = i + 1 < count ? i + 1 : 0;
        const bool here = value[i] >= 0.0, there = value[next] >= 0.0;
        if (here) out[kept++] = in[i];
        if (here == there) continue;
        const int a = here ? i : next, b = here ? next : i;
        const double t = value[a] / (value[a] - value[b]);
        for (int k = 0; k < TACT_TOUCH_NUMBERS; ++k)
            out[kept].p[k] = in[a].p[k] + t * (in[b].p[k] - in[a].p[k]);
        ++kept;
    }
    return kept;
}

/// Clips a polygon in place to side * (p[axis] - at) >= 0, after the division by W.
static int clip_flat(tact_touch_vertex* polygon, int count, int axis, double at, double side)
{
    TACT_ASSERT(count >= 0 && count <= TACT_TOUCH_CORNERS);
    tact_touch_vertex in[TACT_TOUCH_CORNERS];
    double value[TACT_TOUCH_CORNERS];
    bool all = true;
    for (int i = 0; i < count; ++i) {
        value[i] = side * (polygon[i].p[axis] - at);
        all = all && value[i] >= 0.0;
    }
    if (all) return count;
    memcpy(in, polygon, (size_t)count * sizeof *in);
    return clip(in, value, count, polygon);
}

/// Step 2; the number of corners left. Only planes that some corner is beyond can change anything; *whole: none.
static int clip_triangle(const tact_touch_area* area, tact_touch_vertex* polygon, bool* whole)
{
    *whole = false;
    uint32_t crossed = 0;
    for (int plane = 0; plane < PLANES; ++plane) {
        if (plane == FAR_PLANE && area->endless) continue;
        int outside = 0;
        for (int i = 0; i < 3; ++i)
            outside += !(plane_value(area, plane, polygon[i].p) >= 0.0);
        if (outside == 3) return 0;
        if (outside) crossed |= 1u << plane;
    }
    *whole = crossed == 0;
    int count = 3;
    // Corners made by a plane may, by rounding, be beyond one that no corner of the triangle is beyond: those stay.
    for (int plane = 0; plane < PLANES && crossed; ++plane) {
        if (!(crossed >> plane & 1u)) continue;
        tact_touch_vertex in[TACT_TOUCH_CORNERS];
        double value[TACT_TOUCH_CORNERS];
        for (int i = 0; i < count; ++i)
            value[i] = plane_value(area, plane, polygon[i].p);
        memcpy(in, polygon, (size_t)count * sizeof *in);
        count = clip(in, value, count, polygon);
    }
    TACT_ASSERT(count <= TACT_TOUCH_CORNERS);
    return count;
}

/// A corner with W > 0, divided by it.
static tact_touch_vertex flatten(const tact_touch_area* area, const tact_touch_vertex* v)
{
    TACT_ASSERT(v->p[3] > 0.0);
    const double *p = v->p, w = p[3];
    return (tact_touch_vertex){{at_most(at_least(p[0] / w, area->x0), area->x1),
                                at_most(at_least(p[1] / w, area->y0), area->y1), at_most(at_least(p[2] / w, 0.0), 1.0),
                                1.0, p[4] / w, p[5] / w, p[6] / w}};
}

static int project(const tact_touch_area* area, tact_touch_vertex* polygon, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (!(polygon[i].p[3] > 0.0)) continue;
        polygon[kept++] = flatten(area, &polygon[i]);
    }
    return kept;
}

/// Whether a candidate of a triangle is nearer than another: by rank, then by what rank has rounded away, so that it
/// does not matter which came first.
static bool nearer(const tact_touch_area* area, const tact_touch_best* a, const tact_touch_best* b)
{
    const int order = tact_touch_compare(area->reversed, a, b);
    if (order != 0) return order < 0;
    if (a->z != b->z) return area->reversed ? a->z > b->z : a->z < b->z;
    if (a->y != b->y) return a->y < b->y;
    if (a->x != b->x) return a->x < b->x;
    return a->u != b->u ? a->u < b->u : a->v < b->v;
}

static int64_t within(double at, int64_t size)
{
    const int64_t pixel = (int64_t)floor(at);
    return pixel < 0 ? 0 : pixel >= size ? size - 1 : pixel;
}

static void consider_pixel(const tact_touch_area* area, const tact_touch_vertex* v, int64_t distance, int64_t x,
                           int64_t y, tact_touch_best* best)
{
    TACT_ASSERT(x >= 0 && x < area->width && y >= 0 && y < area->height && distance >= 0);
    const double q = v->p[6];
    // + 0.0 makes -0 a 0, so that depths are ordered as their bits are.
    const tact_touch_best here = {.found = true,
                                  .distance = distance,
                                  .depth = (float)(v->p[2] + 0.0),
                                  .pixel = (uint32_t)(y * area->width + x),
                                  .x = v->p[0],
                                  .y = v->p[1],
                                  .z = v->p[2],
                                  .u = at_most(at_least(v->p[4] / q, 0.0), 1.0),
                                  .v = at_most(at_least(v->p[5] / q, 0.0), 1.0)};
    if (!best->found || nearer(area, &here, best)) *best = here;
}

void tact_touch_consider(const tact_touch_area* area, const tact_touch_vertex* v, tact_touch_best* best)
{
    consider_pixel(area, v, 0, within(v->p[0], area->width), within(v->p[1], area->height), best);
}

/// Of a triangle that nothing cuts, whose corners are the candidates: the nearest one, if one has the least depth,
/// which then ranks before the others whatever else they are. False: it has to be found in full.
static bool consider_whole(const tact_touch_area* area, const tact_touch_vertex corners[3], tact_touch_best* best)
{
    float depth[3];
    for (int i = 0; i < 3; ++i) {
        const double z = corners[i].p[2], w = corners[i].p[3];
        if (!(w > 0.0)) return false;
        depth[i] = (float)(at_most(at_least(z / w, 0.0), 1.0) + 0.0);
        if (area->reversed) depth[i] = -depth[i];
    }
    const int first = depth[1] < depth[0] ? 1 : 0, nearest = depth[2] < depth[first] ? 2 : first;
    for (int i = 0; i < 3; ++i) {
        if (i != nearest && depth[i] == depth[nearest]) return false;
    }
    const tact_touch_vertex flat = flatten(area, &corners[nearest]);
    tact_touch_consider(area, &flat, best);
    return true;
}

static int64_t root(int64_t square)
{
    TACT_ASSERT(square >= 0);
    int64_t r = (int64_t)sqrt((double)square);
    while (r * r > square)
        --r;
    while ((r + 1) * (r + 1) <= square)
        ++r;
    return r;
}

/// The polygon in one row of the disc's squares.
static void try_row(const tact_touch_area* area, const tact_touch_vertex* polygon, int count, int64_t y,
                    tact_touch_best* best)
{
    TACT_ASSERT(count >= 1 && count <= TACT_TOUCH_CORNERS);
    const int64_t dy = y - area->point_y, half = root(area->radius * area->radius - dy * dy);
    int64_t first = area->point_x - half, last = area->point_x + half;
    first = first < 0 ? 0 : first;
    last = last >= area->width ? area->width - 1 : last;
    if (first > last) return;
    tact_touch_vertex row[TACT_TOUCH_CORNERS];
    memcpy(row, polygon, (size_t)count * sizeof *row);
    count = clip_flat(row, count, 1, (double)y, 1.0);
    count = clip_flat(row, count, 1, (double)(y + 1), -1.0);
    count = clip_flat(row, count, 0, (double)first, 1.0);
    count = clip_flat(row, count, 0, (double)(last + 1), -1.0);
    if (count == 0) return;
    double low = row[0].p[0], high = low;
    for (int i = 1; i < count; ++i) {
        low = at_most(low, row[i].p[0]);
        high = at_least(high, row[i].p[0]);
    }
    // Squares are closed: one that ends where the polygon begins is met.
    const int64_t from = (int64_t)ceil(low) - 1, to = (int64_t)floor(high);
    const int64_t begin = from < first ? first : from > last ? last : from, end = to > last ? last : to;
    const int64_t wanted = area->point_x < end ? area->point_x : end, x = wanted > begin ? wanted : begin;
    const int64_t distance = (x - area->point_x) * (x - area->point_x) + dy * dy;
    tact_touch_vertex square[TACT_TOUCH_CORNERS];
    memcpy(square, row, (size_t)count * sizeof *row);
    int left = clip_flat(square, count, 0, (double)x, 1.0);
    left = clip_flat(square, left, 0, (double)(x + 1), -1.0);
    const tact_touch_vertex* corners = left ? square : row;
    for (int i = 0; i < (left ? left : count); ++i)
        consider_pixel(area, &corners[i], distance, x, y, best);
}

/// Rows outwards from the point's, until none can be nearer.
static void try_point(const tact_touch_area* area, const tact_touch_vertex* polygon, int count, tact_touch_best* best)
{
    TACT_ASSERT(count >= 1 && area->shape == TACT_PICK_POINT);
    double low = polygon[0].p[1], high = low;
    for (int i = 1; i < count; ++i) {
        low = at_most(low, polygon[i].p[1]);
        high = at_least(high, polygon[i].p[1]);
    }
    int64_t first = (int64_t)ceil(low) - 1, last = (int64_t)floor(high);
    first = first > (int64_t)area->y0 ? first : (int64_t)area->y0;
    last = last < (int64_t)area->y1 - 1 ? last : (int64_t)area->y1 - 1;
    const int64_t y = area->point_y;
    const int64_t start = y < first ? first - y : y > last ? y - last : 0;
    for (int64_t d = start; d <= area->radius; ++d) {
        if (best->found && d * d > best->distance) break;
        if (y - d >= first && y - d <= last) try_row(area, polygon, count, y - d, best);
        if (d > 0 && y + d >= first && y + d <= last) try_row(area, polygon, count, y + d, best);
        if (y - d < first && y + d > last) break;
    }
}

static void corner(const tact_touch_frame* frame, const float v[3], double u, double w, tact_touch_vertex* out)
{
    const double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    for (int i = 0; i < 4; ++i) {
        const double* m = frame->m[i];
        out->p[i] = ((m[0] * x + m[1] * y) + m[2] * z) + m[3];
    }
    out->p[4] = u;
    out->p[5] = w;
    out->p[6] = 1.0;
}

bool tact_touch_triangle(const tact_touch_area* area, const tact_touch_frame* frame, const float a[3], const float b[3],
                         const float c[3], bool inside, tact_touch_best* best)
{
    best->found = false;
    if (!tact_in_range(a[0], a[1], a[2]) || !tact_in_range(b[0], b[1], b[2]) || !tact_in_range(c[0], c[1], c[2])) {
        return false;
    }
    tact_touch_vertex polygon[TACT_TOUCH_CORNERS];
    corner(frame, a, 0.0, 0.0, &polygon[0]);
    corner(frame, b, 1.0, 0.0, &polygon[1]);
    corner(frame, c, 0.0, 1.0, &polygon[2]);
    bool whole = inside;
    int count = inside ? 3 : clip_triangle(area, polygon, &whole);
    const bool all_in = inside || area->shape == TACT_PICK_FRAME || area->shape == TACT_PICK_RECTANGLE;
    if (whole && all_in && consider_whole(area, polygon, best)) return true;
    if (count > 0) count = project(area, polygon, count);
    if (count == 0) return false;
    if (area->shape == TACT_PICK_POINT) {
        try_point(area, polygon, count, best);
    } else if (area->shape == TACT_PICK_LASSO) {
        tact_touch_lasso_try(area, polygon, count, best);
    } else {
        for (int i = 0; i < count; ++i)
            tact_touch_consider(area, &polygon[i], best);
    }
    return best->found;
}

#define SLACK 0x1p-40

/// A linear function of the place on the screen, over a box of the mesh's frame.
typedef struct range {
    double low, high;  // its bounds
    double size;       // sum of the magnitudes of the terms behind it
} range;

/// A box on the screen.
typedef struct screen_box {
    const tact_touch_frame* frame;
    const float *lower, *upper;
    double reach[3];  // largest magnitude of a coordinate
} screen_box;

static double terms(const screen_box* b, int row)
{
    const double* m = b->frame->m[row];
    return ((fabs(m[0]) * b->reach[0] + fabs(m[1]) * b->reach[1]) + fabs(m[2]) * b->reach[2]) + fabs(m[3]);
}

/// f * row i + g * row W.
static range over_box(const screen_box* b, int row, double f, double g)
{
    const double *m = b->frame->m[row], *w = b->frame->m[3];
    const double constant = f * m[3] + g * w[3];
    range r = {constant, constant, fabs(f) * terms(b, row) + fabs(g) * terms(b, 3)};
    for (int k = 0; k < 3; ++k) {
        const double n = f * m[k] + g * w[k];
        const double at_lower = n * (double)b->lower[k], at_upper = n * (double)b->upper[k];
        r.low += at_most(at_lower, at_upper);
        r.high += at_least(at_lower, at_upper);
    }
    return r;
}

static bool all_below(range r)
{
    return r.high < -SLACK * r.size;
}

static bool all_above(range r)
{
    return r.low > SLACK * r.size;
}

/// The cover of everything in a box whose X, Y and W are within these. The computed X / W is off by less than 2^-47 of
/// the magnitudes behind X and of |X / W| times those behind W, over W.
static tact_touch_cover cover_of(const tact_touch_area* area, range x, range y, range w)
{
    if (!(w.low > 0x1p-20 * w.size)) return TACT_TOUCH_MIXED;
    const range* across[2] = {&x, &y};
    double low[2], high[2];
    for (int k = 0; k < 2; ++k) {
        const range* r = across[k];
        low[k] = r->low < 0.0 ? r->low / w.low : r->low / w.high;
        high[k] = r->high > 0.0 ? r->high / w.low : r->high / w.high;
        const double most = at_least(fabs(low[k]), fabs(high[k]));
        const double slack = SLACK * ((r->size + most * w.size) / w.low);
        low[k] -= slack;
        high[k] += slack;
    }
    return tact_touch_grid_look(area, low[0], low[1], high[0], high[1]);
}

/// Whether everything in the box ranks after `best` by the pixel's distance from the point, or by depth.
static bool all_worse(const tact_touch_area* area, const screen_box* box, const tact_touch_best* best)
{
    if (area->shape == TACT_PICK_POINT) {
        // A pixel more than the distance allows, since places are rounded and squares closed.
        const double k = (double)(root(best->distance) + 1);
        const double x = (double)area->point_x, y = (double)area->point_y;
        if (all_below(over_box(box, 0, 1.0, k - x)) || all_below(over_box(box, 0, -1.0, x + 1.0 + k)) ||
            all_below(over_box(box, 1, 1.0, k - y)) || all_below(over_box(box, 1, -1.0, y + 1.0 + k))) {
            return true;
        }
        if (best->distance > area->least) return false;
    }
    // Equal depths may still rank before by their pixel, and depths are kept within 0 to 1.
    if (area->reversed) {
        return best->depth > 0.0f && all_below(over_box(box, 2, 1.0, -(double)nextafterf(best->depth, -1.0f)));
    }
    return best->depth < 1.0f && all_below(over_box(box, 2, -1.0, (double)nextafterf(best->depth, 2.0f)));
}

tact_touch_reach tact_touch_box(const tact_touch_area* area, const tact_touch_frame* frame, const float lower[3],
                                const float upper[3], const tact_touch_best* best)
{
    screen_box box = {frame, lower, upper, {0}};
    for (int k = 0; k < 3; ++k)
        box.reach[k] = at_least(fabs((double)lower[k]), fabs((double)upper[k]));
    tact_touch_reach reach = {0.0, true, false};
    // Z, then W - Z.
    const range first = over_box(&box, 2, 1.0, 0.0), second = over_box(&box, 2, -1.0, 1.0);
    const range near = area->reversed ? second : first, far = area->reversed ? first : second;
    reach.nearness = near.low;
    if (all_below(near) || (!area->endless && all_below(far))) return reach;
    const range sides[4] = {over_box(&box, 0, 1.0, -area->x0), over_box(&box, 0, -1.0, area->x1),
                            over_box(&box, 1, 1.0, -area->y0), over_box(&box, 1, -1.0, area->y1)};
    bool inside = area->shape != TACT_PICK_POINT && all_above(near) && (area->endless || all_above(far));
    for (int k = 0; k < 4; ++k) {
        if (all_below(sides[k])) return reach;
        inside = inside && all_above(sides[k]);
    }
    if (area->shape == TACT_PICK_LASSO) {
        const tact_touch_cover cover =
            cover_of(area, over_box(&box, 0, 1.0, 0.0), over_box(&box, 1, 1.0, 0.0), over_box(&box, 3, 1.0, 0.0));
        if (cover == TACT_TOUCH_NONE) return reach;
        inside = inside && cover == TACT_TOUCH_ALL;
    }
    reach.inside = inside;
    reach.outside = best && best->found && all_worse(area, &box, best);
    return reach;
}
